/*
 * arguments.h - the one table of options: it drives parsing, --help and the error lines.
 * Layer: cli.  A new option is one row in arguments.c and one field here.
 */
#ifndef JR_CLI_ARGUMENTS_H
#define JR_CLI_ARGUMENTS_H

#include <stdbool.h>

#include "base/vec.h"
#include "cli/core/messages.h"
#include "compare/judge/gates.h"
#include "compare/history/history.h"
#include "model/inputs/combine.h"
#include "model/profile/options.h"
#include "record/nsys_words.h"
#include "report/data/sqlite_query.h"

struct jr_command;

enum jr_action {
	JR_ACTION_RUN,
	JR_ACTION_HELP,
	JR_ACTION_USAGE, /* -h: help on one screen */
	JR_ACTION_VERSION,
	JR_ACTION_LIMITS,
	JR_ACTION_METRICS,
	JR_ACTION_WHAT_IFS,
};

/* What `jaxreport record` runs, and how. */
struct jr_record_wish {
	char *const *program; /* [n_program] from argv */
	size_t n_program;
	const char *nsys;   /* NULL: find it on PATH */
	jr_words options;   /* of nsys, "--trace=cuda" */
	const char *rule;   /* --if */
	const char *dump;   /* --xla-dump; NULL: next to the output, and removed */
	const char *protos; /* --protos; NULL: where XLA's containers have them, else ours */
	const char *report; /* folder for a report on the archive; NULL: none */
	bool digest;        /* also write a digest of the archive */
	int64_t grace_s;    /* --grace; 0: none */
	bool leave_flags, no_rep, no_arguments, keep_rep, keep_work, dry_run;
};

/* The request of one command line. Paths are borrowed from argv or `texts`. */
struct jr_request {
	const struct jr_command *command;
	const struct jr_command *implied; /* the command of a call that names none: "report" */
	bool command_named;               /* false: "report" was implied */
	const char *command_group;        /* "history", if no second word follows; else NULL */
	enum jr_action action;
	bool by_letter; /* the option being read is a letter: -h */

	struct jr_arena texts;
	JR_VEC(const char *) inputs; /* lists (@FILE) replaced by their content */
	size_t n_first;              /* number of inputs that come from the first argument */
	const char *only_list;       /* the list of all inputs, if they come from one */
	const char *output;          /* after parsing never NULL if a report is made */
	char *output_made;           /* owner of `output` if it was named after the first input */
	bool force;
	JR_VEC(const struct jr_report_format *) formats; /* table order, each once */
	struct jr_options analysis;
	bool passes;    /* summary --passes */
	bool strict;    /* report, compare, history add, query, digest --strict */
	bool to_stdout; /* -o -: as text, without a folder; `output` is NULL */
	bool github;    /* report --github */
	bool open;      /* --open: show the page */
	int opener;     /* the helper that does so (opener.h); -1: none */
	bool no_sandbox;
	bool memory_given; /* --max-memory: no smaller limit of the machine counts */
	struct jr_gates gates;
	JR_VEC(const char *) what_ifs; /* --what-if, each well-formed */
	double tolerance;              /* compare: relative change of the step that matters */
	enum jr_keep_reports keep_reports;
	struct jr_record_wish record;
	const char *from;                         /* record --from */
	JR_VEC(const char *) source_prefixes;     /* record --source-prefix */
	struct jr_query query;                    /* query; SQL NULL: list the tables */
	bool list_tables;                         /* query --list-tables */
	const char *store;                        /* history */
	struct jr_history_about about;            /* history add; show: the label to show */
	JR_VEC(const struct jr_metric *) metrics; /* history show; in the order given, each once */
	size_t last;                              /* history show: maximum number of runs */

	enum jr_verbosity verbosity;
	enum jr_progress_mode progress;
};

/* The kind of an option's value, for kinds whose checks are the same for all options. */
enum jr_option_kind {
	JR_PLAIN,
	JR_BOUNDS, /* --max-...: one of struct jr_limits */
	JR_READS_FILE,
	JR_READS_FOLDER,
	JR_MAKES, /* a file or a folder whose parent folder has to exist */
};

struct jr_option;

/** Store `value` (NULL if there is no argument). JR_EUSAGE with a message that needs only the
 * option's name as context: the value does not have the form that the message states. */
typedef enum jr_status jr_option_fn(struct jr_request *request, const struct jr_option *option,
	const char *value, struct jr_error *err);

/* One option. */
struct jr_option {
	const char *name;     /* "--output" */
	char letter;          /* 'o'; 0 = none */
	const char *argument; /* "DIR"; NULL: takes none */
	const char *help;     /* one sentence without a full stop */
	unsigned commands;    /* JR_FOR_... bits */
	jr_option_fn *parse;
	size_t at; /* offset of what it sets, in struct jr_request; JR_BOUNDS: in struct jr_limits */
	enum jr_option_kind kind;
};

/* All options, in the order of the help; ends with a NULL name. */
extern const struct jr_option jr_option_table[];

/**
 * Read a command line. Options may be before, between and after the inputs; "--" ends them. Letters
 * may be joined ("-fq"), arguments attached ("-j4", "--warmup=none"). The last of an option wins.
 *
 * @param request  out, also filled (as far as it was read) on failure; always call
 *                 jr_request_done()
 * @return JR_EUSAGE with one line that names the argument, and the nearest option if it is close
 */
enum jr_status jr_request_parse(
	struct jr_request *request, int argc, char *const *argv, struct jr_error *err) JR_MUST_CHECK;
void jr_request_done(struct jr_request *request);

/** Append the help of a command (help.c); `command` NULL: the program's. At most 80 columns. */
void jr_help_write(struct jr_buf *out, const struct jr_command *command);
/** Append help that fits one screen: usage, examples, and the commands or the names of options. */
void jr_help_write_usage(struct jr_buf *out, const struct jr_command *command);
/** Append the help of all commands of two words that begin with `group`. */
void jr_help_write_group(struct jr_buf *out, const char *group);
/** Append the table of limits: option, current value, what it limits. */
void jr_limits_write(struct jr_buf *out, const struct jr_limits *limits);

#endif
