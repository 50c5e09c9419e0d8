/*
 * cost.h - FLOPs and bytes of each distinct thunk, computed from the HLO alone.
 * Layer: analysis.  Rules: README.md, section 13.
 *
 * All numbers are for one execution on one device. Unknown values are marked as such, never
 * reported as 0.
 */
#ifndef JR_ANALYSIS_COST_H
#define JR_ANALYSIS_COST_H

#include "model/profile/profile.h"

/* Classes of matrix products, by the operand types of the product itself. The order is the order in
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

/* Kind of work (README.md, section 13.9). If a fusion has several kinds, the first one in this
 * order counts. */
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
	/* If false, the corresponding numbers are meaningless (null in reports, never 0). Integer work
	 * is unknown if FLOPs are unknown, and for random number generators. */
	bool flops_known, int_ops_known, bytes_known;
	bool network_known; /* bytes sent over links are known; true, with 0, unless a collective */
	bool upper_bound;   /* FLOPs are an upper bound: a padding mask, a ragged product */
	bool initializes; /* a row of an instruction inside a fusion that has rows, too: it initializes
						 the buffer that the fusion adds to */
	bool in_place;    /* a fusion that writes part of its result into an operand */
	bool host;        /* an operand or result is in host memory */
	bool any_memory;  /* its bytes include all memories of a TPU: they do not give a bound */
	bool collective;  /* a collective, send or recv */
	bool rematerialized; /* recomputed for the backward pass, according to its names */
	uint64_t matrix_flops[JR_N_MATRIX];
	uint64_t vector_flops[JR_N_VECTOR];
	uint64_t transcendentals, int_ops, other_ops;
	uint64_t remat_flops; /* part of matrix_flops: recomputed work, 1/5 of fused attention's
							 backward pass */
	uint64_t bytes_read, bytes_written; /* device memory */
	uint64_t host_bytes;                /* host memory, read and written */
	uint64_t network_bytes;             /* sent by this device */
	const char *kind;    /* opcode, then a colon and the target or the fusion's kind */
	const char *unknown; /* opcode or target of the unknown part; NULL = all is known */
};

/**
 * Compute the costs of all ops of a profile: one per row of profile->ops, in `arena`. Ops without
 * HLO are unknown.
 *
 * @note O(instructions of their programs) for any input, because no loop runs over a stated size.
 *       If computations call each other so that more work would be needed, the rest is unknown.
 */
struct jr_cost *jr_costs_compute(const struct jr_profile *profile, struct jr_arena *arena);

/** Return whether no fast link connects two devices, as far as is known: it connects a slice if
 * their names contain slices, else a host. */
bool jr_devices_apart(const struct jr_profile *profile, uint32_t a, uint32_t b);
/** Return true if no two devices of a group are known to be apart.
 * @param groups  jr_op.device_group; NULL: all devices are one group.  O(devices) */
bool jr_groups_on_one_host(const struct jr_profile *profile, const uint32_t *groups);

/** Return the name of a class: "bf16", "tf32", "bf16x3". */
const char *jr_matrix_class_name(enum jr_matrix_class c);

#endif
