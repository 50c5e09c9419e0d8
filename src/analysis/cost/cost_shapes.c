/* Counts that depend only on shapes and types: elements, bytes, matrix products. README.md,
 * sections 13.3 and 13.5. */
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
	uint32_t row = jr_hlo_operand(p->hlo, inst, k);
	return row == JR_NONE ? NULL : &p->hlo->instructions[row];
}

uint64_t jr_cost_operand_elements(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, uint32_t k)
{
	const struct jr_hlo_shape *shape = jr_hlo_operand_shape(p->hlo, inst, k);
	return shape ? jr_cost_elements(p, shape) : JR_MANY;
}

/* --- types --------------------------------------------------------------------------------- */

static bool is_f8(unsigned type)
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
	default: return is_f8(type);
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
	return elements > (uint64_t)JR_MOST_BYTES ? JR_MANY : elements; /* more is not believed */
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

void jr_add_operands(struct jr_cost_program *p, const struct jr_hlo_instruction *inst,
	uint32_t from, struct jr_moved *to)
{
	for (uint32_t k = from; k < inst->n_operands && !to->unknown; k++) {
		const struct jr_hlo_shape *shape = jr_hlo_operand_shape(p->hlo, inst, k);
		if (shape)
			jr_add_read(p, shape, to);
		else
			to->unknown = true;
	}
}

/* --- matrix products ----------------------------------------------------------------------- */

uint64_t *jr_work_vector(struct jr_work *to, unsigned type)
{
	bool f64 = type == JR_HLO_F64 || type == JR_HLO_C128;
	return &to->vector[f64 ? JR_VECTOR_F64 : JR_VECTOR_F32];
}

uint64_t jr_contracted(const struct jr_hlo_attributes *a, const struct jr_hlo_shape *lhs)
{
	if (!a || !a->has_contracting || !lhs || lhs->unbounded)
		return JR_MANY;
	uint64_t product = 1;
	for (uint32_t i = 0; i < a->n_contracting; i++) {
		int64_t d = a->lhs_contracting[i];
		if (d < 0 || (uint64_t)d >= lhs->n_dimensions)
			return JR_MANY;
		product = jr_sat_mul(product, (uint64_t)lhs->dimensions[d]);
	}
	return product;
}

enum jr_matrix_class jr_matrix_class_of(unsigned type, bool tf32)
{
	if (is_f8(type))
		return JR_MATRIX_F8;
	switch (type) {
	case JR_HLO_BF16: return JR_MATRIX_BF16;
	case JR_HLO_F16: return JR_MATRIX_F16;
	case JR_HLO_F4E2M1FN: return JR_MATRIX_F4;
	case JR_HLO_S8:
	case JR_HLO_U8: return JR_MATRIX_S8;
	case JR_HLO_S4:
	case JR_HLO_U4: return JR_MATRIX_S4;
	case JR_HLO_F64:
	case JR_HLO_C128: return JR_MATRIX_F64;
	case JR_HLO_F32:
	case JR_HLO_C64: return tf32 ? JR_MATRIX_TF32 : JR_MATRIX_F32;
	default: return JR_N_MATRIX;
	}
}

/* xla.PrecisionConfig.Algorithm decides if it is set; 8-bit algorithms depend on the types. */
static enum jr_matrix_class class_of_algorithm(uint8_t algorithm)
{
	static const uint8_t classes[] = {[3] = JR_MATRIX_F16,
		[4] = JR_MATRIX_F16,
		[5] = JR_MATRIX_BF16,
		[6] = JR_MATRIX_BF16,
		[7] = JR_MATRIX_BF16X3,
		[8] = JR_MATRIX_BF16X6,
		[9] = JR_MATRIX_TF32,
		[10] = JR_MATRIX_TF32X3,
		[11] = JR_MATRIX_F32,
		[12] = JR_MATRIX_F64,
		[13] = JR_MATRIX_BF16X9};
	return algorithm >= 3 && algorithm < sizeof(classes) ? classes[algorithm] : JR_N_MATRIX;
}

void jr_work_of_product(struct jr_cost_program *p, const struct jr_hlo_instruction *inst,
	uint64_t macs, uint8_t most_precise, struct jr_work *to)
{
	const struct jr_hlo_instruction *sides[2] = {
		jr_cost_operand(p, inst, 0), jr_cost_operand(p, inst, 1)};
	if (macs == JR_MANY || !sides[0] || !sides[1]) {
		to->unknown = inst->opcode;
		return;
	}
	/* compare complex types by the bits of one component */
	unsigned types[2] = {sides[0]->shape->element_type, sides[1]->shape->element_type}, bits[2];
	for (int i = 0; i < 2; i++)
		bits[i] = jr_hlo_element_bits(types[i]) / (jr_type_complex(types[i]) ? 2 : 1);
	unsigned type = bits[1] > bits[0] ? types[1] : types[0];
	const struct jr_hlo_attributes *a = inst->attributes;
	bool tf32 = !a || (a->algorithm == 0 && a->precision <= most_precise);
	enum jr_matrix_class class = a ? class_of_algorithm(a->algorithm) : JR_N_MATRIX;
	if (class == JR_N_MATRIX)
		class = jr_matrix_class_of(type, tf32);
	bool complex = jr_type_complex(types[0]) || jr_type_complex(types[1]);
	uint64_t flops = jr_sat_mul(macs, complex ? 8 : 2);
	if (class != JR_N_MATRIX)
		to->matrix[class] = flops;
	else if (jr_type_integer(type))
		to->int_ops = flops; /* wider integers do not have a matrix pipe */
	else
		to->unknown = inst->opcode;
}
