/* Which executions are warm-up; analysis/README.md, section 2. */
#include "compile_case.h"
#include "trace_build.h"

static struct jr_options rule(enum jr_warmup_rule warmup, uint32_t count)
{
	struct jr_options options = jr_options_default();
	options.warmup = warmup;
	options.warmup_count = count;
	return options;
}

/* "PROGRAM:WARMUP executions" with S for a steady and i for a warm-up execution. */
static void check_steady(const struct jr_profile *p, const char *expected)
{
	struct jr_buf got = {0};
	for (uint32_t k = 0; k < p->n_programs; k++) {
		jr_buf_printf(&got, "%s%u:%u ", k ? " " : "", p->programs[k].number, p->programs[k].warmup);
		for (size_t i = 0; i < p->modules.n; i++)
			if (p->modules.program[i] == k)
				jr_buf_putc(&got, p->modules.steady[i] ? 'S' : 'i');
	}
	jr_buf_printf(&got, " fell back:%s%s%s", p->modules_fell_back ? " modules" : "",
		p->thunks_fell_back ? " thunks" : "",
		p->communications_fell_back ? " communication" : "");
	check_text(&got, expected);
	if (!p->thunks_fell_back)
		for (size_t i = 0; i < p->thunks.n; i++)
			assert_true(p->modules_fell_back ||
				jr_thunk_steady(p, i) == p->modules.steady[jr_thunk_module(p, i)]);
	assert_int_equal(p->n_warnings,
		p->modules_fell_back || p->thunks_fell_back || p->communications_fell_back);
}

/* n executions of a program, each with one thunk. */
static void add_program(struct job_rows *rows, int number, int n, const char *op)
{
	for (int i = 0; i < n; i++) {
		int64_t at = 10000 * number + 100 * i;
		int64_t m = rows_add(rows, 0, at, at + 50, 100,
			"XlaModule:#hlo_module=jit_%d,program_id=%d#", number, number);
		if (op)
			rows_add(rows, m, at + 10, at + 20, 100, "Thunk:#hlo_op=%s#", op);
	}
}

static const struct case_range compile_of_7[] = {
	{1, 0, 9, 0, 100, "TSL:XlaCompile:#module=jit_7,program_id=7#"},
	{2, 1, 9, 10, 90, "TSL:XlaCompileBackend:#module=jit_7,program_id=7#"},
};

static void check_rule(struct job_rows *rows, struct jr_options options, bool compiled,
	const char *expected)
{
	struct job_process process = rows_process(rows, 1);
	struct job job;
	job_init(&job, &options);
	if (compiled)
		CASE_ADD(&job.profile, 0, compile_of_7);
	job_add(&job, &process);
	job_finish(&job);
	check_steady(&job.profile, expected);
	job_done(&job);
}

static UNIT_IN_ARENA(test_rules)
{
	struct job_rows rows = {.arena = *state};
	add_program(&rows, 7, 4, "all-reduce.1");
	add_program(&rows, 8, 4, "fusion.1");
	/* 7 was compiled; communication anywhere counts for all programs */
	check_rule(&rows, rule(JR_WARMUP_AUTO, 0), true, "7:2 iiSS 8:1 iSSS fell back:");
	check_rule(&rows, rule(JR_WARMUP_FIRST, 0), true, "7:1 iSSS 8:0 SSSS fell back:");
	check_rule(&rows, rule(JR_WARMUP_NONE, 0), true, "7:0 SSSS 8:0 SSSS fell back:");
	check_rule(&rows, rule(JR_WARMUP_COUNT, 3), true, "7:3 iiiS 8:3 iiiS fell back:");
	check_rule(&rows, rule(JR_WARMUP_COUNT, 0), true, "7:0 SSSS 8:0 SSSS fell back:");
	check_rule(&rows, rule(JR_WARMUP_AUTO, 0), false, "7:1 iSSS 8:1 iSSS fell back:");
	check_rule(&rows, rule(JR_WARMUP_FIRST, 0), false, "7:0 SSSS 8:0 SSSS fell back:");
	jr_vec_done(&rows);
	add_program(&rows, 7, 3, "fusion.1");
	add_program(&rows, 8, 3, "fusion.2");
	check_rule(&rows, rule(JR_WARMUP_AUTO, 0), true, "7:1 iSS 8:0 SSS fell back:");
	check_rule(&rows, rule(JR_WARMUP_AUTO, 0), false, "7:0 SSS 8:0 SSS fell back:");
	jr_vec_done(&rows);
}

/* ... except the main program: two steps, both of them warm-up, next to a helper. */
static UNIT_IN_ARENA(test_main_program_falls_back)
{
	struct job_rows rows = {.arena = *state};
	add_program(&rows, 7, 2, NULL);  /* 50 ns each */
	for (int i = 0; i < 6; i++) {
		int64_t at = 90000 + 100 * i;
		rows_add(&rows, 0, at, at + 5, 100, "XlaModule:#hlo_module=jit_help,program_id=8#");
	}
	rows_add(&rows, 0, 100, 190, 100, "XlaModule:#hlo_module=jit_init,program_id=9#");
	struct job_process process = rows_process(&rows, 1);
	struct jr_options options = rule(JR_WARMUP_COUNT, 2);
	struct job job;
	job_init(&job, &options);
	job_add(&job, &process);
	job_finish(&job);
	const struct jr_profile *p = &job.profile;
	struct jr_buf got = {0};
	for (size_t i = 0; i < p->modules.n; i++)
		jr_buf_printf(&got, "%u%c ", p->programs[p->modules.program[i]].number,
			p->modules.steady[i] ? 'S' : 'i');
	/* jit_init runs once and takes less than ten times as long as the helper: it is not a step */
	check_text(&got, "9i 7S 7S 8i 8i 8S 8S 8S 8S ");
	assert_true(p->programs[0].fell_back && !p->programs[1].fell_back && !p->programs[2].fell_back);
	assert_false(p->modules_fell_back);
	assert_int_equal(p->n_warnings, 1);
	assert_non_null(strstr(p->warnings[0], "every execution of jit_7 is warm-up"));
	job_done(&job);
	jr_vec_done(&rows);
}

/* A program without a steady execution keeps none, as long as another program has some. */
static UNIT_IN_ARENA(test_no_fall_back_per_program)
{
	struct job_rows rows = {.arena = *state};
	add_program(&rows, 7, 1, "fusion.1");
	add_program(&rows, 8, 3, "fusion.1");
	check_rule(&rows, rule(JR_WARMUP_AUTO, 0), true, "7:1 i 8:0 SSS fell back:");
	check_rule(&rows, rule(JR_WARMUP_COUNT, 2), true, "7:2 i 8:2 iiS fell back:");
	jr_vec_done(&rows);
}

/* A frame without a steady row is steady as a whole; the rule's number is unchanged. */
static UNIT_IN_ARENA(test_frames_fall_back)
{
	struct job_rows rows = {.arena = *state};
	add_program(&rows, 7, 2, "all-reduce.1");
	add_program(&rows, 8, 1, "fusion.1");
	check_rule(&rows, rule(JR_WARMUP_AUTO, 0), true,
		"7:2 SS 8:1 S fell back: modules thunks communication");
	check_rule(&rows, rule(JR_WARMUP_COUNT, UINT32_MAX), true,
		"7:4294967295 SS 8:4294967295 S fell back: modules thunks communication");
	jr_vec_done(&rows);
	/* communication alone: all of the communicating program is warm-up */
	add_program(&rows, 7, 2, "all-reduce.1");
	add_program(&rows, 8, 3, "fusion.1");
	check_rule(&rows, rule(JR_WARMUP_AUTO, 0), true, "7:2 ii 8:1 iSS fell back: communication");
	jr_vec_done(&rows);
	/* thunks alone: the steady executions have no thunks */
	add_program(&rows, 7, 1, "fusion.1");
	add_program(&rows, 8, 3, NULL);
	check_rule(&rows, rule(JR_WARMUP_AUTO, 0), true, "7:1 i 8:0 SSS fell back: thunks");
	jr_vec_done(&rows);
}

static UNIT_IN_ARENA(test_nothing_profiled)
{
	struct job_rows rows = {.arena = *state};
	check_rule(&rows, rule(JR_WARMUP_AUTO, 0), true, " fell back:");
	add_program(&rows, 7, 2, NULL);
	check_rule(&rows, rule(JR_WARMUP_AUTO, 0), true, "7:1 iS fell back:");
	check_rule(&rows, rule(JR_WARMUP_AUTO, 0), false, "7:0 SS fell back:");
	jr_vec_done(&rows);
}

/* The warning names the frames, reads as a sentence and says what to do. */
static UNIT_IN_ARENA(test_warning)
{
	struct job_rows rows = {.arena = *state};
	struct job job;
	add_program(&rows, 7, 1, "fusion.1");
	struct job_process process = rows_process(&rows, 1);
	job_init(&job, NULL);
	CASE_ADD(&job.profile, 0, compile_of_7);
	job_add(&job, &process);
	job_finish(&job);
	assert_int_equal(job.profile.n_warnings, 1);
	assert_non_null(strstr(job.profile.warnings[0], "modules, thunks;"));
	assert_non_null(strstr(job.profile.warnings[0], "--warmup"));
	job_done(&job);
	jr_vec_done(&rows);
}

/* A compilation counts for the program with that number in the process that compiled. */
static UNIT_IN_ARENA(test_compiled_in_its_process)
{
	struct jr_arena *a = *state;
	struct job_rows rows = {.arena = a}, other = {.arena = a};
	add_program(&rows, 7, 2, NULL);
	add_program(&rows, 8, 2, NULL);
	/* the same two programs with swapped numbers */
	for (int i = 0; i < 2; i++) {
		rows_add(&other, 0, 100 * i, 100 * i + 50, 101, MODULE("7", "jit_8"));
		rows_add(&other, 0, 100 * i + 50, 100 * i + 60, 101, MODULE("8", "jit_7"));
	}
	Xla__HloProto *seven = build_module(a, "jit_7"), *eight = build_module(a, "jit_8");
	build_instruction(a, build_computation(a, seven, "main", 1), "a.1", "add", 1);
	build_instruction(a, build_computation(a, eight, "main", 1), "b.1", "add", 1);
	const struct job_hlo first[] = {{7, seven}, {8, eight}}, second[] = {{7, eight}, {8, seven}};
	struct job_process processes[] = {rows_process(&rows, 1), rows_process(&other, 1)};
	static const struct jr_launcher launcher[] = {LAUNCHER(1, 101, 1)};
	processes[0].hlo = first;
	processes[1].hlo = second;
	processes[0].n_hlo = processes[1].n_hlo = 2;
	processes[1].launchers = launcher;
	struct job job;
	job_init(&job, NULL);
	CASE_ADD(&job.profile, 1, compile_of_7); /* in the second: jit_8 */
	job_add(&job, &processes[0]);
	job_add(&job, &processes[1]);
	job_finish(&job);
	check_steady(&job.profile, "7:0 SSSS 8:1 iSiS fell back:");
	job_done(&job);
	jr_vec_done(&rows);
	jr_vec_done(&other);
}
