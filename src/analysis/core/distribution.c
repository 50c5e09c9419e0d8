#include "analysis/core/distribution.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/order.h"

int64_t jr_time_class_edge(size_t i)
{
	static const int64_t steps[] = {1, 2, 5};
	int64_t edge = steps[i % 3];
	for (size_t k = 0; k < i / 3; k++)
		edge *= 10;
	return edge;
}

size_t jr_time_class(int64_t ns)
{
	static const int64_t decades[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000,
		1000000000, 10000000000, 100000000000, 1000000000000, 10000000000000};
	_Static_assert(JR_COUNT_OF(decades) == JR_TIME_CLASSES / 3 + 1, "three classes per decade");
	if (ns <= 1)
		return 0;
	size_t n_bits = 64 - (size_t)__builtin_clzll((uint64_t)ns);
	size_t d = n_bits * 1233 >> 12; /* log10(2) is 1233/4096: the decade, or the one above */
	d = d < JR_COUNT_OF(decades) ? d : JR_COUNT_OF(decades) - 1;
	d -= ns < decades[d];
	size_t i = 3 * d + (size_t)(ns >= 2 * decades[d]) + (size_t)(ns >= 5 * decades[d]);
	return i < JR_TIME_CLASSES ? i : JR_TIME_CLASSES - 1;
}

void jr_time_class_text(size_t i, char out[48])
{
	static const char *const units[] = {"ns", "µs", "ms", "s"};
	int64_t from = jr_time_class_edge(i), to = jr_time_class_edge(i + 1);
	size_t unit = 0;
	while (unit < 3 && from >= 1000) {
		from /= 1000;
		to /= 1000;
		unit++;
	}
	if (i + 1 == JR_TIME_CLASSES)
		snprintf(out, 48, "≥ %d %s", (int)from, units[unit]);
	else
		snprintf(out, 48, "%d–%d %s", (int)from, (int)to, units[unit]);
}

JR_ORDER_OF_VALUES(compare_values, int64_t)

static int64_t middle(int64_t a, int64_t b, int64_t c)
{
	if (a < b)
		return b < c ? b : a < c ? c : a;
	return a < c ? a : b < c ? c : b;
}

/* Split v[lo..hi] so that all of the left part <= all of the right part; return the end of the left
 * part. */
static size_t partition(int64_t *v, size_t lo, size_t hi)
{
	int64_t pivot = middle(v[lo], v[lo + (hi - lo) / 2], v[hi]);
	size_t i = lo, j = hi;
	for (;;) {
		while (v[i] < pivot)
			i++;
		while (v[j] > pivot)
			j--;
		if (i >= j)
			return j;
		int64_t swap = v[i];
		v[i++] = v[j];
		v[j--] = swap;
	}
}

/* Hoare's selection. If a crafted input keeps the halves long, the rest is sorted instead. */
int64_t jr_select_i64(int64_t *v, size_t n, size_t nth)
{
	size_t lo = 0, hi = n - 1;
	for (size_t left = 64; lo < hi; left--) {
		if (left == 0) {
			qsort(v + lo, hi - lo + 1, sizeof(*v), compare_values);
			break;
		}
		size_t end = partition(v, lo, hi);
		if (nth <= end)
			hi = end;
		else
			lo = end + 1;
	}
	return v[nth];
}

int64_t jr_median_i64(int64_t *values, size_t n)
{
	int64_t low = jr_select_i64(values, n, (n - 1) / 2), high = INT64_MAX;
	for (size_t k = n / 2; k < n; k++) /* not below low */
		high = values[k] < high ? values[k] : high;
	return n % 2 ? low : (low + high) / 2;
}

size_t jr_quantile_rank(size_t n, double q)
{
	double rank = ceil(q * (double)n);
	return rank < 1 ? 1 : rank > (double)n ? n : (size_t)rank;
}

int64_t jr_quantile_i64(int64_t *values, size_t n, double q)
{
	return jr_select_i64(values, n, jr_quantile_rank(n, q) - 1);
}

/* The number of values below the quantile is binomial. The value of rank r is at most the quantile
 * unless fewer than r values are below it, and at least the quantile unless r or more are. */
struct jr_rank_interval jr_quantile_interval(size_t n, double q, double confidence)
{
	double tail = (1 - confidence) / 2, below = 0; /* probability of at most k values */
	double log_p = (double)n * log1p(-q), odds = log(q) - log1p(-q);
	struct jr_rank_interval r = {0, n + 1};
	for (size_t k = 0; k < n; k++) {
		below += exp(log_p);
		log_p += log((double)(n - k) / (double)(k + 1)) + odds;
		if (below <= tail)
			r.low = k + 1;
		if (below >= 1 - tail) {
			r.high = k + 1;
			break;
		}
	}
	return r;
}

/* All n values are below the quantile with probability q^n, all are above it with (1 - q)^n. */
size_t jr_quantile_least(double q, double confidence)
{
	return (size_t)ceil(log((1 - confidence) / 2) / log(q));
}
