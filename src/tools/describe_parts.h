/*
 * describe_parts.h - the man page, shell completions and the keys of report.json, made from the
 * tables that the program itself uses (commands.c, arguments.c, formats.def, metrics.def, limits.h,
 * the columns of passes). A program that runs during the build; outside the layers.
 */
#ifndef JR_TOOLS_DESCRIBE_PARTS_H
#define JR_TOOLS_DESCRIBE_PARTS_H

#include <stdio.h>
#include <stdlib.h>

#include "cli/core/commands.h"

/* The name of an argument in the help ("DIR") determines what values it takes. */
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
	const char *words; /* separated by blanks; "" except for ARGUMENT_WORDS */
};

/** Return the row for an option's argument; NULL: it takes none. Ends the tool if the table of
 * options contains an unknown argument. */
const struct argument *argument_of(const struct jr_option *option);

/** Append the man page: the template with its @PLACEHOLDERS@ replaced. The caller owns `page`. */
void describe_man(struct jr_buf *out, const char *page);
/** Append a substitution variable of dpkg with the kinds of inputs, for the package description. */
void describe_substvars(struct jr_buf *out);
/** Append the completion of the shell "bash", "zsh" or "fish", made from its template. @return
 * false if `shell` is another one */
bool describe_shell(struct jr_buf *out, const char *shell, const char *template);
/** Append the keys of report.json as a table in Markdown: of reports on profiles ("report"), of
 * comparisons of two inputs each ("compare"), or of the history in a store ("trend"). Lists only
 * keys that the inputs produce. Ends the tool if an input cannot be read. */
void describe_keys(struct jr_buf *out, const char *kind, char *const *paths, int n_paths);
/** Print what is wrong, and end the tool. */
_Noreturn static inline void describe_fail(const char *what, const char *name)
{
	fprintf(stderr, "describe: %s '%s'\n", what, name);
	exit(1);
}

#endif
