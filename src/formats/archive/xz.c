#include "formats/archive/xz.h"

#include <inttypes.h>

#include <lzma.h>

#define INDEX_MEMORY (UINT64_C(64) << 20) /* for the size hint only; a larger index is ignored */
#define FIRST_BYTES (UINT64_C(64) << 10)
#define UNKNOWN UINT64_MAX

/* Return the decompressed size from the indexes of the streams, or UNKNOWN if they cannot be
 * read. */
static uint64_t stated_size(struct jr_bytes in)
{
	lzma_stream strm = LZMA_STREAM_INIT;
	lzma_index *index = NULL;
	uint64_t size = UNKNOWN;
	if (lzma_file_info_decoder(&strm, &index, INDEX_MEMORY, in.size) == LZMA_OK) {
		strm.next_in = in.data;
		strm.avail_in = in.size;
		/* It never asks to seek if one buffer has the whole file. */
		if (lzma_code(&strm, LZMA_RUN) == LZMA_STREAM_END)
			size = lzma_index_uncompressed_size(index);
	}
	lzma_index_end(index, NULL);
	lzma_end(&strm);
	return size;
}

/* The ratio limit is meant for deflate, which reaches 1032; xz reaches 7,000. */
static uint64_t most_unpacked(const struct jr_limits *limits, uint64_t packed)
{
	return jr_limits_unpacked(limits, packed * 8);
}

static enum jr_status too_large(
	uint64_t packed, const struct jr_limits *limits, struct jr_error *err)
{
	uint64_t most = most_unpacked(limits, packed);
	return jr_fail(err, JR_ELIMIT,
		"xz data of %" PRIu64 " bytes expands to more than %" PRIu64 " (%s)", packed, most,
		most == limits->entry_bytes ? "--max-entry-bytes" : "--max-ratio");
}

static enum jr_status decode_error(
	const lzma_stream *strm, lzma_ret ret, const struct jr_limits *limits, struct jr_error *err)
{
	uint64_t at = strm->total_in;
	switch (ret) {
	case LZMA_FORMAT_ERROR: return jr_fail(err, JR_EFORMAT, "not an .xz file: wrong first bytes");
	case LZMA_DATA_ERROR:
		return jr_fail(err, JR_EFORMAT, "xz data is damaged at byte %" PRIu64, at);
	case LZMA_BUF_ERROR:
		return jr_fail(err, JR_EFORMAT, "xz data is cut short: it ends at byte %" PRIu64, at);
	case LZMA_OPTIONS_ERROR:
		return jr_fail(err, JR_EUNSUPPORTED,
			"xz data uses a filter or header field that liblzma does not know, at byte %" PRIu64,
			at);
	case LZMA_UNSUPPORTED_CHECK:
		return jr_fail(err, JR_EUNSUPPORTED,
			"xz data has an integrity check that liblzma does not know, at byte %" PRIu64, at);
	case LZMA_MEMLIMIT_ERROR:
		return jr_fail(err, JR_ELIMIT,
			"xz decoder needs %" PRIu64 " bytes, limit %" PRIu64 " (--max-memory)",
			lzma_memusage(strm), limits->memory_bytes);
	case LZMA_MEM_ERROR: return jr_no_room(err, lzma_memusage(strm));
	default:
		return jr_fail(err, JR_EFORMAT,
			"xz data cannot be decoded: liblzma error %d at byte %" PRIu64, (int)ret, at);
	}
}

/*
 * Run the decoder to the end of the input, growing `out` by doubling up to `most` bytes. There is
 * always room for one byte more than `most`: out->size > most on return means that the data
 * continues.
 */
static enum jr_status run(lzma_stream *strm, struct jr_bytes in, uint64_t first, uint64_t most,
	const struct jr_limits *limits, struct jr_buf *out, struct jr_error *err)
{
	uint64_t room = first;
	strm->next_in = in.data;
	strm->avail_in = in.size;
	for (;;) {
		JR_TRY(jr_buf_room(out, room + 1 - out->size, err));
		strm->next_out = (uint8_t *)out->data + out->size;
		strm->avail_out = (size_t)(room + 1 - out->size);
		lzma_ret ret;
		do
			ret = lzma_code(strm, LZMA_FINISH);
		while (ret == LZMA_OK);
		out->size = (size_t)strm->total_out;
		if (ret == LZMA_STREAM_END)
			break;
		/* BUF_ERROR means "no progress": no room, or no input. */
		if (ret != LZMA_BUF_ERROR || strm->avail_out > 0)
			return decode_error(strm, ret, limits, err);
		if (room >= most)
			break;
		room = room > most / 2 ? most : room * 2;
	}
	out->data[out->size] = '\0';
	return JR_OK;
}

enum jr_status jr_xz_decode(
	struct jr_bytes in, const struct jr_limits *limits, struct jr_buf *out, struct jr_error *err)
{
	if (in.size == 0)
		return jr_fail(err, JR_EFORMAT, "xz data is empty");
	uint64_t stated = stated_size(in);
	uint64_t most = most_unpacked(limits, in.size);
	if (stated != UNKNOWN && stated > most)
		return too_large(in.size, limits, err);
	if (stated != UNKNOWN)
		most = stated;

	lzma_stream strm = LZMA_STREAM_INIT;
	lzma_ret ret = lzma_stream_decoder(
		&strm, limits->memory_bytes, LZMA_CONCATENATED | LZMA_TELL_UNSUPPORTED_CHECK);
	if (ret != LZMA_OK)
		return decode_error(&strm, ret, limits, err);
	struct jr_buf plain = {0};
	uint64_t first = stated != UNKNOWN || most < FIRST_BYTES ? most : FIRST_BYTES;
	enum jr_status status = run(&strm, in, first, most, limits, &plain, err);
	lzma_end(&strm);
	if (status == JR_OK && plain.size > most)
		status = stated == UNKNOWN ? too_large(in.size, limits, err)
								   : jr_fail(err, JR_EFORMAT,
										 "xz data is damaged: more than the %" PRIu64
										 " bytes that its index states",
										 stated);
	if (status != JR_OK) {
		jr_buf_done(&plain);
		return status;
	}
	*out = plain;
	return JR_OK;
}

void jr_xz_encode(struct jr_bytes in, struct jr_buf *out)
{
	size_t room = lzma_stream_buffer_bound(in.size), at = 0;
	lzma_options_lzma options;
	lzma_filter filters[] = {{LZMA_FILTER_LZMA2, &options}, {LZMA_VLI_UNKNOWN, NULL}};
	jr_buf_reserve(out, room);
	if (lzma_lzma_preset(&options, LZMA_PRESET_DEFAULT))
		jr_oom();
	/* A dictionary larger than the input does not help, and the preset's takes 94 MB each time. */
	if (options.dict_size > in.size)
		options.dict_size = in.size > LZMA_DICT_SIZE_MIN ? (uint32_t)in.size : LZMA_DICT_SIZE_MIN;
	if (lzma_stream_buffer_encode(filters, LZMA_CHECK_CRC64, NULL, in.data, in.size,
			(uint8_t *)out->data + out->size, &at, room) != LZMA_OK)
		jr_oom();
	out->size += at;
}
