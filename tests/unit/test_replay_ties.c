/* Connections between devices, how far one gets ahead of another, and jobs that are replayed
 * without a schedule, in part or not at all. */
#include "replay_case.h"

#include "analysis/schedule/what_if_terms.h"

/* Return the period with a change, ns. */
static double period_of(const struct jr_replay *r, const struct jr_change *change)
{
	return jr_replay_predict(r, change).period_ns;
}

#define NO_STEP SIZE_MAX

static void start(struct replay_case *c, const struct plan *plan)
{
	plan_run(c, plan, false, NO_STEP);
	assert_non_null(c->replay);
	check_exact(c);
}

/* Return the period with the change in `text`, ns. */
static double asked(const struct replay_case *c, const char *text)
{
	struct jr_what_if what;
	struct jr_error err = {.message = ""};
	struct jr_change change = {0};
	if (jr_what_if_parse(text, &what, &err) != JR_OK)
		fail_msg("%s", err.message);
	const char *why = jr_what_if_apply(&c->ctx, &what, &change, c->ctx.arena);
	if (why)
		fail_msg("%s: %s", text, why);
	return period_of(c->replay, &change);
}

/* Check that the section says so, or why it is empty. */
static void check_told(const struct replay_case *c, const char *section, const char *expected)
{
	struct jr_arena a;
	struct jr_results results = {0};
	bool told = false;
	jr_arena_init(&a, 0);
	jr_passes_run(&c->job.profile, &a, &results);
	for (size_t i = 0; i < results.n_sections; i++) {
		const struct jr_section *s = &results.sections[i];
		if (strcmp(s->pass->name, section) != 0)
			continue;
		told |= s->unavailable && strstr(s->unavailable, expected);
		for (size_t k = 0; k < s->n; k++)
			told |= s->items[k].kind == JR_RESULT_TEXT && strstr(s->items[k].as.text, expected);
	}
	if (!told)
		fail_msg("%s does not say: %s", section, expected);
	jr_arena_done(&a);
}

/* --- devices ---------------------------------------------------------------------------------- */

/* A step of device 0 takes 396 ns. Device 1 takes 100 more in each of two kernels. So device 0
 * is ahead by the 100 of the second kernel, and waits for the 100 of the first. */
static const struct plan two = {.n = 3,
	.n_devices = 2,
	.n_steps = 6,
	.even = true,
	.sorts = {COMPUTE, COLLECTIVE, COMPUTE},
	.dur_ns = {100, 30, 50},
	.more_ns = {0, 100}};

/* A lead that a change removes must not count in the result: from the measured begins on, device
 * 0 would take 100 ns more in its first step. */
static UNIT(test_leads_settle)
{
	struct replay_case c;
	start(&c, &two);
	assert_true(c.replay->period_ns == 496);
	assert_true(c.replay->parts[1].begin_ns - c.replay->parts[0].begin_ns == 100);
	assert_true(asked(&c, "device:1=median") == 296);
	assert_true(asked(&c, "thunk:add.0=1x") == 496);
	/* 100 and 200 after one begin, or 50 and 150 after one end */
	assert_true(asked(&c, "thunk:add.0=0x") == 296);
	assert_true(asked(&c, "thunk:add.2=0x") == 346);
	assert_true(asked(&c, "collective:all-reduce=0.1x") == 766);
	replay_done(&c);
}

/* A larger lead than the profiled steps allow: 4000 ns at 100 per step. */
static UNIT(test_lead_without_end)
{
	struct plan plan = two;
	plan.sorts[2] = START;
	plan.n = 5;
	plan.sorts[3] = COMPUTE;
	plan.sorts[4] = DONE;
	plan.dur_ns[2] = 4000;
	plan.dur_ns[3] = 20;
	struct replay_case c;
	start(&c, &plan);
	for (size_t op = 0; op < c.job.profile.n_ops; op++) {
		struct jr_op_change *ops = jr_op_changes_new(&c.job.profile, &c.arena);
		const struct jr_change change = {.ops = ops};
		ops[op].scale = 2;
		assert_true(period_of(c.replay, &change) >= c.replay->period_ns);
		ops[op].scale = 1;
		assert_true(period_of(c.replay, &change) == c.replay->period_ns);
		ops[op].scale = 0;
		assert_true(period_of(c.replay, &change) <= c.replay->period_ns);
	}
	replay_done(&c);
}

/* Devices 0 and 1 meet, and 2 and 3: the pairs take 496 and 336 ns. */
static UNIT(test_groups)
{
	struct plan plan = two;
	plan.n_devices = 4;
	plan.with_hlo = true;
	plan.more_ns[2] = 20;
	plan.group_of[2] = plan.group_of[3] = 1;
	plan.n_groups = plan.per_group = 2;
	struct replay_case c;
	start(&c, &plan);
	const struct jr_replay *r = c.replay;
	const uint32_t *group = r->groups[r->order.items[1].op];
	assert_true(r->order.scheduled && r->believed && !r->unseen);
	assert_non_null(group);
	assert_true(group[0] == group[1] && group[2] == group[3] && group[0] != group[2]);
	assert_true(r->period_ns == (496 + 336) / 2);
	assert_true(asked(&c, "collective:all-reduce=0.5x") == r->period_ns + 30);
	/* the median of 100, 120, 100; pairs without a change keep their time */
	assert_true(asked(&c, "device:1=median") == (296 + 336) / 2);
	assert_true(asked(&c, "device:2=median") == (496 + 296) / 2);
	replay_done(&c);
}

/* Two of eight devices were recorded: 30 ns of transfer and 200 of waiting are one. */
static UNIT(test_ranks_not_recorded)
{
	struct plan plan = two;
	plan.with_hlo = true;
	plan.n_groups = 1;
	plan.per_group = 8;
	plan.absent_ns = 200;
	struct replay_case c;
	start(&c, &plan);
	assert_true(c.replay->unseen && c.replay->believed);
	assert_true(c.replay->period_ns == 696);
	const struct jr_path *path = jr_replay_path(c.replay, 0, &c.arena);
	assert_true(path->cause_ns[JR_PATH_TRANSFER] == 230 * (int64_t)c.replay->n_periods);
	assert_true(asked(&c, "collective:all-reduce=2x") == 696 - 115);
	check_told(&c, "what_if", "Waiting for devices that were not recorded counts as transfer.");
	replay_done(&c);
	plan.per_group = 2;
	start(&c, &plan);
	assert_false(c.replay->unseen);
	replay_done(&c);
}

/* Copies from the host overlap compute on their own lane, and no device waits for another
 * device's copies. */
static UNIT(test_host_copies)
{
	const struct plan plan = {.n = 5,
		.n_devices = 2,
		.n_steps = 5,
		.even = true,
		.with_hlo = true,
		.fetch = true,
		.more_ns = {0, 500},
		.sorts = {COMPUTE, START, COMPUTE, DONE, COMPUTE},
		.dur_ns = {100, 300, 200, 0, 50}};
	struct replay_case c;
	start(&c, &plan);
	const struct jr_replay *r = c.replay;
	assert_true(r->order.scheduled && r->believed && r->n_rendezvous == 0);
	assert_int_equal(r->order.items[1].lane, JR_LANE_COPY);
	assert_true(r->order.items[3].op == JR_NONE && r->order.items[3].first == 1);
	assert_true(r->period_ns == (566 + 1966) / 2.0);
	assert_true(asked(&c, "thunk:async-start.1=0x") == (466 + 1966) / 2.0);
	assert_true(asked(&c, "thunk:async-start.1=3x") == (1166 + 2166) / 2.0);
	replay_done(&c);
	struct plan one = plan;
	one.n_devices = 1;
	start(&c, &one);
	const struct jr_path *path = jr_replay_path(c.replay, 0, &c.arena);
	assert_true(path->cause_ns[JR_PATH_COPY] == 300 * (int64_t)c.replay->n_periods);
	assert_true(path->cause_ns[JR_PATH_TRANSFER] == 0);
	replay_done(&c);
}

/* --- programs --------------------------------------------------------------------------------- */

static const struct plan aside = {.n = 5,
	.n_devices = 2,
	.n_steps = 5,
	.even = true,
	.with_hlo = true,
	.sorts = {COMPUTE, START, COMPUTE, DONE, COMPUTE},
	.dur_ns = {100, 300, 200, 0, 50}};

/* One thunk that the HLO does not contain: the begins give the order, and it is unknown what
 * could begin earlier. */
static UNIT(test_thunk_without_hlo)
{
	struct plan plan = aside;
	plan.ghost = "ghost";
	struct replay_case c;
	start(&c, &plan);
	assert_false(c.replay->order.scheduled);
	assert_string_equal(
		c.replay->order.why_not, "its HLO does not contain each thunk that ran exactly once");
	assert_true(c.replay->believed && c.replay->period_ns == 566 + 13);
	assert_true(asked(&c, "thunk:ghost.0=2x") == 566 + 23);
	assert_true(asked(&c, "collective:all-reduce=2x") == 466 + 13);
	struct jr_what_if what;
	struct jr_change change = {0};
	struct jr_error err;
	assert_int_equal(jr_what_if_parse("overlap=perfect", &what, &err), JR_OK);
	assert_non_null(jr_what_if_apply(&c.ctx, &what, &change, c.ctx.arena));
	assert_false(change.overlap);
	replay_done(&c);
}

static Xla__HloInstructionProto *instruction(Xla__HloProto *proto, size_t i)
{
	return proto->hlo_module->computations[0]->instructions[i];
}

/* Make the first instruction use the result of the last, and the start its own done. */
static void take_in_circles(Xla__HloProto *proto, struct jr_arena *a)
{
	ADD(a, instruction(proto, 0), operand_ids, 14);
	ADD(a, instruction(proto, 1), operand_ids, 13);
	ADD(a, instruction(proto, 2), operand_ids, 12);
}

/* Make an instruction call the computation it is in. */
static void call_itself(Xla__HloProto *proto, struct jr_arena *a)
{
	ADD(a, instruction(proto, 2), called_computation_ids, 1);
}

/* Make two computations call each other. */
static void call_in_circles(Xla__HloProto *proto, struct jr_arena *a)
{
	Xla__HloComputationProto *inner = build_computation(a, proto, "inner", 2);
	Xla__HloInstructionProto *call = build_instruction(a, inner, "call.20", "call", 20);
	ADD(a, call, called_computation_ids, 1);
	ADD(a, instruction(proto, 0), called_computation_ids, 2);
}

static UNIT(test_cycles)
{
	static void (*const spoils[])(Xla__HloProto *, struct jr_arena *) = {
		take_in_circles, call_itself, call_in_circles};
	for (size_t i = 0; i < JR_COUNT_OF(spoils); i++) {
		struct plan plan = aside;
		plan.spoil = spoils[i];
		struct replay_case c;
		start(&c, &plan);
		const struct jr_replay *r = c.replay;
		assert_true(r->believed && r->period_ns == 566);
		assert_int_equal(r->order.scheduled, i < 2);
		/* its operand is launched after it: no reason to wait */
		for (size_t k = 0; k < r->order.n; k++)
			for (size_t lane = 0; lane < JR_N_LANES; lane++)
				assert_true(r->order.items[k].needs[lane] <= k);
		if (r->order.scheduled)
			assert_true(asked(&c, "overlap=perfect") == 566);
		assert_true(asked(&c, "gaps=0") == 557);
		replay_done(&c);
	}
}

/* --- limits ----------------------------------------------------------------------------------- */

static UNIT(test_many_steps)
{
	struct plan plan = aside;
	plan.n_steps = 200;
	struct replay_case c;
	start(&c, &plan);
	const struct jr_replay *r = c.replay;
	const uint32_t *execution = c.job.profile.modules.program_execution;
	assert_int_equal(r->n_steps, JR_REPLAY_STEPS);
	assert_int_equal(r->n_periods, JR_REPLAY_STEPS - 1);
	assert_true(r->n_all > 190 && r->n_all <= 200);
	assert_int_equal(execution[r->parts[0].module], 200 - r->n_all);
	for (size_t k = 1; k < r->n_steps; k++) {
		uint32_t apart = execution[r->parts[k * r->n_devices].module] -
						 execution[r->parts[(k - 1) * r->n_devices].module];
		assert_true(apart == 3 || apart == 4);
	}
	assert_int_equal(execution[r->parts[(r->n_steps - 1) * r->n_devices].module], 199);
	assert_true(r->believed && r->period_ns == 566);
	assert_true(asked(&c, "thunk:add.0=0.5x") == 516);
	check_told(&c, "critical_path",
		jr_arena_printf(&c.arena, "64 of %zu steps, evenly spread, in the order", r->n_all));
	replay_done(&c);
	plan.n_steps = 66;
	start(&c, &plan);
	assert_true(c.replay->n_all <= JR_REPLAY_STEPS + 2);
	assert_int_equal(
		c.replay->n_steps, c.replay->n_all < JR_REPLAY_STEPS ? c.replay->n_all : JR_REPLAY_STEPS);
	replay_done(&c);
}

/* Each step runs another thunk: a table of all thunks by all steps would be mostly empty. */
static UNIT(test_nothing_shared)
{
	struct plan plan = {.n = 1,
		.n_devices = 1,
		.n_steps = 6,
		.even = true,
		.dur_ns = {100},
		.ghost = "ghost",
		.ghosts_differ = true};
	struct replay_case c;
	plan_run(&c, &plan, false, NO_STEP);
	assert_non_null(c.replay);
	check_exact(&c);
	replay_done(&c);
	plan.n_steps = 40;
	plan_run(&c, &plan, false, NO_STEP);
	assert_null(c.replay);
	static const char why[] = "there is no steady step whose thunks can be compared across devices";
	check_told(&c, "critical_path", why);
	check_told(&c, "what_if", why);
	replay_done(&c);
}

/* Times beyond half a year are not computed with. */
static UNIT(test_far_away)
{
	for (int64_t days = 1; days <= 250; days += 249) {
		struct plan plan = {.n = 1, .n_devices = 1, .n_steps = 4, .even = true};
		struct replay_case c;
		plan.dur_ns[0] = days * 24 * 3600 * INT64_C(1000000000);
		plan_run(&c, &plan, false, NO_STEP);
		assert_int_equal(c.replay != NULL, days == 1);
		replay_done(&c);
	}
}
