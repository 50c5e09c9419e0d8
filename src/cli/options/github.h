/*
 * github.h - what a step of GitHub Actions shows: its summary, and annotations.
 * Layer: cli.
 */
#ifndef JR_CLI_GITHUB_H
#define JR_CLI_GITHUB_H

#include "analysis/core/result.h"
#include "cli/core/arguments.h"

/** Choose the format that the step summary is made of, where it is not chosen yet. */
void jr_github_formats(struct jr_request *request);

/**
 * After the output folder is in place: append its summary.md to the file that $GITHUB_STEP_SUMMARY
 * names (nothing where that is not set; what other steps wrote stays), and annotations to `out`: an
 * error for each failed gate, a warning for each that is undecided and for the hottest lines; of a
 * comparison the verdict, a warning where it is a regression, else a notice.
 * @param untold  set to JR_EIO where the summary cannot be read or appended: for
 *                jr_github_settle(), once all else is told
 */
void jr_github_tell(const struct jr_request *request, const struct jr_results *results,
	struct jr_buf *out, struct jr_error *untold);
/** The status of a run whose own is `status`: what was asked for says more than a summary that
 * could not be appended, which is a warning then. */
enum jr_status jr_github_settle(enum jr_status status, const struct jr_error *untold,
	struct jr_messages *msg, struct jr_error *err) JR_MUST_CHECK;

/** Append "::KIND PROPERTIES::MESSAGE"; every text is escaped as the runner reads it, so none can
 * end the line or begin another command. @param path  NULL: of no file */
void jr_github_annotation(struct jr_buf *out, const char *kind, const char *path, long long line,
	const char *title, const char *message);

#endif
