/*
 * load.h - inputs to one profile: the only file of the model that sees formats and tables both.
 * Layer: model.
 */
#ifndef JR_MODEL_LOAD_H
#define JR_MODEL_LOAD_H

#include "model/profile/profile.h"

/* Told of progress; may be called from several threads, one call at a time. */
struct jr_progress {
	void (*step)(void *context, const char *stage, uint64_t done_bytes, uint64_t total_bytes);
	void *context;
};

/**
 * Read inputs (zip archives, directories, Nsight exports, push/pop traces) as one job into an
 * initialised profile.
 *
 * Reads only what is needed: the trace, the compile trace, the three metadata files and the
 * after_optimizations HLO of programs that rows name.
 *
 * @param profile   jr_profile_init()ed with the options; on failure only good for jr_profile_done()
 * @param progress  may be NULL
 * @return the first thing that leaves nothing to report on: JR_EIO, JR_EFORMAT, JR_ELIMIT...;
 *         JR_ENOTFOUND no trace and no compile trace in the input. Damage that leaves something to
 *         report is a row of profile->missing or a warning, not a failure.
 * @note Threads: profile->options.n_threads. The result does not depend on their number.
 */
enum jr_status jr_load(const char *const *paths, size_t n_paths, const struct jr_progress *progress,
	struct jr_profile *profile, struct jr_error *err) JR_MUST_CHECK;
/** The same where a path may hold what was made of another file: the report names that one, with
 * its size and checksum.
 * @param origins  [n_paths], NULL where the path is the input itself */
enum jr_status jr_load_as(const char *const *paths, const char *const *origins, size_t n_paths,
	const struct jr_progress *progress, struct jr_profile *profile, struct jr_error *err)
	JR_MUST_CHECK;

#endif
