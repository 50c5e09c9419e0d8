/*
 * Points that are too many to be drawn one by one: by column of the chart and series a line over
 * the range of its values, and a box over their middle half. The series of a column are side by
 * side.
 */
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/order.h"
#include "render/plot_impl.h"

#define LEAST_BOX 2.0   /* px: height of a box of equal values */
#define LEAST_WIDTH 4.0 /* px: of a box, so that its color is seen */
#define TITLE_ROOM 80.0 /* px: for the title of the y axis */
#define EXPLAINED "line: range; box: middle half"
#define EXPLAINED_SERIES EXPLAINED "; side by side as in the legend"

struct crowd_point {
	double column, y;
	size_t index;
};

JR_ORDER(compare_crowd, struct crowd_point, JR_UP(column) JR_UP(y) JR_UP(index))

static bool is_crowd(const struct jr_plot *plot, const struct jr_series *series)
{
	return jr_series_mark(plot, series) == JR_MARK_POINTS && !series->guide;
}

/* "device 2: 13 points, median 17.4 ms, 17.35 ms to 17.45 ms" */
static void put_tip(struct jr_buf *out, const struct jr_plot *plot, const struct jr_series *series,
	const struct crowd_point *points, size_t n)
{
	char count[JR_NUM_MAX];
	jr_num_grouped_i64(count, (int64_t)n);
	if (series->name && *series->name)
		jr_buf_printf(out, "%s: ", series->name);
	jr_buf_printf(out, "%s %s, median ", count, n == 1 ? "point" : "points");
	jr_put_axis_value(out, &plot->y, points[(n - 1) / 2].y);
	jr_buf_puts(out, ", ");
	jr_put_axis_value(out, &plot->y, points[0].y);
	jr_buf_puts(out, " to ");
	jr_put_axis_value(out, &plot->y, points[n - 1].y);
}

/* Draw the points of one column at x; they are sorted by value. */
static void draw_column(struct jr_figure *fig, size_t s, const struct crowd_point *points, size_t n,
	double x, double width)
{
	const struct jr_series *series = &fig->plot->series[s];
	enum jr_role role = jr_series_role(fig->plot, s);
	double low = jr_scale_px(&fig->y_scale, points[0].y);
	double high = jr_scale_px(&fig->y_scale, points[n - 1].y);
	double from = jr_scale_px(&fig->y_scale, points[(n - 1) / 4].y);
	double to = jr_scale_px(&fig->y_scale, points[n - 1 - (n - 1) / 4].y);
	double missing = fmax(0, LEAST_BOX - (from - to)) / 2;
	JR_CLEANUP(jr_buf_done) struct jr_buf tip = {0};
	if (low - high > LEAST_BOX)
		jr_scene_line(fig->scene, x, low, x, high, jr_stroke(role, 1));
	jr_scene_rect(
		fig->scene, x - width / 2, to - missing, width, from - to + 2 * missing, jr_fill(role));
	put_tip(&tip, fig->plot, series, points, n);
	jr_scene_tip(fig->scene, tip.data);
}

/* The k-th of n series. */
static void draw_crowd(struct jr_figure *fig, size_t s, size_t k, size_t n, double column)
{
	const struct jr_series *series = &fig->plot->series[s];
	JR_VEC(struct crowd_point) points = {0};
	for (size_t i = 0; i < series->n; i++) {
		if (!jr_points_show(fig->plot, series, i) ||
			jr_figure_beyond(fig, series->x[i], series->y[i]))
			continue;
		double x = jr_scale_px(&fig->x_scale, series->x[i]) - fig->left;
		*jr_vec_add(&points) = (struct crowd_point){floor(x / column), series->y[i], i};
	}
	if (points.n)
		qsort(points.items, points.n, sizeof(*points.items), compare_crowd);
	double each = column / (double)n;
	jr_scene_open(fig->scene, &(struct jr_group){.style = jr_fill(jr_series_role(fig->plot, s))});
	for (size_t from = 0, to; from < points.n; from = to) {
		for (to = from; to < points.n && points.items[to].column == points.items[from].column;)
			to++;
		double x = fig->left + points.items[from].column * column + ((double)k + 0.5) * each;
		draw_column(fig, s, points.items + from, to - from, x, fmin(each, fmax(1, each - 0.5)));
	}
	jr_scene_close(fig->scene);
	jr_vec_done(&points);
}

void jr_points_crowd(struct jr_figure *fig, size_t most)
{
	const struct jr_plot *plot = fig->plot;
	size_t n = 0, k = 0;
	for (size_t s = 0; s < plot->n_series; s++)
		n += is_crowd(plot, &plot->series[s]);
	double column = fmax(LEAST_WIDTH, (fig->right - fig->left) / (double)most) * (double)n;
	for (size_t s = 0; s < plot->n_series; s++)
		if (is_crowd(plot, &plot->series[s]))
			draw_crowd(fig, s, k++, n, column);
	double room = fig->right - fig->pad - TITLE_ROOM;
	bool all = n > 1 && jr_figure_text_width(fig, EXPLAINED_SERIES, TEXT_SIZE, false) < room;
	jr_figure_text(fig, fig->right, fig->top - fig->margin.top - 12,
		all ? EXPLAINED_SERIES : EXPLAINED,
		&(struct jr_text){.role = JR_ROLE_MUTED, .size = TEXT_SIZE, .anchor = JR_END}, room);
}
