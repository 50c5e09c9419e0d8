/*
 * faults.h - checks of a timeline's rows before anything is computed from them: impossible times
 * and missing records.
 * Layer: model, private to loading.  Definitions: formats/README.md, section 9.
 */
#ifndef JR_MODEL_FAULTS_H
#define JR_MODEL_FAULTS_H

#include "formats/xspace/xspace.h"
#include "model/export/export.h"

/* Further columns with one value for each row of rows->gpu. */
struct jr_beside {
	size_t n;
	uint32_t *const *columns;
};

/**
 * Drop rows without times and rows far from all others. rows->n_timeless and n_far count them.
 * @param beside  may be NULL
 * @note O(rows). Only timelines longer than an hour are searched row by row for far rows.
 */
void jr_faults_leave_out(struct jr_timeline *rows, const struct jr_beside *beside);

/** Drop device-recorded runs that are far from all others. rows->n_far counts them. O(runs). */
void jr_faults_leave_out_runs(struct jr_timeline *rows, struct jr_xspace_run *runs, size_t *n);

/**
 * Find missing and impossible records among the kept rows; adds to export->faults and
 * export->doubts. A record that covers several later ones of its stream is ended where the next one
 * begins. Call after jr_export_link() and before anything is computed from times.
 * @return JR_ELIMIT memory
 * @note O(rows).
 */
enum jr_status jr_faults_find(struct jr_export *export, struct jr_error *err) JR_MUST_CHECK;

/** Move faults and doubts to the profile, with processes and devices as its rows. Call after
 * jr_export_add_devices(). */
void jr_faults_hand_over(
	struct jr_export *export, struct jr_profile *profile, uint32_t input, uint32_t first_process);

#endif
