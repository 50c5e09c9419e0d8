/* Costs of instructions, of the computations that they call or fuse, and bytes sent over links.
 * README.md, sections 13.2, 13.6 and 13.8. */
#include <string.h>

#include "analysis/cost/cost_fusion.h"

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

static void work_applied(struct jr_cost_program *p, const struct jr_hlo_instruction *inst,
	uint32_t k, uint64_t times, struct jr_work *to)
{
	if (k >= inst->n_called || times == JR_MANY) {
		to->unknown = inst->opcode;
		return;
	}
	uint32_t row = jr_hlo_called(p->hlo, inst, k);
	jr_work_add(to, work_of_computation(p, row), times, 1);
	if (to->unknown)
		to->unknown = inst->opcode;
}

static void work_called(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, struct jr_work *to)
{
	for (uint32_t k = 0; k < inst->n_called; k++)
		jr_work_add(to, work_of_computation(p, jr_hlo_called(p->hlo, inst, k)), 1, 1);
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
		if (inst->op == JR_OP_CONSTANT) /* stored before the program runs */
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

static void cost_of_called(struct jr_cost_program *p, const struct jr_hlo_instruction *inst,
	struct jr_instruction_cost *to)
{
	*to = (struct jr_instruction_cost){0};
	for (uint32_t k = 0; k < inst->n_called; k++)
		add_cost(to, cost_of_computation(p, jr_hlo_called(p->hlo, inst, k)));
	if (inst->n_called == 0) {
		to->work.unknown = inst->opcode;
		to->moved.unknown = true;
	}
}

/* --- fusions ------------------------------------------------------------------------------- */

static const struct jr_demand *demand_of(struct jr_cost_program *p,
	const struct jr_hlo_instruction *inst, const struct jr_hlo_instruction *outer);

static void take_work(struct jr_fusion *f, const struct jr_fusion_node *node)
{
	struct jr_work work;
	jr_work_of(f->p, node->inst, &work);
	if (!node->no_work)
		jr_work_add(&f->to->work, &work, node->asked, node->elements);
	if (node->rule->wire || node->inst->op == JR_OP_CUSTOM_CALL) {
		struct jr_instruction_cost cost;
		jr_cost_of(f->p, node->inst, &cost);
		f->to->moves_unknown |= cost.moved.unknown;
		f->to->collective |= cost.collective;
		f->to->no_network |= cost.no_network;
		f->to->network = jr_sat_add(f->to->network, cost.network);
	}
}

static void take(struct jr_fusion *f, struct jr_fusion_node *node)
{
	if (!jr_fusion_request(f, node))
		return;
	take_work(f, node);
	bool nested = node->rule->flow == JR_FLOW_FUSION;
	jr_fusion_ask(f, node, nested ? demand_of(f->p, node->inst, NULL) : NULL);
}

/* Return the demand of the computation that `inst` calls; `outer` as struct jr_fusion's inst. */
static const struct jr_demand *demand_of(struct jr_cost_program *p,
	const struct jr_hlo_instruction *inst, const struct jr_hlo_instruction *outer)
{
	uint32_t row = jr_hlo_called(p->hlo, inst, 0);
	if (row == JR_NONE || p->depth >= JR_COST_DEPTH || p->computations[row].demand_open)
		return NULL;
	struct jr_computation_cost *known = &p->computations[row];
	if (!outer && known->demand)
		return known->demand;
	struct jr_arena *arena = outer ? p->scratch : p->arena;
	struct jr_fusion f = {.p = p,
		.inst = outer,
		.computation = &p->hlo->computations[row],
		.to = JR_ARENA_NEW(arena, struct jr_demand)};
	f.to->n_parameters = inst->n_operands;
	f.to->parameters = JR_ARENA_N(arena, uint64_t, inst->n_operands + (size_t)1);
	known->demand_open = true;
	p->depth++;
	jr_fusion_begin(&f);
	for (uint32_t i = f.n_order; i > 0 && !f.to->unknown; i--)
		take(&f, &f.nodes[f.order[i - 1]]);
	p->depth--;
	known->demand_open = false;
	jr_vec_done(&f.amounts);
	if (!outer)
		known->demand = f.to;
	return f.to;
}

static void work_fusion(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, struct jr_work *to)
{
	const struct jr_demand *inner = demand_of(p, inst, NULL);
	if (!inner || inner->unknown)
		to->unknown = inst->opcode;
	else
		*to = inner->work;
}

/* Read `elements` of an operand, which may be a tuple. */
static void read_operand(struct jr_cost_program *p, const struct jr_hlo_shape *shape,
	uint64_t elements, struct jr_moved *to)
{
	if (!shape->n_tuple) {
		jr_add_read_part(shape, elements, to);
		return;
	}
	struct jr_moved whole = {0};
	uint64_t n = jr_cost_elements(p, shape);
	jr_add_read(p, shape, &whole);
	to->host |= whole.host;
	to->unknown |= whole.unknown;
	to->read = jr_sat_add(to->read, jr_sat_share(whole.read, elements, n, true));
	to->near_read = jr_sat_add(to->near_read, jr_sat_share(whole.near_read, elements, n, true));
	to->host_bytes = jr_sat_add(to->host_bytes, jr_sat_share(whole.host_bytes, elements, n, true));
}

static void cost_of_fusion(struct jr_cost_program *p, const struct jr_hlo_instruction *inst,
	struct jr_instruction_cost *to)
{
	*to = (struct jr_instruction_cost){0};
	const struct jr_demand *d = demand_of(p, inst, inst);
	if (!d || d->unknown) {
		to->work.unknown = inst->opcode;
		to->moved.unknown = true;
		return;
	}
	to->work = d->work;
	to->moved = d->written;
	to->moved.unknown |= d->moves_unknown;
	to->in_place = d->in_place;
	to->collective = d->collective;
	to->no_network = d->no_network;
	to->network = d->network;
	to->moved.read = jr_sat_add(to->moved.read, d->constants);
	for (uint32_t k = 0; k < inst->n_operands && !to->moved.unknown; k++) {
		const struct jr_hlo_instruction *operand = jr_cost_operand(p, inst, k);
		if (!operand)
			to->moved.unknown = d->parameters[k] > 0;
		else if (d->parameters[k])
			read_operand(p, operand->shape, d->parameters[k], &to->moved);
	}
	to->moved.unknown |= to->moved.read == JR_MANY || to->moved.written == JR_MANY;
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

/* --- instructions -------------------------------------------------------------------------- */

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
	const struct jr_cost_rule *rule = jr_cost_rule_of(inst->op);
	if (!jr_cost_spend(p, 1))
		to->unknown = inst->opcode;
	else if (rule->flow == JR_FLOW_FUSION)
		work_fusion(p, inst, to);
	else if (rule->flow == JR_FLOW_CALL)
		work_called(p, inst, to);
	else if (rule->work)
		rule->work(p, inst, to);
	else
		for (uint32_t k = 0; k < rule->n_applied; k++)
			work_applied(p, inst, k, rule->times(p, inst, k), to);
	check(inst, to);
}

void jr_cost_of(struct jr_cost_program *p, const struct jr_hlo_instruction *inst,
	struct jr_instruction_cost *to)
{
	*to = (struct jr_instruction_cost){0};
	const struct jr_cost_rule *rule = jr_cost_rule_of(inst->op);
	if (rule->flow == JR_FLOW_FUSION) {
		cost_of_fusion(p, inst, to);
		return;
	}
	if (rule->flow == JR_FLOW_CALL) {
		cost_of_called(p, inst, to);
		return;
	}
	jr_work_of(p, inst, &to->work);
	if (rule->bytes)
		rule->bytes(p, inst, &to->moved);
	if (rule->wire)
		add_wire(p, inst, rule->wire, to);
}
