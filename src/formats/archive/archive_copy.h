/*
 * archive_copy.h - copy compressed members of an archive, a piece at a time.
 * Layer: formats.
 */
#ifndef JR_FORMATS_ARCHIVE_COPY_H
#define JR_FORMATS_ARCHIVE_COPY_H

#include "formats/archive/archive.h"
#include "formats/archive/zip_writer.h"

/** Take the next piece of a member. */
typedef enum jr_status (*jr_archive_sink_fn)(
	void *context, const void *bytes, size_t n, struct jr_error *err);

/** Return the position of the member in its zip; members of a directory are ordered by name. Never
 * fails. */
uint64_t jr_archive_position(const struct jr_archive *archive, size_t index);

/**
 * Return the CRC-32 of a member's content: as stated by a zip, or computed by reading a directory's
 * file.
 * @return JR_EIO a file cannot be read or has changed since it was listed
 */
enum jr_status jr_archive_checksum(
	struct jr_archive *archive, size_t index, uint32_t *crc32, struct jr_error *err) JR_MUST_CHECK;

/** Describe the member's zip entry, or for a directory's file the entry it would have, stored.
 * `crc32` is from jr_archive_checksum(). The name is borrowed from the archive. */
void jr_archive_describe(
	const struct jr_archive *archive, size_t index, uint32_t crc32, struct jr_zip_entry *entry);

/**
 * Pass a member's compressed bytes to `sink` unchanged, in the number that its entry states. Size
 * and checksum of the decompressed bytes are verified: before the first call of the sink for
 * compressed members, during the calls for stored ones.
 *
 * @param crc32  from jr_archive_checksum(): a directory's file that has changed since is an error
 * @return JR_EFORMAT damaged; JR_EUNSUPPORTED encryption or method; JR_EIO a directory's file
 *         cannot be read or has changed; else errors of the sink
 * @note Memory: a fixed buffer for any size.
 */
enum jr_status jr_archive_copy(struct jr_archive *archive, size_t index, uint32_t crc32,
	jr_archive_sink_fn sink, void *context, struct jr_error *err) JR_MUST_CHECK;

#endif
