/*
 * sqlite_parts.h - rows of a database of SQLite, and the content of report.json as tables of
 * profile.sqlite.
 * Layer: report.  Private to the SQLite writer and to queries.
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
#ifndef JR_REPORT_DATA_SQLITE_PARTS_H
#define JR_REPORT_DATA_SQLITE_PARTS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "report/core/doc.h"

struct jr_sqlite_put {
	sqlite3 *db;
	sqlite3_stmt *insert; /* of the current rows; NULL: none */
	int n_bound;          /* values bound in the current row */
	int bind_error;       /* SQLite's code of the first failed bind; 0: none failed */
};

/** Run statements that return no rows. @return JR_EIO with SQLite's reason */
enum jr_status jr_sqlite_execute(struct jr_sqlite_put *put, const char *sql, struct jr_error *err)
	JR_MUST_CHECK;
/** Begin rows of one INSERT, whose parameters are then bound in order. @return JR_EIO */
enum jr_status jr_sqlite_begin(struct jr_sqlite_put *put, const char *sql, struct jr_error *err)
	JR_MUST_CHECK;
void jr_sqlite_null(struct jr_sqlite_put *put);
void jr_sqlite_i64(struct jr_sqlite_put *put, int64_t v);
void jr_sqlite_f64(struct jr_sqlite_put *put, double v);
/** Bind a text.
 * @param lives  the text stays valid until jr_sqlite_end_row(); otherwise it is copied */
void jr_sqlite_text(struct jr_sqlite_put *put, const char *text, size_t n, bool lives);
/** Insert the current row and begin the next. @return JR_EIO: the row, or one of its values, cannot
 * be stored; a text has at most 10^9 bytes (SQLITE_LIMIT_LENGTH) */
enum jr_status jr_sqlite_end_row(struct jr_sqlite_put *put, struct jr_error *err) JR_MUST_CHECK;
/** Free the statement; the database stays open. */
void jr_sqlite_put_done(struct jr_sqlite_put *put);

/** Fill an empty database with the frames of the profile and the tables of its report, in one
 * transaction. sqlite_writer.c. @return JR_EIO with SQLite's reason */
enum jr_status jr_sqlite_fill(sqlite3 *db, const struct jr_profile *profile,
	const struct jr_doc *doc, struct jr_error *err) JR_MUST_CHECK;

/** Write the tables within a transaction of the caller. @return JR_EIO with SQLite's reason */
enum jr_status jr_sqlite_put_report(sqlite3 *db, const struct jr_doc *doc, struct jr_error *err)
	JR_MUST_CHECK;

#endif
