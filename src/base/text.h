/*
 * text.h - make foreign text safe for every output: valid UTF-8, no control or bidi-override bytes.
 * Layer: base.  Applied once, where text enters the model; writers then only escape.
 */
#ifndef JR_BASE_TEXT_H
#define JR_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/buf.h"

/** Return true for an ASCII digit or letter, with any locale. */
static inline bool jr_is_digit(int c)
{
	return c >= '0' && c <= '9';
}
static inline bool jr_is_letter(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/** Return true if s begins with `with`. */
static inline bool jr_text_begins(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}
/** Return true if s ends with `with`. */
static inline bool jr_text_ends(const char *s, const char *with)
{
	size_t n = strlen(s), m = strlen(with);
	return n >= m && memcmp(s + n - m, with, m) == 0;
}

/** Return the size in bytes of a byte order mark of UTF-8 that starts the text: 3 or 0. */
static inline size_t jr_text_mark_bytes(struct jr_bytes text)
{
	return text.size >= 3 && memcmp(text.data, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

/** Return true if jr_text_clean() would change nothing. */
bool jr_text_is_clean(const char *s, size_t n);
/**
 * Append s to `out`: C0 controls become their visible symbols (U+2400...), DEL U+2421; invalid
 * UTF-8, C1 controls, bidi overrides/isolates and noncharacters become U+FFFD.
 */
void jr_text_clean(struct jr_buf *out, const char *s, size_t n);
/** Decode one code point of valid or invalid UTF-8 at s[0..n), n > 0. Returns the bytes used (>=
 * 1), and -1 in *code for an invalid sequence. */
size_t jr_text_decode(const char *s, size_t n, int *code);
/** End the text in `room`, which printf() cut to fill it, with "…" after a whole letter; size >
 * 3. */
void jr_text_end_cut(char *room, size_t size);
/** Return how many of the n bytes at s to keep: at most `most`, ending after a whole letter. */
size_t jr_text_prefix(const char *s, size_t n, size_t most);
/**
 * Find the part of a long name that says most, at most `most` columns wide with a "…" before it: an
 * op_name loses its parameters ("[axis=0]") first, then the beginning of its path, never its last
 * component. Names of files lose their first folders.
 * @return true: show s[*from..*end), after "…" if *from > 0; false: there is no such part, or
 * nothing has to be left out. O(n)
 */
bool jr_text_name_part(const char *s, size_t most, size_t *from, size_t *end);
/** Return the width of s in terminal columns: one per code point (wide forms two, combining marks
 * none). */
size_t jr_text_width(const char *s, size_t n);
/** Return the length in bytes of the right-to-left words at the start of s (Hebrew, Arabic and
 * similar), 0 = none. Marks that join words count if such a word follows. A writer isolates these
 * words, so that they do not reorder the report's text next to them. */
size_t jr_text_rtl_run(const char *s, size_t n);
/** Append a text as a quoted JSON string. `<` is escaped, so that the text can be part of a
 * <script>. */
void jr_json_text(struct jr_buf *out, const char *text);

#endif
