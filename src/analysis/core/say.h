/*
 * say.h - format numbers for sentences.
 * Layer: analysis.
 *
 * A share above 100 % or a time below 0 is impossible. A sentence that contains such a number marks
 * it as in doubt, so the reader does not have to look elsewhere.
 */
#ifndef JR_ANALYSIS_SAY_H
#define JR_ANALYSIS_SAY_H

#include <stdbool.h>

#include "base/arena.h"

struct jr_table;

/** Format as the function of base/num.h does, in `arena`: "1,152", "16.8 GB", "127.2 ms", `digits`
 * significant digits. */
const char *jr_count_text(struct jr_arena *arena, int64_t n);
const char *jr_bytes_text(struct jr_arena *arena, double bytes);
const char *jr_time_text(struct jr_arena *arena, double ns);
const char *jr_digits_text(struct jr_arena *arena, double v, int digits);
/** Format a fraction as "12.3 %", in `arena`; above 1 "675 % (above 100 %, so in doubt)". */
const char *jr_say_percent(struct jr_arena *arena, double frac);
/** Format a time as "127.2 ms", in `arena`; below half a nanosecond "less than 1 ns", below 0 "-16
 * ns (negative, so in doubt)". */
const char *jr_say_time(struct jr_arena *arena, double ns);
/** Format a time with three significant digits, "127 ms", for prose. */
const char *jr_say_brief(struct jr_arena *arena, double ns);
/** Return whether the wall times of the rows of gpu_ledger are equal within 1 %. */
bool jr_say_equal_walls(const struct jr_table *gpu_ledger);
/** Return the words after "12 ms of 34 ms", which are means over the rows of gpu_ledger: "" for one
 * row, " per GPU" if all have the same wall time within 1 %, else " per GPU on average". */
const char *jr_say_per_gpu(const struct jr_table *gpu_ledger);
/** Return true if the fraction rounds to more than 100 % in three digits. */
bool jr_say_above_all(double frac);

#endif
