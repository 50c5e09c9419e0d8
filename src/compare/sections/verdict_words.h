/*
 * verdict_words.h - parts of the verdict that its sentence and its figures share.
 * Layer: compare.  Texts are in the comparison's arena.
 */
#ifndef JR_COMPARE_VERDICT_WORDS_H
#define JR_COMPARE_VERDICT_WORDS_H

#include "compare/core/compare.h"

/** Return "+3.01 %", "−3.01 %", "0 %"; "from 0" for an infinite change. */
const char *jr_verdict_percent(const struct jr_comparison *c, double frac);
/** Return the median of the sample that the verdict is based on, in ns; NaN: there is none. */
double jr_verdict_step_ns(const struct jr_comparison *c, int side);
/** Return whether neither run has steps, so that other metrics lead. */
bool jr_verdict_no_steps(const struct jr_comparison *c);
/** Return the change of a metric, by its name in metrics.def. */
struct jr_metric_change jr_verdict_change_of(const struct jr_comparison *c, const char *metric);
/** Return "90.4 % before, −7.85 pp"; NULL: the base does not have the metric. */
const char *jr_verdict_change_note(const struct jr_comparison *c, const char *metric);

#endif
