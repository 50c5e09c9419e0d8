/* Draw a table as a strip of cells, one per row. */
#include "report/figures/figure.h"

#include <inttypes.h>

static const char *text_of(const struct jr_table *table, const char *key, size_t row)
{
	size_t column = key ? jr_table_column(table, key) : SIZE_MAX;
	return column == SIZE_MAX ? NULL : table->cells[column].text[row];
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
