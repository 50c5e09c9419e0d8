#include "formats/archive/xz.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <lzma.h>

#include "base/task.h"

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

/* --- memory ----------------------------------------------------------------------------------- */

/* Of large data, the text and the decoder's dictionary are filled completely. The kernel takes a
 * tenth of the time for few large pages; of less data, most of a large page would stay unused. */
#define LARGE_BYTES (UINT64_C(4) << 20)

static void prefer_large_pages(void *data, size_t size)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)data & ~(page - 1);
	if (data && size >= LARGE_BYTES)
		(void)madvise((void *)from, (uintptr_t)data + size - from, MADV_HUGEPAGE);
}

static void *take_memory(void *opaque, size_t n, size_t size)
{
	(void)opaque;
	void *data = malloc(n * size); /* n is always 1 */
	prefer_large_pages(data, size);
	return data;
}

static void give_memory(void *opaque, void *data)
{
	(void)opaque;
	free(data);
}

static const lzma_allocator large_pages = {.alloc = take_memory, .free = give_memory};

/* --- decoding --------------------------------------------------------------------------------- */

/* Limits of the decoded size: `stated` by the index, or UNKNOWN; the decoder may return `most`. */
struct sizes {
	uint64_t stated, most;
};

/* Check the stated size, and start the decoder. */
static enum jr_status start(lzma_stream *strm, struct jr_bytes in, const struct jr_limits *limits,
	struct sizes *sizes, struct jr_error *err)
{
	if (in.size == 0)
		return jr_fail(err, JR_EFORMAT, "xz data is empty");
	*sizes = (struct sizes){stated_size(in), most_unpacked(limits, in.size)};
	if (sizes->stated != UNKNOWN && sizes->stated > sizes->most)
		return too_large(in.size, limits, err);
	if (sizes->stated != UNKNOWN)
		sizes->most = sizes->stated;
	if (sizes->stated != UNKNOWN && sizes->stated >= LARGE_BYTES)
		strm->allocator = &large_pages;
	lzma_ret ret = lzma_stream_decoder(
		strm, limits->memory_bytes, LZMA_CONCATENATED | LZMA_TELL_UNSUPPORTED_CHECK);
	if (ret != LZMA_OK)
		return decode_error(strm, ret, limits, err);
	strm->next_in = in.data;
	strm->avail_in = in.size;
	return JR_OK;
}

static enum jr_status beyond(const struct sizes *sizes, uint64_t packed,
	const struct jr_limits *limits, struct jr_error *err)
{
	if (sizes->stated == UNKNOWN)
		return too_large(packed, limits, err);
	return jr_fail(err, JR_EFORMAT,
		"xz data is damaged: more than the %" PRIu64 " bytes that its index states", sizes->stated);
}

/*
 * Run the decoder to the end of the input, growing `out` by doubling up to `most` bytes. There is
 * always room for one byte more than `most`: out->size > most on return means that the data
 * continues.
 */
static enum jr_status run(lzma_stream *strm, uint64_t first, uint64_t most,
	const struct jr_limits *limits, struct jr_buf *out, struct jr_error *err)
{
	uint64_t room = first;
	for (;;) {
		JR_TRY(jr_buf_room(out, room + 1 - out->size, err));
		prefer_large_pages(out->data, out->capacity);
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
	lzma_stream strm = LZMA_STREAM_INIT;
	struct sizes sizes;
	JR_TRY(start(&strm, in, limits, &sizes, err));
	struct jr_buf plain = {0};
	uint64_t first = sizes.stated != UNKNOWN || sizes.most < FIRST_BYTES ? sizes.most : FIRST_BYTES;
	enum jr_status status = run(&strm, first, sizes.most, limits, &plain, err);
	lzma_end(&strm);
	if (status == JR_OK && plain.size > sizes.most)
		status = beyond(&sizes, in.size, limits, err);
	if (status != JR_OK) {
		jr_buf_done(&plain);
		return status;
	}
	*out = plain;
	return JR_OK;
}

/* --- in parts --------------------------------------------------------------------------------- */

#define PART_BYTES ((size_t)256 << 10)
#define N_PARTS 4                        /* that the decoder may be ahead */
#define BESIDE_BYTES ((size_t)128 << 10) /* packed; less is not worth a thread */

struct part {
	size_t n;
	uint8_t bytes[PART_BYTES];
};

struct jr_xz_stream {
	lzma_stream strm;
	struct sizes sizes;
	uint64_t packed, n_bytes; /* decoded so far */
	const struct jr_limits *limits;
	bool ended;
	enum jr_status status; /* of the decoder */
	struct jr_error error;
	struct jr_buf text;
	/* The decoder beside the caller; the lock protects what follows. */
	struct jr_task_beside *beside;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct part *parts; /* [N_PARTS] part k is at k % N_PARTS */
	size_t n_filled, n_taken;
	bool all_filled, is_closed;
};

/* Decode up to `room` bytes. Sets ended or status if nothing follows. */
static size_t decode_part(struct jr_xz_stream *s, uint8_t *to, size_t room)
{
	lzma_ret ret;
	s->strm.next_out = to;
	s->strm.avail_out = room;
	do
		ret = lzma_code(&s->strm, LZMA_FINISH);
	while (ret == LZMA_OK && s->strm.avail_out);
	s->n_bytes = s->strm.total_out;
	s->ended = ret == LZMA_STREAM_END;
	if (ret != LZMA_OK && ret != LZMA_STREAM_END)
		s->status = decode_error(&s->strm, ret, s->limits, &s->error);
	if (s->status == JR_OK && s->n_bytes > s->sizes.most)
		s->status = beyond(&s->sizes, s->packed, s->limits, &s->error);
	return room - s->strm.avail_out;
}

static void decode_all(void *context)
{
	struct jr_xz_stream *s = context;
	bool more = true;
	while (more) {
		pthread_mutex_lock(&s->lock);
		while (s->n_filled - s->n_taken == N_PARTS && !s->is_closed)
			pthread_cond_wait(&s->changed, &s->lock);
		more = !s->is_closed;
		pthread_mutex_unlock(&s->lock);
		if (!more)
			break;
		struct part *part = &s->parts[s->n_filled % N_PARTS];
		part->n = decode_part(s, part->bytes, PART_BYTES);
		more = !s->ended && s->status == JR_OK;
		pthread_mutex_lock(&s->lock);
		s->n_filled++;
		s->all_filled = !more;
		pthread_cond_signal(&s->changed);
		pthread_mutex_unlock(&s->lock);
	}
}

enum jr_status jr_xz_open(struct jr_bytes in, const struct jr_limits *limits,
	struct jr_xz_stream **stream, struct jr_error *err)
{
	struct jr_xz_stream *s = jr_calloc(1, sizeof(*s));
	*s = (struct jr_xz_stream){.strm = LZMA_STREAM_INIT, .limits = limits, .packed = in.size};
	enum jr_status status = start(&s->strm, in, limits, &s->sizes, err);
	if (status != JR_OK) {
		lzma_end(&s->strm);
		free(s);
		return status;
	}
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->changed, NULL);
	if (in.size >= BESIDE_BYTES)
		s->parts = calloc(N_PARTS, sizeof(*s->parts));
	if (s->parts)
		s->beside = jr_task_start(decode_all, s);
	*stream = s;
	return JR_OK;
}

/* Wait for the decoder's next part, and append it. */
static void take_part(struct jr_xz_stream *s, bool keep, bool *last)
{
	pthread_mutex_lock(&s->lock);
	while (s->n_filled == s->n_taken && !s->all_filled)
		pthread_cond_wait(&s->changed, &s->lock);
	bool any = s->n_filled > s->n_taken;
	pthread_mutex_unlock(&s->lock);
	const struct part *part = &s->parts[s->n_taken % N_PARTS];
	if (any && keep)
		jr_buf_add(&s->text, part->bytes, part->n);
	pthread_mutex_lock(&s->lock);
	s->n_taken += any;
	*last = s->all_filled && s->n_taken == s->n_filled;
	pthread_cond_signal(&s->changed);
	pthread_mutex_unlock(&s->lock);
}

static enum jr_status next_part(struct jr_xz_stream *s, bool keep, bool *last, struct jr_error *err)
{
	if (!keep)
		s->text.size = 0;
	JR_TRY(jr_buf_room(&s->text, PART_BYTES, err));
	if (s->beside) {
		take_part(s, keep, last);
	} else if (!s->ended && s->status == JR_OK) {
		s->text.size += decode_part(s, (uint8_t *)s->text.data + s->text.size, PART_BYTES);
		*last = s->ended || s->status != JR_OK;
	} else {
		*last = true;
	}
	if (!*last || s->status == JR_OK)
		return JR_OK;
	if (err)
		*err = s->error;
	return s->status;
}

enum jr_status jr_xz_more(struct jr_xz_stream *s, size_t from, size_t wanted, struct jr_bytes *text,
	bool *ended, struct jr_error *err)
{
	size_t left = s->text.size - from;
	if (from && left)
		memmove(s->text.data, s->text.data + from, left);
	s->text.size = left;
	*ended = false;
	while (!*ended && s->text.size - left < wanted)
		JR_TRY(next_part(s, true, ended, err));
	*text = jr_buf_view(&s->text);
	return JR_OK;
}

enum jr_status jr_xz_drain(struct jr_xz_stream *s, struct jr_error *err)
{
	for (bool ended = false; !ended;)
		JR_TRY(next_part(s, false, &ended, err));
	return JR_OK;
}

uint64_t jr_xz_size(const struct jr_xz_stream *s)
{
	return s->n_bytes;
}

void jr_xz_close(struct jr_xz_stream *s)
{
	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	s->is_closed = true;
	pthread_cond_signal(&s->changed);
	pthread_mutex_unlock(&s->lock);
	jr_task_join(s->beside);
	pthread_cond_destroy(&s->changed);
	pthread_mutex_destroy(&s->lock);
	lzma_end(&s->strm);
	jr_buf_done(&s->text);
	free(s->parts);
	free(s);
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

void jr_xz_store(struct jr_bytes in, struct jr_buf *out)
{
	size_t room = lzma_stream_buffer_bound(in.size), at = LZMA_STREAM_HEADER_SIZE;
	lzma_stream_flags flags = {.check = LZMA_CHECK_CRC64, .backward_size = LZMA_VLI_UNKNOWN};
	lzma_block block = {.check = LZMA_CHECK_CRC64};
	lzma_index *index = lzma_index_init(NULL);
	jr_buf_reserve(out, room);
	uint8_t *to = (uint8_t *)out->data + out->size;
	bool stored =
		index && lzma_stream_header_encode(&flags, to) == LZMA_OK &&
		lzma_block_uncomp_encode(&block, in.data, in.size, to, &at, room) == LZMA_OK &&
		lzma_index_append(index, NULL, lzma_block_unpadded_size(&block), in.size) == LZMA_OK &&
		lzma_index_buffer_encode(index, to, &at, room) == LZMA_OK;
	flags.backward_size = stored ? lzma_index_size(index) : 0;
	if (!stored || lzma_stream_footer_encode(&flags, to + at) != LZMA_OK)
		jr_oom();
	out->size += at + LZMA_STREAM_HEADER_SIZE;
	lzma_index_end(index, NULL);
}
