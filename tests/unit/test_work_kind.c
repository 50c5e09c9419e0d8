/* The kind of work of a thunk: by opcode, by target, by the work in a fusion. */
#include "hlo_build.h"

#include <stdio.h>

#include "analysis/cost/work_kind.h"

struct job {
	struct jr_arena *a;
	Xla__HloProto *proto;
	Xla__HloComputationProto *entry;
	struct jr_profile profile;
	struct jr_program program;
	struct jr_hlo hlo;
	struct jr_work_kinds kinds;
};

static void begin(struct job *job, struct jr_arena *a)
{
	*job = (struct job){.a = a, .proto = build_module(a, "m")};
	job->entry = build_computation(a, job->proto, "main", 1);
	job->proto->hlo_module->entry_computation_id = 1;
}

static void decode(struct job *job)
{
	job->hlo = build_decode(job->proto);
	job->program.hlo = &job->hlo;
	job->profile.programs = &job->program;
	job->profile.n_programs = 1;
	job->kinds = jr_work_kinds_new(&job->profile, job->a);
}

static void assert_kind(struct job *job, const char *name, const char *kind)
{
	const struct jr_op op = {.instruction = jr_hlo_find(&job->hlo, name)};
	const char *got = jr_work_kind_name(jr_work_kind(&job->kinds, &op));
	if (strcmp(got, kind) != 0)
		fail_msg("%s is %s, must be %s", name, got, kind);
}

static Xla__HloInstructionProto *add(
	struct job *job, Xla__HloComputationProto *c, const char *opcode, int64_t id, int64_t elements)
{
	char name[64];
	snprintf(name, sizeof(name), "%s.%lld", opcode, (long long)id);
	Xla__HloInstructionProto *i = build_instruction(job->a, c, name, opcode, id);
	i->shape = build_shape(job->a, XLA__PRIMITIVE_TYPE__F32, (int)elements, -1);
	return i;
}

static void calls(struct job *job, Xla__HloInstructionProto *i, int64_t computation)
{
	ADD(job->a, i, called_computation_ids, computation);
}

/* A result of several parts ends in a tuple of them, which is larger than each part and does no
 * work. */
static UNIT_IN_ARENA(of_several_results)
{
	struct job job;
	begin(&job, *state);
	calls(&job, add(&job, job.entry, "fusion", 10, 8), 2);
	Xla__HloComputationProto *c = build_computation(job.a, job.proto, "fused", 2);
	(void)add(&job, c, "add", 20, 1000);
	(void)add(&job, c, "multiply", 21, 1000);
	(void)add(&job, c, "tuple", 22, 3000);
	decode(&job);
	assert_kind(&job, "fusion.10", "elementwise");
	jr_hlo_done(&job.hlo);
}

static UNIT_IN_ARENA(of_opcodes)
{
	static const struct {
		const char *opcode, *kind;
	} all[] = {{"all-gather", "communication"}, {"bitcast", "data movement"},
		{"cholesky", "matrix product"}, {"convolution", "convolution"}, {"copy", "data movement"},
		{"dot", "matrix product"}, {"fft", "Fourier transform"}, {"gather", "gather, scatter"},
		{"reduce", "reduction"}, {"reduce-window", "reduction"},
		{"rng-bit-generator", "random numbers"}, {"scaled-dot", "matrix product"},
		{"scatter", "gather, scatter"}, {"sort", "sort"}, {"topk", "sort"},
		{"transpose", "data movement"}, {"triangular-solve", "matrix product"},
		{"while", "unknown"}, {"add", "elementwise"}, {"exponential", "elementwise"},
		{"", "unknown"}, {"zzz", "unknown"}};
	struct job job;
	begin(&job, *state);
	for (size_t i = 0; i < JR_COUNT_OF(all); i++)
		(void)add(&job, job.entry, all[i].opcode, 10 + (int64_t)i, 8);
	decode(&job);
	for (size_t i = 0; i < JR_COUNT_OF(all); i++) {
		char name[64];
		snprintf(name, sizeof(name), "%s.%zu", all[i].opcode, 10 + i);
		assert_kind(&job, name, all[i].kind);
	}
	jr_hlo_done(&job.hlo);
}

static UNIT_IN_ARENA(of_targets)
{
	static const struct {
		const char *target, *kind;
	} all[] = {{"__cublas$lt$matmul$f8", "matrix product"}, {"__cudnn$convForward", "convolution"},
		{"__cudnn$fmhaSoftmax", "attention"}, {"__cudnn$fhmaSoftmax", "attention"},
		{"__cub$DeviceRadixSort", "sort"}, {"my_ffi_call", "unknown"}, {"", "unknown"}};
	struct job job;
	begin(&job, *state);
	for (size_t i = 0; i < JR_COUNT_OF(all); i++)
		add(&job, job.entry, "custom-call", 10 + (int64_t)i, 8)->custom_call_target =
			TEXT(job.a, all[i].target);
	decode(&job);
	for (size_t i = 0; i < JR_COUNT_OF(all); i++) {
		char name[64];
		snprintf(name, sizeof(name), "custom-call.%zu", 10 + i);
		assert_kind(&job, name, all[i].kind);
	}
	jr_hlo_done(&job.hlo);
}

/* A gather of a few rows in a fusion that adds many; a reduction of everything; a small product. */
static UNIT_IN_ARENA(of_fusions)
{
	struct job job;
	begin(&job, *state);
	Xla__HloComputationProto *c = build_computation(job.a, job.proto, "few_rows", 2);
	(void)add(&job, c, "parameter", 20, 1 << 20);
	(void)add(&job, c, "gather", 21, 64);
	(void)add(&job, c, "add", 22, 4096);
	c = build_computation(job.a, job.proto, "summed", 3);
	(void)add(&job, c, "parameter", 30, 1 << 20);
	(void)add(&job, c, "multiply", 31, 1 << 20);
	Xla__HloInstructionProto *reduce = add(&job, c, "reduce", 32, 1);
	ADD(job.a, reduce, operand_ids, 31);
	c = build_computation(job.a, job.proto, "product", 4);
	(void)add(&job, c, "convert", 40, 1 << 20);
	(void)add(&job, c, "dot", 41, 64);
	c = build_computation(job.a, job.proto, "moved", 5);
	(void)add(&job, c, "transpose", 50, 4096);
	(void)add(&job, c, "bitcast", 51, 4096);
	for (int64_t i = 2; i <= 5; i++)
		calls(&job, add(&job, job.entry, "fusion", 100 + i, 8), i);
	(void)add(&job, job.entry, "fusion", 106, 8); /* calls no computation */
	calls(&job, add(&job, job.entry, "fusion", 107, 8), 77);
	decode(&job);
	assert_kind(&job, "fusion.102", "elementwise");
	assert_kind(&job, "fusion.103", "reduction");
	assert_kind(&job, "fusion.104", "matrix product");
	assert_kind(&job, "fusion.105", "data movement");
	assert_kind(&job, "fusion.106", "unknown");
	assert_kind(&job, "fusion.107", "unknown");
	jr_hlo_done(&job.hlo);
}

/* Computations that call each other in a circle, many times over, and a chain of 200. */
static UNIT_IN_ARENA(of_what_cannot_be)
{
	struct job job;
	begin(&job, *state);
	for (int64_t c = 2; c <= 41; c++) {
		Xla__HloComputationProto *all = build_computation(job.a, job.proto, "circle", c);
		for (int64_t i = 0; i < 40; i++)
			calls(&job, add(&job, all, "fusion", 1000 * c + i, 8), 2 + i);
	}
	for (int64_t c = 100; c < 300; c++)
		calls(&job,
			add(&job, build_computation(job.a, job.proto, "chain", c), "fusion", 1000 * c, 8),
			c + 1);
	(void)add(&job, build_computation(job.a, job.proto, "end", 300), "sort", 300000, 8);
	calls(&job, add(&job, job.entry, "fusion", 1, 8), 2);
	calls(&job, add(&job, job.entry, "fusion", 2, 8), 100);
	calls(&job, add(&job, job.entry, "fusion", 3, 8), 290);
	decode(&job);
	assert_kind(&job, "fusion.1", "unknown");
	assert_kind(&job, "fusion.2", "unknown");
	assert_kind(&job, "fusion.3", "sort");
	jr_hlo_done(&job.hlo);
}

static UNIT(of_nothing)
{
	struct jr_program program = {.hlo = NULL};
	const struct jr_profile profile = {.programs = &program, .n_programs = 1};
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	struct jr_work_kinds kinds = jr_work_kinds_new(&profile, &arena);
	const struct jr_op op = {.instruction = JR_NONE}, own = {.own_copy = true},
					   collective = {.communication = true};
	assert_int_equal(jr_work_kind(&kinds, &op), JR_WORK_UNKNOWN);
	assert_int_equal(jr_work_kind(&kinds, &own), JR_WORK_MOVEMENT);
	assert_int_equal(jr_work_kind(&kinds, &collective), JR_WORK_COLLECTIVE);
}
