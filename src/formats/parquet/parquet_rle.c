#include "formats/parquet/parquet_parts.h"

#include <inttypes.h>
#include <string.h>

#include "base/reader.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
	"Parquet's values are little-endian and taken as they are");

static inline uint64_t load64(const uint8_t *p)
{
	uint64_t word;
	memcpy(&word, p, sizeof(word));
	return word;
}

/* Return how many of n values begin at a byte that is followed by a whole word of the input. */
static size_t n_whole_words(size_t size, unsigned width, size_t n)
{
	if (size < 8)
		return 0;
	size_t fit = ((size - 7) * 8 - 1) / width + 1;
	return fit < n ? fit : n;
}

/* The last bytes of the input padded with zeros, so that a whole word can be loaded from each. */
struct tail {
	uint8_t bytes[16];
	size_t begin;
};

static struct tail tail_of(struct jr_bytes in)
{
	struct tail tail = {.begin = in.size < 8 ? 0 : in.size - 8};
	if (in.size)
		memcpy(tail.bytes, in.data + tail.begin, in.size - tail.begin);
	return tail;
}

void jr_pq_unpack_u32(struct jr_bytes in, unsigned width, size_t n, uint32_t *out)
{
	const uint32_t mask = (uint32_t)((UINT64_C(1) << width) - 1);
	size_t whole = n_whole_words(in.size, width, n), bit = 0;
	for (size_t i = 0; i < whole; i++, bit += width)
		out[i] = (uint32_t)(load64(in.data + (bit >> 3)) >> (bit & 7)) & mask;
	if (whole == n)
		return;
	struct tail tail = tail_of(in);
	for (size_t i = whole; i < n; i++, bit += width)
		out[i] = (uint32_t)(load64(tail.bytes + ((bit >> 3) - tail.begin)) >> (bit & 7)) & mask;
}

/* Spread bit i of b to byte i: keep bit i in the copy in byte i, then carry it to the top of the
 * byte. */
static inline uint64_t spread_bits(uint8_t b)
{
	uint64_t kept = b * UINT64_C(0x0101010101010101) & UINT64_C(0x8040201008040201);
	return (kept + UINT64_C(0x7F7F7F7F7F7F7F7F)) >> 7 & UINT64_C(0x0101010101010101);
}

static void unpack_bits(struct jr_bytes in, size_t n, uint8_t *out)
{
	size_t n_groups = n / 8;
	for (size_t i = 0; i < n_groups; i++) {
		uint64_t group = spread_bits(in.data[i]);
		memcpy(out + 8 * i, &group, 8);
	}
	for (size_t i = 8 * n_groups; i < n; i++)
		out[i] = in.data[i >> 3] >> (i & 7) & 1;
}

void jr_pq_unpack_u8(struct jr_bytes in, unsigned width, size_t n, uint8_t *out)
{
	if (width == 1) {
		unpack_bits(in, n, out);
		return;
	}
	const uint32_t mask = (1u << width) - 1;
	size_t whole = n_whole_words(in.size, width, n), bit = 0;
	for (size_t i = 0; i < whole; i++, bit += width)
		out[i] = (uint8_t)(load64(in.data + (bit >> 3)) >> (bit & 7) & mask);
	if (whole == n)
		return;
	struct tail tail = tail_of(in);
	for (size_t i = whole; i < n; i++, bit += width)
		out[i] = (uint8_t)(load64(tail.bytes + ((bit >> 3) - tail.begin)) >> (bit & 7) & mask);
}

void jr_pq_unpack32_u64(const uint8_t *in, unsigned width, uint64_t out[32])
{
	uint8_t padded[32 * 8 + 16] = {0};
	memcpy(padded, in, 4 * (size_t)width);
	if (!width) {
		memset(out, 0, 32 * sizeof(*out));
		return;
	}
	const uint64_t mask = UINT64_MAX >> (64 - width);
	if (width <= 57) { /* a value starts at most 7 bits into its first byte, so it fits one word */
		for (unsigned i = 0, bit = 0; i < 32; i++, bit += width)
			out[i] = load64(padded + (bit >> 3)) >> (bit & 7) & mask;
		return;
	}
	for (unsigned i = 0, bit = 0; i < 32; i++, bit += width) {
		const uint8_t *p = padded + (bit >> 3);
		unsigned shift = bit & 7;
		uint64_t high = shift ? (uint64_t)p[8] << (64 - shift) : 0;
		out[i] = (load64(p) >> shift | high) & mask;
	}
}

void jr_pq_unpack_msb_u8(struct jr_bytes in, unsigned width, size_t n, uint8_t *out)
{
	const unsigned mask = (1u << width) - 1;
	for (size_t i = 0, bit = 0; i < n; i++, bit += width) {
		size_t at = bit >> 3;
		unsigned pair = (unsigned)in.data[at] << 8 | (at + 1 < in.size ? in.data[at + 1] : 0u);
		out[i] = (uint8_t)(pair >> (16 - width - (bit & 7)) & mask);
	}
}

/* One run of the hybrid. */
struct run {
	uint32_t n;             /* values, at most the number wanted */
	uint32_t value;         /* repeated n times, unless is_packed */
	struct jr_bytes packed; /* the bits, if is_packed */
	bool is_packed;
};

static bool next_run(struct jr_reader *r, unsigned width, uint32_t wanted, struct run *run)
{
	uint64_t header;
	if (!jr_reader_varint(r, &header))
		return false;
	uint64_t count = header >> 1;
	*run = (struct run){.is_packed = header & 1};
	if (!run->is_packed) {
		struct jr_bytes value;
		if (!jr_reader_take(r, (width + 7) / 8, &value))
			return false;
		if (value.size)
			memcpy(&run->value, value.data, value.size);
		run->n = count < wanted ? (uint32_t)count : wanted;
		return true;
	}
	/* The last group may be cut off if it contains all wanted values. */
	run->n = count < (wanted + UINT64_C(7)) / 8 ? (uint32_t)(count * 8) : wanted;
	uint64_t need = ((uint64_t)run->n * width + 7) / 8;
	if (count < UINT32_MAX && count * width <= jr_reader_left(r))
		return jr_reader_take(r, count * width, &run->packed);
	return jr_reader_left(r) >= need && jr_reader_take(r, jr_reader_left(r), &run->packed);
}

static enum jr_status ends_early(uint32_t done, uint32_t n, struct jr_error *err)
{
	return jr_fail(err, JR_EFORMAT, "runs end after %" PRIu32 " of %" PRIu32 " values", done, n);
}

enum jr_status jr_pq_hybrid_u8(
	struct jr_bytes in, unsigned width, uint32_t n, uint8_t *out, struct jr_error *err)
{
	struct jr_reader r = jr_reader_of(in);
	for (uint32_t done = 0; done < n;) {
		struct run run;
		if (!next_run(&r, width, n - done, &run))
			return ends_early(done, n, err);
		if (run.is_packed && width)
			jr_pq_unpack_u8(run.packed, width, run.n, out + done);
		else
			memset(out + done, (int)(run.value & 0xFF), run.n);
		done += run.n;
	}
	return JR_OK;
}

enum jr_status jr_pq_hybrid_u32(
	struct jr_bytes in, unsigned width, uint32_t n, uint32_t *out, struct jr_error *err)
{
	struct jr_reader r = jr_reader_of(in);
	for (uint32_t done = 0; done < n;) {
		struct run run;
		if (!next_run(&r, width, n - done, &run))
			return ends_early(done, n, err);
		if (run.is_packed && width)
			jr_pq_unpack_u32(run.packed, width, run.n, out + done);
		else
			for (uint32_t i = 0; i < run.n; i++)
				out[done + i] = run.value;
		done += run.n;
	}
	return JR_OK;
}

bool jr_pq_hybrid_is_constant(struct jr_bytes in, unsigned width, uint32_t n, uint32_t value)
{
	struct jr_reader r = jr_reader_of(in);
	struct run run;
	return next_run(&r, width, n, &run) && !run.is_packed && run.n == n && run.value == value;
}
