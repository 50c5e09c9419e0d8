/* Parse a command line by the table of options. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/suggest.h"
#include "base/task.h"
#include "cli/core/arguments.h"
#include "cli/core/commands.h"
#include "cli/options/option_functions.h"
#include "cli/options/inputs.h"
#include "report/core/report.h"

static enum jr_status unknown_option(
	const struct jr_command *command, const char *name, size_t n, struct jr_error *err)
{
	char word[64];
	snprintf(word, sizeof(word), "%.*s", (int)(n < 63 ? n : 63), name);
	struct jr_nearest nearest = {0};
	for (const struct jr_option *o = jr_option_table; o->name; o++)
		if (o->commands & command->bit)
			jr_nearest_offer(&nearest, word, o->name);
	if (nearest.best)
		return jr_fail(
			err, JR_EUSAGE, "unknown option '%s'. Did you mean '%s'?", word, nearest.best);
	if (command->bit & (JR_FOR_REPORT | JR_FOR_COMPARE | JR_FOR_SHOW) && n > 2 &&
		jr_report_format_find(name + 2, n - 2))
		return jr_fail(
			err, JR_EUSAGE, "unknown option '%s'. Did you mean '--format %s'?", word, word + 2);
	for (const struct jr_command *c = jr_commands; c->name; c++)
		if (n > 2 && strcmp(word + 2, c->name) == 0)
			return jr_fail(
				err, JR_EUSAGE, "unknown option '%s'. Did you mean 'jaxreport %s'?", word, c->name);
	return jr_fail(
		err, JR_EUSAGE, "unknown option '%s'. See 'jaxreport %s --help'.", word, command->name);
}

/* The name of the first command that has an option. */
static const char *first_command(unsigned commands)
{
	const struct jr_command *c = jr_commands;
	while (c->name && !(c->bit & commands))
		c++;
	return c->name ? c->name : "report";
}

static enum jr_status apply(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	/* with --report, the options of report are allowed, too */
	unsigned bits = r->command->bit | (r->record.report ? JR_FOR_REPORT : 0);
	if (!(o->commands & bits))
		return jr_fail(err, JR_EUSAGE,
			"option '%s' is not an option of 'jaxreport %s'. Use it with 'jaxreport %s'.", o->name,
			r->command->name, first_command(o->commands));
	JR_TRY(jr_path_check(o, value, err));
	return o->parse(r, o, value, err);
}

/* Find the command's own option of that name or letter, else another command's. NULL: none has
 * it. */
static const struct jr_option *find_option(
	const struct jr_command *command, const char *name, size_t n, char letter)
{
	const struct jr_option *found = NULL;
	for (const struct jr_option *o = jr_option_table; o->name; o++) {
		bool fits =
			name ? strlen(o->name) == n && memcmp(o->name, name, n) == 0 : o->letter == letter;
		if (fits && (!found || (o->commands & command->bit)))
			found = o;
		if (found && (found->commands & command->bit))
			break;
	}
	return found;
}

/* Refuse a separate word as the value of an option if it is an option itself: "-o --strict". */
static enum jr_status check_value(
	const struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	const struct jr_option *other = NULL;
	if (value[0] == '-' && value[1] == '-')
		other = find_option(r->command, value, strcspn(value, "="), 0);
	else if (value[0] == '-' && value[1] && !value[2])
		other = find_option(r->command, NULL, 0, value[1]);
	if (!other)
		return JR_OK;
	return jr_fail(err, JR_EUSAGE,
		"option '%s' requires %s, but '%s' is an option. To use it as a value, write %s=%s.",
		o->name, o->argument, value, o->name, value);
}

/* Take one "--name", "--name=value" or "--name value"; *i moves past it. */
static enum jr_status take_long(
	struct jr_request *r, int argc, char *const *argv, int *i, struct jr_error *err)
{
	const char *arg = argv[*i];
	size_t n = strcspn(arg, "=");
	r->by_letter = false;
	const struct jr_option *o = find_option(r->command, arg, n, 0);
	if (!o)
		return unknown_option(r->command, arg, n, err);
	const char *value = arg[n] ? arg + n + 1 : NULL;
	if (value && !o->argument)
		return jr_fail(err, JR_EUSAGE, "option '%s' does not take a value", o->name);
	if (!value && o->argument) {
		if (*i + 1 >= argc)
			return jr_fail(err, JR_EUSAGE, "option '%s' requires %s", o->name, o->argument);
		value = argv[++*i];
		JR_TRY(check_value(r, o, value, err));
	}
	return apply(r, o, value, err);
}

/* Take a cluster of letters: "-f", "-fq", "-j4", "-j 4". */
static enum jr_status take_letters(
	struct jr_request *r, int argc, char *const *argv, int *i, struct jr_error *err)
{
	char two_dashes[64];
	int n = snprintf(two_dashes, sizeof(two_dashes), "-%s", argv[*i]);
	if (argv[*i][2] && n < (int)sizeof(two_dashes) &&
		find_option(r->command, two_dashes, strcspn(two_dashes, "="), 0))
		return jr_fail(
			err, JR_EUSAGE, "unknown option '%s'. Did you mean '%s'?", argv[*i], two_dashes);
	r->by_letter = true;
	for (const char *s = argv[*i] + 1; *s; s++) {
		const struct jr_option *o = find_option(r->command, NULL, 0, *s);
		if (!o)
			return jr_fail(err, JR_EUSAGE, "unknown option '-%c'. See 'jaxreport %s --help'.", *s,
				r->command->name);
		if (!o->argument) {
			JR_TRY(apply(r, o, NULL, err));
			continue;
		}
		const char *value = s[1] ? s + 1 : NULL;
		if (!value && *i + 1 >= argc)
			return jr_fail(err, JR_EUSAGE, "option '-%c' requires %s", *s, o->argument);
		if (!value) {
			value = argv[++*i];
			JR_TRY(check_value(r, o, value, err));
		}
		return apply(r, o, value, err);
	}
	return JR_OK;
}

static enum jr_status check_inputs(const struct jr_request *r, struct jr_error *err)
{
	if (r->inputs.n == 0 && r->store && jr_command_is_input(r->store))
		return jr_fail(err, JR_EUSAGE,
			"the store is missing before the input '%s'. Did you mean 'jaxreport %s STORE %s'?",
			r->store, r->command->name, r->store);
	if (r->inputs.n == 0)
		return jr_fail(err, JR_EUSAGE, "no input given%s%s%s. See 'jaxreport%s%s --help'.",
			r->store ? " after the store '" : "", r->store ? r->store : "", r->store ? "'" : "",
			r->command_named ? " " : "", r->command_named ? r->command->name : "");
	for (size_t i = 0; i < r->inputs.n; i++)
		if (!*r->inputs.items[i])
			return jr_fail(
				err, JR_EUSAGE, "an input name is empty. Check for an unset shell variable.");
	return r->command_named ? JR_OK : jr_command_meant(r->inputs.items, r->inputs.n, err);
}

/* Check the arguments of a command that shows a store: only the store. */
static enum jr_status check_store(const struct jr_request *r, struct jr_error *err)
{
	struct stat st;
	if (r->inputs.n)
		return jr_fail(err, JR_EUSAGE, "'jaxreport %s' takes only a store. Remove '%s'.",
			r->command->name, r->inputs.items[0]);
	if (stat(r->store, &st) != 0 && jr_is_absent(errno))
		return jr_fail(
			err, JR_EIO, "%s: does not exist. 'jaxreport history add' creates it.", r->store);
	return JR_OK;
}

/* Take the first argument as the store; it is not an input. */
static enum jr_status take_store(struct jr_request *r, struct jr_error *err)
{
	if (!r->inputs.n || !*r->inputs.items[0])
		return jr_fail(
			err, JR_EUSAGE, "no store given. See 'jaxreport %s --help'.", r->command->name);
	r->store = r->inputs.items[0];
	for (size_t i = 1; i < r->inputs.n; i++)
		r->inputs.items[i - 1] = r->inputs.items[i];
	r->inputs.n--;
	if (r->command->flags & JR_CMD_NO_INPUT)
		return check_store(r, err);
	return jr_path_check_as(JR_MAKES, NULL, r->store, err);
}

/* Take the last argument as SQL, unless the tables are listed. */
static enum jr_status take_sql(struct jr_request *r, struct jr_error *err)
{
	if (r->list_tables)
		return JR_OK;
	if (r->inputs.n < 2)
		return jr_fail(err, JR_EUSAGE,
			"'jaxreport %s' takes an input and SQL, for example 'SELECT name FROM thunk'",
			r->command->name);
	r->query.sql = r->inputs.items[--r->inputs.n];
	return JR_OK;
}

/* Take BASE and NEW of a comparison; each may be a list of the inputs of one job. */
static enum jr_status take_sides(struct jr_request *r, struct jr_error *err)
{
	const char *last = r->inputs.items[r->inputs.n - 1];
	struct stat st;
	if (r->inputs.n == 3 && !r->output && !strpbrk(last, "./") && stat(last, &st) != 0)
		return jr_fail(err, JR_EUSAGE, JR_MEANT_AS_OUTPUT, last, last);
	if (r->inputs.n != 2)
		return jr_fail(err, JR_EUSAGE, "'jaxreport %s' takes two inputs, BASE and NEW, not %zu%s",
			r->command->name, r->inputs.n,
			r->inputs.n == 1 ? "" : ". If a run has several inputs, list them in a file: @FILE.");
	if (r->github && !r->output)
		return jr_fail(
			err, JR_EUSAGE, "--github requires -o DIR, because it appends the summary in DIR");
	JR_TRY(jr_inputs_expand(r, err));
	return jr_inputs_check(r, err);
}

enum jr_status jr_request_parse(
	struct jr_request *r, int argc, char *const *argv, struct jr_error *err)
{
	*r = (struct jr_request){.command = jr_command_default(),
		.implied = jr_command_default(),
		.analysis = jr_options_default(),
		.opener = -1,
		.tolerance = JR_TOLERANCE,
		.last = JR_HISTORY_LAST};
	jr_arena_init(&r->texts, 0);
	r->analysis.n_threads = jr_task_default_threads();
	int i = 1, n_words;
	bool help = argc > 1 && strcmp(argv[1], "help") == 0;
	i += help;
	const struct jr_command *named = jr_command_find(argc - i, argv + i, &n_words);
	if (named) {
		r->command = named;
		r->command_named = true;
		i += n_words;
	} else {
		r->command_group = jr_command_group(argc - i, argv + i);
		i += r->command_group != NULL;
	}
	if (help) {
		r->action = JR_ACTION_HELP;
		return i == argc ? JR_OK
						 : jr_fail(err, JR_EUSAGE,
							   "unknown command '%.60s'. See 'jaxreport --help'.", argv[i]);
	}
	for (bool only_inputs = false; i < argc; i++) {
		const char *arg = argv[i];
		bool is_end = strcmp(arg, "--") == 0;
		if (r->command->flags & JR_CMD_PROGRAM && (is_end || arg[0] != '-' || !arg[1])) {
			r->record.program = argv + i + is_end;
			r->record.n_program = (size_t)(argc - i - is_end);
			break;
		}
		if (only_inputs || arg[0] != '-' || !arg[1])
			*jr_vec_add(&r->inputs) = arg;
		else if (is_end)
			only_inputs = true;
		else if (arg[1] == '-')
			JR_TRY(take_long(r, argc, argv, &i, err));
		else
			JR_TRY(take_letters(r, argc, argv, &i, err));
		if (r->action == JR_ACTION_HELP || r->action == JR_ACTION_USAGE ||
			r->action == JR_ACTION_VERSION)
			return JR_OK; /* the other arguments do not matter */
	}
	if (r->command_group)
		return jr_command_incomplete(r->command_group, r->inputs.items, r->inputs.n, err);
	JR_TRY(jr_output_formats(r, err));
	if (r->action != JR_ACTION_RUN)
		return JR_OK;
	if (r->command->flags & JR_CMD_STORE)
		JR_TRY(take_store(r, err));
	if (r->command->flags & JR_CMD_NO_INPUT)
		return JR_OK;
	if (r->command->flags & JR_CMD_PROGRAM)
		return jr_record_check(r, err);
	JR_TRY(check_inputs(r, err));
	if (r->command->flags & JR_CMD_SQL)
		JR_TRY(take_sql(r, err));
	if (r->command->flags & JR_CMD_TWO_INPUTS)
		return take_sides(r, err);
	JR_TRY(jr_inputs_expand(r, err));
	if ((r->command->flags & JR_CMD_ONE_INPUT) && r->inputs.n > 1)
		return jr_fail(err, JR_EUSAGE, "'jaxreport %s' takes one input, not %zu", r->command->name,
			r->inputs.n);
	JR_TRY(jr_output_name(r, err));
	return jr_inputs_check(r, err);
}

void jr_request_done(struct jr_request *r)
{
	jr_vec_done(&r->inputs);
	jr_vec_done(&r->source_prefixes);
	jr_vec_done(&r->formats);
	jr_gates_done(&r->gates);
	jr_vec_done(&r->metrics);
	jr_vec_done(&r->what_ifs);
	jr_vec_done(&r->record.options);
	free(r->output_made);
	r->output_made = NULL;
	jr_arena_done(&r->texts);
}
