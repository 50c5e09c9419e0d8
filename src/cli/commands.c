#include "cli/commands.h"

#include <string.h>

const struct jr_command jr_commands[] = {
	{"report", "[report] INPUT... [-o DIR] [options]", "turn a profile into a report",
		JR_FOR_REPORT, JR_CMD_DEFAULT, jr_cmd_report},
	{"compare", "compare BASE NEW [-o DIR] [options]", "tell what changed from one run to another",
		JR_FOR_COMPARE, JR_CMD_TWO_INPUTS, jr_cmd_compare},
	{"combine", "combine -o FILE [options] INPUT...", "merge the archives of a job into one",
		JR_FOR_COMBINE, JR_CMD_OUTPUT, jr_cmd_combine},
	{"summary", "summary [--passes] INPUT", "print where the compilation of each module went",
		JR_FOR_SUMMARY, JR_CMD_ONE_INPUT, jr_cmd_summary},
	{NULL, NULL, NULL, 0, 0, NULL},
};

const struct jr_command *jr_command_find(const char *name)
{
	for (const struct jr_command *c = jr_commands; c->name; c++)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}

const struct jr_command *jr_command_default(void)
{
	const struct jr_command *c = jr_commands;
	while (!(c->flags & JR_CMD_DEFAULT))
		c++;
	return c;
}
