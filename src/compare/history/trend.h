/*
 * trend.h - trends in a store: each run against the one before it, and metrics over all runs.
 * Layer: compare.
 */
#ifndef JR_COMPARE_TREND_H
#define JR_COMPARE_TREND_H

#include "compare/core/compare.h"
#include "compare/history/history.h"

#define JR_TREND_SCHEMA "jaxreport.trend/1"

struct jr_trend_request {
	const char *store;                      /* name of the store, for people */
	const struct jr_metric *const *metrics; /* [n_metrics] */
	size_t n_metrics;
	bool chosen; /* the user chose them: one that no run has, or that is always 0, is shown too */
	double tolerance;
	size_t n_threads;
};

/** Return the metrics shown if none is chosen, by the kind of the last run; NULL-terminated. */
const char *const *jr_trend_default_metrics(const struct jr_history *history);

/**
 * Judge each run against the one before and make sections: the last verdict first, then charts and
 * a table of the metrics, the runs (newest first), and the changes with their causes.
 *
 * @param results  in `arena`; borrows the history
 */
void jr_trend_results(const struct jr_history *history, const struct jr_trend_request *request,
	struct jr_arena *arena, struct jr_results *results);

/**
 * Append a line of bars, one per value: "▁▂▄█"; a blank for NaN. Its height is the range of the
 * values, but at least 5 % of the largest, so that noise stays flat.
 */
void jr_sparkline(struct jr_buf *out, const double *values, size_t n);

#endif
