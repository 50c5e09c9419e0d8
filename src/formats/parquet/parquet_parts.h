/*
 * parquet_parts.h - private to parquet*.c: the schema as columns, a column from its pages,
 * decompression, bit-packed integers and the RLE/bit-packed hybrid.
 * Layer: formats.  Format facts: parquet-format's LogicalTypes.md (Lists), Encodings.md
 * (levels, RLE = 3, BIT_PACKED = 4), Compression.md.
 */
#ifndef JR_FORMATS_PARQUET_PARQUET_PARTS_H
#define JR_FORMATS_PARQUET_PARQUET_PARTS_H

#include <stdbool.h>

#include "base/buf.h"
#include "formats/parquet/parquet.h"
#include "formats/parquet/parquet_footer.h"

/* Facts for reading a column, in addition to struct jr_parquet_column; parallel to it. */
struct jr_pq_leaf {
	uint64_t path_hash;
	uint8_t list_def; /* LIST: lowest definition level of a list that exists, 0 or 1; elements exist
					   * from list_def + 1 */
};

struct jr_parquet_impl {
	struct jr_limits limits;
	struct jr_pq_footer footer;
	struct jr_pq_leaf *leaves;
};

/**
 * Make pq->columns and impl->leaves from impl->footer.
 *
 * @return JR_EFORMAT an inconsistent tree; JR_ELIMIT depth, columns, path sizes
 */
enum jr_status jr_pq_schema_build(struct jr_parquet *pq, struct jr_parquet_impl *impl,
	struct jr_arena *arena, struct jr_error *err) JR_MUST_CHECK;

/** Same as jr_parquet_read_groups() for a readable column; messages do not contain the column's
 * name. */
enum jr_status jr_pq_column_read(const struct jr_parquet *pq, size_t column,
	struct jr_parquet_groups groups, struct jr_arena *arena, struct jr_parquet_values *values,
	struct jr_error *err) JR_MUST_CHECK;

enum jr_pq_codec {
	JR_PQ_UNCOMPRESSED = 0,
	JR_PQ_SNAPPY = 1,
	JR_PQ_GZIP = 2,
	JR_PQ_LZO = 3,
	JR_PQ_BROTLI = 4,
	JR_PQ_LZ4 = 5,
	JR_PQ_ZSTD = 6,
	JR_PQ_LZ4_RAW = 7,
};

/** Return JR_EUNSUPPORTED with the codec's name unless the codec is supported. */
enum jr_status jr_pq_codec_check(int32_t codec, struct jr_error *err) JR_MUST_CHECK;

/**
 * Decompress `in` into exactly `size` bytes at `out`.
 *
 * @return JR_EFORMAT damaged, or the size differs from the stated one
 */
enum jr_status jr_pq_decompress(enum jr_pq_codec codec, struct jr_bytes in, uint8_t *out,
	size_t size, struct jr_error *err) JR_MUST_CHECK;

/** Return the smallest width that fits `max`: 0 -> 0, 1 -> 1, 255 -> 8. */
static inline unsigned jr_pq_bit_width(uint32_t max)
{
	return max ? 32 - (unsigned)__builtin_clz(max) : 0;
}

/**
 * Unpack values of `width` bits, least significant first.
 *
 * @param in     at least (n * width + 7) / 8 bytes
 * @param width  1..8 and 1..32
 */
void jr_pq_unpack_u8(struct jr_bytes in, unsigned width, size_t n, uint8_t *out);
void jr_pq_unpack_u32(struct jr_bytes in, unsigned width, size_t n, uint32_t *out);
/** Unpack 32 values of 0..64 bits each from 4 * width bytes. */
void jr_pq_unpack32_u64(const uint8_t *in, unsigned width, uint64_t out[32]);
/** Unpack the deprecated BIT_PACKED: most significant bit first; width 1..8. */
void jr_pq_unpack_msb_u8(struct jr_bytes in, unsigned width, size_t n, uint8_t *out);

/**
 * Decode n values of the hybrid; bytes after them are ignored.
 *
 * @param width  0..8 and 0..32
 * @return JR_EFORMAT the runs end before n values
 */
enum jr_status jr_pq_hybrid_u8(struct jr_bytes in, unsigned width, uint32_t n, uint8_t *out,
	struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_pq_hybrid_u32(struct jr_bytes in, unsigned width, uint32_t n, uint32_t *out,
	struct jr_error *err) JR_MUST_CHECK;
/** Return true if the hybrid begins with one RLE run of `value` that covers all n values. */
bool jr_pq_hybrid_is_constant(struct jr_bytes in, unsigned width, uint32_t n, uint32_t value);

#endif
