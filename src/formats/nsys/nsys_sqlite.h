/*
 * nsys_sqlite.h - the SQLite export of an Nsight Systems report, as flat arrays.
 * Layer: formats.  Rows out; knows nothing of profiles.  Tables and columns: formats/README.md,
 * section 3.
 *
 * Tables and columns are found by name; what is absent is empty. Each table is scanned once, in
 * order, several at a time on connections of their own. Nothing that a database could bring along
 * is ever run: views, triggers, generated columns, virtual tables and extensions are left alone.
 */
#ifndef JR_FORMATS_NSYS_SQLITE_H
#define JR_FORMATS_NSYS_SQLITE_H

#include <stdbool.h>

#include "formats/timeline_rows.h"

struct jr_nsys_options {
	size_t n_threads;
	/* Length up to which the text of an NVTX range is kept; NULL = all of it. */
	size_t (*shorten)(const char *text, size_t n);
};

/** True where the bytes begin as an SQLite database does. */
bool jr_nsys_is_sqlite(struct jr_bytes head);

/**
 * Read all tables of an export. Opened read-only; unless a journal or write-ahead log lies beside
 * it, also without locks and without looking for one.
 *
 * @param out  set only on JR_OK; jr_timeline_done()
 * @return JR_EIO cannot open; JR_EFORMAT no SQLite database, a damaged one, or durations that add
 *         up to more than int64 holds; JR_ENOTFOUND a database without any table of an export;
 *         JR_ELIMIT rows of a table, memory
 * @note O(bytes of the tables read). 46 bytes a row for what ran on a GPU, 33 for NVTX, 28 for a
 *       call.
 */
enum jr_status jr_nsys_read(const char *path, const struct jr_limits *limits,
	const struct jr_nsys_options *options, struct jr_timeline *out, struct jr_error *err)
	JR_MUST_CHECK;
/** The same for a database in memory, which stays the caller's. */
enum jr_status jr_nsys_read_memory(struct jr_bytes database, const struct jr_limits *limits,
	const struct jr_nsys_options *options, struct jr_timeline *out, struct jr_error *err)
	JR_MUST_CHECK;

#endif
