#include "formats/nsys/sqlite_rows.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "formats/nsys/nsys_tables.h"

struct jr_sqlite {
	struct jr_nsys_tables tables;
	struct jr_nsys_file file;
};

bool jr_sqlite_is(const char *path)
{
	struct stat st;
	uint8_t head[16];
	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	ssize_t n = pread(fd, head, sizeof(head), 0);
	close(fd);
	return n == (ssize_t)sizeof(head) && jr_nsys_is_sqlite(jr_bytes_of(head, sizeof(head)));
}

static enum jr_status open_file(
	const struct jr_nsys_file *file, struct jr_sqlite **out, struct jr_error *err)
{
	JR_CLEANUP(jr_sqlite_close) struct jr_sqlite *opened = jr_calloc(1, sizeof(*opened));
	opened->file = *file;
	JR_TRY(jr_nsys_tables_open(&opened->file, &opened->tables, err));
	*out = JR_TAKE(opened);
	return JR_OK;
}

enum jr_status jr_sqlite_open(
	const char *path, const struct jr_limits *limits, struct jr_sqlite **out, struct jr_error *err)
{
	struct jr_nsys_file file;
	JR_TRY(jr_nsys_file_at(path, limits, &file, err));
	return open_file(&file, out, err);
}

enum jr_status jr_sqlite_open_memory(struct jr_bytes bytes, const struct jr_limits *limits,
	struct jr_sqlite **out, struct jr_error *err)
{
	struct jr_nsys_file file = {.memory = bytes, .size_bytes = bytes.size, .limits = limits};
	return open_file(&file, out, err);
}

enum jr_status jr_sqlite_check(struct jr_sqlite *db, struct jr_error *err)
{
	sqlite3_stmt *stmt = NULL;
	enum jr_status status = JR_OK;
	const char *says = NULL;
	if (sqlite3_prepare_v2(db->tables.db, "PRAGMA quick_check(1)", -1, &stmt, NULL) == SQLITE_OK &&
		sqlite3_step(stmt) == SQLITE_ROW)
		says = (const char *)sqlite3_column_text(stmt, 0); /* NULL: out of memory */
	if (!says)
		status = jr_nsys_db_fail(db->tables.db, NULL, err);
	else if (strcmp(says, "ok") != 0)
		status = jr_fail(err, JR_EFORMAT, "the database is damaged (sqlite3: PRAGMA quick_check)");
	sqlite3_finalize(stmt);
	return status;
}

void jr_sqlite_close(struct jr_sqlite **db)
{
	if (*db)
		jr_nsys_tables_close(&(*db)->tables);
	free(*db);
	*db = NULL;
}

static void read_cell(sqlite3_stmt *stmt, int column, struct jr_sqlite_cell *out)
{
	*out = (struct jr_sqlite_cell){.kind = JR_SQLITE_NULL};
	switch (sqlite3_column_type(stmt, column)) {
	case SQLITE_INTEGER:
		out->kind = JR_SQLITE_INTEGER;
		out->integer = sqlite3_column_int64(stmt, column);
		out->real = (double)out->integer;
		break;
	case SQLITE_FLOAT:
		out->kind = JR_SQLITE_REAL;
		out->real = sqlite3_column_double(stmt, column);
		break;
	case SQLITE_TEXT:
		out->text = (const char *)sqlite3_column_text(stmt, column);
		out->text_size = (size_t)sqlite3_column_bytes(stmt, column);
		out->kind = out->text ? JR_SQLITE_TEXT : JR_SQLITE_NULL;
		break;
	default: break;
	}
}

enum jr_status jr_sqlite_rows(struct jr_sqlite *db, const char *table, const char *const *columns,
	size_t n, jr_sqlite_row_fn row, void *context, bool *found, uint64_t *n_rows,
	struct jr_error *err)
{
	struct jr_sqlite_cell cells[JR_SQLITE_MAX_COLUMNS];
	JR_CLEANUP(jr_nsys_scan_end) struct jr_nsys_scan scan;
	enum jr_status status = jr_nsys_scan_begin(&db->tables, table, columns, n, 0, &scan, err);
	if (status != JR_OK && status != JR_EUNSUPPORTED)
		return status;
	*found = status == JR_OK && scan.found;
	if (!*found) {
		*n_rows = 0;
		return JR_OK;
	}
	uint64_t text_left = db->file.size_bytes;
	while (jr_nsys_scan_next(&scan)) {
		for (size_t c = 0; row && c < n; c++) {
			read_cell(scan.stmt, (int)c, &cells[c]);
			/* Crafted rows may share the pages of one long text. */
			if (cells[c].text_size > text_left)
				return jr_fail(
					err, JR_EFORMAT, "table %s: more text than the file contains", table);
			text_left -= cells[c].text_size;
		}
		if (row)
			JR_TRY(row(context, cells, err));
	}
	*n_rows = scan.n_rows;
	return jr_nsys_scan_stopped(&scan, err);
}
