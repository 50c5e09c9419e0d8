/*
 * commands.h - the table of commands.
 * Layer: cli.  A command is one cmd_NAME.c and one row in commands.c.
 */
#ifndef JR_CLI_COMMANDS_H
#define JR_CLI_COMMANDS_H

#include "cli/core/arguments.h"

/* One bit per command, so that an option's row lists its commands. */
enum {
	JR_FOR_REPORT = 1,
	JR_FOR_SUMMARY = 2,
	JR_FOR_COMBINE = 4,
	JR_FOR_COMPARE = 8,
	JR_FOR_ADD = 16,  /* history add */
	JR_FOR_SHOW = 32, /* history show */
	JR_FOR_RECORD = 64,
	JR_FOR_QUERY = 128,
	JR_FOR_DIGEST = 256,
	JR_FOR_ALL = JR_FOR_REPORT | JR_FOR_SUMMARY | JR_FOR_COMBINE | JR_FOR_COMPARE | JR_FOR_ADD |
				 JR_FOR_SHOW | JR_FOR_RECORD | JR_FOR_QUERY | JR_FOR_DIGEST,
};

/* Rules that the dispatcher checks before a command runs. */
enum {
	JR_CMD_DEFAULT = 1,    /* runs if no command is named */
	JR_CMD_ONE_INPUT = 2,  /* exactly one input; all others: one or more */
	JR_CMD_OUTPUT = 4,     /* requires -o */
	JR_CMD_TWO_INPUTS = 8, /* exactly two, each of which may be a list */
	JR_CMD_STORE = 16,     /* its first argument is a store of runs, not an input */
	JR_CMD_NO_INPUT = 32,  /* no input after that */
	JR_CMD_SQL = 128,      /* its last argument is SQL, not an input */
	JR_CMD_PROGRAM = 64,   /* a program and its arguments after the options; or --from INPUT */
};

/* JR_EXIT(name, exit status, commands that may end with it, meaning); also rows of --help and of
 * the man page. */
#define JR_EXITS                                                                                   \
	JR_EXIT(OK, 0, JR_FOR_ALL, "success (record: the exit status of the program)")                 \
	JR_EXIT(INPUT, 1, JR_FOR_ALL, "an input or the output failed")                                 \
	JR_EXIT(USAGE, 2, JR_FOR_ALL, "wrong usage")                                                   \
	JR_EXIT(BUG, 3, JR_FOR_ALL, "a bug")                                                           \
	JR_EXIT(GATE, 4, JR_FOR_REPORT | JR_FOR_COMPARE, "a gate failed")                              \
	JR_EXIT(UNCLEAR, 5, JR_FOR_REPORT | JR_FOR_COMPARE, "a gate cannot be decided")                \
	JR_EXIT(NOT_EXECUTED, 126, JR_FOR_RECORD, "the program cannot be executed")                    \
	JR_EXIT(NOT_FOUND, 127, JR_FOR_RECORD, "the program was not found")

enum jr_exit {
#define JR_EXIT(name, status, commands, what) JR_EXIT_##name = (status),
	JR_EXITS
#undef JR_EXIT
};

/** Run a command. The result for stdout goes to `out`, which main prints even on failure; messages
 * go through `msg`. */
typedef enum jr_status jr_command_fn(const struct jr_request *request, struct jr_messages *msg,
	struct jr_buf *out, struct jr_error *err);

struct jr_command {
	const char *name;  /* one word, or two: "history add" */
	const char *usage; /* the text after "jaxreport" in the usage line */
	const char *summary;
	unsigned bit;
	unsigned flags;
	jr_command_fn *run;
};

/* All commands; ends with a NULL name. */
extern const struct jr_command jr_commands[];

/** Find the row whose name a command line begins with, or NULL; the name has `*n_words` words. */
const struct jr_command *jr_command_find(int argc, char *const *argv, int *n_words);
/**
 * Fail for the first word of commands of two words: with the command that its arguments fit, or
 * with all of them.
 * @param words  [n] what follows the first word
 * @return JR_EUSAGE
 */
enum jr_status jr_command_incomplete(
	const char *group, const char *const *words, size_t n, struct jr_error *err);
/** Return whether a word looks like an input: it has the suffix of one, or it is a folder. */
bool jr_command_is_input(const char *word);
/** Return argv[0] if commands of two words begin with it ("history") and no second one follows;
 * else NULL. */
const char *jr_command_group(int argc, char *const *argv);
/** Check the inputs of a command line that names no command. If the first is a word that does not
 * exist on disk and is nearly a command, or comes before an input that exists, it is a typing
 * error: JR_EUSAGE, with the likely command or option. */
enum jr_status jr_command_meant(const char *const *inputs, size_t n_inputs, struct jr_error *err);
/** Return the row with JR_CMD_DEFAULT. */
const struct jr_command *jr_command_default(void);

/** Convert a failure to read: if the request does not fit the kind of the inputs, that is wrong
 * usage. Other failures after the command line was parsed are not. */
enum jr_status jr_command_misused(enum jr_status status, struct jr_error *err);

/* Each in its cmd_NAME.c. */
jr_command_fn jr_cmd_report, jr_cmd_summary, jr_cmd_combine, jr_cmd_compare, jr_cmd_digest,
	jr_cmd_query, jr_cmd_history_add, jr_cmd_history_show, jr_cmd_record;

#endif
