#include "analysis/core/bootstrap.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/order.h"

/* --- order ------------------------------------------------------------------------------------ */

struct placed {
	double value;
	size_t index;
};

JR_ORDER(compare_placed, struct placed, JR_UP(value) JR_UP(index))

static const struct placed *put_in_order(struct jr_sample s, struct jr_arena *arena)
{
	struct placed *order = JR_ARENA_N(arena, struct placed, s.n);
	for (size_t i = 0; i < s.n; i++)
		order[i] = (struct placed){s.values[i], i};
	if (s.n)
		qsort(order, s.n, sizeof(*order), compare_placed);
	return order;
}

/* Ranks minus their mean. A straggling step is one rank, no matter how long it took. */
struct ranks {
	const double *values;
	size_t n;
	double square; /* sum of squares */
};

/* Equal values share the mean of their ranks. */
static struct ranks rank(const struct placed *order, size_t n, struct jr_arena *arena)
{
	double *values = JR_ARENA_N(arena, double, n), square = 0, mean = (double)(n - 1) / 2;
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && order[end].value == order[i].value; end++)
			;
		double own = (double)(i + end - 1) / 2 - mean;
		square += own * own * (double)(end - i);
		for (size_t k = i; k < end; k++)
			values[order[k].index] = own;
	}
	return (struct ranks){values, n, square};
}

/* --- dependence ------------------------------------------------------------------------------- */

/* Usual correlation of neighboring steps, and the number of values that it counts as. It matters if
 * a sample is too small to measure the correlation. */
#define USUAL_NEIGHBOUR 0.3
#define USUAL_STEPS 10
#define MOST_NEIGHBOUR 0.9 /* limit for a correlation that few values make look like 1 */
#define LEAST_MEASURED 6   /* mean values per sample that suffice to measure correlation */
#define MOST_PRODUCTS 20e6 /* bounds the run time for long runs */

/* Correlation over all samples together, each weighted by its length. */
static double correlation(const struct ranks *r, size_t n_samples, size_t lag)
{
	double sum = 0, n = 0;
	for (size_t k = 0; k < n_samples; k++) {
		double product = 0;
		for (size_t i = 0; i + lag < r[k].n; i++)
			product += r[k].values[i] * r[k].values[i + lag];
		n += (double)r[k].n;
		if (r[k].square > 0)
			sum += (double)r[k].n * product / r[k].square;
	}
	return sum / n;
}

/* A first-order process. Its correlation is estimated too small by (1 + 3 rho) / n (Kendall
 * 1954). */
static double first_order(const struct ranks *r, size_t n_samples, double n)
{
	double known = 0;
	if (n >= LEAST_MEASURED)
		known = n * (n * correlation(r, n_samples, 1) + 1) / (n - 3);
	else
		n = 0;
	double rho = (known + USUAL_STEPS * USUAL_NEIGHBOUR) / (n + USUAL_STEPS);
	rho = fmin(fmax(rho, 0), MOST_NEIGHBOUR);
	return (1 + rho) / (1 - rho);
}

/* Geyer's (1992) initial positive sequence. Each correlation is estimated too small by one n-th of
 * the result, because the mean is the sample's own. */
static double initial_sequence(const struct ranks *r, size_t n_samples, double n)
{
	double sum = 0, factor = 1, most = fmin(fmax(2, n / 4), MOST_PRODUCTS / n);
	for (size_t lag = 1; (double)lag + 1 <= most; lag += 2) {
		double pair = correlation(r, n_samples, lag) + correlation(r, n_samples, lag + 1);
		if (pair + 2 * factor / n <= 0)
			break;
		sum += pair;
		factor = (1 + 2 * sum) / (1 - 2 * (double)(lag + 1) / n);
	}
	return factor;
}

static double inflation_of(const struct ranks *r, size_t n_samples)
{
	double n = 0;
	for (size_t k = 0; k < n_samples; k++)
		n += (double)r[k].n / (double)n_samples;
	double least = first_order(r, n_samples, n);
	return n < LEAST_MEASURED ? least : fmax(least, initial_sequence(r, n_samples, n));
}

double jr_median_inflation(const struct jr_sample *samples, size_t n_samples)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	struct ranks *ranks = JR_ARENA_N(&scratch, struct ranks, n_samples);
	for (size_t i = 0; i < n_samples; i++)
		ranks[i] = rank(put_in_order(samples[i], &scratch), samples[i].n, &scratch);
	return inflation_of(ranks, n_samples);
}

/* --- draws ------------------------------------------------------------------------------------ */

/* SplitMix64 (Steele, Lea, Flood 2014): one word of state, and every seed is a good one. */
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

/* Draw n of n values, and count the i-th of them in counts[slot[i]]. A comparison of long runs
 * spends nearly all of its time here. */
static void draw(size_t n, const uint32_t *slot, uint16_t *counts, uint64_t *seed)
{
	uint64_t state = *seed;
	for (size_t left = n; left; left--)
		counts[slot[random_below(&state, n)]]++;
	*seed = state;
}

#define LEAST_RESAMPLES 1000

/* Bounds the run time for long runs; n <= 2 * JR_RESAMPLED. */
static size_t resamples_for(size_t n)
{
	size_t affordable = 40000000 / (n + 1);
	if (affordable < LEAST_RESAMPLES)
		return LEAST_RESAMPLES;
	return affordable < JR_RESAMPLES ? affordable : JR_RESAMPLES;
}

/* --- kept draws ------------------------------------------------------------------------------- */

#define LANES 8               /* resamples whose medians are computed together */
#define KEPT_BYTES (32 << 20) /* draws beyond this are not kept but repeated each time */

static_assert(KEPT_BYTES / sizeof(uint16_t) / LEAST_RESAMPLES <= INT16_MAX, "see tile_medians()");

/* All resamples of one sample, or alternately of two. */
struct drawn {
	uint64_t seed;
	size_t n[2]; /* values of each sample */
	size_t n_resamples;
	uint16_t *counts[2]; /* [n_resamples / LANES, rounded up][n][LANES] */
	struct drawn *next;
};

struct jr_draws {
	pthread_mutex_t lock;
	struct jr_arena arena;
	size_t used_bytes;
	struct drawn *first;
};

struct jr_draws *jr_draws_new(void)
{
	struct jr_draws *draws = jr_calloc(1, sizeof(*draws));
	if (pthread_mutex_init(&draws->lock, NULL) != 0)
		jr_oom();
	jr_arena_init(&draws->arena, 0);
	return draws;
}

void jr_draws_free(struct jr_draws *draws)
{
	if (!draws)
		return;
	pthread_mutex_destroy(&draws->lock);
	jr_arena_done(&draws->arena);
	free(draws);
}

static bool same_draws(const struct drawn *a, const struct drawn *b)
{
	return a->seed == b->seed && a->n_resamples == b->n_resamples &&
		   memcmp(a->n, b->n, sizeof(a->n)) == 0;
}

static void draw_all(struct drawn *d, struct jr_arena *arena)
{
	size_t n_tiles = (d->n_resamples + LANES - 1) / LANES;
	size_t most = d->n[0] > d->n[1] ? d->n[0] : d->n[1];
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	uint32_t *slot = JR_ARENA_N(&scratch, uint32_t, most);
	for (size_t i = 0; i < most; i++)
		slot[i] = (uint32_t)(i * LANES);
	for (int side = 0; side < 2; side++)
		d->counts[side] = JR_ARENA_N(arena, uint16_t, n_tiles * LANES * d->n[side]);
	uint64_t state = d->seed;
	for (size_t i = 0; i < d->n_resamples; i++)
		for (int side = 0; side < 2; side++)
			if (d->n[side])
				draw(d->n[side], slot, d->counts[side] + i / LANES * LANES * d->n[side] + i % LANES,
					&state);
}

/* Return NULL if they are not kept and there is no room for them. */
static const struct drawn *find_drawn(struct jr_draws *draws, const struct drawn *wanted)
{
	size_t bytes = wanted->n_resamples * (wanted->n[0] + wanted->n[1]) * 2;
	pthread_mutex_lock(&draws->lock);
	struct drawn *d = draws->first;
	while (d && !same_draws(d, wanted))
		d = d->next;
	if (!d && bytes <= KEPT_BYTES - draws->used_bytes) {
		d = JR_ARENA_NEW(&draws->arena, struct drawn);
		*d = *wanted;
		draw_all(d, &draws->arena);
		d->next = draws->first;
		draws->first = d;
		draws->used_bytes += bytes;
	}
	pthread_mutex_unlock(&draws->lock);
	return d;
}

/* --- medians of resamples --------------------------------------------------------------------- */

/* A sample prepared for resampling its median: the sorted values and the rank of each. */
struct resampler {
	size_t n;
	const struct placed *order; /* ascending */
	const double *sorted;
	const uint32_t *place; /* rank of the i-th value taken */
	uint16_t *counts;      /* [n] scratch */
	struct ranks ranks;    /* in the order they were taken */
	double median;
	double whole; /* median of the full sample, if this one is a part of it */
};
static_assert(JR_RESAMPLED <= UINT16_MAX, "a value may be all that is drawn");

/* Thin a long sample: keep one value from each of JR_RESAMPLED stretches, in order. The position
 * within a stretch is random, because a fixed stride could always hit, or always miss, what recurs
 * periodically. */
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
	const struct placed *order = put_in_order(s, arena);
	double *sorted = JR_ARENA_N(arena, double, s.n);
	uint32_t *place = JR_ARENA_N(arena, uint32_t, s.n);
	for (size_t i = 0; i < s.n; i++) {
		sorted[i] = order[i].value;
		place[order[i].index] = (uint32_t)i;
	}
	double median = jr_quantile(sorted, s.n, 0.5);
	return (struct resampler){.n = s.n,
		.order = order,
		.sorted = sorted,
		.place = place,
		.counts = JR_ARENA_N(arena, uint16_t, s.n),
		.ranks = rank(order, s.n, arena),
		.median = median,
		.whole = s.n == all.n ? median : median_of(all, arena)};
}

/* Median of n values drawn. */
static double resampled_median(struct resampler *r, uint64_t *state)
{
	size_t n = r->n;
	memset(r->counts, 0, n * sizeof(*r->counts));
	draw(n, r->place, r->counts, state);
	size_t seen = 0, i = 0, half = (n + 1) / 2; /* rank of the lower middle value, from 1 */
	while ((seen += r->counts[i]) < half)
		i++;
	double low = r->sorted[i];
	if (n % 2 || seen > half)
		return low;
	for (i++; !r->counts[i]; i++)
		;
	return (low + r->sorted[i]) / 2;
}

/* Medians of LANES resamples at once. The index of a median is the number of values whose
 * cumulative count is below half of the draws. Counts are signed here, because all processors
 * compare signed vectors. */
static void tile_medians(
	const struct resampler *r, const uint16_t *tile, size_t n_medians, double *medians)
{
	typedef int16_t lanes __attribute__((vector_size(LANES * sizeof(int16_t))));
	lanes seen = {0}, low = {0}, high = {0}, counts;
	size_t n = r->n;
	const lanes half = (lanes){0} + (int16_t)((n + 1) / 2),
				next = (lanes){0} + (int16_t)(n / 2 + 1);
	for (size_t i = 0; i < n; i++) {
		memcpy(&counts, tile + r->order[i].index * LANES, sizeof(counts));
		seen += counts;
		low -= seen < half; /* -1 where true */
		high -= seen < next;
	}
	for (size_t k = 0; k < n_medians; k++)
		medians[k] =
			low[k] == high[k] ? r->sorted[low[k]] : (r->sorted[low[k]] + r->sorted[high[k]]) / 2;
}

/* Medians of n resamples of one sample, or alternately of two. */
static void resample(struct resampler *r, int n_samples, size_t n, uint64_t seed,
	struct jr_draws *kept, double *const *medians)
{
	struct drawn wanted = {.seed = seed, .n_resamples = n};
	for (int side = 0; side < n_samples; side++)
		wanted.n[side] = r[side].n;
	const struct drawn *drawn = kept ? find_drawn(kept, &wanted) : NULL;
	for (int side = 0; drawn && side < n_samples; side++)
		for (size_t i = 0; i < n; i += LANES)
			tile_medians(&r[side], drawn->counts[side] + i * r[side].n,
				n - i < LANES ? n - i : LANES, medians[side] + i);
	for (size_t i = 0; !drawn && i < n; i++)
		for (int side = 0; side < n_samples; side++)
			medians[side][i] = resampled_median(&r[side], &seed);
}

/* --- intervals -------------------------------------------------------------------------------- */

static void swap(double *a, double *b)
{
	double kept = *a;
	*a = *b;
	*b = kept;
}

/* Partition values[from, to) so that the k-th smallest (k from 0) is at its sorted position
 * (Hoare's FIND). Nothing larger precedes it, and nothing smaller follows it. */
static void place(double *values, size_t from, size_t to, size_t k)
{
	while (to - from > 1) {
		double pivot = values[from + (to - from - 1) / 2];
		size_t i = from, j = to - 1;
		for (;; i++, j--) {
			while (values[i] < pivot)
				i++;
			while (values[j] > pivot)
				j--;
			if (i >= j)
				break;
			swap(&values[i], &values[j]);
		}
		if (k <= j)
			to = j + 1;
		else
			from = j + 1;
	}
}

/* Same result as jr_quantile() on sorted values. It reads two values, so only these are brought to
 * their sorted positions. */
static double select_quantile(double *values, size_t n, double q)
{
	size_t at = (size_t)(q * (double)(n - 1));
	place(values, 0, n, at);
	for (size_t i = at + 2; i < n; i++)
		if (values[i] < values[at + 1])
			swap(&values[i], &values[at + 1]);
	return jr_quantile(values, n, q);
}

static double variance(const double *values, size_t n)
{
	double mean = 0, square = 0;
	for (size_t i = 0; i < n; i++)
		mean += values[i];
	mean /= (double)n;
	for (size_t i = 0; i < n; i++)
		square += (values[i] - mean) * (values[i] - mean);
	return square / (double)(n - 1);
}

/*
 * Return the factor that widens the percentile interval. Resampling n values sees (n - 1) / n of
 * the variance, and this is the variance of a sample, not of its population. Hence Student's t with
 * the degrees of freedom of Welch and Satterthwaite. Resampling also assumes independent values.
 *
 * @param of  variance of the resampled medians of each
 */
static double stretch_of(const struct resampler *r, const double *of, size_t n_samples)
{
	struct ranks ranks[2];
	double seen = 0, whole = 0, fourth = 0;
	for (size_t i = 0; i < n_samples; i++) {
		double n = (double)r[i].n, own = of[i] * n / (n - 1);
		ranks[i] = r[i].ranks;
		seen += of[i];
		whole += own;
		fourth += own * own / (n - 1);
	}
	if (!(seen > 0) || !(fourth > 0))
		return 1;
	double t = jr_student_quantile(1 - JR_CONFIDENCE, whole * whole / fourth);
	return t / jr_normal_quantile((1 + JR_CONFIDENCE) / 2) *
		   sqrt(whole / seen * inflation_of(ranks, n_samples));
}

#define TOLD_BITS 36 /* bits kept of an end: the last bits depend on the processor's pow() */

/* Move an end of an interval about `estimate` by the stretch. Values that cannot be below 0 are
 * scaled by ratios. */
static double stretched(double estimate, double end, double stretch)
{
	if (end == estimate)
		return end;
	if (!(estimate > 0) || end < 0)
		return estimate + (end - estimate) * stretch;
	int exponent;
	double mantissa = frexp(estimate * pow(end / estimate, stretch), &exponent);
	return ldexp(round(ldexp(mantissa, TOLD_BITS)), exponent - TOLD_BITS);
}

/* How the estimate is made of medians. A difference can be any number; the others are above 0. */
enum measure { MEDIAN, DIFFERENCE, RATIO_LESS_ONE };

/* `seen`: the estimate on the resampled part. The interval is moved to the estimate on the full
 * sample. */
static struct jr_bootstrap summarize(
	enum measure measure, double estimate, double seen, double *values, size_t n, double stretch)
{
	for (size_t i = 0; i < n && seen != estimate; i++)
		values[i] += estimate - seen;
	double ends[2], zero = measure == RATIO_LESS_ONE, error = stretch * sqrt(variance(values, n));
	for (int side = 0; side < 2; side++) {
		double q = (1 + (side ? JR_CONFIDENCE : -JR_CONFIDENCE)) / 2,
			   end = select_quantile(values, n, q);
		ends[side] = measure == DIFFERENCE ? estimate + (end - estimate) * stretch
										   : stretched(estimate + zero, end + zero, stretch) - zero;
	}
	return (struct jr_bootstrap){estimate, ends[0], ends[1], error};
}

static const struct jr_bootstrap unknown = {NAN, NAN, NAN, NAN};

struct jr_bootstrap jr_bootstrap_median(struct jr_sample s, uint64_t seed, struct jr_draws *kept)
{
	if (s.n < 2)
		return s.n ? (struct jr_bootstrap){s.values[0], NAN, NAN, NAN} : unknown;
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	struct resampler r = prepare(s, &scratch);
	size_t n = resamples_for(r.n);
	double *medians = JR_ARENA_N(&scratch, double, n);
	resample(&r, 1, n, seed, kept, &medians);
	double of = variance(medians, n);
	return summarize(MEDIAN, r.whole, r.median, medians, n, stretch_of(&r, &of, 1));
}

static bool same_values(struct jr_sample a, struct jr_sample b)
{
	return a.n == b.n && memcmp(a.values, b.values, a.n * sizeof(*a.values)) == 0;
}

/* Changes overwrite the medians that they are computed from. */
static struct jr_median_change summarize_change(
	const struct resampler r[2], double *const medians[2], size_t n)
{
	double *differences = medians[1], *ratios = medians[0];
	double absolute[2], relative[2];
	bool positive = r[0].sorted[0] > 0 && r[0].whole > 0;
	for (int side = 0; side < 2; side++) {
		absolute[side] = variance(medians[side], n);
		relative[side] = absolute[side] / (r[side].median * r[side].median);
	}
	for (size_t i = 0; i < n; i++) {
		double ma = medians[0][i], mb = medians[1][i];
		differences[i] = mb - ma;
		ratios[i] = positive ? mb / ma - 1 : NAN;
	}
	struct jr_median_change out = {
		.absolute = summarize(DIFFERENCE, r[1].whole - r[0].whole, r[1].median - r[0].median,
			differences, n, stretch_of(r, absolute, 2)),
		.relative = unknown};
	if (positive)
		out.relative =
			summarize(RATIO_LESS_ONE, r[1].whole / r[0].whole - 1, r[1].median / r[0].median - 1,
				ratios, n, stretch_of(r, r[1].median > 0 ? relative : absolute, 2));
	return out;
}

/* A single value does not show any variation. */
static struct jr_median_change without_interval(double a, double b)
{
	struct jr_median_change out = {unknown, unknown};
	out.absolute.estimate = b - a;
	if (a > 0)
		out.relative.estimate = b / a - 1;
	return out;
}

struct jr_median_change jr_bootstrap_change(
	struct jr_sample a, struct jr_sample b, uint64_t seed, struct jr_draws *kept)
{
	if (!a.n || !b.n)
		return (struct jr_median_change){unknown, unknown};
	if (same_values(a, b))
		return (struct jr_median_change){{0, 0, 0, 0}, {0, 0, 0, 0}};
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	struct resampler r[2] = {prepare(a, &scratch), prepare(b, &scratch)};
	struct jr_median_change out = without_interval(r[0].whole, r[1].whole);
	if (a.n > 1 && b.n > 1) {
		size_t n = resamples_for(r[0].n + r[1].n);
		double *medians[2] = {JR_ARENA_N(&scratch, double, n), JR_ARENA_N(&scratch, double, n)};
		resample(r, 2, n, seed, kept, medians);
		out = summarize_change(r, medians, n);
	}
	return out;
}

double jr_detectable(double error, double tolerance)
{
	double least = jr_normal_quantile((1 + JR_CONFIDENCE) / 2) * error;
	return fmax(least, tolerance) + jr_normal_quantile(JR_POWER) * error;
}
