/*
 * write_pqtdir.c - the output of `nsys export --type parquetdir` for the same job
 * (formats/README.md, section 3.6): the tables of write_sqlite.c, each as a Parquet file.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "pqtdir.h"
#include "writers.h"

#define MOST_COLUMNS 64

struct table {
	const char *name;
	sqlite3_stmt *stmt; /* all rows */
	struct gen_column columns[MOST_COLUMNS];
	size_t n;
	struct jr_arena arena; /* texts */
};

/* Columns that nsys writes as INT32. */
static bool is_short(const char *table, const char *column)
{
	static const char *const names[] = {"gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ",
		"staticSharedMemory", "dynamicSharedMemory", "localMemoryPerThread", "localMemoryTotal",
		"cuDevice", "nameEnum"};
	for (size_t i = 0; i < JR_COUNT_OF(names); i++)
		if (strcmp(column, names[i]) == 0)
			return true;
	return strcmp(table, "StringIds") == 0 && strcmp(column, "id") == 0;
}

static void describe_columns(struct table *t)
{
	t->n = (size_t)sqlite3_column_count(t->stmt);
	for (size_t i = 0; i < t->n && i < MOST_COLUMNS; i++) {
		const char *name = sqlite3_column_name(t->stmt, (int)i);
		const char *type = sqlite3_column_decltype(t->stmt, (int)i);
		t->columns[i] = (struct gen_column){.name = name,
			.type = strcmp(type, "TEXT") == 0   ? JR_PQ_PUT_TEXT
					: strcmp(type, "REAL") == 0 ? JR_PQ_PUT_DOUBLE
					: is_short(t->name, name)   ? JR_PQ_PUT_INT32
												: JR_PQ_PUT_INT64};
	}
}

static void put_cell(struct table *t, int i)
{
	struct gen_column *c = &t->columns[i];
	if (sqlite3_column_type(t->stmt, i) == SQLITE_NULL) {
		gen_put_null(c);
	} else if (c->type == JR_PQ_PUT_TEXT) {
		const char *text = (const char *)sqlite3_column_text(t->stmt, i);
		size_t n = (size_t)sqlite3_column_bytes(t->stmt, i);
		gen_put_bytes(c, jr_bytes_of(jr_arena_strndup(&t->arena, text, n), n));
	} else if (c->type == JR_PQ_PUT_DOUBLE) {
		gen_put_f64(c, sqlite3_column_double(t->stmt, i));
	} else {
		gen_put_i64(c, sqlite3_column_int64(t->stmt, i));
	}
}

static enum jr_status pack_table(sqlite3 *db, const char *name,
	const struct jr_pq_put_options *options, struct gen_archive *archive, struct jr_error *err)
{
	struct table t = {.name = name};
	struct jr_buf out = {0};
	char text[256];
	snprintf(text, sizeof(text), "SELECT * FROM %s ORDER BY rowid", name);
	if (sqlite3_prepare_v2(db, text, -1, &t.stmt, NULL) != SQLITE_OK)
		return jr_fail(err, JR_EIO, "sqlite: %s", sqlite3_errmsg(db));
	jr_arena_init(&t.arena, 0);
	describe_columns(&t);
	while (sqlite3_step(t.stmt) == SQLITE_ROW)
		for (int i = 0; i < (int)t.n; i++)
			put_cell(&t, i);
	bool any = t.columns[0].valid.n > 0; /* empty tables are left out */
	gen_table_write(&out, t.columns, t.n, 0, options);
	snprintf(text, sizeof(text), "%s.parquet", name);
	if (any)
		gen_archive_add(archive, text, &out, true);
	jr_buf_done(&out);
	sqlite3_finalize(t.stmt);
	jr_arena_done(&t.arena);
	return JR_OK;
}

enum jr_status gen_pack_tables(sqlite3 *db, const struct jr_pq_put_options *given,
	struct gen_archive *archive, struct jr_error *err)
{
	struct jr_pq_put_options options = *given;
	sqlite3_stmt *names = NULL;
	enum jr_status status = JR_OK;
	if (!options.rows_per_group)
		options.rows_per_group = 2048;
	if (sqlite3_prepare_v2(db, "SELECT name FROM sqlite_master WHERE type = 'table'", -1, &names,
			NULL) != SQLITE_OK)
		return jr_fail(err, JR_EIO, "sqlite: %s", sqlite3_errmsg(db));
	while (status == JR_OK && sqlite3_step(names) == SQLITE_ROW)
		status = pack_table(
			db, (const char *)sqlite3_column_text(names, 0), &options, archive, err);
	sqlite3_finalize(names);
	return status;
}

enum jr_status gen_write_pqtdir(struct gen_scenario *sc, uint32_t process,
	const struct gen_write_options *options, const char *path, bool directory, struct jr_error *err)
{
	struct gen_archive archive = {0};
	sqlite3 *db = NULL;
	if (sqlite3_open(":memory:", &db) != SQLITE_OK)
		jr_oom();
	enum jr_status status = gen_fill_export(sc, process, options, db, err);
	if (status == JR_OK)
		status = gen_pack_tables(db, &options->parquet, &archive, err);
	sqlite3_close(db);
	if (status == JR_OK)
		status = gen_archive_write(&archive, path, directory, err);
	gen_archive_done(&archive);
	return status;
}
