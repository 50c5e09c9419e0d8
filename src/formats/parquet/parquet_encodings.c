#include "formats/parquet/parquet_encodings.h"

#include <inttypes.h>
#include <stdbool.h>

#include "base/reader.h"
#include "formats/parquet/parquet_parts.h"

/* --- values of one width ------------------------------------------------------------------- */

static enum jr_status check_size(
	struct jr_bytes in, uint64_t need, uint32_t n, struct jr_error *err)
{
	if (in.size == need)
		return JR_OK;
	return jr_fail(err, JR_EFORMAT,
		"%" PRIu32 " values take %" PRIu64 " bytes, the page contains %zu", n, need, in.size);
}

enum jr_status jr_pq_plain_fixed(
	struct jr_bytes in, uint32_t width, uint32_t n, uint8_t *out, struct jr_error *err)
{
	JR_TRY(check_size(in, (uint64_t)n * width, n, err));
	if (n)
		memcpy(out, in.data, in.size);
	return JR_OK;
}

enum jr_status jr_pq_split(
	struct jr_bytes in, uint32_t width, uint32_t n, uint8_t *out, struct jr_error *err)
{
	JR_TRY(check_size(in, (uint64_t)n * width, n, err));
	for (uint32_t k = 0; n && k < width; k++) { /* no values: in.data may be NULL */
		const uint8_t *stream = in.data + (size_t)k * n;
		for (size_t i = 0; i < n; i++)
			out[i * width + k] = stream[i];
	}
	return JR_OK;
}

void jr_pq_gather(
	const uint8_t *dictionary, uint32_t width, const uint32_t *indexes, uint32_t n, uint8_t *out)
{
	if (width == 4)
		for (size_t i = 0; i < n; i++)
			memcpy(out + 4 * i, dictionary + 4 * (size_t)indexes[i], 4);
	else
		for (size_t i = 0; i < n; i++)
			memcpy(out + 8 * i, dictionary + 8 * (size_t)indexes[i], 8);
}

enum jr_status jr_pq_indexes(
	struct jr_bytes in, uint32_t n, uint32_t n_dictionary, uint32_t *out, struct jr_error *err)
{
	if (!n)
		return JR_OK;
	if (!in.size)
		return jr_fail(err, JR_EFORMAT, "page without dictionary indexes");
	unsigned width = in.data[0];
	if (width > 32)
		return jr_fail(err, JR_EFORMAT, "dictionary indexes of %u bits", width);
	JR_TRY(jr_pq_hybrid_u32(jr_bytes_of(in.data + 1, in.size - 1), width, n, out, err));
	uint32_t highest = 0;
	for (uint32_t i = 0; i < n; i++)
		highest = out[i] > highest ? out[i] : highest;
	if (highest < n_dictionary)
		return JR_OK;
	return jr_fail(err, JR_EFORMAT, "index %" PRIu32 " into a dictionary of %" PRIu32 " entries",
		highest, n_dictionary);
}

/* --- booleans ------------------------------------------------------------------------------ */

enum jr_status jr_pq_plain_bool(struct jr_bytes in, uint32_t n, uint8_t *out, struct jr_error *err)
{
	JR_TRY(check_size(in, ((uint64_t)n + 7) / 8, n, err));
	jr_pq_unpack_u8(in, 1, n, out);
	return JR_OK;
}

enum jr_status jr_pq_rle_bool(struct jr_bytes in, uint32_t n, uint8_t *out, struct jr_error *err)
{
	struct jr_reader r = jr_reader_of(in);
	uint32_t size;
	struct jr_bytes runs;
	if (!n)
		return JR_OK;
	if (!jr_reader_u32le(&r, &size) || !jr_reader_take(&r, size, &runs))
		return jr_fail(err, JR_EFORMAT, "page ends within its booleans");
	JR_TRY(jr_pq_hybrid_u8(runs, 1, n, out, err));
	uint8_t bits = 0;
	for (uint32_t i = 0; i < n; i++)
		bits |= out[i];
	return bits <= 1 ? JR_OK : jr_fail(err, JR_EFORMAT, "boolean run of a value above 1");
}

/* --- DELTA_BINARY_PACKED ------------------------------------------------------------------- */

#define BATCH 32 /* miniblocks are multiples of 32 values */

struct delta {
	struct jr_reader *r;
	uint64_t value; /* the previous value; arithmetic wraps, as the format requires */
	uint32_t n_left;
	uint32_t n_miniblocks, miniblock_values;
	int32_t *out32; /* one of the two is set and advances */
	int64_t *out64;
};

static inline void delta_put(struct delta *d)
{
	if (d->out32)
		*d->out32++ = (int32_t)(uint32_t)d->value;
	else
		*d->out64++ = (int64_t)d->value;
}

static void delta_batch(struct delta *d, const uint64_t deltas[BATCH], uint64_t min_delta)
{
	uint32_t n = d->n_left < BATCH ? d->n_left : BATCH;
	uint64_t value = d->value;
	if (d->out32) {
		for (uint32_t i = 0; i < n; i++)
			d->out32[i] = (int32_t)(uint32_t)(value += min_delta + deltas[i]);
		d->out32 += n;
	} else {
		for (uint32_t i = 0; i < n; i++)
			d->out64[i] = (int64_t)(value += min_delta + deltas[i]);
		d->out64 += n;
	}
	d->value = value;
	d->n_left -= n;
}

static enum jr_status delta_block(struct delta *d, struct jr_error *err)
{
	uint64_t min_delta;
	struct jr_bytes widths, bits;
	if (!jr_reader_varint(d->r, &min_delta) || !jr_reader_take(d->r, d->n_miniblocks, &widths))
		return jr_fail(err, JR_EFORMAT, "page ends %" PRIu32 " deltas early", d->n_left);
	min_delta = (uint64_t)jr_zigzag(min_delta);
	for (uint32_t i = 0; i < d->n_miniblocks && d->n_left; i++) {
		unsigned width = widths.data[i];
		if (width > 64)
			return jr_fail(err, JR_EFORMAT, "deltas of %u bits", width);
		if (!jr_reader_take(d->r, (uint64_t)d->miniblock_values / 8 * width, &bits))
			return jr_fail(err, JR_EFORMAT, "page ends %" PRIu32 " deltas early", d->n_left);
		for (uint32_t at = 0; at < d->miniblock_values && d->n_left; at += BATCH) {
			uint64_t deltas[BATCH];
			jr_pq_unpack32_u64(bits.data + (size_t)at / 8 * width, width, deltas);
			delta_batch(d, deltas, min_delta);
		}
	}
	return JR_OK;
}

/* Decode n > 0 deltas into exactly one of out32, out64. The cursor ends after the last
 * miniblock. */
static enum jr_status delta(
	struct jr_reader *r, uint32_t n, int32_t *out32, int64_t *out64, struct jr_error *err)
{
	uint64_t block_values, n_miniblocks, n_values, first;
	if (!jr_reader_varint(r, &block_values) || !jr_reader_varint(r, &n_miniblocks) ||
		!jr_reader_varint(r, &n_values) || !jr_reader_varint(r, &first))
		return jr_fail(err, JR_EFORMAT, "page ends within the header of its deltas");
	if (!n_miniblocks || block_values > UINT64_C(1) << 30 || block_values % n_miniblocks ||
		!(block_values / n_miniblocks) || block_values / n_miniblocks % BATCH)
		return jr_fail(err, JR_EFORMAT, "blocks of %" PRIu64 " deltas in %" PRIu64 " miniblocks",
			block_values, n_miniblocks);
	if (n_values != n)
		return jr_fail(err, JR_EFORMAT,
			"%" PRIu64 " delta-coded values, but %" PRIu32 " are expected", n_values, n);
	struct delta d = {.r = r,
		.value = (uint64_t)jr_zigzag(first),
		.n_left = n,
		.n_miniblocks = (uint32_t)n_miniblocks,
		.miniblock_values = (uint32_t)(block_values / n_miniblocks),
		.out32 = out32,
		.out64 = out64};
	delta_put(&d);
	d.n_left--;
	while (d.n_left)
		JR_TRY(delta_block(&d, err));
	return JR_OK;
}

enum jr_status jr_pq_delta_i32(struct jr_bytes in, uint32_t n, int32_t *out, struct jr_error *err)
{
	struct jr_reader r = jr_reader_of(in);
	return n ? delta(&r, n, out, NULL, err) : JR_OK;
}

enum jr_status jr_pq_delta_i64(struct jr_bytes in, uint32_t n, int64_t *out, struct jr_error *err)
{
	struct jr_reader r = jr_reader_of(in);
	return n ? delta(&r, n, NULL, out, err) : JR_OK;
}

/* --- strings ------------------------------------------------------------------------------- */

static enum jr_status too_long(
	uint64_t size, uint32_t i, const struct jr_limits *limits, struct jr_error *err)
{
	return jr_fail(err, JR_ELIMIT,
		"string %" PRIu32 " of the page takes %" PRIu64 " bytes, limit %" PRIu64
		" (--max-string-bytes)",
		i, size, limits->string_bytes);
}

enum jr_status jr_pq_plain_strings(struct jr_bytes in, uint32_t n, const struct jr_limits *limits,
	struct jr_bytes *out, struct jr_error *err)
{
	struct jr_reader r = jr_reader_of(in);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t size;
		if (!jr_reader_u32le(&r, &size) || !jr_reader_take(&r, size, &out[i]))
			return jr_fail(
				err, JR_EFORMAT, "page ends within string %" PRIu32 " of %" PRIu32, i, n);
		if (size > limits->string_bytes)
			return too_long(size, i, limits, err);
	}
	return check_size(in, r.pos, n, err);
}

enum jr_status jr_pq_plain_fixed_strings(struct jr_bytes in, uint32_t width, uint32_t n,
	const struct jr_limits *limits, struct jr_bytes *out, struct jr_error *err)
{
	JR_TRY(check_size(in, (uint64_t)n * width, n, err));
	if (n && width > limits->string_bytes)
		return too_long(width, 0, limits, err);
	for (size_t i = 0; i < n; i++)
		out[i] = jr_bytes_of(in.data + i * width, width);
	return JR_OK;
}

/* Read delta-coded lengths, all within 0..limits->string_bytes. */
static enum jr_status read_lengths(struct jr_reader *r, uint32_t n, const struct jr_limits *limits,
	int32_t *out, struct jr_error *err)
{
	JR_TRY(delta(r, n, out, NULL, err));
	for (uint32_t i = 0; i < n; i++) {
		if (out[i] < 0)
			return jr_fail(err, JR_EFORMAT, "string %" PRIu32 " of negative length", i);
		if ((uint64_t)out[i] > limits->string_bytes)
			return too_long((uint64_t)out[i], i, limits, err);
	}
	return JR_OK;
}

static enum jr_status reserve_lengths(
	struct jr_buf *scratch, uint64_t n, int32_t **out, struct jr_error *err)
{
	scratch->size = 0;
	JR_TRY(jr_buf_room(scratch, n * sizeof(int32_t), err));
	*out = (int32_t *)(void *)scratch->data;
	return JR_OK;
}

/* DELTA_LENGTH_BYTE_ARRAY: all lengths, then all bytes. */
static enum jr_status read_delta_length(struct jr_reader *r, uint32_t n,
	const struct jr_limits *limits, int32_t *lengths, struct jr_bytes *out, struct jr_error *err)
{
	JR_TRY(read_lengths(r, n, limits, lengths, err));
	for (uint32_t i = 0; i < n; i++)
		if (!jr_reader_take(r, (uint64_t)lengths[i], &out[i]))
			return jr_fail(
				err, JR_EFORMAT, "page ends within string %" PRIu32 " of %" PRIu32, i, n);
	return check_size(r->in, r->pos, n, err);
}

enum jr_status jr_pq_delta_length(struct jr_bytes in, uint32_t n, const struct jr_limits *limits,
	struct jr_buf *scratch, struct jr_bytes *out, struct jr_error *err)
{
	if (!n)
		return JR_OK;
	struct jr_reader r = jr_reader_of(in);
	int32_t *lengths;
	JR_TRY(reserve_lengths(scratch, n, &lengths, err));
	return read_delta_length(&r, n, limits, lengths, out, err);
}

/* Return false for a suffix only, or a prefix of the previous string: both are views and take no
 * memory. */
static bool is_own(int32_t prefix, struct jr_bytes suffix)
{
	return prefix && suffix.size;
}

/* Sum the bytes of strings that join prefix and suffix. A prefix must fit the previous string. */
static enum jr_status measure(const int32_t *prefixes, const struct jr_bytes *suffixes, uint32_t n,
	const struct jr_limits *limits, uint64_t *total, struct jr_error *err)
{
	uint64_t before = 0;
	*total = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t size = (uint64_t)prefixes[i] + suffixes[i].size;
		if ((uint64_t)prefixes[i] > before)
			return jr_fail(err, JR_EFORMAT,
				"string %" PRIu32 " reuses the first %" PRId32
				" bytes of a string that has only %" PRIu64,
				i, prefixes[i], before);
		if (size > limits->string_bytes)
			return too_long(size, i, limits, err);
		*total += is_own(prefixes[i], suffixes[i]) ? size : 0;
		before = size;
	}
	return JR_OK;
}

static enum jr_status check_growth(
	uint64_t from, uint64_t to, const struct jr_limits *limits, struct jr_error *err)
{
	if (to > limits->entry_bytes)
		return jr_fail(err, JR_ELIMIT,
			"strings of the page take %" PRIu64 " bytes, limit %" PRIu64 " (--max-entry-bytes)", to,
			limits->entry_bytes);
	if (to > jr_limits_unpacked(limits, from))
		return jr_fail(err, JR_ELIMIT,
			"strings of the page take %" PRIu64 " bytes, coded in %" PRIu64 ", more than %" PRIu64
			" times (--max-ratio)",
			to, from, limits->ratio);
	return JR_OK;
}

enum jr_status jr_pq_delta_strings(struct jr_bytes in, uint32_t n, const struct jr_limits *limits,
	struct jr_arena *arena, struct jr_buf *scratch, struct jr_bytes *out, struct jr_error *err)
{
	if (!n)
		return JR_OK;
	struct jr_reader r = jr_reader_of(in);
	int32_t *prefixes;
	JR_TRY(reserve_lengths(scratch, 2 * (uint64_t)n, &prefixes, err));
	JR_TRY(read_lengths(&r, n, limits, prefixes, err));
	JR_TRY(read_delta_length(&r, n, limits, prefixes + n, out, err));
	uint64_t total;
	JR_TRY(measure(prefixes, out, n, limits, &total, err));
	JR_TRY(check_growth(in.size, total, limits, err));
	uint8_t *room = jr_arena_array(arena, total, 1, err);
	if (!room)
		return JR_ELIMIT;
	for (uint32_t i = 1; i < n; i++) { /* the first has no prefix: measure() checked it */
		size_t prefix = (size_t)prefixes[i];
		if (is_own(prefixes[i], out[i])) {
			memcpy(room, out[i - 1].data, prefix);
			memcpy(room + prefix, out[i].data, out[i].size);
			out[i] = jr_bytes_of(room, prefix + out[i].size);
			room += out[i].size;
		} else if (prefix) {
			out[i] = jr_bytes_of(out[i - 1].data, prefix);
		}
	}
	return JR_OK;
}
