/* Effect of chance on verdicts, gates and intervals: shares over many seeds. */
#include "judge_case.h"
#include "step_noise.h"

#define MOST_STEPS 3000
#define SEEDS seeds_of(200)

/* Judge the seed-th pair of runs of n steps each, the new one slower by `slower`. */
static void judge_pair(struct judged *out, uint64_t seed, const struct step_noise *noise,
	double slower, double sigma, size_t n)
{
	static int64_t steps[2][MOST_STEPS];
	uint64_t random = seeded(seed * 1000003 + n * 101 + (uint64_t)round(slower * 1e4));
	assert_true(n <= MOST_STEPS);
	take_steps(&random, noise, 0, sigma, steps[0], n);
	take_steps(&random, noise, slower, sigma, steps[1], n);
	judge_times(out, steps[0], n, steps[1], n, JR_TOLERANCE, draws);
}

/* --- gates ------------------------------------------------------------------------------------ */

struct counts {
	int failed, unclear, regressions, improvements, same;
};

/* Count the results of a gate and of the verdict over 200 pairs of 30 steps. */
static struct counts count_outcomes(double slower, double sigma)
{
	struct counts c = {0};
	for (uint64_t seed = 1; seed <= (uint64_t)SEEDS; seed++) {
		struct jr_gates gates = {0};
		struct jr_error err = {.message = ""};
		struct judged j;
		judge_pair(&j, seed, &noise_alone, slower, sigma, 30);
		assert_int_equal(
			jr_gates_add(&gates, "step.median<+1%", strlen("step.median<+1%"), &j.arena, &err),
			JR_OK);
		const struct jr_gate *gate = &gates.list.items[0];
		struct jr_metric_change change =
			jr_metric_compare(gate->metric, &j.runs[0], &j.runs[1], &j.j.change);
		struct jr_gate_result r = jr_gate_check(gate, &j.runs[1], &change, &j.j);
		c.failed += r.outcome == JR_GATE_FAIL;
		c.unclear += r.outcome == JR_GATE_UNCLEAR;
		c.regressions += j.j.verdict == JR_VERDICT_REGRESSION;
		c.improvements += j.j.verdict == JR_VERDICT_IMPROVEMENT;
		c.same += j.j.verdict == JR_VERDICT_SAME;
		jr_gates_done(&gates);
		jr_arena_done(&j.arena);
	}
	return c;
}

static UNIT(errors_are_as_rare_as_promised)
{
	static const struct {
		double sigma;
		int least; /* of the pairs that are 3 % slower */
	} cases[] = {{0.005, 190}, {0.01, 190}, {0.015, 170}};
	for (size_t k = 0; k < JR_COUNT_OF(cases); k++) {
		double sigma = cases[k].sigma;
		struct counts unchanged = count_outcomes(0, sigma), slower = count_outcomes(0.03, sigma);
		print_message(
			"sigma %g %%: gate 'step.median<+1%%' failed for %d of %d unchanged pairs, for %d "
			"of %d that are 3 %% slower; verdict 'regression' for %d and %d\n",
			100 * sigma, unchanged.failed, SEEDS, slower.failed, SEEDS, unchanged.regressions,
			slower.regressions);
		if (!rates_hold())
			continue;
		assert_in_range(unchanged.failed, 0, 10);
		assert_in_range(slower.failed, cases[k].least, 200);
		assert_in_range(unchanged.regressions + unchanged.improvements, 0, 10);
		assert_in_range(slower.regressions, 190, 200);
		assert_int_equal(slower.same + slower.improvements, 0);
		if (!k)
			assert_in_range(unchanged.same, 190, 200);
	}
}

/* --- verdicts --------------------------------------------------------------------------------- */

struct verdicts {
	int of[4];   /* by verdict */
	int covered; /* intervals that contain the true change */
};

static struct verdicts count_verdicts(
	const struct step_noise *noise, double slower, double sigma, size_t n)
{
	struct verdicts v = {{0}, 0};
	for (uint64_t seed = 1; seed <= (uint64_t)SEEDS; seed++) {
		struct judged j;
		judge_pair(&j, seed, noise, slower, sigma, n);
		const struct jr_bootstrap *c = &j.j.change.relative;
		v.of[j.j.verdict]++;
		v.covered += c->low <= slower && c->high >= slower;
		if (j.j.verdict == JR_VERDICT_SAME && (c->low < -JR_TOLERANCE || c->high > JR_TOLERANCE))
			fail_msg("'same' of [%g, %g] (%zu steps, seed %d)", c->low, c->high, n, (int)seed);
		jr_arena_done(&j.arena);
	}
	return v;
}

static void print_verdicts(double size, size_t n, const struct verdicts *v)
{
	print_message("%+5.2f %%  %5zu  %5.1f  %10.1f  %11.1f  %11.1f  %17.1f\n", 100 * size, n,
		100.0 * v->of[JR_VERDICT_SAME] / SEEDS, 100.0 * v->of[JR_VERDICT_REGRESSION] / SEEDS,
		100.0 * v->of[JR_VERDICT_IMPROVEMENT] / SEEDS, 100.0 * v->of[JR_VERDICT_UNCLEAR] / SEEDS,
		100.0 * v->covered / SEEDS);
}

/* At most 1 in 20 is wrong. An unchanged run is not reported as a relevant change. A change
 * above the tolerance is not reported as the same. A change of three times the tolerance is
 * found. */
static UNIT(verdicts_by_size_and_steps)
{
	static const double sizes[] = {0, 0.005, 0.0115, 0.019, 0.03};
	static const size_t steps[] = {10, 30, 100};
	static const struct step_noise *const noises[] = {&noise_alone, &noise_real, &noise_kinds};
	for (size_t k = 0; k < JR_COUNT_OF(noises); k++) {
		int covered = 0;
		print_message(
			"noise of 1 %%, %s; tolerance 1 %%; %% of %d pairs each\n"
			"  change  steps   same  regression  improvement  cannot tell  interval holds "
			"it\n",
			noises[k]->name, SEEDS);
		for (size_t i = 0; i < JR_COUNT_OF(sizes) * JR_COUNT_OF(steps); i++) {
			double size = sizes[i / JR_COUNT_OF(steps)];
			size_t n = steps[i % JR_COUNT_OF(steps)];
			struct verdicts v = count_verdicts(noises[k], size, 0.01, n);
			print_verdicts(size, n, &v);
			covered += v.covered;
			if (!rates_hold())
				continue;
			assert_in_range(v.covered, SEEDS * 91 / 100, SEEDS);
			if (size == 0)
				assert_in_range(
					v.of[JR_VERDICT_REGRESSION] + v.of[JR_VERDICT_IMPROVEMENT], 0, SEEDS * 5 / 100);
			if (size == 0.03 && n >= 30)
				assert_in_range(v.of[JR_VERDICT_REGRESSION], SEEDS * 95 / 100, SEEDS);
			if (size > JR_TOLERANCE)
				assert_in_range(v.of[JR_VERDICT_SAME], 0, SEEDS * 5 / 100);
		}
		if (rates_hold())
			assert_in_range(covered, SEEDS * 15 * 94 / 100, SEEDS * 15);
	}
}

/* --- intervals -------------------------------------------------------------------------------- */

/* How often an interval contains the true change, also with few steps, and with correlated
 * steps. */
static UNIT(intervals_hold_the_truth)
{
	static const struct {
		const struct step_noise *noise;
		size_t n;
		double least; /* share */
	} cases[] = {{&noise_alone, 4, 0.95}, {&noise_alone, 6, 0.95}, {&noise_alone, 10, 0.95},
		{&noise_alone, 100, 0.95}, {&noise_real, 4, 0.93}, {&noise_real, 6, 0.93},
		{&noise_real, 10, 0.93}, {&noise_real, 30, 0.93}, {&noise_real, 100, 0.93},
		{&noise_kinds, 10, 0.93},
		{&noise_kinds, 30, 0.93}, {&noise_kinds, 100, 0.93}, {&noise_queued, 10, 0.9},
		{&noise_queued, 30, 0.93}, {&noise_queued, 100, 0.93}};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		int held = 0, n = seeds_of(600);
		for (int seed = 1; seed <= n; seed++) {
			struct judged j;
			judge_pair(&j, (uint64_t)seed, cases[i].noise, 0, 0.01, cases[i].n);
			const struct jr_bootstrap *c = &j.j.change.relative;
			held += c->low <= 0 && c->high >= 0;
			jr_arena_done(&j.arena);
		}
		print_message("%3zu steps, %s: %.1f %% of intervals hold the truth\n", cases[i].n,
			cases[i].noise->name, 100.0 * held / n);
		if (rates_hold() && held < cases[i].least * n)
			fail_msg("%d of %d", held, n);
	}
}

/* --- reported sizes --------------------------------------------------------------------------- */

static double share_told(const struct step_noise *noise, double slower, double sigma, size_t n)
{
	int told = 0;
	for (uint64_t seed = 1; seed <= (uint64_t)SEEDS; seed++) {
		struct judged j;
		judge_pair(&j, seed + 5000, noise, slower, sigma, n);
		told += j.j.verdict != JR_VERDICT_UNCLEAR;
		jr_arena_done(&j.arena);
	}
	return (double)told / SEEDS;
}

/* The reported number of steps decides, if the change is as large as estimated; far fewer steps
 * do not. */
static UNIT(as_many_steps_tell)
{
	static const struct {
		double slower;
		size_t n;
	} cases[] = {{0, 10}, {0.004, 10}, {0.004, 30}, {0.013, 10}, {0.016, 10}};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		double sum = 0, n = 0;
		for (uint64_t seed = 1; seed <= 3 * (uint64_t)SEEDS; seed++) {
			struct judged j;
			judge_pair(&j, seed, &noise_alone, cases[i].slower, 0.01, cases[i].n);
			bool as_it_is = fabs(j.j.change.relative.estimate - cases[i].slower) < 0.0008;
			if (as_it_is && isfinite(j.j.needed)) {
				assert_int_equal(j.j.verdict, JR_VERDICT_UNCLEAR);
				assert_true(j.j.needed > (double)cases[i].n);
				sum += j.j.needed;
				n++;
			}
			jr_arena_done(&j.arena);
		}
		if (!rates_hold())
			continue;
		assert_true(n > 10);
		double told = share_told(&noise_alone, cases[i].slower, 0.01, (size_t)(sum / n)),
			   third = share_told(&noise_alone, cases[i].slower, 0.01, (size_t)(sum / n / 3));
		print_message(
			"%+.1f %% at %zu steps: %.0f are said to tell; they do in %.0f %% of cases, a "
			"third of them in %.0f %%\n",
			100 * cases[i].slower, cases[i].n, sum / n, 100 * told, 100 * third);
		assert_true(told > 0.8 && third < 0.75);
	}
}

/* A change of the size that is reported as found in 8 of 10 cases is found as often, with its
 * verdict. */
static UNIT(detectable_is_told)
{
	for (double sigma = 0.002; sigma < 0.03; sigma *= 3) {
		double detectable = 0;
		int told = 0;
		for (uint64_t seed = 1; seed <= (uint64_t)SEEDS; seed++) {
			struct judged j;
			judge_pair(&j, seed, &noise_alone, 0, sigma, 30);
			assert_true(j.j.detectable > JR_TOLERANCE);
			detectable += j.j.detectable / SEEDS;
			jr_arena_done(&j.arena);
		}
		for (uint64_t seed = 1; seed <= (uint64_t)SEEDS; seed++) {
			struct judged j;
			judge_pair(&j, seed, &noise_alone, detectable, sigma, 30);
			told += j.j.verdict == JR_VERDICT_REGRESSION;
			jr_arena_done(&j.arena);
		}
		print_message("noise of %.1f %%: %.2f %% is said to be found; it is in %.0f %% of cases\n",
			100 * sigma, 100 * detectable, 100.0 * told / SEEDS);
		if (rates_hold())
			assert_in_range(told, SEEDS * 70 / 100, SEEDS * 95 / 100);
	}
}

UNIT_GROUP(set_up, tear_down)
