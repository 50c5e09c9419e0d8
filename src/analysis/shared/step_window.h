/*
 * step_window.h - the time window of a device's steady steps, and the length of each step; computed
 * once.
 * Layer: analysis.
 *
 * N steps have N - 1 periods: a step lasts from its start to the start of the next one, including
 * all idle time. So the window of a device begins with its first steady step and ends where the
 * last one begins. Values "per step" are what is in the window, divided by its number of periods,
 * per device, and then averaged over devices. The window excludes warm-up and the end of the
 * profile, so the numbers do not depend on how many steps were profiled.
 *
 * If numbered steps lead (struct jr_leading_steps), a step begins on a device with the first
 * execution that was launched in it. In exports of programs other than XLA's it begins with the
 * first kernel.
 */
#ifndef JR_ANALYSIS_STEP_WINDOW_H
#define JR_ANALYSIS_STEP_WINDOW_H

#include "analysis/shared/steady.h"

struct jr_gpu_time;

struct jr_step_window {
	/* Program whose executions are the device's steps: the steps' program, or, on a device that
	 * does not run it (a stage of a pipeline), the top module with the most time there. JR_NONE: no
	 * top module ran there. */
	uint32_t program;
	bool main;                /* its steps are the counted ones, not a stage's own */
	int64_t begin_ns, end_ns; /* the device's own clock */
	double n_periods; /* number of periods; 0: a single step was profiled, and the window is its
						 execution */
};

/* From the start of one step to the start of the next one. */
struct jr_step_period {
	uint32_t step;  /* the step that ends the period: a number of `begins` */
	double ns;      /* mean over devices that run it */
	double idle_ns; /* part in which no module executed: mean over the same devices */
};

struct jr_step_windows {
	/* Steps are those that the program numbered (struct jr_leading_steps); else executions of the
	 * steps' program. */
	bool numbered;
	/* Numbered steps of main devices, between recorded ones, without any record. */
	size_t n_missing;
	/* There is no step: the programs of one function alternate in no fixed order (variants.h). No
	 * device has a window then. */
	bool irregular;
	struct jr_step_window *devices; /* [n_devices] */
	size_t n_devices;               /* devices with a period */
	size_t n_periods;
	struct jr_step_period *periods; /* by step */
	/* [modules.n] number of the device's step that begins with that execution; JR_NONE: none. All
	 * main devices use the same numbers. */
	uint32_t *begins;
	/* Steps of all main devices, scaled up to all devices with a top module. The wall time of all
	 * devices divided by it is the time per step. 0: nothing ran. */
	double n_steps;
	double mean_ns;        /* mean over devices of window / periods; NaN: no period */
	double median_ns;      /* of periods, to 1 ns; NaN: none */
	double idle_median_ns; /* of idle_ns of the periods; NaN: none */
};

/** Compute all windows, in `arena`; `gpu` NULL: operations are unknown. O((rows) log). */
const struct jr_step_windows *jr_step_windows_compute(const struct jr_profile *profile,
	const struct jr_steady *steady, const struct jr_gpu_time *gpu, struct jr_arena *arena);

/** Return the step number for people: the number that the program gave it, else the number of the
 * execution. */
int64_t jr_step_number(
	const struct jr_profile *profile, const struct jr_step_windows *windows, uint32_t step);

/** Return the time per step in ns: the mean over steady steps, or the median if periods are uneven.
 * NaN: no period. */
double jr_step_period_ns(const struct jr_step_windows *windows);

/**
 * Return the windows that per-step values are measured in: all steady steps, or, if periods are
 * uneven, the one step nearest to the median. So all numbers use one statistic.
 *
 * @return `windows`, or a copy in `arena` whose devices have a window of one period each; devices
 *         that did not take that step have none
 */
const struct jr_step_windows *jr_step_typical_windows(const struct jr_profile *profile,
	const struct jr_step_windows *windows, struct jr_arena *arena);

/** Return true if extra idle time makes the period long. Its idle time exceeds the usual idle time
 * by more than a quarter of the median period, and by more than the usual idle time itself. */
bool jr_step_period_paused(
	const struct jr_step_windows *windows, const struct jr_step_period *period);

#define JR_STEP_UNEVEN 0.05 /* of the median period */
/** Return true if mean and median period differ by more than 5 %, so that neither alone gives the
 * rate of steps. Also true if steps are missing, whose time cannot be attributed to a step. */
bool jr_step_periods_uneven(const struct jr_step_windows *windows);

#endif
