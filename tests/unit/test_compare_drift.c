/* Drift: how runs that differ by chance are judged, and which small changes are found. */
#include "step_noise.h"

#include "analysis/core/bootstrap.h"
#include "compare/judge/drift.h"
#include "compare/judge/judge.h"

#define STEPS 30
#define MOST_RUNS 10000

/* --- runs by their medians alone -------------------------------------------------------------- */

static struct jr_drift_run known[MOST_RUNS];
static struct jr_arena arena;

/* Find drifts in n runs of 100 ms. They change by `changes` percent from run to run, with noise
 * of 0.1 % deviation. If `told`, changes of 1 % or more are also reported run by run. */
static struct jr_drifts find(const double *changes, size_t n, bool told)
{
	uint64_t random = seeded(7);
	double level = 1e8;
	jr_arena_init(&arena, 0);
	for (size_t i = 0; i < n; i++) {
		level *= 1 + changes[i] / 100;
		known[i] = (struct jr_drift_run){
			.median_ns = level * (1 + 0.001 * normal(&random)), .error = 0.0005};
		if (!i || !told || fabs(changes[i]) < 1)
			continue;
		known[i].told = true;
		known[i].told_change = log(known[i].median_ns / known[i - 1].median_ns);
	}
	return jr_drifts_find(known, n, 0.01, &arena);
}

static void assert_near(double seen, double expected, double room)
{
	if (!(fabs(seen - expected) <= room))
		fail_msg("%g is not %g +- %g", seen, expected, room);
}

static UNIT(nothing_to_find)
{
	static const double none[12], down[12] = {0, 0, 0, -1, -1, -1, -1, -1, -1};
	for (size_t n = 0; n <= 12; n++) {
		assert_int_equal(find(none, n, true).n, 0);
		jr_arena_done(&arena);
		assert_int_equal(find(down, n, true).n, 0);
		jr_arena_done(&arena);
	}
	/* too small to matter */
	static const double little[12] = {0, 0, 0, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
	assert_int_equal(find(little, 12, true).n, 0);
	jr_arena_done(&arena);
}

/* Level, rising, level: the drift goes from the last level run to the last rise. */
static UNIT(the_range_is_named)
{
	static const double changes[20] = {[6] = 0.8, 0.8, 0.8, 0.8, 0.8, 0.8};
	struct jr_drifts d = find(changes, 20, true);
	assert_int_equal(d.n, 1);
	assert_in_range(d.items[0].from, 4, 6);
	assert_int_equal(d.items[0].first, d.items[0].from + 1);
	assert_in_range(d.items[0].last, 10, 12);
	assert_int_equal(d.items[0].n, d.items[0].last - d.items[0].from);
	assert_near(d.items[0].change, pow(1.008, 6) - 1, 0.009);
	assert_near(d.items[0].since_best, pow(1.008, 6) - 1, 0.005);
	assert_true(d.items[0].lasts && d.items[0].best[2] < 6);
	assert_true(isnan(d.since_best[2]) && !isnan(d.since_best[3]));
	assert_near(d.since_best[19], d.items[0].since_best, 1e-12);
	jr_arena_done(&arena);
}

/* A rise from the first run to the last: no part is level, and it is still found. */
static UNIT(no_level_stretch_is_needed)
{
	static const double changes[10] = {0, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8};
	struct jr_drifts d = find(changes, 10, true);
	assert_int_equal(d.n, 1);
	assert_in_range(d.items[0].from, 0, 1);
	assert_in_range(d.items[0].last, 8, 9);
	assert_near(d.items[0].change, pow(1.008, 9) - 1, 0.011);
	jr_arena_done(&arena);
}

static UNIT(what_was_mended_has_ended)
{
	static const double changes[40] = {
		[5] = 0.7, 0.7, 0.7, 0.7, 0.7, [16] = -4, [26] = 0.7, 0.7, 0.7, 0.7, 0.7};
	struct jr_drifts d = find(changes, 24, true);
	assert_int_equal(d.n, 1);
	assert_false(d.items[0].lasts);
	assert_in_range(d.items[0].last, 8, 10);
	jr_arena_done(&arena);
	/* and a second one, from a new best level */
	d = find(changes, 40, true);
	assert_int_equal(d.n, 2);
	assert_true(!d.items[0].lasts && d.items[1].lasts);
	assert_true(d.items[0].last < d.items[1].from);
	jr_arena_done(&arena);
}

/* The same rise again and again, undone at once each time: each is one drift. */
static UNIT(each_rise_is_one)
{
	double changes[60];
	for (size_t i = 0; i < 60; i++)
		changes[i] = i % 12 == 11 ? 100 * (pow(1.008, -9) - 1) : i % 12 && i % 12 < 10 ? 0.8 : 0;
	struct jr_drifts d = find(changes, 59, true);
	assert_int_equal(d.n, 5);
	for (size_t i = 0; i < 5; i++) {
		assert_in_range(d.items[i].from + 1, 12 * i, 12 * i + 2);
		assert_in_range(d.items[i].last, 12 * i + 8, 12 * i + 10);
		assert_near(d.items[i].change, pow(1.008, 9) - 1, 0.012);
		assert_int_equal(d.items[i].lasts, i == 4);
	}
	jr_arena_done(&arena);
}

/* Two jobs alternate in one store: the runs of each are one series. */
static UNIT(by_turns)
{
	static const double changes[20] = {[6] = 0.8, 0.8, 0.8, 0.8, 0.8, 0.8};
	(void)find(changes, 20, true);
	for (size_t i = 20; i-- > 0;) {
		known[2 * i] = known[i];
		known[2 * i + 1] = (struct jr_drift_run){.median_ns = 5e8, .error = 0.001, .subject = 1};
	}
	struct jr_drifts d = jr_drifts_find(known, 40, 0.01, &arena);
	assert_int_equal(d.n, 1);
	assert_true(d.items[0].lasts && d.items[0].from % 2 == 0 && d.items[0].last % 2 == 0);
	assert_in_range(d.items[0].first, 10, 14);
	assert_int_equal(d.items[0].n, (d.items[0].last - d.items[0].from) / 2);
	assert_near(d.since_best[39], 0, 1e-9);
	jr_arena_done(&arena);
}

/* A change that was reported run by run is not a drift, however long it lasts; a change on top
 * of it is. */
static UNIT(told_changes_are_told)
{
	static const double changes[20] = {[5] = 6};
	for (int told = 0; told < 2; told++) {
		assert_int_equal(find(changes, 20, told).n, !told);
		jr_arena_done(&arena);
	}
	static const double more[20] = {[5] = 3, [8] = 0.8, 0.8, 0.8, 0.8, 0.8};
	struct jr_drifts d = find(more, 20, true);
	assert_int_equal(d.n, 1);
	assert_near(d.items[0].since_best, 1.03 * pow(1.008, 5) - 1, 0.009);
	jr_arena_done(&arena);
}

/* One run that was fast by luck is not a baseline; empty runs are ignored. */
static UNIT(odd_runs)
{
	static const double lucky[20] = {[5] = -8, [6] = 8.7};
	assert_int_equal(find(lucky, 20, true).n, 0);
	jr_arena_done(&arena);
	static const double changes[20] = {[6] = 0.8, 0.8, 0.8, 0.8, 0.8, 0.8};
	(void)find(changes, 20, true);
	known[3].median_ns = 0;
	known[8].error = NAN;
	known[9].median_ns = NAN;
	struct jr_drifts d = jr_drifts_find(known, 20, 0.01, &arena);
	assert_int_equal(d.n, 1);
	assert_true(isnan(d.since_best[3]) && isnan(d.since_best[8]));
	jr_arena_done(&arena);
	/* another program, from the middle on: nothing to compare */
	(void)find(changes, 20, true);
	for (size_t i = 9; i < 20; i++)
		known[i].subject = 1;
	d = jr_drifts_find(known, 20, 0.01, &arena);
	assert_true(d.n == 1 && d.items[0].last < 9 && d.items[0].lasts);
	assert_true(isnan(d.since_best[11]) && fabs(d.since_best[19]) < 0.011);
	jr_arena_done(&arena);
}

/* As many runs as a store may hold: seconds, not minutes. */
static UNIT(many_runs)
{
	static double changes[MOST_RUNS];
	for (size_t i = 3000; i < 9000; i++)
		changes[i] = 0.001;
	struct jr_drifts d = find(changes, MOST_RUNS, true);
	assert_int_equal(d.n, 1);
	assert_in_range(d.items[0].from, 2700, 3300);
	assert_in_range(d.items[0].last, 8700, 9300);
	assert_near(d.items[0].change, 0.06, 0.01);
	jr_arena_done(&arena);
	for (size_t i = 0; i < MOST_RUNS; i++) /* one drift after another */
		changes[i] = i % 20 < 10 ? 0.5 : i % 20 == 15 ? -5.5 : 0;
	assert_true(find(changes, MOST_RUNS, true).n > 100);
	jr_arena_done(&arena);
}

/* --- over many seeds -------------------------------------------------------------------------- */

static double changed_by(const struct jr_median_change *c)
{
	bool slower = c->relative.low > 0 && c->relative.estimate >= JR_TOLERANCE,
		 faster = c->relative.high < 0 && c->relative.estimate <= -JR_TOLERANCE;
	return slower || faster ? log1p(c->relative.estimate) : 0;
}

/* Make n runs of 30 steps with noise of sigma, as a history reads them. Each run is `slower`
 * than the one before; `between` is the noise from run to run. */
static struct jr_drifts take_runs(
	uint64_t seed, size_t n, double slower, double sigma, double between)
{
	static int64_t ns[STEPS];
	static double steps[2][STEPS];
	uint64_t random = seeded(seed * 7919 + n);
	double level = 0;
	jr_arena_init(&arena, 0);
	for (size_t i = 0; i < n; i++) {
		struct jr_sample own = {steps[i % 2], STEPS}, before = {steps[!(i % 2)], STEPS};
		level = i ? (1 + level) * (1 + slower) - 1 : 0;
		take_steps(&random, &noise_real, (1 + level) * (1 + between * normal(&random)) - 1, sigma,
			ns, STEPS);
		for (size_t k = 0; k < STEPS; k++)
			steps[i % 2][k] = (double)ns[k];
		struct jr_bootstrap median = jr_bootstrap_median(own, 1, draws);
		known[i] = (struct jr_drift_run){
			.median_ns = median.estimate, .error = median.error / median.estimate};
		if (!i)
			continue;
		struct jr_median_change change = jr_bootstrap_change(before, own, 1, draws);
		known[i].told_change = changed_by(&change);
		known[i].told = known[i].told_change != 0;
	}
	return jr_drifts_find(known, n, JR_TOLERANCE, &arena);
}

static UNIT(chance_is_no_drift)
{
	static const struct {
		size_t n;
		double between;
		int seeds;
	} cases[] = {{12, 0, 200}, {12, 0.003, 200}, {12, 0.01, 200}, {12, 0.03, 200}, {5, 0.01, 200},
		{100, 0.003, 60}, {100, 0.01, 60}};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		int alarms = 0, n_seeds = seeds_of(cases[i].seeds);
		for (int seed = 1; seed <= n_seeds; seed++) {
			alarms += take_runs((uint64_t)seed, cases[i].n, 0, 0.01, cases[i].between).n > 0;
			jr_arena_done(&arena);
		}
		print_message("%3zu runs that differ by %.1f %% by chance: drift in %d of %d histories\n",
			cases[i].n, 100 * cases[i].between, alarms, n_seeds);
		if (rates_hold())
			assert_in_range(alarms, 0, n_seeds * 5 / 100);
	}
}

static UNIT(drift_is_found)
{
	static const struct {
		double sigma, between;
		int found, right; /* at least */
	} cases[] = {
		{0.002, 0, 195, 195}, {0.005, 0, 190, 190}, {0.005, 0.002, 165, 165}, {0.01, 0, 100, 90}};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		int found = 0, right = 0, told = 0, n_seeds = seeds_of(200);
		for (int seed = 1; seed <= n_seeds; seed++) {
			struct jr_drifts d =
				take_runs((uint64_t)seed, 10, 0.008, cases[i].sigma, cases[i].between);
			found += d.n == 1;
			right += d.n == 1 && d.items[0].from <= 1 && d.items[0].last >= 8 &&
					 fabs(d.items[0].change - 0.0744) < 0.02;
			for (size_t k = 0; k < 10; k++)
				told += known[k].told;
			jr_arena_done(&arena);
		}
		print_message("9 x +0.8 %%, steps that vary by %.1f %%, runs by %.1f %%: drift in %d of %d "
					  "histories, with range and sum in %d; %.1f of 9 told by themselves\n",
			100 * cases[i].sigma, 100 * cases[i].between, found, n_seeds, right,
			(double)told / n_seeds);
		if (!rates_hold())
			continue;
		assert_in_range(found, cases[i].found, 200);
		assert_in_range(right, cases[i].right, 200);
	}
}

UNIT_GROUP(set_up, tear_down)
