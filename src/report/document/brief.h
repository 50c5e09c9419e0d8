/*
 * brief.h - the short form of a document: the content and order of a summary or a mail.
 * Layer: report.  Borrowed from the document.
 *
 * All short forms have one order: the first sections are kept if room runs out.
 */
#ifndef JR_REPORT_BRIEF_H
#define JR_REPORT_BRIEF_H

#include "report/core/doc.h"

/** Return the i-th section of the short form after the overview, most important first; NULL after
 * the last. Sections that the document lacks or that are empty are skipped. O(sections). */
const struct jr_doc_section *jr_brief_section(const struct jr_doc *doc, size_t i);

#endif
