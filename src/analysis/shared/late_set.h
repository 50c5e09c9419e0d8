/*
 * late_set.h - devices that the others wait for, and their name.
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_LATE_SET_H
#define JR_ANALYSIS_LATE_SET_H

#include "analysis/core/pass.h"
#include "analysis/shared/lateness.h"

struct jr_late_set {
	uint8_t *member;   /* [n_devices] 1: in the set */
	uint32_t *devices; /* [n] ascending */
	size_t n;
	uint32_t worst; /* the one with the largest lag */
	uint32_t host;  /* str; JR_NONE: several, or unknown */
	struct jr_late late;
};

/** Return the set of one device. In the result arena, as everything here. */
struct jr_late_set jr_late_set_of(struct jr_pass_context *ctx, uint32_t device);

/** Find the devices with at least half of the largest lag, among those that jr_late_matters(). If
 * they are all on one of several hosts, its other late devices belong to them, too. With more than
 * half of all devices in the set, the others would be early, not these late: then it is empty.
 * O(devices + their lags log) */
struct jr_late_set jr_late_set_find(struct jr_pass_context *ctx);

/** Return an op of which the set is exactly one of several groups; JR_NONE: none.
 * O(ops * devices) */
uint32_t jr_late_set_group_op(const struct jr_pass_context *ctx, const struct jr_late_set *set);

/** Devices of a set that are on one host and late in the same way. `member` is NULL. */
struct jr_late_parts {
	struct jr_late_set *items; /* [n] those with most devices first */
	size_t n;
	bool alike; /* all are late in the same way */
};
/** Divide a set into its parts. O(devices * parts) */
struct jr_late_parts jr_late_set_parts(struct jr_pass_context *ctx, const struct jr_late_set *set);

/** Return "All 4 GPUs of “node017” are late since step 12; device 9 on “node018” in 5 of 5 steps".
 */
const char *jr_late_parts_text(
	struct jr_pass_context *ctx, const struct jr_late_set *set, const struct jr_late_parts *parts);

/** Return "“node017” (4 of its 8 GPUs) delays the others since step 12": host, devices and step
 * come first. With a saving it fits into a title of 90 characters. Of one host or of unknown ones:
 * "Device 3 delays the others in 5 of 5 steps". On several hosts: "GPU 3 of each host delays ...",
 * "“node017” (all 4 GPUs, since step 12) and device 9 delay ...", "All GPUs of 2 hosts delay ...",
 * "Devices 5 and 14 delay ...", or "5 of 16 devices delay ...". Parts that are not late in the same
 * way have no common "in 5 of 5 steps". O(devices * parts) */
const char *jr_late_set_subject(struct jr_pass_context *ctx, const struct jr_late_set *set);

/** Return "devices 5 and 14", or "5 of 16 devices". O(devices) */
const char *jr_late_set_numbers(struct jr_pass_context *ctx, const struct jr_late_set *set);

/** Return "devices 16, 17, 18 and 5 more", or "device 16". */
const char *jr_late_set_list(struct jr_pass_context *ctx, const struct jr_late_set *set);

#endif
