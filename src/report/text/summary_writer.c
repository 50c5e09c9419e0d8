/* summary.md: a step summary or a comment on a pull request. GitHub drops either one completely if
 * it is too long (a comment above 65,536 characters, a summary above 1 MiB), removes inline SVG and
 * data: images, and shows <details>. So the text has at most MAX_BYTES. It is written piece by
 * piece, the most important first. A table loses rows if necessary; a piece that does not fit is
 * left out and listed. */
#include <string.h>

#include "base/cleanup.h"
#include "report/document/brief.h"
#include "report/core/formats.h"
#include "report/text/md.h"

#define MAX_BYTES 60000
#define RESERVE 600 /* for the text at the end */

struct summary {
	struct jr_md md;
	struct jr_buf left_out;
};

/* Keep the text written since `before` and return true if it fits; else remove it. */
static bool keep(struct summary *s, size_t before)
{
	if (s->md.out.size <= MAX_BYTES - RESERVE)
		return true;
	s->md.out.size = before;
	s->md.out.data[before] = '\0';
	return false;
}

static void leave_out(struct summary *s, const char *what)
{
	if (s->left_out.size > RESERVE / 3)
		return;
	jr_buf_puts(&s->left_out, s->left_out.size ? ", " : "");
	jr_buf_puts(&s->left_out, what);
}

/* Advice is folded below the titles, because readers of a pull request read only titles. */
static void put_findings(struct summary *s, const struct jr_findings *findings)
{
	size_t begin = s->md.out.size, titles = 0, before;
	struct jr_finding bare;
	for (size_t i = 0; i < findings->n; i++) {
		before = s->md.out.size;
		bare = findings->findings[i];
		bare.why = bare.action = bare.evidence = bare.also = NULL;
		jr_md_finding(&s->md.out, &bare, i + 1);
		if (!keep(s, before))
			break;
		titles++;
	}
	jr_buf_putc(&s->md.out, '\n');
	if (titles < findings->n)
		leave_out(s, "findings");
	if (!keep(s, begin))
		return;
	begin = s->md.out.size;
	jr_buf_puts(&s->md.out, "<details><summary>What to do</summary>\n\n");
	for (size_t i = 0; i < findings->n; i++) {
		before = s->md.out.size;
		jr_md_finding(&s->md.out, &findings->findings[i], i + 1);
		jr_buf_puts(&s->md.out, "\n");
		if (!keep(s, before))
			break;
	}
	jr_buf_puts(&s->md.out, "</details>\n\n");
	keep(s, begin);
}

static void put_front(struct summary *s)
{
	const struct jr_doc_section *overview = &s->md.doc->sections.items[0];
	size_t n = overview->blocks.n;
	for (size_t i = 0; i < n; i++) {
		const struct jr_block *block = &overview->blocks.items[i];
		size_t before = s->md.out.size;
		if (block->kind == JR_BLOCK_FINDINGS)
			put_findings(s, &block->as.findings);
		else
			jr_md_block(&s->md, block);
		if (!keep(s, before))
			leave_out(s, "parts of the overview");
	}
}

/* <summary> contains HTML, where Markdown has no meaning; titles are built in. */
static void put_section(struct summary *s, const struct jr_doc_section *section)
{
	static const size_t rows[] = {15, 8, 4, 1};
	bool open = strcmp(section->id, "gates") == 0;
	for (size_t r = 0; r < JR_COUNT_OF(rows); r++) {
		size_t before = s->md.out.size;
		s->md.max_rows = rows[r];
		jr_buf_printf(&s->md.out, "<details%s><summary>%s</summary>\n\n", open ? " open" : "",
			section->title);
		for (size_t i = 0; i < section->blocks.n; i++)
			if (section->blocks.items[i].kind != JR_BLOCK_FIGURE)
				jr_md_block(&s->md, &section->blocks.items[i]);
		jr_buf_puts(&s->md.out, "</details>\n\n");
		if (keep(s, before))
			return;
	}
	leave_out(s, section->title);
}

enum jr_status jr_write_summary(const struct jr_report_job *job, struct jr_error *err)
{
	struct summary s = {.md = {.doc = job->doc, .max_rows = 15, .heading = "### "}};
	jr_md_head(&s.md.out, s.md.doc, "## ");
	if (!keep(&s, 0))
		jr_buf_puts(&s.md.out, "## Profile\n\n"); /* a name that is far too long */
	put_front(&s);
	const struct jr_doc_section *section;
	for (size_t i = 0; (section = jr_brief_section(s.md.doc, i)); i++)
		put_section(&s, section);
	if (s.left_out.size)
		jr_buf_printf(&s.md.out, "Left out to save space: %s. The full report contains them.\n",
			s.left_out.data);
	enum jr_status status = jr_outdir_write(job->out, "summary.md", jr_buf_view(&s.md.out), err);
	jr_buf_done(&s.md.out);
	jr_buf_done(&s.left_out);
	return status;
}
