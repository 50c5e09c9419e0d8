/*
 * collective_groups.h - finds collectives that are slow in one group of devices only.
 * Layer: analysis.  Definition: analysis/README.md, section 10.
 */
#ifndef JR_ANALYSIS_COLLECTIVE_GROUPS_H
#define JR_ANALYSIS_COLLECTIVE_GROUPS_H

#include "analysis/core/pass.h"
#include "analysis/shared/late_set.h"

/* The slowest group of a collective, compared with its other groups in the same steps. */
struct jr_slower_group {
	struct jr_late late; /* the group; JR_LATE_NEVER: no group is slow, and the rest is unset */
	uint32_t group;      /* see jr_op.device_group */
	double own_ns,
		usual_ns;    /* mean per step while it is slow: its transfer, that of the median group */
	double saved_ns; /* beyond the median group, over all its instances and devices */
	double scale;    /* factor of its transfer time without the excess */
};

/**
 * Compare the transfers of each op between its groups of devices. A group is slow in a step if it
 * takes at least twice as long as the median group; the smaller middle value of an even number of
 * groups counts. Only lateness that lasts, comes back regularly or fills a span of steps counts.
 *
 * @return [n_ops], in the scratch arena
 * @note O(instances log)
 */
const struct jr_slower_group *jr_collectives_by_group(const struct jr_pass_context *ctx);

/** Return the devices of a group as a set. Its `late` is that of the collective, not of the steps.
 * In the result arena. O(devices) */
struct jr_late_set jr_slower_group_devices(
	struct jr_pass_context *ctx, uint32_t op, const struct jr_slower_group *group);

#endif
