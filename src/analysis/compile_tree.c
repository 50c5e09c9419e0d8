#include <stdlib.h>
#include <string.h>

#include "analysis/compile_stats.h"
#include "base/vec.h"

#define LIBRARY_NAME (JR_NONE - 1) /* stands for JR_COMPILE_LIBRARY_LOADING, which has no id */

/* Nodes in order of first sight; a parent stands before its children. */
struct node {
	uint32_t parent, name;
	const char *text;
	double self_ns;
	bool weighted;
};

struct nodes {
	struct node *items;
	size_t n, capacity;
	struct jr_map by_path; /* (parent + 1, name) */
};

static uint32_t node_of(struct nodes *nodes, uint32_t parent, uint32_t name, const char *text)
{
	uint64_t key = jr_key2(parent + 1, name);
	uint32_t at = jr_map_get(&nodes->by_path, key);
	if (at == JR_NONE) {
		at = (uint32_t)nodes->n;
		jr_map_put(&nodes->by_path, key, at);
		*jr_vec_add(nodes) = (struct node){.parent = parent, .name = name, .text = text};
	}
	return at;
}

static void add_weight(struct node *node, double self_ns)
{
	node->self_ns += self_ns;
	node->weighted = node->weighted || self_ns > 0;
}

static struct nodes merge_stacks(const struct jr_profile *p, const struct jr_compile_stats *stats)
{
	const struct jr_compiles *t = &p->compiles;
	struct jr_arena scratch;
	jr_arena_init(&scratch, 0);
	uint32_t *node = JR_ARENA_N(&scratch, uint32_t, t->n);
	struct nodes nodes = {0};
	for (size_t i = 0; i < t->n; i++) {
		uint32_t parent = t->parent[i] == JR_NONE ? JR_NONE : node[t->parent[i]];
		node[i] = node_of(&nodes, parent, t->name[i], jr_str(p, t->name[i]));
		uint32_t at = node[i];
		if (stats->library_loading[i])
			at = node_of(&nodes, at, LIBRARY_NAME, JR_COMPILE_LIBRARY_LOADING);
		add_weight(&nodes.items[at], stats->self_ns[i]);
	}
	jr_arena_done(&scratch);
	return nodes;
}

struct sibling {
	const char *text;
	uint32_t level, parent, node; /* parent: place in the new order */
};

static int compare_siblings(const void *left, const void *right)
{
	const struct sibling *a = left, *b = right;
	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	return strcmp(a->text, b->text);
}

static int compare_levels(const void *left, const void *right)
{
	const struct sibling *a = left, *b = right;
	if (a->level != b->level)
		return a->level < b->level ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

/* New order of the nodes: level by level, within a level by parent, then text. */
static uint32_t *order_nodes(const struct nodes *nodes, struct jr_arena *arena)
{
	size_t n = nodes->n;
	struct sibling *siblings = JR_ARENA_N(arena, struct sibling, n);
	uint32_t *level = JR_ARENA_N(arena, uint32_t, n);
	uint32_t *place = JR_ARENA_N(arena, uint32_t, n);
	uint32_t *order = JR_ARENA_N(arena, uint32_t, n);
	for (size_t i = 0; i < n; i++) {
		uint32_t parent = nodes->items[i].parent;
		level[i] = parent == JR_NONE ? 0 : level[parent] + 1;
		siblings[i] = (struct sibling){nodes->items[i].text, level[i], JR_NONE, (uint32_t)i};
	}
	qsort(siblings, n, sizeof(*siblings), compare_levels);
	for (size_t begin = 0, end; begin < n; begin = end) {
		for (end = begin; end < n && siblings[end].level == siblings[begin].level; end++) {
			uint32_t parent = nodes->items[siblings[end].node].parent;
			siblings[end].parent = parent == JR_NONE ? JR_NONE : place[parent];
		}
		qsort(siblings + begin, end - begin, sizeof(*siblings), compare_siblings);
		for (size_t i = begin; i < end; i++) {
			order[i] = siblings[i].node;
			place[siblings[i].node] = (uint32_t)i;
		}
	}
	return order;
}

struct jr_tree *jr_compile_tree(const struct jr_profile *profile,
	const struct jr_compile_stats *stats, struct jr_arena *arena)
{
	struct nodes nodes = merge_stacks(profile, stats);
	struct jr_arena scratch;
	jr_arena_init(&scratch, 0);
	uint32_t *order = order_nodes(&nodes, &scratch);
	uint32_t *place = JR_ARENA_N(&scratch, uint32_t, nodes.n);
	struct jr_tree *tree = JR_ARENA_NEW(arena, struct jr_tree);
	tree->n = nodes.n;
	tree->parent = JR_ARENA_N(arena, uint32_t, nodes.n);
	tree->text = JR_ARENA_N(arena, const char *, nodes.n);
	tree->kind = JR_ARENA_N(arena, uint8_t, nodes.n);
	tree->self_ns = JR_ARENA_N(arena, double, nodes.n);
	tree->total_ns = JR_ARENA_N(arena, double, nodes.n);
	for (size_t i = 0; i < nodes.n; i++) {
		const struct node *node = &nodes.items[order[i]];
		place[order[i]] = (uint32_t)i;
		tree->parent[i] = node->parent == JR_NONE ? JR_NONE : place[node->parent];
		tree->text[i] = node->text;
		tree->kind[i] = node->parent == JR_NONE ? JR_FRAME_ROOT : JR_FRAME_XLA;
		tree->self_ns[i] = tree->total_ns[i] = node->self_ns;
		tree->n_stacks += node->weighted;
	}
	for (size_t i = nodes.n; i-- > 0;) {
		if (tree->parent[i] == JR_NONE)
			tree->total += tree->total_ns[i];
		else
			tree->total_ns[tree->parent[i]] += tree->total_ns[i];
	}
	jr_vec_done(&nodes);
	jr_map_done(&nodes.by_path);
	jr_arena_done(&scratch);
	return tree;
}
