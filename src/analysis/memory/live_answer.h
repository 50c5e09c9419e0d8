/*
 * live_answer.h - the answer of a report on a device memory profile alone.
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_LIVE_ANSWER_H
#define JR_ANALYSIS_LIVE_ANSWER_H

#include "analysis/core/pass.h"

/**
 * Return what is live, and the source line that made most of it.
 *
 * @param out  set only if the profile is a device memory profile alone; in the result arena
 * @return false: it has executions, programs or compilations
 */
bool jr_live_answer(struct jr_pass_context *ctx, struct jr_answer *out);

#endif
