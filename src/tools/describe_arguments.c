/* The arguments of options, for shells and the manual. */
#include "tools/describe_parts.h"

#include <string.h>

#include "base/cleanup.h"

static const struct argument arguments[] = {
	{"ADDRESS", ARGUMENT_FREE, ""},
	{"ADDRESSES", ARGUMENT_FREE, ""},
	{"ANSWER", ARGUMENT_WORDS, "yes no"},
	{"APIS", ARGUMENT_FREE, ""},
	{"DIR", ARGUMENT_FOLDER, ""},
	{"FILE", ARGUMENT_FILE, ""},
	{"FRAC", ARGUMENT_FREE, ""},
	{"FORM", ARGUMENT_WORDS, "table csv json"},
	{"GATE", ARGUMENT_METRIC, ""},
	{"HOW", ARGUMENT_WORDS, "pass fail"},
	{"ID", ARGUMENT_FREE, ""},
	{"LIST", ARGUMENT_FORMATS, ""},
	{"METRIC", ARGUMENT_METRIC, ""},
	{"N", ARGUMENT_FREE, ""},
	{"NAME", ARGUMENT_FREE, ""},
	{"OPT", ARGUMENT_FREE, ""},
	{"PATTERN", ARGUMENT_FREE, ""},
	{"PARTS", ARGUMENT_WORDS, "html pdf html,pdf none"},
	{"PERCENT", ARGUMENT_FREE, ""},
	{"PREFIX", ARGUMENT_FREE, ""},
	{"PROGRAM", ARGUMENT_FILE, ""},
	{"RANGE", ARGUMENT_FREE, ""},
	{"RANKS", ARGUMENT_FREE, ""},
	{"CHANGE", ARGUMENT_FREE, ""},
	{"RULE", ARGUMENT_WORDS, "auto first none"},
	{"SECONDS", ARGUMENT_FREE, ""},
	{"SIGNAL", ARGUMENT_FREE, ""},
	{"SIZE", ARGUMENT_WORDS, "a4 letter"},
	{"TEXT", ARGUMENT_FREE, ""},
	{"TIME", ARGUMENT_FREE, ""},
	{"WHAT", ARGUMENT_FREE, ""},
	{"WHEN", ARGUMENT_WORDS, "auto always never"},
	{"WHICH", ARGUMENT_WORDS, "all first none"},
};

const struct argument *argument_of(const struct jr_option *option)
{
	if (!option->argument)
		return NULL;
	for (size_t i = 0; i < JR_COUNT_OF(arguments); i++)
		if (strcmp(arguments[i].name, option->argument) == 0)
			return &arguments[i];
	describe_fail("src/tools/describe.c does not list the argument", option->argument);
}
