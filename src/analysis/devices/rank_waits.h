/*
 * rank_waits.h - chart of the time that each of many devices waits for others.
 * Layer: analysis.  Definitions: README.md, section 6.3.
 */
#ifndef JR_ANALYSIS_RANK_WAITS_H
#define JR_ANALYSIS_RANK_WAITS_H

#include "analysis/core/pass.h"

/** Add the chart and its table, for people and as CSV. Nothing is added for up to
 * JR_DEVICES_IN_FULL devices, for more than 16384, or if no device waited.
 * O(devices log devices). */
void jr_add_rank_waits(struct jr_pass_context *ctx, struct jr_section *out);

#endif
