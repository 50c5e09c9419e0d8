/* Steps played again, forwards. */
#include "analysis/replay.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>

#define NEVER INT64_MIN
/* How far devices are ahead of each other settles in so many steps, or in so many passes. */
#define WARMUP_STEPS 8
#define MOST_PASSES 4

static int64_t max_i64(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Inputs lie: what does not fit stays at the largest value. */
static int64_t plus(int64_t a, int64_t b)
{
	int64_t sum;
	if (__builtin_add_overflow(a, b, &sum))
		return a > 0 ? INT64_MAX : NEVER + 1;
	return sum;
}

struct jr_replay_run *jr_replay_run_new(
	const struct jr_replay *r, const struct jr_change *change, bool follow, struct jr_arena *arena)
{
	static const struct jr_change none;
	struct jr_replay_run *run = JR_ARENA_NEW(arena, struct jr_replay_run);
	size_t n = r->order.n * r->n_devices + 1;
	run->r = r;
	run->change = change ? change : &none;
	run->lane_end_ns = JR_ARENA_N(arena, int64_t, r->n_devices * JR_N_LANES + 1);
	run->start_ns = JR_ARENA_N(arena, int64_t, n);
	run->end_ns = JR_ARENA_N(arena, int64_t, n);
	run->group_ns = JR_ARENA_N(arena, int64_t, 2 * r->n_devices + 1);
	run->sorted_ns = JR_ARENA_N(arena, int64_t, r->n_devices + 1);
	if (follow) {
		run->bound_by = JR_ARENA_N(arena, uint32_t, n);
		run->last_device = JR_ARENA_N(arena, uint32_t, n);
		run->lane_by = JR_ARENA_N(arena, uint32_t, r->n_devices * JR_N_LANES + 1);
	}
	return run;
}

/* --- durations -------------------------------------------------------------------------------- */

static int64_t changed(const struct jr_change *change, uint32_t op, int64_t ns)
{
	if (!change->ops)
		return ns;
	const struct jr_op_change *c = &change->ops[op];
	if (c->exact_ns >= 0)
		return c->exact_ns;
	if (c->scale != 1)
		ns = llround(fmin((double)ns * c->scale, 0x1p62));
	return ns < c->most_ns ? ns : c->most_ns;
}

int jr_replay_compare_ns(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

/* What the item takes on the devices that are not to be as their median; -1: none ran it. */
static int64_t median_ns(struct jr_replay_run *run, const uint32_t *rows)
{
	const struct jr_replay *r = run->r;
	size_t n = 0;
	for (size_t d = 0; d < r->n_devices; d++)
		if (rows[d] != JR_NONE && !run->change->as_median[r->devices[d]])
			run->sorted_ns[n++] = r->profile->thunks.dur_ns[rows[d]];
	if (n == 0)
		return -1;
	jr_sort(run->sorted_ns, n, sizeof(*run->sorted_ns), jr_replay_compare_ns);
	return (run->sorted_ns[(n - 1) / 2] + run->sorted_ns[n / 2]) / 2;
}

/* --- one launch ------------------------------------------------------------------------------- */

/* The end of what a launch waits for on one device, and which launch that is. */
struct ready {
	int64_t ns;
	uint32_t by;
};

static void no_sooner(struct ready *ready, int64_t ns, uint32_t by)
{
	if (ns > ready->ns)
		*ready = (struct ready){ns, by};
}

static struct ready ready_at(
	const struct jr_replay_run *run, const struct jr_launch *l, size_t device)
{
	const int64_t *lanes = &run->lane_end_ns[device * JR_N_LANES];
	const uint32_t *by = run->lane_by ? &run->lane_by[device * JR_N_LANES] : NULL;
	struct ready ready = {lanes[l->lane], by ? by[l->lane] : 0};
	if (!run->change->overlap) {
		if (l->lane != JR_LANE_COMPUTE)
			no_sooner(&ready, lanes[JR_LANE_COMPUTE], by ? by[JR_LANE_COMPUTE] : 0);
		return ready;
	}
	for (int lane = 0; lane < JR_N_LANES; lane++) {
		if (l->needs[lane] == 0 || lane == l->lane)
			continue;
		uint32_t item = l->needs[lane] - 1;
		no_sooner(&ready, run->end_ns[item * run->r->n_devices + device], item);
	}
	return ready;
}

static void arrive(struct jr_replay_run *run, const struct jr_launch *l, size_t item,
	const uint32_t *rows, const int64_t *gaps)
{
	const struct jr_replay *r = run->r;
	for (size_t d = 0; d < r->n_devices; d++) {
		size_t at = item * r->n_devices + d;
		if (rows[d] == JR_NONE) {
			run->start_ns[at] = run->end_ns[at] = NEVER;
			continue;
		}
		struct ready ready = ready_at(run, l, d);
		int64_t gap_ns = gaps[d] > 0 && run->change->no_gaps ? 0 : gaps[d];
		run->start_ns[at] = plus(ready.ns, gap_ns);
		if (run->bound_by)
			run->bound_by[at] = ready.by;
	}
}

/* All devices of a group end when the last has arrived and the transfer is done. */
static void meet(struct jr_replay_run *run, const struct jr_launch *l, size_t item,
	const uint32_t *rows, const int64_t *lates)
{
	const struct jr_replay *r = run->r;
	const uint32_t *group = r->groups[l->op];
	int64_t *last_ns = run->group_ns, *transfer_ns = run->group_ns + r->n_devices;
	const int64_t *start_ns = &run->start_ns[item * r->n_devices];
	int64_t *end_ns = &run->end_ns[item * r->n_devices];
	for (size_t g = 0; g < r->n_devices; g++) {
		last_ns[g] = NEVER;
		transfer_ns[g] = INT64_MAX;
	}
	for (size_t d = 0; d < r->n_devices; d++) {
		size_t g = group ? group[d] : 0;
		if (rows[d] == JR_NONE)
			continue;
		int64_t dur_ns = r->profile->thunks.dur_ns[rows[d]];
		transfer_ns[g] = dur_ns < transfer_ns[g] ? dur_ns : transfer_ns[g];
		last_ns[g] = max_i64(last_ns[g], start_ns[d]);
	}
	for (size_t d = 0; d < r->n_devices; d++) {
		size_t g = group ? group[d] : 0;
		if (rows[d] != JR_NONE)
			end_ns[d] =
				plus(plus(last_ns[g], changed(run->change, l->op, transfer_ns[g])), lates[d]);
	}
	if (!run->last_device)
		return;
	for (size_t d = r->n_devices; d-- > 0;)
		if (rows[d] != JR_NONE && start_ns[d] == last_ns[group ? group[d] : 0])
			transfer_ns[group ? group[d] : 0] = (int64_t)d;
	for (size_t d = 0; d < r->n_devices; d++)
		if (rows[d] != JR_NONE)
			run->last_device[item * r->n_devices + d] = (uint32_t)transfer_ns[group ? group[d] : 0];
}

static void compute(
	struct jr_replay_run *run, const struct jr_launch *l, size_t item, const uint32_t *rows)
{
	const struct jr_replay *r = run->r;
	int64_t as_median_ns = -1;
	if (run->change->as_median && !r->profile->ops[l->op].communication)
		as_median_ns = median_ns(run, rows);
	for (size_t d = 0; d < r->n_devices; d++) {
		size_t at = item * r->n_devices + d;
		if (rows[d] == JR_NONE)
			continue;
		int64_t dur_ns = r->profile->thunks.dur_ns[rows[d]];
		if (as_median_ns >= 0 && run->change->as_median[r->devices[d]])
			dur_ns = as_median_ns;
		run->end_ns[at] = plus(run->start_ns[at], changed(run->change, l->op, dur_ns));
	}
}

static void occupy(struct jr_replay_run *run, int lane, size_t device, size_t item)
{
	int64_t *lane_end_ns = &run->lane_end_ns[device * JR_N_LANES + (size_t)lane];
	int64_t end_ns = run->end_ns[item * run->r->n_devices + device];
	if (end_ns < *lane_end_ns || end_ns == NEVER)
		return;
	*lane_end_ns = end_ns;
	if (run->lane_by)
		run->lane_by[device * JR_N_LANES + (size_t)lane] = (uint32_t)item;
}

/* --- steps ------------------------------------------------------------------------------------ */

static void begin(struct jr_replay_run *run, const int64_t *begin_ns)
{
	for (size_t d = 0; d < run->r->n_devices; d++)
		for (size_t lane = 0; lane < JR_N_LANES; lane++) {
			run->lane_end_ns[d * JR_N_LANES + lane] = begin_ns[d];
			if (run->lane_by)
				run->lane_by[d * JR_N_LANES + lane] = JR_NONE;
		}
}

void jr_replay_step(struct jr_replay_run *run, size_t step, const int64_t *begin_ns,
	const int64_t *gaps, const int64_t *lates, int64_t *end_ns)
{
	const struct jr_replay *r = run->r;
	begin(run, begin_ns);
	for (size_t i = 0; i < r->order.n; i++) {
		const struct jr_launch *l = &r->order.items[i];
		const uint32_t *rows = &r->rows[jr_replay_cell(r, step, i, 0)];
		if (l->op == JR_NONE) {
			for (size_t d = 0; d < r->n_devices; d++)
				run->end_ns[i * r->n_devices + d] = NEVER; /* it may stand in another wait */
			for (size_t k = l->first; !run->change->overlap && k < l->last; k++)
				for (size_t d = 0; d < r->n_devices; d++)
					occupy(run, JR_LANE_COMPUTE, d, k);
			continue;
		}
		arrive(run, l, i, rows, &gaps[i * r->n_devices]);
		if (l->rendezvous)
			meet(run, l, i, rows, &lates[r->rendezvous[i] * r->n_devices]);
		else
			compute(run, l, i, rows);
		for (size_t d = 0; d < r->n_devices; d++) {
			occupy(run, l->lane, d, i);
			if (l->joins && !run->change->overlap)
				occupy(run, JR_LANE_COMPUTE, d, i);
		}
	}
	for (size_t d = 0; d < r->n_devices; d++) {
		end_ns[d] = begin_ns[d];
		for (size_t lane = 0; lane < JR_N_LANES; lane++)
			end_ns[d] = max_i64(end_ns[d], run->lane_end_ns[d * JR_N_LANES + lane]);
		end_ns[d] = plus(end_ns[d], r->parts[step * r->n_devices + d].tail_ns);
	}
}

int64_t jr_replay_between_ns(
	const struct jr_replay *r, const struct jr_change *change, size_t step, size_t device)
{
	const struct jr_replay_part *part = &r->parts[step * r->n_devices + device];
	int64_t ns = part->between_ns, least_ns = part->between_ns - part->idle_ns;
	if (change && change->never_late)
		return ns < least_ns ? ns : least_ns;
	if (!change || !change->between_less_ns || ns <= 0)
		return ns;
	/* What is claimed of a mean step is where the time is: of a pause in the step that paused. */
	double claimed_ns = (double)change->between_less_ns[r->devices[device]] * (double)r->n_periods;
	double share = fmin(claimed_ns / r->between_all_ns[device], 1);
	return max_i64(ns - llround((double)ns * share), 0);
}

/* --- periods ---------------------------------------------------------------------------------- */

/* Steps [first, n_periods) one behind the other; begin_ns[n_devices] goes to when the one behind
 * them begins. */
static void play(
	struct jr_replay_run *run, size_t first, int64_t *begin_ns, int64_t *end_ns)
{
	const struct jr_replay *r = run->r;
	for (size_t step = first; step < r->n_periods; step++) {
		jr_replay_step(run, step, begin_ns, &r->gap_ns[jr_replay_cell(r, step, 0, 0)],
			&r->late_ns[step * r->n_rendezvous * r->n_devices], end_ns);
		for (size_t d = 0; d < r->n_devices; d++)
			begin_ns[d] = plus(end_ns[d], jr_replay_between_ns(r, run->change, step, d));
	}
}

/* All of them, from begin_ns on: the mean period. */
static double play_all(struct jr_replay_run *run, int64_t *begin_ns, int64_t *end_ns)
{
	const struct jr_replay *r = run->r;
	double sum_ns = 0;
	for (size_t d = 0; d < r->n_devices; d++)
		sum_ns -= (double)begin_ns[d];
	play(run, 0, begin_ns, end_ns);
	for (size_t d = 0; d < r->n_devices; d++)
		sum_ns += (double)begin_ns[d];
	return sum_ns / (double)(r->n_devices * r->n_periods);
}

/* How far devices are ahead of each other is what it was. */
static bool same_leads(const struct jr_replay *r, const int64_t *a_ns, const int64_t *b_ns)
{
	for (size_t d = 1; d < r->n_devices; d++)
		if ((uint64_t)a_ns[d] - (uint64_t)a_ns[0] != (uint64_t)b_ns[d] - (uint64_t)b_ns[0])
			return false;
	return true;
}

double jr_replay_measured_period(const struct jr_replay *r)
{
	struct jr_arena scratch;
	jr_arena_init(&scratch, 0);
	struct jr_replay_run *run = jr_replay_run_new(r, NULL, false, &scratch);
	int64_t *begin_ns = JR_ARENA_N(&scratch, int64_t, r->n_devices + 1);
	int64_t *end_ns = JR_ARENA_N(&scratch, int64_t, r->n_devices + 1);
	for (size_t d = 0; d < r->n_devices; d++)
		begin_ns[d] = r->parts[d].begin_ns;
	double period_ns = play_all(run, begin_ns, end_ns);
	jr_arena_done(&scratch);
	return period_ns;
}

double jr_replay_settled_period(const struct jr_replay *r, const struct jr_change *change)
{
	struct jr_arena scratch;
	jr_arena_init(&scratch, 0);
	struct jr_replay_run *run = jr_replay_run_new(r, change, false, &scratch);
	int64_t *begin_ns = JR_ARENA_N(&scratch, int64_t, r->n_devices + 1);
	int64_t *from_ns = JR_ARENA_N(&scratch, int64_t, r->n_devices + 1);
	int64_t *end_ns = JR_ARENA_N(&scratch, int64_t, r->n_devices + 1);
	bool tied = r->n_devices > 1 && r->n_rendezvous;
	size_t first = tied && r->n_periods > WARMUP_STEPS ? r->n_periods - WARMUP_STEPS : 0;
	double period_ns = 0;
	for (size_t d = 0; d < r->n_devices; d++)
		begin_ns[d] = r->parts[first * r->n_devices + d].begin_ns;
	if (tied)
		play(run, first, begin_ns, end_ns);
	for (int pass = 0; pass < MOST_PASSES; pass++) {
		memcpy(from_ns, begin_ns, r->n_devices * sizeof(*from_ns));
		period_ns = play_all(run, begin_ns, end_ns);
		if (!tied || same_leads(r, from_ns, begin_ns))
			break;
	}
	jr_arena_done(&scratch);
	return period_ns;
}

double jr_replay_period(const struct jr_replay *r, const struct jr_change *change)
{
	return fmax(r->period_ns + (jr_replay_settled_period(r, change) - r->settled_ns), 0);
}

struct jr_op_change *jr_op_changes_new(const struct jr_profile *profile, struct jr_arena *arena)
{
	struct jr_op_change *changes = JR_ARENA_N(arena, struct jr_op_change, profile->n_ops + 1);
	for (size_t i = 0; i < profile->n_ops; i++)
		changes[i] = (struct jr_op_change){1, INT64_MAX, -1};
	return changes;
}
