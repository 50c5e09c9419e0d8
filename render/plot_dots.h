/*
 * plot_dots.h - the drawn points of a scatter or line chart.
 * Layer: render.  Private to plot_points.c and plot_labels.c.
 */
#ifndef JR_RENDER_PLOT_DOTS_H
#define JR_RENDER_PLOT_DOTS_H

#include "base/buf.h"
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
static inline bool jr_points_show(
	const struct jr_plot *plot, const struct jr_series *series, size_t i)
{
	return jr_axis_shows(&plot->x, series->x[i]) && jr_axis_shows(&plot->y, series->y[i]);
}

/** Return where a value is, in px. */
static inline struct jr_point jr_points_place(const struct jr_figure *fig, double x, double y)
{
	return (struct jr_point){jr_scale_px(&fig->x_scale, x), jr_scale_px(&fig->y_scale, y)};
}

/** Give the last item the tooltip and the link of a dot. */
static inline void jr_dot_tip(struct jr_figure *fig, const struct jr_dot *dot)
{
	const struct jr_series *series = &fig->plot->series[dot->series];
	struct jr_buf tip = {0};
	jr_put_point_tip(&tip, fig->plot, dot->series, dot->index, false);
	if (dot->n > 1)
		jr_buf_printf(&tip, " (one of %zu points here)", dot->n);
	jr_scene_tip(fig->scene, tip.data);
	jr_buf_done(&tip);
	if (series->hrefs)
		jr_scene_href(fig->scene, series->hrefs[dot->index]);
}

/** Draw the labels of chosen points, each where it hides the fewest lines and points and no other
 * label. A label away from its point has a leader. plot_labels.c */
void jr_points_label(const struct jr_points *pts);

#endif
