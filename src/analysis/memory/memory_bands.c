#include "analysis/memory/memory_parts.h"
#include "analysis/core/say.h"

#include "analysis/shared/columns.h"
#include "analysis/memory/heap.h"
#include "analysis/memory/program_memory.h"
#include "analysis/core/keys.h"

#define VISIBLE 200 /* draw a band if its height is at least 1/200 of the chart: 1.4 px */

#define COLUMNS(X, T)                                                                              \
	X(T, series, "Part", "use of the memory", TEXT, NONE)                                          \
	X(T, event, "Heap event", "position in program order", I64, COUNT)                             \
	X(T, low_bytes, "Below", "sum of the parts below", I64, BYTES)                                 \
	X(T, bytes, "Memory", "sum of this part and the parts below", I64, BYTES)                      \
	X(T, point, "Point", "the part, or the peak", TEXT, NONE, JR_COL_RENDERED_ONLY)                \
	X(T, named, "Label", "label of the heap's peak", BOOL, NONE, JR_COL_RENDERED_ONLY)
JR_TABLE(spec, COL, COLUMNS, "memory_bands", NULL, "Memory over program order",
	"Two rows per constant part and one per point of the heap; from the lowest part to "
	"the highest",
	.data_only = true);

/* Names of the series, and the roles of their colors. */
static const char *const words[] = {"Parameters", "Outputs", "Constants", "Other temporaries",
	"Heap of temporaries", "Total allocated", NULL};
static const char *const roles[] = {
	"series-5", "series-3", "series-4", "series-6", "series-1", "muted", NULL};
enum { HEAP = JR_N_MEMORY_PARTS, ALL };

struct bands {
	struct jr_table *table;
	size_t row;
	int64_t base_bytes; /* all permanent parts */
};

static void add_point(struct bands *b, size_t series, size_t event, int64_t low, int64_t high)
{
	union jr_cells *c = b->table->cells;
	c[COL_series].text[b->row] = words[series];
	c[COL_event].i64[b->row] = (int64_t)event;
	c[COL_low_bytes].i64[b->row] = low;
	c[COL_point].text[b->row] = words[series];
	c[COL_named].boolean[b->row] = false;
	c[COL_bytes].i64[b->row++] = high;
}

/* Label the first point at which the heap is largest; the heap's rows begin at `from`. */
static void name_peak(struct bands *b, const struct jr_heap *h, size_t from, struct jr_arena *arena)
{
	size_t peak = 0;
	for (size_t i = 1; i < h->n_points; i++)
		if (h->curve[i] > h->curve[peak])
			peak = i;
	b->table->cells[COL_point].text[from + peak] =
		jr_arena_printf(arena, "heap peak, %s", jr_bytes_text(arena, (double)h->curve[peak]));
	b->table->cells[COL_named].boolean[from + peak] = true;
}

/* Add up the allocations that the trace does not simulate, by part. */
static void sum_stays(const struct jr_heap *h, const struct jr_hlo_heap_trace *trace,
	struct jr_arena *scratch, int64_t stays[JR_N_MEMORY_PARTS])
{
	bool *simulated = JR_ARENA_N(scratch, bool, h->hlo->n_allocations + 1);
	jr_heap_mark(h, trace, simulated);
	for (uint32_t i = 0; i < h->hlo->n_allocations; i++) {
		enum jr_memory_part part = jr_memory_part_of(&h->hlo->allocations[i]);
		if (!simulated[i] && part < JR_N_MEMORY_PARTS)
			stays[part] = jr_memory_add(stays[part], h->hlo->allocations[i].size_bytes);
	}
}

static void fill(struct bands *b, const struct jr_heap *h, const struct jr_program_memory *memory,
	const int64_t stays[JR_N_MEMORY_PARTS], struct jr_arena *arena)
{
	size_t last = h->n_points - 1;
	for (size_t part = 0; part < JR_N_MEMORY_PARTS; part++) {
		int64_t low = b->base_bytes;
		b->base_bytes = jr_memory_add(low, (uint64_t)stays[part]);
		if (stays[part] == 0 || stays[part] < memory->allocated_bytes / VISIBLE)
			continue;
		add_point(b, part, 0, low, b->base_bytes);
		add_point(b, part, last, low, b->base_bytes);
	}
	size_t heap = b->row;
	for (size_t i = 0; i < h->n_points; i++)
		add_point(b, HEAP, i, b->base_bytes, jr_memory_add(b->base_bytes, h->curve[i]));
	name_peak(b, h, heap, arena);
	for (size_t i = 0; memory->known && i < 2; i++) {
		add_point(b, ALL, i ? last : 0, 0, memory->allocated_bytes);
		b->table->cells[COL_low_bytes].i64[b->row - 1] = JR_NULL_I64;
	}
	b->table->n_rows = b->table->n_data = b->table->n_rendered = b->row;
}

bool jr_memory_bands_add(
	struct jr_pass_context *ctx, struct jr_section *out, uint32_t program, uint32_t trace)
{
	const struct jr_hlo *hlo = ctx->profile->programs[program].hlo;
	struct jr_program_memory memory = jr_program_memory_of(hlo);
	int64_t stays[JR_N_MEMORY_PARTS] = {0};
	struct jr_heap h;
	jr_heap_init(&h, hlo, ctx->scratch);
	jr_heap_replay(&h, &hlo->traces[trace], ctx->scratch);
	bool drawn = h.n_points > 1;
	if (drawn) {
		struct bands b = {.table = jr_table_new(
							  ctx->arena, &spec, h.n_points + 2 * (JR_N_MEMORY_PARTS + (size_t)1))};
		sum_stays(&h, &hlo->traces[trace], ctx->scratch, stays);
		fill(&b, &h, &memory, stays, ctx->arena);
		const char *name = jr_str(ctx->profile, ctx->profile->programs[program].name);
		struct jr_chart chart = {.name = "heap",
			.title = "Memory over program order",
			.caption = memory.known
						   ? jr_arena_printf(ctx->arena,
								 "memory during one execution of %s: parameters, outputs and "
								 "constants at the bottom, temporaries on top. The dashed "
								 "line is what XLA allocates before the execution starts. "
								 "Parts too small to see are left out",
								 name)
						   : jr_arena_printf(ctx->arena,
								 "heap of %s in program order. Its HLO dump does not contain "
								 "the other memory (parameters, outputs)",
								 name),
			.kind = JR_CHART_STEP,
			.table = b.table,
			.x = JR_KEY(COL, event),
			.y = JR_KEY(COL, bytes),
			.y_low = JR_KEY(COL, low_bytes),
			.y_high = JR_KEY(COL, bytes),
			.series = JR_KEY(COL, series),
			.label = JR_KEY(COL, point),
			.marked = JR_KEY(COL, named),
			.parts = words,
			.part_roles = roles,
			.x_title = "Heap events in program order",
			.y_title = "Memory"};
		jr_section_chart(out, ctx->arena, &chart);
		jr_section_table(out, ctx->arena, b.table);
	}
	jr_heap_done(&h);
	return drawn;
}
