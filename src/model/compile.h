/*
 * compile.h - the compile table from host push/pop ranges.
 * Layer: model.  Definitions: analyses.md section 1, "compile", (a) to (f).
 */
#ifndef JR_MODEL_COMPILE_H
#define JR_MODEL_COMPILE_H

#include "formats/csv.h"
#include "model/profile.h"

/* Host ranges of one process as read, whatever the file format. Rows in file order. */
struct jr_host_ranges {
	size_t n;
	int64_t *start_ns, *end_ns, *child_ns, *self_ns;
	uint32_t *name; /* str of `strings`, with domain prefix as in the file */
	int64_t *pid, *tid;
	int64_t *range_id, *parent_id; /* parent_id -1: top level */
	struct jr_arena arena;
	struct jr_intern strings; /* of its own, so that it can be read on any thread */
};

/**
 * Read nvtx_pushpop_trace CSV text (archive.md 1.2). Only columns that are used are parsed.
 * @return JR_EFORMAT no header, a field that is no number, duplicate or dangling ids (line given)
 */
enum jr_status jr_host_ranges_read_csv(struct jr_bytes csv, const struct jr_limits *limits,
	struct jr_host_ranges *ranges, struct jr_error *err) JR_MUST_CHECK;
void jr_host_ranges_done(struct jr_host_ranges *ranges);

/**
 * Append one process' compile rows to profile->compiles: grafting, cutting to XlaCompile subtrees,
 * program inheritance, folding of foreign domains, name cleaning, autotuning detail.
 *
 * @note Times in `compiles` after this: self_ns + child_ns = dur_ns for rows without grafted
 *       children. O(n log n).
 */
enum jr_status jr_compile_add(struct jr_profile *profile, uint32_t process,
	const struct jr_host_ranges *ranges, struct jr_error *err) JR_MUST_CHECK;

#endif
