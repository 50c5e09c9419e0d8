/*
 * record_run.h - a recording, from its command line to its archive. Private to cmd_record.c,
 * record_before.c, record_kept.c, recorded.c and record_pack.c.
 * Layer: cli.
 */
#ifndef JR_CLI_RECORD_RUN_H
#define JR_CLI_RECORD_RUN_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "cli/core/commands.h"
#include "cli/core/messages.h"
#include "cli/core/nsys_report.h"
#include "record/pack.h"
#include "record/ranks.h"
#include "record/xla_flags.h"

/* Default for how long nsys may write after the end was requested, in seconds. */
enum { JR_GRACE_S = 600 };

struct jr_recorded_wish {
	char *const *arguments; /* of nsys; NULL after the last */
	const char *told;       /* the file to which the program writes its process id */
	const char *report;     /* file that nsys writes, to report its size */
	const char *tmpdir;     /* TMPDIR of nsys */
	/* nsys is killed this long after the program has ended; 0: JR_GRACE_S after a signal that asks
	 * for the end, else never */
	int64_t grace_s;
};

struct jr_recorded {
	int nsys_status;    /* from waitpid() */
	int program_status; /* from waitpid(); -1: not our child, nsys returns its status */
	pid_t program;      /* 0: was not started */
	bool runs_on;       /* nsys has ended, the program has not */
	bool cut_short;     /* nsys was ended by grace_s: its status is not the program's */
	int signal;         /* the first that would have ended us; 0: none */
	sigset_t before;    /* the signals that were blocked before */
};

/**
 * Run nsys and the program. stdin, stdout and stderr are the program's. Signals that ask for the
 * end are passed on to its process group, as nsys does; SIGUSR1 and SIGUSR2 to the program alone;
 * SIGTSTP and SIGCONT to nsys, too. Only while there is one thread.
 * @return 0, or the errno of a failed start
 */
int jr_recorded_run(
	const struct jr_recorded_wish *wish, struct jr_messages *msg, struct jr_recorded *out);
/** Unblock signals. Until then they stay pending, so that none ends us before we know what nsys
 * left. */
void jr_recorded_let_signals_in(const struct jr_recorded *ran);

struct recording {
	const struct jr_request *request;
	const struct jr_record_wish *wish;
	struct jr_messages *msg;
	struct jr_arena arena;
	struct jr_rank rank;
	const char *output, *report; /* NAME.zip, and NAME.nsys-rep next to it */
	const char *page;            /* the folder of --report; NULL: no report */
	const char *nsys;            /* its path */
	const char *program;         /* base name of the program */
	const char *work, *dump, *sqlite;
	const char *told;   /* the file to which the program writes its process id */
	const char *tmpdir; /* for nsys, within `work` */
	const char *data;   /* collected and not converted by nsys (.qdstrm); NULL: none */
	bool data_in_work;  /* it could not be moved next to the output */
	struct jr_buf profile_help, export_help;
	jr_words profile, export;
	struct jr_xla_flags flags;
	struct jr_recorded ran;
	const char *version;      /* of nsys; NULL: not known */
	int64_t begun_s, ended_s; /* of the run, since 1970 */
	int status;               /* of the run */
	bool made;                /* the archive exists */
};

/** Return "rank 3: " if there are ranks, else "". */
const char *jr_record_rank_text(struct recording *r);
/** Make the command end with `status`, for a failure of the program or in its place. */
enum jr_status jr_record_child_failed(struct jr_error *err, int status);
/** Return an environment variable of this process, as jr_getenv(). */
const char *jr_record_getenv(void *context, const char *name);

/* After the run (record_kept.c). */
/** Return true if a path is a file that is not empty. */
bool jr_record_is_written(const char *path);
/** Return NAME.ending for the output NAME.zip. */
const char *jr_record_beside(struct recording *r, const char *ending);
/** Return the command that makes the archive from the files of nsys. */
const char *jr_record_finish_command(struct recording *r, const char *report);
/** Return " (the disk of '...' is full: ...)" if less than 16 MiB are free in the folder of the
 * output or of the work; else "". */
const char *jr_record_full_disk(struct recording *r);
/** If nsys wrote no complete report, set `data` to what it collected. The file is moved next to the
 * output if possible. */
void jr_record_keep_data(struct recording *r);

/* Before the run, in the order of these declarations. */
/** Name the output. @return JR_EUSAGE: many processes have the same name, or a variable is not
 * set */
enum jr_status jr_record_name_output(struct recording *r, struct jr_error *err) JR_MUST_CHECK;
/** Make folders and claim the output. If it exists, take another name, but not with --strict.
 * @return JR_EIO: it cannot be written, or exists */
enum jr_status jr_record_check_output(struct recording *r, struct jr_error *err) JR_MUST_CHECK;
/** Find nsys and the program. @return JR_ENOTFOUND no nsys; JR_ECHILD no program (127), or one that
 * may not be run (126) */
enum jr_status jr_record_find_programs(struct recording *r, struct jr_error *err) JR_MUST_CHECK;
/** Make the work folder. @return JR_EIO: it cannot be made, or has too little room for nsys */
enum jr_status jr_record_make_work(struct recording *r, struct jr_error *err) JR_MUST_CHECK;

/**
 * Make request->output of one export, and of the .nsys-rep that it came from (its origin), if there
 * is one. Warns about what the archive lacks. `run` describes the recording; NULL: not known. The
 * process gives up its rights.
 * @return errors of jr_pack() and of the output's begin and commit; with --strict also
 *         JR_ENOTFOUND, if the archive was written and lacks something
 */
enum jr_status jr_record_pack(const struct jr_request *request, const struct jr_exported *exported,
	const struct jr_pack_run *run, struct jr_messages *msg, struct jr_error *err) JR_MUST_CHECK;
/** Make the archive in a separate process, so that this one keeps its rights, and the recording is
 * kept if that one crashes. Only while there is one thread. */
enum jr_status jr_record_pack_apart(const struct jr_request *request,
	const struct jr_exported *exported, const struct jr_pack_run *run, struct jr_messages *msg,
	struct jr_error *err) JR_MUST_CHECK;
/** Write a digest of the archive next to it, in a separate process like jr_record_pack_apart().
 * @return errors of jr_cmd_digest() */
enum jr_status jr_record_digest(const struct jr_request *request, const char *archive,
	struct jr_messages *msg, struct jr_error *err) JR_MUST_CHECK;

#endif
