/*
 * nsys_export.h - an export of an Nsight Systems report, as flat arrays: an SQLite database, or a
 * folder of Parquet files.
 * Layer: formats.  Returns rows; independent of profiles.  Tables and columns: formats/README.md,
 * section 3.
 *
 * Tables and columns are found by name; absent ones are empty. Each table is scanned once, in
 * order; several are scanned at the same time, each on a separate connection. No code from a
 * database is ever run: views, triggers, generated columns, virtual tables and extensions are
 * ignored.
 */
#ifndef JR_FORMATS_NSYS_EXPORT_H
#define JR_FORMATS_NSYS_EXPORT_H

#include <stdbool.h>

#include "formats/timeline_rows.h"

struct jr_archive;

struct jr_nsys_options {
	size_t n_threads;
	/* Return the length up to which the text of an NVTX range is kept; NULL = all of it. */
	size_t (*shorten)(const char *text, size_t n);
};

/** Return true if the bytes begin like an SQLite database. */
bool jr_nsys_is_sqlite(struct jr_bytes head);

/**
 * Read all tables of an export. The file is opened read-only, and without locks unless it has a
 * journal or write-ahead log.
 *
 * @param out  set only on JR_OK; free it with jr_timeline_done()
 * @return JR_EIO cannot open; JR_EFORMAT not an SQLite database, a damaged one, or durations that
 *         add up beyond int64; JR_ENOTFOUND a database without any table of an export; JR_ELIMIT
 *         rows of a table, memory
 * @note O(bytes of the tables read). Memory per row: 46 bytes for a GPU operation, 33 for NVTX, 28
 *       for a call.
 */
enum jr_status jr_nsys_read(const char *path, const struct jr_limits *limits,
	const struct jr_nsys_options *options, struct jr_timeline *out, struct jr_error *err)
	JR_MUST_CHECK;
/**
 * Read a folder of tables: the members of an archive's top folder that are called TABLE.parquet.
 * The caller keeps the archive. Tables that only describe (names, devices, messages) are left out
 * from their first damaged row on, and listed in out->damaged.
 * @return else as jr_nsys_read(); JR_EFORMAT and JR_EUNSUPPORTED also for a file that is not
 *         readable Parquet
 */
enum jr_status jr_nsys_read_folder(struct jr_archive *folder, const struct jr_limits *limits,
	const struct jr_nsys_options *options, struct jr_timeline *out, struct jr_error *err)
	JR_MUST_CHECK;
/** Read a database in memory, which the caller keeps; else as jr_nsys_read(). */
enum jr_status jr_nsys_read_memory(struct jr_bytes database, const struct jr_limits *limits,
	const struct jr_nsys_options *options, struct jr_timeline *out, struct jr_error *err)
	JR_MUST_CHECK;

#define JR_NSYS_TABLE_SUFFIX ".parquet"
/** Return the length of the table's name if a member of the top folder may be a table; 0: it is
 * another file. O(n) */
size_t jr_nsys_table_name(const char *member);

#endif
