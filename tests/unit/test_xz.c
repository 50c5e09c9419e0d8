/* .xz files: the decoder's conformance corpus, and streams made here that are cut and damaged. */
#include <stdlib.h>
#include <string.h>

#include <lzma.h>

#include "unit.h"

#include "base/task.h"
#include "corpus.h"
#include "formats/archive/digest.h"
#include "formats/archive/xz.h"

static const struct jr_limits limits = {
#define JR_LIMIT(field, option, value, what) .field = (value),
	JR_LIMITS
#undef JR_LIMIT
};

/* Decode in parts, and keep all of them. */
static enum jr_status decode_parts(
	struct jr_bytes in, const struct jr_limits *lim, struct jr_buf *out, struct jr_error *err)
{
	struct jr_xz_stream *stream;
	enum jr_status status = jr_xz_open(in, lim, &stream, err);
	if (status != JR_OK)
		return status;
	size_t left = 0, k = 0;
	bool ended = false;
	while (!ended && status == JR_OK) {
		size_t kept = left < 9 * k ? left : 9 * k, wanted = k++ % 3 ? 1 : 300000;
		struct jr_bytes text;
		status = jr_xz_more(stream, left - kept, wanted, &text, &ended, err);
		if (status != JR_OK)
			break;
		assert_true(ended || text.size - kept >= wanted);
		assert_true(kept == 0 || memcmp(text.data, out->data + out->size - kept, kept) == 0);
		if (text.size > kept)
			jr_buf_add(out, text.data + kept, text.size - kept);
		left = text.size;
	}
	if (status == JR_OK)
		assert_int_equal(jr_xz_size(stream), out->size);
	jr_xz_close(stream);
	return status;
}

/* The decoder in parts gives the same bytes, or the same failure. */
static void expect_same_parts(struct jr_bytes in, const struct jr_limits *lim,
	enum jr_status status, const struct jr_buf *whole, const char *message)
{
	struct jr_buf parts = {0};
	struct jr_error err = {0};
	struct jr_xz_stream *stream;
	assert_int_equal(decode_parts(in, lim, &parts, &err), status);
	assert_string_equal(err.message, message);
	if (status == JR_OK)
		assert_true(jr_bytes_eq(jr_buf_view(&parts), jr_buf_view(whole)));
	jr_buf_done(&parts);
	if (jr_xz_open(in, lim, &stream, &err) != JR_OK)
		return;
	assert_int_equal(jr_xz_drain(stream, &err), status);
	assert_string_equal(err.message, message);
	jr_xz_close(stream);
}

static enum jr_status decode(
	struct jr_bytes in, const struct jr_limits *lim, struct jr_buf *out, struct jr_error *err)
{
	*err = (struct jr_error){0};
	/* a copy of exact size, so that ASan detects a read past its end */
	uint8_t *copy = malloc(in.size ? in.size : 1);
	assert_non_null(copy);
	if (in.size)
		memcpy(copy, in.data, in.size);
	*out = (struct jr_buf){0};
	enum jr_status status = jr_xz_decode(jr_bytes_of(copy, in.size), lim, out, err);
	expect_same_parts(jr_bytes_of(copy, in.size), lim, status, out, err->message);
	free(copy);
	assert_int_equal(err->status, status);
	if (status != JR_OK) {
		assert_null(out->data);
		assert_true(err->message[0] && !strchr(err->message, '\n'));
	} else {
		assert_int_equal(out->data[out->size], '\0');
	}
	return status;
}

static void expect_bytes(struct jr_bytes in, struct jr_bytes expected)
{
	struct jr_buf out;
	struct jr_error err;
	if (decode(in, &limits, &out, &err) != JR_OK)
		fail_msg("%s", err.message);
	assert_true(jr_bytes_eq(jr_buf_view(&out), expected));
	jr_buf_done(&out);
}

static void expect_failure(struct jr_bytes in, enum jr_status expected, const char *part)
{
	struct jr_buf out;
	struct jr_error err;
	enum jr_status status = decode(in, &limits, &out, &err);
	if (status != expected || !strstr(err.message, part))
		fail_msg("status %d, '%s'; expected %d, '%s'", status, err.message, expected, part);
	jr_buf_done(&out);
}

/* Pack one .xz stream; preset 0..9. */
static struct jr_buf pack(struct jr_bytes in, uint32_t preset, lzma_check check)
{
	struct jr_buf out = {0};
	size_t bound = lzma_stream_buffer_bound(in.size);
	jr_buf_reserve(&out, bound);
	assert_int_equal(lzma_easy_buffer_encode(preset, check, NULL, in.data, in.size,
						 (uint8_t *)out.data, &out.size, bound),
		LZMA_OK);
	return out;
}

static struct jr_buf sample(size_t n)
{
	struct jr_buf out = {0};
	uint32_t x = 1;
	while (out.size < n) {
		x = x * 1664525 + 1013904223;
		jr_buf_printf(&out, "%u,%s,", x >> 24, x & 1 ? "fusion" : "all-reduce");
	}
	out.size = n;
	return out;
}

static void corpus_file(const char *path, const char *name, void *context)
{
	size_t *n_xz = context;
	struct jr_file_map map;
	struct jr_buf out;
	struct jr_error err;
	assert_int_equal(jr_file_map(path, &map, &err), JR_OK);
	enum jr_status status = decode(map.bytes, &limits, &out, &err);
	enum jr_status expected = JR_EFORMAT;
	bool xz = has_suffix(name, ".xz");
	*n_xz += xz;
	if (xz && has_prefix(name, "good-"))
		expected = JR_OK;
	else if (xz && has_prefix(name, "unsupported-"))
		expected = JR_EUNSUPPORTED;
	else if (strcmp(name, "bad-1-index-huge-uncomp.xz") == 0)
		expected = JR_ELIMIT; /* its index is valid and states 6 EiB: refused before decoding */
	if (status != expected)
		fail_msg("%s: status %d, expected %d: %s", name, status, expected, err.message);
	if (!xz)
		assert_string_equal(err.message, "not an .xz file: wrong first bytes");
	jr_buf_done(&out);
	jr_file_unmap(&map);
}

static UNIT(corpus)
{
	CORPUS_OR_SKIP("xz");
	size_t n_xz = 0;
	assert_true(corpus_each(CORPUS "xz", corpus_file, &n_xz) > 70);
	assert_true(n_xz > 50);
}

/* Their decoded contents, by sha256, from another decoder (xz -dc). */
static UNIT(corpus_content)
{
	CORPUS_OR_SKIP("xz");
	static const struct {
		const char *path, *sha256;
	} files[] = {
		{CORPUS "xz/good-0catpad-empty.xz",
			"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{CORPUS "xz/good-2-lzma2.xz",
			"8e5935e7e13368cd9688fe8f48a0955293676a021562582c7e848dafe13fb046"},
		{CORPUS "xz/good-1-delta-lzma2.tiff.xz",
			"ecfff4f7718dc4fcf0c5dba8813c29a2648053f9efbbc17d7946d2c37092885a"},
		{CORPUS "xz/good-1-arm64-lzma2-2.xz",
			"022bfaefea07d1647ac4ffdebd3a3e511202664207a3cd67f5af5b32e87ef524"},
	};
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct jr_file_map map;
		struct jr_buf out;
		struct jr_error err;
		char hex[65];
		assert_int_equal(jr_file_map(files[i].path, &map, &err), JR_OK);
		assert_int_equal(decode(map.bytes, &limits, &out, &err), JR_OK);
		jr_sha256_map(&(struct jr_file_map){.bytes = jr_buf_view(&out)}, hex);
		assert_string_equal(hex, files[i].sha256);
		jr_buf_done(&out);
		jr_file_unmap(&map);
	}
}

static UNIT(round_trips)
{
	static const size_t sizes[] = {0, 1, 4095, 65536, 65537, 1 << 20, 3000000};
	static const lzma_check checks[] = {
		LZMA_CHECK_NONE, LZMA_CHECK_CRC32, LZMA_CHECK_CRC64, LZMA_CHECK_SHA256};
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct jr_buf plain = sample(sizes[i]);
		struct jr_buf packed = pack(jr_buf_view(&plain), 1, checks[i % 4]);
		expect_bytes(jr_buf_view(&packed), jr_buf_view(&plain));
		jr_buf_done(&packed);
		jr_buf_done(&plain);
	}
}

static UNIT(concatenated_and_padded)
{
	struct jr_buf a = sample(70000), b = sample(100), both = {0}, expected = {0};
	struct jr_buf pa = pack(jr_buf_view(&a), 0, LZMA_CHECK_CRC64);
	struct jr_buf pb = pack(jr_buf_view(&b), 6, LZMA_CHECK_CRC32);
	jr_buf_add(&expected, a.data, a.size);
	jr_buf_add(&expected, b.data, b.size);
	jr_buf_add(&both, pa.data, pa.size);
	jr_buf_repeat(&both, '\0', 8);
	jr_buf_add(&both, pb.data, pb.size);
	expect_bytes(jr_buf_view(&both), jr_buf_view(&expected));
	jr_buf_repeat(&both, '\0', 4);
	expect_bytes(jr_buf_view(&both), jr_buf_view(&expected));
	jr_buf_repeat(&both, '\0', 1); /* padding comes in multiples of four */
	expect_failure(jr_buf_view(&both), JR_EFORMAT, "");
	both.size--;
	jr_buf_puts(&both, "not an xz stream");
	expect_failure(jr_buf_view(&both), JR_EFORMAT, "damaged at byte");
	jr_buf_done(&a);
	jr_buf_done(&b);
	jr_buf_done(&pa);
	jr_buf_done(&pb);
	jr_buf_done(&both);
	jr_buf_done(&expected);
}

static UNIT(cut_at_every_byte)
{
	struct jr_buf plain = sample(5000);
	struct jr_buf packed = pack(jr_buf_view(&plain), 6, LZMA_CHECK_CRC64);
	expect_failure(jr_bytes_of("", 0), JR_EFORMAT, "empty");
	for (size_t n = 1; n < packed.size; n++)
		expect_failure(jr_bytes_of(packed.data, n), JR_EFORMAT, "cut short");
	jr_buf_done(&packed);
	jr_buf_done(&plain);
}

static UNIT(damaged_at_every_byte)
{
	struct jr_buf plain = sample(3000);
	struct jr_buf packed = pack(jr_buf_view(&plain), 6, LZMA_CHECK_CRC64);
	for (size_t i = 0; i < packed.size; i++)
		for (int bit = 0; bit < 8; bit += 3) {
			struct jr_buf out;
			struct jr_error err;
			packed.data[i] ^= (char)(1 << bit);
			enum jr_status status = decode(jr_buf_view(&packed), &limits, &out, &err);
			if (status != JR_EFORMAT && status != JR_EUNSUPPORTED)
				fail_msg("byte %zu bit %d: status %d: %s", i, bit, status, err.message);
			jr_buf_done(&out);
			packed.data[i] ^= (char)(1 << bit);
		}
	jr_buf_done(&packed);
	jr_buf_done(&plain);
}

static void expect_limit(
	struct jr_bytes in, const struct jr_limits *lim, bool within, const char *option)
{
	struct jr_buf out;
	struct jr_error err;
	enum jr_status status = decode(in, lim, &out, &err);
	assert_int_equal(status, within ? JR_OK : JR_ELIMIT);
	if (!within && !strstr(err.message, option))
		fail_msg("'%s' does not name %s", err.message, option);
	jr_buf_done(&out);
}

static UNIT(size_limits)
{
	struct jr_limits lim = limits;
	struct jr_buf plain = sample(200000);
	struct jr_buf packed = pack(jr_buf_view(&plain), 0, LZMA_CHECK_CRC32);
	lim.entry_bytes = plain.size;
	expect_limit(jr_buf_view(&packed), &lim, true, "");
	lim.entry_bytes = plain.size - 1;
	expect_limit(jr_buf_view(&packed), &lim, false, "--max-entry-bytes");
	jr_buf_done(&packed);
	jr_buf_done(&plain);

	/* a bomb: 8 MiB of zeros in about 1.3 kB */
	jr_buf_repeat(&plain, '\0', 8 << 20);
	packed = pack(jr_buf_view(&plain), 6, LZMA_CHECK_CRC32);
	lim = limits;
	lim.ratio = 100;
	expect_limit(jr_buf_view(&packed), &lim, false, "--max-ratio");
	lim.ratio = 10000;
	expect_limit(jr_buf_view(&packed), &lim, true, "");
	lim.memory_bytes = 1 << 20;
	expect_limit(jr_buf_view(&packed), &lim, false, "--max-memory");
	/* without an index that states the size, the output is cut off while it grows */
	lim = limits;
	lim.ratio = 100;
	packed.size -= 4;
	expect_limit(jr_buf_view(&packed), &lim, false, "--max-ratio");
	lim.entry_bytes = 100000;
	expect_limit(jr_buf_view(&packed), &lim, false, "--max-entry-bytes");
	jr_buf_done(&packed);
	jr_buf_done(&plain);
}

struct pipe {
	struct jr_bytes whole, cut;
	const struct jr_buf *plain;
};

static void decode_on_threads(void *context, size_t index)
{
	const struct pipe *pipe = context;
	struct jr_buf out;
	struct jr_error err;
	struct jr_xz_stream *stream;
	if (index == 0)
		expect_bytes(pipe->whole, jr_buf_view(pipe->plain));
	else if (index == 1)
		assert_int_equal(decode(pipe->cut, &limits, &out, &err), JR_EFORMAT);
	else if (jr_xz_open(pipe->whole, &limits, &stream, &err) == JR_OK)
		jr_xz_close(stream); /* while it is decoded */
}

/* Data that is large enough is decoded beside the caller, if the run has several threads. */
static UNIT(beside_the_caller)
{
	struct jr_buf plain = {0}, packed = {0};
	uint32_t x = 1;
	for (size_t i = 0; i < 800000; i++) {
		x = x * 1664525 + 1013904223;
		jr_buf_putc(&plain, (char)(x >> 24));
	}
	jr_xz_encode(jr_buf_view(&plain), &packed);
	struct pipe pipe = {jr_buf_view(&packed), jr_bytes_of(packed.data, packed.size / 2), &plain};
	for (size_t n_threads = 1; n_threads < 4; n_threads++)
		jr_task_run(n_threads, 3, decode_on_threads, &pipe);
	jr_buf_done(&plain);
	jr_buf_done(&packed);
}

/* Stored bytes grow by the frame only, and may follow a compressed stream. */
static UNIT(stored)
{
	static const size_t sizes[] = {1, 70000, 200001};
	struct jr_buf plain = {0}, packed = {0}, both = {0}, out;
	struct jr_error err;
	jr_xz_encode(jr_bytes_of("first", 5), &both);
	jr_buf_puts(&plain, "first");
	for (size_t i = 0; i < JR_COUNT_OF(sizes); i++) {
		while (plain.size < 5 + sizes[i])
			jr_buf_putc(&plain, (char)(plain.size * plain.size >> 7));
		struct jr_bytes tail = jr_bytes_of(plain.data + 5, sizes[i]);
		packed.size = 0;
		jr_xz_store(tail, &packed);
		assert_in_range(packed.size, sizes[i] + 48, sizes[i] + 96);
		assert_int_equal(decode(jr_buf_view(&packed), &limits, &out, &err), JR_OK);
		assert_true(jr_bytes_eq(jr_buf_view(&out), tail));
		jr_buf_done(&out);
		size_t first = both.size;
		jr_buf_add(&both, packed.data, packed.size);
		assert_int_equal(decode(jr_buf_view(&both), &limits, &out, &err), JR_OK);
		assert_true(jr_bytes_eq(jr_buf_view(&out), jr_buf_view(&plain)));
		jr_buf_done(&out);
		both.size = first;
		packed.data[packed.size / 2] ^= 1;
		assert_int_equal(decode(jr_buf_view(&packed), &limits, &out, &err), JR_EFORMAT);
	}
	jr_buf_done(&plain);
	jr_buf_done(&packed);
	jr_buf_done(&both);
}

static UNIT(digests)
{
	char hex[65];
	jr_sha256_map(&(struct jr_file_map){.bytes = jr_bytes_of(NULL, 0)}, hex);
	assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	jr_sha256_map(&(struct jr_file_map){.bytes = jr_bytes_of("abc", 3)}, hex);
	assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}
