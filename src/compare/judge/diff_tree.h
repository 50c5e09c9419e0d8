/*
 * diff_tree.h - the stacks of two runs as one tree, both weights at each node.
 * Layer: compare.
 *
 * Equal frames below equal callers are one node. A frame whose text is not there in the other run
 * may still be the same place: lines move when a file is edited, and versions of JAX print parts of
 * op_names differently. So the calls that a frame makes are matched function by function (FILE and
 * FUNCTION of "FILE:LINE[FUNCTION]"; other texts as jr_match_op_name() has them): the same lines
 * are the same calls; else both are put in order of their lines and aligned so that as many as can
 * be call the same functions further down; what stands between two such pairs is paired in its
 * order, and what is left over is added or removed. A pair has the text that it has in the new run.
 */
#ifndef JR_COMPARE_DIFF_TREE_H
#define JR_COMPARE_DIFF_TREE_H

#include "compare/run/match.h"

/**
 * @param stacks   [2] of the base and of the new run
 * @param divisor  [2] > 0: what times are divided by (steps); 1: nothing
 * @return the tree in `arena`, name, title and caption left to the caller; times are whole ns.
 *         Its totals are those of the runs, to the ns: floor(round(sum of stacks) / divisor).
 *         O(n log n), and for calls of one function by one frame up to O(lines of the one * of the
 *         other), bounded
 */
struct jr_tree *jr_diff_tree(
	const struct jr_run_stacks stacks[2], const int64_t divisor[2], struct jr_arena *arena);

#endif
