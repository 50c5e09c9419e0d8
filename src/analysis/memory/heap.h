/*
 * heap.h - replay of heap simulator traces; analysis/README.md, section 7.
 * Layer: analysis.  Scratch memory is the caller's arena; jr_heap_done() releases the map.
 *
 * A canonical buffer has a count of live users. ALLOC sets it to 1 and adds the buffer's size.
 * SHARE_WITH raises the canonical buffer's count. If the count was 0 (all earlier users freed), it
 * adds the size again. FREE lowers the count, through the alias, and at 0 subtracts the size.
 */
#ifndef JR_ANALYSIS_HEAP_H
#define JR_ANALYSIS_HEAP_H

#include "base/intern.h"
#include "model/profile/profile.h"

struct jr_heap {
	const struct jr_hlo *hlo;
	struct jr_map buffer_by_id; /* logical buffer id -> row of hlo->buffers */
	uint32_t *allocation;       /* [n_buffers] first allocation that lists it; JR_NONE = none */
	uint32_t *canonical;        /* [n_buffers] buffer whose memory it uses; initially itself */
	uint32_t *users;            /* [n_buffers] live users of a canonical buffer */
	/* results of the last replay */
	uint64_t *curve; /* [n_points] bytes; curve[0] = 0 */
	size_t n_points;
	uint64_t peak_bytes;
	size_t peak_event; /* events applied when the peak was first reached */
};

/** Index the buffers of a module. O(buffers + entries of allocations). */
void jr_heap_init(struct jr_heap *h, const struct jr_hlo *hlo, struct jr_arena *scratch);
void jr_heap_done(struct jr_heap *h);

/** Replay a trace and compute its curve and peak. If sizes add up beyond int64, which is impossible
 * in real memory, the heap stays at the largest value. O(events). */
void jr_heap_replay(
	struct jr_heap *h, const struct jr_hlo_heap_trace *trace, struct jr_arena *scratch);

/** List the rows of hlo->buffers that are alive at the peak of the last replayed trace. Each row is
 * listed once, in no order; buffers of size 0 are left out. O(events). */
size_t jr_heap_live(const struct jr_heap *h, const struct jr_hlo_heap_trace *trace,
	struct jr_arena *scratch, uint32_t **rows);

/** Mark the allocations of the trace's buffers, which the trace simulates. marks: [n_allocations],
 * initially false. */
void jr_heap_mark(const struct jr_heap *h, const struct jr_hlo_heap_trace *trace, bool *marks);

/** Return true if one of its buffers is in host memory: the trace simulates a host heap.
 * O(events). */
bool jr_heap_is_of_host(const struct jr_heap *h, const struct jr_hlo_heap_trace *trace);

#endif
