/*
 * drift.h - what becomes slower bit by bit: runs against the best stretch before them.
 * Layer: compare.
 *
 * A change of each run against the one before may be too small to be told, and the sum of many may
 * matter all the same. So each run is also tested against the best stretch before it: three runs in
 * a row none of which was told as a change, with the lowest middle one of their medians, so that
 *one lucky run is no standard to be held against.
 *
 *	c = log median of the run - log median of the stretch
 *	s = its standard error: of the medians (bootstrap.h) and from run to run, which is measured on
 *	    the changes of neighbours, about their mean: a drift itself is no noise
 *
 * A run has drifted where c reaches the tolerance and exceeds s by Student's t, at a level of 5 %
 * over all pairs of a stretch and a run behind it (Bonferroni), and where no change that was told
 *by itself is half of it: that would be told twice. The drift from a stretch ends at the last run
 *that has drifted from it; where it began, and where it stopped rising, are the corners of the ramp
 *that fits best.
 */
#ifndef JR_COMPARE_DRIFT_H
#define JR_COMPARE_DRIFT_H

#include "base/arena.h"

#include <stdbool.h>

/* A run, in the order of the store. */
struct jr_drift_run {
	double median_ns;   /* of its steps; not above 0, or NaN: it takes no part */
	double error;       /* standard error of that, relative; NaN: it takes no part */
	size_t subject;     /* < n: runs of the same number can be compared with each other */
	bool told;          /* a regression or an improvement against the one before */
	double told_change; /* log of its factor where it is told, and its standard error */
	double told_error;
};

/* A drift, by indexes of runs. */
struct jr_drift {
	size_t from;       /* the last run before it */
	size_t first;      /* the first that is slower by it */
	size_t last;       /* the last that is */
	size_t n;          /* runs from first to last that take part */
	double change;     /* last / from - 1 of their medians */
	size_t n_told;     /* of these, told as a change by themselves */
	size_t best[3];    /* the stretch that the last run was tested against */
	double since_best; /* last / best - 1 */
	bool lasts;        /* it was not made up for by the last run of that subject */
};

struct jr_drifts {
	size_t n;
	struct jr_drift *items; /* by their last runs */
	double *since_best; /* [n_runs] median / that of the best stretch before it - 1; NaN: none */
};

/**
 * Find all drifts. `tolerance`: a relative change below it does not matter.
 * Cost: O(n), and at most 4,096 passes over the runs of each drift.
 */
struct jr_drifts jr_drifts_find(
	const struct jr_drift_run *runs, size_t n, double tolerance, struct jr_arena *arena);

#endif
