/* The ops of a plan: which instructions XLA launches, and how often. */
#include "hlo_build.h"
#include "model/build/build.h"

struct plan {
	struct jr_profile profile;
	struct jr_build build;
	struct jr_hlo hlo;
};

static void make(struct plan *plan, const Xla__HloProto *proto)
{
	struct jr_options options = jr_options_default();
	*plan = (struct plan){.hlo = build_decode(proto)};
	jr_profile_init(&plan->profile, &options);
	plan->build.profile = &plan->profile;
	*jr_vec_add(&plan->build.programs) = (struct jr_program){.hlo = &plan->hlo};
	jr_plan_ops_add(&plan->build);
}

static void done(struct plan *plan)
{
	jr_build_done(&plan->build);
	jr_profile_done(&plan->profile);
	jr_hlo_done(&plan->hlo);
}

/* How often an instruction is launched; 0: never. */
static uint64_t launches(const struct plan *plan, const char *name)
{
	for (size_t i = 0; i < plan->build.ops.n; i++)
		if (strcmp(jr_str(&plan->profile, plan->build.ops.items[i].name), name) == 0)
			return plan->build.ops.items[i].planned;
	return 0;
}

static const char *guess(const struct plan *plan, const char *id)
{
	for (size_t i = 0; i < plan->profile.n_guesses; i++)
		if (strcmp(plan->profile.guesses[i].id, id) == 0)
			return plan->profile.guesses[i].detail;
	return NULL;
}

static Xla__HloInstructionProto *add(struct jr_arena *a, Xla__HloComputationProto *in,
	const char *name, const char *opcode, int64_t id, int64_t called)
{
	Xla__HloInstructionProto *i = build_instruction(a, in, name, opcode, id);
	i->shape = build_shape(a, XLA__PRIMITIVE_TYPE__F32, 8, -1);
	if (called)
		ADD(a, i, called_computation_ids, called);
	return i;
}

static void config(struct jr_arena *a, Xla__HloInstructionProto *i, const char *json)
{
	i->backend_config.data = (uint8_t *)TEXT(a, json);
	i->backend_config.len = strlen(json);
}

/* A loop, called `name`, of the computations body and condition with ids `first` and first + 1. */
static void add_loop(struct jr_arena *a, Xla__HloProto *proto, Xla__HloComputationProto *in,
	const char *name, int64_t first, const char *json)
{
	Xla__HloComputationProto *body = build_computation(a, proto, "body", first);
	Xla__HloComputationProto *condition = build_computation(a, proto, "condition", first + 1);
	add(a, body, TEXT(a, jr_arena_printf(a, "%s.body", name)), "add", 10 * first, 0);
	body->root_id = 10 * first;
	Xla__HloInstructionProto *test =
		add(a, condition, TEXT(a, jr_arena_printf(a, "%s.condition", name)), "compare",
			10 * first + 1, 0);
	test->shape = build_shape(a, XLA__PRIMITIVE_TYPE__PRED, -1);
	condition->root_id = 10 * first + 1;
	Xla__HloInstructionProto *loop = add(a, in, name, "while", 10 * first + 2, first);
	ADD(a, loop, called_computation_ids, first + 1);
	if (json)
		config(a, loop, json);
}

static Xla__HloComputationProto *entry_of(struct jr_arena *a, Xla__HloProto *proto)
{
	proto->hlo_module->entry_computation_id = 1;
	return build_computation(a, proto, "entry", 1);
}

/* With a known trip count the condition does not run; without one, all of it counts once. */
static UNIT_IN_ARENA(loops)
{
	struct jr_arena *a = *state;
	Xla__HloProto *proto = build_module(a, "jit_f");
	Xla__HloComputationProto *entry = entry_of(a, proto);
	add(a, entry, "p", "parameter", 1, 0);
	add(a, entry, "fusion.1", "fusion", 2, 0);
	add(a, entry, "fetch-start", "copy-start", 3, 0);
	add(a, entry, "fetch-done", "copy-done", 4, 0);
	add_loop(a, proto, entry, "seven", 20, "{\"known_trip_count\":{\"n\":\"7\"}}");
	add_loop(a, proto, entry, "none", 30, "{\"known_trip_count\":{\"n\":\"0\"}}");
	struct plan plan;
	make(&plan, proto);
	assert_int_equal(launches(&plan, "fusion.1"), 1);
	assert_int_equal(launches(&plan, "fetch-start"), 1);
	assert_int_equal(launches(&plan, "fetch-done"), 0);
	assert_int_equal(launches(&plan, "p"), 0);
	assert_int_equal(launches(&plan, "seven"), 0);
	assert_int_equal(launches(&plan, "seven.body"), 7);
	assert_int_equal(launches(&plan, "seven.condition"), 0);
	assert_int_equal(launches(&plan, "none.body"), 0);
	assert_null(guess(&plan, "loops-counted-once"));
	done(&plan);

	add_loop(a, proto, entry, "open", 40, NULL);
	add_loop(a, proto, entry, "odd", 50, "{\"known_trip_count\":{\"n\":\"-3\"}}");
	make(&plan, proto);
	assert_int_equal(launches(&plan, "open.body"), 1);
	assert_int_equal(launches(&plan, "open.condition"), 1);
	assert_int_equal(launches(&plan, "odd.body"), 1);
	assert_non_null(guess(&plan, "loops-counted-once"));
	done(&plan);
}

/* Trip counts of loops in loops multiply. One that makes the product too large is not believed. */
static UNIT_IN_ARENA(nested_loops)
{
	struct jr_arena *a = *state;
	Xla__HloProto *proto = build_module(a, "jit_f");
	Xla__HloComputationProto *entry = entry_of(a, proto);
	static const char many[] = "{\"known_trip_count\":{\"n\":\"4000000000000000000\"}}";
	add_loop(a, proto, entry, "outer", 20, "{\"known_trip_count\":{\"n\":\"3\"}}");
	add_loop(a, proto, proto->hlo_module->computations[1], "inner", 30,
		"{\"known_trip_count\":{\"n\":\"5\"}}");
	add_loop(a, proto, proto->hlo_module->computations[3], "huge", 40, many);
	struct plan plan;
	make(&plan, proto);
	assert_int_equal(launches(&plan, "outer.body"), 3);
	assert_int_equal(launches(&plan, "inner.body"), 15);
	assert_int_equal(launches(&plan, "huge.body"), 15);
	assert_non_null(guess(&plan, "loops-counted-once"));
	done(&plan);
}

/* Calls and asynchronous starts are what they call; a custom fusion of a library call is the call.
 * Branches count once each. */
static UNIT_IN_ARENA(calls)
{
	struct jr_arena *a = *state;
	Xla__HloProto *proto = build_module(a, "jit_f");
	Xla__HloComputationProto *entry = entry_of(a, proto);
	Xla__HloComputationProto *both = build_computation(a, proto, "both", 2);
	Xla__HloComputationProto *sent = build_computation(a, proto, "sent", 3);
	Xla__HloComputationProto *custom = build_computation(a, proto, "custom", 4);
	add(a, both, "add.1", "add", 21, 0);
	add(a, sent, "all-to-all.1", "all-to-all", 31, 0);
	add(a, custom, "slice.1", "slice", 41, 0);
	add(a, custom, "gemm.1", "custom-call", 42, 0);
	add(a, entry, "call.1", "call", 11, 2);
	add(a, entry, "call.2", "call", 12, 2);
	add(a, entry, "start.1", "async-start", 13, 3);
	add(a, entry, "done.1", "async-done", 14, 3);
	config(a, add(a, entry, "address.1", "fusion", 15, 4),
		"{\"fusion_backend_config\":{\"kind\":\"__custom_fusion\"}}");
	add(a, entry, "fusion.1", "fusion", 16, 4);
	add(a, entry, "choice.1", "conditional", 17, 2);
	struct plan plan;
	make(&plan, proto);
	assert_int_equal(launches(&plan, "add.1"), 3);
	assert_int_equal(launches(&plan, "all-to-all.1"), 1);
	assert_int_equal(launches(&plan, "gemm.1"), 1);
	assert_int_equal(launches(&plan, "fusion.1"), 1);
	assert_int_equal(launches(&plan, "slice.1"), 0);
	assert_int_equal(plan.build.ops.n, 4);
	assert_non_null(guess(&plan, "branches-counted-once"));
	done(&plan);
}

/* Computations that call themselves, or each other twice, end. */
static UNIT_IN_ARENA(hostile_calls)
{
	struct jr_arena *a = *state;
	Xla__HloProto *proto = build_module(a, "jit_f");
	Xla__HloComputationProto *entry = entry_of(a, proto);
	add(a, entry, "again", "call", 1, 1);
	add(a, entry, "add.0", "add", 2, 0);
	int64_t id = 10;
	add(a, entry, "down", "call", 3, 2);
	for (int64_t c = 2; c < 60; c++) {
		Xla__HloComputationProto *computation =
			build_computation(a, proto, TEXT(a, jr_arena_printf(a, "c%d", (int)c)), c);
		for (int k = 0; k < 2 && c < 59; k++, id++)
			add(a, computation, TEXT(a, jr_arena_printf(a, "call.%d", (int)id)), "call", id, c + 1);
	}
	struct plan plan;
	make(&plan, proto);
	assert_true(launches(&plan, "add.0") >= 1);
	assert_non_null(guess(&plan, "calls-left-out"));
	done(&plan);
}
