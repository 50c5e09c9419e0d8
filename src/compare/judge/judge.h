/*
 * judge.h - better, worse, the same, or not to be told.
 * Layer: compare.
 */
#ifndef JR_COMPARE_JUDGE_H
#define JR_COMPARE_JUDGE_H

#include "compare/judge/explain.h"

enum jr_verdict {
	JR_VERDICT_SAME,
	JR_VERDICT_REGRESSION,
	JR_VERDICT_IMPROVEMENT,
	JR_VERDICT_UNCLEAR
};

/* Why two runs cannot be compared. */
struct jr_doubt {
	const char *id;   /* "different-gpu"; stable */
	const char *text; /* a sentence without full stop */
	const char
		*open; /* of it, what follows from figures that are told beside it; NULL: all of it */
};

#define JR_MAX_DOUBTS 8
/* Fewer steps tell no change from chance: of 3 and 3 not even all orders are 5 % apart. */
#define JR_LEAST_STEPS 4
/* Changes of the median step below this are none worth telling, unless --tolerance says else. */
#define JR_TOLERANCE 0.01

struct jr_judgement {
	enum jr_verdict verdict;
	size_t n_doubts;
	struct jr_doubt doubts[JR_MAX_DOUBTS]; /* of a verdict that is unclear: why */
	bool same_subject; /* the same step on the same GPUs: changes mean something */
	bool equal;        /* the step times are the same, one by one */
	bool enough;       /* and enough steps to tell a change of their times from chance */
	int64_t n_steps[2];
	struct jr_median_change change; /* of the median step */
	struct jr_rank_test test;       /* of independent steps; no verdict rests on it */
	double tolerance;               /* relative change from which on it matters */
	double detectable; /* smallest relative change whose verdict is told in 8 of 10 cases */
	double needed; /* where the size of the change is what leaves the verdict open: about so many
					  steps in each run would tell it in 8 of 10 cases. Infinite: more than 100
					  times as many; NaN: the estimate lies at the tolerance, or it is told */
};

/**
 * Judge the step time by the 95 % interval of the change of its median (analysis/core/bootstrap.h).
 * Regression: the interval lies above 0, and the estimate reaches the tolerance; improvement the
 * same below. Same: samples that are equal, or the whole interval lies within the tolerance, ends
 * included. Anything else cannot be determined: the interval holds changes that matter and others.
 *
 * @param tolerance  >= 0; with 0 every change matters
 * @param kept       NULL, or draws that are kept from one judgement to the next
 */
struct jr_judgement jr_judge(const struct jr_run *const runs[2],
	const struct jr_explanation *explanation, double tolerance, struct jr_draws *kept,
	struct jr_arena *arena);

/** "same", "regression", "improvement", "cannot tell". */
const char *jr_verdict_name(enum jr_verdict verdict);
/** "1 %", "0.25 %". */
const char *jr_tolerance_text(double tolerance, struct jr_arena *arena);

#endif
