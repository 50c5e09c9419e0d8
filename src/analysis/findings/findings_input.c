/* A rule about input with only one value; README.md, section 14.8. */
#include <string.h>

#include "analysis/findings/advice.h"
#include "analysis/core/terms.h"

/* --- texts ----------------------------------------------------------------------------------- */

#define CONSTANT_INPUT_TITLE "The input is constant (synthetic data?)"
#define CONSTANT_INPUT_EVIDENCE                                                                    \
	"%s array%s of %s %s the same value in every element. %s creates them from constants, "        \
	"without arguments; it ran %s times, %s %s times. No other program in the "                    \
	JR_PROFILE_WORD " returns "                                                                    \
	"arrays of that type and shape."
#define PLANNED_CONSTANT_INPUT_TITLE "The input may be constant (synthetic data?)"
#define PLANNED_CONSTANT_INPUT_EVIDENCE                                                            \
	"%s array%s of %s may have the same value in every element. %s creates such arrays from "      \
	"constants, without arguments, and no other program of the dump returns arrays of that type "  \
	"and shape. The dump does not contain the calls of the programs."

/* Return the longest op of the step among those whose indices are constant input; JR_NONE. */
static uint32_t longest_indexed(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	uint32_t longest = JR_NONE;
	for (uint32_t i = 0; i < p->n_ops; i++) {
		const struct jr_about about = {.op = i};
		if (p->ops[i].program != c->step || !c->ctx->steady->ops[i].count ||
			jr_fact_holds(c, JR_FACT_EQUAL_INDICES, &about) != 1)
			continue;
		if (longest == JR_NONE ||
			c->ctx->steady->ops[i].active_ns > c->ctx->steady->ops[longest].active_ns)
			longest = i;
	}
	return longest;
}

/* Return "s32[2,2048]", without the layout. */
static const char *array_text(const struct jr_hlo_shape *shape, struct jr_arena *arena)
{
	const char *text = jr_hlo_shape_text(shape, arena);
	return jr_arena_printf(arena, "%.*s", (int)strcspn(text, "{"), text);
}

static size_t executions_of(const struct jr_profile *p, uint32_t program)
{
	size_t n = 0;
	for (size_t i = 0; i < p->modules.n; i++)
		n += p->modules.program[i] == program;
	return n;
}

void jr_rule_constant_input(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	struct jr_arena *arena = c->ctx->arena;
	if (c->step == JR_NONE || !p->programs[c->step].hlo)
		return;
	const struct jr_constant_inputs *in = jr_constant_inputs_of(c);
	if (!jr_check_fires(c, (double)in->n))
		return;
	uint32_t op = longest_indexed(c);
	const struct jr_about about = {
		.op = op, .found = op != JR_NONE, .word = op == JR_NONE ? NULL : jr_check_op(c, op)};
	jr_check_set_title(c, CONSTANT_INPUT_TITLE, "");
	jr_advise(c, JR_ADVICE_CONSTANT_INPUT, &about);
	jr_check_evidence(c, CONSTANT_INPUT_EVIDENCE,
		jr_check_count(c, in->n), in->n == 1 ? "" : "s", array_text(in->shape, arena),
		in->n == 1 ? "has" : "have",
		jr_check_name(c, jr_str(p, p->programs[in->program].name)),
		jr_check_count(c, executions_of(p, in->program)),
		jr_check_name(c, jr_str(p, p->programs[c->step].name)),
		jr_check_count(c, executions_of(p, c->step)));
}

void jr_rule_planned_constant_input(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	if (c->step == JR_NONE || !p->programs[c->step].hlo)
		return;
	const struct jr_constant_inputs *in = jr_constant_inputs_of(c);
	const struct jr_about about = {.op = JR_NONE};
	if (!jr_check_fires(c, (double)in->n))
		return;
	jr_check_set_title(c, PLANNED_CONSTANT_INPUT_TITLE, "");
	jr_advise(c, JR_ADVICE_CONSTANT_INPUT, &about);
	jr_check_evidence(c, PLANNED_CONSTANT_INPUT_EVIDENCE,
		jr_check_count(c, in->n), in->n == 1 ? "" : "s",
		array_text(in->shape, c->ctx->arena),
		jr_check_name(c, jr_str(p, p->programs[in->program].name)));
}
