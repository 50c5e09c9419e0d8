/* Columns of a table that a figure uses. */
#include "report/figures/figure_impl.h"

#include <math.h>

#include "base/intern.h"

size_t jr_plotting_column(const struct jr_plotting *c, const char *key)
{
	return key ? jr_table_column(c->table, key) : SIZE_MAX;
}

const struct jr_column_spec *jr_plotting_spec(const struct jr_plotting *c, size_t col)
{
	return col == SIZE_MAX ? NULL : &c->table->spec->columns[col];
}

/* Set the format of a column on an axis; returns the divisor for its values. */
double jr_plotting_axis(
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
	case JR_UNIT_S: axis->format = JR_FORMAT_TIME_NS; return 1;
	case JR_UNIT_BYTES: axis->format = JR_FORMAT_BYTES; return 1;
	case JR_UNIT_FRAC:
	case JR_UNIT_PERCENT:
	case JR_UNIT_POINTS: axis->format = JR_FORMAT_PERCENT; return 1;
	case JR_UNIT_BYTES_S: axis->unit = "GB/s"; return 1e9;
	case JR_UNIT_HZ: axis->unit = "GHz"; return 1e9;
	case JR_UNIT_COUNT:
		axis->format = spec->type == JR_I64 ? JR_FORMAT_COUNT : JR_FORMAT_NUMBER;
		return 1;
	case JR_UNIT_NONE: break;
	}
	return 1;
}

/* Text of a cell for labels: the text itself, or the number as text for people. */
const char *jr_plotting_text(struct jr_plotting *c, size_t col, size_t row)
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

double jr_plotting_number(const struct jr_plotting *c, size_t col, size_t row, double scale)
{
	return jr_table_number(c->table, col, row) / scale;
}

/* False if a value is missing, so that a group of such rows gets no legend. Trends share one legend
 * with all marks, even if one of them lacks a value. */
static bool can_be_drawn(const struct jr_plotting *c, size_t row)
{
	if (c->spec->kind != JR_CHART_LANES && c->spec->kind != JR_CHART_TREND &&
		isnan(jr_table_number(c->table, c->y, row)))
		return false;
	return c->spec->kind == JR_CHART_BOX || c->spec->kind == JR_CHART_DOTS ||
		   !isnan(jr_table_number(c->table, c->x, row));
}

/* Groups in order of first appearance; texts are interned, so hash order has no effect. */
struct jr_plotting_groups jr_plotting_group(struct jr_plotting *c, size_t col, size_t most)
{
	struct jr_plotting_groups g = {0};
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
		const char *text = jr_plotting_text(c, col, row);
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
