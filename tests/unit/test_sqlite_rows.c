/* Rows of any table: contents of cells, what is refused, and texts that exceed memory. */
#include "nsys_build.h"

#include "formats/nsys/sqlite_rows.h"

static enum jr_status put_row(void *context, const struct jr_sqlite_cell *cells,
	struct jr_error *err)
{
	struct jr_buf *out = context;
	for (int i = 0; i < 3; i++) {
		const struct jr_sqlite_cell *c = &cells[i];
		if (c->kind == JR_SQLITE_INTEGER)
			jr_buf_printf(out, "%lld=%g ", (long long)c->integer, c->real);
		else if (c->kind == JR_SQLITE_REAL)
			jr_buf_printf(out, "%g ", c->real);
		else if (c->kind == JR_SQLITE_TEXT)
			jr_buf_printf(out, "'%.*s' ", (int)c->text_size, c->text);
		else
			jr_buf_puts(out, "- ");
	}
	return cells[0].integer == 77 ? jr_fail(err, JR_EFORMAT, "enough") : JR_OK;
}

/* Check the rows of table t, columns a, b and c, or the message. `heap_bytes` limits the memory
 * after opening; 0: no limit. */
static void check_rows(
	const char *sql, const struct jr_limits *limits, sqlite3_int64 heap_bytes, const char *expected)
{
	static const char *const columns[] = {"a", "b", "c"};
	JR_CLEANUP(jr_buf_done) struct jr_buf got = {0};
	struct jr_bytes bytes = nsys_bytes(sql);
	struct jr_sqlite *db = NULL;
	struct jr_error err = {.message = ""};
	bool found = false;
	uint64_t n_rows = 0;
	if (jr_sqlite_open_memory(bytes, limits, &db, &err) != JR_OK)
		fail_msg("%s", err.message);
	if (heap_bytes)
		sqlite3_hard_heap_limit64(sqlite3_memory_used() + heap_bytes);
	enum jr_status status =
		jr_sqlite_rows(db, "t", columns, 3, put_row, &got, &found, &n_rows, &err);
	sqlite3_hard_heap_limit64(0);
	if (status == JR_OK)
		jr_buf_printf(&got, "found %d rows %d", found, (int)n_rows);
	else
		jr_buf_printf(&got, "%s", err.message);
	assert_string_equal(got.data, expected);
	jr_sqlite_close(&db);
	assert_null(db);
	jr_sqlite_close(&db);
	nsys_free(bytes);
}

static UNIT(cells_of_all_kinds)
{
	struct jr_limits limits = jr_limits_default();
	check_rows("CREATE TABLE t (c, x, a);"
			   "INSERT INTO t VALUES (1, 2, 'text'), (1.5, 2, NULL), (x'00', 2, ''), "
			   "(-9223372036854775808, 2, 'a' || char(0) || 'b')",
		&limits, 0,
		"'text' - 1=1 - - 1.5 '' - - 'a' - -9223372036854775808=-9.22337e+18 found 1 rows 4");
	check_rows("CREATE TABLE t (x)", &limits, 0, "found 1 rows 0");
	check_rows("CREATE TABLE u (a)", &limits, 0, "found 0 rows 0");
	check_rows("CREATE TABLE u (a); INSERT INTO u VALUES (1); CREATE VIEW t AS SELECT * FROM u",
		&limits, 0, "found 0 rows 0");
	check_rows("CREATE TABLE t (a, b AS (a))", &limits, 0, "found 0 rows 0");
}

static UNIT(rows_that_are_refused)
{
	struct jr_limits limits = jr_limits_default();
	limits.rows = 2;
	check_rows("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)", &limits, 0,
		"1=1 - - 2=2 - - found 1 rows 2");
	check_rows("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3)", &limits, 0,
		"1=1 - - 2=2 - - table t: more than 2 rows (--max-rows)");
	limits = jr_limits_default();
	check_rows("CREATE TABLE t (a); INSERT INTO t VALUES (1), (77), (3)", &limits, 0,
		"1=1 - - 77=77 - - enough");
}

/* A text without memory is not NULL: reading ends there. */
static UNIT(texts_without_memory)
{
	struct jr_limits limits = jr_limits_default();
	check_rows("CREATE TABLE t (a); "
			   "INSERT INTO t VALUES (1), (printf('%4000000c', 'x')), (2), (3)",
		&limits, 1000000,
		"1=1 - - t: a record is damaged, or there is not enough memory for it (--max-memory)");
}
