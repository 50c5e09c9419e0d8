/*
 * hlo_cursor.h - walk HLO text as XLA prints it.
 * Layer: formats, private to readers of HLO text.  Thread use: free.
 */
#ifndef JR_FORMATS_HLO_CURSOR_H
#define JR_FORMATS_HLO_CURSOR_H

#include <string.h>

#include "base/buf.h"

struct jr_cursor {
	const char *at, *end;
};

static inline struct jr_cursor jr_cursor_of(struct jr_bytes text)
{
	const char *at = text.data ? (const char *)text.data : "";
	return (struct jr_cursor){at, at + text.size};
}

static inline bool jr_cursor_is(const struct jr_cursor *c, char ch)
{
	return c->at < c->end && *c->at == ch;
}

static inline bool jr_cursor_char(struct jr_cursor *c, char ch)
{
	bool is = jr_cursor_is(c, ch);
	c->at += is;
	return is;
}

/** Step over `word`, if the text continues with it. */
static inline bool jr_cursor_take(struct jr_cursor *c, const char *word)
{
	size_t n = strlen(word);
	if ((size_t)(c->end - c->at) < n || memcmp(c->at, word, n) != 0)
		return false;
	c->at += n;
	return true;
}

/** Skip blanks and the comments that XLA prints into long tuples, such as "index=5". */
static inline void jr_cursor_blanks(struct jr_cursor *c)
{
	for (;;) {
		while (jr_cursor_char(c, ' '))
			;
		if (!jr_cursor_take(c, "/*"))
			return;
		while (c->at < c->end && !jr_cursor_take(c, "*/"))
			c->at++;
	}
}

/** Return the text up to the first byte that is one of `ends`. */
static inline struct jr_bytes jr_cursor_until(struct jr_cursor *c, const char *ends)
{
	const char *from = c->at;
	while (c->at < c->end && !strchr(ends, *c->at))
		c->at++;
	return jr_bytes_of(from, (size_t)(c->at - from));
}

/** Read digits; the value saturates. False: there are none. */
static inline bool jr_cursor_number(struct jr_cursor *c, uint64_t *out)
{
	const char *from = c->at;
	uint64_t value = 0;
	for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++)
		if (__builtin_mul_overflow(value, 10, &value) ||
			__builtin_add_overflow(value, (uint64_t)(*c->at - '0'), &value))
			value = UINT64_MAX;
	*out = value;
	return c->at > from;
}

#endif
