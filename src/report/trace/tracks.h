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

struct jr_trace_track {
	uint32_t group;
	const char *name; /* unique within its group */
	size_t first, n;  /* rows of slices */
	uint32_t lane;    /* enum lane_kind of tracks.c */
};

struct jr_trace_slice {
	int64_t start_ns, dur_ns;
	uint32_t name;  /* row of names */
	uint32_t op;    /* row of the profile's ops: a thunk; JR_NONE */
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
	uint64_t n_left_out;           /* slices shorter than least_ns, beyond JR_TRACE_SLICES */
	int64_t least_ns;
	size_t n_flows; /* flows are below it */
};

/* Slices that viewers can still handle; of more, the shortest are left out. */
#define JR_TRACE_SLICES 2000000

/** Build the tracks of a profile: per device its executions, compute, communication or streams; per
 * process its steps, calls and compilation. Counters: bytes in use, kernels in flight, exposed
 * communication. All in `arena`. O(rows * log rows) */
const struct jr_trace *jr_trace_build(
	const struct jr_profile *profile, const struct jr_results *results, struct jr_arena *arena);

/** Return [n_ops] what is known of each thunk. trace_ops.c. O(ops) */
struct jr_trace_op *jr_trace_ops(
	const struct jr_profile *profile, const struct jr_results *results, struct jr_arena *arena);

/** Return a sentence about slices left out; NULL if there are none. In `arena`. */
const char *jr_trace_left_out(const struct jr_trace *trace, struct jr_arena *arena);

#endif
