#include "report/core/report.h"

#include <libxml/parser.h>
#include <string.h>

#include "base/task.h"
#include "render/scene_cairo.h"
#include "report/core/doc.h"
#include "report/figures/figure.h"
#include "report/html/html.h"

struct writers {
	const struct jr_report_job *job;
	struct jr_doc *doc;
	const struct jr_report_format *const *chosen;
	size_t n_chosen;
	bool paged;              /* a page is written */
	struct jr_error *errors; /* [n_chosen] */
};

static void write_one(struct writers *w, size_t i)
{
	w->errors[i].status = w->chosen[i]->write(w->job, &w->errors[i]);
}

/* Write the formats without figures, from the last to the first, because the slowest are last in
 * the table and the disk has most to do for them. Meanwhile, make what the others need; drawing is
 * last, because all threads can share it. */
static void write_or_draw(void *context, size_t i)
{
	struct writers *w = context;
	size_t n = w->n_chosen;
	if (i < n && !w->chosen[n - 1 - i]->draws)
		write_one(w, n - 1 - i);
	else if (i == n && w->paged)
		jr_html_timeline_pack(w->doc);
	else if (i > n)
		jr_figures_draw(w->doc, w->job->n_threads);
}

static void write_drawn(void *context, size_t i)
{
	struct writers *w = context;
	if (w->chosen[i]->draws)
		write_one(w, i);
}

static bool is_chosen(const struct jr_report_format *const *chosen, size_t n, const char *name)
{
	const struct jr_report_format *wanted = jr_report_format_find(name, strlen(name));
	for (size_t i = 0; i < n; i++)
		if (chosen[i] == wanted)
			return true;
	return false;
}

/* libxml2 would print to stderr when memory runs out; cli reports that itself (jr_oom()). */
static void say_nothing(void *context, const char *fmt, ...)
{
	(void)context;
	(void)fmt;
}

/* Call it before any thread uses libxml2; threads that start later inherit the setting. */
static void prepare_libxml(void)
{
	xmlInitParser();
	xmlSetGenericErrorFunc(NULL, say_nothing);
	xmlThrDefSetGenericErrorFunc(NULL, say_nothing);
}

static bool any_draws(const struct jr_report_format *const *chosen, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (chosen[i]->draws)
			return true;
	return false;
}

void jr_report_load_fonts(const struct jr_report_format *const *chosen, size_t n_chosen)
{
	if (!any_draws(chosen, n_chosen))
		return;
	struct jr_metrics *metrics = jr_metrics_new();
	for (int bold = 0; bold < 2; bold++)
		(void)jr_metrics_width(metrics, "a", 1, 10, bold);
	jr_metrics_free(metrics);
}

enum jr_status jr_report_write(const struct jr_profile *profile, const struct jr_results *results,
	const struct jr_report_format *const *chosen, size_t n_chosen, struct jr_outdir *out,
	struct jr_error *err)
{
	struct jr_doc doc;
	prepare_libxml();
	jr_doc_compose(&doc, profile, results, is_chosen(chosen, n_chosen, "csv"),
		is_chosen(chosen, n_chosen, "svg"));
	if (JR_CHECKED)
		jr_doc_assert(&doc);
	struct jr_report_job job = {profile, results, &doc, out, profile->options.n_threads};
	struct writers w = {&job, &doc, chosen, n_chosen,
		is_chosen(chosen, n_chosen, "html") || is_chosen(chosen, n_chosen, "mail"),
		JR_ARENA_N(&doc.arena, struct jr_error, n_chosen)};
	jr_task_run(job.n_threads, n_chosen + (any_draws(chosen, n_chosen) ? 2 : 0), write_or_draw, &w);
	jr_task_run(job.n_threads, n_chosen, write_drawn, &w);
	enum jr_status status = JR_OK;
	for (size_t i = 0; i < n_chosen && status == JR_OK; i++) {
		status = w.errors[i].status;
		if (status != JR_OK && err)
			*err = w.errors[i];
	}
	jr_figures_done(&doc);
	jr_doc_done(&doc);
	return status;
}
