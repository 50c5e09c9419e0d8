/*
 * recorded.h - a program that runs under nsys, from its start until both have ended.
 * Layer: cli.
 *
 * nsys ends at the first signal that asks for it: with the program still running, its collector
 * half read or its report half converted (2022.4.2, 2023.4.4). It is therefore started with those
 * signals blocked, and the program with the state it would have without us (child.h). We alone
 * pass signals on, to the program; nsys ends as it does when a program ends by itself. A signal
 * that stays pending in nsys was sent to all processes of the job, the program among them, and is
 * not passed on again. nsys puts the program into a session of its own.
 */
#ifndef JR_CLI_RECORDED_H
#define JR_CLI_RECORDED_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "cli/core/messages.h"

/* How long nsys may write once the end was asked for, in seconds, where nothing else is given. */
enum { JR_GRACE_S = 600 };

struct jr_recorded_wish {
	char *const *arguments; /* of nsys; NULL behind the last */
	const char *told;       /* the file to which the program writes its process id */
	const char *report;     /* that nsys writes, for how much it is */
	const char *tmpdir;     /* TMPDIR of nsys */
	int64_t grace_s;        /* nsys is killed so long after the program; 0: JR_GRACE_S after a
							   signal that asks for the end, else never */
};

struct jr_recorded {
	int nsys_status;    /* of waitpid() */
	int program_status; /* of waitpid(); -1: not ours to wait for, nsys hands it on */
	pid_t program;      /* 0: was never started */
	bool runs_on;       /* nsys is gone, and the program is not */
	bool cut_short;     /* nsys, by grace_s: its status is not the program's */
	int signal;         /* the first that would have ended us; 0: none came */
	sigset_t before;    /* what was blocked before */
};

/**
 * Run it. stdin, stdout and stderr are the program's. Signals that ask for the end go on to its
 * process group, as nsys sends them; SIGUSR1 and SIGUSR2 to it alone; SIGTSTP and SIGCONT to nsys,
 * too. While there is one thread.
 * @return 0, or the errno of what could not be started
 */
int jr_recorded_run(
	const struct jr_recorded_wish *wish, struct jr_messages *msg, struct jr_recorded *out);
/** Until then signals stay pending, so that none ends us before it is known what nsys has left. */
void jr_recorded_let_signals_in(const struct jr_recorded *ran);

#endif
