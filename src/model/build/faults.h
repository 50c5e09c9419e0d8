/*
 * faults.h - what is checked of a timeline's rows before anything is computed of them: records
 * whose times cannot be, and records that are missing.
 * Layer: model, private to loading.  Definitions: formats/README.md, section 9.
 */
#ifndef JR_MODEL_FAULTS_H
#define JR_MODEL_FAULTS_H

#include "formats/xspace/xspace.h"
#include "model/export/export.h"

/* Columns beside those of rows->gpu that have a value for each of its rows. */
struct jr_beside {
	size_t n;
	uint32_t *const *columns;
};

/**
 * Leave out rows without times and rows far from all others; counted in rows->n_timeless and n_far.
 * @param beside  may be NULL
 * @note O(rows). Only a timeline of more than an hour is looked at row by row for far ones.
 */
void jr_faults_leave_out(struct jr_timeline *rows, const struct jr_beside *beside);

/** Leave out runs of devices that tell of them themselves, if they are far from all others; counted
 * in rows->n_far. O(runs). */
void jr_faults_leave_out_runs(struct jr_timeline *rows, struct jr_xspace_run *runs, size_t *n);

/**
 * Find what is missing or cannot be among the rows that were kept, into export->faults and
 * export->doubts. Ends a record where the next of its stream begins, if it covers that one and
 * others. After jr_export_link() and before anything is computed of times.
 * @return JR_ELIMIT memory
 * @note O(rows).
 */
enum jr_status jr_faults_find(struct jr_export *export, struct jr_error *err) JR_MUST_CHECK;

/** Hand faults and doubts over to the profile: processes and devices become its rows. After
 * jr_export_add_devices(). */
void jr_faults_hand_over(
	struct jr_export *export, struct jr_profile *profile, uint32_t input, uint32_t first_process);

#endif
