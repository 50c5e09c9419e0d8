/*
 * kind_parts.h - what kinds of inputs share: files of a jax.profiler run, contents of an archive,
 * exports, sources of a digest.
 * Layer: model, private to kinds of inputs; combine.c asks for tables.
 */
#ifndef JR_MODEL_KINDS_KIND_PARTS_H
#define JR_MODEL_KINDS_KIND_PARTS_H

#include "model/kinds/timelines.h"
#include "model/sources/input_kind.h"
#include "model/sources/opening.h"
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

/** Return whether an archive contains dumps of optimized modules, and no file of a profile.
 * O(members)
 */
bool jr_dumps_within(const struct jr_archive *archive);
extern const struct jr_input_ops jr_input_hlo_dump;

/** Return whether an archive contains tables of an export of nsys, and no file of nsys-jax.
 * O(members) */
bool jr_tables_within(const struct jr_archive *archive);
/** Read the compile ranges of these tables, as `read_host` of a kind. */
enum jr_status jr_tables_read_host(struct jr_archive *archive, const char *path,
	const struct jr_host_listener *to, struct jr_error *err) JR_MUST_CHECK;
extern const struct jr_input_ops jr_input_nsys_parquet;

/** Add the sources of opening->export, which the kind has read. Report its tables that cannot be
 * read; the reason names the input if there are several.
 * @param kept  the rows as read if opening->keeps_rows, moved from it; else empty */
void jr_nsys_exports_add(struct jr_opening *opening, struct jr_buf *kept);
/* Digests of all forms. */
extern const struct jr_digested_ops jr_digested_export;

/* Digests of archives: their tables are those of the source. */
extern const struct jr_digested_ops jr_digested_archive;

/** Begin a source of a type for a rank of a digest. */
void jr_digested_begin(struct jr_source *s, const struct jr_source_type *type, uint32_t input,
	const char *name, const struct jr_limits *limits, const struct jr_digest *digest, size_t rank);
/**
 * Read s->rank, of a kind that keeps its rows in its own form. Sets all of the source but what
 * comes from the rows.
 *
 * @return why there are no rows: JR_EFORMAT, JR_ELIMIT, or the reason in the digest
 */
enum jr_status jr_digested_read(struct jr_source *s, struct jr_error *err) JR_MUST_CHECK;

/* Methods for struct jr_source_type, of what the digest has of a rank. */
bool jr_digested_find(struct jr_source *s, struct jr_dump *dump);
uint64_t jr_digested_identity(const struct jr_source *s, const struct jr_input *input);

#endif
