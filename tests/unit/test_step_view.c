/* Details that passes show next to their numbers: callers, the step timeline, buffers at the
 * peak. */
#include "source_case.h"

#include "analysis/shared/callers.h"
#include "analysis/memory/memory_parts.h"
#include "report/figures/figure.h"

/* --- callers ---------------------------------------------------------------------------------- */

/* "FRAME self callers caller share path" per row. */
static void check_callers(const struct pass_run *run, const char *name, const char *expected)
{
	const struct jr_table *t = run_table(run, name);
	struct jr_buf got = {0};
	for (size_t row = 0; row < t->n_data; row++) {
		const char *caller = table_cells(t, "caller")->text[row];
		const char *path = table_cells(t, "path")->text[row];
		jr_buf_printf(&got, "%s %.6g %" PRId64, table_cells(t, "frame")->text[row],
			table_cells(t, "self_ms")->f64[row], table_cells(t, "callers")->i64[row]);
		if (caller)
			jr_buf_printf(&got, " < %s %.3g", caller,
				table_cells(t, "caller_percent")->f64[row]);
		jr_buf_printf(&got, "%s%s\n", path ? " << " : "", path ? path : "");
	}
	check_text(&got, expected);
}

/* One leaf reached through a wrapper from two callers, another one called directly. */
static UNIT_IN_ARENA(test_callers)
{
	struct source_case s = source_new(*state);
	int top = source_frame(&s, "/u/main.py", "main", 1, 0);
	int a = source_frame(&s, "/u/a.py", "fa", 2, top),
		b = source_frame(&s, "/u/b.py", "fb", 3, top);
	int wrap_a = source_frame(&s, "/x/site-packages/flax/linen/module.py", "wrapped", 4, a);
	int leaf_a = source_frame(&s, "/u/leaf.py", "leaf", 5, wrap_a);
	int leaf_b = source_frame(&s, "/u/leaf.py", "leaf", 5, b);
	source_thunk(&s, "jit(f)/mul", "fusion", leaf_a, 300);
	source_thunk(&s, "jit(f)/add", "fusion", leaf_b, 100);
	source_thunk(&s, "jit(f)/sub", "fusion", top, 50);
	struct pass_run run;
	source_finish(&s, &run.job, NULL);
	jr_arena_init(&run.arena, 0);
	jr_passes_run(&run.job.profile, &run.arena, &run.results);
	check_results(&run.results);
	check_callers(&run, "source_code_callers",
		"/u/leaf.py:5[leaf] 400 2 < /u/a.py:2[fa] 0.75 << main\n"
		"/u/main.py:1[main] 50 0\n");
	check_callers(&run, "op_name_callers",
		"mul 300 1 < jit(f) 1\nadd 100 1 < jit(f) 1\nsub 50 1 < jit(f) 1\n");
	passes_done(&run);
}

/* Frames of all shapes as shown to people: function, line, and caller. */
static UNIT_IN_ARENA(test_frames_for_people)
{
	struct source_case s = source_new(*state);
	static const struct {
		const char *file, *function;
		const char *line;
	} cases[] = {{"/u/a.py", "f", "/u/a.py:7"}, {"/u/[x]:3[y].py", "g[0]", "/u/[x]:3"},
		{"C:\\z:4.py", "", "C:\\z:4.py:7"}, {"", "h", NULL}};
	int up = source_frame(&s, "/u/dir/caller.py", "c", 12, 0);
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		char name[16];
		snprintf(name, sizeof(name), "fusion.%zu", i);
		source_thunk(&s, name, "fusion",
			source_frame(&s, cases[i].file, cases[i].function, 7, up), 100 - (int64_t)i);
	}
	struct pass_run run;
	source_finish(&s, &run.job, NULL);
	jr_arena_init(&run.arena, 0);
	jr_passes_run(&run.job.profile, &run.arena, &run.results);
	check_results(&run.results);
	const struct jr_table *t = run_table(&run, "source_code_callers");
	assert_int_equal(t->n_rows, JR_COUNT_OF(cases));
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		const char *line = table_cells(t, "line")->text[i];
		if (cases[i].line)
			assert_string_equal(line, cases[i].line);
		assert_string_equal(table_cells(t, "called_by")->text[i], "c  caller.py:12");
	}
	assert_string_equal(table_cells(t, "function")->text[0], "f");
	passes_done(&run);
}

/* --- one step --------------------------------------------------------------------------------- */

/* Three steps on two devices. Device 1 is slower; its median step is its second (of 90, 120,
 * 150), and there the collective overlaps with compute. */
static UNIT_IN_ARENA(test_timeline)
{
	struct jr_arena *a = *state;
	static const int64_t durs[2][3] = {{80, 85, 70}, {150, 120, 90}};
	struct job_rows rows = {.arena = a};
	struct jr_options options = jr_options_default();
	struct pass_run run;
	options.warmup = JR_WARMUP_NONE;
	options.no_align = true;
	for (int d = 0; d < 2; d++)
		for (int step = 0; step < 3; step++) {
			int64_t at = 1000 * (step + 1) + 3 * d, tid = 100 + d, end = at + durs[d][step];
			int64_t m = rows_add(&rows, 0, at, end, tid, MODULE("7", "jit_step"));
			rows_add(&rows, m, at + 1, at + 41, tid, THUNK("fusion.1"));
			rows_add(&rows, m, at + 31, at + 61, tid, THUNK("all-reduce.2"));
			rows_add(&rows, m, at + 61, end, tid, THUNK("fusion.3"));
		}
	struct job_process process = rows_process(&rows, 2);
	passes_of(&run, &options, &process);
	check_results(&run.results);
	const struct jr_table *t = run_table(&run, "timeline");
	struct jr_buf got = {0};
	for (size_t row = 0; row < t->n_data; row++)
		jr_buf_printf(&got, "%s %s %" PRId64 " %" PRId64 " %" PRId64 " %s\n",
			table_cells(t, "lane")->text[row], table_cells(t, "name")->text[row],
			table_cells(t, "start_ms")->i64[row], table_cells(t, "end_ms")->i64[row],
			table_cells(t, "dur_ms")->i64[row], table_cells(t, "role")->text[row]);
	check_text(&got,
		"Device 0 compute fusion.1 1 41 40 unknown\n"
		"Device 0 compute fusion.3 61 85 24 unknown\n"
		"Device 0 communication all-reduce.2 31 61 30 wait\n"
		"Device 1 compute fusion.1 4 44 40 unknown\n"
		"Device 1 compute fusion.3 64 123 59 unknown\n"
		"Device 1 communication all-reduce.2 34 64 30 wait\n");
	check_column(&run, "timeline", "module_start_ms", "0 0 0 3 3 3 ");
	check_column(&run, "timeline", "module_end_ms", "85 85 85 123 123 123 ");
	passes_done(&run);
	jr_vec_done(&rows);
}

/* A program ran steadily, but all of its thunks were warm-up: nothing to draw. */
static UNIT_IN_ARENA(test_no_steady_thunk)
{
	struct job_rows rows = {.arena = *state};
	struct jr_options options = jr_options_default();
	struct pass_run run;
	options.warmup = JR_WARMUP_COUNT;
	options.warmup_count = 1;
	for (int x = 0; x < 3; x++) {
		int64_t at = 1000 * (x + 1);
		int64_t m = rows_add(&rows, 0, at, at + 100, 100, MODULE("7", "jit_step"));
		if (x == 0)
			rows_add(&rows, m, at + 1, at + 41, 100, THUNK("fusion.1"));
	}
	struct job_process process = rows_process(&rows, 1);
	passes_of(&run, &options, &process);
	check_results(&run.results);
	assert_string_equal(run_section(&run, "timeline")->unavailable,
		"not available, because no steady execution of a top module has a thunk");
	passes_done(&run);
	jr_vec_done(&rows);
}

/* Check the caption of the step timeline of a job in which device d runs counts[d] steps of
 * durs[d] ns. */
static void check_caption(struct jr_arena *a, const int *counts, const int64_t *durs, int n,
	const char *words, bool has)
{
	struct job_rows rows = {.arena = a};
	struct jr_options options = jr_options_default();
	struct pass_run run;
	options.warmup = JR_WARMUP_NONE;
	for (int d = 0; d < n; d++)
		for (int step = 0; step < counts[d]; step++) {
			int64_t at = 1000 * (step + 1), tid = 100 + d;
			int64_t m = rows_add(&rows, 0, at, at + durs[d], tid, MODULE("7", "jit_step"));
			rows_add(&rows, m, at, at + durs[d], tid, THUNK("fusion.1"));
		}
	struct job_process process = rows_process(&rows, 4);
	process.counts_ops = true; /* none is cut off */
	passes_of(&run, &options, &process);
	check_results(&run.results);
	const struct jr_section *section = run_section(&run, "timeline");
	assert_true(section->n > 0 && section->items[0].kind == JR_RESULT_CHART);
	const char *caption = section->items[0].as.chart->caption;
	if ((strstr(caption, words) != NULL) != has)
		fail_msg("'%s' %s '%s'", words, has ? "is not in" : "is in", caption);
	if (n == 1) { /* three more devices are known, but nothing ran on them */
		assert_non_null(run_section(&run, "lockstep")->unavailable);
		assert_non_null(run_section(&run, "stragglers")->unavailable);
		check_column(&run, "modules", "start_skew_percent", "null ");
	}
	passes_done(&run);
	jr_vec_done(&rows);
}

/* A device that ran one step more is not the slowest because of that. */
static UNIT_IN_ARENA(test_slowest_device)
{
	static const int equal[] = {3, 3}, more[] = {5, 3};
	static const int64_t durs[] = {100, 120}, same[] = {100, 100};
	check_caption(*state, equal, durs, 2,
		"the median step: execution 1 on device 1, which computes longest", true);
	check_caption(*state, more, durs, 2,
		"the median step: execution 1 on device 1, which computes longest", true);
	check_caption(*state, equal, same, 2, " on device 0; 2 thunks", true);
	check_caption(*state, more, durs, 1, "which", false);
}

/* Twelve devices in lock step through an all-reduce at which device 10 arrives last. Device 3
 * runs its module longest, after the all-reduce, and starts it first. The same device is
 * reported as slow by the straggler ledger, the finding, the step timeline (which draws it) and
 * lock step (which does not). */
static UNIT_IN_ARENA(test_straggler_is_drawn)
{
	enum { N = 12 };
	struct jr_launcher launchers[N];
	struct job_rows rows = {.arena = *state};
	struct jr_options options = jr_options_default();
	struct pass_run run;
	options.warmup = JR_WARMUP_NONE;
	for (int d = 0; d < N; d++) {
		launchers[d] = (struct jr_launcher)LAUNCHER(1, 100 + d, (uint32_t)d);
		for (int step = 0; step < 3; step++) {
			int64_t at = 100000 * (step + 1), tid = 100 + d, own = d == 10 ? 9000 : 6000 + d;
			int64_t m = rows_add(&rows, 0, at, at + (d == 3 ? 11000 : 10000), tid,
				MODULE("7", "jit_step"));
			rows_add(&rows, m, at, at + own, tid, THUNK("fusion.1"));
			rows_add(&rows, m, at + own, at + 10000, tid, THUNK("all-reduce.2"));
		}
	}
	passes_of(&run, &options, &(struct job_process){.rows = rows.items, .n_rows = rows.n, .pid = 1,
		.launchers = launchers, .n_launchers = N});
	check_results(&run.results);
	assert_int_equal(table_cells(run_table(&run, "stragglers"), "device")->i64[0], 10);
	const char *title = NULL;
	for (size_t i = 0; i < run.results.n_findings; i++)
		if (strcmp(run.results.findings[i].id, "straggler") == 0)
			title = run.results.findings[i].title;
	assert_non_null(title);
	assert_non_null(strstr(title, "Device 10 delays the others"));
	const char *caption = run_section(&run, "timeline")->items[0].as.chart->caption;
	if (!strstr(caption, " on device 10, which delays the others most; of the 11 "
						 "other devices, only device 6, the middle one, and device 0, which waits "
						 "most in collectives; 6 thunks"))
		fail_msg("'%s'", caption);
	const struct jr_table *t = run_table(&run, "timeline");
	assert_int_equal(table_cells(t, "device")->i64[t->n_data - 1], 10);
	caption = run_section(&run, "lockstep")->items[0].as.chart->caption;
	if (!strstr(caption, "8 of 12 devices"))
		fail_msg("'%s'", caption);
	passes_done(&run);
	jr_vec_done(&rows);
}

/* Six programs that take the same time are all top modules: the caption reports those left out. */
static UNIT_IN_ARENA(test_many_top_modules)
{
	static const char *const modules[] = {MODULE("1", "jit_a"), MODULE("2", "jit_b"),
		MODULE("3", "jit_c"), MODULE("4", "jit_d"), MODULE("5", "jit_e"), MODULE("6", "jit_f")};
	for (size_t n = 4; n <= JR_COUNT_OF(modules); n += 2) {
		struct job_rows rows = {.arena = *state};
		struct jr_options options = jr_options_default();
		struct pass_run run;
		options.warmup = JR_WARMUP_NONE;
		for (size_t k = 0; k < n; k++) {
			int64_t at = 1000 * ((int64_t)k + 1);
			int64_t m = rows_add(&rows, 0, at, at + 100, 100, "%s", modules[k]);
			rows_add(&rows, m, at, at + 100, 100, THUNK("fusion.1"));
		}
		struct job_process process = rows_process(&rows, 1);
		passes_of(&run, &options, &process);
		check_results(&run.results);
		const struct jr_result_item *first = &run_section(&run, "timeline")->items[0];
		assert_int_equal(first->kind == JR_RESULT_TEXT, n > 4);
		if (n > 4)
			assert_string_equal(first->as.text,
				"Of 6 top modules, the 4 with the most time are shown.");
		passes_done(&run);
		jr_vec_done(&rows);
	}
}

/* Executions of one thunk that begin together, because the first took no time, are two rows. */
static UNIT_IN_ARENA(test_thunks_that_begin_together)
{
	struct job_rows rows = {.arena = *state};
	struct jr_options options = jr_options_default();
	struct pass_run run;
	options.warmup = JR_WARMUP_NONE;
	int64_t m = rows_add(&rows, 0, 1000, 1100, 100, MODULE("7", "jit_step"));
	rows_add(&rows, m, 1010, 1010, 100, THUNK("fusion.1"));
	rows_add(&rows, m, 1010, 1050, 100, THUNK("fusion.1"));
	struct job_process process = rows_process(&rows, 1);
	passes_of(&run, &options, &process);
	check_results(&run.results); /* keys are unique */
	check_column(&run, "timeline", "thunk_execution", "0 1 ");
	check_column(&run, "timeline", "dur_ms", "0 40 ");
	passes_done(&run);
	jr_vec_done(&rows);
}

/* --- lock step -------------------------------------------------------------------------------- */

/* Device 1 is 20 ns after device 0 in each execution. Only device 0 ran the last one, so its
 * start is not a mean over both. */
static UNIT_IN_ARENA(test_lockstep_of_partial_executions)
{
	struct job_rows rows = {.arena = *state};
	struct jr_options options = jr_options_default();
	struct pass_run run;
	options.warmup = JR_WARMUP_NONE;
	options.no_align = true;
	for (int d = 0; d < 2; d++)
		for (int step = 0; step < 3 - d; step++) {
			int64_t at = 1000 * (step + 1) + 20 * d, tid = 100 + d;
			int64_t m = rows_add(&rows, 0, at, at + 100, tid, MODULE("7", "jit_step"));
			rows_add(&rows, m, at, at + 100, tid, THUNK("fusion.1"));
		}
	struct job_process process = rows_process(&rows, 2);
	process.counts_ops = true; /* none is cut off */
	passes_of(&run, &options, &process);
	check_results(&run.results);
	const struct jr_table *t = run_table(&run, "lockstep_7");
	struct jr_buf got = {0};
	for (size_t row = 0; row < t->n_data; row++)
		if (strncmp(table_cells(t, "series")->text[row], "device", 6) == 0)
			jr_buf_printf(&got, "%s: %g at %g\n", table_cells(t, "series")->text[row],
				table_cells(t, "bias_ms")->f64[row], table_cells(t, "time_ms")->f64[row]);
	check_text(&got,
		"device 0: -10 at 0\ndevice 0: -10 at 100\ndevice 1: 10 at 0\ndevice 1: 10 at 100\n");
	passes_done(&run);
	jr_vec_done(&rows);
}

/* --- memory ----------------------------------------------------------------------------------- */

static const struct jr_column_spec live_columns[] = {
	{"instruction", "i", "i", JR_TEXT, JR_UNIT_NONE, 0},
	{"shape", "s", "s", JR_TEXT, JR_UNIT_NONE, 0},
	{"op_name", "o", "o", JR_TEXT, JR_UNIT_NONE, 0},
	{"source", "s", "s", JR_TEXT, JR_UNIT_NONE, 0},
	{"bytes", "b", "b", JR_I64, JR_UNIT_BYTES, 0},
	{"trace", "t", "t", JR_I64, JR_UNIT_NONE, 0},
	{"class", "c", "c", JR_TEXT, JR_UNIT_NONE, 0},
};
static const struct jr_table_spec live_spec = {
	.name = "live", .n_columns = JR_COUNT_OF(live_columns), .columns = live_columns};

struct live_row {
	const char *instruction, *op_name, *source;
	int64_t bytes;
	const char *class;
};

static void check_bars(struct jr_arena *a, const struct live_row *rows, size_t n,
	int64_t allocated_bytes, const char *expected)
{
	struct jr_arena scratch;
	struct jr_section section = {0};
	jr_arena_init(&scratch, 0);
	struct jr_pass_context ctx = {.arena = a, .scratch = &scratch};
	struct jr_table *live = jr_table_new(a, &live_spec, n);
	int64_t sum = 0, bars = 0;
	for (size_t i = 0; i < n; i++) {
		live->cells[0].text[i] = rows[i].instruction;
		live->cells[2].text[i] = rows[i].op_name;
		live->cells[3].text[i] = rows[i].source;
		live->cells[4].i64[i] = rows[i].bytes;
		live->cells[6].text[i] = rows[i].class;
		sum += rows[i].bytes;
	}
	jr_peak_buffers_add(&ctx, &section, live, "jit_f", allocated_bytes);
	assert_int_equal(section.n, 2);
	const struct jr_table *t = section.items[1].as.table;
	check_table(t);
	check_chart(section.items[0].as.chart);
	struct jr_buf got = {0};
	for (size_t row = 0; row < t->n_data; row++) {
		bars += t->cells[1].i64[row];
		jr_buf_printf(&got, "%s%s%s %" PRId64 " %" PRId64 "\n", t->cells[0].text[row],
			t->cells[4].text[row] ? " " : "", t->cells[4].text[row] ? t->cells[4].text[row] : "",
			t->cells[1].i64[row], t->cells[2].i64[row]);
	}
	assert_int_equal(bars, allocated_bytes ? allocated_bytes : sum);
	check_text(&got, expected);
	jr_arena_done(&scratch);
}

static UNIT_IN_ARENA(test_peak_buffers)
{
	static const struct live_row rows[] = {
		{"dot.1", "jit(f)/layer/dot_general[d=((1,), (0,))]", "/u/a.py:7", 100, NULL},
		{"dot.2", "jit(f)/other/dot_general", "/u/a.py:7", 50, NULL},
		{"dot.3", "jit(f)/dot_general", "/u/a.py:8", 40, NULL},
		{"param.1.0", NULL, NULL, 120, NULL}, {"param.2", NULL, NULL, 5, NULL},
		{"x1.y", NULL, "b.py:1", 1, NULL}, {NULL, NULL, NULL, 2, NULL}};
	check_bars(*state, rows, JR_COUNT_OF(rows), 0,
		"dot_general (a.py:7) 150 2\nparam 125 2\ndot_general (a.py:8) 40 1\nunnamed 2 1\n"
		"x1.y (b.py:1) 1 1\n");
	struct live_row many[20];
	static const char *const names[20] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k",
		"l", "m", "n", "o", "p", "q", "r", "s", "t"};
	for (int i = 0; i < 20; i++)
		many[i] = (struct live_row){names[i], NULL, NULL, 100 - i, NULL};
	check_bars(*state, many, 20, 0,
		"a 100 1\nb 99 1\nc 98 1\nd 97 1\ne 96 1\nf 95 1\ng 94 1\nh 93 1\ni 92 1\nj 91 1\nk 90 1\n"
		"l 89 1\nm 88 1\nn 87 1\no 86 1\n5 others 415 5\n");
	check_bars(*state, NULL, 0, 0, "");
}

/* A bar has buffers of one class; other bars may mix classes; the rest is unused. */
static UNIT_IN_ARENA(test_peak_classes)
{
	static const struct live_row rows[] = {{"fusion.1", NULL, NULL, 100, "temporary"},
		{"fusion.2", NULL, NULL, 50, "temporary"}, {"fusion.3", NULL, NULL, 40, "output"},
		{"param.1", "state.params['a']['b']", NULL, 120, "parameter"},
		{"param.2", "state.params['a']['c']", NULL, 5, "parameter"}};
	check_bars(*state, rows, JR_COUNT_OF(rows), 315,
		"fusion temporary 150 2\nstate.params parameter 125 2\nfusion output 40 1\n");
	check_bars(*state, rows, JR_COUNT_OF(rows), 400,
		"fusion temporary 150 2\nstate.params parameter 125 2\nfusion output 40 1\n"
		"unused unused 85 0\n");
	static const char *const classes[] = {"output", "constant"};
	struct live_row many[17];
	char names[17][2] = {""};
	for (int i = 0; i < 17; i++) {
		names[i][0] = (char)('a' + i);
		many[i] = (struct live_row){names[i], NULL, NULL, i < 15 ? 9 : 1, classes[i == 16]};
	}
	JR_CLEANUP(jr_buf_done) struct jr_buf expected = {0};
	for (int i = 0; i < 15; i++)
		jr_buf_printf(&expected, "%s output 9 1\n", names[i]);
	size_t same = expected.size;
	jr_buf_puts(&expected, "2 others several 2 2\n");
	check_bars(*state, many, 17, 137, expected.data);
	many[16].class = "output";
	many[16].instruction = "q";
	expected.size = same;
	jr_buf_puts(&expected, "2 others output 2 2\n");
	check_bars(*state, many, 17, 137, expected.data);
}

/* --- steps over time -------------------------------------------------------------------------- */

static const struct jr_chart *run_chart(const struct pass_run *run, const char *section)
{
	const struct jr_section *s = run_section(run, section);
	for (size_t i = 0; i < s->n; i++)
		if (s->items[i].kind == JR_RESULT_CHART)
			return s->items[i].as.chart;
	fail_msg("no chart in %s", section);
	return NULL;
}

/* Six steps of 1 ms after two of warm-up: one of 4.2 s long ago, one of 1.05 ms in between. */
static void make_long_initialization(
	struct jr_arena *a, enum jr_warmup_rule warmup, struct pass_run *run)
{
	struct job_rows rows = {.arena = a};
	struct jr_options options = jr_options_default();
	options.warmup = warmup;
	options.warmup_count = 2;
	static const int64_t begin_ms[] = {0, 9000, 9100, 9102, 9104, 9106, 9108, 9110};
	for (int step = 0; step < 8; step++) {
		int64_t at = begin_ms[step] * 1000000;
		int64_t dur = step == 0 ? 4200000000 : step == 1 ? 1050000 : 1000000 + 20000 * step;
		int64_t m = rows_add(&rows, 0, at, at + dur, 100, MODULE("7", "jit_step"));
		rows_add(&rows, m, at, at + dur, 100, THUNK("fusion.1"));
	}
	struct job_process process = rows_process(&rows, 1);
	passes_of(run, &options, &process);
	check_results(&run->results);
	jr_vec_done(&rows);
}

static bool scene_says(const struct jr_scene *scene, const char *part)
{
	for (size_t i = 0; i < scene->items.n; i++)
		if (scene->items.items[i].kind == JR_ITEM_TEXT &&
			strstr(scene->items.items[i].text.string, part))
			return true;
	return false;
}

/* The axes fit the steady steps; warm-up is reported at the edge. */
static UNIT_IN_ARENA(test_steps_over_time)
{
	struct pass_run run;
	struct jr_scene scene;
	struct jr_metrics *metrics = jr_metrics_new();
	make_long_initialization(*state, JR_WARMUP_COUNT, &run);
	const struct jr_chart *chart = run_chart(&run, "steps");
	assert_non_null(strstr(chart->caption, "marked at the edge"));
	jr_draw_chart(chart, 0, metrics, &scene);
	double first = NAN, last = NAN;
	for (size_t i = 0; i < scene.items.n; i++) {
		const struct jr_item *item = &scene.items.items[i];
		if (item->kind == JR_ITEM_MARKER && item->tip && strstr(item->tip, "execution 2,"))
			first = item->x;
		if (item->kind == JR_ITEM_MARKER && item->tip && strstr(item->tip, "execution 7,"))
			last = item->x;
		assert_false(item->kind == JR_ITEM_MARKER && item->tip &&
			(strstr(item->tip, "execution 0,") || strstr(item->tip, "execution 1,")));
	}
	assert_true(last - first > scene.width / 3); /* of the chart, not the last 0.1 % of 9.1 s */
	assert_true(scene_says(&scene, "warm-up") && scene_says(&scene, "4.200 s"));
	assert_true(scene_says(&scene, "1.050 ms")); /* on the axis of durations, not on that of time */
	assert_true(scene_says(&scene, "−9.100 s to −100.0 ms"));
	jr_scene_done(&scene);
	passes_done(&run);
	make_long_initialization(*state, JR_WARMUP_NONE, &run);
	chart = run_chart(&run, "steps");
	assert_null(strstr(chart->caption, "edge"));
	jr_draw_chart(chart, 0, metrics, &scene);
	assert_false(scene_says(&scene, "4.200 s"));
	jr_scene_done(&scene);
	passes_done(&run);
	jr_metrics_free(metrics);
}
