#include "analysis/bootstrap.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

/* --- blocks ----------------------------------------------------------------------------------- */

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

/* --- draws ------------------------------------------------------------------------------------ */

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

/* Which values are drawn: `n` of as many, in blocks of neighbours. */
struct plan {
	size_t n, block;
};

/* Draw, the last value followed by the first, and count the i-th of them in counts[slot[i]]. Nearly
 * all time of a comparison of long runs is spent here. */
static void draw(struct plan plan, const uint32_t *slot, uint16_t *counts, uint64_t *seed)
{
	size_t n = plan.n, block = plan.block;
	uint64_t state = *seed;
	for (size_t left = block == 1 ? n : 0; left; left--)
		counts[slot[random_below(&state, n)]]++;
	for (size_t left = block == 1 ? 0 : n; left;) {
		size_t at = random_below(&state, n), end = at + (block < left ? block : left);
		left -= end - at;
		for (; at < end && at < n; at++)
			counts[slot[at]]++;
		for (; at < end; at++)
			counts[slot[at - n]]++;
	}
	*seed = state;
}

#define LEAST_RESAMPLES 1000

/* So that a long run takes no longer than a moment; n <= 2 * JR_RESAMPLED. */
static size_t resamples_for(size_t n)
{
	size_t affordable = 40000000 / (n + 1);
	if (affordable < LEAST_RESAMPLES)
		return LEAST_RESAMPLES;
	return affordable < JR_RESAMPLES ? affordable : JR_RESAMPLES;
}

/* --- draws that are kept ---------------------------------------------------------------------- */

#define LANES 8               /* resamples whose medians are found side by side */
#define KEPT_BYTES (32 << 20) /* what does not fit is drawn each time */

static_assert(KEPT_BYTES / sizeof(uint16_t) / LEAST_RESAMPLES <= INT16_MAX, "see tile_medians()");

/* All resamples of one sample, or of two by turns. */
struct drawn {
	uint64_t seed;
	struct plan plans[2];
	size_t n_resamples;
	uint16_t *counts[2]; /* [n_resamples / LANES, rounded up][plan.n][LANES] */
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
	struct jr_draws *draws = calloc(1, sizeof(*draws));
	if (!draws || pthread_mutex_init(&draws->lock, NULL) != 0)
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
		   memcmp(a->plans, b->plans, sizeof(a->plans)) == 0;
}

static void draw_all(struct drawn *d, struct jr_arena *arena)
{
	size_t n_tiles = (d->n_resamples + LANES - 1) / LANES;
	size_t most = d->plans[0].n > d->plans[1].n ? d->plans[0].n : d->plans[1].n;
	struct jr_arena scratch;
	jr_arena_init(&scratch, 0);
	uint32_t *slot = JR_ARENA_N(&scratch, uint32_t, most);
	for (size_t i = 0; i < most; i++)
		slot[i] = (uint32_t)(i * LANES);
	for (int side = 0; side < 2; side++)
		d->counts[side] = JR_ARENA_N(arena, uint16_t, n_tiles * LANES * d->plans[side].n);
	uint64_t state = d->seed;
	for (size_t i = 0; i < d->n_resamples; i++)
		for (int side = 0; side < 2; side++)
			if (d->plans[side].n)
				draw(d->plans[side], slot,
					d->counts[side] + i / LANES * LANES * d->plans[side].n + i % LANES, &state);
	jr_arena_done(&scratch);
}

/* NULL where they are not kept, and there is no room to. */
static const struct drawn *find_drawn(struct jr_draws *draws, const struct drawn *wanted)
{
	size_t bytes = wanted->n_resamples * (wanted->plans[0].n + wanted->plans[1].n) * 2;
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

struct placed {
	double value;
	size_t index;
};

/* A sample made ready for resampling its median: values in order, and where each stands there. */
struct resampler {
	struct plan plan;
	const struct placed *order; /* ascending */
	const double *sorted;
	const uint32_t *rank; /* of the i-th value taken */
	uint16_t *counts;     /* [n] scratch */
	double median;
	double whole; /* median of all of the sample, where this is a part of it */
};
static_assert(JR_RESAMPLED <= UINT16_MAX, "a value may be all that is drawn");

static int compare_placed(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;
	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

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
	struct placed *order = JR_ARENA_N(arena, struct placed, s.n);
	double *sorted = JR_ARENA_N(arena, double, s.n);
	uint32_t *rank = JR_ARENA_N(arena, uint32_t, s.n);
	for (size_t i = 0; i < s.n; i++)
		order[i] = (struct placed){s.values[i], i};
	qsort(order, s.n, sizeof(*order), compare_placed);
	for (size_t i = 0; i < s.n; i++) {
		sorted[i] = order[i].value;
		rank[order[i].index] = (uint32_t)i;
	}
	double median = jr_quantile(sorted, s.n, 0.5);
	return (struct resampler){.plan = {s.n, jr_block_length(s)},
		.order = order,
		.sorted = sorted,
		.rank = rank,
		.counts = JR_ARENA_N(arena, uint16_t, s.n),
		.median = median,
		.whole = s.n == all.n ? median : median_of(all, arena)};
}

/* Median of n values drawn. */
static double resampled_median(struct resampler *r, uint64_t *state)
{
	size_t n = r->plan.n;
	memset(r->counts, 0, n * sizeof(*r->counts));
	draw(r->plan, r->rank, r->counts, state);
	size_t seen = 0, i = 0, half = (n + 1) / 2; /* the half-th smallest, from 1 */
	while ((seen += r->counts[i]) < half)
		i++;
	double low = r->sorted[i];
	if (n % 2 || seen > half)
		return low;
	for (i++; !r->counts[i]; i++)
		;
	return (low + r->sorted[i]) / 2;
}

/* The same of LANES resamples at once: a median stands behind as many values as have less than half
 * of those drawn up to them. Counts are signed here, as the vectors of all processors compare. */
static void tile_medians(
	const struct resampler *r, const uint16_t *tile, size_t n_medians, double *medians)
{
	typedef int16_t lanes __attribute__((vector_size(LANES * sizeof(int16_t))));
	lanes seen = {0}, low = {0}, high = {0}, counts;
	size_t n = r->plan.n;
	const lanes half = (lanes){0} + (int16_t)((n + 1) / 2),
				next = (lanes){0} + (int16_t)(n / 2 + 1);
	for (size_t i = 0; i < n; i++) {
		memcpy(&counts, tile + r->order[i].index * LANES, sizeof(counts));
		seen += counts;
		low -= seen < half; /* -1 where it is */
		high -= seen < next;
	}
	for (size_t k = 0; k < n_medians; k++)
		medians[k] =
			low[k] == high[k] ? r->sorted[low[k]] : (r->sorted[low[k]] + r->sorted[high[k]]) / 2;
}

/* Medians of n resamples of one sample, or of two by turns. */
static void resample(struct resampler *r, int n_samples, size_t n, uint64_t seed,
	struct jr_draws *kept, double *const *medians)
{
	struct drawn wanted = {.seed = seed, .n_resamples = n};
	for (int side = 0; side < n_samples; side++)
		wanted.plans[side] = r[side].plan;
	const struct drawn *drawn = kept ? find_drawn(kept, &wanted) : NULL;
	for (int side = 0; drawn && side < n_samples; side++)
		for (size_t i = 0; i < n; i += LANES)
			tile_medians(&r[side], drawn->counts[side] + i * r[side].plan.n,
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

/* Bring what is the k-th of values[from, to) in ascending order to its place, from 0, with nothing
 * larger before it and nothing smaller behind it (Hoare's FIND). */
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

/* What jr_quantile() says of them in order: it reads two, and no others are brought to their
 * places. */
static double select_quantile(double *values, size_t n, double q)
{
	size_t at = (size_t)(q * (double)(n - 1));
	place(values, 0, n, at);
	for (size_t i = at + 2; i < n; i++)
		if (values[i] < values[at + 1])
			swap(&values[i], &values[at + 1]);
	return jr_quantile(values, n, q);
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
	return (struct jr_bootstrap){estimate, select_quantile(values, n, (1 - JR_CONFIDENCE) / 2),
		select_quantile(values, n, (1 + JR_CONFIDENCE) / 2), sqrt(square / (double)(n - 1))};
}

static const struct jr_bootstrap unknown = {NAN, NAN, NAN, NAN};

struct jr_bootstrap jr_bootstrap_median(struct jr_sample s, uint64_t seed, struct jr_draws *kept)
{
	if (!s.n)
		return unknown;
	struct jr_arena scratch;
	jr_arena_init(&scratch, 0);
	struct resampler r = prepare(s, &scratch);
	size_t n = resamples_for(r.plan.n);
	double *medians = JR_ARENA_N(&scratch, double, n);
	resample(&r, 1, n, seed, kept, &medians);
	struct jr_bootstrap out = summarise(r.whole, r.median, medians, n);
	jr_arena_done(&scratch);
	return out;
}

static bool same_values(struct jr_sample a, struct jr_sample b)
{
	return a.n == b.n && memcmp(a.values, b.values, a.n * sizeof(*a.values)) == 0;
}

/* Changes take the places of the medians they are of. */
static struct jr_median_change summarise_change(
	const struct resampler r[2], double *const medians[2], size_t n)
{
	double *differences = medians[1], *ratios = medians[0];
	bool positive = r[0].sorted[0] > 0 && r[0].whole > 0;
	for (size_t i = 0; i < n; i++) {
		double ma = medians[0][i], mb = medians[1][i];
		differences[i] = mb - ma;
		ratios[i] = positive ? mb / ma - 1 : NAN;
	}
	struct jr_median_change out = {
		.absolute = summarise(r[1].whole - r[0].whole, r[1].median - r[0].median, differences, n),
		.relative = unknown};
	if (positive)
		out.relative =
			summarise(r[1].whole / r[0].whole - 1, r[1].median / r[0].median - 1, ratios, n);
	return out;
}

struct jr_median_change jr_bootstrap_change(
	struct jr_sample a, struct jr_sample b, uint64_t seed, struct jr_draws *kept)
{
	if (!a.n || !b.n)
		return (struct jr_median_change){unknown, unknown};
	if (same_values(a, b))
		return (struct jr_median_change){{0, 0, 0, 0}, {0, 0, 0, 0}};
	struct jr_arena scratch;
	jr_arena_init(&scratch, 0);
	struct resampler r[2] = {prepare(a, &scratch), prepare(b, &scratch)};
	size_t n = resamples_for(r[0].plan.n + r[1].plan.n);
	double *medians[2] = {JR_ARENA_N(&scratch, double, n), JR_ARENA_N(&scratch, double, n)};
	resample(r, 2, n, seed, kept, medians);
	struct jr_median_change out = summarise_change(r, medians, n);
	jr_arena_done(&scratch);
	return out;
}

double jr_detectable(double error)
{
	return (jr_normal_quantile((1 + JR_CONFIDENCE) / 2) + jr_normal_quantile(0.8)) * error;
}
