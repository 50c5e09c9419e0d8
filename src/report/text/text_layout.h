/*
 * text_layout.h - lay out text in a fixed number of terminal columns: wrap, cut, tables.
 * Layer: report.
 */
#ifndef JR_REPORT_TEXT_LAYOUT_H
#define JR_REPORT_TEXT_LAYOUT_H

#include "report/core/doc.h"

/* The medium that text is laid out for. */
struct jr_text_style {
	size_t width; /* columns, at least JR_TEXT_WIDTH_MIN */
	bool color;   /* escape sequences for colors are understood */
};

enum { JR_TEXT_WIDTH_MIN = 40, JR_TEXT_WIDTH_MAX = 240 };

/** A file: 80 columns, no colors. */
extern const struct jr_text_style jr_text_plain;

/** Begin text with the attributes `sgr` ("1": bold, "34": blue); appends nothing without colors. */
void jr_layout_sgr(struct jr_buf *out, const struct jr_text_style *style, const char *sgr);
/** End such text, before the newline if one was just written. */
void jr_layout_line_end(struct jr_buf *out, const struct jr_text_style *style);

/** Append one bar per row of a stacked chart, the longest as wide as there is room, and a legend.
 */
void jr_layout_stacks(
	struct jr_buf *out, const struct jr_chart *chart, const struct jr_text_style *style);

/** Return whether the blank text[at] must not break a line: between a number and its unit ("99 %",
 * "1.2 ms"), a value and its deviation ("17.4 ± 0.1"), a name and its value ("n = 24", "device 3").
 */
bool jr_layout_binds(const char *text, size_t at);

/** Return the bytes of the dash of a range ("0–1.70 ms") at text[at]; 0: none. A line must not
 * break after it, where browsers would. */
size_t jr_layout_dash(const char *text, size_t at);

/** Return the bytes of a program's option ("--xla_...") that begins at text[at]; 0 = none. */
size_t jr_layout_option(const char *text, size_t at);

/** Append `text` in lines of `width` columns, wrapped at blanks that do not bind. The first line
 * begins at column `column` (already written), the others are indented by `indent`. The text ends
 * with a newline.
 */
void jr_layout_wrap(
	struct jr_buf *out, const char *text, size_t width, size_t column, size_t indent);

/**
 * Append a table of at most `limit` data rows in the width of the style. Columns that do not fit go
 * on their own line below each row (texts) or are left out and listed (numbers).
 */
void jr_layout_table(struct jr_buf *out, const struct jr_doc_table *table, size_t limit,
	const struct jr_text_style *style);

/** Append a block; figures become an outline or their parts, definitions are left out. */
void jr_plain_block(
	struct jr_buf *out, const struct jr_block *block, const struct jr_text_style *style);

/** Append the head: the subject of the document, its headline, the sentences that follow it, and
 * its caveats.
 */
void jr_plain_head(struct jr_buf *out, const struct jr_doc *doc, const struct jr_text_style *style);

#endif
