/*
 * late_moves.h - a delay that moves from some devices to others.
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_LATE_MOVES_H
#define JR_ANALYSIS_LATE_MOVES_H

#include "analysis/shared/late_set.h"

/* Phases of a profile, each with its late devices; no two of them overlap. */
struct jr_late_moves {
	struct jr_late_parts phases; /* in order of time; n 0: the delay does not move, or in turns */
	struct jr_late_set set;      /* all of these devices; late.mean_ns: sum over the phases */
};

/** Find the phases of devices that are late since a step, or in some steps in a row. In the result
 * arena. O(devices + their lags log) */
struct jr_late_moves jr_late_moves_find(struct jr_pass_context *ctx);

/** Return "The slow host changes from “node017” to “node019” at step 15", or "The slow device
 * changes 2 times": the subject of a title. */
const char *jr_late_moves_subject(struct jr_pass_context *ctx, const struct jr_late_moves *moves);

/** The devices that are the latest of a step, where one is late at all. */
struct jr_late_turns {
	size_t n_steps, n_late; /* steps with known lags; those in which a device is late */
	size_t n_devices;       /* number of different devices */
	uint32_t most;          /* the most frequent one; JR_NONE: none */
	size_t n_most;          /* its steps */
};

/** Count them. O(lags log) */
struct jr_late_turns jr_late_turns_count(struct jr_pass_context *ctx);

#endif
