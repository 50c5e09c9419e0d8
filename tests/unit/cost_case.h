/*
 * cost_case.h - programs of a few instructions, written as XLA prints them, and their cost.
 */
#ifndef JR_TESTS_COST_CASE_H
#define JR_TESTS_COST_CASE_H

#include "hlo_build.h"

#include <ctype.h>
#include <stdio.h>

#include "analysis/cost/cost.h"

struct cost_case {
	struct jr_arena *arena;
	Xla__HloProto *proto;
	Xla__HloComputationProto *entry, *at; /* at: where instructions are added */
	int64_t next_id;
	uint32_t n_devices;
	struct jr_device devices[16];
	struct jr_process processes[2]; /* devices refer to them by index */
	const char *gpu_name;           /* for all devices; NULL = unknown */
	const uint32_t *device_group;
	const char *rows[16]; /* names with rows; case_cost() adds its own */
	size_t n_rows;
};

static inline void case_begin(struct cost_case *c, struct jr_arena *arena)
{
	*c = (struct cost_case){.arena = arena, .next_id = 1, .n_devices = 4};
	c->proto = build_module(arena, "m");
	c->entry = c->at = build_computation(arena, c->proto, "main", 1000);
	c->proto->hlo_module->entry_computation_id = 1000;
}

static inline int case_type(const char *name, size_t n)
{
	static const struct {
		const char *name;
		int type;
	} types[] = {{"pred", 1}, {"s8", 2}, {"s16", 3}, {"s32", 4}, {"u8", 6}, {"u32", 8}, {"f16", 10},
		{"f32", 11}, {"f64", 12}, {"token", 17}, {"c64", 15}, {"bf16", 16}, {"c128", 18},
		{"f8e4m3fn", 20}, {"s4", 21}, {"f4e2m1fn", 32}, {"what", 99}};
	for (size_t i = 0; i < JR_COUNT_OF(types); i++)
		if (strlen(types[i].name) == n && memcmp(types[i].name, name, n) == 0)
			return types[i].type;
	fail_msg("no type '%s'", name);
	return 0;
}

/* Parse "bf16[2,3]", "host:f32[2]", "near:f32[2]", "(f32[2], s8[9])"; *at is left after the
 * shape. */
static inline Xla__ShapeProto *case_shape_at(struct jr_arena *a, const char **at)
{
	Xla__ShapeProto *shape = build_new(a, &xla__shape_proto__descriptor);
	const char *s = *at;
	if (*s == '(') {
		shape->element_type = XLA__PRIMITIVE_TYPE__TUPLE;
		for (s++; *s != ')';) {
			ADD(a, shape, tuple_shapes, case_shape_at(a, &s));
			while (*s == ',' || *s == ' ')
				s++;
		}
		*at = s + 1;
		return shape;
	}
	bool host = strncmp(s, "host:", 5) == 0;
	bool near = strncmp(s, "near:", 5) == 0;
	s += host || near ? 5 : 0;
	size_t n = strcspn(s, "[,) ");
	shape->element_type = (Xla__PrimitiveType)case_type(s, n);
	s += n;
	for (s += *s == '['; *s && *s != ']' && *s != ')';) {
		char *end;
		ADD(a, shape, dimensions, strtoll(s, &end, 10));
		s = *end == ',' ? end + 1 : end;
	}
	*at = s + (*s == ']');
	return host || near ? build_layout(a, shape, host ? 5 : 1) : shape;
}

static inline Xla__ShapeProto *case_shape(struct cost_case *c, const char *text)
{
	return case_shape_at(c->arena, &text);
}

static inline int64_t case_id(const struct cost_case *c, const char *name, size_t n)
{
	for (size_t i = 0; i < c->at->n_instructions; i++)
		if (strlen(c->at->instructions[i]->name) == n &&
			memcmp(c->at->instructions[i]->name, name, n) == 0)
			return c->at->instructions[i]->id;
	fail_msg("no operand '%s'", name);
	return 0;
}

/* Add an instruction to the current computation; operands are names separated by blanks. */
static inline Xla__HloInstructionProto *put(struct cost_case *c, const char *name,
	const char *opcode, const char *shape, const char *operands)
{
	Xla__HloInstructionProto *i = build_instruction(c->arena, c->at, name, opcode, c->next_id++);
	i->shape = case_shape(c, shape);
	for (const char *s = operands; *s;) {
		size_t n = strcspn(s, " ");
		ADD(c->arena, i, operand_ids, case_id(c, s, n));
		s += n + (s[n] == ' ');
	}
	c->at->root_id = i->id;
	return i;
}

/* Add parameters p0, p1, ... to the current computation, shapes separated by blanks. */
static inline void put_parameters(struct cost_case *c, const char *shapes)
{
	char name[8], shape[128];
	int64_t k = 0;
	for (const char *s = shapes; *s; k++) {
		size_t n = strcspn(s, " ");
		snprintf(name, sizeof(name), "p%d", (int)k);
		snprintf(shape, sizeof(shape), "%.*s", (int)n, s);
		put(c, name, "parameter", shape, "")->parameter_number = k;
		s += n + (s[n] == ' ');
	}
}

/* Start a new computation; instructions are added to it from here on. */
static inline int64_t case_computation(struct cost_case *c, const char *name)
{
	int64_t id = 2000 + c->next_id++;
	c->at = build_computation(c->arena, c->proto, name, id);
	return id;
}

/* Add a computation of two scalars: a reducer. */
static inline int64_t case_reducer(struct cost_case *c, const char *opcode, const char *type)
{
	Xla__HloComputationProto *at = c->at;
	char name[32], result[8], shapes[32];
	snprintf(name, sizeof(name), "%s.%d", opcode, (int)c->next_id);
	snprintf(shapes, sizeof(shapes), "%s[] %s[]", type, type);
	snprintf(result, sizeof(result), "%s", strcmp(opcode, "compare") == 0 ? "pred" : type);
	int64_t id = case_computation(c, name);
	put_parameters(c, shapes);
	put(c, "r", opcode, result, "p0 p1");
	c->at = at;
	return id;
}

/* Add a fusion of the computation built so far, under that id, with the parameters of `shapes`. */
static inline Xla__HloInstructionProto *put_fusion(
	struct cost_case *c, const char *name, int64_t called, const char *shape, const char *shapes)
{
	c->at = c->entry;
	put_parameters(c, shapes);
	char operands[64] = "";
	size_t n = 0;
	for (size_t k = 0; k < c->entry->n_instructions; k++)
		n += (size_t)snprintf(operands + n, sizeof(operands) - n, k ? " p%zu" : "p%zu", k);
	Xla__HloInstructionProto *i = put(c, name, "fusion", shape, operands);
	ADD(c->arena, i, called_computation_ids, called);
	i->fusion_kind = TEXT(c->arena, "kLoop");
	return i;
}

static inline void put_dot(struct cost_case *c, Xla__HloInstructionProto *i, int64_t contracting)
{
	i->dot_dimension_numbers = build_new(c->arena, &xla__dot_dimension_numbers__descriptor);
	ADD(c->arena, i->dot_dimension_numbers, lhs_contracting_dimensions, contracting);
}

static inline void put_precision(
	struct cost_case *c, Xla__HloInstructionProto *i, int32_t precision, int32_t algorithm)
{
	i->precision_config = build_new(c->arena, &xla__precision_config__descriptor);
	ADD(c->arena, i->precision_config, operand_precision, precision);
	ADD(c->arena, i->precision_config, operand_precision, 0);
	i->precision_config->algorithm = algorithm;
}

static inline void put_config(struct cost_case *c, Xla__HloInstructionProto *i, const char *json)
{
	i->backend_config.len = strlen(json);
	i->backend_config.data = (uint8_t *)TEXT(c->arena, json);
}

static inline void put_call(struct cost_case *c, Xla__HloInstructionProto *i, const char *target)
{
	i->custom_call_target = TEXT(c->arena, target);
}

static inline Xla__WindowDimension *put_window(
	struct cost_case *c, Xla__HloInstructionProto *i, int64_t size, int64_t low)
{
	Xla__WindowDimension *w = build_new(c->arena, &xla__window_dimension__descriptor);
	if (!i->window)
		i->window = build_new(c->arena, &xla__window__descriptor);
	w->size = size;
	w->stride = w->window_dilation = w->base_dilation = 1;
	w->padding_low = w->padding_high = low;
	ADD(c->arena, i->window, dimensions, w);
	return w;
}

/* Batch and features come first, then space, in all three arrays (in the kernel: output
 * features). */
static inline void put_convolution(struct cost_case *c, Xla__HloInstructionProto *i, int64_t rank)
{
	Xla__ConvolutionDimensionNumbers *d =
		build_new(c->arena, &xla__convolution_dimension_numbers__descriptor);
	d->input_feature_dimension = d->kernel_input_feature_dimension = d->output_feature_dimension =
		1;
	for (int64_t k = 2; k < rank; k++) {
		ADD(c->arena, d, input_spatial_dimensions, k);
		ADD(c->arena, d, kernel_spatial_dimensions, k);
		ADD(c->arena, d, output_spatial_dimensions, k);
	}
	i->convolution_dimension_numbers = d;
}

static inline void put_groups(struct cost_case *c, Xla__HloInstructionProto *i, int n)
{
	Xla__ReplicaGroup *group = build_new(c->arena, &xla__replica_group__descriptor);
	for (int k = 0; k < n; k++)
		ADD(c->arena, group, replica_ids, k);
	ADD(c->arena, i, replica_groups, group);
}

/* Return the cost of one instruction. The instructions named in `rows` have rows, too. */
static inline struct jr_cost case_cost(struct cost_case *c, const char *name)
{
	struct jr_hlo hlo = build_decode(c->proto);
	struct jr_profile p = {.n_devices = c->n_devices};
	jr_intern_init(&p.strings);
	struct jr_program program = {.hlo = &hlo};
	struct jr_op ops[17];
	size_t n = 0;
	c->rows[c->n_rows] = name;
	for (size_t i = 0; i <= c->n_rows; i++) {
		uint32_t row = jr_hlo_find(&hlo, c->rows[i]);
		assert_true(row != JR_NONE);
		ops[n++] = (struct jr_op){.instruction = row, .device_group = c->device_group};
	}
	p.n_ops = n;
	p.ops = ops;
	p.n_programs = 1;
	p.n_processes = JR_COUNT_OF(c->processes);
	p.programs = &program;
	p.devices = c->devices;
	if (c->gpu_name)
		for (size_t d = 0; d < c->n_devices; d++)
			c->devices[d].gpu_name = jr_intern_puts(&p.strings, c->gpu_name);
	p.processes = c->processes;
	struct jr_cost cost = jr_costs_compute(&p, c->arena)[n - 1];
	cost.kind = TEXT(c->arena, cost.kind);
	cost.unknown = cost.unknown ? TEXT(c->arena, cost.unknown) : NULL;
	jr_hlo_done(&hlo);
	jr_intern_done(&p.strings);
	return cost;
}

/* Expected cost; classes that are not named are 0. */
struct expected_cost {
	enum jr_matrix_class class;
	uint64_t matrix, f32, f64, transcendentals, int_ops, read, written, network;
};

static inline void expect_cost(
	struct cost_case *c, const char *name, const struct expected_cost *expected)
{
	struct jr_cost cost = case_cost(c, name);
	if (cost.unknown)
		fail_msg("%s: %s is unknown", name, cost.unknown);
	assert_true(cost.flops_known && cost.bytes_known && cost.int_ops_known && cost.network_known);
	for (int i = 0; i < JR_N_MATRIX; i++)
		assert_int_equal(cost.matrix_flops[i], i == (int)expected->class ? expected->matrix : 0);
	assert_int_equal(cost.vector_flops[JR_VECTOR_F32], expected->f32);
	assert_int_equal(cost.vector_flops[JR_VECTOR_F64], expected->f64);
	assert_int_equal(cost.transcendentals, expected->transcendentals);
	assert_int_equal(cost.int_ops, expected->int_ops);
	assert_int_equal(cost.bytes_read, expected->read);
	assert_int_equal(cost.bytes_written, expected->written);
	assert_int_equal(cost.network_bytes, expected->network);
}

#define EXPECT_COST(c, name, ...) expect_cost((c), (name), &(struct expected_cost){__VA_ARGS__})

#endif
