/*
 * thunk_rows.h - executions of modules and of their thunks.
 * Layer: model.  Owner: the profile (profile.h), which has the functions that read rows.
 */
#ifndef JR_MODEL_THUNK_ROWS_H
#define JR_MODEL_THUNK_ROWS_H

#include "base/row_set.h"

/* A thunk whose times or repeats do not fit the columns of its table. */
struct jr_wide_thunk {
	int64_t since_ns, dur_ns;
	uint32_t repeat;
};

/* thunk: one row per execution; sorted by (device, program_execution order = module row, start).
 * Most memory of a long profile is this table. So times are relative to the module row, in 32 bits,
 * and what the module row states is not repeated. Read rows by jr_thunk_module(),
 * jr_thunk_start_ns(), jr_thunk_dur_ns(), jr_thunk_repeat(), jr_thunk_device(),
 * jr_thunk_execution() and jr_thunk_steady(). */
struct jr_thunks {
	size_t n;
	uint32_t *op;
	/* Row of modules, see jr_thunk_module(): that of the first row of a block of rows, and by how
	 * many rows of modules it differs. */
	uint32_t *block_module; /* [(n - 1 >> block_bits) + 1] */
	uint8_t *in_block;
	uint8_t block_bits; /* 8; 0 if a block has more modules than fit in_block */
	uint16_t *repeat;   /* thunk_execution, see jr_thunk_repeat() */
	uint32_t *since; /* ns since the start of the module row; if `dur` is JR_NONE: row of `wide` */
	uint32_t *dur;   /* full, in ns; JR_NONE: the row is in `wide` */
	struct jr_wide_thunk *wide; /* also rows of other selections; NULL: none */
	struct jr_row_set communication;
	int64_t *hidden_ns; /* [communication.n] overlapped with compute of its device */
};

/* module: one row per execution; sorted by (device, start, range id). */
struct jr_modules {
	size_t n;
	uint32_t *program;
	uint32_t *program_execution; /* 0.. per (device, program) by range id */
	uint32_t *device;
	int64_t *start_ns;
	int64_t *dur_ns;
	uint32_t *n_thunks;
	int64_t *launch_ns; /* on the clock of the process; INT64_MAX = not known */
	uint32_t *step;     /* leading step that contains its launch; JR_NONE = none */
	uint8_t *steady;
};

#endif
