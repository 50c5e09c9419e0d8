/*
 * nsys_report.h - reports of Nsight Systems (.nsys-rep): their own tool exports them for us.
 * Layer: cli.  `nsys export`, found on PATH, is started without a shell (other programs:
 * child.h).
 * The export goes to a folder below $TMPDIR that is removed in any case (emergency.h).
 */
#ifndef JR_CLI_NSYS_REPORT_H
#define JR_CLI_NSYS_REPORT_H

#include "cli/core/arguments.h"

/* The inputs of a request as they are to be read. */
struct jr_exported {
	const char **paths;   /* [inputs.n] the input, or the export made of it */
	const char **origins; /* [inputs.n] the input where it was exported, else NULL */
	struct jr_arena arena;
};

/**
 * Export those inputs that are reports; the others stay what they are.
 * @param exported  out, jr_exported_done() in any case
 * @return JR_ENOTFOUND no `nsys` on PATH, the message has the command to run; JR_EIO it cannot be
 *         started or failed, with the last line it wrote. What nsys collected and did not convert
 *         (.qdstrm) is converted first.
 */
enum jr_status jr_nsys_reports_export(const struct jr_request *request, struct jr_messages *msg,
	struct jr_exported *exported, struct jr_error *err) JR_MUST_CHECK;
/** The program of the same installation that converts what nsys has collected (.qdstrm); NULL: is
 * not there. `nsys` is a path, or a name on PATH. */
const char *jr_nsys_importer(const char *nsys, struct jr_arena *arena);
/** Removes what was exported. */
void jr_exported_done(struct jr_exported *exported);

#endif
