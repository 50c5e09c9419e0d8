/*
 * work.h - what matched thunks have to compute and to move in each run.
 * Layer: compare.
 */
#ifndef JR_COMPARE_WORK_H
#define JR_COMPARE_WORK_H

#include "compare/run/match.h"

/* Where the work of a run's thunks stands. */
struct jr_matched_rows {
	const uint32_t *row[2]; /* [thunks of the run] row of JR_RUN_ROOFLINE, JR_NONE = unknown */
	bool same_gpu;          /* one model of GPU on both sides, and it is known: roofs compare */
};

/* Of an execution of its module, on one device. */
struct jr_matched_work {
	bool known;
	double flops, bytes;
	double roof_ns; /* NaN where the device is not known */
};

/** Row of JR_RUN_ROOFLINE of each thunk of a run, JR_NONE = unknown; in `arena`. O(thunks). */
const uint32_t *jr_work_rows(const struct jr_run *run, struct jr_arena *arena);

/** Find the work of each thunk; in `arena`. O(thunks). */
struct jr_matched_rows jr_matched_rows(const struct jr_run *const runs[2], struct jr_arena *arena);

/** Work of a group of thunks in one run: unknown where that of any of them is. */
struct jr_matched_work jr_matched_work_of(const struct jr_run *const runs[2],
	const struct jr_match *match, const struct jr_matched_rows *rows,
	const struct jr_thunk_match *thunk, int side);

/**
 * What of a change of a thunk's time is more or less work: the base's time, in the ratio of the
 * roofs of what there is to do, less the base's time. The rest of the change is the same work done
 * slower or faster; both add up to it exactly.
 *
 * @param ns  time in each run, > 0 where the thunk is there
 * @return ns; the whole change where one run does not have it; JR_NULL_I64 unknown
 */
int64_t jr_matched_work_change(bool same_gpu, const struct jr_matched_work work[2],
	const struct jr_thunk_match *thunk, const int64_t ns[2]);

#endif
