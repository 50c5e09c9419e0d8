/*
 * step_rows.h - steps that programs number, as rows of the profile.
 * Layer: model, private to loading.
 */
#ifndef JR_MODEL_STEP_ROWS_H
#define JR_MODEL_STEP_ROWS_H

#include "model/xprofile/xprofile.h"

/* An operation or execution, with the host's time at which it was launched. */
struct jr_launched {
	int64_t launch_ns, start_ns, end_ns;
	uint32_t device; /* any number that tells devices of one process apart */
	uint32_t step;   /* out: row of the steps, JR_NONE = launched in none */
};

/**
 * Add the steps of one process, and what each device did that was launched in them. Sorts both.
 *
 * @param steps  process, name, thread, number, start and end are set
 * @note O(n log n)
 */
void jr_step_rows_add(struct jr_profile *profile, struct jr_numbered_step *steps, size_t n_steps,
	struct jr_launched *launched, size_t n_launched);

/** Add ranges of an export that are called as numbered steps are. The export's rows are untouched;
 * its processes have been added last. */
void jr_export_hand_over_steps(const struct jr_export *x, struct jr_profile *profile);

/* --- steps that lead -------------------------------------------------------------------------- */

/**
 * Choose the steps that executions and operations are counted by (struct jr_leading_steps), and
 * number executions by them: steps of one name that all processes take alike, one after the other,
 * around nearly all that runs, and in which the heaviest program does not run just once; where it
 * does, its executions are the steps. Once tables are frozen. O((steps + rows) log).
 */
void jr_steps_lead(struct jr_profile *profile, struct jr_arena *scratch);

#endif
