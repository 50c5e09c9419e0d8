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

/** Return "“node017” (4 of its 8 GPUs) delays the others since step 12": host, devices and step
 * come first. With a saving it fits into a title of 90 characters. Of one host or of unknown ones:
 * "Device 3 delays the others in 5 of 5 steps". On several hosts: "GPU 3 of each host delays ...",
 * "Devices 5 and 14 delay ...", or "5 of 16 devices delay ...". O(devices) */
const char *jr_late_set_subject(struct jr_pass_context *ctx, const struct jr_late_set *set);

/** Return "devices 5 and 14", or "5 of 16 devices". O(devices) */
const char *jr_late_set_numbers(struct jr_pass_context *ctx, const struct jr_late_set *set);

/** Return "devices 16, 17, 18 and 5 more", or "device 16". */
const char *jr_late_set_list(struct jr_pass_context *ctx, const struct jr_late_set *set);

#endif
