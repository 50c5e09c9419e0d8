#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "analysis/core/pass.h"
#include "base/num.h"
#include "base/text.h"
#include "cli/core/commands.h"
#include "cli/core/confine.h"
#include "cli/core/emergency.h"
#include "cli/options/option_functions.h"
#include "cli/options/github.h"
#include "cli/options/inputs.h"
#include "cli/core/nsys_report.h"
#include "cli/core/terminal.h"
#include "cli/core/unread.h"
#include "compare/core/compare.h"
#include "report/core/report.h"

/* All data of a run, released in one place. */
struct run {
	const struct jr_request *request;
	struct jr_messages *msg;
	struct jr_outdir dir;
	struct jr_exported exported;
	struct jr_profile profile;
	struct jr_arena arena; /* results */
	struct jr_results results;
	struct jr_gate_result *gates; /* [request->gates.list.n] */
};

/* Print "STAGE 12.3 ms" with -v. */
static int64_t tell_time(struct run *run, const char *stage, int64_t since_ns)
{
	int64_t now = jr_clock_ns();
	char text[JR_NUM_MAX];
	jr_num_time(text, (double)(now - since_ns));
	jr_say_verbose(run->msg, "%-24s %s", stage, text);
	return now;
}

static void tell_passes(struct run *run)
{
	char replay[JR_NUM_MAX];
	jr_num_time(replay, (double)run->results.replay_wall_ns);
	jr_say_verbose(run->msg, "  %-22s %s", "replay", replay);
	for (size_t i = 0; i < run->results.n_sections; i++) {
		const struct jr_section *s = &run->results.sections[i];
		char text[JR_NUM_MAX];
		jr_num_time(text, (double)s->wall_ns);
		jr_say_verbose(run->msg, "  %-22s %s%s", s->pass->name, text,
			s->unavailable ? " (not available)" : "");
	}
}

static void tell_memory(struct run *run)
{
	struct rusage usage;
	if (getrusage(RUSAGE_SELF, &usage) != 0)
		return;
	char text[JR_NUM_MAX];
	jr_num_bytes(text, (double)usage.ru_maxrss * 1024);
	jr_say_verbose(run->msg, "%-24s %s", "peak memory", text);
}

static struct jr_unread_words gap_words(const struct jr_request *r)
{
	return (struct jr_unread_words){.input = r->inputs.n == 1 ? r->inputs.items[0] : NULL,
		.ending = "; the report does not include it"};
}

/* Check the limits for a single run; limits for a change have no base here. */
static void check_gates(struct run *run)
{
	size_t n = run->request->gates.list.n;
	struct jr_run measured;
	if (!n)
		return;
	jr_run_of_results(&measured, &run->profile, &run->results, &run->arena);
	run->gates = JR_ARENA_N(&run->arena, struct jr_gate_result, n);
	for (size_t i = 0; i < n; i++)
		run->gates[i] = jr_gate_check(&run->request->gates.list.items[i], &measured, NULL, NULL);
	jr_results_lead(&run->results, jr_gates_section(run->gates, n, &run->arena), &run->arena);
}

/* Warn about a --what-if that cannot be answered, so that the reader does not miss it. */
static void tell_what_if(struct run *run)
{
	for (size_t i = 0; run->request->what_ifs.n && i < run->results.n_sections; i++) {
		const struct jr_section *s = &run->results.sections[i];
		if (strcmp(s->pass->name, "what_if") == 0 && s->unavailable)
			jr_say_warning(run->msg, "--what-if: %s", s->unavailable);
	}
}

/* Options about a step have no meaning for a profile without steps. */
static enum jr_status check_work(struct run *run, struct jr_error *err)
{
	for (size_t i = 0; i < run->results.n_sections; i++) {
		const struct jr_section *s = &run->results.sections[i];
		if (strcmp(s->pass->name, "throughput") == 0 && s->unavailable)
			return jr_command_misused(
				jr_fail(err, JR_EUSAGE,
					"throughput and cost are %s. Remove --tokens-per-step, --samples-per-step, "
					"--flops-per-step and --price.",
					s->unavailable),
				err);
	}
	return JR_OK;
}

static enum jr_status build(struct run *run, struct jr_buf *out, struct jr_error *err)
{
	const struct jr_request *request = run->request;
	int64_t begun = run->msg->begun_ns, t = begun;
	const struct jr_unread_words words = gap_words(request);
	JR_TRY(jr_confine_to_inputs(request, run->msg, run->dir.staging, &run->exported, err));
	JR_TRY(jr_unread_load(request, run->msg, &run->exported, &words, &run->profile, err));
	JR_TRY(jr_what_ifs_check(request, &run->profile, err));
	t = tell_time(run, "read", t);

	jr_say_progress(run->msg, "analyzing", 0, 0);
	jr_passes_run(&run->profile, &run->arena, &run->results);
	t = tell_time(run, "analyzed", t);
	tell_passes(run);
	tell_what_if(run);
	JR_TRY(check_work(run, err));
	check_gates(run);

	if (request->to_stdout) {
		struct jr_text_style style = jr_terminal_style();
		jr_report_text(&run->profile, &run->results, &style, out);
		tell_time(run, "total", begun);
		tell_memory(run);
		jr_say_progress_end(run->msg);
		return JR_OK;
	}
	jr_say_progress(run->msg, "writing", 0, 0);
	JR_TRY(jr_report_write(
		&run->profile, &run->results, request->formats.items, request->formats.n, &run->dir, err));
	JR_TRY(jr_guarded_commit(&run->dir, err));
	tell_time(run, "written", t);
	tell_time(run, "total", begun);
	tell_memory(run);
	jr_say_progress_end(run->msg);
	return JR_OK;
}

/* On a terminal: the headline, and what to do first. A program reads only the path below them. */
static void tell_answer(const struct run *run, struct jr_buf *out)
{
	const struct jr_answer *answer = jr_results_answer(&run->results);
	if (!isatty(STDOUT_FILENO) || run->msg->verbosity == JR_QUIET || !answer)
		return;
	jr_text_clean(out, answer->headline, strlen(answer->headline));
	jr_buf_puts(out, ".\n");
	if (!run->results.n_findings)
		return;
	const struct jr_finding *f = &run->results.findings[0];
	const char *text = f->action && *f->action ? f->action : f->why;
	jr_text_clean(out, f->title ? f->title : f->id, strlen(f->title ? f->title : f->id));
	jr_buf_puts(out, text && *text ? ". " : ".");
	if (text)
		jr_text_clean(out, text, strlen(text));
	jr_buf_putc(out, '\n');
}

/* Profiles are often in folders where only others may write: suggest another place. */
static enum jr_status begin_output(struct run *run, struct jr_error *err)
{
	const struct jr_request *request = run->request;
	struct jr_error why = {0};
	enum jr_status status = jr_guarded_begin(&run->dir, request->output, request->force, &why);
	if (status == JR_EIO && request->output_made)
		return jr_fail(err, status, "%s (choose another path with -o)", why.message);
	return status == JR_OK ? JR_OK : jr_fail(err, status, "%s", why.message);
}

enum jr_status jr_cmd_report(const struct jr_request *request, struct jr_messages *msg,
	struct jr_buf *out, struct jr_error *err)
{
	struct run run = {.request = request, .msg = msg};
	/* Begin the output before the work, so that an output that cannot be written fails at once. */
	JR_TRY(jr_output_check(request, err));
	enum jr_status status = request->to_stdout ? JR_OK : begin_output(&run, err);
	if (status == JR_OK) {
		jr_profile_init(&run.profile, &request->analysis);
		jr_arena_init(&run.arena, request->analysis.limits.memory_bytes);
		status = build(&run, out, err);
		struct jr_error untold = {.message = ""};
		if (status == JR_OK) {
			if (request->github)
				jr_github_tell(request, &run.results, out, &untold);
			jr_gates_tell(out, run.gates, request->gates.list.n);
			if (!request->to_stdout) {
				tell_answer(&run, out);
				jr_inputs_put_output(out, request);
			}
			const struct jr_unread_words words = gap_words(request);
			status = jr_unread_tell(msg, &run.profile, &words, err);
			if (status == JR_OK)
				status = jr_gates_status(
					run.gates, request->gates.list.n, request->analysis.inconclusive, err);
			status = jr_github_settle(status, &untold, msg, err);
		}
		jr_exported_done(&run.exported);
		jr_guarded_abandon(&run.dir);
		jr_arena_done(&run.arena);
		jr_profile_done(&run.profile);
	}
	return status;
}
