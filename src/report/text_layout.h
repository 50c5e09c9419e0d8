/*
 * text_layout.h - text in a fixed number of terminal columns: wrapping, cutting, tables.
 * Layer: report.
 */
#ifndef JR_REPORT_TEXT_LAYOUT_H
#define JR_REPORT_TEXT_LAYOUT_H

#include "report/doc.h"

/** Append `text` so that it is at most `width` columns wide: its middle gives way to "…", the tail
 * keeps twice as much as the head, for names tell more there. A newline becomes a space.
 * @return columns used */
size_t jr_layout_fit(struct jr_buf *out, const char *text, size_t width);

/** Append `text` wrapped at blanks into lines of `width` columns; the first begins at column
 * `column` (already written), the others are indented by `indent`. Ends with a newline. */
void jr_layout_wrap(struct jr_buf *out, const char *text, size_t width, size_t column,
	size_t indent);

/**
 * Append a table of at most `limit` data rows in at most `width` columns. Columns that have no room
 * go on a line of their own below each row (texts) or are left out and named (numbers).
 */
void jr_layout_table(struct jr_buf *out, const struct jr_doc_table *table, size_t limit,
	size_t width);

#endif
