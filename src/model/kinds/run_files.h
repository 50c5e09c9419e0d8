/*
 * run_files.h - chooses the files of a jax.profiler run in a folder or archive.
 * Layer: model, private to kinds of inputs.
 */
#ifndef JR_MODEL_RUN_FILES_H
#define JR_MODEL_RUN_FILES_H

#include "model/sources/input_kind.h"
#include "model/sources/source.h"

/**
 * Find the XSpace files of one run in a folder or zip. A run is the folder of its files. Chrome
 * traces are used if the requested run (or any run) has no XSpace files, or if a newer run has only
 * Chrome traces.
 *
 * @param run      the requested run; "all": all runs; NULL: the newest, by name
 * @param members  out, in `arena`: rows of the archive, by name
 * @param n_runs   out: number of runs of both kinds
 * @param kind     out: the chosen kind; unchanged if there are no files
 * @return number of members; 0: the requested run has none; SIZE_MAX: there are no such files
 */
size_t jr_run_files(const struct jr_archive *archive, const char *run, struct jr_arena *arena,
	size_t **members, size_t *n_runs, const struct jr_input_ops **kind);
/**
 * Check for other files of jax.profiler if there is no XSpace file.
 * @param input  name of the input, for the message
 * @return JR_EUNSUPPORTED there is such a file; JR_ENOTFOUND a folder without any file; JR_OK there
 *         are other files
 */
enum jr_status jr_run_files_beside(
	const struct jr_archive *archive, const char *input, struct jr_error *err) JR_MUST_CHECK;
/** Report the jax.profiler runs of a folder that are not read.
 * @param read  a member of the run that is read, one of n_runs */
void jr_tell_other_runs(
	struct jr_profile *p, const struct jr_archive *archive, const char *read, size_t n_runs);

#endif
