/*
 * child.h - the programs that we start: their signals, their start, how they ended.
 * Layer: cli.
 *
 * A process inherits which signals are blocked and which are ignored, and keeps both over exec.
 * We change both for ourselves (emergency.h), so each program is started with a state that is said
 * here: helpers with nothing blocked and nothing ignored, nsys with what would end it blocked, and
 * the program that nsys starts with exactly what this process was started with.
 */
#ifndef JR_CLI_CHILD_H
#define JR_CLI_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/buf.h"

/* The first argument of jaxreport where it is to become another program; no command of a user. */
#define JR_CHILD_BECOME "--become"
enum { JR_CHILD_BECOME_WORDS = 6 }; /* in front of the program */

/** Was the signal ignored when the process was started (nohup, a background job)? */
bool jr_child_was_ignored(int signal);
/** Give this process the signal state that it was started with; before exec. */
void jr_child_restore_state(void);

struct jr_child {
	char *const *arguments; /* NULL behind the last; [0] is looked for on PATH */
	const char *log;        /* stdin is empty, stdout and stderr go to this file; NULL: all ours */
	const char *tmpdir;     /* TMPDIR of the child; NULL: ours */
	bool shielded;          /* signals that ask for an end, and SIGUSR1 and 2, stay pending */
};

/**
 * Start it in a process group of its own; jr_guarded_wait() waits for it (emergency.h).
 * @return 0, or the errno of what could not be started
 */
int jr_child_start(const struct jr_child *child, pid_t *pid) JR_MUST_CHECK;

/** Is a signal of that number sent to the process and held back, as a shielded one holds them? */
bool jr_child_has_pending(pid_t pid, int signal);

/**
 * The words in front of a program that make jaxreport become it, with the signal state that we were
 * started with and our TMPDIR, after its process id was written to the file `told`.
 * @param words  [JR_CHILD_BECOME_WORDS] out, of the arena
 * @return 0, or an errno: the path of jaxreport is not known
 */
int jr_child_become_words(const char *told, struct jr_arena *arena, const char **words)
	JR_MUST_CHECK;
/** What main() does with those words. Returns 126 where the program cannot be executed. */
int jr_child_become(int argc, char **argv);
/** The errno for which that returned, by the file `told`; 0: it did not. */
int jr_child_failed_to_become(const char *told);

/** Where a program lies, by PATH where its name has no slash; NULL: nowhere. May be `name`. */
const char *jr_program_path(const char *name, struct jr_arena *arena);

/** The exit status that stands for what waitpid() said: 128 + n where signal n ended it. */
int jr_exit_of(int status);

/**
 * Run a program, stdin empty, until it ends, and keep what it writes to stdout and stderr: at most
 * `most` bytes, NUL behind them. After `limit_s` it is ended.
 * @return 0 (*status is of waitpid()), or the errno of what could not be started
 */
int jr_captured_run(char *const *arguments, size_t most, int64_t limit_s, const char *log,
	struct jr_buf *text, int *status) JR_MUST_CHECK;

#endif
