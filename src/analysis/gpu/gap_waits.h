/*
 * gap_waits.h - idle time of devices that follows a wait of the host.
 * Layer: analysis, private to gaps.c and findings_idle.c.
 *
 * A host that waits for a device launches nothing until the wait ends. By then the device has run
 * out of work, or it does so before the next launches. Without the wait, all later launches would
 * come earlier by the length of the wait. The idle time after a wait is the sum of the device's
 * host-bound gaps up to the next wait. It is limited to the length of the wait.
 */
#ifndef JR_ANALYSIS_GAP_WAITS_H
#define JR_ANALYSIS_GAP_WAITS_H

#include "analysis/gpu/gaps.h"

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
