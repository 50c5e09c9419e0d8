/*
 * child.h - the programs that we start: their signals, their start, their exit status.
 * Layer: cli.
 *
 * A process inherits which signals are blocked and which are ignored, and keeps both over exec. We
 * change both for ourselves (emergency.h), so each program gets a defined state. Helpers start with
 * nothing blocked and nothing ignored. nsys starts with the signals that would end it blocked. The
 * program that nsys starts gets exactly the state that this process was started with.
 */
#ifndef JR_CLI_CHILD_H
#define JR_CLI_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/buf.h"

/* The first argument of jaxreport that makes it become another program; not a command for users. */
#define JR_CHILD_BECOME "--become"
enum { JR_CHILD_BECOME_WORDS = 6 }; /* before the program */

/** Return true if the signal was ignored when the process was started (nohup, a background job). */
bool jr_child_was_ignored(int signal);
/** Give this process the signal state that it was started with; call it before exec. */
void jr_child_restore_state(void);

struct jr_child {
	char *const *arguments; /* NULL after the last; [0] is searched on PATH */
	const char *log;        /* stdin is empty, stdout and stderr go to this file; NULL: ours */
	const char *tmpdir;     /* TMPDIR of the child; NULL: ours */
	bool shielded;          /* signals that ask for an end, and SIGUSR1 and 2, stay pending */
};

/**
 * Start a program in its own process group; jr_guarded_wait() waits for it (emergency.h).
 * @return 0, or the errno of a failed start
 */
int jr_child_start(const struct jr_child *child, pid_t *pid) JR_MUST_CHECK;

/** Return true if a signal was sent to the process and is pending, as in a shielded child. */
bool jr_child_has_pending(pid_t pid, int signal);

/**
 * Return the words before a program that make jaxreport become it, with the signal state that we
 * were started with and our TMPDIR. Before that, it writes its process id to the file `told`.
 * @param words  [JR_CHILD_BECOME_WORDS] out, in the arena
 * @return 0, or an errno: the path of jaxreport is not known
 */
int jr_child_become_words(const char *told, struct jr_arena *arena, const char **words)
	JR_MUST_CHECK;
/** Become the program in those words; for main(). Returns 126 if the program cannot be executed. */
int jr_child_become(int argc, char **argv);
/** Return the errno of a failed jr_child_become(), from the file `told`; 0: it did not fail. */
int jr_child_failed_to_become(const char *told);

/** Return the path of a program, found on PATH if its name has no slash; NULL: not found. May be
 * `name`. */
const char *jr_program_path(const char *name, struct jr_arena *arena);

/** Return the exit status for a status of waitpid(): 128 + n if signal n ended the process. */
int jr_exit_of(int status);

/**
 * Run a program with empty stdin until it ends, and read what it writes to stdout and stderr: at
 * most `most` bytes, then a NUL. It is killed after `limit_s`.
 * @return 0 (*status is from waitpid()), or the errno of a failed start
 */
int jr_captured_run(char *const *arguments, size_t most, int64_t limit_s, const char *log,
	struct jr_buf *text, int *status) JR_MUST_CHECK;

#endif
