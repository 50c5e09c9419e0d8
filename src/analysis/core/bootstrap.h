/*
 * bootstrap.h - bootstrap confidence intervals of medians and of their changes.
 * Layer: analysis.  Deterministic: the same samples and seed give the same bytes, on one thread or
 * many, with or without kept draws.
 */
#ifndef JR_ANALYSIS_BOOTSTRAP_H
#define JR_ANALYSIS_BOOTSTRAP_H

#include "analysis/core/statistics.h"

/**
 * Return the factor, at least 1, by which the variance of a median exceeds that of independent
 * values. Consecutive steps of a run are correlated, so this factor matters.
 *
 * It is the larger of two estimates: that of a first-order process with the correlation of
 * neighbors, and the sum over Geyer's initial positive sequence of all correlations. Correlations
 * are of ranks, pooled over all samples, and corrected for bias. The correlation of neighbors is
 * pooled with 10 values of correlation 0.3, so that a few values do not look independent. Trends
 * longer than a sample cannot be detected.
 *
 * Cost: O(n log n), and at most 2e7 products.
 */
double jr_median_inflation(const struct jr_sample *samples, size_t n_samples);

/*
 * A 95 % interval of a median, or of its change.
 *
 * The 2.5th and 97.5th percentiles of the medians of resamples (values drawn one by one, with
 * replacement) give its shape. The ends are then moved away from the estimate by a factor. With
 * this factor the coverage is close to nominal even if values are few or correlated. It is the
 * product of three:
 *
 *  - sqrt(n / (n - 1)): resampling n values underestimates their variance by this much;
 *  - Student's t over the normal quantile, with n - 1 degrees of freedom, or those of Welch and
 *    Satterthwaite for two samples: the variance is an estimate, too;
 *  - the root of jr_median_inflation(), pooled over both samples if there are two.
 *
 * Medians and ratios are scaled by their ratio to the estimate and so stay above 0.
 * tests/unit/test_compare_chance.c checks how often the intervals are right.
 */
struct jr_bootstrap {
	double estimate;
	double low, high; /* NaN for a sample of one value, whose variation is unknown */
	double error;     /* standard error: deviation of the resampled medians times the same factor */
};

#define JR_RESAMPLES 4000
/* A longer sample is thinned to this many values, spread evenly over it. Its estimate uses all
 * values, and its interval is slightly wider than all values would give. */
#define JR_RESAMPLED 50000
#define JR_CONFIDENCE 0.95
#define JR_POWER 0.8 /* "in 8 of 10 cases" */

/*
 * Draws that are kept for further samples. They depend on the number of values and on the seed, not
 * on the values. A history has thousands of runs with the same number of steps, and drawing takes
 * nearly all of the time there. Thread use: any number of threads at once.
 */
struct jr_draws;

struct jr_draws *jr_draws_new(void);
/** Free the draws. NULL-safe. */
void jr_draws_free(struct jr_draws *draws);

/**
 * Return the median of a sample with its interval; all NaN for n = 0.
 *
 * @param kept  NULL, or the store that draws are read from and added to; the result is the same
 * Cost: O(n log n), at most 5e7 draws and 2e7 products of neighbors.
 */
struct jr_bootstrap jr_bootstrap_median(struct jr_sample s, uint64_t seed, struct jr_draws *kept);

struct jr_median_change {
	struct jr_bootstrap absolute; /* median b - median a */
	struct jr_bootstrap relative; /* median b / median a - 1; NaN where median a is 0 */
};

/** Return the change of the median from `a` to `b`; both are resampled. Samples that are equal
 * value by value count as one sample, so their interval is [0, 0]. `kept` as above. */
struct jr_median_change jr_bootstrap_change(
	struct jr_sample a, struct jr_sample b, uint64_t seed, struct jr_draws *kept);

/**
 * Return the smallest true change that such samples detect in 8 of 10 cases, in the unit of
 * `error`. A change is detected if its interval excludes 0 and its estimate reaches `tolerance`. So
 * the true change has to exceed both thresholds by 0.84 errors.
 */
double jr_detectable(double error, double tolerance);

#endif
