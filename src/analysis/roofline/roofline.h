/*
 * roofline.h - roofline time of each thunk at the limits of the device, and its time above
 * roofline; computed once by the pass.
 * Layer: analysis.  Definitions: README.md, section 14.
 */
#ifndef JR_ANALYSIS_ROOFLINE_H
#define JR_ANALYSIS_ROOFLINE_H

#include "analysis/core/pass.h"
#include "analysis/cost/peaks.h"
#include "analysis/shared/steady.h"

/* The limit of a thunk: the part of its roofline that takes longest. */
enum jr_bound {
	JR_BOUND_MEMORY,
	JR_BOUND_TENSOR,
	JR_BOUND_VECTOR,
	JR_BOUND_FUNCTIONS,
	JR_BOUND_INTEGERS,
	JR_BOUND_NETWORK,
	JR_N_BOUNDS
};

/* The order is that of tables not sorted by time. */
enum jr_roof_class {
	JR_ROOF_MEMORY,
	JR_ROOF_COMPUTE,
	JR_ROOF_NETWORK,
	JR_ROOF_LATENCY,
	JR_ROOF_HOST,
	JR_ROOF_UNKNOWN,
	JR_N_ROOF_CLASSES
};

/* A distinct thunk: its steady rows over all devices. */
struct jr_roofline_op {
	uint32_t op;      /* row of profile->ops */
	bool has_roof;    /* its work and the device's peaks for it are known */
	bool counted;     /* FLOPs and bytes are known; always true for a collective, which has none */
	uint64_t roof_ps; /* of one execution */
	enum jr_bound bound; /* only with a roofline */
	enum jr_roof_class class;
	enum jr_matrix_class matrix; /* class with most of its matrix time; JR_N_MATRIX: none */
	int64_t dur_ns; /* sum of durations; for collectives without waiting for other devices, if that
					   is known */
	bool holds_waiting; /* a collective whose waiting time is unknown */
	uint64_t lost_ps;   /* of all executions: time above roofline */
};

/* Sums of a program, over all its steady rows on all devices; saturated. */
struct jr_roofline_sum {
	uint64_t matrix_flops[JR_N_MATRIX], vector_flops[JR_N_VECTOR];
	uint64_t transcendentals, int_ops, bytes_read, bytes_written, network_bytes, remat_flops;
	uint64_t remat_ps;            /* at its peak: recomputed matrix products */
	uint64_t ideal_ps;            /* at their peaks: all matrix products */
	uint64_t roof_ps, network_ps; /* all but collectives; collectives */
	uint64_t lost_ps;
	int64_t unknown_active_ns; /* thunks that are not counted */
	uint64_t n_unknown;        /* number of distinct ones among them */
	uint64_t n_no_roof;        /* distinct thunks without a roofline, for any reason */
	uint64_t n_no_link;        /* collectives among them without a known link peak */
	int64_t no_link_active_ns;
};

/* Devices of one name, if there are several names. */
struct jr_roofline_model {
	uint32_t device;            /* the first of them, row of devices */
	size_t n_devices;           /* with a steady execution of a top module */
	struct jr_peaks peaks;      /* of the first of them */
	struct jr_roofline_sum all; /* top modules on these devices; without lost_ps */
};

struct jr_roofline {
	struct jr_peaks peaks;            /* of the reference device; none if models differ */
	uint32_t device;                  /* row of devices, JR_NONE = none ran */
	bool several_models;              /* devices differ by name or numbers: the first one is used */
	size_t n_models;                  /* 0: devices have one name */
	struct jr_roofline_model *models; /* by first device */
	const struct jr_cost *costs;      /* [n_ops] */
	size_t n;
	struct jr_roofline_op *ops;       /* of top modules, by lost_ps, then time, desc */
	struct jr_roofline_sum *programs; /* [n_programs] */
	struct jr_roofline_sum all;       /* of top modules */
};

/* Work and time of a step on one device; NaN if not known. */
struct jr_roofline_step {
	double period_ns; /* of the slowest device: from a step's start to the next one's, or the length
						 of the only step */
	double ideal_ns;  /* matrix products at the peak of their type */
	double model_ns;  /* the same without recomputed products */
	double roof_ns;   /* each thunk at the roofline, overlapped with collectives */
	double network_ns; /* part of it: collectives */
	double lost_ns;    /* time above roofline */
	double matrix_flops;
};

/**
 * Convert sums over devices to values per step and device.
 *
 * @param gpu_name  name of the devices, JR_NONE: all that ran
 */
struct jr_roofline_step jr_roofline_step_of(const struct jr_pass_context *ctx,
	const struct jr_peaks *peaks, const struct jr_roofline_sum *all, uint32_t gpu_name);

/** Compute all roofline results, in `arena`. O(thunk rows * (1 + models) + ops log + instructions
 * of programs). */
const struct jr_roofline *jr_roofline_compute(
	const struct jr_pass_context *ctx, struct jr_arena *arena);

/** Return [n_ops] in the scratch arena: the executions of steady thunks of top modules that have a
 * roofline, over all devices; 0 for others, and without roofline results. */
struct jr_roofed *jr_roofed_of_ops(const struct jr_pass_context *ctx);

/** Return the name of a bound: "memory", "tensor", ... */
const char *jr_bound_name(enum jr_bound bound);
/** Return the name of a class: "memory", "compute", ... */
const char *jr_roof_class_name(enum jr_roof_class class);

/** Return the FLOPs that tables show: of matrix products and vectors. Saturated. */
uint64_t jr_cost_flops(const struct jr_cost *cost);
/** Return the bytes of device memory, read and written. Saturated. */
uint64_t jr_cost_bytes(const struct jr_cost *cost);

#endif
