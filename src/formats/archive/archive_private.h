/*
 * archive_private.h - what the two kinds of archive share; for archive*.c only.
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

/* What a zip keeps of an entry besides name and data, as its central header has it. */
struct jr_archive_details {
	uint32_t attributes;
	uint16_t made_by, needed, flags, dos_time, dos_date;
};

struct jr_archive_entry {
	struct jr_archive_member member;
	uint64_t zip_index; /* position in the central directory: the first of a name wins */
	uint16_t method;
	uint16_t encryption;
	struct jr_archive_details details;
	uint64_t local_header; /* of a zip: where it stands, UINT64_MAX = not known */
	atomic_bool read;      /* all of it was asked for */
};

struct jr_archive {
	struct jr_limits limits;
	struct jr_arena arena; /* names */
	char *label;           /* path as the user gave it, made clean for messages */
	JR_VEC(struct jr_archive_entry) entries;
	size_t n_rejected;
	/* a zip */
	struct jr_file_map map; /* empty for jr_archive_open_memory() */
	struct jr_bytes raw;
	struct jr_zip_pool *pool; /* NULL for a directory */
	/* a directory */
	int root_fd;                /* -1 for a zip */
	JR_VEC(const char *) links; /* symbolic links, by their paths below the folder first opened */
};

/** Add a member unless its name is bad (then it is counted). */
void jr_archive_add(
	struct jr_archive *archive, const char *name, const struct jr_archive_entry *entry);

/** Fill archive->entries from archive->raw, in the order of the central directory. */
enum jr_status jr_archive_list_zip(struct jr_archive *archive, struct jr_error *err) JR_MUST_CHECK;
/** All of a member, verified, or its first `most` bytes, not verified, where it has more. */
enum jr_status jr_archive_read_zip(struct jr_archive *archive, const struct jr_archive_entry *entry,
	size_t most, struct jr_buf *out, struct jr_error *err) JR_MUST_CHECK;
/** Where the bytes of a member that is not packed lie in archive->raw, not verified; false where
 * that cannot be determined. */
bool jr_zip_stored(
	const struct jr_archive *archive, const struct jr_archive_entry *entry, struct jr_bytes *out);
void jr_zip_pool_free(struct jr_zip_pool *pool);

/**
 * A libzip handle of the caller's own for a while, to be given back in a state fit for reading (or
 * discarded by zip_discard()).
 */
enum jr_status jr_zip_take(struct jr_archive *archive, struct zip **zip, struct jr_error *err)
	JR_MUST_CHECK;
void jr_zip_give(struct jr_archive *archive, struct zip *zip);
/** Why a member cannot be read, told before anything is decompressed; NULL where nothing is. */
const char *jr_zip_unreadable(
	const struct jr_archive *archive, const struct jr_archive_entry *entry, enum jr_status *status);
/** libzip's reason as what the member "is", `at` bytes into it. */
enum jr_status jr_zip_read_error(struct zip_error *error, uint64_t at, struct jr_error *err);
/** Open a directory's file for reading, as long as it is what was listed. */
enum jr_status jr_archive_open_file(struct jr_archive *archive,
	const struct jr_archive_entry *entry, int *fd, struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_archive_file_error(struct jr_archive *archive,
	const struct jr_archive_entry *entry, int error, struct jr_error *err);

/** Fill archive->entries from the folder archive->root_fd; `fits`: as of jr_archive_open_some(),
 * NULL: all do. */
enum jr_status jr_archive_list_folder(
	struct jr_archive *archive, bool (*fits)(const char *path), struct jr_error *err) JR_MUST_CHECK;
/** A folder below archive->root_fd, "" that one itself, links not followed; -1: err says why. */
int jr_archive_open_folder(
	const struct jr_archive *archive, const char *folder, struct jr_error *err);
enum jr_status jr_archive_read_file(struct jr_archive *archive,
	const struct jr_archive_entry *entry, size_t most, struct jr_buf *out, struct jr_error *err)
	JR_MUST_CHECK;

#endif
