/*
 * statistics.h - what can be said of two samples: medians, intervals, tests, power.
 * Layer: analysis.  Nothing here knows what a sample is of. Deterministic: the same samples and
 * seed give the same bytes, on one thread or many.
 *
 * Samples are finite doubles. Durations of up to 2^53 ns (104 days) are exact in them.
 */
#ifndef JR_ANALYSIS_STATISTICS_H
#define JR_ANALYSIS_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jr_sample {
	const double *values; /* in the order they were taken */
	size_t n;
};

/* --- order ------------------------------------------------------------------------------------ */

/** Sort ascending, in place. */
void jr_sort_doubles(double *values, size_t n);
/**
 * Quantile 0 <= q <= 1 of ascending values, linear between neighbours (type 7 of Hyndman and Fan,
 * what R and NumPy do by default). NaN for n = 0.
 */
double jr_quantile(const double *sorted, size_t n, double q);

/* --- distributions ---------------------------------------------------------------------------- */

/** Standard normal: P(Z <= z), and its inverse for 0 < p < 1 (to 1e-9; NaN outside). */
double jr_normal_cdf(double z);
double jr_normal_quantile(double p);
/** P(|T| >= |t|), Student's t with df > 0 degrees of freedom; NaN for NaN. */
double jr_student_p(double t, double df);

/* --- tests ------------------------------------------------------------------------------------ */

/* Mann-Whitney U: do values of one sample tend to be larger than those of the other? */
struct jr_rank_test {
	double u;   /* pairs in which b > a, ties by half */
	double p;   /* two-sided; NaN where a sample is empty */
	bool exact; /* the permutation distribution, ties included; else its normal approximation with
				   tie and continuity correction */
};

#define JR_RANK_EXACT 40 /* up to so many values in both samples together */

/** Cost: O((n + m) log) and, where exact, O((n + m)^3 min(n, m)). */
struct jr_rank_test jr_mann_whitney(struct jr_sample a, struct jr_sample b);
/** The smallest p that two samples of n and m values without ties can give: 2 / C(n + m, n). */
double jr_mann_whitney_floor(size_t n, size_t m);

/* A sample that is known by its moments only. */
struct jr_moments {
	double n, mean, std; /* std: sample standard deviation */
};

/** Welch's t test of equal means, two-sided p. NaN where n < 2; where nothing varies 1 or 0. */
double jr_welch(struct jr_moments a, struct jr_moments b);

/**
 * Holm's step-down correction, in place: p[i] becomes the smallest family-wise level at which i
 * would be called a difference. NaN stay and do not count as tests.
 */
void jr_holm(double *p, size_t n);

/* --- intervals -------------------------------------------------------------------------------- */

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

/** Median of a sample with its interval; all NaN for n = 0. Cost: O(n log n), and at most 5e7
 * draws. */
struct jr_bootstrap jr_bootstrap_median(struct jr_sample s, uint64_t seed);

struct jr_median_change {
	struct jr_bootstrap absolute; /* median b - median a */
	struct jr_bootstrap relative; /* median b / median a - 1; NaN where median a is 0 */
};

/** Change of the median from `a` to `b`; both are resampled. Samples that are equal value by value
 * are one sample seen twice: their interval is [0, 0]. */
struct jr_median_change jr_bootstrap_change(struct jr_sample a, struct jr_sample b, uint64_t seed);

/** Smallest true change that such samples find in 80 of 100 cases, in units of `error`'s. */
double jr_detectable(double error);

#endif
