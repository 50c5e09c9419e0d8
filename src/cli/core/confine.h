/*
 * confine.h - what a command still needs once it knows its inputs and its output.
 * Layer: cli.  The policy over base/sandbox.h.
 *
 *   read            the inputs, --xla-dump, --sources, folders of sources, what libraries and fonts
 * of the system need place, remove   next to the output, for the rename that puts it there; rules
 * of Landlock hold for whole trees, so this also goes for folders below, but for no file's content
 * write the output under construction, a store, $GITHUB_STEP_SUMMARY
 *
 * All else is refused from then on, in all threads; `nsys`, and what is recorded, have ended by
 * then. --no-sandbox leaves it out, as do builds with sanitizers, which start programs
 * themselves.
 */
#ifndef JR_CLI_CONFINE_H
#define JR_CLI_CONFINE_H

#include "cli/core/commands.h"

struct jr_confinement {
	const char *const *inputs; /* [n_inputs] */
	size_t n_inputs;
	const char *const
		*origins;        /* [n_inputs] what an input was exported from, or NULL; may be NULL */
	const char *staging; /* the output under construction, or NULL */
	const char *const *folders; /* [n_folders] to read what is in them */
	size_t n_folders;
};

/** Once, before anything of an input is parsed and before there are threads. Loads what
 * could not be loaded later: fonts of what is to be drawn, modules of libcrypto. With -v tells what
 * is in force. */
void jr_confine(
	const struct jr_request *request, const struct jr_confinement *what, struct jr_messages *msg);

#endif
