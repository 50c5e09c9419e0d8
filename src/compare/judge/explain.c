#include "compare/judge/explain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/order.h"
#include "base/sort.h"
#include "compare/judge/metrics.h"

const char *jr_step_part_name(enum jr_step_part part)
{
	static const char *const names[] = {
		[JR_PART_COMPUTE] = "compute",
		[JR_PART_COMMUNICATION] = "exposed communication",
		[JR_PART_TRANSFER] = "exposed transfer",
		[JR_PART_COPY] = "exposed copies",
		[JR_PART_WAITING] = "waiting for other devices",
		[JR_PART_IDLE] = "idle inside modules",
		[JR_PART_BETWEEN] = "idle between modules",
		[JR_PART_GPU_IDLE] = "GPU idle",
		[JR_PART_OTHER_PROGRAMS] = "other programs",
		[JR_PART_WARMUP] = "warm-up",
		[JR_PART_OTHER] = "operations not listed",
		[JR_PART_SPREAD] = "median minus mean",
	};
	return names[part];
}

/* --- whole numbers ---------------------------------------------------------------------------- */

struct remainder {
	int64_t rest;
	size_t index;
};

JR_ORDER(compare_remainders, struct remainder, JR_DOWN(rest) JR_UP(index))

void jr_divide_exactly(const int64_t *sums, size_t n, int64_t divisor, int64_t *out)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	struct remainder *rests = JR_ARENA_N(&scratch, struct remainder, n + 1);
	uint64_t total_rest = 0; /* remainders below one divisor; no sum of two reaches 2^64 */
	size_t more = 0;         /* less than n, because each remainder is below the divisor */
	for (size_t i = 0; i < n; i++) {
		bool below = sums[i] % divisor < 0;
		out[i] = sums[i] / divisor - below;
		rests[i] = (struct remainder){sums[i] % divisor + (below ? divisor : 0), i};
		total_rest += (uint64_t)rests[i].rest;
		if (total_rest >= (uint64_t)divisor) {
			total_rest -= (uint64_t)divisor;
			more++;
		}
	}
	jr_sort(rests, n, sizeof(*rests), compare_remainders);
	for (size_t i = 0; i < more; i++)
		out[rests[i].index]++;
}

/* --- parts ------------------------------------------------------------------------------------ */

static int64_t module_ns(const struct jr_run *run, size_t column)
{
	return jr_run_i64(run, JR_RUN_MODULES, column, run->steps.row);
}

const char *jr_step_missing(const struct jr_run *const runs[2])
{
	if (runs[JR_BASE]->steps.row == SIZE_MAX)
		return "not available, because the base has no steady step";
	return runs[JR_NEW]->steps.row == SIZE_MAX
			   ? "not available, because the new run has no such step"
			   : NULL;
}

/* Whether the program has no modules, so that the report divides its steps by GPU activity. */
static bool of_gpus(const struct jr_run *run)
{
	return !jr_run_rows(run, JR_RUN_MODULES) && run->steps.periods.n &&
		   jr_run_rows(run, JR_RUN_GPU_STEP);
}

static const char *unavailable_because(const struct jr_run *const runs[2])
{
	if (of_gpus(runs[JR_BASE]) && of_gpus(runs[JR_NEW]))
		return NULL;
	const char *missing = jr_step_missing(runs);
	for (int side = 0; !missing && side < 2; side++) {
		const struct jr_run *run = runs[side];
		if (run->steps.by_execution &&
			(module_ns(run, JR_MODULE_STEPS) <= 0 ||
				module_ns(run, JR_MODULE_EXECUTION_MEDIAN) == JR_NULL_I64 ||
				module_ns(run, JR_MODULE_EXECUTION_SUM) == JR_NULL_I64))
			return "not available, because one of the reports was written before it contained "
				   "the needed values";
	}
	return missing;
}

#define UNITS_PER_NS 64 /* of mean times per step: sums of whole units are exact */

struct explaining {
	const struct jr_run *const *runs;
	struct jr_explanation *out;
	int64_t *sums[2];   /* [n] of the items */
	int64_t divisor[2]; /* of the sums: steps, or units per ns */
	int64_t room[2];    /* limit of units: a foreign report may have any numbers */
	double *p;
};

/* Convert to units; 0 for NaN and for values that do not fit. */
static int64_t take_units(struct explaining *e, int side, double ns)
{
	int64_t units = 0;
	if (fabs(ns) < (double)JR_RUN_MAX_SUM / UNITS_PER_NS)
		jr_run_take_i64(&units, llround(UNITS_PER_NS * ns), &e->room[side]);
	return units;
}

static int64_t sum_of_row(struct explaining *e, int side, uint32_t row)
{
	const struct jr_run *run = e->runs[side];
	return run->steps.by_execution
			   ? jr_run_sum(run, JR_RUN_THUNKS, JR_THUNK_EXECUTION_SUM, row)
			   : take_units(e, side, jr_run_f64(run, JR_RUN_THUNKS, JR_THUNK_STEP, row));
}

/* Sums over the rows of a group. */
static int64_t group_sum(
	struct explaining *e, const struct jr_thunk_match *t, int side, struct jr_moments *moments)
{
	const struct jr_run *run = e->runs[side];
	int64_t sum = 0;
	double variance = 0, n = (double)jr_run_step_sample(run)->n;
	for (size_t i = 0; i < t->n[side]; i++) {
		sum += sum_of_row(e, side, t->rows[side][i]);
		double std = jr_run_f64(run, JR_RUN_THUNKS, JR_THUNK_EXECUTION_STD, t->rows[side][i]);
		variance += std * std;
	}
	if (run->steps.by_execution)
		n = (double)module_ns(run, JR_MODULE_STEPS);
	*moments = (struct jr_moments){n, (double)sum / (double)e->divisor[side], sqrt(variance)};
	if (!t->n[side])
		moments->std = n >= 2 ? 0 : NAN;
	return sum;
}

/* Communication with one of these opcodes is a copy from or to the host. */
static bool is_copy(const char *opcode)
{
	return opcode && (strcmp(opcode, "copy-done") == 0 || strcmp(opcode, "dynamic-slice") == 0 ||
						 strcmp(opcode, "dynamic-update-slice") == 0);
}

static enum jr_step_part part_of(const struct jr_run *const runs[2], const struct jr_thunk_match *t)
{
	int side = t->n[JR_BASE] ? JR_BASE : JR_NEW;
	const struct jr_run *run = runs[side];
	uint32_t row = t->rows[side][0];
	if (!jr_run_is(run, JR_RUN_THUNKS, JR_THUNK_COMMUNICATION, row))
		return JR_PART_COMPUTE;
	if (run->steps.by_execution)
		return JR_PART_COMMUNICATION;
	return is_copy(jr_run_text(run, JR_RUN_THUNKS, JR_THUNK_OPCODE, row)) ? JR_PART_COPY
																		  : JR_PART_TRANSFER;
}

/* Add thunks: an execution has those of its own program, a period those of all programs in it. */
static void add_thunks(struct explaining *e, const struct jr_match *match, size_t program)
{
	int64_t same[2] = {0}, all[2] = {0};
	for (size_t i = 0; i < match->n_thunks; i++) {
		const struct jr_thunk_match *t = &match->thunks[i];
		struct jr_moments moments[2];
		if (e->runs[JR_BASE]->steps.by_execution && t->program != program)
			continue;
		size_t at = e->out->n++;
		e->out->items[at] = (struct jr_contribution){.part = part_of(e->runs, t), .thunk = t};
		for (int side = 0; side < 2; side++) {
			int64_t sum = e->sums[side][at] = group_sum(e, t, side, &moments[side]);
			all[side] += t->program == program ? sum : 0;
			if (t->program == program &&
				(t->change == JR_THUNK_SAME || t->change == JR_THUNK_RENAMED))
				same[side] += sum;
		}
		e->p[at] = jr_welch(moments[JR_BASE], moments[JR_NEW]);
	}
	e->out->matched_frac = 1;
	for (int side = 0; side < 2 && !match->programs[program].same_hlo; side++) {
		bool active =
			jr_run_sum(e->runs[side], JR_RUN_MODULES, JR_MODULE_EXECUTION_SUM,
				e->runs[side]->steps.row) > jr_run_sum(e->runs[side], JR_RUN_MODULES,
												JR_MODULE_EXECUTION_IDLE, e->runs[side]->steps.row);
		double frac = all[side] > 0 ? (double)same[side] / (double)all[side] : !active;
		e->out->matched_frac = fmin(e->out->matched_frac, frac);
	}
}

static double ledger_ns(const struct jr_run *run, size_t column)
{
	return jr_run_rows(run, JR_RUN_STEP_LEDGER) ? jr_run_f64(run, JR_RUN_STEP_LEDGER, column, 0)
												: NAN;
}

/* The whole mean step, which its parts have to add up to. */
static int64_t whole_of(struct explaining *e, int side)
{
	const struct jr_run *run = e->runs[side];
	if (run->steps.by_execution)
		return module_ns(run, JR_MODULE_EXECUTION_SUM);
	e->room[side] = JR_RUN_MAX_SUM;
	return take_units(e, side,
		of_gpus(run) ? jr_run_f64(run, JR_RUN_GPU_STEP, JR_GPU_STEP_WALL, 0)
					 : ledger_ns(run, JR_STEP_WALL));
}

static void add_item(struct explaining *e, enum jr_step_part part, int64_t base, int64_t fresh)
{
	size_t at = e->out->n++;
	e->out->items[at] = (struct jr_contribution){.part = part};
	e->sums[JR_BASE][at] = base;
	e->sums[JR_NEW][at] = fresh;
	e->p[at] = NAN;
}

static void add_gpu_parts(struct explaining *e)
{
	static const struct {
		enum jr_step_part part;
		size_t column;
	} parts[] = {{JR_PART_COMPUTE, JR_GPU_STEP_COMPUTE},
		{JR_PART_COMMUNICATION, JR_GPU_STEP_COMMUNICATION}, {JR_PART_COPY, JR_GPU_STEP_COPY},
		{JR_PART_GPU_IDLE, JR_GPU_STEP_IDLE}};
	for (size_t i = 0; i < JR_COUNT_OF(parts); i++) {
		int64_t ns[2];
		for (int side = 0; side < 2; side++)
			ns[side] =
				take_units(e, side, jr_run_f64(e->runs[side], JR_RUN_GPU_STEP, parts[i].column, 0));
		add_item(e, parts[i].part, ns[JR_BASE], ns[JR_NEW]);
	}
}

/* Add the parts of a step that are not thunks, and the remainder to its sum. */
static void add_rest(struct explaining *e)
{
	static const struct {
		enum jr_step_part part;
		size_t column;
	} parts[] = {{JR_PART_WAITING, JR_STEP_PART_WAITING}, {JR_PART_IDLE, JR_STEP_PART_IDLE_IN},
		{JR_PART_BETWEEN, JR_STEP_PART_IDLE_BETWEEN}, {JR_PART_OTHER_PROGRAMS, JR_STEP_PART_OTHER},
		{JR_PART_WARMUP, JR_STEP_PART_WARMUP}};
	const struct jr_run *const *runs = e->runs;
	if (of_gpus(runs[JR_BASE])) {
		add_gpu_parts(e);
	} else if (runs[JR_BASE]->steps.by_execution) {
		int64_t idle[2];
		for (int side = 0; side < 2; side++)
			idle[side] = jr_run_sum(
				runs[side], JR_RUN_MODULES, JR_MODULE_EXECUTION_IDLE, runs[side]->steps.row);
		add_item(e, JR_PART_IDLE, idle[JR_BASE], idle[JR_NEW]);
	} else {
		for (size_t i = 0; i < JR_COUNT_OF(parts); i++)
			add_item(e, parts[i].part,
				take_units(e, JR_BASE, ledger_ns(runs[JR_BASE], parts[i].column)),
				take_units(e, JR_NEW, ledger_ns(runs[JR_NEW], parts[i].column)));
	}
	int64_t rest[2];
	bool complete = true;
	for (int side = 0; side < 2; side++) {
		rest[side] = whole_of(e, side);
		for (size_t i = 0; i < e->out->n; i++)
			rest[side] -= e->sums[side][i];
		/* rounding errors of thunks are not a part of their own */
		int64_t most = runs[side]->steps.by_execution ? 0 : (int64_t)e->out->n;
		complete = complete && rest[side] <= most && rest[side] >= -most;
	}
	if (!complete)
		add_item(e, JR_PART_OTHER, rest[JR_BASE], rest[JR_NEW]);
}

static int64_t median_ns(const struct jr_run *run)
{
	return run->steps.by_execution
			   ? module_ns(run, JR_MODULE_EXECUTION_MEDIAN)
			   : llround(jr_metric_find("step.median", strlen("step.median"))->value(run));
}

/* Divide into whole ns per step, and add the difference of their sum, the mean, to the median. */
static void divide(struct explaining *e, struct jr_arena *arena)
{
	struct jr_explanation *out = e->out;
	size_t spread = out->n;
	add_item(e, JR_PART_SPREAD, 0, 0);
	for (int side = 0; side < 2; side++) {
		int64_t *ns = JR_ARENA_N(arena, int64_t, out->n);
		jr_divide_exactly(e->sums[side], spread, e->divisor[side], ns);
		ns[spread] = out->step_ns[side] = median_ns(e->runs[side]);
		for (size_t i = 0; i < spread; i++)
			ns[spread] -= ns[i];
		for (size_t i = 0; i < out->n; i++) {
			out->items[i].ns[side] = ns[i];
			out->part_ns[out->items[i].part][side] += ns[i];
		}
	}
	jr_holm(e->p, out->n);
	for (size_t i = 0; i < out->n; i++)
		out->items[i].p = e->p[i];
}

/* Split each thunk's change into work and speed. A report without numbers of work leaves that open.
 */
static void tell_work(struct explaining *e, const struct jr_match *match, struct jr_arena *arena)
{
	const struct jr_matched_rows rows = jr_matched_rows(e->runs, arena);
	for (size_t i = 0; i < e->out->n; i++) {
		struct jr_contribution *item = &e->out->items[i];
		item->work_ns = JR_NULL_I64;
		if (!item->thunk)
			continue;
		for (int side = 0; side < 2; side++)
			item->work[side] = jr_matched_work_of(e->runs, match, &rows, item->thunk, side);
		e->out->work_known |= item->thunk->n[JR_BASE] && item->thunk->n[JR_NEW] &&
							  item->work[JR_BASE].known && item->work[JR_NEW].known;
		if (item->part == JR_PART_COMPUTE) /* collectives end when other devices have arrived */
			item->work_ns =
				jr_matched_work_change(rows.same_gpu, item->work, item->thunk, item->ns);
	}
}

/* --- ranking ---------------------------------------------------------------------------------- */

static int compare_contributions(const void *a, const void *b)
{
	const struct jr_contribution *x = a, *y = b;
	int64_t cx = llabs(x->ns[JR_NEW] - x->ns[JR_BASE]), cy = llabs(y->ns[JR_NEW] - y->ns[JR_BASE]);
	if (cx != cy)
		return cx > cy ? -1 : 1;
	if (x->ns[JR_BASE] != y->ns[JR_BASE])
		return x->ns[JR_BASE] > y->ns[JR_BASE] ? -1 : 1;
	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	return (x->thunk > y->thunk) - (x->thunk < y->thunk); /* both are elements of one array */
}

/* Row of the matched program that is the step of both runs. */
static size_t step_program(const struct jr_run *const runs[2], const struct jr_match *match)
{
	for (size_t i = 0; i < match->n_programs; i++)
		if (match->programs[i].row[JR_BASE] == runs[JR_BASE]->steps.row &&
			match->programs[i].row[JR_NEW] == runs[JR_NEW]->steps.row)
			return i;
	return SIZE_MAX;
}

struct jr_explanation jr_explain(
	const struct jr_run *const runs[2], const struct jr_match *match, struct jr_arena *arena)
{
	struct jr_explanation out = {.unavailable = unavailable_because(runs)};
	bool gpus = of_gpus(runs[JR_BASE]);
	size_t program = out.unavailable ? SIZE_MAX : step_program(runs, match);
	if (!out.unavailable && program == SIZE_MAX && !gpus)
		out.unavailable = "not available, because the runs have no step in common";
	if (out.unavailable)
		return out;
	size_t room = match->n_thunks + JR_N_PARTS;
	out.items = JR_ARENA_N(arena, struct jr_contribution, room);
	struct explaining e = {.runs = runs, .out = &out, .p = JR_ARENA_N(arena, double, room)};
	for (int side = 0; side < 2; side++) {
		e.sums[side] = JR_ARENA_N(arena, int64_t, room);
		e.divisor[side] =
			runs[side]->steps.by_execution ? module_ns(runs[side], JR_MODULE_STEPS) : UNITS_PER_NS;
		e.room[side] = JR_RUN_MAX_SUM;
	}
	if (gpus)
		out.matched_frac = NAN;
	else
		add_thunks(&e, match, program);
	add_rest(&e);
	divide(&e, arena);
	tell_work(&e, match, arena);
	qsort(out.items, out.n, sizeof(*out.items), compare_contributions);
	return out;
}
