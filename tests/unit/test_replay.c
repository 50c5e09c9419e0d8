/* Replayed steps: unchanged, with changes, and properties of any job. */
#include "replay_case.h"

/* Return the period with a change, ns. */
static double period_of(const struct jr_replay *r, const struct jr_change *change)
{
	return jr_replay_predict(r, change).period_ns;
}

#define NO_STEP SIZE_MAX
#define N_JOBS 60

static double period(const struct replay_case *c)
{
	return jr_replay_measured_period(c->replay);
}

static UNIT(test_as_it_was)
{
	for (uint32_t seed = 1; seed <= N_JOBS; seed++) {
		struct plan plan = plan_random(seed);
		struct replay_case c;
		plan_run(&c, &plan, false, NO_STEP);
		assert_non_null(c.replay);
		assert_int_equal(c.replay->n_devices, plan.n_devices);
		assert_true(c.replay->n_steps >= 2);
		assert_int_equal(c.replay->order.scheduled, plan.with_hlo);
		size_t n = c.replay->n_steps * c.replay->order.n * c.replay->n_devices;
		for (size_t i = 0; i < n; i++)
			assert_true(c.replay->gap_ns[i] >= 0); /* nothing begins before what it waits for */
		check_exact(&c);
		assert_true(fabs(c.replay->period_ns - c.ctx.windows->mean_ns) < 1);
		replay_done(&c);
	}
}

static UNIT(test_even_steps)
{
	struct plan plan = {.n = 5,
		.n_devices = 3,
		.n_steps = 4,
		.even = true,
		.sorts = {COMPUTE, START, COMPUTE, DONE, COMPUTE},
		.dur_ns = {100, 300, 200, 0, 50}};
	for (int with_hlo = 0; with_hlo < 2; with_hlo++) {
		struct replay_case c;
		plan.with_hlo = with_hlo;
		plan_run(&c, &plan, false, NO_STEP);
		assert_true(c.replay->error_mean == 0 && c.replay->error_worst == 0);
		assert_true(c.replay->believed && !c.replay->doubt);
		/* waited for after the work that overlaps it, with a schedule or without */
		const struct jr_launch *wait = &c.replay->order.items[3];
		assert_int_equal(c.replay->order.n, 5);
		assert_true(wait->op == JR_NONE && wait->first == 1 && wait->last == 2);
		/* 3 + 100, 3 + 300 in parallel, 3 + 50, 7 after it, 100 between */
		assert_true(c.replay->period_ns == 566);
		replay_done(&c);
	}
}

/* Three steps, with 3, 43 and 83 ns before their first thunk, of 466 ns with 3. The medians of
 * the other steps are 63, 43 and 23. */
static UNIT(test_leave_one_out)
{
	const struct plan plan = {.n = 5,
		.n_devices = 1,
		.n_steps = 5,
		.even = true,
		.sorts = {COMPUTE, START, COMPUTE, DONE, COMPUTE},
		.dur_ns = {100, 300, 200, 0, 50}};
	struct replay_case c;
	plan_run(&c, &plan, false, NO_STEP);
	struct jr_replay three = *c.replay;
	assert_true(three.n_steps >= 3);
	three.n_steps = 3;
	for (size_t k = 0; k < 3; k++)
		three.gap_ns[jr_replay_cell(&three, k, 0, 0)] += 40 * (int64_t)k;
	jr_replay_check(&three, &c.arena);
	check_number(three.error_mean, 40.0 / 466);
	check_number(three.error_worst, 60.0 / 466);
	assert_false(three.believed);
	assert_non_null(strstr(three.doubt, "do not reproduce their measured times"));
	assert_int_equal(three.n_misfits, 1);
	assert_string_equal(
		jr_str(&c.job.profile, c.job.profile.ops[three.misfits[0].op].name), "add.0");
	check_number(three.misfits[0].ns, 40);
	replay_done(&c);
}

/* A wait has no end of its own, even if another one contains it: not even before the origin. */
static UNIT(test_wait_in_a_wait)
{
	const struct plan plan = {.n = 5,
		.n_devices = 1,
		.n_steps = 4,
		.even = true,
		.sorts = {COMPUTE, START, COMPUTE, DONE, COMPUTE},
		.dur_ns = {100, 300, 200, 0, 50}};
	struct replay_case c;
	plan_run(&c, &plan, false, NO_STEP);
	const struct jr_replay *r = c.replay;
	struct jr_replay_run *run = jr_replay_run_new(r, NULL, false, &c.arena);
	int64_t at_ns = -1000000;
	assert_true(r->order.items[3].op == JR_NONE);
	r->order.items[3].last = 4;
	jr_replay_step(run, 0, &at_ns, r->gap_ns, r->late_ns);
	assert_true(run->part_end_ns[0] == -1000000 + 466);
	replay_done(&c);
}

static UNIT(test_single_step)
{
	struct plan plan = {.n = 1, .n_devices = 1, .n_steps = 1, .dur_ns = {100}};
	struct replay_case c;
	plan_run(&c, &plan, false, NO_STEP);
	assert_non_null(c.replay);
	assert_false(c.replay->believed);
	assert_non_null(strstr(c.replay->doubt, "Only one steady step"));
	assert_true(isnan(c.replay->error_mean));
	replay_done(&c);
}

/* A thunk that some devices lack in one step; the job is still replayed. */
static UNIT(test_missing_thunks)
{
	struct plan plan = {.n = 3,
		.n_devices = 2,
		.n_steps = 5,
		.even = true,
		.sorts = {COMPUTE, COMPUTE, COLLECTIVE},
		.dur_ns = {100, 200, 50}};
	struct replay_case c;
	plan_run(&c, &plan, false, 3);
	assert_non_null(c.replay);
	check_exact(&c);
	replay_done(&c);
}

static UNIT(test_no_devices)
{
	struct replay_case c;
	job_make(&c.job, &(struct job_process){.n_rows = 0});
	replay_start(&c);
	assert_null(c.replay);
	replay_done(&c);
}

/* --- properties ------------------------------------------------------------------------------- */

static void check_doubling(struct replay_case *c)
{
	struct jr_thunks *t = &c->job.profile.thunks;
	for (size_t i = 0; i < t->n; i++) {
		t->dur[i] *= 2;
		assert_true(period(c) >= c->replay->period_ns);
		t->dur[i] /= 2;
	}
	assert_true(period(c) == c->replay->period_ns);
}

static void check_flags(const struct replay_case *c)
{
	const struct jr_replay *r = c->replay;
	struct jr_op_change *ops = jr_op_changes_new(r->profile, c->ctx.arena);
	const struct jr_change changes[] = {
		{.no_gaps = true}, {.never_late = true}, {.overlap = r->order.scheduled}, {.ops = ops}};
	for (size_t i = 0; i < JR_COUNT_OF(changes); i++) {
		double ns = period_of(r, &changes[i]);
		assert_true(ns <= r->period_ns && ns >= 0);
	}
	assert_true(period_of(r, &changes[3]) == r->period_ns); /* nothing is changed */
	assert_true(period_of(r, &changes[0]) < r->period_ns);
	for (size_t i = 0; i < r->profile->n_ops; i++) {
		ops[i].scale = 2;
		assert_true(period_of(r, &changes[3]) >= r->period_ns);
		ops[i].scale = 0.5;
		assert_true(period_of(r, &changes[3]) <= r->period_ns);
		ops[i].scale = 1;
	}
	for (size_t i = 0; i < r->profile->n_ops; i++)
		ops[i].scale = 0;
	assert_true(period_of(r, &changes[3]) < r->period_ns);
}

static UNIT(test_changes)
{
	for (uint32_t seed = 1; seed <= N_JOBS; seed++) {
		struct plan plan = plan_random(seed);
		struct replay_case c;
		plan_run(&c, &plan, false, NO_STEP);
		check_doubling(&c);
		check_flags(&c);
		replay_done(&c);
	}
}

/* Return the period with the first op of that name at half its time, without gaps. */
static double half_of(const struct replay_case *c, const char *name)
{
	struct jr_op_change *ops = jr_op_changes_new(c->replay->profile, c->ctx.arena);
	ops[job_op(&c->job, name) - c->job.profile.ops].scale = 0.5;
	return period_of(c->replay, &(struct jr_change){.ops = ops, .no_gaps = true});
}

static void check_same(const struct replay_case *a, const struct replay_case *b)
{
	const struct jr_replay *r = a->replay, *s = b->replay;
	assert_memory_equal(&r->period_ns, &s->period_ns, sizeof(double));
	assert_memory_equal(&r->error_mean, &s->error_mean, sizeof(double));
	assert_memory_equal(&r->error_worst, &s->error_worst, sizeof(double));
	const struct jr_change overlap = {.overlap = r->order.scheduled};
	assert_true(period_of(r, &overlap) == period_of(s, &overlap));
	const struct jr_path *path = jr_replay_path(r, 0, a->ctx.arena);
	const struct jr_path *other = jr_replay_path(s, 0, b->ctx.arena);
	assert_memory_equal(path->cause_ns, other->cause_ns, sizeof(path->cause_ns));
	for (size_t i = 0; i < r->profile->n_ops; i++) {
		const char *name = jr_str(r->profile, r->profile->ops[i].name);
		assert_true(half_of(a, name) == half_of(b, name));
		size_t k = (size_t)(job_op(&b->job, name) - b->job.profile.ops);
		assert_true(path->ops[i].path_ns == other->ops[k].path_ns);
	}
}

static UNIT(test_order_of_rows)
{
	for (uint32_t seed = 1; seed <= N_JOBS / 2; seed++) {
		struct plan plan = plan_random(seed);
		struct replay_case a, b;
		plan_run(&a, &plan, false, NO_STEP);
		plan_run(&b, &plan, true, NO_STEP);
		check_same(&a, &b);
		replay_done(&a);
		replay_done(&b);
	}
}

/* --- the path --------------------------------------------------------------------------------- */

/* On the path a collective counts with its transfer, and not with the waiting of devices that
 * arrive early. */
static int64_t all_transfers_ns(const struct jr_replay *r)
{
	int64_t sum_ns = 0;
	for (size_t k = 0; k < r->n_periods; k++)
		for (size_t i = 0; i < r->order.n; i++) {
			int64_t least_ns = INT64_MAX, late_ns = 0;
			if (r->rendezvous[i] == JR_NONE)
				continue;
			for (size_t d = 0; d < r->n_devices; d++) {
				int64_t ns = jr_thunk_dur_ns(r->profile, r->rows[jr_replay_cell(r, k, i, d)]);
				size_t late = (k * r->n_rendezvous + r->rendezvous[i]) * r->n_devices + d;
				least_ns = ns < least_ns ? ns : least_ns;
				late_ns = r->late_ns[late] > late_ns ? r->late_ns[late] : late_ns;
			}
			sum_ns += least_ns + late_ns;
		}
	return sum_ns;
}

static void check_path(const struct replay_case *c)
{
	const struct jr_replay *r = c->replay;
	const struct jr_path *path = jr_replay_path(r, 0, c->ctx.arena);
	int64_t sum_ns = 0;
	for (size_t k = 0; k < JR_N_PATH_CAUSES; k++)
		sum_ns += path->cause_ns[k];
	assert_true(sum_ns == llround(r->period_ns * (double)r->n_periods));
	assert_true(path->cause_ns[JR_PATH_TRANSFER] <= all_transfers_ns(r));
	if (r->n_devices == 1)
		assert_true(path->cause_ns[JR_PATH_SKEW] == 0);
	for (size_t op = 0; op < r->profile->n_ops; op++) {
		assert_true(path->ops[op].n_slack == 0 || path->ops[op].slack_ns >= 0);
		if (r->n_periods == 1 && path->ops[op].path_ns)
			assert_true(path->ops[op].slack_ns == 0);
	}
	for (size_t i = 0; i < r->order.n; i++)
		for (size_t d = 0; d < r->n_devices; d++)
			if (path->on_path[i * r->n_devices + d])
				assert_true(path->ops[r->order.items[i].op].path_ns > 0);
}

static UNIT(test_path)
{
	for (uint32_t seed = 1; seed <= 2 * N_JOBS; seed++) {
		struct plan plan = plan_random(seed);
		struct replay_case c;
		plan.even = seed % 3 == 0;
		plan_run(&c, &plan, false, NO_STEP);
		check_path(&c);
		replay_done(&c);
	}
}

/* Replay one period, so that it shares no slack with the next, and check the slack. */
static void check_slack(struct replay_case *c)
{
	struct jr_replay one = *c->replay;
	struct jr_thunks *t = &c->job.profile.thunks;
	one.n_periods = 1;
	one.period_ns = jr_replay_measured_period(&one);
	const struct jr_path *path = jr_replay_path(&one, 0, c->ctx.arena);
	for (size_t i = 0; i < one.order.n; i++)
		for (size_t d = 0; one.order.items[i].op != JR_NONE && d < one.n_devices; d++) {
			uint32_t row = one.rows[jr_replay_cell(&one, 0, i, d)];
			if (row == JR_NONE)
				continue;
			int64_t slack_ns = (int64_t)path->ops[one.order.items[i].op].slack_ns;
			t->dur[row] += (uint32_t)slack_ns;
			assert_true(jr_replay_measured_period(&one) == one.period_ns);
			t->dur[row] += 5;
			assert_true(jr_replay_measured_period(&one) <= one.period_ns + 5);
			t->dur[row] -= (uint32_t)slack_ns + 5;
		}
}

static UNIT(test_slack)
{
	for (uint32_t seed = 1; seed <= N_JOBS; seed++) {
		struct plan plan = plan_random(seed);
		struct replay_case c;
		plan_run(&c, &plan, false, NO_STEP);
		check_slack(&c);
		replay_done(&c);
	}
}

/* A transfer that is overlapped except for 97 ns (300 less 200 and a gap of 3). */
static UNIT(test_known_slack)
{
	const struct plan plan = {.n = 5,
		.n_devices = 1,
		.n_steps = 4,
		.even = true,
		.with_hlo = true,
		.sorts = {COMPUTE, START, COMPUTE, DONE, COMPUTE},
		.dur_ns = {100, 300, 200, 0, 50}};
	struct replay_case c;
	plan_run(&c, &plan, false, NO_STEP);
	const struct jr_path *path = jr_replay_path(c.replay, 0, &c.arena);
	size_t hidden = (size_t)(job_op(&c.job, "add.2") - c.job.profile.ops);
	size_t start = (size_t)(job_op(&c.job, "all-reduce-start.1") - c.job.profile.ops);
	assert_true(path->ops[hidden].slack_ns == 100);
	assert_true(path->ops[start].slack_ns == 0);
	assert_true(path->ops[start].path_ns == 300 * (int64_t)c.replay->n_periods);
	assert_true(path->cause_ns[JR_PATH_HOST] == 100 * (int64_t)c.replay->n_periods);
	replay_done(&c);
}
