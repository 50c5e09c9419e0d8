/*
 * seats.h - devices listed host by host, for figures of many devices.
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_SEATS_H
#define JR_ANALYSIS_SEATS_H

#include "analysis/core/pass.h"

/* A device and the first device of its host. */
struct jr_seat {
	uint32_t first, device;
};

/** List the devices that took steps or shared collectives, host by host. A device of unknown host
 * is a group by itself. In scratch. O(devices log) */
struct jr_seat *jr_seat_devices(struct jr_pass_context *ctx, size_t *n);

#endif
