/*
 * heap.h - replay of heap simulator traces; analysis/README.md, section 7.
 * Layer: analysis.  Scratch memory is the caller's arena; the map is released by jr_heap_done().
 *
 * A canonical buffer has a count of live users. ALLOC sets it to 1 and adds the buffer's size.
 * SHARE_WITH raises the canonical buffer's count, and where that was 0 (all earlier users freed)
 * adds the size again. FREE lowers the count, through the alias, and at 0 takes the size away.
 */
#ifndef JR_ANALYSIS_HEAP_H
#define JR_ANALYSIS_HEAP_H

#include "base/intern.h"
#include "model/profile/profile.h"

struct jr_heap {
	const struct jr_hlo *hlo;
	struct jr_map buffer_by_id; /* logical buffer id -> row of hlo->buffers */
	uint32_t *allocation;       /* [n_buffers] the first that lists it, JR_NONE = none does */
	uint32_t *canonical;        /* [n_buffers] whose memory it uses; itself at first */
	uint32_t *users;            /* [n_buffers] live users of a canonical buffer */
	/* of the trace replayed last */
	uint64_t *curve; /* [n_points] bytes; curve[0] = 0 */
	size_t n_points;
	uint64_t peak_bytes;
	size_t peak_event; /* events applied when the peak was first reached */
};

/** Index the buffers of a module. O(buffers + what allocations list). */
void jr_heap_init(struct jr_heap *h, const struct jr_hlo *hlo, struct jr_arena *scratch);
void jr_heap_done(struct jr_heap *h);

/** Replay a trace: curve, peak. Sizes that no memory has (they would add up beyond int64) leave the
 * heap at the largest value. O(events). */
void jr_heap_replay(
	struct jr_heap *h, const struct jr_hlo_heap_trace *trace, struct jr_arena *scratch);

/** Rows of hlo->buffers alive at the peak of the trace that was replayed last, each once, those of
 * no size left out; in no order. O(events). */
size_t jr_heap_live(const struct jr_heap *h, const struct jr_hlo_heap_trace *trace,
	struct jr_arena *scratch, uint32_t **rows);

/** Mark the allocations that the trace simulates: those of its buffers. marks: [n_allocations],
 * false at first. */
void jr_heap_mark(const struct jr_heap *h, const struct jr_hlo_heap_trace *trace, bool *marks);

/** True where one of its buffers lies in the host's memory: the trace is of a heap there.
 * O(events). */
bool jr_heap_is_of_host(const struct jr_heap *h, const struct jr_hlo_heap_trace *trace);

#endif
