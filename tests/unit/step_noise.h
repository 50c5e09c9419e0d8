/*
 * step_noise.h - step times that vary like those of real runs, from a seed.
 * Test code; static functions only. Includes next_random() (run_build.h).
 */
#ifndef JR_TESTS_STEP_NOISE_H
#define JR_TESTS_STEP_NOISE_H

#include "run_build.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/core/statistics.h"

/*
 * Parts of the noise of a step, with a total variance of 1. One part is shared with the step before
 * (queues, caches, a busy network). One wanders slowly over some tens of steps (clocks and heat).
 * The rest is independent. In addition one step in 33 straggles, by up to 5 deviations.
 */
struct step_noise {
	const char *name;
	double neighbour;    /* correlation with the step before */
	double wander_share; /* of the variance */
	double wander;       /* correlation of that part with the step before */
	size_t every;        /* one step of so many takes half as long again; 0: none */
};

static const struct step_noise noise_alone = {"each step by itself", 0, 0, 0, 0};
static const struct step_noise noise_real = {"as real steps", 0.3, 0.1, 0.9, 0};
static const struct step_noise noise_queued = {"each like the one before", 0.6, 0, 0, 0};
static const struct step_noise noise_kinds = {"with an evaluation every 3 steps", 0.3, 0.1, 0.9, 3};

/* Under memcheck (tests/valgrind sets JR_FEW_SEEDS) one seed in 20 is enough to see which memory
 * is touched. Rates need all seeds and are checked elsewhere. */
static inline bool rates_hold(void)
{
	return !getenv("JR_FEW_SEEDS");
}

static inline int seeds_of(int all)
{
	return rates_hold() ? all : all / 20;
}

static inline void say_seeds(void)
{
	if (!rates_hold())
		print_message("few seeds: rates are not held\n");
}

static inline uint64_t seeded(uint64_t seed)
{
	return seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
}

static inline double uniform(uint64_t *state)
{
	return ((double)(next_random(state) >> 11) + 0.5) / 9007199254740992.0;
}

static inline double normal(uint64_t *state)
{
	return jr_normal_quantile(uniform(state));
}

/* Take n steps of 100 ms, slower by the fraction `slower`, with noise of relative deviation
 * sigma. */
static inline void take_steps(uint64_t *random, const struct step_noise *noise, double slower,
	double sigma, int64_t *out, size_t n)
{
	double near = normal(random), slow = normal(random);
	double own = sqrt(1 - noise->neighbour * noise->neighbour);
	double drift = sqrt(1 - noise->wander * noise->wander);
	size_t phase = noise->every ? next_random(random) % noise->every : 0;
	for (size_t i = 0; i < n; i++) {
		near = noise->neighbour * near + own * normal(random);
		slow = noise->wander * slow + drift * normal(random);
		double e = sqrt(1 - noise->wander_share) * near + sqrt(noise->wander_share) * slow;
		if (uniform(random) < 0.03)
			e += 5 * uniform(random);
		double longer = noise->every && (i + phase) % noise->every == 0 ? 1.5 : 1;
		out[i] = (int64_t)round(1e8 * longer * (1 + slower) * (1 + sigma * e));
	}
}

/* The draws of all judgments: equal numbers of steps use equal draws. */
static struct jr_draws *draws;

static inline int set_up(void **state)
{
	(void)state;
	draws = jr_draws_new();
	say_seeds();
	return 0;
}

static inline int tear_down(void **state)
{
	(void)state;
	jr_draws_free(draws);
	return 0;
}

#endif
