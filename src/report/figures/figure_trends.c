/* Draw columns of a table as trends, one below the other. */
#include "report/figures/figure.h"

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
