/* Convert columns of a table to a plot: group rows into series or categories, scale units. */
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "report/document/chart_parts.h"
#include "report/figures/figure.h"
#include "report/figures/figure_impl.h"

#define LEAST_TREND 0.02 /* of its values: the least range of a trend's axis */

/* --- points --------------------------------------------------------------------------------- */

struct points {
	double *x, *y, *lo, *hi, *weights;
	const char **things, **labels;
	bool *apart;
};

static void fill_point(struct jr_plotting *c, struct points *p, size_t i, size_t row)
{
	p->x[i] = jr_plotting_number(c, c->x, row, c->x_scale);
	p->y[i] = jr_plotting_number(c, c->y, row, c->y_scale);
	if (p->lo) {
		p->lo[i] = jr_plotting_number(c, c->low, row, c->y_scale);
		p->hi[i] = jr_plotting_number(c, c->high, row, c->y_scale);
	}
	if (p->weights)
		p->weights[i] = jr_plotting_number(c, c->weight, row, 1);
	if (p->things)
		p->things[i] = jr_plotting_text(c, c->label, row);
	if (p->labels && jr_table_number(c->table, c->marked, row) == 1)
		p->labels[i] = jr_plotting_text(c, c->label, row);
	if (p->apart)
		p->apart[i] = jr_table_number(c->table, c->frame, row) != 1;
}

/* Whether all values of a line chart's series are ranges: then there is no line to draw. */
static bool is_band(const struct jr_series *series)
{
	for (size_t i = 0; i < series->n; i++)
		if (!series->lo || !isfinite(series->lo[i]) || !isfinite(series->hi[i]))
			return false;
	return series->n > 1;
}

/* Stacked bands: the legend shows their thickness. A series without a band is a dashed line. */
static void look_of_bands(struct jr_plotting *c, struct jr_series *series, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct jr_series *s = &series[i];
		struct jr_buf name = {0};
		jr_buf_printf(&name, "%s ", s->name);
		jr_chart_put_thickness(&name, c->spec, s->name);
		s->name = jr_arena_strndup(c->arena, name.data, name.size);
		jr_buf_done(&name);
		if (s->n && s->lo && isnan(s->lo[0])) {
			s->lo = s->hi = NULL;
			s->dash = JR_DASHED;
		}
	}
}

/* Choose marks and colors by the content of the series. */
static void look_of_series(
	const struct jr_plotting *c, struct jr_series *series, size_t n, enum jr_mark mark)
{
	unsigned unnamed = 0; /* series that take colors of the palette in turn */
	for (size_t i = 0; i < n; i++) {
		if (mark == JR_MARK_LINE && is_band(&series[i])) {
			series[i].mark = JR_MARK_BAND;
			series[i].role = JR_ROLE_MUTED;
			continue;
		}
		/* a line through few points shows them; a line through one point would be invisible */
		series[i].mark = mark == JR_MARK_LINE && series[i].n <= 16 ? JR_MARK_LINE_DOTS : mark;
		if (mark == JR_MARK_STEP && !series[i].lo)
			series[i].dash = (enum jr_dash)(i % (JR_DOTTED + 1)); /* without an area */
		if (series[i].mark == JR_MARK_LINE) /* in gray, and of more lines than clear colors */
			series[i].dash = (enum jr_dash)(unnamed % (JR_DOTTED + 1));
		series[i].role = jr_chart_named_role(c->spec, series[i].name);
		if (series[i].role == JR_ROLE_NONE && c->spec->kind == JR_CHART_TREND)
			series[i].role = JR_ROLE_MUTED; /* a metric without verdicts */
		if (series[i].role == JR_ROLE_NONE)
			series[i].role = jr_role_series(unnamed++);
	}
}

static void make_series(struct jr_plotting *c, enum jr_mark mark)
{
	struct jr_plotting_groups g = jr_plotting_group(c, c->series, MAX_SERIES);
	struct jr_series *series = JR_ARENA_N(c->arena, struct jr_series, g.n);
	struct points *points = JR_ARENA_N(c->arena, struct points, g.n);
	for (size_t i = 0; i < g.n; i++) {
		size_t n = g.sizes[i];
		points[i].x = JR_ARENA_N(c->arena, double, n);
		points[i].y = JR_ARENA_N(c->arena, double, n);
		if (c->low != SIZE_MAX && c->high != SIZE_MAX) {
			points[i].lo = JR_ARENA_N(c->arena, double, n);
			points[i].hi = JR_ARENA_N(c->arena, double, n);
		}
		if (c->weight != SIZE_MAX)
			points[i].weights = JR_ARENA_N(c->arena, double, n);
		if (c->label != SIZE_MAX && mark != JR_MARK_STEP)
			points[i].things = JR_ARENA_N(c->arena, const char *, n);
		if (c->label != SIZE_MAX && c->marked != SIZE_MAX)
			points[i].labels = JR_ARENA_N(c->arena, const char *, n);
		if (c->frame != SIZE_MAX)
			points[i].apart = JR_ARENA_N(c->arena, bool, n);
		series[i] = (struct jr_series){.name = c->series == SIZE_MAX ? NULL : g.names[i],
			.x = points[i].x,
			.y = points[i].y,
			.lo = points[i].lo,
			.hi = points[i].hi,
			.weights = points[i].weights,
			.things = points[i].things,
			.labels = points[i].labels,
			.apart = points[i].apart};
	}
	for (size_t row = 0; row < c->n_rows; row++) {
		if (g.of_row[row] == JR_NONE)
			continue;
		struct jr_series *s = &series[g.of_row[row]];
		fill_point(c, &points[g.of_row[row]], s->n++, row);
	}
	look_of_series(c, series, g.n, mark);
	if (mark == JR_MARK_STEP && c->spec->parts)
		look_of_bands(c, series, g.n);
	c->plot.series = series;
	c->plot.n_series = g.n;
}

/* Draw a line through the points of all series, in row order, below them. Without series, it is the
 * last one, so that the points do not look like those of the second series elsewhere. */
static void thread_points(struct jr_plotting *c)
{
	struct jr_series *series = JR_ARENA_N(c->arena, struct jr_series, c->plot.n_series + 1);
	double *x = JR_ARENA_N(c->arena, double, c->n_rows),
		   *y = JR_ARENA_N(c->arena, double, c->n_rows);
	for (size_t row = 0; row < c->n_rows; row++) {
		x[row] = jr_plotting_number(c, c->x, row, c->x_scale);
		y[row] = jr_plotting_number(c, c->y, row, c->y_scale);
	}
	size_t line = c->series == SIZE_MAX ? c->plot.n_series : 0;
	series[line] = (struct jr_series){
		.role = JR_ROLE_AXIS, .mark = JR_MARK_LINE, .width = 1, .n = c->n_rows, .x = x, .y = y};
	if (c->plot.n_series)
		memcpy(series + !line, c->plot.series, c->plot.n_series * sizeof(*series));
	c->plot.series = series;
	c->plot.n_series++;
}

static const struct jr_series *series_named(const struct jr_plot *plot, const char *name)
{
	for (size_t i = 0; i < plot->n_series; i++)
		if (plot->series[i].name && strcmp(plot->series[i].name, name) == 0)
			return &plot->series[i];
	return NULL;
}

/* Draw lines of another table above the points: the color is that of their series, or one common
 * color. Dashes and names in the legend distinguish them. */
static void add_lines(struct jr_plotting *c)
{
	static const enum jr_dash dashes[] = {JR_SOLID, JR_DASHED, JR_DOTTED};
	const struct jr_table *t = c->spec->lines;
	size_t x = t ? jr_table_column(t, c->spec->line_x) : SIZE_MAX;
	size_t y = t ? jr_table_column(t, c->spec->line_y) : SIZE_MAX;
	if (x == SIZE_MAX || y == SIZE_MAX)
		return;
	size_t n = c->plot.n_series, n_own = 0;
	struct jr_series *series = JR_ARENA_N(c->arena, struct jr_series, n + t->n_rows);
	if (n)
		memcpy(series, c->plot.series, n * sizeof(*series));
	for (size_t row = 0, end; row < t->n_rows; row = end) {
		const char *name = jr_table_text(t, c->spec->line_name, row);
		double *xs = JR_ARENA_N(c->arena, double, t->n_rows - row);
		double *ys = JR_ARENA_N(c->arena, double, t->n_rows - row);
		for (end = row;
			 end < t->n_rows && strcmp(jr_table_text(t, c->spec->line_name, end), name) == 0;
			 end++) {
			xs[end - row] = jr_table_number(t, x, end) / c->x_scale;
			ys[end - row] = jr_table_number(t, y, end) / c->y_scale;
		}
		series[n] = (struct jr_series){.name = name,
			.role = JR_ROLE_INK,
			.mark = JR_MARK_LINE,
			.width = 1.5,
			.n = end - row,
			.x = xs,
			.y = ys};
		const struct jr_series *points = series_named(&c->plot, name);
		if (c->spec->faint) {
			series[n].guide = true;
			series[n].role = JR_ROLE_AXIS;
			series[n].width = 1;
			series[n].dash = JR_DASHED;
		} else if (points) { /* the legend has that name and color already */
			series[n].name = NULL;
			series[n].role = points->role;
			series[n].width = 1;
		} else {
			series[n].dash = dashes[n_own++ % JR_COUNT_OF(dashes)];
		}
		n++;
	}
	c->plot.series = series;
	c->plot.n_series = n;
}

static void make_histogram(struct jr_plotting *c)
{
	struct jr_series *series = JR_ARENA_NEW(c->arena, struct jr_series);
	double *samples = JR_ARENA_N(c->arena, double, c->n_rows);
	for (size_t row = 0; row < c->n_rows; row++)
		samples[row] = jr_plotting_number(c, c->x, row, c->x_scale);
	*series = (struct jr_series){.n = c->n_rows, .y = samples};
	c->plot.series = series;
	c->plot.n_series = 1;
	c->plot.y = (struct jr_axis){
		.title = c->spec->y_title ? c->spec->y_title : "Count", .format = JR_FORMAT_COUNT};
}

/* --- ticks on the x axis --------------------------------------------------------------------- */

static void make_guides(struct jr_plotting *c)
{
	const struct jr_table *marks = c->spec->marks;
	size_t x = marks ? jr_table_column(marks, c->spec->mark_x) : SIZE_MAX;
	if (x == SIZE_MAX)
		return;
	size_t height = c->spec->mark_height ? jr_table_column(marks, c->spec->mark_height) : SIZE_MAX;
	size_t label = c->spec->mark_label ? jr_table_column(marks, c->spec->mark_label) : SIZE_MAX;
	struct jr_guide *guides = JR_ARENA_N(c->arena, struct jr_guide, marks->n_rows);
	for (size_t row = 0; row < marks->n_rows; row++)
		guides[row] = (struct jr_guide){.vertical = true,
			.at = jr_table_number(marks, x, row) / c->x_scale,
			.height_frac = height == SIZE_MAX ? 0 : jr_table_number(marks, height, row),
			.tip = label == SIZE_MAX ? NULL : marks->cells[label].text[row],
			.role = JR_ROLE_COMMUNICATION};
	c->plot.guides = guides;
	c->plot.n_guides = marks->n_rows;
	c->plot.guides_name = c->spec->mark_title;
}

/* --- the chart ------------------------------------------------------------------------------ */

static void make_plot(struct jr_plotting *c)
{
	static const enum jr_plot_kind kinds[] = {
		[JR_CHART_SCATTER] = JR_PLOT_SCATTER,
		[JR_CHART_LINE] = JR_PLOT_LINE,
		[JR_CHART_STEP] = JR_PLOT_LINE,
		[JR_CHART_BARS] = JR_PLOT_BARS,
		[JR_CHART_HISTOGRAM] = JR_PLOT_HISTOGRAM,
		[JR_CHART_BOX] = JR_PLOT_BOX,
		[JR_CHART_DOTS] = JR_PLOT_DOTS,
		[JR_CHART_INTERVALS] = JR_PLOT_INTERVALS,
		[JR_CHART_STACKED] = JR_PLOT_STACKED,
		[JR_CHART_TREND] = JR_PLOT_SCATTER,
		[JR_CHART_LANES] = JR_PLOT_SWIMLANE,
		[JR_CHART_CELLS] = JR_PLOT_CELLS,
		[JR_CHART_HEAT] = JR_PLOT_HEAT,
	};
	c->plot.kind = kinds[c->spec->kind];
	switch (c->spec->kind) {
	case JR_CHART_SCATTER:
		make_series(c, JR_MARK_POINTS);
		add_lines(c);
		break;
	case JR_CHART_LINE: make_series(c, JR_MARK_LINE); break;
	case JR_CHART_STEP: make_series(c, JR_MARK_STEP); break;
	case JR_CHART_HISTOGRAM: make_histogram(c); break;
	case JR_CHART_BARS:
	case JR_CHART_INTERVALS: jr_plotting_bars(c); break;
	case JR_CHART_BOX:
	case JR_CHART_DOTS: jr_plotting_boxes(c); break;
	case JR_CHART_STACKED: jr_plotting_stacks(c); break;
	case JR_CHART_TREND:
		make_series(c, JR_MARK_POINTS);
		thread_points(c);
		c->plot.y.least = LEAST_TREND;
		break;
	case JR_CHART_LANES: jr_plotting_lanes(c); break;
	case JR_CHART_CELLS:
	case JR_CHART_HEAT: break; /* jr_draw_cells(), jr_draw_heat() */
	}
	make_guides(c);
}

/* Whether all columns that the kind of chart needs are there; otherwise the chart says "no data".
 */
static bool has_columns(const struct jr_plotting *c)
{
	switch (c->spec->kind) {
	case JR_CHART_HISTOGRAM:
	case JR_CHART_STACKED: return c->x != SIZE_MAX;
	default: return c->x != SIZE_MAX && c->y != SIZE_MAX;
	}
}

struct jr_plot jr_chart_plot(const struct jr_chart *chart, struct jr_arena *arena)
{
	struct jr_plotting c = {
		.spec = chart, .table = chart->table, .arena = arena, .x_scale = 1, .y_scale = 1};
	c.n_rows = c.table->n_rows;
	c.formats = JR_ARENA_N(arena, struct jr_value_format, c.table->spec->n_columns);
	c.x = jr_plotting_column(&c, chart->x);
	c.y = jr_plotting_column(&c, chart->y);
	c.series = jr_plotting_column(&c, chart->series);
	c.label = jr_plotting_column(&c, chart->label);
	c.marked = jr_plotting_column(&c, chart->marked);
	c.frame = jr_plotting_column(&c, chart->frame);
	c.low = jr_plotting_column(&c, chart->y_low);
	c.high = jr_plotting_column(&c, chart->y_high);
	c.weight = jr_plotting_column(&c, chart->weight);
	c.hollow = jr_plotting_column(&c, chart->hollow);
	c.plot.id = chart->name;
	c.plot.title = chart->title;
	c.plot.bare = true;
	c.plot.height = chart->height;
	if (has_columns(&c)) {
		bool sideways = chart->kind == JR_CHART_BARS || chart->kind == JR_CHART_BOX ||
						chart->kind == JR_CHART_DOTS || chart->kind == JR_CHART_INTERVALS;
		if (chart->kind != JR_CHART_STACKED && chart->kind != JR_CHART_LANES)
			c.y_scale = jr_plotting_axis(sideways ? &c.plot.x : &c.plot.y,
				jr_plotting_spec(&c, c.y), chart->y_title, chart->log_y);
		if (!sideways && chart->kind != JR_CHART_STACKED)
			c.x_scale = jr_plotting_axis(
				&c.plot.x, jr_plotting_spec(&c, c.x), chart->x_title, chart->log_x);
		make_plot(&c);
	}
	return c.plot;
}

/* Ticks of runs have their commits, because only these say what was changed. */
static void name_ticks(const struct jr_chart *chart, struct jr_axis *axis, struct jr_arena *arena)
{
	const struct jr_table *t = chart->table;
	size_t x = jr_table_column(t, chart->x);
	size_t name = chart->x_name ? jr_table_column(t, chart->x_name) : SIZE_MAX;
	if (x == SIZE_MAX || name == SIZE_MAX)
		return;
	double *named = JR_ARENA_N(arena, double, t->n_rows + 1);
	bool any = false;
	for (size_t row = 0; row < t->n_rows; row++) {
		named[row] = jr_table_number(t, x, row);
		any |= t->cells[name].text[row] != NULL;
	}
	axis->named = named;
	axis->names = t->cells[name].text;
	axis->n_names = any ? t->n_rows : 0;
}

void jr_draw_trends(
	const struct jr_chart *chart, double width, struct jr_metrics *metrics, struct jr_scene *scene)
{
	struct jr_arena arena;
	jr_arena_init(&arena, 0);
	struct jr_plot *rows = JR_ARENA_N(&arena, struct jr_plot, chart->n_trends + 1);
	for (size_t i = 0; i < chart->n_trends; i++) {
		const struct jr_trend_row *trend = &chart->trends[i];
		struct jr_chart one = *chart;
		one.title = trend->title;
		one.y = trend->y;
		one.y_low = trend->y_low;
		one.y_high = trend->y_high;
		one.marked = trend->marked ? chart->marked : NULL;
		one.series = trend->marked ? chart->series : NULL;
		rows[i] = jr_chart_plot(&one, &arena);
		rows[i].note = trend->note;
		rows[i].height = trend->height;
	}
	name_ticks(chart, &rows[0].x, &arena);
	struct jr_plot plot = {.kind = JR_PLOT_MULTIPLES,
		.id = chart->name,
		.title = chart->title,
		.bare = true,
		.width = width,
		.x = rows[0].x,
		.series = rows[0].series,
		.n_series = rows[0].n_series,
		.rows = rows,
		.n_rows = chart->n_trends};
	jr_plot_scene(&plot, metrics, scene);
	jr_arena_done(&arena);
}
