/*
 * flow.c - data flow: the operands that an operation of the schedule gets while a program is
 * built, and the operations that each one waits for, found from its operands afterwards.
 *
 * Compute is a chain: each operation takes the result of the last one. An asynchronous collective
 * overlaps it: compute goes on with its own value, and the first operation after the done takes
 * the moved data. Gathers and fetches move parameters, which are always available.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "scenario.h"

void gen_flow_on(struct gen_program *p, enum gen_op_kind kind, int64_t id)
{
	struct gen_flow *f = &p->flow;
	if (kind == GEN_OP_START || kind == GEN_OP_COPY_START)
		return;
	f->before = f->value;
	f->value = id;
	if (kind == GEN_OP_SIDE)
		gen_put_aside(p);
}

void gen_put_aside(struct gen_program *p)
{
	struct gen_flow *f = &p->flow;
	assert(f->n_aside < GEN_MAX_FLOW);
	f->aside[f->n_aside++] = f->value;
	f->value = f->before;
}

void gen_flow_arrived(struct gen_program *p, int64_t id)
{
	assert(p->flow.n_arrived < GEN_MAX_FLOW);
	p->flow.arrived[p->flow.n_arrived++] = id;
}

int64_t gen_flow_latest(const struct gen_program *p)
{
	return p->flow.n_arrived ? p->flow.arrived[p->flow.n_arrived - 1] : p->flow.value;
}

uint32_t gen_flow_take(struct gen_program *p, int64_t *operands)
{
	struct gen_flow *f = &p->flow;
	uint32_t n = 0;
	operands[n++] = f->value;
	for (uint32_t i = 0; i < f->n_arrived; i++)
		operands[n++] = f->arrived[i];
	f->n_arrived = 0;
	return n;
}

/* --- what an operation waits for ------------------------------------------------------------ */

/* An instruction, by its id. */
struct node {
	const struct gen_instruction *in; /* NULL: the id is a computation's or unused */
	uint32_t computation, op;         /* op GEN_NO_INDEX: not a thunk */
	uint32_t turn, seen;              /* 1 << WHOLE, 1 << an element: visited in that turn */
};

/* A value to visit. */
struct value {
	int64_t id;
	int64_t element; /* of a tuple, or WHOLE */
};

enum { WHOLE = 31 };

struct search {
	const struct gen_program *program;
	struct node *nodes;                     /* [program->next_id] by id */
	const struct gen_instruction **callers; /* [next_id] by computation id */
	uint32_t turn;
	JR_VEC(struct value) left;
	JR_VEC(uint32_t) found;
};

static void look_at(struct search *s, int64_t id, int64_t element)
{
	assert(id < s->program->next_id && s->nodes[id].in && element <= WHOLE);
	struct node *node = &s->nodes[id];
	if (node->turn != s->turn)
		node->seen = 0;
	node->turn = s->turn;
	if (node->seen & UINT32_C(1) << element)
		return;
	node->seen |= UINT32_C(1) << element;
	*jr_vec_add(&s->left) = (struct value){id, element};
}

static void look_at_operands(struct search *s, const struct gen_instruction *in)
{
	for (uint32_t i = 0; i < in->n_operands; i++)
		look_at(s, in->operands[i], WHOLE);
}

/* A loop passes on its initial values and its body's results, trip by trip, each element
 * separately: weights that it passes through do not depend on its body. */
static void look_at_loop(struct search *s, const struct gen_instruction *loop, int64_t element)
{
	look_at(s, loop->operands[0], element);
	for (uint32_t i = 0; i < s->program->computations.n; i++)
		if (s->program->computations.items[i].id == loop->called[0])
			look_at(s, s->program->computations.items[i].root, element);
}

static void pass(struct search *s, struct value v)
{
	const struct node *node = &s->nodes[v.id];
	const struct gen_instruction *in = node->in, *caller = NULL;
	if (strcmp(in->opcode, "parameter") == 0)
		caller = s->callers[s->program->computations.items[node->computation].id];
	if (caller)
		in = caller;
	if (strcmp(in->opcode, "while") == 0)
		look_at_loop(s, in, v.element);
	else if (!caller && node->op != GEN_NO_INDEX)
		*jr_vec_add(&s->found) = node->op;
	else if (strcmp(in->opcode, "tuple") == 0 && v.element != WHOLE)
		look_at(s, in->operands[v.element], WHOLE);
	else if (strcmp(in->opcode, "get-tuple-element") == 0)
		look_at(s, in->operands[0], in->attributes ? in->attributes->tuple_index : 0);
	else
		look_at_operands(s, in);
}

static void begin_search(struct search *s)
{
	const struct gen_program *p = s->program;
	size_t n = (size_t)p->next_id;
	s->nodes = calloc(n, sizeof(*s->nodes));
	s->callers = calloc(n, sizeof(*s->callers));
	if (!s->nodes || !s->callers)
		jr_oom();
	for (uint32_t c = 0; c < p->computations.n; c++) {
		for (size_t i = 0; i < p->computations.items[c].instructions.n; i++) {
			const struct gen_instruction *in = &p->computations.items[c].instructions.items[i];
			s->nodes[in->id] = (struct node){.in = in, .computation = c, .op = GEN_NO_INDEX};
			for (uint32_t k = 0; k < in->n_called; k++)
				s->callers[in->called[k]] = in;
		}
	}
	for (uint32_t i = 0; i < p->ops.n; i++)
		if (p->ops.items[i].instruction)
			s->nodes[p->ops.items[i].instruction].op = i;
}

void gen_find_waits(struct gen_scenario *sc, struct gen_program *p)
{
	struct search s = {.program = p};
	begin_search(&s);
	for (uint32_t i = 0; i < p->ops.n; i++) {
		struct gen_op *op = &p->ops.items[i];
		if (!op->instruction)
			continue;
		s.turn++;
		s.found.n = 0;
		const struct node *node = &s.nodes[op->instruction];
		look_at_operands(&s, node->in);
		while (s.left.n)
			pass(&s, s.left.items[--s.left.n]);
		uint32_t *waits = JR_ARENA_N(&sc->arena, uint32_t, s.found.n + 1);
		for (size_t k = 0; k < s.found.n; k++)
			waits[k] = s.found.items[k];
		op->waits = waits;
		op->n_waits = (uint32_t)s.found.n;
	}
	p->has_waits = true;
	free(s.nodes);
	free(s.callers);
	jr_vec_done(&s.left);
	jr_vec_done(&s.found);
}

/* --- no thunk runs before its operands ----------------------------------------------------- */

/* Last end times of a program's operations in one execution. */
struct ends {
	uint32_t program, execution;
	int64_t *ns; /* [op * n_devices + device] INT64_MIN: not yet */
};

static void forget(const struct gen_scenario *sc, struct ends *e, const struct gen_range *x)
{
	size_t n = sc->programs.items[x->program]->ops.n * sc->devices.n;
	e->program = x->program;
	e->execution = x->execution;
	free(e->ns);
	e->ns = calloc(n + 1, sizeof(*e->ns));
	if (!e->ns)
		jr_oom();
	for (size_t i = 0; i < n; i++)
		e->ns[i] = INT64_MIN;
}

static enum jr_status check_thunk(const struct gen_scenario *sc, struct ends *e,
	const struct gen_range *x, struct jr_error *err)
{
	const struct gen_program *p = sc->programs.items[x->program];
	const struct gen_op *op = &p->ops.items[x->op];
	for (uint32_t i = 0; i < op->n_waits; i++) {
		int64_t end = e->ns[op->waits[i] * sc->devices.n + x->device];
		if (end > x->gpu_start_ns)
			return jr_fail(err, JR_EFORMAT,
				"%s: execution %u of %s starts on device %u %lld ns ahead of the end of its "
				"operand %s",
				p->name, x->execution, op->name, x->device, (long long)(end - x->gpu_start_ns),
				p->ops.items[op->waits[i]].name);
	}
	e->ns[x->op * sc->devices.n + x->device] = x->gpu_start_ns + x->gpu_dur_ns;
	return JR_OK;
}

enum jr_status gen_check_waits(const struct gen_scenario *sc, struct jr_error *err)
{
	struct ends e = {GEN_NO_INDEX, 0, NULL};
	enum jr_status status = JR_OK;
	for (size_t i = 0; i < sc->ranges.n && status == JR_OK; i++) {
		const struct gen_range *x = &sc->ranges.items[i];
		if (x->kind != GEN_RANGE_THUNK || x->op == GEN_NO_INDEX || x->container)
			continue;
		if (x->program != e.program || x->execution != e.execution)
			forget(sc, &e, x);
		status = check_thunk(sc, &e, x, err);
	}
	free(e.ns);
	return status;
}
