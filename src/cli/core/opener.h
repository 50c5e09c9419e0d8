/*
 * opener.h - show the written page in the reader's browser (--open).
 * Layer: cli.  The sandbox does not let this process start programs once it reads inputs, so a
 * helper is started before that. It waits for the page and then becomes xdg-open.
 */
#ifndef JR_CLI_OPENER_H
#define JR_CLI_OPENER_H

#include "base/error.h"

/** Start the helper; once, before there are threads.
 * @param helper  out: handle of the helper
 * @return JR_EUSAGE no xdg-open on PATH; JR_EIO */
enum jr_status jr_opener_begin(int *helper, struct jr_error *err) JR_MUST_CHECK;
/** Tell the helper the page; at most once. `helper` -1: nothing. */
void jr_opener_show(int helper, const char *path);
/** Let the helper open the page, or end if it was not told one. `helper` -1: nothing. */
void jr_opener_end(int helper);

#endif
