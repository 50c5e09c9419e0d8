/*
 * slowness.h - why a device is late: how it differs from those that are not.
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_SLOWNESS_H
#define JR_ANALYSIS_SLOWNESS_H

#include "analysis/core/pass.h"
#include "analysis/shared/late_set.h"

/* How a device delays the others. */
struct jr_slowness {
	double compute_ns; /* per step, excess over the others' compute; may be negative */
	double inside_ns, between_ns, transfer_ns; /* the same for idle time and exposed transfers */
	double frac;                               /* compute_ns / compute of the others */
	size_t n_ops, n_slow;   /* kernels of programs that others run, too; those in which it is
							 * slower by at least half of `frac`, or that it alone runs */
	double slow_share;      /* share of these in the others' compute */
	uint32_t op;            /* op with the largest excess; JR_NONE */
	double op_ns, op_share; /* excess per step; share of compute_ns */
	bool op_alone;          /* no device outside of the set runs that op */
};

enum jr_slowness_reason {
	JR_SLOW_BY_ORDER, /* nothing takes longer */
	JR_SLOW_BY_HOST,
	JR_SLOW_BY_LAUNCHES,
	JR_SLOW_BY_TRANSFERS,
	JR_SLOW_BY_COMPUTE
};

/** Return true if the device is slow in nearly all of its compute. */
static inline bool jr_slowness_in_all(const struct jr_slowness *s)
{
	return s->slow_share >= 0.9;
}

/* Parts of a step of a device, in ns. */
struct jr_slowness_parts {
	double wall_ns;                            /* 0: the device takes no steps */
	double inside_ns, between_ns, transfer_ns; /* idle time, exposed transfers */
};

/**
 * Compare the latest device of a set with all devices outside of it.
 * @param times  [n_devices]
 * @param step   the program of the steps
 * @note O(thunk rows + ops)
 */
struct jr_slowness jr_slowness_find(struct jr_pass_context *ctx,
	const struct jr_slowness_parts *times, uint32_t step, const struct jr_late_set *set);

/** Return the part of a step with the largest excess: it makes the device late. */
enum jr_slowness_reason jr_slowness_reason(const struct jr_slowness *s);

#endif
