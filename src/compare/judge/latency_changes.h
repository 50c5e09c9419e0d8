/*
 * latency_changes.h - judge the change of each percentile of each program's latency.
 * Layer: compare.
 */
#ifndef JR_COMPARE_LATENCY_CHANGES_H
#define JR_COMPARE_LATENCY_CHANGES_H

#include "compare/core/compare.h"

struct jr_latency_change {
	const struct jr_metric *metric; /* "latency.p99(jit_decode)" */
	size_t row[2];                  /* of the program in JR_RUN_LATENCY */
	struct jr_metric_change change;
	bool judged; /* false: the longest execution, which has no interval */
	enum jr_verdict verdict;
	const char *reason; /* why the verdict cannot be determined; else NULL */
};

struct jr_latency_changes {
	size_t n;
	struct jr_latency_change *items; /* by time in the new run, then percentile */
};

/** Compare the programs that both runs execute at least twice, at most 30, by the interval of the
 * relative change and the tolerance. In c->arena. O(programs^2). */
struct jr_latency_changes jr_latency_changes_find(const struct jr_comparison *c);

#define JR_LATENCY_CHANGED "Latency changed: "

/** Return the regressions and improvements as a sentence that begins with JR_LATENCY_CHANGED, for a
 * comparison whose step shows none. Without a step, also whether there are none. NULL: nothing to
 * report. In c->arena. */
const char *jr_latency_changes_text(const struct jr_comparison *c);

#endif
