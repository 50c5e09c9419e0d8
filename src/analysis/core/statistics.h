/*
 * statistics.h - statistics of one or two samples: quantiles, distributions, tests.
 * Layer: analysis.  Independent of what the samples measure. Deterministic: the same samples and
 * seed give the same bytes, on one thread or many.
 *
 * Samples are finite doubles. Durations of up to 2^53 ns (104 days) are exact as doubles.
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
 * Return the quantile 0 <= q <= 1 of ascending values, linear between neighbors (type 7 of Hyndman
 * and Fan, the default of R and NumPy). NaN for n = 0.
 */
double jr_quantile(const double *sorted, size_t n, double q);
/** Return the same of absolute values in any order, none of them NaN, with scratch[n]. O(n). */
double jr_quantile_of_sizes(const double *values, size_t n, double q, int64_t *scratch);

/* --- distributions ---------------------------------------------------------------------------- */

/** Return P(Z <= z) of the standard normal, and its inverse for 0 < p < 1 (to 1e-9; NaN
 * outside). */
double jr_normal_cdf(double z);
double jr_normal_quantile(double p);
/** Return P(|T| >= |t|), Student's t with df > 0 degrees of freedom; NaN for NaN. */
double jr_student_p(double t, double df);
/** Return the t >= 0 for which jr_student_p() is p, 0 < p < 1; NaN for other p, and if df is not
 * above 0. */
double jr_student_quantile(double p, double df);

/* --- tests ------------------------------------------------------------------------------------ */

/* Mann-Whitney U: do the values of one sample tend to be larger than those of the other sample? */
struct jr_rank_test {
	double u;   /* pairs in which b > a; ties count half */
	double p;   /* two-sided; NaN if a sample is empty */
	bool exact; /* from the permutation distribution, ties included; else from its normal
				   approximation with tie and continuity correction */
};

#define JR_RANK_EXACT 40 /* largest number of values in both samples together */

/** Test whether `a` and `b` have the same ranks. Cost: O((n + m) log) and, if exact, O((n + m)^3
 * min(n, m)). */
struct jr_rank_test jr_mann_whitney(struct jr_sample a, struct jr_sample b);

/* A sample of which only the moments are known. */
struct jr_moments {
	double n, mean, std; /* std: sample standard deviation */
};

/** Return the two-sided p of Welch's t test of equal means. NaN if n < 2; 1 or 0 if nothing
 * varies. */
double jr_welch(struct jr_moments a, struct jr_moments b);

/**
 * Apply Holm's step-down correction in place: p[i] becomes the smallest family-wise level at which
 * i would count as a difference. NaN stay and do not count as tests.
 */
void jr_holm(double *p, size_t n);

#endif
