/*
 * compact_bits.h - starts and ends of ranges as bits, which xz could not make smaller.
 * Layer: formats, private to compact.  The form: formats/README.md, section 12.
 */
#ifndef JR_FORMATS_COMPACT_BITS_H
#define JR_FORMATS_COMPACT_BITS_H

#include "base/arena.h"
#include "base/reader.h"

/**
 * Append ranges. A range takes few bits if it begins and lasts about as those of the same kind.
 *
 * @param kinds  [n] the ranges of one kind resemble each other; kinds are numbers from 0
 * @note O(n * log n + largest kind); sorts the ranges of each kind; pads the last byte with zeros
 */
void jr_compact_bits_put(struct jr_buf *out, const uint64_t *starts, const uint64_t *ends,
	const uint64_t *kinds, size_t n);
/**
 * Read ranges.
 *
 * @param kinds    [n] as written; the caller has checked that they are small
 * @param scratch  for 48 bytes per kind
 * @return JR_EFORMAT the bits are cut short; JR_ELIMIT not enough memory
 */
enum jr_status jr_compact_bits_take(struct jr_reader *in, const uint64_t *kinds, size_t n,
	uint64_t *starts, uint64_t *ends, struct jr_arena *scratch, struct jr_error *err) JR_MUST_CHECK;

#endif
