#include "report/core/report.h"

#include <libxml/parser.h>
#include <string.h>

#include "base/task.h"
#include "render/scene_cairo.h"
#include "report/core/doc.h"
#include "report/figures/figure.h"

struct writers {
	const struct jr_report_job *job;
	const struct jr_report_format *const *chosen;
	size_t n_chosen;
	struct jr_error *errors; /* [n_chosen] */
};

/* From the last to the first, because the slowest formats are last in the table. */
static void write_one(void *context, size_t i)
{
	struct writers *w = context;
	i = w->n_chosen - 1 - i;
	w->errors[i].status = w->chosen[i]->write(w->job, &w->errors[i]);
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
	if (any_draws(chosen, n_chosen))
		jr_figures_draw(&doc, profile->options.n_threads);
	struct jr_report_job job = {profile, results, &doc, out, profile->options.n_threads};
	struct writers w = {&job, chosen, n_chosen, JR_ARENA_N(&doc.arena, struct jr_error, n_chosen)};
	jr_task_run(job.n_threads, n_chosen, write_one, &w);
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
