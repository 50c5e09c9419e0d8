/*
 * figure_impl.h - what the parts of figure_*.c that make a plot of columns share.
 * Layer: report, private to figure_*.c.
 */
#ifndef JR_REPORT_FIGURE_IMPL_H
#define JR_REPORT_FIGURE_IMPL_H

#include "analysis/core/result.h"
#include "render/plot.h"
#include "report/core/value.h"

#define MAX_BARS 30 /* bars of one chart; the table has all rows */
#define MAX_SERIES 64

/* A plot in the making. Everything made for it is in the arena. */
struct jr_plotting {
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

/* Rows by equal text. */
struct jr_plotting_groups {
	size_t n;
	const char **names;
	uint32_t *of_row; /* [n_rows], JR_NONE = not drawn */
	size_t *sizes;
};

/** Index of a column of the chart's table; SIZE_MAX: NULL, or no column. */
size_t jr_plotting_column(const struct jr_plotting *c, const char *key);
/** NULL for SIZE_MAX. */
const struct jr_column_spec *jr_plotting_spec(const struct jr_plotting *c, size_t col);
/** How values of a column read on an axis; returns what they are to be divided by first. */
double jr_plotting_axis(
	struct jr_axis *axis, const struct jr_column_spec *spec, const char *title, bool log);
/** As people read it; "" for SIZE_MAX. */
const char *jr_plotting_text(struct jr_plotting *c, size_t col, size_t row);
double jr_plotting_number(const struct jr_plotting *c, size_t col, size_t row, double scale);
/** Groups in order of first appearance, those beyond `most` in one. O(rows). */
struct jr_plotting_groups jr_plotting_group(struct jr_plotting *c, size_t col, size_t most);

void jr_plotting_bars(struct jr_plotting *c);   /* BARS, INTERVALS */
void jr_plotting_boxes(struct jr_plotting *c);  /* BOX, DOTS */
void jr_plotting_stacks(struct jr_plotting *c); /* STACKED */
void jr_plotting_lanes(struct jr_plotting *c);  /* LANES */

#endif
