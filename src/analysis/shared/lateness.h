/*
 * lateness.h - how late each device is in each step, and since when; computed once.
 * Layer: analysis.  Definitions and sources: analysis/README.md, section 6.6.
 *
 * A device needs its time of a step without the exposed waiting for other devices. Its lag is what
 * it needs beyond the median device of that step. Both are differences of times on the device's own
 * clock. A step lasts from the end of the step before it to its own end, so a late start and slow
 * kernels after the last collective belong to the step in which they occur.
 */
#ifndef JR_ANALYSIS_LATENESS_H
#define JR_ANALYSIS_LATENESS_H

#include "analysis/shared/delays.h"
#include "analysis/shared/step_window.h"

/* One step of one device. */
struct jr_lag {
	uint32_t device, step; /* step: a number of jr_step_windows.begins */
	bool whole;            /* with the time since the step before; false in a device's first step */
	double need_ns;        /* NaN: not known */
	double lag_ns;         /* below 0 for devices faster than the median; NaN: not known, or no
							* other device has a comparable step */
	double own_ns, own_lag_ns; /* the same without the time since the step before */
	size_t row;                /* of modules: where the step begins */
};

enum jr_late_when {
	JR_LATE_NEVER,
	JR_LATE_ALWAYS, /* in at least 90 % of its steps */
	JR_LATE_SINCE,  /* in at least 90 % of the steps from `since` on, in at most 10 % before it */
	JR_LATE_DURING, /* in at least 90 % of the steps `since` to `until`, in at most 10 % of others
					 */
	JR_LATE_EACH,   /* in each `period`-th step, and in no other */
	JR_LATE_SOMETIMES,
};

/* How late a device, or a group of devices, is over all steps. */
struct jr_late {
	enum jr_late_when when;
	uint32_t since, until;  /* steps; JR_NONE unless JR_LATE_SINCE (since) or JR_LATE_DURING */
	size_t n_since;         /* steps from `since` on; 0 unless JR_LATE_SINCE */
	uint32_t period;        /* steps; 0 unless JR_LATE_EACH */
	uint32_t begins;        /* the first late step; JR_NONE: none */
	bool grows;             /* the lag grows steadily rather than at one step */
	double from_ns, to_ns;  /* then: lag in the first and the last step, on the straight line */
	size_t n_late, n_steps; /* late steps, and steps with a known lag */
	double mean_ns;         /* mean lag over these steps; NaN: none */
};

struct jr_lateness {
	size_t n;
	struct jr_lag *lags;     /* by device, then by step */
	size_t *first;           /* [n_devices + 1] lags of device d: first[d] .. first[d + 1] */
	double need_ns;          /* median over steps of the median need of a step; NaN: none */
	double noise_ns;         /* standard deviation of a lag from step to step; NaN: none */
	double bound_ns;         /* a device is late in a step if its lag is above this; NaN: none */
	struct jr_late *devices; /* [n_devices] */
};

/** Measure the lags of devices that share collectives with others and run the steps' program, in
 * `arena`. O(rows log rows). */
const struct jr_lateness *jr_lateness_compute(const struct jr_profile *profile,
	const struct jr_steady *steady, const struct jr_step_windows *windows,
	const struct jr_instances *instances, const struct jr_delays *delays, struct jr_arena *arena);

/**
 * Return how late a group of devices is: by the mean of their lags in each step.
 * @param devices  [n]
 * @note O(lags of these devices, log)
 */
struct jr_late jr_lateness_of(const struct jr_lateness *lateness, const uint32_t *devices, size_t n,
	struct jr_arena *scratch);

/**
 * Judge any times by step, in order of steps: which are above the bound, and since when.
 * @param whole  the first step is as complete as the others
 * @note mean_ns and grows are not set. O(n)
 */
struct jr_late jr_late_judge(
	const uint32_t *steps, const double *ns, size_t n, bool whole, double bound_ns);

/** Return true if times grow steadily by more than `least_ns` from the first step to the last,
 * rather than at one step: from about *from_ns to *to_ns. O(n) */
bool jr_late_grows(const double *ns, size_t n, double least_ns, double *from_ns, double *to_ns);

/** Return true for a device that is late often enough to be described: all the time, since a step,
 * or in some steps by at least 1 % of a step on average. */
bool jr_late_matters(const struct jr_lateness *lateness, uint32_t device);

/** Return "since step 12", "in 5 of 5 steps", "in steps 10 to 25", "in every 5th step" or, if fewer
 * than half are late, "now and then (4 of 30 steps)". If the lag grows: "increasingly since step
 * 12". NULL: not late, or a single step. In `arena`. */
const char *jr_late_words(const struct jr_profile *profile, const struct jr_step_windows *windows,
	const struct jr_late *late, struct jr_arena *arena);

#endif
