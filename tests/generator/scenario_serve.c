/*
 * scenario_serve.c - a server of a model: prefills and decodes of several batch sizes, in bursts
 * that queue and with pauses in which the devices are idle. Lengths are planned to the nanosecond.
 */
#include "scenario.h"

#define SERVER "/opt/train/train.py" /* a source of ours */

#define MOST_BATCHES 3
#define PREFILL_EACH 4  /* decodes per prefill */
#define SLOW_EACH 40    /* decodes of which one, in the largest batch, takes SLOW_TIMES as long */
#define SLOW_TIMES 3
#define SPREAD_NS 9973  /* lengths differ by up to this, each by another amount */
#define MOST_BURST 3    /* requests that the host launches without waiting */
#define PAUSE_NS 170000 /* between bursts */

struct function {
	const char *name;
	int64_t number;  /* of its first program */
	int64_t width;   /* of its inputs */
	uint32_t n;      /* programs */
	int64_t batches[MOST_BATCHES], ns[MOST_BATCHES];
	uint32_t first;  /* of sc->programs */
};

static void add_program(struct gen_scenario *sc, const struct function *f, uint32_t i)
{
	struct gen_program *p = gen_program_new(sc, f->number + i, f->name);
	p->prefix = gen_text(sc, "jit(%s)/jit(main)", f->name + 4);
	p->multi_device = true;
	p->batch = f->batches[i];
	p->computations.items[p->entry].instructions.items[0].shape =
		gen_shape2(GEN_F32, f->batches[i], f->width);
	uint32_t top = gen_frame(sc, p, 0, SERVER, "<module>", "main()\n");
	uint32_t call = gen_frame(sc, p, top, SERVER, "main", "step_fn(params, state");
	const struct gen_site inner[] = {{"multiply", "layer/mul", call}};
	gen_fusion(sc, p, (struct gen_site){"loop_multiply_fusion", "layer/mul", call},
		gen_shape2(GEN_F32, f->batches[i], 4096), f->ns[i], inner, 1);
	if (sc->devices.n > 1)
		gen_collective(sc, p, (struct gen_site){"all-reduce.1", "layer/psum", call}, "all-reduce",
			gen_shape2(GEN_F32, f->batches[i], 4096), GEN_OP_SYNC, false, 21000);
	gen_memory(sc, p,
		&(struct gen_memory){.n_weights = 2,
			.weight = gen_weight(sc, gen_shape2(GEN_F32, 4096, 4096), 2),
			.n_outputs = 1});
}

static void add_function(struct gen_scenario *sc, struct function *f)
{
	f->first = (uint32_t)sc->programs.n;
	for (uint32_t i = 0; i < f->n; i++)
		add_program(sc, f, i);
	for (uint32_t i = 0; i < f->n; i++)
		gen_compile(sc, f->first + i, 0, false);
}

static void serve(struct gen_scenario *sc, const struct function *f, bool slow)
{
	uint32_t drawn = (uint32_t)gen_random(sc, f->n), i = slow ? f->n - 1 : drawn;
	sc->planned_ns = f->ns[i] * (slow ? SLOW_TIMES : 1) + (int64_t)gen_random(sc, SPREAD_NS);
	if (slow)
		sc->planned_ns += sc->options.tail_ns;
	gen_run(sc, f->first + i, false);
	sc->planned_ns = 0;
}

void gen_build_serve2(struct gen_scenario *sc)
{
	struct function prefill = {"jit_prefill", 11, 512, 2, {1, 4}, {640000, 1480000}, 0};
	struct function decode = {"jit_decode", 21, 1024, 3, {1, 8, 32}, {210000, 260000, 410000}, 0};
	uint64_t burst = 0;
	sc->entry_source = SERVER;
	gen_on_h100(sc);
	add_function(sc, &prefill);
	add_function(sc, &decode);
	for (uint32_t i = 0; i < sc->options.n_steps; i++) {
		if (i % PREFILL_EACH == 0)
			serve(sc, &prefill, false);
		serve(sc, &decode, i % SLOW_EACH == SLOW_EACH - 1);
		if (burst-- == 0) {
			gen_wait_for_gpu(sc, PAUSE_NS);
			burst = gen_random(sc, MOST_BURST);
		}
	}
}
