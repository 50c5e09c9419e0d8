/*
 * gaps.h - a gap on a GPU and its cause.
 * Layer: analysis, private to gaps.c, gap_calls.c and findings_gpu.c.
 *
 * A gap of a device is a stretch in which nothing runs on it: from the end of all operations that
 * began before, to the start of the next. Its cause is told by the call that launched that next
 * operation, at the instant at which the gap begins:
 *
 *   host-bound    the call begins later: the host was late
 *   launch-bound  the call had begun, or begins then, and returns later: it was in flight
 *   device-bound  the call had returned, or returns then: the operation was queued, and the device
 *                 or what the operation depends on was late. So it is where the call launches a
 *                 CUDA graph of which another node had begun on the device: the graph was there
 *   unknown       the call, or when it returned, was not profiled
 */
#ifndef JR_ANALYSIS_GAPS_H
#define JR_ANALYSIS_GAPS_H

#include "analysis/pass.h"
#include "base/vec.h"

enum jr_gap_cause {
	JR_GAP_HOST,
	JR_GAP_LAUNCH,
	JR_GAP_DEVICE,
	JR_GAP_UNKNOWN,
	JR_N_GAP_CAUSES
};
/* "host-bound", ... as tables have them. */
extern const char *const jr_gap_causes[JR_N_GAP_CAUSES];

/* In place of a call: the launching thread was in none; it was in the launch. */
#define JR_GAP_NO_CALL "(outside of CUDA)" /* as jr_vendor_words() has it */
#define JR_GAP_LAUNCHING "(launching)"

struct jr_gap {
	int64_t start_ns, dur_ns;
	uint32_t device, before, after; /* rows of gpu_ops: what ended last, what begins next */
	enum jr_gap_cause cause;
};

/* A thread that had not yet begun to launch: a host-bound gap up to the launching call. */
struct jr_gap_late {
	uint32_t thread;
	int64_t from_ns, to_ns, gap_ns; /* of the whole gap: the length */
};

struct jr_gap_call {
	enum jr_gap_cause cause;
	uint32_t name;           /* str of the call, or what gap_calls.c has in its place */
	int64_t count, gaps_ns;  /* gaps that began with it, and their lengths */
	int64_t n_long, long_ns; /* of these, the long ones */
	int64_t sum_ns;          /* idle time in it */
};

/* No launch takes as long, nor Python from one to the next: the host did something else. */
#define JR_GAP_LONG_NS 200000
#define JR_GAP_LONG "200 µs"

/* Idle time by what the launching thread did. All zero: no gap yet. */
struct jr_gap_calls {
	JR_VEC(struct jr_gap_late) late;
	JR_VEC(struct jr_gap_call) sums;
	struct jr_map rows; /* cause and name -> row of sums */
};

/** Take in one gap; one of unknown cause counts for nothing. */
void jr_gap_calls_add(struct jr_gap_calls *calls, const struct jr_profile *profile,
	const struct jr_gap *gap);
/**
 * Table "gap_calls": one row a cause and call, by time. Host-bound gaps are shared out by what the
 * launching thread was in: the outermost call, no call, or already the launch; each is counted
 * where it began. The rows of a cause add up to the length of its gaps to the nanosecond.
 *
 * Once, after all gaps. O((gaps + calls) log n), O(calls) where these are in order.
 */
struct jr_table *jr_gap_calls_table(struct jr_gap_calls *calls, struct jr_pass_context *ctx);
void jr_gap_calls_done(struct jr_gap_calls *calls);

#endif
