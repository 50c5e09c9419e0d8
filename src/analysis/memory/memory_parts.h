/*
 * memory_parts.h - parts of the section on memory: buffers at the peak, and charts; the answer of a
 * report on a device memory profile alone.
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_MEMORY_MEMORY_PARTS_H
#define JR_ANALYSIS_MEMORY_MEMORY_PARTS_H

#include "analysis/core/pass.h"
#include "analysis/memory/heap.h"

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

/**
 * Add a chart and its table. The permanent parts are stacked bands, the heap of the trace is on top
 * of them, and a line shows the total allocation. An allocation that the trace simulates is part of
 * the heap and of no band. Bands too thin to see have no series, but raise the bands above them.
 *
 * @param trace  of the program's dump
 * @return false, with nothing added, if the heap never changes
 */
bool jr_memory_bands_add(
	struct jr_pass_context *ctx, struct jr_section *out, uint32_t program, uint32_t trace);

/**
 * Add a bar chart and its table. Buffers of equal class, operation and line form one bar; bars are
 * sorted by bytes. One more bar contains everything after the first 15. Another one contains the
 * memory that is allocated but unused at the peak, so the bars add up to the allocated memory.
 * @param live  table with text columns instruction, class, shape, op_name, source, and bytes and
 *              trace (i64)
 * @param name  of the program
 * @param allocated_bytes  for the program; 0: not known, and the bars add up to the buffers
 */
void jr_peak_buffers_add(struct jr_pass_context *ctx, struct jr_section *out,
	const struct jr_table *live, const char *name, int64_t allocated_bytes);

/**
 * Return what is live, and the source line that made most of it.
 *
 * @param out  set only if the profile is a device memory profile alone; in the result arena
 * @return false: it has executions, programs or compilations
 */
bool jr_live_answer(struct jr_pass_context *ctx, struct jr_answer *out);

#endif
