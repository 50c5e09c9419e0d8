/*
 * verdict_words.h - parts of the verdict that its sentence and its figures share, and what sections
 * give to it.
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

/**
 * Return the part of the GPU time whose share changed most, and the kernel whose mean time changed
 * most, weighted by its launches: one sentence each. Both need at least 0.5 % of the GPU time, and
 * the kernel 4 standard errors. If nothing changed that much, the sentence says so.
 * @return in the comparison's arena; NULL: a run has no GPU operations
 * @note O(kernels)
 */
const char *jr_compare_gpu_changes(const struct jr_comparison *c);
/** Return whether live memory grew, and the source line that grew most: for judgement.live. In the
 * comparison's arena. */
struct jr_answer jr_compare_live_answer(const struct jr_comparison *c);
/** Return "The runs also differ in --xla_gpu_graph_level (0 → 1), driver (550.54 → 570.86).":
 * settings that may explain a change. NULL: none is known to differ. In c->arena. O(settings) */
const char *jr_compare_settings_note(const struct jr_comparison *c);
/** Return the instruction of the first programs whose roofline time changed most, as "dot.3
 * (model.py:7, +1.2 ms)"; NULL if none is known to have changed. In c->arena. */
const char *jr_compare_plan_largest(const struct jr_comparison *c);

#endif
