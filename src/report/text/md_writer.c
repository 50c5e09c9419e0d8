/* report.md: GitHub-flavored Markdown of at most MAX_BYTES, so that it can be used as a comment or
 * a step summary (longer than 65,536 characters or 1 MiB they are dropped completely). Tables lose
 * rows until it fits; the CSV files have all rows. */
#include "base/cleanup.h"
#include "report/core/formats.h"
#include "report/text/md.h"

#define MAX_BYTES 60000

static void put_section(struct jr_md *w, const struct jr_doc_section *s, bool glossary)
{
	if (s->blocks.n == 1 && s->blocks.items[0].kind == JR_BLOCK_TERMS && !glossary)
		return;
	bool leads = s == w->doc->sections.items;
	if (!leads && s->group != s[-1].group) {
		jr_buf_puts(&w->out, "## ");
		jr_md_paragraph(&w->out, w->doc->group_titles[s->group]);
	}
	if (!leads) {
		jr_buf_puts(&w->out, "### ");
		jr_md_paragraph(&w->out, s->title);
	}
	if (s->summary)
		jr_md_paragraph(&w->out, s->summary);
	w->heading = leads ? "## " : "#### ";
	for (size_t i = 0; i < s->blocks.n; i++)
		jr_md_block(w, &s->blocks.items[i]);
}

static void put_report(struct jr_md *w, bool glossary)
{
	w->out.size = 0;
	jr_md_head(&w->out, w->doc, "# ");
	for (size_t i = 0; i < w->doc->sections.n; i++)
		put_section(w, &w->doc->sections.items[i], glossary);
}

enum jr_status jr_write_md(const struct jr_report_job *job, struct jr_error *err)
{
	static const struct {
		size_t max_rows;
		bool glossary;
	} sizes[] = {{20, true}, {12, true}, {8, false}, {4, false}, {1, false}};
	struct jr_md w = {.doc = job->doc, .links_figures = job->doc->svg};
	for (size_t i = 0; i < JR_COUNT_OF(sizes); i++) {
		w.max_rows = sizes[i].max_rows;
		put_report(&w, sizes[i].glossary);
		if (w.out.size <= MAX_BYTES)
			break;
	}
	enum jr_status status = jr_outdir_write(job->out, "report.md", jr_buf_view(&w.out), err);
	jr_buf_done(&w.out);
	return status;
}
