/* Roofline times of thunks, their sums, and what is reported for unknown devices. */
#include "pass_case.h"

#include "analysis/roofline/roofline_tables.h"

#define STEP_NS 1000000

/* Add an instruction of 16-bit floats with two operands; everything but `dot` is elementwise. */
static void add_op(struct jr_arena *a, Xla__HloComputationProto *c, const char *name,
	const char *opcode, int64_t id, int n)
{
	Xla__HloInstructionProto *i = build_instruction(a, c, name, opcode, id);
	i->shape = build_shape(a, XLA__PRIMITIVE_TYPE__F32, n, n, -1);
	ADD(a, i, operand_ids, 1);
	ADD(a, i, operand_ids, 2);
	if (strcmp(opcode, "dot") != 0)
		return;
	i->dot_dimension_numbers = build_new(a, &xla__dot_dimension_numbers__descriptor);
	ADD(a, i->dot_dimension_numbers, lhs_contracting_dimensions, 1);
}

/* Two parameters of n x n, their product, their sum, and a call of unknown work. */
static Xla__HloProto *module_of(struct jr_arena *a, int n, bool with_call)
{
	Xla__HloProto *proto = build_module(a, "jit_f");
	Xla__HloComputationProto *c = build_computation(a, proto, "main", 1);
	for (int64_t k = 1; k <= 2; k++) {
		char name[32];
		snprintf(name, sizeof(name), "p.%d", (int)k);
		Xla__HloInstructionProto *p = build_instruction(a, c, name, "parameter", k);
		p->shape = build_shape(a, XLA__PRIMITIVE_TYPE__F32, n, n, -1);
	}
	add_op(a, c, "dot.1", "dot", 3, n);
	add_op(a, c, "add.1", "add", 4, n);
	if (with_call) {
		add_op(a, c, "call.1", "custom-call", 5, n);
		c->instructions[4]->custom_call_target = TEXT(a, "my_call");
	}
	return proto;
}

static const struct jr_gpu a100 = {.cuda_device = 0,
	.memory_bandwidth_bytes_s = 1555200000000,
	.sm_count = 108,
	.clock_hz = 1410000000,
	.compute_capability = 80};

/* `steps` steps of 1 ms: the product takes 400 µs, the sum 100 µs, the call 300 µs. */
static void run_sized(struct pass_run *run, struct jr_arena *a, int n, int steps,
	const struct jr_gpu *gpu, bool with_call)
{
	struct job_rows rows = {.arena = a};
	for (int s = 0; s < steps; s++) {
		int64_t t = (int64_t)s * STEP_NS;
		int64_t up = rows_add(&rows, 0, t, t + 900000, 100, MODULE("7", "jit_f"));
		rows_add(&rows, up, t, t + 400000, 100, THUNK("dot.1"));
		rows_add(&rows, up, t + 400000, t + 500000, 100, THUNK("add.1"));
		if (with_call)
			rows_add(&rows, up, t + 500000, t + 800000, 100, THUNK("call.1"));
	}
	struct job_process process = rows_process(&rows, 1);
	const struct job_hlo hlo[] = {{7, module_of(a, n, with_call)}};
	process.hlo = hlo;
	process.n_hlo = 1;
	process.gpus = gpu;
	process.n_gpus = gpu ? 1 : 0;
	struct jr_options options = jr_options_default();
	options.warmup = JR_WARMUP_NONE;
	passes_of(run, &options, &process);
	check_results(&run->results);
	jr_vec_done(&rows);
}

static void run_steps(struct pass_run *run, struct jr_arena *a, int steps, const struct jr_gpu *gpu,
	bool with_call)
{
	run_sized(run, a, 4096, steps, gpu, with_call);
}

static double scalar(const struct pass_run *run, const char *key)
{
	const struct jr_scalar *s = jr_results_scalar(&run->results, key);
	if (!s)
		fail_msg("no scalar '%s'", key);
	return s->value.f64;
}

static bool section_says(const struct pass_run *run, const char *words)
{
	const struct jr_section *s = run_section(run, "roofline");
	for (size_t i = 0; i < s->n; i++)
		if (s->items[i].kind == JR_RESULT_TEXT && strstr(s->items[i].as.text, words))
			return true;
	return false;
}

/* 2 * 4096^3 FLOPs of tf32 at 108 * 1024 * 1.41 GHz; 3 * 64 MiB at 1,555.2 GB/s. */
#define DOT_FLOPS 137438953472.0
#define DOT_NS (DOT_FLOPS / (108 * 1024 * 1.41))
#define ADD_NS (3 * 67108864 / 1555.2)

static void near(double got, double want)
{
	if (!(fabs(got - want) <= 0.002 + 1e-9 * fabs(want)))
		fail_msg("is %.9g, must be %.9g", got, want);
}

static UNIT_IN_ARENA(roofs_of_a_step)
{
	struct pass_run run;
	run_steps(&run, *state, 4, &a100, false);
	check_column(&run, "roofline_thunks", "name", "dot.1 add.1 ");
	check_column(&run, "roofline_thunks", "class", "compute memory ");
	check_column(&run, "roofline_thunks", "bound", "tensor memory ");
	check_column(&run, "roofline_thunks", "dtype", "tf32 f32 ");
	check_column(&run, "roofline_thunks", "flops", "1.374389535e+11 16777216 ");
	const struct jr_table *t = run_table(&run, "roofline_thunks");
	double dot_ns = jr_table_number(t, jr_table_column(t, "roof_ms"), 0);
	double add_ns = jr_table_number(t, jr_table_column(t, "roof_ms"), 1);
	near(dot_ns, DOT_NS); /* 881 µs: more than the measured time */
	near(add_ns, ADD_NS);
	/* efficiency is not capped, and no time is lost */
	check_column(&run, "roofline_points", "named", "0 0 ");
	near(jr_table_number(t, jr_table_column(t, "efficiency"), 0), DOT_NS / 400000);
	near(scalar(&run, "roofline.step.hfu"), DOT_NS / STEP_NS);
	near(scalar(&run, "roofline.step.mfu"), DOT_NS / STEP_NS);
	near(scalar(&run, "roofline.step.roof_ms"), DOT_NS + ADD_NS);
	near(scalar(&run, "roofline.step.lost_ms"), 0);
	near(scalar(&run, "roofline.step.period_ms"), STEP_NS);
	const char *verdict = jr_results_scalar(&run.results, "verdict")->value.text;
	assert_non_null(strstr(verdict,
		"Compute takes 50.0 % of the step, at 176 % (above 100 %, so in doubt) of peak matrix "
		"throughput."));
	/* a roofline time above the step time is not a bound of the step */
	assert_null(strstr(verdict, "at the roof"));
	assert_false(section_says(&run, "at the roofline a step would take"));
	assert_true(section_says(&run, "Some matrix products run faster than the assumed peak"));
	assert_true(section_says(&run, "Peak by formula"));
	passes_done(&run);
}

static UNIT_IN_ARENA(roof_in_the_verdict)
{
	struct pass_run run;
	run_sized(&run, *state, 2048, 4, &a100, false);
	const char *verdict = jr_results_scalar(&run.results, "verdict")->value.text;
	assert_non_null(
		strstr(verdict, "; at the roofline, these kernels would take "));
	assert_true(section_says(&run, "At the roofline, the kernels of a step would take"));
	check_column(&run, "roofline_points", "named", "1 1 "); /* both are slower */
	passes_done(&run);
}

/* Time above roofline, along the stacks; kernels without a roofline have none. */
static UNIT_IN_ARENA(lost_of_stacks)
{
	struct pass_run run;
	run_sized(&run, *state, 2048, 4, &a100, true);
	assert_true(section_says(
		&run, "At the roofline, the thunks whose roofline time is known would"));
	const double lost_ns = 400000 - DOT_NS / 8 + 100000 - ADD_NS / 4; /* per step */
	const struct jr_tree *t = run_tree(&run, "lost");
	check_tree(t);
	near(t->total / 4, lost_ns);
	near(scalar(&run, "roofline.step.lost_ms"), lost_ns);
	assert_int_equal(t->n_stacks, 1);
	assert_int_equal(t->n, 2); /* no idle time */
	assert_string_equal(t->text[1], "[Unknown]");
	near(t->self_ns[1] / 4, lost_ns);
	/* The same next to the time of frames, with the kernels they come from. */
	const char *const graphs[] = {"source_code", "op_name"};
	for (size_t g = 0; g < JR_COUNT_OF(graphs); g++) {
		struct jr_roofed sum = {0, 0, 0};
		t = run_tree(&run, graphs[g]);
		assert_non_null(t->roofed);
		for (size_t i = 0; i < t->n; i++) {
			assert_true(t->roofed[i].ns <= t->self_ns[i] + 0.5);
			sum.ns += t->roofed[i].ns;
			sum.roof_ns += t->roofed[i].roof_ns;
			sum.lost_ns += t->roofed[i].lost_ns;
		}
		near(sum.ns / 4, 500000); /* without the call */
		near(sum.roof_ns / 4, DOT_NS / 8 + ADD_NS / 4);
		near(sum.lost_ns / 4, lost_ns);
	}
	passes_done(&run);
	run_sized(&run, *state, 4096, 4, &a100, false); /* faster than the rooflines */
	assert_null(jr_results_tree(&run.results, "lost"));
	passes_done(&run);
	run_sized(&run, *state, 2048, 4, NULL, false);
	assert_null(jr_results_tree(&run.results, "lost"));
	assert_null(run_tree(&run, "source_code")->roofed);
	passes_done(&run);
}

/* The times of the classes, and of the kinds, add up to that of all thunks. */
static UNIT_IN_ARENA(totals_conserve)
{
	struct pass_run run;
	run_steps(&run, *state, 5, &a100, true);
	const struct jr_table *thunks = run_table(&run, "thunks");
	int64_t all = 0, classes = 0, kinds = 0;
	for (size_t i = 0; i < thunks->n_rows; i++)
		all += table_cells(thunks, "active_ms")->i64[i];
	const struct jr_table *c = run_table(&run, "roofline_classes");
	for (size_t i = 0; i < c->n_rows; i++)
		classes += table_cells(c, "dur_ms")->i64[i];
	const struct jr_table *k = run_table(&run, "roofline_kinds");
	for (size_t i = 0; i < k->n_rows; i++)
		kinds += table_cells(k, "dur_ms")->i64[i];
	check_column(&run, "roofline_classes", "waited_ms", "0 null 0 ");
	assert_int_equal(all, 5 * 800000);
	assert_int_equal(classes, all);
	assert_int_equal(kinds, all);
	check_column(&run, "roofline_classes", "class", "compute unknown memory ");
	check_column(&run, "roofline_programs", "executions", "5 ");
	check_column(&run, "roofline_programs", "matrix_flops.tf32", "1.374389535e+11 ");
	check_column(&run, "roofline_programs", "unknown_thunks", "1 ");
	check_column(&run, "roofline_not_counted", "target", "my_call ");
	near(scalar(&run, "roofline.not_counted.active_percent"), 3.0 / 8);
	assert_true(section_says(&run, "Not counted: 1 thunk with 37.5 % of the active time"));
	assert_true(section_says(&run, "HFU at least "));
	const char *verdict = jr_results_scalar(&run.results, "verdict")->value.text;
	assert_non_null(strstr(verdict,
		"80.0 % of the step, at 110 % (above 100 %, so in doubt) or more of peak matrix "
		"throughput."));
	assert_null(strstr(verdict, "at the roof"));
	passes_done(&run);
}

/* Unknown values are null, never 0: the call has neither FLOPs nor bytes nor a roofline. */
static UNIT_IN_ARENA(unknown_is_null)
{
	static const char *const keys[] = {"flops", "bytes_read", "bytes_written", "network_bytes",
		"intensity", "tflops_s", "gb_s", "roof_ms", "efficiency", "step_lost_ms"};
	struct pass_run run;
	run_steps(&run, *state, 3, &a100, true);
	const struct jr_table *t = run_table(&run, "roofline_thunks");
	assert_int_equal(t->n_rows, 3);
	assert_string_equal(jr_table_text(t, "name", 1), "call.1");
	assert_string_equal(jr_table_text(t, "class", 1), "unknown");
	for (size_t i = 0; i < JR_COUNT_OF(keys); i++)
		if (!isnan(jr_table_number(t, jr_table_column(t, keys[i]), 1)))
			fail_msg("%s is not null", keys[i]);
	passes_done(&run);
}

/* Without peaks there are FLOPs and bytes, but no rooflines. */
static UNIT_IN_ARENA(unknown_device)
{
	static const struct jr_gpu old = {.compute_capability = 52, .sm_count = 20,
		.clock_hz = 1000000000, .memory_bandwidth_bytes_s = 100000000000};
	const struct jr_gpu *const cases[] = {NULL, &old};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		struct pass_run run;
		run_steps(&run, *state, 3, cases[i], false);
		check_column(&run, "roofline_thunks", "flops", "1.374389535e+11 16777216 ");
		check_column(&run, "roofline_thunks", "bytes_read", "134217728 134217728 ");
		check_column(&run, "roofline_thunks", "roof_ms", "null null ");
		check_column(&run, "roofline_classes", "class", "unknown ");
		check_column(&run, "roofline_classes", "roof_ms", "null ");
		check_column(&run, "roofline_peaks", "unit", "");
		check_column(&run, "roofline_device", "peaks_flops_s.bf16", "null ");
		assert_true(isnan(scalar(&run, "roofline.step.hfu")));
		assert_true(isnan(scalar(&run, "roofline.step.roof_ms")));
		assert_true(section_says(&run, "There is no roofline"));
		const char *verdict = jr_results_scalar(&run.results, "verdict")->value.text;
		assert_null(strstr(verdict, "peak"));
		assert_null(jr_results_table(&run.results, "roofline_lines"));
		passes_done(&run);
	}
}

/* A single step has no period: it is compared with its own length. */
static UNIT_IN_ARENA(one_step)
{
	struct pass_run run;
	run_steps(&run, *state, 1, &a100, false);
	near(scalar(&run, "roofline.step.period_ms"), 900000);
	near(scalar(&run, "roofline.step.hfu"), DOT_NS / 900000);
	passes_done(&run);
}

static UNIT(nothing)
{
	struct pass_run run;
	passes_of(&run, NULL, &(struct job_process){0});
	check_results(&run.results);
	assert_non_null(run_section(&run, "roofline")->unavailable);
	passes_done(&run);
}
