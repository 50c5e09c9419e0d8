/*
 * run_open.h - open one side of a comparison from a path of any supported kind.
 * Layer: compare.  Owner: a jr_side owns everything that its run points to.
 */
#ifndef JR_COMPARE_RUN_OPEN_H
#define JR_COMPARE_RUN_OPEN_H

#include "compare/run/run.h"
#include "model/inputs/load.h"
#include "model/profile/profile.h"

struct jr_side {
	struct jr_run run;
	struct jr_arena arena;
	bool computed; /* computed from a profile: the two below are set */
	struct jr_profile profile;
	struct jr_results results;
};

/** Return whether a regular file has the beginning or the name of a report.json; data/ in its
 * folder belongs to it. */
bool jr_side_is_json(const char *path);
/** Describe a path that is not a profile but an output of this program: "an earlier report: ..."
 * with the commands that accept it, for one of its files or its folder; "a comparison: ..."; NULL:
 * neither. */
const char *jr_side_made_by_us(const char *path, const struct jr_limits *limits);

/**
 * Read one side: a profile (one or several inputs of a job), or one earlier report: its report.json
 * or profile.sqlite, or the folder that contains one of them.
 *
 * @param side     out; jr_side_done() it, also after a failure
 * @param origins  [n_paths] the source that an input was exported from, or NULL (jr_load_as()); may
 *                 be NULL
 * @return what jr_load(), jr_run_of_json() or jr_run_of_sqlite() return, with the path before the
 *         message for an earlier report; JR_ENOTFOUND a report's folder with neither file;
 *         JR_EUNSUPPORTED an earlier report together with other inputs
 */
enum jr_status jr_side_open(struct jr_side *side, const char *const *paths,
	const char *const *origins, size_t n_paths, const struct jr_options *options,
	const struct jr_progress *progress, struct jr_error *err) JR_MUST_CHECK;
void jr_side_done(struct jr_side *side);

#endif
