/*
 * archive.h - one input as named members: a zip file (libzip) or a directory of the same files.
 * Layer: formats.  Bytes out; knows nothing of profiles.
 */
#ifndef JR_FORMATS_ARCHIVE_H
#define JR_FORMATS_ARCHIVE_H

#include "base/buf.h"
#include "base/file.h"
#include "base/limits.h"

struct jr_archive;

struct jr_archive_member {
	const char *name;      /* '/'-separated, relative, never "..", as stored but for a leading
							* "./"; owned by the archive */
	uint64_t size_bytes;   /* decompressed, as the directory states it */
	uint64_t packed_bytes; /* in the file */
	uint32_t crc32;        /* 0 for a directory's file */
};

/**
 * Open a .zip or a directory. Reads names and sizes only; decompresses nothing. A directory is
 * walked without following links, regular files only.
 *
 * @param out  set only on JR_OK; close with jr_archive_close()
 * @return JR_EIO cannot open; JR_EUNSUPPORTED neither a regular file nor a directory, or a zip in
 *         several parts; JR_EFORMAT not a zip, cut short or damaged (libzip's reason);
 *         JR_ELIMIT too many members (limits->members), folders too deep (limits->depth)
 * @note Folders are left out. Members with an absolute or escaping name ("..", backslash, drive
 *       letter) and all but the first of the same name are left out and counted by
 *       jr_archive_rejected(). Encrypted members are listed and fail when read.
 */
enum jr_status jr_archive_open(const char *path, const struct jr_limits *limits,
	struct jr_archive **out, struct jr_error *err) JR_MUST_CHECK;
/**
 * A directory of which only some files are listed, by their names: `fits` is asked for each path
 * below it, also for folders, whose files it is asked for in turn. Others are passed over and do
 * not count as members; not more than limits->members names are looked at in all.
 */
enum jr_status jr_archive_open_some(const char *path, bool (*fits)(const char *path),
	const struct jr_limits *limits, struct jr_archive **out, struct jr_error *err) JR_MUST_CHECK;
/** As jr_archive_open(), for a zip in memory, which stays the caller's; `name` is for messages
 * only. */
enum jr_status jr_archive_open_memory(struct jr_bytes zip, const char *name,
	const struct jr_limits *limits, struct jr_archive **out, struct jr_error *err) JR_MUST_CHECK;
void jr_archive_close(struct jr_archive *archive);

/**
 * From now on only what lies below a folder of the archive, by its name from there on; indexes
 * change.
 *
 * @param folder  without a slash at its end; may be of a member's own name
 * @return JR_EIO a directory's folder that cannot be opened; the archive is then as it was
 */
enum jr_status jr_archive_enter(
	struct jr_archive *archive, const char *folder, struct jr_error *err) JR_MUST_CHECK;

/** Members sorted by name (bytewise), folders left out. */
size_t jr_archive_count(const struct jr_archive *archive);
const struct jr_archive_member *jr_archive_at(const struct jr_archive *archive, size_t index);
/** Index of the member of that exact name, or SIZE_MAX. O(log n). */
size_t jr_archive_find(const struct jr_archive *archive, const char *name);
/** First index whose name is >= prefix bytewise: members below a folder are a contiguous run. */
size_t jr_archive_lower_bound(const struct jr_archive *archive, const char *prefix);
/** First index behind `index` whose name does not begin with the first n bytes of its name. */
size_t jr_archive_behind(const struct jr_archive *archive, size_t index, size_t n);
size_t jr_archive_rejected(const struct jr_archive *archive);
/** Symbolic links of a directory, none of which is followed. */
size_t jr_archive_links(const struct jr_archive *archive);
/** The link that stands in place of the member `name` or of a folder of it, or NULL. O(links). */
const char *jr_archive_link_of(const struct jr_archive *archive, const char *name);
bool jr_archive_is_directory(const struct jr_archive *archive);

/**
 * Decompress one member. Safe to call from several threads at once. The size that the member
 * states is held against the limits before anything is allocated, and is never exceeded.
 *
 * @param out  [size_bytes] owned by the caller (jr_buf_done); untouched on failure
 * @return JR_EFORMAT damaged data or CRC mismatch; JR_EUNSUPPORTED encryption or method;
 *         JR_ELIMIT size or ratio beyond limits, or no memory for it; JR_EIO a directory's file
 *         that cannot be read or has changed since it was listed
 */
enum jr_status jr_archive_read(struct jr_archive *archive, size_t index, struct jr_buf *out,
	struct jr_error *err) JR_MUST_CHECK;

/** True where all of a member was asked for, by jr_archive_read() or jr_archive_content(). */
bool jr_archive_was_read(const struct jr_archive *archive, size_t index);

/** The first `most` bytes of a member, or all where it has no more: these alone are verified.
 * Otherwise as jr_archive_read(). */
enum jr_status jr_archive_head(struct jr_archive *archive, size_t index, size_t most,
	struct jr_buf *out, struct jr_error *err) JR_MUST_CHECK;

/* Content of a member: where it is not packed as it lies in the file, which takes no memory. */
struct jr_content {
	struct jr_bytes bytes;
	struct jr_buf copy;     /* of what was packed */
	struct jr_file_map map; /* a directory's file */
};

/**
 * All of a member, verified as by jr_archive_read(). Safe to call from several threads at once.
 *
 * @param out  set only on JR_OK; valid as long as the archive is open, until jr_content_done()
 */
enum jr_status jr_archive_content(struct jr_archive *archive, size_t index, struct jr_content *out,
	struct jr_error *err) JR_MUST_CHECK;
/** Safe for a zeroed one. */
void jr_content_done(struct jr_content *content);

/** A member's name made fit for a message; lives as long as `scratch`, which the caller releases.
 */
const char *jr_archive_clean_name(struct jr_buf *scratch, const char *name);

/** The raw bytes of the zip file; empty for a directory. */
struct jr_bytes jr_archive_raw(const struct jr_archive *archive);
/** Hex SHA-256 of the zip file that jr_archive_open() opened. */
void jr_archive_sha256(const struct jr_archive *archive, char out[65]);

#endif
