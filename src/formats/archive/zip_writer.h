/*
 * zip_writer.h - write a zip file from front to back: entries are handed over already packed.
 * Layer: formats.  Records: APPNOTE.TXT 4.3.7 to 4.3.16, zip64: 4.5.3.
 *
 * libzip can copy packed entries too, but neither keeps their times in every time zone nor says
 * where its temporary file is. Nothing is read back here, and memory grows only with the number of
 * entries.
 */
#ifndef JR_FORMATS_ZIP_WRITER_H
#define JR_FORMATS_ZIP_WRITER_H

#include <stdbool.h>

#include "base/outfile.h"

/* An entry but for its data. Times are DOS's: local time of the writer, steps of two seconds. */
struct jr_zip_entry {
	const char
		*name; /* at most 65535 bytes; bytes that are UTF-8 beyond ASCII are marked as such */
	uint64_t size_bytes, packed_bytes;
	uint32_t crc32;      /* of the unpacked data */
	uint32_t attributes; /* external, as `made_by` says */
	uint16_t made_by;    /* system and version */
	uint16_t needed;     /* version; raised where zip64 is */
	uint16_t method;
	uint16_t method_flags; /* general purpose bits 1 and 2, whose meaning is the method's */
	uint16_t dos_time, dos_date;
};

struct jr_zip_writer {
	struct jr_outfile *file;
	uint64_t offset; /* bytes written so far */
	uint64_t n_entries;
	struct jr_buf central; /* records for the end */
	/* of the entry that grows, jr_zip_writer_grow() */
	const char *growing;
	uint64_t begun_at, grown_bytes, packed_bytes;
	uint32_t grown_crc32;
	struct z_stream_s *deflating; /* NULL: it is stored */
	struct jr_buf scratch;
};

/* Files that are ours to replace. */
extern const struct jr_outfile_kind jr_zip_kind;

/** `file` is borrowed and has nothing written to it yet. */
void jr_zip_writer_init(struct jr_zip_writer *writer, struct jr_outfile *file);
void jr_zip_writer_done(struct jr_zip_writer *writer);
/**
 * Begin an entry; exactly entry->packed_bytes by jr_zip_writer_data() are to follow.
 * @return JR_EIO; JR_ELIMIT a name beyond 65535 bytes
 */
enum jr_status jr_zip_writer_entry(struct jr_zip_writer *writer, const struct jr_zip_entry *entry,
	struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_zip_writer_data(
	struct jr_zip_writer *writer, const void *bytes, size_t n, struct jr_error *err) JR_MUST_CHECK;
/** A whole entry of content that is at hand, of a fixed time (1980-01-01): deflated, or stored
 * where it is packed by itself. */
enum jr_status jr_zip_writer_add(struct jr_zip_writer *writer, const char *name,
	struct jr_bytes content, bool deflate, struct jr_error *err) JR_MUST_CHECK;
/**
 * An entry whose content comes piece by piece, its length unknown: begin, grow as often as wanted,
 * end. Its header is written again at the end, with room for 64 bits, so that
 * nothing but the piece at hand is in memory. One at a time; `name` is borrowed until the end.
 * @param level  of deflate, 1 to 9; 0: stored, for what is packed by itself
 * @return JR_EIO, also where zlib fails; JR_ELIMIT a name beyond 65535 bytes
 */
enum jr_status jr_zip_writer_begin(
	struct jr_zip_writer *writer, const char *name, int level, struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_zip_writer_grow(
	struct jr_zip_writer *writer, struct jr_bytes piece, struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_zip_writer_end(struct jr_zip_writer *writer, struct jr_error *err) JR_MUST_CHECK;
/** The central directory and what follows it. The caller commits the file. */
enum jr_status jr_zip_writer_finish(struct jr_zip_writer *writer, struct jr_error *err)
	JR_MUST_CHECK;

#endif
