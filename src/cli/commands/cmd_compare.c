#include "analysis/shared/columns.h"
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
#include "compare/run/run_open.h"
#include "report/core/report.h"

static const char *const side_names[] = {[JR_BASE] = "base", [JR_NEW] = "new"};

/* All data of a comparison, released in one place. */
struct comparing {
	const struct jr_request *request;
	struct jr_messages *msg;
	struct jr_outdir dir;
	struct jr_exported exported; /* all inputs, the base's first */
	struct jr_side sides[2];
	bool opened[2];
	struct jr_profile notes; /* not a profile: warnings and gaps of both sides, for the report */
	struct jr_arena arena;
	struct jr_comparison comparison;
	struct jr_results results;
};

/* The inputs of the base come first. */
static size_t first_input(const struct comparing *c, int side)
{
	return side == JR_BASE ? 0 : c->request->n_first;
}

static size_t n_inputs(const struct comparing *c, int side)
{
	return side == JR_BASE ? c->request->n_first : c->request->inputs.n - c->request->n_first;
}

static struct jr_unread_words gap_words(const struct comparing *c, int side)
{
	return (struct jr_unread_words){.side = side_names[side],
		.input = n_inputs(c, side) == 1 ? c->request->inputs.items[first_input(c, side)] : NULL,
		.ending = "; the comparison does not include it"};
}

static enum jr_status open_side(struct comparing *c, int side, struct jr_error *err)
{
	struct jr_progress progress = {jr_on_progress, c->msg};
	size_t from = first_input(c, side);
	struct jr_side *opened = &c->sides[side];
	c->opened[side] = true;
	enum jr_status status = jr_side_open(opened, c->exported.paths + from,
		c->exported.origins + from, n_inputs(c, side), &c->request->analysis, &progress, err);
	JR_TRY(jr_command_misused(status, err));
	const struct jr_unread_words words = gap_words(c, side);
	return opened->computed ? jr_unread_strict(c->request, c->msg, &opened->profile, &words, err)
							: JR_OK;
}

/* Sections and reasons of each run, to find what both lack for the same reason. */
struct gaps {
	struct jr_intern texts;
	struct jr_map pairs[2]; /* (section, reason) */
};

static uint64_t gap_key(struct gaps *gaps, const char *section, const char *reason)
{
	return jr_key2(jr_intern_puts(&gaps->texts, section), jr_intern_puts(&gaps->texts, reason));
}

static void gaps_of(const struct comparing *c, struct gaps *out)
{
	*out = (struct gaps){.pairs = {{0}, {0}}};
	jr_intern_init(&out->texts);
	for (int side = 0; side < 2; side++) {
		const struct jr_run *run = &c->sides[side].run;
		for (size_t i = 0; i < jr_run_rows(run, JR_RUN_UNAVAILABLE); i++) {
			const char *section = jr_run_text(run, JR_RUN_UNAVAILABLE, JR_UNAVAILABLE_SECTION, i);
			const char *reason = jr_run_text(run, JR_RUN_UNAVAILABLE, JR_UNAVAILABLE_REASON, i);
			if (section && reason)
				jr_map_put(&out->pairs[side], gap_key(out, section, reason), 0);
		}
	}
}

static void gaps_done(struct gaps *gaps)
{
	for (int side = 0; side < 2; side++)
		jr_map_done(&gaps->pairs[side]);
	jr_intern_done(&gaps->texts);
}

static void note_missing(struct comparing *c, int side, struct gaps *gaps)
{
	const struct jr_run *run = &c->sides[side].run;
	for (size_t i = 0; i < jr_run_rows(run, JR_RUN_UNAVAILABLE); i++) {
		const char *section = jr_run_text(run, JR_RUN_UNAVAILABLE, JR_UNAVAILABLE_SECTION, i);
		const char *reason = jr_run_text(run, JR_RUN_UNAVAILABLE, JR_UNAVAILABLE_REASON, i);
		bool both = section && reason &&
					jr_map_get(&gaps->pairs[!side], gap_key(gaps, section, reason)) != JR_NONE;
		reason = reason ? reason : "";
		if (both && side == JR_NEW)
			continue;
		reason = jr_arena_printf(&c->arena, "%s: %s", both ? "both" : side_names[side], reason);
		jr_profile_missing(&c->notes, section ? section : "", reason);
	}
}

/* Note guesses in the order of their ids, which is the order of the notes. */
static void note_guesses(struct comparing *c, int side)
{
	const struct jr_run *run = &c->sides[side].run;
	size_t n = jr_run_rows(run, JR_RUN_GUESSES);
	struct jr_rank_key *order = JR_ARENA_N(&c->arena, struct jr_rank_key, n + 1);
	for (uint32_t i = 0; i < n; i++) {
		const char *id = jr_run_text(run, JR_RUN_GUESSES, JR_GUESS_ID, i);
		order[i] = (struct jr_rank_key){.name = id ? id : "", .program = i, .row = i};
	}
	jr_rank_sort(order, n);
	for (size_t k = 0; k < n; k++) {
		size_t i = order[k].row;
		const char *detail = jr_run_text(run, JR_RUN_GUESSES, JR_GUESS_DETAIL, i);
		jr_profile_guess(&c->notes,
			jr_arena_printf(&c->arena, "%s: %s", side_names[side], order[k].name),
			(uint64_t)jr_run_sum(run, JR_RUN_GUESSES, JR_GUESS_COUNT, i), detail ? detail : "");
	}
}

/* Note what a side lacks or assumes. */
static void note(struct comparing *c, int side, struct gaps *gaps)
{
	const struct jr_run *run = &c->sides[side].run;
	note_missing(c, side, gaps);
	note_guesses(c, side);
	const char *refused = jr_run_refused_text(run, &c->arena);
	if (refused) {
		jr_profile_warn(&c->notes, "%s: %s", side_names[side], refused);
		jr_say_warning(c->msg, "%s: %s", side_names[side], refused);
	}
	for (size_t i = 0; i < jr_run_rows(run, JR_RUN_WARNINGS); i++) {
		const char *text = jr_run_text(run, JR_RUN_WARNINGS, JR_WARNING_TEXT, i);
		jr_profile_warn(&c->notes, "%s: %s", side_names[side], text ? text : "");
	}
}

static void note_all(struct comparing *c)
{
	struct gaps gaps;
	gaps_of(c, &gaps);
	for (int side = 0; side < 2; side++)
		note(c, side, &gaps);
	gaps_done(&gaps);
}

static void tell(const struct comparing *c, struct jr_buf *out)
{
	const struct jr_scalar *sentence = jr_results_scalar(&c->results, "verdict.sentence");
	struct jr_text_style style = jr_terminal_style();
	if (c->request->to_stdout)
		jr_report_text(&c->notes, &c->results, &style, out);
	else if (sentence)
		jr_buf_printf(out, "%s\n", sentence->value.text);
	jr_gates_tell(out, c->comparison.gates, c->comparison.n_gates);
	if (c->request->output)
		jr_inputs_put_output(out, c->request);
}

static enum jr_status write_files(struct comparing *c, struct jr_error *err)
{
	const struct jr_request *r = c->request;
	if (!r->output)
		return JR_OK;
	jr_say_progress(c->msg, "writing", 0, 0);
	JR_TRY(jr_report_write(&c->notes, &c->results, r->formats.items, r->formats.n, &c->dir, err));
	return jr_guarded_commit(&c->dir, err);
}

/* Report the gaps of inputs that were read now. Those of earlier reports were reported then. */
static enum jr_status tell_gaps(struct comparing *c, struct jr_error *err)
{
	enum jr_status status = JR_OK;
	for (int side = 0; side < 2; side++) {
		const struct jr_unread_words words = gap_words(c, side);
		if (c->sides[side].computed)
			status = jr_unread_tell(c->msg, &c->sides[side].profile, &words, err);
	}
	return status;
}

/* What is in device memory has no step, and a step says nothing about what is in device memory. */
static enum jr_status check_kinds(const struct comparing *c, struct jr_error *err)
{
	bool live[2] = {jr_run_is_live(&c->sides[0].run), jr_run_is_live(&c->sides[1].run)};
	if (live[JR_BASE] == live[JR_NEW])
		return JR_OK;
	return jr_command_misused(
		jr_fail(err, JR_EUSAGE,
			"'%s' is a device memory profile, but '%s' is not. Compare two device memory profiles, "
			"or two other inputs.",
			c->request->inputs.items[first_input(c, live[JR_BASE] ? JR_BASE : JR_NEW)],
			c->request->inputs.items[first_input(c, live[JR_BASE] ? JR_NEW : JR_BASE)]),
		err);
}

static enum jr_status compare(struct comparing *c, struct jr_buf *out, struct jr_error *err)
{
	const struct jr_request *r = c->request;
	JR_TRY(jr_confine_to_inputs(r, c->msg, c->dir.staging, &c->exported, err));
	for (int side = 0; side < 2; side++)
		JR_TRY(open_side(c, side, err));
	JR_TRY(check_kinds(c, err));
	note_all(c);
	jr_say_progress(c->msg, "comparing", 0, 0);
	jr_compare_runs(&c->sides[JR_BASE].run, &c->sides[JR_NEW].run, c->request->tolerance,
		&c->request->gates, &c->arena, &c->comparison, &c->results);
	/* Write the text once to allocate its memory: after the files are in place, nothing may fail
	 * for lack of memory. */
	size_t told = out->size;
	tell(c, out);
	out->size = told;
	JR_TRY(write_files(c, err));
	jr_say_progress_end(c->msg);
	struct jr_error untold = {.message = ""};
	if (r->github)
		jr_github_tell(r, &c->results, out, &untold);
	tell(c, out);
	enum jr_status status = tell_gaps(c, err);
	if (status == JR_OK)
		status = jr_gates_status(
			c->comparison.gates, c->comparison.n_gates, r->analysis.inconclusive, err);
	return jr_github_settle(status, &untold, c->msg, err);
}

enum jr_status jr_cmd_compare(const struct jr_request *request, struct jr_messages *msg,
	struct jr_buf *out, struct jr_error *err)
{
	struct comparing c = {.request = request, .msg = msg};
	JR_TRY(jr_output_check(request, err));
	if (request->output)
		JR_TRY(jr_guarded_begin(&c.dir, request->output, request->force, err));
	jr_profile_init(&c.notes, &request->analysis);
	jr_arena_init(&c.arena, request->analysis.limits.memory_bytes);
	enum jr_status status = compare(&c, out, err);
	if (request->output)
		jr_guarded_abandon(&c.dir);
	for (int side = 0; side < 2; side++)
		if (c.opened[side])
			jr_side_done(&c.sides[side]);
	jr_exported_done(&c.exported);
	jr_arena_done(&c.arena);
	jr_profile_done(&c.notes);
	return status;
}
