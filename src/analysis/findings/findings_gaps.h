/*
 * findings_gaps.h - sums of the gaps on GPUs, by cause, for the rules about them.
 * Layer: analysis, private to findings_idle.c.  Definitions: README.md, section 14.6.
 */
#ifndef JR_ANALYSIS_FINDINGS_GAPS_H
#define JR_ANALYSIS_FINDINGS_GAPS_H

#include "analysis/findings/findings.h"
#include "analysis/gpu/gaps.h"

/* Gaps of one cause, over all devices. Texts are not owned. */
struct jr_idle_cause {
	const char *name;
	int64_t count, sum_ns;
	const char *call;      /* call with the most time; NULL: not known */
	int64_t call_ns, call_count;
	int64_t long_ns;         /* in gaps of JR_GAP_LONG_NS and more */
	/* host-bound: activity of the launching thread */
	int64_t outside_ns, launching_ns, allocating_ns, waited_ns;
	int64_t waiting_ns, waiting_count; /* gaps that began while it waited for a GPU */
	int64_t short_waiting_ns;          /* ... without the long ones */
	const char *waits; /* call in which most of these gaps began */
	int64_t waits_ns;
	bool but_first_use; /* gaps of first use are excluded */
};

/** Return a whole number of a table. */
int64_t jr_idle_i64(const struct jr_table *t, const char *key, size_t row);
/** Add up the idle time at the first use of code, over all devices and causes. */
struct jr_idle_cause jr_idle_first_use(struct jr_check *c);
/** Add up the gaps of a cause, without first use if a finding of its own reports that. O(rows) */
struct jr_idle_cause jr_idle_cause_of(struct jr_check *c, enum jr_gap_cause which);
/** Return "1,339 gaps of 22.28 µs on average; the longest, 2.559 ms, ends at “gemm” on
 * device 0". */
const char *jr_idle_gaps_text(struct jr_check *c, const struct jr_idle_cause *cause);
/** Return true if the share of the cause is a finding; set its potential saving. */
bool jr_idle_fires(struct jr_check *c, const struct jr_idle_cause *cause);
/** Return the text for one GPU or for several. */
const char *jr_idle_gpus(const struct jr_check *c, const char *one, const char *several);

#endif
