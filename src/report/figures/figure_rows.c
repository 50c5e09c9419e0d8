/* Columns of a table as the rows of a plot: bars, boxes, stacks and lanes. */
#include <string.h>

#include "base/intern.h"
#include "report/document/chart_parts.h"
#include "report/figures/figure_impl.h"

/* Legend of bar colors, in order of appearance. */
static void make_bar_legend(struct jr_plotting *c, const struct jr_chart_bars *bars)
{
	size_t n = bars->n;
	struct jr_part *parts = JR_ARENA_N(c->arena, struct jr_part, JR_N_ROLES);
	bool used[JR_N_ROLES] = {[JR_ROLE_NONE] = true}, doubt = false, solid = false;
	for (size_t i = 0; i < n; i++) {
		doubt |= c->plot.categories[i].hollow;
		solid |= !c->plot.categories[i].hollow;
	}
	for (size_t i = 0; i < n; i++) {
		const char *name = jr_plotting_text(c, c->series, bars->rows[i]);
		enum jr_role role = jr_chart_named_role(c->spec, name);
		if (!used[role])
			parts[c->plot.n_parts++] = (struct jr_part){name, role};
		used[role] = true;
	}
	if (doubt && solid)
		parts[c->plot.n_parts++] = (struct jr_part){"within noise", JR_ROLE_MUTED};
	c->plot.n_hollow = !solid ? c->plot.n_parts : doubt;
	c->plot.parts = parts;
}

void jr_plotting_bars(struct jr_plotting *c)
{
	struct jr_chart_bars longest = jr_chart_longest(c->spec, MAX_BARS, c->arena);
	size_t n = longest.n;
	struct jr_category *bars = JR_ARENA_N(c->arena, struct jr_category, n);
	for (size_t i = 0; i < n; i++) {
		size_t row = longest.rows[i];
		bars[i].name = jr_plotting_text(c, c->x, row);
		bars[i].value = jr_plotting_number(c, c->y, row, c->y_scale);
		bars[i].tip = c->label == SIZE_MAX ? NULL : jr_plotting_text(c, c->label, row);
		bars[i].role = jr_chart_named_role(c->spec, jr_plotting_text(c, c->series, row));
		bars[i].hollow = c->hollow != SIZE_MAX && jr_table_number(c->table, c->hollow, row) == 1;
		if (c->spec->kind == JR_CHART_INTERVALS)
			bars[i].value_text = jr_chart_value(c->spec, row, c->arena);
		if (c->low != SIZE_MAX && c->high != SIZE_MAX) {
			bars[i].lo = jr_plotting_number(c, c->low, row, c->y_scale);
			bars[i].hi = jr_plotting_number(c, c->high, row, c->y_scale);
		}
	}
	c->plot.categories = bars;
	c->plot.n_categories = n;
	c->plot.change = jr_plotting_spec(c, c->y)->flags & JR_COL_CHANGE;
	c->plot.band = c->spec->band / c->y_scale;
	if (c->series != SIZE_MAX && c->spec->kind == JR_CHART_BARS)
		make_bar_legend(c, &longest);
	if (n < c->n_rows)
		c->plot.caption = jr_arena_printf(c->arena, "The %zu longest of %zu bars.", n, c->n_rows);
}

void jr_plotting_boxes(struct jr_plotting *c)
{
	struct jr_plotting_groups g = jr_plotting_group(c, c->x, MAX_BARS);
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
		samples[i][boxes[i].n++] = jr_plotting_number(c, c->y, row, c->y_scale);
	}
	c->plot.categories = boxes;
	c->plot.n_categories = g.n;
}

void jr_plotting_stacks(struct jr_plotting *c)
{
	struct jr_chart_bars longest = jr_chart_longest(c->spec, MAX_BARS, c->arena);
	size_t n_parts = jr_chart_n_parts(c->spec), n = longest.n;
	struct jr_part *parts = JR_ARENA_N(c->arena, struct jr_part, n_parts);
	struct jr_category *bars = JR_ARENA_N(c->arena, struct jr_category, n);
	double *values = JR_ARENA_N(c->arena, double, n *n_parts);
	for (size_t k = 0; k < n_parts; k++) {
		size_t col = jr_table_column(c->table, c->spec->parts[k]);
		if (col == SIZE_MAX)
			continue;
		const struct jr_column_spec *spec = &c->table->spec->columns[col];
		if (!c->plot.x.title)
			c->y_scale = jr_plotting_axis(
				&c->plot.x, spec, c->spec->y_title ? c->spec->y_title : "Time", false);
		parts[k].name = spec->title;
		parts[k].role = jr_chart_part_role(c->spec, k);
		for (size_t i = 0; i < n; i++)
			values[i * n_parts + k] = jr_chart_part(c->spec, k, longest.rows[i]) / c->y_scale;
	}
	for (size_t i = 0; i < n; i++)
		bars[i] =
			(struct jr_category){.name = jr_chart_row_name(c->spec, longest.rows[i], c->arena),
				.parts = values + i * n_parts};
	c->plot.categories = bars;
	c->plot.n_categories = n;
	c->plot.parts = parts;
	c->plot.n_parts = n_parts;
	if (longest.n_left)
		c->plot.caption = jr_arena_printf(c->arena, "The %zu longest of %zu bars.", n, c->n_rows);
}

/* --- intervals in lanes --------------------------------------------------------------------- */

/* Legend of the intervals' roles, in the chart's order. */
static void make_lane_legend(struct jr_plotting *c, const bool *used)
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

/* Adjacent lanes with one name become one row; returns the number of rows. */
static size_t pair_lanes(struct jr_plotting *c, struct jr_category *lanes, size_t n)
{
	struct jr_category *beneath = JR_ARENA_N(c->arena, struct jr_category, n);
	size_t rows = 0;
	for (size_t i = 0; i < n; i++) {
		struct jr_category *last = rows ? &lanes[rows - 1] : NULL;
		if (last && !last->beneath && strcmp(last->name, lanes[i].name) == 0) {
			beneath[i] = lanes[i];
			last->beneath = &beneath[i];
		} else {
			lanes[rows++] = lanes[i];
		}
	}
	return rows;
}

void jr_plotting_lanes(struct jr_plotting *c)
{
	bool used[JR_N_ROLES] = {false};
	size_t end = jr_plotting_column(c, c->spec->x_end),
		   lane_begin = jr_plotting_column(c, c->spec->lane_begin),
		   lane_end = jr_plotting_column(c, c->spec->lane_end),
		   inside = jr_plotting_column(c, c->spec->inside),
		   name = jr_plotting_column(c, c->spec->lane_name);
	struct jr_plotting_groups g = jr_plotting_group(c, c->y, MAX_SERIES);
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
		enum jr_role role = c->series == SIZE_MAX
								? JR_ROLE_NONE
								: jr_role_find(jr_plotting_text(c, c->series, row));
		used[role] = true;
		if (name != SIZE_MAX)
			lanes[i].name = jr_plotting_text(c, name, row);
		if (lane_begin != SIZE_MAX && lane_end != SIZE_MAX) {
			lanes[i].lo = jr_plotting_number(c, lane_begin, row, c->x_scale);
			lanes[i].hi = jr_plotting_number(c, lane_end, row, c->x_scale);
		}
		items[i][lanes[i].n_intervals++] =
			(struct jr_interval){.begin = jr_plotting_number(c, c->x, row, c->x_scale),
				.end = jr_plotting_number(c, end == SIZE_MAX ? c->x : end, row, c->x_scale),
				.role = role,
				.label = inside == SIZE_MAX ? NULL : jr_plotting_text(c, inside, row),
				.tip = c->label == SIZE_MAX ? NULL : jr_plotting_text(c, c->label, row)};
	}
	make_lane_legend(c, used);
	c->plot.width = 1120; /* a time axis needs room */
	c->plot.categories = lanes;
	c->plot.n_categories = name == SIZE_MAX ? g.n : pair_lanes(c, lanes, g.n);
}
