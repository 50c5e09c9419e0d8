/*
 * combine.h - several archives into one, with a look at whether they belong together.
 * Layer: model.  The merging itself: formats/archive_combine.h.
 */
#ifndef JR_MODEL_COMBINE_H
#define JR_MODEL_COMBINE_H

#include "base/outfile.h"
#include "formats/archive/archive_combine.h"
#include "model/inputs/load.h"

struct jr_combine_request {
	const char *const *paths; /* zips and directories, combined ones too */
	size_t n_paths;
	enum jr_keep_reports keep;
	const struct jr_limits *limits;
	const struct jr_progress *progress; /* may be NULL */
};

/* What was done; texts live in `arena`. */
struct jr_combined {
	struct jr_arena arena;
	const char **warnings;
	size_t n_warnings;
	size_t n_processes, n_members, n_shared, n_split;
	uint64_t total_bytes; /* packed, of all members */
};

/** What jr_outfile_begin() is to be told: an existing zip file may be replaced with -f. */
const struct jr_outfile_kind *jr_combine_kind(void);

/**
 * Write the combined archive into a file that was begun; the caller commits or abandons it.
 *
 * A process is called by its input's file name without ".zip"; where that is taken, "-2" and so on
 * is added, with a warning. The processes of a combined archive keep their names. Warned of are
 * also: the same trace twice, one process number twice, inputs whose largest programs do not know
 * each other, an input without trace, members left out for their names.
 *
 * @param out  jr_combined_done() in any case; the warnings are good also after a failure
 * @return JR_EIO, JR_EFORMAT, JR_EUNSUPPORTED, JR_ELIMIT: the first input that is not whole; or the
 *         output cannot be written
 */
enum jr_status jr_combine(const struct jr_combine_request *request, struct jr_outfile *file,
	struct jr_combined *out, struct jr_error *err) JR_MUST_CHECK;
void jr_combined_done(struct jr_combined *combined);

#endif
