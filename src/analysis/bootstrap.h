/*
 * bootstrap.h - intervals of medians, and of their changes, by drawing from the samples again.
 * Layer: analysis.  Deterministic: the same samples and seed give the same bytes, on one thread or
 * many, with draws that are kept or without.
 */
#ifndef JR_ANALYSIS_BOOTSTRAP_H
#define JR_ANALYSIS_BOOTSTRAP_H

#include "analysis/statistics.h"

/** Correlation of neighbours; 0 where n < 3 or nothing varies. */
double jr_autocorrelation(struct jr_sample s);
/**
 * How many neighbours to resample together, so that values that drift do not pass for independent
 * ones: 1 where the correlation of neighbours is below 2 / sqrt(n), else Carlstein's rule for a
 * first-order process, at most n / 4.
 */
size_t jr_block_length(struct jr_sample s);

struct jr_bootstrap {
	double estimate;
	double low, high; /* percentile interval */
	double error;     /* standard error: sample standard deviation over the resamples */
};

#define JR_RESAMPLES 4000
/* Of a longer sample so many values are resampled, spread evenly over it: its estimate is of all
 * values, its interval a bit wider than all would give. */
#define JR_RESAMPLED 50000
#define JR_CONFIDENCE 0.95

/*
 * Draws that are kept for further samples. Which values are drawn hangs on how many there are, on
 * the block length and on the seed, not on the values: a history has thousands of runs of as many
 * steps, and to draw is nearly all the work there. Thread use: any number of threads at once.
 */
struct jr_draws;

struct jr_draws *jr_draws_new(void);
/** NULL-safe. */
void jr_draws_free(struct jr_draws *draws);

/**
 * Median of a sample with its interval; all NaN for n = 0.
 *
 * @param kept  NULL, or where draws are taken from and left; the result is the same
 * Cost: O(n log n), and at most 5e7 draws.
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

/** Smallest true change that such samples find in 80 of 100 cases, in units of `error`'s. */
double jr_detectable(double error);

#endif
