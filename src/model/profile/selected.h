/*
 * selected.h - what a selection left of a profile. Definitions: analysis/README.md, section 18.
 * Layer: model.  Owner: the profile that contains it. Written by select.c only.
 */
#ifndef JR_MODEL_SELECTED_H
#define JR_MODEL_SELECTED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/spans.h"

/* The rows of one collective (of one group and execution) that are not selected. Times are on the
 * common clock, ns since origin_ns. */
struct jr_elsewhere {
	uint32_t n;                        /* devices */
	double first_ns, late_ns, last_ns; /* first and last start, last end */
	int64_t shortest_ns;               /* duration */
	int64_t least_exposed_ns, most_exposed_ns;
};

/* What a selection left of the profile (analysis/README.md, section 18). */
struct jr_selected {
	bool any;         /* false: the tables contain the whole profile, and the rest is unset */
	const char *text; /* "devices 0 and 3 of 4, steps 10 to 20 (11 of 40); 22 of 160 module
						 executions" */
	double zero_ns;   /* jr_profile_zero_ns() of the whole profile */
	/* rows of the whole profile */
	size_t n_devices, n_modules, n_thunks, n_gpu_ops, n_calls;
	bool any_kernel, any_communication;
	/* Collectives with devices that are not selected: [thunks.n] row, JR_NONE = complete. */
	size_t n_elsewhere;
	struct jr_elsewhere *elsewhere;
	uint32_t *thunk_elsewhere;
	struct jr_spans *left_out; /* [n_devices] when only work ran that is not selected */
};

/** Return in how much of [start, end) of a device only work ran that was not selected, in ns.
 * O(log spans). */
static inline int64_t jr_left_out_ns(
	const struct jr_selected *s, size_t device, int64_t start_ns, int64_t end_ns)
{
	return s->any ? jr_spans_within(&s->left_out[device], start_ns, end_ns) : 0;
}

#endif
