/*
 * plain.h - blocks of a document as text.
 * Layer: report.
 */
#ifndef JR_REPORT_PLAIN_H
#define JR_REPORT_PLAIN_H

#include "report/core/doc.h"
#include "report/text/text_layout.h"

/** Append a block; pictures are an outline or their parts, definitions are left out. */
void jr_plain_block(
	struct jr_buf *out, const struct jr_block *block, const struct jr_text_style *style);

/** Append what leads: what the document is of, its headline, what goes with that, and its caveats.
 */
void jr_plain_head(struct jr_buf *out, const struct jr_doc *doc, const struct jr_text_style *style);

#endif
