/*
 * delays.h - which device delays the other devices; computed once.
 * Layer: analysis.
 *
 * Devices end a collective together, so the length of a module does not show which device is slow.
 * The slow device waits least. Of each collective instance, the shortest duration counts as
 * transfer. The rest is waiting, charged to the device that arrived last. The total cost for the
 * others gives one order of devices. The straggler ledger, the labels of the time breakdown, the
 * step timeline and the finding use it.
 */
#ifndef JR_ANALYSIS_DELAYS_H
#define JR_ANALYSIS_DELAYS_H

#include "analysis/shared/instances.h"
#include "analysis/shared/steady.h"

struct jr_device_delay {
	int64_t caused_ns; /* waiting of the others in collectives at which it arrived last */
	int64_t waited_ns; /* its own durations beyond the shortest of each instance */
	int64_t last;      /* instances at which it arrived last */
	int64_t instances; /* steady instances that it took part in with others */
	double compute_ns; /* sum of its steady compute thunks of top modules, per execution of the
						  first top module that it runs; NaN: it runs none */
};

struct jr_delays {
	bool partial;                    /* devices that are not selected may delay the others more */
	struct jr_device_delay *devices; /* [n_devices] */
	/* [n_devices] by caused_ns, then by compute_ns, both descending, then by device. If no device
	 * waits, compute_ns decides. */
	uint32_t *order;
};

/** Compute the delays, in `arena`. O(rows + devices log devices). */
const struct jr_delays *jr_delays_compute(const struct jr_profile *profile,
	const struct jr_steady *steady, const struct jr_instances *instances, struct jr_arena *arena);

/** Return why device `device` precedes device `next`; both are of the order. */
enum jr_delay_reason {
	JR_DELAY_NONE,    /* they are equal, or `partial` */
	JR_DELAY_CAUSED,  /* the others waited longer for it */
	JR_DELAY_COMPUTE, /* it computes longer */
};
enum jr_delay_reason jr_delay_reason(
	const struct jr_delays *delays, uint32_t device, uint32_t next);

#endif
