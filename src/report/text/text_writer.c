/* summary.txt and the output for a terminal: the report in columns. The file ends with compilation
 * by module, in the same lines as `jaxreport summary` (these are not wrapped). */
#include <string.h>

#include "analysis/shared/columns.h"
#include "analysis/compile/compile_summary.h"
#include "base/text.h"
#include "report/core/formats.h"
#include "report/document/listing.h"
#include "report/text/text_layout.h"
#include "report/core/text_fit.h"

#define MAX_ROWS 15
#define FACT_TITLE 34
#define PROSE_MAX 100 /* columns; longer lines of prose are hard to read */

static size_t prose(const struct jr_text_style *style)
{
	return style->width < PROSE_MAX ? style->width : PROSE_MAX;
}

static void put_rule(
	struct jr_buf *out, const char *title, const char *mark, const struct jr_text_style *style)
{
	jr_layout_sgr(out, style, "1");
	jr_layout_wrap(out, title, style->width, 0, 0);
	size_t n = jr_text_width(title, strlen(title));
	for (size_t i = 0; i < (n < style->width ? n : style->width); i++)
		jr_buf_puts(out, mark);
	jr_buf_puts(out, "\n");
	jr_layout_line_end(out, style);
}

static void put_facts(
	struct jr_buf *out, const struct jr_facts *facts, const struct jr_text_style *style)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf line = {0};
	size_t widest = 0;
	for (size_t i = 0; i < facts->n; i++) {
		size_t n = jr_text_width(facts->facts[i].title, strlen(facts->facts[i].title));
		if (n > widest && n <= FACT_TITLE)
			widest = n;
	}
	for (size_t i = 0; i < facts->n; i++) {
		const struct jr_fact *f = &facts->facts[i];
		line.size = 0;
		jr_buf_puts(&line, f->value);
		if (*f->note)
			jr_buf_printf(&line, "  (%s)", f->note);
		size_t n = jr_layout_fit(out, f->title, FACT_TITLE);
		jr_buf_repeat(out, ' ', n < widest ? widest - n + 2 : 2);
		jr_layout_sgr(out, style, "1");
		jr_layout_wrap(out, line.data ? line.data : "", prose(style), (n < widest ? widest : n) + 2,
			widest + 2);
		jr_layout_line_end(out, style);
	}
}

static void put_findings(
	struct jr_buf *out, const struct jr_findings *findings, const struct jr_text_style *style)
{
	static const char *const severities[] = {
		[JR_INFO] = "1", [JR_NOTICE] = "1;33", [JR_WARNING] = "1;31"};
	JR_CLEANUP(jr_buf_done) struct jr_buf line = {0};
	for (size_t i = 0; i < findings->n; i++) {
		const struct jr_finding *f = &findings->findings[i];
		line.size = 0;
		jr_buf_puts(&line, f->title ? f->title : f->id);
		jr_buf_puts(&line, " [");
		jr_value_put_gain(&line, f);
		jr_buf_putc(&line, ']');
		jr_layout_sgr(out, style, severities[f->severity]);
		jr_buf_printf(out, "%2zu. ", i + 1);
		jr_layout_wrap(out, line.data, prose(style), 4, 4);
		jr_layout_line_end(out, style);
		struct jr_finding_part parts[JR_FINDING_PARTS];
		size_t n = jr_value_finding_parts(f, parts);
		for (size_t t = 0; t < n; t++) {
			line.size = 0;
			if (parts[t].label)
				jr_buf_printf(&line, "%s ", parts[t].label);
			jr_buf_puts(&line, parts[t].text);
			jr_buf_puts(out, "    ");
			jr_layout_sgr(out, style, parts[t].small ? "2" : "0");
			jr_layout_wrap(out, line.data, prose(style), 4, 4);
			jr_layout_line_end(out, style);
		}
	}
}

static void put_list(
	struct jr_buf *out, const struct jr_list *list, const struct jr_text_style *style)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf line = {0};
	for (size_t i = 0; i < list->n; i++) {
		line.size = 0;
		if (list->entries[i].term)
			jr_buf_printf(&line, "%s: ", list->entries[i].term);
		jr_buf_puts(&line, list->entries[i].text);
		jr_buf_puts(out, "- ");
		jr_layout_wrap(out, line.data, prose(style), 2, 2);
	}
}

/* A flamegraph becomes an outline, divided bars become their parts, and cells become
 * sentences; other figures have their numbers in tables. */
static void put_figure(
	struct jr_buf *out, const struct jr_figure *figure, const struct jr_text_style *style)
{
	bool parts = figure->chart && figure->chart->kind == JR_CHART_STACKED;
	bool cells = figure->chart &&
				 (figure->chart->kind == JR_CHART_CELLS || figure->chart->kind == JR_CHART_HEAT);
	if ((!figure->tree && !parts && !cells) || !*figure->fallback)
		return;
	jr_layout_sgr(out, style, "1");
	jr_layout_wrap(out, figure->title, style->width, 0, 0);
	jr_layout_line_end(out, style);
	if (parts || cells) {
		if (parts)
			jr_layout_stacks(out, figure->chart, style);
		jr_layout_wrap(out, figure->fallback, prose(style), 0, 0);
		jr_buf_putc(out, '\n');
		return;
	}
	for (const char *line = figure->fallback; *line;) {
		size_t n = strcspn(line, "\n");
		struct jr_buf copy = {0};
		jr_buf_add(&copy, line, n);
		jr_layout_fit(out, copy.data, style->width);
		jr_buf_done(&copy);
		jr_buf_putc(out, '\n');
		line += n + (line[n] == '\n');
	}
	jr_buf_putc(out, '\n');
}

static void put_listing(
	struct jr_buf *out, const struct jr_doc_listing *listing, const struct jr_text_style *style)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	if (jr_listing_put(&text, listing, MAX_ROWS, style->width)) {
		jr_layout_fit(out, listing->listing->file, style->width);
		jr_buf_printf(out, "\n%s\n", text.data);
	}
}

void jr_plain_block(
	struct jr_buf *out, const struct jr_block *block, const struct jr_text_style *style)
{
	switch (block->kind) {
	case JR_BLOCK_TEXT: jr_layout_wrap(out, block->as.text, prose(style), 0, 0); break;
	case JR_BLOCK_HEADING: put_rule(out, block->as.text, "-", style); return;
	case JR_BLOCK_TILES:
	case JR_BLOCK_FACTS: put_facts(out, &block->as.facts, style); break;
	case JR_BLOCK_FINDINGS: put_findings(out, &block->as.findings, style); break;
	case JR_BLOCK_TABLE:
		jr_layout_sgr(out, style, "1");
		if (block->as.table->table->spec->title)
			jr_layout_wrap(out, block->as.table->table->spec->title, style->width, 0, 0);
		jr_layout_line_end(out, style);
		if (block->as.table->same)
			jr_layout_wrap(out, block->as.table->same, prose(style), 0, 0);
		jr_layout_table(out, block->as.table, MAX_ROWS, style);
		break;
	case JR_BLOCK_FIGURE: put_figure(out, block->as.figure, style); return;
	case JR_BLOCK_LISTING: put_listing(out, block->as.listing, style); return;
	case JR_BLOCK_LIST: put_list(out, &block->as.list, style); break;
	case JR_BLOCK_TERMS: return; /* definitions are only on the page */
	}
	jr_buf_putc(out, '\n');
}

void jr_plain_head(struct jr_buf *out, const struct jr_doc *doc, const struct jr_text_style *style)
{
	jr_layout_sgr(out, style, doc->headline ? "2" : "1");
	jr_layout_wrap(out, doc->title, style->width, 0, 0);
	jr_layout_line_end(out, style);
	jr_layout_wrap(out, doc->subtitle, style->width, 0, 0);
	jr_buf_putc(out, '\n');
	if (!doc->headline)
		return;
	jr_layout_sgr(out, style, "1");
	jr_layout_wrap(out, doc->headline, prose(style), 0, 0);
	jr_layout_line_end(out, style);
	if (doc->gates) {
		jr_layout_sgr(out, style, doc->gates_tone == JR_GATES_PASS ? "0" : "1");
		jr_layout_wrap(out, doc->gates, prose(style), 0, 0);
		jr_layout_line_end(out, style);
	}
	if (doc->lede)
		jr_layout_wrap(out, doc->lede, prose(style), 0, 0);
	if (doc->caveats)
		jr_layout_wrap(out, doc->caveats, prose(style), 0, 0);
	jr_buf_putc(out, '\n');
}

static bool is_glossary(const struct jr_doc_section *s)
{
	return s->blocks.n == 1 && s->blocks.items[0].kind == JR_BLOCK_TERMS;
}

/* False if there is nothing to write. */
static bool put_section(struct jr_buf *out, const struct jr_doc_section *s, bool leads,
	const struct jr_text_style *style)
{
	size_t before = out->size;
	if (!leads)
		put_rule(out, s->title, "=", style);
	size_t heading = out->size;
	for (size_t i = 0; i < s->blocks.n; i++)
		jr_plain_block(out, &s->blocks.items[i], style);
	if (out->size == heading) {
		out->size = before; /* only figures */
		return false;
	}
	jr_buf_putc(out, '\n');
	return true;
}

static void put_doc(struct jr_buf *out, const struct jr_doc *doc, const struct jr_text_style *style)
{
	jr_plain_head(out, doc, style);
	enum jr_section_group told = JR_GROUP_ANSWER;
	for (size_t i = 0; i < doc->sections.n; i++) {
		const struct jr_doc_section *s = &doc->sections.items[i];
		size_t before = out->size;
		if (is_glossary(s))
			continue;
		if (s->group != told)
			put_rule(out, doc->group_titles[s->group], "━", style);
		if (put_section(out, s, i == 0, style))
			told = s->group;
		else
			out->size = before;
	}
}

void jr_report_text(const struct jr_profile *profile, const struct jr_results *results,
	const struct jr_text_style *style, struct jr_buf *out)
{
	struct jr_doc doc;
	jr_doc_compose(&doc, profile, results, false, false);
	put_doc(out, &doc, style);
	jr_doc_done(&doc);
}

/* Write compilation like `jaxreport summary`: several processes each under its name. Processes
 * after the first JR_DEVICES_IN_FULL are only counted: hundreds of them, which compile the same
 * programs, would take more lines than the report. */
static void put_compilation(struct jr_buf *out, const struct jr_profile *p)
{
	size_t n_profiles = 0;
	if (p->n_compile_modules)
		jr_buf_puts(out, "Compilation phases by module, in seconds\n\n");
	for (size_t from = 0, to; from < p->n_compile_modules; from = to) {
		uint32_t process = p->compile_modules[from].process;
		for (to = from + 1; to < p->n_compile_modules; to++)
			if (p->compile_modules[to].process != process)
				break;
		if (n_profiles++ >= JR_DEVICES_IN_FULL)
			continue;
		if (p->n_processes > 1)
			jr_buf_printf(out, "Profile: %s\n", jr_str(p, p->processes[process].name));
		jr_compile_modules_text(
			p->compile_modules + from, to - from, p->compile_phases, &p->strings, out);
	}
	if (n_profiles > JR_DEVICES_IN_FULL)
		jr_buf_printf(out, "(%zu more profile%s in report.json)\n", n_profiles - JR_DEVICES_IN_FULL,
			n_profiles - JR_DEVICES_IN_FULL == 1 ? "" : "s");
}

enum jr_status jr_write_text(const struct jr_report_job *job, struct jr_error *err)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
	put_doc(&out, job->doc, &jr_text_plain);
	put_compilation(&out, job->profile);
	return jr_outdir_write(job->out, "summary.txt", jr_buf_view(&out), err);
}
