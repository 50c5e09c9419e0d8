/*
 * trace.h - the projected NVTX ranges of one process, whatever the column set of its trace.
 * Layer: model.  Column sets A, B, C: formats/README.md, section 1.1.
 */
#ifndef JR_MODEL_TRACE_H
#define JR_MODEL_TRACE_H

#include "base/buf.h"
#include "base/intern.h"
#include "base/limits.h"
#include "formats/hlo/hlo_text.h"
#include "model/archive/range_name.h"

struct jr_profile;

/* A distinct text, parsed once. `op` is an id of the trace's strings. */
struct jr_trace_name {
	enum jr_range_kind kind;
	uint32_t text, op;
	int64_t program_number;
	uint32_t said; /* of a thunk: row of said; 0 = none */
};

/* Rows in file order, those without an id left out. All arrays [n].
 *
 * A row may lack its id, or name a parent that is not there; the stack of ranges that it lies in
 * then tells them, as far as that is whole: the id that the stack ends in, unless another row has
 * it, and the nearest range up the stack that is there. */
struct jr_trace {
	size_t n;
	uint32_t *name;             /* row of names */
	int64_t *start_ns, *end_ns; /* projected; end >= start */
	int64_t *pid, *tid;
	int64_t *range_id;
	int64_t *launch_ns;    /* of executions, on the host; INT64_MAX = not known; NULL = of none */
	uint32_t *parent;      /* row, JR_NONE = top; acyclic */
	uint8_t *parent_lost;  /* 1 = it has one that is not there, nor any up the stack; NULL: none */
	int64_t *n_gpu_ops;    /* NULL where the column set has none (B, C) */
	uint32_t *device;      /* of an export: row of its devices, JR_NONE = the thread's; else NULL */
	uint32_t *nccl_kernel; /* of an export, str of the row's own kernels where NCCL's are all there
							* are; 0 = no kernel, JR_NONE = others too; NULL = no NCCL */
	size_t n_names;
	struct jr_trace_name *names;
	struct jr_said *said; /* what events state of thunks, texts are str; row 0: none; NULL = none */
	char layout;          /* 'A', 'B', 'C'; 'S' an export (export.h) */
	uint8_t xla;          /* 1, 2; 0 = no thunk told */
	uint64_t n_ranges; /* rows of the file, but for those of set A that stand for a whole process:
						* they have neither an id nor a name, are no ranges and nowhere counted */
	uint64_t n_unreadable; /* rows without an id, a text, a time */
	uint64_t n_recovered;  /* ... that have all but the id, which their stack told: not left out */
	uint64_t n_duplicates; /* rows whose id an earlier row has */
	uint64_t n_adopted;    /* parents that are not there: hung under one further up the stack */
	uint64_t n_dangling;   /* ... and none up the stack is, or part of a cycle: made top-level */
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
/** How many rows there were, and what had to be assumed of them, as guesses of the profile. */
void jr_trace_tell(const struct jr_trace *trace, struct jr_profile *profile);
void jr_trace_done(struct jr_trace *trace);

#endif
