/*
 * replay_case.h - hand-made jobs whose steps are replayed.
 * Test code; static functions only.
 */
#ifndef JR_TESTS_REPLAY_CASE_H
#define JR_TESTS_REPLAY_CASE_H

#include "pass_case.h"

#include "analysis/schedule/replay_parts.h"
#include "analysis/shared/steady.h"
#include "analysis/shared/step_window.h"

#define MOST_DEVICES 4
#define MOST_OPS 12

enum sort { COMPUTE, COLLECTIVE, START, DONE };

/* The launches of a step. */
struct plan {
	size_t n, n_devices, n_steps;
	enum sort sorts[MOST_OPS];
	int64_t dur_ns[MOST_OPS];
	bool even;     /* all steps are equal */
	bool with_hlo; /* the HLO states a schedule */
	bool fetch;    /* starts copy something from the host, which needs no other device */
	int64_t more_ns[MOST_DEVICES];   /* compute takes this much longer on that device */
	int64_t absent_ns;               /* collectives wait this long for unrecorded devices */
	uint32_t group_of[MOST_DEVICES]; /* the group in which each device meets others */
	uint32_t n_groups, per_group;    /* as stated in the HLO; 0: not stated */
	/* changes the HLO; NULL: unchanged */
	void (*spoil)(Xla__HloProto *, struct jr_arena *);
	const char *ghost;  /* this thunk, at the end of each step, is in no HLO */
	bool ghosts_differ; /* another one in each step */
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
		.windows = jr_step_windows_compute(&c->job.profile, steady, NULL, &c->arena),
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

static inline const char *plan_opcode(const struct plan *plan, size_t i)
{
	switch (plan->sorts[i]) {
	case COMPUTE:
		return "add";
	case COLLECTIVE:
		return "all-reduce";
	case START:
		return plan->fetch ? "async-start" : "all-reduce-start";
	case DONE:
		return plan->fetch ? "async-done" : "all-reduce-done";
	}
	return NULL;
}

static inline const char *plan_name(const struct plan *plan, size_t i, struct jr_arena *a)
{
	return jr_arena_printf(a, "%s.%zu", plan_opcode(plan, i), i);
}

/* Pack the ids of instructions into the schedule of a computation. */
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

/* Device d of n_groups times per_group devices is in group d / per_group. */
static inline void plan_add_groups(
	const struct plan *plan, Xla__HloInstructionProto *in, struct jr_arena *a)
{
	for (uint32_t g = 0; g < plan->n_groups; g++) {
		Xla__ReplicaGroup *group = build_new(a, &xla__replica_group__descriptor);
		for (uint32_t k = 0; k < plan->per_group; k++)
			ADD(a, group, replica_ids, g * plan->per_group + k);
		ADD(a, in, replica_groups, group);
	}
}

/* Add the computation that a start runs, which copies something from the host. */
static inline int64_t plan_add_fetch(Xla__HloProto *proto, size_t i, struct jr_arena *a)
{
	int64_t id = 100 + (int64_t)i;
	Xla__HloComputationProto *c =
		build_computation(a, proto, jr_arena_printf(a, "fetch.%zu", i), id);
	build_fetch(a, c, "slice");
	c->root_id = 2;
	return id;
}

/* Each instruction needs the result of the one before; a done needs its start, and the
 * instruction after the done needs it too. */
static inline Xla__HloProto *plan_hlo(const struct plan *plan, struct jr_arena *a)
{
	Xla__HloProto *proto = build_module(a, "jit_f");
	Xla__HloComputationProto *entry = build_computation(a, proto, "main", 1);
	int64_t ids[MOST_OPS], last = 0, start = 0, done = 0;
	proto->hlo_module->entry_computation_id = 1;
	for (size_t i = 0; i < plan->n; i++) {
		ids[i] = 10 + (int64_t)i;
		Xla__HloInstructionProto *in =
			build_instruction(a, entry, plan_name(plan, i, a), plan_opcode(plan, i), ids[i]);
		if (plan->sorts[i] == START && plan->fetch) {
			int64_t called = plan_add_fetch(proto, i, a);
			ADD(a, in, called_computation_ids, called);
		} else if (plan->sorts[i] == START || plan->sorts[i] == COLLECTIVE) {
			plan_add_groups(plan, in, a);
		}
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
	if (plan->spoil)
		plan->spoil(proto, a);
	return proto;
}

/* Compute when each device ends an operation that begins at start_ns. */
static inline void plan_ends(const struct plan *plan, size_t i, int64_t dur_ns, uint32_t *seed,
	const int64_t *start_ns, int64_t *end_ns)
{
	bool meets = !(plan->sorts[i] == COMPUTE || plan->fetch);
	for (size_t d = 0; d < plan->n_devices; d++) {
		int64_t own_ns = dur_ns + (plan->even ? 0 : (int64_t)next_random(seed, 40));
		if (plan->sorts[i] == COMPUTE)
			own_ns += plan->more_ns[d];
		end_ns[d] = start_ns[d] + own_ns;
	}
	for (size_t d = 0; meets && d < plan->n_devices; d++) {
		end_ns[d] = INT64_MIN;
		for (size_t k = 0; k < plan->n_devices; k++) {
			int64_t then_ns = start_ns[k] + dur_ns + plan->absent_ns;
			if (plan->group_of[k] == plan->group_of[d] && then_ns > end_ns[d])
				end_ns[d] = then_ns;
		}
	}
}

/* Add one step from at_ns on; then set at_ns to where each device is. */
static inline void plan_step(const struct plan *plan, struct job_rows *rows, uint32_t *seed,
	int64_t *at_ns, bool one_device_only, size_t step)
{
	int64_t modules[MOST_DEVICES], aside_ns[MOST_DEVICES], begin_ns[MOST_DEVICES] = {0};
	for (size_t d = 0; d < plan->n_devices; d++) {
		begin_ns[d] = at_ns[d];
		aside_ns[d] = 0;
		modules[d] = rows_add(rows, 0, at_ns[d], at_ns[d], 100 + (int64_t)d, MODULE("7", "jit_f"));
	}
	for (size_t i = 0; i < plan->n; i++) {
		int64_t start_ns[MOST_DEVICES] = {0}, end_ns[MOST_DEVICES], dur_ns = plan->dur_ns[i];
		bool aside = plan->sorts[i] == COLLECTIVE || plan->sorts[i] == START;
		if (!plan->even)
			dur_ns += next_random(seed, 50);
		for (size_t d = 0; d < plan->n_devices; d++) {
			start_ns[d] = at_ns[d] + 3 + (plan->even ? 0 : (int64_t)next_random(seed, 9));
			if (aside && start_ns[d] < aside_ns[d])
				start_ns[d] = aside_ns[d];
		}
		plan_ends(plan, i, dur_ns, seed, start_ns, end_ns);
		for (size_t d = 0; d < plan->n_devices; d++) {
			if (plan->sorts[i] == DONE) {
				at_ns[d] = at_ns[d] > aside_ns[d] ? at_ns[d] : aside_ns[d];
				continue;
			}
			if (one_device_only && d && i == 0)
				continue;
			rows_add(rows, modules[d], start_ns[d], end_ns[d], 100 + (int64_t)d,
				"Thunk:#hlo_op=%s#", plan_name(plan, i, rows->arena));
			if (aside)
				aside_ns[d] = end_ns[d];
			if (plan->sorts[i] != START)
				at_ns[d] = end_ns[d];
		}
	}
	for (size_t d = 0; d < plan->n_devices; d++) {
		int64_t end_ns = at_ns[d] > aside_ns[d] ? at_ns[d] : aside_ns[d];
		if (plan->ghost) {
			rows_add(rows, modules[d], end_ns + 3, end_ns + 13, 100 + (int64_t)d,
				"Thunk:#hlo_op=%s.%zu#", plan->ghost, plan->ghosts_differ ? step : 0);
			end_ns += 13;
		}
		rows->items[modules[d] - 1].end = end_ns + 7;
		at_ns[d] = end_ns + 7 + 100 + (plan->even ? 0 : (int64_t)next_random(seed, 30));
		assert_true(rows->items[modules[d] - 1].start == begin_ns[d]);
	}
}

/* Add rows of all steps; `upside_down`: not in the order in which they ran. */
static inline void plan_run(
	struct replay_case *c, const struct plan *plan, bool upside_down, size_t lacking_step)
{
	struct jr_arena a;
	jr_arena_init(&a, 0);
	struct job_rows rows = {.arena = &a};
	int64_t at_ns[MOST_DEVICES] = {1000, 1000, 1000, 1000};
	uint32_t seed = plan->seed;
	for (size_t k = 0; k < plan->n_steps; k++)
		plan_step(plan, &rows, &seed, at_ns, k == lacking_step, k);
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

/* Check that with its own gaps each step ends on each device at its measured time. */
static inline void check_exact(const struct replay_case *c)
{
	const struct jr_replay *r = c->replay;
	struct jr_arena a;
	jr_arena_init(&a, 0);
	struct jr_replay_run *run = jr_replay_run_new(r, NULL, false, &a);
	int64_t at_ns[MOST_DEVICES];
	for (size_t k = 0; k < r->n_steps; k++) {
		jr_replay_begins(r, k, at_ns);
		jr_replay_step(run, k, at_ns, &r->gap_ns[jr_replay_cell(r, k, 0, 0)],
			&r->late_ns[k * r->n_rendezvous * r->n_devices]);
		for (size_t i = 0; i < r->n_segments * r->n_devices; i++) {
			const struct jr_replay_part *part = &r->parts[k * r->n_segments * r->n_devices + i];
			if (part->module != JR_NONE)
				assert_true(run->part_end_ns[i] == part->end_ns);
		}
	}
	jr_arena_done(&a);
}

/* Make a small plan with all sorts of launches; the same for the same seed. */
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
