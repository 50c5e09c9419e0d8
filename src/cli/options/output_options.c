#include "cli/options/option_functions.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/core/commands.h"
#include "cli/options/github.h"
#include "cli/options/inputs.h"
#include "report/core/report.h"

/* Choose stdout for "-o -": only text. */
static enum jr_status choose_stdout(struct jr_request *r, struct jr_error *err)
{
	if (!(r->command->bit & (JR_FOR_REPORT | JR_FOR_COMPARE | JR_FOR_SHOW)) || !r->output ||
		strcmp(r->output, "-") != 0)
		return JR_OK;
	if (r->github)
		return jr_fail(err, JR_EUSAGE, "--github requires a folder, not -o -");
	const struct jr_report_format *text = jr_report_format_find("text", 4);
	if (r->formats.n > 1 || (r->formats.n == 1 && r->formats.items[0] != text))
		return jr_fail(err, JR_EUSAGE, "-o - prints text only. Other formats require a folder.");
	r->to_stdout = true;
	r->output = NULL;
	return JR_OK;
}

static bool writes(const struct jr_request *r, const char *format)
{
	for (size_t i = 0; i < r->formats.n; i++)
		if (strcmp(r->formats.items[i]->name, format) == 0)
			return true;
	return false;
}

/* Refuse an option that has no effect with the others: it is a mistake, and ignoring it would hide
 * that. */
static enum jr_status check_choices(const struct jr_request *r, struct jr_error *err)
{
	const struct jr_options *o = &r->analysis;
	const char *mail = o->mail_from                   ? "--mail-from"
					   : o->mail_to                   ? "--mail-to"
					   : o->mail_subject              ? "--mail-subject"
					   : o->mail_pdf || !o->mail_page ? "--mail-attach"
													  : NULL;
	bool nowhere = !r->output && (r->command->bit & (JR_FOR_COMPARE | JR_FOR_SHOW));
	if (nowhere && !r->to_stdout && r->formats.n)
		return jr_fail(err, JR_EUSAGE, "--format requires -o DIR, the folder to write");
	if ((nowhere || r->to_stdout) && mail)
		return jr_fail(
			err, JR_EUSAGE, "%s requires -o DIR, because mail.eml is written to DIR", mail);
	if (mail && !writes(r, "mail"))
		return jr_fail(err, JR_EUSAGE, "%s requires --format mail", mail);
	if (o->csv_raw && (nowhere || r->to_stdout || (r->formats.n && !writes(r, "csv"))))
		return jr_fail(err, JR_EUSAGE, "--csv-raw requires -o DIR and --format csv");
	if (r->formats.n == 1 && writes(r, "gates") && !r->gates.list.n &&
		(r->command->bit & (JR_FOR_REPORT | JR_FOR_COMPARE)))
		return jr_fail(err, JR_EUSAGE, "--format gates requires --gate or --gates");
	if (o->letter && (nowhere || r->to_stdout || !writes(r, "pdf")))
		return jr_fail(err, JR_EUSAGE, "--paper requires -o DIR and --format pdf");
	if (r->open && (nowhere || r->to_stdout || (r->formats.n && !writes(r, "html"))))
		return jr_fail(err, JR_EUSAGE, "--open requires -o DIR and --format html");
	if (o->no_sources && o->sources_dir)
		return jr_fail(err, JR_EUSAGE, "--no-sources and --sources exclude each other");
	return JR_OK;
}

static void choose_default_formats(struct jr_request *r)
{
	if (r->formats.n > 0)
		return;
	for (const struct jr_report_format *f = jr_report_formats; f->name; f++)
		if (f->by_default)
			*jr_vec_add(&r->formats) = f;
}

enum jr_status jr_output_formats(struct jr_request *r, struct jr_error *err)
{
	JR_TRY(choose_stdout(r, err));
	if (r->action == JR_ACTION_RUN)
		JR_TRY(check_choices(r, err));
	choose_default_formats(r);
	if (r->github)
		jr_github_formats(r);
	return JR_OK;
}

enum jr_status jr_output_name(struct jr_request *r, struct jr_error *err)
{
	bool file = r->command->flags & (JR_CMD_OUTPUT | JR_CMD_PROGRAM);
	if (r->output && strcmp(r->output, "-") == 0 && file)
		return jr_fail(
			err, JR_EUSAGE, "'jaxreport %s' writes to a file, not to stdout", r->command->name);
	if (!r->output && (r->command->flags & JR_CMD_OUTPUT))
		return jr_fail(err, JR_EUSAGE, "'jaxreport %s' requires -o FILE", r->command->name);
	if (r->output || r->to_stdout || !(r->command->bit & (JR_FOR_REPORT | JR_FOR_RECORD)))
		return JR_OK;
	r->output = r->output_made = jr_inputs_output(r);
	if (!r->output)
		return jr_fail(err, JR_EUSAGE, "'%s' cannot be used to name the %s. Choose a name with -o.",
			r->inputs.items[0], r->command->bit & JR_FOR_RECORD ? "archive" : "report");
	return JR_OK;
}

/* Refuse an output that would replace an input. `real`: the resolved path of the output. */
static enum jr_status check_input(
	const struct jr_request *r, const char *real, const char *input, struct jr_error *err)
{
	char path[PATH_MAX];
	size_t n = strlen(real);
	if (!input || !realpath(input, path) || strncmp(path, real, n) != 0)
		return JR_OK;
	if (!path[n])
		return jr_fail(err, JR_EUSAGE,
			"output '%s' is one of the inputs. Choose another path with -o.", r->output);
	if (path[n] == '/' && r->force)
		return jr_fail(err, JR_EUSAGE,
			"output '%s' is a folder that contains the input '%s'. Choose another path with "
			"-o.",
			r->output, input);
	return JR_OK;
}

enum jr_status jr_output_check(const struct jr_request *r, struct jr_error *err)
{
	char real[PATH_MAX];
	if (!r->output || !realpath(r->output, real))
		return JR_OK;
	for (size_t i = 0; i < r->inputs.n; i++)
		JR_TRY(check_input(r, real, r->inputs.items[i], err));
	return check_input(r, real, r->store, err);
}
