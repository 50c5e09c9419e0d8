/*
 * sqlite_rows.h - rows of any database's tables, for a reader that knows their names.
 * Layer: formats.  The database may be hostile: it is opened so that it can do nothing but be read,
 * and what it claims is held against its size and the limits.
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
	double real;      /* also of an INTEGER */
	const char *text; /* as stored: any bytes; until the next row */
	size_t text_size;
};

struct jr_sqlite;

/** True for a regular file that begins as databases do. */
bool jr_sqlite_is(const char *path);
/** @return JR_EIO, JR_EUNSUPPORTED no regular file, JR_EFORMAT no database, with SQLite's reason */
enum jr_status jr_sqlite_open(const char *path, const struct jr_limits *limits,
	struct jr_sqlite **out, struct jr_error *err) JR_MUST_CHECK;
/** The bytes of a file; borrowed until it is closed. */
enum jr_status jr_sqlite_open_memory(struct jr_bytes bytes, const struct jr_limits *limits,
	struct jr_sqlite **out, struct jr_error *err) JR_MUST_CHECK;
/**
 * Look at the whole structure of the database first. What SQLite reads of a damaged one may differ
 * from one time to the next: it can take in bytes behind a page. JR_EFORMAT with what is wrong.
 * Cost: as a scan of all tables.
 */
enum jr_status jr_sqlite_check(struct jr_sqlite *db, struct jr_error *err) JR_MUST_CHECK;
void jr_sqlite_close(struct jr_sqlite **db);

#define JR_SQLITE_MAX_COLUMNS 32

/* What is done with a row; `cells` in the order of the columns asked for. */
typedef enum jr_status (*jr_sqlite_row_fn)(
	void *context, const struct jr_sqlite_cell *cells, struct jr_error *err);

/**
 * Visit all rows of a table in its order. Columns that it does not have read as NULL.
 *
 * @param n      at most JR_SQLITE_MAX_COLUMNS
 * @param row    NULL: the rows are only counted
 * @param found  out: the table is there
 * @param n_rows out: at most as many as limits->rows and the file's size allow
 * @return JR_EFORMAT damaged; JR_ELIMIT more rows; what `row` returned
 */
enum jr_status jr_sqlite_rows(struct jr_sqlite *db, const char *table, const char *const *columns,
	size_t n, jr_sqlite_row_fn row, void *context, bool *found, uint64_t *n_rows,
	struct jr_error *err) JR_MUST_CHECK;

#endif
