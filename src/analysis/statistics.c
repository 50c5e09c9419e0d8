#include "analysis/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

/* --- order ------------------------------------------------------------------------------------ */

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

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

/* --- distributions ---------------------------------------------------------------------------- */

double jr_normal_cdf(double z)
{
	return 0.5 * erfc(-z * M_SQRT1_2);
}

/* Newton's method on the tail that p is in, from the leading term of its asymptotic expansion; the
 * function is convex there, so that it converges from any start. */
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

/* log of the gamma function; lgamma() itself writes to a global. */
static double log_gamma(double x)
{
	int sign;
	return lgamma_r(x, &sign);
}

/* The continued fraction of the incomplete beta function by Lentz's method; it converges fast for
 * x < (a + 1) / (a + b + 2). */
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

/* --- Mann-Whitney ----------------------------------------------------------------------------- */

struct ranked {
	double value;
	bool second;   /* of sample b */
	int64_t rank2; /* twice its rank: equal values share the mean of theirs */
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	return (x->value > y->value) - (x->value < y->value);
}

/* Sorted, ranked; returns the sum of t^3 - t over runs of t equal values. */
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
 * Share of all choices of k of the n ranks whose sum lies at least as far from the mean as `sum2`
 * does. ways[j][s]: choices of j ranks that sum to s; each rank is added in turn.
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
	struct jr_arena scratch;
	jr_arena_init(&scratch, 0);
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
	jr_arena_done(&scratch);
	return test;
}

double jr_mann_whitney_floor(size_t n, size_t m)
{
	double choices =
		log_gamma((double)(n + m + 1)) - log_gamma((double)(n + 1)) - log_gamma((double)(m + 1));
	double p = 2 * exp(-choices);
	return p < 1 ? p : 1;
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

static int compare_numbered(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;
	if (x->p != y->p)
		return x->p < y->p ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

void jr_holm(double *p, size_t n)
{
	struct jr_arena scratch;
	jr_arena_init(&scratch, 0);
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
	jr_arena_done(&scratch);
}

/* --- bootstrap -------------------------------------------------------------------------------- */

/* SplitMix64 (Steele, Lea, Flood 2014): one word of state, every seed a good one. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
	z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
	return z ^ z >> 31;
}

/* Uniform in [0, n), n < 2^32, by the high half of a product. */
static size_t random_below(uint64_t *state, size_t n)
{
	return (size_t)((next_random(state) >> 32) * n >> 32);
}

double jr_autocorrelation(struct jr_sample s)
{
	if (s.n < 3)
		return 0;
	double mean = 0, square = 0, product = 0;
	for (size_t i = 0; i < s.n; i++)
		mean += s.values[i] / (double)s.n;
	for (size_t i = 0; i < s.n; i++) {
		double d = s.values[i] - mean;
		square += d * d;
		if (i + 1 < s.n)
			product += d * (s.values[i + 1] - mean);
	}
	return square > 0 ? product / square : 0;
}

size_t jr_block_length(struct jr_sample s)
{
	double rho = jr_autocorrelation(s), n = (double)s.n;
	if (s.n < 8 || rho < 2 / sqrt(n))
		return 1;
	rho = fmin(rho, 0.95);
	double length = ceil(pow(sqrt(6) * rho / (1 - rho * rho), 2.0 / 3) * cbrt(n));
	double most = floor(n / 4);
	return (size_t)fmax(1, fmin(length, most));
}

/* A sample made ready for resampling its median: values in order, and where each stands there. */
struct resampler {
	const double *sorted;
	const uint32_t *rank; /* of the i-th value taken */
	uint32_t *counts;     /* [n] scratch */
	size_t n, block;
	double median;
	double whole; /* median of all of the sample, where this is a part of it */
};

/* Of a sample that is too long one value of each of JR_RESAMPLED stretches, in order: not one every
 * so many, for what recurs every so many steps would be all that is seen, or never. */
static struct jr_sample thin(struct jr_sample s, struct jr_arena *arena)
{
	if (s.n <= JR_RESAMPLED)
		return s;
	uint64_t state = s.n;
	double *few = JR_ARENA_N(arena, double, JR_RESAMPLED);
	for (size_t i = 0; i < JR_RESAMPLED; i++) {
		size_t from = s.n * i / JR_RESAMPLED, to = s.n * (i + 1) / JR_RESAMPLED;
		few[i] = s.values[from + random_below(&state, to - from)];
	}
	return (struct jr_sample){few, JR_RESAMPLED};
}

static double median_of(struct jr_sample s, struct jr_arena *arena)
{
	double *sorted = JR_ARENA_N(arena, double, s.n);
	memcpy(sorted, s.values, s.n * sizeof(*sorted));
	jr_sort_doubles(sorted, s.n);
	return jr_quantile(sorted, s.n, 0.5);
}

static struct resampler prepare(struct jr_sample all, struct jr_arena *arena)
{
	struct jr_sample s = thin(all, arena);
	struct numbered *order = JR_ARENA_N(arena, struct numbered, s.n);
	double *sorted = JR_ARENA_N(arena, double, s.n);
	uint32_t *rank = JR_ARENA_N(arena, uint32_t, s.n);
	for (size_t i = 0; i < s.n; i++)
		order[i] = (struct numbered){s.values[i], i};
	qsort(order, s.n, sizeof(*order), compare_numbered);
	for (size_t i = 0; i < s.n; i++) {
		sorted[i] = order[i].p;
		rank[order[i].index] = (uint32_t)i;
	}
	double median = jr_quantile(sorted, s.n, 0.5);
	uint32_t *counts = JR_ARENA_N(arena, uint32_t, s.n);
	return (struct resampler){sorted, rank, counts, s.n, jr_block_length(s),
		median, s.n == all.n ? median : median_of(all, arena)};
}

/* Draw n values in blocks of neighbours, the last one followed by the first, and count each. Nearly
 * all time of a comparison of long runs is spent here. */
static void draw(const struct resampler *r, uint64_t *seed)
{
	const uint32_t *rank = r->rank;
	uint32_t *counts = r->counts;
	size_t n = r->n;
	uint64_t state = *seed;
	memset(counts, 0, n * sizeof(*counts));
	for (size_t left = r->block == 1 ? n : 0; left; left--)
		counts[rank[random_below(&state, n)]]++;
	for (size_t left = r->block == 1 ? 0 : n; left;) {
		size_t at = random_below(&state, n), end = at + (r->block < left ? r->block : left);
		left -= end - at;
		for (; at < end && at < n; at++)
			counts[rank[at]]++;
		for (; at < end; at++)
			counts[rank[at - n]]++;
	}
	*seed = state;
}

/* Median of n values drawn. */
static double resampled_median(struct resampler *r, uint64_t *state)
{
	draw(r, state);
	size_t seen = 0, i = 0, half = (r->n + 1) / 2; /* the half-th smallest, from 1 */
	while ((seen += r->counts[i]) < half)
		i++;
	double low = r->sorted[i];
	if (r->n % 2 || seen > half)
		return low;
	for (i++; !r->counts[i]; i++)
		;
	return (low + r->sorted[i]) / 2;
}

/* So that a long run takes no longer than a moment; n <= 2 * JR_RESAMPLED. */
static size_t resamples_for(size_t n)
{
	size_t affordable = 40000000 / (n + 1);
	return affordable < 1000 ? 1000 : affordable < JR_RESAMPLES ? affordable : JR_RESAMPLES;
}

/* `seen`: what `estimate` is of the part that was resampled; the interval goes with the whole. */
static struct jr_bootstrap summarise(double estimate, double seen, double *values, size_t n)
{
	for (size_t i = 0; i < n && seen != estimate; i++)
		values[i] += estimate - seen;
	double mean = 0, square = 0;
	for (size_t i = 0; i < n; i++)
		mean += values[i];
	mean /= (double)n;
	for (size_t i = 0; i < n; i++)
		square += (values[i] - mean) * (values[i] - mean);
	jr_sort_doubles(values, n);
	return (struct jr_bootstrap){estimate, jr_quantile(values, n, (1 - JR_CONFIDENCE) / 2),
		jr_quantile(values, n, (1 + JR_CONFIDENCE) / 2), sqrt(square / (double)(n - 1))};
}

static const struct jr_bootstrap unknown = {NAN, NAN, NAN, NAN};

struct jr_bootstrap jr_bootstrap_median(struct jr_sample s, uint64_t seed)
{
	if (!s.n)
		return unknown;
	struct jr_arena scratch;
	jr_arena_init(&scratch, 0);
	struct resampler r = prepare(s, &scratch);
	size_t n = resamples_for(r.n);
	double *medians = JR_ARENA_N(&scratch, double, n);
	for (size_t i = 0; i < n; i++)
		medians[i] = resampled_median(&r, &seed);
	struct jr_bootstrap out = summarise(r.whole, r.median, medians, n);
	jr_arena_done(&scratch);
	return out;
}

static bool same_values(struct jr_sample a, struct jr_sample b)
{
	return a.n == b.n && memcmp(a.values, b.values, a.n * sizeof(*a.values)) == 0;
}

struct jr_median_change jr_bootstrap_change(struct jr_sample a, struct jr_sample b, uint64_t seed)
{
	if (!a.n || !b.n)
		return (struct jr_median_change){unknown, unknown};
	if (same_values(a, b))
		return (struct jr_median_change){{0, 0, 0, 0}, {0, 0, 0, 0}};
	struct jr_arena scratch;
	jr_arena_init(&scratch, 0);
	struct resampler ra = prepare(a, &scratch), rb = prepare(b, &scratch);
	size_t n = resamples_for(ra.n + rb.n);
	double *differences = JR_ARENA_N(&scratch, double, n),
		   *ratios = JR_ARENA_N(&scratch, double, n);
	bool positive = ra.sorted[0] > 0 && ra.whole > 0;
	for (size_t i = 0; i < n; i++) {
		double ma = resampled_median(&ra, &seed), mb = resampled_median(&rb, &seed);
		differences[i] = mb - ma;
		ratios[i] = positive ? mb / ma - 1 : NAN;
	}
	struct jr_median_change out = {
		.absolute = summarise(rb.whole - ra.whole, rb.median - ra.median, differences, n),
		.relative = unknown};
	if (positive)
		out.relative = summarise(rb.whole / ra.whole - 1, rb.median / ra.median - 1, ratios, n);
	jr_arena_done(&scratch);
	return out;
}

double jr_detectable(double error)
{
	return (jr_normal_quantile((1 + JR_CONFIDENCE) / 2) + jr_normal_quantile(0.8)) * error;
}
