/*
 * load.h - reads inputs into one profile. load.c is the only file of the model that uses both
 * formats and tables.
 * Layer: model.
 */
#ifndef JR_MODEL_LOAD_H
#define JR_MODEL_LOAD_H

#include "model/profile/profile.h"
#include "model/sources/opening.h"

/* Progress callback; may be called from several threads, one call at a time. */
struct jr_progress {
	void (*step)(void *context, const char *stage, uint64_t done_bytes, uint64_t total_bytes);
	void *context;
};

/**
 * Read inputs (zip archives, directories, Nsight exports, push/pop traces) as one job into an
 * initialized profile.
 *
 * Reads only the needed members: the trace, the compile trace, the three metadata files and the
 * after_optimizations HLO of programs in the rows.
 *
 * @param profile   jr_profile_init()ed with the options; after a failure only jr_profile_done() is
 *                  allowed
 * @param progress  may be NULL
 * @return the first error, if nothing is left to report: JR_EIO, JR_EFORMAT, JR_ELIMIT...;
 *         JR_ENOTFOUND no trace and no compile trace in the input. Partial damage is a row of
 *         profile->missing or a warning, not a failure.
 * @note Uses profile->options.n_threads threads. The result does not depend on their number.
 */
enum jr_status jr_load(const char *const *paths, size_t n_paths, const struct jr_progress *progress,
	struct jr_profile *profile, struct jr_error *err) JR_MUST_CHECK;
/** Read inputs like jr_load(), if paths may be conversions of other files. The report then shows
 * the original file, with its size and checksum.
 * @param origins  [n_paths] original files; NULL: the path is the input itself */
enum jr_status jr_load_as(const char *const *paths, const char *const *origins, size_t n_paths,
	const struct jr_progress *progress, struct jr_profile *profile, struct jr_error *err)
	JR_MUST_CHECK;

/**
 * Read only the host push/pop ranges of a zip archive or folder (its
 * report_nvtx_pushpop_trace.csv.xz or .parquet; for a combined archive those of each process, by
 * name), of an Nsight export, or of a plain file of this form. The first bytes determine the kind
 * of a file, not its name.
 *
 * @return JR_ENOTFOUND no compile trace in the archive; otherwise as jr_archive_read(),
 *         jr_xz_decode(), jr_host_ranges_read_csv(); processes before a damaged one were already
 *         passed to `take`
 */
enum jr_status jr_load_host_ranges(const char *path, const struct jr_limits *limits,
	jr_host_ranges_fn take, void *context, struct jr_error *err) JR_MUST_CHECK;

#endif
