/*
 * selection_options.h - --devices, --steps, --time, --range, --program: the part of a profile to
 * report on.
 * Layer: cli.
 */
#ifndef JR_CLI_SELECTION_OPTIONS_H
#define JR_CLI_SELECTION_OPTIONS_H

#include "cli/core/arguments.h"

/* Of rows of jr_option_table. Lists are in r->texts. */
jr_option_fn jr_take_devices, jr_take_steps, jr_take_time_range, jr_take_pattern;

#endif
