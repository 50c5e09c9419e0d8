/* Parquet's value encodings and codecs, checked against slow packers. Inputs are copied into
 * blocks of their exact size, so that ASan detects each byte read beyond the end. */
#include <stdlib.h>
#include <string.h>

#include <snappy-c.h>
#include <zlib.h>
#include <zstd.h>

#include "unit.h"

#include "base/cleanup.h"
#include "formats/parquet/parquet_parts.h"
#include "formats/parquet/parquet_encodings.h"
#include "random.h"

#define BYTES(...)                                                                                 \
	jr_bytes_of((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static void put_varint(struct jr_buf *out, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		jr_buf_putc(out, (char)(v | 0x80));
	jr_buf_putc(out, (char)v);
}

static uint64_t zigzag(int64_t v)
{
	return v < 0 ? ~((uint64_t)v << 1) : (uint64_t)v << 1;
}

/* Put bit by bit, least significant first. */
static void put_bits(struct jr_buf *out, const uint64_t *values, size_t n, unsigned width)
{
	size_t begin = out->size;
	jr_buf_repeat(out, '\0', (n * width + 7) / 8);
	for (size_t i = 0; i < n * width; i++)
		if (values[i / width] >> i % width & 1)
			out->data[begin + i / 8] = (char)((uint8_t)out->data[begin + i / 8] | 1u << i % 8);
}

/* Return a copy in a block of its exact size; free() it. */
static struct jr_bytes exact(struct jr_bytes in)
{
	uint8_t *copy = malloc(in.size ? in.size : 1);
	assert_non_null(copy);
	if (in.size)
		memcpy(copy, in.data, in.size);
	return jr_bytes_of(copy, in.size);
}

static void release(struct jr_bytes *in)
{
	free((void *)(uintptr_t)in->data);
}

#define EXACT(name, view) JR_CLEANUP(release) struct jr_bytes name = exact(view)

static UNIT(test_bit_width)
{
	assert_int_equal(jr_pq_bit_width(0), 0);
	assert_int_equal(jr_pq_bit_width(1), 1);
	assert_int_equal(jr_pq_bit_width(2), 2);
	assert_int_equal(jr_pq_bit_width(255), 8);
	assert_int_equal(jr_pq_bit_width(UINT32_MAX), 32);
}

static UNIT(test_unpack)
{
	uint64_t seed = 1;
	for (unsigned width = 1; width <= 32; width++) {
		for (size_t n = 0; n < 90; n++) {
			uint64_t values[90] = {0};
			for (size_t i = 0; i < n; i++)
				values[i] = next_random(&seed) >> (64 - width);
			JR_CLEANUP(jr_buf_done) struct jr_buf buf = {0};
			put_bits(&buf, values, n, width);
			EXACT(in, jr_buf_view(&buf));
			uint32_t wide[90];
			uint8_t narrow[90];
			jr_pq_unpack_u32(in, width, n, wide);
			for (size_t i = 0; i < n; i++)
				assert_int_equal(wide[i], values[i]);
			if (width > 8)
				continue;
			jr_pq_unpack_u8(in, width, n, narrow);
			for (size_t i = 0; i < n; i++)
				assert_int_equal(narrow[i], values[i]);
		}
	}
}

static UNIT(test_unpack_wide)
{
	uint64_t seed = 2;
	for (unsigned width = 0; width <= 64; width++) {
		uint64_t values[32], got[32];
		for (size_t i = 0; i < 32; i++)
			values[i] = width ? next_random(&seed) >> (64 - width) : 0;
		JR_CLEANUP(jr_buf_done) struct jr_buf buf = {0};
		put_bits(&buf, values, 32, width);
		EXACT(in, jr_buf_view(&buf));
		jr_pq_unpack32_u64(in.data, width, got);
		assert_memory_equal(got, values, sizeof(got));
	}
}

/* Encodings.md, BIT_PACKED: 0..7 in three bits each are 00000101 00111001 01110111. */
static UNIT(test_unpack_msb)
{
	uint8_t got[8];
	EXACT(in, BYTES(0x05, 0x39, 0x77));
	jr_pq_unpack_msb_u8(in, 3, 8, got);
	for (uint8_t i = 0; i < 8; i++)
		assert_int_equal(got[i], i);
	EXACT(bits, BYTES(0xA5));
	jr_pq_unpack_msb_u8(bits, 1, 8, got);
	assert_memory_equal(got, ((uint8_t[]){1, 0, 1, 0, 0, 1, 0, 1}), 8);
	EXACT(eight, BYTES(1, 2, 255));
	jr_pq_unpack_msb_u8(eight, 8, 3, got);
	assert_memory_equal(got, ((uint8_t[]){1, 2, 255}), 3);
}

static UNIT(test_hybrid)
{
	struct jr_error err = {0};
	/* one group of 8 packed values, 100 times 4, then 3 of a further group of 8 */
	EXACT(in, BYTES(0x03, 0x88, 0xC6, 0xFA, 0xC8, 0x01, 0x04, 0x03, 0x88, 0xC6, 0xFA));
	uint32_t wide[111];
	uint8_t narrow[111];
	assert_int_equal(jr_pq_hybrid_u32(in, 3, 111, wide, &err), JR_OK);
	assert_int_equal(jr_pq_hybrid_u8(in, 3, 111, narrow, &err), JR_OK);
	for (uint32_t i = 0; i < 111; i++) {
		uint32_t expected = i < 8 ? i : i < 108 ? 4 : i - 108;
		assert_int_equal(wide[i], expected);
		assert_int_equal(narrow[i], expected);
	}
	assert_false(jr_pq_hybrid_is_constant(in, 3, 111, 4));
	EXACT(constant, BYTES(0xC8, 0x01, 0x04));
	assert_true(jr_pq_hybrid_is_constant(constant, 3, 100, 4));
	assert_true(jr_pq_hybrid_is_constant(constant, 3, 7, 4));
	assert_false(jr_pq_hybrid_is_constant(constant, 3, 101, 4));
	assert_false(jr_pq_hybrid_is_constant(constant, 3, 100, 5));
	/* values of 4 bytes; of no bits, repeated and packed */
	EXACT(four, BYTES(0x06, 0x78, 0x56, 0x34, 0x12));
	assert_int_equal(jr_pq_hybrid_u32(four, 32, 3, wide, &err), JR_OK);
	assert_true(wide[0] == 0x12345678 && wide[2] == 0x12345678);
	EXACT(none, BYTES(0x06, 0x03));
	assert_int_equal(jr_pq_hybrid_u32(none, 0, 11, wide, &err), JR_OK);
	assert_int_equal(jr_pq_hybrid_u8(none, 0, 11, narrow, &err), JR_OK);
	assert_true(wide[0] == 0 && wide[10] == 0 && narrow[10] == 0);
	assert_int_equal(jr_pq_hybrid_u8(none, 0, 12, narrow, &err), JR_EFORMAT);
	assert_string_equal(err.message, "runs end after 11 of 12 values");
	/* a last group that is cut off after the values that are needed */
	EXACT(cut, BYTES(0x07, 0x88, 0xC6, 0xFA, 0x88));
	assert_int_equal(jr_pq_hybrid_u32(cut, 3, 10, wide, &err), JR_OK);
	assert_int_equal(wide[9], 1);
	assert_int_equal(jr_pq_hybrid_u32(cut, 3, 11, wide, &err), JR_EFORMAT);
	/* no run at all; a run without its value; runs of nothing; counts beyond 2^32 */
	assert_int_equal(jr_pq_hybrid_u32(BYTES(0x06), 3, 1, wide, &err), JR_EFORMAT);
	assert_int_equal(jr_pq_hybrid_u32((struct jr_bytes){0}, 3, 1, wide, &err), JR_EFORMAT);
	assert_int_equal(jr_pq_hybrid_u32((struct jr_bytes){0}, 3, 0, wide, &err), JR_OK);
	assert_int_equal(jr_pq_hybrid_u32(BYTES(0x00, 0x05, 0x00, 0x05), 3, 1, wide, &err), JR_EFORMAT);
	EXACT(huge, BYTES(0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01, 0x05));
	assert_int_equal(jr_pq_hybrid_u32(huge, 3, 5, wide, &err), JR_OK);
	EXACT(vast, BYTES(0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01, 0x05));
	assert_int_equal(jr_pq_hybrid_u32(vast, 3, 2, wide, &err), JR_OK);
	assert_int_equal(jr_pq_hybrid_u32(vast, 3, 3, wide, &err), JR_EFORMAT);
}

static UNIT(test_fixed)
{
	struct jr_error err = {0};
	uint8_t out[12];
	EXACT(in, BYTES(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
	assert_int_equal(jr_pq_plain_fixed(in, 4, 3, out, &err), JR_OK);
	assert_memory_equal(out, in.data, 12);
	assert_int_equal(jr_pq_plain_fixed(in, 4, 2, out, &err), JR_EFORMAT);
	assert_string_equal(err.message, "2 values take 8 bytes, the page contains 12");
	assert_int_equal(jr_pq_plain_fixed(in, 8, 2, out, &err), JR_EFORMAT);
	assert_int_equal(jr_pq_split(in, 4, 3, out, &err), JR_OK);
	assert_memory_equal(out, ((uint8_t[]){1, 4, 7, 10, 2, 5, 8, 11, 3, 6, 9, 12}), 12);
	assert_int_equal(jr_pq_split(in, 3, 4, out, &err), JR_OK);
	assert_memory_equal(out, ((uint8_t[]){1, 5, 9, 2, 6, 10, 3, 7, 11, 4, 8, 12}), 12);
	assert_int_equal(jr_pq_split(in, 4, 4, out, &err), JR_EFORMAT);
	assert_int_equal(jr_pq_split((struct jr_bytes){0}, 4, 0, out, &err), JR_OK);

	uint32_t indexes[] = {2, 0, 2};
	jr_pq_gather(in.data, 4, indexes, 3, out);
	assert_memory_equal(out, ((uint8_t[]){9, 10, 11, 12, 1, 2, 3, 4, 9, 10, 11, 12}), 12);
	uint8_t wide[16], twice[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
	jr_pq_gather(twice, 8, (uint32_t[]){1, 0}, 2, wide);
	assert_int_equal(wide[0], 9);
	assert_int_equal(wide[15], 8);
}

static UNIT(test_booleans)
{
	struct jr_error err = {0};
	uint8_t out[10];
	EXACT(plain, BYTES(0xA5, 0x02));
	assert_int_equal(jr_pq_plain_bool(plain, 10, out, &err), JR_OK);
	assert_memory_equal(out, ((uint8_t[]){1, 0, 1, 0, 0, 1, 0, 1, 0, 1}), 10);
	assert_int_equal(jr_pq_plain_bool(plain, 8, out, &err), JR_EFORMAT);
	assert_int_equal(jr_pq_plain_bool(plain, 17, out, &err), JR_EFORMAT);
	EXACT(rle, BYTES(2, 0, 0, 0, 0x14, 0x01));
	assert_int_equal(jr_pq_rle_bool(rle, 10, out, &err), JR_OK);
	assert_int_equal(out[9], 1);
	assert_int_equal(jr_pq_rle_bool(rle, 11, out, &err), JR_EFORMAT);
	assert_int_equal(jr_pq_rle_bool(BYTES(3, 0, 0, 0, 0x14, 1), 10, out, &err), JR_EFORMAT);
	assert_int_equal(jr_pq_rle_bool(BYTES(2, 0, 0, 0, 0x14, 2), 10, out, &err), JR_EFORMAT);
	assert_int_equal(jr_pq_rle_bool(BYTES(2, 0), 1, out, &err), JR_EFORMAT);
	assert_int_equal(jr_pq_rle_bool((struct jr_bytes){0}, 0, out, &err), JR_OK);
}

static UNIT(test_indexes)
{
	struct jr_error err = {0};
	uint32_t out[8];
	EXACT(in, BYTES(3, 0x03, 0x88, 0xC6, 0xFA));
	assert_int_equal(jr_pq_indexes(in, 8, 8, out, &err), JR_OK);
	assert_int_equal(out[7], 7);
	assert_int_equal(jr_pq_indexes(in, 8, 7, out, &err), JR_EFORMAT);
	assert_string_equal(err.message, "index 7 into a dictionary of 7 entries");
	assert_int_equal(jr_pq_indexes(in, 7, 7, out, &err), JR_OK);
	assert_int_equal(jr_pq_indexes(BYTES(0, 0x02), 1, 0, out, &err), JR_EFORMAT);
	assert_int_equal(jr_pq_indexes(BYTES(33, 0x02, 0, 0, 0, 0, 0), 1, 1, out, &err), JR_EFORMAT);
	assert_int_equal(jr_pq_indexes((struct jr_bytes){0}, 1, 1, out, &err), JR_EFORMAT);
	assert_int_equal(jr_pq_indexes((struct jr_bytes){0}, 0, 0, out, &err), JR_OK);
}

/* Put DELTA_BINARY_PACKED in blocks of 128 values and 4 miniblocks, each with the width it
 * needs. */
static void put_delta(struct jr_buf *out, const int64_t *values, size_t n)
{
	put_varint(out, 128);
	put_varint(out, 4);
	put_varint(out, n);
	put_varint(out, zigzag(n ? values[0] : 0));
	for (size_t begin = 1; begin < n; begin += 128) {
		uint64_t deltas[128] = {0};
		size_t count = n - begin < 128 ? n - begin : 128;
		int64_t least = INT64_MAX;
		for (size_t i = 0; i < count; i++) {
			deltas[i] = (uint64_t)values[begin + i] - (uint64_t)values[begin + i - 1];
			least = (int64_t)deltas[i] < least ? (int64_t)deltas[i] : least;
		}
		put_varint(out, zigzag(least));
		unsigned widths[4] = {0};
		for (size_t i = 0; i < count; i++) {
			deltas[i] -= (uint64_t)least;
			unsigned width = deltas[i] ? 64 - (unsigned)__builtin_clzll(deltas[i]) : 0;
			widths[i / 32] = width > widths[i / 32] ? width : widths[i / 32];
		}
		for (size_t i = 0; i < 4; i++)
			jr_buf_putc(out, (char)(32 * i < count ? widths[i] : 77)); /* 77: not read */
		for (size_t i = 0; 32 * i < count; i++)
			put_bits(out, deltas + 32 * i, 32, widths[i]);
	}
}

static UNIT(test_delta)
{
	struct jr_error err = {0};
	/* 1 2 3 4 5 by hand: block 128, 4 miniblocks, 5 values, first 1; least delta 1, no bits */
	EXACT(by_hand, BYTES(0x80, 0x01, 0x04, 0x05, 0x02, 0x02, 0, 0, 0, 0));
	int32_t five[5];
	assert_int_equal(jr_pq_delta_i32(by_hand, 5, five, &err), JR_OK);
	assert_memory_equal(five, ((int32_t[]){1, 2, 3, 4, 5}), sizeof(five));
	uint64_t seed = 3;
	for (size_t n = 0; n < 400; n += n < 140 ? 1 : 29) {
		for (unsigned bits = 1; bits <= 64; bits += 3) {
			int64_t values[400] = {0}, got[400];
			int32_t got32[400];
			for (size_t i = 0; i < n; i++)
				values[i] = (int64_t)(next_random(&seed) >> (64 - bits)) * (i % 3 ? 1 : -1);
			JR_CLEANUP(jr_buf_done) struct jr_buf buf = {0};
			put_delta(&buf, values, n);
			EXACT(in, jr_buf_view(&buf));
			assert_int_equal(jr_pq_delta_i64(in, (uint32_t)n, got, &err), JR_OK);
			assert_int_equal(jr_pq_delta_i32(in, (uint32_t)n, got32, &err), JR_OK);
			for (size_t i = 0; i < n; i++) {
				assert_true(got[i] == values[i]);
				assert_true(got32[i] == (int32_t)(uint32_t)(uint64_t)values[i]);
			}
			if (n > 1 && in.size > 20)
				assert_int_equal(
					jr_pq_delta_i64(jr_bytes_of(in.data, in.size - 1), (uint32_t)n, got, &err),
					JR_EFORMAT);
		}
	}
}

static UNIT(test_delta_damage)
{
	struct jr_error err = {0};
	int64_t out[64];
	assert_int_equal(
		jr_pq_delta_i64(BYTES(0x80, 0x01, 4, 6, 2, 2, 0, 0, 0, 0), 5, out, &err), JR_EFORMAT);
	assert_string_equal(err.message, "6 delta-coded values, but 5 are expected");
	/* no miniblocks; not a divisor; not whole batches; a huge block; cut off; 65 bits */
	assert_int_equal(jr_pq_delta_i64(BYTES(0x80, 0x01, 0, 5, 2, 2), 5, out, &err), JR_EFORMAT);
	assert_int_equal(jr_pq_delta_i64(BYTES(0x80, 0x01, 3, 5, 2, 2), 5, out, &err), JR_EFORMAT);
	assert_int_equal(jr_pq_delta_i64(BYTES(0x08, 1, 5, 2, 2, 0), 5, out, &err), JR_EFORMAT);
	assert_int_equal(jr_pq_delta_i64(BYTES(0x00, 1, 5, 2, 2, 0), 5, out, &err), JR_EFORMAT);
	assert_int_equal(
		jr_pq_delta_i64(BYTES(0x80, 0x80, 0x80, 0x80, 0x10, 1, 5, 2, 2, 0), 5, out, &err),
		JR_EFORMAT);
	assert_int_equal(jr_pq_delta_i64(BYTES(0x80, 0x01, 4, 5), 5, out, &err), JR_EFORMAT);
	assert_int_equal(jr_pq_delta_i64(BYTES(0x80, 0x01, 4, 5, 2), 5, out, &err), JR_EFORMAT);
	assert_int_equal(
		jr_pq_delta_i64(BYTES(0x80, 0x01, 4, 5, 2, 2, 0, 0), 5, out, &err), JR_EFORMAT);
	assert_int_equal(
		jr_pq_delta_i64(BYTES(0x80, 0x01, 4, 5, 2, 2, 65, 0, 0, 0), 5, out, &err), JR_EFORMAT);
	assert_string_equal(err.message, "deltas of 65 bits");
	assert_int_equal(jr_pq_delta_i64((struct jr_bytes){0}, 0, out, &err), JR_OK);
}

static void assert_text(struct jr_bytes got, const char *expected)
{
	assert_int_equal(got.size, strlen(expected));
	assert_memory_equal(got.data, expected, got.size);
}

static UNIT(test_plain_strings)
{
	struct jr_error err = {0};
	struct jr_limits limits = jr_limits_default();
	struct jr_bytes out[3];
	EXACT(in, BYTES(2, 0, 0, 0, 'a', 'b', 0, 0, 0, 0, 1, 0, 0, 0, 'c'));
	assert_int_equal(jr_pq_plain_strings(in, 3, &limits, out, &err), JR_OK);
	assert_text(out[0], "ab");
	assert_text(out[1], "");
	assert_text(out[2], "c");
	assert_int_equal(jr_pq_plain_strings(in, 2, &limits, out, &err), JR_EFORMAT);
	EXACT(cut, jr_bytes_of(in.data, in.size - 1));
	assert_int_equal(jr_pq_plain_strings(cut, 3, &limits, out, &err), JR_EFORMAT);
	assert_string_equal(err.message, "page ends within string 2 of 3");
	EXACT(endless, BYTES(0xFF, 0xFF, 0xFF, 0xFF, 'a'));
	assert_int_equal(jr_pq_plain_strings(endless, 1, &limits, out, &err), JR_EFORMAT);
	limits.string_bytes = 1;
	assert_int_equal(jr_pq_plain_strings(in, 3, &limits, out, &err), JR_ELIMIT);
	assert_non_null(strstr(err.message, "--max-string-bytes"));
	limits.string_bytes = 5;
	assert_int_equal(jr_pq_plain_fixed_strings(in, 5, 3, &limits, out, &err), JR_OK);
	assert_memory_equal(out[2].data, in.data + 10, 5);
	assert_int_equal(jr_pq_plain_fixed_strings(in, 4, 3, &limits, out, &err), JR_EFORMAT);
	limits.string_bytes = 4;
	assert_int_equal(jr_pq_plain_fixed_strings(in, 5, 3, &limits, out, &err), JR_ELIMIT);
}

static UNIT(test_delta_length)
{
	struct jr_error err = {0};
	struct jr_limits limits = jr_limits_default();
	struct jr_bytes out[4];
	JR_CLEANUP(jr_buf_done) struct jr_buf buf = {0}, scratch = {0};
	put_delta(&buf, (int64_t[]){5, 5, 0, 6}, 4);
	jr_buf_puts(&buf, "HelloWorldABCDEF");
	EXACT(in, jr_buf_view(&buf));
	assert_int_equal(jr_pq_delta_length(in, 4, &limits, &scratch, out, &err), JR_OK);
	assert_text(out[0], "Hello");
	assert_text(out[1], "World");
	assert_text(out[2], "");
	assert_text(out[3], "ABCDEF");
	EXACT(cut, jr_bytes_of(in.data, in.size - 1));
	assert_int_equal(jr_pq_delta_length(cut, 4, &limits, &scratch, out, &err), JR_EFORMAT);
	jr_buf_putc(&buf, '!');
	assert_int_equal(
		jr_pq_delta_length(jr_buf_view(&buf), 4, &limits, &scratch, out, &err), JR_EFORMAT);
	limits.string_bytes = 5;
	assert_int_equal(jr_pq_delta_length(in, 4, &limits, &scratch, out, &err), JR_ELIMIT);
	JR_CLEANUP(jr_buf_done) struct jr_buf negative = {0};
	put_delta(&negative, (int64_t[]){1, -1}, 2);
	jr_buf_puts(&negative, "a");
	assert_int_equal(
		jr_pq_delta_length(jr_buf_view(&negative), 2, &limits, &scratch, out, &err), JR_EFORMAT);
	assert_string_equal(err.message, "string 1 of negative length");
}

/* The example of Encodings.md, with a string that only repeats the beginning of the previous
 * one. */
static UNIT(test_delta_strings)
{
	struct jr_error err = {0};
	struct jr_limits limits = jr_limits_default();
	JR_CLEANUP(jr_arena_done) struct jr_arena arena;
	jr_arena_init(&arena, 0);
	struct jr_bytes out[6];
	JR_CLEANUP(jr_buf_done) struct jr_buf buf = {0}, scratch = {0};
	put_delta(&buf, (int64_t[]){0, 2, 0, 3, 4, 4}, 6);
	put_delta(&buf, (int64_t[]){4, 2, 6, 5, 0, 1}, 6);
	jr_buf_puts(&buf, "axislebabbleyhoode");
	EXACT(in, jr_buf_view(&buf));
	assert_int_equal(jr_pq_delta_strings(in, 6, &limits, &arena, &scratch, out, &err), JR_OK);
	const char *const expected[] = {"axis", "axle", "babble", "babyhood", "baby", "babye"};
	for (size_t i = 0; i < 6; i++)
		assert_text(out[i], expected[i]);
	limits.string_bytes = 7;
	assert_int_equal(jr_pq_delta_strings(in, 6, &limits, &arena, &scratch, out, &err), JR_ELIMIT);
	JR_CLEANUP(jr_buf_done) struct jr_buf bad = {0};
	put_delta(&bad, (int64_t[]){0, 2}, 2);
	put_delta(&bad, (int64_t[]){1, 1}, 2);
	jr_buf_puts(&bad, "ab");
	assert_int_equal(
		jr_pq_delta_strings(jr_buf_view(&bad), 2, &limits, &arena, &scratch, out, &err),
		JR_EFORMAT);
	assert_string_equal(
		err.message, "string 1 reuses the first 2 bytes of a string that has only 1");
	assert_int_equal(
		jr_pq_delta_strings((struct jr_bytes){0}, 0, &limits, &arena, &scratch, out, &err), JR_OK);
}

/* 60,000 strings of 100,000 and more bytes from a page of some 200 KB: 6 GB without a limit. */
static UNIT(test_delta_strings_growth)
{
	enum { N = 60000, FIRST = 100000 };
	struct jr_error err = {0};
	struct jr_limits limits = jr_limits_default();
	JR_CLEANUP(jr_arena_done) struct jr_arena arena;
	jr_arena_init(&arena, 0);
	int64_t *prefixes = calloc(N, sizeof(*prefixes)), *suffixes = calloc(N, sizeof(*suffixes));
	struct jr_bytes *out = calloc(N, sizeof(*out));
	assert_true(prefixes && suffixes && out);
	suffixes[0] = FIRST;
	for (size_t i = 1; i < N; i++) {
		prefixes[i] = FIRST;
		suffixes[i] = 1;
	}
	JR_CLEANUP(jr_buf_done) struct jr_buf buf = {0}, scratch = {0};
	put_delta(&buf, prefixes, N);
	put_delta(&buf, suffixes, N);
	jr_buf_repeat(&buf, 'x', FIRST + N - 1);
	struct jr_bytes in = jr_buf_view(&buf);
	assert_int_equal(jr_pq_delta_strings(in, N, &limits, &arena, &scratch, out, &err), JR_ELIMIT);
	assert_non_null(strstr(err.message, "--max-entry-bytes"));
	limits.entry_bytes = UINT64_C(1) << 40;
	assert_int_equal(jr_pq_delta_strings(in, N, &limits, &arena, &scratch, out, &err), JR_ELIMIT);
	assert_non_null(strstr(err.message, "--max-ratio"));
	assert_true(arena.used_bytes == 0);
	/* ... but strings that only repeat earlier bytes take no memory */
	memset(suffixes + 1, 0, (N - 1) * sizeof(*suffixes));
	buf.size = 0;
	put_delta(&buf, prefixes, N);
	put_delta(&buf, suffixes, N);
	jr_buf_repeat(&buf, 'x', FIRST);
	in = jr_buf_view(&buf);
	assert_int_equal(jr_pq_delta_strings(in, N, &limits, &arena, &scratch, out, &err), JR_OK);
	assert_int_equal(out[N - 1].size, FIRST);
	assert_true(arena.used_bytes < FIRST);
	free(prefixes);
	free(suffixes);
	free(out);
}

/* Any growth is allowed up to 1 MiB, and above that up to `ratio` times the encoded size. */
static UNIT(test_delta_strings_ratio)
{
	enum { MOST = 4000, FIRST = 511, MIB = 1 << 20 };
	static const struct {
		uint32_t n; /* all but the first take FIRST + 1 bytes */
		int over;   /* how far below the smallest ratio that lets them through; -99: ratio 0 */
		enum jr_status status;
	} cases[] = {
		{2049, -99, JR_OK}, {2050, -99, JR_ELIMIT}, {MOST, 0, JR_OK}, {MOST, 1, JR_ELIMIT}};
	for (size_t k = 0; k < JR_COUNT_OF(cases); k++) {
		uint32_t n = cases[k].n;
		struct jr_error err = {0};
		struct jr_limits limits = jr_limits_default();
		JR_CLEANUP(jr_arena_done) struct jr_arena arena;
		jr_arena_init(&arena, 0);
		struct jr_bytes *out = JR_ARENA_N(&arena, struct jr_bytes, n);
		int64_t *lengths = JR_ARENA_N(&arena, int64_t, 2 * n);
		for (uint32_t i = 1; i < n; i++) {
			lengths[i] = FIRST;
			lengths[n + i] = 1;
		}
		lengths[n] = FIRST;
		JR_CLEANUP(jr_buf_done) struct jr_buf buf = {0}, scratch = {0};
		put_delta(&buf, lengths, n);
		put_delta(&buf, lengths + n, n);
		jr_buf_repeat(&buf, 'x', FIRST + n - 1);
		uint64_t size = (n - 1) * (uint64_t)(FIRST + 1), ratio = (size + buf.size - 1) / buf.size;
		assert_true(size > MIB || cases[k].status == JR_OK);
		limits.ratio = cases[k].over < 0 ? 0 : ratio - (uint64_t)cases[k].over;
		assert_int_equal(
			jr_pq_delta_strings(jr_buf_view(&buf), n, &limits, &arena, &scratch, out, &err),
			cases[k].status);
		if (err.status != JR_OK)
			assert_non_null(strstr(err.message, "--max-ratio"));
	}
}

/* --- codecs -------------------------------------------------------------------------------- */

static const char text[] = "The quick brown fox jumps over the lazy dog, over and over and over.";

static void put_gzip(struct jr_buf *out, const char *bytes, size_t size, int window)
{
	z_stream z = {.next_in = (Bytef *)(uintptr_t)bytes, .avail_in = (uInt)size};
	uint8_t room[512];
	assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY), Z_OK);
	z.next_out = room;
	z.avail_out = sizeof(room);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	jr_buf_add(out, room, z.total_out);
	(void)deflateEnd(&z);
}

static void expect_codec(enum jr_pq_codec codec, struct jr_bytes view)
{
	struct jr_error err = {0};
	uint8_t out[sizeof(text) + 1];
	EXACT(in, view);
	assert_int_equal(jr_pq_codec_check((int32_t)codec, &err), JR_OK);
	assert_int_equal(jr_pq_decompress(codec, in, out, sizeof(text), &err), JR_OK);
	assert_memory_equal(out, text, sizeof(text));
	assert_int_equal(jr_pq_decompress(codec, in, out, sizeof(text) + 1, &err), JR_EFORMAT);
	assert_int_equal(jr_pq_decompress(codec, in, out, sizeof(text) - 1, &err), JR_EFORMAT);
	assert_int_equal(jr_pq_decompress(codec, in, out, 0, &err), JR_EFORMAT);
	for (size_t n = 0; n < in.size; n++) {
		EXACT(cut, jr_bytes_of(in.data, n));
		assert_int_equal(jr_pq_decompress(codec, cut, out, sizeof(text), &err), JR_EFORMAT);
	}
}

static UNIT(test_codecs)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf gzip = {0}, zlib = {0}, members = {0};
	expect_codec(JR_PQ_UNCOMPRESSED, jr_bytes_of(text, sizeof(text)));
	put_gzip(&gzip, text, sizeof(text), 15 + 16);
	expect_codec(JR_PQ_GZIP, jr_buf_view(&gzip));
	put_gzip(&zlib, text, sizeof(text), 15);
	expect_codec(JR_PQ_GZIP, jr_buf_view(&zlib));
	put_gzip(&members, text, 10, 15 + 16);
	put_gzip(&members, text + 10, 0, 15 + 16);
	put_gzip(&members, text + 10, sizeof(text) - 10, 15 + 16);
	expect_codec(JR_PQ_GZIP, jr_buf_view(&members));
	char room[512];
	size_t size = sizeof(room);
	assert_int_equal(snappy_compress(text, sizeof(text), room, &size), SNAPPY_OK);
	expect_codec(JR_PQ_SNAPPY, jr_bytes_of(room, size));
	size = ZSTD_compress(room, sizeof(room), text, sizeof(text), 3);
	assert_false(ZSTD_isError(size));
	expect_codec(JR_PQ_ZSTD, jr_bytes_of(room, size));
	/* an empty result, as a stream that says so */
	struct jr_error err = {0};
	uint8_t none;
	JR_CLEANUP(jr_buf_done) struct jr_buf empty = {0};
	put_gzip(&empty, text, 0, 15 + 16);
	assert_int_equal(jr_pq_decompress(JR_PQ_GZIP, jr_buf_view(&empty), &none, 0, &err), JR_OK);
	size = ZSTD_compress(room, sizeof(room), text, 0, 3);
	assert_int_equal(jr_pq_decompress(JR_PQ_ZSTD, jr_bytes_of(room, size), &none, 0, &err), JR_OK);
}

static UNIT(test_codecs_unread)
{
	struct jr_error err = {0};
	const enum jr_pq_codec unread[] = {JR_PQ_LZO, JR_PQ_BROTLI, JR_PQ_LZ4, JR_PQ_LZ4_RAW};
	for (size_t i = 0; i < JR_COUNT_OF(unread); i++)
		assert_int_equal(jr_pq_codec_check((int32_t)unread[i], &err), JR_EUNSUPPORTED);
	assert_string_equal(err.message, "pages compressed with LZ4_RAW are not supported");
	assert_int_equal(jr_pq_codec_check(8, &err), JR_EFORMAT);
	assert_int_equal(jr_pq_codec_check(-1, &err), JR_EFORMAT);
}
