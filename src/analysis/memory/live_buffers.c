#include "analysis/memory/memory_parts.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/memory/program_memory.h"
#include "analysis/memory/memory_tables.h"
#include "base/order.h"

#define N_LIVE_SHOWN 20

#define CLASS_HELP                                                                                 \
	"parameter, output, constant: live while the program runs; temporary: live while an "          \
	"instruction needs it"

JR_COLUMNS_OF(columns, JR_LIVE_COLUMNS);
static const struct jr_table_spec heap_spec = {
	JR_TABLE_SPEC("live_in_heap", NULL, "Buffers live at the peak",
		"One row per buffer that is live when the heap first reaches its peak; by size", columns)};
static const struct jr_table_spec program_spec = {
	JR_TABLE_SPEC("live_at_peak", NULL, "Buffers live at the peak",
		"One row per buffer that is live when the program's heap first reaches its peak, "
		"including parameters, outputs and constants; by size",
		columns),
	.looked_up = true};

/* A buffer, an allocation, or both. */
struct live {
	uint32_t buffer, allocation; /* rows of the module; JR_NONE = not known */
	bool in_heap;
	uint64_t bytes;
};

JR_ORDER(compare_live, struct live, JR_DOWN(bytes) JR_UP(buffer) JR_UP(allocation))

/* --- buffer that describes an allocation ---------------------------------------------------- */

/* Rate how well a buffer describes its allocation; 0: not at all. A parameter allocation is
 * described by the parameter itself. An output allocation is described by the last buffer that
 * fills all of it, because nothing else may use the memory after that. Other shared memory is
 * described by no buffer. */
static uint64_t fitness(const struct jr_hlo *hlo, const struct jr_hlo_allocation *a,
	const struct jr_hlo_assigned *assigned, uint32_t buffer)
{
	uint32_t at = jr_hlo_defined_by(hlo, &hlo->buffers[buffer]);
	bool whole = assigned->offset_bytes == 0 && assigned->size_bytes == a->size_bytes;
	if (a->n_assigned == 1)
		return 1;
	if (at == JR_NONE || !whole || jr_memory_part_of(a) == JR_MEMORY_TEMPORARIES)
		return 0;
	const struct jr_hlo_instruction *inst = &hlo->instructions[at];
	bool entry = hlo->computations[inst->computation].id == hlo->entry_id;
	if (a->parameter)
		return inst->op == JR_OP_PARAMETER ? 1u + entry : 0;
	return 1 + at + (entry ? (uint64_t)1 << 32 : 0);
}

static uint32_t main_buffer(const struct jr_heap *h, const struct jr_hlo_allocation *a)
{
	uint64_t best = 0;
	uint32_t buffer = JR_NONE;
	for (uint32_t i = 0; i < a->n_assigned; i++) {
		uint32_t own = jr_map_get(&h->buffer_by_id, (uint64_t)a->assigned[i].buffer_id);
		uint64_t fit = own == JR_NONE ? 0 : fitness(h->hlo, a, &a->assigned[i], own);
		if (fit > best) {
			best = fit;
			buffer = own;
		}
	}
	return buffer;
}

/* --- rows ----------------------------------------------------------------------------------- */

/* Return the shape of the part of the instruction's value that the buffer contains. */
static const struct jr_hlo_shape *buffer_shape(
	const struct jr_hlo_instruction *inst, const struct jr_hlo_buffer *buffer)
{
	const struct jr_hlo_shape *shape = inst->shape;
	for (uint32_t i = 0; i < buffer->n_shape_index; i++) {
		int64_t k = buffer->shape_index[i];
		if (k < 0 || k >= shape->n_tuple)
			break;
		shape = &shape->tuple[k];
	}
	return shape;
}

static void fill_definition(struct jr_pass_context *ctx, struct jr_table *table, size_t row,
	const struct jr_hlo *hlo, const struct jr_hlo_buffer *buffer)
{
	union jr_cells *c = table->cells;
	c[JR_LIVE_buffer].i64[row] = buffer->id;
	uint32_t at = jr_hlo_defined_by(hlo, buffer);
	if (at == JR_NONE) {
		c[JR_LIVE_instruction].text[row] = *buffer->defined_name ? buffer->defined_name : NULL;
		return;
	}
	const struct jr_hlo_instruction *inst = &hlo->instructions[at];
	c[JR_LIVE_instruction].text[row] = inst->name;
	c[JR_LIVE_shape].text[row] = jr_hlo_shape_text(buffer_shape(inst, buffer), ctx->arena);
	c[JR_LIVE_op_name].text[row] = *inst->op_name ? inst->op_name : NULL;
	const char *file = inst->source_file;
	int32_t line = inst->source_line;
	if (inst->stack_frame_id && inst->stack_frame_id <= hlo->n_frames) {
		file = hlo->frames[inst->stack_frame_id - 1].file;
		line = hlo->frames[inst->stack_frame_id - 1].line;
	}
	if (*file)
		c[JR_LIVE_source].text[row] = jr_arena_printf(
			ctx->arena, "%s:%d", jr_path_stripped(&ctx->profile->options, file), line);
}

static struct jr_table *make_table(struct jr_pass_context *ctx, const struct jr_table_spec *spec,
	const struct jr_hlo *hlo, const char *id, uint32_t trace, struct live *live, size_t n)
{
	if (n)
		qsort(live, n, sizeof(*live), compare_live);
	struct jr_table *table = jr_table_new(ctx->arena, spec, n);
	for (size_t row = 0; row < n; row++) {
		union jr_cells *c = table->cells;
		c[JR_LIVE_program_id].text[row] = id;
		if (live[row].in_heap)
			c[JR_LIVE_trace].i64[row] = trace;
		c[JR_LIVE_bytes].i64[row] = (int64_t)live[row].bytes;
		if (live[row].allocation != JR_NONE) {
			c[JR_LIVE_allocation].i64[row] = live[row].allocation;
			c[JR_LIVE_class].text[row] = c[JR_LIVE_shown_class].text[row] =
				jr_memory_class(&hlo->allocations[live[row].allocation]);
		}
		if (live[row].buffer != JR_NONE)
			fill_definition(ctx, table, row, hlo, &hlo->buffers[live[row].buffer]);
	}
	if (table->n_rendered > N_LIVE_SHOWN)
		table->n_rendered = N_LIVE_SHOWN;
	return table;
}

static size_t add_heap(struct jr_pass_context *ctx, const struct jr_heap *h, uint32_t trace,
	size_t room, struct live **live)
{
	uint32_t *rows;
	size_t n = jr_heap_live(h, &h->hlo->traces[trace], ctx->scratch, &rows);
	*live = JR_ARENA_N(ctx->scratch, struct live, n + room + 1);
	for (size_t i = 0; i < n; i++)
		(*live)[i] = (struct live){
			rows[i], h->allocation[rows[i]], true, h->hlo->buffers[rows[i]].size_bytes};
	return n;
}

struct jr_table *jr_live_in_heap(
	struct jr_pass_context *ctx, const struct jr_heap *h, const char *id, uint32_t trace)
{
	struct live *live;
	size_t n = add_heap(ctx, h, trace, 0, &live);
	return make_table(ctx, &heap_spec, h->hlo, id, trace, live, n);
}

struct jr_table *jr_live_in_program(
	struct jr_pass_context *ctx, const struct jr_heap *h, const char *id, uint32_t trace)
{
	const struct jr_hlo *hlo = h->hlo;
	struct live *live;
	size_t n = 0;
	bool *simulated = JR_ARENA_N(ctx->scratch, bool, hlo->n_allocations + 1);
	if (trace != JR_NONE) {
		jr_heap_mark(h, &hlo->traces[trace], simulated);
		n = add_heap(ctx, h, trace, hlo->n_allocations, &live);
	} else {
		live = JR_ARENA_N(ctx->scratch, struct live, hlo->n_allocations + 1);
	}
	for (uint32_t i = 0; i < hlo->n_allocations; i++) {
		const struct jr_hlo_allocation *a = &hlo->allocations[i];
		if (simulated[i] || !a->size_bytes || jr_memory_part_of(a) == JR_N_MEMORY_PARTS)
			continue;
		live[n++] = (struct live){main_buffer(h, a), i, false, a->size_bytes};
	}
	return make_table(ctx, &program_spec, hlo, id, trace, live, n);
}
