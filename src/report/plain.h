/*
 * plain.h - blocks of a document as text in 80 columns.
 * Layer: report.
 */
#ifndef JR_REPORT_PLAIN_H
#define JR_REPORT_PLAIN_H

#include "report/doc.h"

#define JR_PLAIN_WIDTH 80

/** Append a block; pictures are an outline or their parts, definitions are left out. */
void jr_plain_block(struct jr_buf *out, const struct jr_block *block);

#endif
