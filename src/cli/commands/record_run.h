/*
 * record_run.h - a program that is recorded, from its command line to its archive. Private to
 * cmd_record.c, record_before.c, and record_kept.c.
 * Layer: cli.
 */
#ifndef JR_CLI_RECORD_RUN_H
#define JR_CLI_RECORD_RUN_H

#include "cli/core/commands.h"
#include "cli/commands/recorded.h"
#include "record/ranks.h"
#include "record/xla_flags.h"

struct recording {
	const struct jr_request *request;
	const struct jr_record_wish *wish;
	struct jr_messages *msg;
	struct jr_arena arena;
	struct jr_rank rank;
	const char *output, *report; /* NAME.zip, and NAME.nsys-rep beside it */
	const char *page;            /* the folder of --report; NULL: none is wanted */
	const char *nsys;            /* its path */
	const char *program;         /* base name of what runs */
	const char *work, *dump, *sqlite;
	const char *told;   /* the file to which the program writes its process id */
	const char *tmpdir; /* of nsys, within `work` */
	const char *data;   /* what nsys collected and did not convert (.qdstrm); NULL: none */
	bool data_in_work;  /* it could not be moved beside the output */
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

/* After the run (record_kept.c). */
/** Is it a file with something in it? */
bool jr_record_is_written(const char *path);
/** NAME.ending, for the output NAME.zip */
const char *jr_record_beside(struct recording *r, const char *ending);
/** The command that makes the archive of what nsys has left. */
const char *jr_record_finish_command(struct recording *r, const char *report);
/** " (the disk of '...' is full: ...)" where less than 16 MiB are free in the folder of the output,
 * or of the work; else "". */
const char *jr_record_full_disk(struct recording *r);
/** Where nsys wrote no whole report: set `data` to what it collected, beside the output where that
 * can be moved there. */
void jr_record_keep_data(struct recording *r);

/* Before the run, in this order. */
/** @return JR_EUSAGE: a name that many processes have, or a variable that is not set */
enum jr_status jr_record_name_output(struct recording *r, struct jr_error *err) JR_MUST_CHECK;
/** Make folders and claim the output, under another name where it is there: not with --strict.
 * JR_EIO: it cannot be, or is there. */
enum jr_status jr_record_check_output(struct recording *r, struct jr_error *err) JR_MUST_CHECK;
/** JR_ENOTFOUND no nsys; JR_ECHILD no program (127), or one that may not be run (126) */
enum jr_status jr_record_find_programs(struct recording *r, struct jr_error *err) JR_MUST_CHECK;
/** JR_EIO: none can be made, or there is too little room for nsys */
enum jr_status jr_record_make_work(struct recording *r, struct jr_error *err) JR_MUST_CHECK;

#endif
