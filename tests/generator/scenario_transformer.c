/*
 * scenario_transformer.c - several GPUs, each driven by its launcher thread: a transformer with
 * fully sharded parameters. Weights are gathered before the layer that needs them and gradients
 * are scattered after it, both during compute; layers are a loop; one device is slower.
 */
#include "scenario.h"

#define TRAIN "/opt/train/train.py"
#define LAYERS "/opt/train/layers.py"

struct frames {
	uint32_t step, embed, norm, qkv, scores, softmax, mixed, up, down, logits, loss, clip, adam;
};

static struct frames step_frames(struct gen_scenario *sc, struct gen_program *p)
{
	struct frames f = {0};
	uint32_t top = gen_frame(sc, p, 0, TRAIN, "<module>", "main()\n");
	f.step = gen_frame(sc, p, top, TRAIN, "main", "step_fn(params, state");
	uint32_t grad = gen_frame(sc, p, f.step, TRAIN, "train_step", "jax.value_and_grad");
	uint32_t fwd = gen_frame(sc, p, grad, TRAIN, "loss_fn", "forward(params, config, tokens[");
	uint32_t scan = gen_frame(sc, p, fwd, LAYERS, "forward", "jax.lax.scan");
	uint32_t att = gen_frame(sc, p, scan, LAYERS, "block", "attention(layer, config, rms_norm");
	uint32_t mlp = gen_frame(sc, p, scan, LAYERS, "block", "feed_forward(layer, rms_norm");
	uint32_t loss = gen_frame(sc, p, grad, TRAIN, "loss_fn", "cross_entropy(logits.astype");
	f.embed = gen_frame(sc, p, fwd, LAYERS, "forward", "params[\"embed\"][tokens]");
	f.norm = gen_frame(sc, p, att, LAYERS, "rms_norm", "jax.lax.rsqrt");
	f.qkv = gen_frame(sc, p, att, LAYERS, "attention", "x @ layer[\"qkv\"]");
	f.scores = gen_frame(sc, p, att, LAYERS, "attention", "jnp.einsum(\"bqhd,bkhd->bhqk\"");
	f.softmax = gen_frame(sc, p, att, LAYERS, "attention", "jax.nn.softmax");
	f.mixed = gen_frame(sc, p, att, LAYERS, "attention", "jnp.einsum(\"bhqk,bkhd->bqhd\"");
	f.up = gen_frame(sc, p, mlp, LAYERS, "feed_forward", "x @ layer[\"up\"]");
	f.down = gen_frame(sc, p, mlp, LAYERS, "feed_forward", "jax.nn.gelu(up)");
	f.logits = gen_frame(sc, p, fwd, LAYERS, "forward", "x @ params[\"embed\"].T");
	f.loss = gen_frame(sc, p, loss, TRAIN, "cross_entropy", "jax.nn.logsumexp");
	f.clip = gen_frame(sc, p, f.step, TRAIN, "clip", "jnp.sqrt(sum(jnp.sum(");
	f.adam = gen_frame(sc, p, f.step, TRAIN, "adam.<locals>.update", "p - LEARNING_RATE * m");
	return f;
}

static void gemm(struct gen_scenario *sc, struct gen_program *p, const char *name,
	const char *op_name, uint32_t frame, struct gen_shape shape, int64_t ns)
{
	gen_single(
		sc, p, (struct gen_site){name, op_name, frame}, "custom-call", shape, GEN_OP_COMPUTE, ns);
}

static void forward_layer(struct gen_scenario *sc, struct gen_program *p, const struct frames *f)
{
	struct gen_shape act = gen_shape3(GEN_BF16, 8, 2048, 4096);
	const struct gen_site norm[] = {
		{"reduce", "forward/layers/while/body/attention/reduce_sum[axes=(2,)]", f->norm},
		{"rsqrt", "forward/layers/while/body/attention/rsqrt", f->norm}};
	const struct gen_site softmax[] = {
		{"exponential", "forward/layers/while/body/attention/softmax/exp", f->softmax},
		{"reduce", "forward/layers/while/body/attention/softmax/reduce_sum", f->softmax},
		{"divide", "forward/layers/while/body/attention/softmax/div", f->softmax}};
	const struct gen_site gelu[] = {{"tanh", "forward/layers/while/body/mlp/gelu/tanh", f->down},
		{"multiply", "forward/layers/while/body/mlp/mul", 0}};
	gen_loop_begin(sc, p, (struct gen_site){"while.5.0", "forward/layers/while", f->step}, 4);
	gen_single(sc, p, (struct gen_site){"loop_compare_fusion", NULL, 0}, "compare",
		(struct gen_shape){.type = GEN_PRED}, GEN_OP_COMPUTE, 1700);
	gen_collective(sc, p,
		(struct gen_site){
			"all-gather-start.2", "forward/layers/while/body/attention/all_gather", f->qkv},
		"all-gather", gen_shape2(GEN_BF16, 1024, 12288), GEN_OP_START, false, 262000);
	gen_fusion(sc, p,
		(struct gen_site){
			"input_reduce_fusion.2", "forward/layers/while/body/attention/rsqrt", f->norm},
		act, 71000, norm, 2);
	gen_done(sc, p, "all-gather-start.2");
	gen_collective(sc, p,
		(struct gen_site){"all-gather-start.3", "forward/layers/while/body/mlp/all_gather", f->up},
		"all-gather", gen_shape2(GEN_BF16, 1024, 14336), GEN_OP_START, false, 305000);
	gemm(sc, p, "custom-call.11.0", "forward/layers/while/body/attention/dot_general", f->qkv,
		gen_shape3(GEN_BF16, 8, 2048, 12288), 345000);
	gemm(sc, p, "custom-call.12.0",
		"forward/layers/while/body/attention/bqhd,bkhd->bhqk/dot_general", f->scores,
		gen_shape3(GEN_BF16, 32, 2048, 2048), 96000);
	gen_fusion(sc, p,
		(struct gen_site){"input_exponential_reduce_fusion",
			"forward/layers/while/body/attention/softmax/div", f->softmax},
		gen_shape3(GEN_F32, 32, 2048, 2048), 131000, softmax, 3);
	gemm(sc, p, "custom-call.13.0",
		"forward/layers/while/body/attention/bhqk,bkhd->bqhd/dot_general", f->mixed, act, 93000);
	gen_done(sc, p, "all-gather-start.3");
	gemm(sc, p, "custom-call.14.0", "forward/layers/while/body/mlp/dot_general", f->up,
		gen_shape3(GEN_BF16, 8, 2048, 14336), 402000);
	gen_fusion(sc, p,
		(struct gen_site){"loop_gelu_fusion", "forward/layers/while/body/mlp/gelu", f->down},
		gen_shape3(GEN_BF16, 8, 2048, 14336), 88000, gelu, 2);
	gemm(sc, p, "custom-call.15.0", "forward/layers/while/body/mlp/dot_general", f->down, act,
		398000);
	gen_loop_end(sc, p);
}

static void backward_layer(struct gen_scenario *sc, struct gen_program *p, const struct frames *f)
{
	struct gen_shape act = gen_shape3(GEN_BF16, 8, 2048, 4096);
	const struct gen_site add[] = {
		{"add", "transpose(jvp(forward))/layers/while/body/mlp/add_any", f->down},
		{"convert", "transpose(jvp(forward))/layers/while/body/mlp/convert", f->norm}};
	gen_loop_begin(
		sc, p, (struct gen_site){"while.6.0", "transpose(jvp(forward))/layers/while", f->step}, 4);
	gen_single(sc, p, (struct gen_site){"loop_compare_fusion.1", NULL, 0}, "compare",
		(struct gen_shape){.type = GEN_PRED}, GEN_OP_COMPUTE, 1700);
	gen_collective(sc, p,
		(struct gen_site){"all-gather-start.6",
			"transpose(jvp(forward))/layers/while/body/mlp/all_gather", f->down},
		"all-gather", gen_shape2(GEN_BF16, 1024, 14336), GEN_OP_START, false, 309000);
	gemm(sc, p, "custom-call.21.0", "transpose(jvp(forward))/layers/while/body/mlp/dot_general",
		f->down, gen_shape3(GEN_BF16, 8, 2048, 14336), 405000);
	gen_done(sc, p, "all-gather-start.6");
	gemm(sc, p, "custom-call.22.0", "transpose(jvp(forward))/layers/while/body/mlp/dot_general",
		f->up, gen_shape2(GEN_BF16, 4096, 14336), 411000);
	gen_collective(sc, p,
		(struct gen_site){"reduce-scatter-start.1",
			"transpose(jvp(forward))/layers/while/body/mlp/reduce_scatter", f->up},
		"reduce-scatter", gen_shape2(GEN_BF16, 4096, 14336), GEN_OP_START, false, 335000);
	gen_fusion(sc, p,
		(struct gen_site){
			"loop_add_fusion.4", "transpose(jvp(forward))/layers/while/body/mlp/add_any", f->down},
		act, 64000, add, 2);
	/* a copy on its own stream: compute that overlaps compute */
	gen_single(sc, p, (struct gen_site){"copy.31", NULL, 0}, "copy", act, GEN_OP_SIDE, 15000);
	gemm(sc, p, "custom-call.23.0",
		"transpose(jvp(forward))/layers/while/body/attention/dot_general", f->qkv, act, 176000);
	gen_done(sc, p, "reduce-scatter-start.1");
	gen_collective(sc, p,
		(struct gen_site){"dynamic-slice-fusion.2",
			"transpose(jvp(forward))/layers/while/body/attention/reduce_scatter", f->qkv},
		"reduce-scatter", gen_shape2(GEN_BF16, 4096, 12288), GEN_OP_SYNC, true, 287000);
	gen_put_aside(p); /* gradients: for the optimizer */
	gemm(sc, p, "custom-call.24.0",
		"transpose(jvp(forward))/layers/while/body/attention/dot_general", f->mixed, act, 181000);
	gen_loop_end(sc, p);
}

static void optimizer(struct gen_scenario *sc, struct gen_program *p, const struct frames *f)
{
	const struct gen_site adam[] = {{"multiply", "adam/mul", f->adam},
		{"sqrt", "adam/sqrt", f->adam}, {"divide", "adam/div", f->adam},
		{"subtract", "adam/sub", f->adam}};
	const struct gen_site square[] = {{"multiply", "clip/integer_pow[y=2]", f->clip}};
	gen_fusion(sc, p, (struct gen_site){"input_multiply_reduce_fusion", "clip/reduce_sum", f->clip},
		gen_shape1(GEN_F32, 8), 97000, square, 1);
	gen_collective(sc, p, (struct gen_site){"all-reduce-start", "clip/reduce_sum", f->clip},
		"all-reduce", gen_shape1(GEN_F32, 8), GEN_OP_START, false, 19000);
	gen_done(sc, p, "all-reduce-start");
	gen_collective(sc, p, (struct gen_site){"all-reduce-start.1", NULL, 0}, "all-reduce",
		gen_shape2(GEN_F32, 2, 4096), GEN_OP_START, false, 31000);
	for (int i = 0; i < 6; i++)
		gen_fusion(sc, p,
			(struct gen_site){gen_text(sc, "loop_subtract_fusion.%d", i), "adam/sub", f->adam},
			gen_shape2(GEN_F32, 1024, 14336), 45000 + 7000 * i, adam, 4);
	gen_done(sc, p, "all-reduce-start.1");
	gen_cause_ops(sc, p, f->clip);
	gen_single(sc, p, (struct gen_site){"wrapped_copy", NULL, 0}, "copy", gen_shape1(GEN_F32, 1),
		GEN_OP_COMPUTE, 1800);
}

static uint32_t add_step(struct gen_scenario *sc)
{
	struct gen_program *p = gen_program_new(sc, 9, "jit_train_step");
	p->prefix = "jit(train_step)/jit(main)";
	p->multi_device = true;
	p->number_step = 1;
	struct frames f = step_frames(sc, p);
	const struct gen_site gather[] = {{"gather", "forward/embed/gather", f.embed}};
	const struct gen_site loss[] = {
		{"exponential", "loss/exp", f.loss}, {"log", "loss/log", f.loss}};
	gen_fusion(sc, p, (struct gen_site){"loop_convert_fusion", "forward/embed/convert", f.embed},
		gen_shape2(GEN_S32, 8, 2048), 4200, gather, 1);
	gen_collective(sc, p,
		(struct gen_site){"collective-permute-start", "forward/embed/ppermute", f.embed},
		"collective-permute", gen_shape3(GEN_BF16, 8, 128, 4096), GEN_OP_START, false, 47000);
	gen_fusion(sc, p, (struct gen_site){"input_gather_fusion", "forward/embed/gather", f.embed},
		gen_shape3(GEN_BF16, 8, 2048, 4096), 83000, gather, 1);
	gen_done(sc, p, "collective-permute-start");
	forward_layer(sc, p, &f);
	gemm(sc, p, "custom-call.30.0", "forward/logits/dot_general", f.logits,
		gen_shape3(GEN_BF16, 8, 2048, 32000), 812000);
	gen_fusion(sc, p, (struct gen_site){"input_exponential_fusion", "loss/exp", f.loss},
		gen_shape3(GEN_F32, 8, 2048, 32000), 357000, loss, 2);
	gemm(sc, p, "custom-call.31.0", "transpose(jvp(forward))/logits/dot_general", f.logits,
		gen_shape3(GEN_BF16, 8, 2048, 4096), 823000);
	backward_layer(sc, p, &f);
	optimizer(sc, p, &f);
	gen_memory(sc, p,
		&(struct gen_memory){.n_weights = 12, /* weights, and two moments of each */
			.weight = gen_weight(sc, gen_shape2(GEN_F32, 1024, 14336), 12),
			.donated = true,
			.n_outputs = 1});
	return (uint32_t)sc->programs.n - 1;
}

static uint32_t add_init(struct gen_scenario *sc)
{
	struct gen_program *p = gen_program_new(sc, 4, "jit_init_model");
	p->prefix = "jit(init_model)/jit(main)";
	p->multi_device = true;
	uint32_t top = gen_frame(sc, p, 0, TRAIN, "<module>", "main()\n");
	uint32_t call = gen_frame(sc, p, top, TRAIN, "main", "jax.jit(init_model");
	uint32_t normal =
		gen_frame(sc, p, call, LAYERS, "init_model.<locals>.normal", "0.02 * jax.random");
	const struct gen_site inner[] = {
		{"rng-bits", "jit(_normal)/random_bits", normal}, {"multiply", "mul", normal}};
	for (int i = 0; i < 6; i++)
		gen_fusion(sc, p,
			(struct gen_site){gen_text(sc, "loop_multiply_fusion.%d", i), "mul", normal},
			gen_shape2(GEN_BF16, 4096, 3584), 61000 + 3000 * i, inner, 2);
	gen_memory(sc, p, &(struct gen_memory){.n_outputs = 5});
	return (uint32_t)sc->programs.n - 1;
}

/* Runs on each process's first device only; the main thread launches it. */
static uint32_t add_single(
	struct gen_scenario *sc, int64_t number, const char *name, const char *prefix, int64_t ns)
{
	struct gen_program *p = gen_program_new(sc, number, name);
	p->prefix = prefix;
	p->number_step = number > 9;
	uint32_t top = gen_frame(sc, p, 0, TRAIN, "<module>", "main()\n");
	uint32_t call = gen_frame(sc, p, top, TRAIN, "main", "synthetic_tokens(sub, config");
	uint32_t at = gen_frame(sc, p, call, TRAIN, "synthetic_tokens", "jax.random.randint(key");
	const struct gen_site inner[] = {{"xor", "xor", at}};
	gen_fusion(sc, p, (struct gen_site){"loop_xor_fusion", "xor", at},
		gen_shape2(GEN_U32, 32, 2049), ns, inner, 1);
	gen_single(sc, p, (struct gen_site){"wrapped_copy", NULL, 0}, "copy",
		gen_shape2(GEN_S32, 32, 2049), GEN_OP_COMPUTE, ns / 2);
	gen_memory(sc, p, &(struct gen_memory){.no_heap = true});
	return (uint32_t)sc->programs.n - 1;
}

void gen_build_transformer_fsdp4(struct gen_scenario *sc)
{
	sc->entry_source = TRAIN;
	gen_on_h100(sc);
	gen_cause_device(sc);
	uint32_t key = add_single(sc, 2, "jit__threefry_seed", "jit(_threefry_seed)/jit(main)", 3100);
	uint32_t init = add_init(sc), step = add_step(sc);
	uint32_t tokens = add_single(sc, 11, "jit_synthetic_tokens", NULL, 8800);
	gen_cause_programs(sc, true);
	uint64_t steps = sc->options.n_steps;
	uint64_t per_step = gen_count_thunks(sc->programs.items[step]);
	if (sc->options.n_rows > steps * per_step)
		steps = (sc->options.n_rows + per_step - 1) / per_step;
	gen_edge_thunk(sc, "loop_add_fusion.77");
	gen_compile(sc, key, 0, false);
	gen_run(sc, key, false);
	gen_compile(sc, init, 0, true);
	gen_run(sc, init, false);
	gen_compile(sc, step, 3, true);
	for (uint64_t i = 0; i < steps + 2; i++) { /* two of them are warm-up */
		gen_cause_before_step(sc, step, i, steps);
		if (!gen_quiet(sc))
			gen_run(sc, tokens, false);
		gen_run(sc, step, false);
		if (!gen_quiet(sc))
			gen_wait_for_gpu(sc, 340000); /* the loss is printed: from here on the host lags */
	}
	gen_run(sc, tokens, false);
	gen_run(sc, step, true);
}
