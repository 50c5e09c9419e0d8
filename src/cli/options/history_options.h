/*
 * history_options.h - the options of `jaxreport history`.
 * Layer: cli.
 */
#ifndef JR_CLI_HISTORY_OPTIONS_H
#define JR_CLI_HISTORY_OPTIONS_H

#include "cli/core/arguments.h"

#define JR_HISTORY_LAST 100 /* runs shown without --last */

/* Of rows of jr_option_table. */
jr_option_fn jr_take_line, jr_take_time, jr_take_metric;

/** Append the moment that many seconds after the start of 1970, UTC; from 0 to the end of the year
 * 9999. */
void jr_iso_time_put(struct jr_buf *out, int64_t seconds);
#define JR_ISO_TIME_MAX INT64_C(253402300799)

#endif
