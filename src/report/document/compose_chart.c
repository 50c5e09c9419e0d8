/* Make a figure from a chart and describe its content in words. figure.c draws it. */
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "render/plot.h"
#include "report/document/chart_parts.h"
#include "report/document/compose.h"

#define MAX_ROWS 8 /* whose values are listed */

/* The rows to describe: all, or those whose cell of a bool is `value`. */
struct rows {
	size_t column; /* SIZE_MAX: all */
	bool value;
};

static bool among(const struct jr_table *table, struct rows rows, size_t row)
{
	return rows.column == SIZE_MAX || (jr_table_number(table, rows.column, row) == 1) == rows.value;
}

/* "; Start from 1.000 s to 2.000 s": from the minimum of a column to its maximum, or to the maximum
 * of the column with the ends. */
static void put_range(struct jr_buf *out, const struct jr_table *table, struct rows rows,
	const char *key, const char *end_key, const char *title)
{
	size_t c = key ? jr_table_column(table, key) : SIZE_MAX;
	size_t end = end_key ? jr_table_column(table, end_key) : c;
	if (c == SIZE_MAX || end == SIZE_MAX)
		return;
	double low = NAN, high = NAN;
	for (size_t row = 0; row < table->n_rows; row++) {
		double begins = jr_table_number(table, c, row), ends = jr_table_number(table, end, row);
		if (isnan(begins) || isnan(ends) || !among(table, rows, row))
			continue;
		low = begins >= low ? low : begins;
		high = ends <= high ? high : ends;
	}
	if (isnan(low))
		return;
	title = title ? title : table->spec->columns[c].title;
	/* "Start of a step, from" */
	jr_buf_printf(out, "; %s%s from ", title, strchr(title, ' ') ? "," : "");
	jr_chart_put_value(out, &table->spec->columns[c], low);
	jr_buf_puts(out, " to ");
	jr_chart_put_value(out, &table->spec->columns[c], high);
}

static void put_name(struct jr_buf *out, const struct jr_chart *chart, size_t row)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena names = {0};
	jr_buf_puts(out, jr_chart_row_name(chart, row, &names));
}

/* One sentence per row: "jit_step: 125.2 ms, of it Compute 86.20 %, Exposed communication 12.31
 * %."; only the value if bars have one part. */
static void put_stacks(struct jr_buf *out, const struct jr_chart *chart)
{
	const struct jr_table *t = chart->table;
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	struct jr_chart_bars bars = jr_chart_longest(chart, MAX_ROWS, &arena);
	size_t n = 0;
	for (size_t k = 0; k < bars.n; k++) {
		size_t row = bars.rows[k];
		double sum = jr_chart_parts_sum(chart, row);
		size_t any = SIZE_MAX;
		for (const char *const *part = chart->parts; *part; part++) {
			size_t c = jr_table_column(t, *part);
			any = c == SIZE_MAX ? any : c;
		}
		if (any == SIZE_MAX || sum == 0)
			continue;
		jr_buf_puts(out, n++ ? " " : "");
		put_name(out, chart, row);
		jr_buf_puts(out, ": ");
		jr_chart_put_value(out, &t->spec->columns[any], sum);
		const char *separator = ", of which ";
		for (size_t i = 0; chart->parts[1] && chart->parts[i] && sum > 0; i++) {
			double v = jr_chart_part(chart, i, row);
			char share[JR_NUM_MAX];
			if (!(v / sum >= 0.0005))
				continue;
			jr_num_grouped(share, 100 * v / sum, 1);
			jr_buf_printf(out, "%s%s %s %%", separator,
				t->spec->columns[jr_table_column(t, chart->parts[i])].title, share);
			separator = ", ";
		}
		jr_buf_putc(out, '.');
	}
	jr_chart_put_left(out, " ", chart, &bars);
}

/* "fusion 232.3 ms, custom-call 128.5 ms, ... and 3 more." */
static void put_bars(struct jr_buf *out, const struct jr_chart *chart, size_t y)
{
	const struct jr_table *t = chart->table;
	struct jr_arena arena;
	jr_arena_init(&arena, 0);
	struct jr_chart_bars bars = jr_chart_longest(chart, MAX_ROWS, &arena);
	size_t n = 0;
	for (size_t i = 0; i < bars.n; i++) {
		if (jr_table_number(t, y, bars.rows[i]) == 0) /* a bar without length */
			continue;
		jr_buf_puts(out, n++ ? ", " : "");
		put_name(out, chart, bars.rows[i]);
		jr_buf_putc(out, ' ');
		jr_chart_put_value(out, &t->spec->columns[y], jr_table_number(t, y, bars.rows[i]));
	}
	if (bars.n_left)
		jr_buf_printf(out, " and %zu more", bars.n_left);
	jr_arena_done(&arena);
	jr_buf_putc(out, '.');
}

/* One sentence per row: "Median step −0.99 %, 95 % interval −1.50 % to −0.40 %." */
static void put_intervals(struct jr_buf *out, const struct jr_chart *chart, size_t y)
{
	const struct jr_table *t = chart->table;
	size_t low = jr_table_column(t, chart->y_low), high = jr_table_column(t, chart->y_high);
	for (size_t row = 0; row < t->n_rows && row < MAX_ROWS; row++) {
		jr_buf_puts(out, row ? " " : "");
		put_name(out, chart, row);
		jr_buf_putc(out, ' ');
		jr_chart_put_value(out, &t->spec->columns[y], jr_table_number(t, y, row));
		if (!isnan(jr_table_number(t, low, row))) {
			jr_buf_puts(out, ", 95 % interval ");
			jr_chart_put_value(out, &t->spec->columns[low], jr_table_number(t, low, row));
			jr_buf_puts(out, " to ");
			jr_chart_put_value(out, &t->spec->columns[high], jr_table_number(t, high, row));
		}
		jr_buf_putc(out, '.');
	}
}

/* "; Parameters 2.008 GB, Heap 0 B to 3.81 GB": the parts that are a series of the chart. */
static void put_bands(struct jr_buf *out, const struct jr_chart *chart)
{
	const char *separator = "; ";
	JR_CLEANUP(jr_buf_done) struct jr_buf thickness = {0};
	for (size_t i = 0; chart->parts[i]; i++) {
		thickness.size = 0;
		jr_chart_put_thickness(&thickness, chart, chart->parts[i]);
		if (!thickness.size)
			continue;
		jr_buf_printf(out, "%s%s %s", separator, chart->parts[i], thickness.data);
		separator = ", ";
	}
}

/* "12 values; Start from 1.000 s to 2.000 s; Duration from 17.00 ms to 18.00 ms" */
static void put_ranges(struct jr_buf *out, const struct jr_chart *chart, struct rows rows, size_t n)
{
	char number[JR_NUM_MAX];
	jr_num_grouped_i64(number, (int64_t)n);
	jr_buf_printf(out, "%s value%s", number, n == 1 ? "" : "s");
	put_range(out, chart->table, rows, chart->x, chart->x_end, chart->x_title);
	for (size_t i = 0; i < chart->n_trends; i++)
		put_range(out, chart->table, rows, chart->trends[i].y, NULL, chart->trends[i].title);
	if (chart->n_trends)
		return;
	if (chart->kind == JR_CHART_STEP && chart->parts)
		put_bands(out, chart);
	else
		put_range(out, chart->table, rows, chart->y, NULL, chart->y_title);
}

/* "Devices by what they wait a step: 1 ms to 1.2 ms (23), below 200 µs (1). Device 2 ..." */
static void put_cells(struct jr_buf *out, const struct jr_chart *chart, size_t y)
{
	const struct jr_table *t = chart->table;
	size_t told = jr_table_column(t, chart->label), counts[JR_CELL_STEPS + 1] = {0};
	bool heat = chart->kind == JR_CHART_HEAT;
	char number[JR_NUM_MAX];
	double most = 0;
	struct jr_cell_scale scale;
	for (size_t row = 0; row < t->n_rows; row++)
		most = fmax(most, jr_table_number(t, y, row)); /* fmax() ignores NaN */
	if (heat)
		jr_heat_scale_make(&scale, t->cells[y].f64, t->n_rows, chart->band);
	else
		jr_cell_scale_make(&scale, JR_FORMAT_TIME_NS, most);
	for (size_t row = 0; row < t->n_rows; row++) {
		double v = jr_table_number(t, y, row);
		counts[isnan(v) ? scale.n : jr_cell_step(&scale, v)]++;
	}
	const char *separator = ": ";
	if (heat)
		jr_buf_printf(out, "%s by cell", t->spec->columns[y].title);
	else
		jr_buf_puts(out, chart->y_title);
	for (size_t k = 0; k <= scale.n; k++) {
		if (!counts[k])
			continue;
		jr_num_grouped_i64(number, (int64_t)counts[k]);
		jr_buf_puts(out, separator);
		if (heat)
			jr_heat_step_words(out, &scale, k);
		else
			jr_cell_step_words(out, &scale, k);
		jr_buf_printf(out, " (%s)", number);
		separator = ", ";
	}
	jr_buf_putc(out, '.');
	for (size_t row = 0; row < t->n_rows; row++)
		if (t->cells[told].text[row])
			jr_buf_printf(out, " %s.", t->cells[told].text[row]);
}

/* Whether a row has both values of a point. */
static bool is_drawn(const struct jr_chart *chart, size_t row)
{
	const char *const keys[] = {chart->x, chart->y};
	for (size_t i = 0; i < JR_COUNT_OF(keys); i++) {
		size_t column = keys[i] ? jr_table_column(chart->table, keys[i]) : SIZE_MAX;
		struct jr_value v;
		if (column == SIZE_MAX)
			continue;
		v = jr_value_of_cell(chart->table, column, row);
		if (jr_value_is_null(&v))
			return false;
	}
	return true;
}

static void put_points(struct jr_buf *out, const struct jr_chart *chart)
{
	size_t frame = chart->frame ? jr_table_column(chart->table, chart->frame) : SIZE_MAX;
	const struct rows shown = {frame, true}, apart = {frame, false};
	size_t n = 0, n_apart = 0;
	for (size_t row = 0; row < chart->table->n_rows; row++)
		if (is_drawn(chart, row))
			*(among(chart->table, shown, row) ? &n : &n_apart) += 1;
	put_ranges(out, chart, shown, n);
	if (n_apart == 0)
		return;
	jr_buf_puts(out, ". Outside these ranges: ");
	put_ranges(out, chart, apart, n_apart);
}

static const char *chart_in_words(struct jr_doc *doc, const struct jr_chart *chart)
{
	static const char *const kinds[] = {
		[JR_CHART_SCATTER] = "Scatter plot",
		[JR_CHART_LINE] = "Line chart",
		[JR_CHART_STEP] = "Step chart",
		[JR_CHART_BARS] = "Bar chart",
		[JR_CHART_HISTOGRAM] = "Histogram",
		[JR_CHART_BOX] = "Box plot",
		[JR_CHART_DOTS] = "Dot plot",
		[JR_CHART_INTERVALS] = "Interval",
		[JR_CHART_STACKED] = "Stacked bar chart",
		[JR_CHART_TREND] = "Trend",
		[JR_CHART_LANES] = "Timeline",
		[JR_CHART_CELLS] = "Strip",
		[JR_CHART_HEAT] = "Heat map",
	};
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	size_t x = chart->x ? jr_table_column(chart->table, chart->x) : SIZE_MAX;
	size_t y = chart->y ? jr_table_column(chart->table, chart->y) : SIZE_MAX;
	if (chart->kind == JR_CHART_STACKED && chart->parts && x != SIZE_MAX) {
		put_stacks(&text, chart);
	} else if (chart->kind == JR_CHART_INTERVALS && x != SIZE_MAX && y != SIZE_MAX) {
		put_intervals(&text, chart, y);
	} else if (chart->kind == JR_CHART_BARS && x != SIZE_MAX && y != SIZE_MAX) {
		put_bars(&text, chart, y);
	} else if ((chart->kind == JR_CHART_CELLS || chart->kind == JR_CHART_HEAT) && y != SIZE_MAX) {
		put_cells(&text, chart, y);
	} else {
		jr_buf_printf(&text, "%s of ", kinds[chart->kind]);
		put_points(&text, chart);
		jr_buf_putc(&text, '.');
	}
	return jr_arena_strndup(&doc->arena, text.data ? text.data : "", text.size);
}

struct jr_figure *jr_compose_chart(struct jr_doc *doc, const struct jr_chart *chart)
{
	struct jr_figure *f = JR_ARENA_NEW(&doc->arena, struct jr_figure);
	f->name = chart->name;
	f->title = jr_doc_words(doc, chart->title);
	f->caption = jr_doc_sentence(doc, chart->caption);
	f->chart = chart;
	f->fallback = chart_in_words(doc, chart);
	if (doc->csv)
		f->source = jr_arena_printf(&doc->arena, "data/%s.csv", chart->table->spec->name);
	*jr_vec_add(&doc->figures) = f;
	return f;
}
