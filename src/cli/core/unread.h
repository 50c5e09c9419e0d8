/*
 * unread.h - report on stderr what could not be read of the inputs, and set the status of the run.
 * Layer: cli.  The one rule of examples/GUIDE.md, "Exit status".
 */
#ifndef JR_CLI_UNREAD_H
#define JR_CLI_UNREAD_H

#include "cli/core/commands.h"
#include "cli/core/nsys_report.h"
#include "model/profile/profile.h"

/* The words around each message. */
struct jr_unread_words {
	const char *side;   /* "base", if there are two runs; NULL: one */
	const char *input;  /* the only input, as the user named it; NULL: reasons name theirs */
	const char *ending; /* "; the report is without it" */
};

/**
 * Print one line per section or input that the result lacks, and why; then the loader's warnings.
 * Missing data is a warning. The first data that exist and cannot be read are the error of the run,
 * even if everything else was read; the others are warnings.
 *
 * @param err  out; if it is set already, all are warnings
 * @return JR_OK; JR_EFORMAT an input could not be read completely; else `err->status`
 */
enum jr_status jr_unread_tell(struct jr_messages *msg, const struct jr_profile *profile,
	const struct jr_unread_words *words, struct jr_error *err) JR_MUST_CHECK;

/**
 * With --strict, before anything is written: do the same as jr_unread_tell() if an input could not
 * be read, with another ending.
 *
 * @return JR_OK without --strict and if everything was read; JR_EFORMAT
 */
enum jr_status jr_unread_strict(const struct jr_request *request, struct jr_messages *msg,
	const struct jr_profile *profile, const struct jr_unread_words *words, struct jr_error *err)
	JR_MUST_CHECK;

/**
 * Load the inputs of a request as one job, after jr_confine_to_inputs(); then jr_unread_strict().
 *
 * @return also what jr_load_as() returns; JR_EUSAGE has a hint at the help
 */
enum jr_status jr_unread_load(const struct jr_request *request, struct jr_messages *msg,
	const struct jr_exported *exported, const struct jr_unread_words *words,
	struct jr_profile *profile, struct jr_error *err) JR_MUST_CHECK;

#endif
