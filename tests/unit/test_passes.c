/* Properties of every pass: names, keys, sums; and inputs with little data. */
#include "pass_sums.h"

/* --- a job with data for every pass ----------------------------------------------------------- */

/* Needs that an archive may meet, and needs that only exports of Nsight Systems meet. */
#define ALL_NEEDS                                                                                  \
	((unsigned)(JR_NEEDS_MODULES | JR_NEEDS_THUNKS | JR_NEEDS_HLO | JR_NEEDS_TOLD |                \
		JR_NEEDS_COMPILES |                                                                        \
		JR_NEEDS_COMMUNICATION | JR_NEEDS_DEVICES))

/* Needs that archives do not meet: data of exports, and of traces of jax.profiler. */
#define OF_EXPORTS                                                                                 \
	((unsigned)(JR_NEEDS_PROFILER | JR_NEEDS_GPU_OPS | JR_NEEDS_CALLS | JR_NEEDS_NVTX |            \
				JR_NEEDS_ALLOCATORS | JR_NEEDS_STEPS | JR_NEEDS_LANES | JR_NEEDS_PLAN |            \
				JR_NEEDS_WORK | JR_NEEDS_LIVE))

struct sample {
	int n_devices;
	uint32_t seed, shuffle; /* shuffle 0: rows in order */
	int64_t later_ns;       /* added to all times */
	bool no_hlo, no_communication, no_compilation;
};

static void set_origin(
	struct jr_arena *a, Xla__HloInstructionProto *i, const char *op_name, int frame)
{
	i->metadata = build_new(a, &xla__op_metadata__descriptor);
	i->metadata->op_name = TEXT(a, op_name);
	i->metadata->stack_frame_id = frame;
}

/* Three frames: 1 <- 2 and 1 <- 3. */
static void add_frames(struct jr_arena *a, Xla__HloProto *proto)
{
	Xla__StackFrameIndexProto *index = build_new(a, &xla__stack_frame_index_proto__descriptor);
	ADD(a, index, file_names, TEXT(a, "/train.py"));
	ADD(a, index, file_names, TEXT(a, "/lib/site-packages/jax/nn.py"));
	ADD(a, index, function_names, TEXT(a, "step"));
	for (int k = 1; k <= 3; k++) {
		Xla__StackFrameIndexProto__FileLocation *location =
			build_new(a, &xla__stack_frame_index_proto__file_location__descriptor);
		Xla__StackFrameIndexProto__StackFrame *frame =
			build_new(a, &xla__stack_frame_index_proto__stack_frame__descriptor);
		location->file_name_id = k == 3 ? 2 : 1;
		location->function_name_id = 1;
		location->line = 10 * k;
		frame->file_location_id = k;
		frame->parent_frame_id = k == 1 ? 0 : 1;
		ADD(a, index, file_locations, location);
		ADD(a, index, stack_frames, frame);
	}
	proto->hlo_module->stack_frame_index = index;
}

static void add_heap(struct jr_arena *a, Xla__HloProto *proto)
{
	proto->buffer_assignment = build_new(a, &xla__buffer_assignment_proto__descriptor);
	Xla__HeapSimulatorTrace *trace = build_new(a, &xla__heap_simulator_trace__descriptor);
	for (int i = 1; i <= 4; i++) {
		Xla__LogicalBufferProto *buffer = build_new(a, &xla__logical_buffer_proto__descriptor);
		Xla__HeapSimulatorTrace__Event *event =
			build_new(a, &xla__heap_simulator_trace__event__descriptor);
		buffer->id = i;
		buffer->size = 1000 * i;
		buffer->defined_at = build_new(a, &xla__logical_buffer_proto__location__descriptor);
		buffer->defined_at->instruction_id = 10 + i % 2; /* two buffers of one instruction each */
		ADD(a, buffer->defined_at, shape_index, i / 2);
		ADD(a, proto->buffer_assignment, logical_buffers, buffer);
		event->buffer_id = i;
		ADD(a, trace, events, event);
	}
	ADD(a, proto->buffer_assignment, heap_simulator_traces, trace);
}

static const Xla__HloProto *step_hlo(struct jr_arena *a)
{
	Xla__HloProto *proto = build_module(a, "jit_step");
	Xla__HloComputationProto *entry = build_computation(a, proto, "main", 1);
	Xla__HloComputationProto *fused = build_computation(a, proto, "fused", 2);
	add_frames(a, proto);
	add_heap(a, proto);
	static const struct {
		const char *name, *opcode, *op_name;
		int frame;
	} instructions[] = {{"fusion.1", "fusion", "jit(step)/mlp/add", 2},
		{"dot.2", "custom-call", "jit(step)/mlp/dot", 3}, {"all-reduce.3", "all-reduce", "", 0},
		{"copy.4", "copy", "", 0}, {"fetch.5", "dynamic-slice", "jit(step)/fetch", 1},
		{"all-gather.6", "all-gather", "jit(step)/gather", 0}, {"loop.7", "fusion", "", 3}};
	for (size_t i = 0; i < JR_COUNT_OF(instructions); i++) {
		Xla__HloInstructionProto *inst = build_instruction(
			a, entry, instructions[i].name, instructions[i].opcode, 10 + (int64_t)i);
		inst->shape = build_shape(a, XLA__PRIMITIVE_TYPE__F32, 100 + (int)i, -1);
		set_origin(a, inst, instructions[i].op_name, instructions[i].frame);
		ADD(a, inst, operand_ids, instructions[i].opcode[0] == 'd' ? 51 : 50);
		if (strcmp(instructions[i].opcode, "fusion") == 0)
			ADD(a, inst, called_computation_ids, 2);
	}
	for (int i = 0; i < 2; i++) {
		Xla__HloInstructionProto *p = build_instruction(a, entry, "param", "parameter", 50 + i);
		p->shape = build_layout(a, build_shape(a, XLA__PRIMITIVE_TYPE__BF16, 4096, -1), i ? 5 : 0);
	}
	set_origin(a, build_instruction(a, fused, "f.1", "add", 80), "jit(step)/mlp/add", 2);
	set_origin(a, build_instruction(a, fused, "f.2", "mul", 81), "jit(step)/mlp/mul", 3);
	set_origin(a, build_instruction(a, fused, "f.3", "sin", 82), "jit(step)/sin", 1);
	set_origin(a, build_instruction(a, fused, "f.4", "cos", 83), "jit(step)/cos", 0);
	return proto;
}

static void add_step(struct job_rows *r, const struct sample *s, uint32_t *seed, int64_t at, int d)
{
	int64_t tid = 100 + d;
	int64_t m = rows_add(r, 0, at, at + 1000, tid, MODULE("7", "jit_step"));
	int64_t loop = rows_add(r, m, at + 10, at + 500, tid, THUNK("while.0"));
	for (int i = 0; i < 3; i++) {
		int64_t from = at + 20 + 150 * i;
		rows_add(r, loop, from, from + 60 + next_random(seed, 9), tid, THUNK("fusion.1"));
		rows_add(r, loop, from + 70, from + 140, tid, THUNK("dot.2"));
	}
	rows_add(r, m, at + 300, at + 400, tid, THUNK("copy.4"));
	if (!s->no_communication) {
		rows_add(r, m, at + 200 + next_random(seed, 50), at + 600, tid, THUNK("all-reduce.3"));
		rows_add(r, m, at + 650, at + 690 + next_random(seed, 9), tid, THUNK("fetch.5"));
		rows_add(r, m, at + 720, at + 800, tid, THUNK("all-gather.6"));
	}
	rows_add(r, m, at + 810, at + 830 + next_random(seed, 60), tid, THUNK("loop.7"));
}

static void add_rows(struct job_rows *r, const struct sample *s)
{
	for (int d = 0; d < s->n_devices; d++) {
		uint32_t seed = s->seed + 17 * (uint32_t)d;
		int64_t at = 5000 + 7 * d, tid = 100 + d;
		for (int x = 0; x < 5; x++) {
			add_step(r, s, &seed, at, d);
			int64_t m = rows_add(r, 0, at + 1100, at + 1400, tid, MODULE("8", "jit_eval"));
			rows_add(r, m, at + 1110, at + 1200, tid, THUNK("fusion.1"));
			if (!s->no_communication)
				rows_add(r, m, at + 1210, at + 1300 + next_random(&seed, 20), tid,
					THUNK("all-reduce.9"));
			m = rows_add(r, 0, at + 1450, at + 1453, tid, MODULE("9", "jit_tiny"));
			rows_add(r, m, at + 1450, at + 1452, tid, THUNK("copy.1"));
			m = rows_add(r, 0, at + 1470, at + 1480, tid, "XlaModule:#hlo_module=autotune#");
			rows_add(r, m, at + 1471, at + 1479, tid, THUNK("gemm.1"));
			rows_add(r, 0, at + 1500, at + 1505, tid, THUNK("orphan.1"));
			at += 1600 + next_random(&seed, 100);
		}
	}
	for (size_t i = 0; i < r->n; i++) {
		r->items[i].start += s->later_ns;
		r->items[i].end += s->later_ns;
	}
	uint32_t seed = s->shuffle;
	for (uint32_t i = (uint32_t)r->n; s->shuffle && i > 1; i--) {
		uint32_t k = next_random(&seed, i);
		struct job_row swap = r->items[i - 1];
		r->items[i - 1] = r->items[k];
		r->items[k] = swap;
	}
}

static const struct case_range compile_ranges[] = {
	{1, 0, 9, 0, 1000, "TSL:XlaCompile:#module=jit_step,program_id=7#"},
	{2, 1, 9, 100, 900, "TSL:XlaCompileBackend:#module=jit_step,program_id=7#"},
	{3, 2, 9, 200, 500, "TSL:XlaPass:#name=fusion,module=jit_step,program_id=7#"},
	{4, 2, 9, 500, 800, "TSL:XlaEmitLlvmIr:#module=jit_step#"},
	{5, 0, 10, 510, 600, "TSL:XlaOptimizeLlvmIr:#module=split_module#"},
};

static void run_sample(struct pass_run *run, const struct sample *s)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	struct job_rows rows = {.arena = &arena};
	add_rows(&rows, s);
	struct job_process process = rows_process(&rows, (size_t)s->n_devices);
	const struct job_hlo hlo[] = {{7, step_hlo(&arena)}};
	process.hlo = hlo;
	process.n_hlo = s->no_hlo ? 0 : 1;
	job_init(&run->job, NULL);
	struct case_range compiling[JR_COUNT_OF(compile_ranges)];
	for (size_t i = 0; i < JR_COUNT_OF(compiling); i++) {
		compiling[i] = compile_ranges[i];
		compiling[i].start += s->later_ns;
		compiling[i].end += s->later_ns;
	}
	if (!s->no_compilation)
		CASE_ADD(&run->job.profile, 0, compiling);
	job_add(&run->job, &process);
	passes_run(run);
	jr_vec_done(&rows);
}

/* --- the table of passes ---------------------------------------------------------------------- */

static UNIT(test_registry)
{
	size_t n = 0;
	for (; jr_passes[n]; n++) {
		const struct jr_pass *pass = jr_passes[n];
		assert_non_null(pass->name);
		assert_true(*pass->name);
		for (const char *c = pass->name; *c; c++) /* an id in HTML, part of file names */
			assert_true((*c >= 'a' && *c <= 'z') || *c == '_');
		assert_true(pass->title && *pass->title);
		assert_true(pass->summary && *pass->summary);
		assert_true(pass->summary[strlen(pass->summary) - 1] != '.');
		assert_non_null(pass->run);
		assert_int_equal(pass->needs & ~(ALL_NEEDS | OF_EXPORTS | JR_NEEDS_STEP), 0);
		for (size_t k = 0; k < n; k++)
			assert_string_not_equal(pass->name, jr_passes[k]->name);
	}
	assert_true(n >= 14);
}

/* All results of the sample are well formed, and the sample yields every kind of result. */
static UNIT(test_sample_fills_every_section)
{
	struct pass_run run;
	run_sample(&run, &(struct sample){.n_devices = 4, .seed = 1});
	check_results(&run.results);
	size_t n = 0;
	for (size_t i = 0; jr_passes[i]; i++) {
		if (jr_passes[i]->needs & OF_EXPORTS)
			continue;
		const struct jr_section *section = &run.results.sections[n++];
		assert_ptr_equal(section->pass, jr_passes[i]);
		/* Some thunks of the sample are in no module, so its steps are not replayed. */
		if (strcmp(jr_passes[i]->name, "what_if") == 0 ||
			strcmp(jr_passes[i]->name, "critical_path") == 0) {
			assert_non_null(section->unavailable);
			continue;
		}
		if (section->unavailable)
			fail_msg("%s: %s", jr_passes[i]->name, section->unavailable);
		assert_true(section->n > 0);
	}
	assert_int_equal(run.results.n_sections, n);
	static const char *const tables[] = {"ledger", "executions", "modules", "compilation_phases",
		"thunks", "opcodes", "collectives", "overlap", "collective_instances", "variability",
		"stragglers", "alignment", "transfer_wait", "memory", "program_memory", "live_at_peak",
		"heap"};
	for (size_t i = 0; i < JR_COUNT_OF(tables); i++)
		if (run_table(&run, tables[i])->n_rows == 0)
			fail_msg("table '%s' is empty", tables[i]);
	passes_done(&run);
}

/* --- sums --------------------------------------------------------------------------------- */

static UNIT(test_sums)
{
	for (uint32_t seed = 1; seed <= 12; seed++) {
		struct pass_run run;
		run_sample(&run, &(struct sample){.n_devices = 1 + (int)seed % 4, .seed = seed});
		check_results(&run.results);
		check_sums(&run);
		passes_done(&run);
	}
}

/* --- changes without effect ------------------------------------------------------------------- */

static struct jr_buf results_of(const struct sample *s)
{
	struct pass_run run;
	struct jr_buf out = {0};
	run_sample(&run, s);
	put_results(&out, &run.results);
	passes_done(&run);
	return out;
}

static void check_same(const struct jr_buf *first, struct jr_buf *other, const char *how)
{
	if (!jr_bytes_eq(jr_buf_view(first), jr_buf_view(other))) {
		size_t at = 0;
		while (first->data[at] == other->data[at])
			at++;
		size_t from = at > 200 ? at - 200 : 0;
		fail_msg("%s:\n%.400s\n--- must be:\n%.400s", how, other->data + from,
			first->data + from);
	}
	jr_buf_done(other);
}

static UNIT(test_order_of_rows_changes_nothing)
{
	struct jr_buf first = results_of(&(struct sample){.n_devices = 3, .seed = 4});
	for (uint32_t shuffle = 1; shuffle <= 8; shuffle++) {
		struct jr_buf other =
			results_of(&(struct sample){.n_devices = 3, .seed = 4, .shuffle = shuffle});
		check_same(&first, &other, "rows in another order");
	}
	jr_buf_done(&first);
}

/* Clocks that count from a boot, from 1970 (where doubles are 256 ns apart), from later, and at
 * the limit of times: the result is identical to the last bit. */
static UNIT(test_when_it_was_changes_nothing)
{
	static const int64_t later_ns[] = {1, 86400000000001, 1763600000000000123, -1763600000000000123,
		JR_TIME_MAX_NS - 1000000, 1000000 - JR_TIME_MAX_NS};
	for (int n_devices = 1; n_devices <= 4; n_devices++) {
		struct jr_buf first = results_of(&(struct sample){.n_devices = n_devices, .seed = 4});
		for (size_t i = 0; i < JR_COUNT_OF(later_ns); i++) {
			struct jr_buf other = results_of(&(struct sample){
				.n_devices = n_devices, .seed = 4, .later_ns = later_ns[i]});
			check_same(&first, &other, "at another time");
		}
		jr_buf_done(&first);
	}
}

/* --- little or no data ------------------------------------------------------------------------ */

/* A section is missing if the input lacks what its pass needs. Otherwise a pass may still find
 * nothing, but these always report something. */
static void check_available(const struct pass_run *run, unsigned have)
{
	static const char always[] = " totals ledger steps modules compilation thunks opcodes "
								 "source_code op_name collectives variability stragglers checks ";
	check_results(&run->results);
	have |= have & JR_NEEDS_MODULES ? JR_NEEDS_STEP : 0U; /* executions are steps */
	for (size_t i = 0; i < run->results.n_sections; i++) {
		const struct jr_section *section = &run->results.sections[i];
		bool lacks = section->pass->needs & ~have;
		char name[64];
		snprintf(name, sizeof(name), " %s ", section->pass->name);
		if (lacks ? !section->unavailable : section->unavailable && strstr(always, name))
			fail_msg("%s: %s", section->pass->name,
				section->unavailable ? section->unavailable : "is there");
	}
}

static void check_rows(const struct job_row *rows, size_t n, size_t n_devices, bool compiled,
	unsigned have)
{
	struct pass_run run;
	struct job_process process = {.rows = rows, .n_rows = n, .pid = 1,
		.launchers = eight_launchers, .n_launchers = n_devices};
	job_init(&run.job, NULL);
	if (compiled)
		CASE_ADD(&run.job.profile, 0, compile_ranges);
	job_add(&run.job, &process);
	passes_run(&run);
	check_available(&run, have);
	passes_done(&run);
}

static UNIT(test_little_input)
{
	static const struct job_row one_module[] = {
		RANGE_ON(1, 0, MODULE("7", "jit_f"), 10, 20, 100)};
	static const struct job_row one_thunk[] = {RANGE_ON(1, 0, MODULE("7", "jit_f"), 10, 20, 100),
		RANGE_ON(2, 1, THUNK("fusion.1"), 12, 15, 100)};
	static const struct job_row one_collective[] = {
		RANGE_ON(1, 0, MODULE("7", "jit_f"), 10, 20, 100),
		RANGE_ON(2, 1, THUNK("all-reduce.1"), 12, 15, 100)};
	static const struct job_row no_time[] = {RANGE_ON(1, 0, MODULE("7", "jit_f"), 10, 10, 100),
		RANGE_ON(2, 1, THUNK("fusion.1"), 10, 10, 100),
		RANGE_ON(3, 1, THUNK("all-reduce.1"), 10, 10, 100),
		RANGE_ON(4, 0, MODULE("7", "jit_f"), 10, 10, 101),
		RANGE_ON(5, 4, THUNK("all-reduce.1"), 10, 10, 101)};
	static const struct job_row unknown_only[] = {
		RANGE_ON(1, 0, "XlaModule:#hlo_module=autotune#", 10, 20, 100),
		RANGE_ON(2, 1, THUNK("gemm.1"), 12, 15, 100)};
	const unsigned modules = JR_NEEDS_MODULES, thunks = modules | JR_NEEDS_THUNKS;
	check_rows(NULL, 0, 1, false, 0);
	check_rows(NULL, 0, 1, true, JR_NEEDS_COMPILES);
	check_rows(unknown_only, 2, 1, false, 0);
	check_rows(one_module, 1, 1, false, modules);
	check_rows(one_thunk, 2, 1, false, thunks);
	check_rows(one_thunk, 2, 1, true, thunks | JR_NEEDS_COMPILES);
	check_rows(one_thunk, 2, 2, false, thunks); /* nothing ran on the other device */
	check_rows(one_collective, 2, 1, false, thunks | JR_NEEDS_COMMUNICATION);
	check_rows(no_time, 5, 2, false, thunks | JR_NEEDS_COMMUNICATION | JR_NEEDS_DEVICES);
}

static UNIT(test_samples_that_lack_something)
{
	static const struct {
		struct sample sample;
		unsigned lacks;
	} cases[] = {
		{{.n_devices = 2, .seed = 2, .no_hlo = true}, JR_NEEDS_HLO | JR_NEEDS_TOLD},
		{{.n_devices = 2, .seed = 2, .no_communication = true}, JR_NEEDS_COMMUNICATION},
		{{.n_devices = 2, .seed = 2, .no_compilation = true}, JR_NEEDS_COMPILES},
		{{.n_devices = 1, .seed = 2}, JR_NEEDS_DEVICES},
	};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		struct pass_run run;
		run_sample(&run, &cases[i].sample);
		check_available(&run, ALL_NEEDS & ~cases[i].lacks);
		check_sums(&run);
		passes_done(&run);
	}
}

/* Each top module has a lock-step chart, but a job with very many functions does not draw all of
 * them. */
static UNIT_IN_ARENA(test_many_modules)
{
	enum { N = 70 };
	struct jr_arena *a = *state;
	struct job_rows rows = {.arena = a};
	for (int i = 0; i < N; i++)
		for (int d = 0; d < 2; d++) {
			int64_t at = 100 * i, end = at + 50 + i; /* the last ones take the most time */
			int64_t id = rows_add(&rows, 0, at, end, 100 + d,
				"XlaModule:#hlo_module=jit_f,program_id=%d#", i);
			rows_add(&rows, id, at, at + 9 + d, 100 + d, THUNK("fusion.1"));
		}
	struct job_process process = rows_process(&rows, 2);
	struct jr_options options = jr_options_default();
	options.warmup = JR_WARMUP_NONE;
	options.top_modules = 1;
	struct pass_run run;
	passes_of(&run, &options, &process);
	check_results(&run.results);
	const struct jr_section *section = run_section(&run, "lockstep");
	size_t n_charts = 0;
	for (size_t i = 0; i < section->n; i++)
		n_charts += section->items[i].kind == JR_RESULT_CHART;
	assert_int_equal(n_charts, 64);
	assert_int_equal(section->items[0].kind, JR_RESULT_TEXT);
	assert_string_equal(section->items[0].as.text,
		"Of 70 top modules, the 64 with the most time are shown.");
	assert_string_equal(section->items[1].as.chart->name, "lockstep_69");
	passes_done(&run);
	jr_vec_done(&rows);
}

/* Inputs that do not belong to one job: each has a device with the same number. Keys stay
 * unique. */
static UNIT(test_devices_of_one_number)
{
	static const struct job_row rows[] = {RANGE_ON(1, 0, MODULE("7", "jit_f"), 10, 20, 100),
		RANGE_ON(2, 1, THUNK("all-reduce.1"), 12, 15, 100)};
	static const struct jr_launcher first[] = {LAUNCHER(1, 100, 2), LAUNCHER(1, 101, 3)};
	static const struct jr_launcher again[] = {LAUNCHER(2, 100, 2), LAUNCHER(2, 101, 4)};
	struct pass_run run;
	job_init(&run.job, NULL);
	job_add(&run.job, &(struct job_process){JOB_ROWS(rows), .pid = 1, JOB_LAUNCHERS(first)});
	job_add(&run.job, &(struct job_process){JOB_ROWS(rows), .pid = 2, JOB_LAUNCHERS(again)});
	passes_run(&run);
	check_results(&run.results);
	check_column(&run, "ledger", "device", "2 5 ");
	assert_int_equal(run.job.profile.n_devices, 4);
	for (uint32_t d = 0; d < 4; d++)
		assert_int_equal(run.job.profile.devices[d].global, 2 + d);
	bool told = false;
	for (size_t i = 0; i < run.job.profile.n_guesses; i++)
		told |= strcmp(run.job.profile.guesses[i].id, "renumbered-devices") == 0;
	assert_true(told);
	passes_done(&run);
}
