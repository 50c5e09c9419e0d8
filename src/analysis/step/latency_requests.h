/*
 * latency_requests.h - executions of programs as requests: latency, queueing, device idle time.
 * Layer: analysis.  Definitions: analysis/README.md, section 8.9.
 */
#ifndef JR_ANALYSIS_LATENCY_REQUESTS_H
#define JR_ANALYSIS_LATENCY_REQUESTS_H

#include "model/profile/profile.h"

/* One steady execution of a program, on all devices that ran it together. */
struct jr_served {
	uint32_t program, program_execution;
	uint32_t n_devices;
	int64_t latency_ns; /* from the earliest start to the latest end, aligned, to 1 ns */
	/* On the device that starts first: from the launch to the start. JR_NULL_I64: the launch is not
	 * known, or the clocks contradict it. */
	int64_t queue_ns;
	bool early; /* the execution starts before its launch, so queue_ns is not known */
	/* On the same device: time without any module before the start. JR_NULL_I64: nothing ran before
	 * it, or the execution before it is warm-up. */
	int64_t idle_ns;
};

struct jr_served_list {
	size_t n;
	struct jr_served *items; /* by program, then devices, then execution */
};

/** Find all requests, in `arena`. Devices of one process, and devices that collectives tie
 * (jr_device.aligned_set), run executions of one number together; others run separate ones.
 * O(module rows log). */
struct jr_served_list jr_served_find(const struct jr_profile *p, struct jr_arena *arena);

#endif
