/*
 * explain.h - divide the change of the step into its parts, to the nanosecond.
 * Layer: compare.
 *
 * A step is a period, and the mean period of a run is the sum of its parts: each thunk's own time,
 * waiting for other devices, and the rest of the time breakdown (step_parts.h). The difference from
 * the mean to the median is one more part. All are integers: the parts of a run, each rounded up or
 * down to 1 ns, add up to its median step, so their changes add up to its change.
 *
 * Steps that a program without XLA modules numbered consist of the activity of its GPUs.
 *
 * If executions are the steps (struct jr_run_steps), the parts are those of the mean execution of
 * the slowest device: each thunk's own time, and idle time (analysis/shared/step_time.h).
 */
#ifndef JR_COMPARE_EXPLAIN_H
#define JR_COMPARE_EXPLAIN_H

#include "compare/run/work.h"

enum jr_step_part {
	JR_PART_COMPUTE,
	JR_PART_COMMUNICATION, /* of an execution; includes waiting and copies */
	JR_PART_TRANSFER,
	JR_PART_COPY,
	JR_PART_WAITING,
	JR_PART_IDLE,
	JR_PART_BETWEEN,
	JR_PART_GPU_IDLE, /* of steps without modules */
	JR_PART_OTHER_PROGRAMS,
	JR_PART_WARMUP,
	JR_PART_OTHER,  /* rest of a step whose report does not list all thunks */
	JR_PART_SPREAD, /* median - mean: a few slow steps move only the mean */
	JR_N_PARTS
};

struct jr_contribution {
	enum jr_step_part part;
	const struct jr_thunk_match *thunk; /* COMPUTE, COMMUNICATION, TRANSFER, COPY; else NULL */
	int64_t ns[2];                      /* in the median step */
	struct jr_matched_work work[2];     /* of thunks */
	int64_t work_ns; /* part of the change from more work; JR_NULL_I64: unknown, or not a thunk */
	double p;        /* of no change of the mean: Welch, Holm over all thunks; NaN: unknown */
};

struct jr_explanation {
	const char *unavailable; /* NULL, or the reason why there are no parts */
	size_t n;
	struct jr_contribution *items; /* largest change first */
	int64_t step_ns[2];            /* sum of the items: the median step */
	int64_t part_ns[JR_N_PARTS][2];
	/* Share of the time of the step's thunks that both runs have with the same shape. 1 if the HLO
	 * is the same, even if a run does not know all of its thunks (history.h). */
	double matched_frac; /* NaN: there are no thunks */
	bool work_known;     /* of any thunk that both runs have */
};

/** Divide the change of the step into contributions. `match` must outlive the result.
 * O(thunks log thunks). */
struct jr_explanation jr_explain(
	const struct jr_run *const runs[2], const struct jr_match *match, struct jr_arena *arena);

/** Return why there are no numbers per step, "not available, because ..."; NULL: both runs have
 * steps. */
const char *jr_step_missing(const struct jr_run *const runs[2]);

/** Return the name of a part for people: "compute", ... */
const char *jr_step_part_name(enum jr_step_part part);

/**
 * Divide sums by one divisor so that the whole numbers add up: each quotient is rounded down, and
 * the quotients with the largest remainders get 1 more, the first of equal ones.
 *
 * @param sums     [n]
 * @param divisor  > 0
 * @param out      [n], sums to the floor of (sum of sums) / divisor
 */
void jr_divide_exactly(const int64_t *sums, size_t n, int64_t divisor, int64_t *out);

#endif
