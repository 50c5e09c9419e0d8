/*
 * explain.h - what the change of the step is made of, to the nanosecond.
 * Layer: compare.
 *
 * A step is a period, and the mean period of a run is the sum of its parts: each thunk's own time,
 * waiting for other devices, and the rest of the time ledger (step_parts.h). The distance
 * from the mean to the median is one more part. In integers: the parts of a run, each rounded up or
 * down to 1 ns, sum to its median step; so their changes sum to the change of that.
 *
 * Steps that a program without modules of XLA numbered are made of what its GPUs did.
 *
 * Where executions stand for steps (struct jr_run_steps), the parts are those of the mean execution
 * of the slowest device: each thunk's own time, and idle (analysis/shared/step_time.h).
 */
#ifndef JR_COMPARE_EXPLAIN_H
#define JR_COMPARE_EXPLAIN_H

#include "compare/run/work.h"

enum jr_step_part {
	JR_PART_COMPUTE,
	JR_PART_COMMUNICATION, /* of an execution: waiting and copies included */
	JR_PART_TRANSFER,
	JR_PART_COPY,
	JR_PART_WAITING,
	JR_PART_IDLE,
	JR_PART_BETWEEN,
	JR_PART_GPU_IDLE, /* of steps without modules */
	JR_PART_OTHER_PROGRAMS,
	JR_PART_INITIALISATION,
	JR_PART_OTHER,  /* of the step, but in no table: of a report that does not list all thunks */
	JR_PART_SPREAD, /* median - mean: a few slow steps move the mean only */
	JR_N_PARTS
};

struct jr_contribution {
	enum jr_step_part part;
	const struct jr_thunk_match *thunk; /* COMPUTE, COMMUNICATION, TRANSFER, COPY; else NULL */
	int64_t ns[2];                      /* of the median step */
	struct jr_matched_work work[2];     /* of thunks */
	int64_t work_ns; /* of the change: more work to do; JR_NULL_I64: not known, or no thunk */
	double
		p; /* that the mean of a step did not change: Welch, Holm over all thunks; NaN: unknown */
};

struct jr_explanation {
	const char *unavailable; /* NULL, or why there are no parts */
	size_t n;
	struct jr_contribution *items; /* largest change first */
	int64_t step_ns[2];            /* sum of the items: the median step */
	int64_t part_ns[JR_N_PARTS][2];
	/* Of the time of the step's thunks: those that both have with the same shape. 1 where the HLO
	 * is the same, also where a run does not know all of its thunks (history.h). */
	double matched_frac; /* NaN: there are no thunks */
	bool work_known;     /* of a thunk that both runs have */
};

/** `match` must outlive it. O(thunks log thunks). */
struct jr_explanation jr_explain(
	const struct jr_run *const runs[2], const struct jr_match *match, struct jr_arena *arena);

/** Why nothing can be told per step: "not available, because ..."; NULL: both runs have one. */
const char *jr_step_missing(const struct jr_run *const runs[2]);

/** "compute", ...; for people. */
const char *jr_step_part_name(enum jr_step_part part);

/**
 * Divide sums by one divisor so that the whole numbers add up: each quotient rounded down, and 1
 * more for those with the largest remainders, the first of equal ones.
 *
 * @param sums     [n]
 * @param divisor  > 0
 * @param out      [n], sums to the floor of (sum of sums) / divisor
 */
void jr_divide_exactly(const int64_t *sums, size_t n, int64_t divisor, int64_t *out);

#endif
