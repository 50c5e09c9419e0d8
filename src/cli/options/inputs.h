/*
 * inputs.h - the inputs that a command line names: lists of them, and the output named after them.
 * Layer: cli.
 */
#ifndef JR_CLI_INPUTS_H
#define JR_CLI_INPUTS_H

#include "cli/core/arguments.h"

/**
 * Sets n_first. Replace each input "@FILE" by the paths in FILE: one a line, blanks around it and
 * lines that begin with '#' left out. A relative path starts at the folder of the list, so that a
 * list means the same wherever it is used from. "@-" reads stdin, where paths start at the current
 * folder. Lists do not nest. A file whose own name begins with '@' is given as "./@name".
 *
 * @return JR_EIO a list that cannot be read; JR_ELIMIT one beyond 16 MiB; JR_EUSAGE one that lists
 *         nothing
 */
enum jr_status jr_inputs_expand(struct jr_request *request, struct jr_error *err) JR_MUST_CHECK;

/**
 * Check that there is something to read: each input of `combine`, one input of each side of a
 * comparison, one input of other commands. An absent one of several is left out later.
 *
 * @return JR_EIO where there is not
 */
enum jr_status jr_inputs_check(const struct jr_request *request, struct jr_error *err)
	JR_MUST_CHECK;

/**
 * Where the report goes that is given no output: NAME-report, next to the inputs where they share a
 * folder, else in the current one. NAME is the input's without its ending (.zip, .sqlite…); of
 * several inputs what their names begin with, less digits and separators at its end (the first
 * one's where nothing is left); of a single list that of the list, less its suffix.
 *
 * @return from malloc; NULL where the input has no name of its own ("/", "..")
 */
char *jr_inputs_output(const struct jr_request *request) JR_MUST_CHECK;

/** Append what was written for a person to open: the page where there is one, else the folder. */
void jr_inputs_put_output(struct jr_buf *out, const struct jr_request *request);

#endif
