/*
 * recorded.h - a program that runs under nsys, from its start until both have ended.
 * Layer: cli.
 *
 * nsys puts the program into a session of its own and ends before it where a signal came that the
 * program catches (a checkpoint being written), with status 0: so we are the subreaper of what it
 * leaves, and the program's own status counts. Seen with nsys 2022.4.2 and 2023.4.4.
 */
#ifndef JR_CLI_RECORDED_H
#define JR_CLI_RECORDED_H

#include <stdbool.h>
#include <sys/types.h>

#include "cli/messages.h"

struct jr_recorded_wish {
	char *const *arguments; /* of nsys; NULL behind the last */
	const char *program;    /* base name, by which it is told from what nsys starts beside it */
	const char *report;     /* that nsys writes, for how much it is */
	int64_t grace_s;        /* nsys is ended so long after the program; 0: never */
};

struct jr_recorded {
	int nsys_status;    /* of waitpid() */
	int program_status; /* of waitpid(); -1: not ours to wait for, nsys hands it on */
	pid_t program;      /* 0: was never seen */
	bool runs_on;       /* nsys is gone, and the program is not */
	bool cut_short;     /* nsys, by grace_s: its status is not the program's */
	int signal;         /* the first that would have ended us; 0: none came */
};

/**
 * Run it. stdin, stdout and stderr are the program's. SIGINT, SIGQUIT and SIGTERM go on to nsys,
 * SIGHUP as SIGTERM (it would die of a hangup, and leave the program), SIGUSR1 and SIGUSR2 to the
 * program, of which nsys would die; SIGTSTP and SIGCONT to both. While there is one thread.
 * @return 0, or the errno of what could not be started
 */
int jr_recorded_run(
	const struct jr_recorded_wish *wish, struct jr_messages *msg, struct jr_recorded *out);

/** The exit status that stands for what waitpid() said: 128 + n where signal n ended it. */
int jr_exit_of(int status);

/**
 * Run a program, stdin empty, until it ends, and keep what it writes to stdout and stderr: at most
 * `most` bytes, NUL behind them. After `limit_s` it is ended.
 * @return 0 (*status is of waitpid()), or the errno of what could not be started
 */
int jr_captured_run(char *const *arguments, size_t most, int64_t limit_s, const char *log,
	struct jr_buf *text, int *status);

#endif
