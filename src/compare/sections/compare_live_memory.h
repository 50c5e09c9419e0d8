/*
 * compare_live_memory.h - the answer of a comparison of two device memory profiles.
 * Layer: compare.
 */
#ifndef JR_COMPARE_LIVE_MEMORY_H
#define JR_COMPARE_LIVE_MEMORY_H

#include "compare/core/compare.h"

/** Return whether live memory grew, and the source line that grew most: for judgement.live. In the
 * comparison's arena. */
struct jr_answer jr_compare_live_answer(const struct jr_comparison *c);

#endif
