/*
 * host_tree.h - the checked tree of host ranges.
 * Layer: model, private to the compile files.  Owner: the given arena.
 */
#ifndef JR_MODEL_HOST_TREE_H
#define JR_MODEL_HOST_TREE_H

#include "model/compile/compile.h"

#define JR_HOST_DROPPED (JR_NONE - 1) /* parent of a row outside the tree */

/* The lines of rows: one item for each row that is not on the line after the row before it, because
 * a name contains line breaks. */
struct jr_row_lines {
	size_t n, capacity;
	struct jr_row_line {
		size_t row;
		uint64_t line;
	} * items;
};

struct jr_host_tree {
	size_t n;
	uint32_t *parent;   /* [n] row; JR_NONE = top level; JR_HOST_DROPPED */
	uint32_t *by_start; /* [n] rows by (start, range id) */
	uint32_t *first;    /* [n + 2] children of row i: child[first[i]] .. child[first[i + 1] - 1]; */
	uint32_t *child;    /* [n]     of i = n: the top-level rows; each list in order of by_start */
};

/**
 * Resolve parent ids and check the rows. Ids: no duplicate or dangling id, no cycle, nesting within
 * `max_depth`. Times: no negative duration, no time beyond JR_TIME_MAX_NS, child + self = duration,
 * and a sum of all durations within int64. Therefore differences of times, and sums of durations,
 * child or self times over any set of rows, cannot overflow.
 *
 * @param lines  for messages: "line L: ..."; NULL: "row R: ..."
 * @return JR_EFORMAT, JR_ELIMIT (depth, memory)
 * @note O(n log n); O(n) if the rows are in order of start.
 */
enum jr_status jr_host_tree_build(const struct jr_host_ranges *ranges, uint64_t max_depth,
	const struct jr_row_lines *lines, struct jr_arena *arena, struct jr_host_tree *tree,
	struct jr_error *err) JR_MUST_CHECK;

/** Fill first and child from parent; call again after parents change. O(n). */
void jr_host_tree_link(struct jr_host_tree *tree);

/** Return the number of children of a row, and their list. JR_NONE: top-level rows. */
static inline size_t jr_host_children(
	const struct jr_host_tree *tree, uint32_t row, const uint32_t **children)
{
	size_t i = row == JR_NONE ? tree->n : row;
	*children = tree->child + tree->first[i];
	return tree->first[i + 1] - tree->first[i];
}

/** Do the work of jr_compile_summarize() with an existing tree. */
void jr_compile_summarize_tree(const struct jr_host_ranges *ranges, const struct jr_host_tree *tree,
	bool full_names, struct jr_compile_summary *summary);

#endif
