#include "cli/commands.h"

#include <string.h>

const struct jr_command jr_commands[] = {
	{"report", "[report] INPUT... [-o DIR] [options]", "turn a profile into a report",
		JR_FOR_REPORT, JR_CMD_DEFAULT, jr_cmd_report},
	{"compare", "compare BASE NEW [-o DIR] [options]", "tell what changed from one run to another",
		JR_FOR_COMPARE, JR_CMD_TWO_INPUTS, jr_cmd_compare},
	{"history add", "history add STORE INPUT... [options]",
		"keep the figures of a run: one line in the file STORE", JR_FOR_ADD, JR_CMD_STORE,
		jr_cmd_history_add},
	{"history show", "history show STORE [-o DIR] [options]",
		"show how runs kept there went: each against the one before", JR_FOR_SHOW,
		JR_CMD_STORE | JR_CMD_NO_INPUT, jr_cmd_history_show},
	{"combine", "combine -o FILE [options] INPUT...", "merge the archives of a job into one",
		JR_FOR_COMBINE, JR_CMD_OUTPUT, jr_cmd_combine},
	{"summary", "summary [--passes] INPUT", "print where the compilation of each module went",
		JR_FOR_SUMMARY, JR_CMD_ONE_INPUT, jr_cmd_summary},
	{NULL, NULL, NULL, 0, 0, NULL},
};

/* How many words a name has, 0 where the command line does not begin with it. */
static int match_words(const char *name, int argc, char *const *argv)
{
	int n = 0;
	for (;; n++) {
		size_t length = strcspn(name, " ");
		if (n >= argc || strlen(argv[n]) != length || memcmp(argv[n], name, length) != 0)
			return 0;
		if (!name[length])
			return n + 1;
		name += length + 1;
	}
}

const struct jr_command *jr_command_find(int argc, char *const *argv, int *n_words)
{
	for (const struct jr_command *c = jr_commands; c->name; c++) {
		*n_words = match_words(c->name, argc, argv);
		if (*n_words)
			return c;
	}
	return NULL;
}

const char *jr_command_group(int argc, char *const *argv)
{
	if (argc > 1 && argv[1][0] != '-')
		return NULL;
	for (const struct jr_command *c = jr_commands; c->name; c++) {
		size_t n = strcspn(c->name, " ");
		if (argc > 0 && c->name[n] && strlen(argv[0]) == n && memcmp(argv[0], c->name, n) == 0)
			return argv[0];
	}
	return NULL;
}

const struct jr_command *jr_command_default(void)
{
	const struct jr_command *c = jr_commands;
	while (!(c->flags & JR_CMD_DEFAULT))
		c++;
	return c;
}
