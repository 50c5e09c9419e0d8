#include "cli/options/option_functions.h"

#include <string.h>
#include <sys/stat.h>

enum jr_status jr_take_nsys_word(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	if (value[0] != '-' || !value[1])
		return jr_fail(err, JR_EUSAGE,
			"%s requires an option and its value, like %s=--gpu-metrics-devices=0, not '%s'",
			o->name, o->name, value);
	*jr_vec_add(&r->record.options) = value;
	return JR_OK;
}

enum jr_status jr_take_nsys_option(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	if (!*value)
		return jr_fail(err, JR_EUSAGE, "%s requires %s, which is empty", o->name, o->argument);
	*jr_vec_add(&r->record.options) = jr_arena_printf(&r->texts, "%s=%s", o->name, value);
	return JR_OK;
}

enum jr_status jr_take_protos(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	struct stat st;
	const char *schema = jr_arena_printf(&r->texts, "%s/" JR_XLA_SCHEMA, value);
	if (stat(schema, &st) != 0 || !S_ISREG(st.st_mode))
		return jr_fail(err, JR_EUSAGE,
			"%s requires the folder of XLA's sources, but '%s' does not contain " JR_XLA_SCHEMA,
			o->name, value);
	return jr_take_text(r, o, value, err);
}

static bool ends_in_zip(const char *name)
{
	size_t n = strlen(name);
	return n > 4 && strcmp(name + n - 4, ".zip") == 0;
}

enum jr_status jr_zip_check(const char *name, const char *stem, struct jr_error *err)
{
	struct stat st;
	bool folder = name && *name && name[strlen(name) - 1] == '/';
	if (!name || ends_in_zip(name) || strcmp(name, "-") == 0 || (stat(stem, &st) != 0 && !folder))
		return JR_OK;
	folder = folder || S_ISDIR(st.st_mode);
	const char *slash = folder && stem[strlen(stem) - 1] != '/' ? "/" : "";
	return jr_fail(err, JR_EUSAGE,
		"-o %s: %s. -o requires the name of the archive, like '%s%srun.zip'.", name,
		folder                ? "a folder"
		: S_ISREG(st.st_mode) ? "a file that is not named .zip"
							  : "not a file",
		folder ? stem : "", slash);
}

static enum jr_status check_from(struct jr_request *r, struct jr_error *err)
{
	const struct jr_record_wish *w = &r->record;
	const char *other = w->options.n      ? w->options.items[0]
						: w->rule         ? "--if"
						: w->grace_s      ? "--grace"
						: w->dry_run      ? "--dry-run"
						: w->keep_rep     ? "--keep-rep"
						: w->no_arguments ? "--no-arguments"
										  : NULL;
	if (w->n_program)
		return jr_fail(err, JR_EUSAGE,
			"--from makes an archive without running a program. Remove '%s'.", w->program[0]);
	if (other)
		return jr_fail(
			err, JR_EUSAGE, "--from runs no program, so %s has no effect. Remove it.", other);
	if (w->dump)
		JR_TRY(jr_path_check_as(JR_READS_FOLDER, "--xla-dump", w->dump, err));
	r->analysis.xla_dump = w->dump;
	if (r->output) {
		JR_TRY(jr_zip_check(r->output, r->output, err));
		if (!ends_in_zip(r->output) && strcmp(r->output, "-") != 0)
			r->output = jr_arena_printf(&r->texts, "%s.zip", r->output);
	}
	return jr_take_only_from(r, err);
}

enum jr_status jr_record_check(struct jr_request *r, struct jr_error *err)
{
	if (r->from)
		return check_from(r, err);
	if (!r->record.n_program)
		return jr_fail(err, JR_EUSAGE,
			"no program given. Use: jaxreport record [options] -- PROGRAM [ARG]... (see "
			"'jaxreport record --help')");
	if (!*r->record.program[0])
		return jr_fail(
			err, JR_EUSAGE, "the program name is empty. Check for an unset shell variable.");
	return JR_OK;
}
