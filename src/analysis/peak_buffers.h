/*
 * peak_buffers.h - the buffers alive at a heap's peak as a picture.
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_PEAK_BUFFERS_H
#define JR_ANALYSIS_PEAK_BUFFERS_H

#include "analysis/pass.h"

/** Add a bar chart and its table. Buffers of one operation and line are one bar, by bytes; what is
 * beyond the first 15 is one more, so that the bars add up to the peak.
 * @param live  table with text columns instruction, op_name, source and bytes (i64) */
void jr_peak_buffers_add(
	struct jr_pass_context *ctx, struct jr_section *out, const struct jr_table *live);

#endif
