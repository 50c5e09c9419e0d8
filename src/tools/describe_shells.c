/*
 * Completions: one template per shell, src/packaging/jaxreport.SHELL.in. @NAME@ is a word of the
 * current command or option (put_name). @ROWS:BETWEEN@ TEXT @END@ repeats TEXT for each of some
 * commands or options (row_names), with BETWEEN between them; inside, that row is the current one.
 * A line that ends in @\ continues in the next one, after its tabs.
 */
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "tools/describe_parts.h"

enum rows {
	COMMANDS,
	ONE_WORD,     /* commands of one word */
	TWO_WORDS,    /* commands of two words */
	FIRST_WORDS,  /* the first command of each first word */
	GROUPS,       /* ... if it needs a second word */
	SECOND_WORDS, /* commands of two words with the current first word */
	OPTIONS,      /* of the current command */
	ARGUMENTS,    /* ... if they take an argument */
	IF_LETTER,    /* the current option if it has a letter */
	IF_ARGUMENT,  /* ... if it takes an argument */
	IF_FREE,      /* ... of ARGUMENT_FREE; then the other kinds, in order */
	N_ROWS = IF_FREE + ARGUMENT_METRIC + 1
};

static const char *const row_names[N_ROWS] = {"COMMANDS", "ONE_WORD", "TWO_WORDS", "FIRST_WORDS",
	"GROUPS", "SECOND_WORDS", "OPTIONS", "ARGUMENTS", "IF_LETTER", "IF_ARGUMENT", "IF_FREE",
	"IF_FILE", "IF_FOLDER", "IF_WORDS", "IF_FORMATS", "IF_METRIC"};

static const struct shell {
	const char *name;
	const char *special; /* characters of a help text that need a backslash */
	const char *quote;   /* replaces a quote in a help text */
} shells[] = {{"bash", "", "'"}, {"zsh", "[]:\\", "'\\''"}, {"fish", "\\", "\\'"}};

struct current {
	const struct shell *shell;
	const struct jr_command *command;
	const struct jr_option *option;
};

static size_t first_word(const struct jr_command *c)
{
	return strcspn(c->name, " ");
}

static bool same_first_word(const struct jr_command *a, const struct jr_command *b)
{
	return first_word(a) == first_word(b) && strncmp(a->name, b->name, first_word(a)) == 0;
}

static bool lists(enum rows rows, const struct current *outer, const struct current *row)
{
	const struct jr_command *c = row->command, *first = jr_commands;
	const struct jr_option *o = row->option;
	const struct argument *argument = argument_of(o);
	bool two_words = c->name[first_word(c)], current = o == outer->option;
	while (!same_first_word(first, c))
		first++;
	switch (rows) {
	case COMMANDS: return true;
	case ONE_WORD: return !two_words;
	case TWO_WORDS: return two_words;
	case FIRST_WORDS: return c == first;
	case GROUPS: return c == first && two_words;
	case SECOND_WORDS: return two_words && same_first_word(c, outer->command);
	case OPTIONS: return o->commands & c->bit;
	case ARGUMENTS: return argument && o->commands & c->bit;
	case IF_LETTER: return current && o->letter;
	case IF_ARGUMENT: return current && argument;
	default: return current && argument && (int)argument->kind == (int)rows - IF_FREE;
	}
}

/* Print the short part of a help text: up to the first separator. */
static void put_brief(struct jr_buf *out, const struct shell *shell, const char *help)
{
	size_t n = strcspn(help, ";:(");
	while (n && help[n - 1] == ' ')
		n--;
	for (const char *s = help; s < help + n; s++)
		if (*s == '\'')
			jr_buf_puts(out, shell->quote);
		else
			jr_buf_printf(out, strchr(shell->special, *s) ? "\\%c" : "%c", *s);
}

static void put_words(struct jr_buf *out, const struct argument *argument)
{
	const char *between = "";
	jr_buf_puts(out, argument->words);
	if (argument->kind == ARGUMENT_FORMATS)
		for (const struct jr_report_format *f = jr_report_formats; f->name; f++, between = " ")
			jr_buf_printf(out, "%s%s", between, f->name);
	if (argument->kind == ARGUMENT_METRIC)
		for (const struct jr_metric *m = jr_metrics; m->name; m++, between = " ")
			jr_buf_printf(out, "%s%s", between, m->name);
}

static void put_name(struct jr_buf *out, const struct current *at, const char *name)
{
	const struct jr_command *c = at->command;
	const struct jr_option *o = at->option;
	if (strcmp(name, "DEFAULT") == 0)
		jr_buf_puts(out, jr_command_default()->name);
	else if (strcmp(name, "ID") == 0) /* a command as one word: "history-add" */
		for (const char *s = c->name; *s; s++)
			jr_buf_putc(out, *s == ' ' ? '-' : *s);
	else if (strcmp(name, "FIRST") == 0)
		jr_buf_add(out, c->name, first_word(c));
	else if (strcmp(name, "SECOND") == 0)
		jr_buf_puts(out, c->name + first_word(c) + 1);
	else if (strcmp(name, "SUMMARY") == 0)
		put_brief(out, at->shell, c->summary);
	else if (strcmp(name, "OPTION") == 0)
		jr_buf_puts(out, o->name);
	else if (strcmp(name, "LONG") == 0)
		jr_buf_puts(out, o->name + strlen("--"));
	else if (strcmp(name, "LETTER") == 0)
		jr_buf_putc(out, o->letter);
	else if (strcmp(name, "HELP") == 0)
		put_brief(out, at->shell, o->help);
	else if (strcmp(name, "ARGUMENT") == 0)
		jr_buf_puts(out, argument_of(o)->name);
	else if (strcmp(name, "WORDS") == 0)
		put_words(out, argument_of(o));
	else
		describe_fail("no word of a completion is called", name);
}

static const char *put_text(struct jr_buf *out, const struct current *at, const char *text);

/* Print a block whose text begins at `text`. @return the text after its @END@ */
static const char *put_rows(struct jr_buf *out, const struct current *at, const char *name,
	const char *between, const char *text)
{
	size_t rows = 0;
	while (rows < N_ROWS && strcmp(row_names[rows], name) != 0)
		rows++;
	if (rows == N_ROWS)
		describe_fail("no rows of a completion are called", name);
	bool of_commands = rows < OPTIONS;
	struct current row = at ? *at : (struct current){0};
	const char *separator = "";
	for (size_t i = 0; at && (of_commands ? jr_commands[i].name : jr_option_table[i].name); i++) {
		if (of_commands)
			row.command = &jr_commands[i];
		else
			row.option = &jr_option_table[i];
		if (!lists((enum rows)rows, at, &row))
			continue;
		jr_buf_puts(out, separator);
		put_text(out, &row, text);
		separator = between;
	}
	return put_text(out, NULL, text);
}

/* Print a text up to its end or to @END@; with `at` NULL, only skip it. @return the rest */
static const char *put_text(struct jr_buf *out, const struct current *at, const char *text)
{
	while (*text) {
		char name[16], between[8] = "";
		int word = 0, block = 0;
		if (sscanf(text, "@%15[A-Z_]@%n", name, &word) == 1 && word) {
			text += word;
			if (strcmp(name, "END") == 0)
				break;
			if (at)
				put_name(out, at, name);
		} else if (sscanf(text, "@%15[A-Z_]:%n%7[^@]", name, &block, between) >= 1 && block) {
			text = put_rows(out, at, name, between, text + block + strlen(between) + strlen("@"));
		} else if (strncmp(text, "@\\\n", 3) == 0) {
			text += 3 + strspn(text + 3, "\t");
		} else if (at) {
			jr_buf_putc(out, *text++);
		} else {
			text++;
		}
	}
	return text;
}

bool describe_shell(struct jr_buf *out, const char *name, const char *template)
{
	for (size_t i = 0; i < JR_COUNT_OF(shells); i++)
		if (strcmp(shells[i].name, name) == 0) {
			put_text(out, &(struct current){&shells[i], jr_commands, jr_option_table}, template);
			return true;
		}
	return false;
}
