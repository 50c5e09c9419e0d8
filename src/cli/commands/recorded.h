/*
 * recorded.h - run a program under nsys, from its start until both have ended.
 * Layer: cli.
 *
 * nsys ends at the first signal that asks for it: with the program still running, its collector
 * half read or its report half converted (2022.4.2, 2023.4.4). We therefore start nsys with those
 * signals blocked, and the program with the state that it would have without us (child.h). Only we
 * pass signals on to the program; nsys ends as it does when a program ends by itself. A signal that
 * stays pending in nsys was sent to all processes of the job, including the program, and is not
 * passed on again. nsys puts the program into its own session.
 */
#ifndef JR_CLI_RECORDED_H
#define JR_CLI_RECORDED_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "cli/core/messages.h"

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

#endif
