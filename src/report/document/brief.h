/*
 * brief.h - the short form of a document: what a summary or a mail says of it, and in which order.
 * Layer: report.  Borrowed from the document.
 *
 * One order for every short form: what is said first is what stays where room runs out.
 */
#ifndef JR_REPORT_BRIEF_H
#define JR_REPORT_BRIEF_H

#include "report/core/doc.h"

/** The i-th section of the short form behind the overview, most important first; NULL beyond the
 * last. Those that the document lacks or has nothing of are passed over. O(sections). */
const struct jr_doc_section *jr_brief_section(const struct jr_doc *doc, size_t i);

#endif
