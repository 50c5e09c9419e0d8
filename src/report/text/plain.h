/*
 * plain.h - write blocks of a document as text.
 * Layer: report.
 */
#ifndef JR_REPORT_PLAIN_H
#define JR_REPORT_PLAIN_H

#include "report/core/doc.h"
#include "report/text/text_layout.h"

/** Append a block; figures become an outline or their parts, definitions are left out. */
void jr_plain_block(
	struct jr_buf *out, const struct jr_block *block, const struct jr_text_style *style);

/** Append the head: the subject of the document, its headline, the sentences that follow it, and
 * its caveats.
 */
void jr_plain_head(struct jr_buf *out, const struct jr_doc *doc, const struct jr_text_style *style);

#endif
