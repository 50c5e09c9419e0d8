/* The table of opcodes: what each computes, moves and sends. README.md, sections 13.2 to 13.5. */
#include <string.h>

#include "analysis/cost/cost_parts.h"
#include "base/cleanup.h"

/* --- elementwise --------------------------------------------------------------------------- */

/* Return the result's first array and its elements; NULL if there is none. */
static const struct jr_hlo_shape *result_of(struct jr_cost_program *p,
	const struct jr_hlo_instruction *inst, struct jr_work *to, uint64_t *elements)
{
	const struct jr_hlo_shape *shape = jr_first_leaf(inst->shape);
	*elements = shape ? jr_cost_elements(p, shape) : JR_MANY;
	if (*elements == JR_MANY) {
		to->unknown = inst->opcode;
		return NULL;
	}
	return shape;
}

static void work_vector(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, struct jr_work *to)
{
	const struct jr_cost_rule *rule = jr_cost_rule_of(inst->op);
	uint64_t n;
	const struct jr_hlo_shape *shape = result_of(p, inst, to, &n);
	if (!shape)
		return;
	unsigned type = shape->element_type;
	const struct jr_hlo_instruction *operand = jr_cost_operand(p, inst, 0);
	if (operand && jr_type_complex(operand->shape->element_type))
		type = operand->shape->element_type; /* abs of a complex number is real */
	if (jr_type_complex(type))
		*jr_work_vector(to, type) = jr_sat_mul(n, rule->complex_units);
	else if (jr_type_float(type))
		*jr_work_vector(to, type) = jr_sat_mul(n, rule->units);
	else if (jr_type_integer(type))
		to->int_ops = n;
}

static void work_transcendental(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, struct jr_work *to)
{
	(void)result_of(p, inst, to, &to->transcendentals);
}

static void work_integer(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, struct jr_work *to)
{
	uint64_t n;
	const struct jr_hlo_shape *shape = result_of(p, inst, to, &n);
	if (shape && jr_type_integer(shape->element_type))
		to->int_ops = n;
}

static void work_other(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, struct jr_work *to)
{
	(void)result_of(p, inst, to, &to->other_ops);
}

static void work_unknown(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, struct jr_work *to)
{
	(void)p;
	to->unknown = inst->opcode;
}

/* Generators have no FLOPs. Their integer work is not documented. */
static void work_random(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, struct jr_work *to)
{
	(void)p;
	to->int_unknown = inst->opcode;
}

/* --- products ------------------------------------------------------------------------------ */

static void work_dot(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, struct jr_work *to)
{
	uint64_t macs = jr_sat_mul(jr_cost_elements(p, inst->shape),
		jr_contracted(inst->attributes, jr_hlo_operand_shape(p->hlo, inst, 0)));
	jr_work_of_product(p, inst, macs, JR_HLO_DEFAULT, to);
}

/* Each element of the left side is multiplied with a row of one group's right side. Rows outside of
 * all groups are skipped. */
static void work_ragged_dot(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, struct jr_work *to)
{
	const struct jr_hlo_shape *out = inst->shape;
	uint64_t columns =
		out->n_dimensions ? (uint64_t)out->dimensions[out->n_dimensions - 1] : JR_MANY;
	jr_work_of_product(
		p, inst, jr_sat_mul(jr_cost_operand_elements(p, inst, 0), columns), JR_HLO_DEFAULT, to);
	to->upper_bound = true;
}

static void work_convolution(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, struct jr_work *to)
{
	uint64_t macs = jr_convolution_macs(inst->attributes, jr_hlo_operand_shape(p->hlo, inst, 0),
		jr_hlo_operand_shape(p->hlo, inst, 1), inst->shape);
	jr_work_of_product(p, inst, macs, JR_HLO_DEFAULT, to);
}

/* --- applied computations ------------------------------------------------------------------- */

static uint64_t result_elements(struct jr_cost_program *p, const struct jr_hlo_instruction *inst)
{
	const struct jr_hlo_shape *shape = jr_first_leaf(inst->shape);
	return shape ? jr_cost_elements(p, shape) : JR_MANY;
}

static uint64_t times_reduce(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, uint32_t k)
{
	(void)k;
	return jr_sat_sub(jr_cost_operand_elements(p, inst, 0), result_elements(p, inst));
}

static uint64_t times_reduce_window(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, uint32_t k)
{
	(void)k;
	const struct jr_hlo_shape *in = jr_hlo_operand_shape(p->hlo, inst, 0);
	const struct jr_hlo_shape *out = jr_first_leaf(inst->shape);
	const struct jr_hlo_attributes *a = inst->attributes;
	if (!out || !in || !a || in->unbounded || in->n_dimensions != a->n_window ||
		out->n_dimensions != a->n_window)
		return JR_MANY;
	uint64_t taps = 1;
	for (uint32_t d = 0; d < a->n_window; d++)
		taps = jr_sat_mul(taps,
			jr_cost_taps((uint64_t)in->dimensions[d], (uint64_t)out->dimensions[d], &a->window[d]));
	return jr_sat_sub(taps, jr_cost_elements(p, out));
}

/* Select compares the other elements of each window, scatter adds one element per window. */
static uint64_t times_select_and_scatter(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, uint32_t k)
{
	const struct jr_hlo_attributes *a = inst->attributes;
	uint64_t source = jr_cost_operand_elements(p, inst, 1), window = 1;
	if (!a || !a->n_window)
		return JR_MANY;
	for (uint32_t d = 0; d < a->n_window; d++)
		window = a->window[d].size < 1 ? JR_MANY : jr_sat_mul(window, (uint64_t)a->window[d].size);
	return k == 0 ? jr_sat_mul(source, jr_sat_sub(window, 1)) : source;
}

/* Operands are n arrays, then the indices, then n updates. */
static uint32_t first_update(const struct jr_hlo_instruction *inst)
{
	return inst->n_operands / 2 + 1;
}

static uint64_t times_scatter(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, uint32_t k)
{
	(void)k;
	return jr_cost_operand_elements(p, inst, first_update(inst));
}

static uint64_t times_map(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, uint32_t k)
{
	(void)k;
	return result_elements(p, inst);
}

/* Rounded up. */
static uint64_t log2_of(uint64_t n)
{
	return n > 1 ? 64 - (uint64_t)__builtin_clzll(n - 1) : 0;
}

static uint64_t times_sort(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, uint32_t k)
{
	(void)k;
	const struct jr_hlo_shape *in = jr_hlo_operand_shape(p->hlo, inst, 0);
	const struct jr_hlo_attributes *a = inst->attributes;
	uint64_t d = a && a->n_dimensions ? (uint64_t)a->dimensions[0] : JR_MANY;
	uint64_t steps = in && d < in->n_dimensions ? log2_of((uint64_t)in->dimensions[d]) : JR_MANY;
	return jr_sat_mul(jr_cost_operand_elements(p, inst, 0), steps);
}

/* --- others ---------------------------------------------------------------------------------- */

static void work_topk(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, struct jr_work *to)
{
	to->int_ops = jr_cost_operand_elements(p, inst, 0);
}

static void work_fft(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, struct jr_work *to)
{
	const struct jr_hlo_attributes *a = inst->attributes;
	uint8_t type = a ? a->fft_type : UINT8_MAX;
	bool half = type == JR_HLO_RFFT || type == JR_HLO_IRFFT;
	/* the side that is not halved: real elements of the operand or of the result */
	const struct jr_hlo_shape *whole =
		type == JR_HLO_IRFFT ? inst->shape : jr_hlo_operand_shape(p->hlo, inst, 0);
	if (!a || type > JR_HLO_IRFFT || !whole || whole->unbounded) {
		to->unknown = inst->opcode;
		return;
	}
	uint64_t steps = 0;
	for (uint32_t i = 0; i < a->n_fft_length; i++)
		steps += a->fft_length[i] > 0 ? log2_of((uint64_t)a->fft_length[i]) : 0;
	uint64_t flops = jr_sat_mul(jr_cost_elements(p, whole), jr_sat_mul(5, steps));
	unsigned out = inst->shape->element_type;
	*jr_work_vector(to, out) = half && flops != JR_MANY ? flops / 2 : flops;
}

/* --- bytes --------------------------------------------------------------------------------- */

static void bytes_all(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, struct jr_moved *to)
{
	jr_add_operands(p, inst, 0, to);
	jr_add_written(p, inst->shape, to);
}

static void bytes_result(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, struct jr_moved *to)
{
	jr_add_written(p, inst->shape, to);
}

/* The bytes read equal the bytes written, but the array may be in another memory. */
static void read_like_result(struct jr_cost_program *p, const struct jr_hlo_instruction *inst,
	uint64_t most, struct jr_moved *to)
{
	const struct jr_hlo_shape *from = jr_hlo_operand_shape(p->hlo, inst, 0);
	uint64_t n = jr_cost_elements(p, inst->shape);
	if (from && !from->n_tuple)
		jr_add_read_part(from, n < most ? n : most, to);
	else
		to->unknown = true;
}

static void bytes_slice(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, struct jr_moved *to)
{
	read_like_result(p, inst, JR_MANY, to);
	jr_add_operands(p, inst, 1, to); /* start indices of a dynamic slice */
	jr_add_written(p, inst->shape, to);
}

static void bytes_gather(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, struct jr_moved *to)
{
	read_like_result(p, inst, jr_cost_operand_elements(p, inst, 0), to);
	jr_add_operands(p, inst, 1, to);
	jr_add_written(p, inst->shape, to);
}

static void bytes_update(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, struct jr_moved *to)
{
	jr_add_operands(p, inst, 1, to);
	if (inst->n_operands < 2 || inst->shape->n_tuple)
		to->unknown = true;
	else
		jr_add_written_part(inst->shape, jr_cost_operand_elements(p, inst, 1), to);
}

static void bytes_scatter(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, struct jr_moved *to)
{
	uint32_t update = first_update(inst);
	jr_add_operands(p, inst, update - 1, to);
	for (uint32_t k = 0; k + 1 < update && !to->unknown; k++) {
		const struct jr_hlo_shape *array = jr_hlo_operand_shape(p->hlo, inst, k);
		uint64_t n = jr_cost_operand_elements(p, inst, k),
				 m = jr_cost_operand_elements(p, inst, update + k);
		if (!array || array->n_tuple || update + k >= inst->n_operands) {
			to->unknown = true;
			return;
		}
		jr_add_read_part(array, n < m ? n : m, to);
		jr_add_written_part(array, n < m ? n : m, to);
	}
}

/* Elements of a triangle of `a` with its diagonal: a share of (n + 1) / 2n. */
static uint64_t triangle(struct jr_cost_program *p, const struct jr_hlo_shape *a)
{
	if (!a || a->n_dimensions < 2 || a->unbounded)
		return JR_MANY;
	uint64_t n = (uint64_t)a->dimensions[a->n_dimensions - 1];
	return jr_sat_share(jr_cost_elements(p, a), jr_sat_add(n, 1), jr_sat_mul(n, 2), true);
}

static void bytes_triangular_solve(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, struct jr_moved *to)
{
	const struct jr_hlo_shape *a = jr_hlo_operand_shape(p->hlo, inst, 0);
	if (a)
		jr_add_read_part(a, triangle(p, a), to);
	else
		to->unknown = true;
	jr_add_operands(p, inst, 1, to);
	jr_add_written(p, inst->shape, to);
}

static void bytes_cholesky(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, struct jr_moved *to)
{
	const struct jr_hlo_shape *a = jr_hlo_operand_shape(p->hlo, inst, 0);
	if (!a) {
		to->unknown = true;
		return;
	}
	jr_add_read_part(a, triangle(p, a), to);
	jr_add_written_part(a, triangle(p, a), to);
}

/* The result of a start instruction is (what it reads, what it writes, ...). */
static void bytes_second(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, struct jr_moved *to)
{
	jr_add_operands(p, inst, 0, to);
	if (inst->shape->n_tuple > 1)
		jr_add_written(p, &inst->shape->tuple[1], to);
	else
		jr_add_written(p, inst->shape, to);
}

/* The result of copy-start is (what it writes, what it reads, ...); that of recv is (what it
 * writes, ...). */
static void written_first(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, struct jr_moved *to)
{
	jr_add_written(p, inst->shape->n_tuple ? &inst->shape->tuple[0] : inst->shape, to);
}

static void bytes_first(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, struct jr_moved *to)
{
	jr_add_operands(p, inst, 0, to);
	written_first(p, inst, to);
}

static void bytes_read(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, struct jr_moved *to)
{
	jr_add_operands(p, inst, 0, to);
}

static void bytes_unknown(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, struct jr_moved *to)
{
	(void)p;
	(void)inst;
	to->unknown = true;
}

/* --- the table ----------------------------------------------------------------------------- */

#define VECTOR(op, n, complex)                                                                     \
	[JR_OP_##op] = {                                                                               \
		work_vector, bytes_all, JR_WORK_ELEMENTWISE, JR_FLOW_SAME, 0, n, complex, 0, NULL}
#define SAME(op, rule)                                                                             \
	[JR_OP_##op] = {rule, bytes_all, JR_WORK_ELEMENTWISE, JR_FLOW_SAME, 0, 0, 0, 0, NULL}
#define MOVE(op, bytes, flow) [JR_OP_##op] = {NULL, bytes, JR_WORK_MOVEMENT, flow, 0, 0, 0, 0, NULL}
#define FREE(op, flow) [JR_OP_##op] = {NULL, NULL, JR_N_WORK, flow, 0, 0, 0, 0, NULL}
#define WIRE(op, bytes, wire)                                                                      \
	[JR_OP_##op] = {NULL, bytes, JR_WORK_COLLECTIVE, JR_FLOW_ALL, wire, 0, 0, 0, NULL}
#define RULE(op, work, bytes, kind, flow) [JR_OP_##op] = {work, bytes, kind, flow, 0, 0, 0, 0, NULL}

#define APPLY(op, times, n, bytes, kind, flow)                                                     \
	[JR_OP_##op] = {NULL, bytes, kind, flow, 0, 0, 0, n, times}

static const struct jr_cost_rule rules[] = {
	RULE(OTHER, work_unknown, bytes_unknown, JR_WORK_UNKNOWN, JR_FLOW_ALL),
	VECTOR(ABS, 1, 2),
	SAME(ACOS, work_transcendental),
	SAME(ACOSH, work_transcendental),
	VECTOR(ADD, 1, 2),
	FREE(ADD_DEPENDENCY, JR_FLOW_SAME),
	FREE(AFTER_ALL, JR_FLOW_ALL),
	WIRE(ALL_GATHER, bytes_all, JR_WIRE_RESULT_SHARE),
	FREE(ALL_GATHER_DONE, JR_FLOW_SAME),
	WIRE(ALL_GATHER_START, bytes_second, JR_WIRE_RESULT_SHARE),
	WIRE(ALL_REDUCE, bytes_all, JR_WIRE_PUT_TWICE_SHARE),
	FREE(ALL_REDUCE_DONE, JR_FLOW_SAME),
	WIRE(ALL_REDUCE_START, bytes_all, JR_WIRE_PUT_TWICE_SHARE),
	WIRE(ALL_TO_ALL, bytes_all, JR_WIRE_PUT_SHARE),
	SAME(AND, work_integer),
	SAME(ASIN, work_transcendental),
	SAME(ASINH, work_transcendental),
	FREE(ASYNC_DONE, JR_FLOW_SAME),
	FREE(ASYNC_START, JR_FLOW_CALL),
	FREE(ASYNC_UPDATE, JR_FLOW_SAME),
	SAME(ATAN2, work_transcendental),
	SAME(ATANH, work_transcendental),
	FREE(BITCAST, JR_FLOW_SAME),
	MOVE(BITCAST_CONVERT, bytes_all, JR_FLOW_SAME),
	MOVE(BROADCAST, bytes_all, JR_FLOW_ALL),
	FREE(CALL, JR_FLOW_CALL),
	SAME(CBRT, work_transcendental),
	VECTOR(CEIL, 1, 2),
	RULE(CHOLESKY, jr_work_cholesky, bytes_cholesky, JR_WORK_MATRIX, JR_FLOW_ALL),
	VECTOR(CLAMP, 2, 2),
	WIRE(COLLECTIVE_BROADCAST, bytes_all, JR_WIRE_PUT),
	WIRE(COLLECTIVE_PERMUTE, bytes_all, JR_WIRE_PUT),
	FREE(COLLECTIVE_PERMUTE_DONE, JR_FLOW_SAME),
	WIRE(COLLECTIVE_PERMUTE_START, bytes_second, JR_WIRE_PUT),
	SAME(COMPARE, work_other),
	MOVE(COMPLEX, bytes_all, JR_FLOW_SAME),
	MOVE(CONCATENATE, bytes_all, JR_FLOW_SHARE),
	RULE(CONDITIONAL, work_unknown, bytes_unknown, JR_WORK_UNKNOWN, JR_FLOW_ALL),
	RULE(CONSTANT, NULL, bytes_result, JR_N_WORK, JR_FLOW_ALL),
	SAME(CONVERT, work_other),
	RULE(CONVOLUTION, work_convolution, bytes_all, JR_WORK_CONVOLUTION, JR_FLOW_ALL),
	MOVE(COPY, bytes_all, JR_FLOW_SAME),
	FREE(COPY_DONE, JR_FLOW_SAME),
	MOVE(COPY_START, bytes_first, JR_FLOW_ALL),
	SAME(COSH, work_transcendental),
	SAME(COSINE, work_transcendental),
	SAME(COUNT_LEADING_ZEROS, work_integer),
	RULE(CUSTOM_CALL, jr_work_custom_call, jr_bytes_custom_call, JR_N_WORK, JR_FLOW_ALL),
	VECTOR(DIVIDE, 1, 11),
	RULE(DOMAIN, work_unknown, bytes_unknown, JR_WORK_UNKNOWN, JR_FLOW_ALL),
	RULE(DOT, work_dot, bytes_all, JR_WORK_MATRIX, JR_FLOW_ALL),
	RULE(DYNAMIC_RESHAPE, work_unknown, bytes_unknown, JR_WORK_UNKNOWN, JR_FLOW_ALL),
	MOVE(DYNAMIC_SLICE, bytes_slice, JR_FLOW_PART),
	MOVE(DYNAMIC_UPDATE_SLICE, bytes_update, JR_FLOW_UPDATE),
	SAME(ERF, work_transcendental),
	SAME(EXPONENTIAL, work_transcendental),
	SAME(EXPONENTIAL_MINUS_ONE, work_transcendental),
	RULE(FFT, work_fft, bytes_all, JR_WORK_FFT, JR_FLOW_ALL),
	VECTOR(FLOOR, 1, 2),
	FREE(FUSION, JR_FLOW_FUSION),
	RULE(GATHER, NULL, bytes_gather, JR_WORK_INDEXED, JR_FLOW_PART),
	FREE(GET_TUPLE_ELEMENT, JR_FLOW_SAME),
	MOVE(IMAG, bytes_all, JR_FLOW_SAME),
	RULE(INFEED, work_unknown, bytes_unknown, JR_WORK_UNKNOWN, JR_FLOW_ALL),
	MOVE(IOTA, bytes_result, JR_FLOW_ALL),
	SAME(IS_FINITE, work_other),
	SAME(LOG, work_transcendental),
	SAME(LOG_PLUS_ONE, work_transcendental),
	SAME(LOGISTIC, work_transcendental),
	APPLY(MAP, times_map, 1, bytes_all, JR_WORK_ELEMENTWISE, JR_FLOW_SAME),
	VECTOR(MAXIMUM, 1, 2),
	VECTOR(MINIMUM, 1, 2),
	VECTOR(MULTIPLY, 1, 6),
	VECTOR(NEGATE, 1, 2),
	SAME(NOT, work_integer),
	FREE(OPT_BARRIER, JR_FLOW_SAME),
	SAME(OR, work_integer),
	RULE(OUTFEED, work_unknown, bytes_unknown, JR_WORK_UNKNOWN, JR_FLOW_ALL),
	MOVE(PAD, bytes_all, JR_FLOW_SHARE),
	FREE(PARAMETER, JR_FLOW_ALL),
	MOVE(PARTITION_ID, bytes_result, JR_FLOW_ALL),
	SAME(POPCNT, work_integer),
	SAME(POWER, work_transcendental),
	WIRE(RAGGED_ALL_TO_ALL, bytes_all, JR_WIRE_UNKNOWN),
	RULE(RAGGED_DOT, work_ragged_dot, bytes_all, JR_WORK_MATRIX, JR_FLOW_ALL),
	MOVE(REAL, bytes_all, JR_FLOW_SAME),
	WIRE(RECV, written_first, JR_WIRE_UNKNOWN),
	FREE(RECV_DONE, JR_FLOW_SAME),
	APPLY(REDUCE, times_reduce, 1, bytes_all, JR_WORK_REDUCTION, JR_FLOW_REDUCE),
	SAME(REDUCE_PRECISION, work_other),
	WIRE(REDUCE_SCATTER, bytes_all, JR_WIRE_PUT_SHARE),
	APPLY(REDUCE_WINDOW, times_reduce_window, 1, bytes_all, JR_WORK_REDUCTION, JR_FLOW_ALL),
	VECTOR(REMAINDER, 1, 2),
	MOVE(REPLICA_ID, bytes_result, JR_FLOW_ALL),
	MOVE(RESHAPE, bytes_all, JR_FLOW_SAME),
	MOVE(REVERSE, bytes_all, JR_FLOW_SAME),
	RULE(RNG, work_unknown, bytes_all, JR_WORK_RANDOM, JR_FLOW_ALL),
	RULE(RNG_BIT_GENERATOR, work_random, bytes_all, JR_WORK_RANDOM, JR_FLOW_ALL),
	RULE(RNG_GET_AND_UPDATE_STATE, work_random, bytes_result, JR_WORK_RANDOM, JR_FLOW_ALL),
	VECTOR(ROUND_NEAREST_AFZ, 1, 2),
	VECTOR(ROUND_NEAREST_EVEN, 1, 2),
	SAME(RSQRT, work_transcendental),
	RULE(SCALED_DOT, work_dot, bytes_all, JR_WORK_MATRIX, JR_FLOW_ALL),
	APPLY(SCATTER, times_scatter, 1, bytes_scatter, JR_WORK_INDEXED, JR_FLOW_SCATTER),
	SAME(SELECT, work_other),
	APPLY(
		SELECT_AND_SCATTER, times_select_and_scatter, 2, bytes_all, JR_WORK_REDUCTION, JR_FLOW_ALL),
	WIRE(SEND, bytes_read, JR_WIRE_PUT),
	FREE(SEND_DONE, JR_FLOW_SAME),
	SAME(SHIFT_LEFT, work_integer),
	SAME(SHIFT_RIGHT_ARITHMETIC, work_integer),
	SAME(SHIFT_RIGHT_LOGICAL, work_integer),
	VECTOR(SIGN, 1, 2),
	SAME(SINE, work_transcendental),
	SAME(SINH, work_transcendental),
	MOVE(SLICE, bytes_slice, JR_FLOW_PART),
	APPLY(SORT, times_sort, 1, bytes_all, JR_WORK_SORT, JR_FLOW_ALL),
	SAME(SQRT, work_transcendental),
	SAME(STOCHASTIC_CONVERT, work_other),
	VECTOR(SUBTRACT, 1, 2),
	SAME(TAN, work_transcendental),
	SAME(TANH, work_transcendental),
	RULE(TOPK, work_topk, bytes_all, JR_WORK_SORT, JR_FLOW_ALL),
	MOVE(TRANSPOSE, bytes_all, JR_FLOW_SAME),
	RULE(TRIANGULAR_SOLVE, jr_work_triangular_solve, bytes_triangular_solve, JR_WORK_MATRIX,
		JR_FLOW_ALL),
	FREE(TUPLE, JR_FLOW_SAME),
	RULE(WHILE, work_unknown, bytes_unknown, JR_WORK_UNKNOWN, JR_FLOW_ALL),
	SAME(XOR, work_integer),
};

_Static_assert(JR_COUNT_OF(rules) == JR_N_OPS, "one rule per opcode");

const struct jr_cost_rule *jr_cost_rule_of(uint8_t op)
{
	return &rules[op];
}
