/*
 * flame_diff.h - what flamegraphs of comparisons need in addition; private to the flamegraph.
 * Layer: render.
 */
#ifndef JR_RENDER_FLAME_DIFF_H
#define JR_RENDER_FLAME_DIFF_H

#include "render/flame_impl.h"
#include "render/plot_impl.h"

/* Sums of the own values of the first i frames, in tree order: differences are totals. */
struct jr_flame_sums {
	double *before, *after; /* [n + 1], free() */
};
struct jr_flame_sums jr_flame_sum(const struct jr_flame *flame, const struct jr_flame_tree *tree);
void jr_flame_sums_done(struct jr_flame_sums *sums);

/*
 * Return the step of a change: 0 if it is less than 1 % of the value before; 1, 2, 3, 4 for
 * increases from 1, 3, 10, 30 % on, -1 to -4 for decreases. An increase from 0 is step 4, a removal
 * is -4. templates/flame_tree.js has the same rule.
 */
#define JR_FLAME_MAX_STEP 4
int jr_flame_step(double before, double after);
struct jr_style jr_flame_step_style(int step);

/** Append "+4.1 %", "added", "removed"; nothing for step 0. */
void jr_flame_put_percent(struct jr_buf *out, double before, double after);
/** Append ": 12.30 ms → 13.10 ms, +800.0 µs (+6.50 %)". */
void jr_flame_put_change(
	struct jr_buf *out, const struct jr_flame *flame, double before, double after);

/** Draw the color scale at fig->y; moves fig->y below it. */
void jr_flame_scale(struct jr_figure *fig);
/** Draw the heading that says what the width of frames means. */
void jr_flame_heading(struct jr_figure *fig, enum jr_flame_weight weight);
/** Draw a note in place of the changes if there are none. */
void jr_flame_no_change(struct jr_figure *fig);

#endif
