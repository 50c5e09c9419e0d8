/*
 * load.h - reads inputs into one profile. load.c is the only file of the model that uses both
 * formats and tables.
 * Layer: model.
 */
#ifndef JR_MODEL_LOAD_H
#define JR_MODEL_LOAD_H

#include "model/build/build.h"
#include "model/profile/profile.h"
#include "model/sources/opening.h"
#include "model/sources/source.h"

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

/* What merging keeps between sources. */
struct jr_merge {
	struct jr_profile *profile;
	struct jr_build build;
	struct jr_arena *arena;      /* for texts of messages */
	struct jr_error first_error; /* reported if no input is usable */
	size_t n_usable, n_plans;    /* sources that were merged; dumps without a profile among them */
	size_t n_memory;             /* ... and device memory profiles */
	struct jr_map merged;        /* hash of a trace and its process -> row of build.sessions */
	size_t n_twice;              /* sources whose trace an earlier source has; they are left out */
	uint32_t input_twice;        /* the input of the last one */
	const char *twice[2];        /* the first pair of these, for messages */
};

/**
 * Add a source after its readers have ended. What was not read is told in the profile. A source
 * with nothing to report, or with the trace of an earlier source, is left out.
 * @return the error of a source that its report cannot do without, or that of a limit
 */
enum jr_status jr_merge_source(struct jr_merge *m, struct jr_source *s, struct jr_error *err)
	JR_MUST_CHECK;
/** Add to the profile what of a source cannot be read; jr_merge_source() does so, too. */
void jr_merge_tell_damaged(struct jr_merge *m, struct jr_source *s);
/** Warn about sources that were left out because their trace was read before. */
void jr_merge_tell_twice(struct jr_merge *m);
/** Keep the first error. */
void jr_merge_failed(struct jr_merge *m, const struct jr_error *error);
/** Return the name of a process: the input's name without the suffix of its kind. */
const char *jr_merge_stem(struct jr_merge *m, const char *name);

/** Append a clause about an input inside an archive without a profile, and what to do. Appends
 * nothing if there is no such input. */
void jr_hint_within(const struct jr_archive *archive, struct jr_buf *out);
/** Append a clause that follows the archive's name: it has nothing to report, what was searched for
 * by kind of input, and what to use instead.
 * @param part  a process of a combined archive; NULL: the whole archive */
void jr_nothing_within(const struct jr_archive *archive, const char *part, struct jr_buf *out);

#endif
