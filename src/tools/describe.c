/* describe man TEMPLATE | bash | zsh | fish | keys report INPUT... | keys compare BASE NEW... |
 * keys trend STORE...: write that description of jaxreport to stdout. */
#include "tools/describe.h"

#include <stdio.h>
#include <stdlib.h>
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
	{"GATE", ARGUMENT_METRIC, ""},
	{"HOW", ARGUMENT_WORDS, "pass fail"},
	{"ID", ARGUMENT_FREE, ""},
	{"LIST", ARGUMENT_FORMATS, ""},
	{"METRIC", ARGUMENT_METRIC, ""},
	{"N", ARGUMENT_FREE, ""},
	{"NAME", ARGUMENT_FREE, ""},
	{"OPT", ARGUMENT_FREE, ""},
	{"PERCENT", ARGUMENT_FREE, ""},
	{"PREFIX", ARGUMENT_FREE, ""},
	{"PROGRAM", ARGUMENT_FILE, ""},
	{"RANKS", ARGUMENT_FREE, ""},
	{"CHANGE", ARGUMENT_FREE, ""},
	{"RULE", ARGUMENT_WORDS, "auto first none"},
	{"SECONDS", ARGUMENT_FREE, ""},
	{"SIGNAL", ARGUMENT_FREE, ""},
	{"TEXT", ARGUMENT_FREE, ""},
	{"TIME", ARGUMENT_FREE, ""},
	{"WHAT", ARGUMENT_FREE, ""},
	{"WHEN", ARGUMENT_WORDS, "auto always never"},
	{"WHICH", ARGUMENT_WORDS, "all first none"},
};

_Noreturn void describe_fail(const char *what, const char *name)
{
	fprintf(stderr, "describe: %s '%s'\n", what, name);
	exit(1);
}

const struct argument *argument_of(const struct jr_option *option)
{
	if (!option->argument)
		return NULL;
	for (size_t i = 0; i < JR_COUNT_OF(arguments); i++)
		if (strcmp(arguments[i].name, option->argument) == 0)
			return &arguments[i];
	describe_fail("src/tools/describe.c does not list the argument", option->argument);
}

/* Words that are offered must be words that the option takes. */
static void check_words(const struct jr_option *option, const char *words)
{
	struct jr_request request = {0};
	struct jr_error err = {0};
	char word[32];
	for (size_t n; *words; words += n + (words[n] == ' ')) {
		n = strcspn(words, " ");
		snprintf(word, sizeof(word), "%.*s", (int)n, words);
		if (option->parse(&request, option, word, &err) != JR_OK)
			describe_fail(err.message, word);
	}
	if (option->parse(&request, option, "no such word", &err) == JR_OK)
		describe_fail("takes any word:", option->name);
}

static char *read_all(const char *path, struct jr_buf *buf)
{
	FILE *f = fopen(path, "r");
	if (!f)
		describe_fail("cannot open", path);
	char part[4096];
	for (size_t n; (n = fread(part, 1, sizeof(part), f)) > 0;)
		jr_buf_add(buf, part, n);
	fclose(f);
	return buf->data ? buf->data : (char *)"";
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	for (const struct jr_option *o = jr_option_table; o->name; o++)
		if (argument_of(o) && argument_of(o)->kind == ARGUMENT_WORDS)
			check_words(o, argument_of(o)->words);
	struct jr_buf out = {0}, page = {0};
	if (strcmp(what, "man") == 0 && argc == 3)
		describe_man(&out, read_all(argv[2], &page));
	else if (strcmp(what, "bash") == 0)
		describe_bash(&out);
	else if (strcmp(what, "zsh") == 0)
		describe_zsh(&out);
	else if (strcmp(what, "fish") == 0)
		describe_fish(&out);
	else if (strcmp(what, "keys") == 0 && argc > 3)
		describe_keys(&out, argv[2], argv + 3, argc - 3);
	else
		describe_fail("cannot write", what);
	bool written = fwrite(out.data, 1, out.size, stdout) == out.size && fflush(stdout) == 0;
	jr_buf_done(&out);
	jr_buf_done(&page);
	return written ? 0 : 1;
}
