#include "report/data/sqlite_parts.h"

#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "report/document/fold.h"
#include "report/core/report.h"

struct writing {
	struct jr_sqlite_put put;
	struct jr_buf sql;
	struct jr_arena arena;
	struct jr_intern names; /* existing tables; SQL names ignore case */
};

static void done(struct writing *w)
{
	jr_sqlite_put_done(&w->put);
	jr_buf_done(&w->sql);
	jr_intern_done(&w->names);
	jr_arena_done(&w->arena);
}

static void put_text(struct writing *w, const char *text)
{
	jr_sqlite_text(&w->put, text, strlen(text), true);
}

static void bind(struct writing *w, const struct jr_value *v, bool words)
{
	bool whole = v->unit != JR_UNIT_NS && v->unit != JR_UNIT_S && v->unit != JR_UNIT_BYTES_S &&
				 v->unit != JR_UNIT_PERCENT && v->unit != JR_UNIT_POINTS;
	if (jr_value_is_null(v))
		jr_sqlite_null(&w->put);
	else if (v->type == JR_TEXT)
		put_text(w, v->as.text);
	else if (v->type == JR_BOOL && words)
		put_text(w, v->as.boolean ? "true" : "false");
	else if (v->type == JR_BOOL)
		jr_sqlite_i64(&w->put, v->as.boolean);
	else if (v->type == JR_I64 && whole)
		jr_sqlite_i64(&w->put, v->as.i64);
	else
		jr_sqlite_f64(&w->put, jr_value_data(v));
}

/* --- rows ------------------------------------------------------------------------------------- */

static const char *column_name(const struct jr_column_spec *c)
{
	return *c->key ? c->key : "text";
}

/* If an earlier column has the same key, this one is for people. */
static bool is_stored(const struct jr_table_spec *spec, size_t column)
{
	const struct jr_column_spec *c = &spec->columns[column];
	if ((c->flags & JR_COL_RENDERED_ONLY) || c->type == JR_ROWS)
		return false;
	for (size_t i = 0; i < column; i++)
		if (strcasecmp(column_name(&spec->columns[i]), column_name(c)) == 0 && is_stored(spec, i))
			return false;
	return true;
}

static const char *sql_type(const struct jr_column_spec *c)
{
	if (c->type == JR_TEXT)
		return "TEXT";
	return c->type == JR_F64 || c->unit == JR_UNIT_NS || c->unit == JR_UNIT_S ? "REAL" : "INTEGER";
}

static const char *table_name(struct writing *w, const char *path)
{
	char *name = jr_arena_printf(&w->arena, "report_%s", path);
	for (char *s = name; *s; s++)
		if (*s == '.')
			*s = '_';
	return name;
}

static enum jr_status create(struct writing *w, const char *name, const struct jr_table_spec *spec,
	const char **insert, struct jr_error *err)
{
	const char *comma = "";
	JR_CLEANUP(jr_buf_done) struct jr_buf values = {0};
	w->sql.size = 0;
	jr_buf_printf(&w->sql, "CREATE TABLE \"%s\" (", name);
	jr_buf_printf(&values, "INSERT INTO \"%s\" VALUES (", name);
	for (size_t c = 0; c < spec->n_columns; c++) {
		if (!is_stored(spec, c))
			continue;
		jr_buf_printf(&w->sql, "%s\"%s\" %s", comma, column_name(&spec->columns[c]),
			sql_type(&spec->columns[c]));
		jr_buf_printf(&values, "%s?", comma);
		comma = ", ";
	}
	jr_buf_puts(&w->sql, ")");
	jr_buf_puts(&values, ")");
	*insert = jr_arena_strndup(&w->arena, values.data, values.size);
	return *comma ? jr_sqlite_execute(&w->put, w->sql.data, err) : JR_OK;
}

static enum jr_status put_table(
	struct writing *w, const struct jr_table *table, struct jr_error *err)
{
	const struct jr_table_spec *spec = table->spec;
	if (!spec->json)
		return JR_OK;
	const char *insert, *name = table_name(w, spec->json);
	/* if a path has several items, the first one is kept, as in report.json */
	if (jr_intern_find(&w->names, name, strlen(name)) != JR_NONE)
		return JR_OK;
	(void)jr_intern_puts(&w->names, name);
	JR_TRY(create(w, name, spec, &insert, err));
	JR_TRY(jr_sqlite_begin(&w->put, insert, err));
	size_t n = table->n_data < table->n_rows ? table->n_data : table->n_rows;
	for (size_t row = 0; row < n; row++) {
		for (size_t c = 0; c < spec->n_columns; c++) {
			if (!is_stored(spec, c))
				continue;
			struct jr_value v = jr_value_of_cell(table, c, row);
			bind(w, &v, false);
		}
		JR_TRY(jr_sqlite_end_row(&w->put, err));
	}
	return JR_OK;
}

static enum jr_status put_tables(
	struct writing *w, const struct jr_section *s, struct jr_error *err)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->items[i].kind == JR_RESULT_TABLE)
			JR_TRY(put_table(w, s->items[i].as.table, err));
	return JR_OK;
}

/* --- scalars and stacks ----------------------------------------------------------------------- */

static enum jr_status put_value(
	struct writing *w, const char *path, const struct jr_value *v, struct jr_error *err)
{
	put_text(w, path);
	bind(w, v, true);
	return jr_sqlite_end_row(&w->put, err);
}

static enum jr_status put_values(struct writing *w, const struct jr_doc *doc, struct jr_error *err)
{
	struct jr_value schema = {
		.type = JR_TEXT, .as.text = doc->results->schema ? doc->results->schema : JR_REPORT_SCHEMA};
	struct jr_value version = {.type = JR_TEXT, .as.text = JR_VERSION};
	JR_TRY(jr_sqlite_execute(&w->put, "CREATE TABLE report_value (path TEXT, value)", err));
	JR_TRY(jr_sqlite_begin(&w->put, "INSERT INTO report_value VALUES (?, ?)", err));
	JR_TRY(put_value(w, "schema", &schema, err));
	JR_TRY(put_value(w, "generator.version", &version, err));
	for (size_t s = 0; s < doc->data.n; s++)
		for (size_t i = 0; i < doc->data.items[s]->n; i++) {
			const struct jr_result_item *item = &doc->data.items[s]->items[i];
			if (item->kind != JR_RESULT_SCALAR || !item->as.scalar->key)
				continue;
			struct jr_value v = jr_value_of_scalar(item->as.scalar);
			JR_TRY(put_value(w, item->as.scalar->key, &v, err));
		}
	return JR_OK;
}

static enum jr_status put_stacks_of(
	struct writing *w, const struct jr_tree *tree, struct jr_error *err)
{
	JR_CLEANUP(jr_fold_done) struct jr_fold fold = {0};
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch;
	jr_arena_init(&scratch, 0);
	const int64_t *self_ns = jr_fold_whole_ns(tree->self_ns, tree->n, &scratch);
	const int64_t *base_whole_ns =
		tree->base_self_ns ? jr_fold_whole_ns(tree->base_self_ns, tree->n, &scratch) : NULL;
	for (size_t node = 0; node < tree->n; node++) {
		struct jr_bytes stack = jr_fold_to(&fold, tree, (uint32_t)node);
		double base_ns = tree->base_self_ns ? tree->base_self_ns[node] : 0;
		if (!(tree->self_ns[node] > 0) && !(base_ns > 0))
			continue;
		put_text(w, tree->name);
		jr_sqlite_text(&w->put, (const char *)stack.data, stack.size, true);
		if (tree->bytes)
			jr_sqlite_i64(&w->put, self_ns[node]);
		else
			jr_sqlite_f64(&w->put, (double)self_ns[node] / 1e6);
		if (base_whole_ns)
			jr_sqlite_f64(&w->put, (double)base_whole_ns[node] / 1e6);
		else if (!tree->bytes) /* whose table has one column less */
			jr_sqlite_null(&w->put);
		JR_TRY(jr_sqlite_end_row(&w->put, err));
	}
	return JR_OK;
}

static enum jr_status put_stacks(struct writing *w, const struct jr_doc *doc, struct jr_error *err)
{
	JR_TRY(jr_sqlite_execute(&w->put,
		"CREATE TABLE report_stack (tree TEXT, stack TEXT, self_ms REAL, base_self_ms REAL)", err));
	JR_TRY(jr_sqlite_begin(&w->put, "INSERT INTO report_stack VALUES (?, ?, ?, ?)", err));
	for (size_t i = 0; i < doc->figures.n; i++)
		if (doc->figures.items[i]->tree && !doc->figures.items[i]->tree->bytes)
			JR_TRY(put_stacks_of(w, doc->figures.items[i]->tree, err));
	return JR_OK;
}

/* Stacks of bytes have a table of their own, so that no column mixes units. */
static enum jr_status put_memory_stacks(
	struct writing *w, const struct jr_doc *doc, struct jr_error *err)
{
	bool any = false;
	for (size_t i = 0; i < doc->figures.n; i++) {
		const struct jr_tree *tree = doc->figures.items[i]->tree;
		if (!tree || !tree->bytes)
			continue;
		if (!any) {
			JR_TRY(jr_sqlite_execute(&w->put,
				"CREATE TABLE report_memory_stack (tree TEXT, stack TEXT, self_bytes INTEGER)",
				err));
			JR_TRY(
				jr_sqlite_begin(&w->put, "INSERT INTO report_memory_stack VALUES (?, ?, ?)", err));
		}
		any = true;
		JR_TRY(put_stacks_of(w, tree, err));
	}
	return JR_OK;
}

enum jr_status jr_sqlite_put_report(sqlite3 *db, const struct jr_doc *doc, struct jr_error *err)
{
	JR_CLEANUP(done) struct writing w = {.put.db = db};
	struct jr_section lists = {0};
	jr_arena_init(&w.arena, 0);
	jr_intern_init(&w.names);
	jr_doc_lists(doc->profile, doc->results, &w.arena, &lists);
	/* reserved names */
	(void)jr_intern_puts(&w.names, "report_value");
	(void)jr_intern_puts(&w.names, "report_stack");
	(void)jr_intern_puts(&w.names, "report_memory_stack");
	JR_TRY(put_values(&w, doc, err));
	JR_TRY(put_stacks(&w, doc, err));
	JR_TRY(put_memory_stacks(&w, doc, err));
	JR_TRY(put_tables(&w, &lists, err));
	for (size_t s = 0; s < doc->data.n; s++)
		JR_TRY(put_tables(&w, doc->data.items[s], err));
	return JR_OK;
}
