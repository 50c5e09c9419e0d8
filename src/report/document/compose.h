/*
 * compose.h - functions that compose parts of a document, one file each.
 * Layer: report.
 */
#ifndef JR_REPORT_COMPOSE_H
#define JR_REPORT_COMPOSE_H

#include "report/core/doc.h"

/** Make a table for people: its columns and their formats, in the document's arena. NULL if it has
 * nothing for people (data_only, or no visible column). */
struct jr_doc_table *jr_compose_table(struct jr_doc *doc, const struct jr_table *table);

/** Make a figure from a chart or a stack tree; its scene is not drawn yet. */
struct jr_figure *jr_compose_chart(struct jr_doc *doc, const struct jr_chart *chart);
struct jr_figure *jr_compose_tree(struct jr_doc *doc, const struct jr_tree *tree);

/** Make a listing of source code with times. */
struct jr_doc_listing *jr_compose_listing(struct jr_doc *doc, const struct jr_listing *listing);

/** Set title, subtitle, answer and caveats of the document from its profile and results. */
void jr_compose_head(struct jr_doc *doc);

/* The place of a finding: the leading ones by potential saving, those about data quality, and the
 * others, which appear with the checks. */
enum jr_finding_place { JR_PLACE_LEADING, JR_PLACE_DOUBTS, JR_PLACE_CHECKS };
/** Return the findings of one place, in order; findings that are part of another one are in none.
 */
struct jr_findings jr_compose_findings(struct jr_doc *doc, enum jr_finding_place place);

/** Collect all definitions of visible items, section by section in order of appearance. */
struct jr_terms jr_compose_glossary(struct jr_doc *doc);

/** Return the text as a sentence: with a capital at its beginning (unless it begins with a name of
 * code) and a full stop. Passes write definitions without either. NULL and "" do not change. */
const char *jr_doc_sentence(struct jr_doc *doc, const char *text);
/** Return a built-in title or caption in words that fit the devices (analysis/core/vendor.h). */
const char *jr_doc_words(struct jr_doc *doc, const char *text);

#endif
