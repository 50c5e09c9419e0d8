#include "analysis/core/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/core/distribution.h"
#include "base/arena.h"
#include "base/order.h"

/* --- order ------------------------------------------------------------------------------------ */

JR_ORDER_OF_VALUES(compare_doubles, double)

void jr_sort_doubles(double *values, size_t n)
{
	if (n)
		qsort(values, n, sizeof(*values), compare_doubles);
}

double jr_quantile(const double *sorted, size_t n, double q)
{
	if (!n)
		return NAN;
	double at = q * (double)(n - 1);
	size_t below = (size_t)at;
	if (below + 1 >= n)
		return sorted[n - 1];
	return sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below]);
}

static double value_of(int64_t bits)
{
	double value;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* The order of doubles that are not negative is that of their bits as integers (IEEE 754). */
double jr_quantile_of_sizes(const double *values, size_t n, double q, int64_t *scratch)
{
	if (!n)
		return NAN;
	memcpy(scratch, values, n * sizeof(*values));
	for (size_t i = 0; i < n; i++)
		scratch[i] &= INT64_MAX;
	double at = q * (double)(n - 1);
	size_t below = (size_t)at;
	if (below + 1 >= n)
		return value_of(jr_select_i64(scratch, n, n - 1));
	double low = value_of(jr_select_i64(scratch, n, below));
	int64_t next = scratch[below + 1];
	for (size_t i = below + 2; i < n; i++)
		next = scratch[i] < next ? scratch[i] : next;
	return low + (at - (double)below) * (value_of(next) - low);
}

/* --- distributions ---------------------------------------------------------------------------- */

double jr_normal_cdf(double z)
{
	return 0.5 * erfc(-z * M_SQRT1_2);
}

/* Newton's method on the tail that contains p, started from the leading term of its asymptotic
 * expansion. The function is convex there, so it converges from any start. */
double jr_normal_quantile(double p)
{
	if (!(p > 0 && p < 1))
		return NAN;
	double tail = p < 0.5 ? p : 1 - p;
	double z = tail < 0.02 ? -sqrt(-2 * log(tail)) : 0;
	for (int i = 0; i < 100; i++) {
		double density = exp(-0.5 * z * z) / sqrt(2 * M_PI);
		double step = (jr_normal_cdf(z) - tail) / density;
		z -= step;
		if (fabs(step) < 1e-13)
			break;
	}
	return p < 0.5 ? z : -z;
}

/* log of the gamma function; lgamma() writes to a global variable. */
static double log_gamma(double x)
{
	int sign;
	return lgamma_r(x, &sign);
}

/* The continued fraction of the incomplete beta function by Lentz's method. It converges fast for x
 * < (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1);
	d = 1 / (fabs(d) < tiny ? tiny : d);
	double value = d;
	for (int m = 1; m <= 500; m++) {
		double terms[2] = {m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
			-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))};
		double factor = 1;
		for (int k = 0; k < 2; k++) {
			d = 1 + terms[k] * d;
			d = 1 / (fabs(d) < tiny ? tiny : d);
			c = 1 + terms[k] / c;
			c = fabs(c) < tiny ? tiny : c;
			factor = d * c;
			value *= factor;
		}
		if (fabs(factor - 1) < 1e-15)
			break;
	}
	return value;
}

/* I_x(a, b) */
static double incomplete_beta(double a, double b, double x)
{
	if (x <= 0)
		return 0;
	if (x >= 1)
		return 1;
	double front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double jr_student_p(double t, double df)
{
	if (isnan(t) || !(df > 0))
		return NAN;
	return incomplete_beta(df / 2, 0.5, df / (df + t * t));
}

/* The tail decreases monotonically with t, so bisect until the ends are adjacent doubles. */
double jr_student_quantile(double p, double df)
{
	if (!(p > 0 && p < 1) || !(df > 0))
		return NAN;
	double low = 0, high = 1;
	while (jr_student_p(high, df) > p && high < 1e300)
		high *= 2;
	for (double middle; (middle = low + (high - low) / 2) > low && middle < high;) {
		if (jr_student_p(middle, df) > p)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* --- Mann-Whitney ----------------------------------------------------------------------------- */

struct ranked {
	double value;
	bool second;   /* of sample b */
	int64_t rank2; /* twice its rank: equal values share the mean of their ranks */
};

JR_ORDER(compare_ranked, struct ranked, JR_UP(value))

/* Sort and rank; return the sum of t^3 - t over runs of t equal values. */
static double rank_values(struct ranked *items, size_t n)
{
	double ties = 0;
	qsort(items, n, sizeof(*items), compare_ranked);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && items[end].value == items[i].value; end++)
			;
		for (size_t k = i; k < end; k++)
			items[k].rank2 = (int64_t)(i + 1 + end);
		double t = (double)(end - i);
		ties += t * t * t - t;
	}
	return ties;
}

/*
 * Return the share of all choices of k of the n ranks whose sum is at least as far from the mean as
 * `sum2`. ways[j][s]: choices of j ranks that sum to s; each rank is added in turn.
 */
static double exact_p(
	const struct ranked *items, size_t n, size_t k, int64_t sum2, struct jr_arena *scratch)
{
	int64_t most = 0;
	for (size_t i = n - k; i < n; i++)
		most += items[i].rank2;
	size_t width = (size_t)most + 1;
	double *ways = JR_ARENA_N(scratch, double, (k + 1) * width);
	ways[0] = 1;
	for (size_t i = 0; i < n; i++) {
		size_t rank2 = (size_t)items[i].rank2;
		for (size_t j = (i < k ? i + 1 : k); j > 0; j--)
			for (size_t s = rank2; s < width; s++)
				ways[j * width + s] += ways[(j - 1) * width + s - rank2];
	}
	/* twice the mean of the doubled sum is k (n + 1) * 2 */
	int64_t centre2 = 2 * (int64_t)k * (int64_t)(n + 1);
	int64_t far = llabs(2 * sum2 - centre2);
	double all = 0, extreme = 0;
	for (size_t s = 0; s < width; s++) {
		all += ways[k * width + s];
		if (llabs(2 * (int64_t)s - centre2) >= far)
			extreme += ways[k * width + s];
	}
	return extreme / all;
}

static double approximate_p(double u, double n, double m, double ties)
{
	double all = n + m;
	double variance = n * m / 12 * (all + 1 - ties / (all * (all - 1)));
	double far = fabs(u - n * m / 2) - 0.5;
	if (!(variance > 0) || far <= 0)
		return 1;
	return erfc(far / sqrt(variance) * M_SQRT1_2);
}

struct jr_rank_test jr_mann_whitney(struct jr_sample a, struct jr_sample b)
{
	struct jr_rank_test test = {.u = NAN, .p = NAN};
	if (!a.n || !b.n)
		return test;
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	size_t n = a.n + b.n;
	struct ranked *items = JR_ARENA_N(&scratch, struct ranked, n);
	for (size_t i = 0; i < n; i++)
		items[i] = (struct ranked){i < a.n ? a.values[i] : b.values[i - a.n], i >= a.n, 0};
	double ties = rank_values(items, n);
	int64_t sums2[2] = {0};
	for (size_t i = 0; i < n; i++)
		sums2[items[i].second] += items[i].rank2;
	test.u = (double)sums2[1] / 2 - (double)b.n * (double)(b.n + 1) / 2;
	test.exact = n <= JR_RANK_EXACT;
	bool b_smaller = b.n <= a.n;
	test.p = test.exact ? exact_p(items, n, b_smaller ? b.n : a.n, sums2[b_smaller], &scratch)
						: approximate_p(test.u, (double)a.n, (double)b.n, ties);
	return test;
}

/* --- Welch and Holm --------------------------------------------------------------------------- */

double jr_welch(struct jr_moments a, struct jr_moments b)
{
	if (!(a.n >= 2) || !(b.n >= 2) || isnan(a.std) || isnan(b.std))
		return NAN;
	double va = a.std * a.std / a.n, vb = b.std * b.std / b.n;
	if (!(va + vb > 0))
		return a.mean == b.mean ? 1 : 0;
	double df = (va + vb) * (va + vb) / (va * va / (a.n - 1) + vb * vb / (b.n - 1));
	return jr_student_p((b.mean - a.mean) / sqrt(va + vb), df);
}

struct numbered {
	double p;
	size_t index;
};

JR_ORDER(compare_numbered, struct numbered, JR_UP(p) JR_UP(index))

void jr_holm(double *p, size_t n)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	struct numbered *tests = JR_ARENA_N(&scratch, struct numbered, n + 1);
	size_t m = 0;
	for (size_t i = 0; i < n; i++)
		if (!isnan(p[i]))
			tests[m++] = (struct numbered){p[i], i};
	if (m)
		qsort(tests, m, sizeof(*tests), compare_numbered);
	double largest = 0;
	for (size_t k = 0; k < m; k++) {
		double adjusted = tests[k].p * (double)(m - k);
		largest = fmax(largest, fmin(adjusted, 1));
		p[tests[k].index] = largest;
	}
}
