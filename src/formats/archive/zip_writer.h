/*
 * zip_writer.h - write a zip file from front to back, from entries that are already compressed.
 * Layer: formats.  Records: APPNOTE.TXT 4.3.7 to 4.3.16, zip64: 4.5.3.
 *
 * libzip can copy compressed entries too, but it changes their times in some time zones and does
 * not report where its temporary file is. Nothing is read back here, and memory grows only with the
 * number of entries.
 */
#ifndef JR_FORMATS_ZIP_WRITER_H
#define JR_FORMATS_ZIP_WRITER_H

#include <stdbool.h>

#include "base/outfile.h"

/* An entry without its data. Times are DOS times: local time of the writer, in steps of two
 * seconds. */
struct jr_zip_entry {
	const char *name; /* at most 65535 bytes; UTF-8 beyond ASCII is marked as UTF-8 */
	uint64_t size_bytes, packed_bytes;
	uint32_t crc32;      /* of the unpacked data */
	uint32_t attributes; /* external attributes; `made_by` defines their meaning */
	uint16_t made_by;    /* system and version */
	uint16_t needed;     /* version; raised for zip64 */
	uint16_t method;
	uint16_t method_flags; /* general purpose bits 1 and 2; their meaning depends on the method */
	uint16_t dos_time, dos_date;
};

struct jr_zip_writer {
	struct jr_outfile *file;
	uint64_t offset; /* bytes written so far */
	uint64_t n_entries;
	struct jr_buf central; /* records of the central directory */
	/* of the entry in progress, jr_zip_writer_grow() */
	const char *growing;
	uint64_t begun_at, grown_bytes, packed_bytes;
	uint32_t grown_crc32;
	struct z_stream_s *deflating; /* NULL: stored */
	struct jr_buf scratch;
};

/* Files that a zip output may replace. */
extern const struct jr_outfile_kind jr_zip_kind;

/** Start a zip. `file` is borrowed and must be empty. */
void jr_zip_writer_init(struct jr_zip_writer *writer, struct jr_outfile *file);
void jr_zip_writer_done(struct jr_zip_writer *writer);
/**
 * Begin an entry; exactly entry->packed_bytes must follow by jr_zip_writer_data().
 * @return JR_EIO; JR_ELIMIT a name beyond 65535 bytes
 */
enum jr_status jr_zip_writer_entry(struct jr_zip_writer *writer, const struct jr_zip_entry *entry,
	struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_zip_writer_data(
	struct jr_zip_writer *writer, const void *bytes, size_t n, struct jr_error *err) JR_MUST_CHECK;
/** Write a whole entry from memory with a fixed time (1980-01-01): deflated, or stored if the
 * content is already compressed. */
enum jr_status jr_zip_writer_add(struct jr_zip_writer *writer, const char *name,
	struct jr_bytes content, bool deflate, struct jr_error *err) JR_MUST_CHECK;
/**
 * Write an entry piece by piece if its length is unknown: begin, grow any number of times, end. The
 * header is written again at the end, with room for 64 bits, so only the current piece is in
 * memory. Only one entry at a time; `name` is borrowed until the end.
 * @param level  of deflate, 1 to 9; 0: stored, for content that is already compressed
 * @return JR_EIO, also if zlib fails; JR_ELIMIT a name beyond 65535 bytes
 */
enum jr_status jr_zip_writer_begin(
	struct jr_zip_writer *writer, const char *name, int level, struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_zip_writer_grow(
	struct jr_zip_writer *writer, struct jr_bytes piece, struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_zip_writer_end(struct jr_zip_writer *writer, struct jr_error *err) JR_MUST_CHECK;
/** Write the central directory and the end records. The caller commits the file. */
enum jr_status jr_zip_writer_finish(struct jr_zip_writer *writer, struct jr_error *err)
	JR_MUST_CHECK;

#endif
