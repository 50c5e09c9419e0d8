/*
 * buf.h - borrowed bytes and an owned, growing byte buffer.
 * Layer: base.
 */
#ifndef JR_BASE_BUF_H
#define JR_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h" /* for the release by scope */
#include "base/error.h"

/* A view: does not own the memory. */
struct jr_bytes {
	const uint8_t *data;
	size_t size;
};

/* An owner. Zero-initialize it; end with jr_buf_done(). Once used, `data` has a NUL after `size`
 * bytes. */
struct jr_buf {
	char *data;
	size_t size;
	size_t capacity;
};

void jr_buf_done(struct jr_buf *buf);
/** Reserve room for `extra` more bytes; jr_oom() if there is no memory. */
void jr_buf_reserve(struct jr_buf *buf, size_t extra);
/** Reserve room for a size that an input sets. @return JR_ELIMIT if there is no memory; below 1
 * MiB, jr_oom() */
enum jr_status jr_buf_room(struct jr_buf *buf, uint64_t extra, struct jr_error *err) JR_MUST_CHECK;
void jr_buf_add(struct jr_buf *buf, const void *bytes, size_t n);
void jr_buf_puts(struct jr_buf *buf, const char *s);
void jr_buf_repeat(struct jr_buf *buf, char c, size_t n);
void jr_buf_printf(struct jr_buf *buf, const char *fmt, ...) JR_PRINTF(2, 3);

/* Append one byte. Inline because writers that escape call it for most of their output. */
static inline void jr_buf_putc(struct jr_buf *buf, char c)
{
	if (buf->capacity - buf->size <= 1)
		jr_buf_reserve(buf, 1);
	buf->data[buf->size++] = c;
	buf->data[buf->size] = '\0';
}

/** Append a number as groups of seven bits, low bits first (LEB128), as protobuf and Thrift do. */
void jr_buf_varint(struct jr_buf *buf, uint64_t value);

static inline struct jr_bytes jr_buf_view(const struct jr_buf *buf)
{
	return (struct jr_bytes){(const uint8_t *)buf->data, buf->size};
}

static inline struct jr_bytes jr_bytes_of(const void *data, size_t size)
{
	return (struct jr_bytes){(const uint8_t *)data, size};
}

bool jr_bytes_eq(struct jr_bytes a, struct jr_bytes b);

#endif
