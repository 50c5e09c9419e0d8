/*
 * step_time.h - step times, and the owner of each of their nanoseconds; computed once.
 * Layer: analysis.
 *
 * A step is one execution number of a program. Its sample is the execution on the slowest device,
 * because devices wait for each other within a step and are not independent. Each nanosecond of a
 * sample goes to one thunk or to idle: to a compute thunk if one runs, else to a collective, else
 * to a host copy. Among several of a kind it goes to the one that began first. So, to the
 * nanosecond,
 *
 *  sum of a program's samples = sum over its ops of sum_ns + idle_ns
 */
#ifndef JR_ANALYSIS_STEP_TIME_H
#define JR_ANALYSIS_STEP_TIME_H

#include "model/profile/profile.h"

struct jr_step_sample {
	uint32_t program, program_execution;
	uint32_t module; /* row of profile->modules: the slowest device's; among equal ones the first */
	int64_t dur_ns;
	double mean_ns; /* over all devices' executions of that number */
};

struct jr_program_steps {
	size_t first, n; /* its samples, by program_execution */
	int64_t sum_ns;
	int64_t median_ns; /* mean of the two middle values, rounded down; 0 for n = 0 */
	int64_t idle_ns;   /* part of sum_ns in which no thunk of the step was active */
	/* Over steps, with the mean over devices as the value of each step. Devices wait for each other
	 * within a step, so they are not separate samples. NaN for n = 0; std also for n = 1. */
	double mean_ns, std_ns;
};

struct jr_op_steps {
	int64_t sum_ns;         /* over the samples of its program */
	double mean_ns, std_ns; /* per sample, including samples without it; std NaN for fewer than 2 */
};

struct jr_step_times {
	size_t n_samples;
	struct jr_step_sample *samples;    /* by program, then execution */
	struct jr_program_steps *programs; /* [n_programs] */
	struct jr_op_steps *ops;           /* [n_ops] */
};

/** Return the standard error of mean_ns; NaN for fewer than 2 steps. */
double jr_step_mean_error_ns(const struct jr_program_steps *steps);

/** Compute all step times, in `arena`; steady executions only. O(rows log). */
const struct jr_step_times *jr_step_times_compute(
	const struct jr_profile *profile, struct jr_arena *arena);

#endif
