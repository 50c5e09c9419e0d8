/* Each verdict, and each reason for no verdict. */
#include "judge_case.h"

#include <math.h>

static void assert_close(double seen, double expected, double tolerance)
{
	if (!(fabs(seen - expected) <= tolerance))
		fail_msg("%.17g is not %.17g +- %g", seen, expected, tolerance);
}

static const char *sentence(const struct jr_comparison *c)
{
	struct jr_answer answer = jr_compare_answer(c);
	return jr_answer_text(c->arena, &answer);
}

static void assert_verdict(const struct judged *j, enum jr_verdict verdict, const char *doubt)
{
	if (j->j.verdict != verdict)
		fail_msg("%s (%s)", jr_verdict_name(j->j.verdict), j->j.n_doubts ? j->j.doubts[0].id : "");
	assert_int_equal(j->j.n_doubts, doubt != NULL);
	if (doubt)
		assert_string_equal(j->j.doubts[0].id, doubt);
}

/* Fill steps around `middle`, `spread` ns up and down in a fixed order. */
static void fill_steps(int64_t *out, size_t n, int64_t middle, int64_t spread)
{
	for (size_t i = 0; i < n; i++)
		out[i] = middle + ((int64_t)(i * 7 % n) * 2 - (int64_t)n + 1) * spread / (int64_t)n;
}

static UNIT(verdicts)
{
	static const struct {
		int64_t middle, spread, new_middle, new_spread;
		size_t n;
		enum jr_verdict verdict;
		const char *doubt;
	} cases[] = {
		{1000000, 4000, 1030000, 4000, 30, JR_VERDICT_REGRESSION, NULL},
		{1000000, 4000, 970000, 4000, 30, JR_VERDICT_IMPROVEMENT, NULL},
		{1000000, 4000, 1000100, 4000, 30, JR_VERDICT_SAME, NULL}, /* within the tolerance */
		{1000000, 400, 1005000, 400, 30, JR_VERDICT_SAME, NULL},   /* significant, but small */
		{1000000, 400000, 1030000, 400000, 30, JR_VERDICT_UNCLEAR, "too-noisy"},
		{1000000, 400000, 1000001, 400000, 30, JR_VERDICT_UNCLEAR, "too-noisy"},
		{1000000, 4000, 1030000, 4000, 3, JR_VERDICT_UNCLEAR, "too-few-steps"},
		{1000000, 4000, 2000000, 4000, 4, JR_VERDICT_REGRESSION, NULL}, /* 4 steps each suffice */
		{1000000, 4000, 1000000, 4000, 3, JR_VERDICT_SAME, NULL},       /* equal one by one */
		{1000000, 4000, 1000000, 4000, 1, JR_VERDICT_SAME, NULL},
	};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		int64_t base[30], fresh[30];
		struct judged j;
		fill_steps(base, cases[i].n, cases[i].middle, cases[i].spread);
		fill_steps(fresh, cases[i].n, cases[i].new_middle, cases[i].new_spread);
		judge_steps(&j, base, cases[i].n, fresh, cases[i].n);
		assert_verdict(&j, cases[i].verdict, cases[i].doubt);
		assert_true(j.j.same_subject);
		assert_int_equal(
			j.j.enough, !cases[i].doubt || strcmp(cases[i].doubt, "too-few-steps") != 0);
		assert_close(j.j.change.absolute.estimate,
			(double)(median_ns(fresh, cases[i].n) - median_ns(base, cases[i].n)), 1);
		jr_arena_done(&j.arena);
	}
}

/* An open verdict is reported with the interval, with what it rules out, and with the number of
 * steps that would decide it. */
static UNIT(what_is_open)
{
	static const struct {
		int64_t middle, spread, new_middle; /* ns */
		size_t n, new_n;
		double tolerance;
		const char *doubt, *words, *more; /* NULL: decided */
	} cases[] = {
		{1000000, 4000, 1009500, 30, 30, 0.01, "near-tolerance",
			"Cannot tell: median step 1.000 ms → 1.010 ms (+0.95 %; 95 % interval +0.7",
			" would decide this if the true change is"},
		{1000000, 4000, 1009500, 30, 30, 0.01, "near-tolerance",
			". Not enough data to decide whether that reaches 1 %", "; about 970 steps per run"},
		{1009500, 4000, 1000000, 30, 30, 0.01, "near-tolerance",
			"Cannot tell: median step 1.010 ms → 1.000 ms (−0.94 %; 95 % interval −1.",
			" would decide this if the true change is"},
		{1000000, 4000, 1009990, 30, 30, 0.01, "near-tolerance", "(+1.00 %; 95 ",
			"; the estimate is at the tolerance, so more steps would hardly help."},
		{1000000, 60000, 1020000, 30, 30, 0.01, "too-noisy",
			". It may be slower by 1 % or more, but not faster by as much",
			"steps per run would decide this if the true change is +2.00 %, as measured."},
		{1020000, 60000, 1000000, 30, 40, 0.01, "too-noisy",
			". It may be faster by 1 % or more, but not slower by as much",
			"steps per run would decide this if the true change is −1.96 %, as measured."},
		{1000000, 400000, 1010000, 30, 30, 0.0025, "too-noisy",
			". A change of 0.25 % cannot be ruled out in either direction",
			"; more than 100 times as many steps would be needed to decide."},
		{1000000, 60000, 1020000, 30, 30, 0, "too-noisy", "; 95 % interval ",
			". Not enough data to decide whether it changed; about "},
		{1000000, 4000, 1100000, 30, 1, 0.01, "too-few-steps", "30 steps in the base (",
			" and 1 in the new run (1.100 ms) are too few to separate a change from random "
			"variation; each run needs at least 4."},
		{1000000, 4000, 1100000, 2, 2, 0.01, "too-few-steps",
			"median step 1.000 ms → 1.100 ms (+10.00 %). 2 steps in the base (",
			") are too few to separate a change from random variation; "
			"each run needs at least 4."},
		{1000000, 4000, 1000, 1, 1, 0.01, "too-few-steps",
			"1 step in the base (1.000 ms) and 1 in the new run (1.000 µs) are too few",
			"run needs at least 4."},
		{1000000, 4000, 1010000, 30, 30, 0, NULL,
			"Regression: the median step takes 1.010 ms instead of 1.000 ms (+1.00 %); most of it "
			"is "
			"operations not listed (+10.00 µs). ",
			"The 95 % interval of the change is +0."},
		{1000, 4, 1000000000, 30, 30, 0.01, NULL, "Regression", "(+99,999,900.00 %); "},
		{1000000000, 4000, 1000, 30, 30, 0.01, NULL,
			"Improvement: the median step takes 2.000 µs instead of 1.000 s (−100.00 %)",
			"The 95 % interval of the change is −100.00 % to −100.00 %."},
		{1000000, 4000, 1001000, 30, 30, 0.01, NULL,
			"Same: the median step did not change by more than 1 %, 1.000 ms → 1.001 ms (+0.10 %",
			"95 % interval "},
	};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		int64_t base[40], fresh[40];
		struct judged j;
		fill_steps(base, cases[i].n, cases[i].middle, cases[i].spread);
		fill_steps(fresh, cases[i].new_n, cases[i].new_middle, cases[i].spread / 4 * 3);
		judge_times(&j, base, cases[i].n, fresh, cases[i].new_n, cases[i].tolerance, NULL);
		const char *told = sentence(&j.c);
		assert_int_equal(j.j.n_doubts, cases[i].doubt != NULL);
		if (!strstr(told, cases[i].words) || !strstr(told, cases[i].more) ||
			(cases[i].doubt && strcmp(j.j.doubts[0].id, cases[i].doubt) != 0))
			fail_msg("%zu: %s", i, told);
		assert_int_equal(j.j.verdict == JR_VERDICT_UNCLEAR, cases[i].doubt != NULL);
		assert_true(!strstr(told, "–") && !strstr(told, "nan") && !strstr(told, "inf "));
		jr_arena_done(&j.arena);
	}
}

/* Comparing the same steps leaves nothing to chance, even if there are few. */
static UNIT(equal_is_the_same)
{
	int64_t steps[2] = {500, 700}, swapped[2] = {700, 500};
	struct judged j;
	judge_steps(&j, steps, 2, steps, 2);
	assert_verdict(&j, JR_VERDICT_SAME, NULL);
	assert_true(j.j.change.relative.estimate == 0 && j.j.change.relative.low == 0 &&
				j.j.change.relative.high == 0);
	jr_arena_done(&j.arena);
	judge_steps(&j, steps, 2, swapped, 2); /* another measurement */
	assert_verdict(&j, JR_VERDICT_UNCLEAR, "too-few-steps");
	jr_arena_done(&j.arena);
}

/* Equal medians and equal upper ends do not make two samples equal. */
static UNIT(equal_is_said_of_equal_samples)
{
	int64_t base[40], fresh[30];
	struct judged j;
	for (size_t i = 0; i < 40; i++)
		base[i] = 17000000;
	for (size_t i = 0; i < 30; i++)
		fresh[i] = i < 2 ? 25000000 : 17000000;
	judge_steps(&j, base, 40, fresh, 30);
	assert_true(j.j.verdict == JR_VERDICT_SAME && !j.j.equal && j.j.change.relative.high == 0);
	assert_null(strstr(sentence(&j.c), "identical"));
	assert_non_null(strstr(sentence(&j.c), "17.00 ms → 17.00 ms (0 %;"));
	jr_arena_done(&j.arena);
	judge_steps(&j, fresh, 30, fresh, 30);
	assert_true(j.j.equal);
	assert_non_null(strstr(sentence(&j.c), "times of both runs are identical"));
	jr_arena_done(&j.arena);
}

/* A report that lacks the newer columns for explanations still has its times. */
static UNIT(old_reports_have_times)
{
	int64_t steps[2][30];
	struct judged j;
	jr_arena_init(&j.arena, 0);
	for (int side = 0; side < 2; side++) {
		fill_steps(steps[side], 30, side ? 1100000 : 1000000, 400);
		const struct built_module module = {"1", "step", "f", "s", 0, steps[side], 30};
		const struct built_run built = run_of(&module, "G", 1);
		JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
		put_report(&text, &built);
		for (char *at = text.data; (at = strstr(at, "\"step_"));)
			at[1] = 'x';
		for (char *at = text.data; (at = strstr(at, "\"execution_"));)
			at[1] = 'x';
		read_text(&j.runs[side], text.data, &j.arena);
	}
	struct jr_results results;
	jr_compare_runs(
		&j.runs[0], &j.runs[1], JR_TOLERANCE, &(struct jr_gates){0}, &j.arena, &j.c, &results);
	assert_non_null(j.c.explanation.unavailable);
	assert_int_equal(j.c.judgement.verdict, JR_VERDICT_REGRESSION);
	assert_non_null(strstr(
		sentence(&j.c), "the median execution takes 1.100 ms instead of 1.000 ms (+10.00 %)."));
	assert_non_null(strstr(sentence(&j.c),
		"This compares executions, because the base does not contain step-to-step times."));
	assert_string_equal(jr_results_scalar(&results, "step.basis")->value.text, "execution");
	assert_int_equal(jr_results_scalar(&results, "step.base_ms")->value.i64, 1000000);
	assert_int_equal(jr_results_scalar(&results, "step.new_ms")->value.i64, 1100000);
	jr_arena_done(&j.arena);
}

static struct jr_run run_of_two(
	int64_t step_ns, int64_t first_ns, int64_t second_ns, struct jr_arena *arena)
{
	int64_t steps[30];
	fill_steps(steps, 30, step_ns, 400);
	const struct built_module module = {
		"1", "step", "f", "s", 30 * (step_ns - first_ns - second_ns), steps, 30};
	const struct built_thunk thunks[] = {
		{"1", "first.1", "fusion", "add", "f32[8]", 30 * first_ns, false, 1},
		{"1", "second.2", "fusion", "sub", "f32[8]", 30 * second_ns, false, 1}};
	const struct built_run built = {"G", 1, "1", &module, 1, thunks, 2};
	return build_run(&built, arena);
}

/* "Most of it" means more than half of it. */
static UNIT(what_most_of_it_is)
{
	static const struct {
		int64_t first_ns, second_ns;
		const char *words;
	} cases[] = {{460000, 440000, "; most of it is first.1 (+60.00 µs)."},
		{449000, 448000, "; the largest part is first.1 (+49.00 µs)."}};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		struct judged j;
		struct jr_results results;
		jr_arena_init(&j.arena, 0);
		j.runs[0] = run_of_two(1000000, 400000, 400000, &j.arena);
		j.runs[1] = run_of_two(1100000, cases[i].first_ns, cases[i].second_ns, &j.arena);
		jr_compare_runs(
			&j.runs[0], &j.runs[1], JR_TOLERANCE, &(struct jr_gates){0}, &j.arena, &j.c, &results);
		if (!strstr(sentence(&j.c), cases[i].words))
			fail_msg("%s", sentence(&j.c));
		jr_arena_done(&j.arena);
	}
}

/* Values without an interval are not reported as noise. */
static UNIT(no_times_no_noise)
{
	int64_t steps[30], zero[30];
	fill_steps(steps, 30, 1000000, 400);
	fill_steps(zero, 30, 1000000, 400);
	zero[7] = 0;
	struct judged j;
	judge_steps(&j, zero, 30, steps, 30);
	assert_verdict(&j, JR_VERDICT_UNCLEAR, "zero-step");
	assert_null(strstr(sentence(&j.c), "–"));
	jr_arena_done(&j.arena);
	const struct built_module some = {"1", "step", "f", "s", 0, steps, 30},
							  none = {"1", "step", "f", "s", 0, NULL, 0};
	const struct built_run runs[] = {run_of(&some, "G", 1), run_of(&none, "G", 1)};
	for (int base = 0; base < 2; base++) {
		judge_as(&j, &runs[base], &runs[!base], JR_TOLERANCE, NULL);
		assert_verdict(&j, JR_VERDICT_UNCLEAR, "no-step");
		assert_non_null(strstr(j.j.doubts[0].text, base ? "the base has" : "the new run has"));
		assert_false(j.j.enough);
		jr_arena_done(&j.arena);
	}
}

static UNIT(tolerance_is_what_matters)
{
	int64_t base[30], fresh[30];
	fill_steps(base, 30, 1000000, 400);
	fill_steps(fresh, 30, 1030000, 400);
	const struct built_module a = {"1", "step", "f", "s", 0, base, 30};
	const struct built_module b = {"1", "step", "f", "s", 0, fresh, 30};
	const struct built_run runs[] = {run_of(&a, "G", 1), run_of(&b, "G", 1)};
	static const struct {
		double tolerance;
		enum jr_verdict verdict;
		const char *doubt;
	} cases[] = {{0, JR_VERDICT_REGRESSION, NULL}, {0.0299, JR_VERDICT_REGRESSION, NULL},
		{0.0301, JR_VERDICT_UNCLEAR, "near-tolerance"}, {0.0305, JR_VERDICT_SAME, NULL},
		{1, JR_VERDICT_SAME, NULL}};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		struct judged j;
		judge_as(&j, &runs[0], &runs[1], cases[i].tolerance, NULL);
		assert_verdict(&j, cases[i].verdict, cases[i].doubt);
		jr_arena_done(&j.arena);
	}
}

/* Different subjects: the report says which differ, for any times. */
static UNIT(different_subjects)
{
	int64_t base[30], fresh[30];
	fill_steps(base, 30, 1000000, 400);
	fill_steps(fresh, 30, 1030000, 400);
	const struct built_module step = {"1", "step", "f", "s", 0, base, 30},
							  slower = {"1", "step", "f", "s", 0, fresh, 30},
							  other = {"1", "other", "g", "t", 0, fresh, 30},
							  changed = {"1", "step", "f", "t", 0, fresh, 30};
	const struct built_thunk before[] = {{"1", "a", "fusion", "add", "f32[8]", 29000000, false, 1},
		{"1", "b", "fusion", "mul", "f32[8]", 1000000, false, 1}};
	const struct built_thunk after[] = {
		{"1", "a", "fusion", "add", "f32[16]", 29000000, false, 1}, /* another batch size */
		{"1", "b", "fusion", "mul", "f32[8]", 1900000, false, 1}};
	const struct built_run whole = run_of(&step, "G", 1);
	const struct {
		struct built_run base, fresh;
		const char *doubt;
	} cases[] = {
		{whole, run_of(&slower, "H", 1), "different-gpu"},
		{whole, run_of(&slower, "G", 2), "different-devices"},
		{whole, run_of(&other, "G", 1), "different-workload"},
		{{"G", 1, NULL, &step, 1, NULL, 0}, whole, "no-step"},
		{{"G", 1, "1", &step, 1, before, 2}, {"G", 1, "1", &changed, 1, after, 2},
			"different-workload"},
	};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		struct judged j;
		judge_as(&j, &cases[i].base, &cases[i].fresh, JR_TOLERANCE, NULL);
		assert_verdict(&j, JR_VERDICT_UNCLEAR, cases[i].doubt);
		assert_true(!j.j.same_subject && !j.j.enough);
		jr_arena_done(&j.arena);
	}
	/* several doubts are all reported; unknown values do not count as different */
	struct judged j;
	const struct built_run both = run_of(&slower, "H", 3), unknown = run_of(&slower, NULL, 1);
	judge_as(&j, &whole, &both, JR_TOLERANCE, NULL);
	assert_int_equal(j.j.n_doubts, 2);
	jr_arena_done(&j.arena);
	judge_as(&j, &whole, &unknown, JR_TOLERANCE, NULL);
	assert_verdict(&j, JR_VERDICT_REGRESSION, NULL);
	jr_arena_done(&j.arena);
}

/* The base determines the step, even if the new run spends more time in another program. */
static UNIT(step_is_that_of_the_base)
{
	int64_t train[30], eval[30];
	fill_steps(train, 30, 1000000, 400);
	fill_steps(eval, 30, 5000000, 400);
	const struct built_module before[] = {
		{"1", "train", "f", "s", 0, train, 30}, {"2", "eval", "g", "t", 0, train, 10}};
	const struct built_module after[] = {
		{"7", "eval", "g", "t", 0, eval, 20}, {"8", "train", "f", "s", 0, train, 30}};
	const struct built_run base = {"G", 1, "1", before, 2, NULL, 0},
						   fresh = {"G", 1, "7", after, 2, NULL, 0};
	struct judged j;
	judge_as(&j, &base, &fresh, JR_TOLERANCE, NULL);
	assert_int_equal(j.runs[1].steps.row, 1);
	assert_verdict(&j, JR_VERDICT_SAME, NULL);
	jr_arena_done(&j.arena);
}

/* A program that alternates with the heaviest one belongs to the same step. A change in which of
 * them is heavier is not a new step, and step time is measured from step to step. */
static UNIT(programs_of_a_step_have_its_periods)
{
	int64_t one[30], two[30], late[30];
	fill_steps(one, 30, 1000000, 400);
	fill_steps(two, 30, 999000, 400);
	fill_steps(late, 30, 2000000, 400);
	const struct built_module before[] = {
		{"1", "one", "f", "s", 0, one, 30}, {"2", "two", "g", "t", 0, two, 30}};
	const struct built_module after[] = {
		{"2", "two", "g", "t", 0, late, 30}, {"1", "one", "f", "s", 0, one, 30}};
	const struct built_run base = {"G", 1, "1", before, 2, NULL, 0},
						   fresh = {"G", 1, "2", after, 2, NULL, 0};
	struct judged j;
	judge_as(&j, &base, &fresh, JR_TOLERANCE, NULL);
	assert_int_equal(j.runs[1].steps.row, 1);
	assert_int_equal(j.runs[1].steps.periods.n, 30);
	assert_false(j.runs[1].steps.by_execution);
	assert_verdict(&j, JR_VERDICT_REGRESSION, NULL);
	jr_arena_done(&j.arena);
}

/* One value per step, because devices of one step wait for each other. A period is the mean over
 * devices that ran both steps, each from its own start and not from the first start of any
 * device. */
static UNIT(slowest_device_is_the_sample)
{
	static const struct {
		const char *program;
		int number, device, dur_ms, start_ms;
		bool steady;
	} rows[] = {{"1", 1, 0, 5, 10, true}, {"1", 1, 1, 7, 9, true}, {"1", 0, 0, 3, 0, false},
		{"1", 3, 0, 6, 40, true}, {"1", 2, 0, 4, 21, true}, {"1", 2, 1, 3, 30, true},
		{"2", 1, 0, 9, 1, true}};
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	jr_buf_puts(&text, "{\"schema\":\"jaxreport.report/1\",\"step\":{\"program_id\":\"1\"},"
					   "\"modules\":[{\"program_id\":\"1\"}],\"executions\":[");
	for (size_t i = 0; i < JR_COUNT_OF(rows); i++)
		jr_buf_printf(&text,
			"%s{\"program_id\":\"%s\",\"program_execution\":%d,\"device\":%d,\"dur_ms\":%d,"
			"\"start_ms\":%d,\"steady\":%s}",
			i ? "," : "", rows[i].program, rows[i].number, rows[i].device, rows[i].dur_ms,
			rows[i].start_ms, rows[i].steady ? "true" : "false");
	jr_buf_puts(&text, "]}");
	struct jr_arena arena;
	struct jr_run run;
	jr_arena_init(&arena, 0);
	read_text(&run, text.data, &arena);
	assert_int_equal(run.steps.executions.n, 3);
	assert_true(run.steps.executions.values[0] == 7e6 && run.steps.executions.values[1] == 4e6 &&
				run.steps.executions.values[2] == 6e6);
	assert_int_equal(run.steps.periods.n, 0); /* only those of the report count */
	jr_run_set_step(&run, SIZE_MAX, &arena);
	assert_int_equal(run.steps.executions.n, 0);
	jr_arena_done(&arena);
}
