/*
 * nsys_sqlite_db.h - open a hostile database so that it can only be read.
 * Layer: formats, private to nsys_tables.h, whose tables it implements, and sqlite_rows.c.
 */
#ifndef JR_FORMATS_NSYS_SQLITE_DB_H
#define JR_FORMATS_NSYS_SQLITE_DB_H

#include <sqlite3.h>

#include "base/error.h"
#include "base/limits.h"

struct jr_nsys_file;

/**
 * Describe the file at `path`, which must outlive *file.
 * @return JR_EIO with the system's reason, JR_EUNSUPPORTED not a regular file
 */
enum jr_status jr_nsys_file_at(const char *path, const struct jr_limits *limits,
	struct jr_nsys_file *file, struct jr_error *err) JR_MUST_CHECK;

/** Turn SQLite's last error into a status. `what`: a table, or NULL. */
enum jr_status jr_nsys_db_fail(sqlite3 *db, const char *what, struct jr_error *err);

#endif
