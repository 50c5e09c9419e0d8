/*
 * archive.h - one input as named members: a zip file (libzip) or a directory with the same files.
 * Layer: formats.  Returns bytes; independent of profiles.
 */
#ifndef JR_FORMATS_ARCHIVE_H
#define JR_FORMATS_ARCHIVE_H

#include "base/buf.h"
#include "base/file.h"
#include "base/limits.h"

struct jr_archive;

struct jr_archive_member {
	const char *name;      /* '/'-separated, relative, never "..", as stored except for a leading
							* "./"; owned by the archive */
	uint64_t size_bytes;   /* decompressed, as stated in the directory */
	uint64_t packed_bytes; /* in the file */
	uint32_t crc32;        /* 0 for a directory's file */
};

/**
 * Open a zip file or a directory. Reads names and sizes only; decompresses nothing. A directory is
 * walked without following links, regular files only.
 *
 * @param out  set only on JR_OK; close with jr_archive_close()
 * @return JR_EIO cannot open; JR_EUNSUPPORTED neither a regular file nor a directory, or a zip in
 *         several parts; JR_EFORMAT not a zip, cut short or damaged (with libzip's reason);
 *         JR_ELIMIT too many members (limits->members), folders too deep (limits->depth)
 * @note Folders are left out. Members with an absolute or escaping name ("..", backslash, drive
 *       letter) and all but the first of equal names are left out and counted by
 *       jr_archive_rejected(). Encrypted members are listed and fail when read.
 */
enum jr_status jr_archive_open(const char *path, const struct jr_limits *limits,
	struct jr_archive **out, struct jr_error *err) JR_MUST_CHECK;
/**
 * Open a directory and list only some files. `fits` is called for each path in it, including
 * folders; the files of a folder that fits are tested in turn. Other files are skipped and do not
 * count as members; at most limits->members names are tested in total.
 */
enum jr_status jr_archive_open_some(const char *path, bool (*fits)(const char *path),
	const struct jr_limits *limits, struct jr_archive **out, struct jr_error *err) JR_MUST_CHECK;
/** Open a zip in memory, which the caller keeps; else as jr_archive_open(). `name` is for messages
 * only. */
enum jr_status jr_archive_open_memory(struct jr_bytes zip, const char *name,
	const struct jr_limits *limits, struct jr_archive **out, struct jr_error *err) JR_MUST_CHECK;
void jr_archive_close(struct jr_archive *archive);
/** Release the memory of the pages of the file that were read; it stays readable. */
void jr_archive_forget(const struct jr_archive *archive);

/**
 * Restrict the archive to the members of a folder, with names relative to it; indexes change.
 *
 * @param folder  without a trailing slash; may point into the name of a member
 * @return JR_EIO a folder of a directory cannot be opened; the archive is then unchanged
 */
enum jr_status jr_archive_enter(
	struct jr_archive *archive, const char *folder, struct jr_error *err) JR_MUST_CHECK;

/** Return the number of members. They are sorted by name (bytewise), without folders. */
size_t jr_archive_count(const struct jr_archive *archive);
const struct jr_archive_member *jr_archive_at(const struct jr_archive *archive, size_t index);
/** Return the index of the member with exactly that name, or SIZE_MAX. O(log n). */
size_t jr_archive_find(const struct jr_archive *archive, const char *name);
/** Return the first index whose name is >= prefix bytewise; members of a folder are contiguous. */
size_t jr_archive_lower_bound(const struct jr_archive *archive, const char *prefix);
/** Return the first index after `index` whose name does not begin with the first n bytes of the
 * name at `index`. */
size_t jr_archive_behind(const struct jr_archive *archive, size_t index, size_t n);
size_t jr_archive_rejected(const struct jr_archive *archive);
/** Return the number of symbolic links in a directory; links are not followed. */
size_t jr_archive_links(const struct jr_archive *archive);
/** Return the link that replaces the member `name` or one of its folders, or NULL. O(links). */
const char *jr_archive_link_of(const struct jr_archive *archive, const char *name);
bool jr_archive_is_directory(const struct jr_archive *archive);

/**
 * Decompress one member. Safe to call from several threads at once. The stated size of the member
 * is checked against the limits before anything is allocated, and is never exceeded.
 *
 * @param out  [size_bytes] owned by the caller (jr_buf_done); untouched on failure
 * @return JR_EFORMAT damaged data or CRC mismatch; JR_EUNSUPPORTED encryption or method; JR_ELIMIT
 *         size or ratio beyond limits, or not enough memory; JR_EIO a directory's file that cannot
 *         be read or has changed since it was listed
 */
enum jr_status jr_archive_read(struct jr_archive *archive, size_t index, struct jr_buf *out,
	struct jr_error *err) JR_MUST_CHECK;

/** Return whether the zip file, or a file of the directory, has shrunk since it was mapped. What
 * was read of it before is then not valid; callers ask when they have read everything. */
bool jr_archive_shrank(const struct jr_archive *archive);

/** Return true if a whole member was requested by jr_archive_read() or jr_archive_content(). */
bool jr_archive_was_read(const struct jr_archive *archive, size_t index);

/** Decompress the first `most` bytes of a member, or all of a shorter one; only a whole member is
 * verified. Otherwise as jr_archive_read(). */
enum jr_status jr_archive_head(struct jr_archive *archive, size_t index, size_t most,
	struct jr_buf *out, struct jr_error *err) JR_MUST_CHECK;

/* Content of a member. A member that is not compressed is used in place and takes no memory. */
struct jr_content {
	struct jr_bytes bytes;
	struct jr_buf copy;     /* decompressed content */
	struct jr_file_map map; /* file of a directory */
};

/**
 * Return a whole member, verified as by jr_archive_read(). Safe to call from several threads at
 * once.
 *
 * @param out  set only on JR_OK; valid as long as the archive is open, until jr_content_done()
 */
enum jr_status jr_archive_content(struct jr_archive *archive, size_t index, struct jr_content *out,
	struct jr_error *err) JR_MUST_CHECK;
/** Free a content; a zeroed one is valid. */
void jr_content_done(struct jr_content *content);

/** Clean a member's name for a message; it is valid as long as `scratch`, which the caller
 * frees. */
const char *jr_archive_clean_name(struct jr_buf *scratch, const char *name);

/** Return the raw bytes of the zip file; empty for a directory. */
struct jr_bytes jr_archive_raw(const struct jr_archive *archive);
/** Write the SHA-256 of the zip file opened by jr_archive_open(), in hex. */
void jr_archive_sha256(const struct jr_archive *archive, char out[65]);

#endif
