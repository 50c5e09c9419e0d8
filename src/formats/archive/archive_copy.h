/*
 * archive_copy.h - members of an archive as they stand in it, packed, a piece at a time.
 * Layer: formats.
 */
#ifndef JR_FORMATS_ARCHIVE_COPY_H
#define JR_FORMATS_ARCHIVE_COPY_H

#include "formats/archive/archive.h"
#include "formats/archive/zip_writer.h"

/** Takes the next piece of a member. */
typedef enum jr_status (*jr_archive_sink_fn)(
	void *context, const void *bytes, size_t n, struct jr_error *err);

/** Position of the member in its zip; members of a directory: by name. Never fails. */
uint64_t jr_archive_position(const struct jr_archive *archive, size_t index);

/**
 * CRC-32 of a member's content: what a zip states, for a directory's file computed by reading it.
 * @return JR_EIO a file that cannot be read or has changed since it was listed
 */
enum jr_status jr_archive_checksum(
	struct jr_archive *archive, size_t index, uint32_t *crc32, struct jr_error *err) JR_MUST_CHECK;

/** The member's entry as it stands in its zip, or would stand in one, stored; `crc32` from above.
 * The name is borrowed from the archive. */
void jr_archive_describe(
	const struct jr_archive *archive, size_t index, uint32_t crc32, struct jr_zip_entry *entry);

/**
 * Hand a member's packed bytes to `sink`, as many as its entry states, unchanged. That they unpack
 * to the size and checksum that it states is verified: packed ones before the first call of the
 * sink, stored ones while they are handed over.
 *
 * @param crc32  from jr_archive_checksum(): a directory's file that has changed since is refused
 * @return JR_EFORMAT damaged; JR_EUNSUPPORTED encryption or method; JR_EIO a directory's file that
 *         cannot be read or has changed; else what the sink returned
 * @note Memory: a fixed buffer, whatever the size.
 */
enum jr_status jr_archive_copy(struct jr_archive *archive, size_t index, uint32_t crc32,
	jr_archive_sink_fn sink, void *context, struct jr_error *err) JR_MUST_CHECK;

#endif
