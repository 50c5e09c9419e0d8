/*
 * roofline_tables.h - the tables of the section on rooflines.
 * Layer: analysis.  All in the result arena; columns and definitions are with each.
 */
#ifndef JR_ANALYSIS_ROOFLINE_TABLES_H
#define JR_ANALYSIS_ROOFLINE_TABLES_H

#include "analysis/roofline/roofline.h"

/** One row: the device whose figures are taken; no rows where none ran. For JSON. */
struct jr_table *jr_roofline_device_table(
	const struct jr_pass_context *ctx, const struct jr_roofline *r);
/** What it can do, a row a unit that it has; no rows without a roof. */
struct jr_table *jr_roofline_peaks_table(
	const struct jr_pass_context *ctx, const struct jr_roofline *r);
/** What a step reaches on each kind of device, a row a model. */
struct jr_table *jr_roofline_models_table(
	const struct jr_pass_context *ctx, const struct jr_roofline *r);
/** What an execution of each top module needs. */
struct jr_table *jr_roofline_programs_table(
	const struct jr_pass_context *ctx, const struct jr_roofline *r);
/** Distinct thunks of top modules, most lost first. */
struct jr_table *jr_roofline_thunks_table(
	const struct jr_pass_context *ctx, const struct jr_roofline *r);
/** Those of them that are points of the figure, in that order; and the active time of the others.
 *
 * @param thunks  what jr_roofline_thunks_table() made */
struct jr_table *jr_roofline_points_table(const struct jr_pass_context *ctx,
	const struct jr_roofline *r, const struct jr_table *thunks, int64_t *other_ns);
/** The same by class, and by kind. */
struct jr_table *jr_roofline_classes_table(
	const struct jr_pass_context *ctx, const struct jr_roofline *r);
struct jr_table *jr_roofline_kinds_table(
	const struct jr_pass_context *ctx, const struct jr_roofline *r);
/** Opcodes and targets that are not counted, by time. */
struct jr_table *jr_roofline_unknown_table(
	const struct jr_pass_context *ctx, const struct jr_roofline *r);
/** Points of the lines above a scatter plot of the thunks: the memory's slope and a roof for each
 * class of matrix products that there is, or for vectors where there is none. NULL: no roof. */
struct jr_table *jr_roofline_lines_table(
	const struct jr_pass_context *ctx, const struct jr_roofline *r, const struct jr_table *points);

#endif
