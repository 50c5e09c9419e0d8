/*
 * integrity.h - what the faults of a profile's records mean for what is concluded from them.
 * Layer: analysis.  Definitions: analysis/README.md, section 16.
 *
 * A record that is missing looks like time in which nothing ran. So what is concluded from idle
 * time, from the host's delay and from the spread of steps is left out where records are missing,
 * and whoever leaves it out gives the reason.
 */
#ifndef JR_ANALYSIS_INTEGRITY_H
#define JR_ANALYSIS_INTEGRITY_H

#include "analysis/core/pass.h"
#include "base/spans.h"

/* From this share of records or of time on a fault puts conclusions in doubt. */
#define JR_DOUBTFUL 0.001

struct jr_integrity {
	struct jr_spans *doubted; /* [n_devices] time in which it may have run what is not recorded */
	uint64_t count[JR_N_FAULTS]; /* records at fault, over all inputs */
	uint64_t of[JR_N_FAULTS];    /* ... of how many */
	uint64_t n_told;             /* events that profilers say they dropped */
	const char *told;            /* what the first of them says; NULL: nothing */
	double step_share; /* of the windows of steps the share that is in doubt; of the devices'
						* whole time where there are none */
};

/** In `arena`. O(faults + doubts log). */
const struct jr_integrity *jr_integrity_compute(const struct jr_profile *profile,
	const struct jr_step_windows *windows, const struct jr_gpu_time *gpu, struct jr_arena *arena);

/** True where [begin_ns, end_ns) of the device, row of devices, has time in doubt. */
static inline bool jr_integrity_doubts(
	const struct jr_integrity *integrity, size_t device, int64_t begin_ns, int64_t end_ns)
{
	const struct jr_spans *spans = &integrity->doubted[device];
	return spans->n && jr_spans_within(spans, begin_ns, end_ns) > 0;
}

/** True where events are missing of which nothing tells when and where they ran. */
static inline bool jr_integrity_lacks_events(const struct jr_integrity *integrity)
{
	return integrity->n_told || integrity->count[JR_FAULT_CUT];
}

/** The share of the records of that kind; 0 where there are none. */
double jr_integrity_share(const struct jr_integrity *integrity, enum jr_fault_kind kind);

/** "99 of 200 kernel launches have no kernel record": the gravest fault, to stand in a sentence.
 * NULL: none that matters. In `arena`. */
const char *jr_integrity_mark(
	const struct jr_integrity *integrity, const struct jr_profile *profile, struct jr_arena *arena);

/** "not available, because 99 of 200 ...": why steps are not replayed; NULL: no fault forbids it.
 * In `arena`. */
const char *jr_integrity_no_replay(
	const struct jr_integrity *integrity, const struct jr_profile *profile, struct jr_arena *arena);

/** True where the device's kernels begin before their launches, so that no latency is known. */
bool jr_integrity_early(const struct jr_profile *profile, size_t device);

/** What one fault is, in a few words: "99 of 200 kernel launches have no kernel record". */
const char *jr_integrity_words(
	enum jr_fault_kind kind, uint64_t count, uint64_t of, int64_t most_ns, struct jr_arena *arena);

#endif
