/*
 * devices_parts.h - what passes of this room share: charts of many devices (analysis/README.md,
 * section 6.3), and collectives that are slow in some steps or groups (analysis/README.md,
 * section 10).
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_DEVICES_DEVICES_PARTS_H
#define JR_ANALYSIS_DEVICES_DEVICES_PARTS_H

#include "analysis/core/pass.h"
#include "analysis/shared/late_set.h"
#include "analysis/shared/lateness.h"

/* A device and the first device of its host. */
struct jr_seat {
	uint32_t first, device;
};

/** List the devices that took steps or shared collectives, host by host. A device of unknown host
 * is a group by itself. In scratch. O(devices log) */
struct jr_seat *jr_seat_devices(struct jr_pass_context *ctx, size_t *n);

/** Add the chart and its table, for people and as CSV: at most 64 rows of devices or hosts, and 100
 * columns of steps. Nothing is added if fewer than two devices or two steps can be compared.
 * O(lags log lags). */
void jr_add_step_lags(struct jr_pass_context *ctx, struct jr_section *out);

/** Add the chart and its table, for people and as CSV. Nothing is added for up to
 * JR_DEVICES_IN_FULL devices, for more than 16384, or if no device waited.
 * O(devices log devices). */
void jr_add_rank_waits(struct jr_pass_context *ctx, struct jr_section *out);

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
