/*
 * load_host.h - the host push/pop ranges of one input, and nothing else of it.
 * Layer: model.  For what is answered from them alone; a report comes from load.h.
 */
#ifndef JR_MODEL_LOAD_HOST_H
#define JR_MODEL_LOAD_HOST_H

#include "base/limits.h"
#include "model/compile.h"

/**
 * Read the ranges of a zip archive or folder (its report_nvtx_pushpop_trace.csv.xz or .parquet), of
 * an Nsight export, or of a plain file of the same shape. What a file is, its first bytes say, not
 * its name.
 *
 * @param ranges  out, to be released with jr_host_ranges_done(); untouched on failure
 * @return JR_ENOTFOUND no compile trace in the archive; JR_EUNSUPPORTED the archive holds several
 *         processes; otherwise as jr_archive_read(), jr_xz_decode(), jr_host_ranges_read_csv()
 */
enum jr_status jr_load_host_ranges(const char *path, const struct jr_limits *limits,
	struct jr_host_ranges *ranges, struct jr_error *err) JR_MUST_CHECK;

#endif
