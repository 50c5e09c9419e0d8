/*
 * judge.h - better, worse, the same, or not to be told.
 * Layer: compare.
 */
#ifndef JR_COMPARE_JUDGE_H
#define JR_COMPARE_JUDGE_H

#include "compare/explain.h"

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
};

#define JR_MAX_DOUBTS 8
#define JR_ALPHA 0.05
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
	struct jr_rank_test test;
	double detectable; /* smallest relative change that such samples find in 8 of 10 cases */
};

/**
 * Judge the step time. Regression: the interval of the change lies above 0, Mann-Whitney's p is
 * below JR_ALPHA, and the median changed by at least the tolerance; improvement the same below.
 * Same: samples that are equal, or an interval within the tolerance, or a change that is
 * significant and smaller. Anything else is noise that hides changes of the size that matters:
 * unclear.
 *
 * @param kept  NULL, or draws that are kept from one judgement to the next
 */
struct jr_judgement jr_judge(const struct jr_run *const runs[2],
	const struct jr_explanation *explanation, double tolerance, struct jr_draws *kept,
	struct jr_arena *arena);

/** "same", "regression", "improvement", "cannot tell". */
const char *jr_verdict_name(enum jr_verdict verdict);

#endif
