/* Advice for kernels that gather and scatter, by what the program states about them. */
#include "findings_case.h"

#define STEP_NS 1000000

static Xla__HloInstructionProto *add(struct jr_arena *a, Xla__HloComputationProto *c,
	const char *opcode, int64_t id, int rows, int columns)
{
	char name[32];
	snprintf(name, sizeof(name), "%s.%d", opcode, (int)id);
	Xla__HloInstructionProto *i = build_instruction(a, c, name, opcode, id);
	i->shape = build_shape(a, XLA__PRIMITIVE_TYPE__F32, rows, columns, -1);
	c->root_id = id;
	return i;
}

/* Build a table of 4096 rows of 64, and 512 rows that are scattered into it or gathered from it.
 * `combiner` is that of a scatter; NULL: it replaces rows. */
static Xla__HloProto *module_of(struct jr_arena *a, const char *opcode, const char *combiner)
{
	Xla__HloProto *proto = build_module(a, "jit_f");
	Xla__HloComputationProto *reducer = build_computation(a, proto, "reducer", 2);
	add(a, reducer, "parameter", 10, 1, 1);
	add(a, reducer, "parameter", 11, 1, 1)->parameter_number = 1;
	if (combiner) {
		Xla__HloInstructionProto *both = add(a, reducer, combiner, 12, 1, 1);
		ADD(a, both, operand_ids, 10);
		ADD(a, both, operand_ids, 11);
	}
	Xla__HloComputationProto *c = build_computation(a, proto, "main", 1);
	add(a, c, "parameter", 1, 4096, 64);
	add(a, c, "parameter", 2, 512, 1);
	add(a, c, "parameter", 3, 512, 64);
	bool scatter = strcmp(opcode, "scatter") == 0;
	Xla__HloInstructionProto *i = add(a, c, opcode, 4, scatter ? 4096 : 512, 64);
	for (int64_t k = 1; k <= (scatter ? 3 : 2); k++)
		ADD(a, i, operand_ids, k);
	if (scatter)
		ADD(a, i, called_computation_ids, 2);
	return proto;
}

static const struct jr_gpu a100 = {.cuda_device = 0,
	.memory_bandwidth_bytes_s = 1555200000000,
	.sm_count = 108,
	.clock_hz = 1410000000,
	.compute_capability = 80};

/* Return whether the finding for the kernel, which takes `ns` of steps of 1 ms, has these words. */
static bool says(
	struct jr_arena *a, const char *opcode, const char *combiner, int64_t ns, const char *words)
{
	struct job_rows rows = {.arena = a};
	char thunk[32];
	snprintf(thunk, sizeof(thunk), "%s.4", opcode);
	const char *range = jr_arena_printf(a, "Thunk:#hlo_op=%s#", thunk);
	for (int s = 0; s < 4; s++) {
		int64_t t = (int64_t)s * STEP_NS;
		int64_t up = rows_add(&rows, 0, t, t + 990000, 100, MODULE("7", "jit_f"));
		rows_add(&rows, up, t, t + ns, 100, "%s", range);
	}
	struct job_process process = rows_process(&rows, 1);
	const struct job_hlo hlo[] = {{7, module_of(a, opcode, combiner)}};
	process.hlo = hlo;
	process.n_hlo = 1;
	process.gpus = &a100;
	process.n_gpus = 1;
	struct jr_options options = jr_options_default();
	options.warmup = JR_WARMUP_NONE;
	struct pass_run run;
	passes_of(&run, &options, &process);
	const struct jr_finding *f = find(&run, "hot-thunk");
	assert_non_null(f);
	bool found = strstr(advice_of(f), words) != NULL;
	passes_done(&run);
	jr_vec_done(&rows);
	return found;
}

/* 2 * 512 * 64 * 4096 FLOPs of tf32 are 1.7 µs of an A100. */
static UNIT_IN_ARENA(of_sizes)
{
	assert_true(
		says(*state, "scatter", "add", 800000, "at least 1.72 µs on tensor cores at these sizes"));
	assert_true(says(*state, "scatter", "add", 800000, "uses atomic additions"));
}

static UNIT_IN_ARENA(of_overwriting)
{
	assert_true(says(*state, "scatter", NULL, 800000, "A scatter that overwrites"));
	assert_false(says(*state, "scatter", NULL, 800000, "one-hot"));
	assert_false(says(*state, "scatter", NULL, 800000, "repeat"));
}

static UNIT_IN_ARENA(of_gathers)
{
	assert_true(says(*state, "gather", NULL, 800000, "Gathers read memory in pieces"));
	assert_false(says(*state, "gather", NULL, 800000, "atomic"));
}
