/*
 * compare_columns.h - what tables of a comparison share: base, new and the change between them.
 * Layer: compare.
 */
#ifndef JR_COMPARE_COMPARE_COLUMNS_H
#define JR_COMPARE_COMPARE_COLUMNS_H

#include <math.h>

#include "analysis/shared/columns.h"
#include "base/cleanup.h"
#include "base/num.h"
#include "compare/core/compare.h"

/* What jr_change_fraction() is, for readers. */
#define JR_CHANGE_HELP "new / base - 1; not said of a base of 0 or less, unless nothing changed"

/* What the change of what one run may not have is, where that is 0. */
#define JR_CHANGE_OF_0_HELP "new - base; what one run does not have counts as 0"

/** Relative change; NaN where either is unknown or the base is not above 0: a share of less than
 * nothing turns the sign about. 0 where nothing changed, 0 to 0 included. */
static inline double jr_change_fraction(double base, double fresh)
{
	return base == fresh ? 0 : base > 0 ? fresh / base - 1 : NAN;
}

/** Fill a row of four columns, base, new, change and percent. JR_NULL_I64: not there. */
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

/** The same of doubles; NaN: not there. */
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

/** Draw the steady steps of both runs, of which the section on steps has the table; nothing where
 * there are none. */
void jr_compare_draw_steps(const struct jr_comparison *c, struct jr_section *out);
/** Program id of the new run, or of the base where only that has it; both ("40 → 42") where they
 * differ. */
const char *jr_compare_program_id(const struct jr_comparison *c, size_t program);
/** Text of a program's column likewise, of the new run or else the base. */
const char *jr_compare_program_text(const struct jr_comparison *c, size_t program, size_t column);
/** Name of a group of thunks: "fusion.3", "fusion.3 → fusion.7", "fusion.3 and 2 more". */
const char *jr_compare_thunk_name(const struct jr_comparison *c, const struct jr_thunk_match *t);
/** Text of a column of a group's heaviest thunk, of the new run or else the base; NULL. */
const char *jr_compare_thunk_text(
	const struct jr_comparison *c, const struct jr_thunk_match *t, size_t column);
/** Sum of an integer column over a group per execution of its module; NaN where that is not there.
 */
double jr_compare_thunk_mean(
	const struct jr_comparison *c, const struct jr_thunk_match *t, int side, size_t column);
/** "slower" for more than 0, "faster" for less, else "unchanged". */
const char *jr_compare_direction(double change);
/** "1.2 ms"; in c->arena. */
const char *jr_compare_time(const struct jr_comparison *c, double ns);

#endif
