/*
 * step_rows.h - numbered steps of programs as rows of the profile, recognized by
 * their names.
 * Layer: model, private to loading.
 */
#ifndef JR_MODEL_STEP_ROWS_H
#define JR_MODEL_STEP_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/xprofile/xprofile.h"

/* An operation or execution, with its launch time on the host. */
struct jr_launched {
	int64_t launch_ns, start_ns, end_ns;
	uint32_t thread; /* as of the steps; JR_NONE = not known */
	uint32_t device; /* row of jr_build.devices */
	uint32_t step;   /* out: row of the steps, JR_NONE = launched outside steps */
};

/** Add the ranges of an export that have names of numbered steps. The export's rows are not
 * changed. Its processes must be the last ones added. */
void jr_export_hand_over_steps(const struct jr_export *x, struct jr_profile *profile);

/* --- leading steps ---------------------------------------------------------------------------- */

/**
 * Choose the steps by which executions and operations are counted (struct jr_leading_steps), and
 * number executions by them. Leading steps have one name, agree between processes, do not overlap,
 * and contain the launches of at least half of the work. The heaviest program must run more than
 * once per step; otherwise its executions are the steps. Call after tables are frozen. O((steps +
 * rows) log).
 */
void jr_steps_lead(struct jr_profile *profile, struct jr_arena *scratch);

/**
 * Return whether a range has the name of a numbered step: "step 12", "train_step_3",
 * "ProfilerStep#7", "epoch 1 iteration 12", "1:12", "step 3/100". The word before the number
 * decides: steps, iterations and "train" count; layers, epochs and microbatches do not.
 *
 * @param number  out: number of the step within its epoch
 * @param n_name  out: bytes of the text before its first number, without separators; 0 if it begins
 *                with a number
 */
bool jr_step_name_parse(const char *text, size_t n, int64_t *number, size_t *n_name);

#endif
