/*
 * nsys_sqlite_db.h - a hostile database, opened so that it can do nothing but be read.
 * Layer: formats, private to nsys_sqlite*.c and sqlite_rows.c.
 */
#ifndef JR_FORMATS_NSYS_SQLITE_DB_H
#define JR_FORMATS_NSYS_SQLITE_DB_H

#include <sqlite3.h>

#include "base/num.h"
#include "formats/nsys/nsys_sqlite.h"

/* What is read: a file, or bytes where `path` is NULL. */
struct jr_nsys_file {
	const char *path;
	struct jr_bytes memory;
	uint64_t size_bytes;
	const struct jr_limits *limits;
	const char *cut_hint;  /* what to do where it is cut off, behind "; "; NULL: nothing to say */
	const char *left_hint; /* ... where its writer was, behind "; " */
};

/**
 * The file at `path`, which must outlive *file.
 * @return JR_EIO with the system's reason, JR_EUNSUPPORTED not a regular file
 */
enum jr_status jr_nsys_file_at(const char *path, const struct jr_limits *limits,
	struct jr_nsys_file *file, struct jr_error *err) JR_MUST_CHECK;

/**
 * Open a connection; close with jr_nsys_db_close(). Nothing is written, neither to the file nor
 * beside it, whatever journal, log or index of a log lies there; a log is read.
 * @return JR_EIO, JR_EFORMAT with SQLite's reason, or the database or its writer was cut off
 */
enum jr_status jr_nsys_db_open(const struct jr_nsys_file *file, sqlite3 **db, struct jr_error *err)
	JR_MUST_CHECK;
void jr_nsys_db_close(sqlite3 **db);

/** Turn what SQLite last said into a status. `what`: a table, or NULL. */
enum jr_status jr_nsys_db_fail(sqlite3 *db, const char *what, struct jr_error *err);

/* One pass over a table, in the order of the file. */
struct jr_nsys_scan {
	sqlite3 *db;
	sqlite3_stmt *stmt; /* NULL where the table is not there */
	const char *table;
	unsigned has; /* bit i: column i is there */
	uint64_t n_rows, most_rows;
	uint64_t hint; /* about how many rows there are */
};

/** Visit all tables of the database, in its order, with as many rows as they are numbered to. */
enum jr_status jr_nsys_each_table(sqlite3 *db, const struct jr_nsys_file *file,
	void (*take)(void *context, const char *name, uint64_t n_rows), void *context,
	struct jr_error *err) JR_MUST_CHECK;

/**
 * Begin to read columns[n] (n <= 32) of a table. Columns that are not there read as NULL; an absent
 * table leaves scan->stmt NULL, with JR_OK.
 * @param n_must  the first so many columns must be there: JR_EFORMAT
 */
enum jr_status jr_nsys_scan_begin(sqlite3 *db, const struct jr_nsys_file *file, const char *table,
	const char *const *columns, size_t n, size_t n_must, struct jr_nsys_scan *scan,
	struct jr_error *err) JR_MUST_CHECK;
void jr_nsys_scan_end(struct jr_nsys_scan *scan);

/** Why the last step brought no row: JR_OK at the end of the table. */
enum jr_status jr_nsys_scan_stopped(struct jr_nsys_scan *scan, int code, struct jr_error *err)
	JR_MUST_CHECK;

/* The next row: SQLITE_ROW, or anything else, to be handed to jr_nsys_scan_stopped(). */
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

/* An id of 32 bits; JR_NONE for null and for what does not fit. */
static inline uint32_t jr_nsys_u32(const struct jr_nsys_scan *scan, int column)
{
	int64_t v = sqlite3_column_int64(scan->stmt, column);
	if (v == 0 && jr_nsys_is_null(scan, column))
		return JR_NONE;
	return v >= 0 && v < JR_NONE ? (uint32_t)v : JR_NONE;
}

#endif
