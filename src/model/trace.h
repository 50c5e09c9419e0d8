/*
 * trace.h - the projected NVTX ranges of one process, whatever the column set of its trace.
 * Layer: model.  Column sets A, B, C: archive.md 1.1.
 */
#ifndef JR_MODEL_TRACE_H
#define JR_MODEL_TRACE_H

#include "base/buf.h"
#include "base/intern.h"
#include "base/limits.h"
#include "model/range_name.h"

/* A distinct text, parsed once. `op` is an id of the trace's strings. */
struct jr_trace_name {
	enum jr_range_kind kind;
	uint32_t text, op;
	int64_t program_number;
};

/* Rows in file order, those without an id left out. All arrays [n]. */
struct jr_trace {
	size_t n;
	uint32_t *name;      /* row of names */
	int64_t *start_ns, *end_ns; /* projected; end >= start */
	int64_t *pid, *tid;
	int64_t *range_id;
	uint32_t *parent;    /* row, JR_NONE = top; acyclic */
	int64_t *n_gpu_ops;  /* NULL where the column set has none (B, C) */
	uint32_t *device;    /* of an export: row of its devices, JR_NONE = the thread's; else NULL */
	uint32_t *nccl_kernel; /* of an export, str of the row's own kernels where NCCL's are all there
	                        * are; 0 = no kernel, JR_NONE = others too; NULL = no NCCL */
	size_t n_names;
	struct jr_trace_name *names;
	char layout;         /* 'A', 'B', 'C'; 'S' an export (export.h) */
	uint8_t xla;         /* 1, 2; 0 = no thunk told */
	uint64_t n_unreadable; /* rows left out for want of an id, a text, a time; those without an id
	                        * of set A are no ranges and not counted */
	uint64_t n_duplicates; /* rows whose id an earlier row has */
	uint64_t n_dangling;   /* parents that are not there, or part of a cycle: made top-level */
	uint64_t n_reparented; /* B, C: thunks hung under the next ancestor that contains them */
	bool has_tid;
	struct jr_arena arena;
	struct jr_intern strings; /* of its own, so that traces can be read on any thread */
};

/**
 * Decode trace.parquet.
 * @param trace  out, set only on JR_OK; jr_trace_done()
 * @return JR_EFORMAT a needed column is absent (which) or damaged; JR_EUNSUPPORTED; JR_ELIMIT
 * @note Only the columns used are decoded. O(rows).
 */
enum jr_status jr_trace_read(struct jr_bytes parquet, const struct jr_limits *limits,
	struct jr_trace *trace, struct jr_error *err) JR_MUST_CHECK;
void jr_trace_done(struct jr_trace *trace);

#endif
