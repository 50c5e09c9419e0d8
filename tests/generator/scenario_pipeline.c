/*
 * scenario_pipeline.c - pipeline stages on halves of the devices, with an exchange between the two
 * devices in the middle: collectives have different devices, yet tie all clocks together.
 * Activations are offloaded to the host and fetched back.
 */
#include "scenario.h"

#define TRAIN "/opt/train/train.py"
#define LAYERS "/opt/train/layers.py"

static struct gen_program *stage_program(struct gen_scenario *sc, int64_t number, const char *name,
	uint32_t first_device, uint32_t n_devices)
{
	struct gen_program *p = gen_program_new(sc, number, name);
	p->prefix = gen_text(sc, "jit(%s)/jit(main)", name + 4);
	p->multi_device = true;
	p->first_device = first_device;
	p->n_devices = n_devices;
	return p;
}

static uint32_t caller(struct gen_scenario *sc, struct gen_program *p)
{
	uint32_t top = gen_frame(sc, p, 0, TRAIN, "<module>", "main()\n");
	uint32_t step = gen_frame(sc, p, top, TRAIN, "main", "step_fn(params, state");
	return gen_frame(sc, p, step, TRAIN, "train_step", "jax.value_and_grad");
}

static void matmul(struct gen_scenario *sc, struct gen_program *p, const char *name,
	const char *op_name, uint32_t frame, int64_t ns)
{
	gen_single(sc, p, (struct gen_site){name, op_name, frame}, "custom-call",
		gen_shape3(GEN_BF16, 8, 2048, 4096), GEN_OP_COMPUTE, ns);
}

/* The first half: gathers weights, and offloads activations to the host. */
static uint32_t add_first_stage(struct gen_scenario *sc, uint32_t half)
{
	struct gen_program *p = stage_program(sc, 5, "jit_stage0", 0, half);
	uint32_t at = caller(sc, p);
	uint32_t up = gen_frame(sc, p, at, LAYERS, "feed_forward", "x @ layer[\"up\"]");
	uint32_t down = gen_frame(sc, p, at, LAYERS, "feed_forward", "jax.nn.gelu(up)");
	const struct gen_site gelu[] = {{"tanh", "mlp/gelu/tanh", down}, {"multiply", "mlp/mul", 0}};
	matmul(sc, p, "custom-call.1.0", "mlp/dot_general", up, 210000);
	gen_collective(sc, p, (struct gen_site){"all-gather-start.1", "mlp/all_gather", up},
		"all-gather", gen_shape2(GEN_BF16, 2048, 4096), GEN_OP_START, false, 90000);
	matmul(sc, p, "custom-call.2.0", "mlp/dot_general", up, 190000);
	gen_done(sc, p, "all-gather-start.1");
	gen_fusion(sc, p, (struct gen_site){"loop_gelu_fusion", "mlp/gelu", down},
		gen_shape3(GEN_BF16, 8, 2048, 4096), 61000, gelu, 2);
	gen_host_copy(sc, p, (struct gen_site){"dynamic-update-slice-fusion.4", "mlp/offload", 0}, true,
		gen_shape3(GEN_BF16, 8, 512, 4096), GEN_OP_COPY, 152000);
	matmul(sc, p, "custom-call.3.0", "mlp/dot_general", down, 205000);
	gen_cause_ops(sc, p, down);
	gen_memory(sc, p,
		&(struct gen_memory){.n_weights = 6,
			.weight = gen_weight(sc, gen_shape2(GEN_BF16, 4096, 4096), 6),
			.n_outputs = 2});
	return (uint32_t)sc->programs.n - 1;
}

/* The other half: fetches from the host while it computes, and reduces. */
static uint32_t add_second_stage(struct gen_scenario *sc, uint32_t half, uint32_t n)
{
	struct gen_program *p = stage_program(sc, 7, "jit_stage1", half, n - half);
	uint32_t at = caller(sc, p);
	uint32_t qkv = gen_frame(sc, p, at, LAYERS, "attention", "x @ layer[\"qkv\"]");
	const struct gen_site add[] = {{"add", "attention/add_any", qkv}};
	matmul(sc, p, "custom-call.1.0", "attention/dot_general", qkv, 180000);
	gen_host_copy(sc, p, (struct gen_site){"async-start.2", "attention/fetch", qkv}, false,
		gen_shape3(GEN_BF16, 8, 512, 4096), GEN_OP_COPY_START, 149000);
	matmul(sc, p, "custom-call.2.0", "attention/dot_general", qkv, 101000);
	gen_done(sc, p, "async-start.2");
	gen_fusion(sc, p, (struct gen_site){"loop_add_fusion", "attention/add_any", qkv},
		gen_shape3(GEN_BF16, 8, 2048, 4096), 47000, add, 1);
	gen_collective(sc, p, (struct gen_site){"all-reduce-start", NULL, 0}, "all-reduce",
		gen_shape2(GEN_F32, 512, 4096), GEN_OP_START, false, 77000);
	matmul(sc, p, "custom-call.3.0", "attention/dot_general", qkv, 52000);
	gen_done(sc, p, "all-reduce-start");
	gen_collective(sc, p, (struct gen_site){"all-to-all-start.1", "attention/all_to_all", qkv},
		"all-to-all", gen_shape2(GEN_BF16, 1024, 4096), GEN_OP_START, false, 58000);
	gen_done(sc, p, "all-to-all-start.1");
	matmul(sc, p, "custom-call.4.0", "attention/dot_general", qkv, 64000);
	gen_memory(sc, p,
		&(struct gen_memory){.n_weights = 6,
			.weight = gen_weight(sc, gen_shape2(GEN_BF16, 4096, 4096), 6),
			.n_outputs = 2});
	return (uint32_t)sc->programs.n - 1;
}

/* Its dump has no buffer assignment, as in some versions. */
static uint32_t add_exchange(struct gen_scenario *sc, uint32_t half)
{
	struct gen_program *p = stage_program(sc, 8, "jit_exchange", half - 1, 2);
	uint32_t at = caller(sc, p);
	const struct gen_site convert[] = {{"convert", "send/convert", at}};
	gen_fusion(sc, p, (struct gen_site){"loop_convert_fusion", "send/convert", at},
		gen_shape3(GEN_BF16, 8, 2048, 4096), 12000, convert, 1);
	gen_collective(sc, p, (struct gen_site){"collective-permute-start", "send/ppermute", at},
		"collective-permute", gen_shape3(GEN_BF16, 8, 2048, 4096), GEN_OP_START, false, 121000);
	gen_done(sc, p, "collective-permute-start");
	gen_single(sc, p, (struct gen_site){"wrapped_copy", NULL, 0}, "copy", gen_shape1(GEN_F32, 1),
		GEN_OP_COMPUTE, 2100);
	return (uint32_t)sc->programs.n - 1;
}

void gen_build_pipeline4(struct gen_scenario *sc)
{
	sc->entry_source = TRAIN;
	gen_on_h100(sc);
	uint32_t n = (uint32_t)sc->devices.n, half = n / 2;
	uint32_t first = add_first_stage(sc, half), second = add_second_stage(sc, half, n);
	uint32_t exchange = add_exchange(sc, half);
	uint64_t steps = sc->options.n_steps;
	uint64_t per_step = gen_count_thunks(sc->programs.items[first]);
	if (sc->options.n_rows > steps * per_step)
		steps = (sc->options.n_rows + per_step - 1) / per_step;
	gen_cause_programs(sc, true);
	gen_compile(sc, first, 1, false);
	gen_compile(sc, second, 0, true);
	for (uint64_t i = 0; i < steps + 2; i++) {
		gen_cause_before_step(sc, first, i, steps);
		gen_run(sc, first, false);
		gen_run(sc, exchange, false);
		gen_run(sc, second, false);
	}
}
