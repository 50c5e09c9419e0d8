#include "analysis/core/stacks.h"

#include <stdlib.h>
#include <string.h>

void jr_stacks_init(struct jr_stacks *stacks)
{
	*stacks = (struct jr_stacks){0};
	jr_intern_init(&stacks->texts);
}

void jr_stacks_done(struct jr_stacks *stacks)
{
	jr_vec_done(&stacks->nodes);
	jr_intern_done(&stacks->texts);
	jr_map_done(&stacks->by_key);
}

uint32_t jr_stacks_child(
	struct jr_stacks *stacks, uint32_t parent, const char *text, size_t n, enum jr_frame_kind kind)
{
	uint32_t id = jr_intern_put(&stacks->texts, text, n);
	uint64_t key = jr_key2(parent, id);
	uint32_t node = jr_map_get(&stacks->by_key, key);
	if (node != JR_NONE)
		return node;
	node = (uint32_t)stacks->nodes.n;
	*jr_vec_add(&stacks->nodes) =
		(struct jr_stack_node){.parent = parent, .text = id, .kind = (uint8_t)kind};
	jr_map_put(&stacks->by_key, key, node);
	return node;
}

void jr_stacks_add(struct jr_stacks *stacks, uint32_t node, double ns)
{
	stacks->nodes.items[node].weighted = true;
	stacks->nodes.items[node].self_ns += ns;
}

/* The children of a node are a run of `order`, sorted by (parent, text). */
static int compare_nodes(const void *a, const void *b, void *arg)
{
	const struct jr_stacks *s = arg;
	const struct jr_stack_node *x = &s->nodes.items[*(const uint32_t *)a];
	const struct jr_stack_node *y = &s->nodes.items[*(const uint32_t *)b];
	/* JR_NONE + 1 wraps to 0, so that roots come first. */
	if (x->parent != y->parent)
		return x->parent + 1 < y->parent + 1 ? -1 : 1;
	return strcmp(jr_intern_str(&s->texts, x->text), jr_intern_str(&s->texts, y->text));
}

/* Depth first: place[node] = index in the tree, parents before their children. */
static void place_nodes(const struct jr_stacks *s, uint32_t *place, struct jr_arena *scratch)
{
	size_t n = s->nodes.n;
	uint32_t *order = JR_ARENA_N(scratch, uint32_t, n + 1);
	uint32_t *first = JR_ARENA_N(scratch, uint32_t, n + 2); /* of the children of node - 1 */
	uint32_t *stack = JR_ARENA_N(scratch, uint32_t, n + 1);
	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	if (n)
		qsort_r(order, n, sizeof(*order), compare_nodes, (void *)(uintptr_t)s);
	for (size_t i = 0; i < n; i++)
		first[s->nodes.items[i].parent + 1 + 1]++;
	for (size_t i = 0; i <= n; i++)
		first[i + 1] += first[i];
	size_t depth = 0;
	uint32_t next = 0;
	for (uint32_t i = first[1]; i-- > first[0];)
		stack[depth++] = order[i];
	while (depth) {
		uint32_t node = stack[--depth];
		place[node] = next++;
		for (uint32_t i = first[node + 2]; i-- > first[node + 1];)
			stack[depth++] = order[i];
	}
}

struct jr_tree *jr_stacks_tree(const struct jr_stacks *stacks, struct jr_arena *arena)
{
	size_t n = stacks->nodes.n;
	struct jr_tree *tree = JR_ARENA_NEW(arena, struct jr_tree);
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	uint32_t *place = JR_ARENA_N(&scratch, uint32_t, n + 1);
	place_nodes(stacks, place, &scratch);
	tree->n = n;
	tree->parent = JR_ARENA_N(arena, uint32_t, n + 1);
	tree->text = JR_ARENA_N(arena, const char *, n + 1);
	tree->kind = JR_ARENA_N(arena, uint8_t, n + 1);
	tree->self_ns = JR_ARENA_N(arena, double, n + 1);
	tree->total_ns = JR_ARENA_N(arena, double, n + 1);
	const char **texts = JR_ARENA_N(&scratch, const char *, stacks->texts.n);
	struct jr_roofed *roofed = JR_ARENA_N(arena, struct jr_roofed, n + 1);
	for (size_t i = 0; i < n; i++) {
		const struct jr_stack_node *node = &stacks->nodes.items[i];
		uint32_t at = place[i];
		if (!texts[node->text])
			texts[node->text] = jr_arena_strndup(arena, jr_intern_str(&stacks->texts, node->text),
				jr_intern_len(&stacks->texts, node->text));
		tree->parent[at] = node->parent == JR_NONE ? JR_NONE : place[node->parent];
		tree->text[at] = texts[node->text];
		tree->kind[at] = node->kind;
		tree->self_ns[at] = tree->total_ns[at] = node->self_ns;
		roofed[at] = node->roofed;
		if (node->roofed.ns > 0)
			tree->roofed = roofed;
		tree->n_stacks += node->weighted && node->self_ns > 0;
	}
	for (size_t i = n; i-- > 0;) {
		if (tree->parent[i] == JR_NONE)
			tree->total += tree->total_ns[i];
		else
			tree->total_ns[tree->parent[i]] += tree->total_ns[i];
	}
	return tree;
}
