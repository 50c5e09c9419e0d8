/*
 * live_buffers.h - the buffers alive at a program's peak: what stays, and what the heap holds then.
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_LIVE_BUFFERS_H
#define JR_ANALYSIS_LIVE_BUFFERS_H

#include "analysis/memory/heap.h"
#include "analysis/core/pass.h"

/**
 * A row a buffer alive when the trace that was replayed last first reaches its peak; by size.
 *
 * @param id     of the program, "40"; borrowed
 * @param trace  its number in h->hlo
 */
struct jr_table *jr_live_in_heap(
	struct jr_pass_context *ctx, const struct jr_heap *h, const char *id, uint32_t trace);

/**
 * The same with what is set aside beside the trace's heap: a row an allocation of the device that
 * the trace does not simulate. The sizes add up to that memory and the heap's peak.
 *
 * @param trace  replayed last; JR_NONE: all allocations stay, nothing is simulated
 */
struct jr_table *jr_live_in_program(
	struct jr_pass_context *ctx, const struct jr_heap *h, const char *id, uint32_t trace);

#endif
