/* report.pdf: the document on sheets of paper, with real text, an outline, links, and all figures
 * as vectors. Tables show their first rows; report.json and the CSV files have all. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "render/scene.h"
#include "report/core/formats.h"
#include "report/document/listing.h"
#include "report/pdf/pdf_layout.h"

#define MAX_ROWS 10
#define LISTING_LINES 8
#define LISTING_COLUMNS 118
#define HIGHEST 0.235    /* of a page: a figure */
#define PT_PER_PX 0.65   /* of a figure: its text is as large as small text */
#define GROUP_ROOM 50    /* pt of the titles of a group and its first section */
#define LEAST_BLOCK 50   /* pt of a text or table, from which a heading stands above it */
#define LEAST_SCALE 0.75 /* of a figure, to which it shrinks to fit on its page */

static const struct jr_pdf_font headline_font = {.size = 15, .bold = true},
								group_font = {.size = 9, .bold = true, .role = JR_ROLE_MUTED},
								section_font = {.size = 12, .bold = true},
								title_font = {.size = 9, .bold = true},
								gates_font = {.size = 9.5, .bold = true, .role = JR_ROLE_BAD},
								link_font = {.size = 7.5, .role = JR_ROLE_ACCENT};

struct writer {
	const struct jr_doc *doc;
	struct jr_flow flow;
};

/* Definitions are only on the page. So are folded tables: a chart shows the same, or they are for
 * reference. */
static bool is_on_page_only(const struct jr_block *block)
{
	return block->kind == JR_BLOCK_TERMS ||
		   (block->kind == JR_BLOCK_TABLE && block->as.table->folded);
}

static bool is_glossary(const struct jr_doc_section *s)
{
	return s->blocks.n == 1 && s->blocks.items[0].kind == JR_BLOCK_TERMS;
}

/* Whether nothing of a section is printed but its title. */
static bool is_all_on_page(const struct jr_doc_section *s)
{
	for (size_t i = 0; i < s->blocks.n; i++)
		if (!is_on_page_only(&s->blocks.items[i]))
			return false;
	return s->blocks.n > 0;
}

/* --- blocks --------------------------------------------------------------------------------- */

static void put_facts(struct jr_flow *f, const struct jr_facts *facts)
{
	const double indent = 130;
	struct jr_buf value = {0}, title = {0};
	for (size_t i = 0; i < facts->n; i++) {
		const struct jr_fact *fact = &facts->facts[i];
		value.size = title.size = 0;
		jr_buf_puts(&value, fact->value);
		if (*fact->note)
			jr_buf_printf(&value, "  (%s)", fact->note);
		jr_pdf_fit(f->pdf, fact->title, &jr_pdf_body, indent - 8, &title);
		jr_flow_need(f, 2 * jr_pdf_body.size);
		double y = f->y;
		jr_pdf_text(
			f->pdf, f->left, y + jr_pdf_body.size, title.size ? title.data : "", &jr_pdf_body);
		if (fact->section)
			jr_pdf_link(f->pdf, fact->section, f->left, y, indent - 8, 11);
		jr_flow_text(f, NULL, value.data, &jr_pdf_strong, indent);
	}
	jr_flow_gap(f, 6);
	jr_buf_done(&value);
	jr_buf_done(&title);
}

static void put_findings(struct writer *w, const struct jr_findings *findings)
{
	struct jr_flow *f = &w->flow;
	JR_CLEANUP(jr_buf_done) struct jr_buf gain = {0};
	for (size_t i = 0; i < findings->n; i++) {
		const struct jr_finding *finding = &findings->findings[i];
		char number[JR_NUM_MAX];
		snprintf(number, sizeof(number), "%zu.", i + 1);
		jr_flow_need(f, 44);
		jr_pdf_text(f->pdf, f->left, f->y + title_font.size, number, &title_font);
		jr_flow_text(f, NULL, finding->title ? finding->title : finding->id, &title_font, 16);
		gain.size = 0;
		jr_value_put_gain(&gain, finding);
		jr_flow_text(f, NULL, gain.data, &jr_pdf_small, 16);
		struct jr_finding_part parts[JR_FINDING_PARTS];
		size_t n = jr_value_finding_parts(finding, parts);
		for (size_t k = 0; k < n; k++)
			jr_flow_text(f, parts[k].label, parts[k].text,
				parts[k].small ? &jr_pdf_small : &jr_pdf_body, 16);
		const char *target = jr_doc_section_title(w->doc, finding->section);
		if (target) {
			jr_flow_need(f, 11);
			double y = f->y;
			jr_flow_text(f, NULL, target, &link_font, 16);
			jr_pdf_link(f->pdf, finding->section, f->left + 16, y,
				jr_pdf_width(f->pdf, target, strlen(target), &link_font), 10);
		}
		jr_flow_gap(f, 5);
	}
}

static double figure_scale(const struct jr_flow *f, const struct jr_figure *figure)
{
	if (!figure->scene)
		return 0;
	double scale = fmin(PT_PER_PX, (f->right - f->left) / figure->scene->width);
	return fmin(scale, HIGHEST * f->height / figure->scene->height);
}

/* Height of the title and the caption of a figure. */
static double height_around(struct jr_flow *f, const struct jr_figure *figure)
{
	return jr_flow_height(f, figure->title, &jr_pdf_strong) + 4 +
		   jr_flow_height(f, figure->caption, &jr_pdf_small);
}

/* Height of a figure with its texts, as small as it may become. */
static double least_height(struct jr_flow *f, const struct jr_figure *figure)
{
	double height = figure->scene ? figure->scene->height : 0;
	return LEAST_SCALE * figure_scale(f, figure) * height + height_around(f, figure);
}

static bool has_room(struct jr_flow *f, const struct jr_figure *figure)
{
	return f->y + least_height(f, figure) <= f->bottom;
}

static void put_figure(struct jr_flow *f, const struct jr_figure *figure)
{
	if (!figure->scene)
		return;
	jr_flow_need(f, least_height(f, figure));
	double room = f->bottom - f->y - height_around(f, figure);
	double scale = fmin(figure_scale(f, figure), room / figure->scene->height);
	jr_flow_text(f, NULL, figure->title, &jr_pdf_strong, 0);
	jr_flow_gap(f, 2);
	jr_pdf_scene(f->pdf, figure->scene, f->left, f->y, scale);
	f->y += figure->scene->height * scale + 2;
	if (figure->caption)
		jr_flow_text(f, NULL, figure->caption, &jr_pdf_small, 0);
	jr_flow_gap(f, 8);
}

/* Lines as they are: no wrapping. */
static void put_listing(struct jr_flow *f, const struct jr_doc_listing *listing)
{
	struct jr_buf text = {0}, line = {0}, fit = {0};
	if (jr_listing_put(&text, listing, LISTING_LINES, LISTING_COLUMNS)) {
		jr_flow_need(f, 40);
		jr_flow_text(f, NULL, listing->listing->file, &jr_pdf_strong, 0);
		for (const char *s = text.data; *s;) {
			size_t n = strcspn(s, "\n");
			line.size = fit.size = 0;
			for (size_t i = 0; i < n; i++)
				jr_buf_puts(&line, s[i] == '\t' ? "    " : (char[]){s[i], 0});
			jr_pdf_fit(f->pdf, line.size ? line.data : "", &jr_pdf_code, f->right - f->left, &fit);
			jr_flow_need(f, 9);
			jr_pdf_text(f->pdf, f->left, f->y + 7, fit.size ? fit.data : "", &jr_pdf_code);
			f->y += 9;
			s += n + (s[n] == '\n');
		}
		jr_flow_gap(f, 8);
	}
	jr_buf_done(&text);
	jr_buf_done(&line);
	jr_buf_done(&fit);
}

static void put_list(struct jr_flow *f, const struct jr_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		jr_flow_text(f, list->entries[i].term, list->entries[i].text, &jr_pdf_body, 8);
		jr_flow_gap(f, 2);
	}
	jr_flow_gap(f, 6);
}

static void put_block(struct writer *w, const struct jr_block *block)
{
	struct jr_flow *f = &w->flow;
	if (is_on_page_only(block))
		return;
	switch (block->kind) {
	case JR_BLOCK_TEXT:
		jr_flow_text(f, NULL, block->as.text, &jr_pdf_body, 0);
		jr_flow_gap(f, 5);
		break;
	case JR_BLOCK_HEADING:
		jr_flow_need(f, 60);
		jr_flow_text(f, NULL, block->as.text, &title_font, 0);
		jr_flow_gap(f, 3);
		break;
	case JR_BLOCK_TILES:
	case JR_BLOCK_FACTS: put_facts(f, &block->as.facts); break;
	case JR_BLOCK_FINDINGS: put_findings(w, &block->as.findings); break;
	case JR_BLOCK_TABLE: jr_flow_table(f, block->as.table, MAX_ROWS); break;
	case JR_BLOCK_FIGURE: put_figure(f, block->as.figure); break;
	case JR_BLOCK_LISTING: put_listing(f, block->as.listing); break;
	case JR_BLOCK_LIST: put_list(f, &block->as.list); break;
	case JR_BLOCK_TERMS: break; /* see is_on_page_only() */
	}
}

/* --- document ------------------------------------------------------------------------------- */

static void put_head(struct writer *w)
{
	struct jr_flow *f = &w->flow;
	const struct jr_doc *doc = w->doc;
	jr_flow_text(f, doc->headline ? doc->title : NULL, doc->subtitle, &jr_pdf_small, 0);
	jr_flow_gap(f, 4);
	jr_flow_text(f, NULL, doc->headline ? doc->headline : doc->title, &headline_font, 0);
	jr_flow_gap(f, 3);
	if (doc->gates)
		jr_flow_text(f, NULL, doc->gates,
			doc->gates_tone == JR_GATES_PASS ? &jr_pdf_strong : &gates_font, 0);
	if (doc->lede)
		jr_flow_text(f, NULL, doc->lede, &jr_pdf_body, 0);
	if (doc->caveats)
		jr_flow_text(f, NULL, doc->caveats, &jr_pdf_small, 0);
	jr_flow_gap(f, 8);
}

/* Height of what a section begins with: a heading stays with its figure. */
static double first_height(struct jr_flow *f, const struct jr_doc_section *s)
{
	const struct jr_block *block = s->blocks.n ? &s->blocks.items[0] : NULL;
	if (!block || block->kind != JR_BLOCK_FIGURE || !block->as.figure->scene)
		return LEAST_BLOCK;
	return least_height(f, block->as.figure);
}

/* Whether a figure may come after this block, too. */
static bool may_precede(const struct jr_block *block)
{
	return block->kind != JR_BLOCK_FIGURE && block->kind != JR_BLOCK_HEADING;
}

/* A figure that does not fit on its page lets the text and tables after it fill the page. */
static void put_blocks(struct writer *w, const struct jr_doc_section *s)
{
	const struct jr_figure *late = NULL;
	for (size_t i = 0; i < s->blocks.n; i++) {
		const struct jr_block *block = &s->blocks.items[i];
		if (late && (has_room(&w->flow, late) || !may_precede(block))) {
			put_figure(&w->flow, late);
			late = NULL;
		}
		if (block->kind == JR_BLOCK_FIGURE && !has_room(&w->flow, block->as.figure))
			late = block->as.figure;
		else
			put_block(w, block);
	}
	if (late)
		put_figure(&w->flow, late);
}

static void put_section(struct writer *w, const struct jr_doc_section *s, bool leads)
{
	struct jr_flow *f = &w->flow;
	if (!leads) {
		jr_flow_gap(f, 6);
		jr_flow_need(f, jr_flow_height(f, s->title, &section_font) +
							jr_flow_height(f, s->summary, &jr_pdf_small) + 4 + first_height(f, s));
		jr_pdf_place(f->pdf, s->id, f->y);
		jr_flow_text(f, NULL, s->title, &section_font, 0);
		if (s->summary)
			jr_flow_text(f, NULL, s->summary, &jr_pdf_small, 0);
		jr_flow_gap(f, 4);
	} else {
		jr_pdf_place(f->pdf, s->id, 0);
	}
	if (is_all_on_page(s)) {
		jr_flow_text(f, NULL, "Its table is on the page and in report.json.", &jr_pdf_body, 0);
		jr_flow_gap(f, 5);
	}
	put_blocks(w, s);
}

static void put_outline(struct writer *w)
{
	const struct jr_doc *doc = w->doc;
	int group = 0;
	for (size_t i = 0; i < doc->sections.n; i++) {
		const struct jr_doc_section *s = &doc->sections.items[i];
		if (is_glossary(s))
			continue;
		if (i == 0 || s->group != s[-1].group)
			group = jr_pdf_outline(w->flow.pdf, 0, doc->group_titles[s->group], s->id);
		(void)jr_pdf_outline(w->flow.pdf, group, s->title, s->id);
	}
}

enum jr_status jr_pdf_of_doc(
	const struct jr_doc *doc, bool letter, struct jr_buf *out, struct jr_error *err)
{
	struct writer w = {.doc = doc};
	enum jr_section_group told = JR_GROUP_ANSWER;
	jr_flow_begin(&w.flow, doc->title, letter);
	put_outline(&w);
	put_head(&w);
	for (size_t i = 0; i < doc->sections.n; i++) {
		const struct jr_doc_section *s = &doc->sections.items[i];
		if (is_glossary(s))
			continue;
		if (s->group != told) {
			jr_flow_gap(&w.flow, 8);
			jr_flow_need(&w.flow, GROUP_ROOM + first_height(&w.flow, s));
			jr_flow_text(&w.flow, NULL, doc->group_titles[s->group], &group_font, 0);
		}
		told = s->group;
		put_section(&w, s, i == 0);
	}
	jr_flow_end(&w.flow);
	return jr_pdf_finish(w.flow.pdf, out, err);
}

enum jr_status jr_write_pdf(const struct jr_report_job *job, struct jr_error *err)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
	JR_TRY(jr_pdf_of_doc(job->doc, job->profile->options.letter, &out, err));
	return jr_outdir_write(job->out, "report.pdf", jr_buf_view(&out), err);
}
