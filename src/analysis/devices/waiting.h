/*
 * waiting.h - for which device the others wait.
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_WAITING_H
#define JR_ANALYSIS_WAITING_H

#include "analysis/core/pass.h"

/* Exposed waiting of devices for each other in collectives of top modules, over all steady steps,
 * in ns. */
struct jr_waiting {
	double *for_ns;   /* [n_devices] waiting of all others for it */
	double *alone_ns; /* [n_devices] part of for_ns for which it alone is late */
	double *waiters;  /* [n_devices] number of other devices in collectives at which it is last */
	double others_ns; /* waiting for devices that are not selected */
	double sum_ns;    /* sum of for_ns and others_ns */
};

/** Charge the waiting of each thunk to the device that arrived last. In the scratch arena.
 * O(instances * devices) */
struct jr_waiting jr_waiting_measure(struct jr_pass_context *ctx);

#endif
