/*
 * compose.h - parts of composing that have a file of their own.
 * Layer: report.
 */
#ifndef JR_REPORT_COMPOSE_H
#define JR_REPORT_COMPOSE_H

#include "report/core/doc.h"

/** A table for people: its columns and their formats, in the document's arena. NULL where it has
 * nothing for people (data_only, or no column that is shown). */
struct jr_doc_table *jr_compose_table(struct jr_doc *doc, const struct jr_table *table);

/** A chart or a stack tree as a figure, its scene not yet drawn. */
struct jr_figure *jr_compose_chart(struct jr_doc *doc, const struct jr_chart *chart);
struct jr_figure *jr_compose_tree(struct jr_doc *doc, const struct jr_tree *tree);

/** Source code with times. */
struct jr_doc_listing *jr_compose_listing(struct jr_doc *doc, const struct jr_listing *listing);

/** Title, subtitle, answer and caveats of the document, out of its profile and results. */
void jr_compose_head(struct jr_doc *doc);

/* Where a finding stands: those that lead by what they win, those that tell what the figures can be
 * trusted for, and the others, which stand with the checks. */
enum jr_finding_place { JR_PLACE_LEADING, JR_PLACE_DOUBTS, JR_PLACE_CHECKS };
/** The findings of one place, in their order; those that another one tells of are in none. */
struct jr_findings jr_compose_findings(struct jr_doc *doc, enum jr_finding_place place);

/** All definitions of what is shown, section by section in the order they appear. */
struct jr_terms jr_compose_glossary(struct jr_doc *doc);

/** The text as a sentence: a capital at its beginning (unless that is a name of code) and a full
 * stop behind. Passes write definitions without either. NULL and "" stay as they are. */
const char *jr_doc_sentence(struct jr_doc *doc, const char *text);
/** A title or caption of ours in words that fit the devices (analysis/core/vendor.h). */
const char *jr_doc_words(struct jr_doc *doc, const char *text);

/** Append a section with no blocks; valid until the next. */
struct jr_doc_section *jr_doc_add_section(
	struct jr_doc *doc, const char *id, const char *title, const char *summary);
/** Append a block of a kind; valid until the next. */
struct jr_block *jr_doc_add_block(struct jr_doc_section *section, enum jr_block_kind kind);

#endif
