/* Rows of an SQLite database: a value that cannot be stored is an error, and so is its row. */
#include <string.h>

#include "unit.h"

#include "report/data/sqlite_parts.h"

static void put_row(struct jr_sqlite_put *put, const char *text, size_t n)
{
	jr_sqlite_text(put, text, n, false);
	jr_sqlite_i64(put, 7);
	jr_sqlite_null(put);
}

static int64_t count(sqlite3 *db)
{
	sqlite3_stmt *rows = NULL;
	assert_int_equal(
		sqlite3_prepare_v2(db, "SELECT count(*) FROM t WHERE a NOTNULL", -1, &rows, NULL),
		SQLITE_OK);
	assert_int_equal(sqlite3_step(rows), SQLITE_ROW);
	int64_t n = sqlite3_column_int64(rows, 0);
	sqlite3_finalize(rows);
	return n;
}

static UNIT(test_a_value_that_cannot_be_stored)
{
	struct jr_sqlite_put put = {0};
	struct jr_error err = {0};
	char text[200];
	memset(text, 'x', sizeof(text));
	assert_int_equal(sqlite3_open(":memory:", &put.db), SQLITE_OK);
	assert_int_equal(jr_sqlite_execute(&put, "CREATE TABLE t (a, b, c)", &err), JR_OK);
	sqlite3_limit(put.db, SQLITE_LIMIT_LENGTH, 100);
	assert_int_equal(jr_sqlite_begin(&put, "INSERT INTO t VALUES (?, ?, ?)", &err), JR_OK);
	put_row(&put, text, 50);
	assert_int_equal(jr_sqlite_end_row(&put, &err), JR_OK);
	put_row(&put, text, sizeof(text)); /* the values after it can be stored */
	assert_int_equal(jr_sqlite_end_row(&put, &err), JR_EIO);
	assert_string_equal(err.message, "string or blob too big");
	assert_int_equal(count(put.db), 1);
	/* more values than columns */
	assert_int_equal(jr_sqlite_begin(&put, "INSERT INTO t VALUES (?, ?, NULL)", &err), JR_OK);
	put_row(&put, text, 50);
	assert_int_equal(jr_sqlite_end_row(&put, &err), JR_EIO);
	assert_int_equal(count(put.db), 1);
	/* the next INSERT starts without the error */
	assert_int_equal(jr_sqlite_begin(&put, "INSERT INTO t VALUES (?, ?, ?)", &err), JR_OK);
	put_row(&put, text, 50);
	assert_int_equal(jr_sqlite_end_row(&put, &err), JR_OK);
	assert_int_equal(count(put.db), 2);
	jr_sqlite_put_done(&put);
	sqlite3_close(put.db);
}
