/*
 * hlo_checks.h - what holds for every decoded module: each reference can be followed, and the cost
 * of each instruction is given or marked as unknown.
 */
#ifndef JR_TESTS_HLO_CHECKS_H
#define JR_TESTS_HLO_CHECKS_H

#include <stdlib.h>
#include <string.h>

#include "analysis/cost/attention.h"
#include "analysis/cost/cost.h"
#include "analysis/cost/products.h"

static inline void require(bool condition)
{
	if (!condition)
		abort();
}

static inline void check_shape(const struct jr_hlo_shape *shape)
{
	for (uint32_t i = 0; i < shape->n_dimensions; i++) {
		require(shape->dimensions[i] >= 0);
		require(!shape->minor_to_major ||
				(shape->minor_to_major[i] >= 0 && shape->minor_to_major[i] < shape->n_dimensions));
	}
	for (uint32_t i = 0; i < shape->n_tuple; i++)
		check_shape(&shape->tuple[i]);
}

static inline void check_instruction(const struct jr_hlo *hlo, uint32_t row, struct jr_arena *arena)
{
	const struct jr_hlo_instruction *x = &hlo->instructions[row];
	check_shape(x->shape);
	(void)jr_hlo_shape_bytes(x->shape);
	require(strlen(jr_hlo_shape_text(x->shape, arena)) < 4096);
	require(strlen(x->op_name) + strlen(x->source_file) + strlen(x->custom_call_target) +
				strlen(x->scheduling_name) + strlen(x->opcode) <
			1 << 24);
	uint32_t found = *x->name ? jr_hlo_find(hlo, x->name) : row;
	require(found <= row && strcmp(hlo->instructions[found].name, x->name) == 0);
	require(jr_hlo_by_id(hlo, x->id) <= row);
	found = jr_hlo_by_id_in(hlo, x->computation, x->id);
	require(found <= row && hlo->instructions[found].computation == x->computation);
	for (uint32_t i = 0; i < x->n_operands; i++)
		(void)jr_hlo_by_id_in(hlo, x->computation, x->operand_ids[i]);
	for (uint32_t i = 0; i < x->n_called; i++)
		require(jr_hlo_computation_by_id(hlo, x->called_ids[i]) < hlo->n_computations);
	require(x->stack_frame_id <= hlo->n_frames);
	require((x->group_size == 0) == (x->group_size_from == JR_HLO_GROUP_NONE));
}

static inline void check_frame(const struct jr_hlo *hlo, uint32_t id)
{
	uint32_t steps = 0;
	for (; id; id = hlo->frames[id - 1].parent) {
		require(id <= hlo->n_frames && steps++ < hlo->n_frames);
		require(strlen(hlo->frames[id - 1].file) + strlen(hlo->frames[id - 1].function) < 1 << 24);
	}
}

static inline void check_buffers(const struct jr_hlo *hlo)
{
	for (uint32_t i = 0; i < hlo->n_buffers; i++) {
		const struct jr_hlo_buffer *b = &hlo->buffers[i];
		require(b->size_bytes <= INT64_MAX && (!*b->defined_name || b->instruction_id == 0));
		for (uint32_t k = 0; k < b->n_shape_index; k++)
			(void)b->shape_index[k];
	}
	for (uint32_t i = 0; i < hlo->n_allocations; i++) {
		const struct jr_hlo_allocation *a = &hlo->allocations[i];
		require(a->size_bytes <= INT64_MAX && (a->parameter || a->parameter_number == 0));
		for (uint32_t k = 0; k < a->n_assigned; k++)
			require(
				a->assigned[k].offset_bytes <= INT64_MAX && a->assigned[k].size_bytes <= INT64_MAX);
	}
	for (uint32_t i = 0; i < hlo->n_traces; i++)
		for (uint32_t k = 0; k < hlo->traces[i].n_events; k++)
			require(hlo->traces[i].events[k].kind <= JR_HLO_SHARE_WITH &&
					strlen(hlo->traces[i].events[k].instruction_name) < 1 << 24);
}

static inline void check_cost(const struct jr_cost *cost)
{
	require(cost->kind && (cost->unknown == NULL) == (cost->flops_known && cost->bytes_known));
	require(cost->flops_known || !cost->int_ops_known);
	for (int i = 0; cost->flops_known && i < JR_N_MATRIX; i++)
		require(cost->matrix_flops[i] != UINT64_MAX);
	for (int i = 0; cost->flops_known && i < JR_N_VECTOR; i++)
		require(cost->vector_flops[i] != UINT64_MAX);
	require(
		!cost->flops_known || (cost->transcendentals != UINT64_MAX && cost->int_ops != UINT64_MAX));
	require(!cost->bytes_known ||
			(cost->bytes_read != UINT64_MAX && cost->bytes_written != UINT64_MAX &&
				cost->host_bytes != UINT64_MAX));
	require(!cost->network_known || cost->network_bytes != UINT64_MAX);
}

/* Each instruction is a row; `fusions`: include fusions, so that their instructions are only
 * parts of them. */
static inline void check_costs(const struct jr_hlo *hlo, bool fusions, struct jr_arena *arena)
{
	struct jr_process process = {0};
	struct jr_device devices[2] = {{.slice = JR_NONE}, {.slice = JR_NONE}};
	struct jr_program program = {.hlo = hlo};
	struct jr_profile p = {.n_programs = 1, .n_processes = 1, .n_devices = 2};
	jr_intern_init(&p.strings);
	p.ops = JR_ARENA_N(arena, struct jr_op, hlo->n_instructions + (size_t)1);
	for (uint32_t i = 0; i < hlo->n_instructions; i++)
		if (fusions || strcmp(hlo->instructions[i].opcode, "fusion") != 0)
			p.ops[p.n_ops++].instruction = i;
	p.ops[p.n_ops++].instruction = JR_NONE;
	p.programs = &program;
	p.processes = &process;
	p.devices = devices;
	const struct jr_cost *costs = jr_costs_compute(&p, arena);
	for (size_t i = 0; i < p.n_ops; i++)
		check_cost(&costs[i]);
	jr_intern_done(&p.strings);
}

/* Instructions with a role pass through some of them. */
static inline void check_products(const struct jr_hlo *hlo, struct jr_arena *arena)
{
	const struct jr_scores scores = jr_scores_of(hlo, arena);
	for (uint32_t i = 0; i < hlo->n_instructions; i++) {
		struct jr_product p;
		if (jr_product_of(hlo, i, &p)) {
			require(p.batch && p.m && p.n && p.k);
			double padding = jr_product_padding(&p);
			require(padding >= 0 && padding < 1);
		}
		require(!scores.found || (scores.roles[i] != 0) == (scores.bytes[i] != 0));
	}
	require(!scores.found || (scores.batch > 1 && scores.keys > 1 && scores.queries));
}

static inline void check_hlo(const struct jr_hlo *hlo)
{
	struct jr_arena arena;
	jr_arena_init(&arena, 0);
	uint32_t n = 0;
	for (uint32_t i = 0; i < hlo->n_computations; i++) {
		require(
			hlo->computations[i].first == n && hlo->computations[i].n <= hlo->n_instructions - n);
		n += hlo->computations[i].n;
	}
	require(n == hlo->n_instructions);
	require(hlo->entry_id == -1 || jr_hlo_computation_by_id(hlo, hlo->entry_id) != JR_NONE);
	for (uint32_t i = 0; i < n; i++)
		check_instruction(hlo, i, &arena);
	for (uint32_t id = 1; id <= hlo->n_frames; id++)
		check_frame(hlo, id);
	check_buffers(hlo);
	check_costs(hlo, true, &arena);
	check_costs(hlo, false, &arena);
	check_products(hlo, &arena);
	jr_arena_done(&arena);
}

#endif
