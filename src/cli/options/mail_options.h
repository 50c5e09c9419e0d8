/*
 * mail_options.h - the options for the addresses of mail.eml.
 * Layer: cli.
 */
#ifndef JR_CLI_MAIL_OPTIONS_H
#define JR_CLI_MAIL_OPTIONS_H

#include "cli/core/arguments.h"

/* Each is the `parse` of a row of jr_option_table. */
enum jr_status jr_take_address(struct jr_request *r, const struct jr_option *o, const char *value,
	struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_take_subject(struct jr_request *r, const struct jr_option *o, const char *value,
	struct jr_error *err) JR_MUST_CHECK;

/** Take what is attached: "html", "pdf", "html,pdf" or "none". */
enum jr_status jr_take_attachments(struct jr_request *r, const struct jr_option *o,
	const char *value, struct jr_error *err) JR_MUST_CHECK;

#endif
