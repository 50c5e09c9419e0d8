/*
 * instances.h - communication thunks grouped over devices.
 * Layer: analysis.  Definitions: analysis/README.md, sections 4.6 and 6.
 */
#ifndef JR_ANALYSIS_INSTANCES_H
#define JR_ANALYSIS_INSTANCES_H

#include "model/profile/profile.h"

/* One instance: what the devices did together. Times of devices are compared after alignment. */
struct jr_instance {
	uint32_t op, program_execution, thunk_execution;
	uint32_t group;         /* of devices, see jr_op.device_group; 0 where they are one */
	uint32_t n;             /* devices seen */
	bool together;          /* seen on several devices, which needed one another; false for host
							   copies, which each device makes for itself */
	const uint32_t *thunks; /* [n] rows of profile->thunks, by device */
	int64_t shortest_ns;    /* duration of the last to arrive: the transfer itself */
	double wait_ns;         /* last end - first start - shortest duration; 0 unless together */
	int64_t module_wait_ns; /* max - min over devices of exposed time (the wait of a module), which
							   sums up over an execution of the module; 0 unless together. Groups do
							   theirs side by side: the longest counts, the others have 0 */
	double bus_bytes_s, algorithm_bytes_s; /* NaN where unknown; the largest over devices */
};

/* Steady instances of all programs, by (program, program_execution, first start, name,
 * thunk_execution, group). */
struct jr_instances {
	size_t n;
	struct jr_instance *items;
	/* [thunks.n] how long a thunk waited: its duration beyond the shortest of its instance, since
	 * devices end a collective together; 0 where they were not together. */
	int64_t *thunk_wait_ns;
};

/** O(communication rows * log). */
const struct jr_instances *jr_instances_find(
	const struct jr_profile *profile, struct jr_arena *arena);

/** Start of a thunk on the common clock, as ns since `origin_ns`: the nearer, the more exact. */
static inline double jr_aligned_start_since_ns(
	const struct jr_profile *p, size_t thunk, int64_t origin_ns)
{
	return jr_aligned_since_ns(p, p->thunks.start_ns[thunk], p->thunks.device[thunk], origin_ns);
}

/** The same since the profile's origin. */
static inline double jr_aligned_start_ns(const struct jr_profile *p, size_t thunk)
{
	return jr_aligned_start_since_ns(p, thunk, p->origin_ns);
}

/** The device that began an instance last; of several the first of them. */
uint32_t jr_instance_last(const struct jr_profile *p, const struct jr_instance *in);
/** Tell whether another device arrived at the same time as that one: none is the last then. O(n) */
bool jr_instance_tied(const struct jr_profile *p, const struct jr_instance *in);

#endif
