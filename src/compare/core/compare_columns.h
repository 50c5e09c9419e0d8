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

#define JR_COMPARE_SPEC(id, path, heading, text, cols)                                             \
	.name = (id), .json = (path), .title = (heading), .help = (text),                              \
	.n_columns = JR_COUNT_OF(cols), .columns = (cols)

/* What jr_change_fraction() is, for readers. */
#define JR_CHANGE_HELP                                                                             \
	"new / base - 1; not said of a base of 0 or less, unless nothing changed"

/* Four columns in a row; `suffix` ends the keys of the first three ("_ms"). */
#define JR_CHANGE_COLUMNS(suffix, what, number, unit_of)                                           \
	JR_CHANGE_COLUMNS_SAYING(                                                                      \
		suffix, what, number, unit_of, "new - base; what one run does not have counts as 0")
/* ... of what is not 0 where one run does not have it (jr_change_of_both()). */
#define JR_CHANGE_COLUMNS_OF_BOTH(suffix, what, number, unit_of)                                   \
	JR_CHANGE_COLUMNS_SAYING(suffix, what, number, unit_of, "new - base, where both have it")
#define JR_CHANGE_COLUMNS_SAYING(suffix, what, number, unit_of, difference)                        \
	{"base" suffix, "Base", what ", in the base", number, unit_of, 0},                             \
		{"new" suffix, "New", what ", in the new run", number, unit_of, 0},                        \
		{"change" suffix, "Change", difference, number, unit_of, JR_COL_CHANGE},                   \
	{                                                                                              \
		"change_percent", "Change", JR_CHANGE_HELP, JR_F64, JR_UNIT_PERCENT, JR_COL_CHANGE         \
	}

/** Relative change; NaN where either is unknown or the base is not above 0: a share of less than
 * nothing turns the sign about. 0 where nothing changed, 0 to 0 included. */
static inline double jr_change_fraction(double base, double fresh)
{
	return base == fresh ? 0 : base > 0 ? fresh / base - 1 : NAN;
}

/** Fill the four columns from `column` on; JR_NULL_I64: not there. */
static inline void jr_change_i64(
	struct jr_table *table, size_t column, size_t row, int64_t base, int64_t fresh)
{
	int64_t from = base == JR_NULL_I64 ? 0 : base, to = fresh == JR_NULL_I64 ? 0 : fresh;
	table->cells[column].i64[row] = base;
	table->cells[column + 1].i64[row] = fresh;
	table->cells[column + 2].i64[row] = to - from;
	if (base != JR_NULL_I64)
		table->cells[column + 3].f64[row] = jr_change_fraction((double)from, (double)to);
}

/** The same of doubles; NaN: not there. */
static inline void jr_change_f64(
	struct jr_table *table, size_t column, size_t row, double base, double fresh)
{
	double from = isnan(base) ? 0 : base, to = isnan(fresh) ? 0 : fresh;
	table->cells[column].f64[row] = base;
	table->cells[column + 1].f64[row] = fresh;
	if (isnan(base) && isnan(fresh))
		return;
	table->cells[column + 2].f64[row] = to - from;
	if (!isnan(base))
		table->cells[column + 3].f64[row] = jr_change_fraction(from, to);
}

/** The same where what one run does not have is not 0: a bandwidth, the time of a step. */
static inline void jr_change_of_both(
	struct jr_table *table, size_t column, size_t row, double base, double fresh)
{
	jr_change_f64(table, column, row, base, fresh);
	if (isnan(base) || isnan(fresh))
		table->cells[column + 2].f64[row] = table->cells[column + 3].f64[row] = NAN;
}

/** The same of integers. */
static inline void jr_change_i64_of_both(
	struct jr_table *table, size_t column, size_t row, int64_t base, int64_t fresh)
{
	jr_change_i64(table, column, row, base, fresh);
	if (base != JR_NULL_I64 && fresh != JR_NULL_I64)
		return;
	table->cells[column + 2].i64[row] = JR_NULL_I64;
	table->cells[column + 3].f64[row] = NAN;
}

/** Steady steps of both runs in order, those of the base first: columns "run", "dur_ms" and so on.
 * In c->arena. */
struct jr_table *jr_compare_step_table(const struct jr_comparison *c);
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

/**
 * A table of rows that go by one name, both runs' side by side, the largest change first: columns
 * the name, any of texts that are left to the caller, the four of JR_CHANGE_COLUMNS as doubles and,
 * where the spec has it, "direction" (slower, faster, unchanged). NULL where neither run has a row.
 * In c->arena.
 *
 * @param rows, name  table of the runs and its column of the names
 * @param value       what is compared: of a row of a run, NaN where that is not known; called with
 *                    SIZE_MAX for a row that a run does not have
 */
struct jr_table *jr_compare_named(const struct jr_comparison *c, const struct jr_table_spec *spec,
	enum jr_run_table rows, size_t name, double (*value)(const struct jr_run *run, size_t row));

#endif
