/* The instruction that each row of a profile represents, and its cost. README.md, section 13.1. */
#include "analysis/cost/cost.h"

#include <string.h>

#include "analysis/cost/cost_parts.h"
#include "analysis/core/vendor.h"

/* Limits of counting steps: per instruction, and free for any program. Real programs take a few
 * steps per instruction. */
#define STEPS_EACH 64
#define STEPS_FREE 1000000

/* Fast links connect up to this many devices of a host. A larger group spans several hosts, even if
 * fewer of its devices were profiled. */
#define DEVICES_OF_HOST 8

const char *jr_matrix_class_name(enum jr_matrix_class c)
{
	static const char *const names[JR_N_MATRIX] = {[JR_MATRIX_BF16] = "bf16",
		[JR_MATRIX_F16] = "f16",
		[JR_MATRIX_F8] = "f8",
		[JR_MATRIX_F4] = "f4",
		[JR_MATRIX_S8] = "s8",
		[JR_MATRIX_S4] = "s4",
		[JR_MATRIX_TF32] = "tf32",
		[JR_MATRIX_F32] = "f32",
		[JR_MATRIX_F64] = "f64",
		[JR_MATRIX_BF16X3] = "bf16x3",
		[JR_MATRIX_BF16X6] = "bf16x6",
		[JR_MATRIX_BF16X9] = "bf16x9",
		[JR_MATRIX_TF32X3] = "tf32x3"};
	return names[c];
}

struct costing {
	const struct jr_profile *profile;
	struct jr_arena *arena; /* of the costs */
	struct jr_arena memory, scratch;
	struct jr_cost_program program;
	bool *has_rows;         /* [n_instructions] */
	uint32_t *caller;       /* [n_computations] the calling fusion, JR_NONE = none */
	const uint32_t *groups; /* device_group of the previous lookup */
	bool groups_on_host;
	bool has_near_memory; /* memory space 1 is not the device's main memory */
};

/* --- hosts --------------------------------------------------------------------------------- */

bool jr_devices_apart(const struct jr_profile *profile, uint32_t a, uint32_t b)
{
	const struct jr_device *x = &profile->devices[a], *y = &profile->devices[b];
	if (x->slice != JR_NONE && y->slice != JR_NONE)
		return x->slice != y->slice;
	uint32_t host = profile->processes[x->process].hostname;
	uint32_t other = profile->processes[y->process].hostname;
	return host && other && host != other;
}

bool jr_groups_on_one_host(const struct jr_profile *profile, const uint32_t *groups)
{
	JR_CLEANUP(jr_map_done) struct jr_map first = {0};
	bool one = true;
	for (uint32_t d = 0; d < profile->n_devices && one; d++) {
		uint32_t group = groups ? groups[d] : 0;
		if (group == JR_NONE)
			continue;
		uint32_t known = jr_map_get(&first, group);
		if (known == JR_NONE)
			jr_map_put(&first, group, d);
		else
			one = !jr_devices_apart(profile, known, d);
	}
	return one;
}

/* --- row to instruction -------------------------------------------------------------------- */

/* Return whether a fusion around the instruction has rows of its own. */
static bool fusion_has_rows(const struct costing *c, const struct jr_hlo_instruction *inst)
{
	uint32_t computation = inst->computation;
	for (int depth = 0; depth < JR_COST_DEPTH; depth++) {
		uint32_t fusion = c->caller[computation];
		if (fusion == JR_NONE)
			return false;
		if (c->has_rows[fusion])
			return true;
		computation = c->program.hlo->instructions[fusion].computation;
	}
	return false;
}

static const char *kind_of(struct jr_arena *arena, const struct jr_hlo_instruction *inst)
{
	const char *more = inst->custom_call_target;
	if (inst->attributes && *inst->attributes->backend_kind)
		more = inst->attributes->backend_kind;
	else if (inst->attributes && *inst->attributes->fusion_kind)
		more = inst->attributes->fusion_kind;
	return *more ? jr_arena_printf(arena, "%s:%s", inst->opcode, more) : inst->opcode;
}

static void copy_work(const struct jr_work *from, struct jr_cost *to)
{
	to->flops_known = !from->unknown;
	to->int_ops_known = !from->unknown && !from->int_unknown;
	to->upper_bound = from->upper_bound;
	to->unknown = from->unknown;
	memcpy(to->matrix_flops, from->matrix, sizeof(to->matrix_flops));
	memcpy(to->vector_flops, from->vector, sizeof(to->vector_flops));
	to->transcendentals = from->transcendentals;
	to->int_ops = from->int_ops;
	to->other_ops = from->other_ops;
	to->remat_flops = from->remat;
	for (int i = 0; to->rematerialized && i < JR_N_MATRIX; i++)
		to->remat_flops = i ? jr_sat_add(to->remat_flops, from->matrix[i]) : from->matrix[i];
}

/* Return true if it waits for a copy that reads or writes host memory. */
static bool awaits_host(const struct jr_cost_program *p, const struct jr_hlo_instruction *inst)
{
	if (inst->op != JR_OP_COPY_DONE)
		return false;
	const struct jr_hlo_instruction *start = jr_cost_operand(p, inst, 0);
	for (uint32_t i = 0; start && i < start->shape->n_tuple; i++)
		if (start->shape->tuple[i].host_memory)
			return true;
	return false;
}

static void set_bytes(const struct costing *c, const struct jr_moved *moved, struct jr_cost *to)
{
	bool far = !c->has_near_memory;
	to->bytes_read = jr_sat_add(moved->read, far ? moved->near_read : 0);
	to->bytes_written = jr_sat_add(moved->written, far ? moved->near_written : 0);
	to->bytes_known = !moved->unknown && to->bytes_read != JR_MANY && to->bytes_written != JR_MANY;
	to->host_bytes = moved->host_bytes;
}

static void set_cost(struct costing *c, const struct jr_op *op, struct jr_cost *to)
{
	struct jr_cost_program *p = &c->program;
	const struct jr_hlo_instruction *inst = &p->hlo->instructions[op->instruction];
	struct jr_instruction_cost cost = {0};
	to->initializes = fusion_has_rows(c, inst);
	to->rematerialized =
		!to->initializes && (strstr(inst->op_name, "rematted_computation") != NULL ||
								strstr(inst->name, ".remat") != NULL);
	if (op->device_group != c->groups) {
		c->groups = op->device_group;
		c->groups_on_host = jr_groups_on_one_host(c->profile, op->device_group);
	}
	p->one_host = c->groups_on_host;
	if (to->initializes)
		jr_add_written(p, inst->shape, &cost.moved);
	else
		jr_cost_of(p, inst, &cost);
	copy_work(&cost.work, to);
	to->kind = kind_of(c->arena, inst);
	to->network_known = !cost.no_network;
	to->in_place = cost.in_place;
	to->host = cost.moved.host || awaits_host(p, inst);
	to->collective = cost.collective;
	set_bytes(c, &cost.moved, to);
	to->network_bytes = cost.network;
	if (!to->bytes_known && !to->unknown)
		to->unknown = *inst->custom_call_target ? inst->custom_call_target : inst->opcode;
}

/* --- a program ----------------------------------------------------------------------------- */

static void begin_program(struct costing *c, const struct jr_hlo *hlo)
{
	jr_arena_clear(&c->memory);
	size_t n_devices = c->profile->n_devices;
	c->program = (struct jr_cost_program){
		.hlo = hlo,
		.n_devices = n_devices > 1 ? (uint32_t)n_devices : 0,
		.most_on_host = n_devices > DEVICES_OF_HOST ? (uint32_t)n_devices : DEVICES_OF_HOST,
		.arena = &c->memory,
		.scratch = &c->scratch,
		.computations =
			JR_ARENA_N(&c->memory, struct jr_computation_cost, hlo->n_computations + (size_t)1),
		.steps = STEPS_FREE + (uint64_t)STEPS_EACH * hlo->n_instructions,
	};
	c->has_rows = JR_ARENA_N(&c->memory, bool, hlo->n_instructions + (size_t)1);
	c->caller = JR_ARENA_N(&c->memory, uint32_t, hlo->n_computations + (size_t)1);
	memset(c->caller, 0xFF, hlo->n_computations * sizeof(*c->caller));
	for (uint32_t i = 0; i < hlo->n_instructions; i++) {
		const struct jr_hlo_instruction *inst = &hlo->instructions[i];
		if (inst->op != JR_OP_FUSION)
			continue;
		for (uint32_t k = 0; k < inst->n_called; k++) {
			uint32_t row = jr_hlo_called(hlo, inst, k);
			if (c->caller[row] == JR_NONE)
				c->caller[row] = i;
		}
	}
}

struct jr_cost *jr_costs_compute(const struct jr_profile *profile, struct jr_arena *arena)
{
	struct jr_cost *costs = JR_ARENA_N(arena, struct jr_cost, profile->n_ops + 1);
	struct costing c = {.profile = profile, .arena = arena};
	jr_arena_init(&c.memory, 0);
	jr_arena_init(&c.scratch, 0);
	c.groups_on_host = jr_groups_on_one_host(profile, NULL);
	c.has_near_memory = jr_vendor_of(profile) == JR_VENDOR_TPU;
	for (size_t i = 0; i < profile->n_ops;) {
		uint32_t program = profile->ops[i].program;
		const struct jr_hlo *hlo = profile->programs[program].hlo;
		size_t end = i;
		if (hlo)
			begin_program(&c, hlo);
		for (; end < profile->n_ops && profile->ops[end].program == program; end++)
			if (hlo && profile->ops[end].instruction != JR_NONE)
				c.has_rows[profile->ops[end].instruction] = true;
		for (; i < end; i++) {
			const struct jr_op *op = &profile->ops[i];
			costs[i] = (struct jr_cost){.kind = "unknown", .unknown = "no HLO"};
			if ((!hlo || op->instruction == JR_NONE) && op->said)
				jr_cost_said(profile, op, arena, &costs[i]);
			if (!hlo || op->instruction == JR_NONE)
				continue;
			jr_arena_clear(&c.scratch);
			set_cost(&c, op, &costs[i]);
		}
	}
	jr_arena_done(&c.memory);
	jr_arena_done(&c.scratch);
	return costs;
}
