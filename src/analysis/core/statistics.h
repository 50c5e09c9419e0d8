/*
 * statistics.h - what can be said of two samples: quantiles, distributions, tests.
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
/** The t >= 0 for which that is p, 0 < p < 1; NaN for other p, and for df that is not above 0. */
double jr_student_quantile(double p, double df);

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

#endif
