/* A report for mail programs. Outlook renders pages with Word, which supports tables but not flex
 * or grid. Gmail removes style sheets and cuts off long bodies. So the mail uses tables, inline
 * styles, bars made of cells with a bgcolor, and references for non-ASCII characters. */
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "render/scene.h"
#include "report/document/brief.h"
#include "report/document/chart_parts.h"
#include "report/mail/mail.h"
#include "report/core/labels.h"
#include "report/core/text_fit.h"
#include "report/text/text_layout.h"

#define FULL_FINDINGS 3 /* only the titles of the others are shown */
#define CODE_WIDTH 44
#define CODE_LINE 16 /* characters; shorter names do not break */
#define MAX_COLUMNS 8
#define RESERVE 700
#define FONT "font-family:Arial,Helvetica,sans-serif"

struct mail_page {
	struct jr_buf *out;
	const struct jr_doc *doc;
	size_t begin; /* start of the page in `out` */
	size_t max_rows;
	const char *heading; /* element of a block's heading: one level below its parent */
};

/* --- text ----------------------------------------------------------------------------------- */

/* Write one character; returns its bytes. */
static size_t put_character(struct jr_buf *out, const char *s, size_t left)
{
	int code;
	size_t n = jr_text_decode(s, left, &code);
	if (code < 0)
		jr_buf_puts(out, "&#65533;");
	else if (code >= 0x7f || strchr("<>&\"'", code) || code < 0x20)
		jr_buf_printf(out, "&#%d;", code < 0x20 ? ' ' : code);
	else
		jr_buf_putc(out, (char)code);
	return n;
}

/* Write the text of an attribute or a title. */
static void put_plain(struct jr_buf *out, const char *s)
{
	for (size_t left = strlen(s), n; left; s += n, left -= n)
		n = put_character(out, s, left);
}

/* Write prose like jr_html_prose(), but without <bdi>, which Outlook does not support. An option
 * does not break after its dashes: it moves to the next line, and breaks there only if it is
 * longer. */
static void put_text(struct jr_buf *out, const char *s)
{
	size_t size = strlen(s), end_rtl = 0;
	for (size_t i = 0; i < size;) {
		size_t option = jr_layout_option(s, i);
		if (option) {
			jr_buf_puts(out, "<span style=\"display:inline-block;word-break:break-all\">");
			for (size_t end = i + option; i < end;)
				i += put_character(out, s + i, end - i);
			jr_buf_puts(out, "</span>");
			continue;
		}
		if (i >= end_rtl && (unsigned char)s[i] >= 0x80) {
			size_t n = jr_text_rtl_run(s + i, size - i);
			end_rtl = n ? i + n : end_rtl;
			jr_buf_puts(out, n ? "<span dir=\"rtl\">" : "");
		}
		size_t dash = i < end_rtl ? 0 : jr_layout_dash(s, i);
		if (s[i] == ' ' && jr_layout_binds(s, i))
			i++, jr_buf_puts(out, "&#160;");
		else if (dash) { /* Outlook may show a word joiner as a box */
			jr_buf_printf(out, "<span style=\"white-space:nowrap\">&#8211;%c</span>", s[i + dash]);
			i += dash + 1;
		} else
			i += put_character(out, s + i, size - i);
		jr_buf_puts(out, end_rtl && i == end_rtl ? "</span>" : "");
	}
}

static void put_cut(struct jr_buf *out, const char *s, size_t width)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf cut = {0};
	jr_layout_fit(&cut, s, width);
	put_text(out, cut.size ? cut.data : "");
}

static void put_cut_plain(struct jr_buf *out, const char *s, size_t width)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf cut = {0};
	jr_layout_fit(&cut, s, width);
	put_plain(out, cut.size ? cut.data : "");
}

static void put_element(struct jr_buf *out, const char *name, const char *style, const char *text)
{
	jr_buf_printf(out, "<%s style=\"%s\">", name, style);
	put_text(out, text);
	jr_buf_printf(out, "</%s>\n", name);
}

static void put_paragraph(struct jr_buf *out, const char *text)
{
	put_element(out, "p", "margin:6px 0 10px 0", text);
}

static void put_color(struct jr_buf *out, enum jr_role role)
{
	char hex[JR_HEX_MAX];
	jr_rgb_hex(hex, jr_role_light(role));
	jr_buf_puts(out, hex);
}

/* Mail programs do not draw stripes, so an edge of dashes or dots replaces them. */
static void put_area(struct jr_buf *out, enum jr_role role)
{
	char hex[JR_HEX_MAX];
	enum jr_look look = jr_role_look(role);
	jr_rgb_hex(hex, jr_area_light(role));
	jr_buf_printf(out, "%s\" style=\"", hex);
	static const char *const edges[JR_N_LOOKS] = {[JR_LOOK_STRIPED] = "2px dotted",
		[JR_LOOK_CUT] = "2px dashed",
		[JR_LOOK_OUTLINED] = "1px solid",
		[JR_LOOK_HATCHED] = "1px dashed",
		[JR_LOOK_BARRED] = "2px dashed"};
	if (!edges[look])
		return;
	jr_rgb_hex(hex, jr_role_light(jr_stripe_role(role, look)));
	jr_buf_printf(out, "border:%s %s;", edges[look], hex);
}

#define TABLE "<table cellpadding=\"4\" cellspacing=\"0\" border=\"0\" "
#define CELL "border-bottom:1px solid #e3e7eb;font-size:13px;vertical-align:top"

/* --- blocks --------------------------------------------------------------------------------- */

/* Write tiles as one line of text, as on the page: on a phone, tiles would separate answer and
 * advice. */
static void put_tiles(struct jr_buf *out, const struct jr_facts *facts)
{
	jr_buf_puts(out, "<p style=\"font-size:13px;line-height:20px;margin:8px 0;color:#59636e\">\n");
	for (size_t i = 0; i < facts->n; i++) {
		const struct jr_fact *f = &facts->facts[i];
		jr_buf_puts(out, i ? "\n&#183; " : "");
		put_text(out, f->title);
		jr_buf_puts(out, " <b style=\"color:#1b2026\">");
		put_cut(out, f->value, 60);
		jr_buf_puts(out, "</b> ");
		put_cut(out, f->note, 100);
	}
	jr_buf_puts(out, "</p>\n");
}

static void put_facts(struct jr_buf *out, const struct jr_facts *facts)
{
	jr_buf_puts(out, TABLE ">\n");
	for (size_t i = 0; i < facts->n; i++) {
		jr_buf_puts(out, "<tr>");
		put_element(out, "td", CELL ";color:#59636e", facts->facts[i].title);
		jr_buf_puts(out, "<td style=\"" CELL "\">");
		put_cut(out, facts->facts[i].value, 120);
		if (*facts->facts[i].note) {
			jr_buf_puts(out, " (");
			put_cut(out, facts->facts[i].note, 80);
			jr_buf_puts(out, ")");
		}
		jr_buf_puts(out, "</td></tr>\n");
	}
	jr_buf_puts(out, "</table>\n");
}

static void put_finding(struct jr_buf *out, const struct jr_finding *f)
{
	static const enum jr_role roles[] = {
		[JR_INFO] = JR_ROLE_MUTED, [JR_NOTICE] = JR_ROLE_WARNING, [JR_WARNING] = JR_ROLE_BAD};
	struct jr_buf gain = {0};
	jr_buf_puts(out, "<tr><td width=\"4\" bgcolor=\"");
	put_color(out, roles[f->severity]);
	jr_buf_puts(out, "\">&#160;</td><td style=\"" CELL ";word-break:break-word\"><b>");
	put_text(out, f->title ? f->title : f->id);
	jr_buf_puts(out, "</b>");
	jr_value_put_gain(&gain, f);
	jr_buf_puts(out, " (");
	put_text(out, gain.data);
	jr_buf_puts(out, ")");
	jr_buf_done(&gain);
	struct jr_finding_part parts[JR_FINDING_PARTS];
	size_t n = jr_value_finding_parts(f, parts);
	for (size_t i = 0; i < n; i++) {
		jr_buf_printf(
			out, "<br>\n<span style=\"color:%s\">", parts[i].small ? "#59636e" : "#1b2026");
		if (parts[i].label)
			jr_buf_printf(out, "<b>%s</b> ", parts[i].label);
		put_cut(out, parts[i].text, 900);
		jr_buf_puts(out, "</span>");
	}
	jr_buf_puts(out, "</td></tr>\n");
}

static void put_table_head(struct jr_buf *out, const struct jr_doc_table *t)
{
	jr_buf_puts(out, "<tr bgcolor=\"#f5f7f9\">");
	for (size_t c = 0; c < t->n_columns; c++) {
		jr_buf_printf(out, "<th align=\"%s\" style=\"font-size:12px\">",
			t->columns[c].format.right ? "right" : "left");
		put_text(out, t->columns[c].spec->title);
		if (*t->columns[c].format.suffix) {
			jr_buf_puts(out, " (");
			put_text(out, t->columns[c].format.suffix);
			jr_buf_puts(out, ")");
		}
		jr_buf_puts(out, "</th>");
	}
	jr_buf_puts(out, "</tr>\n");
}

/* Write row `row`, the i-th one shown; labels[c]: of the rows shown, for columns of code. */
static void put_table_row(struct jr_buf *out, const struct jr_doc_table *t, size_t row, size_t i,
	const char **const *labels)
{
	jr_buf_puts(out, "<tr>");
	for (size_t c = 0; c < t->n_columns; c++) {
		char room[JR_NUM_MAX];
		bool code = t->columns[c].spec->flags & JR_COL_CODE;
		struct jr_value v = jr_value_of_cell(t->table, t->columns[c].index, row);
		const char *text = jr_value_text(&t->columns[c].format, &v, room);
		bool right = t->columns[c].format.right;
		jr_buf_printf(out, "<td align=\"%s\" style=\"" CELL "%s%s\">", right ? "right" : "left",
			code ? ";font-family:Consolas,monospace;font-size:12px" : "",
			right || (code && strlen(text) <= CODE_LINE) ? ";white-space:nowrap"
			: code && c                                  ? ";min-width:56px;word-break:break-word"
			: code                                       ? ";min-width:115px;word-break:break-word"
														 : "");
		if (code)
			put_plain(out, labels[c] && labels[c][i] && *labels[c][i] ? labels[c][i] : text);
		else if (t->columns[c].spec->flags & JR_COL_WHOLE)
			put_text(out, text);
		else
			put_cut(out, text, 200);
		jr_buf_puts(out, "</td>");
	}
	jr_buf_puts(out, "</tr>\n");
}

/* As many columns as fit on a phone: the row's name and the first numbers; for a comparison, the
 * first changes with base and new. Besides, what a row is not understood without. */
static struct jr_doc_table narrow(
	const struct jr_doc_table *t, struct jr_doc_column columns[MAX_COLUMNS])
{
	enum { BEFORE_CHANGE = 2, CHANGE = 4, USUAL = 4 }; /* base, new, change, change in % */
	struct jr_doc_table out = *t;
	size_t change = 0, n = 0, usual = 1;
	bool vital = false;
	for (size_t c = 1; c < t->n_columns; c++)
		vital |= (t->columns[c].spec->flags & JR_COL_VITAL) != 0;
	while (change < t->n_columns && !(t->columns[change].spec->flags & JR_COL_CHANGE))
		change++;
	bool changes = change >= BEFORE_CHANGE && change < t->n_columns;
	size_t from = !changes || change == BEFORE_CHANGE ? 1 : change - BEFORE_CHANGE;
	columns[n++] = t->columns[0];
	for (size_t c = 1; c < t->n_columns && n < MAX_COLUMNS; c++) {
		unsigned flags = t->columns[c].spec->flags;
		bool taken =
			changes
				? c >= from && usual <= CHANGE && (c <= change || flags & JR_COL_CHANGE)
				: usual < USUAL && (t->columns[c].format.right || usual + t->n_columns - c < USUAL);
		if (changes && vital && c + 1 == change) { /* new: a phone has no room for all */
			usual++;
			continue;
		}
		if (!taken && !(flags & JR_COL_VITAL))
			continue;
		usual += taken && !(flags & JR_COL_VITAL);
		columns[n++] = t->columns[c];
	}
	out.columns = columns;
	out.n_columns = n;
	return out;
}

static void put_table(struct mail_page *p, const struct jr_doc_table *all)
{
	struct jr_doc_column columns[MAX_COLUMNS];
	struct jr_doc_table narrowed = narrow(all, columns), *t = &narrowed;
	size_t n = jr_doc_rows(t, p->max_rows), shown = n - (t->table->n_rows - t->rest);
	for (int i = 0; i < 2; i++) {
		const char *said = i ? t->same : t->about;
		if (said)
			put_element(p->out, "p", "font-size:12px;color:#59636e;margin:2px 0", said);
	}
	jr_buf_puts(p->out, TABLE "style=\"border-collapse:collapse\">\n");
	put_table_head(p->out, t);
	struct jr_arena arena;
	jr_arena_init(&arena, 0);
	const char ***labels = JR_ARENA_N(&arena, const char **, t->n_columns + 1);
	for (size_t c = 0; c < t->n_columns; c++)
		if (!(labels[c] = jr_doc_source_labels(t, c, p->max_rows, &arena)))
			labels[c] = jr_doc_labels(t, c, p->max_rows, CODE_WIDTH, &arena);
	for (size_t i = 0; i < n; i++)
		put_table_row(p->out, t, jr_doc_row(t, p->max_rows, i), i, (const char **const *)labels);
	jr_arena_done(&arena);
	jr_buf_puts(p->out, "</table>\n");
	JR_CLEANUP(jr_buf_done) struct jr_buf left = {0};
	jr_doc_put_more(&left, t, shown);
	if (t->n_columns < all->n_columns)
		jr_buf_printf(&left, "%s%zu more column%s", left.size ? "; " : "",
			all->n_columns - t->n_columns, all->n_columns - t->n_columns == 1 ? "" : "s");
	if (left.size)
		put_element(p->out, "p", "font-size:12px;color:#59636e", left.data);
}

/* Write one bar of cells per row. A part below half a percent has no cell. */
static void put_bars(struct mail_page *p, const struct jr_chart *chart)
{
	size_t n_parts = jr_chart_n_parts(chart);
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	struct jr_chart_bars bars = jr_chart_longest(chart, p->max_rows, &arena);
	for (size_t k = 0; k < bars.n; k++) {
		size_t row = bars.rows[k];
		double sum = jr_chart_parts_sum(chart, row);
		if (!(sum > 0))
			continue;
		jr_buf_printf(p->out,
			"<table cellpadding=\"0\" cellspacing=\"0\" border=\"0\" width=\"100%%\" "
			"style=\"margin:2px 0\"><tr>");
		for (size_t i = 0; i < n_parts; i++) {
			unsigned percent = (unsigned)(jr_chart_part(chart, i, row) / sum * 100 + 0.5);
			if (!percent)
				continue;
			jr_buf_printf(p->out, "<td width=\"%u%%\" height=\"14\" bgcolor=\"", percent);
			put_area(p->out, jr_chart_part_role(chart, i));
			jr_buf_puts(p->out, "font-size:1px;line-height:14px\">&#160;</td>");
		}
		jr_buf_puts(p->out, "</tr></table>\n");
	}
}

static void put_figure(struct mail_page *p, const struct jr_figure *f)
{
	if (f->tree)
		return;
	put_element(p->out, "p", "margin:10px 0 2px 0;font-weight:bold;font-size:13px", f->title);
	if (f->chart->kind == JR_CHART_STACKED)
		put_bars(p, f->chart);
	put_element(p->out, "p", "margin:2px 0 10px 0;font-size:12px;color:#59636e", f->fallback);
}

static void put_block(struct mail_page *p, const struct jr_block *block)
{
	switch (block->kind) {
	case JR_BLOCK_TEXT: put_paragraph(p->out, block->as.text); break;
	case JR_BLOCK_HEADING:
		put_element(p->out, p->heading, "font-size:15px;margin:16px 0 4px 0", block->as.text);
		break;
	case JR_BLOCK_TILES: put_tiles(p->out, &block->as.facts); break;
	case JR_BLOCK_FACTS: put_facts(p->out, &block->as.facts); break;
	case JR_BLOCK_TABLE: put_table(p, block->as.table); break;
	case JR_BLOCK_FIGURE: put_figure(p, block->as.figure); break;
	case JR_BLOCK_FINDINGS: /* written by put_findings(), as far as there is room */
	case JR_BLOCK_LISTING:
	case JR_BLOCK_LIST:
	case JR_BLOCK_TERMS: break;
	}
}

/* --- the page ------------------------------------------------------------------------------- */

/* Least number of encoded bytes: as quoted-printable, each '=' takes three, and soft line ends take
 * two of every 73. */
static size_t cost(const struct mail_page *p)
{
	size_t n = 0;
	for (size_t i = p->begin; i < p->out->size; i++)
		n += p->out->data[i] == '=' ? 3 : 1;
	return n + n / 73 * 2 + 2;
}

static bool keep(struct mail_page *p, size_t before)
{
	if (cost(p) <= JR_MAIL_HTML_MAX - RESERVE)
		return true;
	p->out->size = before;
	p->out->data[before] = '\0';
	return false;
}

static void put_findings(struct mail_page *p, const struct jr_findings *findings)
{
	jr_buf_puts(p->out, TABLE "width=\"100%\">\n");
	for (size_t i = 0; i < findings->n; i++) {
		size_t before = p->out->size;
		struct jr_finding f = findings->findings[i];
		if (i >= FULL_FINDINGS)
			f.why = f.action = f.evidence = f.also = NULL;
		put_finding(p->out, &f);
		if (!keep(p, before))
			break;
	}
	jr_buf_puts(p->out, "</table>\n");
}

static void put_pictures(struct mail_page *p, const struct jr_figure *const *figures, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t before = p->out->size;
		double width = figures[i]->scene->width < 640 ? figures[i]->scene->width : 640;
		put_element(p->out, "p", "margin:14px 0 2px 0;font-weight:bold", figures[i]->title);
		jr_buf_printf(p->out,
			"<img src=\"cid:%s@jaxreport\" width=\"%d\" style=\"max-width:100%%;height:auto\" "
			"alt=\"",
			figures[i]->name, (int)width);
		put_cut_plain(p->out, figures[i]->fallback, 400);
		jr_buf_puts(p->out, "\">\n");
		keep(p, before);
	}
}

static void put_section(struct mail_page *p, const struct jr_doc_section *s)
{
	static const size_t rows[] = {5, 3, 1};
	for (size_t r = 0; r < JR_COUNT_OF(rows); r++) {
		size_t before = p->out->size;
		p->max_rows = rows[r];
		put_element(p->out, "h2", "font-size:17px;margin:22px 0 4px 0", s->title);
		for (size_t i = 0; i < s->blocks.n; i++)
			if (s->blocks.items[i].kind != JR_BLOCK_FIGURE)
				put_block(p, &s->blocks.items[i]);
		if (keep(p, before))
			return;
	}
}

static void put_front(struct mail_page *p)
{
	const struct jr_doc_section *overview = &p->doc->sections.items[0];
	size_t n = overview->blocks.n;
	for (size_t i = 0; i < n; i++) {
		size_t before = p->out->size;
		if (overview->blocks.items[i].kind == JR_BLOCK_FINDINGS)
			put_findings(p, &overview->blocks.items[i].as.findings);
		else
			put_block(p, &overview->blocks.items[i]);
		keep(p, before);
	}
}

static void put_head(struct jr_buf *out, const struct jr_doc *doc)
{
	jr_buf_puts(out, "<p style=\"font-size:12px;margin:0 0 6px 0;color:#59636e\">");
	if (doc->headline) {
		put_cut(out, doc->title, 200);
		jr_buf_puts(out, " &#183; ");
	}
	put_cut(out, doc->subtitle, 300);
	if (doc->caveats) {
		jr_buf_puts(out, "<br>");
		put_cut(out, doc->caveats, 300);
	}
	jr_buf_puts(out, "</p>\n<h1 style=\"font-size:20px;line-height:26px;margin:0\">");
	if (doc->gates) {
		put_plain(out, jr_doc_gates_mark(doc));
		jr_buf_putc(out, ' ');
	}
	put_cut(out, doc->headline ? doc->headline : doc->title, 300);
	jr_buf_puts(out, "</h1>\n");
	if (doc->gates)
		put_element(out, "p",
			doc->gates_tone == JR_GATES_PASS ? "margin:6px 0 0 0"
											 : "margin:6px 0 0 0;font-weight:bold",
			doc->gates);
	if (doc->lede)
		put_element(out, "p", "margin:4px 0 10px 0;color:#59636e", doc->lede);
}

void jr_mail_html(struct jr_buf *out, const struct jr_doc *doc,
	const struct jr_figure *const *figures, size_t n_figures)
{
	struct mail_page p = {
		.out = out, .doc = doc, .begin = out->size, .max_rows = 10, .heading = "h2"};
	jr_buf_puts(out, "<!DOCTYPE html>\n<html lang=\"en\"><head>"
					 "<meta http-equiv=\"Content-Type\" content=\"text/html; charset=us-ascii\">\n"
					 "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
					 "<title>");
	put_cut_plain(out, doc->headline ? doc->headline : doc->title, 200);
	jr_buf_puts(out,
		"</title></head>\n<body bgcolor=\"#ffffff\" "
		"style=\"margin:0 auto;padding:16px;max-width:640px;"
		"overflow-wrap:break-word;" FONT ";font-size:14px;line-height:20px;color:#1b2026\">\n");
	put_head(out, doc);
	put_front(&p);
	put_pictures(&p, figures, n_figures);
	p.heading = "h3";
	const struct jr_doc_section *section;
	for (size_t i = 0; (section = jr_brief_section(doc, i)); i++)
		put_section(&p, section);
	jr_buf_puts(out,
		"<p style=\"font-size:12px;color:#59636e\">The report has all rows, charts and "
		"definitions. Made by jaxreport.</p>\n</body></html>\n");
}
