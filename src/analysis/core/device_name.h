/*
 * device_name.h - what a device is called in sentences.
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_DEVICE_NAME_H
#define JR_ANALYSIS_DEVICE_NAME_H

#include "model/profile/profile.h"

/** Str of the machine that a device (row) is in; JR_NONE where it is not known. */
uint32_t jr_device_host(const struct jr_profile *profile, size_t device);

/** An input's name in quotation marks, its middle left out where it is long. In `arena`. */
const char *jr_quoted(const char *name, struct jr_arena *arena);

/** "2 on “node019”", or only the number where all devices are on one host or none is known. In
 * `arena`. O(devices) */
const char *jr_device_name(const struct jr_profile *profile, size_t device, struct jr_arena *arena);

#endif
