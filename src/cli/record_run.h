/*
 * record_run.h - a program that is recorded, from its command line to its archive. Private to
 * cmd_record.c and record_before.c.
 * Layer: cli.
 */
#ifndef JR_CLI_RECORD_RUN_H
#define JR_CLI_RECORD_RUN_H

#include "cli/commands.h"
#include "cli/recorded.h"
#include "record/ranks.h"
#include "record/xla_flags.h"

struct recording {
	const struct jr_request *request;
	const struct jr_record_wish *wish;
	struct jr_messages *msg;
	struct jr_arena arena;
	struct jr_rank rank;
	const char *output, *report; /* NAME.zip, and NAME.nsys-rep beside it */
	const char *nsys;            /* its path */
	const char *program;         /* base name of what runs */
	const char *work, *dump, *sqlite;
	struct jr_buf profile_help, export_help;
	jr_words profile, export;
	struct jr_xla_flags flags;
	struct jr_recorded ran;
	const char *version;      /* of nsys; NULL: it does not tell */
	int64_t begun_s, ended_s; /* of the run, since 1970 */
	int status;               /* of it */
	bool made;                /* the archive is there */
};

/** "rank 3: ", where there are ranks, or "". */
const char *jr_record_rank_text(struct recording *r);
/** A failure of the program, or in its place: the command ends with `status`. */
enum jr_status jr_record_child_failed(struct jr_error *err, int status);
/** jr_getenv() of this process. */
const char *jr_record_getenv(void *context, const char *name);

/* Before the run, in this order. */
/** @return JR_EUSAGE: a name that many processes have, or a variable that is not set */
enum jr_status jr_record_name_output(struct recording *r, struct jr_error *err) JR_MUST_CHECK;
/** Folders are made and the output is claimed. JR_EIO: it is there, or cannot be. */
enum jr_status jr_record_check_output(struct recording *r, struct jr_error *err) JR_MUST_CHECK;
/** JR_ENOTFOUND no nsys, JR_ECHILD (127) no program */
enum jr_status jr_record_find_programs(struct recording *r, struct jr_error *err) JR_MUST_CHECK;
/** JR_EIO: none can be made, or there is too little room for nsys */
enum jr_status jr_record_make_work(struct recording *r, struct jr_error *err) JR_MUST_CHECK;

#endif
