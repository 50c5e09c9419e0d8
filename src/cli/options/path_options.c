#include "cli/options/option_functions.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/cost/peaks.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "cli/core/commands.h"

/* Check that the folder for a new file or folder exists. */
static enum jr_status check_parent(const char *path, struct jr_error *err)
{
	char folder[PATH_MAX];
	struct stat st;
	size_t n = jr_file_folder_size(path);
	if (!n || n >= sizeof(folder))
		return JR_OK;
	snprintf(folder, sizeof(folder), "%.*s", (int)n, path);
	if (stat(folder, &st) == 0 || !jr_is_absent(errno))
		return JR_OK;
	return jr_fail_to_create(err, path, errno);
}

enum jr_status jr_path_check_as(
	enum jr_option_kind kind, const char *option, const char *value, struct jr_error *err)
{
	if (kind == JR_PLAIN || kind == JR_BOUNDS)
		return JR_OK;
	bool folder = kind == JR_READS_FOLDER;
	struct stat st;
	if (kind == JR_MAKES)
		return check_parent(value, err);
	if (!*value)
		return jr_fail(
			err, JR_EUSAGE, "%s requires the name of a %s", option, folder ? "folder" : "file");
	if (stat(value, &st) != 0)
		return jr_is_absent(errno)
				   ? jr_fail(err, JR_EIO, "%s: does not exist. %s requires an existing %s.", value,
						 option, folder ? "folder" : "file")
				   : jr_fail_to_open(err, value, errno);
	if (folder && !S_ISDIR(st.st_mode))
		return jr_fail(err, JR_EUSAGE, "%s: is not a folder. %s requires a folder.", value, option);
	return JR_OK;
}

enum jr_status jr_path_check(const struct jr_option *o, const char *value, struct jr_error *err)
{
	return jr_path_check_as(o->kind, o->name, value, err);
}

enum jr_status jr_take_path(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	(void)err;
	*(const char **)(void *)((char *)r + o->at) = value;
	return JR_OK;
}

enum jr_status jr_take_text(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	if (!*value)
		return jr_fail(err, JR_EUSAGE, "%s requires %s, which is empty", o->name, o->argument);
	return jr_take_path(r, o, value, err);
}

enum jr_status jr_take_run(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	if (!*value || strchr(value, '/'))
		return jr_fail(err, JR_EUSAGE, "%s requires the name of a run's folder", o->name);
	r->analysis.run = value;
	return JR_OK;
}

enum jr_status jr_take_device(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf found = {0}, nearest = {0};
	if (jr_peaks_named(value, &found, &nearest)) {
		r->analysis.device = jr_arena_strdup(&r->texts, found.data);
		return JR_OK;
	}
	return jr_fail(err, JR_EUSAGE, "%s: '%s' is not the name of one device. Use one of %s", o->name,
		value, nearest.data);
}

enum jr_status jr_take_source_prefix(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	if (*value != '/')
		return jr_fail(err, JR_EUSAGE, "%s requires the beginning of an absolute path, not '%s'",
			o->name, value);
	*jr_vec_add(&r->source_prefixes) = value;
	return JR_OK;
}

enum jr_status jr_take_strip_prefix(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	if (!*value)
		return jr_fail(err, JR_EUSAGE, "%s requires the beginning of a path", o->name);
	r->analysis.strip_prefix = value;
	return JR_OK;
}

enum jr_status jr_take_only_from(struct jr_request *r, struct jr_error *err)
{
	if (r->inputs.n)
		return jr_fail(err, JR_EUSAGE,
			"'jaxreport %s' takes its input only from --from. Remove '%s'.", r->command->name,
			r->inputs.items[0]);
	if (!r->from)
		return jr_fail(err, JR_EUSAGE,
			"'jaxreport %s' requires --from FILE. See 'jaxreport %s --help'.", r->command->name,
			r->command->name);
	*jr_vec_add(&r->inputs) = r->from;
	return jr_output_name(r, err);
}
