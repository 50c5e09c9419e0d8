/* Values are followed instruction by instruction; README.md, section 14.8. */
#include "analysis/cost/dataflow.h"

#include <string.h>

#include "analysis/cost/cost_parts.h"
#include "base/cleanup.h"

#define STEPS_EACH 256 /* per instruction of the program, for all queries together */
#define LEAST_STEPS (UINT64_C(1) << 20)
#define MOST_INDEX 0x7FFFu /* limit of distinct tuple positions */

/* How an instruction forwards the values of its operands. */
enum step {
	STEP_MADE,  /* it makes its values: a leaf of the traversal */
	STEP_MOVED, /* it forwards the values of arrays, unchanged or with another type */
	STEP_ELEMENTS,
	STEP_PARTS,
	STEP_SORTED,
};

struct arrays {
	JR_VEC(struct jr_array) list;
};

struct jr_dataflow jr_dataflow_new(const struct jr_hlo *hlo, struct jr_arena *arena)
{
	uint32_t *caller = JR_ARENA_N(arena, uint32_t, hlo->n_computations + (size_t)1);
	bool *called = JR_ARENA_N(arena, bool, hlo->n_computations + (size_t)1);
	for (uint32_t i = 0; i < hlo->n_computations; i++)
		caller[i] = JR_NONE;
	for (uint32_t i = 0; i < hlo->n_instructions; i++)
		for (uint32_t k = 0; k < hlo->instructions[i].n_called; k++) {
			uint32_t at = jr_hlo_called(hlo, &hlo->instructions[i], k);
			if (at == JR_NONE)
				continue;
			caller[at] = called[at] ? JR_NONE : i;
			called[at] = true;
		}
	uint64_t *steps = JR_ARENA_NEW(arena, uint64_t);
	*steps = LEAST_STEPS + (uint64_t)STEPS_EACH * hlo->n_instructions;
	return (struct jr_dataflow){hlo, caller, steps};
}

struct jr_array jr_operand(const struct jr_dataflow *flow, uint32_t row, uint32_t k)
{
	return (struct jr_array){.row = jr_hlo_operand(flow->hlo, &flow->hlo->instructions[row], k)};
}

/* --- one step back -------------------------------------------------------------------------- */

static struct jr_array at_path(struct jr_array of, struct jr_array path)
{
	path.row = of.row;
	return path;
}

/* Remove the outermost tuple index. */
static struct jr_array popped(struct jr_array a)
{
	a.path[0] = a.path[1];
	a.n_path -= a.n_path > 0;
	return a;
}

static void add(struct arrays *to, struct jr_array array)
{
	*jr_vec_add(&to->list) = array;
}

static void add_operands(
	const struct jr_dataflow *flow, uint32_t row, uint32_t first, struct arrays *to)
{
	for (uint32_t k = first; k < flow->hlo->instructions[row].n_operands; k++)
		add(to, jr_operand(flow, row, k));
}

/* The body of a loop is the called computation whose result is not a condition. */
static uint32_t body_root(const struct jr_hlo *hlo, const struct jr_hlo_instruction *loop)
{
	for (uint32_t k = 0; k < loop->n_called; k++) {
		uint32_t root = jr_hlo_root(hlo, jr_hlo_called(hlo, loop, k));
		if (root != JR_NONE && hlo->instructions[root].shape->element_type != JR_HLO_PRED)
			return root;
	}
	return JR_NONE;
}

/* A loop-carried value comes from the initial value and from the result of the body. */
static enum step step_of_loop(
	const struct jr_dataflow *flow, struct jr_array a, uint32_t loop, struct arrays *to)
{
	add(to, at_path(jr_operand(flow, loop, 0), a));
	add(to,
		at_path((struct jr_array){.row = body_root(flow->hlo, &flow->hlo->instructions[loop])}, a));
	return STEP_MOVED;
}

static enum step step_of_parameter(
	const struct jr_dataflow *flow, struct jr_array a, struct arrays *to)
{
	static const uint8_t calls[] = {JR_OP_FUSION, JR_OP_CALL, JR_OP_ASYNC_START};
	const struct jr_hlo_instruction *inst = &flow->hlo->instructions[a.row];
	uint32_t caller = flow->caller[inst->computation];
	if (caller == JR_NONE)
		return STEP_MADE;
	if (flow->hlo->instructions[caller].op == JR_OP_WHILE)
		return step_of_loop(flow, a, caller, to);
	if (!JR_OP_IN(flow->hlo->instructions[caller].op, calls))
		return STEP_MADE;
	add(to, at_path(jr_operand(flow, caller, inst->number), a));
	return STEP_MOVED;
}

static enum step step_of_call(const struct jr_dataflow *flow, struct jr_array a, struct arrays *to)
{
	const struct jr_hlo_instruction *inst = &flow->hlo->instructions[a.row];
	uint32_t called = jr_hlo_called(flow->hlo, inst, 0);
	if (called == JR_NONE)
		return STEP_MADE;
	add(to, at_path((struct jr_array){.row = jr_hlo_root(flow->hlo, called)}, a));
	return STEP_MOVED;
}

/* Instructions that move arrays between devices. With several operands, each is one element of the
 * result. */
static enum step step_of_exchange(
	const struct jr_dataflow *flow, struct jr_array a, struct arrays *to)
{
	bool several = flow->hlo->instructions[a.row].n_operands > 1;
	if (several && !a.n_path)
		return STEP_MADE;
	struct jr_array operand = jr_operand(flow, a.row, several ? a.path[0] : 0);
	add(to, several ? at_path(operand, popped(a)) : operand);
	return STEP_MOVED;
}

static enum step step_back(const struct jr_dataflow *flow, struct jr_array a, struct arrays *to)
{
	static const uint8_t moving[] = {JR_OP_BITCAST, JR_OP_RESHAPE, JR_OP_TRANSPOSE, JR_OP_COPY,
		JR_OP_COPY_DONE, JR_OP_SLICE, JR_OP_DYNAMIC_SLICE, JR_OP_BROADCAST, JR_OP_REVERSE,
		JR_OP_CONVERT, JR_OP_BITCAST_CONVERT, JR_OP_GATHER, JR_OP_DYNAMIC_RESHAPE,
		JR_OP_COPY_START};
	static const uint8_t ends[] = {JR_OP_OPT_BARRIER, JR_OP_ASYNC_DONE, JR_OP_ASYNC_UPDATE,
		JR_OP_ALL_GATHER_DONE, JR_OP_COLLECTIVE_PERMUTE_DONE};
	static const uint8_t exchanges[] = {JR_OP_ALL_GATHER, JR_OP_ALL_GATHER_START, JR_OP_ALL_TO_ALL,
		JR_OP_RAGGED_ALL_TO_ALL, JR_OP_COLLECTIVE_PERMUTE, JR_OP_COLLECTIVE_PERMUTE_START,
		JR_OP_COLLECTIVE_BROADCAST};
	static const uint8_t calls[] = {JR_OP_FUSION, JR_OP_CALL, JR_OP_ASYNC_START};
	static const uint8_t joins[] = {JR_OP_CONCATENATE, JR_OP_PAD, JR_OP_DYNAMIC_UPDATE_SLICE};
	const struct jr_hlo_instruction *inst = &flow->hlo->instructions[a.row];
	if (inst->op == JR_OP_PARAMETER)
		return step_of_parameter(flow, a, to);
	if (inst->op == JR_OP_GET_TUPLE_ELEMENT) {
		if (a.n_path == JR_COUNT_OF(a.path) || inst->number > MOST_INDEX)
			return STEP_MADE;
		struct jr_array of = {.n_path = a.n_path + 1, .path = {inst->number, a.path[0]}};
		add(to, at_path(jr_operand(flow, a.row, 0), of));
		return STEP_MOVED;
	}
	if (inst->op == JR_OP_TUPLE) {
		if (!a.n_path)
			return STEP_MADE;
		add(to, at_path(jr_operand(flow, a.row, a.path[0]), popped(a)));
		return STEP_MOVED;
	}
	if (inst->op == JR_OP_WHILE)
		return step_of_loop(flow, a, a.row, to);
	if (JR_OP_IN(inst->op, calls))
		return step_of_call(flow, a, to);
	if (JR_OP_IN(inst->op, exchanges))
		return step_of_exchange(flow, a, to);
	if (JR_OP_IN(inst->op, ends)) {
		add(to, at_path(jr_operand(flow, a.row, 0), a));
		return STEP_MOVED;
	}
	if (JR_OP_IN(inst->op, moving)) {
		add(to, jr_operand(flow, a.row, 0));
		return STEP_MOVED;
	}
	if (inst->op == JR_OP_SORT) {
		bool several = inst->n_operands > 1;
		add(to, jr_operand(flow, a.row, several && a.n_path ? a.path[0] : 0));
		return STEP_SORTED;
	}
	bool joined = JR_OP_IN(inst->op, joins);
	bool each = !inst->shape->n_tuple && inst->n_operands &&
				(jr_cost_rule_of(inst->op)->flow == JR_FLOW_SAME);
	if (!joined && !each)
		return STEP_MADE;
	add_operands(flow, a.row, 0, to);
	return joined ? STEP_PARTS : STEP_ELEMENTS;
}

/* --- traversal ------------------------------------------------------------------------------ */

static void see_parameter(struct jr_values *v, uint32_t number)
{
	v->from |= JR_FROM_PARAMETER;
	for (uint32_t i = 0; i < v->n_parameters; i++)
		if (v->parameters[i] == number)
			return;
	if (v->n_parameters == JR_DATAFLOW_PARAMETERS)
		v->from |= JR_FROM_OTHER;
	else
		v->parameters[v->n_parameters++] = number;
}

static void see_made(const struct jr_dataflow *flow, struct jr_array a, struct jr_values *v)
{
	const struct jr_hlo_instruction *inst = &flow->hlo->instructions[a.row];
	if (inst->op == JR_OP_PARAMETER &&
		flow->hlo->computations[inst->computation].id == flow->hlo->entry_id)
		see_parameter(v, inst->number);
	else if (inst->op == JR_OP_CONSTANT)
		v->from |= jr_array_elements(inst->shape) <= 1 ? JR_FROM_CONSTANT : JR_FROM_TABLE;
	else if (inst->op == JR_OP_IOTA)
		v->from |= JR_FROM_IOTA;
	else
		v->from |= JR_FROM_OTHER;
}

/* Exact key of a visited array: two indices of 15 bits, and their number. */
static uint64_t key_of(struct jr_array a)
{
	return jr_key2(a.row, a.n_path << 30 | a.path[0] << 15 | a.path[1]);
}

struct jr_values jr_values_of(const struct jr_dataflow *flow, struct jr_array array)
{
	static const unsigned on_the_way[] = {[STEP_MADE] = 0,
		[STEP_MOVED] = 0,
		[STEP_ELEMENTS] = JR_FROM_ELEMENTS,
		[STEP_PARTS] = JR_FROM_PARTS,
		[STEP_SORTED] = JR_FROM_SORT};
	struct jr_values v = {0};
	struct arrays todo = {0};
	JR_CLEANUP(jr_map_done) struct jr_map seen = {0};
	add(&todo, array);
	while (todo.list.n) {
		struct jr_array a = todo.list.items[--todo.list.n];
		if (a.row == JR_NONE || *flow->steps == 0) {
			v.from |= JR_FROM_OTHER;
			continue;
		}
		--*flow->steps;
		a.path[0] = a.n_path > 0 ? a.path[0] : 0;
		a.path[1] = a.n_path > 1 ? a.path[1] : 0;
		if (jr_map_get(&seen, key_of(a)) != JR_NONE)
			continue;
		jr_map_put(&seen, key_of(a), 1);
		const struct jr_hlo_instruction *inst = &flow->hlo->instructions[a.row];
		enum step step = step_back(flow, a, &todo);
		v.from |= on_the_way[step];
		if (step == STEP_MADE)
			see_made(flow, a, &v);
		if (strncmp(inst->opcode, "all-gather", 10) == 0 && inst->group_size > v.gathered)
			v.gathered = inst->group_size;
	}
	jr_vec_done(&todo.list);
	return v;
}

struct jr_array jr_maker_of(const struct jr_dataflow *flow, struct jr_array array)
{
	struct arrays next = {0};
	for (; array.row != JR_NONE && *flow->steps; --*flow->steps) {
		next.list.n = 0;
		if (step_back(flow, array, &next) != STEP_MOVED || next.list.n != 1)
			break;
		array = next.list.items[0];
	}
	jr_vec_done(&next.list);
	return array;
}
