/*
 * scenario_mnist.c - one process, one GPU: a variational autoencoder. The main thread launches
 * everything; there is no communication.
 */
#include "scenario.h"

#define SOURCE "/opt/train/mnist_vae.py"

struct frames {
	uint32_t encode_hidden, encode_out, decode_hidden, decode_out, sample, likelihood, kl, mean;
	uint32_t update, loss;
};

static uint32_t dense_frame(struct gen_scenario *sc, struct gen_program *p, uint32_t parent)
{
	return gen_frame(sc, p, parent, SOURCE, "dense", "x @ layer[\"w\"]");
}

static struct frames loss_frames(struct gen_scenario *sc, struct gen_program *p, uint32_t caller)
{
	uint32_t encode =
		gen_frame(sc, p, caller, SOURCE, "loss_fn", "encode(params, images)\n    eps");
	uint32_t decode = gen_frame(sc, p, caller, SOURCE, "loss_fn", "decode(params, z)\n    like");
	uint32_t hidden = gen_frame(sc, p, encode, SOURCE, "encode", "dense(params[\"enc_hidden\"]");
	uint32_t mean = gen_frame(sc, p, encode, SOURCE, "encode", "dense(params[\"enc_mean\"]");
	uint32_t dec_hidden =
		gen_frame(sc, p, decode, SOURCE, "decode", "dense(params[\"dec_hidden\"]");
	uint32_t dec_out = gen_frame(sc, p, decode, SOURCE, "decode", "dense(params[\"dec_out\"]");
	return (struct frames){
		.encode_hidden = dense_frame(sc, p, hidden),
		.encode_out = dense_frame(sc, p, mean),
		.decode_hidden = dense_frame(sc, p, dec_hidden),
		.decode_out = dense_frame(sc, p, dec_out),
		.sample = gen_frame(sc, p, caller, SOURCE, "loss_fn", "jnp.exp(0.5 * logvar) * eps"),
		.likelihood = gen_frame(sc, p, caller, SOURCE, "loss_fn", "jnp.sum(images * logits"),
		.kl = gen_frame(sc, p, caller, SOURCE, "loss_fn", "jnp.sum(1 + logvar"),
		.mean = gen_frame(sc, p, caller, SOURCE, "loss_fn", "jnp.mean(kl - likelihood)"),
	};
}

static void forward(struct gen_scenario *sc, struct gen_program *p, const struct frames *f)
{
	const struct gen_site relu[] = {
		{"add", "jvp()/add", f->encode_hidden}, {"maximum", "jvp()/relu/max", f->encode_hidden}};
	const struct gen_site sample[] = {{"exponential", "jvp()/exp", f->sample},
		{"multiply", "jvp()/mul", f->sample}, {"rng-bits", "jit(_normal)/random_bits", 0}};
	const struct gen_site likelihood[] = {{"multiply", "jvp()/mul", f->likelihood},
		{"log-plus-one", "jvp()/logaddexp", f->likelihood}, {"kl", "jvp()/kl", f->kl},
		{"reduce", "jvp()/reduce_sum", f->mean}};
	struct gen_shape hidden = gen_shape2(GEN_F32, 256, 512);
	gen_single(sc, p, (struct gen_site){"custom-call.1.0", "jvp()/dot_general", f->encode_hidden},
		"custom-call", hidden, GEN_OP_COMPUTE, 41000);
	gen_fusion(sc, p, (struct gen_site){"loop_maximum_fusion", "jvp()/relu/max", f->encode_hidden},
		hidden, 5200, relu, 2);
	gen_single(sc, p, (struct gen_site){"custom-call.2.0", "jvp()/dot_general", f->encode_out},
		"custom-call", gen_shape2(GEN_F32, 256, 32), GEN_OP_COMPUTE, 11500);
	gen_fusion(sc, p, (struct gen_site){"loop_add_fusion.1", "jvp()/add", f->sample},
		gen_shape2(GEN_F32, 256, 16), 7800, sample, 3);
	gen_single(sc, p, (struct gen_site){"custom-call.3.0", "jvp()/dot_general", f->decode_hidden},
		"custom-call", hidden, GEN_OP_COMPUTE, 12300);
	gen_fusion(sc, p, (struct gen_site){"loop_maximum_fusion.1", NULL, f->decode_hidden}, hidden,
		5100, relu, 1);
	gen_single(sc, p, (struct gen_site){"custom-call.4.0", "jvp()/dot_general", f->decode_out},
		"custom-call", gen_shape2(GEN_F32, 256, 784), GEN_OP_COMPUTE, 39000);
	gen_fusion(sc, p, (struct gen_site){"input_reduce_fusion", "jvp()/reduce_sum", f->likelihood},
		gen_shape1(GEN_F32, 256), 16400, likelihood, 4);
}

static void backward(struct gen_scenario *sc, struct gen_program *p, const struct frames *f)
{
	static const char *const names[] = {"custom-call.5.0", "custom-call.6.0", "custom-call.7.0",
		"custom-call.8.0", "custom-call.9.0", "custom-call.10.0"};
	static const int64_t ns[] = {43000, 40500, 13100, 12800, 11900, 42700};
	const uint32_t frames[] = {f->decode_out, f->decode_out, f->decode_hidden, f->encode_out,
		f->encode_out, f->encode_hidden};
	for (int i = 0; i < 6; i++)
		gen_single(sc, p, (struct gen_site){names[i], "transpose(jvp())/dot_general", frames[i]},
			"custom-call", gen_shape2(GEN_F32, 784, 512), GEN_OP_COMPUTE, ns[i]);
	const struct gen_site update[] = {
		{"multiply", "mul", f->update}, {"subtract", "sub", f->update}};
	gen_fusion(sc, p, (struct gen_site){"loop_subtract_fusion", "sub", f->update},
		gen_shape2(GEN_F32, 784, 512), 15000, update, 2);
	gen_single(sc, p, (struct gen_site){"copy.3", NULL, 0}, "copy", gen_shape1(GEN_F32, 1),
		GEN_OP_COMPUTE, 1900);
}

/* A very large program: thunks with many stacks each, all with different times. */
static void many(struct gen_scenario *sc, struct gen_program *p, const struct frames *f)
{
	enum { MOST = 16 };
	const uint32_t frames[] = {f->encode_hidden, f->encode_out, f->decode_hidden, f->decode_out,
		f->sample, f->likelihood, f->kl, f->update};
	uint32_t n = sc->options.n_thunks, left = sc->options.n_stacks, id = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct gen_site inner[MOST];
		uint32_t share = left / (n - i), n_inner = share < 1 ? 1 : share < MOST ? share : MOST;
		for (uint32_t k = 0; k < n_inner; k++, id++)
			inner[k] = (struct gen_site){k % 2 ? "multiply" : "add",
				gen_text(sc, "block_%u/layer_%u/mul_%u", id % 17, id % 1009, id), frames[id % 8]};
		left -= left < n_inner ? left : n_inner;
		gen_fusion(sc, p, (struct gen_site){gen_text(sc, "loop_many_fusion.%u", i),
							  inner[0].op_name, inner[0].frame},
			gen_shape1(GEN_F32, 1024), 900 + 7 * (int64_t)(i % 997) + i % 13 * 400, inner, n_inner);
	}
}

static uint32_t add_init(struct gen_scenario *sc)
{
	struct gen_program *p = gen_program_new(sc, 1, "jit_init_params");
	p->prefix = "jit(init_params)/jit(main)";
	uint32_t top = gen_frame(sc, p, 0, SOURCE, "<module>", "main()\n");
	uint32_t main_frame = gen_frame(sc, p, top, SOURCE, "main", "jax.jit(init_params)(key)");
	uint32_t normal =
		gen_frame(sc, p, main_frame, SOURCE, "init_params", "jax.random.normal(sub, shape)");
	const struct gen_site inner[] = {{"multiply", "mul", normal}, {"convert", "convert", normal}};
	for (int i = 0; i < 5; i++)
		gen_fusion(sc, p,
			(struct gen_site){gen_text(sc, "loop_multiply_fusion.%d", i), "mul", normal},
			gen_shape2(GEN_F32, 784, 512), 14000 + 900 * i, inner, 2);
	gen_memory(sc, p, &(struct gen_memory){.n_outputs = 4});
	return (uint32_t)sc->programs.n - 1;
}

static uint32_t add_train(struct gen_scenario *sc)
{
	struct gen_program *p = gen_program_new(sc, 3, "jit_train_step");
	p->prefix = "jit(train_step)/jit(main)";
	uint32_t top = gen_frame(sc, p, 0, SOURCE, "<module>", "main()\n");
	uint32_t call = gen_frame(sc, p, top, SOURCE, "main", "train_step(params, sub, images)");
	uint32_t grad = gen_frame(sc, p, call, SOURCE, "train_step", "jax.value_and_grad(loss_fn)");
	struct frames f = loss_frames(sc, p, grad);
	f.update = gen_frame(sc, p, call, SOURCE, "train_step.<locals>.<lambda>", "p - STEP_SIZE * g");
	forward(sc, p, &f);
	backward(sc, p, &f);
	many(sc, p, &f);
	gen_memory(sc, p,
		&(struct gen_memory){.n_weights = 4,
			.weight = gen_weight(sc, gen_shape2(GEN_F32, 784, 512), 4),
			.donated = true,
			.n_outputs = 1});
	return (uint32_t)sc->programs.n - 1;
}

static uint32_t add_evaluate(struct gen_scenario *sc)
{
	struct gen_program *p = gen_program_new(sc, 5, "jit_evaluate");
	p->prefix = "jit(evaluate)/jit(main)";
	uint32_t top = gen_frame(sc, p, 0, SOURCE, "<module>", "main()\n");
	uint32_t call = gen_frame(sc, p, top, SOURCE, "main", "evaluate(params, sub, images)");
	uint32_t loss =
		gen_frame(sc, p, call, SOURCE, "evaluate", "loss_fn(params, key, images)\n\n\ndef main");
	struct frames f = loss_frames(sc, p, loss);
	forward(sc, p, &f);
	gen_memory(sc, p,
		&(struct gen_memory){.n_weights = 4,
			.weight = gen_weight(sc, gen_shape2(GEN_F32, 784, 512), 4),
			.n_outputs = 1});
	return (uint32_t)sc->programs.n - 1;
}

void gen_build_mnist_vae(struct gen_scenario *sc)
{
	sc->entry_source = SOURCE;
	sc->gpu_name = "NVIDIA A100-SXM4-40GB";
	sc->chip_name = "GA100";
	sc->arch = "sm_8.0";
	sc->gpu_memory_bytes = UINT64_C(42505273344);
	sc->gpu_bandwidth_bytes_s = UINT64_C(1555200000000);
	sc->gpu_clock_hz = 1410000000;
	sc->gpu_sm_count = 108;
	sc->gpu_compute_major = 8;
	uint32_t init = add_init(sc), train = add_train(sc), evaluate = add_evaluate(sc);
	gen_cause_programs(sc, false);
	uint64_t steps = sc->options.n_steps;
	uint64_t per_step = gen_count_thunks(sc->programs.items[train]);
	if (sc->options.n_rows > steps * per_step)
		steps = (sc->options.n_rows + per_step - 1) / per_step;
	gen_compile(sc, init, 0, false);
	gen_run(sc, init, false);
	gen_compile(sc, train, 2, false);
	for (uint64_t i = 0; i < steps + 1; i++) {
		gen_cause_before_step(sc, train, i, steps);
		gen_run(sc, train, false);
		if (sc->options.even || gen_quiet(sc))
			continue;
		if (i == 9)
			gen_compile(sc, evaluate, 1, true);
		if (i % 10 == 9)
			gen_run(sc, evaluate, false);
	}
}
