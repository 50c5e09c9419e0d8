/*
 * parquet_encodings.h - decoders of page values, one a function. Internal to parquet*.c.
 * Layer: formats.  Format facts: parquet-format's Encodings.md.
 *
 * All take the bytes of a page behind its levels and the number n of values that must be there
 * (nulls are not stored), and write n values. Bytes left over are JR_EFORMAT where the encoding
 * fixes the size: they mean that levels and values do not belong together.
 */
#ifndef JR_FORMATS_PARQUET_ENCODINGS_H
#define JR_FORMATS_PARQUET_ENCODINGS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"

/* PLAIN values and elements of BYTE_STREAM_SPLIT of `width` bytes each, to out[n * width]. */
enum jr_status jr_pq_plain_fixed(struct jr_bytes in, uint32_t width, uint32_t n, uint8_t *out,
	struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_pq_split(struct jr_bytes in, uint32_t width, uint32_t n, uint8_t *out,
	struct jr_error *err) JR_MUST_CHECK;

/* Booleans as 0 and 1. */
enum jr_status jr_pq_plain_bool(struct jr_bytes in, uint32_t n, uint8_t *out, struct jr_error *err)
	JR_MUST_CHECK;
enum jr_status jr_pq_rle_bool(struct jr_bytes in, uint32_t n, uint8_t *out, struct jr_error *err)
	JR_MUST_CHECK;

enum jr_status jr_pq_delta_i32(struct jr_bytes in, uint32_t n, int32_t *out, struct jr_error *err)
	JR_MUST_CHECK;
enum jr_status jr_pq_delta_i64(struct jr_bytes in, uint32_t n, int64_t *out, struct jr_error *err)
	JR_MUST_CHECK;

/**
 * Strings: views into `in`.
 *
 * @return also JR_ELIMIT for one longer than limits->string_bytes
 */
enum jr_status jr_pq_plain_strings(struct jr_bytes in, uint32_t n, const struct jr_limits *limits,
	struct jr_bytes *out, struct jr_error *err) JR_MUST_CHECK;
/** Views of `width` bytes each, width <= limits->string_bytes. */
enum jr_status jr_pq_plain_fixed_strings(struct jr_bytes in, uint32_t width, uint32_t n,
	const struct jr_limits *limits, struct jr_bytes *out, struct jr_error *err) JR_MUST_CHECK;
/** @param scratch  overwritten */
enum jr_status jr_pq_delta_length(struct jr_bytes in, uint32_t n, const struct jr_limits *limits,
	struct jr_buf *scratch, struct jr_bytes *out, struct jr_error *err) JR_MUST_CHECK;
/**
 * DELTA_BYTE_ARRAY: the strings are put together in `arena`.
 *
 * @return also JR_ELIMIT where they take more than limits->entry_bytes, or more than limits->ratio
 *         times the page
 */
enum jr_status jr_pq_delta_strings(struct jr_bytes in, uint32_t n, const struct jr_limits *limits,
	struct jr_arena *arena, struct jr_buf *scratch, struct jr_bytes *out, struct jr_error *err)
	JR_MUST_CHECK;

/** Indexes into a dictionary of n_dictionary entries; every one is checked. */
enum jr_status jr_pq_indexes(struct jr_bytes in, uint32_t n, uint32_t n_dictionary, uint32_t *out,
	struct jr_error *err) JR_MUST_CHECK;
/** out[i] = dictionary[indexes[i]], values of 4 or 8 bytes. */
void jr_pq_gather(
	const uint8_t *dictionary, uint32_t width, const uint32_t *indexes, uint32_t n, uint8_t *out);

#endif
