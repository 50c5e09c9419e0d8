/*
 * hlo_build.h - build an xla.HloProto with protobuf-c's generated structs, pack and decode it. For
 * the unit tests of formats/hlo. The arena owns all memory.
 */
#ifndef JR_TESTS_HLO_BUILD_H
#define JR_TESTS_HLO_BUILD_H

#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "base/cleanup.h"
#include "formats/hlo/hlo.h"
#include "hlo.pb-c.h"

static inline void *build_new(struct jr_arena *arena, const ProtobufCMessageDescriptor *type)
{
	ProtobufCMessage *message = jr_arena_alloc(arena, type->sizeof_message);
	protobuf_c_message_init(type, message);
	return message;
}

static inline void *build_grown(struct jr_arena *arena, const void *old, size_t n, size_t size)
{
	void *grown = jr_arena_alloc(arena, (n + 1) * size);
	if (n)
		memcpy(grown, old, n * size);
	return grown;
}

/* Append to a repeated field. */
#define ADD(arena, message, field, value)                                                          \
	((message)->field = build_grown(                                                               \
		 (arena), (message)->field, (message)->n_##field, sizeof(*(message)->field)),              \
		(message)->field[(message)->n_##field++] = (value))

#define TEXT(arena, s) jr_arena_strdup((arena), (s))

static inline Xla__HloProto *build_module(struct jr_arena *a, const char *name)
{
	Xla__HloProto *proto = build_new(a, &xla__hlo_proto__descriptor);
	proto->hlo_module = build_new(a, &xla__hlo_module_proto__descriptor);
	proto->hlo_module->name = TEXT(a, name);
	return proto;
}

static inline Xla__HloComputationProto *build_computation(
	struct jr_arena *a, Xla__HloProto *proto, const char *name, int64_t id)
{
	Xla__HloComputationProto *c = build_new(a, &xla__hlo_computation_proto__descriptor);
	c->name = TEXT(a, name);
	c->id = id;
	ADD(a, proto->hlo_module, computations, c);
	return c;
}

static inline Xla__HloInstructionProto *build_instruction(struct jr_arena *a,
	Xla__HloComputationProto *computation, const char *name, const char *opcode, int64_t id)
{
	Xla__HloInstructionProto *i = build_new(a, &xla__hlo_instruction_proto__descriptor);
	i->name = TEXT(a, name);
	i->opcode = TEXT(a, opcode);
	i->id = id;
	ADD(a, computation, instructions, i);
	return i;
}

/* Build an array shape; the dimensions end with -1. */
static inline Xla__ShapeProto *build_shape(struct jr_arena *a, int type, ...)
{
	Xla__ShapeProto *shape = build_new(a, &xla__shape_proto__descriptor);
	shape->element_type = (Xla__PrimitiveType)type;
	va_list args;
	va_start(args, type);
	for (int n = va_arg(args, int); n != -1; n = va_arg(args, int))
		ADD(a, shape, dimensions, n);
	va_end(args);
	return shape;
}

/* Add a layout in which the last dimension is the fastest. */
static inline Xla__ShapeProto *build_layout(
	struct jr_arena *a, Xla__ShapeProto *shape, int64_t memory_space)
{
	shape->layout = build_new(a, &xla__layout_proto__descriptor);
	shape->layout->memory_space = memory_space;
	for (size_t i = shape->n_dimensions; i > 0; i--)
		ADD(a, shape->layout, minor_to_major, (int64_t)i - 1);
	return shape;
}

/* Add instructions 1 and 2, which copy a parameter of 400 bytes from the host to the device. */
static inline void build_fetch(
	struct jr_arena *a, Xla__HloComputationProto *entry, const char *name)
{
	Xla__HloInstructionProto *host = build_instruction(a, entry, "host", "parameter", 1);
	host->shape = build_layout(a, build_shape(a, XLA__PRIMITIVE_TYPE__F32, 1000, -1), 5);
	Xla__HloInstructionProto *fetch = build_instruction(a, entry, name, "dynamic-slice", 2);
	fetch->shape = build_shape(a, XLA__PRIMITIVE_TYPE__F32, 100, -1);
	ADD(a, fetch, operand_ids, 1);
}

/* Pack into a malloc of exact size, so that ASan detects a read past it. */
static inline struct jr_bytes build_pack(const Xla__HloProto *proto)
{
	size_t size = xla__hlo_proto__get_packed_size(proto);
	uint8_t *data = malloc(size ? size : 1);
	assert_non_null(data);
	assert_int_equal(xla__hlo_proto__pack(proto, data), size);
	return jr_bytes_of(data, size);
}

static inline void build_free(struct jr_bytes bytes)
{
	union {
		const uint8_t *borrowed;
		void *owned;
	} data = {bytes.data};
	free(data.owned);
}

/* Pack and decode; fail the test on any error. */
static inline struct jr_hlo build_decode(const Xla__HloProto *proto)
{
	struct jr_limits limits = jr_limits_default();
	struct jr_error err = {.message = ""};
	struct jr_hlo hlo;
	struct jr_bytes bytes = build_pack(proto);
	if (jr_hlo_decode(bytes, &limits, &hlo, &err) != JR_OK)
		fail_msg("%s", err.message);
	build_free(bytes); /* no decoded data points into it */
	return hlo;
}

/* Pack and decode a module that must be refused; the message must contain `expected`. */
static inline void build_refused(const Xla__HloProto *proto, const struct jr_limits *limits,
	enum jr_status status, const char *expected)
{
	struct jr_error err = {.message = ""};
	struct jr_hlo hlo = {.n_frames = 77};
	struct jr_bytes bytes = build_pack(proto);
	assert_int_equal(jr_hlo_decode(bytes, limits, &hlo, &err), status);
	build_free(bytes);
	assert_int_equal(err.status, status);
	assert_int_equal(hlo.n_frames, 77); /* unchanged */
	if (!strstr(err.message, expected))
		fail_msg("'%s' is not in '%s'", expected, err.message);
}

static inline int build_setup(void **state)
{
	struct jr_arena *arena = malloc(sizeof(*arena));
	if (!arena)
		return -1;
	jr_arena_init(arena, 0);
	*state = arena;
	return 0;
}

static inline int build_teardown(void **state)
{
	jr_arena_done(*state);
	free(*state);
	return 0;
}

#define UNIT_IN_ARENA(name) UNIT_WITH(name, build_setup, build_teardown)

#endif
