/*
 * confine.h - limit a command to what it still needs once it knows its inputs and its output.
 * Layer: cli.  The policy over base/sandbox.h.
 *
 *   read            the inputs, --xla-dump, --memory-profile, --sources, folders of sources, what
 *                   libraries and fonts of the system need
 *   place, remove   next to the output, for the rename that puts it there; rules of Landlock hold
 *                   for whole trees, so this includes folders below, but no file's content
 *   write           the output under construction, a store, $GITHUB_STEP_SUMMARY
 *
 * Everything else is refused from then on, in all threads; `nsys` and the recorded program have
 * ended by then. There is no sandbox with --no-sandbox, nor in builds with sanitizers, which start
 * programs themselves.
 */
#ifndef JR_CLI_CONFINE_H
#define JR_CLI_CONFINE_H

#include "cli/core/commands.h"
#include "cli/core/nsys_report.h"

struct jr_confinement {
	const char *const *inputs; /* [n_inputs] */
	size_t n_inputs;
	const char *const *origins; /* [n_inputs] the report that was exported, or NULL; may be NULL */
	const char *staging;        /* the output under construction, or NULL */
	const char *const *folders; /* [n_folders] may be read with everything in them */
	size_t n_folders;
};

/** Enter the sandbox. Once, before any input is parsed and before there are threads. First loads
 * what cannot be loaded later: fonts for drawing, modules of libcrypto. With -v, prints what is in
 * force. */
void jr_confine(
	const struct jr_request *request, const struct jr_confinement *what, struct jr_messages *msg);
/** Export the inputs that are reports of nsys, then confine what follows to the inputs and
 * `staging` (the output under construction, or NULL).
 * @param exported  out; always call jr_exported_done()
 * @return as jr_nsys_reports_export() */
enum jr_status jr_confine_to_inputs(const struct jr_request *request, struct jr_messages *msg,
	const char *staging, struct jr_exported *exported, struct jr_error *err) JR_MUST_CHECK;

#endif
