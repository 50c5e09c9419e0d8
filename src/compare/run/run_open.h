/*
 * run_open.h - one side of a comparison, from whatever a path names.
 * Layer: compare.  Owner: a jr_side owns all that its run points to.
 */
#ifndef JR_COMPARE_RUN_OPEN_H
#define JR_COMPARE_RUN_OPEN_H

#include "compare/run/run.h"
#include "model/inputs/load.h"
#include "model/profile/profile.h"

struct jr_side {
	struct jr_run run;
	struct jr_arena arena;
	bool computed; /* from a profile, now: the two below are there */
	struct jr_profile profile;
	struct jr_results results;
};

/** True for a regular file that begins as a report.json does, or has such a name: what lies in
 * data/ beside it belongs to it. */
bool jr_side_is_json(const char *path);
/** What a path is that is no profile but was made by us: "an earlier report: ...", with the
 * commands that take it, for one of its files or its folder; "a comparison: ..."; NULL: none. */
const char *jr_side_made_by_us(const char *path, const struct jr_limits *limits);

/**
 * Read one side: a profile (one or several inputs of a job), or one earlier report: its
 * report.json or profile.sqlite, or the folder that holds one of them.
 *
 * @param side     out; jr_side_done() it, also after a failure
 * @param origins  [n_paths] what an input was exported from, or NULL (jr_load_as()); may be NULL
 * @return what jr_load(), jr_run_of_json() or jr_run_of_sqlite() return, with the path ahead of the
 *         message where that is an earlier report; JR_ENOTFOUND a folder of ours that has neither
 *         file; JR_EUNSUPPORTED an earlier report beside other inputs
 */
enum jr_status jr_side_open(struct jr_side *side, const char *const *paths,
	const char *const *origins, size_t n_paths, const struct jr_options *options,
	const struct jr_progress *progress, struct jr_error *err) JR_MUST_CHECK;
void jr_side_done(struct jr_side *side);

#endif
