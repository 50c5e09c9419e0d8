/* Gates: which texts are gates, their results, and messages for texts that are not. */
#include "run_build.h"

#include <math.h>

#include "compare/core/compare.h"

/* --- the parser ------------------------------------------------------------------------------- */

static UNIT(parses)
{
	static const struct {
		const char *text, *metric;
		enum jr_gate_op op;
		enum jr_gate_kind kind;
		double limit;
	} cases[] = {
		{"step.median<+2%", "step.median", JR_GATE_LESS, JR_GATE_RELATIVE, 0.02},
		{" step.median \t<= -2 % ", "step.median", JR_GATE_AT_MOST, JR_GATE_RELATIVE, -0.02},
		{"step.median<+1ms", "step.median", JR_GATE_LESS, JR_GATE_CHANGE, 1e6},
		{"step.median<130ms", "step.median", JR_GATE_LESS, JR_GATE_VALUE, 130e6},
		{"step.p90<=0.5s", "step.p90", JR_GATE_AT_MOST, JR_GATE_VALUE, 5e8},
		{"step.max<7us", "step.max", JR_GATE_LESS, JR_GATE_VALUE, 7e3},
		{"step.max<7e-1us", "step.max", JR_GATE_LESS, JR_GATE_VALUE, 7e-1 * 1e3},
		{"step.max<7µs", "step.max", JR_GATE_LESS, JR_GATE_VALUE, 7e3},
		{"step.max<12ns", "step.max", JR_GATE_LESS, JR_GATE_VALUE, 12},
		{"memory.peak<=38GB", "memory.peak", JR_GATE_AT_MOST, JR_GATE_VALUE, 38e9},
		{"memory.peak<1.5GiB", "memory.peak", JR_GATE_LESS, JR_GATE_VALUE, 1610612736},
		{"memory.peak<+64MiB", "memory.peak", JR_GATE_LESS, JR_GATE_CHANGE, 67108864},
		{"memory.peak<9kB", "memory.peak", JR_GATE_LESS, JR_GATE_VALUE, 9000},
		{"memory.peak<9B", "memory.peak", JR_GATE_LESS, JR_GATE_VALUE, 9},
		{"memory.peak<9TB", "memory.peak", JR_GATE_LESS, JR_GATE_VALUE, 9e12},
		{"busy>=90%", "busy", JR_GATE_AT_LEAST, JR_GATE_VALUE, 0.9},
		{"busy>0.9", "busy", JR_GATE_MORE, JR_GATE_VALUE, 0.9},
		{"busy>-1%", "busy", JR_GATE_MORE, JR_GATE_RELATIVE, -0.01},
		{"steps>=30", "steps", JR_GATE_AT_LEAST, JR_GATE_VALUE, 30},
		{"latency.p99(jit_decode)<+5%", "latency.p99(jit_decode)", JR_GATE_LESS, JR_GATE_RELATIVE,
			0.05},
		{"latency.max(jit_<lambda>) >= 2ms", "latency.max(jit_<lambda>)", JR_GATE_AT_LEAST,
			JR_GATE_VALUE, 2e6},
		{"latency.p50(f (g) < h)<-1ms", "latency.p50(f (g) < h)", JR_GATE_LESS, JR_GATE_CHANGE,
			-1e6},
		{"thunks.per_step<+5", "thunks.per_step", JR_GATE_LESS, JR_GATE_CHANGE, 5},
	};
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		struct jr_gates gates = {0};
		struct jr_error err = {.message = ""};
		if (jr_gates_add(&gates, cases[i].text, strlen(cases[i].text), &arena, &err) != JR_OK)
			fail_msg("%s", err.message);
		const struct jr_gate *g = &gates.list.items[0];
		assert_string_equal(g->metric->name, cases[i].metric);
		if (g->op != cases[i].op || g->kind != cases[i].kind ||
			fabs(g->limit - cases[i].limit) > 1e-12 * fabs(g->limit))
			fail_msg("%s: %d %d %.17g", cases[i].text, (int)g->op, (int)g->kind, g->limit);
		jr_gates_done(&gates);
	}
}

#define UNKNOWN_UNIT "unknown unit. Use ns us ms s, B kB MB GB TB KiB MiB GiB TiB or %."

static UNIT(refuses)
{
	static const char *const cases[][2] = {
		{"", "gate '': the metric name is missing"},
		{"<2ms", "gate '<2ms': the metric name is missing"},
		{"step.medain<2ms", "gate 'step.medain<2ms': unknown metric 'step.medain'. Did you mean "
							"'step.median'?"},
		/* of several with the same beginning, the first in the list */
		{"step.mdian<2ms", "gate 'step.mdian<2ms': unknown metric 'step.mdian'. Did you mean "
						   "'step.median'?"},
		{"nonsense<2ms", "gate 'nonsense<2ms': unknown metric 'nonsense'. See --list-metrics."},
		{"step.median", "gate 'step.median': <, <=, > or >= is missing after the metric. Quote the "
						"gate: a shell takes them for redirection"},
		{"step.median=2ms", "gate 'step.median=2ms': <, <=, > or >= is missing after the metric"},
		{"step.median!2ms", "gate 'step.median!2ms': <, <=, > or >= is missing after the metric"},
		{"step.median <", "gate 'step.median <': the limit is not a number"},
		{"step.median<fast", "gate 'step.median<fast': the limit is not a number"},
		{"step.median<1ems", "gate 'step.median<1ems': " UNKNOWN_UNIT},
		{"step.median<2", "gate 'step.median<2': a time needs a unit: ns, us, ms, s or %"},
		{"memory.peak<2", "gate 'memory.peak<2': a size needs a unit: B, kB, MB, GB, ... or %"},
		{"step.median<2GB", "gate 'step.median<2GB': the metric is a time. Use ns us ms s."},
		{"memory.peak<2ms",
			"gate 'memory.peak<2ms': the metric is a size. Use B kB MB GB TB KiB MiB GiB TiB."},
		{"busy>=2ms", "gate 'busy>=2ms': the metric is a share. Use %."},
		{"steps>=2ms", "gate 'steps>=2ms': the metric is a number. Leave out the unit."},
		{"step.median<2parsec", "gate 'step.median<2parsec': " UNKNOWN_UNIT},
		{"step.median<2%", "gate 'step.median<2%': a share of the base needs a sign: +2%"},
		{"step.median<+-2%", "gate 'step.median<+-2%': the limit is not a number"},
		{"busy>=90", "gate 'busy>=90': a share needs %: 90%, or a fraction below 1"},
		{"busy<+2", "gate 'busy<+2': a share needs %: 90%, or a fraction below 1"},
		{"busy>=-2", "gate 'busy>=-2': a share needs %: 90%, or a fraction below 1"},
		{"busy>=-1", "gate 'busy>=-1': a share needs %: 90%, or a fraction below 1"},
		{"latency.p99<1ms",
			"gate 'latency.p99<1ms': latency.p99 is of one program. Add its name: "
			"latency.p99(jit_step)"},
		{"latency.p99()<1ms",
			"gate 'latency.p99()<1ms': the name of a program in parentheses is missing. Write "
			"latency.p99(jit_step)"},
		{"latency.p99(f(g)<1ms",
			"gate 'latency.p99(f(g)<1ms': the name of a program in parentheses is missing. Write "
			"latency.p99(jit_step)"},
		{"latency.p99(f)g<1ms",
			"gate 'latency.p99(f)g<1ms': the name of a program in parentheses is missing. Write "
			"latency.p99(jit_step)"},
		{"latency.p95(f)<1ms",
			"gate 'latency.p95(f)<1ms': unknown metric 'latency.p95'. Did you mean "
			"'latency.p90'?"},
		{"busy(f)>1%", "gate 'busy(f)>1%': busy is not a metric of one program. Leave out '(f)'"},
		{"latency.p99(f\xff)<1ms",
			"gate 'latency.p99(f\xff)<1ms': the name of the program is not one line of UTF-8"},
		{"step.median<2ms and more", "gate 'step.median<2ms and more': " UNKNOWN_UNIT},
	};
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		struct jr_gates gates = {0};
		struct jr_error err = {.message = ""};
		assert_int_equal(
			jr_gates_add(&gates, cases[i][0], strlen(cases[i][0]), &arena, &err), JR_EUSAGE);
		assert_string_equal(err.message, cases[i][1]);
		assert_int_equal(gates.list.n, 0);
		jr_gates_done(&gates);
	}
	char longest[300];
	memset(longest, 'x', sizeof(longest));
	struct jr_gates gates = {0};
	struct jr_error err = {.message = ""};
	assert_int_equal(jr_gates_add(&gates, longest, sizeof(longest), &arena, &err), JR_EUSAGE);
	assert_string_equal(err.message, "a gate of 300 bytes is not valid");
	assert_int_equal(jr_gates_add(&gates, "busy>\0 9%", 9, &arena, &err), JR_EUSAGE);
}

static UNIT(reads_files)
{
	static const char good[] = "# limits of the nightly run\n\n step.median < +2% # one percent\r\n"
							   "memory.peak<=38GB\n\t\nbusy>=90%";
	static const char bad[] = "busy>=90%\n\nbusy>=90 parsec # no\n";
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	struct jr_gates gates = {0};
	struct jr_error err = {.message = ""};
	assert_int_equal(
		jr_gates_add_lines(&gates, jr_bytes_of(good, strlen(good)), "limits", &arena, &err), JR_OK);
	assert_int_equal(gates.list.n, 3);
	assert_string_equal(gates.list.items[0].text, "step.median < +2%");
	assert_int_equal(
		jr_gates_add_lines(&gates, jr_bytes_of(bad, strlen(bad)), "limits", &arena, &err),
		JR_EUSAGE);
	assert_string_equal(err.message, "'limits', line 3: gate 'busy>=90 parsec': " UNKNOWN_UNIT);
	assert_int_equal(jr_gates_add_lines(&gates, jr_bytes_of("", 0), "x", &arena, &err), JR_OK);
	jr_gates_done(&gates);
}

/* No contents of a file crash the parser; it can print back every gate that it accepts. */
static UNIT(survives_anything)
{
	static const char alphabet[] = "step.median<>=+-0123456789%msGBµ #\n\t";
	uint64_t random = 9;
	for (int round = 0; round < 5000; round++) {
		char text[40];
		size_t n = next_random(&random) % sizeof(text);
		for (size_t i = 0; i < n; i++)
			text[i] = alphabet[next_random(&random) % (sizeof(alphabet) - 1)];
		if (round % 2 && n > 14)
			memcpy(text, "step.median<", 12);
		struct jr_arena arena;
		struct jr_gates gates = {0};
		struct jr_error err = {.message = ""};
		jr_arena_init(&arena, 0);
		enum jr_status status = jr_gates_add_lines(&gates, jr_bytes_of(text, n), "x", &arena, &err);
		assert_int_equal(status != JR_OK, *err.message != '\0');
		for (size_t i = 0; i < gates.list.n; i++) {
			assert_false(isnan(gates.list.items[i].limit));
			assert_non_null(
				jr_gate_value_text(&gates.list.items[i], gates.list.items[i].limit, &arena));
		}
		jr_gates_done(&gates);
		jr_arena_done(&arena);
	}
}

/* 2 % of a share and 2 percentage points of it differ. */
static UNIT(names_what_a_limit_is_of)
{
	static const char *const cases[][2] = {
		{"busy>=90%", "90.00 %"},
		{"busy>-2%", "−2.00 % (relative)"},
		{"busy>-0.02", "−2.00 pp"},
		{"busy<+0.5", "+50.00 pp"},
		{"step.median<+2%", "+2.00 %"},
		{"memory.peak<+1GB", "+1.000 GB"},
		{"steps<+1", "+1"},
	};
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		struct jr_gates gates = {0};
		struct jr_error err = {.message = ""};
		if (jr_gates_add(&gates, cases[i][0], strlen(cases[i][0]), &arena, &err) != JR_OK)
			fail_msg("%s", err.message);
		const struct jr_gate *gate = &gates.list.items[0];
		assert_string_equal(jr_gate_value_text(gate, gate->limit, &arena), cases[i][1]);
		jr_gates_done(&gates);
	}
}

/* --- outcomes --------------------------------------------------------------------------------- */

#define N_STEPS 30

struct sides {
	struct jr_arena arena;
	struct jr_run base, fresh;
	struct jr_comparison c;
};

/* Make two runs whose steps are within `spread` ns of these middles. */
static void make_sides(struct sides *s, size_t n, int64_t base_ns, int64_t fresh_ns, int64_t spread,
	const char *fresh_gpu)
{
	int64_t steps[2][N_STEPS];
	for (size_t i = 0; i < n; i++) {
		int64_t off = ((int64_t)(i * 7 % n) * 2 - (int64_t)n + 1) * spread / (int64_t)n;
		steps[0][i] = base_ns + off;
		steps[1][i] = fresh_ns + off;
	}
	const struct built_module modules[] = {
		{"1", "step", "f", "s", 0, steps[0], n}, {"1", "step", "f", "s", 0, steps[1], n}};
	const struct built_run runs[] = {
		{"G", 1, "1", &modules[0], 1, NULL, 0}, {fresh_gpu, 1, "1", &modules[1], 1, NULL, 0}};
	jr_arena_init(&s->arena, 0);
	s->base = build_run(&runs[0], &s->arena);
	s->fresh = build_run(&runs[1], &s->arena);
	jr_compare_judge(&s->base, &s->fresh, JR_TOLERANCE, NULL, &s->arena, &s->c);
}

static struct jr_gate_result check(struct sides *s, const char *text, bool with_base)
{
	struct jr_gates gates = {0};
	struct jr_error err = {.message = ""};
	if (jr_gates_add(&gates, text, strlen(text), &s->arena, &err) != JR_OK)
		fail_msg("%s", err.message);
	struct jr_gate *gate = JR_ARENA_NEW(&s->arena, struct jr_gate);
	*gate = gates.list.items[0];
	jr_gates_done(&gates);
	struct jr_metric_change change = jr_metric_compare(gate->metric, &s->base, &s->fresh, NULL);
	return jr_gate_check(
		gate, &s->fresh, with_base ? &change : NULL, with_base ? &s->c.judgement : NULL);
}

static void assert_outcome(
	struct sides *s, const char *text, enum jr_gate_outcome outcome, const char *reason)
{
	struct jr_gate_result r = check(s, text, true);
	if (r.outcome != outcome)
		fail_msg("%s: %s (%s)", text, jr_gate_outcome_name(r.outcome), r.reason ? r.reason : "");
	assert_int_equal(r.reason != NULL, outcome == JR_GATE_UNCLEAR);
	if (reason && !strstr(r.reason, reason))
		fail_msg("%s: %s", text, r.reason);
}

static UNIT(outcomes_of_steady_runs)
{
	struct sides s;
	make_sides(&s, N_STEPS, 100000000, 103000000, 400000, "G");
	assert_outcome(&s, "step.median<+2%", JR_GATE_FAIL, NULL);
	assert_outcome(&s, "step.median<+4%", JR_GATE_PASS, NULL);
	assert_outcome(&s, "step.median<+3%", JR_GATE_UNCLEAR, "inside the interval");
	assert_outcome(&s, "step.median<=+2ms", JR_GATE_FAIL, NULL);
	assert_outcome(&s, "step.median<+4ms", JR_GATE_PASS, NULL);
	assert_outcome(&s, "step.median<=102ms", JR_GATE_FAIL, NULL); /* a value has no interval */
	assert_outcome(&s, "step.median<=103ms", JR_GATE_PASS, NULL);
	assert_outcome(&s, "step.median<103ms", JR_GATE_FAIL, NULL);
	assert_outcome(&s, "step.median>=103ms", JR_GATE_PASS, NULL);
	assert_outcome(&s, "step.median>103ms", JR_GATE_FAIL, NULL);
	assert_outcome(&s, "step.median>+4%", JR_GATE_FAIL, NULL);
	assert_outcome(&s, "step.mean<+2%", JR_GATE_FAIL, NULL); /* no sample: no interval */
	assert_outcome(&s, "steps>=30", JR_GATE_PASS, NULL);
	assert_outcome(&s, "steps>30", JR_GATE_FAIL, NULL);
	assert_outcome(&s, "memory.peak<=1GB", JR_GATE_UNCLEAR, "the run does not have the metric");
	assert_outcome(&s, "memory.peak<+1GB", JR_GATE_UNCLEAR, "the base does not have the metric");
	struct jr_gate_result r = check(&s, "step.median<+2%", true);
	assert_true(r.low > 0.02 && r.low < r.value && r.value < r.high);
	r = check(&s, "step.median<+2%", false);
	assert_int_equal(r.outcome, JR_GATE_UNCLEAR);
	assert_string_equal(r.reason, "the gate limits a change; use it with 'jaxreport compare'");
	r = check(&s, "step.median<=103ms", false);
	assert_int_equal(r.outcome, JR_GATE_PASS);
	jr_arena_done(&s.arena);
}

static UNIT(outcomes_without_grounds)
{
	struct sides s;
	make_sides(&s, 3, 100000000, 103000000, 400000, "G"); /* too few steps */
	assert_outcome(&s, "step.median<+2%", JR_GATE_UNCLEAR, "each run needs at least 4");
	assert_outcome(&s, "step.median<=102ms", JR_GATE_FAIL, NULL);
	assert_outcome(&s, "steps<+1", JR_GATE_PASS, NULL); /* does not vary from step to step */
	jr_arena_done(&s.arena);
	make_sides(&s, N_STEPS, 100000000, 103000000, 400000, "H"); /* another GPU */
	assert_outcome(&s, "step.median<+2%", JR_GATE_UNCLEAR, "different GPUs");
	assert_outcome(&s, "steps<+1", JR_GATE_UNCLEAR, "different GPUs");
	assert_outcome(&s, "step.median<=104ms", JR_GATE_PASS, NULL);
	jr_arena_done(&s.arena);
	make_sides(&s, N_STEPS, 100000000, 103000000, 60000000, "G"); /* noise */
	assert_outcome(&s, "step.median<+2%", JR_GATE_UNCLEAR, "inside the interval");
	jr_arena_done(&s.arena);
}

static UNIT(outcome_of_several)
{
	struct jr_gate_result gates[3] = {{.outcome = JR_GATE_PASS}};
	assert_int_equal(jr_gates_outcome(gates, 0), JR_GATE_PASS);
	assert_int_equal(jr_gates_outcome(gates, 1), JR_GATE_PASS);
	gates[1].outcome = JR_GATE_UNCLEAR;
	gates[2].outcome = JR_GATE_PASS;
	assert_int_equal(jr_gates_outcome(gates, 3), JR_GATE_UNCLEAR);
	gates[2].outcome = JR_GATE_FAIL;
	assert_int_equal(jr_gates_outcome(gates, 3), JR_GATE_FAIL);
	gates[0].outcome = JR_GATE_FAIL;
	gates[2].outcome = JR_GATE_UNCLEAR;
	assert_int_equal(jr_gates_outcome(gates, 3), JR_GATE_FAIL);
}

static UNIT(says_what_was_measured)
{
	struct sides s;
	make_sides(&s, N_STEPS, 100000000, 103000000, 0, "G");
	static const char *const cases[][2] = {
		{"step.median<+2%", "+3.00 %, 95 % interval +3.00 % to +3.00 %"},
		{"step.median<+2ms", "+3.000 ms, 95 % interval +3.000 ms to +3.000 ms"},
		{"step.median<2ms", "103.0 ms"},
		{"steps>1", "30"},
		{"busy>1%", "not measured"},
	};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		struct jr_gate_result r = check(&s, cases[i][0], true);
		JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
		jr_gate_put_measured(&text, &r);
		assert_string_equal(text.data, cases[i][1]);
	}
	jr_arena_done(&s.arena);
}
