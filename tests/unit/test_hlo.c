/* formats/hlo: every field, and which deviations are tolerated. */
#include "hlo_build.h"

static Xla__OpMetadata *metadata(
	struct jr_arena *a, const char *op_name, const char *file, int line, int frame)
{
	Xla__OpMetadata *m = build_new(a, &xla__op_metadata__descriptor);
	m->op_name = TEXT(a, op_name);
	m->source_file = TEXT(a, file);
	m->source_line = line;
	m->stack_frame_id = frame;
	return m;
}

static void add_attribute(
	struct jr_arena *a, Xla__HloProto *proto, const char *key, const char *value)
{
	Xla__FrontendAttributes *all = proto->hlo_module->frontend_attributes;
	if (!all)
		all = build_new(a, &xla__frontend_attributes__descriptor);
	Xla__FrontendAttributes__MapEntry *e =
		build_new(a, &xla__frontend_attributes__map_entry__descriptor);
	e->key = TEXT(a, key);
	e->value = TEXT(a, value);
	ADD(a, all, map, e);
	proto->hlo_module->frontend_attributes = all;
}

static UNIT_IN_ARENA(test_module)
{
	struct jr_arena *a = *state;
	Xla__HloProto *proto = build_module(a, "jit_step");
	proto->hlo_module->id = 42;
	proto->hlo_module->entry_computation_id = 9;
	proto->hlo_module->entry_computation_name = TEXT(a, "main");
	add_attribute(a, proto, "other", "x");
	add_attribute(a, proto, "fingerprint_before_lhs", "25fa0b3e");
	build_computation(a, proto, "fused", 7);
	build_computation(a, proto, "main", 9)->root_id = 3;
	struct jr_hlo hlo = build_decode(proto);
	assert_string_equal(hlo.name, "jit_step");
	assert_string_equal(hlo.fingerprint, "25fa0b3e");
	assert_int_equal(hlo.id, 42);
	assert_int_equal(hlo.entry_id, 9);
	assert_int_equal(hlo.n_computations, 2);
	assert_string_equal(hlo.computations[0].name, "fused");
	assert_int_equal(hlo.computations[1].id, 9);
	assert_int_equal(hlo.computations[1].root_id, 3);
	assert_int_equal(hlo.n_instructions, 0);
	assert_int_equal(jr_hlo_computation_by_id(&hlo, 7), 0);
	assert_int_equal(jr_hlo_computation_by_id(&hlo, 8), JR_NONE);
	jr_hlo_done(&hlo);
	jr_hlo_done(&hlo);
	jr_hlo_done(NULL);
}

static UNIT_IN_ARENA(test_entry)
{
	struct jr_arena *a = *state;
	Xla__HloProto *proto = build_module(a, "m");
	build_computation(a, proto, "main", 9);
	struct jr_hlo hlo = build_decode(proto);
	assert_int_equal(hlo.entry_id, -1); /* neither id nor name */
	jr_hlo_done(&hlo);

	proto->hlo_module->entry_computation_id = 5;
	hlo = build_decode(proto);
	assert_int_equal(hlo.entry_id, -1); /* the id does not exist */
	jr_hlo_done(&hlo);

	proto->hlo_module->entry_computation_name = TEXT(a, "main");
	hlo = build_decode(proto);
	assert_int_equal(hlo.entry_id, 9); /* then the name counts */
	jr_hlo_done(&hlo);
}

static UNIT_IN_ARENA(test_instruction)
{
	struct jr_arena *a = *state;
	Xla__HloProto *proto = build_module(a, "m");
	Xla__HloComputationProto *fused = build_computation(a, proto, "fused", 1);
	build_instruction(a, fused, "param", "parameter", 10);
	Xla__HloComputationProto *main = build_computation(a, proto, "main", 2);
	build_instruction(a, main, "p0", "parameter", 20);
	Xla__HloInstructionProto *i = build_instruction(a, main, "call.1", "custom-call", 21);
	i->shape = build_layout(a, build_shape(a, XLA__PRIMITIVE_TYPE__BF16, 128, 2048, -1), 0);
	i->metadata = metadata(a, "jit(f)/dot", "/a/b.py", 77, 0);
	i->metadata->scheduling_name = TEXT(a, "call.1.sched");
	i->custom_call_target = TEXT(a, "__cublas$gemm");
	ADD(a, i, operand_ids, 20);
	ADD(a, i, operand_ids, INT64_MAX);
	ADD(a, i, operand_ids, -5);
	ADD(a, i, called_computation_ids, 1);
	struct jr_hlo hlo = build_decode(proto);

	assert_int_equal(hlo.n_instructions, 3);
	assert_int_equal(hlo.computations[0].first, 0);
	assert_int_equal(hlo.computations[0].n, 1);
	assert_int_equal(hlo.computations[1].first, 1);
	assert_int_equal(hlo.computations[1].n, 2);
	const struct jr_hlo_instruction *plain = &hlo.instructions[0];
	assert_string_equal(plain->op_name, "");
	assert_string_equal(plain->source_file, "");
	assert_string_equal(plain->scheduling_name, "");
	assert_string_equal(plain->custom_call_target, "");
	assert_non_null(plain->shape);
	assert_int_equal(plain->shape->element_type, 0);
	assert_null(plain->operand_ids);
	const struct jr_hlo_instruction *full = &hlo.instructions[2];
	assert_string_equal(full->name, "call.1");
	assert_string_equal(full->opcode, "custom-call");
	assert_string_equal(full->op_name, "jit(f)/dot");
	assert_string_equal(full->source_file, "/a/b.py");
	assert_string_equal(full->scheduling_name, "call.1.sched");
	assert_string_equal(full->custom_call_target, "__cublas$gemm");
	assert_int_equal(full->source_line, 77);
	assert_int_equal(full->id, 21);
	assert_int_equal(full->computation, 1);
	assert_int_equal(full->n_operands, 3);
	assert_int_equal(full->operand_ids[0], 20);
	assert_true(full->operand_ids[1] == INT64_MAX); /* does not exist: kept, harmless */
	assert_int_equal(full->operand_ids[2], -5);
	assert_int_equal(full->n_called, 1);
	assert_int_equal(full->called_ids[0], 1);
	assert_int_equal(full->shape->n_dimensions, 2);
	assert_int_equal(full->shape->dimensions[1], 2048);
	assert_int_equal(full->group_size_from, JR_HLO_GROUP_NONE);
	jr_hlo_done(&hlo);
}

static UNIT_IN_ARENA(test_dangling)
{
	struct jr_arena *a = *state;
	Xla__HloProto *proto = build_module(a, "m");
	Xla__HloComputationProto *c = build_computation(a, proto, "main", 1);
	Xla__HloInstructionProto *i = build_instruction(a, c, "x", "fusion", 1);
	static const int64_t called[] = {9, 1, 8, 2, 7};
	for (size_t k = 0; k < JR_COUNT_OF(called); k++)
		ADD(a, i, called_computation_ids, called[k]);
	i->metadata = metadata(a, "", "", -3, 99);
	Xla__HloInstructionProto *none = build_instruction(a, c, "y", "fusion", 2);
	ADD(a, none, called_computation_ids, 5);
	none->metadata = metadata(a, "", "", 0, -1);
	build_computation(a, proto, "behind", 2); /* calls itself in a circle with main: harmless */
	struct jr_hlo hlo = build_decode(proto);
	assert_int_equal(hlo.instructions[0].n_called, 2);
	assert_int_equal(hlo.instructions[0].called_ids[0], 1);
	assert_int_equal(hlo.instructions[0].called_ids[1], 2);
	assert_int_equal(hlo.instructions[0].stack_frame_id, 0);
	assert_int_equal(hlo.instructions[0].source_line, 0);
	assert_int_equal(hlo.instructions[1].n_called, 0);
	assert_int_equal(hlo.instructions[1].stack_frame_id, 0);
	jr_hlo_done(&hlo);
}

/* --- look-ups and texts -------------------------------------------------------------------- */

static UNIT_IN_ARENA(test_find)
{
	struct jr_arena *a = *state;
	Xla__HloProto *proto = build_module(a, "m");
	/* ids of both computations are local: 2, 1, 0 in each */
	for (int64_t c = 0; c < 2; c++) {
		Xla__HloComputationProto *to = build_computation(a, proto, c ? "b" : "a", 100 - c);
		for (int64_t id = 2; id >= 0; id--)
			build_instruction(a, to, jr_arena_printf(a, "i%d.%d", (int)c, (int)id), "add", id);
	}
	build_instruction(a, proto->hlo_module->computations[1], "i0.2", "twice", 50);
	build_instruction(a, proto->hlo_module->computations[1], "", "unnamed", 51);
	build_computation(a, proto, "empty", 7);
	build_instruction(a, build_computation(a, proto, "c", 8), "i2.1", "add", 1);
	struct jr_hlo hlo = build_decode(proto);
	assert_int_equal(jr_hlo_find(&hlo, "i0.2"), 0); /* the first of equal names */
	assert_int_equal(jr_hlo_find(&hlo, "i1.0"), 5);
	assert_int_equal(jr_hlo_find(&hlo, "twice"), JR_NONE); /* a text, but not a name */
	assert_int_equal(jr_hlo_find(&hlo, "nobody"), JR_NONE);
	assert_int_equal(jr_hlo_find(&hlo, ""), JR_NONE);
	assert_int_equal(jr_hlo_by_id(&hlo, 1), 1);
	assert_int_equal(jr_hlo_by_id(&hlo, 50), 6);
	assert_int_equal(jr_hlo_by_id(&hlo, 3), JR_NONE);
	assert_int_equal(jr_hlo_by_id_in(&hlo, 0, 1), 1);
	assert_int_equal(jr_hlo_by_id_in(&hlo, 1, 1), 4);
	assert_int_equal(jr_hlo_by_id_in(&hlo, 1, 0), 5);
	assert_int_equal(jr_hlo_by_id_in(&hlo, 0, 50), 6); /* not in there: found anywhere */
	assert_int_equal(jr_hlo_by_id_in(&hlo, 2, 1), 1);
	assert_int_equal(jr_hlo_by_id_in(&hlo, 3, 1), 8);
	assert_int_equal(jr_hlo_by_id_in(&hlo, 7, 50), 6);
	assert_int_equal(jr_hlo_by_id_in(&hlo, 0, 99), JR_NONE);
	assert_int_equal(jr_hlo_computation_by_id(&hlo, 99), 1);
	jr_hlo_done(&hlo);
}

static UNIT_IN_ARENA(test_texts)
{
	struct jr_arena *a = *state;
	Xla__HloProto *proto = build_module(a, "a\x01\xff"
										   "b");
	Xla__HloComputationProto *c = build_computation(a, proto, "c", 1);
	for (int i = 0; i < 2; i++) {
		Xla__HloInstructionProto *to = build_instruction(a, c, i ? "x" : "y", "fusion", i);
		/* another line: another metadata message with the same texts */
		to->metadata = metadata(a,
			"jit(f)/\xe2\x80\xae"
			"dot",
			"/\xc3\xa9.py", i, 0);
	}
	struct jr_hlo hlo = build_decode(proto);
	assert_string_equal(hlo.name, "a\xe2\x90\x81\xef\xbf\xbd"
								  "b");
	const struct jr_hlo_instruction *i = hlo.instructions;
	assert_string_equal(i[0].op_name, "jit(f)/\xef\xbf\xbd"
									  "dot");
	assert_string_equal(i[0].source_file, "/\xc3\xa9.py");
	/* stored once */
	assert_ptr_equal(i[0].op_name, i[1].op_name);
	assert_ptr_equal(i[0].source_file, i[1].source_file);
	assert_ptr_equal(i[0].opcode, i[1].opcode);
	assert_ptr_equal(i[0].shape, i[1].shape);
	jr_hlo_done(&hlo);
}

static uint64_t hash_of(
	struct jr_arena *a, bool swap, const char *name, const char *opcode, int dimension)
{
	Xla__HloProto *proto = build_module(a, swap ? "m" : "n");
	for (int k = 0; k < 2; k++) {
		bool second = (k == 1) != swap;
		Xla__HloComputationProto *c = build_computation(a, proto, second ? "b" : "a", k);
		Xla__HloInstructionProto *i =
			build_instruction(a, c, second ? name : "p", second ? opcode : "parameter", 7 + k);
		i->shape = build_shape(a, XLA__PRIMITIVE_TYPE__F32, second ? dimension : 1, -1);
	}
	struct jr_hlo hlo = build_decode(proto);
	uint64_t hash = hlo.structure_hash;
	jr_hlo_done(&hlo);
	return hash;
}

static UNIT_IN_ARENA(test_structure_hash)
{
	struct jr_arena *a = *state;
	uint64_t hash = hash_of(a, false, "x", "add", 4);
	assert_true(hash == hash_of(a, true, "x", "add", 4)); /* order, ids, module name do not count */
	assert_true(hash != hash_of(a, false, "y", "add", 4));
	assert_true(hash != hash_of(a, false, "x", "sub", 4));
	assert_true(hash != hash_of(a, false, "x", "add", 5));
}

/* --- collectives --------------------------------------------------------------------------- */

static Xla__ReplicaGroup *group(struct jr_arena *a, int n)
{
	Xla__ReplicaGroup *g = build_new(a, &xla__replica_group__descriptor);
	for (int i = 0; i < n; i++)
		ADD(a, g, replica_ids, i);
	return g;
}

static Xla__IotaReplicaGroupListProto *iota(struct jr_arena *a, int64_t n)
{
	Xla__IotaReplicaGroupListProto *list =
		build_new(a, &xla__iota_replica_group_list_proto__descriptor);
	list->num_replica_groups = 3;
	list->num_devices_per_group = n;
	return list;
}

static Xla__MeshAxesReplicaGroupListProto *mesh(struct jr_arena *a)
{
	Xla__MeshAxesReplicaGroupListProto *list =
		build_new(a, &xla__mesh_axes_replica_group_list_proto__descriptor);
	list->mesh = build_new(a, &xla__mesh_proto__descriptor);
	for (int64_t size = 2; size <= 8; size *= 2) {
		Xla__MeshProto__MeshAxis *axis = build_new(a, &xla__mesh_proto__mesh_axis__descriptor);
		axis->size = size;
		ADD(a, list->mesh, axes, axis);
	}
	return list;
}

static Xla__AxisRefProto *axis(struct jr_arena *a, int64_t index, int64_t part)
{
	Xla__AxisRefProto *ref = build_new(a, &xla__axis_ref_proto__descriptor);
	ref->mesh_axis_index = index;
	if (part) {
		ref->sub_axis_info = build_new(a, &xla__axis_ref_proto__sub_axis__descriptor);
		ref->sub_axis_info->pre_size = 2;
		ref->sub_axis_info->size = part;
	}
	return ref;
}

static void assert_group(const Xla__HloProto *proto, uint32_t size, enum jr_hlo_group_source from)
{
	struct jr_hlo hlo = build_decode(proto);
	assert_int_equal(hlo.instructions[0].group_size, size);
	assert_int_equal(hlo.instructions[0].group_size_from, from);
	jr_hlo_done(&hlo);
}

/* Each source is added to those with lower precedence. */
static UNIT_IN_ARENA(test_group_sizes)
{
	struct jr_arena *a = *state;
	Xla__HloProto *proto = build_module(a, "m");
	Xla__HloInstructionProto *i =
		build_instruction(a, build_computation(a, proto, "c", 1), "x", "all-reduce", 1);
	assert_group(proto, 0, JR_HLO_GROUP_NONE);
	i->mesh_axes_replica_group_list = mesh(a); /* 2 x 4 x 8 */
	ADD(a, i->mesh_axes_replica_group_list, axes, axis(a, 0, 0));
	ADD(a, i->mesh_axes_replica_group_list, axes, axis(a, 2, 0));
	assert_group(proto, 16, JR_HLO_GROUP_MESH_AXES);
	ADD(a, i->mesh_axes_replica_group_list, axes, axis(a, 1, 2)); /* half of an axis of 4 */
	assert_group(proto, 32, JR_HLO_GROUP_MESH_AXES);
	i->iota_collective_device_list = iota(a, 12);
	assert_group(proto, 12, JR_HLO_GROUP_IOTA);
	i->collective_device_list = build_new(a, &xla__collective_device_list_proto__descriptor);
	assert_group(proto, 12, JR_HLO_GROUP_IOTA); /* states nothing */
	i->collective_device_list->iota_replica_group_list = iota(a, 13);
	assert_group(proto, 13, JR_HLO_GROUP_DEVICE_LIST_IOTA);
	ADD(a, i->collective_device_list, replica_groups, group(a, 4));
	assert_group(proto, 4, JR_HLO_GROUP_DEVICE_LIST);
	ADD(a, i, replica_groups, group(a, 0));
	assert_group(proto, 4, JR_HLO_GROUP_DEVICE_LIST); /* an empty group states nothing */
	ADD(a, i, replica_groups, group(a, 2));
	ADD(a, i, replica_groups, group(a, 3));
	ADD(a, i, replica_groups, group(a, 1));
	assert_group(proto, 3, JR_HLO_GROUP_REPLICA_GROUPS); /* the largest */
}

/* Check the partition that an all-reduce states, as the digits of its groups; "" for none. */
static void assert_groups(Xla__HloProto *proto, const char *expected)
{
	struct jr_hlo hlo = build_decode(proto);
	char text[64] = "";
	const struct jr_hlo_groups *groups = hlo.instructions[0].groups;
	for (uint32_t i = 0; groups && i < groups->n && i + 1 < sizeof(text); i++) {
		text[i] = (char)('0' + groups->group_of[i]);
		text[i + 1] = '\0';
	}
	assert_string_equal(text, expected);
	jr_hlo_done(&hlo);
}

static Xla__ReplicaGroup *group_of_ids(struct jr_arena *a, int64_t first, int64_t second)
{
	Xla__ReplicaGroup *g = group(a, 2);
	g->replica_ids[0] = first;
	g->replica_ids[1] = second;
	return g;
}

/* [groups,size]<=[dims]T(perm); a dimension of 0 is left out. */
static Xla__IotaReplicaGroupListProto *iota_of(
	struct jr_arena *a, int64_t groups, int64_t size, const int64_t dims[3], const int32_t perm[3])
{
	Xla__IotaReplicaGroupListProto *list = iota(a, size);
	list->num_replica_groups = groups;
	list->iota_reshape_dims = JR_ARENA_N(a, int64_t, 3);
	list->iota_transpose_perm = JR_ARENA_N(a, int32_t, 3);
	for (int k = 0; k < 3 && dims[k]; k++) {
		list->iota_reshape_dims[list->n_iota_reshape_dims++] = dims[k];
		list->iota_transpose_perm[list->n_iota_transpose_perm++] = perm[k];
	}
	return list;
}

static UNIT_IN_ARENA(test_groups)
{
	struct jr_arena *a = *state;
	Xla__HloProto *proto = build_module(a, "m");
	Xla__HloInstructionProto *i =
		build_instruction(a, build_computation(a, proto, "c", 1), "x", "all-reduce", 1);
	assert_groups(proto, "");
	ADD(a, i, replica_groups, group_of_ids(a, 0, 3));
	assert_groups(proto, ""); /* one group is not a partition */
	ADD(a, i, replica_groups, group_of_ids(a, 2, 1));
	assert_groups(proto, "0110");
	i->replica_groups[1]->replica_ids[1] = 3; /* 3 twice, and 1 missing */
	assert_groups(proto, "");
	i->replica_groups[1]->replica_ids[1] = 4;
	assert_groups(proto, "");
	i->replica_groups[1]->replica_ids[1] = -1;
	assert_groups(proto, "");
	i->n_replica_groups = 0;

	static const struct {
		int64_t groups, size, dims[3];
		int32_t perm[3];
		const char *expected;
	} lists[] = {
		{2, 4, {8}, {0}, "00001111"},
		{2, 4, {4, 2}, {1, 0}, "01010101"},
		{4, 2, {2, 2, 2}, {2, 0, 1}, "02021313"},
		{4, 2, {2, 4}, {0, 1}, "00112233"},
		{3, 2, {2, 3}, {1, 0}, "012012"},
		{2, 4, {4, 3}, {1, 0}, ""}, /* 12 is not 8 */
		{2, 4, {2, 2}, {0, 1}, ""},
		{2, 4, {4, 2}, {1, 1}, ""},
		{2, 4, {4, 2}, {0, 2}, ""},
		{2, 4, {4, 2}, {-1, 0}, ""},
		{2, 4, {-4, -2}, {0, 1}, ""},
		{INT64_MAX, INT64_MAX, {4, 2}, {0, 1}, ""},
		{1, 8, {8}, {0}, ""},
	};
	for (size_t k = 0; k < JR_COUNT_OF(lists); k++) {
		i->iota_collective_device_list =
			iota_of(a, lists[k].groups, lists[k].size, lists[k].dims, lists[k].perm);
		assert_groups(proto, lists[k].expected);
	}
}

static UNIT_IN_ARENA(test_group_nonsense)
{
	struct jr_arena *a = *state;
	Xla__HloProto *proto = build_module(a, "m");
	Xla__HloInstructionProto *i =
		build_instruction(a, build_computation(a, proto, "c", 1), "x", "all-reduce", 1);
	i->iota_collective_device_list = iota(a, -4);
	assert_group(proto, 0, JR_HLO_GROUP_NONE);
	i->iota_collective_device_list = iota(a, INT64_MAX);
	assert_group(proto, UINT32_MAX, JR_HLO_GROUP_IOTA);
	i->iota_collective_device_list = NULL;
	static const int64_t bad[][2] = {{3, 0}, {-1, 0}, {INT64_MIN, 0}, {0, -2}};
	for (size_t k = 0; k < JR_COUNT_OF(bad); k++) {
		i->mesh_axes_replica_group_list = mesh(a);
		ADD(a, i->mesh_axes_replica_group_list, axes, axis(a, bad[k][0], bad[k][1]));
		assert_group(proto, 0, JR_HLO_GROUP_NONE);
	}
	i->mesh_axes_replica_group_list = mesh(a);
	for (int k = 0; k < 3; k++)
		ADD(a, i->mesh_axes_replica_group_list, axes, axis(a, 0, INT64_MAX));
	assert_group(proto, UINT32_MAX, JR_HLO_GROUP_MESH_AXES);
}

/* --- stack frames -------------------------------------------------------------------------- */

static Xla__StackFrameIndexProto *frames(struct jr_arena *a, Xla__HloProto *proto)
{
	Xla__StackFrameIndexProto *index = build_new(a, &xla__stack_frame_index_proto__descriptor);
	ADD(a, index, file_names, TEXT(a, "/a.py"));
	ADD(a, index, file_names, TEXT(a, "/b.py"));
	ADD(a, index, function_names, TEXT(a, "main"));
	proto->hlo_module->stack_frame_index = index;
	return index;
}

static void add_location(struct jr_arena *a, Xla__StackFrameIndexProto *index, int file,
	int function, int line, int column)
{
	Xla__StackFrameIndexProto__FileLocation *at =
		build_new(a, &xla__stack_frame_index_proto__file_location__descriptor);
	at->file_name_id = file;
	at->function_name_id = function;
	at->line = line;
	at->column = column;
	ADD(a, index, file_locations, at);
}

static void add_frame(
	struct jr_arena *a, Xla__StackFrameIndexProto *index, int location, int parent)
{
	Xla__StackFrameIndexProto__StackFrame *frame =
		build_new(a, &xla__stack_frame_index_proto__stack_frame__descriptor);
	frame->file_location_id = location;
	frame->parent_frame_id = parent;
	ADD(a, index, stack_frames, frame);
}

static UNIT_IN_ARENA(test_frames)
{
	struct jr_arena *a = *state;
	Xla__HloProto *proto = build_module(a, "m");
	Xla__StackFrameIndexProto *index = frames(a, proto);
	add_location(a, index, 2, 1, 10, 4);
	add_location(a, index, 1, 7, -1, -1); /* unknown function, no lines below 1 */
	add_frame(a, index, 1, 0);
	add_frame(a, index, 2, 1);
	add_frame(a, index, 3, 99); /* unknown location, unknown parent */
	add_frame(a, index, -1, -1);
	Xla__HloInstructionProto *i =
		build_instruction(a, build_computation(a, proto, "c", 1), "x", "add", 1);
	i->metadata = metadata(a, "", "", 0, 2);
	struct jr_hlo hlo = build_decode(proto);
	assert_int_equal(hlo.n_frames, 4);
	assert_string_equal(hlo.frames[0].file, "/b.py");
	assert_string_equal(hlo.frames[0].function, "main");
	assert_int_equal(hlo.frames[0].line, 10);
	assert_int_equal(hlo.frames[0].column, 4);
	assert_int_equal(hlo.frames[0].parent, 0);
	assert_string_equal(hlo.frames[1].file, "/a.py");
	assert_string_equal(hlo.frames[1].function, "");
	assert_int_equal(hlo.frames[1].line, 0);
	assert_int_equal(hlo.frames[1].column, 0);
	assert_int_equal(hlo.frames[1].parent, 1);
	for (int k = 2; k < 4; k++) {
		assert_string_equal(hlo.frames[k].file, "");
		assert_int_equal(hlo.frames[k].parent, 0);
	}
	assert_int_equal(hlo.instructions[0].stack_frame_id, 2);
	jr_hlo_done(&hlo);
}

/* Frames with parents only; each must reach 0 in at most n steps. */
static void assert_parents(struct jr_arena *a, const int *parents, const uint32_t *expected, int n)
{
	Xla__HloProto *proto = build_module(a, "m");
	Xla__StackFrameIndexProto *index = frames(a, proto);
	for (int i = 0; i < n; i++)
		add_frame(a, index, 0, parents[i]);
	struct jr_hlo hlo = build_decode(proto);
	for (int i = 0; i < n; i++)
		assert_int_equal(hlo.frames[i].parent, expected[i]);
	jr_hlo_done(&hlo);
}

static UNIT_IN_ARENA(test_frame_cycles)
{
	struct jr_arena *a = *state;
	assert_parents(a, (int[]){1}, (uint32_t[]){0}, 1);
	assert_parents(a, (int[]){2, 1}, (uint32_t[]){2, 0}, 2);
	assert_parents(a, (int[]){2, 3, 1}, (uint32_t[]){2, 3, 0}, 3);
	/* a tail into a cycle, a second tail into it, and a chain without a cycle */
	assert_parents(a, (int[]){2, 3, 2, 3, 0, 5}, (uint32_t[]){2, 3, 0, 3, 0, 5}, 6);
	/* a parent with a higher number is fine */
	assert_parents(a, (int[]){3, 0, 2}, (uint32_t[]){3, 0, 2}, 3);
}

static UNIT_IN_ARENA(test_frame_depth)
{
	struct jr_arena *a = *state;
	struct jr_limits limits = jr_limits_default();
	Xla__HloProto *proto = build_module(a, "m");
	Xla__StackFrameIndexProto *index = frames(a, proto);
	for (int i = 0; i < (int)limits.depth; i++)
		add_frame(a, index, 0, i);
	struct jr_hlo hlo = build_decode(proto);
	assert_int_equal(hlo.n_frames, limits.depth);
	jr_hlo_done(&hlo);
	add_frame(a, index, 0, (int)limits.depth);
	build_refused(proto, &limits, JR_ELIMIT, "--max-depth");
}

/* --- buffers ------------------------------------------------------------------------------- */

static Xla__LogicalBufferProto *add_buffer(
	struct jr_arena *a, Xla__HloProto *proto, int64_t id, int64_t size)
{
	if (!proto->buffer_assignment)
		proto->buffer_assignment = build_new(a, &xla__buffer_assignment_proto__descriptor);
	Xla__LogicalBufferProto *b = build_new(a, &xla__logical_buffer_proto__descriptor);
	b->id = id;
	b->size = size;
	ADD(a, proto->buffer_assignment, logical_buffers, b);
	return b;
}

static void add_event(
	struct jr_arena *a, Xla__HeapSimulatorTrace *trace, int kind, int64_t buffer, int64_t canonical)
{
	Xla__HeapSimulatorTrace__Event *e = build_new(a, &xla__heap_simulator_trace__event__descriptor);
	e->kind = (Xla__HeapSimulatorTrace__Event__Kind)kind;
	e->buffer_id = buffer;
	e->share_with_canonical_id = canonical;
	e->instruction_name = TEXT(a, "x");
	ADD(a, trace, events, e);
}

static UNIT_IN_ARENA(test_buffers)
{
	struct jr_arena *a = *state;
	Xla__HloProto *proto = build_module(a, "m");
	Xla__LogicalBufferProto *by_id = add_buffer(a, proto, 5, INT64_C(1) << 40);
	by_id->defined_at = build_new(a, &xla__logical_buffer_proto__location__descriptor);
	by_id->defined_at->instruction_id = 77;
	by_id->defined_at->instruction_name = TEXT(a, "ignored");
	ADD(a, by_id->defined_at, shape_index, 1);
	ADD(a, by_id->defined_at, shape_index, 0);
	Xla__LogicalBufferProto *by_name = add_buffer(a, proto, 6, -1);
	by_name->defined_at = build_new(a, &xla__logical_buffer_proto__location__descriptor);
	by_name->defined_at->instruction_name = TEXT(a, "fusion.3");
	add_buffer(a, proto, 7, 0);
	Xla__HeapSimulatorTrace *trace = build_new(a, &xla__heap_simulator_trace__descriptor);
	add_event(a, trace, JR_HLO_ALLOC, 5, 3);
	add_event(a, trace, JR_HLO_SHARE_WITH, 6, 5);
	add_event(a, trace, 3, 6, 0); /* an unknown kind of a later version */
	add_event(a, trace, JR_HLO_FREE, 6, 0);
	ADD(a, proto->buffer_assignment, heap_simulator_traces, trace);
	ADD(a, proto->buffer_assignment, heap_simulator_traces,
		(Xla__HeapSimulatorTrace *)build_new(a, &xla__heap_simulator_trace__descriptor));
	struct jr_hlo hlo = build_decode(proto);

	assert_int_equal(hlo.n_buffers, 3);
	assert_int_equal(hlo.buffers[0].id, 5);
	assert_true(hlo.buffers[0].size_bytes == UINT64_C(1) << 40);
	assert_int_equal(hlo.buffers[0].instruction_id, 77);
	assert_string_equal(hlo.buffers[0].defined_name, "");
	assert_int_equal(hlo.buffers[0].n_shape_index, 2);
	assert_int_equal(hlo.buffers[0].shape_index[0], 1);
	assert_int_equal(hlo.buffers[1].size_bytes, 0);
	assert_string_equal(hlo.buffers[1].defined_name, "fusion.3");
	assert_string_equal(hlo.buffers[2].defined_name, "");
	assert_int_equal(hlo.n_traces, 2);
	assert_int_equal(hlo.traces[1].n_events, 0);
	assert_int_equal(hlo.traces[0].n_events, 3);
	const struct jr_hlo_heap_event *e = hlo.traces[0].events;
	assert_int_equal(e[0].kind, JR_HLO_ALLOC);
	assert_int_equal(e[0].buffer_id, 5);
	assert_int_equal(e[0].canonical_id, 0); /* used only in SHARE_WITH */
	assert_string_equal(e[0].instruction_name, "x");
	assert_int_equal(e[1].kind, JR_HLO_SHARE_WITH);
	assert_int_equal(e[1].canonical_id, 5);
	assert_int_equal(e[2].kind, JR_HLO_FREE);
	jr_hlo_done(&hlo);
}

static Xla__BufferAllocationProto *add_allocation(
	struct jr_arena *a, Xla__HloProto *proto, int64_t index, int64_t size)
{
	if (!proto->buffer_assignment)
		proto->buffer_assignment = build_new(a, &xla__buffer_assignment_proto__descriptor);
	Xla__BufferAllocationProto *m = build_new(a, &xla__buffer_allocation_proto__descriptor);
	m->index = index;
	m->size = size;
	ADD(a, proto->buffer_assignment, buffer_allocations, m);
	return m;
}

static void assign(struct jr_arena *a, Xla__BufferAllocationProto *allocation, int64_t buffer,
	int64_t offset, int64_t size)
{
	Xla__BufferAllocationProto__Assigned *m =
		build_new(a, &xla__buffer_allocation_proto__assigned__descriptor);
	m->logical_buffer_id = buffer;
	m->offset = offset;
	m->size = size;
	ADD(a, allocation, assigned, m);
}

/* Each flag alone; sizes below 0 become 0; unknown buffers are kept. */
static UNIT_IN_ARENA(test_allocations)
{
	struct jr_arena *a = *state;
	Xla__HloProto *proto = build_module(a, "m");
	Xla__BufferAllocationProto *parameter = add_allocation(a, proto, 3, INT64_C(1) << 40);
	parameter->is_entry_computation_parameter = parameter->maybe_live_out = true;
	parameter->parameter_number = 7;
	assign(a, parameter, 5, 0, INT64_C(1) << 40);
	assign(a, parameter, 99, 256, 8);
	assign(a, parameter, -1, -256, -8);
	Xla__BufferAllocationProto *constant = add_allocation(a, proto, 4, -1);
	constant->is_constant = true;
	constant->parameter_number = 9; /* used only in parameters */
	add_allocation(a, proto, 5, 24)->is_thread_local = true;
	add_allocation(a, proto, 6, 4096)->color = 5;
	Xla__BufferAllocationProto *largest = add_allocation(a, proto, -1, JR_MOST_BYTES);
	largest->color = 1;
	struct jr_hlo hlo = build_decode(proto);

	const struct jr_hlo_allocation *m = hlo.allocations;
	assert_int_equal(hlo.n_allocations, 5);
	assert_int_equal(m[0].index, 3);
	assert_true(m[0].size_bytes == UINT64_C(1) << 40);
	assert_true(m[0].parameter && m[0].live_out && !m[0].constant && !m[0].thread_local);
	assert_int_equal(m[0].parameter_number, 7);
	assert_int_equal(m[0].n_assigned, 3);
	assert_int_equal(m[0].assigned[1].buffer_id, 99);
	assert_int_equal(m[0].assigned[1].offset_bytes, 256);
	assert_int_equal(m[0].assigned[1].size_bytes, 8);
	assert_int_equal(m[0].assigned[2].buffer_id, -1);
	assert_int_equal(m[0].assigned[2].offset_bytes, 0);
	assert_int_equal(m[0].assigned[2].size_bytes, 0);
	assert_true(m[1].constant && !m[1].parameter && !m[1].live_out && !m[1].host);
	assert_int_equal(m[1].size_bytes, 0);
	assert_int_equal(m[1].parameter_number, 0);
	assert_true(m[2].thread_local && !m[2].host);
	assert_true(m[3].host);
	assert_true(!m[4].host); /* another space of the device */
	assert_true(m[4].size_bytes == (uint64_t)JR_MOST_BYTES);
	jr_hlo_done(&hlo);
	largest->size = INT64_MAX;
	struct jr_limits limits = jr_limits_default();
	build_refused(proto, &limits, JR_EFORMAT, "it states a buffer of 9223372036854775807 bytes");
}

/* More rows than the limit, or more than memory allows: refused, regardless of what they state. */
static UNIT_IN_ARENA(test_allocation_limits)
{
	struct jr_arena *a = *state;
	struct jr_limits limits = jr_limits_default();
	Xla__HloProto *proto = build_module(a, "m");
	for (int i = 0; i < 9; i++)
		add_allocation(a, proto, i, 1);
	limits.rows = 8;
	build_refused(proto, &limits, JR_ELIMIT, "9 allocations");
	limits = jr_limits_default();
	limits.memory_bytes = 1 << 16;
	Xla__BufferAllocationProto *large = proto->buffer_assignment->buffer_allocations[0];
	enum { MANY = 20000 };
	Xla__BufferAllocationProto__Assigned *one =
		build_new(a, &xla__buffer_allocation_proto__assigned__descriptor);
	large->assigned = JR_ARENA_N(a, Xla__BufferAllocationProto__Assigned *, MANY);
	for (large->n_assigned = 0; large->n_assigned < MANY; large->n_assigned++)
		large->assigned[large->n_assigned] = one;
	build_refused(proto, &limits, JR_ELIMIT, "");
}
