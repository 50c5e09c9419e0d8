/*
 * roofline.h - how long each thunk would take at the limits of the device, and what it loses
 * against that; computed once by the pass.
 * Layer: analysis.  Definitions: README.md, section 14.
 */
#ifndef JR_ANALYSIS_ROOFLINE_H
#define JR_ANALYSIS_ROOFLINE_H

#include "analysis/core/pass.h"
#include "analysis/cost/peaks.h"
#include "analysis/shared/steady.h"

#define JR_PS_PER_NS 1000
#define JR_PS_PER_S UINT64_C(1000000000000)

/* What bounds a thunk: the part of its roof that takes longest. */
enum jr_bound {
	JR_BOUND_MEMORY,
	JR_BOUND_TENSOR,
	JR_BOUND_VECTOR,
	JR_BOUND_FUNCTIONS,
	JR_BOUND_INTEGERS,
	JR_BOUND_NETWORK,
	JR_N_BOUNDS
};

/* Order of tables that are not sorted by time. */
enum jr_roof_class {
	JR_ROOF_MEMORY,
	JR_ROOF_COMPUTE,
	JR_ROOF_NETWORK,
	JR_ROOF_LATENCY,
	JR_ROOF_HOST,
	JR_ROOF_UNKNOWN,
	JR_N_ROOF_CLASSES
};

/* A distinct thunk: steady rows over all devices. */
struct jr_roofline_op {
	uint32_t op;         /* row of profile->ops */
	bool has_roof;       /* what it needs is known, and so is what the device can do of it */
	bool counted;        /* FLOPs and bytes are known; always so of a collective, which has none */
	uint64_t roof_ps;    /* of one execution */
	enum jr_bound bound; /* with a roof */
	enum jr_roof_class class;
	enum jr_matrix_class matrix; /* that most of its matrix time is of; JR_N_MATRIX: none */
	int64_t dur_ns;     /* sum of durations; of collectives less what was waited for others, where
						   that is known */
	bool holds_waiting; /* a collective whose wait is not known */
	uint64_t lost_ps;   /* of all executions: what they take beyond their roof */
};

/* Sums of a program, all its steady rows on all devices; saturated. */
struct jr_roofline_sum {
	uint64_t matrix_flops[JR_N_MATRIX], vector_flops[JR_N_VECTOR];
	uint64_t transcendentals, int_ops, bytes_read, bytes_written, network_bytes, remat_flops;
	uint64_t remat_ps;            /* at its peak: of recomputed matrix products */
	uint64_t ideal_ps;            /* at their peaks: of all matrix products */
	uint64_t roof_ps, network_ps; /* of all but collectives; of collectives */
	uint64_t lost_ps;
	int64_t unknown_active_ns; /* of thunks that are not counted */
	uint64_t n_unknown;        /* of these: distinct ones */
	uint64_t n_no_roof;        /* distinct ones without a roof, for whatever reason */
	uint64_t n_no_link;        /* of these: collectives that no link peak is known for */
	int64_t no_link_active_ns;
};

/* Devices of one name, where there are several names. */
struct jr_roofline_model {
	uint32_t device;            /* the first of them, row of devices */
	size_t n_devices;           /* with a steady execution of a top module */
	struct jr_peaks peaks;      /* of the first of them */
	struct jr_roofline_sum all; /* of top modules on these devices; no lost_ps */
};

struct jr_roofline {
	struct jr_peaks peaks; /* of the device whose figures are taken; none where models differ */
	uint32_t device;       /* row of devices, JR_NONE = none ran */
	bool several_models;   /* devices differ by name or figures: the first one's are taken */
	size_t n_models;       /* 0: devices have one name */
	struct jr_roofline_model *models; /* by first device */
	const struct jr_cost *costs;      /* [n_ops] */
	size_t n;
	struct jr_roofline_op *ops;       /* of top modules, most lost first, then longest */
	struct jr_roofline_sum *programs; /* [n_programs] */
	struct jr_roofline_sum all;       /* of top modules */
};

/* What a step needs of a device and takes there; NaN where it is not known. */
struct jr_roofline_step {
	double period_ns;  /* of the slowest device: from a step's start to the next one's, or the one
						  step that there is */
	double ideal_ns;   /* matrix products at the peak of their type */
	double model_ns;   /* the same without what is recomputed */
	double roof_ns;    /* each thunk at the roofline, collectives beside */
	double network_ns; /* of that: collectives */
	double lost_ns;    /* beyond roofs */
	double matrix_flops;
};

/**
 * What is added up of devices, a step and device.
 *
 * @param gpu_name  that the devices have, JR_NONE: all that ran
 */
struct jr_roofline_step jr_roofline_step_of(const struct jr_pass_context *ctx,
	const struct jr_peaks *peaks, const struct jr_roofline_sum *all, uint32_t gpu_name);

/** All of it, in `arena`. O(thunk rows * (1 + models) + ops log + instructions of programs). */
const struct jr_roofline *jr_roofline_compute(
	const struct jr_pass_context *ctx, struct jr_arena *arena);

/** [n_ops] in the scratch arena: executions of steady thunks of top modules that have a roof, over
 * all devices; 0 of others, and without a roofline. */
struct jr_roofed *jr_roofed_of_ops(const struct jr_pass_context *ctx);

/** "memory", "tensor", ... */
const char *jr_bound_name(enum jr_bound bound);
/** "memory", "compute", ... */
const char *jr_roof_class_name(enum jr_roof_class class);

/** FLOPs as tables have them: of matrix products and vectors. Saturated. */
uint64_t jr_cost_flops(const struct jr_cost *cost);
/** Bytes of the device's memory, read and written. Saturated. */
uint64_t jr_cost_bytes(const struct jr_cost *cost);

static inline double jr_ns_of_ps(uint64_t ps)
{
	return (double)ps / JR_PS_PER_NS;
}

static inline uint64_t jr_add_most(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

#endif
