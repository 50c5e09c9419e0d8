/*
 * compile.h - the compile table from host push/pop ranges.
 * Layer: model.  Definitions: analysis/README.md, section 1.10, (a) to (f).
 */
#ifndef JR_MODEL_COMPILE_H
#define JR_MODEL_COMPILE_H

#include "formats/text/csv.h"
#include "model/profile/profile.h"

/* Host ranges of one process as read, whatever the file format. Rows in file order. */
struct jr_host_ranges {
	size_t n;
	int64_t *start_ns, *end_ns, *child_ns, *self_ns;
	uint32_t *name; /* str of `strings`, with domain prefix as in the file */
	int64_t *pid, *tid;
	int64_t *range_id, *parent_id; /* parent_id -1: top level */
	uint64_t size_bytes;           /* of the CSV text or Parquet file */
	uint64_t n_odd;                /* rows that are no RFC 4180 (nsys_csv.h) */
	uint64_t cut_line; /* where the row begins that a CSV ends in the middle of; 0: it is whole */
	uint64_t n_bereft; /* ranges that state more children than there are */
	struct jr_arena arena;
	struct jr_intern strings; /* of its own, so that it can be read on any thread */
};

/**
 * Read nvtx_pushpop_trace CSV text (formats/README.md, section 1.2), also as nsys prints it
 * (nsys_csv.h). Only columns that are used are parsed; PID, NumChild and the two columns of
 * times in and outside of children may be absent.
 *
 * @param ranges  out; on failure nothing is left to release
 * @return JR_EFORMAT no header or a column is not there, a field that is no integer, duplicate or
 *         dangling ids, a cycle, a negative time, times that do not add up (line given);
 *         JR_ELIMIT rows, string length, nesting, memory
 * @note O(bytes), O(n log n) where rows are not in order of start.
 */
enum jr_status jr_host_ranges_read_csv(struct jr_bytes csv, const struct jr_limits *limits,
	struct jr_host_ranges *ranges, struct jr_error *err) JR_MUST_CHECK;
/**
 * The same table as Parquet, as nsys-jax writes it from 2025-01 on. Texts are made clean.
 * @return also what jr_parquet_open() and jr_parquet_read() return; "row R" instead of a line
 */
enum jr_status jr_host_ranges_read_parquet(struct jr_bytes parquet, const struct jr_limits *limits,
	struct jr_host_ranges *ranges, struct jr_error *err) JR_MUST_CHECK;
/** Either of them, or .csv.xz: the first bytes say which. Also what jr_xz_decode() returns. */
enum jr_status jr_host_ranges_read(struct jr_bytes file, const struct jr_limits *limits,
	struct jr_host_ranges *ranges, struct jr_error *err) JR_MUST_CHECK;
void jr_host_ranges_done(struct jr_host_ranges *ranges);
/** Why rows are missing behind those read, and what to do, as what follows "the push/pop trace";
 * NULL: none are, as far as can be told. The text is the arena's. */
const char *jr_host_ranges_cut(const struct jr_host_ranges *ranges, struct jr_arena *arena);

/**
 * Append one process' compile rows to profile->compiles: folding of foreign domains, grafting,
 * cutting to XlaCompile subtrees, program inheritance, name cleaning, autotuning detail
 * (options.autotuning_detail); and its rows of compile_foreign, compile_modules and compile_phases.
 *
 * Rules where the definition leaves room:
 * - A range is XLA's where its name begins "TSL:", or "Xla" or "Thunk:" without any domain.
 * - Grafting happens within one PID. A top-level range that holds an XlaCompile itself compiles on
 *   its own and is no worker; nor is one that executes (XlaModule, Thunk). A worker inside the
 *   XlaCompile ranges of several threads belongs to the one begun last (a guess, counted).
 * - A program number that a worker's XlaCompileBackend states is not given to the range that the
 *   worker is grafted under. An XlaCompile without backend below it keeps the number of its name.
 *
 * @param process  row of profile->processes, not below that of earlier calls
 * @return JR_EFORMAT, JR_ELIMIT as for jr_host_ranges_read_csv(), for ranges from other readers;
 *         the profile is then unchanged but for strings
 * @note self_ns + child_ns = dur_ns in each row; child_ns does not count grafted children.
 *       O(n log n).
 */
enum jr_status jr_compile_add(struct jr_profile *profile, uint32_t process,
	const struct jr_host_ranges *ranges, struct jr_error *err) JR_MUST_CHECK;

/* Time below each XlaCompile range, by phase. */
struct jr_compile_summary {
	size_t n_modules, n_phases;
	struct jr_compile_module *modules; /* process 0; rows in file order */
	struct jr_compile_phase *phases;
	struct jr_intern names; /* of modules and phases, as in the file (not made clean) */
	struct jr_arena arena;
};

/**
 * Sum the self times of all ranges below each XlaCompile range (the range itself left out, no
 * grafting) by phase: the text between the first and second colon of a name, XlaPassPipeline
 * counted as XlaPass. With `full_names` by full name instead.
 *
 * @param summary  out; on failure nothing is left to release
 * @return as jr_compile_add().
 * @note O(n * nesting of XlaCompile ranges + phases * log phases).
 */
enum jr_status jr_compile_summarise(const struct jr_host_ranges *ranges, bool full_names,
	struct jr_compile_summary *summary, struct jr_error *err) JR_MUST_CHECK;
void jr_compile_summary_done(struct jr_compile_summary *summary);

#endif
