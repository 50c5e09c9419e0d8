#include "base/buf.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void jr_buf_done(struct jr_buf *buf)
{
	if (!buf)
		return;
	free(buf->data);
	*buf = (struct jr_buf){0};
}

/* Return 0, or the number of bytes that could not be allocated. */
static size_t grow(struct jr_buf *buf, size_t extra)
{
	if (buf->capacity - buf->size > extra)
		return 0;
	if (extra > SIZE_MAX / 4 || buf->size > SIZE_MAX / 4)
		return extra;
	size_t need = buf->size + extra + 1;
	size_t capacity = buf->capacity ? buf->capacity + buf->capacity / 2 : 64;
	if (capacity < need)
		capacity = need;
	char *data = realloc(buf->data, capacity);
	if (!data)
		return capacity;
	buf->data = data;
	buf->capacity = capacity;
	return 0;
}

/* Whoever has no room for so little will not get far, and must not take it for damage. */
#define SMALL_BYTES 1048576

void jr_buf_reserve(struct jr_buf *buf, size_t extra)
{
	size_t lacking = grow(buf, extra);
	if (lacking)
		jr_oom_of(lacking);
}

enum jr_status jr_buf_room(struct jr_buf *buf, uint64_t extra, struct jr_error *err)
{
	size_t lacking = extra < SIZE_MAX / 4 ? grow(buf, (size_t)extra) : SIZE_MAX;
	if (lacking && extra < SMALL_BYTES)
		jr_oom_of(lacking);
	return lacking ? jr_no_room(err, extra) : JR_OK;
}

void jr_buf_add(struct jr_buf *buf, const void *bytes, size_t n)
{
	jr_buf_reserve(buf, n);
	if (n)
		memcpy(buf->data + buf->size, bytes, n);
	buf->size += n;
	buf->data[buf->size] = '\0';
}

void jr_buf_puts(struct jr_buf *buf, const char *s)
{
	jr_buf_add(buf, s, strlen(s));
}

void jr_buf_repeat(struct jr_buf *buf, char c, size_t n)
{
	jr_buf_reserve(buf, n);
	memset(buf->data + buf->size, c, n);
	buf->size += n;
	buf->data[buf->size] = '\0';
}

void jr_buf_printf(struct jr_buf *buf, const char *fmt, ...)
{
	enum { USUAL_BYTES = 127 }; /* so that most texts are made once, where they belong */
	va_list args, again;
	jr_buf_reserve(buf, USUAL_BYTES);
	size_t room = buf->capacity - buf->size;
	va_start(args, fmt);
	va_copy(again, args);
	int n = vsnprintf(buf->data + buf->size, room, fmt, args);
	va_end(args);
	if (n < 0) /* more than INT_MAX bytes: without this, text would be missing */
		jr_oom_of((size_t)INT_MAX + 1);
	if ((size_t)n >= room) {
		jr_buf_reserve(buf, (size_t)n);
		vsnprintf(buf->data + buf->size, (size_t)n + 1, fmt, again);
	}
	buf->size += (size_t)n;
	va_end(again);
}

bool jr_bytes_eq(struct jr_bytes a, struct jr_bytes b)
{
	return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

void jr_buf_varint(struct jr_buf *buf, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		jr_buf_putc(buf, (char)(value | 0x80));
	jr_buf_putc(buf, (char)value);
}
