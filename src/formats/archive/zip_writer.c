#include "formats/archive/zip_writer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/cleanup.h"
#include "base/text.h"

/* Fields of these widths have their largest value if the real one is in a zip64 record. */
#define FULL_16 UINT64_C(0xFFFF)
#define FULL_32 UINT64_C(0xFFFFFFFF)
#define VERSION_ZIP64 45
#define FLAG_UTF8 0x0800
#define METHOD_FLAGS 0x0006
#define METHOD_DEFLATE 8
#define VERSION_DEFLATE 20
#define MADE_ON_UNIX (3 << 8 | VERSION_ZIP64)
#define PLAIN_FILE 0100644u    /* external attributes: mode, in the upper half */
#define FIRST_DAY (1 << 5 | 1) /* 1980-01-01 */

static bool begins_as_zip(struct jr_bytes head)
{
	return head.size >= 4 && (memcmp(head.data, "PK\3\4", 4) == 0 ||
								 memcmp(head.data, "PK\5\6", 4) == 0); /* without entries */
}

const struct jr_outfile_kind jr_zip_kind = {"a zip file", begins_as_zip};

static void put(struct jr_buf *out, size_t n, uint64_t value)
{
	/* values from an input have 16 or 32 bits, are checked against FULL_16 or FULL_32, or are
	 * refused */
	assert(n == 8 || value >> 8 * n == 0);
	for (size_t i = 0; i < n; i++)
		jr_buf_putc(out, (char)(value >> 8 * i));
}

static uint64_t at_most(uint64_t value, uint64_t full)
{
	return value < full ? value : full;
}

static void stop_deflating(struct jr_zip_writer *writer)
{
	if (!writer->deflating)
		return;
	(void)deflateEnd(writer->deflating); /* reports only whether the stream had ended */
	free(writer->deflating);
	writer->deflating = NULL;
}

void jr_zip_writer_init(struct jr_zip_writer *writer, struct jr_outfile *file)
{
	*writer = (struct jr_zip_writer){.file = file};
}

void jr_zip_writer_done(struct jr_zip_writer *writer)
{
	jr_buf_done(&writer->central);
	jr_buf_done(&writer->scratch);
	stop_deflating(writer);
}

enum jr_status jr_zip_writer_data(
	struct jr_zip_writer *writer, const void *bytes, size_t n, struct jr_error *err)
{
	JR_TRY(jr_outfile_write(writer->file, bytes, n, err));
	writer->offset += n;
	return JR_OK;
}

static bool is_utf8_beyond_ascii(const char *name, size_t n)
{
	bool beyond = false;
	for (size_t i = 0; i < n;) {
		int code;
		i += jr_text_decode(name + i, n - i, &code);
		if (code < 0)
			return false;
		beyond |= code >= 0x80;
	}
	return beyond;
}

/* Put version needed, flags, method, time, date and CRC: equal in both headers. */
static void common_fields(
	struct jr_buf *out, const struct jr_zip_entry *e, bool zip64, size_t n_name)
{
	uint64_t needed = zip64 && e->needed < VERSION_ZIP64 ? VERSION_ZIP64 : e->needed;
	uint64_t flags = e->method_flags & METHOD_FLAGS;
	if (is_utf8_beyond_ascii(e->name, n_name))
		flags |= FLAG_UTF8;
	put(out, 2, needed);
	put(out, 2, flags);
	put(out, 2, e->method);
	put(out, 2, e->dos_time);
	put(out, 2, e->dos_date);
	put(out, 4, e->crc32);
}

/* Put a local header, with both sizes in 64 bits or none; `wide` forces 64 bits. */
static void local_header(struct jr_buf *out, const struct jr_zip_entry *e, size_t n_name, bool wide)
{
	bool zip64 = wide || e->size_bytes >= FULL_32 || e->packed_bytes >= FULL_32;
	jr_buf_add(out, "PK\3\4", 4);
	common_fields(out, e, zip64, n_name);
	put(out, 4, zip64 ? FULL_32 : e->packed_bytes);
	put(out, 4, zip64 ? FULL_32 : e->size_bytes);
	put(out, 2, n_name);
	put(out, 2, zip64 ? 20 : 0);
	jr_buf_add(out, e->name, n_name);
	if (!zip64)
		return;
	put(out, 2, 1);
	put(out, 2, 16);
	put(out, 8, e->size_bytes);
	put(out, 8, e->packed_bytes);
}

static void central_header(
	struct jr_buf *out, const struct jr_zip_entry *e, uint64_t offset, size_t n_name)
{
	size_t n_wide = (size_t)(e->size_bytes >= FULL_32) + (size_t)(e->packed_bytes >= FULL_32) +
					(size_t)(offset >= FULL_32);
	jr_buf_add(out, "PK\1\2", 4);
	put(out, 2, e->made_by);
	common_fields(out, e, n_wide > 0, n_name);
	put(out, 4, at_most(e->packed_bytes, FULL_32));
	put(out, 4, at_most(e->size_bytes, FULL_32));
	put(out, 2, n_name);
	put(out, 2, n_wide ? 4 + 8 * n_wide : 0);
	put(out, 2, 0); /* comment */
	put(out, 2, 0); /* disk */
	put(out, 2, 0); /* internal attributes */
	put(out, 4, e->attributes);
	put(out, 4, at_most(offset, FULL_32));
	jr_buf_add(out, e->name, n_name);
	if (n_wide == 0)
		return;
	put(out, 2, 1);
	put(out, 2, 8 * n_wide);
	if (e->size_bytes >= FULL_32)
		put(out, 8, e->size_bytes);
	if (e->packed_bytes >= FULL_32)
		put(out, 8, e->packed_bytes);
	if (offset >= FULL_32)
		put(out, 8, offset);
}

static enum jr_status check_name(const char *name, struct jr_error *err)
{
	size_t n = strlen(name);
	if (n > FULL_16)
		return jr_fail(
			err, JR_ELIMIT, "a member's name of %zu bytes does not fit in a zip file", n);
	return JR_OK;
}

enum jr_status jr_zip_writer_entry(
	struct jr_zip_writer *writer, const struct jr_zip_entry *entry, struct jr_error *err)
{
	JR_TRY(check_name(entry->name, err));
	size_t n_name = strlen(entry->name);
	central_header(&writer->central, entry, writer->offset, n_name);
	writer->n_entries++;
	writer->scratch.size = 0;
	local_header(&writer->scratch, entry, n_name, false);
	return jr_zip_writer_data(writer, writer->scratch.data, writer->scratch.size, err);
}

/* zlib accepts pieces of up to 32 bits. */
#define PIECE ((size_t)1 << 30)

static uint32_t checksum(uint32_t before, struct jr_bytes content)
{
	uLong crc = before;
	for (size_t at = 0; at < content.size; at += PIECE)
		crc = crc32(
			crc, content.data + at, (uInt)(content.size - at < PIECE ? content.size - at : PIECE));
	return (uint32_t)crc;
}

/* Begin a raw stream, as used in zip files. */
static void deflate_begin(z_stream *z, int level)
{
	*z = (z_stream){0};
	if (deflateInit2(z, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		jr_oom();
}

static enum jr_status deflate_piece(
	z_stream *z, struct jr_bytes content, bool is_last, struct jr_buf *out, struct jr_error *err)
{
	size_t at = 0;
	for (int code = Z_OK; code != Z_STREAM_END;) {
		if (z->avail_in == 0 && at < content.size) {
			size_t n = content.size - at < PIECE ? content.size - at : PIECE;
			z->next_in = (Bytef *)(uintptr_t)(content.data + at);
			z->avail_in = (uInt)n;
			at += n;
		}
		enum { ROOM = 1 << 16 };
		jr_buf_reserve(out, ROOM);
		z->next_out = (Bytef *)out->data + out->size;
		z->avail_out = ROOM;
		code = deflate(z, is_last && at == content.size ? Z_FINISH : Z_NO_FLUSH);
		out->size += ROOM - z->avail_out;
		/* BUF_ERROR means "nothing to do", which is valid before the last piece */
		if (code != Z_OK && code != Z_STREAM_END && (is_last || code != Z_BUF_ERROR))
			return jr_fail(err, JR_EIO, "zlib cannot compress a member: %s", zError(code));
		if (!is_last && z->avail_in == 0 && at == content.size && z->avail_out)
			break;
	}
	return JR_OK;
}

static enum jr_status deflate_all(struct jr_bytes content, struct jr_buf *out, struct jr_error *err)
{
	z_stream z;
	deflate_begin(&z, 6);
	enum jr_status status = deflate_piece(&z, content, true, out, err);
	(void)deflateEnd(&z); /* reports only whether the stream had ended */
	return status;
}

enum jr_status jr_zip_writer_add(struct jr_zip_writer *writer, const char *name,
	struct jr_bytes content, bool deflate, struct jr_error *err)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf packed = {0};
	if (deflate)
		JR_TRY(deflate_all(content, &packed, err));
	const struct jr_zip_entry entry = {.name = name,
		.size_bytes = content.size,
		.packed_bytes = deflate ? packed.size : content.size,
		.crc32 = checksum(0, content),
		.attributes = PLAIN_FILE << 16,
		.made_by = MADE_ON_UNIX,
		.needed = VERSION_DEFLATE,
		.method = deflate ? METHOD_DEFLATE : 0,
		.dos_date = FIRST_DAY};
	JR_TRY(jr_zip_writer_entry(writer, &entry, err));
	if (deflate)
		content = jr_buf_view(&packed);
	return jr_zip_writer_data(writer, content.data, content.size, err);
}

static struct jr_zip_entry grown(const struct jr_zip_writer *writer)
{
	return (struct jr_zip_entry){.name = writer->growing,
		.size_bytes = writer->grown_bytes,
		.packed_bytes = writer->packed_bytes,
		.crc32 = writer->grown_crc32,
		.method = writer->deflating ? METHOD_DEFLATE : 0,
		.attributes = PLAIN_FILE << 16,
		.made_by = MADE_ON_UNIX,
		.needed = VERSION_ZIP64,
		.dos_date = FIRST_DAY};
}

enum jr_status jr_zip_writer_begin(
	struct jr_zip_writer *writer, const char *name, int level, struct jr_error *err)
{
	JR_TRY(check_name(name, err));
	stop_deflating(writer);
	if (level) {
		writer->deflating = malloc(sizeof(*writer->deflating));
		if (!writer->deflating)
			jr_oom();
		deflate_begin(writer->deflating, level);
	}
	writer->growing = name;
	writer->begun_at = writer->offset;
	writer->grown_bytes = writer->packed_bytes = writer->grown_crc32 = 0;
	const struct jr_zip_entry entry = grown(writer);
	writer->scratch.size = 0;
	local_header(&writer->scratch, &entry, strlen(name), true);
	return jr_zip_writer_data(writer, writer->scratch.data, writer->scratch.size, err);
}

static enum jr_status put_piece(
	struct jr_zip_writer *writer, struct jr_bytes piece, bool is_last, struct jr_error *err)
{
	if (writer->deflating) {
		writer->scratch.size = 0;
		JR_TRY(deflate_piece(writer->deflating, piece, is_last, &writer->scratch, err));
		piece = jr_buf_view(&writer->scratch);
	}
	writer->packed_bytes += piece.size;
	return jr_zip_writer_data(writer, piece.data, piece.size, err);
}

enum jr_status jr_zip_writer_grow(
	struct jr_zip_writer *writer, struct jr_bytes piece, struct jr_error *err)
{
	writer->grown_crc32 = checksum(writer->grown_crc32, piece);
	writer->grown_bytes += piece.size;
	return put_piece(writer, piece, false, err);
}

enum jr_status jr_zip_writer_end(struct jr_zip_writer *writer, struct jr_error *err)
{
	JR_TRY(put_piece(writer, jr_bytes_of("", 0), true, err));
	const struct jr_zip_entry entry = grown(writer);
	size_t n_name = strlen(entry.name);
	central_header(&writer->central, &entry, writer->begun_at, n_name);
	writer->n_entries++;
	writer->scratch.size = 0;
	local_header(&writer->scratch, &entry, n_name, true);
	return jr_outfile_patch(
		writer->file, writer->begun_at, writer->scratch.data, writer->scratch.size, err);
}

/* Put the zip64 end record and its locator. */
static void zip64_end(struct jr_buf *out, uint64_t n, uint64_t size, uint64_t start)
{
	jr_buf_add(out, "PK\6\6", 4);
	put(out, 8, 44); /* number of bytes that follow */
	put(out, 2, VERSION_ZIP64);
	put(out, 2, VERSION_ZIP64);
	put(out, 4, 0);
	put(out, 4, 0);
	put(out, 8, n);
	put(out, 8, n);
	put(out, 8, size);
	put(out, 8, start);
	jr_buf_add(out, "PK\6\7", 4);
	put(out, 4, 0);
	put(out, 8, start + size);
	put(out, 4, 1);
}

enum jr_status jr_zip_writer_finish(struct jr_zip_writer *writer, struct jr_error *err)
{
	uint64_t start = writer->offset, size = writer->central.size, n = writer->n_entries;
	struct jr_buf *end = &writer->scratch;
	end->size = 0;
	if (n >= FULL_16 || size >= FULL_32 || start >= FULL_32)
		zip64_end(end, n, size, start);
	jr_buf_add(end, "PK\5\6", 4);
	put(end, 2, 0);
	put(end, 2, 0);
	put(end, 2, at_most(n, FULL_16));
	put(end, 2, at_most(n, FULL_16));
	put(end, 4, at_most(size, FULL_32));
	put(end, 4, at_most(start, FULL_32));
	put(end, 2, 0);
	JR_TRY(jr_zip_writer_data(writer, writer->central.data, writer->central.size, err));
	return jr_zip_writer_data(writer, end->data, end->size, err);
}
