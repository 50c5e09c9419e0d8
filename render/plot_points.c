/*
 * Scatter and line charts. Points on the same half pixel are drawn once, so that the output stays
 * small for any number of points.
 */
#include <math.h>

#include "render/plot_impl.h"

#define LEAST_RADIUS 2.0 /* px, of points whose area has a meaning */
#define MOST_RADIUS 16.0
#define FEW_POINTS 300 /* up to this, points are large and lines have hover targets */
#define MAX_DOTS 400   /* of a figure: points in one cell are drawn once, and cells grow */
#define LARGEST_CELL 8 /* px: with more dots, they would be a cloud, and are drawn by column */

/* Error bars and bands widen the axis, but not below 0 if no value is below 0. */
static void spread(
	const struct jr_plot *plot, const struct jr_series *series, size_t i, struct jr_range *y)
{
	if (!series->lo || !series->hi)
		return;
	double lo = series->lo[i], hi = series->hi[i];
	if (jr_axis_shows(&plot->y, lo))
		jr_range_add(y, plot->y.zero && series->y[i] >= 0 ? fmax(lo, 0) : lo);
	if (jr_axis_shows(&plot->y, hi))
		jr_range_add(y, hi);
}

/* Measure the points that set the axes: those that are not apart, or with `apart` all. */
static size_t measure_some(
	struct jr_figure *fig, bool apart, struct jr_range *x, struct jr_range *y)
{
	const struct jr_plot *plot = fig->plot;
	size_t n_shown = 0;
	for (size_t s = 0; s < plot->n_series; s++) {
		const struct jr_series *series = &plot->series[s];
		for (size_t i = 0; i < series->n && !series->guide; i++) {
			if (!jr_points_show(plot, series, i) || (!apart && series->apart && series->apart[i]))
				continue;
			n_shown++;
			jr_range_add(x, series->x[i]);
			jr_range_add(y, series->y[i]);
			spread(plot, series, i, y);
		}
	}
	return n_shown;
}

size_t jr_points_measure(struct jr_figure *fig, struct jr_range *x, struct jr_range *y)
{
	const struct jr_plot *plot = fig->plot;
	for (size_t s = 0; s < plot->n_series; s++)
		for (size_t i = 0; i < plot->series[s].n && !plot->series[s].guide; i++)
			(void)(jr_figure_accepts(fig, &plot->x, plot->series[s].x[i]) &&
				   jr_figure_accepts(fig, &plot->y, plot->series[s].y[i]));
	size_t n = measure_some(fig, false, x, y);
	return n ? n : measure_some(fig, true, x, y);
}

/* --- points ---------------------------------------------------------------------------------- */

static double weight_of(const struct jr_series *series, size_t i)
{
	double w = series->weights ? series->weights[i] : 0;
	return w > 0 && w < INFINITY ? w : 0;
}

static void collect_dots(struct jr_points *pts, size_t s)
{
	struct jr_figure *fig = pts->fig;
	const struct jr_series *series = &fig->plot->series[s];
	for (size_t i = 0; i < series->n && !series->guide; i++) {
		if (!jr_points_show(fig->plot, series, i) ||
			jr_figure_beyond(fig, series->x[i], series->y[i]))
			continue;
		struct jr_point at = jr_points_place(fig, series->x[i], series->y[i]);
		bool chosen = series->labels && series->labels[i];
		uint64_t key = (uint64_t)s << 40 | (uint64_t)lround(at.x / pts->cell) << 20 |
					   (uint64_t)lround(at.y / pts->cell);
		uint32_t there = jr_map_get(&pts->cells, key);
		if (there != JR_NONE && !chosen) {
			pts->dots.items[there].n++;
			pts->dots.items[there].weight += weight_of(series, i);
			continue;
		}
		if (there == JR_NONE)
			jr_map_put(&pts->cells, key, (uint32_t)pts->dots.n);
		*jr_vec_add(&pts->dots) = (struct jr_dot){at, s, i, 1, weight_of(series, i), 0};
	}
}

static void size_dots(struct jr_points *pts)
{
	double radius = pts->dots.n <= FEW_POINTS ? 4 : fmax(2.5, pts->cell * 0.6);
	for (size_t i = 0; i < pts->dots.n; i++) {
		struct jr_dot *dot = &pts->dots.items[i];
		dot->radius = pts->heaviest <= 0 ? radius
										 : LEAST_RADIUS + (MOST_RADIUS - LEAST_RADIUS) *
															  sqrt(dot->weight / pts->heaviest);
	}
}

static size_t most_dots(const struct jr_figure *fig)
{
	return fig->width < NARROW ? MAX_DOTS / 2 : MAX_DOTS;
}

static void collect(struct jr_points *pts)
{
	size_t most = most_dots(pts->fig);
	for (pts->cell = 0.5;; pts->cell *= 1.5) {
		for (size_t s = 0; s < pts->fig->plot->n_series; s++)
			collect_dots(pts, s);
		if (pts->dots.n <= most || pts->cell > LARGEST_CELL)
			break;
		pts->dots.n = 0;
		jr_map_done(&pts->cells);
		pts->cells = (struct jr_map){0};
	}
	for (size_t i = 0; i < pts->dots.n; i++)
		pts->heaviest = fmax(pts->heaviest, pts->dots.items[i].weight);
	pts->crowded = pts->dots.n > 2 * most && pts->heaviest <= 0;
	size_dots(pts);
}

static void error_bar(struct jr_figure *fig, const struct jr_dot *dot)
{
	const struct jr_series *series = &fig->plot->series[dot->series];
	if (!series->lo || !series->hi)
		return;
	double lo = series->lo[dot->index], hi = series->hi[dot->index];
	if (!isfinite(lo) || !isfinite(hi) || !(lo < hi))
		return;
	double y0 = jr_scale_px(&fig->y_scale, lo), y1 = jr_scale_px(&fig->y_scale, hi);
	if (fabs(y0 - y1) < 1)
		return;
	double x = dot->at.x;
	struct jr_style style = jr_stroke(jr_series_role(fig->plot, dot->series), 1.25);
	jr_scene_path(fig->scene,
		(struct jr_point[]){{x - 3, y0}, {x + 3, y0}, {x, y0}, {x, y1}, {x - 3, y1}, {x + 3, y1}},
		6, false, style);
}

static void draw_dots(struct jr_points *pts, size_t s)
{
	struct jr_figure *fig = pts->fig;
	bool few = pts->dots.n <= FEW_POINTS;
	enum jr_role role = jr_series_role(fig->plot, s);
	struct jr_style style =
		few ? (struct jr_style){.fill = role, .tint = 4, .stroke = role, .stroke_width = 1.25}
			: jr_wash(role, 3);
	jr_scene_open(fig->scene, &(struct jr_group){.style = style});
	for (size_t i = 0; i < pts->dots.n; i++) {
		const struct jr_dot *dot = &pts->dots.items[i];
		if (dot->series != s)
			continue;
		error_bar(fig, dot);
		if (!few) /* crowded cells are darker */
			style.tint = dot->n < 3 ? 3 : dot->n < 10 ? 4 : 0;
		jr_scene_marker(fig->scene, dot->at.x, dot->at.y, dot->radius, jr_series_shape(s), style);
		jr_dot_tip(fig, dot);
	}
	jr_scene_close(fig->scene);
}

/* --- lines ----------------------------------------------------------------------------------- */

struct trace {
	JR_VEC(struct jr_point) p;
};

/*
 * Trace a line, with steps as corners. In each half pixel column the first, lowest, highest and
 * last point are kept, in their order, so that the chart looks the same.
 */
static void trace_line(const struct jr_figure *fig, const struct jr_series *series, size_t from,
	size_t to, bool step, struct trace *out)
{
	size_t i = from;
	double columns = fig->width < NARROW ? 1 : 2; /* columns per pixel */
	while (i < to) {
		double column = floor(jr_scale_px(&fig->x_scale, series->x[i]) * columns);
		size_t low = i, high = i, end = i;
		while (end < to && floor(jr_scale_px(&fig->x_scale, series->x[end]) * columns) == column) {
			low = series->y[end] < series->y[low] ? end : low;
			high = series->y[end] > series->y[high] ? end : high;
			end++;
		}
		size_t keep[4] = {i, low < high ? low : high, low < high ? high : low, end - 1};
		for (size_t k = 0; k < 4; k++) {
			if (k && keep[k] == keep[k - 1])
				continue;
			struct jr_point at = jr_points_place(fig, series->x[keep[k]], series->y[keep[k]]);
			if (step && out->p.n) {
				double before = out->p.items[out->p.n - 1].y;
				*jr_vec_add(&out->p) = (struct jr_point){at.x, before};
			}
			*jr_vec_add(&out->p) = at;
		}
		i = end;
	}
}

/* Return y of a traced line at x; `*i`: where the search begins and ends, for ascending x. */
static double trace_at(const struct trace *line, double x, size_t *i)
{
	while (*i + 1 < line->p.n && line->p.items[*i + 1].x <= x)
		++*i;
	return line->p.items[*i].y;
}

/* Draw the stripes of an area between two lines with steps, as those of a bar (scene_dom.c). */
static void draw_stripes(
	struct jr_figure *fig, enum jr_role role, const struct trace *upper, const struct trace *lower)
{
	enum jr_look look = jr_role_look(role);
	struct jr_stripes stripes = jr_look_stripes(look);
	struct jr_style style = jr_stroke(jr_stripe_role(role, look), stripes.on);
	double end = upper->p.items[upper->p.n - 1].x - stripes.on / 2;
	size_t high = 0, low = 0;
	if (!(stripes.on > 0))
		return;
	jr_scene_open(fig->scene, &(struct jr_group){.class = "hatch", .style = style});
	for (double x = upper->p.items[0].x + stripes.on / 2; x < end; x += stripes.on + stripes.off)
		jr_scene_line(fig->scene, x, trace_at(upper, x, &high), x, trace_at(lower, x, &low), style);
	jr_scene_close(fig->scene);
}

static void draw_band(struct jr_figure *fig, size_t s, size_t from, size_t to)
{
	const struct jr_series *series = &fig->plot->series[s];
	if (!series->lo || !series->hi || to - from < 2)
		return;
	struct jr_series edge = *series;
	struct trace upper = {0}, lower = {0}, around = {0};
	bool step = series->mark == JR_MARK_STEP;
	enum jr_role role = jr_series_role(fig->plot, s);
	edge.y = series->hi;
	trace_line(fig, &edge, from, to, step, &upper);
	edge.y = series->lo;
	trace_line(fig, &edge, from, to, step, &lower);
	for (size_t i = 0; i < upper.p.n + lower.p.n; i++) {
		struct jr_point at =
			i < upper.p.n ? upper.p.items[i] : lower.p.items[upper.p.n + lower.p.n - 1 - i];
		if (isfinite(at.y))
			*jr_vec_add(&around.p) = at;
	}
	/* an area with steps is not the spread of a line */
	jr_scene_path(fig->scene, around.p.items, around.p.n, true,
		step ? jr_area(role) : jr_wash(role, jr_band_tint(fig->plot, s)));
	jr_scene_tip(fig->scene, series->name);
	if (step && around.p.n == upper.p.n + lower.p.n)
		draw_stripes(fig, role, &upper, &lower);
	jr_vec_done(&upper.p);
	jr_vec_done(&lower.p);
	jr_vec_done(&around.p);
}

/* A guide ends at the edge of the plot, because it sets no axis. */
static bool in_line(const struct jr_figure *fig, const struct jr_series *series, size_t i)
{
	return jr_points_show(fig->plot, series, i) &&
		   !(series->guide && jr_figure_beyond(fig, series->x[i], series->y[i]));
}

/* Draw the parts of a line; a value that cannot be shown interrupts it. */
static void draw_runs(struct jr_figure *fig, size_t s, bool bands)
{
	const struct jr_series *series = &fig->plot->series[s];
	struct jr_style style =
		jr_stroke(jr_series_role(fig->plot, s), series->width > 0 ? series->width : 1.75);
	style.dash = series->dash;
	for (size_t from = 0; from < series->n;) {
		size_t to = from;
		while (to < series->n && in_line(fig, series, to))
			to++;
		if (to == from) {
			from++;
			continue;
		}
		if (bands) {
			draw_band(fig, s, from, to);
		} else {
			struct trace line = {0};
			trace_line(fig, series, from, to, series->mark == JR_MARK_STEP, &line);
			jr_scene_path(fig->scene, line.p.items, line.p.n, false, style);
			jr_scene_tip(fig->scene, series->name);
			jr_vec_done(&line.p);
		}
		from = to;
	}
}

/* Draw unpainted circles that only catch the pointer ("hit" in the style sheet). */
static void draw_targets(struct jr_points *pts, size_t s)
{
	struct jr_figure *fig = pts->fig;
	jr_scene_open(fig->scene, &(struct jr_group){.class = "hit"});
	for (size_t i = 0; i < pts->dots.n; i++) {
		const struct jr_dot *dot = &pts->dots.items[i];
		if (dot->series != s)
			continue;
		jr_scene_marker(fig->scene, dot->at.x, dot->at.y, 5, JR_CIRCLE, (struct jr_style){0});
		jr_dot_tip(fig, dot);
	}
	jr_scene_close(fig->scene);
}

static void draw_series(struct jr_points *pts, size_t s)
{
	struct jr_figure *fig = pts->fig;
	const struct jr_series *series = &fig->plot->series[s];
	enum jr_mark mark = jr_series_mark(fig->plot, series);
	if (mark == JR_MARK_BAND || (mark == JR_MARK_POINTS && pts->crowded))
		return;
	if (mark != JR_MARK_POINTS)
		draw_runs(fig, s, false);
	if (mark == JR_MARK_POINTS || mark == JR_MARK_LINE_DOTS)
		draw_dots(pts, s);
	else if (series->n <= FEW_POINTS || series->things)
		draw_targets(pts, s);
}

/* --- figure ---------------------------------------------------------------------------------- */

static void layout(struct jr_figure *fig, struct jr_range x, struct jr_range y)
{
	const struct jr_plot *plot = fig->plot;
	jr_figure_y_title(fig);
	double height = plot->height > 0 ? fmax(60, fmin(4000, plot->height)) : 280;
	fig->top = fig->y + 4;
	fig->bottom = fig->top + height;
	fig->y_scale = jr_axis_scale(&plot->y, y, height < 140 ? 4 : 6, fig->bottom, fig->top);
	fig->left = fig->pad + fmax(20, jr_figure_y_label_width(fig, &fig->y_scale)) + 8;
	fig->right = fig->width - fig->pad - 10;
	size_t max_ticks = jr_figure_x_ticks(fig, &plot->x, fig->right - fig->left);
	/* Lines fill the width, because their ends have a meaning; points get whole ticks around
	 * them. */
	bool tight = plot->kind == JR_PLOT_LINE && !plot->x.log && !plot->x.fixed;
	if (tight && plot->x.zero)
		jr_range_add(&x, 0);
	fig->x_scale = tight ? jr_scale_make(false, x.lo, x.hi, fig->left, fig->right)
						 : jr_axis_scale(&plot->x, x, max_ticks, fig->left, fig->right);
}

/* Bands below the guides, everything else above them. */
static void draw_all_series(struct jr_points *pts)
{
	struct jr_figure *fig = pts->fig;
	for (size_t s = 0; s < fig->plot->n_series; s++) {
		if (jr_series_mark(fig->plot, &fig->plot->series[s]) != JR_MARK_POINTS)
			draw_runs(fig, s, true);
	}
	jr_figure_guides(fig);
	if (pts->crowded)
		jr_points_crowd(fig, most_dots(fig));
	for (size_t s = 0; s < fig->plot->n_series; s++)
		draw_series(pts, s);
}

static void points_done(struct jr_points *pts)
{
	jr_beyond_done(&pts->beyond);
	jr_vec_done(&pts->dots);
	jr_map_done(&pts->cells);
}

void jr_points_draw(struct jr_figure *fig)
{
	struct jr_points pts = {.fig = fig};
	collect(&pts);
	draw_all_series(&pts);
	jr_points_label(&pts);
	points_done(&pts);
}

static void draw_fitted(struct jr_figure *fig, struct jr_range x, struct jr_range y)
{
	struct jr_points pts = {.fig = fig};
	layout(fig, x, y);
	jr_beyond_reserve(&pts.beyond, fig);
	collect(&pts);
	uint64_t crowded = 0; /* series of which something is in the plot area */
	for (size_t i = 0; i < pts.dots.n && pts.crowded; i++)
		crowded |= UINT64_C(1) << (pts.dots.items[i].series & 63);
	jr_figure_legend_points(fig, crowded);
	jr_beyond_background(&pts.beyond, fig);
	jr_figure_y_axis(fig);
	jr_figure_x_axis(fig);
	draw_all_series(&pts);
	jr_beyond_draw(&pts.beyond, fig);
	jr_points_label(&pts);
	points_done(&pts);
}

void jr_plot_points(struct jr_figure *fig)
{
	struct jr_plot fitted = *fig->plot;
	struct jr_range x = JR_RANGE_EMPTY, y = JR_RANGE_EMPTY;
	if (!jr_points_measure(fig, &x, &y)) {
		jr_figure_legend_points(fig, 0);
		jr_figure_no_data(fig);
		return;
	}
	jr_figure_fit_y(fig->plot, &fitted.y, &y);
	struct jr_figure drawn = *fig;
	drawn.plot = &fitted;
	draw_fitted(&drawn, x, y);
	drawn.plot = fig->plot;
	*fig = drawn;
}
