/* mail.html, and mail.eml: a mail that is ready for `sendmail -t`.
 *
 *   mixed
 *     related
 *       alternative: text, HTML
 *       the figures of the HTML, as PNG
 *     index.html
 *
 * There is no Date and no Message-ID: sendmail adds them, and without them the same input gives the
 * same bytes. Lines end with LF, as sendmail expects. Boundaries contain "=_", which neither
 * quoted-printable nor base64 can contain. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/intern.h"
#include "render/scene_cairo.h"
#include "report/core/formats.h"
#include "report/html/html.h"
#include "report/mail/mail.h"
#include "report/pdf/pdf_layout.h"
#include "report/text/text_layout.h"
#include "report/core/text_fit.h"

#define MAX_PNG 400000
#define MAX_ATTACHED 12000000 /* of index.html; most mailers refuse mails above 20 to 25 MB */
#define MAX_TEXT 30000

struct mail {
	struct jr_buf out, html, page, pdf;
	const struct jr_doc *doc;
	const struct jr_options *options;
	char boundary[40];
	const struct jr_figure *figures[JR_MAIL_FIGURES];
	struct jr_buf pictures[JR_MAIL_FIGURES];
	size_t n_figures;
};

/* Draw the most informative small figures. One that cannot be drawn is left out. */
static void draw(struct mail *m)
{
	static const char *const wanted[] = {
		"step_change", "contributions", "steps_of_both", "steps", "ledger"};
	struct jr_error ignored;
	for (size_t w = 0; w < JR_COUNT_OF(wanted); w++)
		for (size_t i = 0; i < m->doc->figures.n && m->n_figures < JR_MAIL_FIGURES; i++) {
			const struct jr_figure *f = m->doc->figures.items[i];
			struct jr_buf *png = &m->pictures[m->n_figures];
			if (strcmp(f->name, wanted[w]) != 0 || !f->scene)
				continue;
			enum jr_status status = jr_scene_cairo_png(f->scene, 1.5, png, &ignored);
			if (status == JR_OK && png->size <= MAX_PNG)
				m->figures[m->n_figures++] = f;
			else
				png->size = 0;
			break;
		}
}

static void put_boundary(struct mail *m, char level, bool end)
{
	jr_buf_printf(&m->out, "\n--%s%c%s\n", m->boundary, level, end ? "--" : "");
}

static void put_multipart(struct mail *m, const char *kind, char level)
{
	jr_buf_printf(
		&m->out, "Content-Type: multipart/%s;\n boundary=\"%s%c\"\n", kind, m->boundary, level);
	put_boundary(m, level, false);
}

static void put_headers(struct mail *m)
{
	const struct jr_options *o = m->options;
	if (o->mail_from)
		jr_buf_printf(&m->out, "From: %s\n", o->mail_from);
	if (o->mail_to)
		jr_buf_printf(&m->out, "To: %s\n", o->mail_to);
	struct jr_buf subject = {0};
	if (o->mail_subject) {
		jr_buf_puts(&subject, o->mail_subject);
	} else {
		const char *few = m->doc->results->headline;
		const char *headline = few ? few : m->doc->headline;
		jr_buf_printf(&subject, "jaxreport: %s%s", headline ? headline : "",
			few        ? ": "
			: headline ? " – "
					   : "");
		jr_layout_fit(&subject, m->doc->title, 200);
	}
	jr_mime_header(&m->out, "Subject", subject.data);
	jr_buf_done(&subject);
	jr_buf_puts(&m->out, "MIME-Version: 1.0\n");
}

static const char *attached(const struct mail *m)
{
	if (m->page.size && m->pdf.size)
		return "The full report is attached: index.html, and report.pdf.\n";
	if (m->page.size || m->pdf.size)
		return m->page.size ? "The full report is attached: index.html.\n"
							: "The full report is attached: report.pdf.\n";
	return m->options->mail_page || m->options->mail_pdf
			   ? "The full report is too large to attach.\n"
			   : "\n";
}

static void put_attachment(
	struct mail *m, const char *type, const char *name, const struct jr_buf *bytes)
{
	if (!bytes->size)
		return;
	put_boundary(m, 'm', false);
	jr_buf_printf(&m->out,
		"Content-Type: %s; name=\"%s\"\n"
		"Content-Transfer-Encoding: base64\n"
		"Content-Disposition: attachment; filename=\"%s\"\n\n",
		type, name, name);
	jr_mime_base64(&m->out, jr_buf_view(bytes));
}

static void put_text(struct mail *m)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	jr_plain_head(&text, m->doc, &jr_text_plain);
	const struct jr_doc_section *overview = &m->doc->sections.items[0];
	size_t n = overview->blocks.n, left_out = 0;
	for (size_t i = 0; i < n; i++) {
		size_t before = text.size;
		jr_plain_block(&text, &overview->blocks.items[i], &jr_text_plain);
		if (text.size > MAX_TEXT)
			text.size = before, left_out++;
	}
	jr_buf_printf(&text, "%s\n", left_out ? "Some parts were left out to save space." : "");
	jr_buf_puts(&text, attached(m));
	jr_buf_puts(&m->out, "Content-Type: text/plain; charset=utf-8\n"
						 "Content-Transfer-Encoding: quoted-printable\n\n");
	jr_mime_quoted(&m->out, jr_buf_view(&text));
}

static void put_html(struct mail *m)
{
	jr_buf_puts(&m->out, "Content-Type: text/html; charset=us-ascii\n"
						 "Content-Transfer-Encoding: quoted-printable\n\n");
	jr_mime_quoted(&m->out, jr_buf_view(&m->html));
}

static void put_picture(struct mail *m, size_t i)
{
	jr_buf_printf(&m->out,
		"Content-Type: image/png; name=\"%s.png\"\n"
		"Content-Transfer-Encoding: base64\n"
		"Content-ID: <%s@jaxreport>\n"
		"Content-Disposition: inline; filename=\"%s.png\"\n\n",
		m->figures[i]->name, m->figures[i]->name, m->figures[i]->name);
	jr_mime_base64(&m->out, jr_buf_view(&m->pictures[i]));
}

static void put_mail(struct mail *m)
{
	put_headers(m);
	put_multipart(m, "mixed", 'm');
	put_multipart(m, "related; type=\"multipart/alternative\"", 'r');
	put_multipart(m, "alternative", 'a');
	put_text(m);
	put_boundary(m, 'a', false);
	put_html(m);
	put_boundary(m, 'a', true);
	for (size_t i = 0; i < m->n_figures; i++) {
		put_boundary(m, 'r', false);
		put_picture(m, i);
	}
	put_boundary(m, 'r', true);
	put_attachment(m, "text/html; charset=utf-8", "index.html", &m->page);
	put_attachment(m, "application/pdf", "report.pdf", &m->pdf);
	put_boundary(m, 'm', true);
}

/* Make the boundary from the first input's digest, or from the compared inputs, so that two mails
 * of a thread differ in it. */
static void choose_boundary(struct mail *m, const struct jr_profile *p)
{
	char hash[20];
	snprintf(hash, sizeof(hash), "%016" PRIx64, jr_hash(m->doc->title, strlen(m->doc->title), 0));
	const char *sha = p && p->n_inputs && p->inputs[0].sha256[0] ? p->inputs[0].sha256 : hash;
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	jr_buf_printf(&text, "=_jaxreport_%.24s_", sha);
	memcpy(m->boundary, text.data, text.size + 1); /* at most 37 characters */
}

enum jr_status jr_write_mail(const struct jr_report_job *job, struct jr_error *err)
{
	struct mail m = {.doc = job->doc, .options = &job->profile->options};
	choose_boundary(&m, job->profile);
	draw(&m);
	enum jr_status status = JR_OK;
	if (m.options->mail_page)
		status = jr_html_page(m.doc, &m.page, err);
	if (status == JR_OK && m.options->mail_pdf)
		status = jr_pdf_of_doc(m.doc, m.options->letter, &m.pdf, err);
	if (m.page.size > MAX_ATTACHED)
		m.page.size = 0;
	if (m.pdf.size > MAX_ATTACHED)
		m.pdf.size = 0;
	jr_mail_html(&m.html, m.doc, NULL, 0);
	if (status == JR_OK)
		status = jr_outdir_write(job->out, "mail.html", jr_buf_view(&m.html), err);
	m.html.size = 0;
	jr_mail_html(&m.html, m.doc, m.figures, m.n_figures);
	if (status == JR_OK) {
		put_mail(&m);
		status = jr_outdir_write(job->out, "mail.eml", jr_buf_view(&m.out), err);
	}
	for (size_t i = 0; i < JR_MAIL_FIGURES; i++)
		jr_buf_done(&m.pictures[i]);
	jr_buf_done(&m.html);
	jr_buf_done(&m.page);
	jr_buf_done(&m.pdf);
	jr_buf_done(&m.out);
	return status;
}
