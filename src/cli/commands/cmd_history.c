#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "cli/core/commands.h"
#include "cli/core/confine.h"
#include "cli/core/emergency.h"
#include "cli/options/option_functions.h"
#include "cli/options/inputs.h"
#include "cli/core/nsys_report.h"
#include "cli/core/terminal.h"
#include "cli/core/unread.h"
#include "compare/run/run_open.h"
#include "compare/history/trend.h"
#include "report/core/report.h"

/* --- add -------------------------------------------------------------------------------------- */

/* Take the time from SOURCE_DATE_EPOCH, as reproducible builds do, if no other is given. No clock
 * is read. */
static enum jr_status time_of_environment(
	struct jr_history_about *about, struct jr_arena *arena, struct jr_error *err)
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH");
	int64_t seconds;
	if (about->time || !epoch || !*epoch)
		return JR_OK;
	if (!jr_parse_i64(epoch, strlen(epoch), &seconds) || seconds < 0 || seconds > JR_ISO_TIME_MAX)
		return jr_fail(
			err, JR_EUSAGE, "SOURCE_DATE_EPOCH is not a number of seconds: '%.60s'", epoch);
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	jr_iso_time_put(&text, seconds);
	about->time = jr_arena_strndup(arena, text.data, text.size);
	return JR_OK;
}

/* "STORE: out.zip, median step 127.2 ms over 30 steps" */
static void tell_added(struct jr_buf *out, const char *store, const struct jr_run *run)
{
	char text[JR_NUM_MAX];
	size_t n = run->steps.periods.n;
	jr_terminal_put_path(out, store, strlen(store));
	jr_buf_puts(out, ": ");
	jr_terminal_put_path(out, run->name, strlen(run->name));
	double roof_ns = jr_metric_find("step.roof", strlen("step.roof"))->value(run);
	if (n) {
		jr_num_time(text, jr_metric_find("step.median", strlen("step.median"))->value(run));
		jr_buf_printf(out, ", median step %s over %zu step%s", text, n, n == 1 ? "" : "s");
	} else if (jr_run_is_plan(run) && !isnan(roof_ns)) {
		jr_num_time(text, roof_ns);
		jr_buf_printf(out, ", a plan, at least %s per execution", text);
	} else if (jr_run_is_live(run)) {
		double bytes = jr_metric_find("memory.live", strlen("memory.live"))->value(run);
		jr_num_bytes(text, bytes);
		jr_buf_printf(out, ", %s live", isnan(bytes) ? "an unknown size" : text);
	} else if (jr_run_is_plan(run)) {
		jr_buf_puts(out, ", a plan");
	} else {
		jr_buf_puts(out, ", no steady step");
	}
	jr_buf_putc(out, '\n');
}

/* Resources to release after an addition. */
struct adding {
	struct jr_exported exported;
	struct jr_side side;
	bool opened;
};

static enum jr_status add(const struct jr_request *r, struct jr_messages *msg, struct adding *a,
	struct jr_buf *out, struct jr_error *err)
{
	struct jr_progress progress = {jr_on_progress, msg};
	struct jr_history_about about = r->about;
	struct jr_side *side = &a->side;
	JR_TRY(jr_history_check(r->store, err)); /* before the long work */
	JR_TRY(jr_confine_to_inputs(r, msg, NULL, &a->exported, err));
	a->opened = true;
	enum jr_status opened = jr_side_open(
		side, a->exported.paths, a->exported.origins, r->inputs.n, &r->analysis, &progress, err);
	JR_TRY(jr_command_misused(opened, err));
	const struct jr_unread_words words = {.input = r->inputs.n == 1 ? r->inputs.items[0] : NULL,
		.ending = "; the stored run does not include it"};
	if (side->computed)
		JR_TRY(jr_unread_strict(r, msg, &side->profile, &words, err));
	const char *refused = jr_run_refused_text(&side->run, &side->arena);
	if (refused)
		jr_say_warning(msg, "'%s': %s", r->inputs.items[0], refused);
	JR_TRY(time_of_environment(&about, &side->arena, err));
	jr_say_progress(msg, "writing", 0, 0);
	struct jr_buf line = {0};
	jr_history_put(&line, &side->run, &about);
	/* If memory runs out, it must run out before the store changes. */
	const size_t before = out->size;
	tell_added(out, r->store, &side->run);
	enum jr_status status = jr_history_append(r->store, jr_buf_view(&line), err);
	jr_buf_done(&line);
	jr_say_progress_end(msg);
	if (status != JR_OK)
		out->data[out->size = before] = '\0';
	/* Gaps of an earlier report were reported when it was made. */
	return status == JR_OK && side->computed ? jr_unread_tell(msg, &side->profile, &words, err)
											 : status;
}

enum jr_status jr_cmd_history_add(const struct jr_request *request, struct jr_messages *msg,
	struct jr_buf *out, struct jr_error *err)
{
	struct adding a = {.opened = false};
	enum jr_status status = add(request, msg, &a, out, err);
	if (a.opened)
		jr_side_done(&a.side);
	jr_exported_done(&a.exported);
	return status;
}

/* --- show ------------------------------------------------------------------------------------- */

struct showing {
	const struct jr_request *request;
	struct jr_messages *msg;
	struct jr_outdir dir;
	struct jr_profile notes; /* not a profile: what the report lacks */
	struct jr_arena arena;
	struct jr_buf text;
	struct jr_history history;
	struct jr_results results;
};

static void note_problems(struct showing *s)
{
	const struct jr_history *h = &s->history;
	size_t n = h->n_bad < JR_HISTORY_PROBLEMS ? h->n_bad : JR_HISTORY_PROBLEMS;
	for (size_t i = 0; i < n; i++)
		jr_profile_warn(&s->notes, "'%s', %s", s->request->store, h->problems[i]);
	if (n < h->n_bad)
		jr_profile_warn(&s->notes, "'%s': %zu more unreadable line%s left out", s->request->store,
			h->n_bad - n, h->n_bad - n == 1 ? "" : "s");
	for (size_t i = 0; i < s->notes.n_warnings; i++)
		jr_say_warning(s->msg, "%s", s->notes.warnings[i]);
}

static void make_results(struct showing *s)
{
	const struct jr_request *r = s->request;
	const struct jr_metric *few[8];
	struct jr_trend_request wanted = {.metrics = r->metrics.items,
		.n_metrics = r->metrics.n,
		.chosen = r->metrics.n,
		.tolerance = r->tolerance,
		.n_threads = r->analysis.n_threads};
	if (!wanted.chosen) {
		wanted.metrics = few;
		for (const char *const *name = jr_trend_default_metrics(&s->history); *name; name++)
			few[wanted.n_metrics++] = jr_metric_find(*name, strlen(*name));
	}
	const char *slash = strrchr(r->store, '/');
	wanted.store = slash && slash[1] ? slash + 1 : r->store;
	struct jr_buf clean = {0};
	jr_text_clean(&clean, wanted.store, strlen(wanted.store));
	wanted.store = jr_arena_strndup(&s->arena, clean.data, clean.size);
	jr_buf_done(&clean);
	jr_trend_results(&s->history, &wanted, &s->arena, &s->results);
}

static enum jr_status show(struct showing *s, struct jr_buf *out, struct jr_error *err)
{
	const struct jr_request *r = s->request;
	const struct jr_limits *limits = &r->analysis.limits;
	jr_confine(r, &(struct jr_confinement){.staging = s->dir.staging}, s->msg);
	JR_TRY(jr_history_load(r->store, limits, &s->text, err));
	enum jr_status status = jr_history_read(
		jr_buf_view(&s->text), r->last, r->about.label, limits, &s->arena, &s->history, err);
	if (status != JR_OK)
		return jr_context(err, status, "'%s'", r->store);
	note_problems(s);
	jr_say_progress(s->msg, "comparing", 0, 0);
	make_results(s);
	if (!r->output) {
		struct jr_text_style style = jr_terminal_style();
		jr_report_text(&s->notes, &s->results, &style, out);
		return JR_OK;
	}
	jr_say_progress(s->msg, "writing", 0, 0);
	JR_TRY(jr_report_write(&s->notes, &s->results, r->formats.items, r->formats.n, &s->dir, err));
	JR_TRY(jr_guarded_commit(&s->dir, err));
	jr_say_progress_end(s->msg);
	jr_inputs_put_output(out, r);
	return JR_OK;
}

enum jr_status jr_cmd_history_show(const struct jr_request *request, struct jr_messages *msg,
	struct jr_buf *out, struct jr_error *err)
{
	struct showing s = {.request = request, .msg = msg};
	JR_TRY(jr_output_check(request, err));
	if (request->output)
		JR_TRY(jr_guarded_begin(&s.dir, request->output, request->force, err));
	jr_profile_init(&s.notes, &request->analysis);
	jr_arena_init(&s.arena, request->analysis.limits.memory_bytes);
	enum jr_status status = show(&s, out, err);
	if (request->output)
		jr_guarded_abandon(&s.dir);
	jr_buf_done(&s.text);
	jr_arena_done(&s.arena);
	jr_profile_done(&s.notes);
	return status;
}
