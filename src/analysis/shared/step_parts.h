/*
 * step_parts.h - what each nanosecond of the steps' windows is spent on; computed once.
 * Layer: analysis.  Definitions: analysis/README.md, section 3.
 *
 * At each instant of a device's window the first kind of time in enum jr_time_part that is there
 * takes it; of several thunks of a kind the one that began first. So a device's parts add up to its
 * window, and the own times of thunks to the parts that thunks have, to the nanosecond.
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
	JR_TIME_INITIALISATION,
	JR_TIME_OTHER_PROGRAM,
	JR_TIME_BETWEEN,
	JR_TIME_N_PARTS
};

struct jr_device_parts {
	int64_t ns[JR_TIME_N_PARTS]; /* of the device's window; 0 where it has none */
	int64_t wall_ns;             /* their sum */
};

/* Own time of a thunk per step, waiting for other devices not included. */
struct jr_op_parts {
	double mean_ns;       /* mean over devices that have a window, each by its own periods */
	double most_ns;       /* of the device where it takes longest */
	uint32_t most_device; /* that device, the first of equal ones; JR_NONE: none ran it */
};

struct jr_step_parts {
	struct jr_device_parts *devices; /* [n_devices] */
	struct jr_op_parts *ops;         /* [n_ops] */
};

/** Compute all of it for these windows in `arena`; needs profile, steady and instances of the
 * context. O(rows log). */
const struct jr_step_parts *jr_step_parts_compute(const struct jr_pass_context *ctx,
	const struct jr_step_windows *windows, struct jr_arena *arena);

/** True of copies between host and device, which are communication, but no collective. */
bool jr_op_copies_host(const struct jr_profile *profile, const struct jr_op *op);

#endif
