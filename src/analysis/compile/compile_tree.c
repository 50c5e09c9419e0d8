
#include "analysis/compile/compile_stats.h"
#include "analysis/core/stacks.h"

static uint32_t node_of(struct jr_stacks *stacks, uint32_t parent, const char *text, size_t n)
{
	return jr_stacks_child(
		stacks, parent, text, n, parent == JR_NONE ? JR_FRAME_ROOT : JR_FRAME_XLA);
}

struct jr_tree *jr_compile_tree(
	const struct jr_profile *profile, const struct jr_compile_stats *stats, struct jr_arena *arena)
{
	static const char library[] = JR_COMPILE_LIBRARY_LOADING;
	const struct jr_compiles *t = &profile->compiles;
	struct jr_arena scratch;
	struct jr_stacks stacks;
	jr_arena_init(&scratch, 0);
	jr_stacks_init(&stacks);
	uint32_t *node = JR_ARENA_N(&scratch, uint32_t, t->n + 1);
	for (size_t i = 0; i < t->n; i++) {
		uint32_t parent = t->parent[i] == JR_NONE ? JR_NONE : node[t->parent[i]];
		node[i] = node_of(&stacks, parent, jr_str(profile, t->name[i]),
			jr_intern_len(&profile->strings, t->name[i]));
		uint32_t at = node[i];
		if (stats->library_loading[i])
			at = node_of(&stacks, at, library, sizeof(library) - 1);
		jr_stacks_add(&stacks, at, stats->self_ns[i]);
	}
	struct jr_tree *tree = jr_stacks_tree(&stacks, arena);
	jr_stacks_done(&stacks);
	jr_arena_done(&scratch);
	return tree;
}
