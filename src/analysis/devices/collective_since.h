/*
 * collective_since.h - finds collectives that become slower at a step and stay so.
 * Layer: analysis.  Definition: analysis/README.md, section 10.
 */
#ifndef JR_ANALYSIS_COLLECTIVE_SINCE_H
#define JR_ANALYSIS_COLLECTIVE_SINCE_H

#include "analysis/core/pass.h"
#include "analysis/shared/lateness.h"

/* A collective before and since the step at which it became slower. */
struct jr_slower_since {
	struct jr_late late;        /* when is JR_LATE_SINCE; else the rest is unset */
	double before_ns, since_ns; /* mean duration of the transfer per step */
	double saved_ns;            /* beyond before_ns, over all instances and devices */
	double scale;               /* factor of its transfer time without the excess */
};

/**
 * Compare the transfers of each op with its own in the fastest steps. It is slower since a step if
 * it takes at least twice as long in at least 90 % of the steps from there on, and in at most 10 %
 * before (lateness.h). In a step with several groups of devices, the slowest counts.
 *
 * @return [n_ops], in the scratch arena
 * @note O(instances + steps of ops)
 */
const struct jr_slower_since *jr_collectives_since(const struct jr_pass_context *ctx);

#endif
