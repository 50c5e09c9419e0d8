/*
 * text_layout.h - text in a fixed number of terminal columns: wrapping, cutting, tables.
 * Layer: report.
 */
#ifndef JR_REPORT_TEXT_LAYOUT_H
#define JR_REPORT_TEXT_LAYOUT_H

#include "report/core/doc.h"

/* What text is laid out for. */
struct jr_text_style {
	size_t width; /* columns, at least JR_TEXT_WIDTH_MIN */
	bool colour;  /* escape sequences for colours are understood */
};

enum { JR_TEXT_WIDTH_MIN = 40, JR_TEXT_WIDTH_MAX = 240 };

/** A file: 80 columns, no colours. */
extern const struct jr_text_style jr_text_plain;

/** Begin what has the attributes `sgr` ("1": bold, "34": blue); nothing without colours. */
void jr_layout_sgr(struct jr_buf *out, const struct jr_text_style *style, const char *sgr);
/** End it; ahead of the newline where one was just written. */
void jr_layout_line_end(struct jr_buf *out, const struct jr_text_style *style);

/** Append a bar a row of a stacked chart, the longest as wide as there is room, and a legend. */
void jr_layout_stacks(
	struct jr_buf *out, const struct jr_chart *chart, const struct jr_text_style *style);

/** Whether the blank text[at] holds what is on both sides of it together: a number and its unit
 * ("99 %", "1.2 ms"), a value and its deviation ("17.4 ± 0.1"), a name and its value ("n = 24",
 * "device 3"). */
bool jr_layout_binds(const char *text, size_t at);

/** Bytes of the option of a program ("--xla_...") that begins at text[at], 0 = none does. */
size_t jr_layout_option(const char *text, size_t at);

/** Append `text` wrapped at blanks that do not bind into lines of `width` columns; the first begins
 * at column `column` (already written), the others are indented by `indent`. Ends with a newline.
 */
void jr_layout_wrap(
	struct jr_buf *out, const char *text, size_t width, size_t column, size_t indent);

/**
 * Append a table of at most `limit` data rows, as wide as the style has it. Columns without room
 * go on a line of their own below each row (texts) or are left out and named (numbers).
 */
void jr_layout_table(struct jr_buf *out, const struct jr_doc_table *table, size_t limit,
	const struct jr_text_style *style);

#endif
