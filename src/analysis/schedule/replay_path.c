/* Find the critical path. The walk goes from the start of the last step back to the start of the
 * first, always to the dependency that ended last. The same walk finds how late each execution
 * could end without delaying any later start. */
#include "analysis/schedule/replay_parts.h"

#include <math.h>
#include <string.h>

#define NEVER INT64_MIN
#define WHENEVER INT64_MAX

struct tracing {
	const struct jr_replay *r;
	struct jr_path *path;
	struct jr_replay_run *run;
	int64_t *begin_ns; /* [n_periods + 1][n_devices] of each step, and of the step after the last */
	int64_t *end_ns;   /* [n_devices] scratch */
	int64_t *lane_late_ns; /* [n_devices][JR_N_LANES] latest time at which a lane must be free */
	int64_t *late_ns;      /* [order.n][n_devices] latest end of an execution that is waited for */
	int64_t
		*begin_late_ns; /* [n_devices] latest start of a step; at first of the one after the last */
	int64_t *release_ns;    /* [n_devices] scratch of groups */
	int64_t *step_slack_ns; /* [n_ops] minimum of the current step */
	size_t device;          /* device at which the walk is */
};

/* --- slack ------------------------------------------------------------------------------------ */

static int64_t min_i64(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static void no_later(int64_t *late_ns, int64_t ns)
{
	if (ns < *late_ns)
		*late_ns = ns;
}

static void note_slack(struct tracing *t, uint32_t op, int64_t ns)
{
	no_later(&t->step_slack_ns[op], ns < 0 ? 0 : ns);
}

/* Return the latest allowed end of the execution. */
static int64_t end_late(const struct tracing *t, const struct jr_launch *l, size_t item, size_t d)
{
	const int64_t *lanes = &t->lane_late_ns[d * JR_N_LANES];
	int64_t late_ns = min_i64(lanes[l->lane], t->late_ns[item * t->r->n_devices + d]);
	return l->joins ? min_i64(late_ns, lanes[JR_LANE_COMPUTE]) : late_ns;
}

/* The dependencies of a launch must have ended by then. */
static void must_be_ready(struct tracing *t, const struct jr_launch *l, size_t d, int64_t late_ns)
{
	int64_t *lanes = &t->lane_late_ns[d * JR_N_LANES];
	no_later(&lanes[l->lane], late_ns);
	no_later(&lanes[JR_LANE_COMPUTE], late_ns);
}

static void slack_of_meeting(struct tracing *t, const struct jr_launch *l, size_t step, size_t item)
{
	const struct jr_replay *r = t->r;
	const uint32_t *group = r->groups[l->op];
	const int64_t *end_ns = &t->run->end_ns[item * r->n_devices];
	for (size_t g = 0; g < r->n_devices; g++)
		t->release_ns[g] = WHENEVER; /* allowed delay of the release */
	for (size_t d = 0; d < r->n_devices; d++)
		if (end_ns[d] != NEVER)
			no_later(&t->release_ns[group ? group[d] : 0], end_late(t, l, item, d) - end_ns[d]);
	for (size_t d = 0; d < r->n_devices; d++) {
		int64_t slack_ns = t->release_ns[group ? group[d] : 0];
		if (end_ns[d] == NEVER)
			continue;
		note_slack(t, l->op, slack_ns);
		/* It may arrive as late as the last arrival is allowed to. */
		size_t at = item * r->n_devices + d;
		int64_t last_ns = t->run->start_ns[item * r->n_devices + t->run->last_device[at]];
		int64_t gap_ns = r->gap_ns[jr_replay_cell(r, step, item, d)];
		must_be_ready(t, l, d, last_ns + slack_ns - gap_ns);
	}
}

static void slack_of_launch(struct tracing *t, const struct jr_launch *l, size_t step, size_t item)
{
	const struct jr_replay *r = t->r;
	for (size_t d = 0; d < r->n_devices; d++) {
		size_t at = item * r->n_devices + d;
		if (t->run->end_ns[at] == NEVER)
			continue;
		int64_t late_ns = end_late(t, l, item, d);
		note_slack(t, l->op, late_ns - t->run->end_ns[at]);
		int64_t dur_ns = t->run->end_ns[at] - t->run->start_ns[at];
		must_be_ready(t, l, d, late_ns - dur_ns - r->gap_ns[jr_replay_cell(r, step, item, d)]);
	}
}

/* Set the times at which lanes must be free at the end of a segment, from the latest start of the
 * next one. */
static void begin_slack(struct tracing *t, size_t step, size_t segment)
{
	const struct jr_replay *r = t->r;
	for (size_t d = 0; d < r->n_devices; d++) {
		const struct jr_replay_part *part = jr_replay_part_of(r, step, segment, d);
		for (size_t lane = 0; lane < JR_N_LANES; lane++)
			t->lane_late_ns[d * JR_N_LANES + lane] =
				part->module == JR_NONE
					? WHENEVER
					: t->begin_late_ns[d] - jr_replay_between_ns(NULL, part, 0) - part->tail_ns;
	}
}

static void slack_of_segment(struct tracing *t, size_t step, size_t segment)
{
	const struct jr_replay *r = t->r;
	begin_slack(t, step, segment);
	for (size_t i = r->segments[segment].last; i-- > r->segments[segment].first;) {
		const struct jr_launch *l = &r->order.items[i];
		for (size_t k = l->first; l->op == JR_NONE && k < l->last; k++)
			for (size_t d = 0; d < r->n_devices; d++)
				no_later(&t->late_ns[k * r->n_devices + d],
					t->lane_late_ns[d * JR_N_LANES + JR_LANE_COMPUTE]);
		if (l->op == JR_NONE)
			continue;
		if (l->rendezvous)
			slack_of_meeting(t, l, step, i);
		else
			slack_of_launch(t, l, step, i);
	}
	for (size_t d = 0; d < r->n_devices; d++) {
		if (jr_replay_part_of(r, step, segment, d)->module == JR_NONE)
			continue;
		t->begin_late_ns[d] = WHENEVER;
		for (size_t lane = 0; lane < JR_N_LANES; lane++)
			no_later(&t->begin_late_ns[d], t->lane_late_ns[d * JR_N_LANES + lane]);
	}
}

/* Compute the latest start of this step from the latest start of the next one. */
static void find_slack(struct tracing *t, size_t step)
{
	const struct jr_replay *r = t->r;
	for (size_t i = 0; i < r->order.n * r->n_devices; i++)
		t->late_ns[i] = WHENEVER;
	for (size_t op = 0; op < r->profile->n_ops; op++)
		t->step_slack_ns[op] = WHENEVER;
	for (size_t s = r->n_segments; s-- > 0;)
		slack_of_segment(t, step, s);
	for (size_t op = 0; op < r->profile->n_ops; op++)
		if (t->step_slack_ns[op] != WHENEVER) {
			t->path->ops[op].slack_ns += (double)t->step_slack_ns[op];
			t->path->ops[op].n_slack++;
		}
}

/* --- the path --------------------------------------------------------------------------------- */

/* Copies between host and device can be on the compute lane, too: TPUs count their time at the
 * `-done`. */
static enum jr_path_cause cause_of(const struct jr_profile *p, const struct jr_launch *l)
{
	bool copy = l->lane == JR_LANE_COPY || l->lane == JR_LANE_COLLECTIVE ||
				(l->op != JR_NONE && p->ops[l->op].communication);
	return l->rendezvous ? JR_PATH_TRANSFER : copy ? JR_PATH_COPY : JR_PATH_COMPUTE;
}

/* Saturate, because durations in corrupt inputs may add up to more than int64. */
static void add_ns(int64_t *to, int64_t ns)
{
	if (__builtin_add_overflow(*to, ns, to))
		*to = ns > 0 ? INT64_MAX : INT64_MIN;
}

static void spend(struct tracing *t, enum jr_path_cause cause, int64_t ns)
{
	add_ns(&t->path->cause_ns[cause], ns);
	if (cause == JR_PATH_COMPUTE)
		add_ns(&t->path->device_ns[t->r->devices[t->device]], ns);
}

/* Take an overlap with what is next on the path, at most 0, off a time before it; what is left of
 * the overlap, in the same way, off what is before that. */
static int64_t without(int64_t *overlap_ns, int64_t ns)
{
	add_ns(&ns, *overlap_ns);
	*overlap_ns = min_i64(ns, 0);
	return ns - *overlap_ns;
}

/* Follow the path from the end of a device's part to its start, which can be on another device. */
static void follow_part(struct tracing *t, size_t step, size_t segment, int64_t overlap_ns)
{
	const struct jr_replay *r = t->r;
	uint32_t item = t->run->part_last[segment * r->n_devices + t->device];
	bool other = r->segments[segment].other;
	spend(t, other ? JR_PATH_OTHER : JR_PATH_GAP,
		without(&overlap_ns, jr_replay_part_of(r, step, segment, t->device)->tail_ns));
	while (item != JR_NONE) {
		const struct jr_launch *l = &r->order.items[item];
		size_t at = item * r->n_devices + t->device;
		int64_t end_ns = t->run->end_ns[at];
		if (step == t->path->step)
			t->path->on_path[at] = 1;
		if (l->rendezvous) {
			t->device = t->run->last_device[at];
			at = item * r->n_devices + t->device;
			if (step == t->path->step)
				t->path->on_path[at] = 1;
		}
		int64_t gap_ns = r->gap_ns[jr_replay_cell(r, step, item, t->device)];
		add_ns(&overlap_ns, min_i64(gap_ns, 0)); /* it began before what it waited for ended */
		int64_t own_ns = without(&overlap_ns, end_ns - t->run->start_ns[at]);
		gap_ns = without(&overlap_ns, gap_ns < 0 ? 0 : gap_ns);
		spend(t, other ? JR_PATH_OTHER : cause_of(r->profile, l), own_ns);
		spend(t, other ? JR_PATH_OTHER : JR_PATH_GAP, gap_ns);
		add_ns(&t->path->ops[l->op].path_ns, own_ns);
		add_ns(&t->path->ops[l->op].gap_ns, gap_ns);
		item = t->run->bound_by[at];
	}
}

/* Follow the path from the start of the next step on t->device to the start of this one. */
static void follow(struct tracing *t, size_t step)
{
	const struct jr_replay *r = t->r;
	for (size_t s = r->n_segments; s-- > 0;) {
		const struct jr_replay_part *part = jr_replay_part_of(r, step, s, t->device);
		if (part->module == JR_NONE)
			continue;
		int64_t between_ns = jr_replay_between_ns(NULL, part, 0),
				overlap_ns = min_i64(between_ns, 0);
		int64_t idle_ns = min_i64(part->idle_ns, between_ns - overlap_ns);
		spend(t, JR_PATH_HOST, idle_ns);
		spend(t, JR_PATH_OTHER, between_ns - overlap_ns - idle_ns);
		add_ns(&t->path->overlap_ns, -overlap_ns);
		follow_part(t, step, s, overlap_ns);
	}
}

/* --- all steps -------------------------------------------------------------------------------- */

static void run_step(struct tracing *t, size_t step, int64_t *next_ns)
{
	const struct jr_replay *r = t->r;
	memcpy(next_ns, &t->begin_ns[step * r->n_devices], r->n_devices * sizeof(*next_ns));
	jr_replay_step(t->run, step, next_ns, &r->gap_ns[jr_replay_cell(r, step, 0, 0)],
		&r->late_ns[step * r->n_rendezvous * r->n_devices]);
}

/* Devices begin their first and last steps at different times. Set the skew that makes the length
 * of the path equal to the mean of all devices' periods. */
static void add_skew(struct tracing *t)
{
	const struct jr_replay *r = t->r;
	int64_t sum_ns = 0, rest_ns = 0;
	for (size_t c = 0; c < JR_N_PATH_CAUSES; c++)
		add_ns(&sum_ns, t->path->cause_ns[c]);
	if (__builtin_sub_overflow(llround(r->period_ns * (double)r->n_periods), sum_ns, &rest_ns))
		rest_ns = 0;
	t->path->cause_ns[JR_PATH_SKEW] = rest_ns;
}

const struct jr_path *jr_replay_path(const struct jr_replay *r, size_t step, struct jr_arena *arena)
{
	struct jr_arena scratch;
	jr_arena_init(&scratch, 0);
	size_t n = r->n_devices, n_cells = r->order.n * n + 1, n_ops = r->profile->n_ops;
	struct jr_path *path = JR_ARENA_NEW(arena, struct jr_path);
	path->ops = JR_ARENA_N(arena, struct jr_path_op, n_ops + 1);
	path->device_ns = JR_ARENA_N(arena, int64_t, r->profile->n_devices + 1);
	path->on_path = JR_ARENA_N(arena, uint8_t, n_cells);
	path->step = step;
	struct tracing t = {.r = r,
		.path = path,
		.run = jr_replay_run_new(r, NULL, true, &scratch),
		.begin_ns = JR_ARENA_N(&scratch, int64_t, (r->n_periods + 1) * n + 1),
		.end_ns = JR_ARENA_N(&scratch, int64_t, n + 1),
		.lane_late_ns = JR_ARENA_N(&scratch, int64_t, n * JR_N_LANES + 1),
		.late_ns = JR_ARENA_N(&scratch, int64_t, n_cells),
		.begin_late_ns = JR_ARENA_N(&scratch, int64_t, n + 1),
		.release_ns = JR_ARENA_N(&scratch, int64_t, n + 1),
		.step_slack_ns = JR_ARENA_N(&scratch, int64_t, n_ops + 1)};
	jr_replay_begins(r, 0, t.begin_ns);
	for (size_t k = 0; k < r->n_periods; k++)
		run_step(&t, k, &t.begin_ns[(k + 1) * n]);
	memcpy(t.begin_late_ns, &t.begin_ns[r->n_periods * n], n * sizeof(*t.begin_late_ns));
	for (size_t d = 1; d < n; d++)
		if (t.begin_late_ns[d] > t.begin_late_ns[t.device])
			t.device = d;
	for (size_t k = r->n_periods; k-- > 0;) {
		run_step(&t, k, t.end_ns);
		follow(&t, k);
		find_slack(&t, k);
	}
	for (size_t op = 0; op < n_ops; op++)
		path->ops[op].slack_ns =
			path->ops[op].n_slack ? path->ops[op].slack_ns / path->ops[op].n_slack : NAN;
	add_skew(&t);
	jr_arena_done(&scratch);
	return path;
}
