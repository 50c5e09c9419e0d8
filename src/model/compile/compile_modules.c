#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/compile/compile_name.h"
#include "model/compile/host_tree.h"

/* Sums per phase for one XlaCompile range; phases are ids of summary->names. */
struct phase_sums {
	int64_t *self_ns; /* [names] */
	uint8_t *seen;
	uint32_t *touched; /* the seen phases */
	size_t n_touched;
};

struct sort_row {
	int64_t self_ns;
	uint32_t name;
	const char *text;
	size_t len;
};

static int compare_phases(const void *left, const void *right)
{
	const struct sort_row *a = left, *b = right;
	if (a->self_ns != b->self_ns)
		return a->self_ns > b->self_ns ? -1 : 1;
	int order = memcmp(a->text, b->text, a->len < b->len ? a->len : b->len);
	return order ? order : (a->len > b->len) - (a->len < b->len);
}

static void add_self(struct phase_sums *sums, uint32_t phase, int64_t self_ns)
{
	if (!sums->seen[phase]) {
		sums->seen[phase] = 1;
		sums->self_ns[phase] = 0;
		sums->touched[sums->n_touched++] = phase;
	}
	sums->self_ns[phase] += self_ns;
}

/* Add the self times of all ranges below `top`. `stack` has room for every row. */
static void sum_below(const struct jr_host_ranges *ranges, const struct jr_host_tree *tree,
	const uint32_t *phase_of_name, uint32_t top, uint32_t *stack, struct phase_sums *sums)
{
	size_t depth = 0;
	stack[depth++] = top;
	while (depth) {
		uint32_t row = stack[--depth];
		const uint32_t *children;
		size_t n = jr_host_children(tree, row, &children);
		for (size_t i = 0; i < n; i++) {
			add_self(sums, phase_of_name[ranges->name[children[i]]], ranges->self_ns[children[i]]);
			stack[depth++] = children[i];
		}
	}
}

struct phase_list {
	struct jr_compile_phase *items;
	size_t n, capacity;
};

/* Append the sorted phases of one module to the list; empties `sums`. */
static void take_phases(const struct jr_intern *names, struct phase_sums *sums,
	struct sort_row *rows, struct jr_compile_module *module, struct phase_list *list)
{
	size_t n = sums->n_touched;
	for (size_t i = 0; i < n; i++) {
		uint32_t name = sums->touched[i];
		rows[i] = (struct sort_row){
			sums->self_ns[name], name, jr_intern_str(names, name), jr_intern_len(names, name)};
		sums->seen[name] = 0;
		module->total_ns += sums->self_ns[name];
	}
	sums->n_touched = 0;
	qsort(rows, n, sizeof(*rows), compare_phases);
	module->first_phase = (uint32_t)list->n;
	module->n_phases = (uint32_t)n;
	for (size_t i = 0; i < n; i++)
		*jr_vec_add(list) = (struct jr_compile_phase){rows[i].name, rows[i].self_ns};
}

/* Find the phase of each distinct range name, as ids of `names`. */
static uint32_t *name_phases(const struct jr_intern *strings, bool full_names,
	struct jr_intern *names, struct jr_arena *scratch)
{
	uint32_t *phase = JR_ARENA_N(scratch, uint32_t, strings->n);
	for (uint32_t id = 0; id < strings->n; id++) {
		const char *text = jr_intern_str(strings, id);
		size_t len = jr_intern_len(strings, id);
		struct jr_bytes part =
			full_names ? jr_compile_name_in_file(text, len) : jr_compile_name_phase(text, len);
		phase[id] = jr_intern_put(names, (const char *)part.data, part.size);
	}
	return phase;
}

void jr_compile_summarize_tree(const struct jr_host_ranges *ranges, const struct jr_host_tree *tree,
	bool full_names, struct jr_compile_summary *summary)
{
	*summary = (struct jr_compile_summary){0};
	jr_arena_init(&summary->arena, 0);
	jr_intern_init(&summary->names);
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	const struct jr_intern *strings = &ranges->strings;
	uint32_t *phase = name_phases(strings, full_names, &summary->names, &scratch);
	uint8_t *top = JR_ARENA_N(&scratch, uint8_t, strings->n);
	for (uint32_t id = 0; id < strings->n; id++)
		top[id] =
			jr_compile_name_parse(jr_intern_str(strings, id), jr_intern_len(strings, id)).kind ==
			JR_COMPILE_TOP;
	for (size_t i = 0; i < ranges->n; i++)
		summary->n_modules += top[ranges->name[i]];

	size_t n_names = summary->names.n;
	struct phase_sums sums = {
		.self_ns = JR_ARENA_N(&scratch, int64_t, n_names),
		.seen = JR_ARENA_N(&scratch, uint8_t, n_names),
		.touched = JR_ARENA_N(&scratch, uint32_t, n_names),
	};
	struct sort_row *rows = JR_ARENA_N(&scratch, struct sort_row, n_names);
	uint32_t *stack = JR_ARENA_N(&scratch, uint32_t, ranges->n + 1);
	struct phase_list list = {0};
	struct jr_compile_module *modules =
		JR_ARENA_N(&summary->arena, struct jr_compile_module, summary->n_modules);
	size_t n_modules = 0;
	for (size_t i = 0; i < ranges->n; i++) {
		if (!top[ranges->name[i]])
			continue;
		struct jr_compile_module *module = &modules[n_modules++];
		uint32_t name = ranges->name[i];
		struct jr_bytes text =
			jr_compile_name_in_file(jr_intern_str(strings, name), jr_intern_len(strings, name));
		module->name = jr_intern_put(&summary->names, (const char *)text.data, text.size);
		sum_below(ranges, tree, phase, (uint32_t)i, stack, &sums);
		if (text.size < jr_intern_len(strings, name)) /* jax.profiler: the compiler call */
			add_self(&sums, phase[name], ranges->self_ns[i]);
		take_phases(&summary->names, &sums, rows, module, &list);
	}
	summary->modules = modules;
	summary->n_phases = list.n;
	summary->phases = JR_ARENA_COPY(&summary->arena, list.items, list.n, 0);
	jr_vec_done(&list);
}

enum jr_status jr_compile_summarize(const struct jr_host_ranges *ranges, bool full_names,
	struct jr_compile_summary *summary, struct jr_error *err)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	struct jr_host_tree tree;
	enum jr_status status = jr_host_tree_build(ranges, JR_NONE, NULL, &scratch, &tree, err);
	if (status == JR_OK)
		jr_compile_summarize_tree(ranges, &tree, full_names, summary);
	return status;
}

void jr_compile_summary_done(struct jr_compile_summary *summary)
{
	if (!summary)
		return;
	jr_intern_done(&summary->names);
	jr_arena_done(&summary->arena);
	*summary = (struct jr_compile_summary){0};
}
