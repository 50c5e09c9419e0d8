/*
 * pack.h - an archive as nsys-jax writes it, made of an Nsight export, XLA's dumps and sources.
 * Layer: record.  Members and columns: formats/README.md, section 1; trace.parquet is of layout A,
 * which all versions of NVIDIA's loader read.
 */
#ifndef JR_RECORD_PACK_H
#define JR_RECORD_PACK_H

#include "base/outfile.h"
#include "base/limits.h"

/* The run that it is of, for record.json. All borrowed. */
struct jr_pack_run {
	const char *const *words; /* [n_words] of nsys, [n_own] of them before the program's */
	size_t n_words, n_own;
	bool no_arguments;        /* the program's words are left out */
	const char *nsys_version; /* NULL: it does not tell */
	int64_t begun_s, ended_s; /* since 1970 */
	int status;               /* of the program */
};

/* What an archive is made of. All borrowed. */
struct jr_pack_job {
	const char *sqlite_path; /* the export */
	const char *report_path; /* the .nsys-rep, which goes along as it is, or NULL */
	const char *dump_dir;    /* what --xla_dump_to named, or NULL */
	const char *protos_dir;  /* a tree of XLA's sources, for protos/; NULL: what we know of them */
	const struct jr_pack_run *run; /* NULL: nobody knows */
	const char *version;           /* of this program, for what says who wrote it */
	bool sources;                  /* take the Python files along that the dumps name */
	const char *const
		*source_prefixes; /* [n_source_prefixes] only files below one of them; none: all */
	size_t n_source_prefixes;
	/* [n_source_roots] where a source that is a link may lead to: folders of the program */
	const char *const *source_roots;
	size_t n_source_roots;
	const struct jr_limits *limits;
	size_t n_threads;
};

/* What came of it, for messages. */
struct jr_pack_told {
	bool has_gpu_work, has_xla; /* in ranges; ranges of XLA */
	size_t n_processes;         /* of the export; an archive is taken as of one */
	size_t n_members, n_dumps, n_damaged_dumps, n_sources, n_sources_left_out, n_dumps_left_out;
};

/**
 * Write the archive into a file that was begun; the caller commits or abandons it. The same inputs
 * give the same bytes, with any number of threads.
 *
 * @return what jr_export_read() returns; JR_EIO the output, or a dump that cannot be read;
 * JR_ELIMIT a dump beyond the limits
 * @note Memory: 24 bytes a range and 8 a call (export_ranges.h), 64 Ki rows of a table, a dump a
 *       thread.
 */
enum jr_status jr_pack(const struct jr_pack_job *job, struct jr_outfile *file,
	struct jr_pack_told *told, struct jr_error *err) JR_MUST_CHECK;

#endif
