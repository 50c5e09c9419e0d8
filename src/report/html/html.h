/*
 * html.h - build the page as a libxml2 tree: small helpers, the blocks of a document, the
 * serializer.
 * Layer: report.  Private to the HTML writer.
 *
 * Text enters the tree by jr_html_text() and attributes by jr_html_attribute(), unescaped; the
 * serializer escapes them. Markup is never made from strings, so an input cannot add any.
 */
#ifndef JR_REPORT_HTML_H
#define JR_REPORT_HTML_H

#include <libxml/tree.h>

#include "report/core/doc.h"

/* Widths in columns of text for one name or value on a page. */
enum { JR_HTML_TILE = 80, JR_HTML_NAME = 200, JR_HTML_VALUE = 500, JR_HTML_LEDE = 900 };

/* --- html_tree.c ---------------------------------------------------------------------------- */

/** Add a new last child element to `parent` (NULL: not linked); class NULL = none. Never NULL. */
xmlNodePtr jr_html_element(xmlNodePtr parent, const char *name, const char *class_name);
void jr_html_attribute(xmlNodePtr node, const char *name, const char *value);
/** Append text. NULL = nothing. */
void jr_html_text(xmlNodePtr parent, const char *text);
/** Append text, but cut the middle of a text longer than `width` columns. For places that do not
 * scroll. */
void jr_html_cut(xmlNodePtr parent, const char *text, size_t width);
/** Append prose. Options of programs ("--xla_...") become code, so that they do not break. No line
 * ends between a number and its unit. Right-to-left words of an input are isolated (<bdi>), so that
 * the sentence around them keeps its order. NULL = nothing. */
void jr_html_prose(xmlNodePtr parent, const char *text);
/** Append prose that is cut as by jr_html_cut(). */
void jr_html_cut_prose(xmlNodePtr parent, const char *text, size_t width);
/** Add an element with text in it. */
xmlNodePtr jr_html_leaf(
	xmlNodePtr parent, const char *name, const char *class_name, const char *text);
/** Add an element with prose in it. */
xmlNodePtr jr_html_said(
	xmlNodePtr parent, const char *name, const char *class_name, const char *text);

/**
 * Append the tree as HTML5: void elements, raw text in script and style, everything else escaped.
 * Apart from these two elements the output is also well-formed XML.
 *
 * @param fill  appends what a processing instruction stands for; NULL: they are left out
 */
void jr_html_serialize(struct jr_buf *out, xmlNodePtr top,
	void (*fill)(xmlNodePtr instruction, void *context), void *context);

/* --- html_writer.c -------------------------------------------------------------------------- */

/** Append the whole page. JR_EFORMAT if its template is broken. */
enum jr_status jr_html_page(const struct jr_doc *doc, struct jr_buf *out, struct jr_error *err)
	JR_MUST_CHECK;

/* --- html_csp.c ----------------------------------------------------------------------------- */

/** Append "'sha256-BASE64'": the source expression of an inline element in a
 * Content-Security-Policy. */
void jr_html_csp_source(struct jr_buf *out, struct jr_bytes text);

/** Append bytes in base64, without line breaks; less than 1 GiB of them. */
void jr_html_base64(struct jr_buf *out, struct jr_bytes bytes);

/* --- html_blocks.c, html_table.c ------------------------------------------------------------ */

/** Add a section with all its blocks; class NULL = none. */
void jr_html_section(xmlNodePtr parent, const struct jr_doc *doc,
	const struct jr_doc_section *section, const char *class_name);
/** Add a table of the section titled `section_title` (an equal caption is not shown). It shows
 * fewer rows at first if it is `ahead` of the main content of the report. */
void jr_html_table(
	xmlNodePtr parent, const struct jr_doc_table *table, const char *section_title, bool ahead);

/* Rows of tables of thunks that have an id, so that findings can link to them. */
#define JR_HTML_LINKED_ROWS 12
/** Append the id of the linked row of that section whose thunk has the name; false if none has. */
bool jr_html_find_row(
	struct jr_buf *out, const struct jr_doc *doc, const char *section, const char *thunk);

/** Return whether half of a wide window is too narrow for the table. */
bool jr_html_table_is_broad(const struct jr_doc_table *table);

/* --- html_names.c ----------------------------------------------------------------------------- */

/**
 * Add a name that may be cut: whole if it has at most `width` bytes, else its parts.
 * @param at      what must be visible of it, as by jr_labels_apart()
 * @param prefix  bytes that all names of the column begin with, or with JR_LABEL_WHOLE all that
 *                differ only as a whole; they are hidden first
 */
void jr_html_name(xmlNodePtr cell, const char *text, size_t width, size_t at, size_t prefix);
/** A jr_label_fn(): what is visible of a name in the narrowest column. `context`: its width, as
 * above. */
const char *jr_html_name_seen(
	struct jr_arena *arena, const void *context, const char *name, size_t at);
/** Add a source, "FOLDER/FILE:LINE". The folders before `start` are hidden; a tooltip or a click
 * shows them. */
void jr_html_source(xmlNodePtr cell, const char *text, size_t start);

/* --- html_pairs.c ----------------------------------------------------------------------------- */

/**
 * Choose the sections that are side by side in a wide window: of adjacent marked sections the first
 * with the second, the third with the fourth.
 * @param paired  [sections] out
 */
void jr_html_pairs(const struct jr_doc *doc, bool *paired);

/* --- html_bars.c ------------------------------------------------------------------------------ */

/** Add a chart of divided bars, in percent of the width. Its box has the given id, and the names of
 * its parts are below it. At most 30 bars. */
void jr_html_bars(xmlNodePtr parent, const struct jr_chart *chart, const char *id);

/* --- html_timeline.c ------------------------------------------------------------------------- */

/** Pack the slices for the page's timeline, if it has one, before the page is written. Other
 * threads may read the rest of the document meanwhile. Cost: as jr_page_slices_pack(). */
void jr_html_timeline_pack(struct jr_doc *doc);
/** Add the packed slices of the profile for the script that draws a timeline in place of the
 * figure, if it is the step timeline, or, in a report without one, the busy time of the devices.
 * Return whether they were added. */
bool jr_html_timeline(xmlNodePtr box, const struct jr_doc *doc, const struct jr_figure *figure);
/** Return the address of the section with the timeline, "#timeline"; NULL: the page has none. */
const char *jr_html_timeline_section(const struct jr_doc *doc);
/** Return whether the timeline may have a strip of all devices, and needs its script. */
bool jr_html_timeline_strip(const struct jr_doc *doc);

/* --- html_listing.c -------------------------------------------------------------------------- */

/** Add source code with times. */
void jr_html_listing(xmlNodePtr parent, const struct jr_doc_listing *listing);

#endif
