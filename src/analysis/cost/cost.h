/*
 * cost.h - what a distinct thunk has to compute and to move, from the HLO alone.
 * Layer: analysis.  Rules: README.md, section 13.
 *
 * All numbers are of one execution on one device. What is not known is told as such, never as 0.
 */
#ifndef JR_ANALYSIS_COST_H
#define JR_ANALYSIS_COST_H

#include "model/profile/profile.h"

/* Classes of matrix products: types of the operands of the product itself. Order = order in
 * outputs. */
enum jr_matrix_class {
	JR_MATRIX_BF16,
	JR_MATRIX_F16,
	JR_MATRIX_F8,
	JR_MATRIX_F4,
	JR_MATRIX_S8,
	JR_MATRIX_S4,
	JR_MATRIX_TF32,
	JR_MATRIX_F32,
	JR_MATRIX_F64,
	JR_MATRIX_BF16X3,
	JR_MATRIX_BF16X6,
	JR_MATRIX_BF16X9,
	JR_MATRIX_TF32X3,
	JR_N_MATRIX
};
enum { JR_VECTOR_F32, JR_VECTOR_F64, JR_N_VECTOR };

/* What sort of work it is (README.md, section 13.9); of several the first one names a fusion. */
enum jr_work_kind {
	JR_WORK_MATRIX,
	JR_WORK_CONVOLUTION,
	JR_WORK_ATTENTION,
	JR_WORK_SORT,
	JR_WORK_FFT,
	JR_WORK_INDEXED, /* gather, scatter */
	JR_WORK_REDUCTION,
	JR_WORK_RANDOM,
	JR_WORK_ELEMENTWISE,
	JR_WORK_MOVEMENT, /* copy, transpose, slice, concatenate, broadcast, ... */
	JR_WORK_COLLECTIVE,
	JR_WORK_UNKNOWN,
	JR_N_WORK
};

struct jr_cost {
	/* Else the numbers of it mean nothing (null in reports, never 0). Integer work is unknown
	 * where FLOPs are, and of generators of random numbers. */
	bool flops_known, int_ops_known, bytes_known;
	bool network_known; /* how many bytes go over a link; true, with 0, where it is no collective */
	bool upper_bound;   /* FLOPs are at most that: a mask of padding, a ragged product */
	bool initialises;   /* a row named after an instruction in a fusion that has rows, too: it fills
						   what the fusion adds to */
	bool in_place;      /* of a fusion: some part of the result is written into an operand */
	bool host;          /* an operand or result is in the host's memory */
	bool any_memory;    /* its bytes are of all memories of a TPU: they bound nothing */
	bool collective;    /* a collective, send or recv */
	bool rematerialised; /* recomputed for the backward pass, by its names */
	uint64_t matrix_flops[JR_N_MATRIX];
	uint64_t vector_flops[JR_N_VECTOR];
	uint64_t transcendentals, int_ops, other_ops;
	uint64_t remat_flops; /* part of matrix_flops: of recomputed work, 1/5 of fused attention's
							 backward pass */
	uint64_t bytes_read, bytes_written; /* of the device's memory */
	uint64_t host_bytes;                /* of the host's, read and written */
	uint64_t network_bytes;             /* sent by this device */
	const char *kind;    /* opcode, with the target or the fusion's kind behind a colon */
	const char *unknown; /* opcode or target of what is not known; NULL = all is */
};

/**
 * The costs of all ops of a profile: one a row of profile->ops, in `arena`. Ops without HLO are
 * unknown.
 *
 * @note O(instructions of their programs), whatever an input states: no size is looped over, and
 * where computations call each other so that more work is asked for, the rest is unknown.
 */
struct jr_cost *jr_costs_compute(const struct jr_profile *profile, struct jr_arena *arena);

/** "bf16", "tf32", "bf16x3" */
const char *jr_matrix_class_name(enum jr_matrix_class c);

#endif
