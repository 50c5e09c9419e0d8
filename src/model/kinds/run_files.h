/*
 * run_files.h - which files of a folder or archive a profile of jax.profiler is read from.
 * Layer: model, private to kinds of inputs.
 */
#ifndef JR_MODEL_RUN_FILES_H
#define JR_MODEL_RUN_FILES_H

#include "model/sources/input_kind.h"
#include "model/sources/source.h"

/**
 * XSpace files in a folder or zip: those of one run, which is the folder that they lie in. Traces
 * for Chrome where there is none, in the run asked for or at all, and where a run that is newer has
 * nothing else.
 *
 * @param run      the run asked for; "all": all of them; NULL: the newest, by name
 * @param members  out, in `arena`: rows of the archive, by name
 * @param n_runs   out: how many runs there are, of either kind
 * @param kind     out: which of the two; untouched where there is neither
 * @return how many; 0: none of the run asked for; SIZE_MAX: there is no such file at all
 */
size_t jr_run_files(const struct jr_archive *archive, const char *run, struct jr_arena *arena,
	size_t **members, size_t *n_runs, const struct jr_input_ops **kind);
/**
 * What jax.profiler writes beside an XSpace file, where that is not there.
 * @param input  its name, for the message
 * @return JR_EUNSUPPORTED there is such a file; JR_ENOTFOUND a folder without any file; JR_OK there
 *         are others
 */
enum jr_status jr_run_files_beside(
	const struct jr_archive *archive, const char *input, struct jr_error *err) JR_MUST_CHECK;
/** Name the runs of jax.profiler in a folder that are not read.
 * @param read  a member of the run that is, of n_runs */
void jr_tell_other_runs(
	struct jr_profile *p, const struct jr_archive *archive, const char *read, size_t n_runs);

#endif
