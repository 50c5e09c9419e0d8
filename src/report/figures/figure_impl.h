/*
 * figure_impl.h - declarations shared by the files that make a plot from columns.
 * Layer: report, private to figure_*.c.
 */
#ifndef JR_REPORT_FIGURE_IMPL_H
#define JR_REPORT_FIGURE_IMPL_H

#include "analysis/core/result.h"
#include "render/plot.h"
#include "report/core/value.h"

#define MAX_BARS 30 /* bars of one chart; the table has all rows */
#define MAX_SERIES 64

/* A plot under construction. Everything in it is in the arena. */
struct jr_plotting {
	const struct jr_chart *spec;
	const struct jr_table *table;
	struct jr_arena *arena;
	struct jr_plot plot;
	/* columns, SIZE_MAX = none */
	size_t x, y, series, label, marked, frame, low, high, weight, hollow;
	double x_scale, y_scale;
	size_t n_rows;
	struct jr_value_format *formats; /* [n_columns], suffix NULL = not computed yet */
};

/* Rows grouped by equal text. */
struct jr_plotting_groups {
	size_t n;
	const char **names;
	uint32_t *of_row; /* [n_rows], JR_NONE = not drawn */
	size_t *sizes;
};

/** Return the index of a column of the chart's table; SIZE_MAX for NULL or an unknown key. */
size_t jr_plotting_column(const struct jr_plotting *c, const char *key);
/** Return the column's spec; NULL for SIZE_MAX. */
const struct jr_column_spec *jr_plotting_spec(const struct jr_plotting *c, size_t col);
/** Set the format of a column on an axis; return the divisor for its values. */
double jr_plotting_axis(
	struct jr_axis *axis, const struct jr_column_spec *spec, const char *title, bool log);
/** Return the text of a cell for people; "" for SIZE_MAX. */
const char *jr_plotting_text(struct jr_plotting *c, size_t col, size_t row);
double jr_plotting_number(const struct jr_plotting *c, size_t col, size_t row, double scale);
/** Group rows in order of first appearance; groups after the first `most` are merged. O(rows). */
struct jr_plotting_groups jr_plotting_group(struct jr_plotting *c, size_t col, size_t most);

void jr_plotting_bars(struct jr_plotting *c);   /* BARS, INTERVALS */
void jr_plotting_boxes(struct jr_plotting *c);  /* BOX, DOTS */
void jr_plotting_stacks(struct jr_plotting *c); /* STACKED */
void jr_plotting_lanes(struct jr_plotting *c);  /* LANES */

#endif
