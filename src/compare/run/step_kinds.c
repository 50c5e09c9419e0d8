/* Kinds of steps: runs in which some steps are longer than the others, as those with an evaluation
 * or a checkpoint. Steps of two lengths leave the median between them to chance. */
#include <math.h>
#include <string.h>

#include "compare/run/run.h"

#define LEAST_OF_KIND 3    /* fewer steps are outliers, and belong to the nearest kind */
#define LEAST_GAP 0.05     /* of the shorter length: between two kinds */
#define LEAST_DEVIATIONS 3 /* the same, in deviations within a kind */

/* A stretch of ascending step times. */
struct kind {
	size_t begin, end;
	double median, deviation; /* half of the range between the quartiles */
};

struct kinds {
	const double *sorted;
	size_t n;
	struct kind items[JR_MOST_KINDS];
};

static bool measure(const double *sorted, struct kind *k)
{
	size_t n = k->end - k->begin;
	const double *own = sorted + k->begin;
	k->median = jr_quantile(own, n, 0.5);
	k->deviation = (jr_quantile(own, n, 0.75) - jr_quantile(own, n, 0.25)) / 2;
	return k->median > 0 && (k->deviation > 0 || own[0] == own[n - 1]);
}

/* Cut ascending times where they jump, unless few steps are on one side. No kinds: there is one, or
 * they are too many or too close to tell apart. */
static struct kinds find_kinds(struct jr_sample s, struct jr_arena *arena)
{
	double *sorted = JR_ARENA_COPY(arena, s.values, s.n, 1);
	struct kinds k = {.sorted = sorted};
	size_t begin = 0;
	jr_sort_doubles(sorted, s.n);
	for (size_t i = LEAST_OF_KIND; i + LEAST_OF_KIND <= s.n; i++) {
		if (i - begin < LEAST_OF_KIND || sorted[i] < (1 + LEAST_GAP) * sorted[i - 1])
			continue;
		if (k.n + 1 == JR_MOST_KINDS)
			return (struct kinds){0};
		k.items[k.n++] = (struct kind){.begin = begin, .end = i};
		begin = i;
	}
	if (!k.n)
		return k;
	k.items[k.n++] = (struct kind){.begin = begin, .end = s.n};
	for (size_t i = 0; i < k.n; i++) {
		if (!measure(sorted, &k.items[i]))
			return (struct kinds){0};
		if (i && sorted[k.items[i].begin] - sorted[k.items[i].begin - 1] <
					 LEAST_DEVIATIONS * fmax(k.items[i].deviation, k.items[i - 1].deviation))
			return (struct kinds){0};
	}
	return k;
}

static size_t steps_of(const struct kinds *k, size_t i)
{
	return k->items[i].end - k->items[i].begin;
}

/* Whether both runs have the same kinds, each as often. A kind that returns each n steps is in one
 * run at most once more. */
static bool same_kinds(const struct kinds k[2], const size_t n[2])
{
	for (size_t i = 0; i < k[0].n && k[0].n == k[1].n; i++)
		if (fabs((double)steps_of(&k[0], i) / (double)n[0] -
				 (double)steps_of(&k[1], i) / (double)n[1]) > 1 / (double)n[0] + 1 / (double)n[1])
			return false;
	return k[0].n && k[0].n == k[1].n;
}

/* Each step as a step of the typical length, further from it the further it is from the median of
 * its kind. Deviations count in units of their kind's, so that the median of the result varies as
 * the mean of the kinds' medians does. */
static struct jr_sample typical_steps(
	struct jr_sample s, const struct kinds *k, const double *shares, struct jr_arena *arena)
{
	double *values = JR_ARENA_N(arena, double, s.n), typical = 0, variance = 0;
	for (size_t i = 0; i < k->n; i++) {
		double deviation = shares[i] * k->items[i].deviation;
		typical += shares[i] * k->items[i].median;
		variance += deviation * deviation / (double)steps_of(k, i);
	}
	double deviation = sqrt((double)s.n * variance);
	for (size_t step = 0; step < s.n; step++) {
		const struct kind *own = &k->items[0];
		while (s.values[step] > k->sorted[own->end - 1])
			own++;
		values[step] = typical;
		if (own->deviation > 0)
			values[step] += deviation * (s.values[step] - own->median) / own->deviation;
	}
	return (struct jr_sample){values, s.n};
}

/* Match the kinds of two samples; if they are the same, set both of `typical`. */
static struct jr_step_kinds match_kinds(const struct jr_sample *const samples[2],
	struct jr_sample *const typical[2], struct jr_arena *arena)
{
	struct jr_step_kinds out = {0};
	struct kinds k[2];
	const size_t n[2] = {samples[0]->n, samples[1]->n};
	double shares[JR_MOST_KINDS];
	for (int side = 0; side < 2; side++)
		k[side] = find_kinds(*samples[side], arena);
	if (!same_kinds(k, n))
		return out;
	out.n = k[0].n;
	for (size_t i = 0; i < out.n; i++) {
		for (int side = 0; side < 2; side++) {
			out.items[i].n[side] = steps_of(&k[side], i);
			out.items[i].median_ns[side] = k[side].items[i].median;
		}
		shares[i] = (double)(out.items[i].n[0] + out.items[i].n[1]) / (double)(n[0] + n[1]);
	}
	for (int side = 0; side < 2; side++)
		*typical[side] = typical_steps(*samples[side], &k[side], shares, arena);
	return out;
}

struct jr_step_kinds jr_run_match_kinds(struct jr_run *const runs[2], struct jr_arena *arena)
{
	struct jr_run_steps *base = &runs[0]->steps, *fresh = &runs[1]->steps;
	(void)match_kinds((const struct jr_sample *[]){&base->executions, &fresh->executions},
		(struct jr_sample *[]){&base->typical_executions, &fresh->typical_executions}, arena);
	return match_kinds(
		(const struct jr_sample *[]){jr_run_step_sample(runs[0]), jr_run_step_sample(runs[1])},
		(struct jr_sample *[]){&base->typical, &fresh->typical}, arena);
}
