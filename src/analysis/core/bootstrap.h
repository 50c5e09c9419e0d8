/*
 * bootstrap.h - intervals of medians, and of their changes, by drawing from the samples again.
 * Layer: analysis.  Deterministic: the same samples and seed give the same bytes, on one thread or
 * many, with draws that are kept or without.
 */
#ifndef JR_ANALYSIS_BOOTSTRAP_H
#define JR_ANALYSIS_BOOTSTRAP_H

#include "analysis/core/statistics.h"

/**
 * How many times the variance of a median is what it would be if no value resembled its neighbours:
 * at least 1. Steps of a run do resemble theirs.
 *
 * The larger of what a first-order process with the correlation of neighbours would have, and the
 * sum over Geyer's initial positive sequence of all correlations. They are of ranks, of all samples
 * together, and corrected for their bias; that of neighbours counts together with 10 values for
 * which it is 0.3, so that few values are not taken for independent. Of what rises or falls for
 * longer than a sample nothing can be seen in it.
 *
 * Cost: O(n log n), and at most 2e7 products.
 */
double jr_median_inflation(const struct jr_sample *samples, size_t n_samples);

/*
 * An interval of 95 % about a median, or about how it changed.
 *
 * The medians of resamples (values drawn one by one, with repetition) give its shape: their 2.5th
 * and 97.5th percentile. Its ends are then moved away from the estimate by a factor, the product of
 * three, so that it holds the truth about as often as it says also where values are few, or
 * resemble their neighbours:
 *
 *  - sqrt(n / (n - 1)): resampling n values sees so much less of what they vary;
 *  - Student's t over the normal quantile, with n - 1 degrees of freedom, of two samples with those
 *    of Welch and Satterthwaite: how much they vary is an estimate, too;
 *  - the root of jr_median_inflation(), of both samples together where there are two.
 *
 * Medians and ratios are moved by their ratio to the estimate and so stay above 0.
 * tests/unit/test_compare_chance.c holds how often the intervals are right.
 */
struct jr_bootstrap {
	double estimate;
	double low, high; /* NaN for a sample of one value, which says nothing of how it varies */
	double error;     /* standard error: deviation of the resampled medians times the same factor */
};

#define JR_RESAMPLES 4000
/* Of a longer sample so many values are resampled, spread evenly over it: its estimate is of all
 * values, its interval a bit wider than all would give. */
#define JR_RESAMPLED 50000
#define JR_CONFIDENCE 0.95
#define JR_POWER 0.8 /* "in 8 of 10 cases" */

/*
 * Draws that are kept for further samples. Which values are drawn depends on how many there are and
 * on the seed, not on the values: a history has thousands of runs of as many steps, and to draw is
 * nearly all the work there. Thread use: any number of threads at once.
 */
struct jr_draws;

struct jr_draws *jr_draws_new(void);
/** NULL-safe. */
void jr_draws_free(struct jr_draws *draws);

/**
 * Median of a sample with its interval; all NaN for n = 0.
 *
 * @param kept  NULL, or where draws are taken from and left; the result is the same
 * Cost: O(n log n), at most 5e7 draws and 2e7 products of neighbours.
 */
struct jr_bootstrap jr_bootstrap_median(struct jr_sample s, uint64_t seed, struct jr_draws *kept);

struct jr_median_change {
	struct jr_bootstrap absolute; /* median b - median a */
	struct jr_bootstrap relative; /* median b / median a - 1; NaN where median a is 0 */
};

/** Change of the median from `a` to `b`; both are resampled. Samples that are equal value by value
 * are one sample seen twice: their interval is [0, 0]. `kept` as above. */
struct jr_median_change jr_bootstrap_change(
	struct jr_sample a, struct jr_sample b, uint64_t seed, struct jr_draws *kept);

/**
 * Smallest true change that such samples show in 8 of 10 cases, in units of `error`'s: it is shown
 * where the interval excludes 0 and the estimate reaches `tolerance`, both of which the true change
 * has to exceed by 0.84 errors for that.
 */
double jr_detectable(double error, double tolerance);

#endif
