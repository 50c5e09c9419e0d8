/*
 * combine.h - merges several archives into one and checks whether they belong together.
 * Layer: model.  The merge itself: formats/archive_combine.h.
 */
#ifndef JR_MODEL_COMBINE_H
#define JR_MODEL_COMBINE_H

#include "base/outfile.h"
#include "formats/archive/archive_combine.h"
#include "model/inputs/load.h"

struct jr_combine_request {
	const char *const *paths; /* zips and directories, including combined ones */
	size_t n_paths;
	enum jr_keep_reports keep;
	const struct jr_limits *limits;
	const struct jr_progress *progress; /* may be NULL */
};

/* The result; texts are in `arena`. */
struct jr_combined {
	struct jr_arena arena;
	const char **warnings;
	size_t n_warnings;
	size_t n_processes, n_members, n_shared, n_split;
	uint64_t total_bytes; /* compressed, of all members */
};

/** Return the file kind for jr_outfile_begin(): -f may replace an existing zip file. */
const struct jr_outfile_kind *jr_combine_kind(void);

/**
 * Write the combined archive into an outfile after jr_outfile_begin(); the caller commits or
 * abandons it.
 *
 * The name of a process is its input's file name without ".zip". If that name is taken, "-2" and so
 * on is added, with a warning. Processes of a combined archive keep their names. Other warnings:
 * those of build/company.h, inputs without a trace, and members left out because of their names.
 *
 * @param out  always needs jr_combined_done(); warnings are valid also after a failure
 * @return JR_EIO, JR_EFORMAT, JR_EUNSUPPORTED, JR_ELIMIT: the first damaged input, or the output
 *         cannot be written
 */
enum jr_status jr_combine(const struct jr_combine_request *request, struct jr_outfile *file,
	struct jr_combined *out, struct jr_error *err) JR_MUST_CHECK;
void jr_combined_done(struct jr_combined *combined);

#endif
