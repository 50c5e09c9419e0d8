/* Runs from report.json and from a store: any bytes give a run or a message. */
#include "run_build.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/step/step_ledger.h"
#include "compare/history/history.h"
#include "compare/run/run_open.h"
#include "compare/history/trend.h"

static const int64_t steps[] = {1000003, 1000001, 1000002, 1000004};

static const struct built_module modules[] = {{"40", "jit_step", "fp", "st", 12, steps, 4}};
static const struct built_thunk thunks[] = {
	{"40", "fusion.1", "fusion", "jit(f)/add", "f32[8]", 2000007, false, 5},
	{"40", "ar.1", "all-reduce", "jit(f)/psum", "f32[8]", 1999991, true, 6}};
static const struct built_run built = {"NVIDIA H100", 2, "40", modules, 1, thunks, 2};

static enum jr_status read_json(const char *text, size_t n, struct jr_error *err)
{
	struct jr_limits limits = jr_limits_default();
	struct jr_arena arena;
	struct jr_run run;
	jr_arena_init(&arena, 0);
	*err = (struct jr_error){.message = ""};
	enum jr_status status = jr_run_of_json(&run, jr_bytes_of(text, n), NULL, &limits, &arena, err);
	if (status == JR_OK) /* any run can be compared with itself */
		for (const struct jr_metric *m = jr_metrics; m->name; m++)
			(void)jr_metric_value(m, &run);
	jr_arena_done(&arena);
	return status;
}

/* --- report.json ------------------------------------------------------------------------------ */

static UNIT(exact_to_the_nanosecond)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	struct jr_run run = build_run(&built, &arena);
	assert_string_equal(run.name, "built.zip");
	assert_int_equal(jr_run_i64(&run, JR_RUN_MODULES, JR_MODULE_EXECUTION_SUM, 0), 4000010);
	assert_int_equal(jr_run_i64(&run, JR_RUN_MODULES, JR_MODULE_EXECUTION_MEDIAN, 0), 1000002);
	assert_int_equal(jr_run_i64(&run, JR_RUN_THUNKS, JR_THUNK_EXECUTION_SUM, 1), 1999991);
	assert_true(jr_run_is(&run, JR_RUN_THUNKS, JR_THUNK_COMMUNICATION, 1));
	assert_int_equal(run.steps.executions.n, 4);
	for (size_t i = 0; i < 4; i++)
		assert_true(run.steps.executions.values[i] == (double)steps[i]);
	assert_int_equal(jr_run_rows(&run, JR_RUN_DEVICES), 2);
	assert_false(run.has[JR_RUN_CRITICAL_PATH]);
	assert_int_equal(jr_run_rows(&run, JR_RUN_CRITICAL_PATH), 0);
}

#define NO_SCHEMA                                                                                  \
	"not a report: the JSON does not contain \"schema\". Use the report.json of a report"

static UNIT(what_is_no_report)
{
	static const char *const cases[][2] = {
		{"", "JSON: end of file where a value should be at offset 0"},
		{"PK\3\4", "JSON: no value at offset 0"},
		{"[]", NO_SCHEMA},
		{"{\"schema\":7}", NO_SCHEMA},
		{"{\"schema\":\"jaxreport.compare/1\"}",
			"schema is 'jaxreport.compare/1', not 'jaxreport.report/1'. Make the report again from "
			"its profile with this jaxreport"},
		{"{\"schema\":\"jaxreport.report/1\"} x", "JSON: extra data after the value at offset 32"},
	};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		struct jr_error err;
		assert_true(read_json(cases[i][0], strlen(cases[i][0]), &err) != JR_OK);
		assert_string_equal(err.message, cases[i][1]);
	}
	struct jr_error err; /* an empty report is still a report */
	assert_int_equal(read_json("{\"schema\":\"jaxreport.report/1\"}", 31, &err), JR_OK);
}

static UNIT(cut_anywhere)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	put_report(&text, &built);
	size_t whole = strlen(text.data) - 1; /* the missing newline does not matter */
	for (size_t n = 0; n < whole; n++) {
		struct jr_error err;
		assert_int_equal(read_json(text.data, n, &err), JR_EFORMAT);
		assert_non_null(strstr(err.message, "JSON"));
	}
	struct jr_error err;
	assert_int_equal(read_json(text.data, whole, &err), JR_OK);
}

/* Each byte replaced by harmful ones: a run or a one-line message, never more. */
static UNIT(damaged_anywhere)
{
	static const char bytes[] = "0\"{}[],:-e9\\\n\x80";
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	put_report(&text, &built);
	for (size_t i = 0; i < text.size; i++) {
		char kept = text.data[i];
		for (const char *b = bytes; *b; b++) {
			struct jr_error err;
			text.data[i] = *b;
			if ((read_json(text.data, text.size, &err) != JR_OK) != (*err.message != '\0'))
				fail_msg("byte %zu '%c': %d %s", i, *b, (int)err.status, err.message);
		}
		text.data[i] = kept;
	}
}

/* Cells of unexpected types, numbers beyond all bounds: null, and the others are kept. */
static UNIT(foreign_cells)
{
	static const char text[] =
		"{\"schema\":\"jaxreport.report/1\",\"step\":{\"program_id\":\"1\"},\"devices\":{},"
		"\"roofline\":{\"step\":{\"hfu\":0.5,\"mfu\":-1,\"roof_ms\":9223372036854775808}},"
		"\"modules\":[{\"program_id\":\"1\",\"name\":5,\"steps\":\"x\",\"step_sum_ms\":1e300,"
		"\"step_median_ms\":9223372036854.775807,\"step_idle_ms\":[1],\"top\":\"yes\"},7,null,"
		"{\"program_id\":[\"1\"],\"step_sum_ms\":-9223372036854.775808}],"
		"\"stragglers\":[{\"lag_ms\":-0.25}],\"collectives\":[{\"message_bytes\":-1,"
		"\"bus_gbps_mean\":-0.5,\"wait_mean_ms\":0}],"
		"\"thunks\":[{\"program_id\":\"1\",\"step_sum_ms\":400000000000},"
		"{\"program_id\":\"1\",\"step_sum_ms\":400000000000,\"step_std_ms\":1e300},"
		"{\"program_id\":\"1\",\"step_sum_ms\":400000000000,\"step_std_ms\":1e400}]}";
	struct jr_arena arena;
	struct jr_run run;
	jr_arena_init(&arena, 0);
	read_text(&run, text, &arena);
	assert_int_equal(jr_run_rows(&run, JR_RUN_MODULES), 4);
	assert_false(run.has[JR_RUN_DEVICES]);
	assert_null(jr_run_text(&run, JR_RUN_MODULES, JR_MODULE_NAME, 0));
	assert_false(jr_run_is(&run, JR_RUN_MODULES, JR_MODULE_TOP, 0));
	static const size_t columns[] = {JR_MODULE_STEPS, JR_MODULE_EXECUTION_SUM,
		JR_MODULE_EXECUTION_MEDIAN, JR_MODULE_EXECUTION_IDLE};
	for (size_t i = 0; i < JR_COUNT_OF(columns); i++)
		assert_int_equal(jr_run_i64(&run, JR_RUN_MODULES, columns[i], 0), JR_NULL_I64);
	/* sums of a column always fit: values that would make them overflow are null */
	assert_int_equal(
		jr_run_i64(&run, JR_RUN_THUNKS, JR_THUNK_EXECUTION_SUM, 0), INT64_C(400000000000000000));
	assert_int_equal(jr_run_i64(&run, JR_RUN_THUNKS, JR_THUNK_EXECUTION_SUM, 1), JR_NULL_I64);
	assert_true(isnan(jr_run_f64(&run, JR_RUN_THUNKS, JR_THUNK_EXECUTION_STD, 1)));
	assert_true(isnan(jr_run_f64(&run, JR_RUN_THUNKS, JR_THUNK_EXECUTION_STD, 2)));
	/* only a difference can be below 0 */
	assert_true(jr_run_f64(&run, JR_RUN_STRAGGLERS, JR_STRAGGLER_LAG, 0) == -250000);
	assert_int_equal(jr_run_i64(&run, JR_RUN_COLLECTIVES, JR_COLLECTIVE_BYTES, 0), JR_NULL_I64);
	assert_true(isnan(jr_run_f64(&run, JR_RUN_COLLECTIVES, JR_COLLECTIVE_BUS, 0)));
	assert_true(run.roofline.hfu == 0.5 && isnan(run.roofline.mfu) && isnan(run.roofline.roof_ns));
	jr_arena_done(&arena);
}

/* Read the step of a report with times beyond all bounds, some of them below zero. */
static struct jr_run run_with_ledger(const char *ms, struct jr_arena *arena)
{
	static const char *const parts[] = {"compute_ms", "exposed_communication_ms", "exposed_copy_ms",
		"idle_in_modules_ms", "idle_between_modules_ms", "other_programs_ms"};
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	struct jr_run run;
	jr_buf_printf(&text,
		"{\"schema\":\"jaxreport.report/1\",\"step\":{\"program_id\":\"1\"},\"modules\":["
		"{\"program_id\":\"1\",\"structure\":\"s\",\"executions\":1,\"steps\":1,"
		"\"step_median_ms\":%s,\"step_sum_ms\":-%s,\"step_idle_ms\":%s}],\"thunks\":["
		"{\"program_id\":\"1\",\"name\":\"a\",\"step_sum_ms\":%s}],\"executions\":["
		"{\"program_id\":\"1\",\"dur_ms\":1,\"steady\":true,\"program_execution\":0}],"
		"\"step_ledger\":[{",
		ms, ms + (*ms == '-'), ms, ms);
	for (size_t i = 0; i < JR_COUNT_OF(parts); i++)
		jr_buf_printf(&text, "%s\"%s\":%s", i ? "," : "", parts[i], ms);
	jr_buf_puts(&text, "}]}");
	read_text(&run, text.data, arena);
	return run;
}

static UNIT(sums_of_large_times_fit)
{
	static const char *const ms[][2] = {
		{"570000000000", "0.000001"}, {"2000000000000", "0.000001"}};
	for (size_t i = 0; i < JR_COUNT_OF(ms); i++) {
		JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
		struct jr_run base = run_with_ledger(ms[i][0], &arena);
		struct jr_run fresh = run_with_ledger(ms[i][1], &arena);
		struct jr_comparison c;
		struct jr_results results;
		jr_compare_runs(&base, &fresh, JR_TOLERANCE, &(struct jr_gates){0}, &arena, &c, &results);
		const struct jr_table *ledger = jr_results_table(&results, "ledger");
		assert_non_null(ledger);
		int64_t period = ledger->cells[1].i64[JR_STEP_N_PARTS];
		assert_int_equal(period, 6 * (INT64_C(1) << 53)); /* the maximum that is used of a part */
		assert_int_equal(ledger->cells[2].i64[JR_STEP_N_PARTS], 6);
		assert_int_equal(ledger->cells[3].i64[JR_STEP_N_PARTS], 6 - period);
		for (size_t k = 1; k < c.explanation.n; k++)
			assert_true(llabs(c.explanation.items[k].ns[1] - c.explanation.items[k].ns[0]) <=
						llabs(c.explanation.items[k - 1].ns[1] - c.explanation.items[k - 1].ns[0]));
	}
}

/* Runs on devices of other numbers may be processes of one job; the head says so. */
static UNIT(devices_of_other_numbers)
{
	static const struct {
		const char *base, *fresh, *said;
	} cases[] = {{"0,1", "1,2", NULL}, {"0", "0", NULL}, {"null", "1", NULL}, {"", "1", NULL},
		{"0", "1", "has device 0, the new run device 1:"},
		{"4,5,6", "1", "has devices 4 to 6, the new run device 1:"}};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		struct jr_arena arena;
		struct jr_run runs[2];
		struct jr_comparison c;
		struct jr_results results;
		jr_arena_init(&arena, 0);
		for (int side = 0; side < 2; side++) {
			JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
			jr_buf_puts(&text, "{\"schema\":\"jaxreport.report/1\",\"devices\":[");
			const char *list = side ? cases[i].fresh : cases[i].base;
			for (const char *at = list; *at; at += strspn(at, ",")) {
				int n = (int)strcspn(at, ",");
				jr_buf_printf(&text, "%s{\"device\":%.*s}", at > list ? "," : "", n, at);
				at += n;
			}
			jr_buf_puts(&text, "]}");
			read_text(&runs[side], text.data, &arena);
		}
		jr_compare_runs(
			&runs[0], &runs[1], JR_TOLERANCE, &(struct jr_gates){0}, &arena, &c, &results);
		assert_int_equal(
			strstr(results.subtitle, "processes of one job") != NULL, cases[i].said != NULL);
		assert_true(!cases[i].said || strstr(results.subtitle, cases[i].said));
		jr_arena_done(&arena);
	}
}

static UNIT(limits_hold)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	struct jr_arena arena;
	struct jr_run run;
	struct jr_limits limits = jr_limits_default();
	struct jr_error err = {.message = ""};
	put_report(&text, &built);
	jr_arena_init(&arena, 0);
	limits.entry_bytes = text.size - 1;
	assert_int_equal(
		jr_run_of_json(&run, jr_buf_view(&text), NULL, &limits, &arena, &err), JR_ELIMIT);
	assert_non_null(strstr(err.message, "--max-entry-bytes"));
	limits = jr_limits_default();
	limits.memory_bytes = 64;
	assert_int_equal(
		jr_run_of_json(&run, jr_buf_view(&text), NULL, &limits, &arena, &err), JR_ELIMIT);
	jr_arena_done(&arena);
}

/* --- paths ------------------------------------------------------------------------------------ */

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static enum jr_status open_path(const char *path, bool *computed, struct jr_error *err)
{
	struct jr_options options = jr_options_default();
	struct jr_side side;
	*err = (struct jr_error){.message = ""};
	enum jr_status status = jr_side_open(&side, &path, NULL, 1, &options, NULL, err);
	*computed = side.computed;
	jr_side_done(&side);
	return status;
}

static UNIT(paths_of_sides)
{
	char folder[] = "/tmp/test_compare_run.XXXXXX", path[64];
	struct jr_error err;
	bool computed;
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	put_report(&text, &built);
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/report.json", folder);
	write_file(path, text.data);
	assert_int_equal(open_path(path, &computed, &err), JR_OK);
	assert_false(computed);
	assert_true(open_path(folder, &computed, &err) != JR_OK); /* not ours: the marker is missing */
	char other[64];                                           /* recognized by its beginning */
	snprintf(other, sizeof(other), "%s/base", folder);
	assert_int_equal(rename(path, other), 0);
	assert_int_equal(open_path(other, &computed, &err), JR_OK);
	assert_false(computed);
	struct jr_limits limits = jr_limits_default();
	assert_true(jr_side_is_json(other) && jr_side_made_by_us(other, &limits));
	assert_true(!jr_side_is_json(folder) && !jr_side_made_by_us(folder, &limits));
	struct jr_options options = jr_options_default();
	struct jr_side side;
	assert_int_equal(
		jr_side_open(&side, (const char *const[]){other, other}, NULL, 2, &options, NULL, &err),
		JR_EUNSUPPORTED);
	assert_non_null(strstr(err.message, "/base' is an earlier report, which must be the only"));
	jr_side_done(&side);
	assert_int_equal(rename(other, path), 0);
	char marker[64];
	snprintf(marker, sizeof(marker), "%s/.jaxreport", folder);
	write_file(marker, "");
	assert_int_equal(open_path(folder, &computed, &err), JR_OK);
	assert_false(computed);
	write_file(path, "{");
	assert_int_equal(open_path(path, &computed, &err), JR_EFORMAT);
	assert_non_null(strstr(err.message, "/report.json': JSON: "));
	unlink(path);
	assert_true(open_path(path, &computed, &err) != JR_OK);
	assert_int_equal(mkdir(path, 0700), 0); /* a folder of that name */
	assert_true(open_path(path, &computed, &err) != JR_OK);
	rmdir(path);
	assert_int_equal(open_path(folder, &computed, &err), JR_ENOTFOUND);
	assert_non_null(strstr(err.message, "an earlier report without report.json"));
	unlink(marker);
	rmdir(folder);
}

/* --- memory ----------------------------------------------------------------------------------- */

static double metric(const struct jr_run *run, const char *name)
{
	const struct jr_metric *m = jr_metric_find(name, strlen(name));
	assert_non_null(m);
	return jr_metric_value(m, run);
}

#define REPORT "{\"schema\":\"jaxreport.report/1\","
#define HEAPS                                                                                      \
	"\"memory\":[{\"program_id\":\"1\",\"trace\":0,\"peak_bytes\":70},"                            \
	"{\"program_id\":\"1\",\"trace\":1,\"peak_bytes\":900,\"host\":true},"                         \
	"{\"program_id\":\"2\",\"trace\":0,\"peak_bytes\":80,\"host\":false}]"

/* The peak is that of the programs that ran and are known, the heap is that of the device.
 * Values that a report lacks are unknown and not 0. */
static UNIT(memory_of_reports)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	struct jr_run run;
	read_text(&run,
		REPORT HEAPS ",\"program_memory\":["
					 "{\"program_id\":\"3\",\"ran\":false,\"allocated_bytes\":999},"
					 "{\"program_id\":\"4\",\"allocated_bytes\":998},"
					 "{\"program_id\":\"5\",\"ran\":true,\"allocated_bytes\":null},"
					 "{\"program_id\":\"2\",\"ran\":true,\"allocated_bytes\":100},"
					 "{\"program_id\":\"1\",\"ran\":true,\"allocated_bytes\":99}]}",
		&arena);
	assert_true(metric(&run, "memory.peak") == 100);
	assert_true(metric(&run, "memory.temporary") == 80);
	read_text(&run, REPORT HEAPS "}", &arena); /* from before allocations were read */
	assert_true(isnan(metric(&run, "memory.peak")));
	assert_true(metric(&run, "memory.temporary") == 80);
	read_text(&run, REPORT "\"memory\":[],\"program_memory\":[]}", &arena);
	assert_true(isnan(metric(&run, "memory.peak")));
	assert_true(isnan(metric(&run, "memory.temporary")));
}

/* Lines from before memory.temporary have the heap's peak as memory.peak. */
static UNIT(memory_of_older_lines)
{
	static const struct {
		const char *metrics;
		double peak, temporary;
	} cases[] = {{"\"memory.peak\":7,\"memory.temporary\":3", 7, 3},
		{"\"memory.peak\":7,\"memory.temporary\":null", 7, NAN},
		{"\"memory.peak\":7", NAN, 7}, {"\"memory.peak\":null", NAN, NAN}, {"", NAN, NAN}};
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
		jr_buf_printf(&text, "{\"schema\":\"" JR_HISTORY_SCHEMA "\",\"metrics\":{%s}}\n",
			cases[i].metrics);
		struct jr_history history;
		struct jr_limits limits = jr_limits_default();
		struct jr_error err = {.message = ""};
		assert_int_equal(
			jr_history_read(jr_buf_view(&text), 1, NULL, &limits, &arena, &history, &err), JR_OK);
		double got[2];
		const double want[2] = {cases[i].peak, cases[i].temporary};
		for (size_t k = 0; k < 2; k++) {
			const char *name = k ? "memory.temporary" : "memory.peak";
			got[k] = history.items[0].metrics[jr_metric_find(name, strlen(name)) - jr_metrics];
			assert_true(got[k] == want[k] || (isnan(got[k]) && isnan(want[k])));
		}
	}
}

/* --- a store ---------------------------------------------------------------------------------- */

static void put_line(struct jr_buf *out, const char *commit, const char *label)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	struct jr_run run = build_run(&built, &arena);
	jr_history_put(out, &run, &(struct jr_history_about){NULL, commit, label});
}

static struct jr_history read_store(
	const struct jr_buf *text, size_t most, const char *label, struct jr_arena *arena)
{
	struct jr_limits limits = jr_limits_default();
	struct jr_history history;
	struct jr_error err = {.message = ""};
	if (jr_history_read(jr_buf_view(text), most, label, &limits, arena, &history, &err) != JR_OK)
		fail_msg("%s", err.message);
	return history;
}

static UNIT(a_line_is_the_run)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	put_line(&text, "c0ffee \"quoted\" \\ <b>", "µ");
	assert_int_equal(memchr(text.data, '\n', text.size) == text.data + text.size - 1, 1);
	struct jr_run run = build_run(&built, &arena);
	struct jr_history history = read_store(&text, 10, NULL, &arena);
	assert_int_equal(history.n, 1);
	const struct jr_history_entry *e = &history.items[0];
	assert_string_equal(e->about.commit, "c0ffee \"quoted\" \\ <b>");
	assert_string_equal(e->about.label, "µ");
	assert_null(e->about.time);
	assert_string_equal(e->run.name, run.name);
	for (size_t i = 0; jr_metrics[i].name; i++) {
		double v = jr_metric_value(&jr_metrics[i], &run);
		assert_true(fabs(e->metrics[i] - v) <= 1e-15 * v || (isnan(e->metrics[i]) && isnan(v)));
	}
	assert_int_equal(e->run.steps.executions.n, run.steps.executions.n);
	assert_memory_equal(e->run.steps.executions.values, run.steps.executions.values,
		run.steps.executions.n * sizeof(double));
	struct jr_comparison c;
	struct jr_run copy = e->run;
	jr_compare_judge(&run, &copy, JR_TOLERANCE, NULL, &arena, &c);
	assert_int_equal(c.judgement.verdict, JR_VERDICT_SAME);
	for (size_t i = 0; i < c.explanation.n; i++)
		assert_int_equal(c.explanation.items[i].ns[0], c.explanation.items[i].ns[1]);
}

/* A thousand thunks: the heaviest are kept, and the verdict does not depend on the others. */
static UNIT(heavy_thunks_are_kept)
{
	enum { N = 1000 };
	static struct built_thunk many[N];
	static char names[N][16];
	struct built_module module = modules[0];
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	for (size_t i = 0; i < N; i++) {
		snprintf(names[i], sizeof(names[i]), "fusion.%zu", i);
		many[i] = (struct built_thunk){
			"40", names[i], "fusion", names[i], "f32[8]", (int64_t)(i * 7 % N), false, 1};
	}
	struct built_run large = {"G", 1, "40", &module, 1, many, N};
	struct jr_run run = build_run(&large, &arena);
	jr_history_put(&text, &run, &(struct jr_history_about){NULL, NULL, NULL});
	assert_true(text.size < 20000);
	struct jr_history history = read_store(&text, 1, NULL, &arena);
	struct jr_run kept = history.items[0].run;
	assert_int_equal(jr_run_rows(&kept, JR_RUN_THUNKS), 64);
	for (size_t i = 0; i < 64; i++)
		assert_int_equal(
			jr_run_i64(&kept, JR_RUN_THUNKS, JR_THUNK_EXECUTION_SUM, i), (int64_t)(N - 1 - i));
	struct jr_comparison c;
	jr_compare_judge(&run, &kept, JR_TOLERANCE, NULL, &arena, &c);
	assert_int_equal(c.judgement.verdict, JR_VERDICT_SAME);
}

static UNIT(chosen_lines)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	for (int i = 0; i < 6; i++) {
		put_line(
			&text, (const char *const[]){"0", "1", "2", "3", "4", "5"}[i], i % 2 ? "odd" : "even");
		jr_buf_puts(&text, i == 2 ? "garbage\n\n" : "");
	}
	struct jr_history h = read_store(&text, 100, NULL, &arena);
	assert_true(h.n == 6 && h.n_bad == 1 && h.n_lines == 8);
	assert_true(h.items[0].line == 1 && h.items[2].line == 3 && h.items[3].line == 6);
	assert_string_equal(h.problems[0], "line 4: JSON: no value at offset 0; left out");
	assert_null(h.before);
	h = read_store(&text, 2, NULL, &arena);
	assert_true(h.n == 2 && h.n_bad == 0 && h.items[0].line == 7 && h.before->line == 6);
	h = read_store(&text, 6, NULL, &arena);
	assert_true(h.n == 6 && !h.before);
	h = read_store(&text, 5, NULL, &arena);
	assert_true(h.n == 5 && h.items[0].line == 2 && h.before->line == 1);
	h = read_store(&text, 2, "even", &arena);
	assert_true(h.n == 2 && h.items[0].line == 3 && h.items[1].line == 7 && h.before->line == 1);
	assert_string_equal(h.items[1].about.commit, "4");
	struct jr_limits limits = jr_limits_default();
	struct jr_error err = {.message = ""};
	assert_int_equal(
		jr_history_read(jr_buf_view(&text), 5, "none", &limits, &arena, &h, &err), JR_ENOTFOUND);
	struct jr_arena small;
	jr_arena_init(&small, 10);
	assert_int_equal(
		jr_history_read(jr_buf_view(&text), 5, NULL, &limits, &small, &h, &err), JR_ELIMIT);
	jr_arena_done(&small);
	text.size -= 30; /* cut off */
	h = read_store(&text, 100, NULL, &arena);
	assert_true(h.n == 5 && h.n_bad == 2);
	assert_non_null(strstr(h.problems[0],
		"line 8, which is incomplete (it does not end with a newline): JSON: "));
	for (size_t n = 0; n < text.size; n += 7) {
		enum jr_status status =
			jr_history_read(jr_bytes_of(text.data, n), 3, NULL, &limits, &arena, &h, &err);
		assert_int_equal(status == JR_OK, h.n > 0);
	}
}

/* Lines that are JSON but not readable runs: each is reported by its number. */
static UNIT(foreign_lines)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	jr_buf_puts(&text, "{\"a\":1}\n{\"schema\":7}\n{\"schema\":\"jaxreport.run/9\"}\n");
	put_line(&text, "1", "label");
	struct jr_history h = read_store(&text, 100, NULL, &arena);
	assert_true(h.n == 1 && h.n_bad == 3 && h.items[0].line == 4);
	assert_string_equal(h.problems[0],
		"line 3: schema is 'jaxreport.run/9', not '" JR_HISTORY_SCHEMA "'; left out");
	assert_string_equal(
		h.problems[1], "line 2: not a run: it does not contain \"schema\"; left out");
	assert_string_equal(
		h.problems[2], "line 1: not a run: it does not contain \"schema\"; left out");
}

/* Values that no run has, as an editor may leave them; a byte order mark is harmless. */
static UNIT(edited_lines)
{
	static const struct {
		const char *key, *value;
	} edits[] = {{"\"step.median\":", "-1"}, {"\"step.median\":", "1e300"}, {"\"busy\":", "\"x\""},
		{"\"period_ns\":[", "-5"}, {"\"execution_ns\":[", "9e18"}, {"\"execution_ns\":[", "[]"}};
	for (size_t i = 0; i < JR_COUNT_OF(edits); i++) {
		struct jr_arena arena;
		jr_arena_init(&arena, 0);
		JR_CLEANUP(jr_buf_done) struct jr_buf line = {0}, text = {0};
		put_line(&line, "1", "label");
		jr_buf_puts(&text, "\xEF\xBB\xBF");
		jr_buf_add(&text, line.data, line.size);
		jr_buf_reserve(&line, 1);
		line.data[line.size] = '\0';
		const char *at = strstr(line.data, edits[i].key);
		assert_non_null(at);
		at += strlen(edits[i].key);
		jr_buf_add(&text, line.data, (size_t)(at - line.data));
		jr_buf_puts(&text, edits[i].value);
		jr_buf_puts(&text, at + strcspn(at, ",]}"));
		struct jr_history h = read_store(&text, 100, NULL, &arena);
		assert_true(h.n == 1 && h.n_bad == 1 && h.items[0].line == 1);
		assert_non_null(strstr(h.problems[0], "is impossible; left out"));
		jr_arena_done(&arena);
	}
}

static UNIT(sparklines)
{
	static const struct {
		double values[5];
		const char *bars;
	} cases[] = {
		{{1, 2, 3, 4, 5}, "▁▃▅▇█"},
		{{5, NAN, 5, 5, INFINITY}, "▅ ▅▅ "},
		{{100, 101, 100, 99, 100}, "▅▇▅▃▅"}, /* 2 % of a height of 5 % */
		{{100, 100.1, 100, 99.9, 100}, "▅▅▅▅▅"}, /* noise */
		{{0, 0, 0, 0, 0}, "▅▅▅▅▅"},
		{{-1, 0, 1, 0, -1}, "▁▅█▅▁"},
		{{-1e308, 1e308, 0, 1, 2}, NULL},
		{{NAN, NAN, NAN, NAN, NAN}, "     "},
	};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
		jr_sparkline(&text, cases[i].values, 5);
		if (cases[i].bars)
			assert_string_equal(text.data, cases[i].bars);
	}
}

/* Stacks are in whole ns; those of earlier reports are in ms, of which some have decimals. */
static UNIT(stacks_of_both_units)
{
	static const struct {
		const char *text;
		double ns[2]; /* a negative one: the text is refused */
	} cases[] = {{"a;b 1500000\nc 2\n", {1500000, 2}}, {"a;b 1.5\nc 2\n", {1500000, 2000000}},
		{"a;b 1500000\r\n\r\nc 2\r\n", {1500000, 2}},
		{"\xEF\xBB\xBF"
		 "a;b 1500000\nc 2\n",
			{1500000, 2}},
		{"a;b 1e-3\n\nc 2", {1000, 2000000}}, {"a;b 0\nc 900000000000000000\n", {0, 9e17}},
		{"a;b 1\nc 1000000000000000001\n", {-1}}, {"a;b -1\n", {-1}}, {"a 1,5\n", {-1}}};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		struct jr_limits limits = jr_limits_default();
		struct jr_run_stacks stacks = {0};
		struct jr_error err = {.message = ""};
		JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
		enum jr_status status =
			jr_run_stacks_read(jr_bytes_of(cases[i].text, strlen(cases[i].text)), "a.folded",
				&limits, &arena, &stacks, &err);
		assert_int_equal(status, cases[i].ns[0] < 0 ? JR_EFORMAT : JR_OK);
		if (status == JR_OK)
			assert_string_equal(stacks.items[0].stack, "a;b");
		for (size_t k = 0; k < 2 && status == JR_OK; k++)
			assert_true(fabs(stacks.items[k].self_ns - cases[i].ns[k]) <= 1e-9 * cases[i].ns[k]);
	}
}
