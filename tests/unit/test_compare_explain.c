/* The parts of a change add up to it, to the nanosecond, for any two runs. */
#include "run_build.h"

#include <math.h>

#include "compare/core/compare_columns.h"
#include "compare/judge/explain.h"

struct pair {
	struct jr_arena arena;
	struct jr_run runs[2];
	struct jr_match match;
	struct jr_explanation e;
};

/* Whether executions count as steps, in all pairs explained from now on. */
static bool by_execution = true;

static void explain(struct pair *p, const struct built_run *base, const struct built_run *fresh)
{
	jr_arena_init(&p->arena, 0);
	p->runs[0] = build_run(base, &p->arena);
	p->runs[1] = build_run(fresh, &p->arena);
	p->runs[0].steps.by_execution = p->runs[1].steps.by_execution = by_execution;
	const struct jr_run *const runs[] = {&p->runs[0], &p->runs[1]};
	p->match = jr_match_runs(runs, &p->arena);
	p->e = jr_explain(runs, &p->match, &p->arena);
}

static void assert_adds_up(const struct jr_explanation *e)
{
	assert_null(e->unavailable);
	int64_t parts[2] = {0}, items[2] = {0};
	for (int side = 0; side < 2; side++) {
		for (size_t i = 0; i < e->n; i++)
			items[side] += e->items[i].ns[side];
		for (int part = 0; part < JR_N_PARTS; part++)
			parts[side] += e->part_ns[part][side];
		assert_int_equal(items[side], e->step_ns[side]);
		assert_int_equal(parts[side], e->step_ns[side]);
	}
	for (size_t i = 1; i < e->n; i++)
		assert_true(llabs(e->items[i].ns[1] - e->items[i].ns[0]) <=
					llabs(e->items[i - 1].ns[1] - e->items[i - 1].ns[0]));
}

static const struct jr_contribution *item_of(
	const struct pair *p, enum jr_step_part part, const char *name)
{
	for (size_t i = 0; i < p->e.n; i++) {
		const struct jr_contribution *item = &p->e.items[i];
		if (item->part != part || !item->thunk != !name)
			continue;
		int side = name && item->thunk->n[1] ? 1 : 0;
		if (!name || strcmp(jr_run_text(&p->runs[side], JR_RUN_THUNKS, JR_THUNK_NAME,
								item->thunk->rows[side][0]),
						 name) == 0)
			return item;
	}
	fail_msg("no item %s", name ? name : jr_step_part_name(part));
	return NULL;
}

/* --- whole numbers ---------------------------------------------------------------------------- */

static UNIT(divides_exactly)
{
	uint64_t random = 5;
	for (int round = 0; round < 500; round++) {
		int64_t sums[20], out[20], divisor = 1 + (int64_t)(next_random(&random) % 97), all = 0;
		size_t n = next_random(&random) % 20;
		for (size_t i = 0; i < n; i++) {
			sums[i] = (int64_t)(next_random(&random) % 2000) - 700;
			all += sums[i];
		}
		jr_divide_exactly(sums, n, divisor, out);
		int64_t sum = 0;
		for (size_t i = 0; i < n; i++) {
			sum += out[i];
			assert_true(
				out[i] * divisor > sums[i] - divisor && out[i] * divisor < sums[i] + divisor);
		}
		assert_int_equal(sum, all / divisor - (all % divisor < 0));
	}
	int64_t even[] = {2, 2, 2}, out[3];
	jr_divide_exactly(even, 3, 4, out);
	assert_true(out[0] == 1 && out[1] == 0 && out[2] == 0); /* for equal remainders, the first */
}

/* A foreign report may state any number of steps: the remainders add up to more than fits. */
static UNIT(divides_by_any_number)
{
	static const int64_t divisors[] = {INT64_C(1) << 61, INT64_MAX, INT64_MAX - 7};
	for (size_t i = 0; i < JR_COUNT_OF(divisors); i++) {
		int64_t below[] = {-1, -1, -1, -1, -1, -1, 0, 3}, out[8], sum = 0;
		jr_divide_exactly(below, 8, divisors[i], out);
		for (size_t k = 0; k < 8; k++) {
			assert_true(out[k] == 0 || (out[k] == -1 && below[k] < 0));
			sum += out[k];
		}
		assert_int_equal(sum, -1);
		int64_t ends[] = {INT64_MAX, -INT64_MAX, INT64_MAX, -INT64_MAX};
		jr_divide_exactly(ends, 4, divisors[i], out);
		assert_int_equal(out[0] + out[1] + out[2] + out[3], 0);
	}
}

/* --- by hand ---------------------------------------------------------------------------------- */

static const int64_t base_steps[] = {100, 110, 120}, new_steps[] = {130, 140, 150};

static UNIT(parts_by_hand)
{
	const struct built_module base_module[] = {{"1", "step", "f", "s1", 33, base_steps, 3}};
	const struct built_module new_module[] = {{"5", "step", "f", "s2", 30, new_steps, 3}};
	const struct built_thunk base_thunks[] = {
		{"1", "fusion.1", "fusion", "add", "f32[8]", 150, false, 1},
		{"1", "fusion.2", "fusion", "add", "f32[8]", 60, false, 1},
		{"1", "ar.1", "all-reduce", "psum", "f32[8]", 57, true, 1},
		{"1", "gone", "sort", "sort", "f32[8]", 30, false, 1}};
	const struct built_thunk new_thunks[] = {
		{"5", "fusion.7", "fusion", "add", "f32[8]", 240, false, 1},
		{"5", "ar.9", "all-reduce", "psum", "f32[8]", 57, true, 1},
		{"5", "new", "gather", "gather", "f32[8]", 93, false, 1}};
	const struct built_run base = {"G", 1, "1", base_module, 1, base_thunks, 4};
	const struct built_run fresh = {"G", 1, "5", new_module, 1, new_thunks, 3};
	struct pair p;
	explain(&p, &base, &fresh);
	assert_adds_up(&p.e);
	assert_true(p.e.step_ns[0] == 110 && p.e.step_ns[1] == 140);
	const struct jr_contribution *fusion = item_of(&p, JR_PART_COMPUTE, "fusion.7");
	assert_true(fusion->ns[0] == 70 && fusion->ns[1] == 80); /* two thunks became one */
	assert_int_equal(fusion->thunk->n[0], 2);
	const struct jr_contribution *added = item_of(&p, JR_PART_COMPUTE, "new");
	assert_true(added->ns[0] == 0 && added->ns[1] == 31 && p.e.items == added);
	const struct jr_contribution *gone = item_of(&p, JR_PART_COMPUTE, "gone");
	assert_true(gone->ns[0] == 10 && gone->ns[1] == 0);
	const struct jr_contribution *same = item_of(&p, JR_PART_COMMUNICATION, "ar.9");
	assert_true(same->ns[0] == 19 && same->ns[1] == 19);
	const struct jr_contribution *idle = item_of(&p, JR_PART_IDLE, NULL);
	assert_true(idle->ns[0] == 11 && idle->ns[1] == 10);
	assert_true(isnan(idle->p) && added->p < 0.05 && same->p == 1);
	/* (150 + 60 + 57) of 297 ns, (240 + 57) of 390 ns: the smaller share of the two */
	assert_true(fabs(p.e.matched_frac - 297.0 / 390) < 1e-15);
	jr_arena_done(&p.arena);
}

/* Twice the bytes at the base's efficiency, and the remainder; the same work; unknown work. */
static UNIT(work_by_hand)
{
	const struct built_module base_module[] = {{"1", "step", "f", "s1", 0, base_steps, 3}};
	const struct built_module new_module[] = {{"5", "step", "f", "s2", 0, new_steps, 3}};
	const struct built_thunk base_thunks[] = {
		{"1", "more", "fusion", "add", "f32[8]", 90, false, 1},
		{"1", "same", "fusion", "mul", "f32[8]", 60, false, 1},
		{"1", "dark", "fusion", "ffi", "f32[8]", 60, false, 1},
		{"1", "ar", "all-reduce", "psum", "f32[8]", 30, true, 1},
		{"1", "gone", "sort", "sort", "f32[8]", 30, false, 1}};
	const struct built_thunk new_thunks[] = {
		{"5", "more", "fusion", "add", "f32[8]", 210, false, 1},
		{"5", "same", "fusion", "mul", "f32[8]", 90, false, 1},
		{"5", "dark", "fusion", "ffi", "f32[8]", 30, false, 1},
		{"5", "ar", "all-reduce", "psum", "f32[8]", 60, true, 1}};
	static const struct built_work works[] = {{"1", "more", 100, 4000, 10},
		{"1", "same", 500, 40, 9}, {"1", "ar", 0, 40, 9}, {"1", "gone", 0, 40, 9},
		{"5", "more", 100, 8000, 20}, {"5", "same", 500, 40, 9}, {"5", "ar", 0, 80, 18}};
	built_works = works;
	n_built_works = JR_COUNT_OF(works);
	struct built_run base = {"G", 1, "1", base_module, 1, base_thunks, 5};
	const struct built_run fresh = {"G", 1, "5", new_module, 1, new_thunks, 4};
	struct pair p;
	explain(&p, &base, &fresh);
	assert_adds_up(&p.e);
	const struct jr_contribution *more = item_of(&p, JR_PART_COMPUTE, "more");
	assert_true(more->ns[0] == 30 && more->ns[1] == 70);
	assert_int_equal(more->work_ns, 30); /* of 40; the other 10: same work, but slower */
	assert_true(more->work[1].bytes == 8000 && more->work[1].flops == 100);
	assert_int_equal(item_of(&p, JR_PART_COMPUTE, "same")->work_ns, 0);
	assert_true(item_of(&p, JR_PART_COMPUTE, "dark")->work_ns == JR_NULL_I64);
	assert_true(item_of(&p, JR_PART_COMMUNICATION, "ar")->work_ns == JR_NULL_I64);
	assert_int_equal(item_of(&p, JR_PART_COMPUTE, "gone")->work_ns, -10);
	assert_true(item_of(&p, JR_PART_IDLE, NULL)->work_ns == JR_NULL_I64);
	jr_arena_done(&p.arena);

	base.gpu = "H"; /* with other rooflines */
	explain(&p, &base, &fresh);
	assert_true(item_of(&p, JR_PART_COMPUTE, "more")->work_ns == JR_NULL_I64);
	assert_int_equal(item_of(&p, JR_PART_COMPUTE, "same")->work_ns, 0);
	jr_arena_done(&p.arena);
	n_built_works = 0;
}

/* A median that differs from the mean, times that no thunk explains, only one step. */
static UNIT(odd_ends)
{
	static const int64_t skewed[] = {100, 100, 400}, one[] = {90};
	const struct built_module a[] = {{"1", "step", "f", "s", 0, skewed, 3}};
	const struct built_module b[] = {{"1", "step", "f", "s", 0, one, 1}};
	const struct built_thunk some[] = {{"1", "x", "fusion", "x", "f", 300, false, 1}};
	const struct built_thunk few[] = {{"1", "x", "fusion", "x", "f", 80, false, 0}};
	const struct built_run base = {"G", 1, "1", a, 1, some, 1}, fresh = {"G", 1, "1", b, 1, few, 1};
	struct pair p;
	explain(&p, &base, &fresh);
	assert_adds_up(&p.e);
	assert_int_equal(p.e.part_ns[JR_PART_OTHER][0], 100);
	assert_int_equal(p.e.part_ns[JR_PART_OTHER][1], 10);
	assert_int_equal(p.e.part_ns[JR_PART_SPREAD][0], -100);
	assert_int_equal(p.e.part_ns[JR_PART_SPREAD][1], 0);
	assert_true(isnan(item_of(&p, JR_PART_COMPUTE, "x")->p));
	assert_true(p.e.matched_frac == 1); /* the same HLO, though part of it is unknown */
	jr_arena_done(&p.arena);
}

static UNIT(unavailable_says_why)
{
	const struct built_module step[] = {{"1", "step", "f", "s", 0, base_steps, 3}};
	const struct built_module other[] = {{"1", "other", "g", "t", 0, base_steps, 3}};
	const struct built_module never[] = {{"1", "step", "f", "s", 0, NULL, 0}};
	const struct built_run good = {"G", 1, "1", step, 1, NULL, 0},
						   another = {"G", 1, "1", other, 1, NULL, 0},
						   none = {"G", 1, NULL, step, 1, NULL, 0},
						   old = {"G", 1, "1", never, 1, NULL, 0};
	const struct {
		const struct built_run *base, *fresh;
		const char *why;
	} cases[] = {{&none, &good, "the base has no steady step"},
		{&good, &none, "the new run has no such step"},
		{&good, &old, "before it contained the needed"}, {&good, &another, "no step in common"}};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		struct pair p;
		explain(&p, cases[i].base, cases[i].fresh);
		if (!p.e.unavailable || !strstr(p.e.unavailable, cases[i].why))
			fail_msg("case %zu: %s", i, p.e.unavailable ? p.e.unavailable : "available");
		jr_arena_done(&p.arena);
	}
}

/* --- at random -------------------------------------------------------------------------------- */

struct random_side {
	struct built_module module[1];
	struct built_thunk thunks[16];
	int64_t steps[30];
	char names[16][24];
	struct built_run run;
};

static void make_side(struct random_side *s, const char *structure, uint64_t *random)
{
	static const char *const ops[] = {"add", "mul", "dot"}, *const shapes[] = {"f32[8]", "f32[9]"};
	size_t n = next_random(random) % 16, n_steps = 1 + next_random(random) % 30;
	for (size_t i = 0; i < n_steps; i++)
		s->steps[i] = 1 + (int64_t)(next_random(random) % 3000000000000);
	for (size_t i = 0; i < n; i++) {
		snprintf(
			s->names[i], sizeof(s->names[i]), "%s.%zu", "f", (size_t)(next_random(random) % 20));
		s->thunks[i] = (struct built_thunk){"1", s->names[i],
			next_random(random) % 4 ? "fusion" : NULL, ops[next_random(random) % 3],
			shapes[next_random(random) % 2], (int64_t)(next_random(random) % 1000000000),
			next_random(random) % 4 == 0, (int64_t)(next_random(random) % 1000)};
	}
	s->module[0] = (struct built_module){
		"1", "step", "f", structure, (int64_t)(next_random(random) % 100000), s->steps, n_steps};
	s->run = (struct built_run){"G", 1, "1", s->module, 1, s->thunks, n};
}

static UNIT(random_runs_add_up)
{
	uint64_t random = 3;
	for (int round = 0; round < 300; round++) {
		by_execution = round % 4 < 2;
		struct random_side sides[2];
		struct pair p;
		make_side(&sides[0], "s", &random);
		make_side(&sides[1], round % 2 ? "s" : "t", &random);
		explain(&p, &sides[0].run, &sides[1].run);
		assert_adds_up(&p.e);
		for (int side = 0; side < 2; side++) /* that of periods, to the nearest ns */
			assert_in_range(
				p.e.step_ns[side] - median_ns(sides[side].steps, sides[side].module[0].n_steps), 0,
				!by_execution);
		assert_true(p.e.matched_frac >= 0 && p.e.matched_frac <= 1);
		jr_arena_done(&p.arena);
	}
	by_execution = true;
}

/* Parts of a period: thunks of all programs in it, the rest of the time breakdown, and time that
 * is in no table. */
static UNIT(parts_of_a_period)
{
	static const char text[] =
		"{\"schema\":\"jaxreport.report/1\",\"step\":{\"program_id\":\"1\"},"
		"\"modules\":[{\"program_id\":\"1\",\"name\":\"f\",\"structure\":\"s\"},"
		"{\"program_id\":\"2\",\"name\":\"g\",\"structure\":\"t\"}],"
		"\"step_periods\":[{\"period_ms\":%d},{\"period_ms\":100},{\"period_ms\":102}],"
		"\"step_ledger\":[{\"wall_ms\":%d,\"compute_ms\":50,\"exposed_waiting_ms\":7,"
		"\"idle_in_modules_ms\":3,\"idle_between_modules_ms\":%d,\"other_programs_ms\":4}],"
		"\"thunks\":[{\"program_id\":\"1\",\"name\":\"a\",\"opcode\":\"fusion\",\"ledger_ms\":30},"
		"{\"program_id\":\"2\",\"name\":\"b\",\"opcode\":\"fusion\",\"ledger_ms\":20},"
		"{\"program_id\":\"1\",\"name\":\"c\",\"opcode\":\"copy-done\",\"communication\":true,"
		"\"ledger_ms\":2},{\"program_id\":\"1\",\"name\":\"d\",\"opcode\":\"all-reduce\","
		"\"communication\":true,\"ledger_ms\":5}]}";
	struct pair p;
	jr_arena_init(&p.arena, 0);
	for (int side = 0; side < 2; side++)
		read_text(&p.runs[side], /* the base's parts add up; the new run lacks one */
			jr_arena_printf(&p.arena, text, side ? 102 : 98, side ? 110 : 101, side ? 16 : 10),
			&p.arena);
	assert_int_equal(p.runs[0].steps.periods.n, 3);
	const struct jr_run *const runs[] = {&p.runs[0], &p.runs[1]};
	p.match = jr_match_runs(runs, &p.arena);
	p.e = jr_explain(runs, &p.match, &p.arena);
	assert_adds_up(&p.e);
	assert_true(p.e.step_ns[0] == 100000000 && p.e.step_ns[1] == 102000000);
	static const struct {
		enum jr_step_part part;
		int64_t ns[2];
	} parts[] = {{JR_PART_COMPUTE, {50000000, 50000000}}, {JR_PART_COPY, {2000000, 2000000}},
		{JR_PART_TRANSFER, {5000000, 5000000}}, {JR_PART_WAITING, {7000000, 7000000}},
		{JR_PART_IDLE, {3000000, 3000000}}, {JR_PART_BETWEEN, {10000000, 16000000}},
		{JR_PART_OTHER_PROGRAMS, {4000000, 4000000}}, {JR_PART_OTHER, {20000000, 23000000}},
		{JR_PART_SPREAD, {-1000000, -8000000}}};
	for (size_t i = 0; i < JR_COUNT_OF(parts); i++)
		for (int side = 0; side < 2; side++)
			assert_int_equal(p.e.part_ns[parts[i].part][side], parts[i].ns[side]);
	jr_arena_done(&p.arena);
}

/* A percentage needs a base above 0. */
static UNIT(percentages)
{
	assert_true(jr_change_fraction(4, 5) == 0.25 && jr_change_fraction(4, 3) == -0.25);
	assert_true(jr_change_fraction(4, 0) == -1 && jr_change_fraction(4, -4) == -2);
	assert_true(jr_change_fraction(0, 0) == 0 && jr_change_fraction(-4, -4) == 0);
	static const double none[][2] = {
		{0, 1}, {0, -1}, {-4, 5}, {-4, -5}, {-4, 0}, {NAN, 1}, {1, NAN}, {NAN, NAN}};
	for (size_t i = 0; i < JR_COUNT_OF(none); i++)
		assert_true(isnan(jr_change_fraction(none[i][0], none[i][1])));
}
