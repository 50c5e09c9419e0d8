/* Work of instructions and of the computations they call, classes of matrix products, and bytes
 * sent over links. README.md, sections 13.2, 13.3 and 13.8. */
#include <string.h>

#include "analysis/cost/cost_parts.h"

/* --- sums ---------------------------------------------------------------------------------- */

static void add_share(uint64_t *to, uint64_t from, uint64_t times, uint64_t of)
{
	if (from)
		*to = jr_sat_add(*to, jr_sat_share(from, times, of, false));
}

void jr_work_add(struct jr_work *to, const struct jr_work *from, uint64_t times, uint64_t of)
{
	if (times == 0)
		return;
	if (!to->unknown)
		to->unknown = from->unknown;
	if (!to->int_unknown)
		to->int_unknown = from->int_unknown;
	to->upper_bound |= from->upper_bound;
	for (int i = 0; i < JR_N_MATRIX; i++)
		add_share(&to->matrix[i], from->matrix[i], times, of);
	for (int i = 0; i < JR_N_VECTOR; i++)
		add_share(&to->vector[i], from->vector[i], times, of);
	add_share(&to->transcendentals, from->transcendentals, times, of);
	add_share(&to->int_ops, from->int_ops, times, of);
	add_share(&to->other_ops, from->other_ops, times, of);
	add_share(&to->remat, from->remat, times, of);
}

/* A count that overflows is not known. */
static void check(const struct jr_hlo_instruction *inst, struct jr_work *work)
{
	bool fits =
		work->transcendentals != JR_MANY && work->int_ops != JR_MANY && work->other_ops != JR_MANY;
	for (int i = 0; i < JR_N_MATRIX; i++)
		fits &= work->matrix[i] != JR_MANY;
	for (int i = 0; i < JR_N_VECTOR; i++)
		fits &= work->vector[i] != JR_MANY;
	if (!fits && !work->unknown)
		work->unknown = inst->opcode;
}

void jr_work_of(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, struct jr_work *to)
{
	*to = (struct jr_work){0};
	const struct jr_cost_rule *rule = jr_cost_rule_of(inst->opcode);
	if (!jr_cost_spend(p, 1))
		to->unknown = inst->opcode;
	else if (rule->work)
		rule->work(p, inst, to);
	check(inst, to);
}

/* --- called computations ------------------------------------------------------------------- */

/* Sum over all instructions of a computation, each once; cached per computation. */
static const struct jr_work *work_of_computation(struct jr_cost_program *p, uint32_t row)
{
	static const struct jr_work unknown = {.unknown = "call"};
	struct jr_computation_cost *known = &p->computations[row];
	if (known->work)
		return known->work;
	if (known->work_open || p->depth >= JR_COST_DEPTH)
		return &unknown;
	const struct jr_hlo_computation *c = &p->hlo->computations[row];
	struct jr_work *sum = JR_ARENA_NEW(p->arena, struct jr_work);
	known->work_open = true;
	p->depth++;
	for (uint32_t i = 0; i < c->n; i++) {
		struct jr_work one;
		jr_work_of(p, &p->hlo->instructions[c->first + i], &one);
		jr_work_add(sum, &one, 1, 1);
	}
	p->depth--;
	known->work_open = false;
	known->work = sum;
	return sum;
}

void jr_work_of_called(struct jr_cost_program *p, const struct jr_hlo_instruction *inst, uint32_t k,
	uint64_t times, struct jr_work *to)
{
	if (k >= inst->n_called || times == JR_MANY) {
		to->unknown = inst->opcode;
		return;
	}
	uint32_t row = jr_hlo_computation_by_id(p->hlo, inst->called_ids[k]);
	jr_work_add(to, work_of_computation(p, row), times, 1);
	if (to->unknown)
		to->unknown = inst->opcode;
}

void jr_work_called(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, struct jr_work *to)
{
	for (uint32_t k = 0; k < inst->n_called; k++)
		jr_work_add(to,
			work_of_computation(p, jr_hlo_computation_by_id(p->hlo, inst->called_ids[k])), 1, 1);
	if (inst->n_called == 0)
		to->unknown = inst->opcode;
}

static void add_moved(struct jr_moved *to, const struct jr_moved *from)
{
	to->unknown |= from->unknown;
	to->host |= from->host;
	to->read = jr_sat_add(to->read, from->read);
	to->written = jr_sat_add(to->written, from->written);
	to->near_read = jr_sat_add(to->near_read, from->near_read);
	to->near_written = jr_sat_add(to->near_written, from->near_written);
	to->host_bytes = jr_sat_add(to->host_bytes, from->host_bytes);
}

static void add_cost(struct jr_instruction_cost *to, const struct jr_instruction_cost *from)
{
	jr_work_add(&to->work, &from->work, 1, 1);
	add_moved(&to->moved, &from->moved);
	to->in_place |= from->in_place;
	to->collective |= from->collective;
	to->no_network |= from->no_network;
	to->network = jr_sat_add(to->network, from->network);
}

static const struct jr_instruction_cost *cost_of_computation(
	struct jr_cost_program *p, uint32_t row)
{
	static const struct jr_instruction_cost unknown = {
		.work.unknown = "call", .moved.unknown = true, .no_network = true};
	struct jr_computation_cost *known = &p->computations[row];
	if (known->cost)
		return known->cost;
	if (known->cost_open || p->depth >= JR_COST_DEPTH)
		return &unknown;
	const struct jr_hlo_computation *c = &p->hlo->computations[row];
	struct jr_instruction_cost *sum = JR_ARENA_NEW(p->arena, struct jr_instruction_cost);
	known->cost_open = true;
	p->depth++;
	for (uint32_t i = 0; i < c->n; i++) {
		const struct jr_hlo_instruction *inst = &p->hlo->instructions[c->first + i];
		if (strcmp(inst->opcode, "constant") == 0) /* stored before the program runs */
			continue;
		struct jr_instruction_cost one;
		jr_cost_of(p, inst, &one);
		add_cost(sum, &one);
	}
	p->depth--;
	known->cost_open = false;
	known->cost = sum;
	return sum;
}

void jr_cost_of_called(struct jr_cost_program *p, const struct jr_hlo_instruction *inst,
	struct jr_instruction_cost *to)
{
	*to = (struct jr_instruction_cost){0};
	for (uint32_t k = 0; k < inst->n_called; k++)
		add_cost(to, cost_of_computation(p, jr_hlo_computation_by_id(p->hlo, inst->called_ids[k])));
	if (inst->n_called == 0) {
		to->work.unknown = inst->opcode;
		to->moved.unknown = true;
	}
}

/* --- collectives --------------------------------------------------------------------------- */

static void add_wire(struct jr_cost_program *p, const struct jr_hlo_instruction *inst, uint8_t rule,
	struct jr_instruction_cost *to)
{
	uint64_t n = inst->group_size, bytes = jr_sat_add(to->moved.read, to->moved.near_read);
	bool pairs = rule == JR_WIRE_PUT; /* one device sends, for any group size */
	if (n == 0 && !pairs)
		n = p->n_devices;
	to->collective = true;
	if (rule == JR_WIRE_UNKNOWN || to->moved.unknown || !p->one_host || n > p->most_on_host ||
		(n == 0 && !pairs)) {
		to->no_network = true;
		return;
	}
	if (n == 1)
		return;
	if (rule == JR_WIRE_RESULT_SHARE)
		bytes = jr_sat_add(to->moved.written, to->moved.near_written);
	if (rule == JR_WIRE_PUT_TWICE_SHARE)
		bytes = jr_sat_mul(bytes, 2);
	to->network = pairs ? bytes : jr_sat_share(bytes, n - 1, n, false);
	to->no_network = to->network == JR_MANY;
}

void jr_cost_of(struct jr_cost_program *p, const struct jr_hlo_instruction *inst,
	struct jr_instruction_cost *to)
{
	*to = (struct jr_instruction_cost){0};
	const struct jr_cost_rule *rule = jr_cost_rule_of(inst->opcode);
	if (rule->flow == JR_FLOW_FUSION) {
		jr_cost_of_fusion(p, inst, to);
		return;
	}
	if (rule->work == jr_work_called) {
		jr_cost_of_called(p, inst, to);
		return;
	}
	jr_work_of(p, inst, &to->work);
	if (rule->bytes)
		rule->bytes(p, inst, &to->moved);
	if (rule->wire)
		add_wire(p, inst, rule->wire, to);
}

/* --- matrix products ----------------------------------------------------------------------- */

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
	if (jr_type_f8(type))
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
