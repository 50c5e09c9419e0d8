/*
 * gaps.h - a gap on a GPU and its cause.
 * Layer: analysis, private to gaps.c, gap_calls.c, gap_waits.c, first_use.c and findings_idle.c.
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
 *   unknown       the call, or when it returned, was not profiled; or it may have run what was not
 *                 recorded (integrity.h)
 */
#ifndef JR_ANALYSIS_GAPS_H
#define JR_ANALYSIS_GAPS_H

#include "analysis/core/pass.h"
#include "analysis/core/terms.h"
#include "base/vec.h"

enum jr_gap_cause { JR_GAP_HOST, JR_GAP_LAUNCH, JR_GAP_DEVICE, JR_GAP_UNKNOWN, JR_N_GAP_CAUSES };
/* "host-bound", ... as tables have them. */
extern const char *const jr_gap_causes[JR_N_GAP_CAUSES];

/* In place of a call: the launching thread was in none; it was in the launch. */
#define JR_GAP_NO_CALL "(outside of " JR_CUDA ")" /* as jr_vendor_words() has it */
#define JR_GAP_LAUNCHING "(launching)"

struct jr_gap {
	int64_t start_ns, dur_ns;
	uint32_t device, before, after; /* rows of gpu_ops: what ended last, what begins next */
	enum jr_gap_cause cause;
	bool first_use; /* jr_first_use_is() */
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
/* About what the host needs to launch a kernel. */
#define JR_LAUNCH_NS 5000

/* Idle time by what the launching thread did. All zero: no gap yet. */
struct jr_gap_calls {
	JR_VEC(struct jr_gap_late) late;
	JR_VEC(struct jr_gap_call) sums;
	struct jr_map rows; /* cause and name -> row of sums */
};

/** Take in one gap; one of unknown cause counts for nothing. */
void jr_gap_calls_add(
	struct jr_gap_calls *calls, const struct jr_profile *profile, const struct jr_gap *gap);
/**
 * Table "gap_calls", or "gap_first_use": one row a cause and call, by time. Host-bound gaps are
 * shared out by what the launching thread was in: the outermost call, no call, or already the
 * launch; each is counted where it began. The rows of a cause add up to the length of its gaps to
 * the nanosecond.
 *
 * Once, after all gaps. O((gaps + calls) log n), O(calls) where these are in order.
 */
struct jr_table *jr_gap_calls_table(
	struct jr_gap_calls *calls, bool first_use, struct jr_pass_context *ctx);
void jr_gap_calls_done(struct jr_gap_calls *calls);

/* Gaps at the first use of code, first_use.c: what comes once says nothing of later steps. */
struct jr_first_use;

/** Loads code: cuModuleLoadDataEx, cuLinkComplete, cuLibraryLoadData, cudaGraphInstantiate, ... */
bool jr_call_loads(const char *name);
/** What is needed of calls and kernels to tell such gaps; once for all devices, in the scratch
 * arena. O(n log n) of calls and operations. */
struct jr_first_use *jr_first_use_new(const struct jr_pass_context *ctx);
/**
 * Tell whether a gap is one: its launching thread loads code in it, for the first time ahead of the
 * operation that ends it; or it ends in a kernel that did not run before on the device, is of
 * JR_GAP_LONG_NS or more, and four times as long as the gaps ahead of later runs of the kernel are
 * on average. To be asked of all gaps of a device in order. One of unknown cause is none.
 */
bool jr_first_use_is(struct jr_first_use *first, const struct jr_gap *gap);
void jr_first_use_done(struct jr_first_use *first);

/** Rows of calls [t->n] by thread and start, the outer of two ahead of the inner. O(n log n). */
uint32_t *jr_gap_sort_calls(const struct jr_api_calls *t, struct jr_arena *scratch);

#endif
