/*
 * step_parts.h - breakdown of each nanosecond of the steps' windows; computed once.
 * Layer: analysis.  Definitions: analysis/README.md, section 3.
 *
 * Each instant of a device's window counts as the first kind of enum jr_time_part that is active.
 * Among several thunks of a kind, it counts for the one that began first. So a device's parts add
 * up to its window, and the own times of thunks to the parts of thunks, to the nanosecond.
 */
#ifndef JR_ANALYSIS_STEP_PARTS_H
#define JR_ANALYSIS_STEP_PARTS_H

#include "analysis/core/pass.h"

enum jr_time_part {
	JR_TIME_COMPUTE,
	JR_TIME_TRANSFER,
	JR_TIME_WAITING,
	JR_TIME_COPY,
	JR_TIME_IN_MODULE,
	JR_TIME_WARMUP,
	JR_TIME_OTHER_PROGRAM,
	JR_TIME_BETWEEN,
	JR_TIME_N_PARTS
};

struct jr_device_parts {
	int64_t ns[JR_TIME_N_PARTS]; /* of the device's window; 0 if it has none */
	int64_t wall_ns;             /* their sum */
};

/* Own time of a thunk per step, without waiting for other devices. */
struct jr_op_parts {
	double mean_ns;       /* mean over devices with a window, each divided by its own periods */
	double most_ns;       /* of the device where it takes the longest */
	uint32_t most_device; /* that device, the first among equal ones; JR_NONE: none ran it */
};

struct jr_step_parts {
	struct jr_device_parts *devices; /* [n_devices] */
	struct jr_op_parts *ops;         /* [n_ops] */
};

/** Compute the breakdown for these windows, in `arena`. It needs profile, steady and instances of
 * the context. O(rows log). */
const struct jr_step_parts *jr_step_parts_compute(const struct jr_pass_context *ctx,
	const struct jr_step_windows *windows, struct jr_arena *arena);

/** Return true for copies between host and device. They are communication, but not collectives. */
bool jr_op_copies_host(const struct jr_profile *profile, const struct jr_op *op);

#endif
