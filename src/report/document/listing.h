/*
 * listing.h - write source code with times as lines of text.
 * Layer: report.  Shared by Markdown and plain text.
 */
#ifndef JR_REPORT_LISTING_H
#define JR_REPORT_LISTING_H

#include "report/core/doc.h"

/**
 * Append the lines of a listing with the largest self time, in file order: total time, self time,
 * number, code.
 *
 * @param max_lines  of code
 * @param width      columns
 * @return false and nothing appended if the listing is not among the first of the document, or has
 *         no line with self time
 */
bool jr_listing_put(
	struct jr_buf *out, const struct jr_doc_listing *listing, size_t max_lines, size_t width);

#endif
