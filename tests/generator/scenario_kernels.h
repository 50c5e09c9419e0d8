/*
 * scenario_kernels.h - parts of the scenario that has one kernel for each way of counting work.
 */
#ifndef GEN_SCENARIO_KERNELS_H
#define GEN_SCENARIO_KERNELS_H

#include <string.h>

#include "base/cleanup.h"
#include "scenario.h"

struct kernels {
	struct gen_scenario *sc;
	struct gen_program *p;
	uint32_t up, gelu, attention; /* frames */
};

static inline const struct gen_attributes *said(struct kernels *k, struct gen_attributes a)
{
	struct gen_attributes *kept = JR_ARENA_NEW(&k->sc->arena, struct gen_attributes);
	*kept = a;
	return kept;
}

static inline const int64_t *list(struct kernels *k, const int64_t *ids, uint32_t n)
{
	int64_t *kept = JR_ARENA_N(&k->sc->arena, int64_t, n + 1);
	if (n)
		memcpy(kept, ids, n * sizeof(*ids));
	return kept;
}

static inline int64_t parameter(
	struct kernels *k, uint32_t c, int64_t number, struct gen_shape shape)
{
	return gen_instruction(k->p, c,
		&(struct gen_instruction){.opcode = "parameter",
			.name = gen_text(k->sc, "param_%lld.%lld", (long long)number, (long long)k->p->next_id),
			.shape = shape,
			.attributes = said(k, (struct gen_attributes){.parameter_number = number})});
}

/* An instruction of a computation, or of the entry with up to four operands. */
static inline int64_t put(struct kernels *k, uint32_t c, const char *opcode, struct gen_shape shape,
	const int64_t *operands, uint32_t n, const struct gen_attributes *attributes)
{
	return gen_instruction(k->p, c,
		&(struct gen_instruction){.opcode = opcode,
			.name = gen_text(k->sc, "%s.%lld", opcode, (long long)k->p->next_id),
			.shape = shape,
			.n_operands = n,
			.operands = list(k, operands, n),
			.attributes = attributes});
}

static inline int64_t id_of(struct kernels *k, uint32_t computation)
{
	return k->p->computations.items[computation].id;
}

/* A thunk: its instruction in the entry, its operation, its work. */
struct kernel {
	struct gen_site site;
	const char *opcode, *target;
	struct gen_shape shape;
	const int64_t *operands;
	uint32_t n_operands;
	int64_t called; /* computation id; 0: none */
	struct gen_attributes attributes;
	int64_t ns;
	struct gen_work work;
};

static inline int64_t add(struct kernels *k, const struct kernel *x)
{
	int64_t id = gen_instruction(k->p, k->p->current,
		&(struct gen_instruction){.name = x->site.name,
			.opcode = x->opcode,
			.custom_call_target = x->target,
			.op_name = gen_op_name(k->sc, k->p, x->site.op_name),
			.frame = x->site.frame,
			.shape = x->shape,
			.n_operands = x->n_operands,
			.operands = list(k, x->operands, x->n_operands),
			.n_called = x->called != 0,
			.called = list(k, &x->called, 1),
			.attributes = said(k, x->attributes)});
	struct gen_work *work = JR_ARENA_NEW(&k->sc->arena, struct gen_work);
	*work = x->work;
	gen_thunk(k->sc, k->p, x->site, GEN_OP_COMPUTE, x->opcode, id, x->ns)->work = work;
	return id;
}

/* A loop's own row has no work: its body's rows are counted, each as often as it ran. */
static inline void loop_begin(struct kernels *k, const char *name, uint32_t times)
{
	static const struct gen_work unknown = {.unknown = true};
	gen_loop_begin(k->sc, k->p, (struct gen_site){name, "scan/while", k->up}, times);
	k->p->ops.items[k->p->ops.n - 1].work = &unknown;
}

/** Add the kernels that options.cause plants. */
void gen_kernels_planted(struct kernels *k);

#endif
