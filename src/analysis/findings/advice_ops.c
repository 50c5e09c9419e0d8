/* Facts about the ops that advice is about; README.md, section 14.8. */
#include <string.h>

#include "analysis/findings/advice.h"
#include "analysis/cost/attention.h"
#include "analysis/cost/cost_parts.h"
#include "analysis/cost/products.h"
#include "analysis/roofline/roofline.h"

/* --- copies ----------------------------------------------------------------------------------- */

typedef bool (*is_fn)(struct jr_check *c, uint32_t op, const struct jr_hlo_instruction *inst,
	uint8_t opcode);

/* Check the ops in question. YES: one of them matches; NO: no op with a known instruction
 * matches. */
static int any_is(struct jr_check *c, const struct jr_about *about, is_fn is, uint8_t opcode)
{
	int found = UNKNOWN;
	for (uint32_t i = 0; i < c->ctx->profile->n_ops; i++) {
		bool asked = about->ops ? about->ops[i] : i == about->op;
		const struct jr_hlo_instruction *inst = asked ? jr_check_instruction(c, i) : NULL;
		if (!inst)
			continue;
		if (is(c, i, inst, opcode))
			return YES;
		found = NO;
	}
	return found;
}

static bool has_opcode(struct jr_check *c, uint32_t op, const struct jr_hlo_instruction *inst,
	uint8_t opcode)
{
	const struct jr_profile *p = c->ctx->profile;
	return jr_first_within(p->programs[p->ops[op].program].hlo, inst, opcode) != NULL;
}

int jr_fact_copies(struct jr_check *c, const struct jr_about *about)
{
	return any_is(c, about, has_opcode, JR_OP_COPY);
}

int jr_fact_transposes(struct jr_check *c, const struct jr_about *about)
{
	return any_is(c, about, has_opcode, JR_OP_TRANSPOSE);
}

static bool reads_opcode(struct jr_check *c, uint32_t op, const struct jr_hlo_instruction *inst,
	uint8_t opcode)
{
	const struct jr_profile *p = c->ctx->profile;
	const struct jr_dataflow *flow = jr_check_dataflow(c, p->ops[op].program);
	for (uint32_t k = 0; k < inst->n_operands; k++) {
		uint32_t row = jr_maker_of(flow, jr_operand(flow, p->ops[op].instruction, k)).row;
		if (row != JR_NONE && flow->hlo->instructions[row].op == opcode)
			return true;
	}
	return false;
}

/* Check whether one of the ops reads a parameter of the program directly. */
int jr_fact_moves_parameter(struct jr_check *c, const struct jr_about *about)
{
	return any_is(c, about, reads_opcode, JR_OP_PARAMETER);
}

/* --- reductions ------------------------------------------------------------------------------- */

#define FEW_PER_SM 32 /* results: one per thread of a warp on each multiprocessor */

int jr_fact_few_results(struct jr_check *c, const struct jr_about *about)
{
	const struct jr_hlo_instruction *inst = jr_check_instruction(c, about->op);
	const struct jr_hlo *hlo =
		inst ? c->ctx->profile->programs[c->ctx->profile->ops[about->op].program].hlo : NULL;
	const struct jr_hlo_instruction *reduce =
		inst ? jr_first_within(hlo, inst, JR_OP_REDUCE) : NULL;
	const struct jr_roofline *r = c->ctx->roofline;
	uint64_t n = reduce ? jr_array_elements(jr_first_leaf(reduce->shape)) : JR_MANY;
	if (!reduce || n == JR_MANY || !r || !r->peaks.sm_count)
		return UNKNOWN;
	return n < (uint64_t)FEW_PER_SM * r->peaks.sm_count;
}

/* --- matrix products -------------------------------------------------------------------------- */

static bool find_product(struct jr_check *c, uint32_t op, struct jr_product *to)
{
	const struct jr_op *o = &c->ctx->profile->ops[op];
	return jr_check_instruction(c, op) &&
		   jr_product_of(c->ctx->profile->programs[o->program].hlo, o->instruction, to);
}

/* A size below one tile cannot be padded without several times the work. */
static bool is_odd(uint64_t size)
{
	return size > JR_SMALL_TILE && size % JR_SMALL_TILE;
}

int jr_fact_odd_sizes(struct jr_check *c, const struct jr_about *about)
{
	struct jr_product p;
	return find_product(c, about->op, &p) ? is_odd(p.m) || is_odd(p.n) || is_odd(p.k) : UNKNOWN;
}

int jr_fact_few_tiles(struct jr_check *c, const struct jr_about *about)
{
	struct jr_product p;
	const struct jr_roofline *r = c->ctx->roofline;
	if (!find_product(c, about->op, &p) || !r || !r->peaks.sm_count)
		return UNKNOWN;
	double tiles = ceil((double)p.m / JR_SMALL_TILE) * ceil((double)p.n / JR_SMALL_TILE);
	return (double)p.batch * tiles < (double)r->peaks.sm_count;
}

int jr_fact_reduces_columns(struct jr_check *c, const struct jr_about *about)
{
	const struct jr_hlo_instruction *inst = jr_check_instruction(c, about->op);
	const struct jr_hlo *hlo =
		inst ? c->ctx->profile->programs[c->ctx->profile->ops[about->op].program].hlo : NULL;
	const struct jr_hlo_instruction *reduce =
		inst ? jr_first_within(hlo, inst, JR_OP_REDUCE) : NULL;
	const struct jr_hlo_shape *in = reduce ? jr_hlo_operand_shape(hlo, reduce, 0) : NULL;
	if (!in || !in->n_dimensions || !reduce->attributes || !reduce->attributes->n_dimensions)
		return UNKNOWN;
	int64_t fastest = in->minor_to_major ? in->minor_to_major[0] : (int64_t)in->n_dimensions - 1;
	for (uint32_t i = 0; i < reduce->attributes->n_dimensions; i++)
		if (reduce->attributes->dimensions[i] == fastest)
			return NO;
	return YES;
}

int jr_fact_fused(struct jr_check *c, const struct jr_about *about)
{
	const struct jr_hlo_instruction *inst = jr_check_instruction(c, about->op);
	return inst ? inst->op == JR_OP_FUSION : UNKNOWN;
}

int jr_fact_wide_input(struct jr_check *c, const struct jr_about *about)
{
	const struct jr_hlo_instruction *inst = jr_check_instruction(c, about->op);
	const struct jr_hlo_shape *largest = NULL;
	if (!inst)
		return UNKNOWN;
	const struct jr_hlo *hlo =
		c->ctx->profile->programs[c->ctx->profile->ops[about->op].program].hlo;
	for (uint32_t k = 0; k < inst->n_operands; k++) {
		const struct jr_hlo_shape *s = jr_hlo_operand_shape(hlo, inst, k);
		if (s && (!largest || jr_hlo_shape_bytes(s) > jr_hlo_shape_bytes(largest)))
			largest = s;
	}
	return largest ? jr_type_float(largest->element_type) &&
						 jr_hlo_element_bits(largest->element_type) >= 32
				   : UNKNOWN;
}

/* --- recomputation and masks ------------------------------------------------------------------ */

int jr_fact_checkpointed(struct jr_check *c, const struct jr_about *about)
{
	const struct jr_hlo_instruction *inst = jr_check_instruction(c, about->op);
	if (!inst)
		return UNKNOWN;
	return strstr(inst->op_name, "rematted_computation") != NULL;
}

/* Look for a comparison of two iotas along the last two dimensions, whose sizes are the numbers of
 * queries and keys. */
int jr_fact_masked_by_place(struct jr_check *c)
{
	const struct jr_hlo *hlo = jr_check_step_hlo(c);
	if (!hlo)
		return UNKNOWN;
	const struct jr_scores *scores = jr_check_scores(c, c->step);
	const struct jr_dataflow *flow = jr_check_dataflow(c, c->step);
	for (uint32_t i = 0; scores->found && i < hlo->n_instructions; i++) {
		const struct jr_hlo_instruction *inst = &hlo->instructions[i];
		const struct jr_hlo_shape *s = inst->shape;
		uint32_t n = s->n_dimensions;
		if (inst->op != JR_OP_COMPARE || n < 2 ||
			(uint64_t)s->dimensions[n - 2] != scores->queries ||
			(uint64_t)s->dimensions[n - 1] != scores->keys ||
			(inst->attributes && strcmp(inst->attributes->direction, "EQ") == 0))
			continue;
		struct jr_values a = jr_values_of(flow, jr_operand(flow, i, 0));
		struct jr_values b = jr_values_of(flow, jr_operand(flow, i, 1));
		if ((a.from & JR_FROM_IOTA) && (b.from & JR_FROM_IOTA))
			return YES;
	}
	return NO;
}

/* --- gathers and scatters --------------------------------------------------------------------- */

static bool is_scatter(const struct jr_hlo_instruction *inst)
{
	return inst->op == JR_OP_SCATTER;
}

static bool is_gather(const struct jr_hlo_instruction *inst)
{
	return inst->op == JR_OP_GATHER;
}

/* Return the row of the scatter, else of the gather, that an op is or contains; JR_NONE. */
static uint32_t indexed_row(const struct jr_hlo *hlo, uint32_t row)
{
	const struct jr_hlo_instruction *inst = &hlo->instructions[row];
	if (is_scatter(inst) || is_gather(inst))
		return row;
	uint32_t called = inst->op == JR_OP_FUSION ? jr_hlo_called(hlo, inst, 0) : JR_NONE;
	uint32_t gather = JR_NONE;
	if (called == JR_NONE)
		return JR_NONE;
	const struct jr_hlo_computation *in = &hlo->computations[called];
	for (uint32_t i = in->first; i < in->first + in->n && i - in->first < JR_MOST_WITHIN; i++) {
		if (is_scatter(&hlo->instructions[i]))
			return i;
		gather = is_gather(&hlo->instructions[i]) ? i : gather;
	}
	return gather;
}

uint32_t jr_check_indexed(struct jr_check *c, uint32_t op)
{
	const struct jr_hlo_instruction *inst = jr_check_instruction(c, op);
	const struct jr_op *row = inst ? &c->ctx->profile->ops[op] : NULL;
	return inst ? indexed_row(c->ctx->profile->programs[row->program].hlo, row->instruction)
				: JR_NONE;
}

static struct jr_values indices_of(struct jr_check *c, uint32_t op)
{
	uint32_t row = jr_check_indexed(c, op);
	if (row == JR_NONE)
		return (struct jr_values){0};
	const struct jr_dataflow *flow = jr_check_dataflow(c, c->ctx->profile->ops[op].program);
	const struct jr_hlo_instruction *inst = &flow->hlo->instructions[row];
	/* Operands of a scatter of n arrays: n tables, the indices, n updates. */
	uint32_t k = is_scatter(inst) ? (inst->n_operands - 1) / 2 : 1;
	return jr_values_of(flow, jr_operand(flow, row, inst->n_operands ? k : 0));
}

/* True if all parameters that the values come from are constant inputs. */
static bool all_constant(struct jr_check *c, uint32_t op, const struct jr_values *v)
{
	const struct jr_constant_inputs *in = jr_constant_inputs_of(c);
	if (v->n_parameters && c->ctx->profile->ops[op].program != c->step)
		return false;
	for (uint32_t i = 0; i < v->n_parameters; i++)
		if (v->parameters[i] >= in->n_numbers || !in->constant[v->parameters[i]])
			return false;
	return true;
}

int jr_fact_equal_indices(struct jr_check *c, const struct jr_about *about)
{
	struct jr_values v = indices_of(c, about->op);
	return v.from && jr_all_equal(&v) && all_constant(c, about->op, &v) ? YES : NO;
}

/* Indices are shared if they are gathered over all devices of the program, as far as collectives
 * show. */
int jr_fact_shared_indices(struct jr_check *c, const struct jr_about *about)
{
	struct jr_values v = indices_of(c, about->op);
	uint32_t most = 0;
	if (!v.from)
		return UNKNOWN;
	const struct jr_profile *p = c->ctx->profile;
	for (size_t i = 0; i < p->n_ops; i++)
		if (p->ops[i].program == p->ops[about->op].program && p->ops[i].group_size > most)
			most = p->ops[i].group_size;
	most = most > c->ctx->steady->n_devices_ran ? most : (uint32_t)c->ctx->steady->n_devices_ran;
	if (v.from & JR_FROM_OTHER)
		return v.gathered && v.gathered >= most ? YES : UNKNOWN;
	return !(v.from & JR_FROM_PARAMETER) || (v.gathered && v.gathered >= most) ? YES : NO;
}

int jr_fact_sorted_indices(struct jr_check *c, const struct jr_about *about)
{
	struct jr_values v = indices_of(c, about->op);
	return v.from ? (v.from & JR_FROM_SORT) != 0 : UNKNOWN;
}

int jr_fact_repeatable_indices(struct jr_check *c, const struct jr_about *about)
{
	struct jr_values v = indices_of(c, about->op);
	bool told = (v.from & JR_FROM_SORT) || !(v.from & (JR_FROM_PARAMETER | JR_FROM_OTHER));
	return v.from && !told && jr_fact_equal_indices(c, about) == NO ? YES : NO;
}

/* The time of such work depends on values: rows that repeat or are far apart, or parts of unknown
 * size. It does not if the program itself computes the indices from an iota. */
int jr_fact_depends_on_data(struct jr_check *c, const struct jr_about *about)
{
	static const uint8_t opcodes[] = {JR_OP_SCATTER, JR_OP_GATHER, JR_OP_RAGGED_DOT,
		JR_OP_RAGGED_ALL_TO_ALL, JR_OP_CONDITIONAL, JR_OP_SELECT_AND_SCATTER};
	if (about->op == JR_NONE)
		return UNKNOWN;
	const struct jr_op *op = &c->ctx->profile->ops[about->op];
	const struct jr_hlo_instruction *inst = jr_check_instruction(c, about->op);
	struct jr_values v = indices_of(c, about->op);
	if (v.from)
		return (v.from & (JR_FROM_PARAMETER | JR_FROM_OTHER)) != 0;
	const char *opcode = inst ? inst->opcode : jr_str(c->ctx->profile, op->opcode);
	if (JR_OP_IN(jr_hlo_opcode_of(opcode), opcodes))
		return YES;
	return *opcode ? NO : UNKNOWN;
}

/* Rows are sorted by device, module and start; modules of a device hardly overlap. */
int jr_fact_beside_communication(struct jr_check *c, const struct jr_about *about)
{
	const struct jr_profile *p = c->ctx->profile;
	const struct jr_thunks *t = &p->thunks;
	int64_t until[2] = {INT64_MIN, INT64_MIN}; /* of the op, of communication */
	for (size_t i = 0; i < t->n; i++) {
		bool is_op = t->op[i] == about->op, other = jr_thunk_op(p, i)->communication;
		if (i && jr_thunk_device(p, i) != jr_thunk_device(p, i - 1))
			until[0] = until[1] = INT64_MIN;
		if (!jr_thunk_steady(p, i) || is_op == other)
			continue;
		if (jr_thunk_start_ns(p, i) < until[is_op])
			return YES;
		int64_t end = jr_thunk_end_ns(p, i);
		until[other] = end > until[other] ? end : until[other];
	}
	return NO;
}
