/*
 * inputs.h - the inputs that a command line names: lists of inputs, and the output named after
 * them.
 * Layer: cli.
 */
#ifndef JR_CLI_INPUTS_H
#define JR_CLI_INPUTS_H

#include "cli/core/arguments.h"

/* Error for a last input that is a word and does not exist. Takes the word twice. */
#define JR_MEANT_AS_OUTPUT "%s: does not exist. To write the report there, use '-o %s'."

/**
 * Replace each input "@FILE" by the paths in FILE, and set n_first. A list has one path per line;
 * blanks around it and lines that begin with '#' are ignored. A relative path starts at the folder
 * of the list, so that a list means the same from any folder. "@-" reads stdin, where paths start
 * at the current folder. Lists do not nest. A file whose own name begins with '@' is given as
 * "./@name".
 *
 * @return JR_EIO a list that cannot be read; JR_ELIMIT one larger than 16 MiB; JR_EUSAGE an empty
 *         list
 */
enum jr_status jr_inputs_expand(struct jr_request *request, struct jr_error *err) JR_MUST_CHECK;

/**
 * Check that there is something to read: each input of `combine`, one input of each side of a
 * comparison, one input of other commands. If one of several does not exist, it is left out later.
 *
 * @return JR_EIO if there is nothing to read
 */
enum jr_status jr_inputs_check(const struct jr_request *request, struct jr_error *err)
	JR_MUST_CHECK;

/**
 * Return the output of a report without -o: NAME-report, next to the inputs if they share a folder,
 * else in the current folder. NAME is the input without its ending (.zip, .sqlite…). For several
 * inputs it is the common beginning of their names, without digits and separators at its end; if
 * nothing is left, the name of the first. For a single list it is the name of the list without its
 * suffix.
 *
 * @return from malloc; NULL if the input has no name of its own ("/", "..")
 */
char *jr_inputs_output(const struct jr_request *request) JR_MUST_CHECK;

/** Append the path that a person opens: the page if there is one, else the folder. */
void jr_inputs_put_output(struct jr_buf *out, const struct jr_request *request);

#endif
