#include "report/document/chart_parts.h"

#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "report/core/value.h"

size_t jr_chart_n_parts(const struct jr_chart *chart)
{
	size_t n = 0;
	while (chart->parts && chart->parts[n])
		n++;
	return n;
}

double jr_chart_part(const struct jr_chart *chart, size_t part, size_t row)
{
	size_t c = jr_table_column(chart->table, chart->parts[part]);
	double v = c == SIZE_MAX ? 0 : jr_table_number(chart->table, c, row);
	return v > 0 && v < INFINITY ? v : 0;
}

double jr_chart_parts_sum(const struct jr_chart *chart, size_t row)
{
	double sum = 0;
	for (size_t part = 0; part < jr_chart_n_parts(chart); part++)
		sum += jr_chart_part(chart, part, row);
	return sum;
}

static double bar_length(const struct jr_chart *chart, size_t y, size_t row)
{
	double v = chart->parts    ? jr_chart_parts_sum(chart, row)
			   : y == SIZE_MAX ? 0
							   : fabs(jr_table_number(chart->table, y, row));
	return isnan(v) ? 0 : v;
}

struct jr_chart_bars jr_chart_longest(
	const struct jr_chart *chart, size_t most, struct jr_arena *arena)
{
	size_t n = chart->table->n_rows, y = SIZE_MAX;
	if (chart->y)
		y = jr_table_column(chart->table, chart->y);
	struct jr_chart_bars bars = {.n = n < most ? n : most};
	double *lengths = JR_ARENA_N(arena, double, bars.n + 1);
	bars.rows = JR_ARENA_N(arena, size_t, bars.n + 1);
	size_t n_kept = 0;
	for (size_t row = 0; row < n; row++) {
		double length = bar_length(chart, y, row);
		bars.all += length;
		if (n_kept == bars.n) {
			size_t least = 0; /* the last of the shortest is replaced */
			for (size_t i = 1; i < n_kept; i++)
				least = lengths[i] <= lengths[least] ? i : least;
			if (n_kept == 0 || length <= lengths[least]) {
				bars.left += length;
				continue;
			}
			bars.left += lengths[least];
			n_kept--;
			memmove(lengths + least, lengths + least + 1, (n_kept - least) * sizeof(*lengths));
			memmove(
				bars.rows + least, bars.rows + least + 1, (n_kept - least) * sizeof(*bars.rows));
		}
		lengths[n_kept] = length;
		bars.rows[n_kept++] = row;
	}
	bars.n_left = n - bars.n;
	return bars;
}

void jr_chart_put_left(struct jr_buf *out, const char *before, const struct jr_chart *chart,
	const struct jr_chart_bars *bars)
{
	size_t column = SIZE_MAX;
	for (size_t i = 0; i < jr_chart_n_parts(chart); i++) {
		size_t c = jr_table_column(chart->table, chart->parts[i]);
		column = c == SIZE_MAX ? column : c;
	}
	if (bars->n_left == 0 || bars->left == 0 || column == SIZE_MAX)
		return;
	char number[JR_NUM_MAX];
	jr_num_grouped_i64(number, (int64_t)bars->n_left);
	jr_buf_printf(out, "%s%s shorter bar%s, ", before, number, bars->n_left == 1 ? "" : "s");
	jr_chart_put_value(out, &chart->table->spec->columns[column], bars->left);
	if (bars->all > 0) {
		jr_num_significant(number, 100 * bars->left / bars->all, 3);
		jr_buf_printf(out, " (%s %%)", number);
	}
	jr_buf_putc(out, '.');
}

enum jr_role jr_chart_part_role(const struct jr_chart *chart, size_t part)
{
	enum jr_role role = chart->part_roles ? jr_role_find(chart->part_roles[part]) : JR_ROLE_NONE;
	return role == JR_ROLE_NONE ? jr_role_series((unsigned)part) : role;
}

/* A series with the name of a thing with a fixed color gets that color. */
static enum jr_role role_named(const char *name)
{
	if (!name || !*name)
		return JR_ROLE_NONE;
	static const struct {
		const char *name;
		enum jr_role role;
	} words[] = {{"warm-up", JR_ROLE_MUTED}, {"regression", JR_ROLE_SLOWER},
		{"improvement", JR_ROLE_FASTER}, {"same", JR_ROLE_MUTED}, {"first", JR_ROLE_MUTED},
		{"cannot tell", JR_ROLE_UNKNOWN}, {"drift", JR_ROLE_WARNING}};
	for (size_t i = 0; i < JR_COUNT_OF(words); i++)
		if (strcmp(name, words[i].name) == 0)
			return words[i].role;
	enum jr_role role = jr_role_find(name);
	return role >= JR_ROLE_COMPUTE && role < JR_ROLE_SERIES_1 ? role : JR_ROLE_NONE;
}

enum jr_role jr_chart_named_role(const struct jr_chart *chart, const char *name)
{
	for (size_t i = 0; chart->part_roles && chart->parts && name && chart->parts[i]; i++)
		if (strcmp(chart->parts[i], name) == 0)
			return jr_role_find(chart->part_roles[i]);
	return role_named(name);
}

void jr_chart_put_value(struct jr_buf *out, const struct jr_column_spec *spec, double v)
{
	struct jr_scalar s = {.type = JR_F64,
		.unit = spec->unit,
		.value.f64 = v,
		.plus_minus = NAN,
		.change = spec->flags & JR_COL_CHANGE};
	jr_value_put_scalar(out, &s);
}

const char *jr_chart_value(const struct jr_chart *chart, size_t row, struct jr_arena *arena)
{
	const struct jr_table *t = chart->table;
	size_t y = jr_table_column(t, chart->y);
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	jr_chart_put_value(&text, &t->spec->columns[y], jr_table_number(t, y, row));
	return jr_arena_strndup(arena, text.data, text.size);
}

void jr_chart_put_thickness(struct jr_buf *out, const struct jr_chart *chart, const char *series)
{
	const struct jr_table *t = chart->table;
	size_t y = jr_table_column(t, chart->y), below = SIZE_MAX;
	size_t name = jr_table_column(t, chart->series);
	double low = INFINITY, high = -INFINITY;
	if (chart->y_low)
		below = jr_table_column(t, chart->y_low);
	for (size_t row = 0; row < t->n_rows; row++) {
		if (!t->cells[name].text[row] || strcmp(t->cells[name].text[row], series) != 0)
			continue;
		double v = jr_table_number(t, y, row);
		double from = below == SIZE_MAX ? NAN : jr_table_number(t, below, row);
		v -= isnan(from) ? 0 : from;
		low = v < low ? v : low;
		high = v > high ? v : high;
	}
	if (!(low <= high))
		return;
	if (low < high) {
		jr_chart_put_value(out, &t->spec->columns[y], low);
		jr_buf_puts(out, " to ");
	}
	jr_chart_put_value(out, &t->spec->columns[y], high);
}

const char *jr_chart_row_name(const struct jr_chart *chart, size_t row, struct jr_arena *arena)
{
	const struct jr_table *t = chart->table;
	size_t column = chart->x ? jr_table_column(t, chart->x) : SIZE_MAX;
	if (column == SIZE_MAX)
		return "";
	struct jr_value v = jr_value_of_cell(t, column, row);
	if (v.type == JR_TEXT && v.as.text)
		return v.as.text;
	JR_CLEANUP(jr_buf_done) struct jr_buf number = {0};
	jr_value_put_data(&number, &v);
	return jr_arena_printf(
		arena, "%s %s", t->spec->columns[column].title, number.size ? number.data : "–");
}
