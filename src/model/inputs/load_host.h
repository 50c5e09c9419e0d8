/*
 * load_host.h - reads only the host push/pop ranges of one input.
 * Layer: model.  For results that need only these ranges; reports use load.h.
 */
#ifndef JR_MODEL_LOAD_HOST_H
#define JR_MODEL_LOAD_HOST_H

#include "model/sources/opening.h"

/**
 * Read the ranges of a zip archive or folder (its report_nvtx_pushpop_trace.csv.xz or .parquet; for
 * a combined archive those of each process, by name), of an Nsight export, or of a plain file of
 * this form. The first bytes determine the kind of a file, not its name.
 *
 * @return JR_ENOTFOUND no compile trace in the archive; otherwise as jr_archive_read(),
 *         jr_xz_decode(), jr_host_ranges_read_csv(); processes before a damaged one were already
 *         passed to `tell`
 */
enum jr_status jr_load_host_ranges(const char *path, const struct jr_limits *limits,
	jr_host_ranges_fn tell, void *context, struct jr_error *err) JR_MUST_CHECK;

#endif
