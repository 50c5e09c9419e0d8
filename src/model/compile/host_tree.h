/*
 * host_tree.h - which host range lies below which, checked.
 * Layer: model, private to the compile files.  Owner: the arena given.
 */
#ifndef JR_MODEL_HOST_TREE_H
#define JR_MODEL_HOST_TREE_H

#include "model/compile/compile.h"

#define JR_HOST_DROPPED (JR_NONE - 1) /* parent of a row that is not part of the tree */

struct jr_host_tree {
	size_t n;
	uint32_t *parent;   /* [n] row; JR_NONE = top level; JR_HOST_DROPPED */
	uint32_t *by_start; /* [n] rows by (start, range id) */
	uint32_t *first;    /* [n + 2] children of row i: child[first[i]] .. child[first[i + 1] - 1]; */
	uint32_t *child;    /* [n]     of i = n: the top-level rows; each list in order of by_start */
};

/**
 * Resolve parent ids and check the rows: no duplicate or dangling id, no cycle, nesting within
 * `max_depth`, no negative duration, no time beyond JR_TIME_MAX_NS, child + self = duration, all
 * durations together within int64. So differences of times and sums of durations, child or self
 * times over any set of rows cannot overflow.
 *
 * @param lines  [n] for messages: "line L: ..."; NULL: "row R: ..."
 * @return JR_EFORMAT, JR_ELIMIT (depth, memory)
 * @note O(n log n), O(n) where the rows are in order of start.
 */
enum jr_status jr_host_tree_build(const struct jr_host_ranges *ranges, uint64_t max_depth,
	const uint64_t *lines, struct jr_arena *arena, struct jr_host_tree *tree, struct jr_error *err)
	JR_MUST_CHECK;

/** Fill first and child from parent, again after parents were changed. O(n). */
void jr_host_tree_link(struct jr_host_tree *tree);

/** Number of children of a row (or of JR_NONE: top-level rows), and the list. */
static inline size_t jr_host_children(
	const struct jr_host_tree *tree, uint32_t row, const uint32_t **children)
{
	size_t i = row == JR_NONE ? tree->n : row;
	*children = tree->child + tree->first[i];
	return tree->first[i + 1] - tree->first[i];
}

/** jr_compile_summarise() for a tree that is there already. */
void jr_compile_summarise_tree(const struct jr_host_ranges *ranges, const struct jr_host_tree *tree,
	bool full_names, struct jr_compile_summary *summary);

#endif
