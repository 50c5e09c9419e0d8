/*
 * emergency.h - how the program ends when it cannot go on: signals, crashes, no memory.
 * Layer: cli.  In each case the half-built output is removed first, and what is only for this run.
 *
 *   any signal whose default ends a process, also SIGSEGV and its like where another process sent
 *   it                        dies by that signal; SIGXFSZ is an error of write()
 *   out of memory, or beyond the bound on it   one line, exit 1
 *   an input shrank while it was read (SIGBUS on its mapping)   one line, exit 1
 *   SIGSEGV, abort, ... of our own   "internal error", exit 3
 *
 * The first thread that comes to its end is the one that removes; others stand still until it has.
 */
#ifndef JR_CLI_EMERGENCY_H
#define JR_CLI_EMERGENCY_H

#include "base/file.h"
#include "base/memory_room.h"
#include "base/outfile.h"

#include <spawn.h>

/* Sets of signals: bit n - 1 is signal n, as /proc/PID/status prints them. */
struct jr_signal_state {
	uint64_t ignored, blocked;
};
/** Install the handlers and the out-of-memory hook. Once, at the start of main(). A SIGCHLD that is
 * ignored gets its default: children of a process that ignores it leave no status. */
void jr_emergency_install(void);
/** What was ignored and blocked before that, as whoever started us wants it. */
struct jr_signal_state jr_emergency_inherited(void);
/**
 * Bound the memory of the process, libraries included; where that is passed it ends as where there
 * is none, with a line that says whose bound it was. Mapped files do not count. Not under
 * sanitizers, which reserve more than there is.
 *
 * @param room  of JR_MEMORY_OPTION: room->bytes more than it has, stacks of n_threads threads
 *              aside; else room->bytes in all
 */
void jr_emergency_bound_memory(const struct jr_memory_room *room, size_t n_threads);
/** What libraries write to stderr goes nowhere until they are heard again; what the handlers and
 * the hook have to say does not. While there is one thread. */
void jr_emergency_mute_others(void);
void jr_emergency_hear_others(void);

/**
 * jr_outdir_begin(), jr_outdir_commit() and jr_outdir_abandon() during which no signal is let in,
 * so that at any moment the handlers know the folder to remove. One folder at a time.
 */
enum jr_status jr_guarded_begin(
	struct jr_outdir *dir, const char *target, bool force, struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_guarded_commit(struct jr_outdir *dir, struct jr_error *err) JR_MUST_CHECK;
void jr_guarded_abandon(struct jr_outdir *dir);

/** The same for a single file; a folder and a file are not built at the same time. */
enum jr_status jr_guarded_file_begin(struct jr_outfile *file, const char *target,
	const struct jr_outfile_kind *kind, bool force, struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_guarded_file_commit(struct jr_outfile *file, struct jr_error *err) JR_MUST_CHECK;
void jr_guarded_file_abandon(struct jr_outfile *file);

/** A file that says whose an output is, while we run: made here, which fails where it is there,
 * removed by the handlers or by jr_guarded_unclaim(). One at a time; `path` is copied.
 * @return 0, or an errno */
int jr_guarded_claim(const char *path) JR_MUST_CHECK;
void jr_guarded_unclaim(void);
/** What is said on stderr where a signal asks for the end from here on; borrowed. NULL: nothing. */
void jr_emergency_parting(const char *line);

/** A new folder below `below`, NULL: $TMPDIR, else /tmp, for this run; only we may read it. One at
 * a time; hidden where `below` is given. */
enum jr_status jr_guarded_folder(const char *below, const char **path, struct jr_error *err)
	JR_MUST_CHECK;
/** Remove it and what is in it, if there is one. */
void jr_guarded_folder_remove(void);

/**
 * posix_spawnp() of arguments[0]; should the program end while the child runs, the child and its
 * process group (which has to be its own) are killed first. One child at a time.
 * @return 0, or an errno
 */
int jr_guarded_spawn(pid_t *pid, char *const *arguments, const posix_spawn_file_actions_t *files,
	const posix_spawnattr_t *attributes) JR_MUST_CHECK;
/** waitpid() of that child without blocking, in one step with forgetting it where it has ended.
 * @return 0 while it runs, its pid, or -1 and errno */
pid_t jr_guarded_wait(pid_t pid, int *status);

#endif
