/*
 * selection_options.h - --devices, --steps, --time, --range, --program: the part of a profile to
 * report on.
 * Layer: cli.
 */
#ifndef JR_CLI_SELECTION_OPTIONS_H
#define JR_CLI_SELECTION_OPTIONS_H

#include "cli/core/arguments.h"

/* Each is the `parse` of a row of jr_option_table. JR_EUSAGE: the value does not have the form that
 * the message states. Lists are in r->texts. */
enum jr_status jr_take_devices(struct jr_request *r, const struct jr_option *o, const char *value,
	struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_take_steps(struct jr_request *r, const struct jr_option *o, const char *value,
	struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_take_time_range(struct jr_request *r, const struct jr_option *o,
	const char *value, struct jr_error *err) JR_MUST_CHECK;
/* --range and --program */
enum jr_status jr_take_pattern(struct jr_request *r, const struct jr_option *o, const char *value,
	struct jr_error *err) JR_MUST_CHECK;

#endif
