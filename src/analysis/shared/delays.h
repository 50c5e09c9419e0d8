/*
 * delays.h - which device holds the others up; computed once.
 * Layer: analysis.
 *
 * Collectives make devices end together, so that the length of a module tells nothing of who is
 * slow: the slow device waits least. Of each collective instance the shortest duration is transfer
 * and the rest waiting, charged to the device that arrived last. By what a device costs the others
 * so, devices have one order: the straggler ledger, the labels of the time ledger, the step view
 * and the finding go by it.
 */
#ifndef JR_ANALYSIS_DELAYS_H
#define JR_ANALYSIS_DELAYS_H

#include "analysis/shared/instances.h"
#include "analysis/shared/steady.h"

struct jr_device_delay {
	int64_t caused_ns; /* what the others waited in collectives at which it arrived last */
	int64_t waited_ns; /* its own durations beyond the shortest of each instance */
	int64_t last;      /* instances at which it arrived last */
	int64_t instances; /* steady instances that it took part in with others */
	double compute_ns; /* sum of its steady compute thunks of top modules, for each execution of
						* the first of them that it runs; NaN: it runs none */
};

struct jr_delays {
	struct jr_device_delay *devices; /* [n_devices] */
	/* [n_devices] by caused_ns, then by compute_ns, both descending, then by device: where
	 * nobody waits for anybody, by what they compute. */
	uint32_t *order;
};

/** In `arena`. O(rows + devices log devices). */
const struct jr_delays *jr_delays_compute(const struct jr_profile *profile,
	const struct jr_steady *steady, const struct jr_instances *instances, struct jr_arena *arena);

/** Why devices[0] stands ahead of devices[1]; both of the order. */
enum jr_delay_reason {
	JR_DELAY_NONE,    /* they are equal */
	JR_DELAY_CAUSED,  /* the others waited longer for it */
	JR_DELAY_COMPUTE, /* it computes longer */
};
enum jr_delay_reason jr_delay_reason(
	const struct jr_delays *delays, uint32_t device, uint32_t next);

#endif
