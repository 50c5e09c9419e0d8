/*
 * path_options.h - options whose values are paths: --run, --xla-dump, --memory-profile, --sources,
 * --strip-prefix, --source-prefix, --from.
 * Layer: cli.
 */
#ifndef JR_CLI_PATH_OPTIONS_H
#define JR_CLI_PATH_OPTIONS_H

#include "cli/core/arguments.h"

/** Check that the path of an option exists or, for an output, that its folder does.
 * @return JR_EIO it does not exist; JR_EUSAGE it is empty, or not a folder where one is read */
enum jr_status jr_path_check(
	const struct jr_option *option, const char *value, struct jr_error *err) JR_MUST_CHECK;
/** Check a path whose kind depends on other options. */
enum jr_status jr_path_check_as(enum jr_option_kind kind, const char *option, const char *value,
	struct jr_error *err) JR_MUST_CHECK;

/* Of rows of jr_option_table: jr_take_path() takes any text, whose kind has been checked,
 * jr_take_text() any but the empty one. */
jr_option_fn jr_take_path, jr_take_text;
jr_option_fn jr_take_run, jr_take_device, jr_take_strip_prefix, jr_take_source_prefix;

/** Take --from as the one input of a command that has no other inputs, and name its output.
 * @return JR_EUSAGE --from is missing, or another input is given */
enum jr_status jr_take_only_from(struct jr_request *request, struct jr_error *err) JR_MUST_CHECK;

#endif
