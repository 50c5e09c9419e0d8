/*
 * gaps.h - a gap on a GPU and its cause.
 * Layer: analysis, private to gaps.c, gap_calls.c, gap_waits.c, first_use.c,
 * findings_idle.c and findings_gaps.c.
 *
 * A gap is an interval in which nothing runs on a device. It lasts from the end of all operations
 * that began before it to the start of the next one. The cause depends on the state of the call
 * that launched that next operation, at the instant at which the gap begins:
 *
 *   host-bound    the call begins later: the host was late
 *   launch-bound  the call begins then or earlier and returns later: it was in flight
 *   device-bound  the call returns then or earlier: the operation was queued, and the device or a
 *                 dependency of the operation was late. The cause is the same if the call launches
 *                 a CUDA graph and another node of the graph had begun on the device
 *   unknown       the call or its return was not profiled, or unrecorded operations may have run in
 *                 the gap (integrity.h)
 */
#ifndef JR_ANALYSIS_GAPS_H
#define JR_ANALYSIS_GAPS_H

#include "analysis/core/pass.h"
#include "analysis/core/terms.h"
#include "base/vec.h"

enum jr_gap_cause { JR_GAP_HOST, JR_GAP_LAUNCH, JR_GAP_DEVICE, JR_GAP_UNKNOWN, JR_N_GAP_CAUSES };
/* "host-bound", ... as in tables. */
extern const char *const jr_gap_causes[JR_N_GAP_CAUSES];

/* These replace a call's name: the launching thread was in no call, or it was in the launch. */
#define JR_GAP_NO_CALL "(outside of " JR_CUDA ")" /* as in jr_vendor_words() */
#define JR_GAP_LAUNCHING "(launching)"

struct jr_gap {
	int64_t start_ns, dur_ns;
	uint32_t device, before, after; /* rows of gpu_ops: last operation to end, next to begin */
	enum jr_gap_cause cause;
	bool first_use; /* jr_first_use_is() */
};

/* A thread that had not yet begun to launch: a host-bound gap up to the launching call. */
struct jr_gap_late {
	uint32_t thread;
	int64_t from_ns, to_ns, gap_ns; /* gap_ns: length of the whole gap */
};

struct jr_gap_call {
	enum jr_gap_cause cause;
	uint32_t name;           /* str of the call, or its replacement in gap_calls.c */
	int64_t count, gaps_ns;  /* gaps that began with it, and their total length */
	int64_t n_long, long_ns; /* of these, the long ones */
	int64_t sum_ns;          /* idle time in it */
};

/* No launch takes this long, nor does Python between two launches: the host did something else. */
#define JR_GAP_LONG_NS 200000
#define JR_GAP_LONG "200 µs"
/* Approximate time that the host needs to launch a kernel. */
#define JR_LAUNCH_NS 5000

/* Idle time by the activity of the launching thread. All zero: no gap yet. */
struct jr_gap_calls {
	JR_VEC(struct jr_gap_late) late;
	JR_VEC(struct jr_gap_call) sums;
	struct jr_map rows; /* cause and name -> row of sums */
	size_t last;        /* row of sums of the last gap, which is often that of the next */
};

/** Add one gap. A gap of unknown cause is ignored. */
void jr_gap_calls_add(
	struct jr_gap_calls *calls, const struct jr_profile *profile, const struct jr_gap *gap);
/**
 * Build table "gap_calls" or "gap_first_use": one row per cause and call, sorted by time.
 * Host-bound gaps are divided by the state of the launching thread: in the outermost call, in no
 * call, or already in the launch. Each gap is counted in the row in which it began. The rows of a
 * cause add up to the length of its gaps to the nanosecond.
 *
 * Call once, after all gaps. O(calls + gaps log n), O(calls) if the gaps are in order.
 * @param order  what jr_gap_sort_calls() returns
 */
struct jr_table *jr_gap_calls_table(
	struct jr_gap_calls *calls, const uint32_t *order, bool first_use, struct jr_pass_context *ctx);
void jr_gap_calls_done(struct jr_gap_calls *calls);

/* Gaps at the first use of code, first_use.c. They occur once, so they do not predict later
 * steps. */
struct jr_first_use;

/** Return true if the call loads code: cuModuleLoadDataEx, cuLinkComplete, cuLibraryLoadData,
 * cudaGraphInstantiate, ... */
bool jr_call_loads(const char *name);
/** Collect the data on calls and kernels that jr_first_use_is() needs. Call once for all devices.
 * Allocate in the scratch arena. O(n log n) in calls and operations. */
struct jr_first_use *jr_first_use_new(const struct jr_pass_context *ctx);
/**
 * Return true if the gap is one of first use. This holds in two cases. In the first, its launching
 * thread loads code in it, for the first time before the operation that ends it. In the second, it
 * ends in a kernel that did not run before on the device. It then lasts JR_GAP_LONG_NS or more, and
 * at least four times the mean gap before later runs of the kernel. Call for all gaps of a device
 * in order. Gaps of unknown cause return false.
 */
bool jr_first_use_is(struct jr_first_use *first, const struct jr_gap *gap);
void jr_first_use_done(struct jr_first_use *first);

/** Return the rows of calls [t->n] sorted by thread and start, outer calls before inner ones.
 * O(n log n). */
uint32_t *jr_gap_sort_calls(const struct jr_api_calls *t, struct jr_arena *scratch);

struct jr_gap_waits;

/** Find the waits of threads that launch work, and the copy that each wait is for: the copy of the
 * call itself or of the call before it. Allocate in the scratch arena. O(calls).
 * @param order  what jr_gap_sort_calls() returns */
struct jr_gap_waits *jr_gap_waits_new(const struct jr_pass_context *ctx, const uint32_t *order);
/** Add one gap; gaps must come device by device. Only host-bound gaps that are not of first use
 * count. O(log n). */
void jr_gap_waits_add(struct jr_gap_waits *waits, const struct jr_gap *gap);
/** Build table "gap_waits": one row per call, kind of copy and range, sorted by the idle time that
 * follows. Return NULL if no idle time follows any wait. Call once, after all gaps. */
struct jr_table *jr_gap_waits_table(struct jr_gap_waits *waits, struct jr_pass_context *ctx);
void jr_gap_waits_done(struct jr_gap_waits *waits);

#endif
