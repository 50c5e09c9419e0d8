/* Idle time of GPUs: how far the launch of the next operation had come when a gap began, and
 * what the launching thread did meanwhile. */
#include "export_case.h"

/* Kernels of 100 ns with gaps of 100 ns between them: the gap before kernel `id` begins at 200 *
 * id and ends at 200 * id + 100; kernel 0 begins at 100. */
#define FIRST BEGIN CALL(0, 5, 1, 100) KERNEL(100, 200, 0, 100)
#define AT_200(id) KERNEL(300, 400, 0, id)
#define AT_400(id) KERNEL(500, 600, 0, id)

static void check_cause(const char *call, const char *cause)
{
	struct pass_run run;
	struct jr_buf sql = {0}, expected = {0};
	jr_buf_printf(&sql, "%s%s", FIRST AT_200(1), call);
	jr_buf_printf(&expected, "%s ", cause);
	run_export(&run, sql.data);
	check_column(&run, "gap_causes", "cause", expected.data);
	check_column(&run, "gap_causes", "count", "1 ");
	check_column(&run, "gap_causes", "sum_ms", "100 ");
	check_column(&run, "gap_largest", "cause", expected.data);
	jr_buf_done(&sql);
	jr_buf_done(&expected);
	passes_done(&run);
}

/* The gap begins at 200. At equal times, the call comes first. */
static UNIT(causes_of_gaps)
{
	check_cause(CALL(201, 205, 1, 1), "host-bound");
	check_cause(CALL(201, 201, 1, 1), "host-bound");
	check_cause(CALL(299, 350, 1, 1), "host-bound");
	check_cause(CALL(200, 205, 1, 1), "launch-bound");
	check_cause(CALL(200, 201, 1, 1), "launch-bound");
	check_cause(CALL(150, 201, 1, 1), "launch-bound");
	check_cause(CALL(150, 800, 1, 1), "launch-bound");
	check_cause(CALL(150, 200, 1, 1), "device-bound");
	check_cause(CALL(200, 200, 1, 1), "device-bound");
	check_cause(CALL(150, 199, 1, 1), "device-bound");
	check_cause("", "unknown");
}

/* A call without an end is dropped: the launch of its operation is unknown. */
static UNIT(calls_without_an_end)
{
	struct pass_run run;
	run_export(&run, FIRST AT_200(1)
		"DROP TABLE CUPTI_ACTIVITY_KIND_RUNTIME;"
		"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId);"
		CALL(150, NULL, 1, 1));
	check_column(&run, "gap_causes", "cause", "unknown ");
	check_guesses(&run.job.profile, "bad-rows=1 unlinked-operations=2");
	passes_done(&run);
}

#define GRAPH_LAUNCH "INSERT INTO StringIds VALUES (6, 'cudaGraphLaunch_v10000');"
#define CALL_OF(start, end, tid, id, name)                                                         \
	"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (" #start ", " #end ", " TID(tid) ", " #id     \
	", " #name ");"

/* A graph has arrived once one of its nodes has begun, even if its launch returns later. Before
 * its first node it is in flight. A copy done in parts is different: its call still feeds it. */
static UNIT(nodes_of_graphs)
{
	struct pass_run run;
	run_export(&run, FIRST GRAPH_LAUNCH CALL_OF(150, 900, 1, 1, 6) AT_200(1) AT_400(1));
	check_column(&run, "gap_largest", "at_ms", "100 300 ");
	check_column(&run, "gap_largest", "cause", "launch-bound device-bound ");
	passes_done(&run);
	run_export(&run, FIRST CALL_OF(150, 900, 1, 1, 1) AT_200(1) AT_400(1));
	check_column(&run, "gap_largest", "cause", "launch-bound launch-bound ");
	passes_done(&run);
	/* on another device none of its nodes has begun */
	run_export(&run, FIRST GRAPH_LAUNCH CALL_OF(150, 900, 1, 1, 6) KERNEL(300, 400, 1, 1)
		CALL(0, 5, 1, 2) KERNEL(410, 450, 1, 2) AT_400(1));
	check_column(&run, "gap_causes", "cause", "launch-bound device-bound ");
	passes_done(&run);
	/* a graph recorded as a whole */
	run_export(&run, FIRST GRAPH_LAUNCH CALL_OF(150, 260, 1, 1, 6)
		"CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start, end, deviceId, streamId, "
		"correlationId, globalPid, graphId);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (300, 400, 0, 7, 1, " NSYS_PID(9)
		", 1);");
	check_column(&run, "gap_causes", "cause", "launch-bound ");
	check_column(&run, "gap_calls", "call", "cudaGraphLaunch ");
	passes_done(&run);
}

/* Lengths by class: the columns add up to the sums by cause. */
static UNIT(classes_by_cause)
{
	struct pass_run run;
	run_export(&run, FIRST CALL(201, 202, 1, 1) AT_200(1) CALL(350, 450, 1, 2) AT_400(2)
		CALL(550, 560, 1, 3) KERNEL(700, 800, 0, 3) KERNEL(900, 950, 0, 4));
	check_column(&run, "gap_classes", "count", "4 ");
	check_column(&run, "gap_classes", "host_ms", "100 ");
	check_column(&run, "gap_classes", "launch_ms", "100 ");
	check_column(&run, "gap_classes", "device_ms", "100 ");
	check_column(&run, "gap_classes", "unknown_ms", "100 ");
	passes_done(&run);
}

#define NAMES                                                                                      \
	"INSERT INTO StringIds VALUES (6, 'cudaDeviceSynchronize_v3020'), (7, 'cudaMalloc_v3020'), "   \
	"(8, 'cuMemAlloc_v2');"

/* A gap of 1000 ns from 200 on: 100 more of waiting, 50 of nothing, 300 of cudaMalloc with a
 * driver call inside, nothing, and 60 from the launch on. Other threads do not count. */
static UNIT(what_a_late_host_did)
{
	struct pass_run run;
#define LATE                                                                                       \
	FIRST NAMES CALL_OF(50, 300, 1, 10, 6) CALL_OF(350, 650, 1, 11, 7)                             \
		CALL_OF(400, 500, 1, 12, 8) CALL_OF(200, 1100, 2, 13, 7) CALL(1140, 1150, 1, 1)            \
		KERNEL(1200, 1300, 0, 1)
	run_export(&run, LATE);
	check_column(&run, "gap_calls", "cause", "host-bound host-bound host-bound host-bound ");
	check_column(&run, "gap_calls", "call",
		"(outside of CUDA) cudaMalloc cudaDeviceSynchronize (launching) ");
	check_column(&run, "gap_calls", "sum_ms", "540 300 100 60 ");
	check_column(&run, "gap_calls", "count", "0 0 1 0 ");
	check_column(&run, "gap_calls", "gaps_ms", "0 0 1000 0 ");
	check_column(&run, "gap_calls", "percent", "0.54 0.3 0.1 0.06 ");
	passes_done(&run);
	/* A second device that waits for the same thread, from 700 on: each gap counts. */
	run_export(&run, LATE CALL(0, 5, 1, 2) KERNEL(600, 700, 1, 2) CALL(1160, 1170, 1, 3)
		KERNEL(1200, 1300, 1, 3));
	check_column(&run, "gap_calls", "call",
		"(outside of CUDA) cudaMalloc (launching) cudaDeviceSynchronize cudaLaunchKernel ");
	check_column(&run, "gap_calls", "sum_ms", "990 300 100 100 10 ");
	check_column(&run, "gap_calls", "count", "1 0 0 1 0 ");
	check_column(&run, "gap_calls", "gaps_ms", "500 0 0 1000 0 ");
	passes_done(&run);
}

/* If the clocks put the begin of a kernel before its launch, no time is left for the launch. */
static UNIT(launches_after_their_kernel)
{
	struct pass_run run;
	run_export(&run, FIRST CALL(350, 360, 1, 1) AT_200(1));
	check_column(&run, "gap_calls", "call", "(outside of CUDA) ");
	check_column(&run, "gap_calls", "sum_ms", "100 ");
	passes_done(&run);
}

/* Threads of two exports are unrelated, even if their numbers are equal. */
static UNIT(threads_of_two_exports)
{
	struct pass_run run;
	static const char *const sqls[] = {
		FIRST NAMES CALL_OF(210, 280, 1, 10, 7) CALL(290, 295, 1, 1) AT_200(1),
		FIRST NAMES CALL(290, 295, 1, 1) AT_200(1)};
	run_exports(&run, sqls, 2);
	check_column(&run, "gap_calls", "call", "(outside of CUDA) cudaMalloc (launching) ");
	check_column(&run, "gap_calls", "sum_ms", "110 70 20 ");
	passes_done(&run);
}

/* --- advice ----------------------------------------------------------------------------------- */

/* Twenty kernels of 100 µs, each `gap` after the previous one. A call from `begin` to `end`
 * launches each kernel; NULL: none. A second call is `other`. Times are in ns from the begin of
 * the gap before the kernel. */
struct story {
	const char *call;
	int64_t gap, begin, end;
	const char *other;
	int64_t other_begin, other_end;
	const char *finding, *advice, *evidence; /* words that must be found */
};

static void put_call(struct jr_buf *sql, const char *name, int64_t start, int64_t end, int id)
{
	jr_buf_printf(sql,
		"INSERT OR IGNORE INTO StringIds SELECT max(id) + 1, '%s' FROM StringIds WHERE '%s' NOT IN "
		"(SELECT value FROM StringIds);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT %lld, %lld, " TID(1) ", %d, id FROM "
		"StringIds WHERE value = '%s';",
		name, name, (long long)start, (long long)end, id, name);
}

/* Run the story; `n_long` gaps last 500 µs longer, in which nothing happens. */
static void tell(struct pass_run *run, const struct story *story, int n_long)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf sql = {0};
	jr_buf_puts(&sql, BEGIN);
	int64_t at = 1000000;
	for (int i = 0; i < 20; i++) {
		int64_t late = i && i <= n_long ? 500000 : 0, start = at + story->gap + late;
		if (story->call)
			put_call(&sql, story->call, at + late + story->begin, at + late + story->end, i);
		if (story->other)
			put_call(&sql, story->other, at + story->other_begin, at + story->other_end, 100 + i);
		jr_buf_printf(&sql,
			"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (%lld, %lld, 0, 7, %d, " NSYS_PID(9)
			", 2, 2, NULL);", (long long)start, (long long)(start + 100000), i);
		at = start + 100000;
	}
	run_export(run, sql.data);
}

static void check_story(const struct story *story, int n_long)
{
	struct pass_run run;
	tell(&run, story, n_long);
	if (run.results.n_findings != 1)
		fail_msg("%s: %zu findings", story->advice, run.results.n_findings);
	const struct jr_finding *f = &run.results.findings[0];
	assert_string_equal(f->id, story->finding);
	if (!strstr(advice_of(f), story->advice) || !strstr(f->evidence, story->evidence))
		fail_msg("%s: %s %s", story->advice, advice_of(f), f->evidence);
	passes_done(&run);
}

/* Each cause and each activity of the host has its own advice. */
static UNIT(advice_by_cause)
{
	static const struct story stories[] = {
		{"cudaLaunchKernel", 900000, 890000, 895000, NULL, 0, 0, "host-bound", "other work outside "
			"CUDA",
			"19 gaps, 900 µs each on average"},
		{"cudaLaunchKernel", 900000, 890000, 895000, "cudaStreamSynchronize", -50000, 10000,
			"host-bound", "other work outside CUDA", "in “cudaStreamSynchronize”"},
		{"cudaLaunchKernel", 900000, 890000, 895000, "cudaStreamSynchronize", -50000, 880000,
			"host-bound",
			"waits in “cudaStreamSynchronize” for kernels. It waits 20 times, 930 µs each",
			"follows waits in “cudaStreamSynchronize”"},
		{"cudaLaunchKernel", 20000, 15000, 18000, "cudaDeviceSynchronize", -90000, 4000,
			"host-bound", "Do not wait between launches",
			"follows waits in “cudaDeviceSynchronize”"},
		{"cudaLaunchKernel", 20000, 15000, 18000, NULL, 0, 0, "host-bound",
			"In gaps shorter than 200 µs the host launches kernels more slowly",
			"285 µs passed outside CUDA."},
		{"cudaLaunchKernel", 900000, 20000, 890000, NULL, 0, 0, "host-bound",
			"the launch call itself took long",
			"16.7 ms passed from a launch call to the start"},
		{"cudaLaunchKernel", 900000, 890000, 895000, "cudaMalloc", 10000, 880000, "host-bound",
			"Allocate once", "16.5 ms passed in “cudaMalloc”"},
		{"cudaLaunchKernel", 20000, -10000, 15000, NULL, 0, 0, "launch-bound", "CUDA graph",
			"19 of them are in “cudaLaunchKernel” and take 380 µs"},
		{"cudaGraphLaunch", 20000, -10000, 15000, NULL, 0, 0, "launch-bound", "cudaGraphUpload",
			"19 of them are in “cudaGraphLaunch”"},
		{"cudaMemcpy", 20000, -10000, 15000, NULL, 0, 0, "launch-bound",
			"first waits until earlier work of the GPU ends",
			"19 of them are in “cudaMemcpy”"},
		{"cudaMemcpyAsync", 20000, -10000, 15000, NULL, 0, 0, "launch-bound", "Pin host memory",
			"19 of them are in “cudaMemcpyAsync”"},
		{"cudaLaunchKernel", 2000, -10000, -5000, NULL, 0, 0, "device-bound", "fewer and longer",
			"19 gaps, 2.00 µs each on average"},
		{"cudaLaunchKernel", 20000, -10000, -5000, NULL, 0, 0, "device-bound",
			"dependencies between streams", "19 gaps, 20.0 µs each on average"},
		{NULL, 20000, 0, 0, NULL, 0, 0, "unexplained-idle", "Record the calls of all processes",
			"19 gaps, 20.0 µs each on average"},
	};
	for (size_t i = 0; i < JR_COUNT_OF(stories); i++)
		check_story(&stories[i], 0);
}

/* One long gap among short ones: both kinds that take a quarter of the time get their advice,
 * the larger first. */
static UNIT(advice_for_long_and_short_gaps)
{
	static const struct story stories[] = {
		{"cudaLaunchKernel", 20000, 15000, 18000, "cudaDeviceSynchronize", -90000, 4000,
			"host-bound", "In gaps of 200 µs or more the launching thread did other work",
			"19 gaps, 46.3 µs each on average"},
		{"cudaLaunchKernel", 20000, 15000, 18000, "cudaDeviceSynchronize", -90000, 4000,
			"host-bound", "Do not wait between launches", "; the longest, 520 µs"},
		{"cudaLaunchKernel", 35000, 30000, 32000, NULL, 0, 0, "host-bound",
			"In gaps shorter than 200 µs the host launches kernels more slowly", "; the longest, "},
		{"cudaLaunchKernel", 35000, 30000, 32000, NULL, 0, 0, "host-bound",
			"In longer ones the launching thread did other work", "; the longest, "},
	};
	for (size_t i = 0; i < JR_COUNT_OF(stories); i++)
		check_story(&stories[i], 1);
}
