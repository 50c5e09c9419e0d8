/*
 * step_window.h - which span of a device's time its steady steps are, and how long each takes;
 * computed once.
 * Layer: analysis.
 *
 * N steps have N - 1 periods: a step is what lies between its start and the start of the next one,
 * with all that runs or does not run there. So the window of a device begins with its first steady
 * step and ends where the last one begins; what is said of "a step" is what lies in the window,
 * divided by its periods, device by device, and then the mean over devices. Neither warm-up nor the
 * end of the profile is in it, and the same step gives the same figures however many were profiled.
 */
#ifndef JR_ANALYSIS_STEP_WINDOW_H
#define JR_ANALYSIS_STEP_WINDOW_H

#include "analysis/steady.h"

struct jr_step_window {
	/* Whose executions are its steps: the program of the steps; on a device that does not run that
	 * one (a stage of a pipeline) the top module that takes most of its time. JR_NONE: no top
	 * module ran there. */
	uint32_t program;
	int64_t begin_ns, end_ns; /* the device's own clock */
	double n_periods; /* steps in it; 0: a single step was profiled, the window is its execution */
};

/* From a step's start to the start of the next one. */
struct jr_step_period {
	uint32_t execution; /* of the program of the steps: the one that ends the period */
	double ns;          /* mean over devices that run it */
	double idle_ns;     /* of that, no module executed: mean over the same devices */
};

struct jr_step_windows {
	struct jr_step_window *devices; /* [n_devices] */
	size_t n_devices;               /* of these, with a period */
	size_t n_periods;
	struct jr_step_period *periods; /* by execution */
	double mean_ns;                 /* mean over devices of window / periods; NaN: no period */
	double median_ns;               /* of periods; NaN: none */
	double idle_median_ns;          /* of idle_ns of the periods; NaN: none */
};

/** All of it, in `arena`. O(module rows log). */
const struct jr_step_windows *jr_step_windows_compute(
	const struct jr_profile *profile, const struct jr_steady *steady, struct jr_arena *arena);

/** True where the period is long for an idle time that other steps do not have: by more than a
 * quarter of the median period, and by more than the usual idle time. */
bool jr_step_period_paused(
	const struct jr_step_windows *windows, const struct jr_step_period *period);

/** True where mean and median period differ by more than 5 %, so that neither alone tells how often
 * a step comes. */
bool jr_step_periods_uneven(const struct jr_step_windows *windows);

#endif
