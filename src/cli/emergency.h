/*
 * emergency.h - how the program ends when it cannot go on: signals, crashes, no memory.
 * Layer: cli.  In each case the half-built output is removed first.
 *
 *   SIGINT, SIGTERM, SIGHUP   dies by that signal
 *   out of memory             one line, exit 1
 *   an input shrank while it was read (SIGBUS on its mapping)   one line, exit 1
 *   SIGSEGV, abort, ...       "internal error", exit 3
 */
#ifndef JR_CLI_EMERGENCY_H
#define JR_CLI_EMERGENCY_H

#include "base/file.h"
#include "base/outfile.h"

/** Install the handlers and the out-of-memory hook. Once, at the start of main(). */
void jr_emergency_install(void);

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

#endif
