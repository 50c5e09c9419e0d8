/*
 * rank_waits.h - what each of many devices waits for others, as one picture.
 * Layer: analysis.  Definitions: README.md, section 6.3.
 */
#ifndef JR_ANALYSIS_RANK_WAITS_H
#define JR_ANALYSIS_RANK_WAITS_H

#include "analysis/core/pass.h"

/** Add the strip and its table, for people and as CSV: of more than JR_DEVICES_IN_FULL devices
 * where any waited. O(devices log devices) */
void jr_add_rank_waits(struct jr_pass_context *ctx, struct jr_section *out);

#endif
