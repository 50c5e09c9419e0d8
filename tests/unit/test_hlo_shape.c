/* Shapes: decoding, bytes, text. */
#include "hlo_build.h"

/* Decode a module of one instruction with that shape; the caller calls jr_hlo_done(). */
static struct jr_hlo decode_shape(struct jr_arena *a, Xla__ShapeProto *shape)
{
	Xla__HloProto *proto = build_module(a, "m");
	build_instruction(a, build_computation(a, proto, "c", 1), "x", "add", 1)->shape = shape;
	return build_decode(proto);
}

static void assert_shape(
	struct jr_arena *a, Xla__ShapeProto *from, uint64_t bytes, const char *text)
{
	struct jr_hlo hlo = decode_shape(a, from);
	const struct jr_hlo_shape *shape = hlo.instructions[0].shape;
	assert_string_equal(jr_hlo_shape_text(shape, a), text);
	if (jr_hlo_shape_bytes(shape) != bytes)
		fail_msg("%s: %llu bytes, not %llu", text, (unsigned long long)jr_hlo_shape_bytes(shape),
			(unsigned long long)bytes);
	jr_hlo_done(&hlo);
}

static Xla__ShapeProto *tuple_of(
	struct jr_arena *a, Xla__ShapeProto *first, Xla__ShapeProto *second)
{
	Xla__ShapeProto *tuple = build_shape(a, XLA__PRIMITIVE_TYPE__TUPLE, -1);
	ADD(a, tuple, tuple_shapes, first);
	if (second)
		ADD(a, tuple, tuple_shapes, second);
	return tuple;
}

/* The numbers are repeated here, so that an error in proto/hlo.proto is noticed. */
static UNIT_IN_ARENA(test_element_bits)
{
	static const struct {
		unsigned type, bits;
	} known[] = {{0, 0}, {1, 8}, {2, 8}, {3, 16}, {4, 32}, {5, 64}, {6, 8}, {7, 16}, {8, 32},
		{9, 64}, {10, 16}, {11, 32}, {12, 64}, {13, 0}, {14, 0}, {15, 64}, {16, 16}, {17, 0},
		{18, 128}, {19, 8}, {20, 8}, {21, 4}, {22, 4}, {23, 8}, {24, 8}, {25, 8}, {26, 2}, {27, 2},
		{28, 8}, {29, 8}, {30, 1}, {31, 1}, {32, 4}, {33, 8}, {34, 0}, {35, 0}, {255, 0},
		{1000000, 0}};
	for (size_t i = 0; i < JR_COUNT_OF(known); i++)
		if (jr_hlo_element_bits(known[i].type) != known[i].bits)
			fail_msg("type %u: %u bits", known[i].type, jr_hlo_element_bits(known[i].type));
}

static UNIT_IN_ARENA(test_arrays)
{
	struct jr_arena *a = *state;
	assert_shape(a, build_shape(a, XLA__PRIMITIVE_TYPE__F32, -1), 4, "f32[]");
	assert_shape(a, build_layout(a, build_shape(a, XLA__PRIMITIVE_TYPE__BF16, 128, 2048, -1), 0),
		128 * 2048 * 2, "bf16[128,2048]{1,0}");
	assert_shape(a, build_shape(a, XLA__PRIMITIVE_TYPE__C128, 3, -1), 48, "c128[3]");
	assert_shape(a, build_shape(a, XLA__PRIMITIVE_TYPE__F64, 3, 0, 5, -1), 0, "f64[3,0,5]");
	assert_shape(a, build_shape(a, XLA__PRIMITIVE_TYPE__TOKEN, -1), 0, "token[]");
	assert_shape(a, build_shape(a, 200, 7, -1), 0, "type200[7]");
	assert_shape(a, build_shape(a, 300, 7, -1), 0, "type0[7]");
	assert_shape(a, build_shape(a, -3, 7, -1), 0, "type0[7]");
}

static UNIT_IN_ARENA(test_sub_byte)
{
	struct jr_arena *a = *state;
	assert_shape(a, build_shape(a, XLA__PRIMITIVE_TYPE__F4E2M1FN, 3, -1), 2, "f4e2m1fn[3]");
	assert_shape(a, build_shape(a, XLA__PRIMITIVE_TYPE__S4, 8, -1), 4, "s4[8]");
	assert_shape(a, build_shape(a, XLA__PRIMITIVE_TYPE__U2, 5, -1), 2, "u2[5]");
	assert_shape(a, build_shape(a, XLA__PRIMITIVE_TYPE__S1, 9, -1), 2, "s1[9]");
	assert_shape(a, build_shape(a, XLA__PRIMITIVE_TYPE__F8E8M0FNU, 9, -1), 9, "f8e8m0fnu[9]");
	/* rounded up for each array of a tuple, not for the sum */
	assert_shape(a,
		tuple_of(a, build_shape(a, XLA__PRIMITIVE_TYPE__U4, 1, -1),
			build_shape(a, XLA__PRIMITIVE_TYPE__U4, 1, -1)),
		2, "(u4[1], u4[1])");
}

static UNIT_IN_ARENA(test_too_large)
{
	struct jr_arena *a = *state;
	Xla__ShapeProto *shape = build_shape(a, XLA__PRIMITIVE_TYPE__S8, -1);
	ADD(a, shape, dimensions, INT64_MAX);
	ADD(a, shape, dimensions, 2);
	assert_shape(a, shape, UINT64_MAX - 1, "s8[9223372036854775807,2]");
	shape->dimensions[1] = 3;
	assert_shape(a, shape, UINT64_MAX, "s8[9223372036854775807,3]");
	assert_shape(a, tuple_of(a, shape, shape), UINT64_MAX,
		"(s8[9223372036854775807,3], s8[9223372036854775807,3])");
	ADD(a, shape, dimensions, 0);
	assert_shape(a, shape, 0, "s8[9223372036854775807,3,0]");
	shape = build_shape(a, XLA__PRIMITIVE_TYPE__S4, -1);
	ADD(a, shape, dimensions, INT64_MAX);
	ADD(a, shape, dimensions, 2);
	assert_shape(a, shape, INT64_MAX, "s4[9223372036854775807,2]");
	ADD(a, shape, dimensions, -7); /* an unbounded dimension */
	assert_shape(a, shape, 0, "s4[9223372036854775807,2,0]");
}

static UNIT_IN_ARENA(test_layout)
{
	struct jr_arena *a = *state;
	Xla__ShapeProto *shape = build_shape(a, XLA__PRIMITIVE_TYPE__F32, 2, 3, -1);
	build_layout(a, shape, 5);
	struct jr_hlo hlo = decode_shape(a, shape);
	assert_true(hlo.instructions[0].shape->host_memory);
	assert_int_equal(hlo.instructions[0].shape->minor_to_major[0], 1);
	assert_int_equal(hlo.instructions[0].shape->minor_to_major[1], 0);
	jr_hlo_done(&hlo);

	shape->layout->memory_space = 1;
	shape->layout->minor_to_major[1] = 2; /* no such dimension */
	hlo = decode_shape(a, shape);
	assert_false(hlo.instructions[0].shape->host_memory);
	assert_null(hlo.instructions[0].shape->minor_to_major);
	jr_hlo_done(&hlo);

	shape->layout->minor_to_major[1] = -1;
	hlo = decode_shape(a, shape);
	assert_null(hlo.instructions[0].shape->minor_to_major);
	jr_hlo_done(&hlo);

	shape->layout->minor_to_major[1] = 0;
	shape->layout->n_minor_to_major = 1;
	hlo = decode_shape(a, shape);
	assert_null(hlo.instructions[0].shape->minor_to_major);
	assert_int_equal(hlo.instructions[0].shape->n_dimensions, 2);
	jr_hlo_done(&hlo);
}

static UNIT_IN_ARENA(test_tuples)
{
	struct jr_arena *a = *state;
	Xla__ShapeProto *f32 = build_shape(a, XLA__PRIMITIVE_TYPE__F32, 4, -1);
	Xla__ShapeProto *host = build_layout(a, build_shape(a, XLA__PRIMITIVE_TYPE__S8, 3, -1), 5);
	assert_shape(a, build_shape(a, XLA__PRIMITIVE_TYPE__TUPLE, -1), 0, "()");
	assert_shape(a, tuple_of(a, tuple_of(a, f32, NULL), host), 19, "((f32[4]), s8[3]{0})");
	struct jr_hlo hlo = decode_shape(a, tuple_of(a, tuple_of(a, f32, NULL), host));
	const struct jr_hlo_shape *shape = hlo.instructions[0].shape;
	assert_int_equal(shape->element_type, 13);
	assert_int_equal(shape->n_tuple, 2);
	assert_int_equal(shape->tuple[0].n_tuple, 1);
	assert_int_equal(shape->tuple[0].tuple[0].dimensions[0], 4);
	assert_true(shape->tuple[1].host_memory);
	jr_hlo_done(&hlo);
	/* BUFFER wraps the shape of its contents */
	Xla__ShapeProto *buffer = build_shape(a, XLA__PRIMITIVE_TYPE__BUFFER, -1);
	ADD(a, buffer, tuple_shapes, f32);
	assert_shape(a, buffer, 16, "b(f32[4])");
}

/* Long lists end with the number of omitted parts, at any depth. */
static UNIT_IN_ARENA(test_long_text)
{
	struct jr_arena *a = *state;
	Xla__ShapeProto *tuple = build_shape(a, XLA__PRIMITIVE_TYPE__TUPLE, -1);
	for (int i = 0; i < 1000; i++)
		ADD(a, tuple, tuple_shapes, build_shape(a, XLA__PRIMITIVE_TYPE__F32, i, -1));
	struct jr_hlo hlo = decode_shape(a, tuple_of(a, tuple, tuple));
	const char *text = jr_hlo_shape_text(hlo.instructions[0].shape, a);
	assert_in_range(strlen(text), 400, 440);
	assert_memory_equal(text, "((f32[0], f32[1], f32[2], ", 26);
	assert_string_equal(strrchr(text, ','), ", 1 more)");
	assert_non_null(strstr(text, " more), 1 more)"));
	assert_int_equal(jr_hlo_shape_bytes(hlo.instructions[0].shape), 2 * 4 * 999 * 1000 / 2);
	jr_hlo_done(&hlo);

	Xla__ShapeProto *many = build_shape(a, XLA__PRIMITIVE_TYPE__F32, -1);
	for (int i = 0; i < 1000; i++)
		ADD(a, many, dimensions, 10);
	hlo = decode_shape(a, many);
	text = jr_hlo_shape_text(hlo.instructions[0].shape, a);
	assert_in_range(strlen(text), 400, 430);
	jr_hlo_done(&hlo);
}

/* A shape above 64 KiB is not cached, but still correct. */
static UNIT_IN_ARENA(test_large_shape)
{
	struct jr_arena *a = *state;
	Xla__ShapeProto *tuple = build_shape(a, XLA__PRIMITIVE_TYPE__TUPLE, -1);
	Xla__ShapeProto *element =
		build_layout(a, build_shape(a, XLA__PRIMITIVE_TYPE__F32, 3, 5, -1), 0);
	tuple->n_tuple_shapes = 20000;
	tuple->tuple_shapes = JR_ARENA_N(a, Xla__ShapeProto *, tuple->n_tuple_shapes);
	for (size_t i = 0; i < tuple->n_tuple_shapes; i++)
		tuple->tuple_shapes[i] = element;
	assert_true(xla__shape_proto__get_packed_size(tuple) > 65536);
	struct jr_hlo hlo = decode_shape(a, tuple);
	assert_int_equal(hlo.instructions[0].shape->n_tuple, 20000);
	assert_int_equal(jr_hlo_shape_bytes(hlo.instructions[0].shape), 20000 * 60);
	jr_hlo_done(&hlo);
}

static Xla__ShapeProto *nested(struct jr_arena *a, int depth)
{
	Xla__ShapeProto *shape = build_shape(a, XLA__PRIMITIVE_TYPE__F32, 1, -1);
	while (--depth > 0)
		shape = tuple_of(a, shape, NULL);
	return shape;
}

static UNIT_IN_ARENA(test_depth)
{
	struct jr_arena *a = *state;
	struct jr_limits limits = jr_limits_default();
	struct jr_hlo hlo = decode_shape(a, nested(a, 512));
	assert_int_equal(jr_hlo_shape_bytes(hlo.instructions[0].shape), 4);
	assert_int_equal(strlen(jr_hlo_shape_text(hlo.instructions[0].shape, a)) > 400, true);
	jr_hlo_done(&hlo);
	Xla__HloProto *proto = build_module(a, "m");
	Xla__HloInstructionProto *i =
		build_instruction(a, build_computation(a, proto, "c", 1), "x", "add", 1);
	i->shape = nested(a, 513);
	build_refused(proto, &limits, JR_ELIMIT, "nested");
	limits.depth = UINT64_MAX; /* more than the stack allows is never granted */
	build_refused(proto, &limits, JR_ELIMIT, "nested");
	limits.depth = 3;
	i->shape = nested(a, 4);
	build_refused(proto, &limits, JR_ELIMIT, "--max-depth");
}
