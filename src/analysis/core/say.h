/*
 * say.h - shares and times as they stand in sentences.
 * Layer: analysis.
 *
 * A share above 100 % and a time below 0 cannot be. Where one stands in a sentence, the sentence
 * says so: nobody has to look elsewhere to learn that a number is in doubt.
 */
#ifndef JR_ANALYSIS_SAY_H
#define JR_ANALYSIS_SAY_H

#include <stdbool.h>

#include "base/arena.h"

struct jr_table;

/** "12.3 %", of a fraction, in `arena`; above 1 "675 % (above 100 %, so in doubt)". */
const char *jr_say_percent(struct jr_arena *arena, double frac);
/** "127.2 ms", in `arena`; of less than half of one "less than 1 ns", below 0 "-16 ns (negative, so
 * in doubt)". */
const char *jr_say_time(struct jr_arena *arena, double ns);
/** The same in three significant digits, "127 ms", for prose. */
const char *jr_say_brief(struct jr_arena *arena, double ns);
/** Behind "12 ms of 34 ms", means over the rows of gpu_ledger: "" of one, " on each of 2 GPUs"
 * where all have the same wall to 1 %, else " on average over 3 GPUs". */
const char *jr_say_gpus(struct jr_arena *arena, const struct jr_table *gpu_ledger);
/** True of a fraction that rounds to more than 100 % in three digits. */
bool jr_say_above_all(double frac);

#endif
