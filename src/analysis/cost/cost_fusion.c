/* Fusions: how many elements of each instruction are requested, from the result back to the
 * parameters. README.md, section 13.6. */
#include <string.h>

#include "analysis/cost/cost_fusion.h"

/* Constants with fewer elements are part of the code. */
#define SMALL_CONSTANT 8

/* --- the graph ----------------------------------------------------------------------------- */

/* Look up the operands of a node; return false if one is not in the computation. */
static bool open_node(struct jr_fusion *f, uint32_t i)
{
	struct jr_fusion_node *node = &f->nodes[i];
	const struct jr_hlo_instruction *inst = &f->p->hlo->instructions[f->computation->first + i];
	node->inst = inst;
	node->rule = jr_cost_rule_of(inst->op);
	node->elements = jr_cost_elements(f->p, inst->shape);
	node->operands = JR_ARENA_N(f->p->scratch, uint32_t, inst->n_operands + (size_t)1);
	node->state = 1;
	if (!jr_cost_spend(f->p, inst->n_operands))
		return false;
	for (uint32_t k = 0; k < inst->n_operands; k++) {
		uint32_t row = jr_hlo_operand(f->p->hlo, inst, k);
		if (row == JR_NONE || row - f->computation->first >= f->computation->n)
			return false;
		node->operands[k] = row - f->computation->first;
		f->nodes[node->operands[k]].n_users++;
	}
	return node->elements != JR_MANY;
}

static bool is_view(const struct jr_fusion_node *node)
{
	return (node->inst->op == JR_OP_BITCAST || node->inst->op == JR_OP_RESHAPE) &&
		   node->inst->n_operands == 1;
}

struct step {
	uint32_t node, next; /* operand */
};

/* Order the nodes that the root needs, operands first. Return false if they are not an acyclic
 * graph. It does not recurse, because a chain may be as long as the file. */
static bool sort_nodes(struct jr_fusion *f, uint32_t root)
{
	struct step *stack = JR_ARENA_N(f->p->scratch, struct step, f->computation->n);
	uint32_t n = 0;
	if (!open_node(f, root))
		return false;
	stack[n++] = (struct step){root, 0};
	while (n > 0) {
		struct step *top = &stack[n - 1];
		struct jr_fusion_node *node = &f->nodes[top->node];
		if (top->next == node->inst->n_operands) {
			node->state = 2;
			node->seen = is_view(node) ? f->nodes[node->operands[0]].seen : top->node;
			f->order[f->n_order++] = top->node;
			n--;
			continue;
		}
		uint32_t operand = node->operands[top->next++];
		if (f->nodes[operand].state == 1)
			return false;
		if (f->nodes[operand].state == 2)
			continue;
		if (!open_node(f, operand))
			return false;
		stack[n++] = (struct step){operand, 0};
	}
	return true;
}

/* --- requested elements -------------------------------------------------------------------- */

static void add_site(struct jr_fusion *f, uint32_t i, uint64_t elements)
{
	struct jr_fusion_node *node = &f->nodes[i];
	if (node->sites.all || elements == 0)
		return;
	if (elements >= node->elements) {
		node->sites = (struct jr_sites){.all = true};
		return;
	}
	if (!jr_cost_spend(f->p, node->sites.n + (uint64_t)1)) {
		f->to->unknown = true;
		return;
	}
	uint32_t *items = JR_ARENA_N(f->p->scratch, uint32_t, node->sites.n + (size_t)1);
	if (node->sites.n)
		memcpy(items, node->sites.items, node->sites.n * sizeof(*items));
	items[node->sites.n] = (uint32_t)f->amounts.n;
	*jr_vec_add(&f->amounts) = elements;
	node->sites = (struct jr_sites){.items = items, .n = node->sites.n + 1};
}

/* All sites that request elements of a result request the same elements of an operand. */
static void add_sites(struct jr_fusion *f, uint32_t i, const struct jr_sites *from)
{
	struct jr_fusion_node *node = &f->nodes[i];
	const struct jr_sites *own = &node->sites;
	if (own->all)
		return;
	if (from->all || own->n == 0) {
		node->sites = *from;
		return;
	}
	if (!jr_cost_spend(f->p, (uint64_t)own->n + from->n)) {
		f->to->unknown = true;
		return;
	}
	uint32_t *items = JR_ARENA_N(f->p->scratch, uint32_t, (size_t)own->n + from->n);
	uint32_t n = 0, a = 0, b = 0;
	while (a < own->n || b < from->n) {
		bool first = b == from->n || (a < own->n && own->items[a] <= from->items[b]);
		uint32_t item = first ? own->items[a] : from->items[b];
		a += a < own->n && own->items[a] == item;
		b += b < from->n && from->items[b] == item;
		items[n++] = item;
	}
	node->sites = (struct jr_sites){.items = items, .n = n};
}

static uint64_t sum_of(const struct jr_fusion *f, struct jr_fusion_node *node)
{
	if (node->sites.all)
		return node->elements;
	uint64_t sum = 0;
	for (uint32_t i = 0; i < node->sites.n; i++)
		sum = jr_sat_add(sum, f->amounts.items[node->sites.items[i]]);
	if (sum < node->elements)
		return sum;
	node->sites = (struct jr_sites){.all = true}; /* operands inherit this */
	return node->elements;
}

static void ask_share(struct jr_fusion *f, const struct jr_fusion_node *node, uint32_t operand)
{
	uint64_t n = f->nodes[operand].elements;
	add_site(f, operand, jr_sat_share(node->asked, n, node->elements, true));
}

/* Requested elements of the first operand that the second one does not replace. */
static uint64_t rest_of(const struct jr_fusion *f, const struct jr_fusion_node *node)
{
	if (node->inst->n_operands < 2)
		return JR_MANY;
	uint64_t rest =
		jr_sat_sub(f->nodes[node->operands[0]].elements, f->nodes[node->operands[1]].elements);
	return jr_sat_share(rest, node->asked, node->elements, true);
}

static uint64_t touched_by(const struct jr_fusion *f, const struct jr_fusion_node *node)
{
	uint32_t update = node->inst->n_operands / 2 + 1;
	uint64_t n = f->nodes[node->operands[0]].elements;
	uint64_t m =
		update < node->inst->n_operands ? f->nodes[node->operands[update]].elements : JR_MANY;
	return n < m ? n : m;
}

/* A nested fusion requests of its operands what its own computation requests of its parameters. */
static void ask_nested(struct jr_fusion *f, const struct jr_fusion_node *node,
	const struct jr_demand *inner, uint32_t k)
{
	uint64_t n = f->nodes[node->operands[k]].elements;
	if (inner && !inner->unknown && k < inner->n_parameters)
		n = jr_sat_share(inner->parameters[k], node->asked, node->elements, true);
	add_site(f, node->operands[k], n);
}

static void ask_operand(struct jr_fusion *f, const struct jr_fusion_node *node, uint32_t k)
{
	uint32_t operand = node->operands[k];
	uint64_t n = f->nodes[operand].elements;
	switch (node->rule->flow) {
	case JR_FLOW_SAME:
		if (n == node->elements) {
			add_sites(f, operand, &node->sites);
			return;
		}
		break;
	case JR_FLOW_PART:
		if (k == 0)
			n = node->asked;
		break;
	case JR_FLOW_REDUCE:
		if (k >= node->inst->n_operands / 2)
			break;
		ask_share(f, node, operand);
		return;
	case JR_FLOW_SHARE: ask_share(f, node, operand); return;
	case JR_FLOW_UPDATE:
		if (k == 0)
			n = node->in_place ? 0 : rest_of(f, node);
		break;
	case JR_FLOW_SCATTER:
		if (k == 0 && node->in_place)
			n = touched_by(f, node);
		break;
	default: break;
	}
	add_site(f, operand, n);
}

/* A rotation is one instruction: its two shifts and the operation that joins their bits. */
static void mark_rotation(struct jr_fusion *f, const struct jr_fusion_node *node)
{
	static const uint8_t joins[] = {JR_OP_OR, JR_OP_XOR, JR_OP_ADD};
	if (node->inst->n_operands != 2 || !JR_OP_IN(node->inst->op, joins))
		return;
	struct jr_fusion_node *a = &f->nodes[node->operands[0]], *b = &f->nodes[node->operands[1]];
	bool shifts = (a->inst->op == JR_OP_SHIFT_LEFT && b->inst->op == JR_OP_SHIFT_RIGHT_LOGICAL) ||
				  (b->inst->op == JR_OP_SHIFT_LEFT && a->inst->op == JR_OP_SHIFT_RIGHT_LOGICAL);
	if (shifts && a->n_users == 1 && b->n_users == 1 && a->inst->n_operands &&
		b->inst->n_operands && a->operands[0] == b->operands[0])
		a->no_work = b->no_work = true;
}

/* --- the result ---------------------------------------------------------------------------- */

static struct jr_fusion_node *seen_through(const struct jr_fusion *f, uint32_t i)
{
	return &f->nodes[f->nodes[i].seen];
}

/* Return the update node if leaf `index` of the result (JR_NONE: all of it) updates a parameter in
 * place, i.e. both have the same address. */
static struct jr_fusion_node *updated_in_place(
	const struct jr_fusion *f, uint32_t i, uint32_t index)
{
	struct jr_fusion_node *node = seen_through(f, i);
	bool updates = node->rule->flow == JR_FLOW_UPDATE || node->rule->flow == JR_FLOW_SCATTER;
	if (!updates || node->inst->n_operands < 2 || node->inst->shape->n_tuple)
		return NULL;
	const struct jr_fusion_node *array = seen_through(f, node->operands[0]);
	if (array->inst->op != JR_OP_PARAMETER)
		return NULL;
	if (f->inst && !jr_same_place(f->p, f->inst, index, array->inst->number))
		return NULL;
	return node;
}

/* Workspace of a library call in the fusion, which is part of the result nevertheless. */
static bool is_workspace(const struct jr_fusion *f, const struct jr_fusion_node *node)
{
	if (node->inst->op != JR_OP_GET_TUPLE_ELEMENT || node->inst->n_operands != 1)
		return false;
	return jr_is_workspace(f->nodes[node->operands[0]].inst, node->inst->number);
}

static void write_leaf(struct jr_fusion *f, uint32_t i, uint32_t index)
{
	const struct jr_fusion_node *leaf = &f->nodes[i];
	struct jr_moved *written = &f->to->written;
	const struct jr_hlo_shape *shape = leaf->inst->shape;
	if (f->inst) { /* memory spaces are recorded on the fusion */
		const struct jr_hlo_shape *whole = f->inst->shape;
		if (index == JR_NONE && whole->n_tuple == shape->n_tuple)
			shape = whole;
		else if (index < whole->n_tuple && whole->tuple[index].n_tuple == shape->n_tuple)
			shape = &whole->tuple[index];
	}
	struct jr_fusion_node *update = updated_in_place(f, i, index);
	if (update) {
		update->in_place = f->to->in_place = true;
		bool scatter = update->rule->flow == JR_FLOW_SCATTER;
		jr_add_written_part(shape,
			scatter ? touched_by(f, update) : f->nodes[update->operands[1]].elements, written);
	} else if (!is_workspace(f, leaf)) {
		jr_add_written(f->p, shape, written);
	}
	add_site(f, i, leaf->elements);
}

/* The operands of a root tuple are leaves with separate places, as far as tuples are made here. */
static void write_root(struct jr_fusion *f, uint32_t root)
{
	const struct jr_fusion_node *node = &f->nodes[root];
	if (node->inst->op != JR_OP_TUPLE) {
		write_leaf(f, root, JR_NONE);
		return;
	}
	for (uint32_t k = 0; k < node->inst->n_operands && !f->to->unknown; k++)
		write_leaf(f, node->operands[k], k);
}

/* --- whole fusions ------------------------------------------------------------------------- */

static void take_parameter(struct jr_fusion *f, const struct jr_fusion_node *node)
{
	struct jr_demand *to = f->to;
	if (node->inst->number >= to->n_parameters) {
		to->unknown = true;
		return;
	}
	uint64_t *asked = &to->parameters[node->inst->number];
	*asked = jr_sat_add(*asked, node->asked);
}

bool jr_fusion_request(struct jr_fusion *f, struct jr_fusion_node *node)
{
	node->asked = sum_of(f, node);
	if (node->asked == 0)
		return false;
	if (node->inst->op == JR_OP_PARAMETER) {
		take_parameter(f, node);
		return false;
	}
	if (node->inst->op == JR_OP_CONSTANT && node->elements > SMALL_CONSTANT)
		f->to->constants =
			jr_sat_add(f->to->constants, jr_elements_bytes(node->inst->shape, node->asked));
	mark_rotation(f, node);
	return true;
}

void jr_fusion_ask(
	struct jr_fusion *f, const struct jr_fusion_node *node, const struct jr_demand *inner)
{
	for (uint32_t k = 0; k < node->inst->n_operands && !f->to->unknown; k++)
		if (node->rule->flow == JR_FLOW_FUSION)
			ask_nested(f, node, inner, k);
		else
			ask_operand(f, node, k);
}

void jr_fusion_begin(struct jr_fusion *f)
{
	uint32_t n = f->computation->n;
	uint32_t row = jr_hlo_by_id_in(
		f->p->hlo, (uint32_t)(f->computation - f->p->hlo->computations), f->computation->root_id);
	uint32_t root = row - f->computation->first;
	f->to->unknown = true;
	if (row == JR_NONE || root >= n || !jr_cost_spend(f->p, n))
		return;
	f->nodes = JR_ARENA_N(f->p->scratch, struct jr_fusion_node, n);
	f->order = JR_ARENA_N(f->p->scratch, uint32_t, n);
	if (!sort_nodes(f, root))
		return;
	f->to->unknown = false;
	write_root(f, root);
	if (f->nodes[root].inst->op == JR_OP_TUPLE)
		f->n_order--; /* it is the last one, and its parts are requested already */
}
