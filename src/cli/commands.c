#include "cli/core/commands.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/suggest.h"
#include "model/inputs/input.h"
#include "report/core/report.h"

const struct jr_command jr_commands[] = {
	{"report", "[report] INPUT... [-o DIR] [options]", "turn a profile into a report",
		JR_FOR_REPORT, JR_CMD_DEFAULT, jr_cmd_report},
	{"compare", "compare BASE NEW [-o DIR] [options]", "compare two runs", JR_FOR_COMPARE,
		JR_CMD_TWO_INPUTS, jr_cmd_compare},
	{"history add", "history add STORE INPUT... [options]",
		"append the metrics of a run as one line to the file STORE", JR_FOR_ADD, JR_CMD_STORE,
		jr_cmd_history_add},
	{"history show", "history show STORE [-o DIR] [options]",
		"show the trend of the runs in STORE, each compared with the previous one", JR_FOR_SHOW,
		JR_CMD_STORE | JR_CMD_NO_INPUT, jr_cmd_history_show},
	{"combine", "combine -o FILE [options] INPUT...", "merge the archives of a job into one",
		JR_FOR_COMBINE, JR_CMD_OUTPUT, jr_cmd_combine},
	{"digest", "digest INPUT -o FILE [options]", "keep what reports read, in one small file",
		JR_FOR_DIGEST, JR_CMD_ONE_INPUT | JR_CMD_OUTPUT, jr_cmd_digest},
	{"record", "record [options] [--] PROGRAM [ARG]...",
		"run a program under nsys and make an archive of the recording", JR_FOR_RECORD,
		JR_CMD_PROGRAM, jr_cmd_record},
	{"query", "query INPUT... 'SQL' [options]", "answer SQL over the tables of a profile",
		JR_FOR_QUERY, JR_CMD_SQL, jr_cmd_query},
	{"summary", "summary [--passes] INPUT",
		"print a breakdown of the compilation time of each module", JR_FOR_SUMMARY,
		JR_CMD_ONE_INPUT, jr_cmd_summary},
	{NULL, NULL, NULL, 0, 0, NULL},
};

/* Return the number of words of `name`, 0 if the command line does not begin with it. */
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

/* Return true for the first word of a command of two words. */
static bool is_group(const char *word)
{
	for (const struct jr_command *c = jr_commands; c->name; c++) {
		size_t n = strcspn(c->name, " ");
		if (c->name[n] && strlen(word) == n && memcmp(word, c->name, n) == 0)
			return true;
	}
	return false;
}

const char *jr_command_group(int argc, char *const *argv)
{
	if (argc > 1 && argv[1][0] != '-')
		return NULL;
	return argc > 0 && is_group(argv[0]) ? argv[0] : NULL;
}

/* Return what a word is nearest to: a command, its second word, an option, or the command that
 * other programs call by that word. */
static const char *nearest_to(const char *word)
{
	static const struct {
		const char *word, *meant;
	} others[] = {{"diff", "compare"}, {"merge", "combine"}, {"profile", "record"},
		{"run", "record"}, {"sql", "query"}, {"trend", "history show"}, {"analyze", "report"},
		{"gate", "--gate"}, {"gates", "--gate"}, {"open", "--open"}, {"view", "--open"},
		{"format", "--format"}, {"metrics", "--list-metrics"}};
	for (size_t i = 0; i < JR_COUNT_OF(others); i++)
		if (strcmp(word, others[i].word) == 0)
			return others[i].meant;
	static const char version[] = "version";
	struct jr_nearest nearest = {0};
	for (const struct jr_command *c = jr_commands; c->name; c++)
		jr_nearest_offer(&nearest, word, c->name);
	jr_nearest_offer(&nearest, word, version);
	for (const struct jr_command *c = jr_commands; c->name && !nearest.best; c++) {
		const char *second = strchr(c->name, ' ');
		if (second && strcmp(word, second + 1) == 0)
			return c->name;
	}
	return nearest.best == version ? "--version" : nearest.best;
}

bool jr_command_is_input(const char *word)
{
	struct stat st;
	size_t n = strlen(word);
	const char *slash = strrchr(word, '/'), *name = slash ? slash + 1 : word;
	return jr_input_stem_size(name, strlen(name)) < strlen(name) ||
		   (n && stat(word, &st) == 0 && S_ISDIR(st.st_mode));
}

/* Return the command of a group that takes a store and inputs, or only the store. */
static const char *of_group(const char *group, bool only_store)
{
	size_t n = strlen(group);
	for (const struct jr_command *c = jr_commands; c->name; c++)
		if (strncmp(c->name, group, n) == 0 && c->name[n] == ' ' &&
			!(c->flags & JR_CMD_NO_INPUT) == !only_store)
			return c->name;
	return group;
}

enum jr_status jr_command_incomplete(
	const char *group, const char *const *words, size_t n, struct jr_error *err)
{
	const char *add = of_group(group, false), *show = of_group(group, true);
	struct jr_nearest nearest = {0};
	struct stat st;
	if (n && !strpbrk(words[0], "./"))
		for (const struct jr_command *c = jr_commands; c->name; c++)
			if (strncmp(c->name, group, strlen(group)) == 0 && c->name[strlen(group)] == ' ')
				jr_nearest_offer(&nearest, words[0], c->name + strlen(group) + 1);
	if (nearest.best)
		return jr_fail(err, JR_EUSAGE, "unknown command '%s %s'. Did you mean '%s %s'?", group,
			words[0], group, nearest.best);
	if (n > 1)
		return jr_fail(err, JR_EUSAGE,
			"'jaxreport %s' is not a complete command. Did you mean 'jaxreport %s %s %s'?", group,
			add, words[0], words[1]);
	if (n && jr_command_is_input(words[0]))
		return jr_fail(err, JR_EUSAGE,
			"'jaxreport %s' is not a complete command. Did you mean 'jaxreport %s STORE %s'?",
			group, add, words[0]);
	if (n && stat(words[0], &st) == 0)
		return jr_fail(err, JR_EUSAGE,
			"'jaxreport %s' is not a complete command. Did you mean 'jaxreport %s %s'?", group,
			show, words[0]);
	return jr_fail(err, JR_EUSAGE,
		"'jaxreport %s' is not a complete command. Use 'jaxreport %s STORE INPUT...' or "
		"'jaxreport %s STORE'.",
		group, add, show);
}

enum jr_status jr_command_meant(const char *const *inputs, size_t n_inputs, struct jr_error *err)
{
	const char *first = inputs[0];
	struct stat st;
	if (strpbrk(first, "./@") || stat(first, &st) == 0)
		return JR_OK;
	char both[128];
	snprintf(both, sizeof(both), "%s %s", first, n_inputs > 1 ? inputs[1] : "");
	for (const struct jr_command *c = jr_commands; c->name; c++)
		if (strcmp(first, c->name) == 0 || strcmp(both, c->name) == 0)
			return jr_fail(
				err, JR_EUSAGE, "the command '%s' must come before all options", c->name);
	if (is_group(first))
		return jr_command_incomplete(first, inputs + 1, n_inputs - 1, err);
	struct jr_nearest nearest = {0};
	for (const struct jr_command *c = jr_commands; c->name; c++)
		jr_nearest_offer(&nearest, both, c->name);
	const char *meant = nearest.best ? nearest.best : nearest_to(first);
	if (meant)
		return jr_fail(
			err, JR_EUSAGE, "'%s' is not a command or a file. Did you mean '%s'?", first, meant);
	if (jr_report_format_find(first, strlen(first)))
		return jr_fail(err, JR_EUSAGE,
			"'%s' is not a command or a file. Did you mean '--format %s'?", first, first);
	/* Another input that exists shows that this one was meant as a command. */
	for (size_t i = 1; i < n_inputs; i++)
		if (stat(inputs[i], &st) == 0)
			return jr_fail(
				err, JR_EUSAGE, "'%s' is not a command or a file. See 'jaxreport --help'.", first);
	return JR_OK;
}

const struct jr_command *jr_command_default(void)
{
	const struct jr_command *c = jr_commands;
	while (!(c->flags & JR_CMD_DEFAULT))
		c++;
	return c;
}
