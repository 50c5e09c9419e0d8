/* Exports without expected contents: kernels that were launched but not recorded, almost no
 * work, modules without GPU work. */
#include "export_case.h"

static const struct jr_finding *find(const struct pass_run *run, const char *id)
{
	for (size_t i = 0; i < run->results.n_findings; i++)
		if (strcmp(run->results.findings[i].id, id) == 0)
			return &run->results.findings[i];
	return NULL;
}

static const char *verdict_of(const struct pass_run *run)
{
	const struct jr_scalar *verdict = jr_results_scalar(&run->results, "verdict");
	assert_non_null(verdict);
	return verdict->value.text;
}

#define NO_KERNELS BEGIN "DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL;"
#define SYSTEM(name, value)                                                                        \
	"CREATE TABLE IF NOT EXISTS TARGET_INFO_SYSTEM_ENV (name TEXT, value TEXT);"                   \
	"INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('" name "', '" value "');"
#define COPIES(n)                                                                                  \
	"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < " #n " - 1) INSERT " \
	"INTO CUPTI_ACTIVITY_KIND_MEMCPY SELECT 100 + 10 * i, 105 + 10 * i, 0, 7, 900 + i, "          \
	NSYS_PID(9) ", 8, 1 FROM n;"

/* Launches without a kernel are reported with a remedy, and nothing is concluded from the rest. */
static UNIT(kernels_that_were_not_recorded)
{
	struct pass_run run;
	run_export(&run, NO_KERNELS CALL(0, 5, 1, 1) CALL(10, 15, 1, 2)
		SYSTEM("NvDriverVersion", "52510517") SYSTEM("CudaDriverVersion", "12000")
		"CREATE TABLE DIAGNOSTIC_EVENT (timestamp, source, severity, text);"
		"INSERT INTO DIAGNOSTIC_EVENT VALUES (1, 3, 2, 'No OpenGL events'), "
		"(2, 1, 2, 'CUPTI could not be started');");
	const struct jr_finding *f = find(&run, "no-kernels");
	assert_non_null(f);
	assert_int_equal(run.results.n_findings, 1);
	assert_int_equal(f->severity, JR_WARNING);
	assert_string_equal(f->title, "2 kernels were launched, and none was recorded");
	assert_non_null(strstr(advice_of(f), "nsys status -e"));
	assert_null(strstr(advice_of(f), "WSL"));
	assert_string_equal(f->evidence,
		"NVIDIA driver 525.105.17, CUDA 12.0. The profiler reported: CUPTI could not be started.");
	assert_string_equal(verdict_of(&run),
		"2 kernels were launched, and none was recorded: what the GPU did is unknown.");
	passes_done(&run);
	run_export(&run, NO_KERNELS CALL(0, 5, 1, 1)
		SYSTEM("SoftwareReleaseVersion", "5.15.90.1-microsoft-standard-WSL2"));
	f = find(&run, "no-kernels");
	assert_non_null(f);
	assert_string_equal(f->title, "1 kernel was launched, and none was recorded");
	assert_non_null(strstr(advice_of(f), "The program ran in WSL"));
	passes_done(&run);
	/* there are copies, but without kernels their share of the time is not known */
	run_export(&run, NO_KERNELS CALL(0, 5, 1, 1) COPIES(50));
	assert_non_null(find(&run, "no-kernels"));
	assert_null(find(&run, "few-operations"));
	check_column(&run, "gpu_ledger", "busy_fraction", "null ");
	assert_int_equal(run.results.n_findings, 1);
	passes_done(&run);
}

/* A launched host function is not a kernel; a graph counts as what it launches. */
static UNIT(kernels_that_were_recorded)
{
	struct pass_run run;
	run_export(&run, NO_KERNELS "INSERT INTO StringIds VALUES (6, 'cudaLaunchHostFunc_v10000');"
		"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (0, 5, " TID(1) ", 1, 6);" COPIES(50));
	assert_null(find(&run, "no-kernels"));
	check_column(&run, "gpu_ledger", "busy_fraction", "0.5050505051 ");
	passes_done(&run);
	run_export(&run, NO_KERNELS CALL(0, 5, 1, 1)
		"CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start, end, deviceId, streamId, "
		"correlationId, globalPid, graphId);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (100, 300, 0, 7, 1, " NSYS_PID(9)
		", 1)");
	assert_null(find(&run, "no-kernels"));
	assert_non_null(find(&run, "few-operations"));
	passes_done(&run);
}

/* One operation keeps a GPU busy all the time from its start to its end. */
static UNIT(next_to_nothing)
{
	struct pass_run run;
	const struct jr_scalar *busy;
	run_export(&run, BEGIN CALL(0, 5, 1, 1) KERNEL(100, 200, 0, 1));
	busy = jr_results_scalar(&run.results, "gpu.busy_fraction");
	assert_true(isnan(busy->value.f64));
	check_column(&run, "launch", "queue_mean", "null ");
	assert_string_equal(busy->note, "not enough operations to judge");
	assert_string_equal(find(&run, "few-operations")->title,
		"Only 1 operation of the GPU was recorded, 100 ns in all: too little to judge");
	assert_string_equal(verdict_of(&run),
		"Only 1 operation of the GPU was recorded, 100 ns in all: too little to judge.");
	passes_done(&run);
	/* four with long gaps between them are still too few to judge, five are not */
#define FOUR                                                                                       \
	BEGIN CALL(0, 5, 1, 1) CALL(895, 899, 1, 2) KERNEL(100, 200, 0, 1) KERNEL(900, 950, 0, 2)      \
		KERNEL(960, 970, 0, 3) KERNEL(980, 990, 0, 4)
	run_export(&run, FOUR);
	assert_int_equal(run.results.n_findings, 2);
	assert_non_null(find(&run, "few-operations"));
	assert_non_null(find(&run, "lost-launches")); /* two of the four */
	passes_done(&run);
	run_export(&run, FOUR KERNEL(990, 1000, 0, 5) KERNEL(0, 7, 1, 6));
	assert_null(find(&run, "few-operations"));
	assert_non_null(find(&run, "host-bound"));
	check_column(&run, "gpu_ledger", "busy_fraction", "0.2 null ");
	passes_done(&run);
}

/* Executions that the host began count, even if no GPU worked for them. */
static UNIT(modules_without_gpu_work)
{
	struct pass_run run;
	static const char none[] = BEGIN CALL(0, 5, 1, 1) KERNEL(100, 200, 0, 1);
	JR_CLEANUP(jr_buf_done) struct jr_buf begun = {0};
	run_export(&run, none);
	assert_string_equal(run_section(&run, "totals")->unavailable,
		"not available, because the input does not contain executions of XLA modules");
	passes_done(&run);
	jr_buf_puts(&begun, none);
	jr_buf_puts(&begun, PUSHED_IN(10, 20, 2, "XlaModule:#hlo_module=jit_f,program_id=1#", "1")
		"INSERT INTO NVTX_EVENTS VALUES (0, NULL, 75, NULL, 'TSL', " TID(9) ", NULL, 1);");
	run_export(&run, begun.data);
	assert_string_equal(run_section(&run, "totals")->unavailable,
		"not available, because the input contains 1 execution of XLA modules on the host, but "
		"no GPU work for it");
	passes_done(&run);
	jr_buf_puts(&begun, PUSHED_IN(30, 40, 2, "XlaModule:#hlo_module=jit_g,program_id=2#", "1"));
	run_export(&run, begun.data);
	assert_string_equal(run_section(&run, "thunks")->unavailable,
		"not available, because the input contains 2 executions of XLA modules on the host, but "
		"no GPU work for them");
	passes_done(&run);
}
