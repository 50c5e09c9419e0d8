#include "compare/explain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *jr_step_part_name(enum jr_step_part part)
{
	static const char *const names[] = {
		[JR_PART_COMPUTE] = "compute",
		[JR_PART_COMMUNICATION] = "exposed communication",
		[JR_PART_IDLE] = "idle inside the module",
		[JR_PART_OTHER] = "unattributed",
		[JR_PART_SPREAD] = "spread: median - mean",
	};
	return names[part];
}

/* --- whole numbers ---------------------------------------------------------------------------- */

struct remainder {
	int64_t rest;
	size_t index;
};

static int compare_remainders(const void *a, const void *b)
{
	const struct remainder *x = a, *y = b;
	if (x->rest != y->rest)
		return x->rest > y->rest ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

void jr_divide_exactly(const int64_t *sums, size_t n, int64_t divisor, int64_t *out)
{
	struct jr_arena scratch;
	jr_arena_init(&scratch, 0);
	struct remainder *rests = JR_ARENA_N(&scratch, struct remainder, n + 1);
	uint64_t total_rest = 0; /* what does not fill a divisor yet: no sum of two reaches 2^64 */
	size_t more = 0;         /* less than n: each rest is below the divisor */
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
	if (n)
		qsort(rests, n, sizeof(*rests), compare_remainders);
	for (size_t i = 0; i < more; i++)
		out[rests[i].index]++;
	jr_arena_done(&scratch);
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

static const char *unavailable_because(const struct jr_run *const runs[2])
{
	const char *missing = jr_step_missing(runs);
	for (int side = 0; !missing && side < 2; side++) {
		const struct jr_run *run = runs[side];
		if (module_ns(run, JR_MODULE_STEPS) <= 0 ||
			module_ns(run, JR_MODULE_STEP_MEDIAN) == JR_NULL_I64 ||
			module_ns(run, JR_MODULE_STEP_SUM) == JR_NULL_I64)
			return "not available, because one of the reports is older than the figures it takes";
	}
	return missing;
}

/* Sums over the rows of a group. */
static int64_t group_sum(
	const struct jr_run *run, const struct jr_thunk_match *t, int side, struct jr_moments *moments)
{
	int64_t sum_ns = 0;
	double variance = 0;
	for (size_t i = 0; i < t->n[side]; i++) {
		sum_ns += jr_run_sum(run, JR_RUN_THUNKS, JR_THUNK_STEP_SUM, t->rows[side][i]);
		double std = jr_run_f64(run, JR_RUN_THUNKS, JR_THUNK_STEP_STD, t->rows[side][i]);
		variance += std * std;
	}
	double n = (double)module_ns(run, JR_MODULE_STEPS);
	*moments = (struct jr_moments){n, (double)sum_ns / n, sqrt(variance)};
	if (!t->n[side])
		moments->std = n >= 2 ? 0 : NAN;
	return sum_ns;
}

static enum jr_step_part part_of(const struct jr_run *const runs[2], const struct jr_thunk_match *t)
{
	int side = t->n[JR_BASE] ? JR_BASE : JR_NEW;
	return jr_run_is(runs[side], JR_RUN_THUNKS, JR_THUNK_COMMUNICATION, t->rows[side][0])
			   ? JR_PART_COMMUNICATION
			   : JR_PART_COMPUTE;
}

struct explaining {
	const struct jr_run *const *runs;
	struct jr_explanation *out;
	int64_t *sums[2]; /* [n] of the items, over all steps */
	double *p;
};

static void add_thunks(struct explaining *e, const struct jr_match *match, size_t program)
{
	int64_t same_ns[2] = {0}, all_ns[2] = {0};
	for (size_t i = 0; i < match->n_thunks; i++) {
		const struct jr_thunk_match *t = &match->thunks[i];
		struct jr_moments moments[2];
		if (t->program != program)
			continue;
		size_t at = e->out->n++;
		e->out->items[at] = (struct jr_contribution){.part = part_of(e->runs, t), .thunk = t};
		for (int side = 0; side < 2; side++) {
			e->sums[side][at] = group_sum(e->runs[side], t, side, &moments[side]);
			all_ns[side] += e->sums[side][at];
			if (t->change == JR_THUNK_SAME || t->change == JR_THUNK_RENAMED)
				same_ns[side] += e->sums[side][at];
		}
		e->p[at] = jr_welch(moments[JR_BASE], moments[JR_NEW]);
	}
	e->out->matched_frac = 1;
	for (int side = 0; side < 2 && !match->programs[program].same_hlo; side++) {
		bool active = module_ns(e->runs[side], JR_MODULE_STEP_SUM) >
					  jr_run_sum(e->runs[side], JR_RUN_MODULES, JR_MODULE_STEP_IDLE,
						  e->runs[side]->steps.row);
		double frac = all_ns[side] > 0 ? (double)same_ns[side] / (double)all_ns[side] : !active;
		e->out->matched_frac = fmin(e->out->matched_frac, frac);
	}
}

/* Idle, and what is missing to the steps' sum. */
static void add_rest(struct explaining *e)
{
	size_t idle = e->out->n, other = idle + 1;
	bool complete = true;
	for (int side = 0; side < 2; side++) {
		const struct jr_run *run = e->runs[side];
		e->sums[side][idle] = jr_run_sum(run, JR_RUN_MODULES, JR_MODULE_STEP_IDLE, run->steps.row);
		int64_t rest = module_ns(run, JR_MODULE_STEP_SUM);
		for (size_t i = 0; i <= idle; i++)
			rest -= e->sums[side][i];
		e->sums[side][other] = rest;
		complete = complete && rest == 0;
	}
	e->out->items[idle] = (struct jr_contribution){.part = JR_PART_IDLE};
	e->out->items[other] = (struct jr_contribution){.part = JR_PART_OTHER};
	e->p[idle] = e->p[other] = NAN;
	e->out->n += complete ? 1 : 2;
}

/* Per step in whole ns, and the way from their sum, the mean, to the median. */
static void divide(struct explaining *e, struct jr_arena *arena)
{
	struct jr_explanation *out = e->out;
	size_t spread = out->n++;
	out->items[spread] = (struct jr_contribution){.part = JR_PART_SPREAD};
	e->p[spread] = NAN;
	for (int side = 0; side < 2; side++) {
		const struct jr_run *run = e->runs[side];
		int64_t *ns = JR_ARENA_N(arena, int64_t, out->n);
		jr_divide_exactly(e->sums[side], spread, module_ns(run, JR_MODULE_STEPS), ns);
		ns[spread] = out->step_ns[side] = module_ns(run, JR_MODULE_STEP_MEDIAN);
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

/* What of each thunk's change is work: a report without its figures leaves that open. */
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
		if (item->part == JR_PART_COMPUTE) /* that of collectives ends when others have come */
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
	return (x->thunk > y->thunk) - (x->thunk < y->thunk); /* rows of one array */
}

/* Row of the matched programs that is the step of both. */
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
	size_t program = out.unavailable ? SIZE_MAX : step_program(runs, match);
	if (!out.unavailable && program == SIZE_MAX)
		out.unavailable = "not available, because the runs have no step in common";
	if (out.unavailable)
		return out;
	size_t room = match->n_thunks + 3;
	out.items = JR_ARENA_N(arena, struct jr_contribution, room);
	struct explaining e = {.runs = runs, .out = &out, .p = JR_ARENA_N(arena, double, room)};
	for (int side = 0; side < 2; side++)
		e.sums[side] = JR_ARENA_N(arena, int64_t, room);
	add_thunks(&e, match, program);
	add_rest(&e);
	divide(&e, arena);
	tell_work(&e, match, arena);
	qsort(out.items, out.n, sizeof(*out.items), compare_contributions);
	return out;
}
