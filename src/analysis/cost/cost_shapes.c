/* Counts that depend only on shapes: elements, bytes, window positions. README.md, section 13.5. */
#include "analysis/cost/cost_parts.h"

__extension__ typedef unsigned __int128 wide;

uint64_t jr_sat_share(uint64_t a, uint64_t b, uint64_t c, bool up)
{
	if (a == JR_MANY || b == JR_MANY || c == JR_MANY)
		return JR_MANY;
	if (c == 0)
		return 0;
	wide share = ((wide)a * b + (up ? c - 1 : 0)) / c;
	return share < JR_MANY ? (uint64_t)share : JR_MANY;
}

const struct jr_hlo_instruction *jr_cost_operand(
	const struct jr_cost_program *p, const struct jr_hlo_instruction *inst, uint32_t k)
{
	if (k >= inst->n_operands)
		return NULL;
	uint32_t row = jr_hlo_by_id_in(p->hlo, inst->computation, inst->operand_ids[k]);
	return row == JR_NONE ? NULL : &p->hlo->instructions[row];
}

/* --- types --------------------------------------------------------------------------------- */

bool jr_type_f8(unsigned type)
{
	switch (type) {
	case JR_HLO_F8E5M2:
	case JR_HLO_F8E4M3:
	case JR_HLO_F8E3M4:
	case JR_HLO_F8E4M3FN:
	case JR_HLO_F8E4M3B11FNUZ:
	case JR_HLO_F8E5M2FNUZ:
	case JR_HLO_F8E4M3FNUZ:
	case JR_HLO_F8E8M0FNU: return true;
	default: return false;
	}
}

bool jr_type_float(unsigned type)
{
	switch (type) {
	case JR_HLO_F4E2M1FN:
	case JR_HLO_F16:
	case JR_HLO_BF16:
	case JR_HLO_F32:
	case JR_HLO_F64:
	case JR_HLO_C64:
	case JR_HLO_C128: return true;
	default: return jr_type_f8(type);
	}
}

bool jr_type_integer(unsigned type)
{
	return type != JR_HLO_PRED && jr_hlo_element_bits(type) > 0 && !jr_type_float(type);
}

/* --- arrays -------------------------------------------------------------------------------- */

static bool is_tuple(const struct jr_hlo_shape *shape)
{
	return shape->n_tuple > 0 || shape->element_type == JR_HLO_TUPLE;
}

uint64_t jr_array_elements(const struct jr_hlo_shape *shape)
{
	if (!shape || shape->unbounded)
		return JR_MANY;
	if (jr_hlo_element_bits(shape->element_type) == 0)
		return shape->element_type == JR_HLO_TOKEN || shape->element_type == JR_HLO_OPAQUE
				   ? 0
				   : JR_MANY;
	uint64_t elements = 1;
	for (uint32_t i = 0; i < shape->n_dimensions; i++)
		if (shape->dimensions[i] == 0)
			return 0;
	for (uint32_t i = 0; i < shape->n_dimensions; i++)
		elements = jr_sat_mul(elements, (uint64_t)shape->dimensions[i]);
	return elements;
}

/* The recursion is as deep as the shape, which the reader limits. */
uint64_t jr_cost_elements(struct jr_cost_program *p, const struct jr_hlo_shape *shape)
{
	if (!jr_cost_spend(p, 1))
		return JR_MANY;
	if (!is_tuple(shape))
		return jr_array_elements(shape);
	uint64_t sum = 0;
	for (uint32_t i = 0; i < shape->n_tuple && sum != JR_MANY; i++)
		sum = jr_sat_add(sum, jr_cost_elements(p, &shape->tuple[i]));
	return sum;
}

const struct jr_hlo_shape *jr_first_leaf(const struct jr_hlo_shape *shape)
{
	while (shape && is_tuple(shape))
		shape = shape->n_tuple ? &shape->tuple[0] : NULL;
	return shape;
}

uint64_t jr_elements_bytes(const struct jr_hlo_shape *shape, uint64_t elements)
{
	return jr_sat_share(elements, jr_hlo_element_bits(shape->element_type), 8, true);
}

/* --- bytes --------------------------------------------------------------------------------- */

static void add_part(
	const struct jr_hlo_shape *shape, uint64_t elements, bool written, struct jr_moved *to)
{
	uint64_t bytes = jr_elements_bytes(shape, elements);
	uint64_t *sum = &to->host_bytes;
	if (shape->host_memory)
		to->host = true;
	else if (shape->near_memory)
		sum = written ? &to->near_written : &to->near_read;
	else
		sum = written ? &to->written : &to->read;
	*sum = jr_sat_add(*sum, bytes);
	to->unknown |= *sum == JR_MANY;
}

static void add_shape(
	struct jr_cost_program *p, const struct jr_hlo_shape *shape, bool written, struct jr_moved *to)
{
	if (!jr_cost_spend(p, 1)) {
		to->unknown = true;
		return;
	}
	if (!is_tuple(shape)) {
		add_part(shape, jr_array_elements(shape), written, to);
		return;
	}
	for (uint32_t i = 0; i < shape->n_tuple && !to->unknown; i++)
		add_shape(p, &shape->tuple[i], written, to);
}

void jr_add_read(struct jr_cost_program *p, const struct jr_hlo_shape *shape, struct jr_moved *to)
{
	add_shape(p, shape, false, to);
}

void jr_add_written(
	struct jr_cost_program *p, const struct jr_hlo_shape *shape, struct jr_moved *to)
{
	add_shape(p, shape, true, to);
}

void jr_add_read_part(const struct jr_hlo_shape *shape, uint64_t elements, struct jr_moved *to)
{
	add_part(shape, elements, false, to);
}

void jr_add_written_part(const struct jr_hlo_shape *shape, uint64_t elements, struct jr_moved *to)
{
	add_part(shape, elements, true, to);
}
