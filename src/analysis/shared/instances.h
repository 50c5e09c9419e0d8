/*
 * instances.h - communication thunks grouped across devices.
 * Layer: analysis.  Definitions: analysis/README.md, sections 4.6 and 6.
 */
#ifndef JR_ANALYSIS_INSTANCES_H
#define JR_ANALYSIS_INSTANCES_H

#include <math.h>

#include "model/profile/profile.h"

/* One joint operation of several devices. Device times are compared after clock alignment. */
struct jr_instance {
	uint32_t op, program_execution, thunk_execution;
	uint32_t group; /* of devices, see jr_op.device_group; 0 if there is only one */
	uint32_t n;     /* devices seen */
	/* Device that began last; among equal ones the first. JR_NONE: it is not selected. */
	uint32_t last;
	const struct jr_elsewhere *elsewhere; /* its rows that are not selected; NULL = none */
	bool together; /* on several devices that need each other; false for host copies, which each
					  device makes alone */
	const uint32_t *thunks; /* [n] rows of profile->thunks, by device */
	int64_t shortest_ns;    /* duration on the last device to arrive: the transfer itself */
	double wait_ns;         /* last end - first start - shortest duration; 0 unless together */
	int64_t module_wait_ns; /* max - min over devices of exposed time (the wait of a module), which
							   sums up over an execution of the module; 0 unless together. Groups
							   run concurrently: only the longest wait counts, the others have 0 */
};

/* Steady instances of all programs, by (program, program_execution, first start, name,
 * thunk_execution, group). */
struct jr_instances {
	size_t n;
	struct jr_instance *items;
	/* [thunks.communication.n] waiting time of a thunk. Devices end a collective together, so it is
	 * the duration beyond the shortest of the instance; 0 unless together. */
	int64_t *wait_ns;
};

/** Group the steady communication thunks into instances. O(communication rows * log). */
const struct jr_instances *jr_instances_find(
	const struct jr_profile *profile, struct jr_arena *arena);

/** Return the bandwidth of the device that needed the shortest time; NaN if it is not known. */
static inline double jr_instance_algorithm_bytes_s(
	const struct jr_profile *p, const struct jr_instance *in)
{
	const struct jr_op *op = &p->ops[in->op];
	return op->message_bytes && op->k > 0 && in->shortest_ns > 0
			   ? op->k * (double)op->message_bytes / (double)in->shortest_ns * 1e9
			   : NAN;
}

/** Return the same in the convention of nccl-tests. */
static inline double jr_instance_bus_bytes_s(
	const struct jr_profile *p, const struct jr_instance *in)
{
	double c = p->ops[in->op].c;
	return c > 0 ? jr_instance_algorithm_bytes_s(p, in) * c : NAN;
}

/** Return the waiting time of a thunk; 0 for any that is not communication. */
static inline int64_t jr_thunk_wait_ns(
	const struct jr_profile *p, const struct jr_instances *instances, size_t thunk)
{
	uint32_t at = jr_row_set_find(&p->thunks.communication, thunk);
	return at == JR_NONE ? 0 : instances->wait_ns[at];
}

/** Return the start of a thunk on the common clock, in ns since `origin_ns`. A nearer origin is
 * more exact. */
static inline double jr_aligned_start_since_ns(
	const struct jr_profile *p, size_t thunk, int64_t origin_ns)
{
	return jr_aligned_since_ns(
		p, jr_thunk_start_ns(p, thunk), jr_thunk_device(p, thunk), origin_ns);
}

/** Return the start of a thunk since the profile's origin. */
static inline double jr_aligned_start_ns(const struct jr_profile *p, size_t thunk)
{
	return jr_aligned_start_since_ns(p, thunk, p->origin_ns);
}

/** Return whether another device arrived at the same time as the last one. Then no device counts as
 * the last. O(n) */
bool jr_instance_tied(const struct jr_profile *p, const struct jr_instance *in);

/** Return the number of devices that were profiled, selected or not. */
static inline uint32_t jr_instance_seen(const struct jr_instance *in)
{
	return in->n + (in->elsewhere ? in->elsewhere->n : 0);
}

/* Collectives of devices that were not all profiled. */
struct jr_absent {
	size_t n, n_part;  /* instances of groups of several devices; those with unseen devices */
	uint32_t seen, of; /* devices of the instance with the most unseen ones; 0 if there is none */
};

/** Count instances whose replica groups are larger than the devices seen. An unknown group size
 * counts as complete. O(instances) */
struct jr_absent jr_instances_absent(const struct jr_profile *p, const struct jr_instances *in);

#endif
