/* Draw a table as a heat map or as a strip of cells, one cell per row. */
#include <inttypes.h>

#include "report/figures/figure.h"

static const char *text_of(const struct jr_table *table, const char *key, size_t row)
{
	size_t column = key ? jr_table_column(table, key) : SIZE_MAX;
	return column == SIZE_MAX ? NULL : table->cells[column].text[row];
}

/* Each line of cells has the same columns, in ascending order. */
static size_t count_columns(const struct jr_table *t, size_t x)
{
	size_t n = t->n_rows ? 1 : 0;
	while (n < t->n_rows && t->cells[x].i64[n] > t->cells[x].i64[n - 1])
		n++;
	return n;
}

/* The note of a row is in the cell in which its lateness begins. */
static struct jr_heat_row row_of(const struct jr_chart *chart, size_t first, size_t n_columns)
{
	const struct jr_table *t = chart->table;
	size_t frame = chart->frame ? jr_table_column(t, chart->frame) : SIZE_MAX;
	struct jr_heat_row row = {.name = text_of(t, chart->series, first),
		.group = text_of(t, chart->lane_name, first),
		.outlined_from = SIZE_MAX};
	for (size_t c = 0; c < n_columns; c++) {
		const char *note = text_of(t, chart->marked, first + c);
		row.note = note ? note : row.note;
		if (frame != SIZE_MAX && jr_table_number(t, frame, first + c) == 1)
			row.outlined_from = c;
	}
	return row;
}

void jr_draw_heat(
	const struct jr_chart *chart, double width, struct jr_metrics *metrics, struct jr_scene *scene)
{
	const struct jr_table *t = chart->table;
	size_t x = jr_table_column(t, chart->x), end = jr_table_column(t, chart->x_end);
	size_t y = jr_table_column(t, chart->y);
	struct jr_arena arena;
	jr_arena_init(&arena, 0);
	size_t n_columns = count_columns(t, x), n_rows = n_columns ? t->n_rows / n_columns : 0;
	struct jr_heat_column *columns = JR_ARENA_N(&arena, struct jr_heat_column, n_columns + 1);
	struct jr_heat_row *rows = JR_ARENA_N(&arena, struct jr_heat_row, n_rows + 1);
	for (size_t c = 0; c < n_columns; c++)
		columns[c] = (struct jr_heat_column){t->cells[x].i64[c], t->cells[end].i64[c]};
	for (size_t i = 0; i < n_rows; i++)
		rows[i] = row_of(chart, i * n_columns, n_columns);
	const struct jr_heat heat = {.n_rows = n_rows,
		.n_columns = n_columns,
		.rows = rows,
		.columns = columns,
		.values = t->cells[y].f64,
		.band = chart->band,
		.row_title = chart->y_title};
	const struct jr_part color = {.role = jr_role_find(chart->part_roles[0])};
	struct jr_plot plot = {.kind = JR_PLOT_HEAT,
		.id = chart->name,
		.title = chart->title,
		.bare = true,
		.width = width,
		.x = {.title = chart->x_title},
		.y = {.title = t->spec->columns[y].title, .format = JR_FORMAT_TIME_NS},
		.heat = &heat,
		.parts = &color,
		.n_parts = 1};
	jr_plot_scene(&plot, metrics, scene);
	jr_arena_done(&arena);
}

void jr_draw_cells(
	const struct jr_chart *chart, double width, struct jr_metrics *metrics, struct jr_scene *scene)
{
	const struct jr_table *t = chart->table;
	size_t x = jr_table_column(t, chart->x), y = jr_table_column(t, chart->y);
	struct jr_arena arena;
	jr_arena_init(&arena, 0);
	struct jr_cell *cells = JR_ARENA_N(&arena, struct jr_cell, t->n_rows);
	for (size_t row = 0; row < t->n_rows; row++)
		cells[row] = (struct jr_cell){.value = jr_table_number(t, y, row),
			.name = jr_arena_printf(&arena, "%" PRId64, t->cells[x].i64[row]),
			.group = text_of(t, chart->series, row),
			.label = text_of(t, chart->marked, row),
			.tip = text_of(t, chart->label, row)};
	const struct jr_part color = {.role = jr_role_find(chart->part_roles[0])};
	struct jr_plot plot = {.kind = JR_PLOT_CELLS,
		.id = chart->name,
		.title = chart->title,
		.bare = true,
		.width = width,
		.x = {.title = "device"},
		.y = {.title = chart->y_title, .format = JR_FORMAT_TIME_NS},
		.cells = cells,
		.n_cells = t->n_rows,
		.parts = &color,
		.n_parts = 1};
	jr_plot_scene(&plot, metrics, scene);
	jr_arena_done(&arena);
}
