/* Findings of hand-made jobs: cases that do not occur with equal steps on equal devices. */
#include "findings_case.h"

#include "base/text.h"

/* Run the rows of one device, all of them steady, and free them. */
static void run_rows(struct pass_run *run, struct job_rows *rows)
{
	struct job_process process = rows_process(rows, 1);
	struct jr_options options = jr_options_default();
	options.warmup = JR_WARMUP_NONE;
	passes_of(run, &options, &process);
	check_results(&run->results);
	check_bounds(run);
	jr_vec_done(rows);
}

/* Fewer gaps than steps are reported by their number, not as zero per step. */
static UNIT_IN_ARENA(test_idle_inside_one_step)
{
	struct job_rows rows = {.arena = *state};
	for (int step = 0; step < 6; step++) {
		int64_t at = 1000 + step * 10 * MS;
		int64_t id = rows_add(&rows, 0, at, at + 10 * MS, 100, MODULE("7", "jit_step"));
		rows_add(&rows, id, at, at + 5 * MS, 100, THUNK("fusion.1"));
		rows_add(&rows, id, at + (step == 2 ? 7 : 5) * MS, at + 10 * MS, 100, THUNK("fusion.2"));
	}
	struct pass_run run;
	run_rows(&run, &rows);
	const struct jr_finding *f = find(&run, "idle-inside-modules");
	assert_non_null(f);
	assert_non_null(strstr(f->evidence, "1 gap in all, 2.00 ms; "));
	assert_non_null(strstr(f->evidence, "with the most gap time before it is “fusion.2”."));
	passes_done(&run);
}

/* Another program computes during the collective. The time breakdown counts the collective,
 * because no compute of the top modules overlaps it. It is not exposed either, so no op has most
 * of it. */
static UNIT_IN_ARENA(test_exposed_beside_others)
{
	struct job_rows rows = {.arena = *state};
	for (int step = 0; step < 6; step++) {
		int64_t at = 1000 + step * 10 * MS;
		int64_t id = rows_add(&rows, 0, at, at + 10 * MS, 100, MODULE("7", "jit_step"));
		rows_add(&rows, id, at, at + 9 * MS, 100, THUNK("fusion.1"));
		rows_add(&rows, id, at + 9 * MS, at + 10 * MS, 100, THUNK("all-reduce.4"));
		id = rows_add(&rows, 0, at + 9 * MS, at + 10 * MS, 100, MODULE("8", "jit_beside"));
		rows_add(&rows, id, at + 9 * MS, at + 10 * MS, 100, THUNK("fusion.2"));
	}
	struct job_process process = rows_process(&rows, 1);
	struct jr_options options = jr_options_default();
	struct pass_run run;
	options.warmup = JR_WARMUP_NONE;
	options.top_modules = 0.5;
	passes_of(&run, &options, &process);
	check_results(&run.results);
	check_bounds(&run);
	const struct jr_finding *f = find(&run, "exposed-communication");
	assert_non_null(f);
	assert_int_equal(f->recoverable_ns, 6 * MS);
	assert_non_null(strstr(f->measured, "takes 1.00 ms per step (10.0 %)"));
	passes_done(&run);
	jr_vec_done(&rows);
}

/* Exposed time belongs to collectives. A kind with the largest share but less than half is
 * reported as such. The overlapped share is that of the section: of all communication, host
 * copies included. */
static UNIT_IN_ARENA(test_exposed_is_of_collectives)
{
	struct jr_arena *a = *state;
	struct job_rows rows = {.arena = a};
	Xla__HloProto *proto = build_module(a, "jit_step");
	build_fetch(a, build_computation(a, proto, "main", 1), "fetch");
	for (int step = 0; step < 6; step++) {
		int64_t at = 1000 + step * 10 * MS;
		int64_t id = rows_add(&rows, 0, at, at + 10 * MS, 100, MODULE("7", "jit_step"));
		rows_add(&rows, id, at, at + 7 * MS, 100, THUNK("fusion.1"));
		rows_add(&rows, id, at + 1 * MS, at + 6 * MS, 100, THUNK("fetch"));
		rows_add(&rows, id, at + 6 * MS, at + 8 * MS, 100, THUNK("all-gather.1"));
		rows_add(&rows, id, at + 8 * MS, at + 9 * MS, 100, THUNK("all-reduce.1"));
		rows_add(&rows, id, at + 9 * MS, at + 9900 * US, 100, THUNK("all-to-all.1"));
	}
	const struct job_hlo hlo[] = {{7, proto}};
	struct job_process process = rows_process(&rows, 1);
	struct jr_options options = jr_options_default();
	struct pass_run run;
	process.hlo = hlo;
	process.n_hlo = 1;
	options.warmup = JR_WARMUP_NONE;
	passes_of(&run, &options, &process);
	check_results(&run.results);
	const struct jr_finding *f = find(&run, "exposed-communication");
	assert_non_null(f);
	assert_string_equal(f->title, "Exposed communication: up to 2.90 ms per step");
	assert_string_equal(f->evidence,
		"Exposed communication takes 2.90 ms per step (29.0 %). all-gather: "
		"34.5 % of this time. The largest contributor is “all-gather.1”, 1.00 ms per "
		"step. Of all communication, waiting included, 67.4 % is overlapped with compute.");
	const struct jr_scalar *hidden =
		jr_results_scalar(&run.results, "communication.hidden_fraction");
	assert_true(hidden && fabs(hidden->value.f64 - 6.0 / 8.9) < 1e-12);
	passes_done(&run);
	jr_vec_done(&rows);
}

/* Steps of 10 ms on 4 devices: a matrix product, and a collective of `group` devices from `at`
 * on. The last `late` devices compute 500 us longer and begin it that much later. The last
 * device has `more` steps than the others. */
struct late_job {
	int64_t compute, at;
	int group, late, more;
};

static void run_late(struct pass_run *run, struct jr_arena *a, const struct late_job *j)
{
	struct job_rows rows = {.arena = a};
	struct jr_options options = jr_options_default();
	options.warmup = JR_WARMUP_NONE;
	Xla__HloProto *proto = build_module(a, "jit_step");
	Xla__HloComputationProto *entry = build_computation(a, proto, "main", 1);
	Xla__HloInstructionProto *reduce = build_instruction(a, entry, "all-reduce.4", "all-reduce", 3);
	for (int first = 0; first < 4; first += j->group) {
		Xla__ReplicaGroup *of = build_new(a, &xla__replica_group__descriptor);
		for (int k = 0; k < j->group; k++)
			ADD(a, of, replica_ids, first + k);
		ADD(a, reduce, replica_groups, of);
	}
	for (int d = 0; d < 4; d++)
		for (int step = 0; step < 6 + (d == 3 ? j->more : 0); step++) {
			int64_t at = 1000 + step * 10 * MS, end = at + 10 * MS, tid = 100 + d;
			int64_t late = d >= 4 - j->late ? 500 * US : 0;
			int64_t m = rows_add(&rows, 0, at, end, tid, MODULE("7", "jit_step"));
			rows_add(&rows, m, at, at + j->compute + late, tid, THUNK("gemm.1"));
			rows_add(&rows, m, at + j->at + late, end, tid, THUNK("all-reduce.4"));
		}
	const struct job_hlo hlo[] = {{7, proto}};
	struct job_process process = rows_process(&rows, 4);
	process.counts_ops = true; /* none is cut off */
	process.hlo = hlo;
	process.n_hlo = 1;
	passes_of(run, &options, &process);
	check_results(&run->results);
	check_bounds(run);
	jr_vec_done(&rows);
}

static void check_late(struct jr_arena *a, struct late_job job, double value, const char *words)
{
	struct pass_run run;
	run_late(&run, a, &job);
	const struct jr_table *checks = run_table(&run, "checks");
	for (size_t row = 0; row < checks->n_rows; row++)
		if (strcmp(table_cells(checks, "id")->text[row], "straggler") == 0)
			check_number(table_cells(checks, "value")->f64[row], value);
	const struct jr_finding *f = find(&run, "straggler");
	assert_int_equal(f != NULL, value > 0);
	if (f && !strstr(jr_arena_printf(a, "%s: %s", f->title, f->evidence), words))
		fail_msg("'%s' is neither in '%s' nor in '%s'", words, f->title, f->evidence);
	passes_done(&run);
}

/* Devices that wait for the last device lose time: all of them if one collective joins them,
 * else its group, which has a late device of its own. No device loses time while compute overlaps
 * the collective. */
static UNIT_IN_ARENA(test_straggler_holds_up_who_waits)
{
	check_late(*state, (struct late_job){9 * MS, 9 * MS, 4, 1, 0}, 0.05,
		"each of them waits 500 µs per step (5.00 %) for it. 100 % of all waiting");
	check_late(*state, (struct late_job){9 * MS, 9 * MS, 2, 1, 0}, 0.05,
		"each of them waits 500 µs per step (5.00 %) for it. 100 % of all waiting");
	check_late(*state, (struct late_job){9800 * US, 0, 4, 1, 0}, 0.02,
		"each of them waits 200 µs per step (2.00 %) for it");
	check_late(*state, (struct late_job){10 * MS, 0, 4, 1, 0}, 0, "");
	check_late(*state, (struct late_job){9 * MS, 9 * MS, 4, 2, 0}, 0.05,
		"Devices 2 and 3 delay the others in 6 of 6 steps: they need 500 µs per step (5.00 %) more "
		"than the others");
}

/* An additional step is not a longer step. */
static UNIT_IN_ARENA(test_straggler_of_more_steps)
{
	check_late(*state, (struct late_job){9 * MS, 9 * MS, 4, 1, 1}, 0.05,
		"each of them waits 500 µs per step (5.00 %) for it. 100 % of all waiting");
}

/* Projected executions overlap: the time above the median exceeds the total time. */
static UNIT_IN_ARENA(test_uneven_steps_that_overlap)
{
	struct job_rows rows = {.arena = *state};
	for (int i = 0; i < 5; i++)
		rows_add(&rows, 0, 10 * i, 10 * i + 10, 100, MODULE("7", "jit_step"));
	for (int i = 0; i < 4; i++)
		rows_add(&rows, 0, 0, 1000, 100, MODULE("7", "jit_step"));
	struct pass_run run;
	run_rows(&run, &rows);
	assert_non_null(find(&run, "uneven-steps"));
	assert_int_equal(find(&run, "uneven-steps")->recoverable_ns, 0); /* nothing computes */
	passes_done(&run);
}

/* The program runs during a step, so the gap after that step does not belong to it. */
static UNIT_IN_ARENA(test_small_programs_beside_steps)
{
	struct job_rows rows = {.arena = *state};
	for (int step = 0; step < 6; step++) {
		int64_t at = 1000 + step * 10 * MS;
		int64_t id = rows_add(&rows, 0, at, at + 9 * MS, 100, MODULE("7", "jit_step"));
		rows_add(&rows, id, at, at + 9 * MS, 100, THUNK("fusion.1"));
		id = rows_add(&rows, 0, at + 1 * MS, at + 1050 * US, 100, MODULE("8", "jit_log"));
		rows_add(&rows, id, at + 1 * MS, at + 1050 * US, 100, THUNK("fusion.2"));
	}
	struct pass_run run;
	run_rows(&run, &rows);
	assert_string_equal(result_of(&run, "small-programs"), "passed");
	assert_string_equal(result_of(&run, "idle-between-modules"), "finding");
	passes_done(&run);
}

/* Another program, also a top module, runs before the step is compiled. */
static UNIT_IN_ARENA(test_compilation_ahead_of_steps)
{
	static const struct case_range step[] = {
		{1, 0, 9, 5 * MS, 10 * MS, "TSL:XlaCompile:#module=jit_step,program_id=7#"}};
	struct job_rows rows = {.arena = *state};
	for (int i = 0; i < 7; i++) {
		int64_t at = i ? (i + 1) * 10 * MS : 1000;
		int64_t id = i ? rows_add(&rows, 0, at, at + 9 * MS, 100, MODULE("7", "jit_step"))
					   : rows_add(&rows, 0, at, at + 4 * MS, 100, MODULE("6", "jit_init"));
		rows_add(&rows, id, at, at + 4 * MS, 100, THUNK("fusion.1"));
	}
	struct job_process process = rows_process(&rows, 1);
	struct jr_options options = jr_options_default();
	struct pass_run run;
	options.warmup = JR_WARMUP_NONE;
	job_init(&run.job, &options);
	CASE_ADD(&run.job.profile, 0, step);
	job_add(&run.job, &process);
	passes_run(&run);
	assert_int_equal(run_table(&run, "modules")->n_rows, 2);
	assert_true(table_cells(run_table(&run, "modules"), "top")->boolean[1]);
	assert_string_equal(result_of(&run, "recompilation"), "passed");
	passes_done(&run);
	jr_vec_done(&rows);
}

/* One unreadable row in a thousand makes the numbers doubtful, one in 1,001 does not. */
static UNIT_IN_ARENA(test_lost_rows)
{
	static const struct {
		uint64_t n, lost;
		const char *title, *result;
		enum jr_severity severity;
	} cases[] = {{1000, 1, "1 of 1,000 rows of the profile cannot be read (0.100 %)", "finding",
		JR_NOTICE}, {1000, 10, "10 of 1,000 rows of the profile cannot be read (1.00 %)",
		"finding", JR_WARNING}, {1001, 1, NULL, "passed", 0},
		{1001, 0, NULL, "passed", 0}, {0, 0, NULL, "unknown", 0}};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		struct job_rows rows = {.arena = *state};
		int64_t id = rows_add(&rows, 0, 0, 10 * MS, 100, MODULE("7", "jit_step"));
		rows_add(&rows, id, 0, 10 * MS, 100, THUNK("fusion.1"));
		struct job_process process = rows_process(&rows, 1);
		struct pass_run run;
		job_init(&run.job, NULL);
		job_add(&run.job, &process);
		run.job.profile.n_rows += cases[i].n;
		run.job.profile.n_rows_lost += cases[i].lost;
		if (cases[i].lost)
			jr_profile_guess(&run.job.profile, "unreadable-ranges", 1, "for want of a name");
		passes_run(&run);
		const struct jr_finding *f = find(&run, "lost-rows");
		assert_string_equal(result_of(&run, "lost-rows"), cases[i].result);
		assert_int_equal(!f, !cases[i].title);
		if (f) {
			assert_string_equal(f->title, cases[i].title);
			assert_string_equal(f->evidence, "unreadable-ranges: 1 (see the notes).");
			assert_int_equal(f->severity, cases[i].severity);
			if (f->severity == JR_WARNING) /* it puts all others in doubt */
				assert_ptr_equal(f, run.results.findings);
		}
		passes_done(&run);
		jr_vec_done(&rows);
	}
}

/* Steady executions without a thunk: thunks of warm-up are used instead. */
static UNIT_IN_ARENA(test_no_steady_thunks)
{
	struct job_rows rows = {.arena = *state};
	for (int step = 0; step < 6; step++) {
		int64_t at = 1000 + step * 10 * MS;
		int64_t id = rows_add(&rows, 0, at, at + 10 * MS, 100, MODULE("7", "jit_step"));
		if (step == 0)
			rows_add(&rows, id, at, at + 10 * MS, 100, THUNK("fusion.1"));
	}
	struct job_process process = rows_process(&rows, 1);
	struct jr_options options = jr_options_default();
	struct pass_run run;
	options.warmup = JR_WARMUP_COUNT;
	options.warmup_count = 1;
	passes_of(&run, &options, &process);
	check_results(&run.results);
	const struct jr_finding *f = find(&run, "no-steady-state");
	assert_non_null(f);
	assert_non_null(strstr(f->title, "Numbers of thunks include warm-up"));
	passes_done(&run);
	jr_vec_done(&rows);
}

/* Long names of a profile are shortened to fit a sentence, between characters. */
static UNIT_IN_ARENA(test_long_names)
{
	struct jr_arena *a = *state;
	struct job_rows rows = {.arena = a};
	struct pass_run run;
	char name[600];
	for (size_t i = 0; i + 2 < sizeof(name); i += 2)
		memcpy(name + i, "é", 3);
	for (int step = 0; step < 6; step++) {
		int64_t at = 1000 + step * 2 * MS;
		int64_t id = rows_add(&rows, 0, at, at + MS, 100, MODULE("7", "%.200s"), name);
		rows_add(&rows, id, at, at + MS, 100, "Thunk:#hlo_op=%.300s#", name);
	}
	struct job_process process = rows_process(&rows, 1);
	passes_of(&run, NULL, &process);
	check_results(&run.results);
	const struct jr_finding *f = find(&run, "idle-between-modules");
	assert_non_null(f);
	assert_non_null(strstr(f->evidence, "…"));
	for (size_t i = 0; i < run.results.n_findings; i++) {
		assert_true(strlen(run.results.findings[i].title) < 300);
		assert_true(jr_text_is_clean(run.results.findings[i].title,
			strlen(run.results.findings[i].title)));
		if (run.results.findings[i].evidence)
			assert_true(jr_text_is_clean(run.results.findings[i].evidence,
				strlen(run.results.findings[i].evidence)));
	}
	passes_done(&run);
	jr_vec_done(&rows);
}

/* Without HLO it is unknown what kernels do. */
static UNIT_IN_ARENA(test_without_hlo)
{
	struct job_rows rows = {.arena = *state};
	for (int step = 0; step < 6; step++) {
		int64_t at = 1000 + step * 10 * MS;
		int64_t id = rows_add(&rows, 0, at, at + 10 * MS, 100, MODULE("7", "jit_step"));
		rows_add(&rows, id, at, at + 10 * MS, 100, THUNK("copy.1"));
	}
	struct job_process process = rows_process(&rows, 1);
	struct pass_run run;
	passes_of(&run, NULL, &process);
	check_results(&run.results);
	assert_string_equal(result_of(&run, "hot-thunk"), "unknown");
	assert_string_equal(result_of(&run, "layout-copies"), "unknown");
	assert_string_equal(result_of(&run, "exposed-host-copies"), "unknown");
	assert_string_equal(result_of(&run, "idle-inside-modules"), "passed");
	passes_done(&run);
	jr_vec_done(&rows);
}

/* Each device runs its own program; that of device 0 takes the most time. Its steps come every
 * 10 ms, for any number of other devices. */
static UNIT_IN_ARENA(test_programs_of_their_own)
{
	struct job_rows rows = {.arena = *state};
	for (int d = 0; d < 3; d++)
		for (int step = 0; step < 6; step++) {
			int64_t at = 1000 + step * 10 * MS, dur = d ? 9 * MS : 10 * MS, tid = 100 + d;
			int64_t id = rows_add(&rows, 0, at, at + dur, tid,
				"XlaModule:#hlo_module=jit_stage,program_id=%d#", 7 + d);
			rows_add(&rows, id, at, at + dur, tid, THUNK("fusion.1"));
		}
	struct job_process process = rows_process(&rows, 4);
	struct jr_options options = jr_options_default();
	struct pass_run run;
	options.warmup = JR_WARMUP_NONE;
	passes_of(&run, &options, &process);
	check_results(&run.results);
	check_bounds(&run);
	check_number(table_cells(run_table(&run, "step_ledger"), "wall_ms")->f64[0], 10e6);
	/* one of three devices never waits */
	assert_non_null(strstr(find(&run, "idle-between-modules")->title, "667 µs per step"));
	passes_done(&run);
	jr_vec_done(&rows);
}

/* One gap is not a cost of every step: 10 steps of 1 ms, 3.6 us between them, and once 4 ms. */
static UNIT_IN_ARENA(test_one_pause)
{
	struct job_rows rows = {.arena = *state};
	int64_t at = 1000;
	for (int step = 0; step < 10; step++) {
		at += step == 6 ? 4 * MS : 3600;
		int64_t id = rows_add(&rows, 0, at, at + MS, 100, MODULE("7", "jit_step"));
		rows_add(&rows, id, at, at + MS, 100, THUNK("fusion.1"));
		at += MS;
	}
	struct pass_run run;
	run_rows(&run, &rows);
	const struct jr_finding *f = find(&run, "idle-between-modules");
	assert_non_null(f);
	assert_string_equal(f->measured,
		"Pauses between steps take 4.00 ms in all (30.9 % of the profiled steps): one pause of "
		"4.00 ms before execution 6");
	assert_int_equal(f->step_recoverable_ns, JR_NULL_I64);
	assert_int_equal(f->times, 1);
	assert_non_null(strstr(advice_of(f), "this is not a cost of every step"));
	assert_non_null(strstr(jr_results_scalar(&run.results, "verdict")->value.text,
		"1.004 ms per step (median). Biggest opportunity: pauses between steps, up to 4.00 ms in "
		"all. "
		"Compute takes 99.6 % of the step."));
	check_number(jr_results_scalar(&run.results, "step.period_median_ms")->value.f64, 1003600);
	passes_done(&run);
}

/* A saving below the prediction error does not belong on the first page, even if its rule is
 * severe. An unknown saving is not 0. */
static UNIT_IN_ARENA(test_what_leads)
{
	struct jr_finding f = {.cause = JR_CAUSE_HOST,
		.severity = JR_WARNING,
		.recoverable_ns = 1000,
		.step_recoverable_ns = 100,
		.step_without_ns = 9900,
		.error_ns = 99};
	assert_true(jr_finding_leads(&f));
	f.error_ns = 100;
	assert_false(jr_finding_leads(&f));
	f.error_ns = 0;
	assert_true(jr_finding_leads(&f));
	f.step_without_ns = 9901; /* less than 1 % of a step */
	assert_false(jr_finding_leads(&f));
	f.recoverable_ns = f.step_recoverable_ns = 0;
	assert_false(jr_finding_leads(&f));
	f.recoverable_ns = f.step_recoverable_ns = JR_NULL_I64;
	assert_true(jr_finding_leads(&f));
	f.cause = JR_CAUSE_MEASUREMENT;
	assert_false(jr_finding_leads(&f));
}

/* A single step has no period, and no gap between steps. */
static UNIT_IN_ARENA(test_one_step)
{
	struct job_rows rows = {.arena = *state};
	int64_t id = rows_add(&rows, 0, 1000, 1000 + MS, 100, MODULE("7", "jit_step"));
	rows_add(&rows, id, 1000, 1000 + MS / 2, 100, THUNK("fusion.1"));
	struct pass_run run;
	run_rows(&run, &rows);
	const struct jr_table *step = run_table(&run, "step_ledger");
	assert_true(isnan(jr_results_scalar(&run.results, "step.period_ms")->value.f64));
	assert_true(isnan(table_cells(step, "wall_ms")->f64[0]));
	assert_true(isnan(table_cells(step, "idle_between_modules_ms")->f64[0]));
	check_number(table_cells(step, "compute_ms")->f64[0], 500000);
	check_number(jr_results_scalar(&run.results, "step.busy_fraction")->value.f64, 0.5);
	assert_string_equal(result_of(&run, "idle-between-modules"), "unknown");
	assert_non_null(strstr(jr_results_scalar(&run.results, "verdict")->value.text,
		"1.000 ms for the one steady step that was profiled. Biggest opportunity: "));
	assert_non_null(strstr(jr_results_scalar(&run.results, "verdict")->value.text,
		"Compute takes 50.0 % of the step"));
	passes_done(&run);
}
