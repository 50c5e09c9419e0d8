#include "analysis/shared/columns.h"

#include <stdlib.h>
#include <string.h>

#include "model/archive/trace_parts.h"

const char *jr_program_id(const struct jr_profile *p, uint32_t program, struct jr_arena *arena)
{
	return jr_arena_printf(arena, "%u", p->programs[program].number);
}

const char *jr_program_words(const struct jr_profile *p, uint32_t program, struct jr_arena *arena)
{
	const char *name = jr_str(p, p->programs[program].name);
	for (uint32_t i = 0; i < p->n_programs; i++)
		if (i != program && p->programs[i].name == p->programs[program].name)
			return jr_arena_printf(
				arena, "%s (program %s)", name, jr_program_id(p, program, arena));
	return name;
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
	if (isnan(x->value) != isnan(y->value))
		return isnan(x->value) ? 1 : -1;
	if (x->value > y->value || x->value < y->value)
		return x->value > y->value ? -1 : 1;
	int by_name = strcmp(x->name, y->name);
	if (by_name)
		return by_name;
	if (x->program != y->program)
		return x->program < y->program ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

struct jr_profiler_sum *jr_join_profiler_sums(const struct jr_profile *p,
	const struct jr_profiler_sum *sums, size_t n, struct jr_arena *arena, size_t *n_joined)
{
	struct jr_profiler_sum *joined = JR_ARENA_N(arena, struct jr_profiler_sum, n + 1);
	struct jr_profiler_sum *sorted = JR_ARENA_N(arena, struct jr_profiler_sum, n + 1);
	struct jr_rank_key *keys = JR_ARENA_N(arena, struct jr_rank_key, n + 1);
	struct jr_map rows = {0};
	uint32_t n_rows = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t row = jr_map_get(&rows, sums[i].name);
		if (row == JR_NONE) {
			row = n_rows++;
			jr_map_put(&rows, sums[i].name, row);
			joined[row].name = sums[i].name;
		}
		joined[row].count += sums[i].count;
		joined[row].total_ns += sums[i].total_ns; /* cannot overflow: model/build/times.c */
		if (sums[i].max_ns > joined[row].max_ns)
			joined[row].max_ns = sums[i].max_ns;
	}
	jr_map_done(&rows);
	for (uint32_t i = 0; i < n_rows; i++)
		keys[i] = (struct jr_rank_key){(double)joined[i].total_ns, jr_str(p, joined[i].name), 0, i};
	jr_rank_sort(keys, n_rows);
	for (uint32_t i = 0; i < n_rows; i++)
		sorted[i] = joined[keys[i].row];
	*n_joined = n_rows;
	return sorted;
}

#define EXECUTES ":XLA GPU module" /* after the module's name, in traces of jax.profiler */

bool jr_range_executes(const struct jr_profile *p, struct jr_map *known, size_t range)
{
	uint32_t name = p->nvtx_ranges.name[range], is_module = jr_map_get(known, name);
	if (is_module == JR_NONE) {
		const char *text = jr_str(p, name);
		size_t n = strlen(text), n_suffix = sizeof(EXECUTES) - 1;
		is_module = jr_range_name_parse(text, n).kind == JR_RANGE_MODULE ||
					(n > n_suffix && strcmp(text + n - n_suffix, EXECUTES) == 0);
		jr_map_put(known, name, is_module);
	}
	return is_module;
}

uint64_t jr_host_executions(const struct jr_profile *p)
{
	if (!(p->tells & JR_TELLS_GPU_OPS))
		return p->n_host_modules;
	struct jr_map modules = {0}; /* name of a range -> 1: executes a module */
	uint64_t n = 0;
	for (size_t i = 0; i < p->nvtx_ranges.n; i++)
		n += jr_range_executes(p, &modules, i);
	jr_map_done(&modules);
	return n;
}

void jr_rank_sort(struct jr_rank_key *keys, size_t n)
{
	if (n)
		qsort(keys, n, sizeof(*keys), compare_keys);
}

/* Return the category of a custom call from its target, as XLA's GPU backend names it. */
static const char *custom_call_category(const char *target)
{
	static const struct {
		const char *part, *category;
	} known[] = {{"cublas", "gemm"}, {"gemm", "gemm"}, {"conv", "convolution"},
		{"fmha", "attention"}, {"flash", "attention"}, {"attn", "attention"},
		{"attention", "attention"}, {"norm", "normalization"}, {"topk", "sort"}, {"TopK", "sort"},
		{"sort", "sort"}, {"Sort", "sort"}, {"cusolver", "solver"}, {"fft", "fft"},
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
	if (op->own_copy)
		return "copy";
	const char *opcode = jr_str(p, op->opcode);
	if (strcmp(opcode, "custom-call") == 0 && op->instruction != JR_NONE)
		return custom_call_category(
			p->programs[op->program].hlo->instructions[op->instruction].custom_call_target);
	return op->opcode ? opcode : NULL;
}
