/*
 * integrity.h - effect of faulty or missing records on conclusions.
 * Layer: analysis.  Definitions: analysis/README.md, section 16.
 *
 * A missing record looks like time in which nothing ran. Conclusions from idle time, from the
 * host's delay and from the spread of steps are therefore left out if records are missing. The code
 * that leaves them out also reports the reason.
 */
#ifndef JR_ANALYSIS_INTEGRITY_H
#define JR_ANALYSIS_INTEGRITY_H

#include "analysis/core/pass.h"
#include "base/spans.h"

/* A fault puts conclusions in doubt from this share of records or of time on. */
#define JR_DOUBTFUL 0.001

struct jr_integrity {
	struct jr_spans *doubted;    /* [n_devices] time in which unrecorded work may have run */
	uint64_t count[JR_N_FAULTS]; /* faulty records, over all inputs */
	uint64_t of[JR_N_FAULTS];    /* total number of records */
	uint64_t n_told;             /* events that profilers report as dropped */
	const char *told;            /* message of the first of them; NULL: none */
	double others_share; /* share of the same time in which work ran that was not selected */
	double step_share; /* share of the step windows that is in doubt; of the devices' whole time if
						  there are no windows */
};

/** Compute the effect of all faults, in `arena`. O(faults + doubts log). */
const struct jr_integrity *jr_integrity_compute(const struct jr_profile *profile,
	const struct jr_step_windows *windows, const struct jr_gpu_time *gpu, struct jr_arena *arena);

/** Return true if [begin_ns, end_ns) of the device, a row of devices, contains time in doubt.
 * `near`: of the device, for jr_spans_within_near(). */
static inline bool jr_integrity_doubts(const struct jr_integrity *integrity, size_t device,
	int64_t begin_ns, int64_t end_ns, size_t *near)
{
	const struct jr_spans *spans = &integrity->doubted[device];
	return spans->n && jr_spans_within_near(spans, begin_ns, end_ns, near) > 0;
}

/** Return true if events are missing whose time and place are unknown. */
static inline bool jr_integrity_lacks_events(const struct jr_integrity *integrity)
{
	return integrity->n_told || integrity->count[JR_FAULT_CUT] ||
		   integrity->count[JR_FAULT_UNREADABLE];
}

/** Return the share of faulty records of that kind; 0 if there are none. */
double jr_integrity_share(const struct jr_integrity *integrity, enum jr_fault_kind kind);

/** Return the most serious fault as a clause, "99 of 200 kernel launches have no kernel record".
 * NULL: none that matters. In `arena`. */
const char *jr_integrity_mark(
	const struct jr_integrity *integrity, const struct jr_profile *profile, struct jr_arena *arena);

/** Return why steps are not replayed, "not available, because 99 of 200 ..."; NULL: no fault
 * prevents it. In `arena`. */
const char *jr_integrity_no_replay(
	const struct jr_integrity *integrity, const struct jr_profile *profile, struct jr_arena *arena);

/** Return true if the device's kernels begin before their launches, so that latencies are
 * unknown. */
bool jr_integrity_early(const struct jr_profile *profile, size_t device);

/** Describe one fault in a few words: "99 of 200 kernel launches have no kernel record". */
const char *jr_integrity_words(
	enum jr_fault_kind kind, uint64_t count, uint64_t of, int64_t most_ns, struct jr_arena *arena);

#endif
