/* Advice is given only if its preconditions are known to hold for the program. */
#include "cost_case.h"
#include "findings_case.h"

#define STEPS 6

static const struct jr_gpu a100 = {.cuda_device = 0,
	.memory_bandwidth_bytes_s = 1555200000000,
	.memory_bytes = 40000000000,
	.sm_count = 108,
	.clock_hz = 1410000000,
	.compute_capability = 80};

/* A kernel in each step of each device; kernels run one after the other. */
struct kernel {
	const char *name;
	int64_t ns, late_ns; /* late: more on the last device; negative: the others wait that long */
};

/* A job: steps of "jit_f", each after an execution of `input`, if there is one. */
struct case_job {
	struct jr_arena *arena;
	const Xla__HloProto *step, *input, *other; /* other: runs once per step, too */
	const struct kernel *kernels;              /* [n] */
	size_t n;
	int n_devices;
	int64_t gap_ns; /* before each kernel */
	int64_t between_ns;
};

static void add_device(struct job_rows *rows, const struct case_job *job, int device)
{
	int64_t at = 1000, tid = 100 + device;
	bool last = device == job->n_devices - 1;
	for (int s = 0; s < STEPS; s++) {
		if (job->input) {
			int64_t up = rows_add(rows, 0, at, at + 2000, tid, MODULE("8", "jit_make"));
			rows_add(rows, up, at, at + 2000, tid, THUNK("made"));
			at += 2000;
		}
		if (job->other) {
			int64_t up = rows_add(rows, 0, at, at + 2000, tid, MODULE("9", "jit_other"));
			rows_add(rows, up, at, at + 2000, tid, THUNK("more"));
			at += 2000;
		}
		int64_t up = rows_add(rows, 0, at, at, tid, MODULE("7", "jit_f"));
		for (size_t k = 0; k < job->n; k++) {
			const struct kernel *kernel = &job->kernels[k];
			int64_t ns = kernel->ns;
			ns += kernel->late_ns > 0 && last ? kernel->late_ns : 0;
			ns -= kernel->late_ns < 0 && !last ? kernel->late_ns : 0;
			at += job->gap_ns;
			rows_add(rows, up, at, at + ns, tid, "Thunk:#hlo_op=%s#", kernel->name);
			at += ns;
		}
		rows->items[up - 1].end = at;
		at += job->between_ns;
	}
}

static void run_job(struct pass_run *run, const struct case_job *job)
{
	struct job_rows rows = {.arena = job->arena};
	for (int d = 0; d < job->n_devices; d++)
		add_device(&rows, job, d);
	struct job_process process = rows_process(&rows, (size_t)job->n_devices);
	struct job_hlo hlo[3] = {{7, job->step}};
	size_t n = 1;
	if (job->input)
		hlo[n++] = (struct job_hlo){8, job->input};
	if (job->other)
		hlo[n++] = (struct job_hlo){9, job->other};
	process.hlo = hlo;
	process.n_hlo = n;
	struct jr_gpu gpus[8];
	for (int d = 0; d < job->n_devices; d++) {
		gpus[d] = a100;
		gpus[d].cuda_device = d;
		gpus[d].named = true;
		gpus[d].device.global = gpus[d].device.local = (uint32_t)d;
	}
	process.gpus = gpus;
	process.n_gpus = (size_t)job->n_devices;
	struct jr_options options = jr_options_default();
	options.warmup = JR_WARMUP_NONE;
	passes_of(run, &options, &process);
	check_results(&run->results);
	jr_vec_done(&rows);
}

/* Check that the job has this finding, and that its texts contain the words, or do not. */
static void expect(const struct case_job *job, const char *id, const char *words, bool has)
{
	struct pass_run run;
	run_job(&run, job);
	const struct jr_finding *f = find(&run, id);
	if (!f)
		fail_msg("no finding '%s' with '%s'", id, words);
	bool found = strstr(f->title, words) || strstr(advice_of(f), words) ||
				 (f->evidence && strstr(f->evidence, words));
	if (found != has)
		fail_msg("'%s' %s: %s | %s | %s", words, has ? "is missing" : "is there", f->title,
			advice_of(f), f->evidence ? f->evidence : "");
	passes_done(&run);
}

static void expect_none(const struct case_job *job, const char *id)
{
	struct pass_run run;
	run_job(&run, job);
	if (find(&run, id))
		fail_msg("%s: %s", id, find(&run, id)->title);
	passes_done(&run);
}

static void name_op(struct cost_case *c, Xla__HloInstructionProto *i, const char *op_name)
{
	i->metadata = build_new(c->arena, &xla__op_metadata__descriptor);
	i->metadata->op_name = TEXT(c->arena, op_name);
}

#define JOB(c, list)                                                                               \
	{                                                                                              \
		.arena = (c)->arena, .step = (c)->proto, .kernels = (list), .n = JR_COUNT_OF(list),        \
		.n_devices = 1                                                                             \
	}

/* --- donated buffers ----------------------------------------------------------------------------
 */

static void put_alias(struct cost_case *c, int64_t output, int64_t parameter)
{
	Xla__HloInputOutputAliasProto__AliasEntryProto *entry =
		build_new(c->arena, &xla__hlo_input_output_alias_proto__alias_entry_proto__descriptor);
	ADD(c->arena, entry, output_shape_index, output);
	entry->parameter_number = parameter;
	ADD(c->arena, c->proto->hlo_module->input_output_alias, entries, entry);
}

/* Build a program with two input arrays and two outputs of these types; -1 aliases: not stated
 * at all. */
static void build_update(
	struct cost_case *c, struct jr_arena *a, const char *outputs, int n_aliases)
{
	case_begin(c, a);
	put_parameters(c, "f32[1024,8] f32[64]");
	put(c, "copy.1", "copy", "f32[1024,8]", "p0");
	put(c, "add.2", "add", "f32[64]", "p1 p1");
	put(c, "out", "tuple", outputs, "copy.1 add.2");
	if (n_aliases >= 0)
		c->proto->hlo_module->input_output_alias =
			build_new(a, &xla__hlo_input_output_alias_proto__descriptor);
	for (int i = 0; i < n_aliases; i++)
		put_alias(c, i, i);
}

static UNIT_IN_ARENA(of_donation)
{
	static const struct kernel kernels[] = {{"copy.1", 100 * US, 0}, {"gemm.8", 4 * MS, 0}};
	struct cost_case c;
	const char *same = "(f32[1024,8], f32[64])";
	build_update(&c, *state, same, 0);
	struct case_job job = JOB(&c, kernels);
	expect(&job, "layout-copies", "outputs of 33.02 kB have the type and shape of arguments", true);
	build_update(&c, *state, same, 1); /* 64 floats are left */
	job.step = c.proto;
	expect(&job, "layout-copies", "outputs of 256 B have", true);
	build_update(&c, *state, same, 2);
	job.step = c.proto;
	expect(&job, "layout-copies", "donat", false);
	build_update(&c, *state, "(bf16[1024,8], f32[8,8])", 0); /* of another type, of another shape */
	job.step = c.proto;
	expect(&job, "layout-copies", "donat", false);
	build_update(&c, *state, same, -1);
	job.step = c.proto;
	expect(&job, "layout-copies", "donat", false);
}

/* Operands of products have an order; operands of a program without products have none. */
static UNIT_IN_ARENA(of_transposes)
{
	static const struct kernel kernels[] = {{"transpose.1", 100 * US, 0}, {"dot.2", 4 * MS, 0}};
	static const struct kernel without[] = {{"transpose.1", 100 * US, 0}, {"gemm.8", 4 * MS, 0}};
	struct cost_case c;
	case_begin(&c, *state);
	put_parameters(&c, "f32[64,8]");
	put(&c, "transpose.1", "transpose", "f32[8,64]", "p0");
	put_dot(&c, put(&c, "dot.2", "dot", "f32[8,8]", "transpose.1 p0"), 1);
	struct case_job job = JOB(&c, kernels);
	expect(&job, "layout-copies", "einsum", true);
	job.kernels = without;
	expect(&job, "layout-copies", "einsum", false);
}

/* --- loops and graphs ---------------------------------------------------------------------------
 */

/* Build kernels a.N of a loop's body, or of the program itself. */
static void build_loop(struct cost_case *c, struct jr_arena *a, bool loop, const char *op_name)
{
	char name[16];
	case_begin(c, a);
	int64_t body = 0, condition = 0;
	if (loop) {
		condition = case_computation(c, "while_condition");
		put_parameters(c, "f32[64]");
		put(c, "yes", "constant", "pred[]", "");
		body = case_computation(c, "while_body");
	}
	put_parameters(c, "f32[64]");
	for (int i = 0; i < 24; i++) {
		snprintf(name, sizeof(name), "a.%d", i);
		name_op(c, put(c, name, "add", "f32[64]", "p0 p0"), op_name);
	}
	if (!loop)
		return;
	c->at = c->entry;
	put_parameters(c, "f32[64]");
	Xla__HloInstructionProto *i = put(c, "while.1", "while", "f32[64]", "p0");
	ADD(c->arena, i, called_computation_ids, body);
	ADD(c->arena, i, called_computation_ids, condition);
}

static struct kernel small_kernels[24];

static UNIT_IN_ARENA(of_loops)
{
	struct cost_case c;
	for (size_t i = 0; i < JR_COUNT_OF(small_kernels); i++)
		small_kernels[i] = (struct kernel){jr_arena_printf(*state, "a.%d", (int)i), 20 * US, 0};
	build_loop(&c, *state, true, "jit(f)/jit(main)/while/body/add");
	struct case_job job = JOB(&c, small_kernels);
	job.gap_ns = 2 * US;
	expect(&job, "idle-inside-modules", "run inside a loop", true);
	expect(&job, "idle-inside-modules", "Python", false);
	expect(&job, "idle-inside-modules", "No command buffer (CUDA graph) ran in the step.", true);
	build_loop(&c, *state, false, "jit(f)/jit(main)/add");
	job.step = c.proto;
	expect(&job, "idle-inside-modules", "loop", false);
	expect(&job, "idle-inside-modules", "No command buffer (CUDA graph) ran in the step.", true);
}

static UNIT_IN_ARENA(of_graphs)
{
	struct cost_case c;
	static struct kernel with_graph[25];
	for (size_t i = 0; i < 24; i++)
		with_graph[i] = (struct kernel){jr_arena_printf(*state, "a.%d", (int)i), 20 * US, 0};
	with_graph[24] = (struct kernel){"command_buffer.3", 20 * US, 0};
	build_loop(&c, *state, false, "jit(f)/jit(main)/add");
	struct case_job job = JOB(&c, with_graph);
	job.gap_ns = 2 * US;
	expect(&job, "idle-inside-modules", "already runs as command buffers", true);
	expect(&job, "idle-inside-modules", "No command buffer", false);
}

/* --- words of machine learning ------------------------------------------------------------------
 */

static UNIT_IN_ARENA(of_words)
{
	static const char *const words[] = {
		"batch", "token", "weight", "layer", "gradient", "train", "model"};
	static const char *const rules[] = {"idle-between-modules", "idle-inside-modules"};
	struct cost_case c;
	for (size_t i = 0; i < JR_COUNT_OF(small_kernels); i++)
		small_kernels[i] = (struct kernel){jr_arena_printf(*state, "a.%d", (int)i), 20 * US, 0};
	build_loop(&c, *state, false, "jit(flow)/jit(main)/euler/add");
	struct case_job job = JOB(&c, small_kernels);
	job.gap_ns = 2 * US;
	job.between_ns = 300 * US;
	for (size_t i = 0; i < JR_COUNT_OF(words); i++)
		for (size_t k = 0; k < JR_COUNT_OF(rules); k++)
			expect(&job, rules[k], words[i], false);
	/* a solver that is differentiated */
	build_loop(&c, *state, false, "jit(step)/jit(main)/transpose(jvp(euler))/add");
	job.step = c.proto;
	for (size_t i = 0; i < JR_COUNT_OF(words); i++)
		expect(&job, "idle-between-modules", words[i], false);
	put_dot(&c, put(&c, "dot.1", "dot", "f32[]", "p0 p0"), 0);
	small_kernels[0].name = "dot.1";
	expect(&job, "idle-between-modules", "next batch", true);
}

/* --- indices ------------------------------------------------------------------------------------
 */

/* Build a fusion that scatters 512 rows into a table; `indices` says how p1 becomes its indices. */
enum indices { AS_THEY_ARE, COUNTED, SORTED, GATHERED, CLAMPED };

static void build_scatter(
	struct cost_case *c, struct jr_arena *a, enum indices how, const char *kernel, bool gather)
{
	case_begin(c, a);
	int64_t add = case_reducer(c, "add", "f32");
	int64_t id = case_computation(c, "fused");
	put_parameters(c, "f32[4096,64] s32[512,1] f32[512,64]");
	put(c, "moved", "bitcast", "s32[512,1]", "p1");
	if (gather) {
		put(c, "g", "gather", "f32[512,64]", "p0 moved");
	} else {
		Xla__HloInstructionProto *i = put(c, "s", "scatter", "f32[4096,64]", "p0 moved p2");
		ADD(a, i, called_computation_ids, add);
	}
	c->at = c->entry;
	put_parameters(c, "f32[4096,64] s32[512] f32[512,64] s32[128]");
	const char *from = "p1";
	Xla__HloInstructionProto *i;
	switch (how) {
	case AS_THEY_ARE:
		break;
	case COUNTED:
		put(c, "ids", "iota", "s32[512]", "");
		from = "ids";
		break;
	case SORTED:
		i = put(c, "ids", "sort", "s32[512]", "p1");
		from = "ids";
		break;
	case GATHERED:
		i = put(c, "ids", "all-gather", "s32[512]", "p3");
		put_groups(c, i, 2);
		from = "ids";
		break;
	case CLAMPED: /* as JAX does with negative indices */
		put(c, "zero", "constant", "s32[]", "");
		put(c, "zeros", "broadcast", "s32[512]", "zero");
		put(c, "below", "compare", "pred[512]", "p1 zeros");
		put(c, "more", "add", "s32[512]", "p1 zeros");
		put(c, "ids", "select", "s32[512]", "below more p1");
		from = "ids";
		break;
	}
	put(c, "column", "reshape", "s32[512,1]", from);
	i = put(c, kernel, "fusion", gather ? "f32[512,64]" : "f32[4096,64]", "p0 column p2");
	ADD(a, i, called_computation_ids, id);
	i = put(c, "all-reduce.9", "all-reduce", "f32[64]", "p2");
	put_groups(c, i, 2);
	c->at->root_id = c->at->instructions[c->at->n_instructions - 2]->id;
}

/* Build a program without arguments. Its results have these shapes; each is `opcode` of a
 * constant or of a count. */
static void build_input(struct cost_case *c, struct jr_arena *a, const char *shape, bool counted)
{
	char out[64];
	case_begin(c, a);
	int64_t id = case_computation(c, "fused_broadcast");
	if (counted) {
		put(c, "filled", "iota", shape, "");
	} else {
		put(c, "one", "constant", "s32[]", "");
		put(c, "filled", "broadcast", shape, "one");
	}
	c->at = c->entry;
	Xla__HloInstructionProto *i = put(c, "made", "fusion", shape, "");
	ADD(a, i, called_computation_ids, id);
	put(c, "again", "copy", shape, "made");
	snprintf(out, sizeof(out), "(%s, %s)", shape, shape);
	put(c, "out", "tuple", out, "made again");
}

#define CONSTANT "All its indices are equal"

static UNIT_IN_ARENA(of_constant_input)
{
	static const struct kernel kernels[] = {{"any_name.4", 800 * US, 0}};
	struct cost_case c, input, other;
	build_scatter(&c, *state, AS_THEY_ARE, "any_name.4", false);
	build_input(&input, *state, "s32[512]", false);
	struct case_job job = JOB(&c, kernels);
	job.input = input.proto;
	expect(&job, "constant-input", "1 array of s32[512] has the same value in every element", true);
	expect(&job, "constant-input", "The indices of “any_name.4” come from the constant", true);
	expect(&job, "constant-input", "tokens", false);
	expect(&job, "hot-thunk", CONSTANT, true);
	expect(&job, "hot-thunk", "the slowest case", true);
	expect(&job, "hot-thunk", "sort them first", false);
	expect(&job, "hot-thunk", "one-hot", false);
	build_scatter(&c, *state, CLAMPED, "any_name.4", false);
	job.step = c.proto;
	expect(&job, "hot-thunk", CONSTANT, true);
	build_scatter(&c, *state, AS_THEY_ARE, "any_name.4", true);
	job.step = c.proto;
	expect(&job, "hot-thunk", "All indices of the gather are equal", true);
	/* a count is not constant, nor is a value that another program may have made */
	build_input(&other, *state, "s32[512]", true);
	job.other = other.proto;
	expect_none(&job, "constant-input");
	expect(&job, "hot-thunk", "equal", false);
	job.other = NULL;
	job.input = other.proto;
	expect_none(&job, "constant-input");
	build_input(&input, *state, "s32[511]", false); /* of another size */
	job.input = input.proto;
	expect_none(&job, "constant-input");
	job.input = NULL;
	expect_none(&job, "constant-input");
}

static UNIT_IN_ARENA(of_indices)
{
	static const struct kernel kernels[] = {{"any_name.4", 800 * US, 0}};
	struct cost_case c;
	build_scatter(&c, *state, AS_THEY_ARE, "any_name.4", false);
	struct case_job job = JOB(&c, kernels);
	expect(&job, "hot-thunk", "Sort the indices first if they repeat", true);
	expect(&job, "hot-thunk", "indices_are_sorted", false);
	build_scatter(&c, *state, SORTED, "any_name.4", false);
	job.step = c.proto;
	expect(&job, "hot-thunk", "sort them first", false);
	expect(&job, "hot-thunk", "indices_are_sorted=True", true);
	build_scatter(&c, *state, COUNTED, "any_name.4", false);
	job.step = c.proto;
	expect(&job, "hot-thunk", "sort them first", false);
}

/* --- a slow device ------------------------------------------------------------------------------
 */

/* Check a job whose kernel is 400 us slower on the last of two devices, while the other one
 * waits for it. */
static void expect_slow(struct cost_case *c, const char *name, const char *words, bool has)
{
	const struct kernel kernels[] = {{name, 500 * US, 400 * US}, {"steady.5", 900 * US, 0},
		{"all-reduce.9", 100 * US, -400 * US}};
	struct case_job job = JOB(c, kernels);
	job.n_devices = 2;
	expect(&job, "straggler", words, has);
}

static UNIT_IN_ARENA(of_slow_devices)
{
	struct cost_case c;
	build_scatter(&c, *state, AS_THEY_ARE, "plain.1", false);
	expect_slow(&c, "plain.1", "and each device has its own", true);
	build_scatter(&c, *state, GATHERED, "plain.1", false);
	expect_slow(
		&c, "plain.1", "so sorting or balancing them does not help. The profile does not show why",
		true);
	expect_slow(&c, "plain.1", "its own indices", false);
	build_scatter(&c, *state, COUNTED, "scatter_dynamic.1", true);
	expect_slow(&c, "scatter_dynamic.1", "slow in some kernels", true);
	build_scatter(&c, *state, AS_THEY_ARE, "plain.1", true);
	expect_slow(&c, "plain.1", "depends on the indices, and", true);
	/* the name does not decide: this kernel only adds */
	case_begin(&c, *state);
	put_parameters(&c, "f32[64]");
	put(&c, "dynamic_scatter_gather_sort.1", "add", "f32[64]", "p0 p0");
	put_groups(&c, put(&c, "all-reduce.9", "all-reduce", "f32[64]", "p0"), 2);
	expect_slow(&c, "dynamic_scatter_gather_sort.1", "indices", false);
	expect_slow(&c, "dynamic_scatter_gather_sort.1", "slow in some kernels", true);
}

/* --- one-hot products ---------------------------------------------------------------------------
 */

struct hot {
	const char *direction, *other; /* the count is compared with this: "p0", or another count */
	bool select, within, gradient;
	const char *product; /* opcode */
};

/* Build ids [512] as rows of 4096 columns. They select 64 columns, or add up rows. */
static void build_one_hot(struct cost_case *c, struct jr_arena *a, const struct hot *hot)
{
	case_begin(c, a);
	int64_t id = hot->within ? 0 : case_computation(c, "fused_one_hot");
	put_parameters(c, hot->within ? "s32[512] f32[4096,64] f32[512,64]" : "s32[512]");
	put(c, "wide", "broadcast", "s32[512,4096]", "p0");
	put(c, "count", "iota", "s32[512,4096]", "");
	put(c, "rows", "iota", "s32[512,4096]", "");
	char operands[32];
	snprintf(operands, sizeof(operands), "count %s", hot->other);
	Xla__HloInstructionProto *i = put(c, "equal", "compare", "pred[512,4096]", operands);
	i->comparison_direction = TEXT(a, hot->direction);
	if (hot->select) {
		put(c, "one", "constant", "f32[]", "");
		put(c, "ones", "broadcast", "f32[512,4096]", "one");
		put(c, "matrix", "select", "f32[512,4096]", "equal ones ones");
	} else {
		put(c, "matrix", "convert", "f32[512,4096]", "equal");
	}
	if (!hot->within) {
		c->at = c->entry;
		put_parameters(c, "s32[512] f32[4096,64] f32[512,64]");
		i = put(c, "hot", "fusion", "f32[512,4096]", "p0");
		ADD(a, i, called_computation_ids, id);
	}
	const char *matrix = hot->within ? "matrix" : "hot";
	snprintf(operands, sizeof(operands), hot->gradient ? "%s p2" : "%s p1", matrix);
	i = put(c, "product.7", hot->product, hot->gradient ? "f32[4096,64]" : "f32[512,64]", operands);
	if (strcmp(hot->product, "custom-call") == 0) {
		put_call(c, i, "__cublas$gemm");
		put_config(c, i,
			hot->gradient ? "{\"gemm_backend_config\":{\"dot_dimension_numbers\":"
							"{\"lhs_contracting_dimensions\":[\"0\"]}}}"
						  : "{\"gemm_backend_config\":{\"dot_dimension_numbers\":"
							"{\"lhs_contracting_dimensions\":[\"1\"]}}}");
	} else {
		put_dot(c, i, hot->gradient ? 0 : 1);
	}
}

static UNIT_IN_ARENA(of_one_hot_products)
{
	static const struct kernel kernels[] = {{"product.7", 500 * US, 0}, {"x", 500 * US, 0}};
	static const struct hot are[] = {
		{"EQ", "wide", false, false, false, "dot"},
		{"EQ", "wide", true, false, false, "dot"},
		{"EQ", "wide", false, true, false, "dot"},
		{"EQ", "wide", false, false, true, "dot"},
		{"EQ", "wide", false, false, false, "custom-call"},
		{"EQ", "wide", false, false, true, "custom-call"},
	};
	static const struct hot are_not[] = {
		{"GE", "wide", false, false, false, "dot"}, /* a mask */
		{"EQ", "rows", false, false, false, "dot"}, /* a diagonal */
	};
	struct cost_case c;
	for (size_t i = 0; i < JR_COUNT_OF(are); i++) {
		build_one_hot(&c, *state, &are[i]);
		struct case_job job = JOB(&c, kernels);
		expect(
			&job, "one-hot-products", "take 500 µs per step (50.0 %) and 100 % of the FLOPs", true);
		expect(&job, "one-hot-products", "a gather reads only the rows that it needs", true);
	}
	for (size_t i = 0; i < JR_COUNT_OF(are_not); i++) {
		build_one_hot(&c, *state, &are_not[i]);
		struct case_job job = JOB(&c, kernels);
		expect_none(&job, "one-hot-products");
	}
}

/* --- scores at the peak of memory ---------------------------------------------------------------
 */

static void put_buffer(struct cost_case *c, const char *name, int64_t bytes)
{
	Xla__BufferAssignmentProto *to = c->proto->buffer_assignment;
	Xla__HeapSimulatorTrace__Event *event =
		build_new(c->arena, &xla__heap_simulator_trace__event__descriptor);
	Xla__LogicalBufferProto *buffer = build_new(c->arena, &xla__logical_buffer_proto__descriptor);
	event->buffer_id = buffer->id = (int64_t)to->n_logical_buffers + 1;
	buffer->size = bytes;
	buffer->defined_at = build_new(c->arena, &xla__logical_buffer_proto__location__descriptor);
	buffer->defined_at->instruction_id = case_id(c, name, strlen(name));
	ADD(c->arena, to, logical_buffers, buffer);
	ADD(c->arena, to->heap_simulator_traces[0], events, event);
	Xla__BufferAllocationProto__Assigned *assigned =
		build_new(c->arena, &xla__buffer_allocation_proto__assigned__descriptor);
	assigned->logical_buffer_id = buffer->id;
	assigned->offset = to->buffer_allocations[0]->size;
	assigned->size = bytes;
	to->buffer_allocations[0]->size += bytes;
	ADD(c->arena, to->buffer_allocations[0], assigned, assigned);
}

/* Build softmax(Q K) V of 6 heads, one kernel each; two arrays of scores are alive at the peak. */
static void build_attention(struct cost_case *c, struct jr_arena *a)
{
	enum { SCORES = 4 * 6 * 96 * 64 };
	case_begin(c, a);
	int64_t maximum = case_reducer(c, "maximum", "f32"), sum = case_reducer(c, "add", "f32");
	put_parameters(c, "bf16[6,96,32] bf16[6,64,32] bf16[6,64,32]");
	put(c, "zero", "constant", "f32[]", "");
	put_dot(c, put(c, "scores", "dot", "f32[6,96,64]", "p0 p1"), 2);
	Xla__HloInstructionProto *i = put(c, "maxima", "reduce", "f32[6,96]", "scores zero");
	ADD(a, i, called_computation_ids, maximum);
	ADD(a, i, dimensions, 2);
	put(c, "wide", "broadcast", "f32[6,96,64]", "maxima");
	put(c, "less", "subtract", "f32[6,96,64]", "scores wide");
	put(c, "weights", "exponential", "f32[6,96,64]", "less");
	i = put(c, "sums", "reduce", "f32[6,96]", "weights zero");
	ADD(a, i, called_computation_ids, sum);
	ADD(a, i, dimensions, 2);
	put_dot(c, put(c, "out", "dot", "bf16[6,96,32]", "weights p2"), 2);
	c->proto->buffer_assignment = build_new(a, &xla__buffer_assignment_proto__descriptor);
	ADD(a, c->proto->buffer_assignment, heap_simulator_traces,
		build_new(a, &xla__heap_simulator_trace__descriptor));
	ADD(a, c->proto->buffer_assignment, buffer_allocations,
		build_new(a, &xla__buffer_allocation_proto__descriptor));
	put_buffer(c, "scores", SCORES);
	put_buffer(c, "weights", SCORES);
	put_buffer(c, "maxima", 4 * 6 * 96);
}

static UNIT_IN_ARENA(of_scores_at_peak)
{
	static const struct kernel kernels[] = {{"scores", 200 * US, 0}, {"maxima", 200 * US, 0},
		{"less", 200 * US, 0}, {"weights", 200 * US, 0}, {"sums", 200 * US, 0},
		{"out", 200 * US, 0}};
	struct cost_case c;
	build_attention(&c, *state);
	struct case_job job = JOB(&c, kernels);
	expect(&job, "unfused-attention", "scores take 294.9 kB of 297.2 kB", true);
	c.proto->buffer_assignment = NULL;
	expect(&job, "unfused-attention", "peak memory", false);
}
