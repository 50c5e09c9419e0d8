/*
 * parquet_rle.h - bit-packed integers and the RLE/bit-packed hybrid. Internal to parquet*.c.
 * Layer: formats.  Format facts: parquet-format's Encodings.md (RLE = 3, BIT_PACKED = 4).
 */
#ifndef JR_FORMATS_PARQUET_RLE_H
#define JR_FORMATS_PARQUET_RLE_H

#include <stdbool.h>

#include "base/buf.h"

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
