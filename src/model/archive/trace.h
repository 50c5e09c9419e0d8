/*
 * trace.h - the projected NVTX ranges of one process, for all column sets of traces.
 * Layer: model.  Column sets A, B, C: formats/README.md, section 1.1.
 */
#ifndef JR_MODEL_TRACE_H
#define JR_MODEL_TRACE_H

#include "base/buf.h"
#include "base/intern.h"
#include "base/limits.h"
#include "formats/hlo/hlo_text.h"
#include "model/archive/trace_parts.h"

struct jr_profile;

/* A distinct text, parsed once. `op` is an id of the trace's strings. */
struct jr_trace_name {
	enum jr_range_kind kind;
	uint32_t text, op;
	int64_t program_number;
	uint32_t said; /* of a thunk: row of said; 0 = none */
};

struct jr_trace_thread {
	int64_t pid, tid;
};

/* Rows in file order, without rows that have no id. All arrays [n].
 *
 * A row may lack its id, or refer to a parent that does not exist. Then its stack of ranges is used
 * as far as it is valid: the last id of the stack, unless another row has it, and the nearest
 * existing range up the stack. */
struct jr_trace {
	size_t n;
	uint32_t *name;             /* row of names */
	int64_t *start_ns, *end_ns; /* projected; end >= start */
	int64_t *pid, *tid;         /* NULL: see `thread` */
	uint32_t *thread;           /* export: row of threads; else NULL */
	const struct jr_trace_thread *threads;
	int64_t *range_id;
	int64_t *launch_ns;   /* host launch of executions; INT64_MAX = not known; NULL = none known */
	uint32_t *parent;     /* row, JR_NONE = top; acyclic */
	uint8_t *parent_lost; /* 1 = neither its parent nor any range up the stack exists; NULL: none */
	int64_t *n_gpu_ops;   /* NULL if the column set has none (B, C) */
	uint32_t *device;     /* export: row of its devices, JR_NONE = by thread; else NULL */
	uint32_t *nccl_kernel; /* export: str of the row's own NCCL kernel; 0 = no kernel, JR_NONE =
							  also other kernels; NULL = no NCCL */
	size_t n_names;
	struct jr_trace_name *names;
	struct jr_said *said; /* event statements of thunks, texts are str; row 0: none; NULL = none */
	char layout;          /* 'A', 'B', 'C'; 'S' an export (export.h) */
	uint8_t xla;          /* 1, 2; 0 = no thunk determines it */
	uint64_t n_ranges; /* rows of the file, without set A's rows for whole processes, which have no
						  id and no name and are not ranges */
	uint64_t n_unreadable; /* rows without an id, a text or a time */
	uint64_t n_recovered;  /* ... whose missing id was recovered from the stack; they are kept */
	uint64_t n_duplicates; /* rows with the id of an earlier row */
	uint64_t n_adopted;    /* rows with a missing parent, attached to one further up the stack */
	uint64_t n_dangling;   /* ... without any range up the stack, or in a cycle: made top-level */
	uint64_t n_reparented; /* B, C: thunks attached to the next ancestor that contains them */
	bool has_tid;
	struct jr_arena arena;
	struct jr_intern strings; /* own strings, so traces can be read on any thread */
};

/** Return the host thread of a row. */
static inline struct jr_trace_thread jr_trace_thread(const struct jr_trace *trace, size_t row)
{
	return trace->thread ? trace->threads[trace->thread[row]]
						 : (struct jr_trace_thread){trace->pid[row], trace->tid[row]};
}

/**
 * Decode trace.parquet.
 * @param trace  out, set only on JR_OK; jr_trace_done()
 * @return JR_EFORMAT a needed column is absent (named) or damaged; JR_EUNSUPPORTED; JR_ELIMIT
 * @note Only the columns used are decoded. O(rows).
 */
enum jr_status jr_trace_read(struct jr_bytes parquet, const struct jr_limits *limits,
	struct jr_trace *trace, struct jr_error *err) JR_MUST_CHECK;
/** Make parents acyclic, and chains of them at most `max_depth` long: cut links count as dangling.
 * O(rows) */
void jr_trace_cut_chains(struct jr_trace *trace, uint64_t max_depth);
/** Report the number of rows and the assumptions made about them, as guesses of the profile. */
void jr_trace_tell(const struct jr_trace *trace, struct jr_profile *profile);
void jr_trace_done(struct jr_trace *trace);

#endif
