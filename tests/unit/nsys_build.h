/*
 * nsys_build.h - Nsight exports made from SQL: in memory, or as a file.
 */
#ifndef JR_TESTS_NSYS_BUILD_H
#define JR_TESTS_NSYS_BUILD_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "unit.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "formats/nsys/nsys_export.h"

/* Ids as the profiler writes them: machine 1, process, thread. */
#define NSYS_PID(pid) "(281474976710656|" #pid "<<24)"
#define NSYS_TID(pid, tid) "(281474976710656|" #pid "<<24|" #tid ")"

static inline void nsys_sql(sqlite3 *db, const char *sql)
{
	char *message = NULL;
	if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
		fail_msg("%s: %s", message, sql);
}

static inline sqlite3 *nsys_open(const char *path)
{
	sqlite3 *db = NULL;
	if (sqlite3_open(path, &db) != SQLITE_OK)
		fail_msg("%s: %s", path, sqlite3_errmsg(db));
	return db;
}

/* Make a database of these statements, to be freed with sqlite3_free(). */
static inline struct jr_bytes nsys_bytes(const char *sql)
{
	sqlite3 *db = nsys_open(":memory:");
	sqlite3_int64 size = 0;
	nsys_sql(db, sql);
	unsigned char *bytes = sqlite3_serialize(db, "main", &size, 0);
	assert_non_null(bytes);
	sqlite3_close(db);
	return jr_bytes_of(bytes, (size_t)size);
}

static inline void nsys_free(struct jr_bytes bytes)
{
	sqlite3_free((void *)(uintptr_t)bytes.data);
}

/* Tables of an export with the columns that are read, and without rows. */
#define NSYS_TABLES                                                                                \
	"CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"               \
	"CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, "  \
	"category INTEGER, text TEXT, globalTid INTEGER, textId INTEGER, domainId INTEGER);"           \
	"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, "     \
	"globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL);"                          \
	"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, "      \
	"deviceId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, "               \
	"demangledName INTEGER, shortName INTEGER, graphNodeId INTEGER);"                              \
	"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL, "      \
	"deviceId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, "               \
	"bytes INTEGER, copyKind INTEGER);"

/* --- everything as text ---------------------------------------------------------------------- */

static inline const char *nsys_str(const struct jr_timeline *x, uint32_t id)
{
	return jr_intern_str(&x->strings, id);
}

static inline void nsys_put_thread(struct jr_buf *out, const struct jr_timeline *x, uint32_t row)
{
	const struct jr_timeline_thread *t = &x->threads[row];
	jr_buf_printf(out, " %lld/%lld", (long long)x->processes[t->process].pid, (long long)t->tid);
}

static inline void nsys_put_nvtx(struct jr_buf *out, const struct jr_timeline *x)
{
	static const char *const kinds[] = {"range", "start/end", "mark"};
	for (size_t i = 0; i < x->nvtx.n; i++) {
		const struct jr_timeline_scope *scope = &x->scopes[x->nvtx.scope[i]];
		jr_buf_printf(out, "%s %lld", kinds[x->nvtx.kind[i]], (long long)x->nvtx.start_ns[i]);
		if (x->nvtx.end_ns[i] == JR_TIMELINE_OPEN)
			jr_buf_puts(out, "..");
		else
			jr_buf_printf(out, "..%lld", (long long)x->nvtx.end_ns[i]);
		nsys_put_thread(out, x, x->nvtx.thread[i]);
		jr_buf_printf(out, " [%s|%s] %s\n", nsys_str(x, scope->domain_name),
			nsys_str(x, scope->category_name), nsys_str(x, x->nvtx.text[i]));
	}
}

static inline void nsys_put_gpu(struct jr_buf *out, const struct jr_timeline *x)
{
	static const char *const kinds[] = {"kernel", "copy", "memset", "graph"};
	const struct jr_timeline_gpu *t = &x->gpu;
	for (size_t i = 0; i < t->n; i++) {
		jr_buf_printf(out, "%s %lld..%lld", kinds[t->kind[i]], (long long)t->start_ns[i],
			(long long)t->end_ns[i]);
		jr_buf_printf(out, " device %d stream %d id %d process %d", (int)t->device[i],
			(int)t->stream[i], (int)t->correlation[i],
			t->process[i] == JR_NONE ? -1 : (int)x->processes[t->process[i]].pid);
		if (t->kind[i] == JR_TIMELINE_KERNEL)
			jr_buf_printf(out, " %s (%s) grid %d registers %d\n", nsys_str(x, t->name[i]),
				nsys_str(x, x->short_name[t->name[i]]), (int)x->configs[t->config[i]].grid[0],
				(int)x->configs[t->config[i]].registers);
		else
			jr_buf_printf(out, " bytes %lld kind %d\n", (long long)t->bytes[i], (int)t->config[i]);
	}
}

static inline void nsys_put(struct jr_buf *out, const struct jr_timeline *x)
{
	nsys_put_nvtx(out, x);
	for (size_t i = 0; i < x->calls.n; i++) {
		jr_buf_printf(out, "call %lld..%lld", (long long)x->calls.start_ns[i],
			(long long)x->calls.end_ns[i]);
		nsys_put_thread(out, x, x->calls.thread[i]);
		jr_buf_printf(
			out, " id %d %s\n", (int)x->calls.correlation[i], nsys_str(x, x->calls.name[i]));
	}
	nsys_put_gpu(out, x);
	if (x->n_bad_rows)
		jr_buf_printf(out, "bad rows %d\n", (int)x->n_bad_rows);
	if (x->n_long_texts)
		jr_buf_printf(out, "long texts %d\n", (int)x->n_long_texts);
}

/* Dump the result of reading: rows, or "STATUS: message". The caller frees it. */
static inline char *nsys_dump_with(struct jr_bytes bytes, const char *path,
	const struct jr_limits *limits, size_t (*shorten)(const char *, size_t))
{
	static const char *const statuses[] = {[JR_EIO] = "EIO",
		[JR_EFORMAT] = "EFORMAT",
		[JR_EUNSUPPORTED] = "EUNSUPPORTED",
		[JR_ELIMIT] = "ELIMIT",
		[JR_ENOTFOUND] = "ENOTFOUND"};
	struct jr_nsys_options options = {.n_threads = 2, .shorten = shorten};
	struct jr_timeline x;
	struct jr_error err = {.message = ""};
	struct jr_buf out = {0};
	jr_buf_puts(&out, "");
	enum jr_status status = path ? jr_nsys_read(path, limits, &options, &x, &err)
								 : jr_nsys_read_memory(bytes, limits, &options, &x, &err);
	if (status != JR_OK) {
		jr_buf_printf(&out, "%s: %s", statuses[status], err.message);
		return out.data;
	}
	nsys_put(&out, &x);
	jr_timeline_done(&x);
	jr_timeline_done(&x);
	return out.data;
}

static inline void nsys_expect_path(const char *path, const char *expected)
{
	struct jr_limits limits = jr_limits_default();
	char *got = nsys_dump_with((struct jr_bytes){0}, path, &limits, NULL);
	assert_string_equal(got, expected);
	free(got);
}

static inline void nsys_expect_with(
	const char *sql, const struct jr_limits *limits, const char *expected)
{
	struct jr_bytes bytes = nsys_bytes(sql);
	char *got = nsys_dump_with(bytes, NULL, limits, NULL);
	assert_string_equal(got, expected);
	free(got);
	nsys_free(bytes);
}

static inline void nsys_expect(const char *sql, const char *expected)
{
	struct jr_limits limits = jr_limits_default();
	nsys_expect_with(sql, &limits, expected);
}

#endif
