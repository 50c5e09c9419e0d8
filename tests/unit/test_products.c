/* Sizes of matrix products from their shapes, and the part of tiles that they leave empty. */
#include "cost_case.h"

#include "analysis/cost/products.h"

#define GEMM_CONFIG                                                                                \
	"{\"gemm_backend_config\":{\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"1\"]}" \
	"}}"

static bool sizes_of(struct cost_case *c, const char *name, struct jr_product *to)
{
	struct jr_hlo hlo = build_decode(c->proto);
	bool found = jr_product_of(&hlo, jr_hlo_find(&hlo, name), to);
	jr_hlo_done(&hlo);
	return found;
}

static void assert_sizes(
	const struct jr_product *p, uint64_t batch, uint64_t m, uint64_t n, uint64_t k)
{
	assert_int_equal(p->batch, batch);
	assert_int_equal(p->m, m);
	assert_int_equal(p->n, n);
	assert_int_equal(p->k, k);
}

/* Compute the sizes of a dot: `shapes` are left and right, `out` is the result, `contracting`
 * the dimension of left that it sums over. */
static bool dot_of(struct jr_arena *a, const char *shapes, const char *out, int64_t contracting,
	struct jr_product *to)
{
	struct cost_case c;
	case_begin(&c, a);
	put_parameters(&c, shapes);
	put_dot(&c, put(&c, "dot", "dot", out, "p0 p1"), contracting);
	return sizes_of(&c, "dot", to);
}

static UNIT_IN_ARENA(of_dots)
{
	struct jr_product p;
	assert_true(dot_of(*state, "bf16[4,2048,768] bf16[768,50304]", "bf16[4,2048,50304]", 2, &p));
	assert_sizes(&p, 1, 8192, 50304, 768);
	assert_false(p.misaligned);
	assert_true(dot_of(*state, "f32[4,12,100,128] f32[4,12,128,33]", "f32[4,12,100,33]", 3, &p));
	assert_sizes(&p, 48, 100, 33, 128);
	assert_true(p.misaligned); /* rows of 33 of the result */
	assert_true(dot_of(*state, "bf16[768,8192] bf16[768,50257]", "bf16[8192,50257]", 0, &p));
	assert_sizes(&p, 1, 8192, 50257, 768);
	assert_true(p.misaligned);
	/* rows are 4 * 33 elements long, not 33 */
	assert_true(dot_of(*state, "f32[64,64] f32[64,4,33]", "f32[64,4,33]", 1, &p));
	assert_sizes(&p, 1, 64, 132, 64);
	assert_false(p.misaligned);
}

static UNIT_IN_ARENA(of_shapes_that_do_not_fit)
{
	static const struct {
		const char *shapes, *out;
		int64_t contracting;
	} bad[] = {{"f32[8,9] f32[7,8]", "f32[8,8]", 1}, {"f32[8,8] f32[8,8]", "f32[8,9]", 1},
		{"f32[8,8] f32[8,8]", "f32[8,8]", 7}, {"f32[0,8] f32[8,8]", "f32[0,8]", 1},
		{"f32[8,8] f32[8,8]", "f32[]", 1}, {"f32[8,-8] f32[8,8]", "f32[8,8]", 1},
		{"f32[4294967296,4294967296,2] f32[8,8]", "f32[8,8]", 1}, {"f32[8,8] f32[8,8]", "()", 1}};
	struct jr_product p;
	for (size_t i = 0; i < JR_COUNT_OF(bad); i++)
		if (dot_of(*state, bad[i].shapes, bad[i].out, bad[i].contracting, &p))
			fail_msg("sizes of %s -> %s", bad[i].shapes, bad[i].out);
	struct cost_case c;
	case_begin(&c, *state);
	put_parameters(&c, "f32[8,8] f32[8,8]");
	put(&c, "add", "add", "f32[8,8]", "p0 p1");
	put_dot(&c, put(&c, "alone", "dot", "f32[8,8]", "p0"), 1);
	put(&c, "fusion", "fusion", "f32[8,8]", "p0 p1"); /* calls no computation */
	assert_false(sizes_of(&c, "add", &p));
	assert_false(sizes_of(&c, "alone", &p));
	assert_false(sizes_of(&c, "fusion", &p));
}

static UNIT_IN_ARENA(of_calls)
{
	struct cost_case c;
	struct jr_product p;
	case_begin(&c, *state);
	put_parameters(&c, "bf16[4096,8192] bf16[2560,8192]");
	Xla__HloInstructionProto *call =
		put(&c, "gemm", "custom-call", "(bf16[4096,2560], s8[33554432])", "p0 p1");
	put_call(&c, call, "__cublas$gemm");
	put_config(&c, call, GEMM_CONFIG);
	assert_true(sizes_of(&c, "gemm", &p));
	assert_sizes(&p, 1, 4096, 2560, 8192);
	put_call(&c, call, "my_ffi_call");
	assert_false(sizes_of(&c, "gemm", &p));
}

/* Build `n` products in a fusion of Triton's. */
static bool fusion_of(struct jr_arena *a, int n, struct jr_product *to)
{
	struct cost_case c;
	case_begin(&c, a);
	int64_t id = case_computation(&c, "gemm_fusion");
	put_parameters(&c, "bf16[1032,512] bf16[512,1000]");
	for (int i = 0; i < n; i++) {
		char name[16];
		snprintf(name, sizeof(name), "d%d", i);
		put_dot(&c, put(&c, name, "dot", "bf16[1032,1000]", "p0 p1"), 1);
	}
	Xla__HloInstructionProto *fusion =
		put_fusion(&c, "fusion", id, "bf16[1032,1000]", "bf16[1032,512] bf16[512,1000]");
	put_config(&c, fusion,
		"{\"fusion_backend_config\":{\"kind\":\"__triton_gemm\",\"triton_gemm_config\":{\"block_"
		"m\":"
		"\"128\",\"block_n\":\"256\",\"block_k\":\"64\"}}}");
	return sizes_of(&c, "fusion", to);
}

static UNIT_IN_ARENA(of_fusions)
{
	struct jr_product p;
	assert_false(fusion_of(*state, 0, &p));
	assert_false(fusion_of(*state, 2, &p));
	assert_true(fusion_of(*state, 1, &p));
	assert_sizes(&p, 1, 1032, 1000, 512);
	assert_int_equal(p.tile_m, 128);
	assert_int_equal(p.tile_n, 256);
	assert_int_equal(p.tile_k, 64);
	assert_float_equal(jr_product_padding(&p), 1 - 1032. * 1000 / (1152. * 1024), 1e-12);
}

static double padding(uint64_t m, uint64_t n, uint32_t tile_m, uint32_t tile_n)
{
	const struct jr_product p = {.m = m, .n = n, .k = 100, .tile_m = tile_m, .tile_n = tile_n};
	return jr_product_padding(&p);
}

static UNIT_IN_ARENA(of_tiles)
{
	assert_float_equal(padding(128, 256, 0, 0), 0, 0);
	assert_float_equal(padding(129, 256, 0, 0), 1 - 129. / 192, 1e-12);
	assert_float_equal(padding(129, 513, 0, 0), 1 - 129. / 192 * 513 / 576, 1e-12);
	assert_float_equal(padding(129, 256, 128, 0), 1 - 129. / 256, 1e-12);
	assert_float_equal(padding(50257, 64, 0, 0), 1 - 50257. / 50304, 1e-12);
	/* smaller than any known tile: such kernels use smaller ones */
	assert_float_equal(padding(33, 1, 0, 0), 0, 0);
	assert_float_equal(padding(33, 1, 32, 16), 1 - 33. / 64 / 16, 1e-12);
	assert_true(padding(UINT64_MAX, UINT64_MAX, 65536, 65536) < 1e-9);
}
