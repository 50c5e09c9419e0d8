/*
 * what_if_options.h - --what-if: what a step would take with something changed.
 * Layer: cli.
 */
#ifndef JR_CLI_WHAT_IF_OPTIONS_H
#define JR_CLI_WHAT_IF_OPTIONS_H

#include "cli/core/arguments.h"

struct jr_profile;

/* The `parse` of a row of jr_option_table. JR_EUSAGE: not of the form of any that can be asked. */
enum jr_status jr_take_what_if(struct jr_request *r, const struct jr_option *o, const char *value,
	struct jr_error *err) JR_MUST_CHECK;
/** What can be asked: a line each. */
void jr_what_ifs_list(struct jr_buf *out);
/** Whether all that they name is in the profile. JR_EUSAGE: the first that is not, with the nearest
 * name. */
enum jr_status jr_what_ifs_check(const struct jr_request *r, const struct jr_profile *profile,
	struct jr_error *err) JR_MUST_CHECK;

#endif
