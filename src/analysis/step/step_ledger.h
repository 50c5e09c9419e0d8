/*
 * step_ledger.h - the parts of one step, from the table `step_ledger`.
 * Layer: analysis.  The functions take any table with its column keys: that of the pass, or one
 * that a comparison reads from an earlier report.
 */
#ifndef JR_ANALYSIS_STEP_LEDGER_H
#define JR_ANALYSIS_STEP_LEDGER_H

#include "analysis/shared/instances.h"
#include "analysis/core/pass.h"
#include "analysis/core/result.h"

/* Parts of a step, in the order of the table's columns. Each instant counts for the first part that
 * is active. */
enum jr_step_column {
	JR_STEP_COMPUTE,
	JR_STEP_COMMUNICATION,
	JR_STEP_COPY,
	JR_STEP_IDLE_IN,
	JR_STEP_IDLE_BETWEEN,
	JR_STEP_OTHER,
	JR_STEP_WARMUP,
	JR_STEP_N_PARTS
};

/** Column keys of the parts, NULL after the last; and the color role of each, likewise. */
extern const char *const jr_step_part_keys[JR_STEP_N_PARTS + 1];
extern const char *const jr_step_part_roles[JR_STEP_N_PARTS + 1];
/* The same for charts, with exposed communication split into transfer and waiting for other
 * devices. */
extern const char *const jr_step_split_keys[JR_STEP_N_PARTS + 2];
extern const char *const jr_step_split_roles[JR_STEP_N_PARTS + 2];

/** Return true if waiting for other devices is known separately from transfer, because some
 * collective was recorded on several devices. */
bool jr_step_waiting_known(const struct jr_instances *instances);

/** Find the programs that make up one step, by their steady time: the step's program, and all top
 * programs that run about as often on its devices. [n_top] rows of programs; return their
 * number. */
size_t jr_step_programs(const struct jr_pass_context *ctx, uint32_t *programs);
/** Return the step's label in charts, in `ctx->arena`: its program, the name of numbered steps, or
 * "cycle of 10 programs". */
const char *jr_step_label(const struct jr_pass_context *ctx);

/** Return the step of the first page: table `step_ledger`, or, if periods are uneven, the table of
 * the median step. NULL: no step. */
const struct jr_table *jr_step_shown(const struct jr_results *results);

/** Return the ns of a part of the step; 0 if the cell is null, NaN if the table is NULL or has no
 * row. */
double jr_step_part_ns(const struct jr_table *step, enum jr_step_column part);
/** Return the ns of any column, likewise. */
double jr_step_column_ns(const struct jr_table *step, const char *key);
/** Return the sum of all parts: the period, or the length of a single step. NaN as above. */
double jr_step_parts_ns(const struct jr_table *step);
/** Return the share of the parts' sum in which the device is not idle. NaN as above. */
double jr_step_busy_frac(const struct jr_table *step);

#endif
