/*
 * diff_tree.h - merge the stacks of two runs into one tree with both weights at each node.
 * Layer: compare.
 *
 * Equal frames below equal callers are one node. A frame whose text is missing in the other run may
 * still be the same place: lines move when a file is edited, and versions of JAX print parts of
 * op_names differently. So the calls of a frame are matched by function (FILE and FUNCTION of
 * "FILE:LINE[FUNCTION]"; other texts in the form of jr_match_op_name()). If the lines are the same,
 * the calls are the same. Else both lists are sorted by line and aligned, so that as many calls as
 * possible call the same functions further down. Calls between two such pairs are paired in order,
 * and the rest is added or removed. A pair has its text from the new run.
 */
#ifndef JR_COMPARE_DIFF_TREE_H
#define JR_COMPARE_DIFF_TREE_H

#include "compare/run/match.h"

/**
 * Merge the stacks of two runs.
 * @param stacks   [2] of the base and of the new run
 * @param divisor  [2] > 0: divisor of times (steps); 1: none
 * @return the tree in `arena`; the caller sets name, title and caption. Times are whole ns. Its
 *         totals equal those of the runs to the ns: floor(round(sum of stacks) / divisor).
 *         O(n log n); calls of one function by one frame cost up to
 *         O(lines of the one * of the other), bounded
 */
struct jr_tree *jr_diff_tree(
	const struct jr_run_stacks stacks[2], const int64_t divisor[2], struct jr_arena *arena);

#endif
