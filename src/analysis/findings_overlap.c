/* What rules about communication advise, by kind of collective. */
#include <string.h>

#include "analysis/findings.h"

static const struct {
	const char *collective, *advice;
	struct jr_flag_advice flags[3];
	size_t n_flags;
} advices[] = {
	{"all-gather", "All-gathers of sharded parameters can run ahead of the layer that needs them.",
		{{JR_FLAG_LATENCY_HIDING, "true", NULL, NULL},
			{JR_FLAG_PIPELINED_ALL_GATHER, "true", NULL, " inside loops over layers"},
			{JR_FLAG_COMBINE_ALL_GATHER, "N", "larger messages with ", NULL}},
		3},
	{"reduce-scatter",
		"Reduce-scatters of gradients can run under the backward pass of the next layer.",
		{{JR_FLAG_LATENCY_HIDING, "true", NULL, NULL},
			{JR_FLAG_PIPELINED_REDUCE_SCATTER, "true", NULL, " inside loops over layers"},
			{JR_FLAG_COMBINE_REDUCE_SCATTER, "N", "larger messages with ", NULL}},
		3},
	{"all-reduce",
		"All-reduces of gradients can run under the backward pass. Sum in bfloat16 where that is "
		"enough.",
		{{JR_FLAG_LATENCY_HIDING, "true", NULL, NULL},
			{JR_FLAG_PIPELINED_ALL_REDUCE, "true", NULL, " inside loops over layers"},
			{JR_FLAG_COMBINE_ALL_REDUCE, "N", "larger messages with ", NULL}},
		3},
	{"all-to-all",
		"All-to-alls of expert layers overlap only with independent work: split the batch in two "
		"so that one half computes while the other one moves.",
		{{0}}, 0},
	{"collective-permute",
		"Permutes of pipeline stages and of windowed einsums hide behind compute with more "
		"microbatches.",
		{{JR_FLAG_PIPELINED_P2P, "true", NULL, NULL}}, 1},
	{"", "Let it overlap with compute.", {{JR_FLAG_LATENCY_HIDING, "true", NULL, NULL}}, 1},
};

/* A message of that size runs at the speed of the link: only in pieces can it begin earlier. */
#define LARGE_BYTES (UINT64_C(32) << 20)

const char *jr_check_overlap_advice(
	struct jr_check *c, const char *kind, uint64_t message_bytes)
{
	struct jr_flag_advice flags[JR_COUNT_OF(advices[0].flags)];
	size_t i = 0;
	while (i + 1 < JR_COUNT_OF(advices) && strcmp(kind, advices[i].collective) != 0)
		i++;
	const char *scheduler = "";
	if (jr_flag_on(c->ctx->profile, JR_FLAG_LATENCY_HIDING, c->ctx->scratch))
		scheduler = JR_ADVISE(c,
			" (The latency-hiding scheduler is on in this profile: give it measured costs with ",
			".)", {JR_FLAG_PGLE, "true", NULL, NULL});
	for (size_t k = 0; k < advices[i].n_flags; k++) {
		flags[k] = advices[i].flags[k];
		if (flags[k].before && message_bytes >= LARGE_BYTES)
			flags[k].before = "messages in smaller pieces with ";
	}
	return jr_arena_printf(c->ctx->arena, "%s%s%s", advices[i].advice,
		jr_check_advise(c, " Try ", flags, advices[i].n_flags, "."), scheduler);
}

const char *jr_check_combining_advice(struct jr_check *c, const char *kind)
{
	static const struct {
		const char *kind;
		struct jr_flag_advice flag;
	} combined[] = {{"all-reduce", {JR_FLAG_COMBINE_ALL_REDUCE, "N", NULL, NULL}},
		{"all-gather", {JR_FLAG_COMBINE_ALL_GATHER, "N", NULL, NULL}},
		{"reduce-scatter", {JR_FLAG_COMBINE_REDUCE_SCATTER, "N", NULL, NULL}}};
	for (size_t i = 0; i < JR_COUNT_OF(combined); i++)
		if (strcmp(kind, combined[i].kind) == 0)
			return jr_check_advise(c, " (", &combined[i].flag, 1, ")");
	return "";
}
