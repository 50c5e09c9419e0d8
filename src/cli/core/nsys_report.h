/*
 * nsys_report.h - reports of Nsight Systems (.nsys-rep), which their own tool exports for us.
 * Layer: cli.  `nsys export`, found on PATH, is started without a shell (other programs: child.h).
 * The export goes to a folder below $TMPDIR that is always removed (emergency.h).
 */
#ifndef JR_CLI_NSYS_REPORT_H
#define JR_CLI_NSYS_REPORT_H

#include "cli/core/arguments.h"

/* The inputs of a request, ready to be read. */
struct jr_exported {
	const char **paths;   /* [inputs.n] the input, or the export made of it */
	const char **origins; /* [inputs.n] the input if it was exported, else NULL */
	struct jr_arena arena;
};

/**
 * Export the inputs that are reports; the others stay as they are. Data that nsys collected and did
 * not convert (.qdstrm) is converted first.
 * @param exported  out; always call jr_exported_done()
 * @return JR_ENOTFOUND no `nsys` on PATH, the message has the command to run; JR_EIO it cannot be
 *         started or failed, with the last line it wrote
 */
enum jr_status jr_nsys_reports_export(const struct jr_request *request, struct jr_messages *msg,
	struct jr_exported *exported, struct jr_error *err) JR_MUST_CHECK;
/** Return the program of the same installation that converts the data of nsys (.qdstrm); NULL: not
 * found. `nsys` is a path, or a name on PATH. */
const char *jr_nsys_importer(const char *nsys, struct jr_arena *arena);
/** Remove the exports. */
void jr_exported_done(struct jr_exported *exported);

#endif
