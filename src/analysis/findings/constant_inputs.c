/* Find input arrays whose values are all equal; README.md, section 14.8. */

#include <string.h>

#include "analysis/findings/advice.h"
#include "analysis/cost/cost_parts.h"

static bool same_array(const struct jr_hlo_shape *a, const struct jr_hlo_shape *b)
{
	if (a->element_type != b->element_type || a->n_dimensions != b->n_dimensions || a->n_tuple ||
		b->n_tuple)
		return false;
	for (uint32_t i = 0; i < a->n_dimensions; i++)
		if (a->dimensions[i] != b->dimensions[i])
			return false;
	return true;
}

static bool has_parameters(const struct jr_hlo *hlo)
{
	uint32_t entry = jr_hlo_entry(hlo);
	for (uint32_t i = 0; entry != JR_NONE && i < hlo->computations[entry].n; i++)
		if (hlo->instructions[hlo->computations[entry].first + i].op == JR_OP_PARAMETER)
			return true;
	return entry == JR_NONE;
}

enum makes { MAKES_NONE, MAKES_CONSTANT, MAKES_OTHER };

#define MOST_RESULTS 4096 /* limit of arrays of a program to examine */

/* Return how a program makes arrays of that shape. */
static enum makes makes(struct jr_check *c, uint32_t program, const struct jr_hlo_shape *shape)
{
	const struct jr_hlo *hlo = c->ctx->profile->programs[program].hlo;
	uint32_t entry = jr_hlo_entry(hlo), root = jr_hlo_root(hlo, entry);
	if (root == JR_NONE)
		return MAKES_OTHER;
	const struct jr_hlo_shape *of = hlo->instructions[root].shape;
	enum makes found = MAKES_NONE;
	for (uint32_t k = 0; k < (of->n_tuple ? of->n_tuple : 1); k++) {
		if (!same_array(of->n_tuple ? &of->tuple[k] : of, shape))
			continue;
		struct jr_array array = {.row = root, .n_path = of->n_tuple > 0, .path = {k}};
		struct jr_values v = k < MOST_RESULTS ? jr_values_of(jr_check_dataflow(c, program), array)
											  : (struct jr_values){0};
		if (!jr_all_equal(&v) || v.n_parameters)
			return MAKES_OTHER;
		found = MAKES_CONSTANT;
	}
	return found;
}

/* Return the only program that makes arrays of that shape, if all of them are constant; JR_NONE. */
static uint32_t constant_maker(
	struct jr_check *c, const uint64_t *executions, const struct jr_hlo_shape *shape)
{
	const struct jr_profile *p = c->ctx->profile;
	uint32_t maker = JR_NONE;
	for (uint32_t i = 0; i < p->n_programs; i++) {
		if (!executions[i])
			continue;
		if (!p->programs[i].hlo)
			return JR_NONE;
		enum makes how = makes(c, i, shape);
		if (how == MAKES_NONE)
			continue;
		/* It must run for each step: the step may no longer use the arrays of a program that ran
		 * once. */
		bool each = executions[i] + c->ctx->steady->n_devices_ran >= executions[c->step];
		if (how == MAKES_OTHER || maker != JR_NONE || i == c->step || !each ||
			has_parameters(p->programs[i].hlo))
			return JR_NONE;
		maker = i;
	}
	return maker;
}

static void find_constant(struct jr_check *c, struct jr_constant_inputs *to)
{
	const struct jr_profile *p = c->ctx->profile;
	const struct jr_hlo *hlo = jr_check_step_hlo(c);
	uint32_t entry = hlo ? jr_hlo_entry(hlo) : JR_NONE;
	if (entry == JR_NONE)
		return;
	uint64_t *executions = JR_ARENA_N(c->ctx->scratch, uint64_t, p->n_programs + 1);
	for (size_t i = 0; i < p->modules.n; i++)
		executions[p->modules.program[i]]++;
	for (uint32_t i = 0; p->planned && i < p->n_programs; i++)
		executions[i] = 1; /* a plan does not say how often a program runs */
	const struct jr_hlo_computation *in = &hlo->computations[entry];
	uint8_t *constant = JR_ARENA_N(c->ctx->arena, uint8_t, in->n + (size_t)1);
	for (uint32_t i = in->first; i < in->first + in->n; i++) {
		const struct jr_hlo_instruction *inst = &hlo->instructions[i];
		if (inst->op != JR_OP_PARAMETER || inst->number >= in->n)
			continue;
		to->n_parameters++;
		/* The elements of a single value cannot differ. */
		if (!jr_type_integer(inst->shape->element_type) || inst->shape->n_tuple ||
			jr_array_elements(inst->shape) < 2)
			continue;
		uint32_t maker = constant_maker(c, executions, inst->shape);
		if (maker == JR_NONE || (to->program != JR_NONE && maker != to->program))
			continue;
		to->program = maker;
		to->shape = to->shape ? to->shape : inst->shape;
		constant[inst->number] = 1;
		to->n++;
	}
	to->constant = constant;
	to->n_numbers = in->n;
}

const struct jr_constant_inputs *jr_constant_inputs_of(struct jr_check *c)
{
	struct jr_facts *facts = jr_facts_of(c);
	if (!facts->constant_inputs) {
		struct jr_constant_inputs *in = JR_ARENA_NEW(c->ctx->arena, struct jr_constant_inputs);
		in->program = JR_NONE;
		facts->constant_inputs = in;
		find_constant(c, in);
	}
	return facts->constant_inputs;
}
