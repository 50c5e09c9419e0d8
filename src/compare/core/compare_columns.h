/*
 * compare_columns.h - columns that tables of a comparison share: base, new, and their change.
 * Layer: compare.
 */
#ifndef JR_COMPARE_COMPARE_COLUMNS_H
#define JR_COMPARE_COMPARE_COLUMNS_H

#include <math.h>

#include "analysis/shared/columns.h"
#include "compare/core/compare.h"

/* Definition of jr_change_fraction() for readers. */
#define JR_CHANGE_HELP "new / base - 1; empty for a base of 0 or less, unless nothing changed"

/* Definition of a change in which a value that one run lacks counts as 0. */
#define JR_CHANGE_OF_0_HELP "new - base; a value missing in one run counts as 0"

/** Return the relative change: 0 if nothing changed, 0 to 0 included. NaN if either is unknown or
 * the base is not above 0, because a negative base would flip the sign. */
static inline double jr_change_fraction(double base, double fresh)
{
	return base == fresh ? 0 : base > 0 ? fresh / base - 1 : NAN;
}

/** Fill a row of four columns: base, new, change and percent. JR_NULL_I64: no value. */
static inline void jr_change_i64(union jr_cells *to, size_t row, int64_t base, int64_t fresh)
{
	to[0].i64[row] = base;
	to[1].i64[row] = fresh;
	if (base == JR_NULL_I64 && fresh == JR_NULL_I64)
		return;
	to[2].i64[row] = (fresh == JR_NULL_I64 ? 0 : fresh) - (base == JR_NULL_I64 ? 0 : base);
	if (base != JR_NULL_I64)
		to[3].f64[row] = jr_change_fraction((double)base, fresh == JR_NULL_I64 ? 0 : (double)fresh);
}

/** Fill the same columns with doubles. NaN: no value. */
static inline void jr_change_f64(union jr_cells *to, size_t row, double base, double fresh)
{
	to[0].f64[row] = base;
	to[1].f64[row] = fresh;
	if (isnan(base) && isnan(fresh))
		return;
	to[2].f64[row] = (isnan(fresh) ? 0 : fresh) - (isnan(base) ? 0 : base);
	if (!isnan(base))
		to[3].f64[row] = jr_change_fraction(base, isnan(fresh) ? 0 : fresh);
}

/** Draw the steady steps of both runs from the table of the section on steps. Draws nothing if
 * there are none. */
void jr_compare_draw_steps(const struct jr_comparison *c, struct jr_section *out);
/** Return the program id of the new run, or of the base if only that has the program; both ("40 →
 * 42") if they differ. */
const char *jr_compare_program_id(const struct jr_comparison *c, size_t program);
/** Return the text in a program's column, of the new run or else the base. */
const char *jr_compare_program_text(const struct jr_comparison *c, size_t program, size_t column);
/** Return the name of a group of thunks: "fusion.3", "fusion.3 → fusion.7", "fusion.3 and 2 more".
 */
const char *jr_compare_thunk_name(const struct jr_comparison *c, const struct jr_thunk_match *t);
/** Return the text in a column for the group's heaviest thunk, of the new run or else the base; may
 * be NULL. */
const char *jr_compare_thunk_text(
	const struct jr_comparison *c, const struct jr_thunk_match *t, size_t column);
/** Return where in the code the group's heaviest thunk comes from, as its last scope, its operation
 * and its line: "mlp/dot_general, layers.py:53". A part that is not known, or a scope that is too
 * long for a headline, is left out. NULL: nothing is known. */
const char *jr_compare_thunk_place(const struct jr_comparison *c, const struct jr_thunk_match *t);
/** Return the sum of an integer column over a group per execution of its module; NaN if the run
 * does not have the group.
 */
double jr_compare_thunk_mean(
	const struct jr_comparison *c, const struct jr_thunk_match *t, int side, size_t column);
/** Return "slower" above 0, "faster" below 0, else "unchanged". */
const char *jr_compare_direction(double change);
/** Return a time as text, "1.2 ms"; in c->arena. */
const char *jr_compare_time(const struct jr_comparison *c, double ns);

#endif
