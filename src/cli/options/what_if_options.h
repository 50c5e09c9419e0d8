/*
 * what_if_options.h - --what-if: how long a step would take after a change.
 * Layer: cli.
 */
#ifndef JR_CLI_WHAT_IF_OPTIONS_H
#define JR_CLI_WHAT_IF_OPTIONS_H

#include "cli/core/arguments.h"

struct jr_profile;

/* Of a row of jr_option_table. */
jr_option_fn jr_take_what_if;
/** Append the possible changes, one per line. */
void jr_what_ifs_list(struct jr_buf *out);
/** Check that everything that they name is in the profile. JR_EUSAGE: the first that is not, with
 * the nearest name. */
enum jr_status jr_what_ifs_check(const struct jr_request *r, const struct jr_profile *profile,
	struct jr_error *err) JR_MUST_CHECK;

#endif
