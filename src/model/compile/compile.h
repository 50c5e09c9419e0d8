/*
 * compile.h - the compile table from host push/pop ranges.
 * Layer: model.  Definitions: analysis/README.md, section 1.10, (a) to (f).
 */
#ifndef JR_MODEL_COMPILE_H
#define JR_MODEL_COMPILE_H

#include "formats/text/csv.h"
#include "model/profile/profile.h"

/* Host ranges of one process as read, for all file formats. Rows in file order. Readers of files
 * leave out the trees of ranges that begin with an execution and compile nothing. */
struct jr_host_ranges {
	size_t n;
	int64_t *start_ns, *end_ns, *child_ns, *self_ns;
	uint32_t *name; /* str of `strings`, with domain prefix as in the file */
	int64_t *pid, *tid;
	int64_t *range_id, *parent_id; /* parent_id -1: top level */
	uint64_t size_bytes;           /* of the CSV text or Parquet file */
	uint64_t n_odd;                /* rows not in the form of RFC 4180 (nsys_csv.h) */
	uint64_t cut_line;     /* line where the truncated last row of a CSV begins; 0: complete */
	uint64_t n_bereft;     /* ranges that state more children than exist */
	uint64_t n_executions; /* executions of XLA modules among the ranges that are left out */
	struct jr_arena arena;
	struct jr_intern strings; /* own strings, so it can be read on any thread */
};

/**
 * Read nvtx_pushpop_trace CSV text (formats/README.md, section 1.2), including the variant that
 * nsys prints (nsys_csv.h). Only the used columns are parsed. PID, NumChild and the two columns of
 * child and self times may be absent.
 *
 * @param ranges  out; on failure there is nothing to release
 * @return JR_EFORMAT no header, a missing column, a field that is not an integer, duplicate or
 *         dangling ids, a cycle, a negative time, or inconsistent times (with the line); JR_ELIMIT
 *         rows, string length, nesting, memory
 * @note O(bytes), O(n log n) if rows are not in order of start.
 */
enum jr_status jr_host_ranges_read_csv(struct jr_bytes csv, const struct jr_limits *limits,
	struct jr_host_ranges *ranges, struct jr_error *err) JR_MUST_CHECK;
/** Read Parquet, CSV or .csv.xz; the first bytes determine the format. Also returns errors of
 * jr_xz_decode(); packed text is read as it is decoded. */
enum jr_status jr_host_ranges_read(struct jr_bytes file, const struct jr_limits *limits,
	struct jr_host_ranges *ranges, struct jr_error *err) JR_MUST_CHECK;
/** Check what the readers above guarantee, for ranges from elsewhere. @return as they do */
enum jr_status jr_host_ranges_check(const struct jr_host_ranges *ranges,
	const struct jr_limits *limits, struct jr_error *err) JR_MUST_CHECK;
void jr_host_ranges_done(struct jr_host_ranges *ranges);
/** Explain why later rows are missing and what to do, as a clause after "the push/pop trace". NULL:
 * no sign of missing rows. The text is in the arena. */
const char *jr_host_ranges_cut(const struct jr_host_ranges *ranges, struct jr_arena *arena);

/**
 * Append the compile rows of one process to profile->compiles. Steps: fold foreign domains, graft,
 * cut to XlaCompile subtrees, inherit programs, clean names, handle autotuning detail
 * (options.autotuning_detail). Also appends to compile_foreign, compile_modules and compile_phases.
 *
 * Rules beyond the definition:
 * - A range belongs to XLA if its name begins with "TSL:", or with "Xla" or "Thunk:" without a
 *   domain.
 * - Grafting happens within one PID. A top-level range that contains an XlaCompile is not a worker,
 *   nor is one that executes (XlaModule, Thunk). A worker inside the XlaCompile ranges of several
 *   threads belongs to the one begun last (a guess, counted).
 * - The program number of a worker's XlaCompileBackend is not passed to the range that the worker
 *   is grafted under. An XlaCompile without a backend below it keeps the number in its name.
 *
 * @param process  row of profile->processes, not below the rows of earlier calls
 * @return JR_EFORMAT, JR_ELIMIT as for jr_host_ranges_read_csv(), for ranges from other readers;
 *         then the profile is unchanged except for strings
 * @note self_ns + child_ns = dur_ns in each row; child_ns does not count grafted children.
 *       O(n log n).
 */
enum jr_status jr_compile_add(struct jr_profile *profile, uint32_t process,
	const struct jr_host_ranges *ranges, struct jr_error *err) JR_MUST_CHECK;

/* The time below each XlaCompile range, by phase. */
struct jr_compile_summary {
	size_t n_modules, n_phases;
	struct jr_compile_module *modules; /* process 0; rows in file order */
	struct jr_compile_phase *phases;
	struct jr_intern names; /* of modules and phases, as in the file (not cleaned) */
	struct jr_arena arena;
};

/**
 * Sum the self times of all ranges below each XlaCompile range (without the range itself, without
 * grafting) by phase. A phase is the text between the first two colons of a name; XlaPassPipeline
 * counts as XlaPass. With `full_names`, sum by full name.
 *
 * @param summary  out; on failure there is nothing to release
 * @return as jr_compile_add().
 * @note O(n * nesting of XlaCompile ranges + phases * log phases).
 */
enum jr_status jr_compile_summarize(const struct jr_host_ranges *ranges, bool full_names,
	struct jr_compile_summary *summary, struct jr_error *err) JR_MUST_CHECK;
void jr_compile_summary_done(struct jr_compile_summary *summary);

#endif
