#include "analysis/columns.h"

#include <stdlib.h>
#include <string.h>

const char *jr_program_id(const struct jr_profile *p, uint32_t program, struct jr_arena *arena)
{
	return jr_arena_printf(arena, "%u", p->programs[program].number);
}

const char **jr_program_ids(const struct jr_profile *p, struct jr_arena *arena)
{
	const char **ids = JR_ARENA_N(arena, const char *, p->n_programs + 1);
	for (uint32_t i = 0; i < p->n_programs; i++)
		ids[i] = jr_program_id(p, i, arena);
	return ids;
}

static int compare_keys(const void *a, const void *b)
{
	const struct jr_rank_key *x = a, *y = b;
	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	int by_name = strcmp(x->name, y->name);
	if (by_name)
		return by_name;
	if (x->program != y->program)
		return x->program < y->program ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

void jr_rank_sort(struct jr_rank_key *keys, size_t n)
{
	if (n)
		qsort(keys, n, sizeof(*keys), compare_keys);
}

/* Custom calls by their target; names of XLA's GPU backend. */
static const char *custom_call_category(const char *target)
{
	static const struct {
		const char *part, *category;
	} known[] = {{"cublas", "gemm"}, {"triton_gemm", "gemm"}, {"conv", "convolution"},
		{"fmha", "attention"}, {"flash", "attention"}, {"norm", "normalization"},
		{"topk", "sort"}, {"sort", "sort"}, {"cusolver", "solver"}, {"fft", "fft"},
		{"triton", "triton"}};
	for (size_t i = 0; i < JR_COUNT_OF(known); i++)
		if (strstr(target, known[i].part))
			return known[i].category;
	return "custom-call";
}

const char *jr_op_category(const struct jr_profile *p, const struct jr_op *op)
{
	if (op->communication)
		return "communication";
	const char *opcode = jr_str(p, op->opcode);
	if (strcmp(opcode, "custom-call") == 0 && op->instruction != JR_NONE)
		return custom_call_category(
			p->programs[op->program].hlo->instructions[op->instruction].custom_call_target);
	return op->opcode ? opcode : NULL;
}
