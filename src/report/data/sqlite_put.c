#include "report/data/sqlite_parts.h"

static enum jr_status failed(struct jr_error *err, const char *why)
{
	return jr_fail(err, JR_EIO, "%s", why);
}

enum jr_status jr_sqlite_execute(struct jr_sqlite_put *put, const char *sql, struct jr_error *err)
{
	if (sqlite3_exec(put->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		return failed(err, sqlite3_errmsg(put->db));
	return JR_OK;
}

enum jr_status jr_sqlite_begin(struct jr_sqlite_put *put, const char *sql, struct jr_error *err)
{
	jr_sqlite_put_done(put);
	if (sqlite3_prepare_v2(put->db, sql, -1, &put->insert, NULL) != SQLITE_OK)
		return failed(err, sqlite3_errmsg(put->db));
	return JR_OK;
}

/* Keep the first error. After a failed bind, stepping would store the previous row's value, or
 * null, without an error, and the next bind clears the message. */
static void bound(struct jr_sqlite_put *put, int code)
{
	if (put->bind_error == SQLITE_OK)
		put->bind_error = code;
}

void jr_sqlite_null(struct jr_sqlite_put *put)
{
	bound(put, sqlite3_bind_null(put->insert, ++put->n_bound));
}

void jr_sqlite_i64(struct jr_sqlite_put *put, int64_t v)
{
	bound(put, sqlite3_bind_int64(put->insert, ++put->n_bound, v));
}

void jr_sqlite_f64(struct jr_sqlite_put *put, double v)
{
	bound(put, sqlite3_bind_double(put->insert, ++put->n_bound, v));
}

void jr_sqlite_text(struct jr_sqlite_put *put, const char *text, size_t n, bool lives)
{
	bound(put, sqlite3_bind_text64(put->insert, ++put->n_bound, text, n,
				   lives ? SQLITE_STATIC : SQLITE_TRANSIENT, SQLITE_UTF8));
}

enum jr_status jr_sqlite_end_row(struct jr_sqlite_put *put, struct jr_error *err)
{
	if (put->bind_error != SQLITE_OK)
		return failed(err, sqlite3_errstr(put->bind_error));
	if (sqlite3_step(put->insert) != SQLITE_DONE || sqlite3_reset(put->insert) != SQLITE_OK)
		return failed(err, sqlite3_errmsg(put->db));
	put->n_bound = 0;
	return JR_OK;
}

void jr_sqlite_put_done(struct jr_sqlite_put *put)
{
	(void)sqlite3_finalize(put->insert); /* repeats the error of the last step */
	put->insert = NULL;
	put->n_bound = 0;
	put->bind_error = SQLITE_OK;
}
