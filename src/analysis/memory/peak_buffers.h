/*
 * peak_buffers.h - the buffers alive at a heap's peak as a picture.
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_PEAK_BUFFERS_H
#define JR_ANALYSIS_PEAK_BUFFERS_H

#include "analysis/core/pass.h"

/** Add a bar chart and its table. Buffers of one class, operation and line are one bar, by bytes;
 * what is beyond the first 15 is one more, and so is what is set aside but not used then, so that
 * the bars add up to what is allocated.
 * @param live  table with text columns instruction, class, shape, op_name, source, and bytes and
 * trace (i64)
 * @param name  of the program
 * @param allocated_bytes  for the program; 0: not known, the bars add up to the buffers */
void jr_peak_buffers_add(struct jr_pass_context *ctx, struct jr_section *out,
	const struct jr_table *live, const char *name, int64_t allocated_bytes);

#endif
