/*
 * step_ledger.h - the parts of one step, as the table `step_ledger` has them.
 * Layer: analysis.  The functions take any table with its column keys: that of the pass, and the
 * one that a comparison reads from an earlier report.
 */
#ifndef JR_ANALYSIS_STEP_LEDGER_H
#define JR_ANALYSIS_STEP_LEDGER_H

#include "analysis/shared/instances.h"
#include "analysis/core/pass.h"
#include "analysis/core/result.h"

/* Parts of a step, in the order of the table's columns; what runs at an instant is the first of
 * them that does. */
enum jr_step_column {
	JR_STEP_COMPUTE,
	JR_STEP_COMMUNICATION,
	JR_STEP_COPY,
	JR_STEP_IDLE_IN,
	JR_STEP_IDLE_BETWEEN,
	JR_STEP_OTHER,
	JR_STEP_INITIALISATION,
	JR_STEP_N_PARTS
};

/** Column keys of the parts, NULL behind the last; and the colour role of each, likewise. */
extern const char *const jr_step_part_keys[JR_STEP_N_PARTS + 1];
extern const char *const jr_step_part_roles[JR_STEP_N_PARTS + 1];
/* The same for charts, with exposed communication in its two parts: transfer, and waiting for other
 * devices. */
extern const char *const jr_step_split_keys[JR_STEP_N_PARTS + 2];
extern const char *const jr_step_split_roles[JR_STEP_N_PARTS + 2];

/** True where waiting for other devices is known apart from transfer: some collective was recorded
 * on several devices. */
bool jr_step_waiting_known(const struct jr_instances *instances);

/** The programs that one step consists of, by their steady time: the step's program, and all top
 * programs that run about as often on its devices. [n_top] rows of programs; returns how many. */
size_t jr_step_programs(const struct jr_pass_context *ctx, uint32_t *programs);
/** What charts call the step, in `ctx->arena`: its program, the name of numbered steps, or "cycle
 * of 10 programs". */
const char *jr_step_label(const struct jr_pass_context *ctx);

/** The step that the first page shows: table `step_ledger`, or of uneven periods that of the median
 * step. NULL: no step. */
const struct jr_table *jr_step_shown(const struct jr_results *results);

/** ns of a part of the step; 0 where the cell is null, NaN where the table is NULL or has no row.
 */
double jr_step_part_ns(const struct jr_table *step, enum jr_step_column part);
/** The same of any column. */
double jr_step_column_ns(const struct jr_table *step, const char *key);
/** Sum of all parts: the period; of a single step its own length. NaN as above. */
double jr_step_parts_ns(const struct jr_table *step);
/** Share of the parts' sum in which the device is not idle. NaN as above. */
double jr_step_busy_frac(const struct jr_table *step);

#endif
