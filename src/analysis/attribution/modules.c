/* Modules, analysis/README.md, sections 4.1, 6.2 (wait) and 6.5 (start skew). */
#include <inttypes.h>

#include "analysis/shared/columns.h"
#include "analysis/shared/variants.h"
#include "analysis/core/terms.h"
#include "base/sort.h"

#define SHORTEST_WHOLE_NS 10000 /* of which shares are told */

enum {
	PROGRAM,
	NAME,
	EXECUTIONS,
	THUNKS_MEAN,
	THUNKS_STD,
	SUM,
	MEAN,
	STD,
	PERCENT,
	WAIT_MEAN,
	WAIT_STD,
	WAIT_PERCENT,
	SKEW_PERCENT,
	TOP,
	FINGERPRINT,
	STRUCTURE,
	STEPS,
	STEP_MEDIAN,
	STEP_SUM,
	STEP_IDLE,
	SKEW,
};

static const struct jr_column_spec columns[] = {
	{"program_id", "Program", "XLA's program id in the first profile that has the program", JR_TEXT,
		JR_UNIT_NONE, JR_COL_KEY},
	{"name", "Module", "name of the jitted function's HLO module", JR_TEXT, JR_UNIT_NONE,
		JR_COL_CODE},
	{"executions", "Executions", "steady executions, over all devices", JR_I64, JR_UNIT_COUNT, 0},
	{"thunks_mean", "Thunks", "mean number of thunks of an execution", JR_F64, JR_UNIT_COUNT, 0},
	{"thunks_std", "Thunks ±", "its sample standard deviation over executions", JR_F64,
		JR_UNIT_COUNT, JR_COL_SPREAD},
	{"sum_ms", "Sum", JR_GPU " time of all steady executions", JR_I64, JR_UNIT_NS, 0},
	{"mean_ms", "Mean", "time of an execution, over all devices", JR_F64, JR_UNIT_NS, 0},
	{"std_ms", "Execution ±",
		"sample standard deviation of that over executions, those of one step on several devices "
		"each by itself; that of steps stands beside the step time",
		JR_F64, JR_UNIT_NS, JR_COL_SPREAD},
	{"percent", "Share", "of the time of all steady modules", JR_F64, JR_UNIT_PERCENT, JR_COL_BAR},
	{"wait_mean_ms", "Wait",
		"per execution: sum over its collectives of the largest minus the smallest exposed time "
		"over devices; of groups of devices that do theirs side by side the longest counts",
		JR_F64, JR_UNIT_NS, 0},
	{"wait_std_ms", "Wait ±",
		"its sample standard deviation over executions, each on all devices at once",
		JR_F64, JR_UNIT_NS, JR_COL_SPREAD},
	{"wait_percent", "Wait share",
		"mean wait / mean time of the slowest device's execution, where that is at least 10 µs",
		JR_F64, JR_UNIT_PERCENT, 0},
	{"start_skew_percent", "Start skew share",
		"mean start skew / mean execution time, where that is at least 10 µs", JR_F64,
		JR_UNIT_PERCENT, JR_COL_DATA_ONLY},
	{"top", "Top", "one of the top modules, which the totals are over", JR_BOOL, JR_UNIT_NONE, 0},
	{"fingerprint", "Fingerprint", "XLA's fingerprint of the module before optimisation", JR_TEXT,
		JR_UNIT_NONE, JR_COL_DATA_ONLY | JR_COL_CODE},
	{"structure", "Structure",
		"hash over name, opcode and shape of all its instructions: equal where "
		"the optimised HLO is",
		JR_TEXT, JR_UNIT_NONE, JR_COL_DATA_ONLY | JR_COL_CODE},
	{"steps", "Steps",
		"distinct steady execution numbers: executions of one step on several devices "
		"are one",
		JR_I64, JR_UNIT_COUNT, JR_COL_DATA_ONLY},
	{"execution_median_ms", "Median execution",
		"median over executions of the slowest device's time; of two "
		"middle ones the mean, rounded down to 1 ns",
		JR_I64, JR_UNIT_NS, JR_COL_DATA_ONLY},
	{"execution_sum_ms", "Executions' sum", "sum over executions of the slowest device's time",
		JR_I64,
		JR_UNIT_NS, JR_COL_DATA_ONLY},
	{"execution_idle_ms", "Executions' idle",
		"of that sum: no thunk active; the rest is execution_sum_ms of its "
		"thunks, to the nanosecond",
		JR_I64, JR_UNIT_NS, JR_COL_DATA_ONLY},
	{"start_skew_ms", "Start skew",
		"latest minus earliest start over devices, on the aligned clock; mean over executions seen "
		"on several",
		JR_F64, JR_UNIT_NS, 0},
};
static const struct jr_table_spec spec = {JR_TABLE_SPEC("modules", "modules", "Modules",
	"Per program (one compilation of a jitted function) with steady executions; by total "
	"time",
	columns)};

/* Wait of each (program, execution): sums of instances that follow one another. */
static void add_waits(const struct jr_pass_context *ctx, struct jr_stats *waits)
{
	const struct jr_instances *in = ctx->instances;
	const struct jr_profile *p = ctx->profile;
	for (size_t i = 0; i < in->n;) {
		uint32_t program = p->ops[in->items[i].op].program;
		uint32_t execution = in->items[i].program_execution;
		int64_t sum_ns = 0;
		for (; i < in->n && in->items[i].program_execution == execution &&
			 p->ops[in->items[i].op].program == program;
			 i++)
			sum_ns += in->items[i].module_wait_ns;
		jr_stats_add(&waits[program], (double)sum_ns);
	}
}

struct start {
	uint32_t program, execution;
	double start_ns;
};

static int compare_starts(const void *a, const void *b)
{
	const struct start *x = a, *y = b;
	if (x->program != y->program)
		return x->program < y->program ? -1 : 1;
	return (x->execution > y->execution) - (x->execution < y->execution);
}

/* skew_ns[program] = mean over executions of latest minus earliest start; NaN where none was seen
 * on several devices. */
static void add_skews(const struct jr_pass_context *ctx, double *skew_ns)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_modules *m = &p->modules;
	struct start *starts = JR_ARENA_N(ctx->scratch, struct start, m->n + 1);
	struct jr_stats *spreads = JR_ARENA_N(ctx->scratch, struct jr_stats, p->n_programs + 1);
	size_t n = 0;
	for (size_t i = 0; i < m->n; i++)
		if (m->steady[i])
			starts[n++] = (struct start){m->program[i], m->program_execution[i],
				jr_aligned_ns(p, m->start_ns[i], m->device[i])};
	jr_sort(starts, n, sizeof(*starts), compare_starts);
	for (size_t i = 0; i < n;) {
		double low = INFINITY, high = -INFINITY;
		size_t begin = i;
		for (; i < n && compare_starts(&starts[begin], &starts[i]) == 0; i++) {
			low = fmin(low, starts[i].start_ns);
			high = fmax(high, starts[i].start_ns);
		}
		if (i - begin > 1)
			jr_stats_add(&spreads[starts[begin].program], high - low);
	}
	for (size_t k = 0; k < p->n_programs; k++)
		skew_ns[k] = jr_stats_mean(&spreads[k]);
}

/* NaN where the whole is too short for a share of it to say anything, and where the part is none of
 * it: waits of several devices may add up to more than one device has. */
static double share_of(double part_ns, double whole_ns)
{
	double share = whole_ns >= SHORTEST_WHOLE_NS ? part_ns / whole_ns : NAN;
	return share <= 1 ? share : NAN;
}

static void fill_steps(struct jr_pass_context *ctx, struct jr_table *table, size_t row, uint32_t k)
{
	const struct jr_program_steps *steps = &ctx->steps->programs[k];
	const struct jr_hlo *hlo = ctx->profile->programs[k].hlo;
	union jr_cells *c = table->cells;
	if (hlo)
		c[STRUCTURE].text[row] =
			jr_arena_printf(ctx->arena, "%016" PRIx64, hlo->structure_hash);
	c[STEPS].i64[row] = (int64_t)steps->n;
	c[STEP_MEDIAN].i64[row] = steps->median_ns;
	c[STEP_SUM].i64[row] = steps->sum_ns;
	c[STEP_IDLE].i64[row] = steps->idle_ns;
}

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_steady *st = ctx->steady;
	struct jr_table *table = jr_table_new(ctx->arena, &spec, st->n_ranking);
	struct jr_stats *waits = JR_ARENA_N(ctx->scratch, struct jr_stats, p->n_programs + 1);
	double *skew_ns = JR_ARENA_N(ctx->scratch, double, p->n_programs + 1);
	add_waits(ctx, waits);
	add_skews(ctx, skew_ns);
	union jr_cells *c = table->cells;
	for (size_t row = 0; row < st->n_ranking; row++) {
		uint32_t k = st->ranking[row];
		const struct jr_program_steady *s = &st->programs[k];
		c[PROGRAM].text[row] = jr_program_id(p, k, ctx->arena);
		c[NAME].text[row] = jr_str(p, p->programs[k].name);
		c[EXECUTIONS].i64[row] = s->executions;
		c[THUNKS_MEAN].f64[row] = jr_stats_mean(&s->thunks);
		c[THUNKS_STD].f64[row] = jr_stats_std(&s->thunks);
		c[SUM].i64[row] = s->sum_ns;
		c[MEAN].f64[row] = (double)s->sum_ns / (double)s->executions;
		c[STD].f64[row] = jr_stats_std(&s->dur_ns);
		c[PERCENT].f64[row] = jr_ratio((double)s->sum_ns, (double)st->all_modules_ns);
		c[WAIT_MEAN].f64[row] = jr_stats_mean(&waits[k]);
		c[WAIT_STD].f64[row] = jr_stats_std(&waits[k]);
		const struct jr_program_steps *steps = &ctx->steps->programs[k];
		c[WAIT_PERCENT].f64[row] = share_of(
			jr_stats_mean(&waits[k]), jr_ratio((double)steps->sum_ns, (double)steps->n));
		c[SKEW].f64[row] = skew_ns[k];
		c[SKEW_PERCENT].f64[row] = share_of(skew_ns[k], c[MEAN].f64[row]);
		c[TOP].boolean[row] = s->top;
		c[FINGERPRINT].text[row] = jr_text_or_null(p, p->programs[k].fingerprint);
		fill_steps(ctx, table, row, k);
	}
	jr_variants_add(ctx, out);
	jr_section_table(out, ctx->arena, table);
}

const struct jr_pass jr_pass_modules = {
	.name = "modules",
	.title = "Modules",
	.summary = "Jitted functions that ran: executions, " JR_GPU " time, share, waiting",
	.needs = JR_NEEDS_MODULES,
	.group = JR_GROUP_GPU,
	.run = run,
};
