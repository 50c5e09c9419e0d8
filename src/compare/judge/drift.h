/*
 * drift.h - find gradual slowdowns: runs against the best stretch before them.
 * Layer: compare.
 *
 * Each change against the run before may be too small to report, although the sum of many matters.
 * So each run is also tested against the best stretch before it: three runs in a row without a
 * reported change, whose middle median is the lowest. One lucky run is therefore not the standard.
 *
 *	c = log median of the run - log median of the stretch
 *	s = its standard error: of the medians (bootstrap.h) and from run to run, which is measured on
 *	    the changes of neighbors about their mean, because a drift itself is not noise
 *
 * A run has drifted if c reaches the tolerance and exceeds s by Student's t, at a level of 5 % over
 * all pairs of a stretch and a later run (Bonferroni), and if no reported change is half of c,
 * which would report it twice. The drift from a stretch ends at the last run that has drifted from
 * it. It begins, and stops rising, at the corners of the ramp that fits best.
 */
#ifndef JR_COMPARE_DRIFT_H
#define JR_COMPARE_DRIFT_H

#include "base/arena.h"

#include <stdbool.h>

/* A run, in the order of the store. */
struct jr_drift_run {
	double median_ns;   /* of its steps; if not above 0 or NaN, it is ignored */
	double error;       /* relative standard error; if NaN, it is ignored */
	size_t subject;     /* < n: runs with the same number can be compared */
	bool told;          /* a regression or an improvement against the one before */
	double told_change; /* log of the factor of a reported change */
};

/* A drift, by indexes of runs. */
struct jr_drift {
	size_t from;       /* the last run before it */
	size_t first;      /* the first run that is slower by it */
	size_t last;       /* the last run that is */
	size_t n;          /* runs from first to last that are not ignored */
	double change;     /* last / from - 1 of their medians */
	size_t n_told;     /* runs of these that are reported as a change themselves */
	size_t best[3];    /* the stretch that the last run was tested against */
	double since_best; /* last / best - 1 */
	bool lasts;        /* not reversed by the last run of that subject */
};

struct jr_drifts {
	size_t n;
	struct jr_drift *items; /* sorted by their last runs */
	double *since_best;     /* [n_runs] median / that of the best stretch before - 1; NaN: none */
};

/**
 * Find all drifts. Relative changes below `tolerance` do not matter. Cost: O(n), and at most 4,096
 * passes over the runs of each drift.
 */
struct jr_drifts jr_drifts_find(
	const struct jr_drift_run *runs, size_t n, double tolerance, struct jr_arena *arena);

#endif
