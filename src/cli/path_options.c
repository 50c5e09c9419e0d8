#include "cli/path_options.h"

#include <string.h>
#include <sys/stat.h>

#include "cli/commands.h"
#include "cli/output_options.h"

static enum jr_status check_folder(
	const struct jr_option *o, const char *value, struct jr_error *err)
{
	struct stat st;
	if (stat(value, &st) != 0 || !S_ISDIR(st.st_mode))
		return jr_fail(err, JR_EUSAGE, "%s wants a folder, not '%s'", o->name, value);
	return JR_OK;
}

enum jr_status jr_take_run(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	if (!*value || strchr(value, '/'))
		return jr_fail(err, JR_EUSAGE, "%s wants the name of a run's folder", o->name);
	r->analysis.run = value;
	return JR_OK;
}

enum jr_status jr_take_xla_dump(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	JR_TRY(check_folder(o, value, err));
	r->analysis.xla_dump = value;
	return JR_OK;
}

enum jr_status jr_take_sources(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	JR_TRY(check_folder(o, value, err));
	r->analysis.sources_dir = value;
	return JR_OK;
}

enum jr_status jr_take_source_prefix(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	if (*value != '/')
		return jr_fail(err, JR_EUSAGE, "%s wants a folder from / on, not '%s'", o->name, value);
	*jr_vec_add(&r->source_prefixes) = value;
	return JR_OK;
}

enum jr_status jr_take_from(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	if (!*value)
		return jr_fail(err, JR_EUSAGE, "%s wants the name of a file", o->name);
	r->from = value;
	return JR_OK;
}

enum jr_status jr_take_strip_prefix(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	if (!*value)
		return jr_fail(err, JR_EUSAGE, "%s wants the beginning of a path", o->name);
	r->analysis.strip_prefix = value;
	return JR_OK;
}

enum jr_status jr_take_only_from(struct jr_request *r, struct jr_error *err)
{
	if (r->inputs.n)
		return jr_fail(err, JR_EUSAGE, "'jaxreport %s' takes its input behind --from, not '%s'",
			r->command->name, r->inputs.items[0]);
	if (!r->from)
		return jr_fail(err, JR_EUSAGE,
			"'jaxreport %s' wants --from FILE; see 'jaxreport %s --help'", r->command->name,
			r->command->name);
	*jr_vec_add(&r->inputs) = r->from;
	return jr_output_name(r, err);
}
