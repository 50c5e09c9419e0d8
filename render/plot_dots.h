/*
 * plot_dots.h - the drawn points of a scatter or line chart.
 * Layer: render.  Private to plot_points.c and plot_labels.c.
 */
#ifndef JR_RENDER_PLOT_DOTS_H
#define JR_RENDER_PLOT_DOTS_H

#include "base/intern.h"
#include "render/plot_impl.h"

struct jr_dot {
	struct jr_point at;
	size_t series, index; /* of the first point drawn here */
	size_t n;             /* points in this cell */
	double weight;        /* sum over them */
};

struct jr_points {
	struct jr_figure *fig;
	struct jr_beyond beyond;
	double cell;                /* px */
	double heaviest;            /* largest weight of a dot; 0: areas are all equal */
	JR_VEC(struct jr_dot) dots; /* in order of series, then index */
	struct jr_map cells;
};

/** Return whether the axes can show point i of a series. */
bool jr_points_show(const struct jr_plot *plot, const struct jr_series *series, size_t i);
/** Return where a value is, in px. */
struct jr_point jr_points_place(const struct jr_figure *fig, double x, double y);
/** Give the last item the tooltip and the link of a dot. */
void jr_dot_tip(struct jr_figure *fig, const struct jr_dot *dot);
/** Draw the labels of chosen points, each where it hides the fewest lines and points and no other
 * label. A label away from its point has a leader. plot_labels.c */
void jr_points_label(const struct jr_points *pts);

#endif
