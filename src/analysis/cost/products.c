/* README.md, section 14.4. */
#include "analysis/cost/products.h"

#include <string.h>

#include "analysis/cost/cost_parts.h"

#define LINE_BITS 128 /* bits that a thread loads at once */

const struct jr_hlo_instruction *jr_first_within(
	const struct jr_hlo *hlo, const struct jr_hlo_instruction *inst, uint8_t op)
{
	if (inst->op == op)
		return inst;
	uint32_t row = inst->op == JR_OP_FUSION ? jr_hlo_called(hlo, inst, 0) : JR_NONE;
	const struct jr_hlo_computation *called = row == JR_NONE ? NULL : &hlo->computations[row];
	for (uint32_t i = 0; called && i < called->n && i < JR_MOST_WITHIN; i++)
		if (hlo->instructions[called->first + i].op == op)
			return &hlo->instructions[called->first + i];
	return NULL;
}

/* --- the instruction ------------------------------------------------------------------------ */

static bool is_product(const struct jr_hlo_instruction *inst)
{
	if (inst->op == JR_OP_DOT)
		return true;
	return inst->op == JR_OP_CUSTOM_CALL && inst->attributes && inst->attributes->has_contracting &&
		   jr_kind_of_call(inst) == JR_WORK_MATRIX;
}

/* Return the only product of a fusion; NULL if it has none or several. Fusions may share a
 * computation. */
static const struct jr_hlo_instruction *within(
	const struct jr_hlo *hlo, const struct jr_hlo_instruction *fusion)
{
	const struct jr_hlo_instruction *found = NULL;
	uint32_t row = jr_hlo_called(hlo, fusion, 0);
	if (row == JR_NONE)
		return NULL;
	const struct jr_hlo_computation *c = &hlo->computations[row];
	if (c->n > JR_MOST_WITHIN)
		return NULL;
	for (uint32_t i = c->first; i < c->first + c->n; i++) {
		if (!is_product(&hlo->instructions[i]))
			continue;
		if (found)
			return NULL;
		found = &hlo->instructions[i];
	}
	return found;
}

/* --- its sizes ------------------------------------------------------------------------------ */

/* Without k, the sides have batch * m and batch * n elements. The result has batch * m * n.
 * Together they determine the three sizes. */
static bool take_sizes(
	uint64_t left, uint64_t right, uint64_t out, uint64_t k, struct jr_product *to)
{
	bool known = left != JR_MANY && right != JR_MANY && out != JR_MANY && k != JR_MANY;
	if (!known || !left || !right || !out || !k || left % k || right % k)
		return false;
	left /= k;
	right /= k;
	*to = (struct jr_product){.m = out / right, .n = out / left, .k = k};
	if (!to->m || !to->n || out % left || out % right || left % to->m)
		return false;
	to->batch = left / to->m;
	return to->batch == right / to->n && right % to->n == 0;
}

/* Only if the contiguous dimension is one of the three sizes, not a part of one. */
static bool row_misaligned(const struct jr_hlo_shape *shape, const struct jr_product *p)
{
	for (uint32_t i = 0; i < shape->n_dimensions; i++) {
		int64_t minor = shape->minor_to_major ? shape->minor_to_major[i]
											  : (int64_t)(shape->n_dimensions - 1 - i);
		if (minor < 0 || minor >= (int64_t)shape->n_dimensions)
			return false;
		uint64_t row = (uint64_t)shape->dimensions[minor];
		if (row == 1)
			continue;
		bool whole = row == p->m || row == p->n || row == p->k;
		return whole && row % LINE_BITS * jr_hlo_element_bits(shape->element_type) % LINE_BITS != 0;
	}
	return false;
}

bool jr_product_of(const struct jr_hlo *hlo, uint32_t instruction, struct jr_product *to)
{
	const struct jr_hlo_instruction *outer = &hlo->instructions[instruction], *inst = outer;
	*to = (struct jr_product){0};
	if (outer->op == JR_OP_FUSION)
		inst = within(hlo, outer);
	if (!inst || !is_product(inst))
		return false;
	const struct jr_hlo_shape *left = jr_hlo_operand_shape(hlo, inst, 0),
							  *right = jr_hlo_operand_shape(hlo, inst, 1),
							  *out = jr_first_leaf(inst->shape);
	if (!take_sizes(jr_array_elements(left), jr_array_elements(right), jr_array_elements(out),
			jr_contracted(inst->attributes, left), to))
		return false;
	if (outer != inst && outer->attributes) {
		to->tile_m = outer->attributes->tile_m;
		to->tile_n = outer->attributes->tile_n;
		to->tile_k = outer->attributes->tile_k;
	}
	to->misaligned =
		row_misaligned(left, to) || row_misaligned(right, to) || row_misaligned(out, to);
	return true;
}

/* --- tiles ---------------------------------------------------------------------------------- */

/* Share of whole tiles that a size fills. */
static double filled(uint64_t size, uint32_t tile, uint32_t otherwise)
{
	if (!tile)
		tile = size >= otherwise ? otherwise : 0;
	if (!tile)
		return 1;
	uint64_t beyond = size % tile;
	return beyond ? (double)size / ((double)size + (double)(tile - beyond)) : 1;
}

double jr_product_padding(const struct jr_product *p)
{
	return 1 - filled(p->m, p->tile_m, JR_SMALL_TILE) * filled(p->n, p->tile_n, JR_SMALL_TILE) *
				   filled(p->k, p->tile_k, UINT32_MAX);
}
