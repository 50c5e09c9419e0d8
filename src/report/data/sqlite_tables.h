/*
 * sqlite_tables.h - write the content of report.json as tables of profile.sqlite.
 * Layer: report.  Private to the SQLite writer.
 *
 *	report_value (path TEXT, value)                  scalars by their dotted paths; schema and
 *	                                                 generator.version among them; booleans are
 *	                                                 the texts "true" and "false"
 *	report_stack (tree TEXT, stack TEXT, self_ms REAL)  data/NAME.folded; base_self_ms, too, in a
 *	                                                 comparison
 *	report_memory_stack (tree TEXT, stack TEXT, self_bytes INTEGER)  the same of live memory
 *	report_PATH  (its keys...)                       the rows at a path, its dots as underscores;
 *	                                                 the column of plain texts is called "text"
 *
 * Units are those of report.json: integers of ns are stored as ms, which restores the same ns for
 * all values below 2^51, 26 days.
 */
#ifndef JR_REPORT_SQLITE_TABLES_H
#define JR_REPORT_SQLITE_TABLES_H

#include <sqlite3.h>

#include "report/core/doc.h"

/** Fill an empty database with the frames of the profile and the tables of its report, in one
 * transaction. sqlite_writer.c. @return JR_EIO with SQLite's reason */
enum jr_status jr_sqlite_fill(sqlite3 *db, const struct jr_profile *profile,
	const struct jr_doc *doc, struct jr_error *err) JR_MUST_CHECK;

/** Write the tables within a transaction of the caller. @return JR_EIO with SQLite's reason */
enum jr_status jr_sqlite_put_report(sqlite3 *db, const struct jr_doc *doc, struct jr_error *err)
	JR_MUST_CHECK;

#endif
