/*
 * load_host.h - the host push/pop ranges of one input, and nothing else of it.
 * Layer: model.  For what is answered from them alone; a report comes from load.h.
 */
#ifndef JR_MODEL_LOAD_HOST_H
#define JR_MODEL_LOAD_HOST_H

#include "model/sources/opening.h"

/**
 * Read the ranges of a zip archive or folder (its report_nvtx_pushpop_trace.csv.xz or .parquet; of
 * a combined archive those of each process, by name), of an Nsight export, or of a plain file of
 * the same shape. What a file is, its first bytes say, not its name.
 *
 * @return JR_ENOTFOUND no compile trace in the archive; otherwise as jr_archive_read(),
 *         jr_xz_decode(), jr_host_ranges_read_csv(); processes ahead of a damaged one were told of
 */
enum jr_status jr_load_host_ranges(const char *path, const struct jr_limits *limits,
	jr_host_ranges_fn tell, void *context, struct jr_error *err) JR_MUST_CHECK;

#endif
