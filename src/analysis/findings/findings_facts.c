/* Facts that several rules need: programs, memory, CUDA graphs that ran, and slow devices. */
#include "analysis/findings/advice.h"

#include <math.h>
#include <string.h>

#include "analysis/cost/ahead.h"
#include "analysis/memory/program_memory.h"
#include "analysis/memory/memory_tables.h"
#include "base/text.h"

struct jr_facts *jr_facts_of(struct jr_check *c)
{
	if (!*c->facts) {
		*c->facts = JR_ARENA_NEW(c->ctx->arena, struct jr_facts);
		(*c->facts)->flows =
			JR_ARENA_N(c->ctx->arena, const struct jr_dataflow *, c->ctx->profile->n_programs + 1);
	}
	return *c->facts;
}

const struct jr_dataflow *jr_check_dataflow(struct jr_check *c, uint32_t program)
{
	struct jr_facts *facts = jr_facts_of(c);
	if (!facts->flows[program]) {
		struct jr_dataflow *flow = JR_ARENA_NEW(c->ctx->arena, struct jr_dataflow);
		*flow = jr_dataflow_new(c->ctx->profile->programs[program].hlo, c->ctx->arena);
		facts->flows[program] = flow;
	}
	return facts->flows[program];
}

const struct jr_scores *jr_check_scores(struct jr_check *c, uint32_t program)
{
	return jr_ahead_scores(c->ctx->ahead, program);
}

const struct jr_hlo *jr_check_step_hlo(const struct jr_check *c)
{
	return c->step == JR_NONE ? NULL : c->ctx->profile->programs[c->step].hlo;
}

const struct jr_hlo_instruction *jr_check_instruction(const struct jr_check *c, uint32_t op_row)
{
	const struct jr_op *op = op_row == JR_NONE ? NULL : &c->ctx->profile->ops[op_row];
	const struct jr_hlo *hlo = op ? c->ctx->profile->programs[op->program].hlo : NULL;
	return hlo && op->instruction != JR_NONE ? &hlo->instructions[op->instruction] : NULL;
}

/* XLA gives the name "command_buffer" to the computation, or to the instruction that launches it.
 * The instruction that calls the computation is a "call". */
static bool is_command_buffer(const struct jr_profile *p, const struct jr_op *op)
{
	if (jr_text_begins(jr_str(p, op->name), "command_buffer"))
		return true;
	const struct jr_hlo *hlo = p->programs[op->program].hlo;
	if (op->instruction == JR_NONE || !hlo)
		return false;
	const struct jr_hlo_instruction *inst = &hlo->instructions[op->instruction];
	uint32_t called = inst->op == JR_OP_CALL ? jr_hlo_called(hlo, inst, 0) : JR_NONE;
	return called != JR_NONE && jr_text_begins(hlo->computations[called].name, "command_buffer");
}

int jr_check_graphs_ran(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	for (size_t i = 0; i < p->n_ops; i++)
		if (c->ctx->steady->ops[i].count && is_command_buffer(p, &p->ops[i]))
			return 1;
	for (size_t i = 0; i < p->gpu_ops.n; i++)
		if (p->gpu_ops.kind[i] == JR_GPU_GRAPH)
			return 1;
	for (size_t i = 0; i < p->api_calls.n; i++)
		if (strstr(jr_str(p, p->api_calls.name[i]), "GraphLaunch"))
			return 1;
	/* Kernels without rows indicate that command buffers launched them. */
	double seen = jr_check_kernels_seen(c);
	return isnan(seen) ? -1 : seen < JR_KERNELS_HIDDEN;
}

struct jr_memory_use jr_check_memory_use(const struct jr_check *c)
{
	const struct jr_table *t = jr_results_table(c->ctx->results, "program_memory");
	struct jr_memory_use use = {0};
	for (size_t row = 0; t && row < t->n_rows && !use.name; row++) { /* sorted by size */
		use.allocated_bytes = jr_table_number(t, JR_PROGRAM_MEMORY_allocated_bytes, row);
		if (isnan(use.allocated_bytes) || t->cells[JR_PROGRAM_MEMORY_ran].boolean[row] != 1)
			continue;
		use.id = jr_table_text(t, JR_KEY(JR_PROGRAM_MEMORY, program_id), row);
		use.name = jr_table_text(t, JR_KEY(JR_PROGRAM_MEMORY, name), row);
		use.donated_bytes = jr_table_number(t, JR_PROGRAM_MEMORY_donated_bytes, row);
		for (size_t k = 0; k < JR_N_MEMORY_PARTS; k++)
			use.part_bytes[k] =
				jr_table_number(t, jr_table_column(t, jr_memory_part_keys[k]), row);
		use.live = t->cells[JR_PROGRAM_MEMORY_live_at_peak].rows[row];
	}
	return use;
}

uint64_t jr_check_device_memory(const struct jr_profile *p)
{
	uint64_t memory = 0;
	for (size_t i = 0; i < p->modules.n; i++) {
		uint64_t own = p->devices[p->modules.device[i]].memory_bytes;
		memory = own && (!memory || own < memory) ? own : memory;
	}
	return memory;
}

bool jr_check_uses_memory(
	const struct jr_check *c, const struct jr_memory_use *use, uint32_t program)
{
	return use->id && program != JR_NONE &&
		   strcmp(use->id, jr_program_id(c->ctx->profile, program, c->ctx->scratch)) == 0;
}

double jr_check_memory_share(const struct jr_check *c)
{
	uint64_t memory = jr_check_device_memory(c->ctx->profile);
	struct jr_memory_use use = jr_check_memory_use(c);
	return use.name && memory ? use.allocated_bytes / (double)memory : NAN;
}

const struct jr_table *jr_check_live_at_peak(
	const struct jr_check *c, uint32_t program, double *allocated_bytes)
{
	struct jr_memory_use use = jr_check_memory_use(c);
	if (!jr_check_uses_memory(c, &use, program))
		return NULL;
	*allocated_bytes = use.allocated_bytes;
	return use.live;
}

/* --- devices ---------------------------------------------------------------------------------- */

struct jr_slowness jr_check_slowness(struct jr_check *c, const struct jr_late_set *set)
{
	size_t n = c->ctx->profile->n_devices;
	struct jr_slowness_parts *times = JR_ARENA_N(c->ctx->scratch, struct jr_slowness_parts, n + 1);
	for (size_t d = 0; d < n; d++) {
		const double *parts = c->devices[d].part_ns;
		times[d] = (struct jr_slowness_parts){c->devices[d].wall_ns, parts[JR_PART_IDLE_INSIDE],
			parts[JR_PART_IDLE_BETWEEN], parts[JR_PART_TRANSFER]};
	}
	return jr_slowness_find(c->ctx, times, c->step, set);
}

bool jr_check_slow_in_some(struct jr_check *c, uint32_t device)
{
	if (jr_check_devices(c) < 2 || !(c->devices[device].wall_ns > 0))
		return false;
	struct jr_late_set set = jr_late_set_of(c->ctx, device);
	struct jr_slowness s = jr_check_slowness(c, &set);
	return jr_slowness_reason(&s) == JR_SLOW_BY_COMPUTE && !jr_slowness_in_all(&s);
}
