/*
 * step_lags.h - the lag of each device in each step, as a figure.
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_STEP_LAGS_H
#define JR_ANALYSIS_STEP_LAGS_H

#include "analysis/core/pass.h"

/** Add the chart and its table, for people and as CSV: at most 64 rows of devices or hosts, and 100
 * columns of steps. Nothing is added if fewer than two devices or two steps can be compared.
 * O(lags log lags). */
void jr_add_step_lags(struct jr_pass_context *ctx, struct jr_section *out);

#endif
