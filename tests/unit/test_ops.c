/* Facts about a thunk from HLO: communication, sizes, factors, origins; analysis/README.md,
 * sections 1.8, 4.6 and 5. */
#include "trace_build.h"

#include <math.h>

/* --- building --------------------------------------------------------------------------------- */

/* A module under construction: an entry computation and operands that many may share. */
struct module {
	struct jr_arena *arena;
	Xla__HloProto *proto;
	Xla__HloComputationProto *entry;
	int64_t next_id;
};

static struct module module_new(struct jr_arena *arena)
{
	struct module m = {.arena = arena, .proto = build_module(arena, "jit_f"), .next_id = 1};
	m.entry = build_computation(arena, m.proto, "main", 1000);
	return m;
}

static Xla__HloInstructionProto *add(struct module *m, Xla__HloComputationProto *in,
	const char *name, const char *opcode, Xla__ShapeProto *shape)
{
	Xla__HloInstructionProto *i = build_instruction(m->arena, in, name, opcode, m->next_id++);
	i->shape = shape;
	return i;
}

static void use(
	struct module *m, Xla__HloInstructionProto *user, const Xla__HloInstructionProto *operand)
{
	ADD(m->arena, user, operand_ids, operand->id);
}

static Xla__ShapeProto *f32(struct module *m, int n)
{
	return build_shape(m->arena, XLA__PRIMITIVE_TYPE__F32, n, -1);
}

/* Add one replica group of n devices (and a smaller one, which does not count). */
static void group_of(struct module *m, Xla__HloInstructionProto *i, int n)
{
	for (int smaller = 1; smaller >= 0; smaller--) {
		Xla__ReplicaGroup *group = build_new(m->arena, &xla__replica_group__descriptor);
		for (int k = 0; k < n - smaller; k++)
			ADD(m->arena, group, replica_ids, k);
		ADD(m->arena, i, replica_groups, group);
	}
}

static Xla__HloComputationProto *wrapped(
	struct module *m, Xla__HloInstructionProto *wrapper, const char *name)
{
	Xla__HloComputationProto *c = build_computation(m->arena, m->proto, name, m->next_id++);
	ADD(m->arena, wrapper, called_computation_ids, c->id);
	return c;
}

/* Add a collective of one f32 operand to a computation. */
static Xla__HloInstructionProto *collective_in(struct module *m, Xla__HloComputationProto *in,
	const char *name, const char *opcode, int n_floats, int group)
{
	Xla__HloInstructionProto *operand = add(m, in, "operand", "parameter", f32(m, n_floats));
	Xla__HloInstructionProto *c = add(m, in, name, opcode, f32(m, 1));
	use(m, c, operand);
	if (group)
		group_of(m, c, group);
	return c;
}

/* --- running ------------------------------------------------------------------------------------
 */

/* Run one thunk of each name on n devices with that HLO (NULL: none). */
static void run_ops(struct job *job, const struct module *m, size_t n_devices,
	const char *const *names, size_t n_names)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	struct job_rows rows = {.arena = &arena};
	for (size_t d = 0; d < n_devices; d++) {
		int64_t tid = 100 + (int64_t)d, end = 10 + 10 * (int64_t)n_names;
		int64_t module = rows_add(&rows, 0, 0, end, tid, MODULE("7", "jit_f"));
		for (size_t i = 0; i < n_names; i++)
			rows_add(&rows, module, 10 * (int64_t)i, 10 * (int64_t)i + 5, tid, "Thunk:#hlo_op=%s#",
				names[i]);
	}
	struct job_process process = rows_process(&rows, n_devices);
	const struct job_hlo hlo[] = {{7, m ? m->proto : NULL}};
	process.hlo = hlo;
	process.n_hlo = m != NULL;
	job_make(job, &process);
	jr_vec_done(&rows);
}

#define RUN(job, module, n_devices, ...)                                                           \
	run_ops((job), (module), (n_devices), (const char *const[]){__VA_ARGS__},                      \
		sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static void check_op(const struct job *job, const char *name, const char *collective,
	uint64_t bytes, uint32_t group, double k, double c)
{
	const struct jr_op *op = job_op(job, name);
	if (!collective) {
		assert_false(op->communication);
		assert_int_equal(op->collective, 0);
	} else {
		if (!op->communication)
			fail_msg("%s does not communicate", name);
		assert_string_equal(jr_str(&job->profile, op->collective), collective);
	}
	if (op->message_bytes != bytes || op->group_size != group)
		fail_msg("%s: %" PRIu64 " bytes over %u, must be %" PRIu64 " over %u", name,
			op->message_bytes, op->group_size, bytes, group);
	if (fabs(op->k - k) > 1e-15 || fabs(op->c - c) > 1e-15)
		fail_msg("%s: k %g c %g, must be %g and %g", name, op->k, op->c, k, c);
}

/* --- kinds --------------------------------------------------------------------------------------
 */

static const struct kind {
	const char *collective;
	double k, c;
	uint64_t bytes; /* 4000 bytes in a group of 4 */
	uint32_t group;
} kinds[] = {
	{"all-gather", 4, 0.75, 4000, 4},
	{"all-reduce", 1, 1.5, 4000, 4},
	{"all-to-all", 1, 0.75, 4000, 4},
	{"ragged-all-to-all", 1, 0.75, 4000, 4},
	{"collective-broadcast", 1, 1, 4000, 4},
	{"collective-permute", 1, 1, 4000, 2},
	{"reduce-scatter", 4, 0.75, 1000, 4},
};

/* Each opcode and its -start form: alone, and in an async-start, a fusion and a call. */
static UNIT_IN_ARENA(test_every_kind)
{
	for (size_t i = 0; i < JR_COUNT_OF(kinds); i++) {
		struct module m = module_new(*state);
		const struct kind *kind = &kinds[i];
		const char *start = jr_arena_printf(*state, "%s-start", kind->collective);
		const char *done = jr_arena_printf(*state, "%s-done", kind->collective);
		collective_in(&m, m.entry, "plain", kind->collective, 1000, 4);
		const Xla__HloInstructionProto *begun =
			collective_in(&m, m.entry, "start", start, 1000, 4);
		use(&m, add(&m, m.entry, "done", done, f32(&m, 1000)), begun);
		static const char *const wrappers[] = {"fusion", "async-start"};
		Xla__HloInstructionProto *wrapper = NULL;
		for (size_t w = 0; w < 2; w++) {
			wrapper = add(&m, m.entry, wrappers[w], wrappers[w], NULL);
			collective_in(
				&m, wrapped(&m, wrapper, wrappers[w]), "inner", kind->collective, 1000, 4);
		}
		use(&m, add(&m, m.entry, "async-done", "async-done", NULL), wrapper);
		Xla__HloInstructionProto *outer = add(&m, m.entry, "nested", "fusion", NULL);
		Xla__HloInstructionProto *call = add(&m, wrapped(&m, outer, "outer"), "call", "call", NULL);
		collective_in(&m, wrapped(&m, call, "callee"), "inner", start, 1000, 4);
		/* other instructions that call computations are not searched */
		Xla__HloInstructionProto *loop = add(&m, m.entry, "loop", "while", NULL);
		collective_in(&m, wrapped(&m, loop, "body"), "inner", kind->collective, 1000, 4);
		Xla__HloInstructionProto *bare = add(&m, m.entry, "bare_call", "call", NULL);
		collective_in(&m, wrapped(&m, bare, "bare"), "inner", kind->collective, 1000, 4);
		struct job job;
		RUN(&job, &m, 1, "plain", "start", "done", "async-start", "fusion", "nested", "loop",
			"bare_call", "async-done");
		static const char *const communicating[] = {
			"plain", "start", "async-start", "fusion", "nested"};
		for (size_t n = 0; n < JR_COUNT_OF(communicating); n++)
			check_op(&job, communicating[n], kind->collective, kind->bytes, kind->group, kind->k,
				kind->c);
		/* TPUs wait there: the same kind, but no size belongs to that time. */
		check_op(&job, "done", kind->collective, 0, kind->group, 1, 1);
		check_op(&job, "async-done", kind->collective, 0, kind->group, 1, 1);
		check_op(&job, "loop", NULL, 0, 0, 0, 0);
		check_op(&job, "bare_call", NULL, 0, 0, 0, 0);
		check_guesses(&job.profile, "");
		assert_true(job.profile.any_communication);
		job_done(&job);
	}
}

static UNIT_IN_ARENA(test_no_collectives)
{
	struct module m = module_new(*state);
	static const char *const opcodes[] = {"add", "fusion", "all-reduce-scatter", "all-reducer",
		"all-gather-start-x", "sender", "recv-x", "copy-start", "dynamic-slice",
		"dynamic-update-slice"};
	for (size_t i = 0; i < JR_COUNT_OF(opcodes); i++)
		add(&m, m.entry, opcodes[i], opcodes[i], f32(&m, 10));
	struct job job;
	run_ops(&job, &m, 1, opcodes, JR_COUNT_OF(opcodes));
	for (size_t i = 0; i < JR_COUNT_OF(opcodes); i++) {
		check_op(&job, opcodes[i], NULL, 0, 0, 0, 0);
		assert_string_equal(jr_str(&job.profile, job_op(&job, opcodes[i])->opcode), opcodes[i]);
	}
	assert_false(job.profile.any_communication);
	job_done(&job);
}

/* Each device takes part at its own time: no group and no size. */
static UNIT_IN_ARENA(test_transfers)
{
	struct module m = module_new(*state);
	static const char *const opcodes[] = {"send", "send-done", "recv", "recv-done"};
	for (size_t i = 0; i < JR_COUNT_OF(opcodes); i++)
		add(&m, m.entry, opcodes[i], opcodes[i], f32(&m, 10));
	struct job job;
	run_ops(&job, &m, 2, opcodes, JR_COUNT_OF(opcodes));
	for (size_t i = 0; i < JR_COUNT_OF(opcodes); i++)
		check_op(&job, opcodes[i], i < 2 ? "send" : "recv", 0, 1, 1, 1);
	job_done(&job);
}

/* --- several in one thunk --------------------------------------------------------------------- */

static UNIT_IN_ARENA(test_several_add_up)
{
	struct module m = module_new(*state);
	Xla__HloInstructionProto *same = add(&m, m.entry, "same", "async-start", NULL);
	Xla__HloComputationProto *c = wrapped(&m, same, "group");
	Xla__HloInstructionProto *two = collective_in(&m, c, "a", "all-gather", 100, 4);
	use(&m, two, add(&m, c, "b", "parameter", f32(&m, 50))); /* a second operand */
	Xla__HloComputationProto *d = wrapped(&m, same, "more");
	collective_in(&m, d, "c", "all-gather-start", 10, 8); /* the largest group counts */
	Xla__HloInstructionProto *mixed = add(&m, m.entry, "mixed", "fusion", NULL);
	Xla__HloComputationProto *e = wrapped(&m, mixed, "kinds");
	collective_in(&m, e, "x", "all-reduce", 100, 4);
	collective_in(&m, e, "y", "reduce-scatter", 100, 4);
	collective_in(&m, e, "z", "all-reduce", 1, 4);
	struct job job;
	RUN(&job, &m, 1, "same", "mixed");
	check_op(&job, "same", "all-gather", 400 + 200 + 40, 8, 8, 7.0 / 8);
	check_op(&job, "mixed", "mixed", 400 + 100 + 4, 4, 0, 0);
	assert_int_equal(job_op(&job, "same")->n_buffers, 3);
	assert_int_equal(job_op(&job, "same")->largest_buffer_bytes, 400);
	assert_int_equal(job_op(&job, "mixed")->n_buffers, 3);
	assert_int_equal(job_op(&job, "mixed")->largest_buffer_bytes, 400);
	job_done(&job);
}

/* --- sizes ------------------------------------------------------------------------------------ */

static UNIT_IN_ARENA(test_element_types)
{
	static const struct {
		int type;
		uint64_t bytes; /* seven elements */
	} cases[] = {{XLA__PRIMITIVE_TYPE__PRED, 7}, {XLA__PRIMITIVE_TYPE__S4, 4},
		{XLA__PRIMITIVE_TYPE__U4, 4}, {XLA__PRIMITIVE_TYPE__F4E2M1FN, 4},
		{XLA__PRIMITIVE_TYPE__S2, 2}, {XLA__PRIMITIVE_TYPE__U2, 2},
		{XLA__PRIMITIVE_TYPE__F8E4M3FN, 7}, {XLA__PRIMITIVE_TYPE__F8E8M0FNU, 7},
		{XLA__PRIMITIVE_TYPE__BF16, 14}, {XLA__PRIMITIVE_TYPE__F64, 56},
		{XLA__PRIMITIVE_TYPE__C64, 56}, {XLA__PRIMITIVE_TYPE__C128, 112},
		{XLA__PRIMITIVE_TYPE__TOKEN, 0}};
	struct module m = module_new(*state);
	const char *names[JR_COUNT_OF(cases)];
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		names[i] = jr_arena_printf(*state, "ar.%zu", i);
		Xla__HloInstructionProto *operand =
			add(&m, m.entry, "p", "parameter", build_shape(*state, cases[i].type, 7, -1));
		Xla__HloInstructionProto *c = add(&m, m.entry, names[i], "all-reduce", NULL);
		use(&m, c, operand);
		group_of(&m, c, 2);
	}
	struct job job;
	run_ops(&job, &m, 1, names, JR_COUNT_OF(cases));
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++)
		check_op(&job, names[i], "all-reduce", cases[i].bytes, 2, 1, 1);
	job_done(&job);
}

/* Tuples, scalars, missing operands, sums beyond 64 bits. */
static UNIT_IN_ARENA(test_odd_operands)
{
	struct module m = module_new(*state);
	Xla__ShapeProto *tuple = build_new(*state, &xla__shape_proto__descriptor);
	tuple->element_type = XLA__PRIMITIVE_TYPE__TUPLE;
	ADD((struct jr_arena *)*state, tuple, tuple_shapes, f32(&m, 10));
	ADD((struct jr_arena *)*state, tuple, tuple_shapes, f32(&m, 5));
	Xla__HloInstructionProto *c = add(&m, m.entry, "odd", "all-reduce", NULL);
	use(&m, c, add(&m, m.entry, "t", "parameter", tuple));
	use(&m, c,
		add(&m, m.entry, "s", "parameter", build_shape(*state, XLA__PRIMITIVE_TYPE__F32, -1)));
	ADD(m.arena, c, operand_ids, 999999);
	group_of(&m, c, 2);
	Xla__ShapeProto *huge = build_shape(*state, XLA__PRIMITIVE_TYPE__F64, -1);
	for (int i = 0; i < 4; i++)
		ADD(m.arena, huge, dimensions, INT64_MAX);
	Xla__HloInstructionProto *h = add(&m, m.entry, "huge", "all-reduce", NULL);
	Xla__HloInstructionProto *operand = add(&m, m.entry, "h", "parameter", huge);
	use(&m, h, operand);
	use(&m, h, operand);
	group_of(&m, h, 2);
	Xla__HloInstructionProto *none = add(&m, m.entry, "none", "all-reduce", NULL);
	group_of(&m, none, 2);
	struct job job;
	RUN(&job, &m, 1, "odd", "huge", "none");
	check_op(&job, "odd", "all-reduce", 60 + 4, 2, 1, 1);
	check_op(&job, "none", "all-reduce", 0, 2, 1, 1);
	assert_int_equal(job_op(&job, "huge")->message_bytes, UINT64_MAX);
	job_done(&job);
}

/* Ids that are unique only within a computation (newer XLA). */
static UNIT_IN_ARENA(test_local_ids)
{
	struct module m = module_new(*state);
	Xla__HloInstructionProto *wrapper = add(&m, m.entry, "start", "async-start", NULL);
	Xla__HloComputationProto *c = wrapped(&m, wrapper, "inner");
	m.next_id = 1; /* the entry computation's ids again */
	collective_in(&m, c, "ar", "all-reduce", 25, 2);
	struct job job;
	RUN(&job, &m, 1, "start");
	check_op(&job, "start", "all-reduce", 100, 2, 1, 1);
	job_done(&job);
}

/* --- group sizes ------------------------------------------------------------------------------ */

static UNIT_IN_ARENA(test_group_falls_back_to_all_devices)
{
	struct module m = module_new(*state);
	collective_in(&m, m.entry, "ag", "all-gather", 100, 0);
	collective_in(&m, m.entry, "rs", "reduce-scatter", 100, 0);
	collective_in(&m, m.entry, "cp", "collective-permute", 100, 0);
	struct job job;
	RUN(&job, &m, 5, "ag", "rs", "cp");
	check_op(&job, "ag", "all-gather", 400, 5, 5, 0.8);
	check_op(&job, "rs", "reduce-scatter", 80, 5, 5, 0.8);
	check_op(&job, "cp", "collective-permute", 400, 2, 1, 1);
	check_guesses(&job.profile, "group-size-all-devices=2");
	job_done(&job);
}

/* In a group of one device nothing crosses a bus: it is a copy. Next to larger groups it does
 * not count. */
static UNIT_IN_ARENA(test_group_of_one)
{
	struct module m = module_new(*state);
	collective_in(&m, m.entry, "ag", "all-gather", 100, 1);
	collective_in(&m, m.entry, "ar", "all-reduce-start", 100, 1);
	Xla__HloInstructionProto *async = add(&m, m.entry, "as", "async-start", NULL);
	collective_in(&m, wrapped(&m, async, "inner"), "inner", "reduce-scatter", 100, 1);
	Xla__HloInstructionProto *fusion = add(&m, m.entry, "fusion", "fusion", NULL);
	collective_in(&m, wrapped(&m, fusion, "fused"), "fused", "reduce-scatter", 100, 1);
	Xla__HloInstructionProto *both = add(&m, m.entry, "both", "async-start", NULL);
	Xla__HloComputationProto *c = wrapped(&m, both, "two");
	collective_in(&m, c, "one", "all-gather", 1000, 1);
	collective_in(&m, c, "pair", "all-reduce", 100, 2);
	struct job job;
	RUN(&job, &m, 2, "ag", "ar", "as", "fusion", "both");
	static const char *const copies[] = {"ag", "ar", "as"};
	for (size_t i = 0; i < JR_COUNT_OF(copies); i++) {
		check_op(&job, copies[i], NULL, 0, 0, 0, 0);
		assert_true(job_op(&job, copies[i])->own_copy);
	}
	check_op(&job, "fusion", NULL, 0, 0, 0, 0);
	assert_false(job_op(&job, "fusion")->own_copy);
	check_op(&job, "both", "all-reduce", 400, 2, 1, 1);
	assert_false(job_op(&job, "both")->own_copy);
	job_done(&job);
}

/* No groups are stated, and the one profiled device belongs to a job of unknown size. */
static UNIT_IN_ARENA(test_group_that_one_device_does_not_tell)
{
	struct module m = module_new(*state);
	collective_in(&m, m.entry, "ag", "all-gather", 100, 0);
	collective_in(&m, m.entry, "rs", "reduce-scatter", 100, 0);
	struct job job;
	RUN(&job, &m, 1, "ag", "rs");
	check_op(&job, "ag", "all-gather", 400, 0, 0, 0);
	check_op(&job, "rs", "reduce-scatter", 0, 0, 0, 0);
	check_guesses(&job.profile, "");
	job_done(&job);
}

static UNIT_IN_ARENA(test_group_in_each_form)
{
	struct module m = module_new(*state);
	Xla__HloInstructionProto *list = collective_in(&m, m.entry, "list", "all-reduce", 100, 0);
	list->collective_device_list =
		build_new(*state, &xla__collective_device_list_proto__descriptor);
	list->collective_device_list->iota_replica_group_list =
		build_new(*state, &xla__iota_replica_group_list_proto__descriptor);
	list->collective_device_list->iota_replica_group_list->num_devices_per_group = 8;
	Xla__HloInstructionProto *iota = collective_in(&m, m.entry, "iota", "all-reduce", 100, 0);
	iota->iota_collective_device_list =
		build_new(*state, &xla__iota_replica_group_list_proto__descriptor);
	iota->iota_collective_device_list->num_devices_per_group = 16;
	/* the first one present counts */
	Xla__HloInstructionProto *both = collective_in(&m, m.entry, "both", "all-reduce", 100, 4);
	both->iota_collective_device_list = iota->iota_collective_device_list;
	struct job job;
	RUN(&job, &m, 2, "list", "iota", "both");
	check_op(&job, "list", "all-reduce", 400, 8, 1, 2 * 7.0 / 8);
	check_op(&job, "iota", "all-reduce", 400, 16, 1, 2 * 15.0 / 16);
	check_op(&job, "both", "all-reduce", 400, 4, 1, 1.5);
	check_guesses(&job.profile, "");
	job_done(&job);
}

/* --- host offloading -------------------------------------------------------------------------- */

static Xla__ShapeProto *in_host(struct module *m, Xla__ShapeProto *shape)
{
	return build_layout(m->arena, shape, 5);
}

/* Add a slice of `part` floats out of 1000, or an update of as many floats in them. */
static void offload(struct module *m, Xla__HloComputationProto *in, const char *name, bool update,
	bool buffer_in_host, bool part_in_host)
{
	Xla__ShapeProto *buffer = f32(m, 1000), *part = f32(m, 100);
	buffer = buffer_in_host ? in_host(m, buffer) : build_layout(m->arena, buffer, 0);
	part = part_in_host ? in_host(m, part) : build_layout(m->arena, part, 0);
	Xla__HloInstructionProto *operand = add(m, in, "buffer", "parameter", buffer);
	Xla__HloInstructionProto *moved = add(m, in, "part", "parameter", part);
	Xla__HloInstructionProto *i =
		add(m, in, name, update ? "dynamic-update-slice" : "dynamic-slice", update ? buffer : part);
	use(m, i, operand);
	if (update)
		use(m, i, moved);
}

static UNIT_IN_ARENA(test_host_offloading)
{
	struct module m = module_new(*state);
	offload(&m, m.entry, "fetch", false, true, false);
	offload(&m, m.entry, "fetch_within_host", false, true, true);
	offload(&m, m.entry, "fetch_within_device", false, false, false);
	offload(&m, m.entry, "slice_to_host", false, false, true);
	offload(&m, m.entry, "store", true, true, false);
	offload(&m, m.entry, "store_within_host", true, true, true);
	offload(&m, m.entry, "store_within_device", true, false, false);
	offload(&m, m.entry, "update_from_host", true, false, true);
	static const char *const wrappers[] = {"async-start", "fusion"};
	for (size_t w = 0; w < 2; w++) {
		Xla__HloInstructionProto *wrapper = add(&m, m.entry, wrappers[w], wrappers[w], NULL);
		offload(&m, wrapped(&m, wrapper, wrappers[w]), "inner", true, true, false);
	}
	Xla__HloInstructionProto *both = add(&m, m.entry, "both", "fusion", NULL);
	Xla__HloComputationProto *c = wrapped(&m, both, "directions");
	offload(&m, c, "in", false, true, false);
	offload(&m, c, "out", true, true, false);
	struct job job;
	RUN(&job, &m, 4, "fetch", "fetch_within_host", "fetch_within_device", "slice_to_host", "store",
		"store_within_host", "store_within_device", "update_from_host", "async-start", "fusion",
		"both");
	check_op(&job, "fetch", "host-to-device", 400, 1, 1, 1);
	check_op(&job, "slice_to_host", "device-to-host", 400, 1, 1, 1);
	check_op(&job, "store", "device-to-host", 400, 1, 1, 1);
	check_op(&job, "update_from_host", "host-to-device", 400, 1, 1, 1);
	check_op(&job, "async-start", "device-to-host", 400, 1, 1, 1);
	check_op(&job, "fusion", "device-to-host", 400, 1, 1, 1);
	check_op(&job, "both", "mixed", 800, 1, 0, 0);
	static const char *const within[] = {
		"fetch_within_host", "fetch_within_device", "store_within_host", "store_within_device"};
	for (size_t i = 0; i < JR_COUNT_OF(within); i++)
		check_op(&job, within[i], NULL, 0, 0, 0, 0);
	check_guesses(&job.profile, "");
	job_done(&job);
}

/* --- hostile nesting -------------------------------------------------------------------------- */

/* Computations that call each other in every way: the search ends, in reasonable time. */
static UNIT_IN_ARENA(test_calls_explode)
{
	struct module m = module_new(*state);
	Xla__HloInstructionProto *top = add(&m, m.entry, "top", "fusion", NULL);
	Xla__HloComputationProto *c = wrapped(&m, top, "cycle");
	for (int i = 0; i < 600; i++) {
		Xla__HloInstructionProto *call = add(&m, c, "again", "call", NULL);
		ADD(m.arena, call, called_computation_ids, c->id);
	}
	collective_in(&m, c, "ar", "all-reduce", 1, 2);
	struct job job;
	RUN(&job, &m, 1, "top");
	assert_true(job_op(&job, "top")->communication);
	assert_string_equal(jr_str(&job.profile, job_op(&job, "top")->collective), "all-reduce");
	job_done(&job);
}

/* Thousands of operands that are one large tuple: its bytes are counted once. */
static UNIT_IN_ARENA(test_large_operands)
{
	enum { ELEMENTS = 20000, OPERANDS = 300000 };
	struct module m = module_new(*state);
	Xla__ShapeProto *tuple = build_shape(m.arena, XLA__PRIMITIVE_TYPE__TUPLE, -1);
	tuple->tuple_shapes = JR_ARENA_N(m.arena, Xla__ShapeProto *, ELEMENTS);
	for (int i = 0; i < ELEMENTS; i++)
		tuple->tuple_shapes[tuple->n_tuple_shapes++] = f32(&m, 1);
	Xla__HloInstructionProto *operand = add(&m, m.entry, "operand", "parameter", tuple);
	Xla__HloInstructionProto *c = add(&m, m.entry, "ar", "all-reduce", f32(&m, 1));
	c->operand_ids = JR_ARENA_N(m.arena, int64_t, OPERANDS);
	while (c->n_operand_ids < OPERANDS)
		c->operand_ids[c->n_operand_ids++] = operand->id;
	group_of(&m, c, 2);
	struct job job;
	RUN(&job, &m, 2, "ar");
	assert_true(job_op(&job, "ar")->message_bytes == UINT64_C(4) * ELEMENTS * OPERANDS);
	job_done(&job);
}

/* Offsets and sizes are not part of the message: only the first operand moves. */
static UNIT_IN_ARENA(test_ragged)
{
	struct module m = module_new(*state);
	Xla__HloInstructionProto *c =
		collective_in(&m, m.entry, "ragged", "ragged-all-to-all", 1000, 4);
	for (int i = 0; i < 5; i++)
		use(&m, c, add(&m, m.entry, "other", "parameter", f32(&m, i ? 4 : 5000)));
	struct job job;
	RUN(&job, &m, 1, "ragged");
	check_op(&job, "ragged", "ragged-all-to-all", 4000, 4, 1, 0.75);
	assert_int_equal(job_op(&job, "ragged")->n_buffers, 1);
	job_done(&job);
}

/* --- without HLO ------------------------------------------------------------------------------ */

static UNIT_IN_ARENA(test_by_name)
{
	struct job job;
	RUN(&job, NULL, 2, "all-reduce.3", "all-reduce", "all-gather-start.1", "reduce-scatter-start",
		"collective-permute.7", "ragged-all-to-all.1", "all-to-all.2", "collective-broadcast.9",
		"all-reduce-done.3", "all-reduce-fusion", "all-reducer.1", "loop_fusion.1",
		"my-all-reduce.1");
	check_op(&job, "all-reduce.3", "all-reduce", 0, 0, 0, 0);
	check_op(&job, "all-reduce", "all-reduce", 0, 0, 0, 0);
	check_op(&job, "all-gather-start.1", "all-gather", 0, 0, 0, 0);
	check_op(&job, "reduce-scatter-start", "reduce-scatter", 0, 0, 0, 0);
	check_op(&job, "collective-permute.7", "collective-permute", 0, 0, 0, 0);
	check_op(&job, "ragged-all-to-all.1", "ragged-all-to-all", 0, 0, 0, 0);
	check_op(&job, "all-to-all.2", "all-to-all", 0, 0, 0, 0);
	check_op(&job, "collective-broadcast.9", "collective-broadcast", 0, 0, 0, 0);
	check_op(&job, "all-reduce-done.3", "all-reduce", 0, 0, 0, 0);
	static const char *const not [] = {
		"all-reduce-fusion", "all-reducer.1", "loop_fusion.1", "my-all-reduce.1"};
	for (size_t i = 0; i < JR_COUNT_OF(not ); i++)
		check_op(&job, not [i], NULL, 0, 0, 0, 0);
	check_guesses(&job.profile, "communication-by-name=9");
	job_done(&job);
}

/* The HLO does not contain the thunk: its name decides, and a note says so. */
static UNIT_IN_ARENA(test_not_in_hlo)
{
	struct module m = module_new(*state);
	add(&m, m.entry, "all-reduce.1", "add", f32(&m, 10)); /* the HLO knows better */
	struct job job;
	RUN(&job, &m, 2, "all-reduce.1", "all-reduce.2", "fusion.9");
	check_op(&job, "all-reduce.1", NULL, 0, 0, 0, 0);
	check_op(&job, "all-reduce.2", "all-reduce", 0, 0, 0, 0);
	check_op(&job, "fusion.9", NULL, 0, 0, 0, 0);
	assert_int_equal(job_op(&job, "fusion.9")->instruction, JR_NONE);
	assert_int_equal(job_op(&job, "fusion.9")->opcode, 0);
	check_guesses(&job.profile, "communication-by-name=1 ops-not-in-hlo=2");
	job_done(&job);
}

/* --- where it comes from ---------------------------------------------------------------------- */

static void set_origin(
	struct module *m, Xla__HloInstructionProto *i, const char *op_name, int frame)
{
	i->metadata = build_new(m->arena, &xla__op_metadata__descriptor);
	i->metadata->op_name = TEXT(m->arena, op_name);
	i->metadata->stack_frame_id = frame;
	i->metadata->source_file = TEXT(m->arena, "/meta.py");
	i->metadata->source_line = 99;
}

/* Add frames 1 to n: frame k is line 10 k of /src.py, called from frame k - 1. */
static void add_frames(struct module *m, int n)
{
	Xla__StackFrameIndexProto *index =
		build_new(m->arena, &xla__stack_frame_index_proto__descriptor);
	ADD(m->arena, index, file_names, TEXT(m->arena, "/src.py"));
	ADD(m->arena, index, function_names, TEXT(m->arena, "step"));
	for (int k = 1; k <= n; k++) {
		Xla__StackFrameIndexProto__FileLocation *location =
			build_new(m->arena, &xla__stack_frame_index_proto__file_location__descriptor);
		Xla__StackFrameIndexProto__StackFrame *frame =
			build_new(m->arena, &xla__stack_frame_index_proto__stack_frame__descriptor);
		location->file_name_id = location->function_name_id = 1;
		location->line = 10 * k;
		location->column = k % 2 ? 0 : 7;
		frame->file_location_id = k;
		frame->parent_frame_id = k - 1;
		ADD(m->arena, index, file_locations, location);
		ADD(m->arena, index, stack_frames, frame);
	}
	m->proto->hlo_module->stack_frame_index = index;
}

/* "FRAME<CALLER<... op_name" per origin. */
static void check_origins(const struct job *job, const char *name, const char *expected)
{
	const struct jr_profile *p = &job->profile;
	const struct jr_op *op = job_op(job, name);
	struct jr_buf got = {0};
	for (uint32_t i = 0; i < op->n_origins; i++) {
		const struct jr_origin *origin = &p->origins[op->first_origin + i];
		for (uint32_t f = origin->frame; f != JR_NONE; f = p->frames[f].parent)
			jr_buf_printf(&got, "%s<", jr_str(p, p->frames[f].text));
		jr_buf_printf(&got, " %s\n", jr_str(p, origin->op_name));
	}
	check_text(&got, expected);
}

static UNIT_IN_ARENA(test_origins)
{
	struct module m = module_new(*state);
	add_frames(&m, 2);
	Xla__HloInstructionProto *fusion = add(&m, m.entry, "fusion.1", "fusion", f32(&m, 1));
	set_origin(&m, fusion, "jit(f)/add", 2);
	Xla__HloComputationProto *c = wrapped(&m, fusion, "fused");
	set_origin(&m, add(&m, c, "a", "add", f32(&m, 1)), "jit(f)/add", 2); /* the same again */
	set_origin(&m, add(&m, c, "b", "multiply", f32(&m, 1)), "jit(f)/mul", 1);
	set_origin(&m, add(&m, c, "d", "sine", f32(&m, 1)), "jit(f)/sin", 0);  /* no stack */
	set_origin(&m, add(&m, c, "e", "sine", f32(&m, 1)), "", 1);            /* no op_name */
	set_origin(&m, add(&m, c, "g", "sine", f32(&m, 1)), "", 0);            /* neither */
	set_origin(&m, add(&m, c, "h", "sine", f32(&m, 1)), "jit(f)/sin", 77); /* no such frame */
	add(&m, c, "i", "parameter", f32(&m, 1));
	/* computations that a called computation calls are not searched */
	Xla__HloInstructionProto *deeper = add(&m, c, "k", "call", f32(&m, 1));
	set_origin(&m, add(&m, wrapped(&m, deeper, "deep"), "l", "add", f32(&m, 1)), "deep", 1);
	add(&m, m.entry, "bare", "add", f32(&m, 1));
	set_origin(&m, add(&m, m.entry, "named", "add", f32(&m, 1)), "jit(f)/x", 0);
	struct job job;
	RUN(&job, &m, 1, "fusion.1", "bare", "named");
	check_origins(&job, "fusion.1",
		"/src.py:20:7[step]</src.py:10[step]< jit(f)/add\n"
		"/src.py:10[step]< jit(f)/mul\n"
		" jit(f)/sin\n"
		"/src.py:10[step]< \n");
	check_origins(&job, "bare", "");
	check_origins(&job, "named", " jit(f)/x\n");
	const struct jr_op *op = job_op(&job, "fusion.1");
	assert_string_equal(jr_str(&job.profile, op->source_file), "/src.py");
	assert_int_equal(op->source_line, 20);
	assert_string_equal(jr_str(&job.profile, op->op_name), "jit(f)/add");
	/* without a stack the metadata's own file and line count */
	assert_string_equal(jr_str(&job.profile, job_op(&job, "named")->source_file), "/meta.py");
	assert_int_equal(job_op(&job, "named")->source_line, 99);
	assert_int_equal(job_op(&job, "bare")->source_file, 0);
	job_done(&job);
}

/* A computation that is called again and again, by one instruction or by all: a note reports
 * where the search stopped. */
static UNIT_IN_ARENA(test_origins_explode)
{
	enum { INSTRUCTIONS = 1000, CALLS = 20000 };
	struct module m = module_new(*state);
	Xla__HloInstructionProto *first = add(&m, m.entry, "fusion.1", "fusion", f32(&m, 1));
	Xla__HloInstructionProto *second = add(&m, m.entry, "fusion.2", "fusion", f32(&m, 1));
	Xla__HloComputationProto *c = build_computation(m.arena, m.proto, "called", 5000);
	set_origin(&m, first, "one", 0);
	set_origin(&m, second, "two", 0);
	for (int i = 0; i < INSTRUCTIONS; i++)
		set_origin(&m, add(&m, c, "i", "add", f32(&m, 1)), i % 2 ? "odd" : "even", 0);
	first->called_computation_ids = JR_ARENA_N(m.arena, int64_t, CALLS);
	while (first->n_called_computation_ids < CALLS)
		first->called_computation_ids[first->n_called_computation_ids++] = c->id;
	ADD(m.arena, second, called_computation_ids, c->id);
	struct job job;
	RUN(&job, &m, 1, "fusion.1", "fusion.2");
	check_origins(&job, "fusion.1", " one\n even\n odd\n");
	check_origins(&job, "fusion.2", " two\n");
	check_guesses(&job.profile, "unread-computations=2");
	job_done(&job);
}

/* Stacks as deep as the decoder allows; each frame once. */
static UNIT_IN_ARENA(test_deep_stacks)
{
	enum { DEPTH = 500 };
	struct module m = module_new(*state);
	add_frames(&m, DEPTH);
	set_origin(&m, add(&m, m.entry, "deep", "add", f32(&m, 1)), "x", DEPTH);
	set_origin(&m, add(&m, m.entry, "middle", "add", f32(&m, 1)), "x", DEPTH / 2);
	struct job job;
	RUN(&job, &m, 1, "deep", "middle");
	assert_int_equal(job.profile.n_frames, DEPTH);
	const struct jr_op *deep = job_op(&job, "deep"), *middle = job_op(&job, "middle");
	assert_int_equal(
		job.profile.frames[job.profile.origins[deep->first_origin].frame].depth, DEPTH - 1);
	assert_int_equal(
		job.profile.frames[job.profile.origins[middle->first_origin].frame].depth, DEPTH / 2 - 1);
	for (size_t i = 0; i < job.profile.n_frames; i++)
		if (job.profile.frames[i].parent != JR_NONE)
			assert_int_equal(job.profile.frames[i].depth,
				job.profile.frames[job.profile.frames[i].parent].depth + 1);
	job_done(&job);
}

/* Check the groups of an HLO of 4 devices in a profile of n devices: as digits, "-" if not
 * known. */
static void check_device_groups(size_t n_devices, int per_group, const char *expected)
{
	struct jr_arena arena;
	struct job job;
	char text[16] = "-";
	jr_arena_init(&arena, 0);
	struct module m = module_new(&arena);
	Xla__HloInstructionProto *c = collective_in(&m, m.entry, "all-reduce.1", "all-reduce", 8, 0);
	for (int first = 0; first < 4; first += per_group) {
		Xla__ReplicaGroup *group = build_new(&arena, &xla__replica_group__descriptor);
		for (int k = 0; k < per_group; k++)
			ADD(&arena, group, replica_ids, 3 - first - k);
		ADD(&arena, c, replica_groups, group);
	}
	RUN(&job, &m, n_devices, "all-reduce.1");
	const uint32_t *group = job_op(&job, "all-reduce.1")->device_group;
	for (size_t d = 0; group && d < n_devices; d++) {
		text[d] = (char)('0' + group[d]);
		text[d + 1] = '\0';
	}
	assert_string_equal(text, expected);
	check_guesses(&job.profile, group ? "collective-groups=1" : "");
	job_done(&job);
	jr_arena_done(&arena);
}

static UNIT_IN_ARENA(test_device_groups)
{
	check_device_groups(4, 2, "1100"); /* numbers 3 and 2 are the first group */
	check_device_groups(4, 4, "-");
	check_device_groups(4, 1, "-"); /* no communication */
	check_device_groups(2, 2, "11"); /* a part of the job: by global number */
	check_device_groups(3, 2, "110");
	check_device_groups(1, 2, "-");
	check_device_groups(5, 2, "-"); /* more devices than the module has */
}

/* More groupings than are kept apart: this is reported. */
static UNIT_IN_ARENA(test_many_groupings)
{
	enum { MANY = 258 };
	struct module m = module_new(*state);
	for (int n = 1; n <= MANY; n++) {
		Xla__HloInstructionProto *c = collective_in(&m, m.entry, "ar", "all-reduce", 8, 0);
		for (int first = 0; first < 2 * n; first += n) {
			Xla__ReplicaGroup *group = build_new(m.arena, &xla__replica_group__descriptor);
			for (int k = 0; k < n; k++)
				ADD(m.arena, group, replica_ids, first + k);
			ADD(m.arena, c, replica_groups, group);
		}
	}
	struct job job;
	RUN(&job, &m, 1, "ar");
	check_guesses(&job.profile, "unread-groups=2");
	job_done(&job);
}
