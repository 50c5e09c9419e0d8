/*
 * replay_case.h - made-up jobs whose steps are replayed.
 * Test code; static functions only.
 */
#ifndef JR_TESTS_REPLAY_CASE_H
#define JR_TESTS_REPLAY_CASE_H

#include "pass_case.h"

#include "analysis/replay.h"
#include "analysis/steady.h"
#include "analysis/step_window.h"

#define MOST_DEVICES 4
#define MOST_OPS 12

enum sort { COMPUTE, COLLECTIVE, START, DONE };

/* What a step launches. */
struct plan {
	size_t n, n_devices, n_steps;
	enum sort sorts[MOST_OPS];
	int64_t dur_ns[MOST_OPS];
	bool even;     /* each step as the others */
	bool with_hlo; /* which states a schedule */
	uint32_t seed;
};

struct replay_case {
	struct job job;
	struct jr_arena arena;
	struct jr_pass_context ctx;
	const struct jr_replay *replay;
};

static inline void replay_start(struct replay_case *c)
{
	jr_arena_init(&c->arena, 0);
	struct jr_steady *steady = jr_steady_compute(&c->job.profile, &c->arena);
	c->ctx = (struct jr_pass_context){.profile = &c->job.profile,
		.steady = steady,
		.windows = jr_step_windows_compute(&c->job.profile, steady, &c->arena),
		.arena = &c->arena,
		.scratch = &c->arena};
	c->replay = jr_replay_new(&c->ctx, &c->arena);
	c->ctx.replay = c->replay;
}

static inline void replay_done(struct replay_case *c)
{
	jr_arena_done(&c->arena);
	job_done(&c->job);
}

static inline const char *plan_name(const struct plan *plan, size_t i, struct jr_arena *a)
{
	static const char *const names[] = {[COMPUTE] = "add",
		[COLLECTIVE] = "all-reduce",
		[START] = "all-reduce-start",
		[DONE] = "all-reduce-done"};
	return jr_arena_printf(a, "%s.%zu", names[plan->sorts[i]], i);
}

/* The ids of instructions, packed into the schedule of a computation. */
static inline void schedule_add(
	struct jr_arena *a, Xla__HloProto *proto, int64_t computation, const int64_t *ids, size_t n)
{
	Xla__HloModuleProto *m = proto->hlo_module;
	Xla__HloScheduleProto__SequencesEntry *entry =
		build_new(a, &xla__hlo_schedule_proto__sequences_entry__descriptor);
	if (!m->schedule)
		m->schedule = build_new(a, &xla__hlo_schedule_proto__descriptor);
	entry->key = computation;
	entry->value = build_new(a, &xla__hlo_schedule_proto__instruction_sequence__descriptor);
	for (size_t i = 0; i < n; i++)
		ADD(a, entry->value, instruction_ids, ids[i]);
	ADD(a, m->schedule, sequences, entry);
}

/* Each takes what the one ahead left; a done its start, and what follows the done, too. */
static inline Xla__HloProto *plan_hlo(const struct plan *plan, struct jr_arena *a)
{
	static const char *const opcodes[] = {[COMPUTE] = "add",
		[COLLECTIVE] = "all-reduce",
		[START] = "all-reduce-start",
		[DONE] = "all-reduce-done"};
	Xla__HloProto *proto = build_module(a, "jit_f");
	Xla__HloComputationProto *entry = build_computation(a, proto, "main", 1);
	int64_t ids[MOST_OPS], last = 0, start = 0, done = 0;
	proto->hlo_module->entry_computation_id = 1;
	for (size_t i = 0; i < plan->n; i++) {
		ids[i] = 10 + (int64_t)i;
		Xla__HloInstructionProto *in =
			build_instruction(a, entry, plan_name(plan, i, a), opcodes[plan->sorts[i]], ids[i]);
		if (plan->sorts[i] == DONE)
			ADD(a, in, operand_ids, start);
		else if (last)
			ADD(a, in, operand_ids, last);
		if (plan->sorts[i] == COMPUTE && done)
			ADD(a, in, operand_ids, done);
		start = plan->sorts[i] == START ? ids[i] : start;
		done = plan->sorts[i] == DONE ? ids[i] : 0;
		last = plan->sorts[i] == START || plan->sorts[i] == DONE ? last : ids[i];
	}
	schedule_add(a, proto, 1, ids, plan->n);
	return proto;
}

/* One step from `begin_ns` on; where each device is then. */
static inline void plan_step(const struct plan *plan, struct job_rows *rows, uint32_t *seed,
	int64_t *at_ns, bool one_device_only)
{
	int64_t modules[MOST_DEVICES], aside_ns[MOST_DEVICES], begin_ns[MOST_DEVICES] = {0};
	for (size_t d = 0; d < plan->n_devices; d++) {
		begin_ns[d] = at_ns[d];
		aside_ns[d] = 0;
		modules[d] = rows_add(rows, 0, at_ns[d], at_ns[d], 100 + (int64_t)d, MODULE("7", "jit_f"));
	}
	for (size_t i = 0; i < plan->n; i++) {
		int64_t start_ns[MOST_DEVICES], last_ns = 0, dur_ns = plan->dur_ns[i];
		bool meets = plan->sorts[i] == COLLECTIVE || plan->sorts[i] == START;
		if (!plan->even)
			dur_ns += next_random(seed, 50);
		for (size_t d = 0; d < plan->n_devices; d++) {
			start_ns[d] = at_ns[d] + 3 + (plan->even ? 0 : (int64_t)next_random(seed, 9));
			if (meets && start_ns[d] < aside_ns[d])
				start_ns[d] = aside_ns[d];
			last_ns = start_ns[d] > last_ns ? start_ns[d] : last_ns;
		}
		for (size_t d = 0; d < plan->n_devices; d++) {
			int64_t own_ns = dur_ns + (plan->even ? 0 : (int64_t)next_random(seed, 40));
			int64_t end_ns = meets ? last_ns + dur_ns : start_ns[d] + own_ns;
			if (plan->sorts[i] == DONE) {
				at_ns[d] = at_ns[d] > aside_ns[d] ? at_ns[d] : aside_ns[d];
				continue;
			}
			if (one_device_only && d && i == 0)
				continue;
			rows_add(rows, modules[d], start_ns[d], end_ns, 100 + (int64_t)d, "Thunk:#hlo_op=%s#",
				plan_name(plan, i, rows->arena));
			if (meets)
				aside_ns[d] = end_ns;
			if (plan->sorts[i] != START)
				at_ns[d] = end_ns;
		}
	}
	for (size_t d = 0; d < plan->n_devices; d++) {
		int64_t end_ns = at_ns[d] > aside_ns[d] ? at_ns[d] : aside_ns[d];
		rows->items[modules[d] - 1].end = end_ns + 7;
		at_ns[d] = end_ns + 7 + 100 + (plan->even ? 0 : (int64_t)next_random(seed, 30));
		assert_true(rows->items[modules[d] - 1].start == begin_ns[d]);
	}
}

/* Rows of all steps; `upside_down`: in another order than they ran. */
static inline void plan_run(
	struct replay_case *c, const struct plan *plan, bool upside_down, size_t lacking_step)
{
	struct jr_arena a;
	jr_arena_init(&a, 0);
	struct job_rows rows = {.arena = &a};
	int64_t at_ns[MOST_DEVICES] = {1000, 1000, 1000, 1000};
	uint32_t seed = plan->seed;
	for (size_t k = 0; k < plan->n_steps; k++)
		plan_step(plan, &rows, &seed, at_ns, k == lacking_step);
	for (size_t i = 0, j = rows.n - 1; upside_down && i < j; i++, j--) {
		struct job_row row = rows.items[i];
		rows.items[i] = rows.items[j];
		rows.items[j] = row;
	}
	struct job_process process = rows_process(&rows, plan->n_devices);
	const struct job_hlo hlo[] = {{7, plan->with_hlo ? plan_hlo(plan, &a) : NULL}};
	process.hlo = hlo;
	process.n_hlo = plan->with_hlo ? 1 : 0;
	job_init(&c->job, NULL);
	job_add(&c->job, &process);
	job_finish(&c->job);
	jr_vec_done(&rows);
	jr_arena_done(&a);
	replay_start(c);
}

/* Small, of all sorts; the same for the same seed. */
static inline struct plan plan_random(uint32_t seed)
{
	struct plan plan = {.seed = seed};
	bool under_way = false;
	plan.n = 4 + next_random(&seed, MOST_OPS - 4);
	plan.n_devices = 1 + next_random(&seed, MOST_DEVICES);
	plan.n_steps = 4 + next_random(&seed, 3);
	plan.with_hlo = next_random(&seed, 2);
	for (size_t i = 0; i < plan.n; i++) {
		uint32_t dice = next_random(&seed, 6);
		bool last = i + 1 == plan.n;
		plan.dur_ns[i] = 20 + next_random(&seed, 500);
		plan.sorts[i] = under_way && (last || dice < 3)   ? DONE
						: !under_way && !last && dice < 2 ? START
						: !under_way && dice == 2         ? COLLECTIVE
														  : COMPUTE;
		under_way = plan.sorts[i] == START || (under_way && plan.sorts[i] != DONE);
	}
	return plan;
}

#endif
