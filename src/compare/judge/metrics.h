/*
 * metrics.h - figures that gates and histories name: one table, metrics.def.
 * Layer: compare.
 */
#ifndef JR_COMPARE_METRICS_H
#define JR_COMPARE_METRICS_H

#include "compare/run/run.h"

struct jr_buf;

enum jr_better { JR_BETTER_LESS = -1, JR_BETTER_NEITHER, JR_BETTER_MORE };

struct jr_metric {
	const char *name, *title, *help;
	enum jr_unit unit;
	enum jr_better better;
	bool varies; /* from step to step: a change takes enough of them to mean anything */
	/* In base units, NaN where the run does not have it. */
	double (*value)(const struct jr_run *run);
};

/* All metrics, in the order they are listed; ends with a NULL name. */
extern const struct jr_metric jr_metrics[];
/** What the metric is the median of, or NULL: it has no samples, so no interval. */
const struct jr_sample *jr_metric_sample(const struct jr_metric *metric, const struct jr_run *run);
/** Row by name, or NULL. */
const struct jr_metric *jr_metric_find(const char *name, size_t n);

/** For "did you mean": the name that is spelt most like `name`, else the one that begins most like
 * it; NULL where none does for 3 letters. */
const char *jr_metric_nearest(const char *name, size_t n);

/* A metric of two runs. All in base units, NaN = unknown. */
struct jr_metric_change {
	double base, fresh;
	double absolute; /* fresh - base */
	double relative; /* fresh / base - 1; 0 for 0 to 0, infinite from 0 to anything else */
	/* Interval of both, where the metric is sampled; else NaN. */
	double absolute_low, absolute_high, relative_low, relative_high;
};

/* Of all resampling: a verdict and a gate for the same thing see the same interval. */
#define JR_COMPARE_SEED 1

/**
 * Compare one metric.
 * @param steps  change of the median step, where it is known by now; NULL: it is resampled
 */
struct jr_metric_change jr_metric_compare(const struct jr_metric *metric, const struct jr_run *base,
	const struct jr_run *fresh, const struct jr_median_change *steps);

/** Name of the unit that a metric is written in: "ms", "bytes", "fraction", "number". */
const char *jr_metric_unit(enum jr_unit unit);
/** A value of a metric, or with a sign a change of one, as people read it; NULL for NaN. */
const char *jr_metric_text(enum jr_unit unit, double v, bool change, struct jr_arena *arena);

/** The list that --list-metrics prints. */
void jr_metrics_list(struct jr_buf *out);

#endif
