/* Damage to tables of an SQLite database by SQL: cells of any type, duplicate rows, missing or
 * renamed tables and columns. The file itself stays valid. */
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "mutate.h"

/* A random value of the first column of a query, quoted as a name; from sqlite3_mprintf(). */
static char *any_name(struct rng *rng, sqlite3 *db, const char *sql)
{
	sqlite3_stmt *rows;
	char *out = NULL;
	uint64_t n = 0;
	if (sqlite3_prepare_v2(db, sql, -1, &rows, NULL) != SQLITE_OK)
		return NULL;
	while (sqlite3_step(rows) == SQLITE_ROW) {
		if (!rng_one_in(rng, ++n))
			continue;
		sqlite3_free(out);
		out = sqlite3_mprintf("\"%w\"", (const char *)sqlite3_column_text(rows, 0));
	}
	sqlite3_finalize(rows);
	return out;
}

static char *any_value(struct rng *rng)
{
	struct jr_buf text = {0};
	char *out;
	switch (rng_below(rng, 6)) {
	case 0:
		return sqlite3_mprintf("NULL");
	case 1:
		return sqlite3_mprintf("1e%d", (int)rng_below(rng, 400) - 50);
	case 2:
		rng_text(rng, &text);
		jr_buf_putc(&text, '\0');
		out = sqlite3_mprintf("CAST(%Q AS %s)", text.data, rng_one_in(rng, 2) ? "TEXT" : "BLOB");
		jr_buf_done(&text);
		return out;
	case 3:
		return sqlite3_mprintf("zeroblob(%d)", (int)rng_below(rng, 100000));
	default:
		return sqlite3_mprintf("%lld", (long long)rng_extreme(rng));
	}
}

static void change(struct rng *rng, sqlite3 *db)
{
	char *table = any_name(rng, db, "SELECT name FROM sqlite_schema WHERE type = 'table'");
	if (!table)
		return;
	char *info = sqlite3_mprintf("SELECT name FROM pragma_table_info(%s)", table);
	char *column = any_name(rng, db, info), *other = any_name(rng, db, info);
	char *value = any_value(rng), *sql = NULL;
	unsigned long long one_in = 1 + rng_below(rng, rng_one_in(rng, 2) ? 4 : 400);
	unsigned long long least = rng_below(rng, one_in);
	if (!column || !other)
		sql = sqlite3_mprintf("DROP TABLE %s", table);
	else
		switch (rng_below(rng, 9)) {
		case 0:
			sql = sqlite3_mprintf("DROP TABLE %s", table);
			break;
		case 1:
			sql = sqlite3_mprintf("ALTER TABLE %s RENAME COLUMN %s TO gone", table, column);
			break;
		case 2:
			sql =
				sqlite3_mprintf("DELETE FROM %s WHERE rowid %% %llu = %llu", table, one_in, least);
			break;
		case 3:
			sql = sqlite3_mprintf(
				"INSERT OR IGNORE INTO %s SELECT * FROM %s LIMIT 200", table, table);
			break;
		case 4:
			sql = sqlite3_mprintf("UPDATE OR IGNORE %s SET %s = %s", table, column, other);
			break;
		case 5:
			sql = sqlite3_mprintf("CREATE TABLE x AS SELECT * FROM %s; DROP TABLE %s;"
								  "CREATE VIEW %s AS SELECT * FROM x UNION ALL SELECT * FROM x",
				table, table, table);
			break;
		default:
			sql = sqlite3_mprintf("UPDATE OR IGNORE %s SET %s = %s WHERE rowid %% %llu = %llu",
				table, column, value, one_in, least);
		}
	(void)sqlite3_exec(db, sql, NULL, NULL, NULL);
	sqlite3_free(sql);
	sqlite3_free(value);
	sqlite3_free(column);
	sqlite3_free(other);
	sqlite3_free(info);
	sqlite3_free(table);
}

bool damage_sqlite(struct rng *rng, struct jr_buf *file)
{
	sqlite3 *db = NULL;
	unsigned char *copy = sqlite3_malloc64(file->size + 1);
	bool ok = copy && sqlite3_open(":memory:", &db) == SQLITE_OK;
	if (ok) {
		memcpy(copy, file->data, file->size);
		ok = sqlite3_deserialize(db, "main", copy, (sqlite3_int64)file->size,
				 (sqlite3_int64)file->size,
				 SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE) == SQLITE_OK;
	}
	for (uint64_t k = ok ? 1 + rng_below(rng, 4) : 0; k; k--)
		change(rng, db);
	sqlite3_int64 n = 0;
	unsigned char *out = ok ? sqlite3_serialize(db, "main", &n, 0) : NULL;
	if (out) {
		file->size = 0;
		jr_buf_add(file, out, (size_t)n);
	}
	sqlite3_free(out);
	sqlite3_close(db);
	return out != NULL;
}
