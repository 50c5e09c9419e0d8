/* Columns of a table as a plot: groups rows into series or categories, scales units. */
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "report/chart_parts.h"
#include "report/figure.h"

#define MAX_BARS 30 /* bars of one chart; the table has all rows */
#define MAX_SERIES 64
#define LEAST_TREND 0.02 /* of its values, which is told by the height of a trend */

struct chart {
	const struct jr_chart *spec;
	const struct jr_table *table;
	struct jr_arena *arena;
	struct jr_plot plot;
	/* columns, SIZE_MAX = none */
	size_t x, y, series, label, marked, frame, low, high, weight, hollow;
	double x_scale, y_scale;
	size_t n_rows;
	struct jr_value_format *formats; /* [n_columns], suffix NULL = not looked at yet */
};

static size_t column(const struct chart *c, const char *key)
{
	return key ? jr_table_column(c->table, key) : SIZE_MAX;
}

static const struct jr_column_spec *spec_of(const struct chart *c, size_t col)
{
	return col == SIZE_MAX ? NULL : &c->table->spec->columns[col];
}

/* How values of a column read on an axis; returns what they are to be divided by first. */
static double set_axis(
	struct jr_axis *axis, const struct jr_column_spec *spec, const char *title, bool log)
{
	axis->title = title;
	axis->log = log;
	if (!spec)
		return 1;
	if (!title)
		axis->title = spec->title;
	switch (spec->unit) {
	case JR_UNIT_NS:
	case JR_UNIT_S:
		axis->format = JR_FORMAT_TIME_NS;
		return 1;
	case JR_UNIT_BYTES:
		axis->format = JR_FORMAT_BYTES;
		return 1;
	case JR_UNIT_FRAC:
	case JR_UNIT_PERCENT:
	case JR_UNIT_POINTS:
		axis->format = JR_FORMAT_PERCENT;
		return 1;
	case JR_UNIT_BYTES_S:
		axis->unit = "GB/s";
		return 1e9;
	case JR_UNIT_HZ:
		axis->unit = "GHz";
		return 1e9;
	case JR_UNIT_COUNT:
		axis->format = spec->type == JR_I64 ? JR_FORMAT_COUNT : JR_FORMAT_NUMBER;
		return 1;
	case JR_UNIT_NONE:
		break;
	}
	return 1;
}

/* Text of a cell for labels: the text itself, or the number as people read it. */
static const char *cell_text(struct chart *c, size_t col, size_t row)
{
	char room[JR_NUM_MAX];
	if (col == SIZE_MAX)
		return "";
	struct jr_value v = jr_value_of_cell(c->table, col, row);
	if (v.type == JR_TEXT)
		return v.as.text ? v.as.text : "–";
	struct jr_value_format *format = &c->formats[col];
	if (!format->suffix)
		*format = jr_value_format_of(c->table, col, c->n_rows, c->n_rows);
	return jr_arena_strdup(c->arena, jr_value_text(format, &v, room));
}

static double cell_number(const struct chart *c, size_t col, size_t row, double scale)
{
	return jr_table_number(c->table, col, row) / scale;
}

/* --- rows in groups of equal text ------------------------------------------------------------ */

struct groups {
	size_t n;
	const char **names;
	uint32_t *of_row; /* [n_rows], JR_NONE = not drawn */
	size_t *sizes;
};

/* False where a value is missing, so that a group of such rows gets no legend. Trends have one
 * legend and all its marks, whichever of them lacks a value. */
static bool can_be_drawn(const struct chart *c, size_t row)
{
	if (c->spec->kind != JR_CHART_LANES && c->spec->kind != JR_CHART_TREND &&
		isnan(jr_table_number(c->table, c->y, row)))
		return false;
	return c->spec->kind == JR_CHART_BOX || c->spec->kind == JR_CHART_DOTS ||
		   !isnan(jr_table_number(c->table, c->x, row));
}

/* Groups in order of first appearance; texts are interned, so hash order plays no part. */
static struct groups group_rows(struct chart *c, size_t col, size_t most)
{
	struct groups g = {0};
	struct jr_intern seen;
	jr_intern_init(&seen);
	g.of_row = JR_ARENA_N(c->arena, uint32_t, c->n_rows);
	g.names = JR_ARENA_N(c->arena, const char *, most);
	g.sizes = JR_ARENA_N(c->arena, size_t, most);
	struct jr_map index = {0};
	for (size_t row = 0; row < c->n_rows; row++) {
		g.of_row[row] = JR_NONE;
		if (!can_be_drawn(c, row))
			continue;
		const char *text = cell_text(c, col, row);
		uint32_t id = jr_intern_puts(&seen, text);
		uint32_t at = jr_map_get(&index, id);
		if (at == JR_NONE) {
			at = (uint32_t)(g.n < most ? g.n++ : most - 1);
			jr_map_put(&index, id, at);
			if (!g.sizes[at])
				g.names[at] = text;
			else
				g.names[at] = "others";
		}
		g.of_row[row] = at;
		g.sizes[at]++;
	}
	jr_map_done(&index);
	jr_intern_done(&seen);
	return g;
}

/* --- points --------------------------------------------------------------------------------- */

struct points {
	double *x, *y, *lo, *hi, *weights;
	const char **things, **labels;
	bool *apart;
};

static void fill_point(struct chart *c, struct points *p, size_t i, size_t row)
{
	p->x[i] = cell_number(c, c->x, row, c->x_scale);
	p->y[i] = cell_number(c, c->y, row, c->y_scale);
	if (p->lo) {
		p->lo[i] = cell_number(c, c->low, row, c->y_scale);
		p->hi[i] = cell_number(c, c->high, row, c->y_scale);
	}
	if (p->weights)
		p->weights[i] = cell_number(c, c->weight, row, 1);
	if (p->things)
		p->things[i] = cell_text(c, c->label, row);
	if (p->labels && jr_table_number(c->table, c->marked, row) == 1)
		p->labels[i] = cell_text(c, c->label, row);
	if (p->apart)
		p->apart[i] = jr_table_number(c->table, c->frame, row) != 1;
}

/* A line chart's series without a value that is not a range of values: there is no line to draw. */
static bool is_band(const struct jr_series *series)
{
	for (size_t i = 0; i < series->n; i++)
		if (!series->lo || !isfinite(series->lo[i]) || !isfinite(series->hi[i]))
			return false;
	return series->n > 1;
}

/* Bands on each other: the legend tells how thick each is. What has no band is a dashed line. */
static void look_of_bands(struct chart *c, struct jr_series *series, size_t n)
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

/* Marks and colours, by what the series turned out to hold. */
static void look_of_series(
	const struct chart *c, struct jr_series *series, size_t n, enum jr_mark mark)
{
	unsigned unnamed = 0; /* series that take the palette's colours in turn */
	for (size_t i = 0; i < n; i++) {
		if (mark == JR_MARK_LINE && is_band(&series[i])) {
			series[i].mark = JR_MARK_BAND;
			series[i].role = JR_ROLE_MUTED;
			continue;
		}
		/* a line through few points shows them; through one it is not there at all */
		series[i].mark = mark == JR_MARK_LINE && series[i].n <= 16 ? JR_MARK_LINE_DOTS : mark;
		series[i].role = jr_chart_named_role(c->spec, series[i].name);
		if (series[i].role == JR_ROLE_NONE)
			series[i].role = jr_role_series(unnamed++);
	}
}

static void make_series(struct chart *c, enum jr_mark mark)
{
	struct groups g = group_rows(c, c->series, MAX_SERIES);
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
		if (c->label != SIZE_MAX)
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

/* A line through the points of all series, in row order, below them. */
static void thread_points(struct chart *c)
{
	struct jr_series *series = JR_ARENA_N(c->arena, struct jr_series, c->plot.n_series + 1);
	double *x = JR_ARENA_N(c->arena, double, c->n_rows),
		   *y = JR_ARENA_N(c->arena, double, c->n_rows);
	for (size_t row = 0; row < c->n_rows; row++) {
		x[row] = cell_number(c, c->x, row, c->x_scale);
		y[row] = cell_number(c, c->y, row, c->y_scale);
	}
	series[0] = (struct jr_series){
		.role = JR_ROLE_AXIS, .mark = JR_MARK_LINE, .width = 1, .n = c->n_rows, .x = x, .y = y};
	if (c->plot.n_series)
		memcpy(series + 1, c->plot.series, c->plot.n_series * sizeof(*series));
	c->plot.series = series;
	c->plot.n_series++;
}

/* Lines of another table above the points; those of a scale are in one colour, told apart by dashes
 * and by their names in the legend. */
static void add_lines(struct chart *c)
{
	static const enum jr_dash dashes[] = {JR_SOLID, JR_DASHED, JR_DOTTED};
	const struct jr_table *t = c->spec->lines;
	size_t x = t ? jr_table_column(t, c->spec->line_x) : SIZE_MAX;
	size_t y = t ? jr_table_column(t, c->spec->line_y) : SIZE_MAX;
	if (x == SIZE_MAX || y == SIZE_MAX)
		return;
	size_t n = c->plot.n_series;
	struct jr_series *series = JR_ARENA_N(c->arena, struct jr_series, n + t->n_rows);
	if (n)
		memcpy(series, c->plot.series, n * sizeof(*series));
	for (size_t row = 0, end; row < t->n_rows; row = end) {
		const char *name = jr_table_text(t, c->spec->line_name, row);
		double *xs = JR_ARENA_N(c->arena, double, t->n_rows - row);
		double *ys = JR_ARENA_N(c->arena, double, t->n_rows - row);
		for (end = row; end < t->n_rows &&
			 strcmp(jr_table_text(t, c->spec->line_name, end), name) == 0; end++) {
			xs[end - row] = jr_table_number(t, x, end) / c->x_scale;
			ys[end - row] = jr_table_number(t, y, end) / c->y_scale;
		}
		series[n] = (struct jr_series){.name = name, .role = JR_ROLE_INK, .mark = JR_MARK_LINE,
			.dash = dashes[(n - c->plot.n_series) % JR_COUNT_OF(dashes)], .width = 1.5,
			.n = end - row, .x = xs, .y = ys};
		n++;
	}
	c->plot.series = series;
	c->plot.n_series = n;
}

static void make_histogram(struct chart *c)
{
	struct jr_series *series = JR_ARENA_NEW(c->arena, struct jr_series);
	double *samples = JR_ARENA_N(c->arena, double, c->n_rows);
	for (size_t row = 0; row < c->n_rows; row++)
		samples[row] = cell_number(c, c->x, row, c->x_scale);
	*series = (struct jr_series){.n = c->n_rows, .y = samples};
	c->plot.series = series;
	c->plot.n_series = 1;
	c->plot.y = (struct jr_axis){.title = c->spec->y_title ? c->spec->y_title : "Count",
		.format = JR_FORMAT_COUNT};
}

/* --- categories ------------------------------------------------------------------------------ */

/* The words by which bars have their colours, in the order that they come up. */
static void make_bar_legend(struct chart *c, size_t n)
{
	struct jr_part *parts = JR_ARENA_N(c->arena, struct jr_part, JR_N_ROLES);
	bool used[JR_N_ROLES] = {[JR_ROLE_NONE] = true}, doubt = false, solid = false;
	for (size_t i = 0; i < n; i++) {
		doubt |= c->plot.categories[i].hollow;
		solid |= !c->plot.categories[i].hollow;
	}
	for (size_t i = 0; i < n; i++) {
		const char *name = cell_text(c, c->series, i);
		enum jr_role role = jr_chart_named_role(c->spec, name);
		if (!used[role])
			parts[c->plot.n_parts++] = (struct jr_part){name, role};
		used[role] = true;
	}
	if (doubt && solid)
		parts[c->plot.n_parts++] = (struct jr_part){"not told from noise", JR_ROLE_MUTED};
	c->plot.n_hollow = !solid ? c->plot.n_parts : doubt;
	c->plot.parts = parts;
}

static void make_bars(struct chart *c)
{
	size_t n = c->n_rows < MAX_BARS ? c->n_rows : MAX_BARS;
	struct jr_category *bars = JR_ARENA_N(c->arena, struct jr_category, n);
	for (size_t i = 0; i < n; i++) {
		bars[i].name = cell_text(c, c->x, i);
		bars[i].value = cell_number(c, c->y, i, c->y_scale);
		bars[i].tip = c->label == SIZE_MAX ? NULL : cell_text(c, c->label, i);
		bars[i].role = jr_chart_named_role(c->spec, cell_text(c, c->series, i));
		bars[i].hollow = c->hollow != SIZE_MAX && jr_table_number(c->table, c->hollow, i) == 1;
		if (c->spec->kind == JR_CHART_INTERVALS)
			bars[i].value_text = jr_chart_value(c->spec, i, c->arena);
		if (c->low != SIZE_MAX && c->high != SIZE_MAX) {
			bars[i].lo = cell_number(c, c->low, i, c->y_scale);
			bars[i].hi = cell_number(c, c->high, i, c->y_scale);
		}
	}
	c->plot.categories = bars;
	c->plot.n_categories = n;
	c->plot.change = spec_of(c, c->y)->flags & JR_COL_CHANGE;
	c->plot.band = c->spec->band / c->y_scale;
	if (c->series != SIZE_MAX && c->spec->kind == JR_CHART_BARS)
		make_bar_legend(c, n);
	if (n < c->n_rows)
		c->plot.caption = jr_arena_printf(c->arena, "The first %zu of %zu rows.", n, c->n_rows);
}

static void make_boxes(struct chart *c)
{
	struct groups g = group_rows(c, c->x, MAX_BARS);
	struct jr_category *boxes = JR_ARENA_N(c->arena, struct jr_category, g.n);
	double **samples = JR_ARENA_N(c->arena, double *, g.n);
	for (size_t i = 0; i < g.n; i++) {
		samples[i] = JR_ARENA_N(c->arena, double, g.sizes[i]);
		boxes[i].name = g.names[i];
		boxes[i].samples = samples[i];
	}
	for (size_t row = 0; row < c->n_rows; row++) {
		size_t i = g.of_row[row];
		if (i == JR_NONE)
			continue;
		samples[i][boxes[i].n++] = cell_number(c, c->y, row, c->y_scale);
	}
	c->plot.categories = boxes;
	c->plot.n_categories = g.n;
}

static void make_stacks(struct chart *c)
{
	size_t n_parts = jr_chart_n_parts(c->spec), n = c->n_rows < MAX_BARS ? c->n_rows : MAX_BARS;
	struct jr_part *parts = JR_ARENA_N(c->arena, struct jr_part, n_parts);
	struct jr_category *bars = JR_ARENA_N(c->arena, struct jr_category, n);
	double *values = JR_ARENA_N(c->arena, double, n *n_parts);
	for (size_t k = 0; k < n_parts; k++) {
		size_t col = jr_table_column(c->table, c->spec->parts[k]);
		if (col == SIZE_MAX)
			continue;
		const struct jr_column_spec *spec = &c->table->spec->columns[col];
		if (!c->plot.x.title)
			c->y_scale =
				set_axis(&c->plot.x, spec, c->spec->y_title ? c->spec->y_title : "Time", false);
		parts[k].name = spec->title;
		parts[k].role = jr_chart_part_role(c->spec, k);
		for (size_t i = 0; i < n; i++)
			values[i * n_parts + k] = jr_chart_part(c->spec, k, i) / c->y_scale;
	}
	for (size_t i = 0; i < n; i++)
		bars[i] = (struct jr_category){
			.name = jr_chart_row_name(c->spec, i, c->arena), .parts = values + i * n_parts};
	c->plot.categories = bars;
	c->plot.n_categories = n;
	c->plot.parts = parts;
	c->plot.n_parts = n_parts;
}

/* --- intervals in lanes --------------------------------------------------------------------- */

/* The words for roles that an interval has, in the chart's order. */
static void make_lane_legend(struct chart *c, const bool *used)
{
	size_t n = jr_chart_n_parts(c->spec);
	struct jr_part *parts = JR_ARENA_N(c->arena, struct jr_part, n);
	for (size_t i = 0; i < n; i++) {
		enum jr_role role = jr_role_find(c->spec->part_roles[i]);
		if (used[role])
			parts[c->plot.n_parts++] = (struct jr_part){c->spec->parts[i], role};
	}
	c->plot.parts = parts;
}

static void make_lanes(struct chart *c)
{
	bool used[JR_N_ROLES] = {false};
	size_t end = column(c, c->spec->x_end), lane_begin = column(c, c->spec->lane_begin),
		   lane_end = column(c, c->spec->lane_end), inside = column(c, c->spec->inside);
	struct groups g = group_rows(c, c->y, MAX_SERIES);
	struct jr_category *lanes = JR_ARENA_N(c->arena, struct jr_category, g.n);
	struct jr_interval **items = JR_ARENA_N(c->arena, struct jr_interval *, g.n);
	for (size_t i = 0; i < g.n; i++) {
		items[i] = JR_ARENA_N(c->arena, struct jr_interval, g.sizes[i]);
		lanes[i].name = g.names[i];
		lanes[i].intervals = items[i];
	}
	for (size_t row = 0; row < c->n_rows; row++) {
		size_t i = g.of_row[row];
		if (i == JR_NONE)
			continue;
		enum jr_role role =
			c->series == SIZE_MAX ? JR_ROLE_NONE : jr_role_find(cell_text(c, c->series, row));
		used[role] = true;
		if (lane_begin != SIZE_MAX && lane_end != SIZE_MAX) {
			lanes[i].lo = cell_number(c, lane_begin, row, c->x_scale);
			lanes[i].hi = cell_number(c, lane_end, row, c->x_scale);
		}
		items[i][lanes[i].n_intervals++] =
			(struct jr_interval){.begin = cell_number(c, c->x, row, c->x_scale),
				.end = cell_number(c, end == SIZE_MAX ? c->x : end, row, c->x_scale),
				.role = role, .label = inside == SIZE_MAX ? NULL : cell_text(c, inside, row),
				.tip = c->label == SIZE_MAX ? NULL : cell_text(c, c->label, row)};
	}
	make_lane_legend(c, used);
	c->plot.width = 1120; /* time wants room */
	c->plot.categories = lanes;
	c->plot.n_categories = g.n;
}

/* --- ticks on the x axis --------------------------------------------------------------------- */

static void make_guides(struct chart *c)
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

static void make_plot(struct chart *c)
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
	};
	c->plot.kind = kinds[c->spec->kind];
	switch (c->spec->kind) {
	case JR_CHART_SCATTER:
		make_series(c, JR_MARK_POINTS);
		add_lines(c);
		break;
	case JR_CHART_LINE:
		make_series(c, JR_MARK_LINE);
		break;
	case JR_CHART_STEP:
		make_series(c, JR_MARK_STEP);
		break;
	case JR_CHART_HISTOGRAM:
		make_histogram(c);
		break;
	case JR_CHART_BARS:
	case JR_CHART_INTERVALS:
		make_bars(c);
		break;
	case JR_CHART_BOX:
	case JR_CHART_DOTS:
		make_boxes(c);
		break;
	case JR_CHART_STACKED:
		make_stacks(c);
		break;
	case JR_CHART_TREND:
		make_series(c, JR_MARK_POINTS);
		thread_points(c);
		c->plot.y.least = LEAST_TREND;
		break;
	case JR_CHART_LANES:
		make_lanes(c);
		break;
	case JR_CHART_CELLS:
		break; /* jr_draw_cells() */
	}
	make_guides(c);
}

/* True where what the kind of chart reads is there; a chart of anything else says "no data". */
static bool has_columns(const struct chart *c)
{
	switch (c->spec->kind) {
	case JR_CHART_HISTOGRAM:
	case JR_CHART_STACKED:
		return c->x != SIZE_MAX;
	default:
		return c->x != SIZE_MAX && c->y != SIZE_MAX;
	}
}

struct jr_plot jr_chart_plot(const struct jr_chart *chart, struct jr_arena *arena)
{
	struct chart c = {
		.spec = chart, .table = chart->table, .arena = arena, .x_scale = 1, .y_scale = 1};
	c.n_rows = c.table->n_rows;
	c.formats = JR_ARENA_N(arena, struct jr_value_format, c.table->spec->n_columns);
	c.x = column(&c, chart->x);
	c.y = column(&c, chart->y);
	c.series = column(&c, chart->series);
	c.label = column(&c, chart->label);
	c.marked = column(&c, chart->marked);
	c.frame = column(&c, chart->frame);
	c.low = column(&c, chart->y_low);
	c.high = column(&c, chart->y_high);
	c.weight = column(&c, chart->weight);
	c.hollow = column(&c, chart->hollow);
	c.plot.id = chart->name;
	c.plot.title = chart->title;
	c.plot.bare = true;
	if (has_columns(&c)) {
		bool sideways = chart->kind == JR_CHART_BARS || chart->kind == JR_CHART_BOX ||
						chart->kind == JR_CHART_DOTS || chart->kind == JR_CHART_INTERVALS;
		if (chart->kind != JR_CHART_STACKED && chart->kind != JR_CHART_LANES)
			c.y_scale = set_axis(
				sideways ? &c.plot.x : &c.plot.y, spec_of(&c, c.y), chart->y_title, chart->log_y);
		if (!sideways && chart->kind != JR_CHART_STACKED)
			c.x_scale = set_axis(&c.plot.x, spec_of(&c, c.x), chart->x_title, chart->log_x);
		make_plot(&c);
	}
	return c.plot;
}
