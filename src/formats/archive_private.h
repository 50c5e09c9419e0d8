/*
 * archive_private.h - what the two kinds of archive share; for archive*.c only.
 * Layer: formats.
 */
#ifndef JR_FORMATS_ARCHIVE_PRIVATE_H
#define JR_FORMATS_ARCHIVE_PRIVATE_H

#include "base/arena.h"
#include "base/file.h"
#include "base/vec.h"
#include "formats/archive.h"

struct jr_zip_pool;

struct jr_archive_entry {
	struct jr_archive_member member;
	uint64_t zip_index; /* position in the central directory: the first of a name wins */
	uint16_t method;
	uint16_t encryption;
};

struct jr_archive {
	struct jr_limits limits;
	struct jr_arena arena; /* names */
	char *label;		   /* path as the user gave it, made clean for messages */
	JR_VEC(struct jr_archive_entry) entries;
	size_t n_rejected;
	/* a zip */
	struct jr_file_map map; /* empty for jr_archive_open_memory() */
	struct jr_bytes raw;
	struct jr_zip_pool *pool; /* NULL for a directory */
	/* a directory */
	int root_fd; /* -1 for a zip */
};

/** Add a member unless its name is bad (then it is counted). */
void jr_archive_add(
	struct jr_archive *archive, const char *name, const struct jr_archive_entry *entry);

/** Fill archive->entries from archive->raw, in the order of the central directory. */
enum jr_status jr_archive_list_zip(struct jr_archive *archive, struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_archive_read_zip(struct jr_archive *archive, const struct jr_archive_entry *entry,
	struct jr_buf *out, struct jr_error *err) JR_MUST_CHECK;
void jr_zip_pool_free(struct jr_zip_pool *pool);

/** Fill archive->entries from the folder archive->root_fd. */
enum jr_status jr_archive_list_folder(struct jr_archive *archive, struct jr_error *err)
	JR_MUST_CHECK;
enum jr_status jr_archive_read_file(struct jr_archive *archive,
	const struct jr_archive_entry *entry, struct jr_buf *out, struct jr_error *err) JR_MUST_CHECK;

/** The name made fit for a message; lives as long as `scratch`, which the caller releases. */
const char *jr_archive_clean_name(struct jr_buf *scratch, const char *name);

#endif
