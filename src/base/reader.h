/*
 * reader.h - bounded cursor over bytes; our parsers read an input only through it.
 * Layer: base.  A read past the end fails and leaves the cursor where it was.
 */
#ifndef JR_BASE_READER_H
#define JR_BASE_READER_H

#include <stdbool.h>
#include <string.h>

#include "base/buf.h"

struct jr_reader {
	struct jr_bytes in;
	size_t pos; /* <= in.size; the offset for error messages */
};

static inline struct jr_reader jr_reader_of(struct jr_bytes in)
{
	/* NULL + 0 is undefined in C, so an empty input gets an address. */
	return (struct jr_reader){in.data ? in : jr_bytes_of("", 0), 0};
}

static inline size_t jr_reader_left(const struct jr_reader *r)
{
	return r->in.size - r->pos;
}

/* Return a view of the next n bytes. */
static inline bool jr_reader_take(struct jr_reader *r, uint64_t n, struct jr_bytes *out)
{
	if (n > jr_reader_left(r))
		return false;
	*out = (struct jr_bytes){r->in.data + r->pos, (size_t)n};
	r->pos += (size_t)n;
	return true;
}

static inline bool jr_reader_u8(struct jr_reader *r, uint8_t *out)
{
	if (r->pos >= r->in.size)
		return false;
	*out = r->in.data[r->pos++];
	return true;
}

static inline bool jr_reader_u32le(struct jr_reader *r, uint32_t *out)
{
	if (jr_reader_left(r) < 4)
		return false;
	const uint8_t *p = r->in.data + r->pos;
	*out = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
	r->pos += 4;
	return true;
}

static inline bool jr_reader_u64le(struct jr_reader *r, uint64_t *out)
{
	uint32_t lo, hi;
	if (jr_reader_left(r) < 8 || !jr_reader_u32le(r, &lo) || !jr_reader_u32le(r, &hi))
		return false;
	*out = (uint64_t)hi << 32 | lo;
	return true;
}

/* Decode an unsigned LEB128 number of at most 10 bytes. Fails if it has more than 64 bits. */
static inline bool jr_reader_varint(struct jr_reader *r, uint64_t *out)
{
	uint64_t value = 0;
	size_t pos = r->pos;
	for (unsigned shift = 0; shift < 64; shift += 7) {
		if (pos >= r->in.size)
			return false;
		uint8_t byte = r->in.data[pos++];
		if (shift == 63 && byte > 1)
			return false;
		value |= (uint64_t)(byte & 0x7F) << shift;
		if (!(byte & 0x80)) {
			r->pos = pos;
			*out = value;
			return true;
		}
	}
	return false;
}

static inline int64_t jr_zigzag(uint64_t v)
{
	return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

#endif
