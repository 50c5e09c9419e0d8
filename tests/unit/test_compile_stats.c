/* Statistics, stack tree, text and section of compilation, on hand-made ranges. */
#include <math.h>
#include <stdio.h>

#include "analysis/compile/compile_stats.h"
#include "analysis/compile/compile_summary.h"
#include "analysis/core/pass.h"
#include "compile_case.h"

extern const struct jr_pass jr_pass_compilation;

struct fixture {
	struct jr_profile profile;
	struct jr_arena arena;
	struct jr_compile_stats *stats;
};

static void set_up(struct fixture *f, const struct case_range *rows, size_t n)
{
	case_init(&f->profile, true);
	case_add(&f->profile, 0, rows, n);
	jr_arena_init(&f->arena, 0);
	f->stats = jr_compile_stats_compute(&f->profile, &f->arena);
}

static void tear_down(struct fixture *f)
{
	jr_arena_done(&f->arena);
	jr_profile_done(&f->profile);
}

static const struct jr_compile_entry *entry(const struct jr_compile_entry *entries, size_t n,
	const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(entries[i].name, name) == 0)
			return &entries[i];
	return NULL;
}

static double range_self(const struct fixture *f, const char *name)
{
	const struct jr_compile_entry *e = entry(f->stats->ranges, f->stats->n_ranges, name);
	return e ? e->self_ns : -1;
}

static double phase_self(const struct fixture *f, const char *name)
{
	const struct jr_compile_entry *e = entry(f->stats->phases, f->stats->n_phases, name);
	return e ? e->self_ns : -1;
}

static double self_of(const struct fixture *f, int64_t range_id)
{
	return f->stats->self_ns[case_row(&f->profile, range_id)];
}

static void assert_near(double got, double expected)
{
	if (fabs(got - expected) > 1e-9 * (1 + fabs(expected)))
		fail_msg("%.17g is not %.17g", got, expected);
}

static double wall_of(const struct jr_profile *p)
{
	double wall_ns = 0;
	for (size_t i = 0; i < p->compiles.n; i++)
		if (p->compiles.parent[i] == JR_NONE)
			wall_ns += (double)p->compiles.dur_ns[i];
	return wall_ns;
}

/* Check that sums by name, by phase and by row equal the total, and that the total is the wall
 * time. */
static void assert_conserved(const struct fixture *f)
{
	double by_name = 0, by_phase = 0, by_row = 0;
	for (size_t i = 0; i < f->stats->n_ranges; i++)
		by_name += f->stats->ranges[i].self_ns;
	for (size_t i = 0; i < f->stats->n_phases; i++)
		by_phase += f->stats->phases[i].self_ns;
	for (size_t i = 0; i < f->profile.compiles.n; i++) {
		assert_true(f->stats->self_ns[i] >= 0);
		by_row += f->stats->self_ns[i];
	}
	assert_near(f->stats->total_ns, wall_of(&f->profile));
	assert_near(by_name, f->stats->total_ns);
	assert_near(by_phase, f->stats->total_ns);
	assert_near(by_row, f->stats->total_ns);
}

static UNIT(test_no_rows)
{
	struct fixture f;
	set_up(&f, NULL, 0);
	assert_int_equal(f.stats->n_ranges, 0);
	assert_int_equal(f.stats->n_phases, 0);
	assert_near(f.stats->total_ns, 0);
	assert_int_equal(jr_compile_entries_until(f.stats->ranges, 0, 0, 0.99), 0);
	tear_down(&f);
}

static UNIT(test_serial)
{
	const struct case_range rows[] = {
		{1, 0, 1, 0, 100, "TSL:XlaCompile:#module=f#"},
		{2, 1, 1, 10, 60, "TSL:XlaPassPipeline:#name=p,module=f#"},
		{3, 2, 1, 20, 40, "TSL:XlaPass:#name=dce,module=f#"},
		{4, 1, 1, 70, 75, "TSL:XlaEmitGpuAsm:#module=split_module#"},
		{5, 1, 1, 80, 83, "TSL:XlaEmitGpuAsm:#module=f#"},
		{6, 0, 1, 200, 250, "TSL:XlaCompile:#module=g#"},
		{7, 6, 1, 210, 220, "TSL:XlaPass:#name=dce,module=g#"},
	};
	struct fixture f;
	set_up(&f, rows, JR_COUNT_OF(rows));
	assert_near(range_self(&f, JR_COMPILE_LIBRARY_LOADING), 42);
	assert_near(range_self(&f, "XlaCompile"), 40);
	assert_near(range_self(&f, "XlaPass:#name=dce#"), 30);
	assert_near(range_self(&f, "XlaEmitGpuAsm:#module=split_module#"), 5);
	assert_near(range_self(&f, "XlaEmitGpuAsm"), 3);
	assert_near(phase_self(&f, "XlaPass"), 60);
	assert_near(phase_self(&f, "XlaEmitGpuAsm"), 8);
	assert_near(phase_self(&f, JR_COMPILE_LIBRARY_LOADING), 42);
	/* time below stays with the range that loses its self time */
	assert_near(entry(f.stats->ranges, f.stats->n_ranges, "XlaCompile")->child_ns, 68);
	assert_near(
		entry(f.stats->ranges, f.stats->n_ranges, JR_COMPILE_LIBRARY_LOADING)->child_ns, 0);
	assert_string_equal(f.stats->phases[0].name, "XlaPass");
	assert_conserved(&f);
	tear_down(&f);
}

static UNIT(test_no_library_loading)
{
	const struct case_range rows[] = {
		{1, 0, 1, 0, 100, "TSL:XlaCompile:#module=f#"},
		{2, 1, 1, 0, 100, "TSL:XlaPass:#name=a#"},
	};
	struct fixture f;
	set_up(&f, rows, JR_COUNT_OF(rows));
	assert_near(range_self(&f, JR_COMPILE_LIBRARY_LOADING), -1);
	assert_near(range_self(&f, "XlaCompile"), 0);
	assert_conserved(&f);
	tear_down(&f);
}

static UNIT(test_each_process_loads_libraries)
{
	const struct case_range rows[] = {
		{1, 0, 1, 0, 100, "TSL:XlaCompile:#module=f#"},
		{2, 0, 1, 110, 117, "TSL:XlaCompile:#module=g#"},
	};
	struct fixture f;
	case_init(&f.profile, true);
	CASE_ADD(&f.profile, 0, rows);
	CASE_ADD(&f.profile, 1, rows);
	jr_arena_init(&f.arena, 0);
	f.stats = jr_compile_stats_compute(&f.profile, &f.arena);
	assert_near(range_self(&f, JR_COMPILE_LIBRARY_LOADING), 200);
	assert_near(range_self(&f, "XlaCompile"), 14);
	assert_conserved(&f);
	tear_down(&f);
}

/* Launcher 2 (10 to 90): its own child 12 to 20, workers from 30 to 70 with 10 of 20 and 30 of
 * 30. */
static const struct case_range launched[] = {
	{1, 0, 1, 0, 100, "TSL:XlaCompile:#module=f#"},
	{2, 1, 1, 10, 90, "TSL:XlaPass:#name=launcher#"},
	{3, 2, 1, 12, 20, "TSL:XlaPass:#name=before#"},
	{10, 0, 2, 30, 50, "TSL:XlaCompileBackend:#module=g,program_id=1#"},
	{11, 10, 2, 35, 45, "TSL:XlaEmitLlvmIr:#module=g#"},
	{12, 0, 3, 40, 70, "TSL:XlaCompileGpuAsm:#module=h#"},
};

static UNIT(test_launcher)
{
	struct fixture f;
	set_up(&f, launched, JR_COUNT_OF(launched));
	/* 40 ns are shared among 10 + 10 + 30 */
	assert_near(self_of(&f, 10), 8);
	assert_near(self_of(&f, 11), 8);
	assert_near(self_of(&f, 12), 24);
	assert_near(self_of(&f, 2), 80 - 8 - 40);
	assert_near(f.stats->child_ns[case_row(&f.profile, 2)], 48);
	assert_near(self_of(&f, 3), 8);
	assert_near(range_self(&f, "XlaEmitLlvmIr"), 8);
	assert_conserved(&f);
	tear_down(&f);
}

/* The same with libraries: a worker loads one, whose 30 count as 24. One is loaded before it,
 * one does work, and one is in the first compilation itself, which counts as loading anyway. */
static UNIT(test_libraries)
{
	struct case_range rows[JR_COUNT_OF(launched) + 4] = {{0}};
	memcpy(rows, launched, sizeof(launched));
	struct case_range *more = rows + JR_COUNT_OF(launched);
	more[0] = (struct case_range){20, 12, 3, 45, 60, "cuBLAS:cublasCreate_v2"};
	more[1] = (struct case_range){21, 3, 1, 13, 19, "cuDNN:cudnnCreate"};
	more[2] = (struct case_range){22, 11, 2, 36, 41, "cuBLAS:cublasGemmEx"};
	more[3] = (struct case_range){23, 1, 1, 92, 95, "cuBLAS:cublasCreate_v2"};
	struct fixture f;
	set_up(&f, rows, JR_COUNT_OF(rows));
	const struct jr_compile_library *l = f.stats->libraries;
	assert_int_equal(f.stats->n_libraries, 4);
	assert_string_equal(l[0].name, "cuBLAS:cublasCreate_v2");
	assert_string_equal(l[0].within, "XlaCompileGpuAsm");
	assert_near(l[0].self_ns, 12);
	assert_string_equal(l[1].name, "cuDNN:cudnnCreate");
	assert_near(l[1].self_ns, 6);
	assert_string_equal(l[2].name, "cuBLAS:cublasGemmEx");
	assert_near(l[2].self_ns, 4);
	assert_true(l[0].loads && l[1].loads && !l[2].loads && l[3].loads);
	assert_near(range_self(&f, JR_COMPILE_LIBRARY_LOADING), 20);
	assert_near(f.stats->loading_ns, 20 + 12 + 6);
	assert_near(entry(f.stats->ranges, f.stats->n_ranges, "XlaCompileGpuAsm")->self_ns, 24);
	assert_near(entry(f.stats->ranges, f.stats->n_ranges, "XlaCompileGpuAsm")->loading_ns, 12);
	assert_near(entry(f.stats->phases, f.stats->n_phases, "XlaPass")->loading_ns, 6);
	assert_conserved(&f);
	tear_down(&f);
}

static UNIT(test_top_is_launcher)
{
	const struct case_range rows[] = {
		{1, 0, 1, 0, 100, "TSL:XlaCompile:#module=f#"},
		{2, 0, 2, 0, 60, "TSL:XlaEmitLlvmIr"},
	};
	struct fixture f;
	set_up(&f, rows, JR_COUNT_OF(rows));
	assert_near(range_self(&f, "XlaEmitLlvmIr"), 60);
	assert_near(range_self(&f, JR_COMPILE_LIBRARY_LOADING), 40);
	assert_conserved(&f);
	tear_down(&f);
}

/* Two nested launchers, and another in a compilation on a second thread. */
static UNIT(test_several_launchers)
{
	const struct case_range rows[] = {
		{1, 0, 1, 0, 1000, "TSL:XlaCompile:#module=f#"},
		{2, 1, 1, 10, 900, "TSL:XlaPassPipeline:#name=outer#"},
		{3, 2, 1, 20, 300, "TSL:XlaPass:#name=inner#"},
		{4, 0, 2, 30, 130, "TSL:XlaEmitLlvmIr"},
		{5, 0, 3, 40, 290, "TSL:XlaEmitGpuAsm"},
		{6, 0, 2, 400, 700, "TSL:XlaOptimizeLlvmIr"},
		{7, 0, 4, 5000, 6000, "TSL:XlaCompile:#module=g#"},
		{8, 7, 4, 5100, 5900, "TSL:XlaPass:#name=other#"},
		{9, 0, 5, 5200, 5300, "TSL:XlaEmitLlvmIr"},
	};
	struct fixture f;
	set_up(&f, rows, JR_COUNT_OF(rows));
	assert_near(self_of(&f, 4), 260.0 * 100 / 350);
	assert_near(self_of(&f, 5), 260.0 * 250 / 350);
	assert_near(self_of(&f, 3), 20);
	assert_near(self_of(&f, 6), 300);
	assert_near(self_of(&f, 2), 890 - 280 - 300);
	assert_near(self_of(&f, 8), 700);
	assert_near(self_of(&f, 9), 100);
	assert_conserved(&f);
	tear_down(&f);
}

/* The launcher continues to work during its workers: no negative time, and the parts still add
 * up. */
static UNIT(test_launcher_works_too)
{
	const struct case_range rows[] = {
		{1, 0, 1, 0, 100, "TSL:XlaCompile:#module=f#"},
		{2, 1, 1, 0, 100, "TSL:XlaPass:#name=launcher#"},
		{3, 2, 1, 5, 95, "TSL:XlaPass:#name=own#"},
		{4, 0, 2, 2, 98, "TSL:XlaEmitLlvmIr"},
		{5, 0, 3, 1, 99, "TSL:XlaEmitLlvmIr"},
	};
	struct fixture f;
	set_up(&f, rows, JR_COUNT_OF(rows));
	assert_near(self_of(&f, 3), 90);
	assert_near(self_of(&f, 2), 0);
	assert_near(self_of(&f, 4) + self_of(&f, 5), 10);
	assert_conserved(&f);
	tear_down(&f);
}

/* A worker that launches its own workers: its region is scaled like the rest of its work. */
static UNIT(test_launcher_among_workers)
{
	const struct case_range rows[] = {
		{1, 0, 1, 0, 100, "TSL:XlaCompile:#module=f#"},
		{2, 0, 2, 10, 60, "TSL:XlaCompileBackend:#module=g,program_id=2#"},
		{3, 2, 3, 20, 40, "TSL:XlaEmitLlvmIr"},
		{4, 0, 4, 10, 60, "TSL:XlaEmitGpuAsm"},
	};
	struct fixture f;
	set_up(&f, rows, JR_COUNT_OF(rows));
	assert_near(self_of(&f, 4), 25);
	assert_near(self_of(&f, 2), 15);
	assert_near(self_of(&f, 3), 10);
	assert_conserved(&f);
	tear_down(&f);
}

static UNIT(test_idle_workers)
{
	const struct case_range rows[] = {
		{1, 0, 1, 0, 100, "TSL:XlaCompile:#module=f#"},
		{2, 0, 2, 20, 20, "TSL:XlaEmitLlvmIr"},
		{3, 0, 2, 60, 60, "TSL:XlaEmitLlvmIr"},
	};
	struct fixture f;
	set_up(&f, rows, JR_COUNT_OF(rows));
	assert_near(range_self(&f, "XlaEmitLlvmIr"), 0);
	assert_near(range_self(&f, JR_COMPILE_LIBRARY_LOADING), 100);
	assert_conserved(&f);
	tear_down(&f);
}

/* Random push/pop stacks on one compiling thread and three workers. */
static size_t random_stack(struct case_range *rows, size_t n, size_t max, int64_t tid,
	int64_t parent, int64_t start, int64_t end, uint64_t *seed)
{
	static const char *const names[] = {"TSL:XlaPass:#name=a#", "TSL:XlaPass:#name=b#",
		"TSL:XlaEmitLlvmIr", "cuBLAS:create", "TSL:XlaEmitGpuAsm:#module=split_module#"};
	while (n < max && end - start > 4) {
		*seed = *seed * 6364136223846793005u + 1442695040888963407u;
		int64_t length = 2 + (int64_t)(*seed >> 33) % ((end - start) / 2);
		int64_t id = (int64_t)n + 1;
		rows[n++] = (struct case_range){id, parent, tid, start + 1, start + 1 + length,
			names[(*seed >> 20) % JR_COUNT_OF(names)]};
		if (*seed >> 60 > 5)
			n = random_stack(rows, n, max, tid, id, start + 1, start + 1 + length, seed);
		start += length + 1;
	}
	return n;
}

static UNIT(test_random_conserves)
{
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct case_range rows[200] = {{1, 0, 1, 0, 10000, "TSL:XlaCompile:#module=f#"}};
		uint64_t random = seed;
		size_t n = random_stack(rows, 1, 80, 1, 1, 0, 10000, &random);
		for (int64_t tid = 2; tid < 5; tid++)
			n = random_stack(rows, n, n + 40, tid, 0, 100 * tid, 9000 + 300 * tid, &random);
		struct fixture f;
		set_up(&f, rows, n);
		assert_conserved(&f);
		struct jr_tree *tree = jr_compile_tree(&f.profile, f.stats, &f.arena);
		assert_near(tree->total, f.stats->total_ns);
		tear_down(&f);
	}
}

static UNIT(test_entries_until)
{
	const struct jr_compile_entry entries[] = {
		{"a", 50, 0, 0}, {"b", 49, 0, 0}, {"c", 1, 0, 0}};
	assert_int_equal(jr_compile_entries_until(entries, 3, 100, 0.99), 2);
	assert_int_equal(jr_compile_entries_until(entries, 3, 100, 0.991), 3);
	assert_int_equal(jr_compile_entries_until(entries, 3, 100, 0.5), 1);
}

/* --- stack tree ------------------------------------------------------------------------------ */

static UNIT(test_tree)
{
	const struct case_range rows[] = {
		{1, 0, 1, 0, 100, "TSL:XlaCompile:#module=f#"},
		{2, 1, 1, 10, 30, "TSL:XlaPass:#name=b#"},
		{3, 1, 1, 40, 60, "TSL:XlaPass:#name=a#"},
		{4, 3, 1, 40, 60, "TSL:XlaPass:#name=b#"},
		{5, 0, 1, 200, 260, "TSL:XlaCompile:#module=g#"},
		{6, 5, 1, 210, 215, "TSL:XlaPass:#name=b#"},
	};
	struct fixture f;
	set_up(&f, rows, JR_COUNT_OF(rows));
	const struct jr_tree *tree = jr_compile_tree(&f.profile, f.stats, &f.arena);
	static const struct {
		uint32_t parent;
		const char *text;
		double self, total;
	} expected[] = {
		{JR_NONE, "XlaCompile", 55, 160},
		{0, "XlaPass:#name=a#", 0, 20},
		{1, "XlaPass:#name=b#", 20, 20},
		{0, "XlaPass:#name=b#", 25, 25},
		{0, JR_COMPILE_LIBRARY_LOADING, 60, 60},
	};
	assert_int_equal(tree->n, JR_COUNT_OF(expected));
	for (size_t i = 0; i < tree->n; i++) {
		assert_int_equal(tree->parent[i], expected[i].parent);
		assert_string_equal(tree->text[i], expected[i].text);
		assert_near(tree->self_ns[i], expected[i].self);
		assert_near(tree->total_ns[i], expected[i].total);
	}
	assert_near(tree->total, 160);
	assert_int_equal(tree->n_stacks, 4);
	tear_down(&f);
}

/* --- text ------------------------------------------------------------------------------------ */

static struct jr_buf summary_of(const struct case_range *rows, size_t n, bool passes)
{
	struct jr_limits limits = jr_limits_default();
	struct jr_host_ranges ranges;
	struct jr_error err = {.message = ""};
	struct jr_buf csv = case_csv(rows, n), text = {0};
	if (jr_host_ranges_read_csv(jr_buf_view(&csv), &limits, &ranges, &err) != JR_OK)
		fail_msg("%s", err.message);
	jr_buf_puts(&text, "");
	jr_compile_summary_text(&ranges, passes, &text);
	jr_host_ranges_done(&ranges);
	jr_buf_done(&csv);
	return text;
}

static const struct case_range summarized[] = {
	{1, 0, 1, 0, 1000, "TSL:XlaCompile:#module=f#"},
	{2, 1, 1, 10, 510, "TSL:XlaPassPipeline:#name=p#"},
	{3, 2, 1, 20, 120, "TSL:XlaPass:#name=q#"},
	{4, 1, 1, 600, 700, "TSL:XlaEmitLlvmIr"},
	{5, 1, 1, 700, 800, "cuBLAS:create"},
	{6, 1, 1, 900, 905, "TSL:XlaTail:#a#"},
	{7, 0, 2, 100, 200, "TSL:XlaWorker:#a#"}, /* not grafted here */
	{8, 0, 1, 2000, 2001, "TSL:XlaCompile:#module=empty#"},
};

static UNIT(test_summary)
{
	struct jr_buf text = summary_of(summarized, JR_COUNT_OF(summarized), false);
	assert_string_equal(text.data,
		"Compilation: TSL:XlaCompile:#module=f#: 7.05e-07\n"
		" XlaPass 70.92% 5e-07\n"
		" XlaEmitLlvmIr 14.18% 1e-07\n"
		"Compilation: TSL:XlaCompile:#module=empty#: 0.0\n");
	jr_buf_done(&text);
	text = summary_of(summarized, JR_COUNT_OF(summarized), true);
	assert_string_equal(text.data,
		"Compilation: TSL:XlaCompile:#module=f#: 7.05e-07\n"
		" TSL:XlaPassPipeline:#name=p# 56.74% 4e-07\n"
		" TSL:XlaEmitLlvmIr 14.18% 1e-07\n"
		" TSL:XlaPass:#name=q# 14.18% 1e-07\n"
		"Compilation: TSL:XlaCompile:#module=empty#: 0.0\n");
	jr_buf_done(&text);
}

/* repr() and format(, '.4') of Python 3 */
static UNIT(test_summary_numbers)
{
	static const struct {
		int64_t ns;
		const char *total, *phase;
	} expected[] = {
		{2, "2e-09", "50.00% 1e-09"},
		{999, "9.99e-07", "50.05% 5e-07"},
		{12345, "1.2345e-05", "50.00% 6.173e-06"},
		{99999, "9.9999e-05", "50.00% 5e-05"},
		{200000, "0.0002", "50.00% 0.0001"},
		{999949, "0.000999949", "50.00% 0.0005"},
		{999951, "0.000999951", "50.00% 0.0005"},
		{1899951, "0.001899951", "50.00% 0.00095"},
		{123456789, "0.123456789", "50.00% 0.06173"},
		{1000000000, "1.0", "50.00% 0.5"},
		{1231992489, "1.231992489", "50.00% 0.616"},
		{12859785733, "12.859785733", "50.00% 6.43"},
		{1999899999999, "1999.899999999", "50.00% 1e+03"},
		{1999900000001, "1999.900000001", "50.00% 1e+03"},
		{20000000000000, "20000.0", "50.00% 1e+04"},
		{1234567000000000, "1234567.0", "50.00% 6.173e+05"},
		{123456789012345678, "123456789.01234569", "50.00% 6.173e+07"},
		{4000000000000000000, "4000000000.0", "50.00% 2e+09"},
	};
	for (size_t i = 0; i < JR_COUNT_OF(expected); i++) {
		const struct case_range rows[] = {
			{1, 0, 1, 0, expected[i].ns, "TSL:XlaCompile:#a#"},
			{2, 1, 1, 0, expected[i].ns / 2, "TSL:XlaPass:#a#"},
			{3, 1, 1, expected[i].ns / 2, expected[i].ns, "TSL:XlaOther:#a#"},
			{4, 0, 1, expected[i].ns, expected[i].ns, "TSL:XlaCompile:#a#"},
		};
		struct jr_buf text = summary_of(rows, JR_COUNT_OF(rows), false);
		char want[200];
		snprintf(want, sizeof(want), "Compilation: TSL:XlaCompile:#a#: %s\n XlaOther %s\n",
			expected[i].total, expected[i].phase);
		if (strncmp(text.data, want, strlen(want)) != 0)
			fail_msg("got %swant %s", text.data, want);
		jr_buf_done(&text);
	}
}

/* --- the section ----------------------------------------------------------------------------- */

static UNIT(test_section)
{
	struct fixture f;
	set_up(&f, launched, JR_COUNT_OF(launched));
	struct jr_arena scratch;
	jr_arena_init(&scratch, 0);
	struct jr_section section = {.pass = &jr_pass_compilation};
	struct jr_results results = {.arena = &f.arena, .n_sections = 1, .sections = &section};
	struct jr_pass_context ctx = {.profile = &f.profile, .results = &results,
		.findings_to = &results, .arena = &f.arena, .scratch = &scratch};
	jr_pass_compilation.run(&ctx, &section);
	const struct jr_scalar *total = jr_results_scalar(&results, "compilation.total_ms");
	assert_near(total->value.f64, 100);
	assert_int_equal(total->n, 1);
	const struct jr_table *ranges = jr_results_table(&results, "compilation_ranges");
	size_t name = jr_table_column(ranges, "name"), self = jr_table_column(ranges, "self_ms");
	size_t child = jr_table_column(ranges, "child_ms");
	size_t percent = jr_table_column(ranges, "percent");
	assert_int_equal(ranges->n_rows, f.stats->n_ranges);
	double shares = 0;
	for (size_t i = 0; i < ranges->n_rows; i++) {
		assert_string_equal(ranges->cells[name].text[i], f.stats->ranges[i].name);
		assert_near(jr_table_number(ranges, self, i), f.stats->ranges[i].self_ns);
		assert_near(jr_table_number(ranges, child, i), f.stats->ranges[i].child_ns);
		shares += jr_table_number(ranges, percent, i);
	}
	assert_near(shares, 1);
	assert_true(ranges->n_rendered < ranges->n_rows); /* XlaCompile itself has no time left */
	const struct jr_table *modules = jr_results_table(&results, "compilation_modules");
	assert_int_equal(modules->n_rows, 1);
	assert_string_equal(modules->cells[0].text[0], "TSL:XlaCompile:#module=f#");
	assert_near(jr_table_number(modules, jr_table_column(modules, "total_s"), 0), 80);
	const struct jr_table *phases = modules->cells[jr_table_column(modules, "phases")].rows[0];
	assert_int_equal(phases->n_rows, 1);
	assert_string_equal(phases->cells[0].text[0], "XlaPass");
	assert_near(jr_results_tree(&results, "compilation")->total, 100);
	jr_arena_done(&scratch);
	tear_down(&f);
}
