/* A one-hot matrix is recognized by its construction; README.md, section 14.8. */
#include "analysis/cost/one_hot.h"

#include <string.h>

#include "analysis/cost/cost_parts.h"
#include "analysis/cost/products.h"

static bool is(const struct jr_dataflow *flow, uint32_t row, uint8_t op)
{
	return row != JR_NONE && flow->hlo->instructions[row].op == op;
}

/* Return true for an iota along one dimension, possibly moved or converted. */
static bool is_count(const struct jr_dataflow *flow, struct jr_array array)
{
	return is(flow, jr_maker_of(flow, array).row, JR_OP_IOTA);
}

/* Integers other than an iota. Comparing two iotas gives a diagonal or a mask instead. */
static bool is_index(const struct jr_dataflow *flow, struct jr_array array)
{
	if (array.row == JR_NONE ||
		!jr_type_integer(flow->hlo->instructions[array.row].shape->element_type))
		return false;
	struct jr_values v = jr_values_of(flow, array);
	return !(v.from & JR_FROM_IOTA) && (v.from & (JR_FROM_PARAMETER | JR_FROM_OTHER));
}

static bool is_one_hot(const struct jr_dataflow *flow, struct jr_array array)
{
	uint32_t row = jr_maker_of(flow, array).row;
	if (is(flow, row, JR_OP_SELECT)) /* where(equal, 1, 0) */
		row = jr_maker_of(flow, jr_operand(flow, row, 0)).row;
	if (!is(flow, row, JR_OP_COMPARE))
		return false;
	const struct jr_hlo_attributes *a = flow->hlo->instructions[row].attributes;
	if (!a || strcmp(a->direction, "EQ") != 0)
		return false;
	struct jr_array left = jr_operand(flow, row, 0), right = jr_operand(flow, row, 1);
	return (is_count(flow, left) && is_index(flow, right)) ||
		   (is_count(flow, right) && is_index(flow, left));
}

/* Return the product that an instruction is or contains; JR_NONE. */
static uint32_t product_within(const struct jr_hlo *hlo, uint32_t row)
{
	const struct jr_hlo_instruction *inst = &hlo->instructions[row];
	bool gemm = inst->op == JR_OP_CUSTOM_CALL && jr_kind_of_call(inst) == JR_WORK_MATRIX;
	const struct jr_hlo_instruction *found = gemm ? inst : jr_first_within(hlo, inst, JR_OP_DOT);
	return found ? (uint32_t)(found - hlo->instructions) : JR_NONE;
}

/* Return the instruction that the kernel reads, outside of the fusion that contains the product. */
static uint32_t read_by_kernel(
	const struct jr_dataflow *flow, uint32_t kernel, struct jr_array array)
{
	uint32_t inside = flow->hlo->instructions[kernel].n_called && array.row != JR_NONE
						  ? flow->hlo->instructions[array.row].computation
						  : JR_NONE;
	if (inside == JR_NONE || flow->caller[inside] != kernel)
		return array.row;
	for (uint32_t k = 0; k < flow->hlo->instructions[kernel].n_operands; k++) {
		struct jr_array operand = jr_operand(flow, kernel, k);
		if (is_one_hot(flow, operand))
			return operand.row;
	}
	return JR_NONE; /* it is made inside */
}

bool jr_one_hot_of(const struct jr_dataflow *flow, uint32_t instruction, struct jr_one_hot *to)
{
	uint32_t product = product_within(flow->hlo, instruction);
	if (product == JR_NONE || flow->hlo->instructions[product].n_operands < 2)
		return false;
	for (uint32_t k = 0; k < 2; k++) {
		struct jr_array hot = jr_operand(flow, product, k),
						other = jr_operand(flow, product, 1 - k);
		if (other.row == JR_NONE || !is_one_hot(flow, hot))
			continue;
		const struct jr_hlo_shape *result = jr_first_leaf(flow->hlo->instructions[product].shape);
		const struct jr_hlo_shape *rows = jr_first_leaf(flow->hlo->instructions[other.row].shape);
		if (!result || !rows)
			return false;
		uint64_t bytes = jr_hlo_shape_bytes(rows);
		to->result_bytes = jr_hlo_shape_bytes(result);
		to->rows_bytes = bytes < to->result_bytes ? bytes : to->result_bytes;
		to->matrix = read_by_kernel(flow, instruction, hot);
		return true;
	}
	return false;
}
