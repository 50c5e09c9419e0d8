/*
 * metrics.h - metrics that gates and histories use, from one table: metrics.def.
 * Layer: compare.
 */
#ifndef JR_COMPARE_METRICS_H
#define JR_COMPARE_METRICS_H

#include "compare/run/run.h"

enum jr_better { JR_BETTER_LESS = -1, JR_BETTER_NEITHER, JR_BETTER_MORE };

struct jr_metric {
	const char *name, *title, *help;
	enum jr_unit unit;
	enum jr_better better;
	bool varies;  /* per step: a change needs enough steps to be meaningful */
	bool counted; /* a sum over instructions, of which some may be unknown */
	/* In base units; NaN if the run does not have it. NULL: a metric of one program. */
	double (*value)(const struct jr_run *run);
	/* Of a metric of one program. `program` is NULL in the list; jr_metric_parse() makes a copy
	 * with it, and with the name that contains it: "latency.p99(jit_decode)". */
	const char *program;
	size_t column;       /* of JR_RUN_LATENCY */
	double quantile;     /* 1: the longest, which has no interval */
	const char *too_few; /* why a run does not bound the quantile */
};

/* All metrics in the order of their list; ends with a NULL name. */
extern const struct jr_metric jr_metrics[];
/** Return the value in base units; NaN if the run does not have it. O(programs) for a metric of one
 * program. */
double jr_metric_value(const struct jr_metric *metric, const struct jr_run *run);
/** Return the copy of a metric of one program for a program. In `arena`. */
const struct jr_metric *jr_metric_of_program(
	const struct jr_metric *metric, const char *program, struct jr_arena *arena);
/** Return the length of the metric at the beginning of a text: "NAME" or "NAME(PROGRAM)". It ends
 * at a blank or operator outside of parentheses. */
size_t jr_metric_length(const char *text, size_t n);
/**
 * Parse "NAME" or "NAME(PROGRAM)".
 * @param arena  of a copy, if the metric is of one program
 * @return JR_EUSAGE with the error; for an unknown metric also the name of the nearest one
 */
enum jr_status jr_metric_parse(const char *text, size_t n, struct jr_arena *arena,
	const struct jr_metric **out, struct jr_error *err) JR_MUST_CHECK;

/* A percentile of a run, and its 95 % interval; NaN: unknown, or not bounded. */
struct jr_bounds {
	double estimate, low, high;
};
/** Return the value and interval of a metric of one program. */
struct jr_bounds jr_metric_bounds(const struct jr_metric *metric, const struct jr_run *run);
/** Return the sample whose median the metric is, or NULL: it has no samples, so no interval. */
const struct jr_sample *jr_metric_sample(const struct jr_metric *metric, const struct jr_run *run);
/** Return a row by name, or NULL. */
const struct jr_metric *jr_metric_find(const char *name, size_t n);

/* The values of a metric in two runs. All in base units; NaN = unknown. */
struct jr_metric_change {
	double base, fresh;
	double absolute; /* fresh - base */
	double relative; /* fresh / base - 1; 0 for 0 to 0, infinite from 0 to anything else */
	/* Interval of both changes if the metric is sampled; else NaN. */
	double absolute_low, absolute_high, relative_low, relative_high;
};

/* Seed of all resampling, so that a verdict and a gate for the same metric see the same interval.
 */
#define JR_COMPARE_SEED 1

/**
 * Compare one metric. The interval of a percentile of a program follows from the intervals of both
 * runs by squaring and adding their arms, of logarithms for the relative change (MOVER; Zou and
 * Donner 2008).
 * @param steps  change of the median step if it is already known; NULL: it is resampled
 */
struct jr_metric_change jr_metric_compare(const struct jr_metric *metric, const struct jr_run *base,
	const struct jr_run *fresh, const struct jr_median_change *steps);

/** Return the unit that a metric is written in: "ms", "bytes", "fraction", "number". */
const char *jr_metric_unit(enum jr_unit unit);
/** Return a value of a metric, or with a sign a change, as text for people; NULL for NaN. */
const char *jr_metric_text(enum jr_unit unit, double v, bool change, struct jr_arena *arena);

/** Append the list of metrics for --list-metrics. */
void jr_metrics_list(struct jr_buf *out);

#endif
