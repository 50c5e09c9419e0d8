/* Advice on communication, by kind of collective. */
#include <string.h>

#include "analysis/findings/advice.h"

/* --- texts ----------------------------------------------------------------------------------- */

#define OVERLAP_WHY_SCHEDULER "The latency-hiding scheduler is on in this profile."
#define OVERLAP_ACTION "Let it overlap with compute."
#define OVERLAP_ACTION_COSTS "Give the latency-hiding scheduler measured costs with "

/* A flag and its condition. */
struct flag_clause {
	enum { FLAG_ALWAYS, FLAG_IN_LOOP, FLAG_COMBINES } when;
	struct jr_flag_advice flag; /* value NULL: none */
};

#define SCHEDULER                                                                                  \
	{                                                                                              \
		FLAG_ALWAYS,                                                                               \
		{                                                                                          \
			JR_FLAG_LATENCY_HIDING, "true", NULL, NULL                                             \
		}                                                                                          \
	}

static const struct {
	const char *collective;
	enum jr_advice advice;
	struct flag_clause flags[3];
} advices[] = {
	{"all-gather", JR_ADVICE_ALL_GATHER,
		{SCHEDULER, {FLAG_IN_LOOP, {JR_FLAG_PIPELINED_ALL_GATHER, "true", NULL, " inside loops"}},
			{FLAG_COMBINES, {JR_FLAG_COMBINE_ALL_GATHER, "N", NULL, NULL}}}},
	{"reduce-scatter", JR_ADVICE_REDUCE_SCATTER,
		{SCHEDULER,
			{FLAG_IN_LOOP, {JR_FLAG_PIPELINED_REDUCE_SCATTER, "true", NULL, " inside loops"}},
			{FLAG_COMBINES, {JR_FLAG_COMBINE_REDUCE_SCATTER, "N", NULL, NULL}}}},
	{"all-reduce", JR_ADVICE_ALL_REDUCE,
		{SCHEDULER, {FLAG_IN_LOOP, {JR_FLAG_PIPELINED_ALL_REDUCE, "true", NULL, " inside loops"}},
			{FLAG_COMBINES, {JR_FLAG_COMBINE_ALL_REDUCE, "N", NULL, NULL}}}},
	{"all-to-all", JR_ADVICE_ALL_TO_ALL, {{0}}},
	{"collective-permute", JR_ADVICE_PERMUTE,
		{{FLAG_IN_LOOP, {JR_FLAG_PIPELINED_P2P, "true", NULL, NULL}}}},
	{"", JR_N_ADVICE, {SCHEDULER}},
};

/* A message of this size runs at the speed of the link; only in pieces can it begin earlier. */
#define LARGE_BYTES (UINT64_C(32) << 20)

/* Large combined messages can be cut into pieces. Small messages of one buffer can be combined if
 * larger similar ones are faster. NULL: neither. */
static const char *combining(struct jr_check *c, uint32_t op)
{
	const struct jr_op *o = op == JR_NONE ? NULL : &c->ctx->profile->ops[op];
	if (o && o->message_bytes >= LARGE_BYTES && o->n_buffers > 1)
		return "smaller messages with ";
	return o && jr_check_is_small_message(c, op) ? "larger messages with " : NULL;
}

void jr_check_overlap_advice(struct jr_check *c, const char *kind, uint32_t op)
{
	struct jr_flag_advice flags[JR_COUNT_OF(advices[0].flags)];
	size_t i = 0, n = 0;
	while (i + 1 < JR_COUNT_OF(advices) && strcmp(kind, advices[i].collective) != 0)
		i++;
	const char *combined = combining(c, op);
	const struct jr_about about = {.op = op};
	for (size_t k = 0; k < JR_COUNT_OF(flags); k++) {
		const struct flag_clause *clause = &advices[i].flags[k];
		bool fits =
			clause->when == FLAG_ALWAYS ||
			(clause->when == FLAG_IN_LOOP && jr_fact_holds(c, JR_FACT_IN_LOOP, &about) == 1) ||
			(clause->when == FLAG_COMBINES && combined);
		if (!clause->flag.value || !fits)
			continue;
		flags[n] = clause->flag;
		if (clause->when == FLAG_COMBINES)
			flags[n].before = combined;
		n++;
	}
	if (advices[i].advice == JR_N_ADVICE)
		jr_check_do(c, OVERLAP_ACTION);
	else
		jr_advise(c, advices[i].advice, &about);
	jr_check_do(c, "%s", jr_check_advise(c, "Try ", flags, n, "."));
	if (!jr_flag_on(c->ctx->profile, JR_FLAG_LATENCY_HIDING, c->ctx->scratch))
		return;
	const char *costs =
		JR_ADVISE(c, OVERLAP_ACTION_COSTS, ".", {JR_FLAG_PGLE, "true", NULL, NULL});
	if (*costs)
		jr_check_why(c, OVERLAP_WHY_SCHEDULER);
	jr_check_do(c, "%s", costs);
}
