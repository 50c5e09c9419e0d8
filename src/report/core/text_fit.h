/*
 * text_fit.h - cut texts to a number of terminal columns.
 * Layer: report.
 */
#ifndef JR_REPORT_TEXT_FIT_H
#define JR_REPORT_TEXT_FIT_H

#include "base/buf.h"

/** Append `text` in at most `width` columns. Of a long name, only the part that says most is shown
 * (jr_text_name_part()); of other texts "…" replaces the middle. The tail is twice as long as the
 * head, because ends are more informative. A newline becomes a space.
 * @return columns used */
size_t jr_layout_fit(struct jr_buf *out, const char *text, size_t width);

/** Return the bytes of the longest start of s[0..n) that is at most `width` columns wide. */
size_t jr_layout_head_bytes(const char *s, size_t n, size_t width);

#endif
