/*
 * memory_bands.h - chart of a program's memory over program order.
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_MEMORY_BANDS_H
#define JR_ANALYSIS_MEMORY_BANDS_H

#include "analysis/core/pass.h"

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

#endif
