/*
 * compare_rows.h - describe a table of a comparison as data: columns, their values, rows, order and
 * chart.
 * Layer: compare.
 *
 * The columns of a table are a macro T(X, T) that lists X(T, key, title, help, type, unit, flags,
 * fill), with the fields of struct jr_column_spec without JR_ and JR_UNIT_. `key` is an identifier:
 * it becomes the enumerator T_key and the JSON key. Charts and functions use the enumerator, so
 * code that uses a renamed key does not compile. `fill` is one of the macros below; a table whose
 * section fills it has none.
 */
#ifndef JR_COMPARE_COMPARE_ROWS_H
#define JR_COMPARE_COMPARE_ROWS_H

#include "analysis/core/keys.h"
#include "compare/core/compare_columns.h"

/* A row that is being filled. */
struct jr_compare_row {
	const struct jr_comparison *c;
	const struct jr_compare_rows *rows;
	const void *context; /* as given to jr_compare_table() */
	size_t i;            /* index of the pair; in c->match if the pairs are of a match */
	size_t row[2];       /* in the runs' table; SIZE_MAX: not in that run */
};

/** Return the run whose row represents both: the new run, or the base if only that has the row. */
static inline int jr_compare_known(const struct jr_compare_row *r)
{
	return r->row[JR_NEW] != SIZE_MAX ? JR_NEW : JR_BASE;
}

typedef const char *jr_compare_words(const struct jr_compare_row *r);
typedef double jr_compare_number(const struct jr_compare_row *r, int side); /* NaN: not known */

enum jr_fill {
	JR_FILL_NOT,            /* filled by an earlier column, or by the section */
	JR_FILL_ONE,            /* from the run that has the row */
	JR_FILL_EACH,           /* base, new */
	JR_FILL_DIFFERENCE,     /* base, new, change; the last is null unless both are known */
	JR_FILL_CHANGE,         /* base, new, change, percent; an unknown value counts as 0 */
	JR_FILL_CHANGE_OF_BOTH, /* base, new, change, percent; last two null unless both known */
	JR_FILL_ROWS,           /* base, new, change; a missing row counts as 0 in the change */
	JR_FILL_CHANGE_ALONE,   /* change; null unless both are known */
	JR_FILL_DIRECTION,      /* slower, faster or unchanged, by a column of this table */
};

/* How a column, and those after it, are filled. */
struct jr_compare_fill {
	enum jr_fill how;
	size_t column;             /* in the runs' table, unless a function is set */
	jr_compare_words *words;   /* or NULL */
	jr_compare_number *number; /* or NULL */
};

#define JR_OWN .how = JR_FILL_NOT
#define JR_ONE(of) .how = JR_FILL_ONE, .column = (of)
#define JR_WORDS(function) .how = JR_FILL_ONE, .words = (function)
#define JR_NUMBER(function) .number = (function)
#define JR_COLUMN(of) .column = (of)
#define JR_DIRECTION(T, key) .how = JR_FILL_DIRECTION, .column = T##_##key

/* Columns of both runs. `...` is JR_COLUMN() of the runs' table, or JR_NUMBER(). */
#define JR_BASE_AND_NEW(X, T, key, title, help, type, unit, flags, ...)                            \
	X(T, base_##key, title ", base", help, type, unit, flags, .how = JR_FILL_EACH, __VA_ARGS__)    \
	X(T, new_##key, title ", new", help, type, unit, flags, JR_OWN)
#define JR_CHANGE_SAYING(X, T, key, what, type, unit, difference, ...)                             \
	X(T, base_##key, "Base", what ", in the base", type, unit, JR_COL_LIKE, __VA_ARGS__)           \
	X(T, new_##key, "New", what ", in the new run", type, unit, JR_COL_LIKE, JR_OWN)               \
	X(T, change_##key, "Change", difference, type, unit, JR_COL_CHANGE | JR_COL_LIKE, JR_OWN)      \
	X(T, change_percent, "Change", JR_CHANGE_HELP, F64, PERCENT, JR_COL_CHANGE, JR_OWN)
#define JR_CHANGE(X, T, key, what, type, unit, ...)                                                \
	JR_CHANGE_SAYING(                                                                              \
		X, T, key, what, type, unit, JR_CHANGE_OF_0_HELP, .how = JR_FILL_CHANGE, __VA_ARGS__)
#define JR_CHANGE_OF_BOTH(X, T, key, what, type, unit, ...)                                        \
	JR_CHANGE_SAYING(X, T, key, what, type, unit, "new - base, if both runs have it",              \
		.how = JR_FILL_CHANGE_OF_BOTH, __VA_ARGS__)
#define JR_PROGRAM(X, T, function)                                                                 \
	X(T, program_id, "Program", "program id in the base and in the new run", TEXT, NONE,           \
		JR_COL_KEY, JR_WORDS(function))

/* For a list T: define enumerators T_key and T_columns, and T_fills for struct jr_compare_rows. */
#define JR_COLUMN_FILL(T, key, title, help, type, unit, flags, ...) {__VA_ARGS__},
#define JR_COMPARE_COLUMNS(T)                                                                      \
	enum { T(JR_KEY_INDEX, T) };                                                                   \
	static const struct jr_column_spec T##_columns[] = {T(JR_KEY_SPEC, T)};
#define JR_COMPARE_FILLS(T)                                                                        \
	static const struct jr_compare_fill T##_fills[] = {T(JR_COLUMN_FILL, T)};

struct jr_compare_rows {
	struct jr_table_spec spec;
	const struct jr_compare_fill *fills; /* [spec.n_columns] */

	/* Rows of both runs. They are paired by equal texts in column `key`, by the result of key_of(),
	 * or by pair(). */
	enum jr_run_table table;
	size_t key;
	const char *(*key_of)(const struct jr_compare_row *r, int side);
	const struct jr_row_pair *(*pair)(const struct jr_comparison *c, size_t *n);

	/* Rows are ordered by this column's change, largest first, equal ones by key; 0: order of
	 * pairs... */
	size_t rank;
	double (*rank_of)(
		const struct jr_compare_row *r); /* ... unless this function ranks them, largest first */
	size_t n_shown;                      /* rows shown to people; 0: all */

	struct jr_chart bars; /* of the first n_drawn rows shown (0: of all); no name: none */
	size_t n_drawn;

	const char *unavailable; /* reason if neither run has a row; NULL: leave the section out */
	const char *(*missing)(const struct jr_run *const runs[2]); /* another reason, or NULL */
};

/** Return pairs for struct jr_compare_rows: matched programs, and groups of thunks by their
 * heaviest thunk. */
const struct jr_row_pair *jr_compare_programs_paired(const struct jr_comparison *c, size_t *n);
const struct jr_row_pair *jr_compare_thunks_paired(const struct jr_comparison *c, size_t *n);

/** Return the table, or NULL if neither run has a row. In c->arena. O(rows log rows). */
struct jr_table *jr_compare_table(
	const struct jr_comparison *c, const struct jr_compare_rows *rows, const void *context);
/** Put the table and its bars into a section, or the reason why they are missing. Returns the
 * table, or NULL. */
struct jr_table *jr_compare_put(const struct jr_comparison *c, const struct jr_compare_rows *rows,
	const void *context, struct jr_section *out);
/** Draw bars of the first `n_drawn` rows shown (0: of all). Sets their kind and table. */
void jr_compare_draw(const struct jr_comparison *c, const struct jr_chart *bars,
	const struct jr_table *table, size_t n_drawn, struct jr_section *out);

/**
 * Return a table with one row per name: the name, then base, new, change and percent from column 1
 * on.
 *
 * @param names   [n]
 * @param values  [2][n] ns
 */
struct jr_table *jr_compare_parts(const struct jr_comparison *c, const struct jr_table_spec *spec,
	const char *const *names, const int64_t *const values[2], size_t n);
/**
 * Divide a step into whole ns, rounded so that the parts add up.
 *
 * @param ns   [n] NaN counts as 0; values are clamped to [`least`, 2^53]
 * @param out  [n + 1] the last is the sum
 */
void jr_compare_divide(const double *ns, size_t n, double least, int64_t *out);

#endif
