#include "formats/nsys/nsys_sqlite_db.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"
#include "formats/nsys/nsys_tables.h"

enum jr_status jr_nsys_file_at(const char *path, const struct jr_limits *limits,
	struct jr_nsys_file *file, struct jr_error *err)
{
	struct stat st;
	if (stat(path, &st) != 0)
		return jr_fail_to_open(err, path, errno);
	if (!S_ISREG(st.st_mode))
		return jr_fail(err, JR_EUNSUPPORTED, "'%s' is not a regular file", path);
	*file =
		(struct jr_nsys_file){.path = path, .size_bytes = (uint64_t)st.st_size, .limits = limits};
	return JR_OK;
}

#define BUSY_MS 2000
#define LOCKED "the database is locked. Wait until it is completely written"

enum jr_status jr_nsys_db_fail(sqlite3 *db, const char *what, struct jr_error *err)
{
	if (!db)
		jr_oom();
	int code = sqlite3_errcode(db);
	/* SQLite also reports this for records with damaged sizes, so it is not an out-of-memory
	 * error. */
	if (code == SQLITE_NOMEM)
		return jr_fail(err, JR_EFORMAT,
			"%s%sa record is damaged, or there is not enough memory for it (--max-memory)",
			what ? what : "", what ? ": " : "");
	enum jr_status status = code == SQLITE_IOERR || code == SQLITE_CANTOPEN ||
									code == SQLITE_READONLY || code == SQLITE_PERM
								? JR_EIO
							: code == SQLITE_TOOBIG ? JR_ELIMIT
													: JR_EFORMAT;
	if (code == SQLITE_BUSY)
		return jr_fail(err, JR_EIO, "%s%s" LOCKED, what ? what : "", what ? ": " : "");
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	const char *said = sqlite3_errmsg(db);
	jr_text_clean(&text, said, strlen(said));
	return jr_fail(
		err, status, "%s%s%s", what ? what : "", what ? ": " : "", text.data ? text.data : "");
}

/* Files next to a database decide how to open it so that nothing is written. */
enum companion {
	ALONE,      /* no other process can be writing */
	JOURNAL,    /* journal of a change that is in progress or was never finished */
	LOG,        /* pages not yet in the file; no other process shares them */
	SHARED_LOG, /* with the index of current or former connections */
};

/* Return whether a companion file exists. An empty one does not count. */
static bool has(const char *path, const char *suffix, off_t least_bytes)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf name = {0};
	struct stat st;
	jr_buf_puts(&name, path);
	jr_buf_puts(&name, suffix);
	return stat(name.data, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= least_bytes;
}

static enum companion companion_of(const struct jr_nsys_file *file)
{
	if (file->size_bytes == 0) /* SQLite would remove its log */
		return ALONE;
	if (has(file->path, "-journal", 1))
		return JOURNAL;
	if (!has(file->path, "-wal", 1))
		return ALONE;
	return has(file->path, "-shm", 0) ? SHARED_LOG : LOG;
}

/* SQLite locks these bytes to read or write (https://www.sqlite.org/fileformat2.html, 1.4). Return
 * true if another process keeps them locked. */
static bool is_held(const char *path)
{
	enum { FIRST = 0x40000000, N = 512, STEP_MS = 20 };
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	bool held = fd >= 0;
	for (int ms = 0; held && ms < BUSY_MS; ms += STEP_MS) {
		struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = FIRST, .l_len = N};
		held = fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
		if (held)
			nanosleep(&(struct timespec){.tv_nsec = STEP_MS * 1000000L}, NULL);
	}
	if (fd >= 0)
		close(fd);
	return held;
}

/* Write a "file:" URI. All characters except plain ones are escaped. A relative path stays
 * relative. */
static void put_uri(struct jr_buf *uri, const char *path, enum companion companion)
{
	static const char *const how[] = {
		[ALONE] = "immutable=1",
		[JOURNAL] = "", /* respect locks */
		/* A connection without locks may keep the index of a log in its own memory. */
		[LOG] = "vfs=unix-none",
		[SHARED_LOG] = "readonly_shm=1",
	};
	jr_buf_puts(uri, "file:");
	if (path[0] == '/')
		jr_buf_puts(uri, "//"); /* an empty authority, so that "//x" is not a host */
	for (const char *s = path; *s; s++) {
		bool plain = jr_is_letter(*s) || jr_is_digit(*s) || (*s && strchr("/._-", *s));
		if (plain)
			jr_buf_putc(uri, *s);
		else
			jr_buf_printf(uri, "%%%02X", (unsigned)(unsigned char)*s);
	}
	jr_buf_printf(uri, "?mode=ro&%s", how[companion]);
}

/* Restrict a database of unknown origin (https://www.sqlite.org/security.html). */
static void restrain(sqlite3 *db, uint64_t size_bytes)
{
	static const struct {
		int option, value;
	} switches[] = {
		{SQLITE_DBCONFIG_DEFENSIVE, 1},
		{SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1},
		{SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
		{SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
		{SQLITE_DBCONFIG_ENABLE_VIEW, 0},
		{SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
		{SQLITE_DBCONFIG_DQS_DDL, 0},
		{SQLITE_DBCONFIG_DQS_DML, 0},
	};
	for (size_t i = 0; i < JR_COUNT_OF(switches); i++)
		(void)sqlite3_db_config(db, switches[i].option, switches[i].value, NULL);
	/* No row is longer than the file. */
	uint64_t length = size_bytes < (1u << 29) ? size_bytes + 4096 : 1u << 29;
	static const struct {
		int limit, value;
	} bounds[] = {
		{SQLITE_LIMIT_SQL_LENGTH, 1 << 18},
		{SQLITE_LIMIT_COLUMN, 512},
		{SQLITE_LIMIT_EXPR_DEPTH, 16},
		{SQLITE_LIMIT_COMPOUND_SELECT, 2},
		{SQLITE_LIMIT_VDBE_OP, 25000},
		{SQLITE_LIMIT_FUNCTION_ARG, 32},
		{SQLITE_LIMIT_ATTACHED, 0},
		{SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 64},
		{SQLITE_LIMIT_VARIABLE_NUMBER, 8},
		{SQLITE_LIMIT_TRIGGER_DEPTH, 1},
		{SQLITE_LIMIT_WORKER_THREADS, 0},
	};
	(void)sqlite3_limit(db, SQLITE_LIMIT_LENGTH, (int)length);
	for (size_t i = 0; i < JR_COUNT_OF(bounds); i++)
		(void)sqlite3_limit(db, bounds[i].limit, bounds[i].value);
}

static uint32_t be32(const unsigned char *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

enum { HEADER_BYTES = 100 };

static enum jr_status cut_off(
	const struct jr_nsys_file *file, uint64_t whole_bytes, struct jr_error *err)
{
	return jr_fail(err, JR_EFORMAT,
		"the database is cut off: it has %" PRIu64 " of %s%" PRIu64 " bytes%s%s", file->size_bytes,
		whole_bytes == HEADER_BYTES ? "at least " : "", whole_bytes, file->cut_hint ? ". " : "",
		file->cut_hint ? file->cut_hint : "");
}

/* Report a journal without a writer: a rollback would have to write. */
static enum jr_status was_left(const struct jr_nsys_file *file, struct jr_error *err)
{
	return jr_fail(err, JR_EFORMAT,
		"it was cut off while it was written, and its journal still exists%s%s",
		file->left_hint ? ". " : "", file->left_hint ? file->left_hint : "");
}

/* SQLite reads missing parts of the last page as zeros. The header has the number of pages; it is
 * valid if its two counters agree (https://www.sqlite.org/fileformat2.html, 1.3.7). */
static enum jr_status check_length(
	const unsigned char *header, const struct jr_nsys_file *file, struct jr_error *err)
{
	uint64_t page_bytes = (uint64_t)header[16] << 8 | header[17];
	page_bytes = page_bytes == 1 ? 65536 : page_bytes;
	uint64_t whole_bytes = page_bytes * be32(header + 28);
#ifdef JR_FUZZING
	return JR_OK; /* a fuzzer's cut files must reach the code below */
#endif
	if (be32(header + 24) == be32(header + 92) && file->size_bytes < whole_bytes)
		return cut_off(file, whole_bytes, err);
	return JR_OK;
}

static bool read_header(const char *path, unsigned char header[HEADER_BYTES])
{
	FILE *f = fopen(path, "rb");
	if (!f)
		return false; /* SQLite reports the reason */
	bool whole = fread(header, 1, HEADER_BYTES, f) == HEADER_BYTES;
	(void)fclose(f);
	return whole;
}

static enum jr_status check_whole(const struct jr_nsys_file *file, struct jr_error *err)
{
	unsigned char header[HEADER_BYTES];
	if (file->size_bytes > 0 && file->size_bytes < HEADER_BYTES)
		return cut_off(file, HEADER_BYTES, err);
	if (!file->path)
		return file->size_bytes ? check_length(file->memory.data, file, err) : JR_OK;
	return read_header(file->path, header) ? check_length(header, file, err) : JR_OK;
}

static void close_db(sqlite3 **db)
{
	sqlite3_close(*db);
	*db = NULL;
}

/* Open a connection. Nothing is written to the file or its folder, even if there is a journal, a
 * log or the index of a log. A log is read. */
static enum jr_status open_tables(struct jr_nsys_tables *tables, struct jr_error *err)
{
	const struct jr_nsys_file *file = tables->file;
	JR_CLEANUP(jr_buf_done) struct jr_buf uri = {0};
	JR_CLEANUP(close_db) sqlite3 *opened = NULL;
	JR_TRY(check_whole(file, err));
	enum companion companion = file->path ? companion_of(file) : ALONE;
	if (companion == LOG && is_held(file->path))
		return jr_fail(err, JR_EIO, LOCKED);
	if (file->path)
		put_uri(&uri, file->path, companion);
	else
		jr_buf_puts(&uri, ":memory:");
	int flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE |
				(file->path ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE);
	if (sqlite3_open_v2(uri.data, &opened, flags, NULL) != SQLITE_OK)
		return jr_nsys_db_fail(opened, NULL, err);
	restrain(opened, file->size_bytes);
	/* The first of our connections to a log blocks the others while it builds the index. */
	(void)sqlite3_busy_timeout(opened, BUSY_MS);
	if (!file->path) {
		/* The cast is safe: the flag makes the database read-only. */
		unsigned char *bytes = (unsigned char *)(uintptr_t)file->memory.data;
		sqlite3_int64 size = (sqlite3_int64)file->memory.size;
		if (sqlite3_deserialize(opened, "main", bytes, size, size, SQLITE_DESERIALIZE_READONLY) !=
			SQLITE_OK)
			return jr_nsys_db_fail(opened, NULL, err);
	}
	if (companion == LOG &&
		sqlite3_exec(opened, "PRAGMA locking_mode = EXCLUSIVE", NULL, NULL, NULL) != SQLITE_OK)
		return jr_nsys_db_fail(opened, NULL, err);
	/* Read the schema, which reads the header too. */
	if (sqlite3_exec(opened, "PRAGMA schema_version", NULL, NULL, NULL) != SQLITE_OK ||
		sqlite3_exec(opened, "SELECT 1 FROM sqlite_master", NULL, NULL, NULL) != SQLITE_OK)
		return sqlite3_extended_errcode(opened) == SQLITE_READONLY_ROLLBACK
				   ? was_left(file, err)
				   : jr_nsys_db_fail(opened, NULL, err);
	tables->db = JR_TAKE(opened);
	return JR_OK;
}

static void close_tables(struct jr_nsys_tables *tables)
{
	close_db(&tables->db);
}

static void finalize(sqlite3_stmt **stmt)
{
	sqlite3_finalize(*stmt);
	*stmt = NULL;
}

static enum jr_status prepare(
	sqlite3 *db, const char *sql, const char *table, sqlite3_stmt **stmt, struct jr_error *err)
{
	if (sqlite3_prepare_v2(db, sql, -1, stmt, NULL) != SQLITE_OK)
		return jr_nsys_db_fail(db, table, err);
	return JR_OK;
}

#define AGAIN "Export the .nsys-rep file again, or copy the rows into a table"

/* Find a real table with its own pages. A view or a virtual table may compute without end. */
static enum jr_status find_table(sqlite3 *db, const char *table, bool *found, struct jr_error *err)
{
	JR_CLEANUP(finalize) sqlite3_stmt *stmt = NULL;
	JR_TRY(prepare(db,
		"SELECT type = 'table' AND rootpage > 0 FROM sqlite_master WHERE type IN ('table', 'view') "
		"AND name = ?1",
		table, &stmt, err));
	sqlite3_bind_text(stmt, 1, table, -1, SQLITE_STATIC);
	int code = sqlite3_step(stmt);
	*found = code == SQLITE_ROW && sqlite3_column_int(stmt, 0);
	if (code == SQLITE_ROW && !*found)
		return jr_fail(err, JR_EUNSUPPORTED,
			"table %s is a view or a virtual table, which is not supported. " AGAIN, table);
	return code == SQLITE_ROW || code == SQLITE_DONE ? JR_OK : jr_nsys_db_fail(db, table, err);
}

/* Set the bits of the existing columns. A column that is computed when it is read is an error, as a
 * view is; one that was stored is like any other. */
static enum jr_status find_columns(sqlite3 *db, const char *table, const char *const *columns,
	size_t n, unsigned *has, struct jr_error *err)
{
	char sql[128];
	enum { NAME = 1, HIDDEN = 6, COMPUTED = 2, STORED = 3 }; /* of table_xinfo */
	sqlite3_snprintf(sizeof(sql), sql, "PRAGMA table_xinfo(\"%w\")", table);
	JR_CLEANUP(finalize) sqlite3_stmt *stmt = NULL;
	JR_TRY(prepare(db, sql, table, &stmt, err));
	*has = 0;
	int code;
	while ((code = sqlite3_step(stmt)) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(stmt, NAME);
		int hidden = sqlite3_column_int(stmt, HIDDEN);
		for (size_t i = 0; i < n; i++) {
			if (!name || strcmp(name, columns[i]) != 0)
				continue;
			if (hidden == COMPUTED)
				return jr_fail(err, JR_EUNSUPPORTED,
					"table %s: column '%s' is computed from others, which is not supported. " AGAIN,
					table, columns[i]);
			if (hidden == 0 || hidden == STORED)
				*has |= 1u << i;
		}
	}
	return code == SQLITE_DONE ? JR_OK : jr_nsys_db_fail(db, table, err);
}

#define MOST_TABLES 1024 /* an export has about 80 */

/* Exporters number rows from 1; a wrong number only costs a few copies. */
static uint64_t last_rowid(const struct jr_nsys_tables *tables, const char *table)
{
	char sql[128];
	sqlite3_snprintf(sizeof(sql), sql, "SELECT max(rowid) FROM \"%w\"", table);
	JR_CLEANUP(finalize) sqlite3_stmt *stmt = NULL;
	if (sqlite3_prepare_v2(tables->db, sql, -1, &stmt, NULL) != SQLITE_OK ||
		sqlite3_step(stmt) != SQLITE_ROW)
		return 0;
	int64_t id = sqlite3_column_int64(stmt, 0);
	return id > 0 ? (uint64_t)id : 0;
}

static uint64_t count_rows(const struct jr_nsys_tables *tables, const char *table)
{
	uint64_t rows = last_rowid(tables, table), likely = tables->file->size_bytes / 2;
	return rows < likely ? rows : likely;
}

static enum jr_status each_table(const struct jr_nsys_tables *tables,
	void (*take)(void *context, const char *name), void *context, struct jr_error *err)
{
	JR_CLEANUP(finalize) sqlite3_stmt *stmt = NULL;
	JR_TRY(
		prepare(tables->db, "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0",
			"sqlite_master", &stmt, err));
	int code;
	for (size_t n = 0; (code = sqlite3_step(stmt)) == SQLITE_ROW && n < MOST_TABLES; n++) {
		const char *name = (const char *)sqlite3_column_text(stmt, 0);
		if (name)
			take(context, name);
	}
	return code == SQLITE_ROW || code == SQLITE_DONE
			   ? JR_OK
			   : jr_nsys_db_fail(tables->db, "sqlite_master", err);
}

static enum jr_status begin(struct jr_nsys_scan *scan, const char *const *columns, size_t n,
	size_t n_must, struct jr_error *err)
{
	const struct jr_nsys_file *file = scan->tables->file;
	sqlite3 *db = scan->tables->db;
	const char *table = scan->table;
	JR_TRY(find_table(db, table, &scan->found, err));
	if (!scan->found)
		return JR_OK;
	JR_TRY(find_columns(db, table, columns, n, &scan->has, err));
	for (size_t i = 0; i < n_must; i++)
		if (!(scan->has & 1u << i))
			return jr_fail(err, JR_EUNSUPPORTED, JR_NSYS_NO_COLUMN, table, columns[i]);
	JR_CLEANUP(jr_buf_done) struct jr_buf sql = {0}, cells = {0};
	for (size_t i = 0; i < n; i++)
		jr_buf_printf(
			&cells, scan->has & 1u << i ? "%s\"%s\"" : "%sNULL", i ? "," : "", columns[i]);
	/* In table order, regardless of any added index. */
	if (scan->tables->in_blocks) {
		jr_nsys_cells_begin(scan, n);
		jr_buf_printf(&sql, "SELECT 1 FROM \"%s\" NOT INDEXED WHERE " JR_NSYS_TAKE_ROW "(%s)",
			table, cells.data);
	} else {
		jr_buf_printf(&sql, "SELECT %s FROM \"%s\" NOT INDEXED", cells.data, table);
	}
	JR_TRY(prepare(db, sql.data, table, &scan->stmt, err));
	/* A row takes at least a byte per column. Damaged page trees may lead to the same page again
	 * and again. */
	uint64_t room = file->size_bytes / 8 + 64;
	scan->most_rows = room < file->limits->rows ? room : file->limits->rows;
	uint64_t last = last_rowid(scan->tables, table), likely = file->size_bytes / 24 + 64;
	scan->hint = last < likely ? last : likely;
	if (scan->hint > scan->most_rows)
		scan->hint = scan->most_rows;
	return JR_OK;
}

static enum jr_status stopped(const struct jr_nsys_scan *scan, struct jr_error *err)
{
	if (scan->code == SQLITE_DONE)
		return JR_OK;
	if (scan->code == SQLITE_ROW)
		return jr_fail(err, JR_ELIMIT, "table %s: more than %" PRIu64 " rows (--max-rows)",
			scan->table, scan->most_rows);
	return jr_nsys_db_fail(scan->tables->db, scan->table, err);
}

static void end(struct jr_nsys_scan *scan)
{
	finalize(&scan->stmt);
	jr_nsys_cells_end(scan);
}

const struct jr_nsys_table_ops jr_nsys_sqlite_tables = {
	.open = open_tables,
	.close = close_tables,
	.each_table = each_table,
	.count_rows = count_rows,
	.begin = begin,
	.end = end,
	.next_block = jr_nsys_cells_next,
	.stopped = stopped,
};
