/*
 * ahead.h - what depends on the programs alone: computed beside the first passes, on a thread of
 * its own, because it takes a third of the time of all passes.
 * Layer: analysis.  Thread use: one thread asks.
 */
#ifndef JR_ANALYSIS_AHEAD_H
#define JR_ANALYSIS_AHEAD_H

#include "analysis/cost/attention.h"
#include "analysis/cost/cost.h"
#include "analysis/shared/steady.h"

struct jr_ahead;

/** Start with the costs, and with the scores of the top modules, if the run has several threads.
 * Otherwise each is computed when it is asked for. All of it is in `arena`. */
struct jr_ahead *jr_ahead_start(
	const struct jr_profile *profile, const struct jr_steady *steady, struct jr_arena *arena);
/** Return jr_costs_compute() of the profile. */
const struct jr_cost *jr_ahead_costs(struct jr_ahead *ahead);
/** Return jr_scores_of() a program, which has HLO. */
const struct jr_scores *jr_ahead_scores(struct jr_ahead *ahead, uint32_t program);
/** Wait for the thread. Call it before the profile or the arena ends, at any time. */
void jr_ahead_wait(struct jr_ahead *ahead);

#endif
