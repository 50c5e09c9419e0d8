/*
 * device_name.h - names of devices for sentences.
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_DEVICE_NAME_H
#define JR_ANALYSIS_DEVICE_NAME_H

#include "model/profile/profile.h"

/** Return the string id of the host of a device (row); JR_NONE if it is not known. */
uint32_t jr_device_host(const struct jr_profile *profile, size_t device);

/** Return an input's name in quotation marks; of a long name only the part that says most
 * (jr_text_name_part()), or else without its middle. In `arena`. */
const char *jr_quoted(const char *name, struct jr_arena *arena);

/** The same with at most `most` bytes and an ellipsis. */
const char *jr_quoted_within(const char *name, size_t most, struct jr_arena *arena);

/** Return true if devices are on several hosts, as far as hosts are known. O(devices) */
bool jr_devices_on_hosts(const struct jr_profile *profile);

/** Return "2 on “node019”", or only the number if all devices are on one host or no host is known.
 * In `arena`. O(devices) */
const char *jr_device_name(const struct jr_profile *profile, size_t device, struct jr_arena *arena);

#endif
