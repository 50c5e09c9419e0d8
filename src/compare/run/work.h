/*
 * work.h - the FLOPs and bytes of matched thunks in each run.
 * Layer: compare.
 */
#ifndef JR_COMPARE_WORK_H
#define JR_COMPARE_WORK_H

#include "compare/run/match.h"

/* Rows with the work of a run's thunks. */
struct jr_matched_rows {
	const uint32_t *row[2]; /* [thunks of the run] row of JR_RUN_ROOFLINE, JR_NONE = unknown */
	bool same_gpu;          /* both sides have one known model of GPU: roofs are comparable */
};

/* Per execution of its module, on one device. */
struct jr_matched_work {
	bool known;
	double flops, bytes;
	double roof_ns; /* NaN if the device is not known */
};

/** Return the row of JR_RUN_ROOFLINE of each thunk of a run, JR_NONE = unknown; in `arena`.
 * O(thunks). */
const uint32_t *jr_work_rows(const struct jr_run *run, struct jr_arena *arena);

/** Find the work of each thunk; in `arena`. O(thunks). */
struct jr_matched_rows jr_matched_rows(const struct jr_run *const runs[2], struct jr_arena *arena);

/** Return the work of a group of thunks in one run; unknown if that of any of them is. */
struct jr_matched_work jr_matched_work_of(const struct jr_run *const runs[2],
	const struct jr_match *match, const struct jr_matched_rows *rows,
	const struct jr_thunk_match *thunk, int side);

/**
 * Return the part of a change of a thunk's time that is due to more or less work: the base's time,
 * scaled by the ratio of roofline times, less the base's time. The rest of the change is the same
 * work done slower or faster. Both add up to the change exactly.
 *
 * @param ns  time in each run, > 0 if the run has the thunk
 * @return ns; the whole change if one run does not have the thunk; JR_NULL_I64 unknown
 */
int64_t jr_matched_work_change(bool same_gpu, const struct jr_matched_work work[2],
	const struct jr_thunk_match *thunk, const int64_t ns[2]);

#endif
