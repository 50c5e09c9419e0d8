/*
 * describe.h - the man page, the completions of shells and the keys of report.json, made of the
 * tables that the program itself works by (commands.c, arguments.c, formats.def, metrics.def,
 * limits.h, the columns of passes).
 * A program that runs while building; outside of the layers.
 */
#ifndef JR_TOOLS_DESCRIBE_H
#define JR_TOOLS_DESCRIBE_H

#include <stdio.h>
#include <stdlib.h>

#include "cli/core/commands.h"
#include "compare/judge/metrics.h"
#include "report/core/report.h"

/* What stands for an argument in the help ("DIR") tells what can stand there. */
enum argument_kind {
	ARGUMENT_FREE, /* nothing to offer */
	ARGUMENT_FILE,
	ARGUMENT_FOLDER,
	ARGUMENT_WORDS,   /* one of `words` */
	ARGUMENT_FORMATS, /* names of formats, separated by commas */
	ARGUMENT_METRIC,  /* begins with the name of a metric */
};

struct argument {
	const char *name;
	enum argument_kind kind;
	const char *words; /* separated by blanks; "" but for ARGUMENT_WORDS */
};

/** The row for what an option takes; one that takes nothing: NULL. Ends the tool where the table of
 * options names something that is not listed. */
const struct argument *argument_of(const struct jr_option *option);

/** The template with its @PLACEHOLDERS@ replaced; `page` is owned by the caller. */
void describe_man(struct jr_buf *out, const char *page);
/** A substitution variable of dpkg with the kinds of inputs, for the description of the package. */
void describe_substvars(struct jr_buf *out);
/** The completion of the shell "bash", "zsh" or "fish" by its template. @return false where `shell`
 * is none of them */
bool describe_shell(struct jr_buf *out, const char *shell, const char *template);
/** The keys of report.json as a table in Markdown: those of reports on profiles ("report"), of
 * comparisons of two inputs each ("compare"), of the history in a store ("trend"). What no input
 * gives is not listed. Ends the tool where one cannot be read. */
void describe_keys(struct jr_buf *out, const char *kind, char *const *paths, int n_paths);
/** Say what is wrong, and end. */
_Noreturn static inline void describe_fail(const char *what, const char *name)
{
	fprintf(stderr, "describe: %s '%s'\n", what, name);
	exit(1);
}

#endif
