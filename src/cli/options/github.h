/*
 * github.h - output for a step of GitHub Actions: its summary, and annotations.
 * Layer: cli.
 */
#ifndef JR_CLI_GITHUB_H
#define JR_CLI_GITHUB_H

#include "analysis/core/result.h"
#include "cli/core/arguments.h"

/** Add the format of the step summary, unless it is chosen already. */
void jr_github_formats(struct jr_request *request);

/**
 * Append summary.md to the file that $GITHUB_STEP_SUMMARY names, and annotations to `out`. Call it
 * after the output folder is in place. If the variable is not set, there is no summary; the text of
 * other steps stays. Annotations: an error for each failed gate, a warning for each undecided gate,
 * a notice for each of the hottest lines. For a comparison, the verdict is a warning if it is a
 * regression, else a notice.
 * @param untold  set to JR_EIO if the summary cannot be read or appended: for jr_github_settle(),
 *                after everything else is printed
 */
void jr_github_tell(const struct jr_request *request, const struct jr_results *results,
	struct jr_buf *out, struct jr_error *untold);
/** Return the status of a run whose own is `status`. A failure of the run matters more than a
 * summary that could not be appended, which then is a warning. */
enum jr_status jr_github_settle(enum jr_status status, const struct jr_error *untold,
	struct jr_messages *msg, struct jr_error *err) JR_MUST_CHECK;

#endif
