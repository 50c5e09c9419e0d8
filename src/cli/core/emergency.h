/*
 * emergency.h - how the program ends when it cannot go on: signals, crashes, no memory.
 * Layer: cli.  In each case it first removes the unfinished output and the files of this run.
 *
 *   any signal that ends a process by default,     dies by that signal; SIGXFSZ is an
 *   also SIGSEGV and similar from another process  error of write()
 *   out of memory, or beyond the bound on it       one line, exit 1
 *   a file shrank while it was read                goes on if its reader checks that
 *   (SIGBUS on its mapping)                        (base/file.h), else one line, exit 1
 *   our own SIGSEGV, abort, ...                    "internal error", exit 3
 *
 * The first thread that ends the program removes the files; the others wait until it is done.
 */
#ifndef JR_CLI_EMERGENCY_H
#define JR_CLI_EMERGENCY_H

#include "base/file.h"
#include "base/memory_room.h"
#include "base/outfile.h"

#include <spawn.h>

/* Sets of signals: bit n - 1 is signal n, as in /proc/PID/status. */
struct jr_signal_state {
	uint64_t ignored, blocked;
};
/** Install the handlers and the out-of-memory hook. Once, at the start of main(). An ignored
 * SIGCHLD is reset to its default: children of a process that ignores it leave no status. */
void jr_emergency_install(void);
/** Return what was ignored and blocked before jr_emergency_install(), as the parent process set
 * it. */
struct jr_signal_state jr_emergency_inherited(void);
/**
 * Limit the memory of the process, including libraries. Exceeding the limit ends it as running out
 * of memory does, with a line that names whose limit it was. Mapped files do not count. No effect
 * under sanitizers, which reserve more memory than there is.
 *
 * @param room  from JR_MEMORY_OPTION: room->bytes more than the process has now, not counting the
 *              stacks of n_threads threads; else room->bytes in total
 */
void jr_emergency_bound_memory(const struct jr_memory_room *room, size_t n_threads);
/** Discard what libraries write to stderr, until jr_emergency_hear_others(). Messages of the
 * handlers and the hook are still printed. Only while there is one thread. */
void jr_emergency_mute_others(void);
void jr_emergency_hear_others(void);

/**
 * Call jr_outdir_begin(), jr_outdir_commit() and jr_outdir_abandon() with all signals blocked, so
 * that the handlers always know the folder to remove. One folder at a time.
 */
enum jr_status jr_guarded_begin(
	struct jr_outdir *dir, const char *target, bool force, struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_guarded_commit(struct jr_outdir *dir, struct jr_error *err) JR_MUST_CHECK;
void jr_guarded_abandon(struct jr_outdir *dir);

/** Do the same for a single file. A folder and a file cannot be built at the same time. */
enum jr_status jr_guarded_file_begin(struct jr_outfile *file, const char *target,
	const struct jr_outfile_kind *kind, bool force, struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_guarded_file_commit(struct jr_outfile *file, struct jr_error *err) JR_MUST_CHECK;
void jr_guarded_file_abandon(struct jr_outfile *file);

/** Make a file that marks an output as ours while we run; fails if it exists. The handlers or
 * jr_guarded_unclaim() remove it. One at a time; `path` is copied.
 * @return 0, or an errno */
int jr_guarded_claim(const char *path) JR_MUST_CHECK;
void jr_guarded_unclaim(void);
/** Set the line that is printed on stderr if a signal ends the program; borrowed. NULL: none. */
void jr_emergency_parting(const char *line);

/** Make a folder for this run below `below`, or if that is NULL below $TMPDIR, else /tmp. Only we
 * may read it. One at a time; hidden if `below` is given. */
enum jr_status jr_guarded_folder(const char *below, const char **path, struct jr_error *err)
	JR_MUST_CHECK;
/** Remove the folder and its content, if there is one. */
void jr_guarded_folder_remove(void);

/**
 * Call posix_spawnp() of arguments[0]. If the program ends while the child runs, it first kills the
 * child and its process group (which has to be its own). One child at a time.
 * @return 0, or an errno
 */
int jr_guarded_spawn(pid_t *pid, char *const *arguments, const posix_spawn_file_actions_t *files,
	const posix_spawnattr_t *attributes) JR_MUST_CHECK;
/** Call waitpid() for that child without blocking. If it has ended, it is forgotten in the same
 * step.
 * @return 0 while it runs, its pid, or -1 and errno */
pid_t jr_guarded_wait(pid_t pid, int *status);

#endif
