/*
 * tracks.h - the profile as tracks of slices, for programs that show timelines.
 * Layer: report.  The writers of timelines (perfetto, chrome, speedscope) all read this.
 *
 * Times are ns on the common clock of the devices (analysis/README.md, section 6.1), from the start
 * of the first slice or point. Slices of one track nest: each begins after the one before it ends,
 * or lies within it.
 */
#ifndef JR_REPORT_TRACKS_H
#define JR_REPORT_TRACKS_H

#include "report/core/report.h"

/* What a track belongs to: a device, or the host of a process. */
struct jr_trace_group {
	const char *name;
};

/* What the slices of a track are, in the order in which viewers show them. */
enum jr_trace_lane {
	JR_LANE_STEPS,
	JR_LANE_MODULES,
	JR_LANE_COMPUTE,
	JR_LANE_COMMUNICATION,
	JR_LANE_STREAM,
	JR_LANE_RANGES,
	JR_LANE_CALLS,
	JR_LANE_COMPILATION
};

struct jr_trace_track {
	uint32_t group;
	const char *name; /* unique within its group */
	size_t first, n;  /* rows of slices */
	uint32_t lane;    /* enum jr_trace_lane */
};

struct jr_trace_slice {
	int64_t start_ns, dur_ns;
	uint32_t name;  /* row of names */
	uint32_t op;    /* row of the profile's ops: a thunk; JR_NONE */
	uint32_t row;   /* row of the table that it is from: of thunks, gpu_ops, ... */
	uint32_t depth; /* slices of the track around it */
	uint32_t flow;  /* equal numbers belong together: a launch and what it launched, or a collective
					   on its devices; 0 = none */
};

/* A value that changes over time. */
struct jr_trace_counter {
	uint32_t group;
	const char *name;
	bool bytes;      /* unit: bytes, else a count */
	size_t first, n; /* rows of points */
};
struct jr_trace_point {
	int64_t t_ns, value;
};

/* What viewers show beside a thunk. Unknown: NULL, JR_NULL_I64, NaN. */
struct jr_trace_op {
	const char *opcode, *op_name, *source; /* source: FILE:LINE */
	const char *shape;
	int64_t flops, bytes;
	double of_roofline; /* fraction */
};

struct jr_trace {
	size_t n_groups, n_tracks, n_slices, n_counters, n_points, n_names;
	const char **names; /* distinct names of slices, in first-seen order */
	struct jr_trace_group *groups;
	struct jr_trace_track *tracks; /* by group */
	struct jr_trace_slice *slices; /* by track, then start, then the longest first */
	struct jr_trace_counter *counters;
	struct jr_trace_point *points; /* by counter, then time */
	struct jr_trace_op *ops;       /* [n_ops] of the profile */
	int64_t begin_ns;              /* first start, on the common clock: 0 of all times */
	uint64_t n_left_out;           /* slices shorter than least_ns, beyond JR_TRACE_SLICES */
	int64_t least_ns;
	size_t n_flows; /* flows are below it */
};

/* Slices that viewers can still handle; of more, the shortest are left out. */
#define JR_TRACE_SLICES 2000000

/* A stretch of time on the common clock. */
struct jr_trace_window {
	int64_t start_ns, end_ns;
};

/* A part of a profile: what runs in one of the windows, on one of the devices. */
struct jr_trace_part {
	const uint8_t *devices; /* [n_devices] 1: a part of it */
	size_t n_windows;
	const struct jr_trace_window *windows; /* 0: all time */
	unsigned lanes;                        /* 1 << enum jr_trace_lane, combined by | */
	size_t most;                           /* slices; of more, the shortest are left out */
};

/** Build the tracks of a profile: per device its executions, compute, communication or streams; per
 * process its steps, calls and compilation. Counters: bytes in use, kernels in flight, exposed
 * communication. All in `arena`. `part` NULL: all of it; else without counters and flows.
 * O(rows * log rows) */
const struct jr_trace *jr_trace_build(const struct jr_profile *profile,
	const struct jr_results *results, const struct jr_trace_part *part, struct jr_arena *arena);

/** Return the number of slices of a part, without its limit. O(rows) */
uint64_t jr_trace_count(
	const struct jr_profile *profile, const struct jr_trace_part *part, struct jr_arena *arena);

/** Return [n_ops] what is known of each thunk. trace_ops.c. O(ops) */
struct jr_trace_op *jr_trace_ops(
	const struct jr_profile *profile, const struct jr_results *results, struct jr_arena *arena);

/** Return a sentence about slices left out; NULL if there are none. In `arena`. trace_ops.c */
const char *jr_trace_left_out(const struct jr_trace *trace, struct jr_arena *arena);

#endif
