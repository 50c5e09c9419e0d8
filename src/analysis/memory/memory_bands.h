/*
 * memory_bands.h - a program's memory over program order as a picture.
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_MEMORY_BANDS_H
#define JR_ANALYSIS_MEMORY_BANDS_H

#include "analysis/core/pass.h"

/**
 * Add a chart and its table: the parts that stay as bands on each other, the heap of the trace on
 * top of them, and how much is set aside in all. An allocation that the trace simulates is in the
 * heap and in no band. Bands too thin to be seen have no series, but lift what is above them.
 *
 * @param trace  of the program's dump
 * @return false, with nothing added, where the heap never changes
 */
bool jr_memory_bands_add(
	struct jr_pass_context *ctx, struct jr_section *out, uint32_t program, uint32_t trace);

#endif
