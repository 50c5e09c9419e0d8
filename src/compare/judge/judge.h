/*
 * judge.h - judge the change of the step: better, worse, the same or undetermined.
 * Layer: compare.
 */
#ifndef JR_COMPARE_JUDGE_H
#define JR_COMPARE_JUDGE_H

#include "compare/judge/explain.h"
#include "compare/run/planned.h"

enum jr_verdict {
	JR_VERDICT_SAME,
	JR_VERDICT_REGRESSION,
	JR_VERDICT_IMPROVEMENT,
	JR_VERDICT_UNCLEAR
};

/* A reason why two runs cannot be compared. */
struct jr_doubt {
	const char *id;   /* "different-gpu"; stable */
	const char *text; /* a sentence without full stop */
	const char *open; /* its end, without numbers shown elsewhere; NULL: all */
};

#define JR_MAX_DOUBTS 8
/* Fewer steps cannot tell a change from chance: with 3 and 3 steps, even complete separation has a
 * probability above 5 %. */
#define JR_LEAST_STEPS 4
/* Smaller changes of the median step do not matter, unless --tolerance sets another limit. */
#define JR_TOLERANCE 0.01

struct jr_judgement {
	enum jr_verdict verdict;
	size_t n_doubts;
	struct jr_doubt doubts[JR_MAX_DOUBTS]; /* of an unclear verdict: the reasons */
	bool same_subject;                     /* same step and GPUs, so changes are meaningful */
	bool equal;                            /* the step times are the same, one by one */
	bool enough;                           /* and enough steps to tell a change from chance */
	int64_t n_steps[2];
	struct jr_median_change change; /* of the median step */
	struct jr_rank_test test;       /* assumes independent steps; no verdict depends on it */
	double tolerance;               /* relative changes from here on matter */
	double detectable; /* smallest relative change that gets a verdict in 8 of 10 cases */
	double needed; /* If the size of the change is unclear: steps per run for a verdict in 8 of 10
					  cases. Infinite: over 100 times the steps. NaN: there is a verdict, or the
					  estimate is at the tolerance. */
	bool plan; /* both runs are plans: the roofline times of their first programs are compared */
	bool live; /* both are device memory profiles: the bytes of their buffers are compared */
	double exact_change;     /* of either, the relative change; NaN: not known, or other runs */
	const char *not_counted; /* of two plans, why their sums of work cannot be compared; or NULL */
};

/**
 * Judge the step time by the 95 % interval of the change of its median (analysis/core/bootstrap.h).
 * Regression: the interval is above 0, and the estimate reaches the tolerance. Improvement: the
 * same below 0. Same: the samples are equal, or the whole interval is within the tolerance, ends
 * included. Otherwise the verdict cannot be determined, because the interval contains changes that
 * matter and changes that do not.
 *
 * For two plans, the roofline times of the first programs are exact, and the tolerance alone
 * decides. Work that only one plan knows makes sums incomparable, so there is no verdict. The same
 * holds for the live bytes of two device memory profiles.
 *
 * @param tolerance  >= 0; with 0 every change matters
 * @param kept       NULL, or draws to reuse in the next judgment
 */
struct jr_judgement jr_judge(const struct jr_run *const runs[2],
	const struct jr_explanation *explanation, const struct jr_planned *planned, double tolerance,
	struct jr_draws *kept, struct jr_arena *arena);

/** Return whether a judgment is about exact numbers, not about samples of steps. */
static inline bool jr_judged_exactly(const struct jr_judgement *j)
{
	return j->plan || j->live;
}
/** Return the verdict for a relative change and its interval, none NaN, as jr_judge() does for the
 * step. */
enum jr_verdict jr_verdict_of_interval(double estimate, double low, double high, double tolerance);
/** Return the doubt about the devices, which concerns all programs and not only the step; NULL:
 * there is none. */
const char *jr_doubted_devices(const struct jr_judgement *judged);

/** Return "same", "regression", "improvement" or "cannot tell". */
const char *jr_verdict_name(enum jr_verdict verdict);
/** Return the tolerance as text: "1 %", "0.25 %". */
const char *jr_tolerance_text(double tolerance, struct jr_arena *arena);

#endif
