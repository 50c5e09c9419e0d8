/*
 * compare_plan.h - the largest difference of two plans, for the verdict.
 * Layer: compare.
 */
#ifndef JR_COMPARE_COMPARE_PLAN_H
#define JR_COMPARE_COMPARE_PLAN_H

#include "compare/core/compare.h"

/** Return the instruction of the first programs whose roofline time changed most, as "dot.3
 * (model.py:7, +1.2 ms)"; NULL if none is known to have changed. In c->arena. */
const char *jr_compare_plan_largest(const struct jr_comparison *c);

#endif
