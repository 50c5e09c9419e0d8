/*
 * peak_buffers.h - chart of the buffers alive at a heap's peak.
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_PEAK_BUFFERS_H
#define JR_ANALYSIS_PEAK_BUFFERS_H

#include "analysis/core/pass.h"

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

#endif
