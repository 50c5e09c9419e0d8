/* Totals, time breakdown, modules, thunks, opcodes and variability, on hand-made jobs;
 * analysis/README.md, sections 3 and 4. */
#include "pass_case.h"

static struct jr_options no_warmup(void)
{
	struct jr_options options = jr_options_default();
	options.warmup = JR_WARMUP_NONE;
	return options;
}

/* --- time breakdown and totals ---------------------------------------------------------------- */

/* One device, warm-up 1 (communication was profiled): the first execution of each program is
 * warm-up. */
static UNIT_IN_ARENA(test_ledger)
{
	static const struct job_row rows[] = {
		RANGE(1, 0, MODULE("7", "jit_f"), 0, 1000), /* warm-up: before the wall */
		RANGE(2, 1, THUNK("a.1"), 0, 500),
		RANGE(3, 1, THUNK("a.1"), 500, 900),
		RANGE(20, 1, THUNK("all-reduce.1"), 950, 990),
		RANGE(4, 0, MODULE("7", "jit_f"), 2000, 3000), /* the wall begins */
		RANGE(5, 4, THUNK("a.1"), 2000, 2300),
		RANGE(6, 4, THUNK("a.1"), 2200, 2400),          /* another stream: a union */
		RANGE(7, 4, THUNK("all-reduce.1"), 2350, 2600), /* 50 hidden, 200 exposed */
		RANGE(21, 0, MODULE("8", "jit_small"), 2900, 3100), /* in the step and after it */
		RANGE(22, 21, THUNK("b.1"), 2910, 2920),
		RANGE(8, 0, MODULE("9", "jit_init"), 3500, 3700), /* warm-up in the wall */
		RANGE(9, 8, THUNK("b.1"), 3510, 3600),
		RANGE(10, 0, MODULE("7", "jit_f"), 4000, 5000),
		RANGE(11, 10, THUNK("a.1"), 4100, 4900),
		RANGE(12, 10, THUNK("a.1"), 4950, 4960),
		RANGE(23, 10, THUNK("all-reduce.1"), 4970, 5100), /* ends after its module */
		RANGE(30, 0, MODULE("8", "jit_small"), 6000, 6003), /* steady, not a top module */
		RANGE(31, 30, THUNK("b.1"), 6000, 6001)};
	struct pass_run run;
	passes_of(&run, NULL, &(struct job_process){JOB_ROWS(rows)});
	check_results(&run.results);
	check_column(&run, "ledger", "device", "0 ");
	/* from the start of the first steady step to that of the last */
	check_column(&run, "ledger", "wall_ms", "2000 ");
	check_column(&run, "ledger", "steps", "1 ");
	check_column(&run, "ledger", "compute_ms", "400 ");
	check_column(&run, "ledger", "exposed_communication_ms", "200 ");
	check_column(&run, "ledger", "exposed_copy_ms", "0 ");
	check_column(&run, "ledger", "idle_in_modules_ms", "400 "); /* 1000 - 400 - 200 */
	check_column(&run, "ledger", "other_programs_ms", "300 "); /* 3000..3100 and 3500..3700 */
	check_column(&run, "ledger", "warmup_ms", "0 ");
	check_column(&run, "ledger", "idle_between_modules_ms", "700 ");
	check_column(&run, "step_ledger", "wall_ms", "2000 ");
	check_column(&run, "step_ledger", "idle_between_modules_ms", "700 ");
	assert_int_equal(run_total_ns(&run, "totals.modules_wall_ms"), 3000);
	assert_int_equal(run_total_ns(&run, "totals.modules_active_ms"), 2000);
	/* (1) is a sum of thunks, not a union: 300 + 200 + 200 + 800 + 10 + 130 */
	assert_int_equal(run_total_ns(&run, "totals.thunks_active_ms"), 1640);
	assert_int_equal(run_total_ns(&run, "totals.idle_in_modules_ms"), 360);
	assert_int_equal(run_total_ns(&run, "totals.idle_between_modules_ms"), 1000);
	assert_int_equal(run_total_ns(&run, "totals.communication_exposed_ms"), 330);
	assert_int_equal(run_total_ns(&run, "totals.communication_hidden_ms"), 50);
	const struct jr_scalar *step = jr_results_scalar(&run.results, "execution.mean_ms");
	check_number(step->value.f64, 1000);
	check_number(step->plus_minus, 0);
	assert_int_equal(step->n, 2);
	passes_done(&run);
}

/* A warm-up execution of a top module within the wall has its own part. */
static UNIT_IN_ARENA(test_ledger_of_initialization)
{
	struct jr_options options = jr_options_default();
	options.warmup = JR_WARMUP_COUNT;
	options.warmup_count = 1;
	static const struct job_row rows[] = {RANGE(2, 0, MODULE("7", "jit_f"), 0, 100),
		RANGE(1, 0, MODULE("7", "jit_f"), 200, 230), /* the first by range id */
		RANGE(3, 0, MODULE("7", "jit_f"), 300, 400)};
	struct pass_run run;
	passes_of(&run, &options, &(struct job_process){JOB_ROWS(rows)});
	check_column(&run, "ledger", "wall_ms", "300 ");
	check_column(&run, "ledger", "idle_in_modules_ms", "100 ");
	check_column(&run, "ledger", "warmup_ms", "30 ");
	check_column(&run, "ledger", "other_programs_ms", "0 ");
	check_column(&run, "ledger", "idle_between_modules_ms", "170 ");
	passes_done(&run);
}

/* More thunk time than module time, overlapping modules: idle time is not negative, the parts
 * add up exactly. */
static UNIT_IN_ARENA(test_sums_that_exceed)
{
	static const struct job_row rows[] = {
		RANGE(1, 0, MODULE("7", "jit_f"), 0, 100), RANGE(2, 1, THUNK("a.1"), 0, 100),
		RANGE(3, 1, THUNK("b.1"), 0, 100), RANGE(4, 0, MODULE("8", "jit_g"), 50, 150),
		RANGE(5, 4, THUNK("a.1"), 50, 150)};
	struct pass_run run;
	passes_of(&run, NULL, &(struct job_process){JOB_ROWS(rows)});
	check_results(&run.results);
	assert_int_equal(run_total_ns(&run, "totals.thunks_active_ms"), 300);
	assert_int_equal(run_total_ns(&run, "totals.modules_active_ms"), 200);
	assert_int_equal(run_total_ns(&run, "totals.modules_wall_ms"), 150);
	assert_int_equal(run_total_ns(&run, "totals.idle_in_modules_ms"), 0);
	assert_int_equal(run_total_ns(&run, "totals.idle_between_modules_ms"), 0);
	check_number(jr_results_scalar(&run.results, "totals.busy_fraction")->value.f64, 1);
	check_column(&run, "ledger", "compute_ms", "100 "); /* one step: only the step itself */
	check_column(&run, "ledger", "wall_ms", "100 ");
	check_column(&run, "opcodes", "active_ms", "300 0 ");
	passes_done(&run);
}

/* Every number is exact to the nanosecond, idle time included. */
static UNIT_IN_ARENA(test_one_nanosecond_of_idle)
{
	static const struct job_row rows[] = {
		RANGE(1, 0, MODULE("7", "jit_f"), 0, 100), RANGE(2, 1, THUNK("a"), 0, 99)};
	struct jr_options options = no_warmup();
	struct pass_run run;
	passes_of(&run, &options, &(struct job_process){JOB_ROWS(rows)});
	assert_int_equal(run_total_ns(&run, "totals.idle_in_modules_ms"), 1);
	check_column(&run, "opcodes", "active_ms", "99 1 ");
	check_column(&run, "ledger", "idle_in_modules_ms", "1 ");
	passes_done(&run);
}

/* Host copies are their own part, after compute and collectives. */
static UNIT_IN_ARENA(test_ledger_of_copies)
{
	struct jr_arena *a = *state;
	Xla__HloProto *proto = build_module(a, "jit_f");
	Xla__HloComputationProto *entry = build_computation(a, proto, "main", 1);
	build_fetch(a, entry, "fetch.1");
	build_instruction(a, entry, "all-reduce.1", "all-reduce", 3);
	build_instruction(a, entry, "a.1", "add", 4);
	static const struct job_row rows[] = {RANGE(1, 0, MODULE("7", "jit_f"), 0, 100),
		RANGE(2, 1, THUNK("fetch.1"), 0, 60), RANGE(3, 1, THUNK("all-reduce.1"), 20, 70),
		RANGE(4, 1, THUNK("a.1"), 30, 40)};
	const struct job_hlo hlo[] = {{7, proto}};
	struct jr_options options = no_warmup();
	struct pass_run run;
	passes_of(&run, &options, &(struct job_process){JOB_ROWS(rows), JOB_HLO(hlo)});
	check_column(&run, "ledger", "compute_ms", "10 ");
	check_column(&run, "ledger", "exposed_communication_ms", "40 "); /* 20..30, 40..70 */
	check_column(&run, "ledger", "exposed_copy_ms", "20 ");          /* 0..20 */
	check_column(&run, "ledger", "idle_in_modules_ms", "30 ");
	check_column(&run, "overlap", "collective", "all-reduce host-to-device all ");
	check_column(&run, "overlap", "hidden_ms", "10 10 20 ");
	check_column(&run, "overlap", "dur_ms", "50 60 110 ");
	passes_done(&run);
}

/* --- modules ---------------------------------------------------------------------------------- */

/* Check which of these programs, one execution each with these lengths, are top modules. */
static void check_top(struct jr_arena *arena, double fraction, const int64_t *lengths, size_t n,
	const char *expected)
{
	struct job_rows rows = {.arena = arena};
	struct jr_options options = no_warmup();
	options.top_modules = fraction;
	for (size_t i = 0; i < n; i++)
		rows_add(&rows, 0, 1000 * (int64_t)i, 1000 * (int64_t)i + lengths[i], 100,
			"XlaModule:#hlo_module=jit_%c,program_id=%zu#", 'z' - (int)i, i);
	struct job_process process = rows_process(&rows, 1);
	struct pass_run run;
	passes_of(&run, &options, &process);
	check_column(&run, "modules", "top", expected);
	passes_done(&run);
	jr_vec_done(&rows);
}

static UNIT_IN_ARENA(test_top_modules)
{
	static const int64_t lengths[] = {10, 900, 89, 1};
	/* 900, then 989 < 990: the third is needed to reach 0.99 */
	check_top(*state, 0.99, lengths, 4, "1 1 1 0 ");
	static const int64_t reached[] = {900, 90, 10};
	check_top(*state, 0.99, reached, 3, "1 1 0 "); /* 990 of 1000: reached */
	check_top(*state, 1.0, reached, 3, "1 1 1 ");
	check_top(*state, 0.5, reached, 3, "1 0 0 ");
	check_top(*state, 1e-9, reached, 3, "1 0 0 ");
	static const int64_t nothing[] = {0, 0};
	check_top(*state, 0.99, nothing, 2, "1 0 ");
}

static UNIT_IN_ARENA(test_modules)
{
	static const struct job_row rows[] = {
		RANGE(1, 0, MODULE("7", "jit_f"), 0, 100), RANGE(2, 1, THUNK("a.1"), 0, 10),
		RANGE(3, 0, MODULE("7", "jit_f"), 200, 400), RANGE(4, 3, THUNK("a.1"), 200, 210),
		RANGE(5, 3, THUNK("b.1"), 220, 230), RANGE(6, 0, MODULE("7", "jit_f"), 500, 560),
		RANGE(7, 6, THUNK("a.1"), 500, 510), RANGE(8, 6, THUNK("a.1"), 520, 530),
		RANGE(9, 6, THUNK("a.1"), 540, 550), RANGE(10, 0, MODULE("8", "jit_g"), 600, 640)};
	struct pass_run run;
	passes_of(&run, NULL, &(struct job_process){JOB_ROWS(rows)});
	check_column(&run, "modules", "program_id", "7 8 ");
	check_column(&run, "modules", "executions", "3 1 ");
	check_column(&run, "modules", "sum_ms", "360 40 ");
	check_column(&run, "modules", "mean_ms", "120 40 ");
	check_column(&run, "modules", "std_ms", "72.11102551 null "); /* n - 1; not defined for one */
	check_column(&run, "modules", "thunks_mean", "2 0 ");
	check_column(&run, "modules", "thunks_std", "1 null ");
	check_column(&run, "modules", "percent", "0.9 0.1 ");
	check_column(&run, "modules", "wait_mean_ms", "null null ");
	check_column(&run, "modules", "start_skew_percent", "null null "); /* one device */
	passes_done(&run);
}

/* --- thunks and opcodes ----------------------------------------------------------------------- */

/* Equal sums: by name, then by program id. */
static UNIT_IN_ARENA(test_ties)
{
	static const struct job_row rows[] = {
		RANGE(1, 0, MODULE("12", "jit_b"), 0, 100), RANGE(2, 1, THUNK("b.1"), 0, 10),
		RANGE(3, 1, THUNK("a.1"), 10, 20), RANGE(4, 1, THUNK("c.1"), 20, 50),
		RANGE(5, 0, MODULE("7", "jit_b"), 100, 200), RANGE(6, 5, THUNK("b.1"), 100, 110),
		RANGE(7, 5, THUNK("a.1"), 110, 120), RANGE(8, 0, MODULE("9", "jit_a"), 200, 300)};
	struct pass_run run;
	passes_of(&run, NULL, &(struct job_process){JOB_ROWS(rows)});
	check_column(&run, "modules", "program_id", "9 7 12 ");
	check_column(&run, "thunks", "name", "c.1 a.1 a.1 b.1 b.1 ");
	check_column(&run, "thunks", "program_id", "12 7 12 7 12 ");
	check_column(&run, "thunks", "active_ms", "30 10 10 10 10 ");
	check_column(&run, "variability", "name", "c.1 a.1 a.1 b.1 b.1 ");
	check_column(&run, "variability", "program_id", "12 7 12 7 12 ");
	passes_done(&run);
}

static UNIT_IN_ARENA(test_thunk_values)
{
	struct jr_arena *a = *state;
	Xla__HloProto *proto = build_module(a, "jit_f");
	Xla__HloComputationProto *entry = build_computation(a, proto, "main", 1);
	build_instruction(a, entry, "a.1", "add", 1)->metadata =
		build_new(a, &xla__op_metadata__descriptor);
	build_instruction(a, entry, "all-reduce.1", "all-reduce", 2);
	Xla__HloInstructionProto *gemm = build_instruction(a, entry, "gemm.1", "custom-call", 3);
	gemm->custom_call_target = TEXT(a, "__cublas$lt$matmul");
	gemm->metadata = build_new(a, &xla__op_metadata__descriptor);
	gemm->metadata->op_name = TEXT(a, "jit(f)/dot");
	gemm->metadata->source_file = TEXT(a, "/m.py");
	gemm->metadata->source_line = 7;
	static const struct job_row rows[] = {RANGE(1, 0, MODULE("7", "jit_f"), 0, 200),
		RANGE(2, 1, THUNK("a.1"), 0, 10), RANGE(3, 1, THUNK("a.1"), 10, 24),
		RANGE(4, 1, THUNK("gemm.1"), 30, 90), RANGE(5, 1, THUNK("all-reduce.1"), 80, 120),
		RANGE(6, 1, THUNK("strange.1"), 130, 134)};
	const struct job_hlo hlo[] = {{7, proto}};
	struct jr_options options = no_warmup();
	struct pass_run run;
	passes_of(&run, &options, &(struct job_process){JOB_ROWS(rows), JOB_HLO(hlo)});
	check_results(&run.results);
	check_column(&run, "thunks", "name", "gemm.1 all-reduce.1 a.1 strange.1 ");
	check_column(&run, "thunks", "active_ms", "60 30 24 4 "); /* of the collective: exposed time */
	check_column(&run, "thunks", "count", "1 1 2 1 ");
	check_column(&run, "thunks", "mean_ms", "60 30 12 4 ");
	check_column(&run, "thunks", "std_ms", "null null 2.828427125 null ");
	check_column(&run, "thunks", "opcode", "custom-call all-reduce add null ");
	check_column(&run, "thunks", "op_name", "jit(f)/dot   null "); /* empty is not unknown */
	check_column(&run, "thunks", "communication", "0 1 0 0 ");
	check_column(&run, "thunks", "source", "/m.py:7 null null null ");
	check_column(&run, "opcodes", "opcode",
		"custom-call all-reduce add unknown GPU idle during modules ");
	check_column(&run, "opcodes", "active_ms", "60 30 24 4 82 ");
	check_column(&run, "opcodes", "percent", "0.3 0.15 0.12 0.02 0.41 ");
	assert_int_equal(run_table(&run, "opcodes")->n_data, 4);
	passes_done(&run);
}

/* --- variability ------------------------------------------------------------------------------ */

/* The 10 slowest with sigma / mu above 10 %: no steadier one, and not the eleventh. */
static UNIT_IN_ARENA(test_detail_rule)
{
	struct job_rows rows = {.arena = *state};
	for (int x = 0; x < 3; x++) {
		int64_t at = 1000000 * x;
		int64_t m = rows_add(&rows, 0, at, at + 900000, 100, MODULE("7", "jit_f"));
		for (int i = 0; i < 16; i++) {
			/* means 20000, 19000, ...; sigma is 20 %, of ops 2 and 5 1 %, of op 7 exactly 10 % */
			int64_t mean = 20000 - 1000 * i;
			int64_t sigma = i == 2 || i == 5 ? mean / 100 : i == 7 ? mean / 10 : mean / 5;
			int64_t from = at + 30000 * i;
			if (i != 3 || x == 0) /* op 3 ran once: it has no sigma */
				rows_add(&rows, m, from, from + mean + (x - 1) * sigma, 100,
					"Thunk:#hlo_op=t.%d#", 10 + i);
		}
		/* collectives are not compute */
		rows_add(&rows, m, at + 500000, at + 600000 + 100000 * x, 100, THUNK("all-reduce.1"));
	}
	struct job_process process = rows_process(&rows, 1);
	process.counts_ops = true; /* equal counts: none is cut off */
	struct jr_options options = no_warmup();
	struct pass_run run;
	passes_of(&run, &options, &process);
	check_results(&run.results);
	check_column(&run, "variability", "name",
		"t.10 t.11 t.12 t.14 t.15 t.16 t.13 t.17 t.18 t.19 t.20 t.21 t.22 t.23 t.24 t.25 ");
	check_column(&run, "variability", "detailed", "1 1 0 1 0 1 0 0 1 1 1 1 1 1 0 0 ");
	check_column(&run, "variability", "count", "3 3 3 3 3 3 1 3 3 3 3 3 3 3 3 3 ");
	const struct jr_table *detail = run_table(&run, "variability_detail");
	assert_int_equal(detail->n_rows, 30);
	assert_string_equal(table_cells(detail, "name")->text[0], "7 t.10");
	assert_int_equal(table_cells(detail, "dur_ms")->i64[2], 24000);
	passes_done(&run);
	jr_vec_done(&rows);
}

/* Check the devices of the summary. 20 devices run a module of `dur` ns each; device d computes
 * for compute[d]. If `wait`, all end it with an all-reduce. */
static void check_many_devices(struct jr_arena *a, int64_t dur, const int64_t *compute, bool wait,
	const char *expected)
{
	enum { N = 20 };
	struct jr_launcher launchers[N];
	struct job_rows rows = {.arena = a};
	for (int d = 0; d < N; d++) {
		launchers[d] = (struct jr_launcher)LAUNCHER(1, 100 + d, (uint32_t)d);
		int64_t m = rows_add(&rows, 0, 1000, 1000 + dur, 100 + d, MODULE("7", "jit_f"));
		if (compute)
			rows_add(&rows, m, 1000, 1000 + compute[d], 100 + d, THUNK("fusion.1"));
		if (wait)
			rows_add(&rows, m, 1000 + compute[d], 1000 + dur, 100 + d, THUNK("all-reduce.1"));
	}
	struct jr_options options = no_warmup();
	struct pass_run run;
	passes_of(&run, &options, &(struct job_process){.rows = rows.items, .n_rows = rows.n, .pid = 1,
		.launchers = launchers, .n_launchers = N});
	check_results(&run.results);
	check_column(&run, "ledger_summary", "device", expected);
	if (wait)
		assert_int_equal(table_cells(run_table(&run, "stragglers"), "device")->i64[0], 12);
	passes_done(&run);
	jr_vec_done(&rows);
}

/* The straggler never waits, and so computes for most of its wall time. That does not make it
 * the best device. */
static UNIT_IN_ARENA(test_many_devices)
{
	int64_t compute[20];
	for (int d = 0; d < 20; d++)
		compute[d] = d == 12 ? 900 : 600 - d;
	check_many_devices(*state, 1000, compute, true,
		"12 (delays others most) 8 (middle) 19 (delays others least) ");
	check_many_devices(*state, 1000, compute, false,
		"12 (computes most) 8 (middle) 19 (computes least) ");
	/* if nothing takes time there is nothing to rank devices by: they stay in order */
	check_many_devices(*state, 0, NULL, false, "0 (first) 9 (middle) 19 (last) ");
}
