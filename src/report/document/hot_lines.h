/*
 * hot_lines.h - hot lines of source, for annotations in tools that show code.
 * Layer: report.
 */
#ifndef JR_REPORT_HOT_LINES_H
#define JR_REPORT_HOT_LINES_H

#include "analysis/core/result.h"
#include "base/buf.h"

/** Return the number of hot rows of a table "source_lines": rows with at least 1 % of the active
 * time as self time, without waiting for other devices; at most `limit`. 0 for NULL. */
size_t jr_hot_lines(const struct jr_table *lines, size_t limit);

/**
 * Get the file and line of a row.
 * @param path  out, replaced: relative, without "." or "..", so that it can only name a file below
 *              the root of a checkout
 * @param line  out, from 1
 * @return false if it is not a file ("<string>") or has no line
 */
bool jr_hot_line_place(
	const struct jr_table *lines, size_t row, struct jr_buf *path, int64_t *line);

/** Append "41.7 % of GPU time (61.8 ms per step) comes from this line: CODE", without waiting for
 * other devices. The time is of all steps if that of one is unknown. "…" replaces the middle of
 * code wider than 200 columns. */
void jr_hot_line_message(struct jr_buf *out, const struct jr_table *lines, size_t row);

#endif
