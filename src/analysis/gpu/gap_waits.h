/*
 * gap_waits.h - idle time of devices that follows a wait of the host.
 * Layer: analysis, private to gaps.c and findings_idle.c.
 *
 * A host that waits for a device has launched nothing more when it goes on: the device has run out
 * of work, or does so before the next launches come. Had it not waited, all it launches would have
 * come earlier by as long as it waited. So of the host-bound gaps of a device from one wait to the
 * next, as much counts as idle time after the wait as that wait took, and no more.
 */
#ifndef JR_ANALYSIS_GAP_WAITS_H
#define JR_ANALYSIS_GAP_WAITS_H

#include "analysis/gpu/gaps.h"

struct jr_gap_waits;

/** Find the waits of threads that launch work, and the copy that each waits for: that of the call
 * itself, or of the call ahead of it. In the scratch arena. O(calls log n). */
struct jr_gap_waits *jr_gap_waits_new(const struct jr_pass_context *ctx);
/** Take in one gap, device by device; only host-bound ones that are not of first use count.
 * O(log n). */
void jr_gap_waits_add(struct jr_gap_waits *waits, const struct jr_gap *gap);
/** Table "gap_waits": one row per call, kind of copy and range, by the idle time that follows; NULL
 * where none follows. Once, after all gaps. */
struct jr_table *jr_gap_waits_table(struct jr_gap_waits *waits, struct jr_pass_context *ctx);
void jr_gap_waits_done(struct jr_gap_waits *waits);

#endif
