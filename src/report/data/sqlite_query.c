#include "report/data/sqlite_query.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/vec.h"
#include "report/core/doc.h"
#include "report/core/text_fit.h"
#include "report/data/csv_text.h"
#include "report/data/sqlite_parts.h"

#define WIDEST 60 /* columns of text for a value of a table */

static const char list_tables[] =
	"SELECT m.name AS \"table\", group_concat(p.name, ' ') AS columns FROM sqlite_schema m "
	"JOIN pragma_table_info(m.name) p WHERE m.type = 'table' GROUP BY m.rowid";

struct answer {
	sqlite3 *db;
	sqlite3_stmt *stmt;
	const struct jr_query *query;
	struct jr_buf *out;
	int n_columns;
	uint64_t n_rows;
	struct jr_buf clean; /* of the last value, if it was not clean */
	/* of a table, whose widths are known at the end */
	JR_VEC(const char *) cells; /* NULL: null */
	struct jr_arena arena;      /* of the cells */
	size_t *widths;             /* [n_columns] */
	bool *numbers;              /* [n_columns] only numbers so far */
};

static void done(struct answer *a)
{
	jr_vec_done(&a->cells);
	jr_buf_done(&a->clean);
	jr_arena_done(&a->arena);
	(void)sqlite3_finalize(a->stmt);
	(void)sqlite3_close(a->db);
}

/* Allow what reads; everything else is refused. */
static int authorize(
	void *context, int action, const char *a, const char *b, const char *c, const char *d)
{
	(void)context;
	(void)a;
	(void)c;
	(void)d;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE: return SQLITE_OK;
	case SQLITE_FUNCTION: return b && strcmp(b, "load_extension") == 0 ? SQLITE_DENY : SQLITE_OK;
	default: return SQLITE_DENY;
	}
}

static enum jr_status refuse(struct answer *a, struct jr_error *err)
{
	static const char *const hint = "'jaxreport query --list-tables INPUT' shows the tables.";
	if (sqlite3_errcode(a->db) == SQLITE_AUTH)
		return jr_fail(err, JR_EUSAGE, "the SQL may only read. Use one SELECT; %s", hint);
	return jr_fail(err, JR_EUSAGE, "the SQL cannot be run: %s. %s", sqlite3_errmsg(a->db), hint);
}

static enum jr_status prepare(struct answer *a, struct jr_error *err)
{
	const char *rest = "";
	if (a->query->sql)
		(void)sqlite3_set_authorizer(a->db, authorize, NULL);
	if (sqlite3_prepare_v2(
			a->db, a->query->sql ? a->query->sql : list_tables, -1, &a->stmt, &rest) != SQLITE_OK)
		return refuse(a, err);
	if (!a->stmt)
		return jr_fail(err, JR_EUSAGE, "the SQL is empty. Write one SELECT.");
	while (*rest) { /* comments may follow */
		sqlite3_stmt *more = NULL;
		int code = sqlite3_prepare_v2(a->db, rest, -1, &more, &rest);
		(void)sqlite3_finalize(more);
		if (code != SQLITE_OK || more)
			return jr_fail(err, JR_EUSAGE, "the SQL has several statements. Write one SELECT.");
	}
	if (sqlite3_bind_parameter_count(a->stmt))
		return jr_fail(err, JR_EUSAGE,
			"the SQL has parameters (?, :name, @name or $name). Write their values instead.");
	a->n_columns = sqlite3_column_count(a->stmt);
	return JR_OK;
}

/* --- forms ---------------------------------------------------------------------------------- */

static bool is_number(int type)
{
	return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

/* Return a value as text; NULL for null, and for numbers that are not finite. SQL can make text
 * with NUL and bytes that are not UTF-8; it is cleaned. */
static const char *text_of(struct answer *a, int column)
{
	const char *text = (const char *)sqlite3_column_text(a->stmt, column);
	size_t n = (size_t)sqlite3_column_bytes(a->stmt, column);
	if (text && strstr(text, "Inf") && sqlite3_column_type(a->stmt, column) == SQLITE_FLOAT)
		return NULL;
	for (size_t i = 0; text && i < n;) {
		int code;
		i += jr_text_decode(text + i, n - i, &code);
		if (code > 0)
			continue;
		a->clean.size = 0;
		jr_text_clean(&a->clean, text, n);
		return a->clean.data;
	}
	return text;
}

static void put_csv_row(struct answer *a, bool head)
{
	for (int i = 0; i < a->n_columns; i++) {
		const char *text = head ? sqlite3_column_name(a->stmt, i) : text_of(a, i);
		if (i)
			jr_buf_putc(a->out, ',');
		if (text)
			jr_csv_text(a->out, text,
				a->query->raw || (!head && is_number(sqlite3_column_type(a->stmt, i))));
	}
	jr_buf_puts(a->out, "\r\n");
}

static void put_json_row(struct answer *a)
{
	jr_buf_puts(a->out, a->n_rows ? ",\n{" : "[\n{");
	for (int i = 0; i < a->n_columns; i++) {
		const char *text = text_of(a, i);
		jr_buf_puts(a->out, i ? "," : "");
		jr_json_text(a->out, sqlite3_column_name(a->stmt, i));
		jr_buf_putc(a->out, ':');
		if (!text)
			jr_buf_puts(a->out, "null");
		else if (is_number(sqlite3_column_type(a->stmt, i)))
			jr_buf_puts(a->out, text);
		else
			jr_json_text(a->out, text);
	}
	jr_buf_putc(a->out, '}');
}

/* Keep a cell: cleaned for a terminal, and cut. */
static void keep(struct answer *a, int column, const char *text)
{
	struct jr_buf clean = {0}, cut = {0};
	size_t width = 1;
	if (text) {
		jr_text_clean(&clean, text, strlen(text));
		width = jr_layout_fit(
			&cut, clean.size ? clean.data : "", a->query->sql ? WIDEST : SIZE_MAX / 2);
		text = jr_arena_strndup(&a->arena, cut.size ? cut.data : "", cut.size);
	}
	if (width > a->widths[column])
		a->widths[column] = width;
	*jr_vec_add(&a->cells) = text;
	jr_buf_done(&clean);
	jr_buf_done(&cut);
}

static void keep_row(struct answer *a, bool head)
{
	for (int i = 0; i < a->n_columns; i++) {
		keep(a, i, head ? sqlite3_column_name(a->stmt, i) : text_of(a, i));
		int type = head ? SQLITE_NULL : sqlite3_column_type(a->stmt, i);
		if (!head && type != SQLITE_NULL && !is_number(type))
			a->numbers[i] = false;
	}
}

static void put_table(struct answer *a)
{
	for (size_t i = 0; i < a->cells.n; i++) {
		size_t column = i % (size_t)a->n_columns;
		bool last = column + 1 == (size_t)a->n_columns;
		const char *text = a->cells.items[i] ? a->cells.items[i] : "–";
		size_t pad = a->widths[column] - jr_text_width(text, strlen(text));
		if (a->numbers[column])
			jr_buf_repeat(a->out, ' ', pad);
		jr_buf_puts(a->out, text);
		if (!a->numbers[column] && !last)
			jr_buf_repeat(a->out, ' ', pad);
		jr_buf_puts(a->out, last ? "\n" : "  ");
	}
}

static void begin(struct answer *a)
{
	a->widths = JR_ARENA_N(&a->arena, size_t, (size_t)a->n_columns + 1);
	a->numbers = JR_ARENA_N(&a->arena, bool, (size_t)a->n_columns + 1);
	for (int i = 0; i < a->n_columns; i++)
		a->numbers[i] = true;
	if (a->query->form == JR_QUERY_TABLE)
		keep_row(a, true);
	else if (a->query->form == JR_QUERY_CSV)
		put_csv_row(a, true);
}

static void put_row(struct answer *a)
{
	switch (a->query->form) {
	case JR_QUERY_TABLE: keep_row(a, false); break;
	case JR_QUERY_CSV: put_csv_row(a, false); break;
	case JR_QUERY_JSON: put_json_row(a); break;
	}
	a->n_rows++;
}

static void end(struct answer *a)
{
	if (a->query->form == JR_QUERY_TABLE)
		put_table(a);
	else if (a->query->form == JR_QUERY_JSON)
		jr_buf_puts(a->out, a->n_rows ? "\n]\n" : "[]\n");
}

enum jr_status jr_report_query(const struct jr_profile *profile, const struct jr_results *results,
	const struct jr_query *query, struct jr_buf *out, struct jr_error *err)
{
	JR_CLEANUP(done) struct answer a = {.query = query, .out = out};
	struct jr_doc doc;
	jr_arena_init(&a.arena, 0);
	if (sqlite3_open(":memory:", &a.db) != SQLITE_OK)
		return jr_fail(err, JR_EIO, "SQLite cannot start: %s", sqlite3_errmsg(a.db));
	jr_doc_compose(&doc, profile, results, false, false);
	enum jr_status status = jr_sqlite_fill(a.db, profile, &doc, err);
	jr_doc_done(&doc);
	if (status != JR_OK)
		return jr_context(err, status, "cannot fill the tables");
	JR_TRY(prepare(&a, err));
	begin(&a);
	int code;
	while ((code = sqlite3_step(a.stmt)) == SQLITE_ROW)
		put_row(&a);
	if (code != SQLITE_DONE) {
		out->size = 0;
		return refuse(&a, err);
	}
	end(&a);
	return JR_OK;
}
