/*
 * trace_parts.h - what trace.c reads with: columns of Parquet tables as plain int64 and interned
 * text, the stack of open ranges, the text of an NVTX range (formats/README.md, section 1.3).
 * Layer: model.
 */
#ifndef JR_MODEL_ARCHIVE_TRACE_PARTS_H
#define JR_MODEL_ARCHIVE_TRACE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "formats/parquet/parquet.h"

/* Of a member of an archive that lacks a column without which it cannot be read. */
#define JR_ARCHIVE_NO_COLUMN "column '%s' is missing (make the archive again with nsys-jax)"

/**
 * Read column `name` as int64: writers changed the physical type of a column over time (ids as
 * double, int32 or int64). Nulls, NaN and values that are not int64 integers become INT64_MIN.
 *
 * @param out  [n_rows] in `arena`; NULL if the column is absent (this is not an error)
 */
enum jr_status jr_parquet_i64(const struct jr_parquet *pq, const char *name, struct jr_arena *arena,
	int64_t **out, struct jr_error *err) JR_MUST_CHECK;

/**
 * Read a text column as ids of `strings`. Each distinct dictionary entry is cleaned and interned
 * once. Nulls become JR_NONE.
 *
 * @param most  as for jr_intern_foreign()
 * @param out  [n_rows] in `arena`; NULL if the column is absent
 */
enum jr_status jr_parquet_text(const struct jr_parquet *pq, const char *name,
	const struct jr_limits *limits, struct jr_intern *strings, struct jr_arena *arena,
	uint64_t most, uint32_t **out, struct jr_error *err) JR_MUST_CHECK;

/* The trace column with the stack of ranges around each range, outermost first: a text ":1:2:3"
 * (column set A) or a list of integers (B, C); the last id is the range's own. It repeats the id
 * columns and is read only if these are incomplete. */
struct jr_range_stacks {
	const struct jr_parquet *pq;
	struct jr_arena *arena;
	bool tried, there;
	struct jr_parquet_values values;
};

/* The position of a walk up a stack. */
struct jr_stack_walk {
	const struct jr_range_stacks *stacks;
	uint64_t row;
	uint64_t left; /* remaining bytes or elements */
	uint64_t depth;
};

/** Start a walk up the stack of a file row, of at most `max_depth` ids. The first walk decodes the
 * column. If it is absent, damaged or of another type, every stack is empty. */
struct jr_stack_walk jr_range_stacks_walk(
	struct jr_range_stacks *stacks, uint64_t row, uint64_t max_depth);
/** Return the next id up, beginning with the row's own. False at the end, or if an id is not a
 * number. */
bool jr_stack_walk_up(struct jr_stack_walk *walk, int64_t *id);

enum jr_range_kind {
	JR_RANGE_OTHER,
	JR_RANGE_MODULE, /* XlaModule */
	JR_RANGE_THUNK,
	JR_RANGE_NCCL,
};

struct jr_range_name {
	enum jr_range_kind kind;
	const char *op; /* THUNK: the HLO instruction; MODULE: the module's name; view into the text */
	size_t op_len;
	int64_t program_number; /* MODULE: -1 = none (an autotuning run) */
	int64_t unique_op_id;   /* THUNK of xla 2: unique_hlo_op_id; -1 = none */
	uint8_t xla;            /* 1 or 2 if the text determines it, else 0 */
};

/**
 * Classify a range's text, with or without its domain prefix ("TSL:", "NCCL:"). Never fails: a
 * range of neither XLA nor NCCL is OTHER. A name part may contain commas, '=' and brackets, so the
 * last "hlo_op=" counts. Any number of keys may follow it.
 */
struct jr_range_name jr_range_name_parse(const char *text, size_t n);

/* Name of kernels and calls whose names the profile does not contain. */
#define JR_NO_NAME "(no name)"
/** Return whether a kernel communicates, by its name: NCCL
 * ("ncclDevKernel_AllReduce_Sum_f32_RING"), NVSHMEM, DeepEP, or a custom kernel
 * ("vllm::cross_device_reduce_1stage"). */
bool jr_is_communication_kernel(const char *name);

/* Thread names of XLA's launchers: XlaLauncher:#global=G,local=L,process=P,slice=S# (later
 * partition=S); devices have names of the form Xla:#...#. */
struct jr_device_name {
	uint32_t global, local, process, slice;
};
/** Parse such a name. Returns false if the text has another form. `prefix` is "XlaLauncher:#" or
 * "Xla:#". */
bool jr_device_name_parse(
	const char *text, size_t n, const char *prefix, struct jr_device_name *out);

#endif
