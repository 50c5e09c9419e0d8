/* Nsight exports apart from their rows: launches, nesting, projection, devices, idle time,
 * captures. */
#include "export_case.h"

#include "model/export/export.h"

/* --- rows ------------------------------------------------------------------------------------ */

static void put_export(struct jr_buf *out, const struct jr_export *x)
{
	const struct jr_timeline *s = &x->rows;
	for (size_t i = 0; i < s->gpu.n; i++) {
		uint32_t call = x->launch[i], range = x->range[i];
		jr_buf_printf(out, "op %lld", (long long)s->gpu.start_ns[i]);
		if (call == JR_NONE)
			jr_buf_puts(out, " unlinked");
		else
			jr_buf_printf(out, " by call %lld", (long long)s->calls.start_ns[call]);
		if (range != JR_NONE)
			jr_buf_printf(out, " in %s", nsys_str(s, s->nvtx.text[range]));
		jr_buf_putc(out, '\n');
	}
	for (size_t i = 0; i < s->nvtx.n; i++) {
		uint32_t up = x->parent[i];
		jr_buf_printf(out, "%s %lld..%lld", nsys_str(s, s->nvtx.text[i]),
			(long long)s->nvtx.start_ns[i], (long long)s->nvtx.end_ns[i]);
		if (up != JR_NONE)
			jr_buf_printf(out, " in %s", nsys_str(s, s->nvtx.text[up]));
		if (x->n_ops[i])
			jr_buf_printf(out, ": %d ops %lld..%lld on %d", (int)x->n_ops[i],
				(long long)x->gpu_start_ns[i], (long long)x->gpu_end_ns[i],
				x->device[i] == JR_SEVERAL ? -1 : (int)x->devices[x->device[i]].id);
		jr_buf_putc(out, '\n');
	}
	jr_buf_printf(out, "open %d unlinked %d deep %d parts %d devices %d\n", (int)x->n_open,
		(int)x->n_unlinked, (int)x->n_too_deep, (int)x->n_parts, (int)x->n_devices);
}

static void expect_with(const char *sql, const struct jr_limits *limits, const char *expected)
{
	struct jr_bytes bytes = nsys_bytes(sql);
	struct jr_export x;
	struct jr_error err = {.message = ""};
	struct jr_buf got = {0};
	if (jr_export_read_memory(bytes, limits, 2, &x, &err) == JR_OK) {
		put_export(&got, &x);
		jr_export_done(&x);
	} else {
		jr_buf_printf(&got, "! %s", err.message);
	}
	check_text(&got, expected);
	nsys_free(bytes);
}

static void expect(const char *sql, const char *expected)
{
	struct jr_limits limits = jr_limits_default();
	expect_with(sql, &limits, expected);
}

static UNIT(launches_are_found_by_id)
{
	expect(BEGIN PUSHED(0, 100, 1, "a") CALL(10, 12, 1, 5) CALL(20, 22, 1, 6) KERNEL(50, 60, 0, 6)
			   KERNEL(61, 70, 0, 5) KERNEL(71, 80, 0, 7) KERNEL(81, 90, 0, null),
		"op 50 by call 20 in a\nop 61 by call 10 in a\nop 71 unlinked\nop 81 unlinked\n"
		"a 0..100: 2 ops 50..70 on 0\nopen 0 unlinked 1 deep 0 parts 1 devices 1\n");
}

/* The call that begins first is the outer one, in any order of rows; nodes of a graph share one. */
static UNIT(ids_that_are_not_unique)
{
	expect(BEGIN PUSHED(0, 15, 1, "a") PUSHED(16, 100, 1, "b") CALL(20, 22, 1, 5) CALL(10, 12, 1, 5)
			   CALL(30, 32, 1, 5) KERNEL(50, 60, 0, 5) KERNEL(61, 70, 0, 5) KERNEL(71, 80, 1, 5),
		"op 50 by call 10 in a\nop 61 by call 10 in a\nop 71 by call 10 in a\n"
		"a 0..15: 3 ops 50..80 on -1\nb 16..100\nopen 0 unlinked 0 deep 0 parts 1 devices 2\n");
}

/* Ids are unique only within a process. An operation without a process is matched only if there
 * is a single candidate. */
static UNIT(ids_of_several_processes)
{
	static const char one[] = BEGIN CALL(10, 12, 1, 5) "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL "
		"VALUES (50, 60, 0, 7, 5, NULL, 2, 2, NULL);";
	JR_CLEANUP(jr_buf_done) struct jr_buf two = {0};
	expect(one, "op 50 by call 10\nopen 0 unlinked 0 deep 0 parts 1 devices 1\n");
	jr_buf_puts(&two, one);
	jr_buf_puts(&two, "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (30, 32, " NSYS_TID(8, 1)
		", 5, 1);" KERNEL(70, 80, 0, 5) "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES "
		"(90, 95, 0, 7, 5, " NSYS_PID(8) ", 2, 2, NULL);");
	expect(two.data,
		"op 50 unlinked\nop 70 by call 10\nop 90 by call 30\n"
		"open 0 unlinked 1 deep 0 parts 2 devices 1\n");
}

/* Ids that are too far apart for a table over their whole span. */
static UNIT(ids_far_apart)
{
	expect(BEGIN CALL(10, 12, 1, 0) CALL(20, 22, 1, 4294967294) CALL(30, 32, 1, 4294967295)
			   CALL(40, 42, 1, 4294967294) KERNEL(50, 60, 0, 4294967294) KERNEL(61, 70, 0, 0)
				   KERNEL(71, 80, 0, 4294967295),
		"op 50 by call 20\nop 61 by call 10\nop 71 unlinked\n"
		"open 0 unlinked 0 deep 0 parts 1 devices 1\n");
}

static UNIT(ranges_nest_by_time)
{
	/* equal spans: the one written first is the outer one; a span of length 0 belongs to the
	 * span it touches */
	expect(BEGIN PUSHED(10, 90, 1, "inner") PUSHED(0, 100, 1, "outer") PUSHED(10, 90, 1, "same")
			   PUSHED(90, 90, 1, "point") PUSHED(100, 110, 1, "next") PUSHED(20, 30, 2, "other")
				   CALL(90, 90, 1, 5) CALL(100, 100, 1, 6) KERNEL(200, 210, 0, 5)
					   KERNEL(220, 230, 0, 6),
		"op 200 by call 90 in point\nop 220 by call 100 in next\n"
		"inner 10..90 in outer: 1 ops 200..210 on 0\nouter 0..100: 2 ops 200..230 on 0\n"
		"same 10..90 in inner: 1 ops 200..210 on 0\npoint 90..90 in same: 1 ops 200..210 on 0\n"
		"next 100..110: 1 ops 220..230 on 0\nother 20..30\n"
		"open 0 unlinked 0 deep 0 parts 1 devices 1\n");
}

/* Ranges of two domains cross, and a start/end range spans both. Each contains the calls
 * launched entirely within it. */
static UNIT(ranges_that_cross)
{
	expect(BEGIN PUSHED_IN(0, 50, 1, "a", "1") PUSHED_IN(30, 80, 1, "b", "2")
			   EVENT("60", 20, 45, 1, "c", "1") EVENT("60", 20, 45, 2, "d", "1")
				   CALL(10, 12, 1, 1) CALL(40, 42, 1, 2) CALL(48, 52, 1, 3) CALL(60, 62, 1, 4)
					   KERNEL(100, 110, 0, 1) KERNEL(120, 130, 0, 2) KERNEL(140, 150, 0, 3)
						   KERNEL(160, 170, 0, 4),
		"op 100 by call 10 in a\nop 120 by call 40 in b\nop 140 by call 48 in b\n"
		"op 160 by call 60 in b\na 0..50: 2 ops 100..130 on 0\nb 30..80: 3 ops 120..170 on 0\n"
		"c 20..45: 1 ops 120..130 on 0\nd 20..45\nopen 0 unlinked 0 deep 0 parts 1 devices 1\n");
}

static UNIT(ranges_that_are_open)
{
	expect(BEGIN PUSHED(0, null, 1, "a") PUSHED(10, null, 1, "b") CALL(20, 22, 1, 1)
			   KERNEL(100, 110, 0, 1) EVENT("60", 5, null, 1, "c", "1"),
		"op 100 by call 20 in b\na 0..110: 1 ops 100..110 on 0\n"
		"b 10..110 in a: 1 ops 100..110 on 0\nc 5..110: 1 ops 100..110 on 0\n"
		"open 3 unlinked 0 deep 0 parts 1 devices 1\n");
}

static UNIT(ranges_too_deep)
{
	struct jr_limits limits = jr_limits_default();
	limits.depth = 3;
	expect_with(BEGIN PUSHED(0, 100, 1, "a") PUSHED(10, 90, 1, "b") PUSHED(20, 80, 1, "c")
					PUSHED(30, 70, 1, "d") CALL(40, 42, 1, 1) KERNEL(200, 210, 0, 1),
		&limits,
		"op 200 by call 40 in b\na 0..100: 1 ops 200..210 on 0\n"
		"b 10..90 in a: 1 ops 200..210 on 0\nc 20..80 in b\nd 30..70 in b\n"
		"open 0 unlinked 0 deep 2 parts 1 devices 1\n");
}

static UNIT(exports_with_nothing_to_report)
{
	static const char nothing[] = "! the export contains no CUDA or NVTX events. Profile with "
								  "`nsys profile -t cuda,nvtx`";
	expect(BEGIN, nothing);
	expect(BEGIN "INSERT INTO NVTX_EVENTS VALUES (1, NULL, 75, NULL, 'a', 1, NULL, 1);", nothing);
	/* of the two, the one far from the first is left out */
	expect(BEGIN CALL(0, 1, 1, 1) CALL(1125899906842625, 1125899906842626, 1, 1),
		"open 0 unlinked 0 deep 0 parts 1 devices 0\n");
	/* the largest distance that can be read: the difference must not wrap around */
	expect(BEGIN KERNEL(-4611686018427387903, -5, 0, 1) KERNEL(5, 4611686018427387903, 0, 2),
		"! none of its events has a valid time: all are 0 or years apart");
	expect(BEGIN KERNEL(-4611686018427387904, 4611686018427387904, 0, 1),
		"! all events of the export (1) are invalid: times that are missing, not integers, ending "
		"before they start, or more than 146 years from 0, or sizes below 0");
	expect(BEGIN CALL(-5, -4, 1, 1), "open 0 unlinked 0 deep 0 parts 1 devices 0\n");
}

/* --- reports --------------------------------------------------------------------------------- */

#define NAME_THREAD(tid, name)                                                                     \
	"INSERT INTO NVTX_EVENTS VALUES (0, NULL, 39, NULL, '" name "', " TID(tid) ", NULL, NULL);"
#define THUNK_RANGE(start, end, tid, op) PUSHED_IN(start, end, tid, "Thunk:#hlo_op=" op "#", "1")
#define MODULE_RANGE(start, end, tid)                                                              \
	PUSHED_IN(start, end, tid, "XlaModule:#hlo_module=jit_f,program_id=1#", "1")
#define TSL_DOMAIN                                                                                 \
	"INSERT INTO NVTX_EVENTS VALUES (0, NULL, 75, NULL, 'TSL', " TID(9) ", NULL, 1);"

/* Two threads, two GPUs: one thunk on each. */
#define TWO_DEVICES                                                                                \
	BEGIN TSL_DOMAIN MODULE_RANGE(0, 100, 1) THUNK_RANGE(10, 20, 1, "a") MODULE_RANGE(0, 100, 2)   \
		THUNK_RANGE(10, 20, 2, "b") CALL(12, 14, 1, 1) CALL(12, 14, 2, 2)                          \
			KERNEL(200, 300, 0, 1) KERNEL(400, 500, 1, 2)

static void check_devices(const char *sql, const char *global, const char *thunks)
{
	struct pass_run run;
	struct jr_buf got = {0};
	run_export(&run, sql);
	const struct jr_profile *p = &run.job.profile;
	for (size_t d = 0; d < p->n_devices; d++)
		jr_buf_printf(&got, "%u ", p->devices[d].global);
	check_text(&got, global);
	for (size_t i = 0; i < p->thunks.n; i++)
		jr_buf_printf(&got, "%s:%u ", jr_str(p, jr_thunk_op(p, i)->name),
			p->devices[jr_thunk_device(p, i)].global);
	check_text(&got, thunks);
	passes_done(&run);
}

/* Executions take as long as their work on the GPU, not as long as the host took to launch it. */
static UNIT(times_of_executions)
{
	struct pass_run run;
	run_export(&run, TWO_DEVICES);
	check_modules(&run.job.profile, "1.0@0 jit_f 200+100 n=1\n1.0@1 jit_f 400+100 n=1\n");
	check_thunks(&run.job.profile, "1.0@0 a#0 200+100\n1.0@1 b#0 400+100\n");
	passes_done(&run);
}

/* Devices are found by where a thread launched work, their number in the job by XLA's names. */
static UNIT(devices_of_threads)
{
	check_devices(TWO_DEVICES, "0 1 ", "a:0 b:1 ");
	check_devices(TWO_DEVICES NAME_THREAD(1, "XlaLauncher:#global=6,local=0,process=3,slice=0#")
					  NAME_THREAD(2, "XlaLauncher:#global=5,local=1,process=3,slice=0#"),
		"5 6 ", "b:5 a:6 ");
	check_devices(TWO_DEVICES
		"CREATE TABLE ThreadNames (nameId INTEGER, priority INTEGER, globalTid INTEGER);"
		"INSERT INTO StringIds VALUES (20, 'XlaLauncher:#global=3,local=0,process=0,partition=0#');"
		"INSERT INTO ThreadNames VALUES (20, 20, " TID(1) "), (2, 20, " TID(2) ");",
		"1 3 ", "b:1 a:3 ");
	/* two threads claim one number: the second stays without a name */
	check_devices(TWO_DEVICES NAME_THREAD(1, "XlaLauncher:#global=4,local=0,process=0,slice=0#")
					  NAME_THREAD(2, "XlaLauncher:#global=4,local=1,process=0,slice=0#"),
		"1 4 ", "b:1 a:4 ");
	check_devices(TWO_DEVICES
		"CREATE TABLE TARGET_INFO_NVTX_CUDA_DEVICE (name TEXT, hwId INTEGER, vmId INTEGER, "
		"deviceId INTEGER);INSERT INTO TARGET_INFO_NVTX_CUDA_DEVICE VALUES "
		"('Xla:#global=8,local=0,process=0,slice=0#', 0, 0, 0), "
		"('Xla:#global=7,local=1,process=0,slice=0#', 0, 0, 1);",
		"7 8 ", "b:7 a:8 ");
}

static void check_gpus(const char *rows, const char *expected)
{
	struct pass_run run;
	struct jr_buf sql = {0}, got = {0};
	jr_buf_printf(&sql, "%sCREATE TABLE TARGET_INFO_GPU (id INTEGER, cuDevice INTEGER, name TEXT, "
		"memoryBandwidth INTEGER, smCount INTEGER, clockRate INTEGER, totalMemory INTEGER, "
		"computeMajor INTEGER, computeMinor INTEGER);INSERT INTO TARGET_INFO_GPU VALUES %s;",
		TWO_DEVICES, rows);
	run_export(&run, sql.data);
	const struct jr_profile *p = &run.job.profile;
	for (size_t d = 0; d < p->n_devices; d++)
		jr_buf_printf(&got, "%s %d %d %d %d %u\n", jr_str(p, p->devices[d].gpu_name),
			(int)p->devices[d].memory_bandwidth_bytes_s, (int)p->devices[d].sm_count,
			(int)p->devices[d].clock_hz, (int)p->devices[d].memory_bytes,
			p->devices[d].compute_capability);
	check_text(&got, expected);
	jr_buf_done(&sql);
	passes_done(&run);
}

/* The GPU of a device is found by its id, else by CUDA's number, else it is the only GPU listed. */
static UNIT(gpus_of_devices)
{
	check_gpus("(1, NULL, 'B', 5, 6, 7, 8, 9, 0), (0, NULL, 'A', 1, 2, 3, 4, 8, 9)",
		"A 1 2 3 4 89\nB 5 6 7 8 90\n");
	check_gpus("(11, 1, 'B', 5, 6, 7, 8, 9, 0), (10, 0, 'A', 1, 2, 3, 4, 8, 9)",
		"A 1 2 3 4 89\nB 5 6 7 8 90\n");
	check_gpus("(1, 0, 'B', 5, 6, 7, 8, 9, 0), (0, 1, 'A', 1, 2, 3, 4, 8, 9)",
		"A 1 2 3 4 89\nB 5 6 7 8 90\n");
	check_gpus("(9, NULL, 'C', -1, 0, 7, NULL, NULL, NULL)", "C 0 0 7 0 0\nC 0 0 7 0 0\n");
	check_gpus("(8, NULL, 'C', 1, 1, 1, 1, 9, 0), (9, NULL, 'D', 1, 1, 1, 1, 9, 0)",
		" 0 0 0 0 0\n 0 0 0 0 0\n");
}

static void check_communication(const char *sql, const char *expected, const char *guesses)
{
	struct pass_run run;
	struct jr_buf got = {0};
	run_export(&run, sql);
	const struct jr_profile *p = &run.job.profile;
	for (size_t i = 0; i < p->n_ops; i++)
		jr_buf_printf(&got, "%s %d %s\n", jr_str(p, p->ops[i].name), p->ops[i].communication,
			jr_str(p, p->ops[i].collective));
	check_text(&got, expected);
	check_guesses(p, guesses);
	passes_done(&run);
}

/* Without HLO and NCCL ranges, kernels show what communicates, unless other kernels or a graph
 * run in the thunk. Each process is separate. */
static UNIT(thunks_of_nccl_kernels)
{
#define NCCL_KERNELS                                                                               \
	BEGIN TSL_DOMAIN MODULE_RANGE(0, 100, 1) THUNK_RANGE(10, 20, 1, "fusion.1")                    \
		THUNK_RANGE(22, 30, 1, "fusion.2") THUNK_RANGE(32, 40, 1, "fusion.3")                      \
		THUNK_RANGE(42, 50, 1, "fusion.4")                                                         \
		CALL(12, 14, 1, 1) CALL(24, 26, 1, 2) CALL(27, 28, 1, 3) CALL(34, 36, 1, 4)                \
		CALL(44, 45, 1, 5) CALL(46, 47, 1, 6)                                                      \
		KERNEL_OF(200, 300, 0, 1, "3") KERNEL_OF(300, 400, 0, 2, "3") KERNEL(400, 500, 0, 3)       \
		KERNEL(500, 600, 0, 4) KERNEL_OF(700, 800, 0, 5, "3")                                      \
		"INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (800, 900, 0, 7, 6, " NSYS_PID(9) ", 4, "   \
		"8);"
	check_communication(NCCL_KERNELS,
		"fusion.1 1 all-reduce\nfusion.2 0 \nfusion.3 0 \nfusion.4 1 all-reduce\n",
		"communication-by-kernel=2");
	/* one process before it and one after it, both with their own kernels in each thunk */
	static const char three[] = NCCL_KERNELS
		"INSERT INTO NVTX_EVENTS SELECT start, end, eventType, category, replace(text, 'fusion', "
		"'ahead'), globalTid - (2 << 24), textId, domainId FROM NVTX_EVENTS UNION ALL "
		"SELECT start, end, eventType, category, replace(text, 'fusion', 'behind'), "
		"globalTid + (2 << 24), textId, domainId FROM NVTX_EVENTS;"
		"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT start, end, globalTid + d, correlationId, "
		"nameId FROM CUPTI_ACTIVITY_KIND_RUNTIME, (SELECT -(2 << 24) d UNION SELECT 2 << 24);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT start, end, deviceId, streamId, "
		"correlationId, globalPid + d, 2, 2, NULL FROM CUPTI_ACTIVITY_KIND_KERNEL, "
		"(SELECT -(2 << 24) d UNION SELECT 2 << 24);"
		"UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET demangledName = 3, shortName = 3 WHERE "
		"correlationId = 4 AND globalPid > " NSYS_PID(9);
	check_communication(three,
		"ahead.1 0 \nahead.2 0 \nahead.3 0 \nahead.4 0 \n"
		"behind.1 0 \nbehind.2 0 \nbehind.3 1 all-reduce\nbehind.4 0 \n"
		"fusion.1 1 all-reduce\nfusion.2 0 \nfusion.3 0 \nfusion.4 1 all-reduce\n",
		"communication-by-kernel=3");
}

static void check_exposed_nccl(const char *sql, const char *expected)
{
	struct pass_run run;
	run_export(&run, sql);
	const char *measured = NULL;
	for (size_t i = 0; i < run.results.n_findings; i++)
		if (strcmp(run.results.findings[i].id, "exposed-nccl") == 0)
			measured = run.results.findings[i].measured;
	assert_non_null(measured);
	assert_string_equal(measured, expected);
	passes_done(&run);
}

/* The main kernel is the one with more than half of the exposed time. */
static UNIT(exposed_nccl_kernels)
{
#define TWO_NCCL_KERNELS                                                                           \
	BEGIN "INSERT INTO StringIds VALUES (6, 'ncclDevKernel_AllGather');" CALL(0, 1, 1, 1)          \
		CALL(2, 3, 1, 2) CALL(4, 5, 1, 3) KERNEL(100, 200, 0, 1) KERNEL(150, 151, 0, 1)            \
		KERNEL(150, 151, 0, 1) KERNEL_OF(200, 300, 0, 2, "3")
	check_exposed_nccl(TWO_NCCL_KERNELS KERNEL_OF(300, 400, 0, 3, "6"),
		"Communication kernels run while no other kernel runs: 200 ns of 300 ns (66.7 %), most in "
		"“ncclDevKernel_AllGather”");
	check_exposed_nccl(TWO_NCCL_KERNELS KERNEL_OF(300, 500, 0, 3, "6"),
		"Communication kernels run while no other kernel runs: 300 ns of 400 ns (75.0 %), mostly "
		"“ncclDevKernel_AllGather”");
}

/* The heaviest call is shown even if no call took any time. */
static UNIT(calls_without_time)
{
	struct pass_run run;
	run_export(&run, BEGIN CALL(10, 10, 1, 1) CALL(20, 20, 1, 2) KERNEL(15, 17, 0, 1)
		KERNEL_OF(30, 31, 0, 2, "3"));
	check_results(&run.results);
	assert_int_equal(run_table(&run, "kernels")->n_rows, 2);
	assert_int_equal(run_table(&run, "cuda_api")->n_rendered, 1);
	passes_done(&run);
}

/* A shape with a missing extent is not a shape. */
static UNIT(shapes_of_kernels)
{
	struct pass_run run;
	run_export(&run, BEGIN CALL(0, 5, 1, 1)
		"DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL;"
		"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId, correlationId, "
		"globalPid, demangledName, shortName, gridX, gridY, gridZ, blockX, blockY, blockZ, "
		"registersPerThread, staticSharedMemory, dynamicSharedMemory);"
		"INSERT INTO StringIds VALUES (11, 'a'), (12, 'b'), (13, 'c'), (14, 'd');"
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES "
		"(100, 190, 0, 7, 1, " NSYS_PID(9) ", 11, 11, 1, 2, 3, NULL, 5, 6, 0, 16, 0), "
		"(200, 280, 0, 7, 1, " NSYS_PID(9) ", 12, 12, NULL, 2, 3, 4, 5, 6, NULL, NULL, 8), "
		"(300, 370, 0, 7, 1, " NSYS_PID(9) ", 13, 13, 1, NULL, 3, 4, NULL, 6, 32, 16, NULL), "
		"(400, 460, 0, 7, 1, " NSYS_PID(9) ", 14, 14, 1, 2, NULL, 4, 5, NULL, 255, 16, 8)");
	check_column(&run, "kernels", "grid", "1 × 2 × 3 null null null ");
	check_column(&run, "kernels", "block", "null 4 × 5 × 6 null null ");
	check_column(&run, "kernels", "registers", "0 null 32 255 ");
	check_column(&run, "kernels", "shared_memory_bytes", "16 null null 24 ");
	passes_done(&run);
}

/* Five kernels on one device. The launches of the second and fourth are late, that of the third
 * is not, and that of the fifth is unknown. They were launched 100, 60, 150, 25 ns before they
 * began. */
static UNIT(gaps_and_latency)
{
	struct pass_run run;
	run_export(&run, BEGIN CALL(0, 5, 1, 1) CALL(240, 245, 1, 2) CALL(250, 255, 1, 3)
		CALL(525, 530, 1, 4) KERNEL(100, 200, 0, 1) KERNEL(300, 380, 0, 2) KERNEL(400, 500, 0, 3)
		KERNEL(550, 600, 0, 4) KERNEL(607, 700, 0, 99));
	check_column(&run, "gap_causes", "cause", "host-bound device-bound unknown ");
	check_column(&run, "gap_causes", "count", "2 1 1 ");
	check_column(&run, "gap_causes", "sum_ms", "150 20 7 ");
	check_column(&run, "gap_causes", "max_ms", "100 20 7 ");
	check_column(&run, "gap_largest", "dur_ms", "100 50 20 7 ");
	check_column(&run, "gap_largest", "at_ms", "100 400 280 500 ");
	check_column(&run, "launch", "count", "4 ");
	check_column(&run, "launch", "min_ms", "25 ");
	check_column(&run, "launch", "median_ms", "60 ");
	check_column(&run, "launch", "p90_ms", "150 ");
	check_column(&run, "launch", "max_ms", "150 ");
	check_column(&run, "gpu_ledger", "idle_ms", "177 ");
	check_guesses(&run.job.profile, "unlinked-operations=1");
	passes_done(&run);
}

/* If clocks disagree, nothing begins before its launch. */
static UNIT(operations_before_their_launch)
{
	struct pass_run run;
	run_export(&run, BEGIN CALL(500, 505, 1, 1) KERNEL(100, 200, 0, 1));
	check_column(&run, "launch", "max_ms", "0 ");
	passes_done(&run);
}

static const char *first_text(const struct jr_section *section)
{
	for (size_t i = 0; i < section->n; i++)
		if (section->items[i].kind == JR_RESULT_TEXT)
			return section->items[i].as.text;
	return "";
}

/* Calls of the profiler's API in the export, or the trigger that the export states. */
static UNIT(captures_by_the_program)
{
	static const char calls[] = BEGIN CALL(100, 105, 1, 1) KERNEL(200, 1300, 0, 1)
		"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (90, 95, " TID(1) ", NULL, 4), "
		"(1500, 1600, " TID(1) ", NULL, 5);";
	static const char trigger[] = BEGIN CALL(100, 105, 1, 1) KERNEL(200, 1300, 0, 1)
		"CREATE TABLE META_DATA_CAPTURE (name TEXT, value TEXT);"
		"INSERT INTO META_DATA_CAPTURE VALUES ('START_TRIGGER', 'CudaProfilerApi');"
		"CREATE TABLE ANALYSIS_DETAILS (duration INTEGER);"
		"INSERT INTO ANALYSIS_DETAILS VALUES (9000000);";
	struct pass_run run;
	run_export(&run, calls);
	check_column(&run, "capture", "profiler_starts", "1 ");
	check_column(&run, "capture", "profiler_stops", "1 ");
	check_column(&run, "capture", "covered_ms", "1510 ");
	assert_non_null(strstr(first_text(run_section(&run, "diagnostics")), "covers 1.510 µs."));
	passes_done(&run);
	run_export(&run, trigger);
	check_column(&run, "capture", "start_trigger", "CudaProfilerApi ");
	assert_non_null(strstr(
		first_text(run_section(&run, "diagnostics")), "covers 1.200 µs of a session of 9.000 ms"));
	passes_done(&run);
	run_export(&run, BEGIN CALL(100, 105, 1, 1) KERNEL(200, 1300, 0, 1));
	assert_string_equal(first_text(run_section(&run, "diagnostics")), "");
	passes_done(&run);
}

/* Kernels within whole graphs are missing from the export, and a note says so. */
static UNIT(graphs_that_hide_kernels)
{
	struct pass_run run;
	static const char graphs[] = BEGIN CALL(0, 5, 1, 1) KERNEL(400, 450, 0, 9)
		"CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start, end, deviceId, streamId, "
		"correlationId, globalPid, graphId);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (100, 300, 0, 7, 1, " NSYS_PID(9)
		", 1)";
	run_export(&run, graphs);
	assert_non_null(strstr(first_text(run_section(&run, "kernels")),
		"CUDA graphs (1 launches, 200 ns in total)"));
	check_column(&run, "gpu_ledger", "compute_ms", "250 ");
	check_column(&run, "launch", "kind", "graph ");
	passes_done(&run);
	run_export(&run, BEGIN CALL(0, 5, 1, 1) KERNEL(400, 450, 0, 9));
	assert_string_equal(first_text(run_section(&run, "kernels")), "");
	passes_done(&run);
}

/* Rows that were left out make the numbers doubtful, and a note says so. */
static UNIT(rows_that_cannot_be_read)
{
	struct pass_run run;
	run_export(&run, BEGIN CALL(0, 5, 1, 1) KERNEL(400, 450, 0, 1) KERNEL(500, 450, 0, 2)
		CALL('then', 5, 1, 1));
	const struct jr_finding *f = NULL;
	for (size_t i = 0; i < run.results.n_findings; i++)
		if (strcmp(run.results.findings[i].id, "lost-rows") == 0)
			f = &run.results.findings[i];
	assert_non_null(f);
	assert_string_equal(f->title, "2 of 4 rows of the profile cannot be read (50.0 %)");
	assert_string_equal(f->evidence, "bad-rows: 2 (see the notes).");
	passes_done(&run);
}

/* Kernels and calls whose texts are missing have a name that can be seen, and a note says so. */
static UNIT(names_that_are_missing)
{
	struct pass_run run;
	run_export(&run, BEGIN CALL(0, 5, 1, 1) KERNEL(100, 450, 0, 1) CALL(10, 15, 1, 2)
		KERNEL_OF(500, 700, 0, 2, "77") "DELETE FROM StringIds WHERE id = 1;");
	check_guesses(&run.job.profile, "names-missing=3");
	check_column(&run, "kernels", "name", "gemm (no name) ");
	check_column(&run, "cuda_api", "name", "(no name) ");
	passes_done(&run);
}

/* Work that begins later on another GPU does not end a gap on this one. */
static UNIT(gaps_are_of_one_device)
{
	struct pass_run run;
	run_export(&run, BEGIN CALL(0, 5, 1, 1) CALL(10, 15, 1, 2) CALL(20, 25, 1, 3)
		KERNEL(100, 200, 0, 1) KERNEL(5000, 5100, 1, 2) KERNEL(5130, 5200, 1, 3));
	check_column(&run, "gap_causes", "cause", "device-bound ");
	check_column(&run, "gap_causes", "sum_ms", "30 ");
	check_column(&run, "gap_largest", "dur_ms", "30 ");
	passes_done(&run);
}

/* Names that PyTorch numbers become one name per operator; other commas stay part of a name. */
static UNIT(numbers_in_names_are_left_out)
{
	struct pass_run run;
	run_export(&run, BEGIN CALL(12, 14, 1, 1) KERNEL(200, 300, 0, 1)
		PUSHED(0, 50, 1, "aten::mul, seq = 45328, op_id = 990724")
		PUSHED(60, 70, 1, "aten::mul, op_id = 3, sizes = [[4], []]")
		PUSHED(80, 90, 1, "aten::mul, sizes = [[4], []]") PUSHED(91, 95, 1, "a, b, seq 7"));
	check_column(&run, "nvtx", "name", "aten::mul a, b, seq 7 ");
	check_column(&run, "nvtx", "count", "3 1 ");
	passes_done(&run);
}

/* One row per domain, category, name and kind; unnamed categories are shown by number. */
static UNIT(ranges_by_category)
{
	struct pass_run run;
	run_export(&run, BEGIN CALL(12, 14, 1, 1) KERNEL(200, 300, 0, 1) KERNEL(350, 400, 0, 2)
		CALL(32, 34, 1, 2)
		"INSERT INTO NVTX_EVENTS (start, end, eventType, category, text, globalTid, domainId) "
		"VALUES "
		"(0, 50, 59, 1, 'a', " TID(1) ", 1), (10, 20, 59, 2, 'a', " TID(1) ", 1),"
		"(30, 40, 59, 2, 'a', " TID(1) ", 1), (60, 60, 34, 2, 'a', " TID(1) ", 1),"
		"(70, 75, 59, NULL, 'a', " TID(1) ", NULL),"
		"(0, NULL, 33, 2, 'red', " TID(1) ", 1), (0, NULL, 75, NULL, 'mine', " TID(1) ", 1);");
	check_column(&run, "nvtx", "domain", "mine mine null mine ");
	check_column(&run, "nvtx", "category", "1 red null red ");
	check_column(&run, "nvtx", "kind", "range range range mark ");
	check_column(&run, "nvtx", "count", "1 2 1 1 ");
	check_column(&run, "nvtx", "host_ms", "50 20 5 null ");
	check_column(&run, "nvtx", "operations", "2 2 null null ");
	check_column(&run, "nvtx", "gpu_ms", "200 150 null null ");
	check_column(&run, "nvtx", "gpu_idle_ms", "50 0 null null ");
	passes_done(&run);
}

/* For a range on two GPUs, work on a third GPU does not count. It does not count for start/end
 * ranges or for ranges that cross others either. */
static UNIT(ranges_on_several_devices)
{
	struct pass_run run;
	static const char sql[] = BEGIN PUSHED(0, 50, 1, "a") EVENT("60", 0, 50, 1, "b", "1")
		PUSHED_IN(60, 80, 1, "c", "1") PUSHED_IN(70, 90, 1, "d", "2") PUSHED(0, 100, 2, "e")
		PUSHED(100, 110, 2, "f")
		CALL(10, 12, 1, 1) CALL(20, 22, 1, 2) CALL(20, 22, 2, 3) CALL(72, 73, 1, 4)
		CALL(74, 75, 1, 5) CALL(101, 102, 2, 6) CALL(103, 104, 2, 7)
		KERNEL(100, 200, 0, 1) KERNEL(300, 400, 1, 2) KERNEL(100, 950, 2, 3)
		KERNEL(500, 600, 1, 4) KERNEL(700, 710, 0, 5) KERNEL(800, 810, 2, 6)
		KERNEL(850, 900, 1, 7);
	run_export(&run, sql);
	check_column(&run, "nvtx", "name", "e a b c d f ");
	check_column(&run, "nvtx", "gpu_ms", "850 300 300 210 210 100 ");
	check_column(&run, "nvtx", "gpu_idle_ms", "0 100 100 100 100 0 ");
	check_column(&run, "nvtx", "gpu_busy_ms", "850 200 200 110 110 100 ");
	passes_done(&run);
	/* more devices than can be kept apart: no number rather than a wrong one */
	static const char many[] = BEGIN PUSHED(0, 50, 1, "a") PUSHED(60, 70, 1, "b")
		CALL(10, 12, 1, 1) CALL(62, 63, 1, 2) CALL(64, 65, 1, 3)
		KERNEL(1000, 1010, 1, 2) KERNEL(1020, 1030, 2, 3)
		"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 63) INSERT INTO "
		"CUPTI_ACTIVITY_KIND_KERNEL SELECT 100 + i, 101 + i, i, 7, 1, " NSYS_PID(9)
		", 2, 2, NULL FROM n;";
	run_export(&run, many);
	check_column(&run, "nvtx", "name", "a b ");
	check_column(&run, "nvtx", "gpu_ms", "64 30 ");
	check_column(&run, "nvtx", "gpu_idle_ms", "null 10 ");
	check_column(&run, "nvtx", "gpu_busy_ms", "null 20 ");
	passes_done(&run);
}

/* Each kind of waiting, and the cost of profiling, has one row over all inputs. */
static UNIT(sums_of_several_exports)
{
	struct pass_run run;
#define WAITS                                                                                      \
	"CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start, end, syncType);"                     \
	"INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES "
#define OVERHEADS                                                                                  \
	"CREATE TABLE PROFILER_OVERHEAD (start, end, nameId);"                                         \
	"INSERT INTO PROFILER_OVERHEAD VALUES "
	static const char *const sqls[] = {
		BEGIN CALL(10, 12, 1, 1) KERNEL(100, 200, 0, 1)
			WAITS "(0, 10, 3), (0, 20, 7), (0, 30, 9), (5, 6, 0);"
			OVERHEADS "(0, 100, 1), (0, 7, 2);",
		BEGIN CALL(10, 12, 1, 1) KERNEL(100, 200, 0, 1)
			WAITS "(0, 12, 3), (0, 20, 7), (0, 70, -1);"
			OVERHEADS "(0, 5, 2), (0, 9, 3);"};
	run_exports(&run, sqls, 2);
	check_column(&run, "cuda_waits", "kind",
		"type -1 type 7 type 9 stream synchronize unknown ");
	check_column(&run, "cuda_waits", "count", "1 2 1 2 1 ");
	check_column(&run, "cuda_waits", "sum_ms", "70 40 30 22 1 ");
	check_column(&run, "cuda_waits", "max_ms", "70 20 30 12 1 ");
	check_column(&run, "profiler_overhead", "count", "1 2 1 ");
	check_column(&run, "profiler_overhead", "sum_ms", "100 12 9 ");
	check_column(&run, "profiler_overhead", "max_ms", "100 7 9 ");
	passes_done(&run);
}

/* Errors come first, then the most frequent messages; a message of two exports is one row. */
static UNIT(warnings_once_each)
{
	struct pass_run run;
#define MESSAGES                                                                                   \
	"CREATE TABLE DIAGNOSTIC_EVENT (timestamp, source, severity, text);"                           \
	"INSERT INTO DIAGNOSTIC_EVENT VALUES (1, 3, 1, 'said'), "
	static const char *const sqls[] = {
		BEGIN CALL(10, 12, 1, 1) KERNEL(100, 200, 0, 1)
			MESSAGES "(5, 3, 2, 'rare'), (6, 1, 2, 'often'), (7, 1, 2, 'often');",
		BEGIN CALL(10, 12, 1, 1) KERNEL(100, 200, 0, 1)
			MESSAGES "(5, 1, 2, 'often'), (6, 2, 3, 'bad' || char(10) || ' thing'), "
					 "(4, 9, 2, 'odd');"};
	run_exports(&run, sqls, 2);
	check_column(&run, "diagnostics", "severity", "error warning warning warning ");
	check_column(&run, "diagnostics", "source", "daemon injection analysis null ");
	check_column(&run, "diagnostics", "text", "bad thing often rare odd ");
	check_column(&run, "diagnostics", "count", "1 3 1 1 ");
	passes_done(&run);
}

/* References in the rows of an export stay within it, even if several exports are read as one
 * job. */
static UNIT(launches_of_several_exports)
{
	struct pass_run run;
	static const char *const sqls[] = {
		BEGIN PUSHED(0, 50, 1, "first") CALL(0, 2, 1, 9) CALL(10, 12, 1, 1)
			KERNEL(100, 200, 0, 1) KERNEL(300, 310, 0, 7),
		BEGIN PUSHED(990, 1020, 1, "outer") PUSHED(995, 1015, 1, "inner") CALL(1000, 1002, 1, 1)
			CALL(1010, 1012, 1, 2) KERNEL(1040, 1200, 0, 1) KERNEL(1900, 1910, 0, 2)};
	run_exports(&run, sqls, 2);
	check_column(&run, "launch", "count", "1 2 ");
	check_column(&run, "launch", "max_ms", "90 890 ");
	check_column(&run, "nvtx", "name", "outer inner first ");
	check_column(&run, "gap_largest", "dur_ms", "700 100 ");
	check_column(&run, "gap_largest", "range", "inner null ");
	check_guesses(&run.job.profile, "unlinked-operations=1");
	passes_done(&run);
}

/* Operations that PyTorch's generic kernels apply, with names as two demanglers write them, and
 * texts that are not names. */
static UNIT(kernels_of_pytorch)
{
	static const struct {
		const char *name, *applies;
	} kernels[] = {
		{"void at::native::elementwise_kernel<(int)128, (int)2, void "
		 "at::native::gpu_kernel_impl_nocast<at::native::BinaryFunctor<float, float, "
		 "at::native::binary_internal::MulFunctor<float>>>(at::TensorIteratorBase &)::[lambda(int) "
		 "(instance 1)]>(int, T3)", "MulFunctor"},
		{"void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous "
		 "namespace)::pow_kernel(at::TensorIteratorBase&)::{lambda(float)#1}, "
		 "std::array<char*, 2> >(int)", "pow_kernel"},
		{"void at::native::<unnamed>::softmax<float, (bool)0>(at::native::Tensor *)", "null"},
		{"void (anonymous namespace)::copy<at::native::<unnamed>>(int)", "null"},
		{"flash_fwd_kernel(flash::Params)", "null"},
		{"f<at::native::", "null"},
		{"f<at::native::at::native::x", "x"},
		{">>a->b<at::native::g>", "null"},
	};
	for (size_t i = 0; i < JR_COUNT_OF(kernels); i++) {
		struct pass_run run;
		char *sql = sqlite3_mprintf("%s INSERT INTO StringIds VALUES (9, %Q);",
			BEGIN KERNEL_OF(1, 2, 0, 1, "9"), kernels[i].name);
		JR_CLEANUP(jr_buf_done) struct jr_buf expected = {0};
		run_export(&run, sql);
		jr_buf_printf(&expected, "%s ", kernels[i].applies);
		check_column(&run, "kernels", "applies", expected.data);
		sqlite3_free(sql);
		passes_done(&run);
	}
}

/* Kernels that share a short name show what distinguishes them; a single one shows nothing more. */
static UNIT(kernels_of_one_short_name)
{
	static const char *const names[] = {
		"void c::par<PdV(bool, c::B<double> &)::[lambda(int, int) (instance 1)]>(c::R, T1)",
		"void c::par<PdV(bool, c::B<double> &)::[lambda(int, int) (instance 2)]>(c::R, T1)",
		"void c::par<dt(c::B<float> const&)::[lambda(int, int) (instance 1)]>(c::R, T1)",
		"void c::par<(anonymous namespace)::flux<const half, (int)4>::[lambda(int, int) (instance "
		"1)]>(c::R, T1)",
		"void c::single<PdV(bool)::[lambda(int) (instance 1)]>(c::R, T1)"};
	struct pass_run run;
	JR_CLEANUP(jr_buf_done) struct jr_buf sql = {0};
	jr_buf_puts(&sql, BEGIN KERNEL_OF(1, 6, 0, 1, "9") KERNEL_OF(11, 15, 0, 2, "10")
						  KERNEL_OF(21, 24, 0, 3, "11") KERNEL_OF(31, 33, 0, 4, "12")
							  KERNEL_OF(41, 42, 0, 5, "13"));
	for (size_t i = 0; i < JR_COUNT_OF(names); i++)
		jr_buf_printf(&sql, " INSERT INTO StringIds VALUES (%zu, '%s');", 9 + i, names[i]);
	jr_buf_puts(&sql, " UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET shortName = 14 WHERE end < 40;"
					  " INSERT INTO StringIds VALUES (14, 'par');");
	run_export(&run, sql.data);
	check_column(&run, "kernels", "applies",
		"PdV, instance 1 PdV, instance 2 dt, instance 1 flux, half, instance 1 null ");
	passes_done(&run);
}
