/* Changes of percentiles of a program: their intervals, and how often a verdict is wrong by
 * chance. */
#include "run_build.h"

#include <math.h>

#include "analysis/core/distribution.h"
#include "base/order.h"
#include "compare/judge/latency_changes.h"

JR_ORDER_OF_VALUES(compare_ns, int64_t)

/* Replace the table of latency by one program with the percentiles of these times. */
static void set_latency(struct jr_run *run, int64_t *ns, size_t n, struct jr_arena *arena)
{
	static const size_t columns[] = {JR_LATENCY_P50, JR_LATENCY_P90, JR_LATENCY_P99};
	static const double quantiles[] = {0.5, 0.9, 0.99};
	struct jr_table *t = jr_table_new(arena, run->tables[JR_RUN_LATENCY]->spec, 1);
	qsort(ns, n, sizeof(*ns), compare_ns);
	t->cells[JR_LATENCY_NAME].text[0] = "jit_f";
	t->cells[JR_LATENCY_WHOLE].boolean[0] = 1;
	t->cells[JR_LATENCY_COUNT].i64[0] = (int64_t)n;
	for (size_t i = 0; i < JR_COUNT_OF(columns); i++) {
		struct jr_rank_interval r = jr_quantile_interval(n, quantiles[i], 0.95);
		t->cells[columns[i]].i64[0] = ns[jr_quantile_rank(n, quantiles[i]) - 1];
		if (r.low > 0)
			t->cells[columns[i] + 1].i64[0] = ns[r.low - 1];
		if (r.high <= n)
			t->cells[columns[i] + 2].i64[0] = ns[r.high - 1];
	}
	t->cells[JR_LATENCY_MAX].i64[0] = ns[n - 1];
	run->tables[JR_RUN_LATENCY] = t;
}

/* --- single pairs ----------------------------------------------------------------------------- */

struct pair {
	struct jr_arena arena;
	struct jr_run runs[2];
	struct jr_comparison c;
};

/* Times from first to first + n - 1 µs in both runs, the new ones longer by a factor. */
static void make_pair(struct pair *p, size_t n, double factor, const char *fresh_gpu)
{
	const int64_t steps[] = {1000, 1000, 1000, 1000};
	const struct built_module module = {"1", "step", "f", "s", 0, steps, JR_COUNT_OF(steps)};
	jr_arena_init(&p->arena, 0);
	for (int side = 0; side < 2; side++) {
		const struct built_run built = {side ? fresh_gpu : "G", 1, "1", &module, 1, NULL, 0};
		int64_t *ns = JR_ARENA_N(&p->arena, int64_t, n + 1);
		for (size_t i = 0; i < n; i++)
			ns[i] = (int64_t)((side ? factor : 1) * 1e3 * (double)(1000 + i));
		p->runs[side] = build_run(&built, &p->arena);
		set_latency(&p->runs[side], ns, n, &p->arena);
	}
	jr_compare_judge(&p->runs[0], &p->runs[1], 0.01, NULL, &p->arena, &p->c);
}

static void check_verdicts(size_t n, double factor, const char *gpu, const char *expected)
{
	struct pair p;
	JR_CLEANUP(jr_buf_done) struct jr_buf got = {0};
	make_pair(&p, n, factor, gpu);
	struct jr_latency_changes all = jr_latency_changes_find(&p.c);
	for (size_t i = 0; i < all.n; i++)
		jr_buf_printf(&got, "%s: %s%s%s\n", all.items[i].metric->name,
			all.items[i].judged ? jr_verdict_name(all.items[i].verdict) : "-",
			all.items[i].reason ? ", " : "", all.items[i].reason ? all.items[i].reason : "");
	assert_string_equal(got.data, expected);
	jr_arena_done(&p.arena);
}

#define TOO_FEW "too few executions: an interval of this percentile needs at least "

static UNIT(verdicts)
{
	check_verdicts(400, 2, "G",
		"latency.p50(jit_f): regression\nlatency.p90(jit_f): regression\n"
		"latency.p99(jit_f): regression\nlatency.max(jit_f): -\n");
	check_verdicts(400, 0.5, "G",
		"latency.p50(jit_f): improvement\nlatency.p90(jit_f): improvement\n"
		"latency.p99(jit_f): improvement\nlatency.max(jit_f): -\n");
	/* the same measurement, although its interval is wide */
	check_verdicts(400, 1, "G",
		"latency.p50(jit_f): same\nlatency.p90(jit_f): same\nlatency.p99(jit_f): same\n"
		"latency.max(jit_f): -\n");
	check_verdicts(367, 2, "G",
		"latency.p50(jit_f): regression\nlatency.p90(jit_f): regression\n"
		"latency.p99(jit_f): cannot tell, " TOO_FEW "368\nlatency.max(jit_f): -\n");
	check_verdicts(5, 2, "G",
		"latency.p50(jit_f): cannot tell, " TOO_FEW "6\n"
		"latency.p90(jit_f): cannot tell, " TOO_FEW "36\n"
		"latency.p99(jit_f): cannot tell, " TOO_FEW "368\nlatency.max(jit_f): -\n");
#define OTHER "the runs use different GPUs: G and H"
	check_verdicts(400, 2, "H",
		"latency.p50(jit_f): cannot tell, " OTHER "\nlatency.p90(jit_f): cannot tell, " OTHER
		"\nlatency.p99(jit_f): cannot tell, " OTHER "\nlatency.max(jit_f): -, " OTHER "\n");
#undef OTHER
}

/* The arms of both intervals add up as squares: 1.5 ms - 0.2 + 0.3 against 1 ms - 0.1 + 0.4. */
static UNIT(arms_of_intervals)
{
	struct pair p;
	make_pair(&p, 400, 1, "G");
	static const int64_t ns[2][3] = {{1000000, 900000, 1400000}, {1500000, 1300000, 1800000}};
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < 3; i++)
			p.runs[side].tables[JR_RUN_LATENCY]->cells[JR_LATENCY_P90 + i].i64[0] = ns[side][i];
	struct jr_metric_change change =
		jr_latency_changes_find(&p.c).items[1].change; /* p50, p90, p99, max */
	assert_true(change.base == 1e6 && change.fresh == 1.5e6 && change.absolute == 5e5);
	assert_true(fabs(change.relative - 0.5) < 1e-12);
	assert_true(fabs(change.absolute_low - (5e5 - sqrt(2e5 * 2e5 + 4e5 * 4e5))) < 1e-3);
	assert_true(fabs(change.absolute_high - (5e5 + sqrt(3e5 * 3e5 + 1e5 * 1e5))) < 1e-3);
	double low = sqrt(pow(log(1.5 / 1.3), 2) + pow(log(1.4 / 1), 2));
	double high = sqrt(pow(log(1.8 / 1.5), 2) + pow(log(1 / 0.9), 2));
	assert_true(fabs(change.relative_low - (1.5 * exp(-low) - 1)) < 1e-12);
	assert_true(fabs(change.relative_high - (1.5 * exp(high) - 1)) < 1e-12);
	/* the longest execution is compared, but has no interval */
	assert_true(isnan(jr_latency_changes_find(&p.c).items[3].change.absolute_low));
	jr_arena_done(&p.arena);
}

/* --- many pairs ------------------------------------------------------------------------------- */

/* Times with a long tail: the logarithm is uniform twice over. */
static int64_t draw(uint64_t *state, double scale)
{
	double a = (double)(next_random(state) >> 11) / 9007199254740992.0;
	double b = (double)(next_random(state) >> 11) / 9007199254740992.0;
	return (int64_t)(scale * 1e6 * exp(a * b * 2));
}

#define PAIRS 300
#define EXECUTIONS 500

/* Count the verdicts on a percentile over pairs of runs whose times differ by a factor. */
static void count_verdicts(double factor, size_t metric, size_t counts[4])
{
	uint64_t random = 77;
	static int64_t times[2][EXECUTIONS];
	const int64_t steps[] = {1000, 1000, 1000, 1000};
	const struct built_module module = {"1", "step", "f", "s", 0, steps, JR_COUNT_OF(steps)};
	const struct built_run built = {"G", 1, "1", &module, 1, NULL, 0};
	memset(counts, 0, 4 * sizeof(*counts));
	for (int pair = 0; pair < PAIRS; pair++) {
		struct jr_arena arena;
		struct jr_comparison c;
		jr_arena_init(&arena, 0);
		struct jr_run runs[2] = {build_run(&built, &arena), build_run(&built, &arena)};
		for (int side = 0; side < 2; side++) {
			for (size_t i = 0; i < EXECUTIONS; i++)
				times[side][i] = draw(&random, side ? factor : 1);
			set_latency(&runs[side], times[side], EXECUTIONS, &arena);
		}
		jr_compare_judge(&runs[0], &runs[1], 0.01, NULL, &arena, &c);
		struct jr_latency_changes all = jr_latency_changes_find(&c);
		assert_int_equal(all.n, 4);
		counts[all.items[metric].verdict]++;
		assert_false(all.items[3].judged);
		jr_arena_done(&arena);
	}
}

static UNIT(wrong_by_chance)
{
	static const char *const names[] = {"p50", "p90", "p99"};
	size_t n[4];
	for (size_t metric = 0; metric < JR_COUNT_OF(names); metric++) {
		count_verdicts(1, metric, n);
		print_message("%s, no change: %zu regressions and %zu improvements of %d pairs\n",
			names[metric], n[JR_VERDICT_REGRESSION], n[JR_VERDICT_IMPROVEMENT], PAIRS);
		assert_true(n[JR_VERDICT_REGRESSION] + n[JR_VERDICT_IMPROVEMENT] <= PAIRS / 20);
		count_verdicts(1.4, metric, n);
		print_message("%s, +40 %%: %zu regressions\n", names[metric], n[JR_VERDICT_REGRESSION]);
		assert_true(n[JR_VERDICT_REGRESSION] >= PAIRS * 9 / 10 && !n[JR_VERDICT_IMPROVEMENT]);
	}
}
