/* formats/hlo against bytes: hand-written numbers, unknown fields, damage, limits. */
#include "hlo_build.h"

#include "base/buf.h"

/* --- bytes by hand ------------------------------------------------------------------------- */

static void put_varint(struct jr_buf *out, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		jr_buf_putc(out, (char)(value | 0x80));
	jr_buf_putc(out, (char)value);
}

static void put_number(struct jr_buf *out, uint32_t field, uint64_t value)
{
	put_varint(out, (uint64_t)field << 3);
	put_varint(out, value);
}

static void put_bytes(struct jr_buf *out, uint32_t field, const void *data, size_t size)
{
	put_varint(out, (uint64_t)field << 3 | 2);
	put_varint(out, size);
	jr_buf_add(out, data, size);
}

/* Put `inner` as a field of `out` and empty it. */
static void put_message(struct jr_buf *out, uint32_t field, struct jr_buf *inner)
{
	put_bytes(out, field, inner->data, inner->size);
	inner->size = 0;
}

/* Wrap the fields of one instruction into an HloProto: hlo_module 1, computations 3,
 * instructions 2. */
static void wrap(struct jr_buf *instruction)
{
	static const uint32_t path[] = {2, 3, 1};
	for (size_t i = 0; i < JR_COUNT_OF(path); i++) {
		struct jr_buf outer = {0};
		put_message(&outer, path[i], instruction);
		jr_buf_done(instruction);
		*instruction = outer;
	}
}

static struct jr_hlo decode(const struct jr_buf *in)
{
	struct jr_limits limits = jr_limits_default();
	struct jr_error err = {.message = ""};
	struct jr_hlo hlo;
	if (jr_hlo_decode(jr_buf_view(in), &limits, &hlo, &err) != JR_OK)
		fail_msg("%s", err.message);
	return hlo;
}

static void refused(const struct jr_buf *in, enum jr_status status, const char *expected)
{
	struct jr_limits limits = jr_limits_default();
	struct jr_error err = {.message = ""};
	struct jr_hlo hlo;
	assert_int_equal(jr_hlo_decode(jr_buf_view(in), &limits, &hlo, &err), status);
	if (!strstr(err.message, expected))
		fail_msg("'%s' is not in '%s'", expected, err.message);
	assert_int_equal(jr_hlo_decode(jr_buf_view(in), &limits, &hlo, NULL), status);
}

/* Field numbers as listed in proto/README.md, without the generated code. */
static UNIT_IN_ARENA(test_numbers)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf i = {0};
	JR_CLEANUP(jr_buf_done) struct jr_buf m = {0};
	JR_CLEANUP(jr_buf_done) struct jr_buf n = {0};
	put_bytes(&i, 1, "n", 1);
	put_bytes(&i, 2, "op", 2);
	put_number(&n, 1, 0); /* minor_to_major, not packed */
	put_number(&n, 8, 5);
	put_number(&m, 2, 16);
	put_bytes(&m, 3, "\x80\x01", 2); /* packed 128 */
	put_message(&m, 5, &n);
	put_message(&i, 3, &m);
	put_bytes(&m, 2, "on", 2);
	put_bytes(&m, 3, "sf", 2);
	put_number(&m, 4, 7);
	put_bytes(&m, 16, "sn", 2);
	put_message(&i, 7, &m);
	put_bytes(&i, 28, "cct", 3);
	put_number(&i, 35, 11);
	put_bytes(&i, 36, "\x01\x02", 2);
	put_number(&i, 36, 3); /* packed and not packed may mix */
	put_bytes(&m, 1, "\x00\x01\x02", 3);
	put_message(&i, 49, &m);
	wrap(&i);
	struct jr_hlo hlo = decode(&i);
	const struct jr_hlo_instruction *x = &hlo.instructions[0];
	assert_string_equal(x->name, "n");
	assert_string_equal(x->opcode, "op");
	assert_string_equal(x->op_name, "on");
	assert_string_equal(x->source_file, "sf");
	assert_int_equal(x->source_line, 7);
	assert_string_equal(x->scheduling_name, "sn");
	assert_string_equal(x->custom_call_target, "cct");
	assert_int_equal(x->id, 11);
	assert_int_equal(x->n_operands, 3);
	assert_int_equal(x->operand_ids[2], 3);
	assert_int_equal(x->shape->element_type, 16);
	assert_int_equal(x->shape->dimensions[0], 128);
	assert_true(x->shape->host_memory);
	assert_int_equal(x->shape->minor_to_major[0], 0);
	assert_int_equal(x->group_size, 3);
	jr_hlo_done(&hlo);
}

/* A NUL does not end a text: the bytes after it are kept, and the bytes that replace a NUL are
 * not mistaken for one. Both ways of reading a text. */
static UNIT_IN_ARENA(test_nuls)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf i = {0};
	JR_CLEANUP(jr_buf_done) struct jr_buf m = {0};
	put_bytes(&i, 1, "n\0<b>", 5);
	put_bytes(&i, 2, "\0\0", 2);
	put_bytes(&m, 2, "\xFF\0\xFE\0", 4);
	put_bytes(&m, 3, "plain", 5);
	put_message(&i, 7, &m);
	put_message(&m, 2, &i);
	put_bytes(&m, 1, "c\0d", 3);
	put_message(&i, 3, &m);
	put_message(&m, 1, &i);
	struct jr_hlo hlo = decode(&m);
	assert_string_equal(hlo.computations[0].name, "c\u2400d");
	assert_string_equal(hlo.instructions[0].name, "n\u2400<b>");
	assert_string_equal(hlo.instructions[0].opcode, "\u2400\u2400");
	assert_string_equal(hlo.instructions[0].op_name, "\uFFFD\u2400\uFFFD\u2400");
	assert_string_equal(hlo.instructions[0].source_file, "plain");
	jr_hlo_done(&hlo);
}

/* Messages that the XLA of the sample archives does not have yet. */
static UNIT_IN_ARENA(test_newer_numbers)
{
	static const uint32_t sources[] = {87, 92, 93};
	static const uint32_t sizes[] = {6, 6, 10};
	static const uint8_t from[] = {
		JR_HLO_GROUP_DEVICE_LIST_IOTA, JR_HLO_GROUP_IOTA, JR_HLO_GROUP_MESH_AXES};
	for (size_t k = 0; k < JR_COUNT_OF(sources); k++) {
		JR_CLEANUP(jr_buf_done) struct jr_buf i = {0};
		JR_CLEANUP(jr_buf_done) struct jr_buf m = {0};
		JR_CLEANUP(jr_buf_done) struct jr_buf n = {0};
		JR_CLEANUP(jr_buf_done) struct jr_buf o = {0};
		if (sources[k] == 93) { /* mesh 1 {axes 1 {name 1, size 2}}, axes 2 {index 1, sub 2} */
			put_bytes(&n, 1, "data", 4);
			put_number(&n, 2, 5);
			put_message(&m, 1, &n);
			put_message(&o, 1, &m);
			put_number(&m, 1, 0);
			put_message(&o, 2, &m);
			put_number(&n, 1, 1);
			put_number(&n, 2, 2);
			put_message(&m, 2, &n);
			put_message(&o, 2, &m);
		} else {
			put_number(&m, 1, 4);
			put_number(&m, 2, 6);
			put_message(sources[k] == 87 ? &o : &n, 2, &m);
			if (sources[k] == 92) {
				put_number(&o, 1, 4);
				put_number(&o, 2, 6);
			}
		}
		put_message(&i, sources[k], &o);
		wrap(&i);
		struct jr_hlo hlo = decode(&i);
		assert_int_equal(hlo.instructions[0].group_size, sizes[k]);
		assert_int_equal(hlo.instructions[0].group_size_from, from[k]);
		jr_hlo_done(&hlo);
	}
}

/* Field 92 was an enum for a time; protobuf requires skipping a field with another wire type. */
static UNIT_IN_ARENA(test_other_wire_type)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf i = {0};
	put_number(&i, 92, 3);
	put_number(&i, 1, 3);	   /* a name that is a number */
	put_number(&i, 3, 3);	   /* a shape that is one */
	put_bytes(&i, 35, "x", 1); /* an id that is a text */
	put_varint(&i, 2 << 3 | 5);
	jr_buf_add(&i, "abcd", 4);
	put_varint(&i, 28 << 3 | 1);
	jr_buf_add(&i, "abcdefgh", 8);
	put_bytes(&i, 36, "\x05", 1);
	wrap(&i);
	struct jr_hlo hlo = decode(&i);
	const struct jr_hlo_instruction *x = &hlo.instructions[0];
	assert_int_equal(x->group_size, 0);
	assert_string_equal(x->name, "");
	assert_string_equal(x->opcode, "");
	assert_string_equal(x->custom_call_target, "");
	assert_int_equal(x->id, 0);
	assert_int_equal(x->operand_ids[0], 5);
	jr_hlo_done(&hlo);
}

/* A field number or length may take more bytes than it needs. */
static UNIT_IN_ARENA(test_long_varints)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf i = {0};
	jr_buf_add(&i,
		"\x8a\x80\x80\x00\x83\x80\x80\x80\x80\x80\x00"
		"abc",
		14); /* name, 3 bytes */
	jr_buf_add(&i, "\xca\x85\x80\x00\x82\x80\x80\x80\x80\x80\x80\x80\x80\x00\x0a\x00", 16);
	wrap(&i);
	struct jr_hlo hlo = decode(&i);
	assert_string_equal(hlo.instructions[0].name, "abc");
	jr_hlo_done(&hlo);
}

/* Literals and backend_config are skipped: they use none of the memory limit. */
static UNIT_IN_ARENA(test_bulk_is_skipped)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf bulk = {0};
	JR_CLEANUP(jr_buf_done) struct jr_buf i = {0};
	jr_buf_repeat(&bulk, 'x', 8 << 20);
	put_bytes(&i, 1, "n", 1);
	put_bytes(&i, 8, bulk.data, bulk.size);
	put_bytes(&i, 43, bulk.data, bulk.size);
	wrap(&i);
	struct jr_limits limits = jr_limits_default();
	limits.memory_bytes = 100000;
	struct jr_error err = {.message = ""};
	struct jr_hlo hlo;
	if (jr_hlo_decode(jr_buf_view(&i), &limits, &hlo, &err) != JR_OK)
		fail_msg("%s", err.message);
	assert_string_equal(hlo.instructions[0].name, "n");
	jr_hlo_done(&hlo);
}

/* --- damage -------------------------------------------------------------------------------- */

static UNIT_IN_ARENA(test_garbage)
{
	static const struct {
		const char *bytes;
		size_t size;
		const char *message;
	} cases[] = {
		{"", 0, "no HLO module in 0 bytes"}, {"\x08\x01", 2, "no HLO module in 2 bytes"},
		{"\x00\x01", 2, "not a protobuf field at offset 0"},
		{"\x0a\x02\x08", 3, "protobuf field 1 (wire type 2) at offset 0 is cut short"},
		{"\x0a\x02\x08\x80", 4, "field 1 (wire type 0) at offset 2 is cut short"},
		{"\x0a\x01\x0b", 3, "field 1 (wire type 3) at offset 2"},
		{"\x0a\x02\x0f\x00", 4, "field 1 (wire type 7) at offset 2"},
		{"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11, "field 1 (wire type 2) at offset 0"},
		{"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 11, "field 1 (wire type 2) at offset 0"},
		{"\x80\x80\x80\x80\x80\x01\x00", 7, "not a protobuf field at offset 0"},
		{"\x0a\x04\x1a\x02\x12\x7f", 6, "field 2 (wire type 2) at offset 4"},
		{"\x0a\x06\x1a\x04\x12\x02\x0a\x05", 8, "field 1 (wire type 2) at offset 6"},
		{"\xfd\x37\x7a\x58\x5a\x00", 6, "no HLO module in 6 bytes"}, /* still compressed */
	};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		JR_CLEANUP(jr_buf_done) struct jr_buf in = {0};
		jr_buf_add(&in, cases[i].bytes, cases[i].size);
		refused(&in, JR_EFORMAT, cases[i].message);
	}
}

static UNIT_IN_ARENA(test_twice)
{
	static const uint32_t fields[] = {3, 7, 87, 92};
	for (size_t k = 0; k < JR_COUNT_OF(fields); k++) {
		JR_CLEANUP(jr_buf_done) struct jr_buf i = {0};
		put_bytes(&i, fields[k], "", 0);
		put_bytes(&i, fields[k], "", 0);
		wrap(&i);
		refused(&i, JR_EFORMAT, fields[k] < 10 ? "two shapes or metadata" : "occurs twice");
	}
	/* a module in two parts is one module */
	JR_CLEANUP(jr_buf_done) struct jr_buf parts = {0};
	put_bytes(&parts, 1,
		"\x1a\x04\x0a\x02"
		"c1",
		6);
	put_bytes(&parts, 1,
		"\x1a\x04\x0a\x02"
		"c2",
		6);
	struct jr_hlo hlo = decode(&parts);
	assert_int_equal(hlo.n_computations, 2);
	assert_string_equal(hlo.computations[1].name, "c2");
	jr_hlo_done(&hlo);
	put_bytes(&parts, 1, "\x8a\x01\x00\x8a\x01\x00", 6);
	refused(&parts, JR_EFORMAT, "second stack frame index");
}

/* Build a module with every kind of content. */
static Xla__HloProto *rich(struct jr_arena *a)
{
	Xla__HloProto *proto = build_module(a, "jit_f");
	proto->hlo_module->entry_computation_id = 1;
	Xla__HloComputationProto *c = build_computation(a, proto, "main", 1);
	Xla__HloInstructionProto *i = build_instruction(a, c, "all-reduce.1", "all-reduce", 3);
	i->shape = build_shape(a, XLA__PRIMITIVE_TYPE__TUPLE, -1);
	ADD(a, i->shape, tuple_shapes,
		build_layout(a, build_shape(a, XLA__PRIMITIVE_TYPE__F32, 300, 5, -1), 5));
	i->metadata = build_new(a, &xla__op_metadata__descriptor);
	i->metadata->op_name = TEXT(a, "jit(f)/psum");
	i->metadata->stack_frame_id = 1;
	ADD(a, i, operand_ids, 1000);
	ADD(a, i, called_computation_ids, 1);
	Xla__ReplicaGroup *group = build_new(a, &xla__replica_group__descriptor);
	ADD(a, group, replica_ids, 0);
	ADD(a, i, replica_groups, group);
	i->collective_device_list = build_new(a, &xla__collective_device_list_proto__descriptor);
	ADD(a, i->collective_device_list, replica_groups, group);
	i->iota_collective_device_list = build_new(a, &xla__iota_replica_group_list_proto__descriptor);
	i->iota_collective_device_list->num_devices_per_group = 4;
	Xla__StackFrameIndexProto *index = build_new(a, &xla__stack_frame_index_proto__descriptor);
	proto->hlo_module->stack_frame_index = index;
	ADD(a, index, file_names, TEXT(a, "/a.py"));
	Xla__StackFrameIndexProto__FileLocation *at =
		build_new(a, &xla__stack_frame_index_proto__file_location__descriptor);
	at->file_name_id = 1;
	ADD(a, index, file_locations, at);
	Xla__StackFrameIndexProto__StackFrame *frame =
		build_new(a, &xla__stack_frame_index_proto__stack_frame__descriptor);
	frame->file_location_id = 1;
	ADD(a, index, stack_frames, frame);
	proto->buffer_assignment = build_new(a, &xla__buffer_assignment_proto__descriptor);
	Xla__LogicalBufferProto *buffer = build_new(a, &xla__logical_buffer_proto__descriptor);
	buffer->size = 6000;
	buffer->defined_at = build_new(a, &xla__logical_buffer_proto__location__descriptor);
	ADD(a, buffer->defined_at, shape_index, 1);
	ADD(a, proto->buffer_assignment, logical_buffers, buffer);
	Xla__HeapSimulatorTrace *trace = build_new(a, &xla__heap_simulator_trace__descriptor);
	Xla__HeapSimulatorTrace__Event *event =
		build_new(a, &xla__heap_simulator_trace__event__descriptor);
	event->instruction_name = TEXT(a, "all-reduce.1");
	ADD(a, trace, events, event);
	ADD(a, proto->buffer_assignment, heap_simulator_traces, trace);
	return proto;
}

/* Cut after every byte: refused, except at the end of a whole field of the outermost message. */
static UNIT_IN_ARENA(test_truncation)
{
	struct jr_limits limits = jr_limits_default();
	struct jr_bytes whole = build_pack(rich(*state));
	size_t module_end =
		whole.size -
		xla__buffer_assignment_proto__get_packed_size(rich(*state)->buffer_assignment) - 2;
	for (size_t n = 0; n < whole.size; n++) {
		uint8_t *cut = malloc(n ? n : 1);
		assert_non_null(cut);
		memcpy(cut, whole.data, n);
		struct jr_error err = {.message = ""};
		struct jr_hlo hlo;
		enum jr_status status = jr_hlo_decode(jr_bytes_of(cut, n), &limits, &hlo, &err);
		assert_int_equal(status, n == module_end ? JR_OK : JR_EFORMAT);
		if (status == JR_OK)
			jr_hlo_done(&hlo);
		free(cut);
	}
	build_free(whole);
}

/* Any byte replaced by any other: decoded or refused, nothing else (run it under ASan). */
static UNIT_IN_ARENA(test_damage)
{
	struct jr_limits limits = jr_limits_default();
	limits.memory_bytes = 64 << 20;
	struct jr_bytes whole = build_pack(rich(*state));
	uint8_t *damaged = malloc(whole.size);
	assert_non_null(damaged);
	size_t n_decoded = 0, n_refused = 0;
	for (size_t at = 0; at < whole.size; at++) {
		memcpy(damaged, whole.data, whole.size);
		for (int value = 0; value < 256; value += at % 3 + 1) {
			damaged[at] = (uint8_t)value;
			struct jr_error err = {.message = ""};
			struct jr_hlo hlo;
			if (jr_hlo_decode(jr_bytes_of(damaged, whole.size), &limits, &hlo, &err) != JR_OK) {
				assert_true(err.message[0] != '\0');
				n_refused++;
				continue;
			}
			n_decoded++;
			jr_hlo_done(&hlo);
		}
	}
	assert_true(n_decoded > 1000 && n_refused > 1000);
	free(damaged);
	build_free(whole);
}

/* --- limits -------------------------------------------------------------------------------- */

static UNIT_IN_ARENA(test_limits)
{
	struct jr_arena *a = *state;
	Xla__HloProto *proto = rich(a);
	struct jr_limits limits = jr_limits_default();
	limits.string_bytes = 11;
	build_refused(proto, &limits, JR_ELIMIT, "--max-string-bytes");
	limits = jr_limits_default();
	limits.rows = 0;
	build_refused(proto, &limits, JR_ELIMIT, "--max-rows");
	for (uint64_t memory = 0; memory < 30000; memory += 500) {
		limits = jr_limits_default();
		limits.memory_bytes = memory + 1;
		struct jr_bytes bytes = build_pack(proto);
		struct jr_error err = {.message = ""};
		struct jr_hlo hlo;
		enum jr_status status = jr_hlo_decode(bytes, &limits, &hlo, &err);
		build_free(bytes);
		if (status == JR_OK) {
			assert_true(memory > 10000);
			jr_hlo_done(&hlo);
		} else {
			assert_int_equal(status, JR_ELIMIT);
			assert_non_null(strstr(err.message, "--max-memory"));
		}
	}
}

/* Two bytes per element, a hundred times that in memory: the limit must stop each of them. */
static UNIT_IN_ARENA(test_amplification)
{
	static const uint8_t paths[][5] = {
		{3, 0},			 /* hlo_module.computations */
		{3, 2, 0},		 /* .instructions */
		{3, 2, 3, 4, 0}, /* .shape.tuple_shapes */
		{3, 2, 49, 0},	 /* .replica_groups */
		{17, 4, 0},		 /* stack_frame_index.stack_frames */
		{17, 1, 0},		 /* .file_names */
		{19, 1, 0},		 /* frontend_attributes.map */
	};
	for (size_t k = 0; k < JR_COUNT_OF(paths); k++) {
		JR_CLEANUP(jr_buf_done) struct jr_buf in = {0};
		size_t depth = strlen((const char *)paths[k]);
		for (int i = 0; i < 1000000; i++)
			put_bytes(&in, paths[k][depth - 1], "", 0);
		while (--depth > 0) {
			struct jr_buf outer = {0};
			put_message(&outer, paths[k][depth - 1], &in);
			jr_buf_done(&in);
			in = outer;
		}
		struct jr_buf proto = {0};
		put_message(&proto, 1, &in);
		jr_buf_done(&in);
		in = proto;
		struct jr_limits limits = jr_limits_default();
		limits.memory_bytes = 16 << 20;
		struct jr_error err = {.message = ""};
		struct jr_hlo hlo;
		assert_int_equal(jr_hlo_decode(jr_buf_view(&in), &limits, &hlo, &err), JR_ELIMIT);
		assert_non_null(strstr(err.message, "--max-memory"));
	}
}
