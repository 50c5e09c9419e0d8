/*
 * fold.h - convert stacks of a tree to folded text: frames from the outermost, joined by ';'.
 * Layer: report.
 */
#ifndef JR_REPORT_FOLD_H
#define JR_REPORT_FOLD_H

#include "analysis/core/result.h"
#include "base/buf.h"
#include "base/vec.h"

/* The stack of the current node, and the end of each caller's name in it. Zero at first. */
struct jr_fold {
	struct jr_buf text;
	JR_VEC(uint32_t) nodes;
	JR_VEC(size_t) ends;
};

/**
 * Return the stack of `node`; a ';' within a frame becomes ',', a newline a blank. Nodes usually
 * follow their parent or a sibling, so most of the text is reused.
 *
 * @return valid until the next call; NUL-terminated
 */
struct jr_bytes jr_fold_to(struct jr_fold *fold, const struct jr_tree *tree, uint32_t node);
void jr_fold_done(struct jr_fold *fold);

/**
 * Return the times of stacks in whole ns, as programs that draw flamegraphs require. Whole times
 * stay; the others are rounded down, and those with the largest remainders get 1 more (the first of
 * equal ones), so that all add up to their rounded sum.
 *
 * @param ns  [n] >= 0
 * @return [n] in `arena`. O(n log n)
 */
int64_t *jr_fold_whole_ns(const double *ns, size_t n, struct jr_arena *arena);

#endif
