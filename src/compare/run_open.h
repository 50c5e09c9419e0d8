/*
 * run_open.h - one side of a comparison, from whatever a path names.
 * Layer: compare.  Owner: a jr_side owns all that its run points to.
 */
#ifndef JR_COMPARE_RUN_OPEN_H
#define JR_COMPARE_RUN_OPEN_H

#include "compare/run.h"
#include "model/load.h"
#include "model/profile.h"

struct jr_side {
	struct jr_run run;
	struct jr_arena arena;
	bool computed; /* from a profile, now: the two below are there */
	struct jr_profile profile;
	struct jr_results results;
};

/**
 * Read one side: a profile (one or several inputs of a job), or one earlier report: its
 * report.json or profile.sqlite, or the folder that holds one of them.
 *
 * @param side  out; jr_side_done() it, also after a failure
 * @return what jr_load(), jr_run_of_json() or jr_run_of_sqlite() return, with the path ahead of the
 *         message where that is an earlier report
 */
enum jr_status jr_side_open(struct jr_side *side, const char *const *paths, size_t n_paths,
	const struct jr_options *options, const struct jr_progress *progress, struct jr_error *err)
	JR_MUST_CHECK;
void jr_side_done(struct jr_side *side);

#endif
