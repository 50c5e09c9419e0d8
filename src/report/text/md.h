/*
 * md.h - blocks of a document as GitHub-flavoured Markdown.
 * Layer: report.  Private to the writers of Markdown.
 *
 * No character of a text means anything to Markdown or HTML behind these: names of an input can
 * make no markup, no link and no mention.
 */
#ifndef JR_REPORT_MD_H
#define JR_REPORT_MD_H

#include "report/core/doc.h"

struct jr_md {
	struct jr_buf out;
	const struct jr_doc *doc;
	const char *heading; /* mark of a block's heading: "### " */
	size_t max_rows;     /* of a table, or lines of a listing; the rest is told by a line below */
};

/** Append what leads: a heading of that mark ("# "), what goes with it, caveats, and what all of it
 * is of. */
void jr_md_head(struct jr_buf *out, const struct jr_doc *doc, const char *mark);
/** Append prose on one line. */
void jr_md_text(struct jr_buf *out, const char *text);
/** Append a code span of at most `width` columns. @param cell  it stands in a table */
void jr_md_code(struct jr_buf *out, const char *text, size_t width, bool cell);
/** Append prose and an empty line. */
void jr_md_paragraph(struct jr_buf *out, const char *text);
/** Append a finding: its title and what could be won, then its detail and evidence. */
void jr_md_finding(struct jr_buf *out, const struct jr_finding *finding, size_t number);
/** Append any block and an empty line. */
void jr_md_block(struct jr_md *w, const struct jr_block *block);

#endif
