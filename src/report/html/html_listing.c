/* Source code with times: a table with one row per line, in an element that folds. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/html/html.h"

#define OPEN 1       /* listings that are unfolded */
#define HEAT_STEPS 6 /* classes h1..h6 of the style sheet */

/* The square root keeps lines visible that have a tenth of the hottest line's time. */
static int heat_of(const struct jr_listing *listing, const struct jr_listing_line *line)
{
	if (line->working_ns <= 0 || listing->hottest_ns <= 0)
		return 0;
	int step = (int)ceil(HEAT_STEPS * sqrt(line->working_ns / listing->hottest_ns));
	return step < 1 ? 1 : step > HEAT_STEPS ? HEAT_STEPS : step;
}

static void add_number(xmlNodePtr row, double v, int decimals)
{
	char text[JR_NUM_MAX] = "";
	if (v > 0 && v < 0.5 * pow(10, -decimals))
		snprintf(text, sizeof(text), "%s", decimals == 1 ? "<0.1" : "<0.001");
	else if (v > 0)
		jr_num_grouped(text, v, decimals);
	jr_html_leaf(row, "td", NULL, text);
}

/* Escape text for a regular expression within a URL. */
static void put_pattern(struct jr_buf *out, const char *s)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;
		bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
					 c == '_' || c == '-';
		if (plain)
			jr_buf_putc(out, (char)c);
		else if (c < 0x80)
			jr_buf_printf(out, "%%5C%%%02X", c);
		else
			jr_buf_printf(out, "%%%02X", c);
	}
}

/* Add the line's number as a link to the flamegraph, where a search marks all of its frames. */
static void add_line_number(
	xmlNodePtr row, const struct jr_listing *listing, const struct jr_listing_line *line)
{
	char number[JR_NUM_MAX];
	jr_num_i64(number, line->number);
	xmlNodePtr cell = jr_html_element(row, "th", NULL);
	jr_html_attribute(cell, "scope", "row");
	if (!line->hot || !listing->tree) {
		jr_html_text(cell, number);
		return;
	}
	struct jr_buf href = {0};
	const char *slash = strrchr(listing->file, '/');
	jr_buf_printf(&href, "#fig-%s!s=", listing->tree);
	put_pattern(&href, slash ? slash + 1 : listing->file);
	jr_buf_printf(&href, "%%3A%u%%5B%%3A%%5B%%5D", line->number);
	jr_html_attribute(jr_html_leaf(cell, "a", NULL, number), "href", href.data);
	jr_buf_done(&href);
}

/* Columns that only some listings have, and the number of cells before the line's number. At most
 * three numbers stand before the code; a tooltip has the others. */
struct columns {
	bool roofs;
	unsigned n_times;
};

/* "self 618.2 ms; 616.3 ms above the roofline; 12 kernels; 3.1 ms exposed communication" */
static void add_details(xmlNodePtr row, const struct jr_listing_line *line)
{
	char time[JR_NUM_MAX];
	struct jr_buf text = {0};
	jr_num_time(time, line->self_ns);
	jr_buf_printf(&text, "self %s", line->self_ns > 0 ? time : "0 ms");
	if (line->roofed.ns > 0) {
		jr_num_time(time, line->roofed.lost_ns);
		jr_buf_printf(&text, "; %s above the roofline", time);
	}
	jr_buf_printf(&text, "; %u kernel%s", line->kernels, line->kernels == 1 ? "" : "s");
	if (line->communication_ns > 0) {
		jr_num_time(time, line->communication_ns);
		jr_buf_printf(&text, "; %s exposed communication", time);
	}
	jr_html_attribute(row, "title", text.data);
	jr_buf_done(&text);
}

static void add_times(xmlNodePtr row, const struct jr_listing *listing,
	const struct jr_listing_line *line, const struct columns *columns)
{
	bool known = line->roofed.ns > 0;
	add_number(row, 100 * line->total_ns / listing->whole_ns, 1);
	add_number(row, line->total_ns / 1e6, 3);
	if (columns->roofs)
		add_number(row, known ? 100 * line->roofed.roof_ns / line->roofed.ns : 0, 1);
	add_details(row, line);
}

static void add_line(
	xmlNodePtr body, const struct jr_doc_listing *l, size_t i, const struct columns *columns)
{
	static const char *const heats[] = {NULL, "h1", "h2", "h3", "h4", "h5", "h6"};
	const struct jr_listing_line *line = &l->listing->lines[i];
	xmlNodePtr row =
		jr_html_element(body, "tr", line->number ? heats[heat_of(l->listing, line)] : "gap");
	struct jr_buf text = {0};
	if (!line->number) {
		xmlNodePtr cell = jr_html_element(row, "td", NULL);
		jr_buf_printf(&text, "%u", columns->n_times + 2);
		jr_html_attribute(cell, "colspan", text.data);
		text.size = 0;
		jr_buf_printf(&text, "… %u line%s", line->n_hidden, line->n_hidden == 1 ? "" : "s");
		jr_html_text(cell, text.data);
		jr_buf_done(&text);
		return;
	}
	jr_buf_printf(&text, "src-%u-%u", l->number, line->number);
	jr_html_attribute(row, "id", text.data);
	if (line->total_ns > 0) {
		add_times(row, l->listing, line, columns);
	} else {
		text.size = 0;
		jr_buf_printf(&text, "%u", columns->n_times);
		jr_html_attribute(jr_html_element(row, "td", NULL), "colspan", text.data);
	}
	add_line_number(row, l->listing, line);
	jr_html_cut(jr_html_element(row, "td", NULL), line->text, JR_HTML_VALUE);
	jr_buf_done(&text);
}

static void add_head(xmlNodePtr table, const struct columns *shown)
{
	static const struct {
		const char *title, *unit, *help;
	} columns[] = {{"Share", "%", "time as a share of the active time of the top modules"},
		{"Total", "ms",
			"active time of all stacks that contain the line; the color is for the time of stacks "
			"that end there, without waiting for other devices"},
		{"Of roofline", "%",
			"of the stacks that end at the line: roofline time / measured time of kernels that "
			"have a roofline"},
		{"Line", "", "hot lines link to their frames in the flamegraph"}, {"Code", "", ""}};
	xmlNodePtr row = jr_html_element(jr_html_element(table, "thead", NULL), "tr", NULL);
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		if (i == 2 && !shown->roofs)
			continue;
		xmlNodePtr th = jr_html_element(row, "th", NULL);
		jr_html_attribute(th, "scope", "col");
		if (*columns[i].help)
			jr_html_attribute(th, "title", columns[i].help);
		jr_html_text(th, columns[i].title);
		if (*columns[i].unit) {
			jr_html_text(th, " ");
			jr_html_leaf(th, "span", "unit", columns[i].unit);
		}
	}
}

static void add_summary(xmlNodePtr box, const struct jr_listing *listing)
{
	char self[JR_NUM_MAX], total[JR_NUM_MAX];
	struct jr_buf text = {0};
	xmlNodePtr summary = jr_html_element(box, "summary", NULL);
	jr_html_cut(jr_html_element(summary, "code", NULL), listing->file, JR_HTML_NAME);
	jr_num_grouped(self, 100 * listing->self_ns / listing->whole_ns, 1);
	jr_num_grouped(total, 100 * listing->total_ns / listing->whole_ns, 1);
	jr_buf_printf(
		&text, "self %s %%, total %s %%%s", self, total, listing->library ? ", library" : "");
	jr_html_text(summary, " ");
	jr_html_said(summary, "span", "note", text.data);
	jr_buf_done(&text);
	if (listing->note)
		jr_html_said(box, "p", "note", listing->note);
}

void jr_html_listing(xmlNodePtr parent, const struct jr_doc_listing *l)
{
	struct columns columns = {.roofs = false};
	for (size_t i = 0; i < l->listing->n; i++)
		columns.roofs |= l->listing->lines[i].roofed.ns > 0;
	columns.n_times = columns.roofs ? 3 : 2;
	xmlNodePtr box = jr_html_element(parent, "details", "listing");
	if (l->number <= OPEN)
		jr_html_attribute(box, "open", "");
	add_summary(box, l->listing);
	xmlNodePtr scroll = jr_html_element(box, "div", "scroll");
	jr_html_attribute(scroll, "role", "region");
	jr_html_attribute(scroll, "aria-label", l->listing->file);
	jr_html_attribute(scroll, "tabindex", "0");
	xmlNodePtr table = jr_html_element(scroll, "table", NULL);
	jr_html_leaf(jr_html_element(table, "caption", NULL), "span", "hidden", l->listing->file);
	add_head(table, &columns);
	xmlNodePtr body = jr_html_element(table, "tbody", NULL);
	for (size_t i = 0; i < l->listing->n; i++)
		add_line(body, l, i, &columns);
}
