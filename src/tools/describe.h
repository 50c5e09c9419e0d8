/*
 * describe.h - the man page and the completions of shells, made of the tables that the program
 * itself works by (commands.c, arguments.c, formats.def, metrics.def, limits.h).
 * A program that runs while building; outside of the layers.
 */
#ifndef JR_TOOLS_DESCRIBE_H
#define JR_TOOLS_DESCRIBE_H

#include "cli/commands.h"
#include "compare/metrics.h"
#include "report/report.h"

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
void describe_bash(struct jr_buf *out);
void describe_zsh(struct jr_buf *out);
void describe_fish(struct jr_buf *out);

#endif
