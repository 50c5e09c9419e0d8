/*
 * pack.h - an archive as nsys-jax writes it, made from an Nsight export, XLA's dumps and sources.
 * Layer: record.  Members and columns: formats/README.md, section 1; trace.parquet is of layout A,
 * which all versions of NVIDIA's loader read.
 */
#ifndef JR_RECORD_PACK_H
#define JR_RECORD_PACK_H

#include "base/outfile.h"
#include "base/limits.h"

/* The profiled run, for record.json. All borrowed. */
struct jr_pack_run {
	const char *const *words; /* [n_words] of nsys; n_own precede the program's */
	size_t n_words, n_own;
	bool no_arguments;        /* leave out the program's arguments */
	const char *nsys_version; /* NULL: not known */
	int64_t begun_s, ended_s; /* since 1970 */
	int status;               /* exit status of the program */
};

/* The inputs of an archive. All borrowed. */
struct jr_pack_job {
	const char *sqlite_path; /* the export */
	const char *report_path; /* the .nsys-rep, stored unchanged, or NULL */
	const char *dump_dir;    /* directory of --xla_dump_to, or NULL */
	const char *protos_dir;  /* a tree of XLA's sources, for protos/; NULL: built-in schemas */
	const struct jr_pack_run *run; /* NULL: not known */
	const char *version;           /* of this program, recorded as the writer */
	bool sources;                  /* include Python files that dumps name */
	const char *const
		*source_prefixes; /* [n_source_prefixes] only files below one of these; empty: all */
	size_t n_source_prefixes;
	/* [n_source_roots] folders of the program, which a source that is a link may lead to */
	const char *const *source_roots;
	size_t n_source_roots;
	const struct jr_limits *limits;
	size_t n_threads;
};

/* Facts about the written archive, for messages. */
struct jr_pack_told {
	bool has_gpu_work, has_xla; /* any range has GPU work; any is of XLA */
	size_t n_processes;         /* in the export; an archive counts as one */
	size_t n_members, n_dumps, n_damaged_dumps, n_sources, n_sources_left_out, n_dumps_left_out;
};

/**
 * Write the archive into a file that was begun; the caller commits or abandons it. The same inputs
 * give the same bytes, with any number of threads.
 *
 * @return what jr_export_read() returns; JR_EIO the output, or a dump that cannot be read;
 *         JR_ELIMIT a dump above the limits
 * @note Memory: 24 bytes per range and 8 per call (export_ranges.h), 64 Ki rows of a table, one
 *       dump per thread.
 */
enum jr_status jr_pack(const struct jr_pack_job *job, struct jr_outfile *file,
	struct jr_pack_told *told, struct jr_error *err) JR_MUST_CHECK;

#endif
