#include "compare/judge/drift.h"

#include <math.h>

#include "analysis/core/statistics.h"
#include "base/order.h"
#include "base/sort.h"

#define STRETCH 3             /* runs in a row */
#define MIDDLE_VARIANCE 0.449 /* of the median of three normal values of variance 1 */
#define LEAST_CHANGES 3       /* changes between neighbors needed to measure variation */
#define ALPHA 0.05

/* Runs of one subject. */
struct chain {
	const struct jr_drift_run *runs;
	size_t n;
	size_t *at;      /* [n] indexes into runs */
	double *x;       /* [n] log median */
	double within;   /* variance of a median from the steps of its run: mean over runs */
	double between;  /* variance from run to run, in addition to `within` */
	double quantile; /* standard errors to exceed; NaN: nothing can be tested */
};

/* --- noise ------------------------------------------------------------------------------------ */

/* A run with as many steps as the others varies as much as they do. A smaller own error is chance;
 * a larger one may come from few steps. */
static double own_variance(const struct chain *c, size_t i)
{
	double error = c->runs[c->at[i]].error;
	return fmax(error * error, c->within) + c->between;
}

/* Twice the variance of runs, estimated from the median absolute deviation of the changes. It is
 * correct for normal deviations and robust against a few outliers. */
static double robust_square(double *changes, size_t n)
{
	jr_sort_doubles(changes, n);
	double middle = jr_quantile(changes, n, 0.5);
	for (size_t i = 0; i < n; i++)
		changes[i] = fabs(changes[i] - middle);
	jr_sort_doubles(changes, n);
	double deviation = jr_quantile(changes, n, 0.5) / jr_normal_quantile(0.75);
	return deviation * deviation;
}

/*
 * Changes of neighbors share a run, so n of them are worth two thirds of n independent ones.
 * Reported changes are excluded, because they are not noise. But if noise is large, the largest of
 * it is reported, and the rest looks too small. So the larger of two estimates is used: from the
 * remaining changes, and a robust one from all changes.
 */
static void measure_noise(struct chain *c, struct jr_arena *scratch)
{
	double *changes = JR_ARENA_N(scratch, double, c->n + 1);
	double mean = 0, square = 0;
	size_t n = 0;
	for (size_t i = 1; i < c->n; i++)
		if (!c->runs[c->at[i]].told)
			changes[n++] = c->x[i] - c->x[i - 1];
	for (size_t i = 0; i < n; i++)
		mean += changes[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		square += (changes[i] - mean) * (changes[i] - mean);
	for (size_t i = 0; i < c->n; i++)
		c->within += c->runs[c->at[i]].error * c->runs[c->at[i]].error / (double)c->n;
	if (n < LEAST_CHANGES || c->n <= STRETCH)
		return;
	for (size_t i = 1; i < c->n; i++)
		changes[i - 1] = c->x[i] - c->x[i - 1];
	square = fmax(square / (double)(n - 1), robust_square(changes, c->n - 1));
	c->between = fmax(0, square / 2 - c->within);
	double behind = (double)(c->n - STRETCH);
	c->quantile =
		jr_student_quantile(2 * ALPHA / (behind * (behind + 1) / 2), (double)(n - 1) * 2 / 3);
}

/* --- tests ------------------------------------------------------------------------------------ */

/* The run with the middle median of the three that end at `last`; SIZE_MAX if one of the last two
 * was reported as a change.
 */
static size_t stretch_middle(const struct chain *c, size_t last)
{
	size_t a = last - 2, b = last - 1, d = last;
	if (c->runs[c->at[b]].told || c->runs[c->at[d]].told)
		return SIZE_MAX;
	size_t low = c->x[b] < c->x[a] ? b : a, high = low == a ? b : a;
	return c->x[d] < c->x[low] ? low : c->x[d] > c->x[high] ? high : d;
}

/* The best stretch so far. */
struct best {
	size_t end;    /* its last run; SIZE_MAX: none */
	size_t middle; /* the run with its middle median */
};

/* Whether run i has drifted from the stretch. `told`: the largest reported change between them. */
static bool has_drifted(
	const struct chain *c, size_t i, const struct best *best, double told, double tolerance)
{
	double variance = own_variance(c, i), change = c->x[i] - c->x[best->middle];
	for (size_t k = 0; k < STRETCH; k++)
		variance += MIDDLE_VARIANCE * own_variance(c, best->end - k) / STRETCH;
	return change > 0 && change >= log1p(tolerance) && change > c->quantile * sqrt(variance) &&
		   told < change / 2;
}

/* --- begin and end of a drift ----------------------------------------------------------------- */

#define CORNERS 64 /* positions tried at a time for each corner */

/* Residual of x[from, to] after a fit of the ramp that rises from p to q. */
static double ramp_misfit(const struct chain *c, size_t from, size_t to, size_t p, size_t q)
{
	/* x = u (1 - w) + v w */
	double uu = 0, uv = 0, vv = 0, ux = 0, vx = 0, xx = 0;
	for (size_t i = from; i <= to; i++) {
		double w = i <= p ? 0 : i >= q ? 1 : (double)(i - p) / (double)(q - p);
		double x = c->x[i] - c->x[from];
		uu += (1 - w) * (1 - w);
		uv += (1 - w) * w;
		vv += w * w;
		ux += (1 - w) * x;
		vx += w * x;
		xx += x * x;
	}
	double determinant = uu * vv - uv * uv;
	double u = (ux * vv - vx * uv) / determinant, v = (vx * uu - ux * uv) / determinant;
	return xx - u * ux - v * vx;
}

struct corners {
	size_t p, q;
	double misfit;
};

/* The best p in [p0, p1] and q in [q0, q1], p < q, on a grid of at most CORNERS each. */
static struct corners best_corners(const struct chain *c, size_t from, size_t to, size_t p0,
	size_t p1, size_t q0, size_t q1, size_t step)
{
	struct corners best = {from, to, INFINITY};
	for (size_t p = p0; p <= p1; p += step)
		for (size_t q = q0 > p ? q0 : p + 1; q <= q1; q += step) {
			double misfit = ramp_misfit(c, from, to, p, q);
			if (misfit < best.misfit)
				best = (struct corners){p, q, misfit};
		}
	return best;
}

static struct corners find_corners(const struct chain *c, size_t from, size_t to)
{
	size_t step = (to - from) / CORNERS + 1;
	struct corners best = best_corners(c, from, to, from, to - 1, from + 1, to, step);
	while (step > 1) {
		size_t near = step;
		step = (2 * near) / CORNERS + 1;
		size_t p0 = best.p > from + near ? best.p - near : from,
			   p1 = best.p + near < to ? best.p + near : to - 1,
			   q0 = best.q > from + near ? best.q - near : from + 1,
			   q1 = best.q + near < to ? best.q + near : to;
		struct corners finer = best_corners(c, from, to, p0, p1, q0, q1, step);
		best = finer.misfit < best.misfit ? finer : best;
	}
	return best;
}

/* The widest ramp that fits about as well. In a steady rise, noise favors a steeper part, and it is
 * better to list one commit too many than to miss one. */
static struct corners widen(const struct chain *c, size_t from, size_t to, struct corners best)
{
	double most = best.misfit + 2 * (c->within + c->between);
	while (best.p > from && ramp_misfit(c, from, to, best.p - 1, best.q) <= most)
		best.p--;
	while (best.q < to && ramp_misfit(c, from, to, best.p, best.q + 1) <= most)
		best.q++;
	return best;
}

/* --- chains ----------------------------------------------------------------------------------- */

static double median_ns(const struct chain *c, size_t i)
{
	return c->runs[c->at[i]].median_ns;
}

/* The drift from a stretch to run `last`, over runs from `least` on. Runs before the stretch that
 * are not slower belong to it: a rise from the first run on has no level stretch, and some of its
 * changes may have been reported. */
static struct jr_drift drift_of(
	const struct chain *c, size_t least, const struct best *best, size_t last)
{
	size_t begin = best->end - (STRETCH - 1) > least ? best->end - (STRETCH - 1) : least;
	double level = c->x[best->middle] + 2 * sqrt(c->within + c->between);
	while (begin > least && c->x[begin - 1] < level)
		begin--;
	struct corners corners = widen(c, begin, last, find_corners(c, begin, last));
	size_t p = corners.p, q = corners.q;
	struct jr_drift drift = {.from = c->at[p],
		.first = c->at[p + 1],
		.last = c->at[q],
		.n = q - p,
		.change = median_ns(c, q) / median_ns(c, p) - 1,
		.since_best = median_ns(c, last) / median_ns(c, best->middle) - 1};
	for (size_t i = p + 1; i <= q; i++)
		drift.n_told += c->runs[c->at[i]].told;
	for (size_t k = 0; k < STRETCH; k++)
		drift.best[k] = c->at[best->end - (STRETCH - 1) + k];
	return drift;
}

/* State that is updated run by run. */
struct searching {
	const struct chain *chain;
	struct best best;
	size_t last;  /* last run that drifted from it; SIZE_MAX: none */
	size_t least; /* first run after all earlier drifts */
	double most;  /* log of the largest drift from it */
	double told;  /* the largest reported change after it that was not reversed */
	int n_back;   /* runs in a row that are back by half of that */
	struct jr_drifts *out;
};

static void end_drift(struct searching *s, bool lasts)
{
	if (s->last != SIZE_MAX) {
		s->out->items[s->out->n++] = drift_of(s->chain, s->least, &s->best, s->last);
		s->out->items[s->out->n - 1].lasts = lasts;
		s->least = s->last + 1;
	}
	s->last = SIZE_MAX;
	s->most = 0;
	s->n_back = 0;
}

static void take_stretch(struct searching *s, size_t end)
{
	size_t middle = stretch_middle(s->chain, end);
	const double *x = s->chain->x;
	if (middle == SIZE_MAX || (s->best.end != SIZE_MAX && x[middle] >= x[s->best.middle]))
		return;
	end_drift(s, false);
	s->best = (struct best){end, middle};
	s->told = 0;
}

/* Test each run against the best stretch before it. A drift ends with the last run that has
 * drifted, once there is a better stretch, or two runs in a row have reversed half of it. */
static void search(const struct chain *c, double tolerance, struct jr_drifts *out)
{
	struct searching s = {.chain = c, .best = {SIZE_MAX, 0}, .last = SIZE_MAX, .out = out};
	for (size_t i = STRETCH; i < c->n; i++) {
		const struct jr_drift_run *run = &c->runs[c->at[i]];
		take_stretch(&s, i - 1);
		if (s.best.end == SIZE_MAX)
			continue;
		double change = c->x[i] - c->x[s.best.middle];
		s.told = fmax(change < s.told / 2 ? 0 : s.told, run->told ? run->told_change : 0);
		out->since_best[c->at[i]] = median_ns(c, i) / median_ns(c, s.best.middle) - 1;
		s.n_back = change < s.most / 2 ? s.n_back + 1 : 0;
		if (s.n_back == 2)
			end_drift(&s, false);
		if (has_drifted(c, i, &s.best, s.told, tolerance)) {
			s.last = i;
			s.most = fmax(s.most, change);
		}
	}
	end_drift(&s, s.n_back == 0);
}

static bool takes_part(const struct jr_drift_run *run)
{
	return run->median_ns > 0 && isfinite(run->median_ns) && isfinite(run->error);
}

static void add_run(struct chain *c, size_t at)
{
	const struct jr_drift_run *run = &c->runs[at];
	size_t i = c->n++;
	c->at[i] = at;
	c->x[i] = log(run->median_ns);
}

/* Indexes of runs grouped by subject, otherwise in their order. */
static const size_t *by_subject(const struct jr_drift_run *runs, size_t n, struct jr_arena *scratch)
{
	size_t *begins = JR_ARENA_N(scratch, size_t, n + 2),
		   *order = JR_ARENA_N(scratch, size_t, n + 1);
	for (size_t i = 0; i < n; i++)
		begins[runs[i].subject + 1]++;
	for (size_t i = 0; i < n; i++)
		begins[i + 1] += begins[i];
	for (size_t i = 0; i < n; i++)
		order[begins[runs[i].subject]++] = i;
	return order;
}

JR_ORDER(compare_drifts, struct jr_drift, JR_UP(last))

struct jr_drifts jr_drifts_find(
	const struct jr_drift_run *runs, size_t n, double tolerance, struct jr_arena *arena)
{
	struct jr_drifts out = {.items = JR_ARENA_N(arena, struct jr_drift, n + 1),
		.since_best = JR_ARENA_N(arena, double, n + 1)};
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	struct chain c = {.runs = runs,
		.at = JR_ARENA_N(&scratch, size_t, n + 1),
		.x = JR_ARENA_N(&scratch, double, n + 1)};
	const size_t *order = by_subject(runs, n, &scratch);
	for (size_t i = 0; i < n; i++)
		out.since_best[i] = NAN;
	for (size_t i = 0, end; i < n; i = end) {
		c.n = 0;
		c.within = 0;
		c.quantile = NAN;
		for (end = i; end < n && runs[order[end]].subject == runs[order[i]].subject; end++)
			if (takes_part(&runs[order[end]]))
				add_run(&c, order[end]);
		measure_noise(&c, &scratch);
		if (!isnan(c.quantile))
			search(&c, tolerance, &out);
	}
	jr_sort(out.items, out.n, sizeof(*out.items), compare_drifts);
	return out;
}
