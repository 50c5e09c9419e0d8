/*
 * compare_rows.h - a table of a comparison as data: columns, what fills them, which rows in which
 * order, what is drawn.  Layer: compare.
 *
 * The columns of a table are a macro T(X, T) that lists X(T, key, title, help, type, unit, flags,
 * fill), as struct jr_column_spec has them without JR_ and JR_UNIT_. `key` is a name, which becomes
 * the enumerator T_key and the JSON key: charts and functions go by that, so that a key that is
 * renamed without its users does not compile. `fill` is one of the macros below; a table that a
 * section fills by itself has none.
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
	size_t i;            /* of the pairs: of c->match where they are those of a match */
	size_t row[2];       /* of the runs' table; SIZE_MAX: not in that run */
};

/** The run whose row stands for both: the new one, or the base where only that has it. */
static inline int jr_compare_known(const struct jr_compare_row *r)
{
	return r->row[JR_NEW] != SIZE_MAX ? JR_NEW : JR_BASE;
}

typedef const char *jr_compare_words(const struct jr_compare_row *r);
typedef double jr_compare_number(const struct jr_compare_row *r, int side); /* NaN: not known */

enum jr_fill {
	JR_FILL_NOT,            /* by a column ahead of it, or by the section */
	JR_FILL_ONE,            /* from the run that is known */
	JR_FILL_EACH,           /* base, new */
	JR_FILL_DIFFERENCE,     /* base, new, change; the last null unless both are known */
	JR_FILL_CHANGE,         /* base, new, change, percent; what is not known counts as 0 */
	JR_FILL_CHANGE_OF_BOTH, /* base, new, change, percent; the last two null likewise */
	JR_FILL_CHANGE_ALONE,   /* change; null unless both are known */
	JR_FILL_DIRECTION,      /* slower, faster or unchanged, by the column of this table */
};

/* What fills a column, and those that follow it. */
struct jr_compare_fill {
	enum jr_fill how;
	size_t column;             /* of the runs' table, unless a function tells */
	jr_compare_words *words;   /* or NULL */
	jr_compare_number *number; /* or NULL */
};

#define JR_OWN .how = JR_FILL_NOT
#define JR_ONE(of) .how = JR_FILL_ONE, .column = (of)
#define JR_WORDS(function) .how = JR_FILL_ONE, .words = (function)
#define JR_NUMBER(function) .number = (function)
#define JR_COLUMN(of) .column = (of)
#define JR_DIRECTION(T, key) .how = JR_FILL_DIRECTION, .column = T##_##key

/* Columns of both runs. `...`: JR_COLUMN() of the runs' table, or JR_NUMBER(). */
#define JR_BASE_AND_NEW(X, T, key, title, help, type, unit, flags, ...)                            \
	X(T, base_##key, title ", base", help, type, unit, flags, .how = JR_FILL_EACH, __VA_ARGS__)    \
	X(T, new_##key, title ", new", help, type, unit, flags, JR_OWN)
#define JR_CHANGE_SAYING(X, T, key, what, type, unit, difference, ...)                             \
	X(T, base_##key, "Base", what ", in the base", type, unit, 0, __VA_ARGS__)                     \
	X(T, new_##key, "New", what ", in the new run", type, unit, 0, JR_OWN)                         \
	X(T, change_##key, "Change", difference, type, unit, JR_COL_CHANGE, JR_OWN)                    \
	X(T, change_percent, "Change", JR_CHANGE_HELP, F64, PERCENT, JR_COL_CHANGE, JR_OWN)
#define JR_CHANGE(X, T, key, what, type, unit, ...)                                                \
	JR_CHANGE_SAYING(                                                                              \
		X, T, key, what, type, unit, JR_CHANGE_OF_0_HELP, .how = JR_FILL_CHANGE, __VA_ARGS__)
#define JR_CHANGE_OF_BOTH(X, T, key, what, type, unit, ...)                                        \
	JR_CHANGE_SAYING(X, T, key, what, type, unit, "new - base, where both have it",                \
		.how = JR_FILL_CHANGE_OF_BOTH, __VA_ARGS__)
#define JR_PROGRAM(X, T, function)                                                                 \
	X(T, program_id, "Program", "program id, in the base and in the new run", TEXT, NONE,          \
		JR_COL_KEY, JR_WORDS(function))

/* Of a list T: enumerators T_key and T_columns; and T_fills, for struct jr_compare_rows. */
#define JR_COLUMN_FLAGS(flags, ...) flags
#define JR_COLUMN_SPEC(T, key, title, help, type, unit, ...)                                       \
	{#key, title, help, JR_##type, JR_UNIT_##unit, JR_COLUMN_FLAGS(__VA_ARGS__, 0)},
#define JR_COLUMN_FILL(T, key, title, help, type, unit, flags, ...) {__VA_ARGS__},
#define JR_COMPARE_COLUMNS(T)                                                                      \
	enum { T(JR_KEY_INDEX, T) };                                                                   \
	static const struct jr_column_spec T##_columns[] = {T(JR_COLUMN_SPEC, T)};
#define JR_COMPARE_FILLS(T)                                                                        \
	static const struct jr_compare_fill T##_fills[] = {T(JR_COLUMN_FILL, T)};

struct jr_compare_rows {
	struct jr_table_spec spec;
	const struct jr_compare_fill *fills; /* [spec.n_columns] */

	/* Rows of both runs, paired where their texts in column `key` are equal, or what key_of() makes
	 * of them; or as pair() says. */
	enum jr_run_table table;
	size_t key;
	const char *(*key_of)(const struct jr_compare_row *r, int side);
	const struct jr_row_pair *(*pair)(const struct jr_comparison *c, size_t *n);

	/* The column whose largest change comes first, equal ones by key; 0: pairs stay in order... */
	size_t rank;
	double (*rank_of)(
		const struct jr_compare_row *r); /* ... unless this ranks them, largest first */
	size_t n_shown;                      /* to people; 0: all */

	struct jr_chart bars; /* of the first n_drawn rows that are shown (0: of all); no name: none */
	size_t n_drawn;

	const char *unavailable; /* where neither run has a row; NULL: the section is left out */
	const char *(*missing)(const struct jr_run *const runs[2]); /* why else, or NULL */
};

/** Pairs for struct jr_compare_rows: matched programs, and groups of thunks by the heaviest. */
const struct jr_row_pair *jr_compare_programs_paired(const struct jr_comparison *c, size_t *n);
const struct jr_row_pair *jr_compare_thunks_paired(const struct jr_comparison *c, size_t *n);

/** The table, or NULL where neither run has a row. In c->arena. O(rows log rows). */
struct jr_table *jr_compare_table(
	const struct jr_comparison *c, const struct jr_compare_rows *rows, const void *context);
/** Put the table and its bars into a section, or why they are not there. Returns the table, or
 * NULL. */
struct jr_table *jr_compare_put(const struct jr_comparison *c, const struct jr_compare_rows *rows,
	const void *context, struct jr_section *out);
/** Draw bars of the first `n_drawn` rows that people see (0: of all). Sets their kind and table. */
void jr_compare_draw(const struct jr_comparison *c, const struct jr_chart *bars,
	const struct jr_table *table, size_t n_drawn, struct jr_section *out);

/**
 * A table of one row per name: the name, and from column 1 on base, new, change and percent.
 *
 * @param names   [n]
 * @param values  [2][n] ns
 */
struct jr_table *jr_compare_parts(const struct jr_comparison *c, const struct jr_table_spec *spec,
	const char *const *names, const int64_t *const values[2], size_t n);
/**
 * Divide a step into whole ns, rounded so that the parts add up.
 *
 * @param ns   [n] NaN counts as 0, what is beyond `least` and 2^53 as these
 * @param out  [n + 1] the last is the sum
 */
void jr_compare_divide(const double *ns, size_t n, double least, int64_t *out);

#endif
