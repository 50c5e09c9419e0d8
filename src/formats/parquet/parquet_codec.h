/*
 * parquet_codec.h - decompression of one Parquet page. Internal to parquet*.c.
 * Layer: formats.  Format facts: parquet-format's Compression.md.
 */
#ifndef JR_FORMATS_PARQUET_CODEC_H
#define JR_FORMATS_PARQUET_CODEC_H

#include "base/buf.h"

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

#endif
