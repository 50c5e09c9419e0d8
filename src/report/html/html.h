/*
 * html.h - the page as a libxml2 tree: small helpers, the blocks of a document, the serialiser.
 * Layer: report.  Private to the HTML writer.
 *
 * Text enters the tree by html_text() and attributes by html_attribute(), as they are; the
 * serialiser escapes. No markup is ever made from strings, so none can come from an input.
 */
#ifndef JR_REPORT_HTML_H
#define JR_REPORT_HTML_H

#include <libxml/tree.h>

#include "report/core/doc.h"

/* Columns of text that a page gives to one name or value. */
enum { JR_HTML_TILE = 80, JR_HTML_NAME = 200, JR_HTML_VALUE = 500, JR_HTML_LEDE = 900 };

/* --- html_tree.c ---------------------------------------------------------------------------- */

/** New last child element of `parent` (NULL: not linked); class NULL = none. Never NULL. */
xmlNodePtr jr_html_element(xmlNodePtr parent, const char *name, const char *class_name);
void jr_html_attribute(xmlNodePtr node, const char *name, const char *value);
/** Append text. NULL = nothing. */
void jr_html_text(xmlNodePtr parent, const char *text);
/** Append text, the middle of what is longer than `width` columns left out: for what no page has
 * room for, in places that do not scroll. */
void jr_html_cut(xmlNodePtr parent, const char *text, size_t width);
/** Append prose: options of programs in it ("--xla_...") become code, so that they do not break; no
 * line ends between a number and its unit; words from right to left, which come from an input, are
 * set apart (<bdi>), so that the sentence around them keeps its order. NULL = nothing. */
void jr_html_prose(xmlNodePtr parent, const char *text);
/** The same of a text cut as by jr_html_cut(). */
void jr_html_cut_prose(xmlNodePtr parent, const char *text, size_t width);
/** Element with text in it. */
xmlNodePtr jr_html_leaf(
	xmlNodePtr parent, const char *name, const char *class_name, const char *text);
/** Element with prose in it. */
xmlNodePtr jr_html_said(
	xmlNodePtr parent, const char *name, const char *class_name, const char *text);

/**
 * Append the tree as HTML5: void elements, raw text in script and style, everything else escaped.
 * Apart from those two elements the output is well-formed XML as well.
 */
void jr_html_serialise(struct jr_buf *out, xmlNodePtr node);

/* --- html_writer.c -------------------------------------------------------------------------- */

/** Append the whole page. JR_EFORMAT where its template is broken. */
enum jr_status jr_html_page(const struct jr_doc *doc, struct jr_buf *out, struct jr_error *err)
	JR_MUST_CHECK;

/* --- html_csp.c ----------------------------------------------------------------------------- */

/** Append "'sha256-BASE64'": what a Content-Security-Policy calls an inline element's text. */
void jr_html_csp_source(struct jr_buf *out, struct jr_bytes text);

/* --- html_blocks.c, html_table.c ------------------------------------------------------------ */

/** A section with all its blocks; class NULL = none. */
void jr_html_section(xmlNodePtr parent, const struct jr_doc *doc,
	const struct jr_doc_section *section, const char *class_name);
/** A table of the section titled `section_title` (a caption that says no more is not shown); fewer
 * rows at first where it stands `ahead` of what the report is about. */
void jr_html_table(
	xmlNodePtr parent, const struct jr_doc_table *table, const char *section_title, bool ahead);

/** Half of a wide window is too narrow for the table. */
bool jr_html_table_is_broad(const struct jr_doc_table *table);

/* --- html_pairs.c ----------------------------------------------------------------------------- */

/**
 * Which sections stand beside a neighbour in a wide window: the first with the second of them that
 * follow each other, the third with the fourth.
 * @param paired  [sections] out
 */
void jr_html_pairs(const struct jr_doc *doc, bool *paired);

/* --- html_bars.c ------------------------------------------------------------------------------ */

/** A chart of divided bars, in percent of the width; its box has that id, its parts are named below
 * it. At most 30 bars. */
void jr_html_bars(xmlNodePtr parent, const struct jr_chart *chart, const char *id);

/* --- html_listing.c -------------------------------------------------------------------------- */

/** Source code with times. */
void jr_html_listing(xmlNodePtr parent, const struct jr_doc_listing *listing);

#endif
