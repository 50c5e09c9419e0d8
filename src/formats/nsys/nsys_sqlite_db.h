/*
 * nsys_sqlite_db.h - open a hostile database so that it can only be read.
 * Layer: formats, private to nsys_*.c and sqlite_rows.c.
 */
#ifndef JR_FORMATS_NSYS_SQLITE_DB_H
#define JR_FORMATS_NSYS_SQLITE_DB_H

#include <sqlite3.h>

#include "base/num.h"
#include "formats/nsys/nsys_export.h"

/* The input: a file, or bytes if `path` is NULL. */
struct jr_nsys_file {
	const char *path;
	struct jr_bytes memory;
	uint64_t size_bytes;
	const struct jr_limits *limits;
	const char *cut_hint;  /* advice if the file is cut off, follows ". "; NULL = none */
	const char *left_hint; /* advice if its writer was cut off, follows ". " */
};

/**
 * Describe the file at `path`, which must outlive *file.
 * @return JR_EIO with the system's reason, JR_EUNSUPPORTED not a regular file
 */
enum jr_status jr_nsys_file_at(const char *path, const struct jr_limits *limits,
	struct jr_nsys_file *file, struct jr_error *err) JR_MUST_CHECK;

/**
 * Open a connection; close it with jr_nsys_db_close(). Nothing is written to the file or its
 * folder, even if there is a journal, a log or the index of a log. A log is read.
 * @return JR_EIO, JR_EFORMAT with SQLite's reason, or if the database or its writer was cut off
 */
enum jr_status jr_nsys_db_open(const struct jr_nsys_file *file, sqlite3 **db, struct jr_error *err)
	JR_MUST_CHECK;
void jr_nsys_db_close(sqlite3 **db);

/** Turn SQLite's last error into a status. `what`: a table, or NULL. */
enum jr_status jr_nsys_db_fail(sqlite3 *db, const char *what, struct jr_error *err);

/* One pass over a table, in the order of the file. */
struct jr_nsys_scan {
	sqlite3 *db;
	sqlite3_stmt *stmt; /* NULL if the table does not exist */
	const char *table;
	unsigned has; /* bit i: column i exists */
	uint64_t n_rows, most_rows;
	uint64_t hint; /* estimated number of rows */
};

/** Visit all tables in the database's order. n_rows is the highest row number of each. */
enum jr_status jr_nsys_each_table(sqlite3 *db, const struct jr_nsys_file *file,
	void (*take)(void *context, const char *name, uint64_t n_rows), void *context,
	struct jr_error *err) JR_MUST_CHECK;

/**
 * Begin to read columns[n] (n <= 32) of a table. Absent columns read as NULL; an absent table
 * leaves scan->stmt NULL, with JR_OK.
 * @param n_must  the first n_must columns must exist: JR_EFORMAT
 */
enum jr_status jr_nsys_scan_begin(sqlite3 *db, const struct jr_nsys_file *file, const char *table,
	const char *const *columns, size_t n, size_t n_must, struct jr_nsys_scan *scan,
	struct jr_error *err) JR_MUST_CHECK;
void jr_nsys_scan_end(struct jr_nsys_scan *scan);

/** Return why the last step returned no row: JR_OK at the end of the table. */
enum jr_status jr_nsys_scan_stopped(struct jr_nsys_scan *scan, int code, struct jr_error *err)
	JR_MUST_CHECK;

/* Step to the next row: SQLITE_ROW, or another code for jr_nsys_scan_stopped(). */
static inline int jr_nsys_scan_step(struct jr_nsys_scan *scan)
{
	if (!scan->stmt)
		return SQLITE_DONE;
	int code = sqlite3_step(scan->stmt);
	return code == SQLITE_ROW && ++scan->n_rows > scan->most_rows ? SQLITE_FULL : code;
}

static inline int64_t jr_nsys_i64(const struct jr_nsys_scan *scan, int column)
{
	return sqlite3_column_int64(scan->stmt, column);
}

static inline bool jr_nsys_is_null(const struct jr_nsys_scan *scan, int column)
{
	return sqlite3_column_type(scan->stmt, column) == SQLITE_NULL;
}

/* A 32-bit id; JR_NONE for null and for values that do not fit. */
static inline uint32_t jr_nsys_u32(const struct jr_nsys_scan *scan, int column)
{
	int64_t v = sqlite3_column_int64(scan->stmt, column);
	if (v == 0 && jr_nsys_is_null(scan, column))
		return JR_NONE;
	return v >= 0 && v < JR_NONE ? (uint32_t)v : JR_NONE;
}

#endif
