/*
 * chart_parts.h - the parts of a stacked chart, the same for every writer that draws or describes
 * them.
 * Layer: report.  Borrows the chart; nothing here fails. `part` is an index into chart->parts.
 * Cost: O(columns of the table) per call.
 */
#ifndef JR_REPORT_CHART_PARTS_H
#define JR_REPORT_CHART_PARTS_H

#include "analysis/core/result.h"
#include "base/buf.h"
#include "render/palette.h"

/** Return the number of parts; 0 if the chart has none. */
size_t jr_chart_n_parts(const struct jr_chart *chart);
/** Return the length of a part in a bar, in the column's base unit. It is 0 if it is null,
 * negative, not finite or has no column, so that parts add up. */
double jr_chart_part(const struct jr_chart *chart, size_t part, size_t row);
/** Return the sum of a bar's parts: its length. */
double jr_chart_parts_sum(const struct jr_chart *chart, size_t row);

/* The bars of a chart that fit. */
struct jr_chart_bars {
	size_t n, *rows; /* rows of the table, in its order */
	size_t n_left;   /* number of bars left out: none of them is longer */
	double left;     /* their sum, in the column's base unit */
	double all;      /* ... and the sum of all bars */
};
/** Choose the `most` longest bars of a chart: by `y` for bars, by the sum of parts for stacks. The
 * first of equal ones wins. In `arena`. O(rows * most). */
struct jr_chart_bars jr_chart_longest(
	const struct jr_chart *chart, size_t most, struct jr_arena *arena);
/** Append `before` and the bars that stacks leave out: "11 shorter bars, 35.58 µs (0.003 %)."
 * Appends nothing if there are none. */
void jr_chart_put_left(struct jr_buf *out, const char *before, const struct jr_chart *chart,
	const struct jr_chart_bars *bars);

/** Return the color of a part: the role that the pass named, else the part-th color of a series. */
enum jr_role jr_chart_part_role(const struct jr_chart *chart, size_t part);

/** Return the color of the part called `name`, or else of the thing with a fixed color and that
 * name; NONE without either. */
enum jr_role jr_chart_named_role(const struct jr_chart *chart, const char *name);

/** Append a value of a column as text for people: "105.8 ms". */
void jr_chart_put_value(struct jr_buf *out, const struct jr_column_spec *spec, double v);

/** Return a row's `y`, which must be a column, as such a text. In `arena`. */
const char *jr_chart_value(const struct jr_chart *chart, size_t row, struct jr_arena *arena);

/** Append the thickness that a band adds to the chart, as text for people: "2.008 GB", or "0 B to
 * 3.81 GB" if it varies; the values if the series has no band. Appends nothing if it has none.
 * O(rows). */
void jr_chart_put_thickness(struct jr_buf *out, const struct jr_chart *chart, const char *series);

/** Return the name of a chart's row: its text, or the column's title and the number, "Device 3". In
 * `arena`, or borrowed from the table. */
const char *jr_chart_row_name(const struct jr_chart *chart, size_t row, struct jr_arena *arena);

#endif
