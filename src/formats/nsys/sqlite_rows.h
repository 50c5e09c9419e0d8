/*
 * sqlite_rows.h - rows of the tables of any database, for a reader that knows their names.
 * Layer: formats.  The database may be hostile: it is opened so that it can only be read, and its
 * numbers are checked against its size and the limits.
 */
#ifndef JR_FORMATS_SQLITE_ROWS_H
#define JR_FORMATS_SQLITE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/reader.h"
#include "base/limits.h"

enum jr_sqlite_kind { JR_SQLITE_NULL, JR_SQLITE_INTEGER, JR_SQLITE_REAL, JR_SQLITE_TEXT };

struct jr_sqlite_cell {
	enum jr_sqlite_kind kind; /* a blob counts as NULL */
	int64_t integer;
	double real;      /* also set for an INTEGER */
	const char *text; /* as stored, any bytes; valid until the next row */
	size_t text_size;
};

struct jr_sqlite;

/** Return true for a regular file that begins like a database. */
bool jr_sqlite_is(const char *path);
/** Open a database. @return JR_EIO, JR_EUNSUPPORTED not a regular file, JR_EFORMAT not a database,
 * with SQLite's reason */
enum jr_status jr_sqlite_open(const char *path, const struct jr_limits *limits,
	struct jr_sqlite **out, struct jr_error *err) JR_MUST_CHECK;
/** Open the bytes of a file, which are borrowed until it is closed. */
enum jr_status jr_sqlite_open_memory(struct jr_bytes bytes, const struct jr_limits *limits,
	struct jr_sqlite **out, struct jr_error *err) JR_MUST_CHECK;
/**
 * Check the whole structure of the database before reading it. Reads of a damaged one may differ
 * from run to run, since SQLite may include bytes after a page. JR_EFORMAT with the reason. Cost:
 * as a scan of all tables.
 */
enum jr_status jr_sqlite_check(struct jr_sqlite *db, struct jr_error *err) JR_MUST_CHECK;
void jr_sqlite_close(struct jr_sqlite **db);

#define JR_SQLITE_MAX_COLUMNS 32

/* Handle one row; `cells` are in the order of the requested columns. */
typedef enum jr_status (*jr_sqlite_row_fn)(
	void *context, const struct jr_sqlite_cell *cells, struct jr_error *err);

/**
 * Visit all rows of a table in its order. Absent columns read as NULL.
 *
 * @param n      at most JR_SQLITE_MAX_COLUMNS
 * @param row    NULL: only count the rows
 * @param found  out: the table exists; a view, or a table with computed columns, does not count
 * @param n_rows out: number of rows, bounded by limits->rows and the file's size
 * @return JR_EFORMAT damaged; JR_ELIMIT more rows; errors of `row`
 */
enum jr_status jr_sqlite_rows(struct jr_sqlite *db, const char *table, const char *const *columns,
	size_t n, jr_sqlite_row_fn row, void *context, bool *found, uint64_t *n_rows,
	struct jr_error *err) JR_MUST_CHECK;

#endif
