/*
 * archive_private.h - shared declarations of the two kinds of archive; for archive*.c only.
 * Layer: formats.
 */
#ifndef JR_FORMATS_ARCHIVE_PRIVATE_H
#define JR_FORMATS_ARCHIVE_PRIVATE_H

#include <stdatomic.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/vec.h"
#include "formats/archive/archive.h"

struct jr_zip_pool;
struct zip;
struct zip_error;

/* Facts of a zip entry besides name and data, as in its central header. */
struct jr_archive_details {
	uint32_t attributes;
	uint16_t made_by, needed, flags, dos_time, dos_date;
};

struct jr_archive_entry {
	struct jr_archive_member member;
	uint64_t zip_index; /* position in the central directory: the first of equal names wins */
	uint16_t method;
	uint16_t encryption;
	struct jr_archive_details details;
	uint64_t local_header; /* offset of a zip's local header, UINT64_MAX = unknown */
	atomic_bool read;      /* all of it was requested */
};

struct jr_archive {
	struct jr_limits limits;
	struct jr_arena arena; /* names */
	char *label;           /* path as the user gave it, cleaned for messages */
	JR_VEC(struct jr_archive_entry) entries;
	size_t n_rejected;
	/* zip files */
	struct jr_file_map map; /* empty for jr_archive_open_memory() */
	struct jr_bytes raw;
	struct jr_zip_pool *pool; /* NULL for a directory */
	atomic_bool shrank;       /* the file, or a file of a directory */
	/* directories */
	int root_fd;                /* -1 for a zip */
	JR_VEC(const char *) links; /* paths of symbolic links below the folder first opened */
};

/** Add a member, or count it if its name is bad. */
void jr_archive_add(
	struct jr_archive *archive, const char *name, const struct jr_archive_entry *entry);

/** Fill archive->entries from archive->raw, in the order of the central directory. */
enum jr_status jr_archive_list_zip(struct jr_archive *archive, struct jr_error *err) JR_MUST_CHECK;
/** Read a whole member, verified, or its first `most` bytes, not verified if it has more. */
enum jr_status jr_archive_read_zip(struct jr_archive *archive, const struct jr_archive_entry *entry,
	size_t most, struct jr_buf *out, struct jr_error *err) JR_MUST_CHECK;
/** Find the bytes of a stored member in archive->raw, not verified; false if they cannot be
 * determined. */
bool jr_zip_stored(
	const struct jr_archive *archive, const struct jr_archive_entry *entry, struct jr_bytes *out);
void jr_zip_pool_free(struct jr_zip_pool *pool);

/**
 * Borrow a libzip handle for exclusive use. Return it with jr_zip_give() ready for reading, or
 * discard it with zip_discard().
 */
enum jr_status jr_zip_take(struct jr_archive *archive, struct zip **zip, struct jr_error *err)
	JR_MUST_CHECK;
void jr_zip_give(struct jr_archive *archive, struct zip *zip);
/** Return why a member cannot be read, before decompressing anything; NULL if it can. */
const char *jr_zip_unreadable(
	const struct jr_archive *archive, const struct jr_archive_entry *entry, enum jr_status *status);
/** Report libzip's reason as "is ...", `at` bytes into the member. */
enum jr_status jr_zip_read_error(struct zip_error *error, uint64_t at, struct jr_error *err);
/** Open a directory's file for reading, if it is still the listed one. */
enum jr_status jr_archive_open_file(struct jr_archive *archive,
	const struct jr_archive_entry *entry, int *fd, struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_archive_file_error(struct jr_archive *archive,
	const struct jr_archive_entry *entry, int error, struct jr_error *err);

/** Fill archive->entries from the folder archive->root_fd. `fits` as in jr_archive_open_some();
 * NULL: all fit. */
enum jr_status jr_archive_list_folder(
	struct jr_archive *archive, bool (*fits)(const char *path), struct jr_error *err) JR_MUST_CHECK;
/** Open a folder below archive->root_fd ("" for that one) without following links; -1 with `err`
 * set. */
int jr_archive_open_folder(
	const struct jr_archive *archive, const char *folder, struct jr_error *err);
enum jr_status jr_archive_read_file(struct jr_archive *archive,
	const struct jr_archive_entry *entry, size_t most, struct jr_buf *out, struct jr_error *err)
	JR_MUST_CHECK;

#endif
