#include "compare/judge/metrics.h"

#include <math.h>
#include <string.h>

#include "analysis/step/step_ledger.h"
#include "base/cleanup.h"

/* A metric that is one expression of a run. */
#define VALUE(name, expression)                                                                    \
	static double name(const struct jr_run *run)                                                   \
	{                                                                                              \
		return expression;                                                                         \
	}

/* --- steps ------------------------------------------------------------------------------------ */

static double step_part(const struct jr_run *run, size_t column)
{
	return jr_run_rows(run, JR_RUN_STEP_LEDGER)
			   ? jr_table_number(run->tables[JR_RUN_STEP_LEDGER], column, 0)
			   : NAN;
}

VALUE(wall, step_part(run, JR_STEP_WALL))

static const struct jr_sample *sample_executions(const struct jr_run *run)
{
	return run->steps.typical_executions.n ? &run->steps.typical_executions
										   : &run->steps.executions;
}

static double quantile(const struct jr_sample *s, double q)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	double *sorted = JR_ARENA_COPY(&scratch, s->values, s->n, 1);
	jr_sort_doubles(sorted, s->n);
	return jr_quantile(sorted, s->n, q);
}

static double step_median(const struct jr_run *run)
{
	double median = quantile(jr_run_judged_sample(run), 0.5);
	return run->steps.by_execution ? floor(median) : rint(median); /* rounded as in the report */
}

VALUE(step_p90, quantile(jr_run_step_sample(run), 0.9))
VALUE(step_min, quantile(jr_run_step_sample(run), 0))
VALUE(step_max, quantile(jr_run_step_sample(run), 1))
VALUE(execution_median, floor(quantile(sample_executions(run), 0.5)))
VALUE(execution_p90, quantile(&run->steps.executions, 0.9))
VALUE(execution_min, quantile(&run->steps.executions, 0))
VALUE(execution_max, quantile(&run->steps.executions, 1))

/* Sums of integers below 2^53 are exact. */
static double mean(const struct jr_sample *s)
{
	double sum = 0;
	for (size_t i = 0; i < s->n; i++)
		sum += s->values[i];
	return s->n ? sum / (double)s->n : NAN;
}

VALUE(execution_mean, run->execution_mean_ns)
VALUE(step_mean, run->steps.by_execution ? run->execution_mean_ns : wall(run))

static double variation(const struct jr_sample *s)
{
	double middle = mean(s), square = 0;
	if (s->n < 2 || !(middle > 0))
		return NAN;
	for (size_t i = 0; i < s->n; i++)
		square += (s->values[i] - middle) * (s->values[i] - middle);
	return sqrt(square / (double)(s->n - 1)) / middle;
}

VALUE(step_variation, variation(jr_run_step_sample(run)))
VALUE(execution_variation, variation(&run->steps.executions))

static double steps(const struct jr_run *run)
{
	const struct jr_run_steps *s = &run->steps;
	size_t n = s->periods.n ? s->periods.n : s->executions.n;
	return s->row == SIZE_MAX && !n ? NAN : (double)n;
}

static double step_cell(const struct jr_run *run, size_t column)
{
	return run->steps.row == SIZE_MAX
			   ? NAN
			   : jr_table_number(run->tables[JR_RUN_MODULES], column, run->steps.row);
}

VALUE(wait, step_cell(run, JR_MODULE_WAIT))
VALUE(thunks, step_cell(run, JR_MODULE_THUNKS))

/* --- the parts of a step ------------------------------------------------------------------------
 */

static double path_cell(const struct jr_run *run, size_t column)
{
	return jr_run_rows(run, JR_RUN_CRITICAL_PATH) ? jr_run_f64(run, JR_RUN_CRITICAL_PATH, column, 0)
												  : NAN;
}

VALUE(
	critical_communication, path_cell(run, JR_CRITICAL_TRANSFER) + path_cell(run, JR_CRITICAL_COPY))
VALUE(perfect_overlap, path_cell(run, JR_CRITICAL_OVERLAP))
VALUE(compute, step_part(run, JR_STEP_PART + JR_STEP_COMPUTE))
VALUE(communication, step_part(run, JR_STEP_PART + JR_STEP_COMMUNICATION))
VALUE(copies, step_part(run, JR_STEP_PART + JR_STEP_COPY))
VALUE(idle_inside, step_part(run, JR_STEP_PART + JR_STEP_IDLE_IN))
VALUE(idle_between, step_part(run, JR_STEP_PART + JR_STEP_IDLE_BETWEEN))
VALUE(busy, jr_step_busy_frac(run->tables[JR_RUN_STEP_LEDGER]))

static double gpu_busy(const struct jr_run *run)
{
	double idle = 0, all = 0;
	bool judged = false; /* a device has a busy share: gpu.busy_fraction is not null */
	for (size_t i = 0; i < jr_run_rows(run, JR_RUN_GPU); i++) {
		judged = judged || !isnan(jr_run_f64(run, JR_RUN_GPU, JR_GPU_TIME_BUSY, i));
		idle += (double)jr_run_sum(run, JR_RUN_GPU, JR_GPU_TIME_IDLE, i);
		all += (double)jr_run_sum(run, JR_RUN_GPU, JR_GPU_TIME_WALL, i);
	}
	return judged && all > 0 ? 1 - idle / all : NAN;
}

/* --- the rest --------------------------------------------------------------------------------- */

static double hidden(const struct jr_run *run)
{
	for (size_t i = 0; i < jr_run_rows(run, JR_RUN_OVERLAP); i++) {
		const char *name = jr_run_text(run, JR_RUN_OVERLAP, JR_OVERLAP_NAME, i);
		if (name && strcmp(name, "all") == 0)
			return jr_run_f64(run, JR_RUN_OVERLAP, JR_OVERLAP_FRACTION, i);
	}
	/* an empty table: there was communication, but none of it overlapped */
	return jr_run_rows(run, JR_RUN_COLLECTIVES) ? 0 : NAN;
}

/* The larger value; NaN if both are unknown. */
static double larger(double a, double b)
{
	return isnan(a) || b > a ? b : a;
}

static double plan_cell(const struct jr_run *run, size_t column)
{
	return jr_table_number(run->tables[JR_RUN_PLAN], column, 0);
}

/* Of one execution of the step's program: the sum of a column over its thunks. */
static double work_sum(const struct jr_run *run, size_t column)
{
	const struct jr_table *t = run->tables[JR_RUN_ROOFLINE];
	const char *step = run->steps.row == SIZE_MAX
						   ? NULL
						   : jr_run_text(run, JR_RUN_MODULES, JR_MODULE_ID, run->steps.row);
	double executions = step_cell(run, JR_MODULE_EXECUTIONS), sum = 0;
	bool any = false;
	for (size_t i = 0; step && i < jr_run_rows(run, JR_RUN_ROOFLINE); i++) {
		const char *program = jr_run_text(run, JR_RUN_ROOFLINE, JR_ROOFLINE_PROGRAM, i);
		double each = jr_table_number(t, column, i);
		if (!program || strcmp(program, step) != 0)
			continue;
		any = true;
		sum += isnan(each) ? 0 : each * jr_table_number(t, JR_ROOFLINE_COUNT, i);
	}
	return any && executions > 0 ? sum / executions : NAN;
}

VALUE(flops, jr_run_is_plan(run) ? plan_cell(run, JR_PLAN_FLOPS) : work_sum(run, JR_ROOFLINE_FLOPS))
VALUE(bytes, jr_run_is_plan(run)
				 ? plan_cell(run, JR_PLAN_BYTES)
				 : work_sum(run, JR_ROOFLINE_READ) + work_sum(run, JR_ROOFLINE_WRITTEN))
VALUE(collective_bytes,
	jr_run_is_plan(run) ? plan_cell(run, JR_PLAN_SENT) : work_sum(run, JR_ROOFLINE_SENT))

static double memory_peak(const struct jr_run *run)
{
	double peak = NAN;
	for (size_t i = 0; i < jr_run_rows(run, JR_RUN_PROGRAM_MEMORY); i++)
		if (jr_run_is_plan(run) || jr_run_is(run, JR_RUN_PROGRAM_MEMORY, JR_PROGRAM_MEMORY_RAN, i))
			peak = larger(peak, jr_table_number(run->tables[JR_RUN_PROGRAM_MEMORY],
									JR_PROGRAM_MEMORY_ALLOCATED, i));
	return peak;
}

static double memory_temporary(const struct jr_run *run)
{
	double peak = NAN;
	for (size_t i = 0; i < jr_run_rows(run, JR_RUN_MEMORY); i++)
		if (!jr_run_is(run, JR_RUN_MEMORY, JR_MEMORY_HOST, i))
			peak = larger(peak, jr_table_number(run->tables[JR_RUN_MEMORY], JR_MEMORY_PEAK, i));
	return peak;
}

/* Bytes of all objects of a kind; NaN if one of them is not known. */
static double live_bytes(const struct jr_run *run, const char *kind)
{
	size_t n = jr_run_rows(run, JR_RUN_LIVE_KINDS);
	double sum = n && !run->live_partial ? 0 : NAN;
	for (size_t i = 0; i < n; i++) {
		const char *own = jr_run_text(run, JR_RUN_LIVE_KINDS, JR_LIVE_KIND_NAME, i);
		if (own && strcmp(own, kind) == 0)
			sum += jr_run_i64(run, JR_RUN_LIVE_KINDS, JR_LIVE_KIND_UNKNOWN, i) == 0
					   ? jr_table_number(run->tables[JR_RUN_LIVE_KINDS], JR_LIVE_KIND_BYTES, i)
					   : NAN;
	}
	return sum;
}

VALUE(memory_live, live_bytes(run, "buffer"))
VALUE(memory_live_executables, live_bytes(run, "executable"))
VALUE(hfu, run->roofline.hfu)
VALUE(mfu, run->roofline.mfu)
VALUE(step_roof, jr_run_is_plan(run) ? plan_cell(run, JR_PLAN_ROOF) : run->roofline.roof_ns)
VALUE(roofline_lost, run->roofline.lost_ns)
VALUE(roofline_not_counted, run->roofline.not_counted_frac)
VALUE(tokens_per_s, run->rates.tokens_per_s)
VALUE(tokens_per_s_device, run->rates.tokens_per_s_device)
VALUE(samples_per_s, run->rates.samples_per_s)
VALUE(samples_per_s_device, run->rates.samples_per_s_device)
VALUE(tflops_per_device, run->rates.tflops_per_device)
VALUE(cost_per_step, run->rates.cost_per_step)
VALUE(cost_per_million, run->rates.cost_per_million)
VALUE(compile_total, run->compile_total_ns)

/* --- the table -------------------------------------------------------------------------------- */

/* Only medians have an interval. */
static const struct {
	double (*value)(const struct jr_run *run);
	const struct jr_sample *(*sample)(const struct jr_run *run);
} samples[] = {{step_median, jr_run_judged_sample}, {execution_median, sample_executions}};

#define JR_METRIC_OF_PROGRAM(column_of, share, id, heading, text)                                  \
	{.name = (id),                                                                                 \
		.title = (heading),                                                                        \
		.help = (text),                                                                            \
		.unit = JR_UNIT_NS,                                                                        \
		.better = JR_BETTER_LESS,                                                                  \
		.column = JR_##column_of,                                                                  \
		.quantile = (share)},

const struct jr_metric jr_metrics[] = {
#define METRIC(function, id, heading, unit_of, direction, varying, sums, text)                     \
	{.name = (id),                                                                                 \
		.title = (heading),                                                                        \
		.help = (text),                                                                            \
		.unit = JR_UNIT_##unit_of,                                                                 \
		.better = JR_BETTER_##direction,                                                           \
		.varies = (varying),                                                                       \
		.counted = (sums),                                                                         \
		.value = (function)},
#define JR_METRIC(function, id, heading, unit_of, direction, varying, text)                        \
	METRIC(function, id, heading, unit_of, direction, varying, false, text)
#define JR_METRIC_COUNTED(function, id, heading, unit_of, direction, text)                         \
	METRIC(function, id, heading, unit_of, direction, false, true, text)
#include "compare/judge/metrics.def"
#undef JR_METRIC
#undef JR_METRIC_COUNTED
#undef JR_METRIC_OF_PROGRAM
	{.name = NULL},
};

const struct jr_sample *jr_metric_sample(const struct jr_metric *metric, const struct jr_run *run)
{
	for (size_t i = 0; i < JR_COUNT_OF(samples); i++)
		if (samples[i].value == metric->value)
			return samples[i].sample(run);
	return NULL;
}
