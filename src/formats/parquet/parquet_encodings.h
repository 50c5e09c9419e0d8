/*
 * parquet_encodings.h - decoders of page values, one function per encoding. Internal to parquet*.c.
 * Layer: formats.  Format facts: parquet-format's Encodings.md.
 *
 * Each decoder takes the bytes of a page after its levels, and writes n values, the number of
 * stored values (nulls are not stored). Leftover bytes are JR_EFORMAT if the encoding fixes the
 * size: they show that levels and values do not match.
 */
#ifndef JR_FORMATS_PARQUET_ENCODINGS_H
#define JR_FORMATS_PARQUET_ENCODINGS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"

/* Decode PLAIN values or BYTE_STREAM_SPLIT elements of `width` bytes each into out[n * width]. */
enum jr_status jr_pq_plain_fixed(struct jr_bytes in, uint32_t width, uint32_t n, uint8_t *out,
	struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_pq_split(struct jr_bytes in, uint32_t width, uint32_t n, uint8_t *out,
	struct jr_error *err) JR_MUST_CHECK;

/* Decode booleans as 0 and 1. */
enum jr_status jr_pq_plain_bool(struct jr_bytes in, uint32_t n, uint8_t *out, struct jr_error *err)
	JR_MUST_CHECK;
enum jr_status jr_pq_rle_bool(struct jr_bytes in, uint32_t n, uint8_t *out, struct jr_error *err)
	JR_MUST_CHECK;

enum jr_status jr_pq_delta_i32(struct jr_bytes in, uint32_t n, int32_t *out, struct jr_error *err)
	JR_MUST_CHECK;
enum jr_status jr_pq_delta_i64(struct jr_bytes in, uint32_t n, int64_t *out, struct jr_error *err)
	JR_MUST_CHECK;

/**
 * Decode strings as views into `in`.
 *
 * @return also JR_ELIMIT for a string longer than limits->string_bytes
 */
enum jr_status jr_pq_plain_strings(struct jr_bytes in, uint32_t n, const struct jr_limits *limits,
	struct jr_bytes *out, struct jr_error *err) JR_MUST_CHECK;
/** Return views of `width` bytes each, width <= limits->string_bytes. */
enum jr_status jr_pq_plain_fixed_strings(struct jr_bytes in, uint32_t width, uint32_t n,
	const struct jr_limits *limits, struct jr_bytes *out, struct jr_error *err) JR_MUST_CHECK;
/** Decode DELTA_LENGTH_BYTE_ARRAY as views into `in`.
 * @param scratch  overwritten */
enum jr_status jr_pq_delta_length(struct jr_bytes in, uint32_t n, const struct jr_limits *limits,
	struct jr_buf *scratch, struct jr_bytes *out, struct jr_error *err) JR_MUST_CHECK;
/**
 * Decode DELTA_BYTE_ARRAY; the strings are assembled in `arena`.
 *
 * @return also JR_ELIMIT if they take more than limits->entry_bytes, or more than limits->ratio
 *         times the page
 */
enum jr_status jr_pq_delta_strings(struct jr_bytes in, uint32_t n, const struct jr_limits *limits,
	struct jr_arena *arena, struct jr_buf *scratch, struct jr_bytes *out, struct jr_error *err)
	JR_MUST_CHECK;

/** Decode indexes into a dictionary of n_dictionary entries; each index is checked. */
enum jr_status jr_pq_indexes(struct jr_bytes in, uint32_t n, uint32_t n_dictionary, uint32_t *out,
	struct jr_error *err) JR_MUST_CHECK;
/** Set out[i] = dictionary[indexes[i]] for values of 4 or 8 bytes. */
void jr_pq_gather(
	const uint8_t *dictionary, uint32_t width, const uint32_t *indexes, uint32_t n, uint8_t *out);

#endif
