/* Blocks of a document as GitHub-flavored Markdown, for its writers. */
#include <string.h>
#include "base/text.h"
#include <strings.h>

#include "report/document/listing.h"
#include "report/text/md.h"
#include "report/core/labels.h"
#include "report/core/text_fit.h"

#define CODE_WIDTH 80

/* --- text ----------------------------------------------------------------------------------- */

/* GitHub makes links of these in the HTML made from Markdown, where backslashes and entities are
 * gone. An empty comment within remains, but is not visible. */
#define NO_LINK "<!-- -->"

static bool is_word(char c)
{
	return jr_is_letter(c) || jr_is_digit(c) || c == '_';
}

/* Bytes at s to separate from the rest to prevent a link: for "@user", "#123", "GH-123",
 * "www.example.org"; 0: none. */
static size_t link_beginning(const char *s, bool at_word)
{
	if ((*s == '@' || *s == '#') && is_word(s[1]))
		return 1;
	if (at_word && (*s | 0x20) == 'g' && (s[1] | 0x20) == 'h' && s[2] == '-')
		return 2;
	if (at_word && strncasecmp(s, "www.", 4) == 0)
		return 3;
	return 0;
}

/* Escape text, so that no character has a meaning in Markdown or HTML. */
void jr_md_text(struct jr_buf *out, const char *s)
{
	bool at_word = true;
	for (; *s; at_word = !is_word(*s), s++) {
		size_t n = link_beginning(s, at_word);
		if (n) {
			jr_buf_puts(out, strchr("@#", *s) ? "\\" : "");
			jr_buf_add(out, s, n);
			jr_buf_puts(out, NO_LINK);
			s += n - 1;
		} else if (*s == '\n' || *s == '\r')
			jr_buf_putc(out, ' ');
		else if (*s == '<')
			jr_buf_puts(out, "&lt;");
		else if (*s == '&')
			jr_buf_puts(out, "&amp;");
		else if (strchr("\\`*_{}[]>#|~!$@", *s) || (*s == ':' && s[1] == '/' && s[2] == '/'))
			jr_buf_printf(out, "\\%c", *s);
		else
			jr_buf_putc(out, *s);
	}
}

/* Write a code span: its fence is longer than any run of backticks within; `|` is escaped for
 * tables. */
static void put_code(struct jr_buf *out, const char *text, size_t width, bool cell)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf cut = {0};
	jr_layout_fit(&cut, text, width);
	size_t run = 0, longest = 0;
	for (size_t i = 0; i < cut.size; i++) {
		run = cut.data[i] == '`' ? run + 1 : 0;
		if (run > longest)
			longest = run;
	}
	if (cut.size) {
		bool blank = cut.data[0] == '`' || cut.data[cut.size - 1] == '`';
		jr_buf_repeat(out, '`', longest + 1);
		jr_buf_puts(out, blank ? " " : "");
		for (size_t i = 0; i < cut.size; i++) {
			if (cell && cut.data[i] == '|')
				jr_buf_putc(out, '\\');
			jr_buf_putc(out, cut.data[i]);
		}
		jr_buf_puts(out, blank ? " " : "");
		jr_buf_repeat(out, '`', longest + 1);
	}
}

void jr_md_paragraph(struct jr_buf *out, const char *text)
{
	jr_md_text(out, text);
	jr_buf_puts(out, "\n\n");
}

/* --- blocks --------------------------------------------------------------------------------- */

static void put_table_head(struct jr_buf *out, const struct jr_doc_table *t, size_t limit)
{
	jr_buf_putc(out, '|');
	for (size_t c = 0; c < t->n_columns; c++) {
		if (jr_doc_blank(&t->columns[c], limit))
			continue;
		jr_buf_putc(out, ' ');
		jr_md_text(out, t->columns[c].spec->title);
		if (*t->columns[c].format.suffix)
			jr_buf_printf(out, " (%s)", t->columns[c].format.suffix);
		jr_buf_puts(out, " |");
	}
	jr_buf_puts(out, "\n|");
	for (size_t c = 0; c < t->n_columns; c++)
		if (!jr_doc_blank(&t->columns[c], limit))
			jr_buf_puts(out, t->columns[c].format.right ? " ---: |" : " --- |");
	jr_buf_putc(out, '\n');
}

/* Write row `row`, the i-th one shown; labels[c]: of the rows shown, for columns of code. */
static void put_table_row(struct jr_buf *out, const struct jr_doc_table *t, size_t limit,
	size_t row, size_t i, const char **const *labels)
{
	jr_buf_putc(out, '|');
	for (size_t c = 0; c < t->n_columns; c++) {
		if (jr_doc_blank(&t->columns[c], limit))
			continue;
		char room[JR_NUM_MAX];
		struct jr_value v = jr_value_of_cell(t->table, t->columns[c].index, row);
		const char *text = jr_value_text(&t->columns[c].format, &v, room);
		jr_buf_putc(out, ' ');
		if (labels[c] && labels[c][i] && *labels[c][i])
			put_code(out, labels[c][i], SIZE_MAX, true);
		else
			jr_md_text(out, text);
		jr_buf_puts(out, " |");
	}
	jr_buf_putc(out, '\n');
}

static void put_table(struct jr_md *w, const struct jr_doc_table *t)
{
	const struct jr_table *table = t->table;
	if (table->spec->title) {
		jr_buf_puts(&w->out, "**");
		jr_md_text(&w->out, table->spec->title);
		jr_buf_puts(&w->out, "**\n\n");
	}
	if (t->same)
		jr_md_paragraph(&w->out, t->same);
	put_table_head(&w->out, t, w->max_rows);
	size_t n = jr_doc_rows(t, w->max_rows);
	struct jr_arena arena;
	jr_arena_init(&arena, 0);
	const char ***labels = JR_ARENA_N(&arena, const char **, t->n_columns + 1);
	for (size_t c = 0; c < t->n_columns; c++)
		labels[c] = jr_doc_labels(t, c, w->max_rows, CODE_WIDTH, &arena);
	for (size_t i = 0; i < n; i++)
		put_table_row(&w->out, t, w->max_rows, jr_doc_row(t, w->max_rows, i), i,
			(const char **const *)labels);
	jr_arena_done(&arena);
	size_t shown = n - (table->n_rows - t->rest);
	jr_buf_putc(&w->out, '\n');
	if (shown < t->rest) {
		jr_doc_put_more(&w->out, t, shown);
		if (t->file)
			jr_buf_printf(&w->out, " in `%s`", t->file);
		jr_buf_puts(&w->out, ".\n\n");
	}
}

static void put_facts(struct jr_md *w, const struct jr_facts *facts)
{
	jr_buf_puts(&w->out, "| | |\n| --- | --- |\n");
	for (size_t i = 0; i < facts->n; i++) {
		const struct jr_fact *f = &facts->facts[i];
		jr_buf_puts(&w->out, "| ");
		jr_md_text(&w->out, f->title);
		jr_buf_puts(&w->out, " | ");
		if (f->code) {
			put_code(&w->out, f->value, 400, true);
		} else {
			jr_buf_puts(&w->out, "**");
			jr_md_text(&w->out, f->value);
			jr_buf_puts(&w->out, "**");
		}
		if (*f->note) {
			jr_buf_puts(&w->out, " (");
			jr_md_text(&w->out, f->note);
			jr_buf_putc(&w->out, ')');
		}
		jr_buf_puts(&w->out, " |\n");
	}
	jr_buf_putc(&w->out, '\n');
}

void jr_md_finding(struct jr_buf *out, const struct jr_finding *f, size_t number)
{
	jr_buf_printf(out, "%zu. **", number);
	jr_md_text(out, f->title ? f->title : f->id);
	jr_buf_puts(out, "**");
	struct jr_buf gain = {0};
	jr_value_put_gain(&gain, f);
	jr_buf_printf(out, " (%s)", gain.data);
	jr_buf_done(&gain);
	struct jr_finding_part parts[JR_FINDING_PARTS];
	size_t n = jr_value_finding_parts(f, parts);
	for (size_t i = 0; i < n; i++) {
		jr_buf_puts(out, "  \n   ");
		if (parts[i].label)
			jr_buf_printf(out, "**%s** ", parts[i].label);
		jr_md_text(out, parts[i].text);
	}
	jr_buf_putc(out, '\n');
}

static void put_findings(struct jr_md *w, const struct jr_findings *findings)
{
	for (size_t i = 0; i < findings->n; i++)
		jr_md_finding(&w->out, &findings->findings[i], i + 1);
	jr_buf_putc(&w->out, '\n');
}

static void put_list(struct jr_md *w, const struct jr_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		jr_buf_puts(&w->out, "- ");
		if (list->entries[i].term) {
			jr_buf_puts(&w->out, "**");
			jr_md_text(&w->out, list->entries[i].term);
			jr_buf_puts(&w->out, "**: ");
		}
		jr_md_text(&w->out, list->entries[i].text);
		jr_buf_putc(&w->out, '\n');
	}
	jr_buf_putc(&w->out, '\n');
}

/* Indented code: no text within can end it. */
static void put_outline(struct jr_buf *out, const char *text)
{
	for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		JR_CLEANUP(jr_buf_done) struct jr_buf line = {0};
		jr_buf_add(&line, text, strcspn(text, "\n"));
		jr_buf_puts(out, "    ");
		jr_layout_fit(out, line.data, 110);
		jr_buf_putc(out, '\n');
	}
	jr_buf_putc(out, '\n');
}

static void put_figure(struct jr_md *w, const struct jr_figure *f)
{
	jr_buf_puts(&w->out, "**");
	jr_md_text(&w->out, f->title);
	jr_buf_puts(&w->out, "**");
	if (w->links_figures)
		jr_buf_printf(&w->out, " ([chart](figures/%s.svg))", f->name);
	jr_buf_puts(&w->out, "\n\n");
	if (f->tree)
		put_outline(&w->out, f->fallback);
	else
		jr_md_paragraph(&w->out, f->fallback);
}

static void put_listing(struct jr_md *w, const struct jr_doc_listing *listing)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	if (jr_listing_put(&text, listing, w->max_rows, CODE_WIDTH)) {
		put_code(&w->out, listing->listing->file, CODE_WIDTH, false);
		jr_buf_puts(&w->out, "\n\n");
		put_outline(&w->out, text.data);
	}
}

static void put_terms(struct jr_md *w, const struct jr_terms *terms)
{
	for (size_t i = 0; i < terms->n; i++) {
		if (!i || strcmp(terms->terms[i - 1].section, terms->terms[i].section) != 0) {
			jr_buf_puts(&w->out, i ? "\n" : "");
			jr_buf_puts(&w->out, w->heading);
			jr_md_paragraph(&w->out, terms->terms[i].section);
		}
		jr_buf_puts(&w->out, "- **");
		jr_md_text(&w->out, terms->terms[i].name);
		jr_buf_puts(&w->out, "**: ");
		jr_md_text(&w->out, terms->terms[i].definition);
		jr_buf_putc(&w->out, '\n');
	}
	jr_buf_putc(&w->out, '\n');
}

void jr_md_head(struct jr_buf *out, const struct jr_doc *doc, const char *mark)
{
	jr_buf_puts(out, mark);
	if (doc->gates)
		jr_buf_printf(out, "%s ", jr_doc_gates_mark(doc));
	jr_md_paragraph(out, doc->headline ? doc->headline : doc->title);
	if (doc->gates)
		jr_md_paragraph(out, doc->gates);
	if (doc->lede)
		jr_md_paragraph(out, doc->lede);
	if (doc->caveats)
		jr_md_paragraph(out, doc->caveats);
	if (doc->headline) {
		jr_md_text(out, doc->title);
		jr_buf_puts(out, ": ");
	}
	jr_md_paragraph(out, doc->subtitle);
}

void jr_md_block(struct jr_md *w, const struct jr_block *block)
{
	switch (block->kind) {
	case JR_BLOCK_TEXT: jr_md_paragraph(&w->out, block->as.text); break;
	case JR_BLOCK_HEADING:
		jr_buf_puts(&w->out, w->heading);
		jr_md_paragraph(&w->out, block->as.text);
		break;
	case JR_BLOCK_TILES:
	case JR_BLOCK_FACTS: put_facts(w, &block->as.facts); break;
	case JR_BLOCK_FINDINGS: put_findings(w, &block->as.findings); break;
	case JR_BLOCK_TABLE: put_table(w, block->as.table); break;
	case JR_BLOCK_FIGURE: put_figure(w, block->as.figure); break;
	case JR_BLOCK_LISTING: put_listing(w, block->as.listing); break;
	case JR_BLOCK_LIST: put_list(w, &block->as.list); break;
	case JR_BLOCK_TERMS: put_terms(w, &block->as.terms); break;
	}
}
