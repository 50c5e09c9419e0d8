/* Medians, intervals, tests and power, against published values and values found by counting. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "analysis/core/bootstrap.h"
#include "base/cleanup.h"
#include "random.h"

#define SAMPLE(...)                                                                                \
	(struct jr_sample)                                                                             \
	{                                                                                              \
		(const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double)      \
	}

static void assert_close(double seen, double expected, double tolerance)
{
	if (!(fabs(seen - expected) <= tolerance))
		fail_msg("%.17g is not %.17g +- %g", seen, expected, tolerance);
}

static double uniform(uint64_t *state)
{
	return ((double)(next_random(state) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *state)
{
	return jr_normal_quantile(uniform(state));
}

/* --- distributions: values of tables (NIST, Abramowitz and Stegun) ---------------------------- */

static UNIT(normal_known)
{
	assert_close(jr_normal_cdf(0), 0.5, 1e-15);
	assert_close(jr_normal_cdf(1), 0.841344746068543, 1e-14);
	assert_close(jr_normal_cdf(-2), 0.0227501319481792, 1e-14);
	assert_close(jr_normal_quantile(0.975), 1.95996398454005, 1e-9);
	assert_close(jr_normal_quantile(0.8), 0.841621233572914, 1e-9);
	assert_close(jr_normal_quantile(0.5), 0, 1e-12);
	assert_close(jr_normal_quantile(0.001), -3.09023230616781, 1e-9);
	assert_close(jr_normal_quantile(1e-12), -7.03448383, 1e-6);
	assert_true(isnan(jr_normal_quantile(0)) && isnan(jr_normal_quantile(1)));
	for (double p = 1e-9; p < 1; p += 0.000977)
		assert_close(jr_normal_cdf(jr_normal_quantile(p)), p, 1e-12);
}

static UNIT(student_known)
{
	/* critical values for a two-sided 5 % and 1 % */
	assert_close(jr_student_p(12.706204736, 1), 0.05, 1e-9);
	assert_close(jr_student_p(2.228138852, 10), 0.05, 1e-9);
	assert_close(jr_student_p(-2.749995654, 30), 0.01, 1e-9);
	assert_close(jr_student_p(1.959963985, 1e9), 0.05, 1e-7);
	assert_close(jr_student_p(0, 5), 1, 1e-15);
	/* one degree of freedom is the Cauchy distribution */
	assert_close(jr_student_p(1, 1), 0.5, 1e-14);
	assert_close(jr_student_p(3, 1), 1 - 2 * atan(3) / M_PI, 1e-14);
	assert_true(isnan(jr_student_p(NAN, 3)));
	assert_true(isnan(jr_student_p(3, 0)) && isnan(jr_student_p(3, -1)));
	assert_close(jr_student_quantile(0.05, 10), 2.228138852, 1e-8);
	assert_close(jr_student_quantile(0.05, 1), 12.706204736, 1e-8);
	assert_close(jr_student_quantile(0.01, 30), 2.749995654, 1e-8);
	for (double p = 1e-6; p < 1; p += 0.0377)
		assert_close(jr_student_p(jr_student_quantile(p, 2.7), 2.7), p, 1e-12);
	assert_true(isnan(jr_student_quantile(0, 3)) && isnan(jr_student_quantile(0.1, 0)));
}

static UNIT(quantiles_known)
{
	const double v[] = {1, 2, 4, 8};
	assert_close(jr_quantile(v, 4, 0), 1, 0);
	assert_close(jr_quantile(v, 4, 1), 8, 0);
	assert_close(jr_quantile(v, 4, 0.5), 3, 0);
	assert_close(jr_quantile(v, 4, 0.9), 6.8, 1e-12);
	assert_close(jr_quantile(v, 3, 0.5), 2, 0);
	assert_close(jr_quantile(v, 1, 0.3), 1, 0);
	assert_true(isnan(jr_quantile(v, 0, 0.5)));
}

/* Values of both signs, some of equal size, must give what the sorted sizes give, to the bit. */
static UNIT(quantiles_of_sizes)
{
	double values[97], sorted[97];
	int64_t scratch[97];
	for (size_t i = 0; i < 97; i++)
		values[i] = (double)((int)(i * 41 % 89) - 40) / 3;
	for (size_t n = 0; n <= 97; n++) {
		for (size_t i = 0; i < n; i++)
			sorted[i] = fabs(values[i]);
		jr_sort_doubles(sorted, n);
		for (double q = 0; q <= 1; q += 0.0625) {
			double expected = jr_quantile(sorted, n, q);
			double got = jr_quantile_of_sizes(values, n, q, scratch);
			assert_true(n ? got == expected : isnan(got));
		}
	}
}

/* --- Mann-Whitney ----------------------------------------------------------------------------- */

static UNIT(rank_test_known)
{
	/* all of b above all of a: 2 of C(6, 3) = 20 orders are as extreme */
	struct jr_rank_test t = jr_mann_whitney(SAMPLE(1, 2, 3), SAMPLE(4, 5, 6));
	assert_true(t.exact);
	assert_close(t.u, 9, 0);
	assert_close(t.p, 0.1, 1e-12);
	/* permeability of a membrane (Hollander and Wolfe 1973, p. 69): U = 35 of 50, p = 0.2544 */
	t = jr_mann_whitney(SAMPLE(1.15, 0.88, 0.90, 0.74, 1.21),
		SAMPLE(0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46));
	assert_close(t.u, 35, 0);
	assert_close(t.p, 0.254412254412254, 1e-12);
	/* nothing differs */
	t = jr_mann_whitney(SAMPLE(5, 5, 5, 5), SAMPLE(5, 5, 5));
	assert_close(t.u, 6, 0);
	assert_close(t.p, 1, 1e-12);
	/* ties, counted by hand: ranks 1.5 1.5 3.5 | 3.5 5 6 of 20 choices; sums 14.5 and 15 above, by
	 * mirror 6.5 and 6 below: 2 choices of {3.5, 5, 6} = 14.5 among them */
	t = jr_mann_whitney(SAMPLE(1, 1, 2), SAMPLE(2, 3, 4));
	assert_close(t.u, 8.5, 0);
	assert_close(t.p, 4 / 20.0, 1e-12);
	assert_true(isnan(jr_mann_whitney(SAMPLE(1), (struct jr_sample){NULL, 0}).p));
}

/* Try every choice of k of n positions, as bits. */
static double p_by_counting(const double *values, size_t n, unsigned first)
{
	double ranks[16], center = 0, sum = 0;
	size_t k = (size_t)__builtin_popcount(first);
	for (size_t i = 0; i < n; i++) {
		double below = 0, equal = 0;
		for (size_t j = 0; j < n; j++) {
			below += values[j] < values[i];
			equal += values[j] == values[i];
		}
		ranks[i] = below + (equal + 1) / 2;
		sum += first >> i & 1 ? ranks[i] : 0;
	}
	center = (double)k * (double)(n + 1) / 2;
	double all = 0, extreme = 0;
	for (unsigned bits = 0; bits < 1u << n; bits++) {
		if ((size_t)__builtin_popcount(bits) != k)
			continue;
		double own = 0;
		for (size_t i = 0; i < n; i++)
			own += bits >> i & 1 ? ranks[i] : 0;
		all++;
		extreme += fabs(own - center) >= fabs(sum - center) - 1e-9;
	}
	return extreme / all;
}

static UNIT(rank_test_counts)
{
	uint64_t random = 7;
	for (int round = 0; round < 60; round++) {
		double values[10], a[10], b[10];
		size_t n = 4 + next_random(&random) % 7, n_a = 0, n_b = 0;
		unsigned first = 0;
		for (size_t i = 0; i < n; i++) {
			values[i] = (double)(next_random(&random) % 6); /* many ties */
			bool in_a = i == 0 || (i > 1 && next_random(&random) >> 63);
			first |= (unsigned)in_a << i;
			if (in_a)
				a[n_a++] = values[i];
			else
				b[n_b++] = values[i];
		}
		struct jr_rank_test t =
			jr_mann_whitney((struct jr_sample){a, n_a}, (struct jr_sample){b, n_b});
		assert_close(t.p, p_by_counting(values, n, first), 1e-12);
		struct jr_rank_test mirrored =
			jr_mann_whitney((struct jr_sample){b, n_b}, (struct jr_sample){a, n_a});
		assert_close(mirrored.p, t.p, 1e-12);
		assert_close(mirrored.u + t.u, (double)(n_a * n_b), 1e-12);
	}
}

/* Above the limit of the exact test the approximation takes over without a jump. */
static UNIT(rank_test_approximates)
{
	double a[21], b[20];
	for (int i = 0; i < 21; i++)
		a[i] = i;
	for (int i = 0; i < 20; i++)
		b[i] = i + 6.5;
	struct jr_rank_test exact =
		jr_mann_whitney((struct jr_sample){a, 20}, (struct jr_sample){b, 20});
	struct jr_rank_test close =
		jr_mann_whitney((struct jr_sample){a, 21}, (struct jr_sample){b, 20});
	assert_true(exact.exact && !close.exact);
	assert_close(exact.u, 309, 0);
	assert_close(exact.p, 0.0026, 0.0002);
	assert_true(close.p > exact.p && close.p < 2.5 * exact.p);
}

/* With only two distinct values, u moves by 60 for each larger value that is in b instead of a.
 * Their number is hypergeometric: 60 of 120, half of them drawn, variance 60 / 4 * 60 / 119. So
 * u is 60 * 5 above its mean of 1800, less one half as continuity correction. */
static UNIT(rank_test_approximates_with_ties)
{
	double a[60], b[60];
	for (int i = 0; i < 60; i++) {
		a[i] = i >= 35;
		b[i] = i >= 25;
	}
	struct jr_rank_test t = jr_mann_whitney((struct jr_sample){a, 60}, (struct jr_sample){b, 60});
	assert_false(t.exact);
	assert_close(t.u, 2100, 0);
	assert_close(t.p, erfc(299.5 / (60 * sqrt(15 * 60 / 119.0)) / sqrt(2)), 1e-12);
	assert_close(t.p, 0.0695, 0.0001);
}

/* --- Welch, Holm ------------------------------------------------------------------------------ */

static UNIT(welch_known)
{
	/* Welch (1947), by the formulas: t = 2 / sqrt(1 + 4), df = 25 / (1/9 + 16/19) */
	struct jr_moments a = {10, 10, sqrt(10)}, b = {20, 12, sqrt(80)};
	double df = 25 / (1 / 9.0 + 16 / 19.0);
	assert_close(jr_welch(a, b), jr_student_p(2 / sqrt(5), df), 1e-15);
	assert_true(isnan(jr_welch((struct jr_moments){1, 3, NAN}, b)));
	assert_close(jr_welch((struct jr_moments){5, 3, 0}, (struct jr_moments){5, 3, 0}), 1, 0);
	assert_close(jr_welch((struct jr_moments){5, 3, 0}, (struct jr_moments){5, 4, 0}), 0, 0);
}

static UNIT(holm_known)
{
	/* Holm (1979): 0.01 * 4, 0.02 * 3, 0.03 * 2, 0.04 * 1, never falling */
	double p[] = {0.03, 0.01, NAN, 0.04, 0.02};
	jr_holm(p, 5);
	assert_close(p[1], 0.04, 1e-15);
	assert_close(p[4], 0.06, 1e-15);
	assert_close(p[0], 0.06, 1e-15);
	assert_close(p[3], 0.06, 1e-15);
	assert_true(isnan(p[2]));
	double high[] = {0.9, 0.6};
	jr_holm(high, 2);
	assert_close(high[0], 1, 0);
	assert_close(high[1], 1, 0);
	jr_holm(NULL, 0);
}

/* --- intervals -------------------------------------------------------------------------------- */

/* Return how many times wider the interval of a median is than its resamples. */
static double stretch_of(struct jr_sample s)
{
	double n = (double)s.n;
	return jr_student_quantile(0.05, n - 1) / jr_normal_quantile(0.975) *
		   sqrt(n / (n - 1) * jr_median_inflation(&s, 1));
}

static UNIT(median_interval)
{
	/* one value does not show its variation, two show little */
	struct jr_bootstrap one = jr_bootstrap_median(SAMPLE(3), 1, NULL);
	assert_true(one.estimate == 3 && isnan(one.low) && isnan(one.high) && isnan(one.error));
	struct jr_bootstrap two = jr_bootstrap_median(SAMPLE(1, 2), 1, NULL);
	assert_true(two.estimate == 1.5 && two.low > 0 && two.low < 0.2 && two.high > 10);
	assert_true(isnan(jr_bootstrap_median((struct jr_sample){NULL, 0}, 1, NULL).estimate));
	struct jr_sample s = SAMPLE(9, 1, 8, 2, 7, 3, 6, 4, 5);
	struct jr_bootstrap first = jr_bootstrap_median(s, 42, NULL),
						again = jr_bootstrap_median(s, 42, NULL);
	assert_memory_equal(&first, &again, sizeof(first));
	assert_true(first.estimate == 5 && first.low < 5 && first.high > 5);
	/* P(median of a resample <= 2) = P(at least 5 of 9 draws hit the lowest 2) = 0.0251: between 2
	 * and 3, and then by the ratio to 5 */
	double stretch = stretch_of(s), rounding = 1e-9;
	assert_true(first.low >= 5 * pow(2 / 5.0, stretch) - rounding);
	assert_true(first.low <= 5 * pow(3 / 5.0, stretch) + rounding);
	assert_true(first.high >= 5 * pow(7 / 5.0, stretch) - rounding);
	assert_true(first.high <= 5 * pow(8 / 5.0, stretch) + rounding);
}

/* Compute the resamples by their definition: draw and sort every value, without shortcuts. */
static struct jr_bootstrap slow_median(struct jr_sample s, uint64_t seed)
{
	double medians[JR_RESAMPLES], drawn[256], mean = 0, square = 0;
	for (size_t i = 0; i < JR_RESAMPLES; i++) {
		for (size_t k = 0; k < s.n; k++) {
			uint64_t z = seed += UINT64_C(0x9E3779B97F4A7C15);
			z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
			z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
			drawn[k] = s.values[((z ^ z >> 31) >> 32) * s.n >> 32];
		}
		jr_sort_doubles(drawn, s.n);
		medians[i] = jr_quantile(drawn, s.n, 0.5);
		mean += medians[i];
	}
	mean /= JR_RESAMPLES;
	for (size_t i = 0; i < JR_RESAMPLES; i++)
		square += (medians[i] - mean) * (medians[i] - mean);
	jr_sort_doubles(medians, JR_RESAMPLES);
	double sorted[256], stretch = stretch_of(s);
	memcpy(sorted, s.values, s.n * sizeof(*sorted));
	jr_sort_doubles(sorted, s.n);
	double middle = jr_quantile(sorted, s.n, 0.5), ends[2];
	for (int side = 0; side < 2; side++) {
		double q = (1 + (side ? JR_CONFIDENCE : -JR_CONFIDENCE)) / 2;
		ends[side] = middle * pow(jr_quantile(medians, JR_RESAMPLES, q) / middle, stretch);
	}
	return (struct jr_bootstrap){
		.low = ends[0], .high = ends[1], .error = stretch * sqrt(square / (JR_RESAMPLES - 1))};
}

static UNIT(median_as_defined)
{
	uint64_t random = 5;
	struct jr_draws *draws = jr_draws_new();
	for (size_t n = 2; n < 256; n = n * 4 / 3 + 1) {
		double values[256]; /* a third of them equal to others */
		for (size_t i = 0; i < n; i++)
			values[i] = 1 + round(20 * (double)(i % 3 ? n : 1) * uniform(&random));
		struct jr_sample s = {values, n};
		struct jr_bootstrap slow = slow_median(s, n);
		for (int turn = 0; turn < 3; turn++) {
			struct jr_bootstrap fast = jr_bootstrap_median(s, n, turn ? draws : NULL);
			if (fabs(fast.low / slow.low - 1) > 1e-10 || fabs(fast.high / slow.high - 1) > 1e-10 ||
				fabs(fast.error - slow.error) > 1e-12 * slow.error)
				fail_msg("%zu values, turn %d: [%.17g, %.17g] is not [%.17g, %.17g]", n, turn,
					fast.low, fast.high, slow.low, slow.high);
		}
	}
	jr_draws_free(draws);
}

/* Kept draws change no result: few and many values, equal sizes or not, with drift or not. */
static UNIT(kept_draws_change_nothing)
{
	enum { N = 60, MOST = 6000 };
	static double values[2][MOST];
	uint64_t random = 9;
	int drifting = 0;
	struct jr_draws *draws = jr_draws_new();
	for (int turn = 0; turn < N; turn++) {
		struct jr_sample s[2];
		for (int side = 0; side < 2; side++) {
			size_t n = turn % 20 == 7 ? MOST : turn % 4 ? 30 : 1 + next_random(&random) % 40;
			double drift = 0;
			for (size_t i = 0; i < n; i++) {
				drift = (turn % 3 ? 0 : 0.9 * drift) + normal(&random);
				values[side][i] = round(1e4 + 100 * drift);
			}
			s[side] = (struct jr_sample){values[side], n};
			drifting += jr_median_inflation(&s[side], 1) > 3;
		}
		struct jr_median_change fresh = jr_bootstrap_change(s[0], s[1], 7, NULL),
								kept = jr_bootstrap_change(s[0], s[1], 7, draws);
		assert_memory_equal(&fresh, &kept, sizeof(fresh));
		struct jr_bootstrap one = jr_bootstrap_median(s[0], 7, NULL),
							again = jr_bootstrap_median(s[0], 7, draws);
		assert_memory_equal(&one, &again, sizeof(one));
	}
	jr_draws_free(draws);
	jr_draws_free(NULL);
	assert_in_range(drifting, N / 4, N);
}

static UNIT(change_of_equal_samples)
{
	struct jr_sample s = SAMPLE(3, 5, 4);
	struct jr_median_change change = jr_bootstrap_change(s, s, 1, NULL);
	assert_true(change.relative.estimate == 0 && change.relative.low == 0 &&
				change.relative.high == 0 && change.absolute.error == 0);
	/* the same values in another order are another measurement */
	change = jr_bootstrap_change(s, SAMPLE(4, 3, 5), 1, NULL);
	assert_true(change.relative.estimate == 0 && change.relative.high > 0);
	/* nothing to divide by */
	change = jr_bootstrap_change(SAMPLE(0, 0), SAMPLE(1, 1), 1, NULL);
	assert_true(change.absolute.estimate == 1 && isnan(change.relative.estimate));
}

/* Correlation of values with those before them, for n values: independent ones, a first-order
 * process, and values that rise throughout. */
static UNIT(neighbours_are_seen)
{
	uint64_t random = 3;
	static const struct {
		double correlation, low, high; /* of the inflation, on average over 100 samples */
		size_t n;
	} cases[] = {{0, 1, 1.3, 300}, {0, 1, 1.6, 30}, {0.5, 2.5, 3.6, 300}, {0.5, 2, 4, 30},
		{0.8, 7, 12, 300}, {-0.4, 1, 1.05, 300}};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		double mean = 0, rho = cases[i].correlation;
		for (int round = 0; round < 100; round++) {
			double v[300], last = normal(&random);
			for (size_t k = 0; k < cases[i].n; k++)
				v[k] = last = rho * last + sqrt(1 - rho * rho) * normal(&random);
			struct jr_sample s = {v, cases[i].n};
			mean += jr_median_inflation(&s, 1) / 100;
		}
		if (mean < cases[i].low || mean > cases[i].high)
			fail_msg("%zu values of %g: %g", cases[i].n, rho, mean);
	}
	/* too few to judge: the default; values that do not vary: no correlation */
	struct jr_sample few = SAMPLE(1, 2, 3, 4, 5), flat = SAMPLE(7, 7, 7, 7, 7, 7, 7, 7, 7, 7);
	assert_close(jr_median_inflation(&few, 1), 1.3 / 0.7, 1e-12);
	assert_in_range(jr_median_inflation(&flat, 1) * 100, 100, 170);
	/* one distant value is one rank */
	double v[60];
	for (int i = 0; i < 60; i++)
		v[i] = normal(&random);
	struct jr_sample s = {v, 60};
	v[30] = 5;
	double near = jr_median_inflation(&s, 1);
	v[30] = 5e9;
	assert_true(jr_median_inflation(&s, 1) == near);
}

static UNIT(drift_is_seen)
{
	double drifting[64], shuffled[64];
	for (int i = 0; i < 64; i++) {
		drifting[i] = 100 + i;
		shuffled[i] = 100 + (i * 27) % 64;
	}
	struct jr_sample d = {drifting, 64}, s = {shuffled, 64};
	struct jr_bootstrap wide = jr_bootstrap_median(d, 1, NULL),
						narrow = jr_bootstrap_median(s, 1, NULL);
	assert_true(wide.estimate == narrow.estimate);
	assert_true(wide.high - wide.low > 3 * (narrow.high - narrow.low));
	assert_true(wide.error > 3 * narrow.error && wide.low > 0);
}

/* A million steps, every 20th with a checkpoint: resampled in part, reported for the whole. */
static UNIT(long_samples)
{
	enum { N = 1000003 };
	double *values[2];
	uint64_t random = 11;
	for (int side = 0; side < 2; side++) {
		values[side] = malloc(N * sizeof(double));
		assert_non_null(values[side]);
		for (size_t i = 0; i < N; i++)
			values[side][i] =
				round(1e8 * (1 + 0.01 * side + 0.01 * uniform(&random)) * (i % 20 ? 1 : 2));
	}
	struct jr_sample a = {values[0], N}, b = {values[1], N};
	struct jr_bootstrap one = jr_bootstrap_median(a, 1, NULL);
	struct jr_median_change change = jr_bootstrap_change(a, b, 1, NULL);
	jr_sort_doubles(values[0], N);
	jr_sort_doubles(values[1], N);
	double medians[2] = {values[0][N / 2], values[1][N / 2]};
	assert_true(one.estimate == medians[0]);
	assert_true(one.low < one.estimate && one.estimate < one.high);
	assert_true(change.relative.estimate == medians[1] / medians[0] - 1);
	assert_true(change.relative.low < change.relative.estimate);
	assert_true(change.relative.high > change.relative.estimate);
	assert_close(change.relative.high - change.relative.low, 0, 3e-4);
	assert_close(change.absolute.estimate, medians[1] - medians[0], 0);
	free(values[0]);
	free(values[1]);
}

/* Take n steps of 100 ms, slower by the fraction `slower`, with normal noise of sigma and an
 * occasional straggler. */
static void take_steps(uint64_t *random, double slower, double sigma, double *out, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double noise = sigma * normal(random);
		if (uniform(random) < 0.03)
			noise += 5 * sigma * uniform(random);
		out[i] = round(1e8 * (1 + slower) * (1 + noise));
	}
}

/* The decision of 'step.median<+1%': it fails if the whole interval is beyond the limit. */
static int gate_failures(double slower, double sigma, size_t n, int seeds)
{
	int failures = 0;
	for (int seed = 1; seed <= seeds; seed++) {
		uint64_t random = (uint64_t)seed * UINT64_C(0x9E3779B97F4A7C15);
		double base[64], fresh[64];
		take_steps(&random, 0, sigma, base, n);
		take_steps(&random, slower, sigma, fresh, n);
		failures += jr_bootstrap_change((struct jr_sample){base, n}, (struct jr_sample){fresh, n},
						(uint64_t)seed, NULL)
						.relative.low > 0.01;
	}
	return failures;
}

static UNIT(gates_keep_their_word)
{
	/* 200 unchanged pairs of 30 steps: at most 5 % alarms; 200 pairs 3 % slower: at least 95 % */
	for (double sigma = 0.005; sigma < 0.011; sigma += 0.005) {
		int alarms = gate_failures(0, sigma, 30, 200);
		int caught = gate_failures(0.03, sigma, 30, 200);
		if (alarms > 10 || caught < 190)
			fail_msg("sigma %g: %d false alarms, %d of 200 caught", sigma, alarms, caught);
	}
}

/* The interval of an unchanged median contains 0 about as often as it claims. */
static UNIT(interval_covers)
{
	int covered = 0;
	for (int seed = 1; seed <= 400; seed++) {
		uint64_t random = (uint64_t)seed * 77;
		double base[30], fresh[30];
		take_steps(&random, 0, 0.01, base, 30);
		take_steps(&random, 0, 0.01, fresh, 30);
		struct jr_bootstrap c = jr_bootstrap_change(
			(struct jr_sample){base, 30}, (struct jr_sample){fresh, 30}, 5, NULL)
									.relative;
		covered += c.low <= 0 && c.high >= 0;
	}
	if (covered < 368 || covered > 396)
		fail_msg("%d of 400 intervals hold the truth", covered);
}

/* The detectable change exceeds 1.96 errors, or the tolerance, by 0.84 errors. */
static UNIT(detectable_known)
{
	assert_close(jr_detectable(0.01, 0), 0.01 * (1.959963985 + 0.841621234), 1e-10);
	assert_close(jr_detectable(0.001, 0.01), 0.01 + 0.001 * 0.841621234, 1e-10);
	assert_close(jr_detectable(0, 0.01), 0.01, 0);
	assert_true(isnan(jr_detectable(NAN, 0.01)));
}
