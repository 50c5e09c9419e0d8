/*
 * distribution.h - duration classes and quantiles.
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_DISTRIBUTION_H
#define JR_ANALYSIS_DISTRIBUTION_H

#include <stddef.h>
#include <stdint.h>

/* Class edges are 1, 2, 5, 10, 20, 50... ns. Class i contains [edge(i), edge(i + 1)); the first
 * also contains 0, and the last everything from 10,000 s on. */
#define JR_TIME_CLASSES 40

int64_t jr_time_class_edge(size_t i);
size_t jr_time_class(int64_t ns);
/** Write the label "200–500 µs", or "≥ 10000 s" for the last class. At least 32 bytes. */
void jr_time_class_text(size_t i, char out[48]);

/** Return the rank, from 1 to n, of the q-th quantile of n > 0 values: the smallest one that at
 * least a share of q of the values does not exceed (nearest rank, type 1 of Hyndman and Fan). */
size_t jr_quantile_rank(size_t n, double q);

/** Return the value of rank `nth`, from 0, of values[n] in ascending order; values before it are at
 * most as large, and values after it are not smaller. nth < n; reorders them. O(n). */
int64_t jr_select_i64(int64_t *values, size_t n, size_t nth);
/** Return the median of values[n], n > 0, of which two add up; of an even number, the mean of the
 * middle two, without the half. Reorders them. O(n). */
int64_t jr_median_i64(int64_t *values, size_t n);
/** Return the q-th quantile (nearest rank, 0 < q <= 1) of values[n], n > 0; reorders them. O(n). */
int64_t jr_quantile_i64(int64_t *values, size_t n, double q);

/* Ranks, from 1 to n, of the ends of an interval of a quantile. */
struct jr_rank_interval {
	size_t low;  /* 0: n values do not bound the quantile from below */
	size_t high; /* n + 1: they do not bound it from above */
};

/**
 * Return the order statistics between which the true quantile lies with at least that confidence,
 * whatever the distribution of the values: the exact binomial interval, with at most half of the
 * error on either side (David and Nagaraja, Order Statistics, 2003). The values have to be
 * independent. 0 < q < 1; O(n).
 */
struct jr_rank_interval jr_quantile_interval(size_t n, double q, double confidence);
/** Return the least number of values that bound a quantile 0.5 <= q < 1 on both sides: 6, 36 and
 * 368 for 0.5, 0.9 and 0.99 with a confidence of 0.95. */
size_t jr_quantile_least(double q, double confidence);

#endif
