#include "cli/record_options.h"

#include <string.h>
#include <sys/stat.h>

#include "base/num.h"
#include "cli/path_options.h"

#define MAX_SECONDS 1000000

static enum jr_status take_text(
	const char **to, const struct jr_option *o, const char *value, struct jr_error *err)
{
	if (!*value)
		return jr_fail(err, JR_EUSAGE, "%s wants %s, which is empty", o->name, o->argument);
	*to = value;
	return JR_OK;
}

enum jr_status jr_take_nsys(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	return take_text(&r->record.nsys, o, value, err);
}

enum jr_status jr_take_nsys_word(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	if (value[0] != '-' || !value[1])
		return jr_fail(err, JR_EUSAGE,
			"%s wants an option with what belongs to it, like %s=--gpu-metrics-devices=0, not '%s'",
			o->name, o->name, value);
	*jr_vec_add(&r->record.options) = value;
	return JR_OK;
}

enum jr_status jr_take_nsys_option(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	if (!*value)
		return jr_fail(err, JR_EUSAGE, "%s wants %s, which is empty", o->name, o->argument);
	*jr_vec_add(&r->record.options) = jr_arena_printf(&r->texts, "%s=%s", o->name, value);
	return JR_OK;
}

enum jr_status jr_take_nsys_timeout(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	int64_t n;
	if (!jr_parse_i64(value, strlen(value), &n) || n < 1 || n > MAX_SECONDS)
		return jr_fail(
			err, JR_EUSAGE, "%s wants seconds from 1 to %d, not '%s'", o->name, MAX_SECONDS, value);
	r->record.grace_s = n;
	return JR_OK;
}

enum jr_status jr_take_rule(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	return take_text(&r->record.rule, o, value, err);
}

enum jr_status jr_take_dump(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	return take_text(&r->record.dump, o, value, err);
}

enum jr_status jr_take_protos(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	struct stat st;
	const char *schema = jr_arena_printf(&r->texts, "%s/" JR_XLA_SCHEMA, value);
	if (stat(schema, &st) != 0 || !S_ISREG(st.st_mode))
		return jr_fail(err, JR_EUSAGE,
			"%s wants the folder of XLA's sources, and '%s' has no " JR_XLA_SCHEMA, o->name, value);
	return take_text(&r->record.protos, o, value, err);
}

enum jr_status jr_take_xla_flags(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	bool no = strcmp(value, "no") == 0;
	if (!no && strcmp(value, "yes") != 0)
		return jr_fail(err, JR_EUSAGE, "%s wants yes or no, not '%s'", o->name, value);
	r->record.leave_flags = no;
	return JR_OK;
}

enum jr_status jr_take_report(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	return take_text(&r->record.report, o, value, err);
}

static enum jr_status check_from(struct jr_request *r, struct jr_error *err)
{
	const struct jr_record_wish *w = &r->record;
	struct stat st;
	const char *other = w->options.n  ? w->options.items[0]
						: w->rule     ? "--if"
						: w->grace_s  ? "--nsys-timeout"
						: w->dry_run  ? "--dry-run"
						: w->nsys     ? "--nsys"
						: w->keep_rep ? "--keep-rep"
									  : NULL;
	if (w->n_program)
		return jr_fail(err, JR_EUSAGE,
			"--from makes an archive of what is there, and takes no program: '%s'", w->program[0]);
	if (other)
		return jr_fail(err, JR_EUSAGE, "--from starts no program: nothing is done with %s", other);
	if (w->dump && (stat(w->dump, &st) != 0 || !S_ISDIR(st.st_mode)))
		return jr_fail(err, JR_EUSAGE, "--xla-dump wants a folder, not '%s'", w->dump);
	r->analysis.xla_dump = w->dump;
	return jr_take_only_from(r, err);
}

enum jr_status jr_record_check(struct jr_request *r, struct jr_error *err)
{
	if (r->from)
		return check_from(r, err);
	if (!r->record.n_program)
		return jr_fail(err, JR_EUSAGE,
			"no program given: jaxreport record [options] -- PROGRAM [ARG]...; see 'jaxreport "
			"record --help'");
	if (!*r->record.program[0])
		return jr_fail(err, JR_EUSAGE, "the program has no name: '' (a variable that is not set?)");
	return JR_OK;
}
