/* Completions: the options of each command, what can stand behind each, and inputs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "tools/describe.h"

/* What an option does, as far as it is short: up to the first that separates. */
static size_t brief(const char *help)
{
	size_t n = strcspn(help, ";:(");
	while (n && help[n - 1] == ' ')
		n--;
	return n;
}

/* A command of two words as one that means nothing to a shell: "history-add". */
static void put_id(struct jr_buf *out, const struct jr_command *c)
{
	for (const char *s = c->name; *s; s++)
		jr_buf_putc(out, *s == ' ' ? '-' : *s);
}

/* Ids of all commands of one word, or of all of two. */
static void command_ids(struct jr_buf *out, bool two_words, const char *between)
{
	const char *separator = "";
	for (const struct jr_command *c = jr_commands; c->name; c++) {
		if ((strchr(c->name, ' ') != NULL) != two_words)
			continue;
		jr_buf_puts(out, separator);
		put_id(out, c);
		separator = between;
	}
}

/* The first of the words of a command, and whether an earlier command begins so too. */
static size_t first_word(const struct jr_command *c, bool *seen)
{
	size_t n = strcspn(c->name, " ");
	*seen = false;
	for (const struct jr_command *other = jr_commands; other != c; other++)
		*seen |= strncmp(other->name, c->name, n) == 0 && strchr(" ", other->name[n]);
	return n;
}

static void first_words(struct jr_buf *out)
{
	for (const struct jr_command *c = jr_commands; c->name; c++) {
		bool seen;
		size_t n = first_word(c, &seen);
		if (!seen)
			jr_buf_printf(out, "%s%.*s", c == jr_commands ? "" : " ", (int)n, c->name);
	}
}

/* Words that may stand behind the first one of `c`. */
static void second_words(struct jr_buf *out, const struct jr_command *c)
{
	size_t n = strcspn(c->name, " ");
	const char *separator = "";
	for (const struct jr_command *other = jr_commands; other->name; other++) {
		if (strncmp(other->name, c->name, n) != 0 || other->name[n] != ' ')
			continue;
		jr_buf_printf(out, "%s%s", separator, other->name + n + 1);
		separator = " ";
	}
}

/* BEFORE first word BETWEEN its second words AFTER, for each first word that has some. */
static void each_pair(
	struct jr_buf *out, const char *before, const char *between, const char *after)
{
	for (const struct jr_command *c = jr_commands; c->name; c++) {
		bool seen;
		size_t n = first_word(c, &seen);
		if (seen || !c->name[n])
			continue;
		jr_buf_printf(out, "%s%.*s%s", before, (int)n, c->name, between);
		second_words(out, c);
		jr_buf_puts(out, after);
	}
}

static void format_names(struct jr_buf *out)
{
	for (const struct jr_report_format *f = jr_report_formats; f->name; f++)
		jr_buf_printf(out, "%s%s", f == jr_report_formats ? "" : " ", f->name);
}

static void metric_names(struct jr_buf *out)
{
	for (const struct jr_metric *m = jr_metrics; m->name; m++)
		jr_buf_printf(out, "%s%s", m == jr_metrics ? "" : " ", m->name);
}

/* --- bash ------------------------------------------------------------------------------------ */

/* One branch of `case $command:$before`. */
static void bash_branch(struct jr_buf *out, const struct jr_command *c, const struct jr_option *o)
{
	const struct argument *argument = argument_of(o);
	if (!argument)
		return;
	jr_buf_putc(out, '\t');
	put_id(out, c);
	jr_buf_printf(out, ":%s", o->name);
	if (o->letter) {
		jr_buf_puts(out, " | ");
		put_id(out, c);
		jr_buf_printf(out, ":-%c", o->letter);
	}
	jr_buf_puts(out, ")\n\t\t");
	switch (argument->kind) {
	case ARGUMENT_FREE:
		jr_buf_puts(out, ":");
		break;
	case ARGUMENT_FILE:
		jr_buf_puts(out, "_jaxreport_paths -f \"$current\"");
		break;
	case ARGUMENT_FOLDER:
		jr_buf_puts(out, "_jaxreport_paths -d \"$current\"");
		break;
	case ARGUMENT_WORDS:
		jr_buf_printf(out, "_jaxreport_words '%s' \"$current\"", argument->words);
		break;
	case ARGUMENT_FORMATS:
		jr_buf_puts(out, "_jaxreport_words '");
		format_names(out);
		jr_buf_puts(out, "' \"${current##*,}\" \"${current%\"${current##*,}\"}\"");
		break;
	case ARGUMENT_METRIC:
		jr_buf_puts(out, "compopt -o nospace\n\t\t_jaxreport_words '");
		metric_names(out);
		jr_buf_puts(out, "' \"$current\"");
		break;
	}
	jr_buf_puts(out, "\n\t\treturn\n\t\t;;\n");
}

static void bash_options(struct jr_buf *out, const struct jr_command *c)
{
	jr_buf_puts(out, "\t\t");
	put_id(out, c);
	jr_buf_puts(out, ") _jaxreport_words '");
	const char *between = "";
	for (const struct jr_option *o = jr_option_table; o->name; o++) {
		if (!(o->commands & c->bit))
			continue;
		jr_buf_printf(out, "%s%s", between, o->name);
		between = " ";
	}
	jr_buf_puts(out, "' \"$current\" ;;\n");
}

static void bash_functions(struct jr_buf *out)
{
	jr_buf_puts(out,
		"# bash completion of jaxreport(1). Made by build/describe from the table of options.\n"
		"\n# _jaxreport_words WORDS BEGINNING [PREFIX]\n"
		"_jaxreport_words() {\n"
		"\tmapfile -t COMPREPLY < <(compgen -P \"${3-}\" -W \"$1\" -- \"$2\")\n"
		"}\n"
		"\n# _jaxreport_paths -f|-d BEGINNING [PREFIX]\n"
		"_jaxreport_paths() {\n"
		"\tcompopt -o filenames\n"
		"\tmapfile -t COMPREPLY < <(compgen \"$1\" -P \"${3-}\" -- \"$2\")\n"
		"}\n"
		"\n# Folders, and files that look like inputs; where none does, all.\n"
		"_jaxreport_inputs() {\n"
		"\tlocal path kept=()\n"
		"\tif [[ $1 == @* || $2 == @ ]]; then # @ may or may not be a word of its own\n"
		"\t\t_jaxreport_paths -f \"${1#@}\" @\n"
		"\t\treturn\n"
		"\tfi\n"
		"\t_jaxreport_paths -f \"$1\"\n"
		"\tfor path in \"${COMPREPLY[@]}\"; do\n"
		"\t\tcase $path in\n"
		"\t\t*.zip | *.sqlite | *.nsys-rep | *.csv | *.csv.xz | *.json | *.jsonl) "
		"kept+=(\"$path\") ;;\n"
		"\t\t*) [[ -d $path ]] && kept+=(\"$path\") ;;\n"
		"\t\tesac\n"
		"\tdone\n"
		"\t[[ ${#kept[@]} -eq 0 ]] || COMPREPLY=(\"${kept[@]}\")\n"
		"}\n");
}

void describe_bash(struct jr_buf *out)
{
	bash_functions(out);
	jr_buf_puts(out,
		"\n_jaxreport() {\n"
		"\tlocal current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
		"\tlocal command=");
	jr_buf_puts(out, jr_command_default()->name);
	jr_buf_puts(out, "\n\tCOMPREPLY=()\n"
					 "\tif [[ $current == = ]]; then # --name=value is three words here\n"
					 "\t\tcurrent=\n"
					 "\telif [[ $before == = && $COMP_CWORD -gt 1 ]]; then\n"
					 "\t\tbefore=${COMP_WORDS[COMP_CWORD - 2]}\n"
					 "\tfi\n"
					 "\tif [[ $COMP_CWORD -gt 1 ]]; then\n"
					 "\t\tcase ${COMP_WORDS[1]} in\n"
					 "\t\t");
	command_ids(out, false, " | ");
	jr_buf_puts(out, ") command=${COMP_WORDS[1]} ;;\n"
					 "\t\tesac\n"
					 "\tfi\n"
					 "\tif [[ $COMP_CWORD -gt 2 ]]; then\n"
					 "\t\tcase ${COMP_WORDS[1]}-${COMP_WORDS[2]} in\n"
					 "\t\t");
	command_ids(out, true, " | ");
	jr_buf_puts(out, ") command=${COMP_WORDS[1]}-${COMP_WORDS[2]} ;;\n"
					 "\t\tesac\n"
					 "\telif [[ $COMP_CWORD -eq 2 ]]; then\n"
					 "\t\tcase ${COMP_WORDS[1]} in\n");
	each_pair(
		out, "\t\t", ")\n\t\t\t_jaxreport_words '", "' \"$current\"\n\t\t\treturn\n\t\t\t;;\n");
	jr_buf_puts(out, "\t\tesac\n"
					 "\tfi\n"
					 "\tcase $command:$before in\n");
	for (const struct jr_command *c = jr_commands; c->name; c++)
		for (const struct jr_option *o = jr_option_table; o->name; o++)
			if (o->commands & c->bit)
				bash_branch(out, c, o);
	jr_buf_puts(out, "\tesac\n"
					 "\tif [[ $current == -* ]]; then\n"
					 "\t\tcase $command in\n");
	for (const struct jr_command *c = jr_commands; c->name; c++)
		bash_options(out, c);
	jr_buf_puts(out, "\t\tesac\n"
					 "\t\treturn\n"
					 "\tfi\n"
					 "\t_jaxreport_inputs \"$current\" \"$before\"\n"
					 "\tif [[ $COMP_CWORD -eq 1 ]]; then\n"
					 "\t\tlocal paths=(\"${COMPREPLY[@]}\")\n"
					 "\t\t_jaxreport_words '");
	first_words(out);
	jr_buf_puts(out, "' \"$current\"\n"
					 "\t\tCOMPREPLY+=(\"${paths[@]}\")\n"
					 "\tfi\n"
					 "}\n"
					 "\ncomplete -F _jaxreport jaxreport\n");
}

/* --- zsh ------------------------------------------------------------------------------------- */

/* Inside single quotes and the brackets of a specification. */
static void zsh_text(struct jr_buf *out, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (text[i] == '\'')
			jr_buf_puts(out, "'\\''");
		else if (strchr("[]:\\", text[i]))
			jr_buf_printf(out, "\\%c", text[i]);
		else
			jr_buf_putc(out, text[i]);
	}
}

static void zsh_argument(struct jr_buf *out, const struct argument *argument)
{
	jr_buf_printf(out, ":%s:", argument->name);
	switch (argument->kind) {
	case ARGUMENT_FREE:
		break;
	case ARGUMENT_FILE:
		jr_buf_puts(out, "_files");
		break;
	case ARGUMENT_FOLDER:
		jr_buf_puts(out, "_directories");
		break;
	case ARGUMENT_WORDS:
		jr_buf_printf(out, "(%s)", argument->words);
		break;
	case ARGUMENT_FORMATS:
		jr_buf_puts(out, "_sequence compadd - ");
		format_names(out);
		break;
	case ARGUMENT_METRIC:
		jr_buf_puts(out, "(");
		metric_names(out);
		jr_buf_puts(out, ")");
		break;
	}
}

static void zsh_option(struct jr_buf *out, const struct jr_option *o)
{
	const struct argument *argument = argument_of(o);
	/* What may be given several times is not taken off the list once it is. */
	const char *star = argument && argument->kind == ARGUMENT_METRIC ? "*" : "";
	for (int letter = o->letter != 0; letter >= 0; letter--) {
		jr_buf_printf(out, "\t\t'%s", star);
		if (o->letter)
			jr_buf_printf(out, "(-%c %s)", o->letter, o->name);
		if (letter)
			jr_buf_printf(out, "-%c%s[", o->letter, argument ? "+" : "");
		else
			jr_buf_printf(out, "%s%s[", o->name, argument ? "=" : "");
		zsh_text(out, o->help, brief(o->help));
		jr_buf_putc(out, ']');
		if (argument)
			zsh_argument(out, argument);
		jr_buf_puts(out, "'\n");
	}
}

void describe_zsh(struct jr_buf *out)
{
	jr_buf_puts(out,
		"#compdef jaxreport\n"
		"# zsh completion of jaxreport(1). Made by build/describe from the table of options.\n"
		"\n_jaxreport_inputs() {\n"
		"\tif compset -P '@'; then\n"
		"\t\t_files\n"
		"\telse\n"
		"\t\t_files -g '*.(zip|sqlite|nsys-rep|csv|csv.xz|json|jsonl)(-.)'\n"
		"\tfi\n"
		"}\n"
		"\n_jaxreport_commands() {\n"
		"\tlocal -a commands=(\n");
	for (const struct jr_command *c = jr_commands; c->name; c++) {
		bool seen;
		size_t n = first_word(c, &seen);
		if (seen)
			continue;
		jr_buf_printf(out, "\t\t'%.*s:", (int)n, c->name);
		zsh_text(out, c->summary, brief(c->summary));
		jr_buf_puts(out, "'\n");
	}
	jr_buf_puts(out, "\t)\n"
					 "\t_describe command commands\n"
					 "}\n"
					 "\n_jaxreport_first() {\n"
					 "\t_alternative 'commands:command:_jaxreport_commands' "
					 "'inputs:input:_jaxreport_inputs'\n"
					 "}\n");
	for (const struct jr_command *c = jr_commands; c->name; c++) {
		jr_buf_puts(out, "\n_jaxreport_");
		put_id(out, c);
		jr_buf_puts(out, "() {\n\tlocal -a options=(\n");
		for (const struct jr_option *o = jr_option_table; o->name; o++)
			if (o->commands & c->bit)
				zsh_option(out, o);
		jr_buf_puts(out, "\t)\n\t_arguments -s -S : $options \"$@\"\n}\n");
	}
	jr_buf_puts(out, "\n_jaxreport() {\n"
					 "\tlocal command=$words[2]\n"
					 "\tif (( CURRENT > 2 )) && [[ $command == (");
	command_ids(out, false, "|");
	jr_buf_puts(out, ") ]]; then\n"
					 "\t\tshift words\n"
					 "\t\t(( CURRENT-- ))\n"
					 "\t\t_jaxreport_$command '*:input:_jaxreport_inputs'\n"
					 "\telif (( CURRENT > 3 )) && [[ $command-$words[3] == (");
	command_ids(out, true, "|");
	jr_buf_puts(out, ") ]]; then\n"
					 "\t\tcommand=$command-$words[3]\n"
					 "\t\tshift 2 words\n"
					 "\t\t(( CURRENT -= 2 ))\n"
					 "\t\t_jaxreport_$command '*:input:_jaxreport_inputs'\n");
	each_pair(out, "\telif (( CURRENT == 3 )) && [[ $command == ", " ]]; then\n\t\tcompadd ", "\n");
	jr_buf_printf(out,
		"\telse\n"
		"\t\t_jaxreport_%s '1:input:_jaxreport_first' '*:input:_jaxreport_inputs'\n"
		"\tfi\n"
		"}\n"
		"\n_jaxreport \"$@\"\n",
		jr_command_default()->name);
}

/* --- fish ------------------------------------------------------------------------------------ */

static void fish_text(struct jr_buf *out, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		jr_buf_printf(out, text[i] == '\'' || text[i] == '\\' ? "\\%c" : "%c", text[i]);
}

static void fish_option(struct jr_buf *out, const struct jr_command *c, const struct jr_option *o)
{
	const struct argument *argument = argument_of(o);
	jr_buf_puts(out, "complete -c jaxreport -n '__jaxreport_is ");
	put_id(out, c);
	jr_buf_putc(out, '\'');
	if (o->letter)
		jr_buf_printf(out, " -s %c", o->letter);
	jr_buf_printf(out, " -l %s", o->name + 2);
	switch (argument ? argument->kind : ARGUMENT_FREE) {
	case ARGUMENT_FREE:
		jr_buf_puts(out, argument ? " -x" : "");
		break;
	case ARGUMENT_FILE:
		jr_buf_puts(out, " -r -F");
		break;
	case ARGUMENT_FOLDER:
		jr_buf_puts(out, " -x -a '(__fish_complete_directories)'");
		break;
	case ARGUMENT_WORDS:
		jr_buf_printf(out, " -x -a '%s'", argument->words);
		break;
	case ARGUMENT_FORMATS:
		jr_buf_puts(out, " -x -a '(__fish_append , ");
		format_names(out);
		jr_buf_puts(out, ")'");
		break;
	case ARGUMENT_METRIC:
		jr_buf_puts(out, " -x -a '");
		metric_names(out);
		jr_buf_puts(out, "'");
		break;
	}
	jr_buf_puts(out, " -d '");
	fish_text(out, o->help, brief(o->help));
	jr_buf_puts(out, "'\n");
}

void describe_fish(struct jr_buf *out)
{
	jr_buf_puts(out,
		"# fish completion of jaxreport(1). Made by build/describe from the table of options.\n"
		"\nfunction __jaxreport_is\n"
		"\tset -l words (commandline -opc)\n"
		"\tset -l command ");
	jr_buf_puts(out, jr_command_default()->name);
	jr_buf_puts(out, "\n\tif set -q words[2]; and contains -- $words[2] ");
	command_ids(out, false, " ");
	jr_buf_puts(out, "\n\t\tset command $words[2]\n"
					 "\telse if set -q words[3]; and contains -- $words[2]-$words[3] ");
	command_ids(out, true, " ");
	jr_buf_puts(out, "\n\t\tset command $words[2]-$words[3]\n"
					 "\tend\n"
					 "\ttest $command = $argv[1]\n"
					 "end\n\n");
	jr_buf_puts(out, "# First words that need a second one.\nset -g __jaxreport_groups");
	for (const struct jr_command *c = jr_commands; c->name; c++) {
		bool seen;
		size_t n = first_word(c, &seen);
		if (!seen && c->name[n])
			jr_buf_printf(out, " %.*s", (int)n, c->name);
	}
	jr_buf_puts(out,
		"\n\n# Folders, and files that look like inputs; where none does, all.\n"
		"function __jaxreport_inputs\n"
		"\tset -l words (commandline -opc)\n"
		"\ttest (count $words) -eq 2; and contains -- $words[2] $__jaxreport_groups; and return\n"
		"\tset -l token (commandline -ct)\n"
		"\tif string match -q '@*' -- $token\n"
		"\t\t__fish_complete_path (string sub -s 2 -- $token) | string replace -r '^' '@'\n"
		"\t\treturn\n"
		"\tend\n"
		"\tset -l paths (__fish_complete_path $token)\n"
		"\tset -l kept (string match -r "
		"'^[^\\t]*(?:/|\\.(?:zip|sqlite|nsys-rep|csv|csv\\.xz|jsonl?))(?:\\t.*)?$' -- $paths)\n"
		"\tset -q kept[1]; and set paths $kept\n"
		"\tprintf '%s\\n' $paths\n"
		"end\n\n"
		"complete -c jaxreport -f -a '(__jaxreport_inputs)'\n");
	for (const struct jr_command *c = jr_commands; c->name; c++) {
		bool seen;
		size_t n = first_word(c, &seen);
		if (!seen)
			jr_buf_printf(out,
				"complete -c jaxreport -n 'test (count (commandline -opc)) -eq 1' -a %.*s -d "
				"'%.*s'\n",
				(int)n, c->name, (int)brief(c->summary), c->summary);
	}
	each_pair(out,
		"complete -c jaxreport -n 'string match -q -- (commandline -opc | string join \" \") "
		"\"jaxreport ",
		"\"' -a '", "'\n");
	for (const struct jr_command *c = jr_commands; c->name; c++)
		for (const struct jr_option *o = jr_option_table; o->name; o++)
			if (o->commands & c->bit)
				fish_option(out, c, o);
}
