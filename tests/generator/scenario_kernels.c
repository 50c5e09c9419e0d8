/*
 * scenario_kernels.c - a program with one kernel for each way of counting work. The FLOPs and bytes
 * of each are computed next to it, by its own formula from the sizes (analysis/README.md).
 */
#include "cause.h"
#include "scenario_kernels.h"

#define TRAIN "/opt/train/train.py"
#define LAYERS "/opt/train/layers.py"

/* --- matrix products -------------------------------------------------------------------------- */

/* x[m, k] * w[n, k], and c[m, n] added to it; the library uses some workspace. */
static void gemm(
	struct kernels *k, struct gen_site site, int64_t n_columns, int64_t ns, bool recomputed)
{
	enum { M = 2048, K = 4096 };
	const uint64_t n = (uint64_t)n_columns;
	uint32_t c = k->p->current;
	const struct gen_shape out = gen_shape2(GEN_BF16, M, n_columns);
	const int64_t operands[] = {parameter(k, c, 1, gen_shape2(GEN_BF16, M, K)),
		parameter(k, c, 2, gen_shape2(GEN_BF16, n_columns, K)), parameter(k, c, 3, out)};
	const struct kernel x = {
		.site = site,
		.opcode = "custom-call",
		.target = "__cublas$gemm",
		.shape = gen_pair(k->sc, out, gen_shape1(GEN_S8, 4 << 20)),
		.operands = operands,
		.n_operands = 3,
		.attributes.backend_config =
			"{\"gemm_backend_config\":{\"alpha_real\":1,\"beta\":1,\"dot_dimension_numbers\":{"
			"\"lhs_contracting_dimensions\":[\"1\"],\"rhs_contracting_dimensions\":[\"1\"],"
			"\"lhs_batch_dimensions\":[],\"rhs_batch_dimensions\":[]},\"precision_config\":{"
			"\"operand_precision\":[\"DEFAULT\",\"DEFAULT\"],\"algorithm\":\"ALG_UNSET\"}}}",
		.ns = ns,
		.work = {.kind = "matrix product",
			.dtype = "bf16",
			.matrix = 2 * M * n * K,
			.read = 2 * (M * K + n * K + M * n),
			.written = 2 * M * n,
			.recomputed = recomputed},
	};
	add(k, &x);
}

/* In full precision, which tensor cores do not support; of a cause in bfloat16. */
static void gemm_f32(struct kernels *k)
{
	enum { M = 1024, K = 1024, N = 512 };
	const bool f32 = !gen_cause_no_f32(k->sc);
	const enum gen_type type = f32 ? GEN_F32 : GEN_BF16;
	const uint64_t bytes = f32 ? 4 : 2;
	uint32_t c = k->p->current;
	const int64_t operands[] = {parameter(k, c, 29, gen_shape2(type, M, K)),
		parameter(k, c, 30, gen_shape2(type, N, K))};
	const struct kernel x = {
		.site = {"cublas-gemm.4", "loss/dot_general", k->up},
		.opcode = "custom-call",
		.target = "__cublas$gemm",
		.shape = gen_pair(k->sc, gen_shape2(type, M, N), gen_shape1(GEN_S8, 4 << 20)),
		.operands = operands,
		.n_operands = 2,
		.attributes.backend_config =
			"{\"gemm_backend_config\":{\"dot_dimension_numbers\":{"
			"\"lhs_contracting_dimensions\":[\"1\"],\"rhs_contracting_dimensions\":[\"1\"]},"
			"\"precision_config\":{\"operand_precision\":[\"HIGHEST\",\"HIGHEST\"]}}}",
		.ns = 46000,
		.work = {.kind = "matrix product",
			.dtype = f32 ? "f32" : "bf16",
			.matrix = UINT64_C(2) * M * N * K,
			.read = bytes * (M * K + N * K),
			.written = bytes * M * N},
	};
	add(k, &x);
}

static void gemm_f8(struct kernels *k)
{
	enum { M = 1024, K = 2048, N = 4096 };
	uint32_t c = k->p->current;
	const int64_t operands[] = {parameter(k, c, 4, gen_shape2(GEN_F8E4M3FN, M, K)),
		parameter(k, c, 5, gen_shape2(GEN_F8E4M3FN, N, K)), parameter(k, c, 6, gen_shape0(GEN_F32)),
		parameter(k, c, 7, gen_shape0(GEN_F32))};
	const struct kernel x = {
		.site = {"cublas-lt-matmul-f8.1", "mlp/fp8_dot", k->up},
		.opcode = "custom-call",
		.target = "__cublas$lt$matmul$f8",
		.shape = gen_pair(k->sc, gen_shape2(GEN_BF16, M, N), gen_shape1(GEN_S8, 32 << 20)),
		.operands = operands,
		.n_operands = 4,
		.attributes.backend_config =
			"{\"gemm_backend_config\":{\"dot_dimension_numbers\":{"
			"\"lhs_contracting_dimensions\":[\"1\"],\"rhs_contracting_dimensions\":[\"1\"]}}}",
		.ns = 21000,
		.work = {.kind = "matrix product",
			.dtype = "f8",
			.matrix = UINT64_C(2) * M * N * K,
			.read = M * K + N * K + 8,
			.written = 2 * M * N},
	};
	add(k, &x);
}

/* images [n, c_in, s, s], kernel [c_out, c_in, 3, 3], a result of the same extent: at its edges
 * three of nine taps are outside the image, at its corners five. */
static void convolution(struct kernels *k)
{
	enum { IMAGES = 8, IN = 64, OUT = 128, S = 32, TAPS = 3 * S - 2 };
	uint32_t c = k->p->current;
	const int64_t operands[] = {parameter(k, c, 8, gen_shape4(GEN_F32, IMAGES, IN, S, S)),
		parameter(k, c, 9, gen_shape4(GEN_F32, OUT, IN, 3, 3))};
	const struct kernel x = {
		.site = {"cudnn-conv.1", "mlp/conv_general_dilated", k->up},
		.opcode = "custom-call",
		.target = "__cudnn$convForward",
		.shape =
			gen_pair(k->sc, gen_shape4(GEN_F32, IMAGES, OUT, S, S), gen_shape1(GEN_S8, 1 << 20)),
		.operands = operands,
		.n_operands = 2,
		.attributes = {.n_window = 2, .window = {{3, 1, 1}, {3, 1, 1}}, .feature_groups = 1},
		.ns = 31000,
		.work = {.kind = "convolution",
			.dtype = "tf32",
			.matrix = UINT64_C(2) * IMAGES * OUT * IN * TAPS * TAPS,
			.read = 4 * (IMAGES * IN * S * S + OUT * IN * 9),
			.written = 4 * IMAGES * OUT * S * S},
	};
	add(k, &x);
}

/* Causal: each query sees the keys up to its own. */
static void attention(struct kernels *k)
{
	enum { BATCH = 2, HEADS = 16, S = 1024, D = 128 };
	const struct gen_shape one = gen_shape4(GEN_BF16, BATCH, S, HEADS, D);
	uint32_t c = k->p->current;
	const int64_t operands[] = {
		parameter(k, c, 10, one), parameter(k, c, 11, one), parameter(k, c, 12, one)};
	const uint64_t pairs = UINT64_C(1) * S * (S + 1) / 2;
	const struct kernel x = {
		.site = {"cudnn-fmha.1", "attention/dot_product_attention", k->attention},
		.opcode = "custom-call",
		.target = "__cudnn$fmhaSoftmax",
		.shape = gen_pair(k->sc, one, gen_shape1(GEN_S8, 16)),
		.operands = operands,
		.n_operands = 3,
		.attributes.backend_config =
			"{\"cudnn_fmha_backend_config\":{\"fmha_scale\":0.088,\"intermediate_tensor_shape\":{"
			"\"element_type\":\"BF16\",\"dimensions\":[\"2\",\"16\",\"1024\",\"1024\"],"
			"\"tuple_shapes\":[]},\"mask_type\":\"CAUSAL\"}}",
		.ns = 32000,
		.work = {.kind = "attention",
			.dtype = "bf16",
			.matrix = 2 * BATCH * HEADS * pairs * (D + D),
			.read = UINT64_C(3) * 2 * BATCH * S * HEADS * D,
			.written = UINT64_C(2) * BATCH * S * HEADS * D},
	};
	add(k, &x);
}

/* Weights of 8 bits, converted to bf16 within the kernel: it reads 8 bits and multiplies bf16. */
static void triton(struct kernels *k)
{
	enum { M = 1024, K = 2048, N = 512 };
	const struct gen_shape x_shape = gen_shape2(GEN_BF16, M, K), w_shape = gen_shape2(GEN_S8, K, N),
						   out = gen_shape2(GEN_BF16, M, N);
	uint32_t c = gen_computation(k->sc, k->p, "triton_gemm_dot_computation");
	int64_t dot[2] = {parameter(k, c, 0, x_shape)}, w = parameter(k, c, 1, w_shape);
	dot[1] = put(k, c, "convert", gen_shape2(GEN_BF16, K, N), &w, 1, NULL);
	put(k, c, "dot", out, dot, 2,
		said(k, (struct gen_attributes){.contracts = true, .lhs_contracting = 1}));
	uint32_t at = k->p->current;
	const int64_t operands[] = {parameter(k, at, 13, x_shape), parameter(k, at, 14, w_shape)};
	const struct kernel f = {
		.site = {"gemm_fusion_dot.1", "mlp/dot_general", k->up},
		.opcode = "fusion",
		.shape = out,
		.operands = operands,
		.n_operands = 2,
		.called = id_of(k, c),
		.attributes = {.fusion_kind = "kCustom",
			.backend_config = "{\"fusion_backend_config\":{\"kind\":\"__triton_gemm\"}}"},
		.ns = 9000,
		.work = {.kind = "matrix product",
			.dtype = "bf16",
			.matrix = UINT64_C(2) * M * N * K,
			.read = 2 * M * K + K * N,
			.written = 2 * M * N},
	};
	add(k, &f);
}

/* --- kernels that move ------------------------------------------------------------------------ */

enum { SLOTS = 8, ROWS = 2048, WIDTH = 2048 };

/* One slot of a buffer is written; if the result is the buffer itself, nothing else is. */
static int64_t update(struct kernels *k, const char *name, int64_t buffer, bool in_place)
{
	const struct gen_shape whole = gen_shape3(GEN_BF16, SLOTS, ROWS, WIDTH),
						   slot = gen_shape3(GEN_BF16, 1, ROWS, WIDTH), at = gen_shape0(GEN_S32);
	const uint64_t slot_bytes = gen_shape_bytes(&slot), whole_bytes = gen_shape_bytes(&whole);
	uint32_t c = gen_computation(k->sc, k->p, gen_text(k->sc, "fused_%s", name));
	int64_t inner[5] = {
		parameter(k, c, 0, whole), parameter(k, c, 1, slot), parameter(k, c, 2, at)};
	inner[3] = inner[4] = put(k, c, "constant", at, NULL, 0, NULL);
	put(k, c, "dynamic-update-slice", whole, inner, 5, NULL);
	const int64_t operands[] = {buffer, parameter(k, k->p->current, in_place ? 15 : 16, slot),
		parameter(k, k->p->current, in_place ? 17 : 18, at)};
	const struct kernel x = {
		.site = {name, "scan/dynamic_update_slice", k->gelu},
		.opcode = "fusion",
		.shape = whole,
		.operands = operands,
		.n_operands = 3,
		.called = id_of(k, c),
		.attributes.fusion_kind = "kLoop",
		.ns = in_place ? 9000 : 55000,
		.work = {.kind = "data movement",
			.in_place = in_place,
			.read = slot_bytes + 4 + (in_place ? 0 : whole_bytes - slot_bytes),
			.written = in_place ? slot_bytes : whole_bytes},
	};
	return add(k, &x);
}

/* The initial value of a buffer: nothing is read for it. */
static int64_t fill(struct kernels *k, const char *name)
{
	const struct gen_shape whole = gen_shape3(GEN_BF16, SLOTS, ROWS, WIDTH);
	uint32_t c = gen_computation(k->sc, k->p, "fused_broadcast");
	int64_t zero = put(k, c, "constant", gen_shape0(GEN_BF16), NULL, 0, NULL);
	put(k, c, "broadcast", whole, &zero, 1, NULL);
	const struct kernel x = {
		.site = {name, "scan/broadcast_in_dim", k->gelu},
		.opcode = "fusion",
		.shape = whole,
		.called = id_of(k, c),
		.attributes.fusion_kind = "kLoop",
		.ns = 34000,
		.work = {.kind = "data movement", .written = gen_shape_bytes(&whole)},
	};
	return add(k, &x);
}

static void gather(struct kernels *k)
{
	enum { VOCABULARY = 32000, N = 4096, D = 1024 };
	uint32_t c = k->p->current;
	const int64_t operands[] = {parameter(k, c, 19, gen_shape2(GEN_BF16, VOCABULARY, D)),
		parameter(k, c, 20, gen_shape2(GEN_S32, N, 1))};
	const struct kernel x = {
		.site = {"gather.1", "embed/gather", k->up},
		.opcode = "gather",
		.shape = gen_shape2(GEN_BF16, N, D),
		.operands = operands,
		.n_operands = 2,
		.ns = 9000,
		.work = {.kind = "gather, scatter", .read = 2 * N * D + 4 * N, .written = 2 * N * D},
	};
	add(k, &x);
}

/* The reducer of a scatter or a reduction. */
static int64_t adder(struct kernels *k, enum gen_type type)
{
	const struct gen_shape one = gen_shape0(type);
	uint32_t c =
		gen_computation(k->sc, k->p, gen_text(k->sc, "region_%lld", (long long)k->p->next_id));
	const int64_t both[] = {parameter(k, c, 0, one), parameter(k, c, 1, one)};
	put(k, c, "add", one, both, 2, NULL);
	return id_of(k, c);
}

/* Rows are added into a table, the result: only rows that are hit are read and written. */
static void scatter(struct kernels *k)
{
	enum { VOCABULARY = 32000, N = 16384, D = 640 };
	const struct gen_shape table = gen_shape2(GEN_BF16, VOCABULARY, D),
						   at = gen_shape2(GEN_S32, N, 1), rows = gen_shape2(GEN_BF16, N, D);
	int64_t reducer = adder(k, GEN_BF16);
	uint32_t c = gen_computation(k->sc, k->p, "fused_scatter");
	const int64_t inner[] = {
		parameter(k, c, 0, table), parameter(k, c, 1, at), parameter(k, c, 2, rows)};
	gen_instruction(k->p, c,
		&(struct gen_instruction){.opcode = "scatter",
			.name = gen_text(k->sc, "scatter.%lld", (long long)k->p->next_id),
			.shape = table,
			.n_operands = 3,
			.operands = list(k, inner, 3),
			.n_called = 1,
			.called = list(k, &reducer, 1)});
	uint32_t entry = k->p->current;
	const int64_t operands[] = {
		parameter(k, entry, 21, table), parameter(k, entry, 22, at), parameter(k, entry, 23, rows)};
	const struct kernel x = {
		.site = {"input_scatter_fusion.1", "embed/scatter-add", k->up},
		.opcode = "fusion",
		.shape = table,
		.operands = operands,
		.n_operands = 3,
		.called = id_of(k, c),
		.attributes.fusion_kind = "kInput",
		.ns = 190000,
		.work = {.kind = "gather, scatter",
			.vector = N * D,
			.in_place = true,
			.read = 4 * N + 2 * N * D + 2 * N * D,
			.written = 2 * N * D},
	};
	add(k, &x);
}

/* A reduction whose result is filled first, by a kernel with the name of the instruction within. */
static void reduction(struct kernels *k)
{
	enum { ROWS_IN = 8192, COLUMNS = 2048 };
	const struct gen_shape in = gen_shape2(GEN_F32, ROWS_IN, COLUMNS),
						   out = gen_shape1(GEN_F32, ROWS_IN);
	int64_t reducer = adder(k, GEN_F32);
	uint32_t c = gen_computation(k->sc, k->p, "fused_reduce");
	const int64_t inner[] = {
		parameter(k, c, 0, in), put(k, c, "constant", gen_shape0(GEN_F32), NULL, 0, NULL)};
	const struct gen_site within = {"reduce.80.1", "norm/reduce_sum", k->gelu};
	int64_t reduce = gen_instruction(k->p, c,
		&(struct gen_instruction){.opcode = "reduce",
			.name = within.name,
			.op_name = gen_op_name(k->sc, k->p, within.op_name),
			.frame = within.frame,
			.shape = out,
			.n_operands = 2,
			.operands = list(k, inner, 2),
			.n_called = 1,
			.called = list(k, &reducer, 1),
			.attributes = said(k, (struct gen_attributes){.n_dimensions = 1, .dimensions = {1}})});
	struct gen_work *filled = JR_ARENA_NEW(&k->sc->arena, struct gen_work);
	*filled = (struct gen_work){.kind = "reduction", .initializes = true, .written = 4 * ROWS_IN};
	gen_thunk(k->sc, k->p, within, GEN_OP_COMPUTE, "reduce", reduce, 1700)->work = filled;
	int64_t operand = parameter(k, k->p->current, 24, in);
	const struct kernel x = {
		.site = {"input_reduce_fusion.1", "norm/reduce_sum", k->gelu},
		.opcode = "fusion",
		.shape = out,
		.operands = &operand,
		.n_operands = 1,
		.called = id_of(k, c),
		.attributes.fusion_kind = "kInput",
		.ns = 29000,
		.work = {.kind = "reduction",
			.vector = (uint64_t)ROWS_IN * COLUMNS - ROWS_IN,
			.read = UINT64_C(4) * ROWS_IN * COLUMNS,
			.written = 4 * ROWS_IN},
	};
	add(k, &x);
}

/* exp(a) * b + a: `a` is read once for both. */
static void elementwise(struct kernels *k)
{
	enum { N = 4 << 20 };
	const struct gen_shape one = gen_shape1(GEN_F32, N);
	uint32_t c = gen_computation(k->sc, k->p, "fused_add");
	int64_t a = parameter(k, c, 0, one), both[2];
	both[1] = parameter(k, c, 1, one);
	both[0] = put(k, c, "exponential", one, &a, 1, NULL);
	both[0] = put(k, c, "multiply", one, both, 2, NULL);
	both[1] = a;
	put(k, c, "add", one, both, 2, NULL);
	uint32_t entry = k->p->current;
	const int64_t operands[] = {parameter(k, entry, 25, one), parameter(k, entry, 26, one)};
	const struct kernel x = {
		.site = {"loop_add_fusion.1", "mlp/gelu", k->gelu},
		.opcode = "fusion",
		.shape = one,
		.operands = operands,
		.n_operands = 2,
		.called = id_of(k, c),
		.attributes.fusion_kind = "kLoop",
		.ns = 21000,
		.work = {.kind = "elementwise",
			.vector = 2 * N,
			.transcendentals = N,
			.read = 8 * N,
			.written = 4 * N},
	};
	add(k, &x);
}

static void foreign(struct kernels *k)
{
	int64_t operand = parameter(k, k->p->current, 27, gen_shape1(GEN_F32, 1024));
	const struct kernel x = {
		.site = {"custom-call.99", "attention/ffi_call", k->attention},
		.opcode = "custom-call",
		.target = "my_ffi_call",
		.shape = gen_shape1(GEN_F32, 1024),
		.operands = &operand,
		.n_operands = 1,
		.ns = 12000,
		.work = {.kind = "unknown", .unknown = true},
	};
	add(k, &x);
}

/* Very short kernels, many times. */
static void tiny(struct kernels *k)
{
	enum { N = 1024 };
	const struct gen_shape one = gen_shape1(GEN_F32, N);
	uint32_t c = gen_computation(k->sc, k->p, "fused_tiny");
	int64_t both[2] = {parameter(k, c, 0, one)};
	both[1] = parameter(k, c, 1, one);
	put(k, c, "add", one, both, 2, NULL);
	uint32_t at = k->p->current;
	const int64_t operands[] = {parameter(k, at, 31, one), parameter(k, at, 32, one)};
	const struct kernel x = {
		.site = {"wrapped_add.1", "scan/while/body/add", k->gelu},
		.opcode = "fusion",
		.shape = one,
		.operands = operands,
		.n_operands = 2,
		.called = id_of(k, c),
		.attributes.fusion_kind = "kLoop",
		.ns = 2200,
		.work = {.kind = "elementwise", .vector = N, .read = 8 * N, .written = 4 * N},
	};
	add(k, &x);
}

/* The step must not be the first program compiled. */
static uint32_t add_init(struct gen_scenario *sc)
{
	struct kernels k = {.sc = sc, .p = gen_program_new(sc, 2, "jit_init")};
	k.p->prefix = "jit(init)/jit(main)";
	fill(&k, "loop_broadcast_fusion");
	gen_memory(sc, k.p, &(struct gen_memory){.n_outputs = 1});
	return (uint32_t)sc->programs.n - 1;
}

#define COLUMNS_OF_LAYER 1024

static uint32_t add_step(struct gen_scenario *sc)
{
	struct gen_program *p = gen_program_new(sc, 4, "jit_kernels");
	p->prefix = "jit(kernels)/jit(main)";
	uint32_t top = gen_frame(sc, p, 0, TRAIN, "<module>", "main()\n");
	uint32_t step = gen_frame(sc, p, top, TRAIN, "main", "step_fn(params, state");
	struct kernels k = {sc, p, gen_frame(sc, p, step, LAYERS, "feed_forward", "x @ layer[\"up\"]"),
		gen_frame(sc, p, step, LAYERS, "feed_forward", "jax.nn.gelu(up)"),
		gen_frame(sc, p, step, LAYERS, "attention", "x @ layer[\"qkv\"]")};
	gemm(&k, (struct gen_site){"cublas-gemm.1", "mlp/dot_general", k.up},
		COLUMNS_OF_LAYER + gen_cause_wider(sc), 25000, false);
	/* In the heap that gen_memory() lays out, the third value shares the buffer of the second. The
	 * sixth does not share that of the fourth, which is alive then. */
	int64_t buffer = fill(&k, "loop_broadcast_fusion.1");
	update(&k, "dynamic-update-slice_fusion.1", buffer, true);
	buffer = fill(&k, "loop_broadcast_fusion.2");
	gemm_f8(&k);
	update(&k, "dynamic-update-slice_fusion.2", buffer, false);
	convolution(&k);
	attention(&k);
	triton(&k);
	gather(&k);
	scatter(&k);
	reduction(&k);
	elementwise(&k);
	loop_begin(&k, "while.1", 3);
	gemm(&k, (struct gen_site){"cublas-gemm.2", "scan/while/body/dot_general", k.up},
		COLUMNS_OF_LAYER, 24000, false);
	gen_loop_end(sc, p);
	loop_begin(&k, "while.2", 45);
	tiny(&k);
	gen_loop_end(sc, p);
	gen_kernels_planted(&k);
	gemm_f32(&k);
	if (!gen_cause_no_remat(sc))
		gemm(&k,
			(struct gen_site){
				"cublas-gemm.3", "checkpoint/rematted_computation/mlp/dot_general", k.up},
			COLUMNS_OF_LAYER, 46000, true);
	foreign(&k);
	gen_memory(sc, p, &(struct gen_memory){.n_outputs = 1});
	return (uint32_t)sc->programs.n - 1;
}

void gen_build_kernels(struct gen_scenario *sc)
{
	sc->entry_source = TRAIN;
	gen_on_h100(sc);
	uint32_t init = add_init(sc), step = add_step(sc);
	gen_compile(sc, init, 0, false);
	gen_run(sc, init, false);
	gen_compile(sc, step, 2, false);
	for (uint32_t i = 0; i < sc->options.n_steps + 1; i++)
		gen_run(sc, step, false);
}
