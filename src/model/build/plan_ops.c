/* The ops of a plan: the instructions that XLA launches, and how often; analysis/README.md, section
 * 14.9. */
#include "model/build/build.h"

#include <string.h>

#include "base/text.h"

#define MOST_DEPTH 64                  /* nested calls and loops */
#define MOST_TIMES (UINT64_C(1) << 40) /* iterations; more are not believed */
#define STEPS_EACH 64 /* limit of visited instructions per instruction of the program */

struct planning {
	struct jr_build *build;
	const struct jr_hlo *hlo;
	uint32_t program;
	uint64_t steps; /* that are left */
	uint64_t n_loops, n_branches, n_cut;
};

/* Instructions that launch nothing: they name values, or end what their -start launched. */
static bool launches(const struct jr_hlo_instruction *inst)
{
	static const uint8_t none[] = {JR_OP_PARAMETER, JR_OP_CONSTANT, JR_OP_TUPLE,
		JR_OP_GET_TUPLE_ELEMENT, JR_OP_BITCAST, JR_OP_AFTER_ALL, JR_OP_ADD_DEPENDENCY,
		JR_OP_OPT_BARRIER, JR_OP_DOMAIN, JR_OP_ASYNC_UPDATE};
	return !JR_OP_IN(inst->op, none) && !jr_text_ends(inst->opcode, "-done");
}

static uint64_t times(uint64_t a, uint64_t b)
{
	uint64_t v;
	return __builtin_mul_overflow(a, b, &v) ? UINT64_MAX : v;
}

static void add_op(struct planning *g, const struct jr_hlo_instruction *inst, uint64_t n)
{
	struct jr_build *build = g->build;
	uint32_t name = jr_intern_puts(&build->profile->strings, inst->name);
	uint64_t key = jr_key2(g->program, name);
	uint32_t row = jr_map_add(&build->op_by_key, key, (uint32_t)build->ops.n);
	if (row == build->ops.n) {
		*jr_vec_add(&build->ops) =
			(struct jr_op){.program = g->program, .name = name, .instruction = JR_NONE};
		*jr_vec_add(&build->op_nccl) = (struct jr_op_nccl){.ranges = JR_NCCL_NONE};
	}
	uint64_t *planned = &build->ops.items[row].planned;
	if (__builtin_add_overflow(*planned, n, planned) || *planned > INT64_MAX)
		*planned = INT64_MAX;
}

static void add_computation(struct planning *g, uint32_t computation, uint64_t n, int depth);

static void add_called(
	struct planning *g, const struct jr_hlo_instruction *inst, uint64_t n, int depth)
{
	for (uint32_t k = 0; k < inst->n_called; k++)
		add_computation(g, jr_hlo_computation_by_id(g->hlo, inst->called_ids[k]), n, depth + 1);
}

/* A loop with a known trip count runs without its condition, which is the called computation with a
 * truth value as its result. */
static void add_loop(
	struct planning *g, const struct jr_hlo_instruction *inst, uint64_t n, int depth)
{
	bool known = inst->attributes && inst->attributes->trip_count >= 0 &&
				 times(n, (uint64_t)inst->attributes->trip_count) <= MOST_TIMES;
	uint64_t trips = known ? (uint64_t)inst->attributes->trip_count : 1;
	g->n_loops += !known;
	for (uint32_t k = 0; k < inst->n_called; k++) {
		uint32_t row = jr_hlo_computation_by_id(g->hlo, inst->called_ids[k]);
		if (row == JR_NONE)
			continue;
		uint32_t root = jr_hlo_by_id_in(g->hlo, row, g->hlo->computations[row].root_id);
		bool condition =
			root != JR_NONE && g->hlo->instructions[root].shape->element_type == JR_HLO_PRED;
		if (!(condition && known))
			add_computation(g, row, times(n, trips), depth + 1);
	}
}

/* A custom fusion around a library call or a collective only computes addresses for it: add what it
 * calls, as profilers name it. False: another fusion. */
static bool add_wrapped(struct planning *g, const struct jr_hlo_instruction *inst, uint64_t n)
{
	bool custom = inst->attributes && inst->n_called == 1 &&
				  strcmp(inst->attributes->backend_kind, "__custom_fusion") == 0;
	uint32_t row = custom ? jr_hlo_computation_by_id(g->hlo, inst->called_ids[0]) : JR_NONE;
	bool any = false;
	for (uint32_t i = 0; row != JR_NONE && i < g->hlo->computations[row].n; i++) {
		const struct jr_hlo_instruction *inner =
			&g->hlo->instructions[g->hlo->computations[row].first + i];
		if (inner->op != JR_OP_CUSTOM_CALL && inner->group_size == 0)
			continue;
		add_op(g, inner, n);
		any = true;
	}
	return any;
}

static void add_computation(struct planning *g, uint32_t computation, uint64_t n, int depth)
{
	if (computation == JR_NONE || n == 0)
		return;
	const struct jr_hlo_computation *c = &g->hlo->computations[computation];
	if (depth > MOST_DEPTH || g->steps < c->n) {
		g->n_cut++;
		return;
	}
	g->steps -= c->n;
	for (uint32_t i = 0; i < c->n; i++) {
		const struct jr_hlo_instruction *inst = &g->hlo->instructions[c->first + i];
		bool branches = inst->op == JR_OP_CONDITIONAL;
		g->n_branches += branches;
		if (inst->op == JR_OP_WHILE)
			add_loop(g, inst, n, depth);
		else if (branches || inst->op == JR_OP_CALL || inst->op == JR_OP_ASYNC_START)
			add_called(g, inst, n, depth);
		else if (launches(inst) && !add_wrapped(g, inst, n))
			add_op(g, inst, n);
	}
}

void jr_plan_ops_add(struct jr_build *build)
{
	struct planning g = {.build = build};
	for (uint32_t i = 0; i < build->programs.n; i++) {
		g.hlo = build->programs.items[i].hlo;
		g.program = i;
		if (!g.hlo || g.hlo->entry_id == -1)
			continue;
		g.steps = (uint64_t)STEPS_EACH * g.hlo->n_instructions;
		add_computation(&g, jr_hlo_computation_by_id(g.hlo, g.hlo->entry_id), 1, 0);
	}
	jr_profile_guess(build->profile, "loops-counted-once", g.n_loops,
		"while loops do not state how often they run, or state too large a number, so they "
		"count as one iteration. FLOPs, bytes and roofline times are lower bounds");
	jr_profile_guess(build->profile, "branches-counted-once", g.n_branches,
		"each branch of a conditional counts as if it ran once, although only one of them "
		"runs");
	jr_profile_guess(build->profile, "calls-left-out", g.n_cut,
		"computations call each other too often or too deeply to count all of their "
		"instructions");
}
