/*
 * history_options.h - the options of `jaxreport history`.
 * Layer: cli.
 */
#ifndef JR_CLI_HISTORY_OPTIONS_H
#define JR_CLI_HISTORY_OPTIONS_H

#include "cli/core/arguments.h"

#define JR_HISTORY_LAST 100 /* runs shown where --last says nothing else */

/* Each is the `parse` of a row of jr_option_table. */
enum jr_status jr_take_commit(struct jr_request *r, const struct jr_option *o, const char *value,
	struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_take_label(struct jr_request *r, const struct jr_option *o, const char *value,
	struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_take_time(struct jr_request *r, const struct jr_option *o, const char *value,
	struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_take_metric(struct jr_request *r, const struct jr_option *o, const char *value,
	struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_take_last(struct jr_request *r, const struct jr_option *o, const char *value,
	struct jr_error *err) JR_MUST_CHECK;

/** True for a day ("2026-03-01") or a moment ("2026-03-01T12:00:00Z", "…T12:00+01:00") of ISO 8601;
 * whether the month has that many days is not looked at. */
bool jr_is_iso_time(const char *s);
/** The moment so many seconds after 1970 began, UTC; n from 0 to the end of the year 9999. */
void jr_iso_time_put(struct jr_buf *out, int64_t seconds);
#define JR_ISO_TIME_MAX INT64_C(253402300799)

#endif
