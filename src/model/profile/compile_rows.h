/*
 * compile_rows.h - what XLA compiled, as ranges of host threads and as sums.
 * Layer: model.  Owner: the profile (profile.h).
 */
#ifndef JR_MODEL_COMPILE_ROWS_H
#define JR_MODEL_COMPILE_ROWS_H

#include <stddef.h>
#include <stdint.h>

/* compile: one row per host range below XlaCompile, after grafting, folding and name cleaning. A
 * parent comes before its children. Sorted by (process, start, range id). */
struct jr_compiles {
	size_t n;
	uint32_t *process;
	int64_t *range_id;
	uint32_t *name; /* str, clean (analysis/README.md, section 1.10 (e)) */
	int64_t *tid;
	int64_t *start_ns, *dur_ns, *child_ns, *self_ns;
	uint32_t *parent;        /* row of this table, JR_NONE = an XlaCompile */
	int64_t *program_number; /* -1 = none */
	uint8_t *grafted;        /* 1: top of a worker's tree, attached to a range of another thread */
};

/* compile foreign: self time of ranges of other domains (cuBLAS, cuDNN, NCCL), summed by name. It
 * is part of the self time of a compile row. Sorted by row, then by the text of the name. */
struct jr_compile_foreign {
	uint32_t row;  /* of the compile table */
	uint32_t name; /* str: full name with its domain */
	uint32_t n;
	int64_t self_ns; /* > 0; their sum over a compile row is at most its self_ns */
};

/* compile module: one row per XlaCompile range, in file order within its process. It sums the self
 * times of all ranges below it on its own thread, including autotuning (analysis/README.md, section
 * 4.3). */
struct jr_compile_module {
	uint32_t process;
	uint32_t name;                  /* str: full name of the XlaCompile range, with domain prefix */
	int64_t total_ns;               /* sum of its phases */
	uint32_t first_phase, n_phases; /* rows of compile_phases: time descending, then by name */
};
struct jr_compile_phase {
	uint32_t name; /* str: text between the first two colons; all passes are one phase */
	int64_t self_ns;
};

#endif
