/*
 * opener.h - show the written page in the reader's browser (--open).
 * Layer: cli.  The sandbox does not let this process start programs once it reads inputs, so a
 * helper is started before that. It waits for the page and then becomes xdg-open.
 */
#ifndef JR_CLI_OPENER_H
#define JR_CLI_OPENER_H

#include "base/error.h"

/** Start the helper; once, before there are threads. JR_EUSAGE: no xdg-open on PATH. */
enum jr_status jr_opener_begin(struct jr_error *err) JR_MUST_CHECK;
/** Let the helper open the page. Without a helper: nothing. */
void jr_opener_show(const char *path);
/** End the helper if it was not told a page. */
void jr_opener_end(void);

#endif
