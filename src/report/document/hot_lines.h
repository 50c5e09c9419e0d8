/*
 * hot_lines.h - lines of source worth pointing at where code is read, not where reports are.
 * Layer: report.
 */
#ifndef JR_REPORT_HOT_LINES_H
#define JR_REPORT_HOT_LINES_H

#include "analysis/core/result.h"
#include "base/buf.h"

/** How many rows of a table "source_lines" are hot: those with at least 1 % of the active time as
 * their own, waiting for other devices left out, `limit` at most. 0 for NULL. */
size_t jr_hot_lines(const struct jr_table *lines, size_t limit);

/**
 * File and line of a row.
 * @param path  out, replaced: relative, without "." or "..", so that it names a file below the root
 *              of a checkout and nothing else
 * @param line  out, from 1
 * @return false where that is no file ("<string>") or no line
 */
bool jr_hot_line_place(
	const struct jr_table *lines, size_t row, struct jr_buf *path, int64_t *line);

/** Append "41.7 % of GPU time (61.8 ms per step) comes from this line: CODE", without what it waits
 * for other devices; the time is of all steps where that of one is unknown. Of code wider than 200
 * columns the middle gives way to "…". */
void jr_hot_line_message(struct jr_buf *out, const struct jr_table *lines, size_t row);

#endif
