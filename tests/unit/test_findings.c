/* Each rule of the findings: one job that triggers it and one that does not. */
#include "findings_case.h"

/* --- a job of equal steps, with one problem at a time ----------------------------------------- */

struct make {
	int n_devices, n_steps;
	int n_unused; /* devices on which nothing ran */
	int64_t between; /* from the end of a module to the next */
	int64_t gap;     /* before each thunk */
	int64_t gemm, fusion, scatter, copy, turned; /* compute; turned: a fusion that transposes */
	int64_t softmax; /* a fusion that transposes what it computes */
	int64_t own;     /* a custom call to `target` */
	int64_t reduce, slow_gather, fast_gather, fetch; /* communication; fetch: from host memory */
	int64_t other;   /* another program in the middle of `between` */
	int64_t late;    /* more gemm on the last device; the others wait in the all-reduce */
	int64_t pause;   /* on the last device, before the fetch; no device waits */
	int64_t uneven;  /* more scatter in every second step */
	int64_t graph;   /* in a command buffer */
	int64_t slow_buffers; /* number of buffers in the message of the slow gather; 0: one */
	int64_t slow_floats;  /* floats per buffer; 0: 4 MiB in all */
	int64_t slow_step; /* the last step takes so much longer */
	enum { IN_GEMM, IN_REDUCE, IN_FETCH, IN_GAP, IN_MORE_KERNELS, IN_ALL } slow_part;
	const char *target;
	bool loop;       /* the program has a loop */
	bool apart;      /* 4 devices on 2 slices: the slow gather is across, the fast one within */
	int n_hidden;    /* instructions of the entry computation that never run */
	int n_seen;      /* ... that run */
	int n_untaken;   /* instructions of a branch that is not taken */
	int64_t heap_bytes, memory_bytes;
	int64_t parameter_bytes, donated_bytes, output_bytes, constant_bytes; /* outside the heap */
	int64_t unused_memory_bytes; /* on a second GPU, on which nothing ran */
	const char *xla_flags;
	const char *gpu; /* name of the devices; NULL: unknown */
	const struct case_range *compiles;
	size_t n_compiles;
	uint32_t n_compiling; /* more processes that compile the same program */
	enum jr_warmup_rule warmup;
	uint32_t warmup_count;
};

static const struct make healthy = {
	.n_devices = 1, .n_steps = 6, .gemm = 10 * MS, .warmup = JR_WARMUP_NONE};

/* One thunk after another on one thread. */
struct cursor {
	struct job_rows *rows;
	const struct make *m;
	int64_t module, at, tid;
};

static void put(struct cursor *c, const char *name, int64_t dur)
{
	if (dur <= 0)
		return;
	c->at += c->m->gap;
	rows_add(c->rows, c->module, c->at, c->at + dur, c->tid, "Thunk:#hlo_op=%s#", name);
	c->at += dur;
}

static void add_step(struct cursor *c, int step, int device)
{
	const struct make *m = c->m;
	bool last_device = device == m->n_devices - 1;
	int64_t begin = c->at, slow = step == m->n_steps - 1 ? m->slow_step : 0;
	bool in_all = m->slow_part == IN_ALL;
	size_t row = (size_t)rows_add(c->rows, 0, begin, begin, c->tid, MODULE("7", "jit_step")) - 1;
	c->module = (int64_t)row + 1;
	put(c, "gemm.1",
		m->gemm + (last_device ? m->late : 0) + (m->slow_part == IN_GEMM || in_all ? slow : 0));
	for (int64_t ns = m->slow_part == IN_MORE_KERNELS ? slow : 0; ns > 0; ns -= 1 * MS)
		put(c, "gemm.1", 1 * MS);
	put(c, "loop_add_fusion.2", m->fusion);
	put(c, "input_scatter_fusion", m->scatter + (step % 2 ? m->uneven : 0));
	put(c, "copy.3", m->copy);
	put(c, "turned.8", m->turned);
	put(c, "softmax.9", m->softmax);
	put(c, "custom-call.10", m->own);
	put(c, "command_buffer.12", m->graph);
	for (int i = m->n_hidden; i < m->n_hidden + m->n_seen; i++) {
		char name[32];
		snprintf(name, sizeof(name), "seen.%d", i);
		put(c, name, 1 * US);
	}
	put(c, "all-reduce.4", m->reduce + (last_device || m->late == 0 ? 0 : m->late) +
							   (m->slow_part == IN_REDUCE || in_all ? slow : 0));
	put(c, "all-gather.5", m->slow_gather);
	put(c, "all-gather.6", m->fast_gather);
	c->at += (last_device ? m->pause : 0) + (m->slow_part == IN_GAP ? slow : 0);
	put(c, "fetch.7", m->fetch + (m->slow_part == IN_FETCH || in_all ? slow : 0));
	c->rows->items[row].end = c->at;
}

static void add_rows(struct job_rows *rows, const struct make *m)
{
	for (int d = 0; d < m->n_devices; d++) {
		struct cursor c = {rows, m, 0, 1000, 100 + d};
		for (int step = 0; step < m->n_steps; step++) {
			add_step(&c, step, d);
			if (m->other) {
				int64_t at = c.at + (m->between - m->other) / 2;
				int64_t id = rows_add(rows, 0, at, at + m->other, c.tid, MODULE("8", "jit_log"));
				rows_add(rows, id, at, at + m->other, c.tid, THUNK("fusion.9"));
			}
			c.at += m->between;
		}
	}
}

static Xla__HloInstructionProto *add_instruction(struct jr_arena *a,
	Xla__HloComputationProto *entry, const char *name, const char *opcode, int64_t operand)
{
	int64_t id = 100 + (int64_t)entry->n_instructions;
	Xla__HloInstructionProto *i = build_instruction(a, entry, name, opcode, id);
	i->shape = build_shape(a, XLA__PRIMITIVE_TYPE__F32, 256, -1);
	ADD(a, i, operand_ids, operand);
	return i;
}

static Xla__BufferAllocationProto *add_allocation(
	struct jr_arena *a, Xla__HloProto *proto, int64_t bytes)
{
	Xla__BufferAllocationProto *m = build_new(a, &xla__buffer_allocation_proto__descriptor);
	m->size = bytes;
	ADD(a, proto->buffer_assignment, buffer_allocations, m);
	return m;
}

static void add_allocations(struct jr_arena *a, Xla__HloProto *proto, const struct make *m)
{
	Xla__BufferAllocationProto *heap = add_allocation(a, proto, m->heap_bytes);
	Xla__BufferAllocationProto__Assigned *assigned =
		build_new(a, &xla__buffer_allocation_proto__assigned__descriptor);
	assigned->logical_buffer_id = 1;
	ADD(a, heap, assigned, assigned);
	add_allocation(a, proto, m->parameter_bytes)->is_entry_computation_parameter = true;
	Xla__BufferAllocationProto *donated = add_allocation(a, proto, m->donated_bytes);
	donated->is_entry_computation_parameter = donated->maybe_live_out = true;
	add_allocation(a, proto, m->output_bytes)->maybe_live_out = true;
	add_allocation(a, proto, m->constant_bytes)->is_constant = true;
	add_allocation(a, proto, 1000)->is_thread_local = true;
}

static void add_heap(struct jr_arena *a, Xla__HloProto *proto, int64_t bytes)
{
	proto->buffer_assignment = build_new(a, &xla__buffer_assignment_proto__descriptor);
	Xla__HeapSimulatorTrace *trace = build_new(a, &xla__heap_simulator_trace__descriptor);
	Xla__LogicalBufferProto *buffer = build_new(a, &xla__logical_buffer_proto__descriptor);
	Xla__HeapSimulatorTrace__Event *event =
		build_new(a, &xla__heap_simulator_trace__event__descriptor);
	buffer->id = event->buffer_id = 1;
	buffer->size = bytes;
	buffer->defined_at = build_new(a, &xla__logical_buffer_proto__location__descriptor);
	buffer->defined_at->instruction_id = 100;
	ADD(a, proto->buffer_assignment, logical_buffers, buffer);
	ADD(a, trace, events, event);
	ADD(a, proto->buffer_assignment, heap_simulator_traces, trace);
}

#define FIRST_PIECE 5000 /* first operand id */

static void add_slow_gather(
	struct jr_arena *a, Xla__HloComputationProto *entry, const struct make *m)
{
	int64_t n = m->slow_buffers ? m->slow_buffers : 1;
	int64_t floats = m->slow_floats ? m->slow_floats : (1 << 20) / n;
	Xla__HloInstructionProto *gather =
		add_instruction(a, entry, "all-gather.5", "all-gather", FIRST_PIECE);
	for (int64_t i = 0; i < n; i++) {
		if (i)
			ADD(a, gather, operand_ids, FIRST_PIECE + i);
		build_instruction(a, entry, "param", "parameter", FIRST_PIECE + i)->shape =
			build_shape(a, XLA__PRIMITIVE_TYPE__F32, floats, -1);
	}
}

#define GEMM                                                                                       \
	"{\"gemm_backend_config\":{\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"0\"]}" \
	"}}"

static const Xla__HloProto *make_hlo(struct jr_arena *a, const struct make *m)
{
	Xla__HloProto *proto = build_module(a, "jit_step");
	proto->hlo_module->entry_computation_name = TEXT(a, "main");
	Xla__HloComputationProto *entry = build_computation(a, proto, "main", 1);
	Xla__HloComputationProto *turned = build_computation(a, proto, "turned", 2);
	Xla__HloComputationProto *softmax = build_computation(a, proto, "softmax", 3);
	Xla__HloInstructionProto *gemm = add_instruction(a, entry, "gemm.1", "custom-call", 50);
	ADD(a, gemm, operand_ids, 51);
	gemm->custom_call_target = TEXT(a, "__cublas$gemm");
	gemm->backend_config.len = strlen(GEMM);
	gemm->backend_config.data = (uint8_t *)TEXT(a, GEMM);
	add_instruction(a, entry, "loop_add_fusion.2", "fusion", 50);
	add_instruction(a, entry, "input_scatter_fusion", "fusion", 50);
	add_instruction(a, entry, "copy.3", "copy", 50);
	Xla__HloInstructionProto *calling = add_instruction(a, entry, "turned.8", "fusion", 50);
	ADD(a, calling, called_computation_ids, 2);
	add_instruction(a, entry, "custom-call.10", "custom-call", 50)->custom_call_target =
		TEXT(a, m->target ? m->target : "");
	calling = add_instruction(a, entry, "softmax.9", "fusion", 50);
	ADD(a, calling, called_computation_ids, 3);
	add_instruction(a, entry, "all-reduce.4", "all-reduce", 51);
	add_slow_gather(a, entry, m);
	add_instruction(a, entry, "all-gather.6", "all-gather", 51);
	add_instruction(a, entry, "fetch.7", "dynamic-slice", 52);
	for (int i = 0; i < m->n_hidden + m->n_seen; i++) {
		char name[32];
		snprintf(name, sizeof(name), i < m->n_hidden ? "hidden.%d" : "seen.%d", i);
		add_instruction(a, entry, name, "fusion", 50);
	}
	for (int i = 0; i < 3; i++) {
		Xla__HloInstructionProto *p = build_instruction(a, entry, "param", "parameter", 50 + i);
		p->shape = build_layout(a, build_shape(a, XLA__PRIMITIVE_TYPE__F32, 1 << 20, -1),
			i == 2 ? 5 : 0);
	}
	if (m->loop)
		add_instruction(a, entry, "while.13", "while", 50);
	if (m->n_untaken) {
		calling = add_instruction(a, entry, "conditional.11", "conditional", 50);
		ADD(a, calling, called_computation_ids, 4);
		Xla__HloComputationProto *branch = build_computation(a, proto, "branch", 4);
		for (int i = 0; i < m->n_untaken; i++)
			build_instruction(a, branch, "untaken", "add", 1000 + i);
	}
	turned->root_id = 90;
	build_instruction(a, turned, "t.1", "transpose", 90);
	softmax->root_id = 92;
	build_instruction(a, softmax, "e.1", "exponential", 91);
	build_instruction(a, softmax, "t.2", "transpose", 92);
	if (m->heap_bytes) {
		add_heap(a, proto, m->heap_bytes);
		add_allocations(a, proto, m);
	}
	return proto;
}

static void put_apart(struct jr_profile *p)
{
	static const uint32_t across[] = {0, 1, 0, 1}, within[] = {0, 0, 1, 1};
	for (uint32_t d = 0; d < 4; d++)
		p->devices[d].slice = d / 2;
	for (size_t i = 0; i < p->n_ops; i++) {
		p->ops[i].device_group = strcmp(jr_str(p, p->ops[i].name), "all-gather.5") == 0   ? across
								 : strcmp(jr_str(p, p->ops[i].name), "all-gather.6") == 0 ? within
																						   : NULL;
		p->ops[i].group_size = p->ops[i].device_group ? 2 : p->ops[i].group_size;
	}
}

static void run_make(struct pass_run *run, struct jr_arena *a, const struct make *m)
{
	struct job_rows rows = {.arena = a};
	struct jr_options options = jr_options_default();
	const struct job_hlo hlo[] = {{7, make_hlo(a, m)}};
	options.warmup = m->warmup;
	options.warmup_count = m->warmup_count;
	add_rows(&rows, m);
	struct job_process process = rows_process(&rows, (size_t)(m->n_devices + m->n_unused));
	const struct jr_gpu gpus[] = {{.cuda_device = 0, .named = true,
		.device = {.global = 0, .local = 0}, .memory_bytes = (uint64_t)m->memory_bytes},
		{.cuda_device = 1, .named = true, .device = {.global = 1, .local = 1},
			.memory_bytes = (uint64_t)m->unused_memory_bytes}};
	process.gpus = gpus;
	process.n_gpus = m->unused_memory_bytes ? 2 : m->memory_bytes ? 1 : 0;
	process.hlo = hlo;
	process.n_hlo = 1;
	job_init(&run->job, &options);
	if (m->xla_flags) {
		struct jr_intern *strings = &run->job.profile.strings;
		jr_profile_setting(&run->job.profile, 0, jr_intern_puts(strings, "XLA_FLAGS"),
			jr_intern_puts(strings, m->xla_flags));
	}
	for (uint32_t k = 0; m->n_compiles && k <= m->n_compiling; k++)
		case_add(&run->job.profile, k, m->compiles, m->n_compiles);
	job_add(&run->job, &process);
	job_finish(&run->job);
	for (size_t d = 0; m->gpu && d < run->job.profile.n_devices; d++)
		run->job.profile.devices[d].gpu_name =
			jr_intern_puts(&run->job.profile.strings, m->gpu);
	if (m->apart)
		put_apart(&run->job.profile);
	jr_arena_init(&run->arena, 0);
	jr_passes_run(&run->job.profile, &run->arena, &run->results);
	jr_vec_done(&rows);
}

/* --- results ---------------------------------------------------------------------------------- */

/* Check that the job has this finding. `recoverable` is in ns over all devices and steps
 * (JR_NULL_I64: unknown). `words` are in its title or evidence. */
static void expect(struct jr_arena *a, const struct make *m, const char *id,
	enum jr_severity severity, int64_t recoverable, const char *words)
{
	struct pass_run run;
	run_make(&run, a, m);
	check_results(&run.results);
	check_bounds(&run);
	const struct jr_finding *f = find(&run, id);
	if (!f)
		fail_msg("no finding '%s'", id);
	assert_string_equal(result_of(&run, id), "finding");
	assert_int_equal(f->severity, severity);
	assert_int_equal(f->recoverable_ns, recoverable);
	if (recoverable != JR_NULL_I64) {
		int64_t steps = (int64_t)m->n_steps * m->n_devices;
		assert_int_equal(f->step_recoverable_ns, llround((double)recoverable / (double)steps));
		const struct jr_table *step = run_table(&run, "step_ledger");
		assert_int_equal(f->step_without_ns,
			llround(table_cells(step, "wall_ms")->f64[0]) - f->step_recoverable_ns);
	}
	if (!strstr(f->title, words) && !(f->evidence && strstr(f->evidence, words)))
		fail_msg("'%s' is neither in '%s' nor in '%s'", words, f->title, f->evidence);
	bool known = false;
	for (size_t s = 0; s < run.results.n_sections; s++)
		known |= strcmp(run.results.sections[s].pass->name, f->section) == 0;
	assert_true(known || strcmp(f->section, "notes") == 0);
	passes_done(&run);
}

static void expect_none(struct jr_arena *a, const struct make *m, const char *id,
	const char *result)
{
	struct pass_run run;
	run_make(&run, a, m);
	check_bounds(&run);
	if (find(&run, id))
		fail_msg("finding '%s': %s", id, find(&run, id)->title);
	assert_string_equal(result_of(&run, id), result);
	passes_done(&run);
}

/* Fields of `make`, applied to the healthy job. */
#define MAKE(...)                                                                                  \
	__extension__({                                                                                \
		struct make m_ = healthy;                                                                  \
		const struct make with_ = {__VA_ARGS__};                                                   \
		const int64_t *from_ = &with_.between;                                                     \
		for (int64_t *to_ = &m_.between; to_ <= &m_.slow_step; to_++, from_++)                     \
			*to_ += *from_;                                                                        \
		m_.n_devices = with_.n_devices ? with_.n_devices : m_.n_devices;                           \
		m_.n_steps = with_.n_steps ? with_.n_steps : m_.n_steps;                                   \
		m_;                                                                                        \
	})

/* --- the rules -------------------------------------------------------------------------------- */

static UNIT_IN_ARENA(test_healthy)
{
	struct pass_run run;
	run_make(&run, *state, &healthy);
	if (run.results.n_findings)
		fail_msg("%s: %s", run.results.findings[0].title, run.results.findings[0].evidence);
	assert_non_null(strstr(jr_results_scalar(&run.results, "verdict")->value.text,
		"10.00 ms per step. No rule found anything that would make it faster. Compute takes 100 % "
		"of the step. A better schedule can save little; faster kernels are needed."));
	passes_done(&run);
}

/* 100 us of a period of 10.1 ms are 0.99 %; 150 us of 10.15 ms are 1.48 %. */
static UNIT_IN_ARENA(test_idle_between)
{
	struct make m = MAKE(.between = 100 * US);
	expect_none(*state, &m, "idle-between-modules", "passed");
	m = MAKE(.between = 150 * US);
	expect(*state, &m, "idle-between-modules", JR_NOTICE, 6 * 150 * US,
		"5 gaps; the longest, 150 µs");
	m = MAKE(.between = 2 * MS);
	expect(*state, &m, "idle-between-modules", JR_WARNING, 12 * MS, "2.00 ms per step (16.7 %)");
}

static UNIT_IN_ARENA(test_idle_inside)
{
	struct make m = MAKE(.gap = 40 * US, .fusion = 1 * US);
	expect_none(*state, &m, "idle-inside-modules", "passed");
	m = MAKE(.gap = 60 * US, .fusion = 1 * US);
	expect(*state, &m, "idle-inside-modules", JR_NOTICE, 6 * 120 * US,
		"2 gaps per step, 60.0 µs each on average; 50.0 % of the kernels");
}

static UNIT_IN_ARENA(test_exposed)
{
	struct make m = MAKE(.reduce = 90 * US);
	expect_none(*state, &m, "exposed-communication", "passed");
	m = MAKE(.reduce = 500 * US);
	expect(*state, &m, "exposed-communication", JR_NOTICE, 3 * MS,
		"“all-reduce.4”, 500 µs per step");
	expect_none(*state, &healthy, "exposed-communication", "unknown");
}

/* Equal messages of 4 MiB, four times slower: up to three quarters of the time could be saved. */
static UNIT_IN_ARENA(test_slow_collective)
{
	struct make m = MAKE(.slow_gather = 400 * US, .fast_gather = 100 * US, .n_devices = 2);
	expect(*state, &m, "slow-collective", JR_NOTICE, 2 * 6 * 300 * US,
		"“all-gather.5” reaches 10.5 GB/s, a comparable collective 41.9 GB/s. This all-gather "
		"moves 4.194 MB; the faster one is “all-gather.6”, 4.194 MB. It takes 400 µs per step");
	/* compared with a message of half the size, which should not take longer */
	m.slow_floats = 1 << 21;
	m.slow_gather = 500 * US;
	expect(*state, &m, "slow-collective", JR_NOTICE, 2 * 6 * 300 * US, "moves 8.389 MB");
	/* more buffers, smaller, or far larger: no similar message to compare with */
	m.slow_gather = 400 * US;
	m.slow_floats = 0;
	m.slow_buffers = 64;
	expect_none(*state, &m, "slow-collective", "unknown");
	m.slow_buffers = 4;
	expect_none(*state, &m, "slow-collective", "unknown");
	m.slow_floats = 1 << 15;
	expect_none(*state, &m, "slow-collective", "unknown");
	/* small messages that are not combined yet could be combined */
	m.slow_buffers = 1;
	m.slow_floats = 1 << 17;
	expect(*state, &m, "slow-collective", JR_NOTICE, 2 * 6 * (387 * US + 500),
		"moves 524.3 kB");
	m.slow_gather = 8 * MS;
	m.slow_floats = 1 << 23;
	expect_none(*state, &m, "slow-collective", "unknown");
	m.slow_buffers = m.slow_floats = 0;
	m = MAKE(.slow_gather = 190 * US, .fast_gather = 100 * US, .n_devices = 2);
	expect_none(*state, &m, "slow-collective", "passed");
	/* the slower one crosses slices, whose links are slower */
	m = MAKE(.slow_gather = 400 * US, .fast_gather = 100 * US, .n_devices = 4);
	expect(*state, &m, "slow-collective", JR_NOTICE, 4 * 6 * 300 * US, "“all-gather.5” reaches");
	m.apart = true;
	expect_none(*state, &m, "slow-collective", "unknown");
	/* no link is as fast as the faster one: its times are wrong */
	m = MAKE(.slow_gather = 20 * US, .fast_gather = 5 * US, .n_devices = 2);
	m.gemm = 500 * US;
	m.gpu = "NVIDIA H100 80GB HBM3";
	expect_none(*state, &m, "slow-collective", "unknown");
	m.slow_gather = 40 * US;
	m.fast_gather = 10 * US;
	expect(*state, &m, "slow-collective", JR_WARNING, 2 * 6 * 30 * US,
		"a comparable collective 419 GB/s");
	expect_none(*state, &healthy, "slow-collective", "unknown");
}

static void check_detail(struct jr_arena *a, struct make m, const char *id, const char *flags,
	const char *words, bool has)
{
	struct pass_run run;
	m.xla_flags = flags;
	run_make(&run, a, &m);
	assert_non_null(find(&run, id));
	if (!strstr(advice_of(find(&run, id)), words) == has)
		fail_msg("%s: '%s' %s: %s", flags, words, has ? "is not in" : "is in",
			advice_of(find(&run, id)));
	passes_done(&run);
}

/* The advice takes flags into account that are already set, in any spelling. The last of equal
 * flags applies. */
static UNIT_IN_ARENA(test_flags)
{
#define LHS "--xla_gpu_enable_latency_hiding_scheduler"
	static const char on[] = "scheduler is on in this profile";
	static const char off[] = "command buffers (CUDA graphs) off";
	struct make m = MAKE(.reduce = 500 * US, .gap = 60 * US, .fusion = 1 * US);
	check_detail(*state, m, "exposed-communication", "--xla_a=1 " LHS "=true", on, true);
	check_detail(*state, m, "exposed-communication", LHS " --xla_a=1", on, true);
	check_detail(*state, m, "exposed-communication", "--xla_a=1\n\t" LHS, on, true);
	check_detail(*state, m, "exposed-communication", LHS " " LHS "=false", on, false);
	check_detail(*state, m, "exposed-communication", LHS "=false " LHS "=1", on, true);
	check_detail(*state, m, "exposed-communication", LHS "_not=true", on, false);
	check_detail(*state, m, "exposed-communication", "", on, false);
	check_detail(*state, m, "idle-inside-modules", "--xla_gpu_enable_command_buffer=", off, true);
	check_detail(*state, m, "idle-inside-modules", "--xla_gpu_enable_command_buffer= -", off, true);
	check_detail(*state, m, "idle-inside-modules", "--xla_gpu_enable_command_buffer=A", off, false);
	check_detail(*state, m, "idle-inside-modules", "--xla_gpu_graph_level=0", off, true);
	check_detail(*state, m, "idle-inside-modules", "--xla_gpu_graph_level=01", off, false);
}

/* Flags that are already set, explicitly or by default, are not advised. */
static UNIT_IN_ARENA(test_flags_not_advised)
{
	struct make m = MAKE(.reduce = 500 * US);
	check_detail(*state, m, "exposed-communication", "", "Try " LHS "=true.", true);
	check_detail(*state, m, "exposed-communication", LHS, LHS, false);
	check_detail(*state, m, "exposed-communication", LHS "=false", LHS, false);
	check_detail(*state, m, "exposed-communication", LHS, "JAX_ENABLE_PGLE=true", true);
	check_detail(*state, m, "exposed-communication", "", "JAX_ENABLE_PGLE", false);
	check_detail(*state, m, "exposed-communication", "", "pipelined", false); /* no loop */
	check_detail(*state, m, "exposed-communication",
		"--xla_gpu_all_reduce_combine_threshold_bytes=1", "threshold", false);
	check_detail(*state, m, "exposed-communication", "", "the profile does not show", false);
	check_detail(*state, m, "exposed-communication", NULL, "the profile does not show", true);
	/* each kind of collective has its own flag */
	m = MAKE(.slow_gather = 400 * US, .fast_gather = 100 * US, .n_devices = 2);
	check_detail(*state, m, "slow-collective", NULL, "all_reduce_combine", false);
}

/* Command buffers are advised only if none ran and launches are late. Fewer are never advised. */
static UNIT_IN_ARENA(test_graphs_not_advised)
{
	static const char none[] = "No command buffer (CUDA graph) ran";
	static const char flag[] = "--xla_gpu_enable_command_buffer=";
	struct make m = MAKE(.gap = 60 * US, .fusion = 1 * US);
	check_detail(
		*state, m, "idle-inside-modules", "", "ommand buffer", false); /* too few to judge */
	m.n_seen = 30;
	check_detail(*state, m, "idle-inside-modules", "", none, true);
	check_detail(*state, m, "idle-inside-modules", "", flag, false);
	m.loop = true;
	check_detail(*state, m, "idle-inside-modules", "", "--xla_gpu_enable_command_buffer=+WHILE ",
		true);
	check_detail(
		*state, m, "idle-inside-modules", "--xla_gpu_enable_command_buffer=FUSION", flag, false);
	check_detail(*state, m, "idle-inside-modules", "--xla_gpu_graph_level=3", flag, false);
	m.graph = 10 * US;
	check_detail(*state, m, "idle-inside-modules", "", "before the next one has been launched",
		true);
	check_detail(*state, m, "idle-inside-modules", "", "already runs as command buffers", true);
	check_detail(*state, m, "idle-inside-modules", "", none, false);
	/* instructions are hidden, and only command buffers hide kernels */
	m.graph = m.n_seen = 0;
	m.n_hidden = 40;
	check_detail(*state, m, "idle-inside-modules", "", "already runs as command buffers", true);
	/* no launch is late: the GPU itself needs this time */
	m = MAKE(.gemm = -9950 * US, .gap = 2 * US, .fusion = 20 * US);
	m.loop = true;
	check_detail(*state, m, "idle-inside-modules", "", "gaps of 3 µs or less", true);
	check_detail(*state, m, "idle-inside-modules", "", "has been launched", false);
	check_detail(*state, m, "idle-inside-modules", "", flag, false);
}

/* The last device arrives 500 us late at each of 6 all-reduces: the other devices lose that
 * time. */
static UNIT_IN_ARENA(test_straggler)
{
	struct make m = MAKE(.reduce = 100 * US, .late = 500 * US, .n_devices = 4);
	/* at the speed of the others, each step of each device would be that much shorter */
	expect(*state, &m, "straggler", JR_NOTICE, 24 * 500 * US,
		"It computes 500 µs longer per step than the others, on average over all steps: "
		"it is slower in 1 of 1 kernels");
	m.n_unused = 4;
	expect(*state, &m, "straggler", JR_NOTICE, 24 * 500 * US,
		"100 % of all waiting that does not overlap with compute is for device 3.");
	expect(*state, &m, "straggler", JR_NOTICE, 24 * 500 * US,
		"Device 3 delays the others in 6 of 6 steps: each of them waits 500 µs per step (4.72 %) "
		"for it");
	m = MAKE(.reduce = 100 * US, .late = 20 * US, .n_devices = 4);
	expect_none(*state, &m, "straggler", "passed");
	m = MAKE(.reduce = 100 * US);
	expect_none(*state, &m, "straggler", "unknown");
	/* each device fetches for itself */
	m = MAKE(.fetch = 300 * US, .pause = 500 * US, .n_devices = 4);
	expect_none(*state, &m, "straggler", "unknown");
}

static UNIT_IN_ARENA(test_hot_thunk)
{
	struct make m = MAKE(.scatter = 1 * MS);
	expect_none(*state, &m, "hot-thunk", "passed");
	m = MAKE(.scatter = 4 * MS);
	/* the roofline is not known */
	expect(*state, &m, "hot-thunk", JR_NOTICE, JR_NULL_I64,
		"“input_scatter_fusion” takes 28.6 % of the step (4.00 ms");
	m = MAKE(.scatter = 10 * MS);
	expect(*state, &m, "hot-thunk", JR_WARNING, JR_NULL_I64, "takes 50.0 % of the step (10.0 ms)");
	/* a matrix product is useful work */
	expect_none(*state, &healthy, "hot-thunk", "passed");
	m = MAKE(.own = 4 * MS);
	m.target = "te_fused_attn_forward_ffi";
	expect_none(*state, &m, "hot-thunk", "passed");
	/* the advice is not to write it in Pallas, because it already is a custom kernel */
	m.target = "__gpu$xla.gpu.triton";
	check_detail(*state, m, "hot-thunk", NULL, "It is a custom kernel", true);
	m.target = "__cub$DeviceRadixSort";
	check_detail(*state, m, "hot-thunk", NULL, "Sorts are slow", true);
}

static UNIT_IN_ARENA(test_variable_thunk)
{
	/* three of the six steps in the window take 1 ms more: 0.5 ms for each of the seven */
	struct make m = MAKE(.scatter = 1 * MS, .uneven = 1 * MS, .n_steps = 7);
	expect(*state, &m, "variable-thunk", JR_NOTICE, 3500 * US, "longest 2.00 ms, median 1.00 ms");
	m = MAKE(.scatter = 1 * MS, .uneven = 1 * MS);
	expect(*state, &m, "variable-thunk", JR_NOTICE, 1200 * US, "longest 2.00 ms, median 1.50 ms");
	m = MAKE(.scatter = 1 * MS, .uneven = 50 * US);
	expect_none(*state, &m, "variable-thunk", "passed");
	m = MAKE(.scatter = 1 * MS, .uneven = 1 * MS, .n_steps = 2);
	expect_none(*state, &m, "variable-thunk", "unknown");
}

static UNIT_IN_ARENA(test_uneven_steps)
{
	struct make m = MAKE(.slow_step = 5 * MS);
	expect(*state, &m, "uneven-steps", JR_NOTICE, 5 * MS,
		"takes longer than the others: 15.0 ms instead of 10.0 ms (the median)");
	m = MAKE(.slow_step = 1 * MS);
	expect_none(*state, &m, "uneven-steps", "passed");
	m = MAKE(.slow_step = 5 * MS, .n_devices = 2);
	expect(*state, &m, "uneven-steps", JR_NOTICE, 10 * MS, "on device 0; 6 steady executions");
	/* if copies take most of a step, only part of their time is claimed */
	m = MAKE(.slow_step = 10 * MS, .fetch = 20 * MS);
	expect(*state, &m, "uneven-steps", JR_NOTICE, 10 * MS, "takes longer than the others");
	/* 3 steps are too few to judge, on any number of devices */
	m = MAKE(.slow_step = 5 * MS, .n_devices = 2, .n_steps = 3);
	expect_none(*state, &m, "uneven-steps", "unknown");
	/* one device is slower in every step */
	m = MAKE(.pause = 5 * MS, .fetch = 100 * US, .n_devices = 2);
	expect_none(*state, &m, "uneven-steps", "passed");
}

static UNIT_IN_ARENA(test_uneven_steps_by_part)
{
	static const char *const why[] = {
		[IN_GEMM] = "run the same kernels as the others",
		[IN_REDUCE] = "Most of this time is in collectives",
		[IN_FETCH] = "Most of this time is in copies between host and device",
		[IN_GAP] = "Most of this time is between kernels",
		[IN_MORE_KERNELS] = "These executions do more work",
		[IN_ALL] = "Kernels, collectives and copies all take longer",
	};
	for (int part = IN_GEMM; part <= IN_ALL; part++) {
		struct make m =
			MAKE(.reduce = 1 * MS, .fetch = 1 * MS, .slow_step = 5 * MS, .n_devices = 2);
		m.slow_part = part;
		check_detail(*state, m, "uneven-steps", NULL, why[part], true);
	}
}

/* A copy, and a fusion that only transposes. */
static UNIT_IN_ARENA(test_layout_copies)
{
	struct make m = MAKE(.copy = 100 * US, .turned = 150 * US);
	expect(*state, &m, "layout-copies", JR_NOTICE, 6 * 250 * US,
		"2 of them; the largest is “turned.8”");
	m = MAKE(.copy = 50 * US, .fusion = 1 * MS);
	expect_none(*state, &m, "layout-copies", "passed");
	m = MAKE(.softmax = 1 * MS);
	expect_none(*state, &m, "layout-copies", "passed");
}

static UNIT_IN_ARENA(test_host_copies)
{
	struct make m = MAKE(.fetch = 300 * US);
	expect(*state, &m, "exposed-host-copies", JR_NOTICE, 6 * 300 * US, "“fetch.7”, host-to-device");
	expect(*state, &m, "exposed-host-copies", JR_NOTICE, 6 * 300 * US,
		"1.024 kB come from the host in each step at 0.00341 GB/s.");
	m = MAKE(.fetch = 50 * US);
	expect_none(*state, &m, "exposed-host-copies", "passed");
}

/* The critical path counts the same copies as exposed as the time breakdown does. */
static UNIT_IN_ARENA(test_host_copies_on_the_path)
{
	struct pass_run run;
	struct make m = MAKE(.fetch = 300 * US);
	run_make(&run, *state, &m);
	const struct jr_table *path = run_table(&run, "critical_path");
	assert_true(path->n_rows == 1);
	assert_int_equal(llround(table_cells(path, "copy_ms")->f64[0]), 300 * US);
	passes_done(&run);
}

/* 400 us between steps with a small program in the middle: gaps plus program, 5 times. */
static UNIT_IN_ARENA(test_small_programs)
{
	struct make m = MAKE(.between = 400 * US, .other = 30 * US);
	expect(*state, &m, "small-programs", JR_NOTICE, 6 * 400 * US, "all are of “jit_log”");
	m = MAKE(.n_steps = 2, .between = 400 * US, .other = 30 * US);
	expect(*state, &m, "small-programs", JR_NOTICE, 2 * 400 * US,
		"This is the time of one execution shorter than 100 µs, of “jit_log”, and of the gaps");
	m = MAKE(.between = 100 * US, .other = 30 * US);
	expect_none(*state, &m, "small-programs", "passed");
	m = MAKE(.between = 1 * MS); /* the host is slow, but no program of its own explains it */
	expect_none(*state, &m, "small-programs", "passed");
	m = MAKE(.between = 1 * MS, .other = 300 * US);
	expect_none(*state, &m, "small-programs", "passed");
	/* one more dispatch does not explain a delay of 10 ms */
	m = MAKE(.between = 10 * MS, .other = 40 * US);
	expect(*state, &m, "small-programs", JR_WARNING, 6 * 2040 * US, "all are of “jit_log”");
}

/* A one-time cost saves nothing per step: its cost counts once for the run. */
static void expect_once(struct jr_arena *a, const struct make *m, const char *id,
	int64_t recoverable, const char *words)
{
	struct pass_run run;
	run_make(&run, a, m);
	check_bounds(&run);
	const struct jr_finding *f = find(&run, id);
	assert_non_null(f);
	assert_int_equal(f->recoverable_ns, recoverable);
	assert_int_equal(f->step_recoverable_ns, JR_NULL_I64);
	assert_int_equal(f->times, 1);
	assert_int_equal(jr_finding_leads(f), recoverable > 0);
	if (!strstr(f->title, words) && !strstr(f->evidence, words))
		fail_msg("'%s' is neither in '%s' nor in '%s'", words, f->title, f->evidence);
	passes_done(&run);
}

static UNIT_IN_ARENA(test_recompilation)
{
	static const struct case_range after[] = {
		{1, 0, 9, 11 * MS, 12 * MS, "TSL:XlaCompile:#module=jit_eval,program_id=12#"},
		{2, 1, 9, 11 * MS, 12 * MS, "TSL:XlaCompileBackend:#module=jit_eval,program_id=12#"}};
	static const struct case_range again[] = {
		{1, 0, 9, 100, 900, "TSL:XlaCompile:#module=jit_step,program_id=7#"},
		{2, 1, 9, 100, 900, "TSL:XlaCompileBackend:#module=jit_step,program_id=7#"},
		{3, 0, 9, 11 * MS, 12 * MS, "TSL:XlaCompile:#module=jit_step,program_id=7#"},
		{4, 3, 9, 11 * MS, 12 * MS, "TSL:XlaCompileBackend:#module=jit_step,program_id=7#"}};
	static const struct case_range ahead[] = {
		{1, 0, 9, 100, 900, "TSL:XlaCompile:#module=jit_eval,program_id=12#"}};
	struct make m = MAKE(.between = 3 * MS);
	m.compiles = after;
	m.n_compiles = JR_COUNT_OF(after);
	expect_once(*state, &m, "recompilation", 1 * MS,
		"Compilation after the steps began takes 1.00 ms in total (once");
	m.between = 10; /* it cannot cost more than the GPU was idle */
	expect_once(*state, &m, "recompilation", 0, "modules ran during all of it");
	m.between = 3 * MS; /* the step's own program again */
	m.compiles = again;
	m.n_compiles = JR_COUNT_OF(again);
	expect_once(*state, &m, "recompilation", 1 * MS,
		"Recompilation after the steps began takes 1.00 ms in total (once; each function");
	expect_once(*state, &m, "recompilation", 1 * MS,
		"This happens once and takes as long as 0.0769 steps, which matters little in a much "
		"longer run.");
	m.compiles = ahead;
	m.n_compiles = JR_COUNT_OF(ahead);
	expect_none(*state, &m, "recompilation", "passed");
	expect_none(*state, &healthy, "recompilation", "unknown");
	/* without a steady step everything counts as compilation first, then execution */
	m.compiles = after;
	m.n_compiles = JR_COUNT_OF(after);
	m.warmup = JR_WARMUP_COUNT;
	m.warmup_count = 10;
	expect_none(*state, &m, "recompilation", "unknown");
}

static UNIT_IN_ARENA(test_compile_time)
{
	static const struct case_range slow[] = {
		{1, 0, 9, 0, 10000 * MS, "TSL:XlaCompile:#module=jit_step#"},
		{2, 1, 9, 0, 5000 * MS, "TSL:XlaPass:#name=gemm-algorithm-picker#"},
		{3, 1, 9, 5000 * MS, 10000 * MS, "TSL:XlaEmitLlvmIr:#x#"}};
	static const struct case_range quick[] = {
		{1, 0, 9, 0, 4000 * MS, "TSL:XlaCompile:#module=jit_step#"},
		{2, 1, 9, 0, 4000 * MS, "TSL:XlaPass:#name=gemm-algorithm-picker#"}};
	struct make m = healthy;
	m.compiles = slow;
	m.n_compiles = JR_COUNT_OF(slow);
	expect(*state, &m, "compile-time", JR_INFO, JR_NULL_I64,
		"Compilation spends 5.00 s in “XlaEmitLlvmIr");
	m.compiles = quick;
	m.n_compiles = JR_COUNT_OF(quick);
	expect_none(*state, &m, "compile-time", "passed");
	expect_none(*state, &healthy, "compile-time", "unknown");
	/* if processes compile in parallel, the cost is that of one process */
	m.n_compiling = 3;
	expect_none(*state, &m, "compile-time", "passed");
	struct pass_run run;
	m.compiles = slow;
	m.n_compiles = JR_COUNT_OF(slow);
	run_make(&run, *state, &m);
	assert_non_null(find(&run, "compile-time"));
	assert_non_null(strstr(find(&run, "compile-time")->evidence,
		"This self time is 50.0 % of compilation, which waits for it and takes 10.0 s per process, "
		"4 processes in parallel."));
	passes_done(&run);
}

/* Own time of the first compilation counts as loading libraries, not as a pass of the program. */
static UNIT_IN_ARENA(test_library_loading)
{
	static const struct case_range first[] = {
		{1, 0, 9, 0, 10000 * MS, "TSL:XlaCompile:#module=jit_step#"},
		{2, 1, 9, 0, 4000 * MS, "TSL:XlaPass:#name=gemm-algorithm-picker#"}};
	struct make m = healthy;
	m.compiles = first;
	m.n_compiles = JR_COUNT_OF(first);
	expect(*state, &m, "library-loading", JR_INFO, JR_NULL_I64,
		"Loading libraries during compilation takes 6.00 s");
	expect(*state, &m, "library-loading", JR_INFO, JR_NULL_I64,
		"This is 60.0 % of compilation, which takes 10.0 s.");
	expect(*state, &m, "library-loading", JR_INFO, JR_NULL_I64,
		"6.00 s is self time of the first compilation");
	check_detail(*state, m, "library-loading", NULL, "only moves it to the first step", true);
	check_detail(*state, m, "library-loading", NULL, "jax.lax.scan", false);
	expect(*state, &m, "compile-time", JR_INFO, JR_NULL_I64,
		"which waits for it and takes 10.0 s.");
}

/* Loading within autotuning does not count as autotuning. */
static UNIT_IN_ARENA(test_loading_within)
{
#define PICKER "XlaPass:#name=gemm-algorithm-picker#"
	static const struct case_range within[] = {
		{1, 0, 9, 0, 10000 * MS, "TSL:XlaCompile:#module=jit_step#"},
		{2, 1, 9, 0, 6000 * MS, "TSL:" PICKER},
		{3, 2, 9, 100 * MS, 5600 * MS, "cuBLAS:cublasCreate_v2"},
		{4, 1, 9, 6000 * MS, 8000 * MS, "TSL:XlaEmitLlvmIr:#x#"},
		{5, 1, 9, 8000 * MS, 10000 * MS, "TSL:XlaCompileGpuAsm"}};
	static const struct case_range used[] = {
		{1, 0, 9, 0, 10000 * MS, "TSL:XlaCompile:#module=jit_step#"},
		{2, 1, 9, 0, 10000 * MS, "TSL:" PICKER},
		{3, 2, 9, 100 * MS, 9600 * MS, "cuBLAS:cublasGemmEx"}};
	struct make m = healthy;
	m.compiles = within;
	m.n_compiles = JR_COUNT_OF(within);
	expect(*state, &m, "library-loading", JR_INFO, JR_NULL_I64,
		"This is 55.0 % of compilation, which takes 10.0 s.");
	expect(*state, &m, "library-loading", JR_INFO, JR_NULL_I64,
		"The call with the most time is “cuBLAS:cublasCreate_v2”, 5.50 s, within “" PICKER "”");
	expect_none(*state, &m, "compile-time", "passed");
	struct pass_run run;
	m.n_compiling = 3;
	run_make(&run, *state, &m);
	assert_non_null(find(&run, "library-loading"));
	assert_string_equal(find(&run, "library-loading")->title,
		"Loading libraries during compilation takes 5.50 s per process on average");
	passes_done(&run);
	/* work of a library belongs to the surrounding range */
	m.n_compiling = 0;
	m.compiles = used;
	m.n_compiles = JR_COUNT_OF(used);
	expect(*state, &m, "compile-time", JR_INFO, JR_NULL_I64,
		"This self time is 100 % of compilation");
	expect_none(*state, &m, "library-loading", "passed");
}

/* All allocated memory counts; the advice is about the largest part. */
static UNIT_IN_ARENA(test_memory)
{
	struct make m = healthy;
	m.heap_bytes = 76;
	m.memory_bytes = 100;
	expect(*state, &m, "peak-memory", JR_NOTICE, JR_NULL_I64,
		"The largest of 1 buffer alive at its peak is “gemm.1” (temporary), 76 B");
	m.heap_bytes = 50;
	m.donated_bytes = 30;
	m.constant_bytes = 15;
	expect(*state, &m, "peak-memory", JR_WARNING, JR_NULL_I64, "It is 95 B of 100 B.");
	expect(*state, &m, "peak-memory", JR_WARNING, JR_NULL_I64,
		"allocates it for “jit_step”: parameters 30 B, outputs 0 B, constants 15 B, temporaries 50 "
		"B.");
	m.constant_bytes = 0;
	m.heap_bytes = 44;
	expect_none(*state, &m, "peak-memory", "passed");
	m.unused_memory_bytes = 10;
	m.n_unused = 1;
	expect_none(*state, &m, "peak-memory", "passed");
	m.memory_bytes = m.unused_memory_bytes = 0;
	expect_none(*state, &m, "peak-memory", "unknown");
}

static UNIT_IN_ARENA(test_memory_advice)
{
	struct make m = healthy;
	m.memory_bytes = 100;
	m.heap_bytes = 30;
	m.donated_bytes = 60;
	check_detail(*state, m, "peak-memory", NULL, "The largest part is arguments", true);
	check_detail(*state, m, "peak-memory", NULL, "donate_argnums", false);
	m.donated_bytes = 0;
	m.parameter_bytes = 35;
	m.output_bytes = 30;
	check_detail(*state, m, "peak-memory", NULL, "The largest part is arguments", true);
	/* the program does not state which outputs reuse the memory of arguments */
	check_detail(*state, m, "peak-memory", NULL, "donate_argnums", false);
	m.parameter_bytes = 4;
	m.output_bytes = 50;
	check_detail(*state, m, "peak-memory", NULL, "The largest part is results", true);
	check_detail(*state, m, "peak-memory", NULL, "donate_argnums", false);
	m.heap_bytes = 60;
	m.output_bytes = 20;
	check_detail(*state, m, "peak-memory", NULL, "The largest part is intermediate", true);
	m.constant_bytes = 70;
	check_detail(*state, m, "peak-memory", NULL, "The largest part is constants", true);
}

static UNIT_IN_ARENA(test_few_steps)
{
	struct make m = MAKE(.n_steps = 4);
	expect(
		*state, &m, "few-steps", JR_INFO, JR_NULL_I64, "Only 4 steady executions of the step were");
	expect_none(*state, &healthy, "few-steps", "passed");
	m.warmup = JR_WARMUP_COUNT; /* none is warm-up */
	m.warmup_count = 10;
	expect(*state, &m, "few-steps", JR_INFO, JR_NULL_I64, "Only 4 executions of the step were");
}

/* All executions are warm-up by the rule, so all of them are used. */
static UNIT_IN_ARENA(test_no_steady_state)
{
	struct make m = healthy;
	m.warmup = JR_WARMUP_COUNT;
	m.warmup_count = 10;
	expect(*state, &m, "no-steady-state", JR_WARNING, JR_NULL_I64, "include warm-up");
	m.warmup_count = 5;
	expect_none(*state, &m, "no-steady-state", "passed");
}

static UNIT_IN_ARENA(test_command_buffers)
{
	struct make m = healthy;
	m.n_hidden = 40;
	expect(*state, &m, "command-buffers", JR_NOTICE, JR_NULL_I64, "1 of about 51 kernels");
	m.xla_flags = "--xla_gpu_enable_command_buffer="; /* off: another cause */
	expect_none(*state, &m, "command-buffers", "unknown");
	m.xla_flags = NULL;
	m.n_hidden = 20;
	m.n_untaken = 100; /* a branch that is not taken does not indicate hidden kernels */
	m.fusion = m.scatter = m.copy = m.turned = m.softmax = m.own = 1;
	expect_none(*state, &m, "command-buffers", "passed");
	m.n_hidden = 0; /* a small program may do anything */
	expect_none(*state, &m, "command-buffers", "unknown");
}

/* The sentence names the largest saving. The time breakdown of a step is that of all its steps. */
static UNIT_IN_ARENA(test_verdict)
{
	struct make m = MAKE(.between = 2 * MS, .reduce = 1 * MS, .n_devices = 2);
	struct pass_run run;
	run_make(&run, *state, &m);
	const char *verdict = jr_results_scalar(&run.results, "verdict")->value.text;
	if (!strstr(verdict, "13.00 ms per step. Biggest opportunity: the GPU waits for the host "
						 "between modules, up to "
						 "2.00 ms (15.4 %). Compute takes 76.9 % of the step. Fixing the biggest "
						 "opportunity would "
						 "cut the step to 11.0 ms."))
		fail_msg("%s", verdict);
	const struct jr_table *step = run_table(&run, "step_ledger");
	static const char *const parts[] = {"compute_ms", "exposed_communication_ms", "exposed_copy_ms",
		"idle_in_modules_ms", "idle_between_modules_ms", "other_programs_ms"};
	double sum = 0;
	for (size_t i = 0; i < JR_COUNT_OF(parts); i++) {
		double v = table_cells(step, parts[i])->f64[0];
		assert_true(fabs(v * 10 - (double)ledger_sum(&run, parts[i])) < 1e-3);
		sum += v;
	}
	assert_true(fabs(sum - table_cells(step, "wall_ms")->f64[0]) < 1e-3);
	passes_done(&run);
}

/* The opportunity in the sentence also leads the list. Waiting is reported once, for the device
 * that causes it. */
static UNIT_IN_ARENA(test_verdict_names_the_first)
{
	struct make m = MAKE(.reduce = 10 * US, .late = 700 * US, .n_devices = 4);
	struct pass_run run;
	run_make(&run, *state, &m);
	assert_string_equal(run.results.findings[0].id, "straggler");
	assert_null(find(&run, "exposed-communication"));
	assert_non_null(strstr(jr_results_scalar(&run.results, "verdict")->value.text,
		"Biggest opportunity: device 3 delays the others in 6 of 6 steps, up to "));
	passes_done(&run);
}
