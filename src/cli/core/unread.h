/*
 * unread.h - what of the inputs could not be read, told on stderr, and what becomes of the run.
 * Layer: cli.  The one rule of examples/GUIDE.md, "Exit status".
 */
#ifndef JR_CLI_UNREAD_H
#define JR_CLI_UNREAD_H

#include "cli/core/commands.h"
#include "model/profile/profile.h"

/* The words that go around what is told. */
struct jr_unread_words {
	const char *side;   /* "base", where there are two runs; NULL: one */
	const char *input;  /* the only input, as the user named it; NULL: reasons name theirs */
	const char *ending; /* "; the report is without it" */
};

/**
 * One line a section or input that the result is without, and why; then the loader's warnings.
 * What is not in the input is a warning. The first thing that is there and cannot be read is the
 * error of the run, whatever else was made of it; the others are warnings.
 *
 * @param err  out; where it holds an error already, all are warnings
 * @return JR_OK; JR_EFORMAT something of what was given could not be read; else `err->status`
 */
enum jr_status jr_unread_tell(struct jr_messages *msg, const struct jr_profile *profile,
	const struct jr_unread_words *words, struct jr_error *err) JR_MUST_CHECK;

/**
 * With --strict, before anything is written: as jr_unread_tell() where something could not be read,
 * with an ending of its own.
 *
 * @return JR_OK without --strict and where all was read; JR_EFORMAT
 */
enum jr_status jr_unread_strict(const struct jr_request *request, struct jr_messages *msg,
	const struct jr_profile *profile, const struct jr_unread_words *words, struct jr_error *err)
	JR_MUST_CHECK;

#endif
