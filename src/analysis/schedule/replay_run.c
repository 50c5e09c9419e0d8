/* Replay steps forward in time. */
#include "analysis/schedule/replay_parts.h"
#include "analysis/core/distribution.h"

#include <math.h>
#include <string.h>

#define NEVER INT64_MIN
/* Steps, or passes, after which the leads of devices have settled. */
#define WARMUP_STEPS 8
#define MOST_PASSES 4
/* If the host waits for more devices than this, only the first of them count. */
#define MOST_WAITED 64
/* Ends of an interval that differ by a smaller share of the period count as one number. */
#define SAME 0.001

static int64_t max_i64(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Saturate, because inputs may be corrupt. */
static int64_t plus(int64_t a, int64_t b)
{
	int64_t sum;
	if (__builtin_add_overflow(a, b, &sum))
		return a > 0 ? INT64_MAX : NEVER + 1;
	return sum;
}

static int64_t minus(int64_t a, int64_t b)
{
	return plus(a, b == INT64_MIN ? INT64_MAX : -b);
}

/* True if executions of the segment are part of the time that the change reduces. */
static bool is_less(const struct jr_replay *r, const struct jr_change *change, size_t segment)
{
	return change->less_programs && change->less_programs[r->segments[segment].program];
}

/* Distribute the claimed saving of a mean step over the time where it occurs: for example, a pause
 * saves time only in the step that paused. */
static void set_less_shares(struct jr_replay_run *run)
{
	const struct jr_replay *r = run->r;
	for (size_t d = 0; run->change->between_less_ns && d < r->n_devices; d++) {
		double all_ns = r->between_all_ns[d];
		for (size_t k = 0; k < r->n_periods; k++)
			for (size_t s = 0; s < r->n_segments; s++) {
				const struct jr_replay_part *part = jr_replay_part_of(r, k, s, d);
				if (is_less(r, run->change, s) && part->module != JR_NONE)
					all_ns += (double)(part->end_ns - part->begin_ns);
			}
		double claimed_ns =
			(double)run->change->between_less_ns[r->devices[d]] * (double)r->n_periods;
		run->less_share[d] = all_ns > 0 ? fmin(claimed_ns / all_ns, 1) : 0;
	}
}

struct jr_replay_run *jr_replay_run_new(
	const struct jr_replay *r, const struct jr_change *change, bool follow, struct jr_arena *arena)
{
	static const struct jr_change none;
	struct jr_replay_run *run = JR_ARENA_NEW(arena, struct jr_replay_run);
	size_t n = r->order.n * r->n_devices + 1;
	run->r = r;
	run->hosting = JR_HOSTS_EARLY;
	run->change = change ? change : &none;
	run->lane_end_ns = JR_ARENA_N(arena, int64_t, r->n_devices * JR_N_LANES + 1);
	run->start_ns = JR_ARENA_N(arena, int64_t, n);
	run->end_ns = JR_ARENA_N(arena, int64_t, n);
	run->part_end_ns = JR_ARENA_N(arena, int64_t, r->n_segments * r->n_devices + 1);
	run->group_ns = JR_ARENA_N(arena, int64_t, 2 * r->n_devices + 1);
	run->values_ns = JR_ARENA_N(arena, int64_t, r->n_devices + 1);
	run->less_share = JR_ARENA_N(arena, double, r->n_devices + 1);
	run->base_ns = JR_ARENA_N(arena, int64_t, r->n_devices + 1);
	run->host_ns = JR_ARENA_N(arena, int64_t, r->n_devices + 1);
	run->last = JR_ARENA_N(arena, const struct jr_replay_part *, r->n_devices + 1);
	run->last_ns = JR_ARENA_N(arena, int64_t, r->n_devices + 1);
	run->held_up = JR_ARENA_N(arena, uint8_t, r->n_devices + 1);
	run->ended = JR_ARENA_N(arena, const struct jr_replay_part *, r->n_devices + 1);
	run->lead_ns = JR_ARENA_N(arena, int64_t, r->n_devices + 1);
	run->host_lead_ns = JR_ARENA_N(arena, int64_t, r->n_devices + 1);
	set_less_shares(run);
	if (run->change->as_median)
		run->median_ns = JR_ARENA_N(arena, int64_t, r->n_steps * r->order.n + 1);
	if (follow) {
		run->part_last = JR_ARENA_N(arena, uint32_t, r->n_segments * r->n_devices + 1);
		run->bound_by = JR_ARENA_N(arena, uint32_t, n);
		run->last_device = JR_ARENA_N(arena, uint32_t, n);
		run->lane_by = JR_ARENA_N(arena, uint32_t, r->n_devices * JR_N_LANES + 1);
	}
	return run;
}

/* --- durations -------------------------------------------------------------------------------- */

/* What the change does to a thunk. */
static struct jr_op_change change_of(const struct jr_change *change, uint32_t op)
{
	return change->ops ? change->ops[op] : (struct jr_op_change){1, INT64_MAX, -1};
}

static inline int64_t changed(const struct jr_op_change *c, int64_t ns)
{
	if (c->exact_ns >= 0)
		return c->exact_ns;
	if (c->scale != 1)
		ns = llround(fmin((double)ns * c->scale, 0x1p62));
	return ns < c->most_ns ? ns : c->most_ns;
}

/* Return the median duration of the item on the devices that are not set to their median; -1: none
 * ran it. cell: of the first device. */
static int64_t median_ns(struct jr_replay_run *run, size_t cell)
{
	const struct jr_replay *r = run->r;
	size_t n = 0;
	for (size_t d = 0; d < r->n_devices; d++)
		if (r->rows[cell + d] != JR_NONE && !run->change->as_median[r->devices[d]])
			run->values_ns[n++] = r->dur_ns[cell + d];
	return n ? jr_median_i64(run->values_ns, n) : -1;
}

/* --- one launch ------------------------------------------------------------------------------- */

/* Time at which a launch's dependencies on one device have ended, and the launch that ended
 * last. */
struct ready {
	int64_t ns;
	uint32_t by;
};

static void no_sooner(struct ready *ready, int64_t ns, uint32_t by)
{
	if (ns > ready->ns)
		*ready = (struct ready){ns, by};
}

static inline struct ready ready_at(
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

static inline void arrive(
	struct jr_replay_run *run, const struct jr_launch *l, size_t at, size_t device, int64_t gap_ns)
{
	struct ready ready = ready_at(run, l, device);
	run->start_ns[at] = plus(ready.ns, gap_ns > 0 && run->change->no_gaps ? 0 : gap_ns);
	if (run->bound_by)
		run->bound_by[at] = ready.by;
}

static inline void occupy(struct jr_replay_run *run, size_t lane, size_t device, size_t item)
{
	int64_t *lane_end_ns = &run->lane_end_ns[device * JR_N_LANES + lane];
	int64_t end_ns = run->end_ns[item * run->r->n_devices + device];
	if (end_ns < *lane_end_ns || end_ns == NEVER)
		return;
	*lane_end_ns = end_ns;
	if (run->lane_by)
		run->lane_by[device * JR_N_LANES + lane] = (uint32_t)item;
}

static inline void occupy_lanes(
	struct jr_replay_run *run, const struct jr_launch *l, size_t device, size_t item)
{
	occupy(run, l->lane, device, item);
	if (l->joins && !run->change->overlap)
		occupy(run, JR_LANE_COMPUTE, device, item);
}

/* All devices of a group end when the last one has arrived and the transfer is done. */
static void meet(struct jr_replay_run *run, const struct jr_launch *l, size_t item, size_t cell,
	const int64_t *gaps, const int64_t *lates)
{
	const struct jr_replay *r = run->r;
	const uint32_t *group = r->groups[l->op], *rows = &r->rows[cell];
	const struct jr_op_change change = change_of(run->change, l->op);
	size_t n = r->n_devices;
	int64_t *last_ns = run->group_ns, *transfer_ns = run->group_ns + n;
	int64_t *start_ns = &run->start_ns[item * n], *end_ns = &run->end_ns[item * n];
	for (size_t g = 0; g < n; g++) {
		last_ns[g] = NEVER;
		transfer_ns[g] = INT64_MAX;
	}
	for (size_t d = 0; d < n; d++) {
		size_t g = group ? group[d] : 0;
		start_ns[d] = end_ns[d] = NEVER;
		if (rows[d] == JR_NONE)
			continue;
		arrive(run, l, item * n + d, d, gaps[d]);
		int64_t dur_ns = r->dur_ns[cell + d];
		transfer_ns[g] = dur_ns < transfer_ns[g] ? dur_ns : transfer_ns[g];
		last_ns[g] = max_i64(last_ns[g], start_ns[d]);
	}
	for (size_t d = 0; d < n; d++) {
		size_t g = group ? group[d] : 0;
		if (rows[d] == JR_NONE)
			continue;
		end_ns[d] = plus(plus(last_ns[g], changed(&change, transfer_ns[g])), lates[d]);
		occupy_lanes(run, l, d, item);
	}
	if (!run->last_device)
		return;
	for (size_t d = n; d-- > 0;)
		if (rows[d] != JR_NONE && start_ns[d] == last_ns[group ? group[d] : 0])
			transfer_ns[group ? group[d] : 0] = (int64_t)d;
	for (size_t d = 0; d < n; d++)
		if (rows[d] != JR_NONE)
			run->last_device[item * n + d] = (uint32_t)transfer_ns[group ? group[d] : 0];
}

/* Whether it may begin as soon as its lane is free. */
static bool needs_own_lane_only(const struct jr_replay_run *run, const struct jr_launch *l)
{
	for (int lane = 0; run->change->overlap && lane < JR_N_LANES; lane++)
		if (l->needs[lane] && lane != l->lane)
			return false;
	return l->lane == JR_LANE_COMPUTE;
}

/* A launch on the compute lane that nothing asks about: the most frequent case. */
static void run_in_line(struct jr_replay_run *run, const struct jr_launch *l, size_t item,
	size_t cell, const int64_t *gaps)
{
	const struct jr_replay *r = run->r;
	const struct jr_op_change change = change_of(run->change, l->op);
	int64_t *end_ns = &run->end_ns[item * r->n_devices];
	for (size_t d = 0; d < r->n_devices; d++) {
		int64_t *lane_end_ns = &run->lane_end_ns[d * JR_N_LANES];
		int64_t gap_ns = gaps[d] > 0 && run->change->no_gaps ? 0 : gaps[d];
		end_ns[d] = NEVER;
		if (r->rows[cell + d] == JR_NONE)
			continue;
		end_ns[d] = plus(plus(*lane_end_ns, gap_ns), changed(&change, r->dur_ns[cell + d]));
		*lane_end_ns = max_i64(*lane_end_ns, end_ns[d]);
	}
}

/* A launch that runs on each device alone. */
static void run_alone(struct jr_replay_run *run, const struct jr_launch *l, size_t step,
	size_t item, size_t cell, const int64_t *gaps)
{
	const struct jr_replay *r = run->r;
	const struct jr_op_change change = change_of(run->change, l->op);
	int64_t as_median_ns = -1;
	if (run->median_ns && !r->profile->ops[l->op].communication) {
		int64_t *known = &run->median_ns[step * r->order.n + item];
		if (*known == 0)
			*known = median_ns(run, cell) + 1;
		as_median_ns = *known - 1;
	}
	for (size_t d = 0; d < r->n_devices; d++) {
		size_t at = item * r->n_devices + d;
		run->start_ns[at] = run->end_ns[at] = NEVER;
		if (r->rows[cell + d] == JR_NONE)
			continue;
		arrive(run, l, at, d, gaps[d]);
		int64_t dur_ns = r->dur_ns[cell + d];
		if (as_median_ns >= 0 && run->change->as_median[r->devices[d]])
			dur_ns = as_median_ns;
		run->end_ns[at] = plus(run->start_ns[at], changed(&change, dur_ns));
		occupy_lanes(run, l, d, item);
	}
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

static void run_launches(struct jr_replay_run *run, size_t step,
	const struct jr_replay_segment *segment, const int64_t *gaps, const int64_t *lates)
{
	const struct jr_replay *r = run->r;
	bool is_plain = !run->bound_by && !run->median_ns;
	for (size_t i = segment->first; i < segment->last; i++) {
		const struct jr_launch *l = &r->order.items[i];
		size_t cell = jr_replay_cell(r, step, i, 0);
		if (l->op == JR_NONE) {
			for (size_t d = 0; d < r->n_devices; d++)
				run->end_ns[i * r->n_devices + d] = NEVER; /* another wait may refer to it */
			for (size_t k = l->first; !run->change->overlap && k < l->last; k++)
				for (size_t d = 0; d < r->n_devices; d++)
					occupy(run, JR_LANE_COMPUTE, d, k);
			continue;
		}
		if (l->rendezvous)
			meet(run, l, i, cell, &gaps[i * r->n_devices], &lates[r->rendezvous[i] * r->n_devices]);
		else if (is_plain && needs_own_lane_only(run, l))
			run_in_line(run, l, i, cell, &gaps[i * r->n_devices]);
		else
			run_alone(run, l, step, i, cell, &gaps[i * r->n_devices]);
	}
}

/* Return the launch that ended last on the device; JR_NONE: nothing ran. */
static uint32_t last_of(const struct jr_replay_run *run, size_t device)
{
	uint32_t last = JR_NONE;
	int64_t last_ns = NEVER;
	for (size_t lane = 0; lane < JR_N_LANES; lane++) {
		size_t at = device * JR_N_LANES + lane;
		if (run->lane_by[at] != JR_NONE && run->lane_end_ns[at] > last_ns) {
			last = run->lane_by[at];
			last_ns = run->lane_end_ns[at];
		}
	}
	return last;
}

/* Return by how much later than measured the last device of a process is done. Only devices that
 * were done when the host launched, at began_ns, count. The current device is done at at_ns instead
 * of was_ns. */
static int64_t done_later(
	const struct jr_replay_run *run, size_t device, int64_t at_ns, int64_t was_ns, int64_t began_ns)
{
	const struct jr_replay *r = run->r;
	size_t n = 0;
	for (uint32_t d = r->next_of_process[device]; d != device && n < MOST_WAITED;
		 d = r->next_of_process[d], n++) {
		if (!run->last[d] || run->last[d]->end_ns > began_ns)
			continue;
		at_ns = max_i64(at_ns, run->last_ns[d]);
		was_ns = max_i64(was_ns, run->last[d]->end_ns);
	}
	return minus(minus(at_ns, was_ns), run->base_ns[device]);
}

/* Return when the device's next part begins if the current one ends at at_ns. It begins after the
 * modules between them, and no module begins before its launch. */
static int64_t launched_at(
	struct jr_replay_run *run, const struct jr_replay_part *part, size_t device, int64_t at_ns)
{
	const struct jr_modules *m = &run->r->profile->modules;
	int64_t base_ns = run->base_ns[device], *host_ns = &run->host_ns[device];
	int64_t was_ns = part->end_ns; /* measured value of at_ns */
	bool waits = run->hosting == JR_HOSTS_WAIT;
	if (part->next == JR_NONE)
		return plus(at_ns, part->between_ns);
	for (size_t i = part->module + 1; i <= part->next; i++) {
		const struct jr_replay_launch *l = &run->r->launches[i];
		if (l->host == JR_HOST_WAITS || (l->host == JR_HOST_UNKNOWN && waits))
			*host_ns = done_later(run, device, at_ns, was_ns, was_ns + l->gap_ns);
		int64_t begin_ns = plus(at_ns, l->soon_ns), began_ns = was_ns + l->gap_ns;
		int64_t launched_ns = l->early_ns == INT64_MAX
								  ? begin_ns
								  : plus(began_ns - l->early_ns, plus(base_ns, *host_ns));
		bool followed = *host_ns == minus(minus(at_ns, was_ns), base_ns);
		run->held_up[device] |= launched_ns > begin_ns && !followed;
		begin_ns = max_i64(begin_ns, launched_ns);
		if (i == part->next)
			return begin_ns;
		at_ns = max_i64(at_ns, plus(begin_ns, m->dur_ns[i]));
		was_ns = max_i64(was_ns, began_ns + m->dur_ns[i]);
	}
	return at_ns;
}

/* Continue devices with their next parts: those with a part in the given segment (NULL: all). */
static void go_on(struct jr_replay_run *run, const struct jr_replay_part *parts, int64_t *at_ns)
{
	for (size_t d = 0; d < run->r->n_devices; d++) {
		if (!run->ended[d] || (parts && parts[d].module == JR_NONE))
			continue;
		at_ns[d] = launched_at(run, run->ended[d], d, at_ns[d]);
		run->ended[d] = NULL;
	}
}

static void end(struct jr_replay_run *run, size_t step, size_t segment, int64_t *at_ns)
{
	const struct jr_replay *r = run->r;
	for (size_t d = 0; d < r->n_devices; d++) {
		const struct jr_replay_part *part = jr_replay_part_of(r, step, segment, d);
		size_t at = segment * r->n_devices + d;
		run->part_end_ns[at] = NEVER;
		if (part->module == JR_NONE)
			continue;
		int64_t end_ns = at_ns[d];
		for (size_t lane = 0; lane < JR_N_LANES; lane++)
			end_ns = max_i64(end_ns, run->lane_end_ns[d * JR_N_LANES + lane]);
		run->part_end_ns[at] = plus(end_ns, part->tail_ns);
		if (is_less(r, run->change, segment))
			run->part_end_ns[at] -=
				llround((double)(run->part_end_ns[at] - at_ns[d]) * run->less_share[d]);
		if (run->part_last)
			run->part_last[at] = last_of(run, d);
		at_ns[d] = run->part_end_ns[at];
		if (run->hosting != JR_HOSTS_EARLY) {
			run->ended[d] = part;
			run->last[d] = part;
			run->last_ns[d] = at_ns[d];
		} else {
			at_ns[d] = plus(at_ns[d], jr_replay_between_ns(run->change, part, run->less_share[d]));
		}
	}
}

void jr_replay_step(struct jr_replay_run *run, size_t step, int64_t *at_ns, const int64_t *gaps,
	const int64_t *lates)
{
	const struct jr_replay *r = run->r;
	for (size_t s = 0; s < r->n_segments; s++) {
		for (size_t d = 0; d < r->n_devices && run->as_begun; d++)
			if (jr_replay_part_of(r, step, s, d)->module != JR_NONE)
				at_ns[d] = jr_replay_part_of(r, step, s, d)->begin_ns;
		go_on(run, jr_replay_part_of(r, step, s, 0), at_ns);
		begin(run, at_ns);
		run_launches(run, step, &r->segments[s], gaps, lates);
		end(run, step, s, at_ns);
	}
	go_on(run, NULL, at_ns);
}

int64_t jr_replay_between_ns(
	const struct jr_change *change, const struct jr_replay_part *part, double less_share)
{
	int64_t ns = part->between_ns, least_ns = part->between_ns - part->idle_ns;
	if (change && change->never_late)
		return ns < least_ns ? ns : least_ns;
	return ns <= 0 || less_share == 0 ? ns : max_i64(ns - llround((double)ns * less_share), 0);
}

void jr_replay_begins(const struct jr_replay *r, size_t step, int64_t *begin_ns)
{
	for (size_t d = 0; d < r->n_devices; d++)
		for (size_t s = r->n_segments; s-- > 0;)
			if (jr_replay_part_of(r, step, s, d)->module != JR_NONE)
				begin_ns[d] = jr_replay_part_of(r, step, s, d)->begin_ns;
}

/* --- periods ---------------------------------------------------------------------------------- */

/* Return when the next step began on a device, sampled or not. */
static int64_t next_begin(const struct jr_replay *r, size_t step, size_t device)
{
	int64_t ns = 0;
	for (size_t s = 0; s < r->n_segments; s++) {
		const struct jr_replay_part *part = jr_replay_part_of(r, step, s, device);
		if (part->module != JR_NONE)
			ns = part->end_ns + part->between_ns;
	}
	return ns;
}

static int64_t times(int64_t ns, size_t n)
{
	double most = (double)(INT64_C(1) << 60);
	return llround(fmax(fmin((double)ns * (double)n, most), -most));
}

/* A sampled step represents all steps up to the next sample. In each of them the device gains as
 * much as in this one. A waiting host gains the same, unless a launch delayed the device. */
static void skip_to(struct jr_replay_run *run, size_t step, const int64_t *at_ns)
{
	const struct jr_replay *r = run->r;
	size_t n = jr_replay_step_number(r, step + 1) - jr_replay_step_number(r, step);
	int64_t *begin_ns = run->values_ns;
	if (n == 1)
		return;
	jr_replay_begins(r, step + 1, begin_ns);
	memset(run->last, 0, r->n_devices * sizeof(const struct jr_replay_part *));
	for (size_t d = 0; d < r->n_devices; d++) {
		int64_t lead_ns = minus(minus(at_ns[d], next_begin(r, step, d)), run->base_ns[d]);
		int64_t more_ns = run->held_up[d] ? 0 : times(minus(lead_ns, run->lead_ns[d]), n - 1);
		if (run->host_ns[d] != run->host_lead_ns[d])
			run->host_ns[d] = plus(run->host_ns[d], more_ns);
		run->base_ns[d] = minus(minus(at_ns[d], begin_ns[d]), plus(lead_ns, more_ns));
	}
}

/* Replay steps [first, n_periods) in sequence. at_ns[n_devices] is set to the starts of the step
 * after them. Launches keep their times since the start of the first step. */
static void play(struct jr_replay_run *run, size_t first, int64_t *at_ns)
{
	const struct jr_replay *r = run->r;
	jr_replay_begins(r, first, run->base_ns);
	for (size_t d = 0; d < r->n_devices; d++) {
		run->base_ns[d] = minus(at_ns[d], run->base_ns[d]);
		run->host_ns[d] = 0;
		run->last[d] = NULL;
	}
	for (size_t step = first; step < r->n_periods; step++) {
		jr_replay_begins(r, step, run->lead_ns);
		for (size_t d = 0; d < r->n_devices; d++)
			run->lead_ns[d] = minus(minus(at_ns[d], run->lead_ns[d]), run->base_ns[d]);
		memset(run->held_up, 0, r->n_devices);
		memcpy(run->host_lead_ns, run->host_ns, r->n_devices * sizeof(*run->host_ns));
		jr_replay_step(run, step, at_ns, &r->gap_ns[jr_replay_cell(r, step, 0, 0)],
			&r->late_ns[step * r->n_rendezvous * r->n_devices]);
		if (run->hosting != JR_HOSTS_EARLY && step + 1 < r->n_periods)
			skip_to(run, step, at_ns);
	}
}

/* Replay all steps from at_ns. Return the mean period. */
static double play_all(struct jr_replay_run *run, int64_t *at_ns)
{
	const struct jr_replay *r = run->r;
	double sum_ns = 0;
	for (size_t d = 0; d < r->n_devices; d++)
		sum_ns -= (double)at_ns[d];
	play(run, 0, at_ns);
	for (size_t d = 0; d < r->n_devices; d++)
		sum_ns += (double)at_ns[d];
	return sum_ns / (double)(r->n_devices * r->n_periods);
}

/* True if the leads of devices over each other did not change. */
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
	int64_t *at_ns = JR_ARENA_N(&scratch, int64_t, r->n_devices + 1);
	jr_replay_begins(r, 0, at_ns);
	double period_ns = play_all(run, at_ns);
	jr_arena_done(&scratch);
	return period_ns;
}

double jr_replay_settled_period(
	const struct jr_replay *r, const struct jr_change *change, enum jr_hosting hosting)
{
	struct jr_arena scratch;
	jr_arena_init(&scratch, 0);
	struct jr_replay_run *run = jr_replay_run_new(r, change, false, &scratch);
	run->hosting = hosting;
	int64_t *at_ns = JR_ARENA_N(&scratch, int64_t, r->n_devices + 1);
	int64_t *from_ns = JR_ARENA_N(&scratch, int64_t, r->n_devices + 1);
	bool tied = r->n_devices > 1 && r->n_rendezvous;
	size_t first = tied && r->n_periods > WARMUP_STEPS ? r->n_periods - WARMUP_STEPS : 0;
	double period_ns = 0;
	jr_replay_begins(r, first, at_ns);
	if (tied)
		play(run, first, at_ns);
	for (int pass = 0; pass < MOST_PASSES; pass++) {
		memcpy(from_ns, at_ns, r->n_devices * sizeof(*from_ns));
		period_ns = play_all(run, at_ns);
		if (!tied || same_leads(r, from_ns, at_ns))
			break;
	}
	jr_arena_done(&scratch);
	return period_ns;
}

static double period_of(
	const struct jr_replay *r, const struct jr_change *change, enum jr_hosting hosting)
{
	double settled_ns = jr_replay_settled_period(r, change, hosting);
	return fmax(r->period_ns + (settled_ns - r->settled_ns[hosting]), 0);
}

struct jr_prediction jr_replay_predict(const struct jr_replay *r, const struct jr_change *change)
{
	bool early = change->never_late || change->between_less_ns;
	if (r->host_elsewhere && !early)
		return (struct jr_prediction){NAN, NAN, NAN,
			"the host waits for devices whose steps overlap, and it is unknown which of their "
			"programs it waits for"};
	double ns = period_of(r, change, early ? JR_HOSTS_EARLY : JR_HOSTS_WAIT);
	double other_ns = !early && r->host_unknown ? period_of(r, change, JR_HOSTS_GO_ON) : ns;
	if (fabs(ns - other_ns) <= SAME * r->period_ns)
		return (struct jr_prediction){ns, ns, ns, NULL};
	return (struct jr_prediction){NAN, fmin(ns, other_ns), fmax(ns, other_ns),
		"it is unknown whether the host waits for the device before it launches"};
}
