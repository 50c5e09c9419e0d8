/* Kernels of scenario "kernels" that exist only for a cause (cause.h). */
#include "cause.h"
#include "scenario_kernels.h"

/* --- sizes that do not fill tiles ------------------------------------------------------------- */

/* Sizes just above multiples of its tiles, which the kernel reports. */
static void odd_triton(struct kernels *k)
{
	enum { M = 1032, N = 1032, K = 4096 };
	const struct gen_shape x_shape = gen_shape2(GEN_BF16, M, K),
						   w_shape = gen_shape2(GEN_BF16, K, N), out = gen_shape2(GEN_BF16, M, N);
	uint32_t c = gen_computation(k->sc, k->p, "triton_gemm_odd_computation");
	const int64_t dot[] = {parameter(k, c, 0, x_shape), parameter(k, c, 1, w_shape)};
	put(k, c, "dot", out, dot, 2,
		said(k, (struct gen_attributes){.contracts = true, .lhs_contracting = 1}));
	uint32_t at = k->p->current;
	const int64_t operands[] = {parameter(k, at, 40, x_shape), parameter(k, at, 41, w_shape)};
	const struct kernel f = {
		.site = {"gemm_fusion_dot.2", "mlp/odd_dot_general", k->up},
		.opcode = "fusion",
		.shape = out,
		.operands = operands,
		.n_operands = 2,
		.called = id_of(k, c),
		.attributes = {.fusion_kind = "kCustom",
			.backend_config =
				"{\"fusion_backend_config\":{\"kind\":\"__triton_gemm\",\"triton_gemm_config\":{"
				"\"block_m\":\"128\",\"block_n\":\"256\",\"block_k\":\"64\"}}}"},
		.ns = 16000,
		.work = {.kind = "matrix product",
			.dtype = "bf16",
			.matrix = UINT64_C(2) * M * N * K,
			.read = 2 * (M * K + K * N),
			.written = 2 * M * N},
	};
	add(k, &f);
}

/* The same for a library kernel, which does not report its tiles. */
static void odd_gemm(struct kernels *k)
{
	enum { M = 712, N = 712, K = 8192 };
	uint32_t c = k->p->current;
	const int64_t operands[] = {parameter(k, c, 42, gen_shape2(GEN_BF16, M, K)),
		parameter(k, c, 43, gen_shape2(GEN_BF16, N, K))};
	const struct kernel x = {
		.site = {"cublas-gemm.5", "loss/odd_dot_general", k->up},
		.opcode = "custom-call",
		.target = "__cublas$gemm",
		.shape = gen_pair(k->sc, gen_shape2(GEN_BF16, M, N), gen_shape1(GEN_S8, 4 << 20)),
		.operands = operands,
		.n_operands = 2,
		.attributes.backend_config =
			"{\"gemm_backend_config\":{\"dot_dimension_numbers\":{"
			"\"lhs_contracting_dimensions\":[\"1\"],\"rhs_contracting_dimensions\":[\"1\"]}}}",
		.ns = 12000,
		.work = {.kind = "matrix product",
			.dtype = "bf16",
			.matrix = UINT64_C(2) * M * N * K,
			.read = 2 * (M * K + N * K),
			.written = 2 * M * N},
	};
	add(k, &x);
}

/* --- products with a softmax between them --------------------------------------------------- */

enum { COLUMNS = 1024, HEAD = 128 }; /* of the scores; summed over */

struct softmax {
	struct kernels *k;
	int64_t heads, rows;
	struct gen_shape scores, wide, row; /* 16 bits, 32 bits, one number per row */
	uint64_t n, n_rows;
};

/* queries · keys, or weights · values. */
static int64_t product(const struct softmax *s, const char *name, const int64_t *sides,
	struct gen_shape out, bool makes, int64_t ns)
{
	struct kernels *k = s->k;
	const uint64_t queries = 2 * s->n_rows * HEAD, keys = UINT64_C(2) * s->heads * COLUMNS * HEAD;
	const struct kernel x = {
		.site = {name, "attention/dot_general", k->attention},
		.opcode = "custom-call",
		.target = "__cublas$gemm",
		.shape = gen_pair(k->sc, out, gen_shape1(GEN_S8, 4 << 20)),
		.operands = sides,
		.n_operands = 2,
		.attributes.backend_config = "{\"gemm_backend_config\":{\"dot_dimension_numbers\":{"
									 "\"lhs_contracting_dimensions\":[\"2\"]}}}",
		.ns = ns,
		.work = {.kind = "matrix product",
			.dtype = "bf16",
			.matrix = 2 * s->n * HEAD,
			.read = keys + (makes ? queries : 2 * s->n),
			.written = makes ? 2 * s->n : queries},
	};
	int64_t id = add(k, &x);
	return put(k, k->p->current, "get-tuple-element", out, &id, 1, NULL);
}

/* exp(scores - maxima), in its own computation. */
static int64_t exponential(const struct softmax *s, uint32_t c)
{
	int64_t scores = parameter(s->k, c, 0, s->scores), maxima = parameter(s->k, c, 1, s->row);
	int64_t both[] = {put(s->k, c, "convert", s->wide, &scores, 1, NULL),
		put(s->k, c, "broadcast", s->wide, &maxima, 1, NULL)};
	both[0] = put(s->k, c, "subtract", s->wide, both, 2, NULL);
	return put(s->k, c, "exponential", s->wide, both, 1, NULL);
}

static int64_t put_reduce(const struct softmax *s, uint32_t c, int64_t of, const char *opcode)
{
	struct kernels *k = s->k;
	const struct gen_shape one = gen_shape0(GEN_F32);
	uint32_t r =
		gen_computation(k->sc, k->p, gen_text(k->sc, "region_%lld", (long long)k->p->next_id));
	const int64_t both[] = {parameter(k, r, 0, one), parameter(k, r, 1, one)};
	put(k, r, opcode, one, both, 2, NULL);
	const int64_t operands[] = {of, put(k, c, "constant", one, NULL, 0, NULL)},
				  called = id_of(k, r);
	return gen_instruction(k->p, c,
		&(struct gen_instruction){.opcode = "reduce",
			.name = gen_text(k->sc, "reduce.%lld", (long long)k->p->next_id),
			.shape = s->row,
			.n_operands = 2,
			.operands = list(k, operands, 2),
			.n_called = 1,
			.called = list(k, &called, 1),
			.attributes = said(k, (struct gen_attributes){.n_dimensions = 1, .dimensions = {2}})});
}

static int64_t softmax_fusion(const struct softmax *s, const char *name, uint32_t c,
	const int64_t *operands, uint32_t n, struct gen_shape out, int64_t ns, struct gen_work work)
{
	const struct kernel x = {
		.site = {name, "attention/softmax", s->k->attention},
		.opcode = "fusion",
		.shape = out,
		.operands = operands,
		.n_operands = n,
		.called = id_of(s->k, c),
		.attributes.fusion_kind = n == 3 ? "kLoop" : "kInput",
		.ns = ns,
		.work = work,
	};
	return add(s->k, &x);
}

/* Softmax: maxima of rows, sums of the exponentials below them, and the quotients. */
static int64_t weights_of(const struct softmax *s, int64_t scores)
{
	struct kernels *k = s->k;
	int64_t operands[3] = {scores};
	uint32_t c = gen_computation(k->sc, k->p, "fused_max");
	int64_t of = parameter(k, c, 0, s->scores);
	put_reduce(s, c, put(k, c, "convert", s->wide, &of, 1, NULL), "maximum");
	operands[1] = softmax_fusion(s, "input_reduce_fusion.2", c, operands, 1, s->row, 16000,
		(struct gen_work){.kind = "reduction",
			.vector = s->n - s->n_rows,
			.read = 2 * s->n,
			.written = 4 * s->n_rows});
	c = gen_computation(k->sc, k->p, "fused_sum");
	put_reduce(s, c, exponential(s, c), "add");
	operands[2] = softmax_fusion(s, "input_reduce_fusion.3", c, operands, 2, s->row, 18000,
		(struct gen_work){.kind = "reduction",
			.vector = 2 * s->n - s->n_rows,
			.transcendentals = s->n,
			.read = 2 * s->n + 4 * s->n_rows,
			.written = 4 * s->n_rows});
	c = gen_computation(k->sc, k->p, "fused_divide");
	int64_t sums = parameter(k, c, 2, s->row);
	int64_t both[] = {exponential(s, c), put(k, c, "broadcast", s->wide, &sums, 1, NULL)};
	both[0] = put(k, c, "divide", s->wide, both, 2, NULL);
	put(k, c, "convert", s->scores, both, 1, NULL);
	return softmax_fusion(s, "loop_divide_fusion.1", c, operands, 3, s->scores, 30000,
		(struct gen_work){.kind = "elementwise",
			.vector = 2 * s->n,
			.transcendentals = s->n,
			.read = 2 * s->n + 8 * s->n_rows,
			.written = 2 * s->n});
}

static void softmax(struct kernels *k, int64_t heads, int64_t rows)
{
	const struct softmax s = {
		.k = k,
		.heads = heads,
		.rows = rows,
		.scores = gen_shape3(GEN_BF16, heads, rows, COLUMNS),
		.wide = gen_shape3(GEN_F32, heads, rows, COLUMNS),
		.row = gen_shape2(GEN_F32, heads, rows),
		.n = (uint64_t)heads * (uint64_t)rows * COLUMNS,
		.n_rows = (uint64_t)heads * (uint64_t)rows,
	};
	uint32_t c = k->p->current;
	const struct gen_shape queries = gen_shape3(GEN_BF16, heads, rows, HEAD),
						   keys = gen_shape3(GEN_BF16, heads, COLUMNS, HEAD);
	int64_t sides[] = {parameter(k, c, 50, queries), parameter(k, c, 51, keys)};
	sides[0] = weights_of(&s, product(&s, "cublas-gemm.6", sides, s.scores, true, 20000));
	sides[1] = parameter(k, c, 52, keys);
	product(&s, "cublas-gemm.7", sides, queries, false, 19000);
}

void gen_kernels_planted(struct kernels *k)
{
	if (gen_cause_odd_sizes(k->sc)) {
		loop_begin(k, "while.3", (uint32_t)gen_cause_odd_sizes(k->sc));
		odd_triton(k);
		odd_gemm(k);
		gen_loop_end(k->sc, k->p);
	}
	bool heads;
	int64_t times = gen_cause_softmax(k->sc, &heads);
	if (times) {
		loop_begin(k, "while.4", (uint32_t)times);
		softmax(k, heads ? 16 : 1, heads ? 1024 : 16384);
		gen_loop_end(k->sc, k->p);
	}
}
