/* Run a program under nsys and make the archive: what nsys-jax does, without Python. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cli/core/child.h"
#include "cli/core/emergency.h"
#include "cli/core/nsys_report.h"
#include "cli/options/option_functions.h"
#include "cli/commands/record_run.h"
#include "cli/core/terminal.h"
#include "model/sources/source.h"

enum { MOST_HELP = 1 << 20, PROBE_S = 60, EXPORT_S = 24 * 3600 };

/* Turn JR_EUSAGE into exit status 2 before anything runs: some usage errors show only at this
 * point. */
static enum jr_status as_usage(enum jr_status status, struct jr_error *err)
{
	return status == JR_EUSAGE ? jr_record_child_failed(err, JR_EXIT_USAGE) : status;
}

/* Read what `nsys WORD --help` prints. */
static enum jr_status ask(
	struct recording *r, const char *word, struct jr_buf *text, struct jr_error *err)
{
	const char *words[] = {r->nsys, word, "--help", NULL};
	char *arguments[JR_COUNT_OF(words)];
	for (size_t i = 0; i < JR_COUNT_OF(words); i++)
		arguments[i] = words[i] ? jr_arena_strdup(&r->arena, words[i]) : NULL;
	const char *log = jr_arena_printf(&r->arena, "%s/help", r->work);
	int status;
	int code = jr_captured_run(arguments, MOST_HELP, PROBE_S, log, text, &status);
	if (code != 0)
		return jr_fail(err, JR_EIO, "cannot start '%s': %s", r->nsys, strerror(code));
	if (status != 0)
		return jr_fail(err, JR_EIO, "'%s %s --help' failed with exit status %d. Nothing was run.",
			r->nsys, word, jr_exit_of(status));
	return JR_OK;
}

/* "NVIDIA Nsight Systems version 2023.4.4.54-234433681190v0" */
static void ask_version(struct recording *r)
{
	static const char before[] = "version ";
	char *arguments[] = {
		jr_arena_strdup(&r->arena, r->nsys), jr_arena_strdup(&r->arena, "--version"), NULL};
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	const char *log = jr_arena_printf(&r->arena, "%s/version", r->work);
	int status;
	if (jr_captured_run(arguments, MOST_HELP, PROBE_S, log, &text, &status) == 0 && status == 0) {
		const char *at = strstr(text.data, before);
		at = at ? at + sizeof(before) - 1 : text.data;
		if (*at)
			r->version = jr_arena_strndup(&r->arena, at, strcspn(at, "\r\n"));
	}
}

static enum jr_status plan(struct recording *r, struct jr_error *err)
{
	const struct jr_nsys_wish wish = {.nsys = r->nsys,
		.output = r->report,
		.options = r->wish->options,
		.program = r->wish->program,
		.n_program = r->wish->n_program};
	ask_version(r);
	JR_TRY(ask(r, "profile", &r->profile_help, err));
	JR_TRY(ask(r, "export", &r->export_help, err));
	JR_TRY(jr_nsys_profile_words(&wish, r->profile_help.data, &r->arena, &r->profile, err));
	if (r->wish->leave_flags)
		return JR_OK;
	return jr_xla_flags_extend(getenv("XLA_FLAGS"), r->dump, &r->arena, &r->flags, err);
}

static void plan_export(struct recording *r, const char *report)
{
	r->sqlite = jr_arena_printf(&r->arena, "%s/export.sqlite", r->work);
	jr_nsys_export_words(r->nsys, r->export_help.data, report, r->sqlite, &r->arena, &r->export);
}

static void put_line(struct jr_buf *out, const jr_words *words)
{
	for (size_t i = 0; i < words->n; i++) {
		if (i)
			jr_buf_putc(out, ' ');
		jr_put_shell_word(out, words->items[i]);
	}
	jr_buf_putc(out, '\n');
}

static void put_variable(struct jr_buf *out, const char *name, const char *value)
{
	jr_buf_printf(out, "%s=", name);
	jr_put_shell_word(out, value);
	jr_buf_putc(out, '\n');
}

static const char TRACEBACK[] = "JAX_TRACEBACK_IN_LOCATIONS_LIMIT";

static void tell_members(const struct recording *r, struct jr_buf *out)
{
	const char *slash = strrchr(r->report, '/');
	bool hlo = r->flags.value && !r->flags.without_hlo;
	const char *const members[] = {JR_MEMBER_TRACE, JR_MEMBER_HOST_PARQUET, JR_MEMBER_THREADS,
		JR_MEMBER_DEVICES, JR_MEMBER_SYSTEM, hlo ? "dump/" : NULL, hlo ? "protos/" : NULL,
		hlo && !r->request->analysis.no_sources ? "sources/" : NULL, "record.json",
		r->wish->no_rep ? NULL
		: slash         ? slash + 1
						: r->report};
	for (size_t i = 0; i < JR_COUNT_OF(members); i++)
		if (members[i])
			jr_buf_printf(out, "  %s\n", members[i]);
}

static void tell_plan(struct recording *r, struct jr_buf *out)
{
	if (r->flags.value)
		put_variable(out, "XLA_FLAGS", r->flags.value);
	if (!getenv(TRACEBACK))
		put_variable(out, TRACEBACK, "-1");
	put_line(out, &r->profile);
	plan_export(r, r->report);
	put_line(out, &r->export);
	jr_terminal_put_path(out, r->output, strlen(r->output));
	jr_buf_putc(out, '\n');
	tell_members(r, out);
}

/* --- the run -------------------------------------------------------------------------------- */

static enum jr_status prepare_environment(struct recording *r, struct jr_error *err)
{
	if (r->flags.dump_then)
		jr_say_note(r->msg, "%sthe XLA dump is written to '%s', not to '%s' from XLA_FLAGS",
			jr_record_rank_text(r), r->dump, r->flags.dump_then);
	if (r->flags.without_hlo)
		jr_say_note(r->msg,
			"%sXLA_FLAGS contains --xla_dump_hlo_as_proto=false, so the archive will contain no "
			"HLO. Remove that flag.",
			jr_record_rank_text(r));
	if (mkdir(r->dump, 0777) != 0 && errno != EEXIST)
		return jr_fail(err, JR_EIO, "cannot create folder '%s': %s", r->dump, strerror(errno));
	if ((r->flags.value && setenv("XLA_FLAGS", r->flags.value, 1) != 0) ||
		setenv(TRACEBACK, "-1", 0) != 0)
		jr_oom();
	return JR_OK;
}

static char **arguments_of(struct recording *r, const jr_words *words)
{
	char **arguments = JR_ARENA_N(&r->arena, char *, words->n + 1);
	for (size_t i = 0; i < words->n; i++)
		arguments[i] = jr_arena_strdup(&r->arena, words->items[i]);
	return arguments;
}

/* Build the words of `nsys profile`, in which nsys starts us and we become the program
 * (child.h). */
static enum jr_status arguments_of_run(struct recording *r, char ***arguments, struct jr_error *err)
{
	const char *become[JR_CHILD_BECOME_WORDS];
	jr_words words = {0};
	int code = jr_child_become_words(r->told, &r->arena, become);
	if (code != 0)
		return jr_fail(err, JR_EIO, "cannot start '%s': cannot determine the path of jaxreport: %s",
			r->program, strerror(code));
	for (size_t i = 0; i < r->profile.n; i++) {
		for (size_t j = 0; i == r->profile.n - r->wish->n_program && j < JR_COUNT_OF(become); j++)
			*jr_vec_add(&words) = become[j];
		*jr_vec_add(&words) = r->profile.items[i];
	}
	*arguments = arguments_of(r, &words);
	jr_vec_done(&words);
	return JR_OK;
}

/* Return the exit status of the command: the program's, or nsys's if that is all we know. */
static int status_of(const struct recording *r)
{
	const struct jr_recorded *ran = &r->ran;
	if (ran->program_status != -1)
		return jr_exit_of(ran->program_status);
	if (ran->cut_short)
		return 0;
	return ran->nsys_status == -1 ? 1 : jr_exit_of(ran->nsys_status);
}

/* Return true if an option ended the program on purpose, such as
 * --capture-range-end=stop-shutdown. */
static bool is_shut_down(const struct recording *r, int status)
{
	const struct jr_nsys_wish given = {.options = r->wish->options};
	const char *end = jr_nsys_given(&given, "--capture-range-end");
	const char *kill = jr_nsys_given(&given, "--kill");
	if (!end || !strstr(end, "shutdown"))
		return false;
	int signal = !kill || strcmp(kill, "sigterm") == 0 || strcmp(kill, "15") == 0 ? SIGTERM
				 : strcmp(kill, "sigkill") == 0 || strcmp(kill, "9") == 0         ? SIGKILL
																				  : 0;
	return signal && status == 128 + signal;
}

/* Fail because nsys collected data and did not convert it: print what is left and how to go on. */
static enum jr_status not_converted(struct recording *r, int status, struct jr_error *err)
{
	const char *why = jr_nsys_importer(r->nsys, &r->arena)
						  ? "did not convert its data"
						  : "could not convert its data (its importer is missing)";
	const char *again = jr_record_finish_command(r, r->data), *full = jr_record_full_disk(r);
	if (status == 0)
		return jr_fail(err, JR_EIO,
			"%snsys %s%s. The nsys data is kept in '%s'. To continue, run: %s",
			jr_record_rank_text(r), why, full, r->data, again);
	jr_fail(err, JR_ECHILD,
		"%s'%s' ended with status %d, and nsys %s%s. The nsys data is kept in '%s'. To continue, "
		"run: %s",
		jr_record_rank_text(r), r->program, status, why, full, r->data, again);
	return jr_record_child_failed(err, status);
}

static enum jr_status no_report(struct recording *r, int status, struct jr_error *err)
{
	if (r->data)
		return not_converted(r, status, err);
	if (!r->wish->dump)
		jr_remove_tree(r->dump); /* useless without a report */
	const char *full = jr_record_full_disk(r);
	if (!r->ran.program)
		return jr_fail(err, JR_EIO,
			"%snsys ended with status %d and did not start '%s'. Check the messages of nsys above. "
			"For \"Agent launcher failed\", end the agents that hang (pkill -9 -f 'nsys "
			"--start-agent') and remove their lock files (/dev/shm/NSys-*).%s",
			jr_record_rank_text(r), status, r->program, full);
	if (status != 0) {
		jr_fail(err, JR_ECHILD, "%s'%s' ended with status %d, and nsys wrote no report%s",
			jr_record_rank_text(r), r->program, status, full);
		return jr_record_child_failed(err, status);
	}
	const struct jr_nsys_wish given = {.options = r->wish->options};
	const char *range = jr_nsys_given(&given, "--capture-range");
	if (range && strcmp(range, "cudaProfilerApi") == 0)
		return jr_fail(err, JR_EIO,
			"%snsys wrote no report: the program never called cudaProfilerStart "
			"(--capture-range=%s)",
			jr_record_rank_text(r), range);
	if (range)
		return jr_fail(err, JR_EIO,
			"%snsys wrote no report: the program never began a range (--capture-range=%s)",
			jr_record_rank_text(r), range);
	return jr_fail(err, JR_EIO, "%snsys ended with status 0 but wrote no report%s",
		jr_record_rank_text(r), full);
}

/* If the program could not be executed, remove the profile: it contains nothing of the program. */
static enum jr_status check_begun(struct recording *r, struct jr_error *err)
{
	int why = jr_child_failed_to_become(r->told);
	if (why == 0)
		return JR_OK;
	(void)unlink(r->report);
	(void)unlink(jr_record_beside(r, ".qdstrm"));
	if (!r->wish->dump)
		jr_remove_tree(r->dump);
	jr_fail(err, JR_ECHILD, "%scannot start '%s': %s. Nothing was recorded.",
		jr_record_rank_text(r), r->program, strerror(why));
	return jr_record_child_failed(err, 126);
}

static enum jr_status run_program(struct recording *r, int *status, struct jr_error *err)
{
	JR_TRY(prepare_environment(r, err));
	if (r->request->force) {
		(void)unlink(r->report);
		(void)unlink(jr_record_beside(r, ".qdstrm"));
	}
	char **arguments = NULL;
	JR_TRY(arguments_of_run(r, &arguments, err));
	const struct jr_recorded_wish wish = {
		arguments, r->told, r->report, r->tmpdir, r->wish->grace_s};
	r->begun_s = jr_clock_wall_s();
	int code = jr_recorded_run(&wish, r->msg, &r->ran);
	r->ended_s = jr_clock_wall_s();
	if (code != 0)
		return jr_fail(err, JR_EIO, "cannot start '%s': %s", r->nsys, strerror(code));
	*status = r->status = status_of(r);
	JR_TRY(check_begun(r, err));
	jr_record_keep_data(r);
	if (r->ran.cut_short && r->ran.program_status == -1)
		jr_say_warning(r->msg,
			"%snsys was killed after %lld s (--grace); the exit status of '%s' is not known",
			jr_record_rank_text(r), (long long)r->wish->grace_s, r->program);
	if (is_shut_down(r, *status))
		*status = 0;
	if (r->ran.runs_on) {
		const char *kept = !r->data ? ""
									: jr_arena_printf(&r->arena,
										  ". The nsys data is kept in '%s'. To continue, run: %s",
										  r->data, jr_record_finish_command(r, r->data));
		jr_fail(err, JR_ECHILD,
			"%snsys was killed by signal %d; '%s' may still be running (PID %ld)%s",
			jr_record_rank_text(r), WTERMSIG(r->ran.nsys_status), r->program, (long)r->ran.program,
			kept);
		return jr_record_child_failed(err, jr_exit_of(r->ran.nsys_status));
	}
	/* a report that was cut short is not complete if its data still exist */
	bool whole = jr_record_is_written(r->report) && !(r->ran.cut_short && r->data);
	return whole ? JR_OK : no_report(r, *status, err);
}

/* --- the archive ---------------------------------------------------------------------------- */

/* If a signal ends us while the archive is made, print how to go on. */
static void say_if_ended(struct recording *r)
{
	const char *line = jr_arena_printf(&r->arena,
		"jaxreport: %sinterrupted. The report of nsys is kept in '%s'. To continue, run: %s\n",
		jr_record_rank_text(r), r->report, jr_record_finish_command(r, r->report));
	jr_emergency_parting(line);
}

static enum jr_status export_report(struct recording *r, const char *report, struct jr_error *err)
{
	struct jr_buf said = {0};
	const char *log = jr_arena_printf(&r->arena, "%s/log", r->work);
	int status;
	plan_export(r, report);
	jr_say_progress(r->msg, "exporting with nsys", 0, 0);
	int code =
		jr_captured_run(arguments_of(r, &r->export), MOST_HELP, EXPORT_S, log, &said, &status);
	jr_say_progress_end(r->msg);
	jr_buf_done(&said);
	if (code != 0)
		return jr_fail(err, JR_EIO, "cannot start '%s': %s", r->nsys, strerror(code));
	if (status == 0 && jr_record_is_written(r->sqlite))
		return JR_OK;
	const char *full = jr_record_full_disk(r), *again = jr_record_finish_command(r, report);
	if (status == 0)
		return jr_fail(err, JR_EIO,
			"%snsys export wrote no output%s. The report of nsys is kept in '%s'. To continue, "
			"run: %s",
			jr_record_rank_text(r), full, report, again);
	return jr_fail(err, JR_EIO,
		"%snsys export failed with exit status %d%s. The report of nsys is kept in '%s'. To "
		"continue, run: %s",
		jr_record_rank_text(r), jr_exit_of(status), full, report, again);
}

static enum jr_status pack(struct recording *r, struct jr_error *err)
{
	struct jr_request request = *r->request;
	const char *origin = r->report;
	struct jr_exported exported = {.paths = &r->sqlite, .origins = &origin};
	request.output = r->output;
	request.from = NULL;
	request.analysis.xla_dump = r->wish->leave_flags && !r->wish->dump ? NULL : r->dump;
	const struct jr_pack_run run = {.words = r->profile.items,
		.n_words = r->profile.n,
		.n_own = r->profile.n - r->wish->n_program,
		.no_arguments = r->wish->no_arguments,
		.nsys_version = r->version,
		.begun_s = r->begun_s,
		.ended_s = r->ended_s,
		.status = r->status};
	enum jr_status status = jr_record_pack_apart(&request, &exported, &run, r->msg, err);
	if (status == JR_OK || (status == JR_ENOTFOUND && request.strict))
		return status; /* the archive exists */
	return jr_fail(err, status, "%s. The nsys data is kept in '%s'. To continue, run: %s",
		jr_arena_strdup(&r->arena, err->message), r->report,
		jr_record_finish_command(r, r->report));
}

/* Remove files that were only needed for the archive. */
static void clear(struct recording *r)
{
	if (!r->wish->keep_rep)
		(void)unlink(r->report);
	if (!r->wish->dump)
		jr_remove_tree(r->dump);
}

/* If only other processes are recorded, run the program as if we were not here. */
static enum jr_status run_alone(struct recording *r, struct jr_error *err)
{
	char *const *program = r->wish->program;
	jr_child_restore_state();
	execvp(program[0], program);
	jr_fail(err, JR_ECHILD, "cannot start '%s': %s", program[0], strerror(errno));
	return jr_record_child_failed(err, errno == ENOENT ? 127 : 126);
}

static enum jr_status go_on_to_report(const struct jr_request *recorded, const char *archive,
	const char *page, struct jr_messages *msg, struct jr_buf *out, struct jr_error *err)
{
	struct jr_request request = *recorded;
	const char *inputs[] = {archive};
	request.command = recorded->implied;
	request.inputs.items = inputs;
	request.inputs.n = request.n_first = 1;
	request.output = page;
	request.strict = false;
	request.analysis.xla_dump = NULL;
	return jr_cmd_report(&request, msg, out, err);
}

static enum jr_status record(struct recording *r, struct jr_buf *out, struct jr_error *err)
{
	int status = 0;
	JR_TRY(jr_record_make_work(r, err));
	JR_TRY(as_usage(plan(r, err), err));
	if (r->wish->dry_run) {
		tell_plan(r, out);
		return JR_OK;
	}
	JR_TRY(run_program(r, &status, err));
	jr_guarded_unclaim(); /* the report exists now */
	say_if_ended(r);
	jr_recorded_let_signals_in(&r->ran);
	if (r->ran.signal)
		jr_say_note(r->msg,
			"%s'%s' is kept until the archive is complete. If this is interrupted, run: %s",
			jr_record_rank_text(r), r->report, jr_record_finish_command(r, r->report));
	enum jr_status packed = export_report(r, r->report, err);
	if (packed == JR_OK) {
		packed = pack(r, err);
		r->made = packed == JR_OK || (packed == JR_ENOTFOUND && r->request->strict);
	}
	if (r->made) {
		jr_emergency_parting(NULL);
		clear(r);
		jr_say_note(r->msg, "%swrote '%s'", jr_record_rank_text(r), r->output);
		if (!r->wish->no_rep)
			jr_say_note(r->msg,
				"%sthe archive contains the report of nsys, with the program's environment, "
				"arguments and output. Use --no-rep to leave it out.",
				jr_record_rank_text(r));
	}
	if (packed != JR_OK) {
		if (status == 0)
			return packed;
		/* the status of the program comes first */
		jr_fail(err, JR_ECHILD, "%s'%s' ended with status %d; %s", jr_record_rank_text(r),
			r->program, status, jr_arena_strdup(&r->arena, err->message));
		return jr_record_child_failed(err, status);
	}
	if (status == 0)
		return JR_OK;
	jr_fail(err, JR_ECHILD, "%s'%s' ended with status %d; the profile is kept: %s",
		jr_record_rank_text(r), r->program, status, r->output);
	return jr_record_child_failed(err, status);
}

static enum jr_status record_program(const struct jr_request *request, struct jr_messages *msg,
	struct jr_buf *out, struct jr_error *err)
{
	struct recording r = {.request = request, .wish = &request->record, .msg = msg};
	bool mine = true;
	jr_arena_init(&r.arena, 0);
	jr_rank_find(jr_record_getenv, NULL, &r.rank);
	if (r.rank.rank > 0) /* one progress line is enough for a terminal */
		msg->progress = msg->redraw = false;
	enum jr_status status = JR_OK;
	if (r.wish->rule)
		status = as_usage(jr_rank_matches(r.wish->rule, &r.rank, &mine, err), err);
	if (status == JR_OK && !mine)
		status = run_alone(&r, err);
	if (status == JR_OK)
		status = as_usage(jr_record_name_output(&r, err), err);
	if (status == JR_OK)
		status = jr_record_find_programs(&r, err);
	if (status == JR_OK)
		status = jr_record_check_output(&r, err);
	if (status == JR_OK)
		status = record(&r, out, err);
	jr_emergency_parting(NULL);
	jr_guarded_unclaim();
	if (!r.wish->keep_work && !r.data_in_work)
		jr_guarded_folder_remove();
	if (r.made && r.wish->digest) {
		struct jr_error why = {0};
		enum jr_status digested = jr_record_digest(request, r.output, msg, &why);
		if (status == JR_OK && digested != JR_OK)
			*err = why;
		status = status == JR_OK ? digested : status;
	}
	if (r.made && r.page) {
		struct jr_error why = {0};
		enum jr_status reported = go_on_to_report(request, r.output, r.page, msg, out, &why);
		if (status == JR_OK && reported != JR_OK)
			*err = why;
		status = status == JR_OK ? reported : status;
	}
	jr_buf_done(&r.profile_help);
	jr_buf_done(&r.export_help);
	jr_vec_done(&r.profile);
	jr_vec_done(&r.export);
	jr_arena_done(&r.arena);
	return status;
}

static enum jr_status pack_from(const struct jr_request *request, struct jr_messages *msg,
	struct jr_buf *out, struct jr_error *err)
{
	JR_TRY(jr_output_check(request, err));
	struct jr_exported exported;
	enum jr_status status = jr_nsys_reports_export(request, msg, &exported, err);
	if (status == JR_OK)
		status = request->record.report || request->record.digest
					 ? jr_record_pack_apart(request, &exported, NULL, msg, err)
					 : jr_record_pack(request, &exported, NULL, msg, err);
	jr_exported_done(&exported);
	if (status == JR_OK) {
		jr_terminal_put_path(out, request->output, strlen(request->output));
		jr_buf_putc(out, '\n');
	}
	if (status == JR_OK && request->record.digest)
		status = jr_record_digest(request, request->output, msg, err);
	if (status == JR_OK && request->record.report)
		status = go_on_to_report(request, request->output, request->record.report, msg, out, err);
	return status;
}

enum jr_status jr_cmd_record(const struct jr_request *request, struct jr_messages *msg,
	struct jr_buf *out, struct jr_error *err)
{
	return request->from ? pack_from(request, msg, out, err)
						 : record_program(request, msg, out, err);
}
