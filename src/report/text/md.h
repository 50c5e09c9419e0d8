/*
 * md.h - write blocks of a document as GitHub-flavored Markdown.
 * Layer: report.  Private to the writers of Markdown.
 *
 * These functions escape all text for Markdown and HTML, so names of an input cannot make markup,
 * links or mentions.
 */
#ifndef JR_REPORT_MD_H
#define JR_REPORT_MD_H

#include "report/core/doc.h"

struct jr_md {
	struct jr_buf out;
	const struct jr_doc *doc;
	const char *heading; /* prefix of a block's heading: "### " */
	size_t max_rows;     /* of a table, or lines of a listing; a line below counts the rest */
	bool links_figures;  /* their folder lies beside the text */
};

/** Append the head: a heading with that prefix ("# "), the sentences that follow it, caveats, and
 * the subject of the document. */
void jr_md_head(struct jr_buf *out, const struct jr_doc *doc, const char *mark);
/** Append prose on one line. */
void jr_md_text(struct jr_buf *out, const char *text);
/** Append prose and an empty line. */
void jr_md_paragraph(struct jr_buf *out, const char *text);
/** Append a finding: its title and its potential saving, then its detail and evidence. */
void jr_md_finding(struct jr_buf *out, const struct jr_finding *finding, size_t number);
/** Append any block and an empty line. */
void jr_md_block(struct jr_md *w, const struct jr_block *block);

#endif
