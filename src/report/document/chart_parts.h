/*
 * chart_parts.h - the parts of a stacked chart, the same for every writer that draws or tells them.
 * Layer: report.  Borrows the chart; nothing here fails. `part` is an index into
 * chart->parts. Cost: O(columns of the table) a call.
 */
#ifndef JR_REPORT_CHART_PARTS_H
#define JR_REPORT_CHART_PARTS_H

#include "analysis/core/result.h"
#include "base/buf.h"
#include "render/palette.h"

/** How many parts there are; 0 where the chart has none. */
size_t jr_chart_n_parts(const struct jr_chart *chart);
/** What a part is in a bar, in the column's base unit; 0 where it is null, negative, not finite or
 * has no column, so that parts add up. */
double jr_chart_part(const struct jr_chart *chart, size_t part, size_t row);
/** Sum of a bar's parts: its length. */
double jr_chart_parts_sum(const struct jr_chart *chart, size_t row);

/* The bars of a chart that there is room for. */
struct jr_chart_bars {
	size_t n, *rows; /* rows of the table, in its order */
	size_t n_left;   /* those that are left out: none of them is longer */
	double left;     /* what they are together, in the column's base unit */
	double all;      /* ... and all bars */
};
/** Choose the `most` longest bars of a chart of bars, by `y`, or of stacks, by the sum of parts; of
 * equal ones the first. In `arena`. O(rows * most). */
struct jr_chart_bars jr_chart_longest(
	const struct jr_chart *chart, size_t most, struct jr_arena *arena);
/** Append what stacks leave out, behind `before`: "11 shorter bars, 35.58 µs (0.003 %)." Nothing
 * where all are there. */
void jr_chart_put_left(struct jr_buf *out, const char *before, const struct jr_chart *chart,
	const struct jr_chart_bars *bars);

/** The colour of a part: the role that the pass named, else that of the part-th of like things. */
enum jr_role jr_chart_part_role(const struct jr_chart *chart, size_t part);

/** The colour of the part called `name`, or else of the thing with a colour of its own that it is
 * named after; NONE where neither is. */
enum jr_role jr_chart_named_role(const struct jr_chart *chart, const char *name);

/** Append a value of a column as people read it: "105.8 ms". */
void jr_chart_put_value(struct jr_buf *out, const struct jr_column_spec *spec, double v);

/** The same of a row's `y`, which has to be a column. In `arena`. */
const char *jr_chart_value(const struct jr_chart *chart, size_t row, struct jr_arena *arena);

/** What a series with a band adds, as people read it: "2.008 GB", where it changes "0 B to 3.81
 * GB"; without a band its values. Appends; nothing where it has none. O(rows). */
void jr_chart_put_thickness(struct jr_buf *out, const struct jr_chart *chart, const char *series);

/** What the row of a chart is of: its text, or "Device 3", the column's title and the number. In
 * `arena`, or borrowed from the table. */
const char *jr_chart_row_name(const struct jr_chart *chart, size_t row, struct jr_arena *arena);

#endif
