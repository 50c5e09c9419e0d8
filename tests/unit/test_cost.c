/* Cost of thunks: one hand-made program for each rule of analysis/README.md, section 13. */
#include "cost_case.h"

#include "analysis/cost/cost_parts.h"

/* --- products ------------------------------------------------------------------------------- */

static UNIT_IN_ARENA(test_dot)
{
	static const struct {
		int32_t precision, algorithm;
		enum jr_matrix_class class;
	} cases[] = {
		{0, 0, JR_MATRIX_TF32},
		{1, 0, JR_MATRIX_F32},
		{2, 0, JR_MATRIX_F32},
		{0, 6, JR_MATRIX_BF16},
		{0, 7, JR_MATRIX_BF16X3},
		{0, 8, JR_MATRIX_BF16X6},
		{2, 9, JR_MATRIX_TF32},
		{0, 10, JR_MATRIX_TF32X3},
		{0, 11, JR_MATRIX_F32},
		{0, 13, JR_MATRIX_BF16X9},
	};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		struct cost_case c;
		case_begin(&c, *state);
		put_parameters(&c, "f32[8,128,64] f32[8,64,256]");
		Xla__HloInstructionProto *dot = put(&c, "dot", "dot", "f32[8,128,256]", "p0 p1");
		put_dot(&c, dot, 2);
		put_precision(&c, dot, cases[i].precision, cases[i].algorithm);
		EXPECT_COST(&c, "dot", .class = cases[i].class, .matrix = 33554432, .read = 786432,
			.written = 1048576);
		assert_string_equal(case_cost(&c, "dot").kind, "dot");
	}
}

/* The types of the operands decide; the wider of the two counts. */
static UNIT_IN_ARENA(test_dot_types)
{
	static const struct {
		const char *types; /* of both operands */
		enum jr_matrix_class class;
		uint64_t matrix, int_ops, read;
	} cases[] = {
		{"bf16[16,16] bf16[16,16]", JR_MATRIX_BF16, 8192, 0, 1024},
		{"f16[16,16] f32[16,16]", JR_MATRIX_TF32, 8192, 0, 1536},
		{"s8[16,16] s8[16,16]", JR_MATRIX_S8, 8192, 0, 512},
		{"s4[16,16] s4[16,16]", JR_MATRIX_S4, 8192, 0, 256},
		{"s4[16,16] bf16[16,16]", JR_MATRIX_BF16, 8192, 0, 640},
		{"f4e2m1fn[16,16] f4e2m1fn[16,16]", JR_MATRIX_F4, 8192, 0, 256},
		{"f64[16,16] f64[16,16]", JR_MATRIX_F64, 8192, 0, 4096},
		{"c64[16,16] c64[16,16]", JR_MATRIX_TF32, 32768, 0, 4096},
		{"c128[16,16] c128[16,16]", JR_MATRIX_F64, 32768, 0, 8192},
		{"s32[16,16] s32[16,16]", JR_MATRIX_BF16, 0, 8192, 2048},
	};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		struct cost_case c;
		case_begin(&c, *state);
		put_parameters(&c, cases[i].types);
		put_dot(&c, put(&c, "dot", "dot", "f32[16,16]", "p0 p1"), 1);
		EXPECT_COST(&c, "dot", .class = cases[i].class, .matrix = cases[i].matrix,
			.int_ops = cases[i].int_ops, .read = cases[i].read, .written = 1024);
	}
}

static UNIT_IN_ARENA(test_ragged_dot)
{
	struct cost_case c;
	case_begin(&c, *state);
	put_parameters(&c, "bf16[100,64] bf16[8,64,32] s32[8]");
	put(&c, "dot", "ragged-dot", "bf16[100,32]", "p0 p1 p2");
	EXPECT_COST(
		&c, "dot", .class = JR_MATRIX_BF16, .matrix = 409600, .read = 45600, .written = 6400);
	assert_true(case_cost(&c, "dot").upper_bound);
}

#define GEMM(precision)                                                                            \
	"{\"operation_queue_id\":\"0\",\"gemm_backend_config\":{\"alpha_real\":1,\"beta\":1,"          \
	"\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"1\"],"                           \
	"\"rhs_contracting_dimensions\":[\"1\"]},\"precision_config\":{\"operand_precision\":["        \
	"\"DEFAULT\",\"" precision "\"]},\"epilogue\":\"DEFAULT\"}}"

static UNIT_IN_ARENA(test_cublas)
{
	struct cost_case c;
	case_begin(&c, *state);
	put_parameters(&c, "bf16[4096,8192] bf16[2560,8192] bf16[4096,2560]");
	Xla__HloInstructionProto *call =
		put(&c, "gemm", "custom-call", "(bf16[4096,2560], s8[33554432])", "p0 p1 p2");
	put_call(&c, call, "__cublas$gemm");
	put_config(&c, call, GEMM("DEFAULT"));
	EXPECT_COST(&c, "gemm", .class = JR_MATRIX_BF16, .matrix = 171798691840, .read = 130023424,
		.written = 20971520);
	assert_string_equal(case_cost(&c, "gemm").kind, "custom-call:__cublas$gemm");
}

/* A library uses tf32 up to HIGH. */
static UNIT_IN_ARENA(test_cublas_precision)
{
	static const struct {
		const char *config;
		enum jr_matrix_class class;
	} cases[] = {{GEMM("DEFAULT"), JR_MATRIX_TF32}, {GEMM("HIGH"), JR_MATRIX_TF32},
		{GEMM("HIGHEST"), JR_MATRIX_F32},
		{"{\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[1]},"
		 "\"precision_config\":{\"algorithm\":\"ALG_DOT_BF16_BF16_F32_X3\"}}",
			JR_MATRIX_BF16X3}};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		struct cost_case c;
		case_begin(&c, *state);
		put_parameters(&c, "f32[16,16] f32[16,16]");
		Xla__HloInstructionProto *call =
			put(&c, "gemm", "custom-call", "(f32[16,16], s8[33554432])", "p0 p1");
		put_call(&c, call, "__cublas$gemm");
		put_config(&c, call, cases[i].config);
		EXPECT_COST(
			&c, "gemm", .class = cases[i].class, .matrix = 8192, .read = 2048, .written = 1024);
	}
}

static UNIT_IN_ARENA(test_cublas_f8)
{
	struct cost_case c;
	case_begin(&c, *state);
	put_parameters(&c, "f8e4m3fn[1024,2048] f8e4m3fn[4096,2048] f32[] f32[]");
	Xla__HloInstructionProto *call =
		put(&c, "gemm", "custom-call", "(bf16[1024,4096], s8[1000])", "p0 p1 p2 p3");
	put_call(&c, call, "__cublas$lt$matmul$f8");
	put_config(&c, call, GEMM("DEFAULT"));
	EXPECT_COST(&c, "gemm", .class = JR_MATRIX_F8, .matrix = 17179869184, .read = 10485768,
		.written = 8388608);
}

/* If a fusion converts operands first, its products have the type after conversion. */
static UNIT_IN_ARENA(test_triton)
{
	struct cost_case c;
	case_begin(&c, *state);
	int64_t id = case_computation(&c, "gemm_fusion");
	put_parameters(&c, "bf16[128,512] s8[512,256]");
	put(&c, "convert", "convert", "bf16[512,256]", "p1");
	put_dot(&c, put(&c, "dot", "dot", "bf16[128,256]", "p0 convert"), 1);
	Xla__HloInstructionProto *fusion =
		put_fusion(&c, "f", id, "bf16[128,256]", "bf16[128,512] s8[512,256]");
	put_config(&c, fusion, "{\"fusion_backend_config\":{\"kind\":\"__triton_gemm\"}}");
	EXPECT_COST(
		&c, "f", .class = JR_MATRIX_BF16, .matrix = 33554432, .read = 262144, .written = 65536);
	struct jr_cost cost = case_cost(&c, "f");
	assert_int_equal(cost.other_ops, 131072);
	assert_string_equal(cost.kind, "fusion:__triton_gemm");
}

/* --- windows -------------------------------------------------------------------------------- */

static UNIT_IN_ARENA(test_convolution)
{
	struct cost_case c;
	case_begin(&c, *state);
	put_parameters(&c, "f32[2,8,16,16] f32[16,2,3,3]");
	Xla__HloInstructionProto *i = put(&c, "conv", "convolution", "f32[2,16,16,16]", "p0 p1");
	put_convolution(&c, i, 4);
	put_window(&c, i, 3, 1);
	put_window(&c, i, 3, 1);
	i->feature_group_count = 4;
	EXPECT_COST(
		&c, "conv", .class = JR_MATRIX_TF32, .matrix = 270848, .read = 17536, .written = 32768);
}

/* The gradients of the same convolution: shapes are in other places. */
static UNIT_IN_ARENA(test_backward)
{
	static const struct {
		const char *target, *operands, *result;
		uint64_t read, written;
	} cases[] = {
		{"__cudnn$convForward", "f32[2,8,16,16] f32[16,2,3,3]", "(f32[2,16,16,16], u8[1000])",
			17536, 32768},
		{"__cudnn$convBackwardFilter", "f32[2,8,16,16] f32[2,16,16,16]",
			"(f32[16,2,3,3], u8[1000])", 49152, 1152},
		{"__cudnn$convBackwardInput", "f32[2,16,16,16] f32[16,2,3,3]", "(f32[2,8,16,16], u8[1000])",
			33920, 16384},
	};
	for (size_t k = 0; k < JR_COUNT_OF(cases); k++) {
		struct cost_case c;
		case_begin(&c, *state);
		put_parameters(&c, cases[k].operands);
		Xla__HloInstructionProto *i = put(&c, "conv", "custom-call", cases[k].result, "p0 p1");
		put_call(&c, i, cases[k].target);
		put_convolution(&c, i, 4);
		put_window(&c, i, 3, 1);
		put_window(&c, i, 3, 1);
		i->feature_group_count = 4;
		EXPECT_COST(&c, "conv", .class = JR_MATRIX_TF32, .matrix = 270848, .read = cases[k].read,
			.written = cases[k].written);
	}
}

static UNIT_IN_ARENA(test_dilated)
{
	struct cost_case c;
	case_begin(&c, *state);
	put_parameters(&c, "bf16[1,4,9] bf16[8,4,3]");
	Xla__HloInstructionProto *i = put(&c, "conv", "convolution", "bf16[1,8,5]", "p0 p1");
	put_convolution(&c, i, 3);
	Xla__WindowDimension *w = put_window(&c, i, 3, 2);
	w->stride = w->window_dilation = 2;
	EXPECT_COST(&c, "conv", .class = JR_MATRIX_BF16, .matrix = 832, .read = 264, .written = 80);
}

/* Count the pairs one by one. */
static uint64_t taps(int64_t in, int64_t out, const Xla__WindowDimension *w)
{
	uint64_t n = 0;
	for (int64_t o = 0; o < out; o++)
		for (int64_t k = 0; k < w->size; k++) {
			int64_t p = o * w->stride - w->padding_low + k * w->window_dilation;
			n += p >= 0 && p % w->base_dilation == 0 && p / w->base_dilation < in;
		}
	return n;
}

/* Any window, checked against the slow count; the same random numbers each time. */
static UNIT_IN_ARENA(test_taps)
{
	uint32_t seed = 12345;
	for (int round = 0; round < 3000; round++) {
		uint32_t v[7];
		for (size_t i = 0; i < JR_COUNT_OF(v); i++)
			v[i] = (seed = seed * 1664525 + 1013904223) >> 16;
		int64_t in = v[0] % 40 + 1, out = v[1] % 40 + 1;
		struct cost_case c;
		JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
		case_begin(&c, &arena);
		char in_shape[32], out_shape[32], kernel[32];
		snprintf(in_shape, sizeof(in_shape), "f32[1,1,%d]", (int)in);
		snprintf(out_shape, sizeof(out_shape), "f32[1,1,%d]", (int)out);
		snprintf(kernel, sizeof(kernel), "f32[1,1,%d]", (int)(v[2] % 12 + 1));
		put(&c, "in", "parameter", in_shape, "");
		put(&c, "kernel", "parameter", kernel, "");
		Xla__HloInstructionProto *i = put(&c, "conv", "convolution", out_shape, "in kernel");
		put_convolution(&c, i, 3);
		Xla__WindowDimension *w = put_window(&c, i, v[2] % 12 + 1, (int64_t)(v[3] % 31) - 10);
		w->stride = v[4] % 6 + 1;
		w->window_dilation = v[5] % 5 + 1;
		w->base_dilation = v[6] % 5 + 1;
		struct jr_cost cost = case_cost(&c, "conv");
		assert_true(cost.flops_known);
		assert_int_equal(cost.matrix_flops[JR_MATRIX_TF32], 2 * taps(in, out, w));
	}
}

static UNIT_IN_ARENA(test_reduce)
{
	struct cost_case c;
	case_begin(&c, *state);
	int64_t add = case_reducer(&c, "add", "f32");
	put_parameters(&c, "f32[1024,512] f32[]");
	Xla__HloInstructionProto *i = put(&c, "reduce", "reduce", "f32[1024]", "p0 p1");
	ADD(c.arena, i, called_computation_ids, add);
	EXPECT_COST(&c, "reduce", .f32 = 523264, .read = 2097156, .written = 4096);
}

static UNIT_IN_ARENA(test_cumulative_sum)
{
	struct cost_case c;
	case_begin(&c, *state);
	int64_t add = case_reducer(&c, "add", "f32");
	put_parameters(&c, "f32[1024] f32[]");
	Xla__HloInstructionProto *i = put(&c, "scan", "reduce-window", "f32[1024]", "p0 p1");
	ADD(c.arena, i, called_computation_ids, add);
	put_window(&c, i, 1024, 1023)->padding_high = 0;
	EXPECT_COST(&c, "scan", .f32 = 523776, .read = 4100, .written = 4096);
}

static UNIT_IN_ARENA(test_select_and_scatter)
{
	struct cost_case c;
	case_begin(&c, *state);
	int64_t select = case_reducer(&c, "compare", "f32");
	int64_t add = case_reducer(&c, "add", "f32");
	put_parameters(&c, "f32[64,64] f32[32,32] f32[]");
	Xla__HloInstructionProto *i = put(&c, "pool", "select-and-scatter", "f32[64,64]", "p0 p1 p2");
	ADD(c.arena, i, called_computation_ids, select);
	ADD(c.arena, i, called_computation_ids, add);
	put_window(&c, i, 2, 0)->stride = 2;
	put_window(&c, i, 2, 0)->stride = 2;
	EXPECT_COST(&c, "pool", .f32 = 1024, .read = 20484, .written = 16384);
	assert_int_equal(case_cost(&c, "pool").other_ops, 3 * 1024);
}

static UNIT_IN_ARENA(test_sort)
{
	struct cost_case c;
	case_begin(&c, *state);
	int64_t compare = case_reducer(&c, "compare", "f32");
	put_parameters(&c, "f32[8,1000]");
	Xla__HloInstructionProto *i = put(&c, "sort", "sort", "f32[8,1000]", "p0");
	ADD(c.arena, i, called_computation_ids, compare);
	ADD(c.arena, i, dimensions, 1);
	EXPECT_COST(&c, "sort", .read = 32000, .written = 32000);
	assert_int_equal(case_cost(&c, "sort").other_ops, 80000);
}

/* --- fusions -------------------------------------------------------------------------------- */

#define CACHE "bf16[8,2,2048,8192]"
#define UPDATE "bf16[1,2,2048,8192]"

static void put_update(struct cost_case *c)
{
	int64_t id = case_computation(c, "fused");
	put_parameters(c, CACHE " " UPDATE " s32[]");
	put(c, "zero", "constant", "s32[]", "");
	put(c, "update", "dynamic-update-slice", CACHE, "p0 p1 p2 zero zero zero");
	put_fusion(c, "f", id, CACHE, CACHE " " UPDATE " s32[]");
}

static UNIT_IN_ARENA(test_update_in_place)
{
	struct cost_case c;
	case_begin(&c, *state);
	put_update(&c);
	EXPECT_COST(&c, "f", .read = 67108868, .written = 67108864);
	assert_true(case_cost(&c, "f").in_place);
}

static void put_buffer(struct cost_case *c, int64_t id, const char *name, int64_t index, int64_t at)
{
	if (!c->proto->buffer_assignment)
		c->proto->buffer_assignment =
			build_new(c->arena, &xla__buffer_assignment_proto__descriptor);
	Xla__BufferAssignmentProto *all = c->proto->buffer_assignment;
	Xla__LogicalBufferProto *buffer = build_new(c->arena, &xla__logical_buffer_proto__descriptor);
	buffer->id = id;
	buffer->defined_at = build_new(c->arena, &xla__logical_buffer_proto__location__descriptor);
	c->at = c->entry;
	buffer->defined_at->instruction_id = case_id(c, name, strlen(name));
	if (index >= 0)
		ADD(c->arena, buffer->defined_at, shape_index, index);
	ADD(c->arena, all, logical_buffers, buffer);
	if (all->n_buffer_allocations == 0)
		ADD(c->arena, all, buffer_allocations,
			build_new(c->arena, &xla__buffer_allocation_proto__descriptor));
	Xla__BufferAllocationProto__Assigned *assigned =
		build_new(c->arena, &xla__buffer_allocation_proto__assigned__descriptor);
	assigned->logical_buffer_id = id;
	assigned->offset = at;
	ADD(c->arena, all->buffer_allocations[0], assigned, assigned);
}

/* In place if the compiler put both into one buffer, or does not say. */
static UNIT_IN_ARENA(test_update_copied)
{
	struct cost_case c;
	case_begin(&c, *state);
	put_update(&c);
	put_buffer(&c, 7, "p0", -1, 0);
	put_buffer(&c, 8, "f", -1, 0);
	EXPECT_COST(&c, "f", .read = 67108868, .written = 67108864);
	case_begin(&c, *state);
	put_update(&c);
	put_buffer(&c, 7, "p0", -1, 0);
	put_buffer(&c, 8, "f", -1, 536870912);
	EXPECT_COST(&c, "f", .read = 67108868 + 7 * 67108864UL, .written = 536870912);
	assert_false(case_cost(&c, "f").in_place);
}

/* The operand's buffer is the one the loop was given, seen through a tuple. */
static UNIT_IN_ARENA(test_update_in_loop)
{
	for (int copied = 0; copied < 2; copied++) {
		struct cost_case c;
		case_begin(&c, *state);
		int64_t id = case_computation(&c, "fused");
		put_parameters(&c, "f32[8,16] f32[1,16] s32[]");
		put(&c, "update", "dynamic-update-slice", "f32[8,16]", "p0 p1 p2 p2");
		put(&c, "both", "tuple", "(f32[1,16], f32[8,16])", "p1 update");
		c.at = c.entry;
		put_parameters(&c, "f32[8,16] f32[1,16] s32[]");
		put(&c, "made", "tuple", "(s32[], f32[8,16])", "p2 p0");
		put(&c, "loop", "while", "(s32[], f32[8,16])", "made");
		put(&c, "part", "get-tuple-element", "f32[8,16]", "loop")->tuple_index = 1;
		put(&c, "cast", "bitcast", "f32[8,16]", "part");
		Xla__HloInstructionProto *f =
			put(&c, "f", "fusion", "(f32[1,16], f32[8,16])", "cast p1 p2");
		ADD(c.arena, f, called_computation_ids, id);
		put_buffer(&c, 1, "p0", -1, 64);
		put_buffer(&c, 2, "f", 0, 4096);
		put_buffer(&c, 3, "f", 1, copied ? 1024 : 64);
		if (copied)
			EXPECT_COST(&c, "f", .read = 64 + 4 + 448, .written = 64 + 512);
		else
			EXPECT_COST(&c, "f", .read = 64 + 4, .written = 64 + 64);
	}
}

/* Two slices of one row read it once. */
static UNIT_IN_ARENA(test_slices)
{
	struct cost_case c;
	case_begin(&c, *state);
	int64_t id = case_computation(&c, "fused");
	put_parameters(&c, "f32[3,1024] f32[1,1024]");
	put(&c, "slice", "slice", "f32[1,1024]", "p0");
	put(&c, "exp", "exponential", "f32[1,1024]", "slice");
	put(&c, "product", "multiply", "f32[1,1024]", "exp p1");
	put(&c, "sum", "add", "f32[1,1024]", "product exp");
	put_fusion(&c, "f", id, "f32[1,1024]", "f32[3,1024] f32[1,1024]");
	EXPECT_COST(&c, "f", .f32 = 2048, .transcendentals = 1024, .read = 8192, .written = 4096);
	assert_string_equal(case_cost(&c, "f").kind, "fusion:kLoop");
}

/* Elements that are sliced away are not computed. */
static UNIT_IN_ARENA(test_sliced_away)
{
	struct cost_case c;
	case_begin(&c, *state);
	int64_t id = case_computation(&c, "fused");
	put_parameters(&c, "f32[3,1024]");
	put(&c, "negate", "negate", "f32[3,1024]", "p0");
	put(&c, "unused", "exponential", "f32[3,1024]", "p0");
	put(&c, "slice", "slice", "f32[1,1024]", "negate");
	put_fusion(&c, "f", id, "f32[1,1024]", "f32[3,1024]");
	EXPECT_COST(&c, "f", .f32 = 1024, .read = 4096, .written = 4096);
}

/* Different slices count separately, but together not more than the whole. */
static UNIT_IN_ARENA(test_sites)
{
	for (int n = 2; n <= 4; n++) {
		struct cost_case c;
		case_begin(&c, *state);
		int64_t id = case_computation(&c, "fused");
		put_parameters(&c, "f32[300]");
		put(&c, "copy", "copy", "f32[300]", "p0");
		put(&c, "negate", "negate", "f32[300]", "copy");
		static const char *const slices[] = {"s0", "s1", "s2", "s3"};
		static const char *const all[] = {"s0 s1", "s0 s1 s2", "s0 s1 s2 s3"};
		char shape[32];
		for (int k = 0; k < n; k++)
			put(&c, slices[k], "slice", "f32[100]", "negate");
		snprintf(shape, sizeof(shape), "f32[%d]", n * 100);
		put(&c, "all", "concatenate", shape, all[n - 2]);
		put_fusion(&c, "f", id, shape, "f32[300]");
		uint64_t asked = n < 3 ? 100 * (uint64_t)n : 300;
		EXPECT_COST(&c, "f", .f32 = asked, .read = 4 * asked, .written = 400 * (uint64_t)n);
	}
}

static UNIT_IN_ARENA(test_gather)
{
	struct cost_case c;
	case_begin(&c, *state);
	put_parameters(&c, "bf16[32000,2560] s32[4096,1]");
	put(&c, "gather", "gather", "bf16[4096,2560]", "p0 p1");
	EXPECT_COST(&c, "gather", .read = 20987904, .written = 20971520);
}

static void put_scatter(struct cost_case *c, int64_t add)
{
	Xla__HloInstructionProto *i = put(c, "scatter", "scatter", "bf16[32000,640]", "p0 p1 p2");
	ADD(c->arena, i, called_computation_ids, add);
}

static UNIT_IN_ARENA(test_scatter)
{
	struct cost_case c;
	case_begin(&c, *state);
	int64_t add = case_reducer(&c, "add", "bf16");
	int64_t id = case_computation(&c, "fused");
	put_parameters(&c, "bf16[32000,640] s32[16384,1] bf16[16384,640]");
	put_scatter(&c, add);
	put_fusion(&c, "f", id, "bf16[32000,640]", "bf16[32000,640] s32[16384,1] bf16[16384,640]");
	EXPECT_COST(&c, "f", .f32 = 10485760, .read = 42008576, .written = 20971520);
	c.at = c.entry;
	put_scatter(&c, add);
	c.entry->instructions[c.entry->n_instructions - 1]->name = TEXT(c.arena, "alone");
	EXPECT_COST(&c, "alone", .f32 = 10485760, .read = 42008576, .written = 20971520);
}

static UNIT_IN_ARENA(test_rotation)
{
	struct cost_case c;
	case_begin(&c, *state);
	int64_t id = case_computation(&c, "fused");
	put_parameters(&c, "u32[1000]");
	put(&c, "a", "constant", "u32[]", "");
	put(&c, "by", "broadcast", "u32[1000]", "a");
	put(&c, "left", "shift-left", "u32[1000]", "p0 by");
	put(&c, "right", "shift-right-logical", "u32[1000]", "p0 by");
	put(&c, "or", "or", "u32[1000]", "left right");
	put(&c, "xor", "xor", "u32[1000]", "or p0");
	put_fusion(&c, "f", id, "u32[1000]", "u32[1000]");
	EXPECT_COST(&c, "f", .int_ops = 2000, .read = 4000, .written = 4000);
}

/* A nested fusion costs the same as it would alone. */
static UNIT_IN_ARENA(test_nested)
{
	struct cost_case c;
	case_begin(&c, *state);
	int64_t inner = case_computation(&c, "inner");
	put_parameters(&c, "f32[4,100]");
	put(&c, "negate", "negate", "f32[4,100]", "p0");
	put(&c, "row", "slice", "f32[1,100]", "negate");
	int64_t id = case_computation(&c, "fused");
	put_parameters(&c, "f32[4,100]");
	Xla__HloInstructionProto *f = put(&c, "within", "fusion", "f32[1,100]", "p0");
	ADD(c.arena, f, called_computation_ids, inner);
	put(&c, "exp", "exponential", "f32[1,100]", "within");
	put_fusion(&c, "f", id, "f32[1,100]", "f32[4,100]");
	EXPECT_COST(&c, "f", .f32 = 100, .transcendentals = 100, .read = 400, .written = 400);
}

/* Constants that are lists count as read; constants of a few elements do not. */
static UNIT_IN_ARENA(test_constants)
{
	struct cost_case c;
	case_begin(&c, *state);
	int64_t id = case_computation(&c, "fused");
	put_parameters(&c, "f32[9]");
	put(&c, "large", "constant", "f32[9]", "");
	put(&c, "small", "constant", "f32[8]", "");
	put(&c, "pad", "pad", "f32[9]", "small p0");
	put(&c, "sum", "add", "f32[9]", "large pad");
	put_fusion(&c, "f", id, "f32[9]", "f32[9]");
	EXPECT_COST(&c, "f", .f32 = 9, .read = 36 + 36, .written = 36);
}

/* --- elements ------------------------------------------------------------------------------- */

static UNIT_IN_ARENA(test_elementwise)
{
	static const struct {
		const char *opcode, *type;
		uint64_t f32, f64, transcendentals, int_ops, other;
	} cases[] = {
		{"add", "f32", 1, 0, 0, 0, 0},
		{"add", "bf16", 1, 0, 0, 0, 0},
		{"add", "f64", 0, 1, 0, 0, 0},
		{"add", "s32", 0, 0, 0, 1, 0},
		{"add", "pred", 0, 0, 0, 0, 0},
		{"add", "c64", 2, 0, 0, 0, 0},
		{"multiply", "c64", 6, 0, 0, 0, 0},
		{"divide", "c128", 0, 11, 0, 0, 0},
		{"power", "f32", 0, 0, 1, 0, 0},
		{"atan2", "f64", 0, 0, 1, 0, 0},
		{"and", "u32", 0, 0, 0, 1, 0},
		{"and", "pred", 0, 0, 0, 0, 0},
		{"compare", "pred", 0, 0, 0, 0, 1},
		{"complex", "c64", 0, 0, 0, 0, 0},
	};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		struct cost_case c;
		case_begin(&c, *state);
		char shape[32], shapes[64];
		snprintf(shape, sizeof(shape), "%s[10]", cases[i].type);
		snprintf(shapes, sizeof(shapes), "%s %s", shape, shape);
		put_parameters(&c, shapes);
		put(&c, "x", cases[i].opcode, shape, "p0 p1");
		struct jr_cost cost = case_cost(&c, "x");
		assert_true(cost.flops_known && cost.int_ops_known && cost.bytes_known);
		assert_int_equal(cost.vector_flops[JR_VECTOR_F32], 10 * cases[i].f32);
		assert_int_equal(cost.vector_flops[JR_VECTOR_F64], 10 * cases[i].f64);
		assert_int_equal(cost.transcendentals, 10 * cases[i].transcendentals);
		assert_int_equal(cost.int_ops, 10 * cases[i].int_ops);
		assert_int_equal(cost.other_ops, 10 * cases[i].other);
		assert_int_equal(cost.bytes_read, 2 * cost.bytes_written);
	}
}

/* The names are searched, so each must be found where it stands. */
static UNIT_IN_ARENA(test_opcodes)
{
#define IS(constant, name) assert_int_equal(jr_hlo_opcode_of(name), JR_OP_##constant);
	JR_HLO_OPCODES(IS)
#undef IS
	static const char *const others[] = {"", "aaa", "adda", "xors", "zeta"};
	for (size_t i = 0; i < JR_COUNT_OF(others); i++)
		assert_int_equal(jr_hlo_opcode_of(others[i]), JR_OP_OTHER);
	assert_int_equal(jr_cost_rule_of(JR_OP_OTHER)->kind, JR_WORK_UNKNOWN);
	assert_int_equal(jr_cost_rule_of(JR_OP_XOR)->kind, JR_WORK_ELEMENTWISE);
}

static UNIT_IN_ARENA(test_clamp)
{
	struct cost_case c;
	case_begin(&c, *state);
	put_parameters(&c, "f32[] f32[100] f32[]");
	put(&c, "clamp", "clamp", "f32[100]", "p0 p1 p2");
	EXPECT_COST(&c, "clamp", .f32 = 200, .read = 408, .written = 400);
}

/* --- attention ------------------------------------------------------------------------------ */

#define HEADS "bf16[2,2048,16,128]"
#define SCORES                                                                                     \
	"\"intermediate_tensor_shape\":{\"element_type\":\"BF16\",\"dimensions\":[\"2\",\"16\","       \
	"\"2048\",\"2048\"]}"

static UNIT_IN_ARENA(test_attention)
{
	static const struct {
		const char *target, *config;
		uint64_t matrix, remat;
		bool upper_bound;
	} cases[] = {
		{"__cudnn$fmhaSoftmax", "\"mask_type\":\"CAUSAL\"", 34376515584, 0, false},
		{"__cudnn$fhmaSoftmax", "\"is_causal_mask\":true", 34376515584, 0, false},
		{"__cudnn$fmhaSoftmax", "\"mask_type\":\"NO_MASK\"", 68719476736, 0, false},
		{"__cudnn$fmhaSoftmax", "\"mask_type\":\"PADDING\"", 68719476736, 0, true},
		{"__cudnn$fmhaSoftmaxBackward", "\"mask_type\":\"CAUSAL\"", 85941288960, 17188257792,
			false},
		/* 128 · 129 / 2 + 1920 · 128 pairs */
		{"__cudnn$fmhaSoftmax", "\"mask_type\":\"CAUSAL\",\"sliding_window_length\":128",
			UINT64_C(2) * 32 * 254016 * 256, 0, false},
	};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		struct cost_case c;
		case_begin(&c, *state);
		put_parameters(&c, HEADS " " HEADS " " HEADS);
		Xla__HloInstructionProto *call =
			put(&c, "a", "custom-call", "(" HEADS ", u8[16])", "p0 p1 p2");
		char config[512];
		snprintf(config, sizeof(config), "{\"cudnn_fmha_backend_config\":{" SCORES ",%s}}",
			cases[i].config);
		put_call(&c, call, cases[i].target);
		put_config(&c, call, config);
		EXPECT_COST(&c, "a", .class = JR_MATRIX_BF16, .matrix = cases[i].matrix, .read = 50331648,
			.written = 16777216);
		struct jr_cost cost = case_cost(&c, "a");
		assert_int_equal(cost.remat_flops, cases[i].remat);
		assert_int_equal(cost.upper_bound, cases[i].upper_bound);
	}
}

/* --- solvers -------------------------------------------------------------------------------- */

static UNIT_IN_ARENA(test_solvers)
{
	struct cost_case c;
	case_begin(&c, *state);
	put_parameters(&c, "f64[4,100,100] f64[4,100,7] c64[8,1024] f32[8,1024]");
	put(&c, "cholesky", "cholesky", "f64[4,100,100]", "p0");
	put(&c, "solve", "triangular-solve", "f64[4,100,7]", "p0 p1");
	Xla__HloInstructionProto *fft = put(&c, "fft", "fft", "c64[8,1024]", "p2");
	ADD(c.arena, fft, fft_length, 1024);
	Xla__HloInstructionProto *real = put(&c, "rfft", "fft", "c64[8,513]", "p3");
	ADD(c.arena, real, fft_length, 1024);
	real->fft_type = 2;
	EXPECT_COST(&c, "cholesky", .f64 = 1333333, .read = 161600, .written = 161600);
	EXPECT_COST(&c, "solve", .f64 = 280000, .read = 184000, .written = 22400);
	EXPECT_COST(&c, "fft", .f32 = 409600, .read = 65536, .written = 65536);
	EXPECT_COST(&c, "rfft", .f32 = 204800, .read = 32768, .written = 32832);
}

/* --- collectives ---------------------------------------------------------------------------- */

static UNIT_IN_ARENA(test_collectives)
{
	struct cost_case c;
	case_begin(&c, *state);
	put_parameters(&c, "f32[1048576] bf16[1024,512]");
	put_groups(&c, put(&c, "reduce", "all-reduce-start", "f32[1048576]", "p0"), 4);
	put_groups(
		&c, put(&c, "gather", "all-gather-start", "(bf16[1024,512], bf16[4096,512])", "p1"), 4);
	put_groups(&c, put(&c, "share", "reduce-scatter", "f32[262144]", "p0"), 4);
	put_groups(&c, put(&c, "alone", "all-reduce", "f32[1048576]", "p0"), 1);
	put(&c, "all", "all-reduce", "f32[1048576]", "p0");
	put(&c, "permute", "collective-permute-start", "(bf16[1024,512], bf16[1024,512], u32[], u32[])",
		"p1");
	put(&c, "done", "all-gather-done", "bf16[4096,512]", "gather");
	EXPECT_COST(&c, "reduce", .read = 4194304, .written = 4194304, .network = 6291456);
	EXPECT_COST(&c, "gather", .read = 1048576, .written = 4194304, .network = 3145728);
	EXPECT_COST(&c, "share", .read = 4194304, .written = 1048576, .network = 3145728);
	EXPECT_COST(&c, "alone", .read = 4194304, .written = 4194304, .network = 0);
	EXPECT_COST(&c, "all", .read = 4194304, .written = 4194304, .network = 6291456);
	EXPECT_COST(&c, "permute", .read = 1048576, .written = 1048576, .network = 1048576);
	EXPECT_COST(&c, "done", .network = 0);
	assert_true(case_cost(&c, "reduce").collective);
	assert_false(case_cost(&c, "done").collective);
	c.n_devices = 1; /* and no groups stated: unknown */
	assert_false(case_cost(&c, "all").network_known);
	assert_true(case_cost(&c, "reduce").network_known);
}

/* More devices than a host has, of which only a few are profiled. */
static UNIT_IN_ARENA(test_many_devices)
{
	struct cost_case c;
	case_begin(&c, *state);
	put_parameters(&c, "f32[1048576]");
	put_groups(&c, put(&c, "reduce", "all-reduce", "f32[1048576]", "p0"), 16);
	assert_false(case_cost(&c, "reduce").network_known);
	c.n_devices = 16;
	assert_true(case_cost(&c, "reduce").network_known);
}

/* Links between hosts are not known: groups within one host get a bandwidth, others do not. */
static UNIT_IN_ARENA(test_hosts)
{
	static const uint32_t within[] = {0, 0, 1, 1}, across[] = {0, 1, 0, 1};
	for (int by_host = 0; by_host < 2; by_host++) { /* else by slices */
		struct cost_case c;
		case_begin(&c, *state);
		put_parameters(&c, "f32[1048576]");
		put_groups(&c, put(&c, "pair", "all-reduce", "f32[1048576]", "p0"), 2);
		put_groups(&c, put(&c, "whole", "all-reduce", "f32[1048576]", "p0"), 4);
		assert_true(case_cost(&c, "whole").network_known);
		c.processes[0].hostname = 1;
		c.processes[1].hostname = 2;
		for (uint32_t d = 0; d < 4; d++) {
			c.devices[d].process = by_host ? d / 2 : 0;
			c.devices[d].slice = by_host ? JR_NONE : d / 2;
		}
		assert_false(case_cost(&c, "whole").network_known);
		assert_true(case_cost(&c, "whole").bytes_known);
		c.device_group = within;
		assert_int_equal(case_cost(&c, "pair").network_bytes, 4194304);
		assert_true(case_cost(&c, "pair").network_known);
		c.device_group = across;
		assert_false(case_cost(&c, "pair").network_known);
		c.processes[1].hostname = 1;
		assert_int_equal(case_cost(&c, "pair").network_known, by_host);
	}
}

/* Asynchronous calls, and fusions that contain a collective, count as their contents. */
static UNIT_IN_ARENA(test_wrapped_collectives)
{
	struct cost_case c;
	case_begin(&c, *state);
	int64_t id = case_computation(&c, "wrapped");
	put_parameters(&c, "f32[1000]");
	put_groups(&c, put(&c, "exchange", "all-to-all", "f32[1000]", "p0"), 4);
	c.at = c.entry;
	put_parameters(&c, "f32[1000]");
	Xla__HloInstructionProto *start =
		put(&c, "start", "async-start", "((f32[1000]), f32[1000])", "p0");
	ADD(c.arena, start, called_computation_ids, id);
	Xla__HloInstructionProto *fusion = put(&c, "fusion", "fusion", "f32[1000]", "p0");
	ADD(c.arena, fusion, called_computation_ids, id);
	EXPECT_COST(&c, "start", .read = 4000, .written = 4000, .network = 3000);
	EXPECT_COST(&c, "fusion", .read = 4000, .written = 4000, .network = 3000);
	assert_true(case_cost(&c, "start").collective && case_cost(&c, "fusion").collective);
}

/* --- what rows represent -------------------------------------------------------------------- */

/* A reduction in a fusion that has its own rows only initializes the fusion's result; alone it
 * is a whole thunk. */
static UNIT_IN_ARENA(test_initializer)
{
	struct cost_case c;
	case_begin(&c, *state);
	int64_t add = case_reducer(&c, "add", "f32");
	int64_t id = case_computation(&c, "fused");
	put_parameters(&c, "f32[1024,512]");
	put(&c, "zero", "constant", "f32[]", "");
	Xla__HloInstructionProto *i = put(&c, "reduce.1", "reduce", "f32[1024]", "p0 zero");
	ADD(c.arena, i, called_computation_ids, add);
	put_fusion(&c, "f", id, "f32[1024]", "f32[1024,512]");
	EXPECT_COST(&c, "reduce.1", .f32 = 523264, .read = 2097156, .written = 4096);
	assert_false(case_cost(&c, "reduce.1").initializes);
	c.rows[c.n_rows++] = "f";
	EXPECT_COST(&c, "reduce.1", .written = 4096);
	assert_true(case_cost(&c, "reduce.1").initializes);
}

/* A command buffer does all the work of the computation it calls; constants are in memory. */
static UNIT_IN_ARENA(test_called)
{
	struct cost_case c;
	case_begin(&c, *state);
	int64_t id = case_computation(&c, "graph");
	put_parameters(&c, "f32[100]");
	put(&c, "list", "constant", "f32[100]", "");
	put(&c, "sum", "add", "f32[100]", "p0 list");
	put(&c, "exp", "exponential", "f32[100]", "sum");
	c.at = c.entry;
	put_parameters(&c, "f32[100]");
	Xla__HloInstructionProto *call = put(&c, "call", "call", "f32[100]", "p0");
	ADD(c.arena, call, called_computation_ids, id);
	EXPECT_COST(&c, "call", .f32 = 100, .transcendentals = 100, .read = 1200, .written = 800);
}

static UNIT_IN_ARENA(test_host)
{
	struct cost_case c;
	case_begin(&c, *state);
	put_parameters(&c, "host:f32[1000]");
	put(&c, "copy", "copy", "f32[1000]", "p0");
	EXPECT_COST(&c, "copy", .read = 0, .written = 4000);
	assert_true(case_cost(&c, "copy").host);
	assert_int_equal(case_cost(&c, "copy").host_bytes, 4000);
}

/* Waiting for a copy to or from host memory is not work of the device. */
static UNIT_IN_ARENA(test_host_awaited)
{
	static const char *const results[] = {
		"(host:f32[1000], f32[1000], u32[])", "(f32[1000], f32[1000], u32[])"};
	for (size_t i = 0; i < JR_COUNT_OF(results); i++) {
		struct cost_case c;
		case_begin(&c, *state);
		put_parameters(&c, "f32[1000]");
		put(&c, "copy-start", "copy-start", results[i], "p0");
		put(&c, "copy-done", "copy-done", "f32[1000]", "copy-start");
		assert_int_equal(case_cost(&c, "copy-done").host, i == 0);
	}
}

/* Memory space 1 is vector memory on a TPU, and part of device memory on a GPU. */
static UNIT_IN_ARENA(test_near)
{
	static const struct {
		const char *gpu_name;
		uint64_t read, written;
	} cases[] = {{"TPU v6 Lite", 2000, 0}, {"NVIDIA H100 80GB HBM3", 6000, 4000}};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		struct cost_case c;
		case_begin(&c, *state);
		c.gpu_name = cases[i].gpu_name;
		put_parameters(&c, "near:f32[1000] bf16[1000]");
		put(&c, "add", "add", "near:f32[1000]", "p0 p1");
		EXPECT_COST(&c, "add", .f32 = 1000, .read = cases[i].read, .written = cases[i].written);
		/* data that is sent leaves either memory */
		case_begin(&c, *state);
		c.gpu_name = cases[i].gpu_name;
		put_parameters(&c, "near:f32[1000]");
		put_groups(&c, put(&c, "ag", "all-gather", "near:f32[4000]", "p0"), 4);
		assert_int_equal(case_cost(&c, "ag").network_bytes, 12000);
	}
}

static UNIT_IN_ARENA(test_recomputed)
{
	static const struct {
		const char *name, *op_name;
		bool again;
	} cases[] = {{"dot", "jit(f)/rematted_computation/dot", true}, {"dot.remat2", "", true},
		{"dot.1", "jit(f)/dot", false}};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		struct cost_case c;
		case_begin(&c, *state);
		put_parameters(&c, "bf16[16,16] bf16[16,16]");
		Xla__HloInstructionProto *dot = put(&c, cases[i].name, "dot", "bf16[16,16]", "p0 p1");
		put_dot(&c, dot, 1);
		dot->metadata = build_new(c.arena, &xla__op_metadata__descriptor);
		dot->metadata->op_name = TEXT(c.arena, cases[i].op_name);
		struct jr_cost cost = case_cost(&c, cases[i].name);
		assert_int_equal(cost.rematerialized, cases[i].again);
		assert_int_equal(cost.remat_flops, cases[i].again ? 8192 : 0);
	}
}
