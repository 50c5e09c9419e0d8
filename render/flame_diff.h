/*
 * flame_diff.h - what a flamegraph of a comparison has that others have not; for nobody else.
 * Layer: render.
 */
#ifndef JR_RENDER_FLAME_DIFF_H
#define JR_RENDER_FLAME_DIFF_H

#include "render/flame_impl.h"
#include "render/plot_impl.h"

/* Own values of the first i frames of a tree, in its order: differences are totals. */
struct jr_flame_sums {
	double *before, *after; /* [n + 1], free() */
};
struct jr_flame_sums jr_flame_sum(const struct jr_flame *flame, const struct jr_flame_tree *tree);
void jr_flame_sums_done(struct jr_flame_sums *sums);

/*
 * A step of the scale: 0 where the value changed by less than 1 % of what it was; 1, 2, 3, 4 from
 * 1, 3, 10, 30 % more on, -1 to -4 from as much less on. What was 0 and is more is step 4, removed
 * is -4. templates/flame_tree.js has the same rule.
 */
#define JR_FLAME_MAX_STEP 4
int jr_flame_step(double before, double after);
struct jr_style jr_flame_step_style(int step);

/** Append "+4.1 %", "added", "removed"; nothing for step 0. */
void jr_flame_put_percent(struct jr_buf *out, double before, double after);
/** Append ": 12.300 ms → 13.100 ms, +0.800 ms (+6.50 %)". */
void jr_flame_put_change(
	struct jr_buf *out, const struct jr_flame *flame, double before, double after);

/** The scale of colours, at fig->y, which moves below it. */
void jr_flame_scale(struct jr_figure *fig);
/** What frames are as wide as, above them. */
void jr_flame_heading(struct jr_figure *fig, enum jr_flame_weight weight);
/** In place of what changed, where nothing did. */
void jr_flame_no_change(struct jr_figure *fig);

#endif
