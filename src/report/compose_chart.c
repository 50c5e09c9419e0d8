/* A chart as a figure: what it shows in words. figure.c draws it. */
#include <math.h>
#include <string.h>

#include "report/compose.h"

static void put_range(struct jr_buf *out, const struct jr_table *table, const char *key,
	const char *title)
{
	size_t c = key ? jr_table_column(table, key) : SIZE_MAX;
	if (c == SIZE_MAX)
		return;
	double low = NAN, high = NAN;
	for (size_t row = 0; row < table->n_rows; row++) {
		double v = jr_table_number(table, c, row);
		if (!(v >= low))
			low = isnan(v) ? low : v;
		if (!(v <= high))
			high = isnan(v) ? high : v;
	}
	if (isnan(low))
		return;
	const struct jr_column_spec *spec = &table->spec->columns[c];
	struct jr_scalar s = {.type = JR_F64, .unit = spec->unit, .plus_minus = NAN};
	jr_buf_printf(out, "; %s from ", title ? title : spec->title);
	s.value.f64 = low;
	jr_value_put_scalar(out, &s);
	jr_buf_puts(out, " to ");
	s.value.f64 = high;
	jr_value_put_scalar(out, &s);
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
		[JR_CHART_STACKED] = "Stacked bar chart",
		[JR_CHART_LANES] = "Timeline",
	};
	struct jr_buf text = {0};
	char n[JR_NUM_MAX];
	jr_num_grouped_i64(n, (int64_t)chart->table->n_rows);
	jr_buf_printf(&text, "%s of %s value%s", kinds[chart->kind], n,
		chart->table->n_rows == 1 ? "" : "s");
	put_range(&text, chart->table, chart->x, chart->x_title);
	put_range(&text, chart->table, chart->y, chart->y_title);
	jr_buf_putc(&text, '.');
	const char *words = jr_arena_strndup(&doc->arena, text.data, text.size);
	jr_buf_done(&text);
	return words;
}

struct jr_figure *jr_compose_chart(struct jr_doc *doc, const struct jr_chart *chart)
{
	struct jr_figure *f = JR_ARENA_NEW(&doc->arena, struct jr_figure);
	f->name = chart->name;
	f->title = chart->title;
	f->caption = jr_doc_sentence(doc, chart->caption);
	f->chart = chart;
	f->fallback = chart_in_words(doc, chart);
	if (doc->csv)
		f->source = jr_arena_printf(&doc->arena, "data/%s.csv", chart->table->spec->name);
	*jr_vec_add(&doc->figures) = f;
	return f;
}
