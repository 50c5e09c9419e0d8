/*
 * live_buffers.h - buffers alive at a program's peak: permanent ones and those of the heap.
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_LIVE_BUFFERS_H
#define JR_ANALYSIS_LIVE_BUFFERS_H

#include "analysis/memory/heap.h"
#include "analysis/core/pass.h"

/**
 * Build a table with one row per buffer that is alive when the last replayed trace first reaches
 * its peak, sorted by size.
 *
 * @param id     of the program, "40"; borrowed
 * @param trace  its number in h->hlo
 */
struct jr_table *jr_live_in_heap(
	struct jr_pass_context *ctx, const struct jr_heap *h, const char *id, uint32_t trace);

/**
 * Build the same table with the memory outside the trace's heap added: one row per device
 * allocation that the trace does not simulate. The sizes add up to that memory plus the heap's
 * peak.
 *
 * @param trace  replayed last; JR_NONE: nothing is simulated, all allocations stay
 */
struct jr_table *jr_live_in_program(
	struct jr_pass_context *ctx, const struct jr_heap *h, const char *id, uint32_t trace);

#endif
