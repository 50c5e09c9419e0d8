/*
 * text_fit.h - texts cut to a number of terminal columns.
 * Layer: report.
 */
#ifndef JR_REPORT_TEXT_FIT_H
#define JR_REPORT_TEXT_FIT_H

#include "base/buf.h"

/** Append `text` so that it is at most `width` columns wide: its middle gives way to "…", the tail
 * keeps twice as much as the head, for names tell more there. A newline becomes a space.
 * @return columns used */
size_t jr_layout_fit(struct jr_buf *out, const char *text, size_t width);

/** Bytes of the longest start of s[0..n) that is at most `width` columns wide. */
size_t jr_layout_head_bytes(const char *s, size_t n, size_t width);

#endif
