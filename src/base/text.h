/*
 * text.h - make foreign text fit for every output: valid UTF-8, no control or bidi-override bytes.
 * Layer: base.  Applied once, where text enters the model; writers then only escape.
 */
#ifndef JR_BASE_TEXT_H
#define JR_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/buf.h"

/** Whether s is that text, or begins with it. */
static inline bool jr_text_begins(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}
/** Whether s is that text, or ends with it. */
static inline bool jr_text_ends(const char *s, const char *with)
{
	size_t n = strlen(s), m = strlen(with);
	return n >= m && memcmp(s + n - m, with, m) == 0;
}

/** True where jr_text_clean() would change nothing. */
bool jr_text_is_clean(const char *s, size_t n);
/**
 * Append s to `out`: C0 controls become their visible pictures (U+2400...), DEL U+2421; invalid
 * UTF-8, C1 controls, bidi overrides/isolates and noncharacters become U+FFFD.
 */
void jr_text_clean(struct jr_buf *out, const char *s, size_t n);
/** Decode one code point of valid or invalid UTF-8 at s[0..n), n > 0; returns bytes used (>= 1) and
 * -1 in *code for an invalid sequence. */
size_t jr_text_decode(const char *s, size_t n, int *code);
/** End a text that printf() cut to fill `room` whole, at a letter, in "…"; size > 3. */
void jr_text_end_cut(char *room, size_t size);
/** How many of the n bytes at s to keep so that they are at most `most` and end with a letter. */
size_t jr_text_prefix(const char *s, size_t n, size_t most);
/** Columns that s takes in a terminal: one a code point (wide forms two, combining marks none). */
size_t jr_text_width(const char *s, size_t n);
/** Bytes of the words from s on that are written from right to left (Hebrew, Arabic and their
 * like), 0 = it begins with none. Marks that join words are part of it where such a word follows. A
 * writer sets them apart, so that they cannot carry along the report's words beside them. */
size_t jr_text_rtl_run(const char *s, size_t n);

#endif
