/*
 * pdf_layout.h - flow text, tables and figures over the pages of a PDF.
 * Layer: report.  Private to the PDF writer.
 */
#ifndef JR_REPORT_PDF_LAYOUT_H
#define JR_REPORT_PDF_LAYOUT_H

#include "render/pdf.h"
#include "report/core/doc.h"

struct jr_flow {
	struct jr_pdf *pdf;
	const char *title;    /* at the foot of each page */
	double width, height; /* of a page, pt */
	double left, right, bottom;
	double y; /* where the next line begins */
	unsigned page;
};

extern const struct jr_pdf_font jr_pdf_body, jr_pdf_small, jr_pdf_strong, jr_pdf_code;

/** Begin a document; `letter`: US letter, else A4. */
void jr_flow_begin(struct jr_flow *flow, const char *title, bool letter);
/** Begin the next page unless `height` fits on this one. */
void jr_flow_need(struct jr_flow *flow, double height);
/** Write the foot of the last page. */
void jr_flow_end(struct jr_flow *flow);

/** Write text in lines from x = left + indent on, wrapped at blanks that do not bind, after `label`
 * in bold (NULL: none). Return the number of lines. */
size_t jr_flow_text(struct jr_flow *flow, const char *label, const char *text,
	const struct jr_pdf_font *font, double indent);
/** Return the height of a text without label and indent; 0 for NULL. */
double jr_flow_height(struct jr_flow *flow, const char *text, const struct jr_pdf_font *font);
/** Leave room before the next block. */
void jr_flow_gap(struct jr_flow *flow, double height);

/** Write a table of at most `limit` data rows. Its head is repeated on each page; columns that do
 * not fit are left out and named. pdf_table.c */
void jr_flow_table(struct jr_flow *flow, const struct jr_doc_table *table, size_t limit);

/** Append the whole document as a PDF. JR_EIO with cairo's reason. pdf_writer.c */
enum jr_status jr_pdf_of_doc(
	const struct jr_doc *doc, bool letter, struct jr_buf *out, struct jr_error *err) JR_MUST_CHECK;

#endif
