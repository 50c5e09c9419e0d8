/*
 * mail_options.h - the options for the addresses of mail.eml.
 * Layer: cli.
 */
#ifndef JR_CLI_MAIL_OPTIONS_H
#define JR_CLI_MAIL_OPTIONS_H

#include "cli/core/arguments.h"

/* Of rows of jr_option_table. Attached is "html", "pdf", "html,pdf" or "none". */
jr_option_fn jr_take_address, jr_take_subject, jr_take_attachments;

#endif
