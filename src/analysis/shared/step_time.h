/*
 * step_time.h - what a step takes, and which of its nanoseconds belong to what; computed once.
 * Layer: analysis.
 *
 * A step is one execution number of a program; its sample is the execution of the slowest device,
 * for devices of one step wait for each other and are not independent. Each nanosecond of a sample
 * goes to one thunk or to idle: to a compute thunk where one runs, else to a collective, else to a
 * host copy; among several of a kind to the one that began first. So, to the nanosecond,
 *
 *	sum of a program's samples = sum over its ops of sum_ns + idle_ns
 */
#ifndef JR_ANALYSIS_STEP_TIME_H
#define JR_ANALYSIS_STEP_TIME_H

#include "model/profile/profile.h"

struct jr_step_sample {
	uint32_t program, program_execution;
	uint32_t module; /* row of profile->modules: the slowest device's; of equal ones the first */
	int64_t dur_ns;
	double mean_ns; /* of all devices' executions of that number */
};

struct jr_program_steps {
	size_t first, n; /* of its samples, by program_execution */
	int64_t sum_ns;
	int64_t median_ns; /* of two middle ones the mean, rounded down; 0 for n = 0 */
	int64_t idle_ns;   /* of sum_ns: no thunk of the step was active */
	/* Over steps, one value each, the mean over devices: devices of a step wait for each other, so
	 * that they are no samples of their own. NaN for n = 0, of std also for 1. */
	double mean_ns, std_ns;
};

struct jr_op_steps {
	int64_t sum_ns;         /* over the samples of its program */
	double mean_ns, std_ns; /* of a sample, those without it included; std NaN for fewer than 2 */
};

struct jr_step_times {
	size_t n_samples;
	struct jr_step_sample *samples;    /* by program, then execution */
	struct jr_program_steps *programs; /* [n_programs] */
	struct jr_op_steps *ops;           /* [n_ops] */
};

/** Standard error of mean_ns; NaN for fewer than 2 steps. */
double jr_step_mean_error_ns(const struct jr_program_steps *steps);

/** All of it, in `arena`; steady executions only. O(rows log). */
const struct jr_step_times *jr_step_times_compute(
	const struct jr_profile *profile, struct jr_arena *arena);

#endif
