/*
 * sqlite_put.h - insert rows into an SQLite database, value by value.
 * Layer: report.  Private to the SQLite writer.
 */
#ifndef JR_REPORT_SQLITE_PUT_H
#define JR_REPORT_SQLITE_PUT_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

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

#endif
