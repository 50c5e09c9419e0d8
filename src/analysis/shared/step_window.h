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
 *
 * Where numbered steps lead, a step begins on a device with the first execution that was launched
 * in it; in exports of other programs than XLA's with the first kernel.
 */
#ifndef JR_ANALYSIS_STEP_WINDOW_H
#define JR_ANALYSIS_STEP_WINDOW_H

#include "analysis/shared/steady.h"

struct jr_gpu_time;

struct jr_step_window {
	/* Whose executions are its steps: the program of the steps; on a device that does not run that
	 * one (a stage of a pipeline) the top module that takes most of its time. JR_NONE: no top
	 * module ran there. */
	uint32_t program;
	bool main;                /* its steps are those that are counted, not a stage's own */
	int64_t begin_ns, end_ns; /* the device's own clock */
	double n_periods; /* steps in it; 0: a single step was profiled, the window is its execution */
};

/* From a step's start to the start of the next one. */
struct jr_step_period {
	uint32_t step;  /* the one that ends the period: a number of `begins` */
	double ns;      /* mean over devices that run it */
	double idle_ns; /* of that, no module executed: mean over the same devices */
};

struct jr_step_windows {
	/* Steps are those that the program numbered (struct jr_leading_steps); else executions of the
	 * program of the steps. */
	bool numbered;
	/* Numbered steps of main devices, amid others, of which nothing was recorded. */
	size_t n_missing;
	/* There is no step: programs of one function take turns in no fixed order (variants.h). No
	 * device has a window then. */
	bool irregular;
	struct jr_step_window *devices; /* [n_devices] */
	size_t n_devices;               /* of these, with a period */
	size_t n_periods;
	struct jr_step_period *periods; /* by step */
	/* [modules.n] number of the step of its device that begins with that execution, JR_NONE: none
	 * does. All main devices number alike. */
	uint32_t *begins;
	/* Steps of all main devices; as many for each device of a top module that is none, so that the
	 * wall of all devices by it is what a step takes. 0: nothing ran. */
	double n_steps;
	double mean_ns;        /* mean over devices of window / periods; NaN: no period */
	double median_ns;      /* of periods, to 1 ns; NaN: none */
	double idle_median_ns; /* of idle_ns of the periods; NaN: none */
};

/** All of it, in `arena`; `gpu` NULL: nothing is known of operations. O((rows) log). */
const struct jr_step_windows *jr_step_windows_compute(const struct jr_profile *profile,
	const struct jr_steady *steady, const struct jr_gpu_time *gpu, struct jr_arena *arena);

/** What people know a step by: the number that the program gave it, else the number of the
 * execution. */
int64_t jr_step_number(
	const struct jr_profile *profile, const struct jr_step_windows *windows, uint32_t step);

/** What is said of "a step": the mean over steady steps; of uneven periods the median, ns. NaN: no
 * period. */
double jr_step_period_ns(const struct jr_step_windows *windows);

/**
 * The windows that "a step" is measured in: all steady steps; of uneven periods the one step that
 * is nearest to the median, so that every number of it is of one statistic.
 *
 * @return `windows`, or a copy in `arena` whose devices have a window of one period each, but for
 *         devices that did not take that step: those have none
 */
const struct jr_step_windows *jr_step_typical_windows(const struct jr_profile *profile,
	const struct jr_step_windows *windows, struct jr_arena *arena);

/** True where the period is long for an idle time that other steps do not have: by more than a
 * quarter of the median period, and by more than the usual idle time. */
bool jr_step_period_paused(
	const struct jr_step_windows *windows, const struct jr_step_period *period);

#define JR_STEP_UNEVEN 0.05 /* of the median period */
/** True where mean and median period differ by more than 5 %, so that neither alone tells how often
 * a step comes; and where steps are missing, whose time says nothing of a step. */
bool jr_step_periods_uneven(const struct jr_step_windows *windows);

#endif
