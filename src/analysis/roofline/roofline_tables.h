/*
 * roofline_tables.h - the tables of the roofline section.
 * Layer: analysis.  All in the result arena; columns and definitions are next to each table.
 */
#ifndef JR_ANALYSIS_ROOFLINE_TABLES_H
#define JR_ANALYSIS_ROOFLINE_TABLES_H

#include "analysis/roofline/roofline.h"

/** Build one row: the reference device; no rows if none ran. For JSON. */
struct jr_table *jr_roofline_device_table(
	const struct jr_pass_context *ctx, const struct jr_roofline *r);
/** List the device's peaks, one row per unit that it has; no rows without a roofline. */
struct jr_table *jr_roofline_peaks_table(
	const struct jr_pass_context *ctx, const struct jr_roofline *r);
/** List what a step achieves on each device model, one row per model. */
struct jr_table *jr_roofline_models_table(
	const struct jr_pass_context *ctx, const struct jr_roofline *r);
/** List the work per execution of each top module. */
struct jr_table *jr_roofline_programs_table(
	const struct jr_pass_context *ctx, const struct jr_roofline *r);
/** List the distinct thunks of top modules, by time above roofline, descending. */
struct jr_table *jr_roofline_thunks_table(
	const struct jr_pass_context *ctx, const struct jr_roofline *r);
/** List the thunks that are points of the chart, in the same order; also return the active time of
 * the others.
 *
 * @param thunks  result of jr_roofline_thunks_table() */
struct jr_table *jr_roofline_points_table(const struct jr_pass_context *ctx,
	const struct jr_roofline *r, const struct jr_table *thunks, int64_t *other_ns);
/** Sum the thunks by class, and by kind. */
struct jr_table *jr_roofline_classes_table(
	const struct jr_pass_context *ctx, const struct jr_roofline *r);
struct jr_table *jr_roofline_kinds_table(
	const struct jr_pass_context *ctx, const struct jr_roofline *r);
/** List the opcodes and targets that are not counted, by time. */
struct jr_table *jr_roofline_unknown_table(
	const struct jr_pass_context *ctx, const struct jr_roofline *r);
/** List the points of the lines over a scatter plot of the thunks: the memory slope and a roofline
 * for each class of matrix products and for vectors, if the program has such work and the peak is
 * known; else the memory slope alone. NULL: no roofline. */
struct jr_table *jr_roofline_lines_table(
	const struct jr_pass_context *ctx, const struct jr_roofline *r, const struct jr_table *points);

#endif
