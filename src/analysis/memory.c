/* Heap over program order and what is alive at its peak; analysis/README.md, section 7. */
#include <stdlib.h>
#include <string.h>

#include "analysis/columns.h"
#include "analysis/peak_buffers.h"

#define N_LIVE_SHOWN 20

/* --- one trace -------------------------------------------------------------------------------- */

struct heap {
	const struct jr_hlo *hlo;
	struct jr_map buffer_by_id; /* logical buffer id -> row of hlo->buffers */
	uint32_t *canonical;        /* [n_buffers] whose memory it uses; itself at first */
	uint32_t *users;            /* [n_buffers] live users of a canonical buffer */
	uint64_t *curve;            /* [n_points] bytes; curve[0] = 0 */
	size_t n_points;
	uint64_t peak_bytes;
	size_t peak_event;          /* events applied when the peak was first reached */
};

static uint32_t buffer_row(const struct heap *h, int64_t id)
{
	return jr_map_get(&h->buffer_by_id, (uint64_t)id);
}

/* Bytes that the event adds (or, negative, frees); 0 where it changes nothing. */
static int64_t apply(struct heap *h, const struct jr_hlo_heap_event *event)
{
	uint32_t buffer = buffer_row(h, event->buffer_id);
	if (buffer == JR_NONE)
		return 0;
	int64_t size = (int64_t)h->hlo->buffers[buffer].size_bytes;
	switch (event->kind) {
	case JR_HLO_ALLOC:
		h->canonical[buffer] = buffer;
		h->users[buffer] = 1;
		return size;
	case JR_HLO_SHARE_WITH: {
		uint32_t other = buffer_row(h, event->canonical_id);
		if (other == JR_NONE)
			return 0;
		uint32_t canonical = h->canonical[other];
		h->canonical[buffer] = canonical;
		return h->users[canonical]++ == 0 ? (int64_t)h->hlo->buffers[canonical].size_bytes : 0;
	}
	case JR_HLO_FREE: {
		uint32_t canonical = h->canonical[buffer];
		if (h->users[canonical] == 0 || --h->users[canonical] > 0)
			return 0;
		return -(int64_t)h->hlo->buffers[canonical].size_bytes;
	}
	}
	return 0;
}

static void reset_buffer(struct heap *h, int64_t id)
{
	uint32_t buffer = buffer_row(h, id);
	if (buffer == JR_NONE)
		return;
	h->canonical[buffer] = buffer;
	h->users[buffer] = 0;
}

/* Forget what the trace did: only buffers that it names, for there may be many traces. */
static void reset(struct heap *h, const struct jr_hlo_heap_trace *trace)
{
	for (uint32_t i = 0; i < trace->n_events; i++) {
		reset_buffer(h, trace->events[i].buffer_id);
		if (trace->events[i].kind == JR_HLO_SHARE_WITH)
			reset_buffer(h, trace->events[i].canonical_id);
	}
}

/* Sizes that no memory has (they would add up beyond int64) leave the heap at the largest value. */
static void replay(struct heap *h, const struct jr_hlo_heap_trace *trace, struct jr_arena *scratch)
{
	h->curve = JR_ARENA_N(scratch, uint64_t, trace->n_events + 1);
	h->n_points = 1;
	h->peak_bytes = 0;
	h->peak_event = 0;
	int64_t bytes = 0;
	for (uint32_t i = 0; i < trace->n_events; i++) {
		int64_t change = apply(h, &trace->events[i]);
		if (change == 0)
			continue;
		if (__builtin_add_overflow(bytes, change, &bytes))
			bytes = INT64_MAX;
		h->curve[h->n_points++] = bytes > 0 ? (uint64_t)bytes : 0;
		if (bytes > 0 && (uint64_t)bytes > h->peak_bytes) {
			h->peak_bytes = (uint64_t)bytes;
			h->peak_event = i + 1;
		}
	}
	reset(h, trace);
}

/* --- tables ----------------------------------------------------------------------------------- */

enum { M_PROGRAM, M_NAME, M_TRACE, M_PEAK, M_POINTS, M_LIVE };

enum { L_PROGRAM, L_TRACE, L_BUFFER, L_INSTRUCTION, L_BYTES, L_SHAPE, L_OP_NAME, L_SOURCE };

static const struct jr_column_spec live_columns[] = {
	{"program_id", "Program", "program id", JR_TEXT, JR_UNIT_NONE, JR_COL_KEY},
	{"trace", "Trace", "heap simulator trace of the program, from 0", JR_I64, JR_UNIT_NONE,
		JR_COL_KEY},
	{"buffer", "Buffer", "XLA's number of the logical buffer; one instruction may define several",
		JR_I64, JR_UNIT_NONE, JR_COL_KEY | JR_COL_DATA_ONLY},
	{"instruction", "Instruction", "that defines the buffer", JR_TEXT, JR_UNIT_NONE, JR_COL_CODE},
	{"bytes", "Size", "of the buffer", JR_I64, JR_UNIT_BYTES, JR_COL_BAR},
	{"shape", "Shape", "element type, dimensions and layout", JR_TEXT, JR_UNIT_NONE, JR_COL_CODE},
	{"op_name", "op_name", "path of the JAX operation", JR_TEXT, JR_UNIT_NONE, JR_COL_CODE},
	{"source", "Source", "innermost Python frame, file and line", JR_TEXT, JR_UNIT_NONE,
		JR_COL_CODE | JR_COL_SOURCE},
};
static const struct jr_table_spec live_spec = {JR_TABLE_SPEC("live_at_peak", NULL,
	"Buffers alive at the peak", "One row a buffer alive when a heap first reaches its peak; by "
	"program, trace and size", live_columns)};

static const struct jr_column_spec memory_columns[] = {
	{"program_id", "Program", "program id", JR_TEXT, JR_UNIT_NONE, JR_COL_KEY},
	{"name", "Module", "module name", JR_TEXT, JR_UNIT_NONE, JR_COL_CODE},
	{"trace", "Trace", "heap simulator trace of the program, from 0", JR_I64, JR_UNIT_NONE,
		JR_COL_KEY},
	{"peak_bytes", "Peak", "largest sum of live buffers", JR_I64, JR_UNIT_BYTES, JR_COL_BAR},
	{"points", "Points", "of the curve: 1 and one more for each event that changes it", JR_I64,
		JR_UNIT_COUNT, 0},
	{"live_at_peak", "Alive at peak", "buffers", JR_ROWS, JR_UNIT_NONE, JR_COL_DATA_ONLY},
};
static const struct jr_table_spec memory_spec = {
	JR_TABLE_SPEC("memory", "memory", "Heap by program",
		"One row a heap simulator trace of a program that ran; by program", memory_columns)};

enum { H_SERIES, H_STEP, H_BYTES };

static const struct jr_column_spec heap_columns[] = {
	{"series", "Program", "program and trace", JR_TEXT, JR_UNIT_NONE, 0},
	{"event", "Heap event", "position in program order", JR_I64, JR_UNIT_COUNT, 0},
	{"bytes", "Heap", "live bytes", JR_I64, JR_UNIT_BYTES, 0},
};
static const struct jr_table_spec heap_spec = {
	JR_TABLE_SPEC(
		"heap", NULL, "Heap over program order", "One row a point of a heap curve", heap_columns),
	.data_only = true};

struct live {
	uint32_t buffer;
	uint64_t bytes;
};

static int compare_live(const void *a, const void *b)
{
	const struct live *x = a, *y = b;
	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return (x->buffer > y->buffer) - (x->buffer < y->buffer);
}

/* Shape of the part of the instruction's value that the buffer holds. */
static const struct jr_hlo_shape *buffer_shape(const struct jr_hlo_instruction *inst,
	const struct jr_hlo_buffer *buffer)
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

static void live_row(struct jr_pass_context *ctx, struct jr_table *table, size_t row,
	const struct jr_hlo *hlo, const struct live *live)
{
	const struct jr_hlo_buffer *buffer = &hlo->buffers[live->buffer];
	union jr_cells *c = table->cells;
	c[L_BUFFER].i64[row] = buffer->id;
	c[L_BYTES].i64[row] = (int64_t)live->bytes;
	uint32_t at = *buffer->defined_name ? jr_hlo_find(hlo, buffer->defined_name)
										: jr_hlo_by_id(hlo, buffer->instruction_id);
	if (at == JR_NONE) {
		c[L_INSTRUCTION].text[row] = *buffer->defined_name ? buffer->defined_name : NULL;
		return;
	}
	const struct jr_hlo_instruction *inst = &hlo->instructions[at];
	c[L_INSTRUCTION].text[row] = inst->name;
	c[L_SHAPE].text[row] = jr_hlo_shape_text(buffer_shape(inst, buffer), ctx->arena);
	c[L_OP_NAME].text[row] = *inst->op_name ? inst->op_name : NULL;
	const char *file = inst->source_file;
	int32_t line = inst->source_line;
	if (inst->stack_frame_id && inst->stack_frame_id <= hlo->n_frames) {
		file = hlo->frames[inst->stack_frame_id - 1].file;
		line = hlo->frames[inst->stack_frame_id - 1].line;
	}
	if (*file)
		c[L_SOURCE].text[row] = jr_arena_printf(
			ctx->arena, "%s:%d", jr_path_stripped(&ctx->profile->options, file), line);
}

/* Adds the buffer where it is alive, and takes it out of the count, so that it is added once. */
static void add_live(struct heap *h, int64_t id, struct live *live, size_t *n)
{
	uint32_t buffer = buffer_row(h, id);
	if (buffer == JR_NONE || !h->users[buffer])
		return;
	h->users[buffer] = 0;
	if (h->hlo->buffers[buffer].size_bytes)
		live[(*n)++] = (struct live){buffer, h->hlo->buffers[buffer].size_bytes};
}

/* Replays up to the peak and lists what is alive then. */
static struct jr_table *live_table(struct jr_pass_context *ctx, struct heap *h,
	const struct jr_hlo_heap_trace *trace, const char *id, int64_t trace_index)
{
	struct live *live = JR_ARENA_N(ctx->scratch, struct live, 2 * h->peak_event + 1);
	size_t n = 0;
	for (size_t i = 0; i < h->peak_event; i++)
		(void)apply(h, &trace->events[i]);
	for (size_t i = 0; i < h->peak_event; i++) {
		add_live(h, trace->events[i].buffer_id, live, &n);
		if (trace->events[i].kind == JR_HLO_SHARE_WITH)
			add_live(h, trace->events[i].canonical_id, live, &n);
	}
	reset(h, trace);
	if (n)
		qsort(live, n, sizeof(*live), compare_live);
	struct jr_table *table = jr_table_new(ctx->arena, &live_spec, n);
	for (size_t row = 0; row < n; row++) {
		table->cells[L_PROGRAM].text[row] = id;
		table->cells[L_TRACE].i64[row] = trace_index;
		live_row(ctx, table, row, h->hlo, &live[row]);
	}
	if (table->n_rendered > N_LIVE_SHOWN)
		table->n_rendered = N_LIVE_SHOWN;
	return table;
}

/* --- the pass --------------------------------------------------------------------------------- */

struct output {
	struct jr_table *memory;
	struct jr_table *curves;
	struct jr_table *largest; /* live table of the largest peak */
	uint64_t largest_bytes;
	size_t row, point;
};

static void add_trace(struct jr_pass_context *ctx, struct heap *h, uint32_t program, uint32_t k,
	struct output *out)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_hlo_heap_trace *trace = &h->hlo->traces[k];
	replay(h, trace, ctx->scratch);
	const char *id = jr_program_id(p, program, ctx->arena);
	const char *name = jr_str(p, p->programs[program].name);
	const char *series = jr_arena_printf(ctx->arena, "%s %s, trace %u", id, name, k);
	for (size_t i = 0; i < h->n_points; i++) {
		out->curves->cells[H_SERIES].text[out->point] = series;
		out->curves->cells[H_STEP].i64[out->point] = (int64_t)i;
		out->curves->cells[H_BYTES].i64[out->point++] = (int64_t)h->curve[i];
	}
	union jr_cells *c = out->memory->cells;
	size_t row = out->row++;
	c[M_PROGRAM].text[row] = id;
	c[M_NAME].text[row] = name;
	c[M_TRACE].i64[row] = k;
	c[M_PEAK].i64[row] = (int64_t)h->peak_bytes;
	c[M_POINTS].i64[row] = (int64_t)h->n_points;
	c[M_LIVE].rows[row] = live_table(ctx, h, trace, id, k);
	if (!out->largest || h->peak_bytes > out->largest_bytes) {
		out->largest = c[M_LIVE].rows[row];
		out->largest_bytes = h->peak_bytes;
	}
}

static void add_program(struct jr_pass_context *ctx, uint32_t program, struct output *out)
{
	struct heap h = {.hlo = ctx->profile->programs[program].hlo};
	if (!h.hlo || h.hlo->n_traces == 0)
		return;
	h.canonical = JR_ARENA_N(ctx->scratch, uint32_t, h.hlo->n_buffers + 1);
	h.users = JR_ARENA_N(ctx->scratch, uint32_t, h.hlo->n_buffers + 1);
	for (uint32_t i = 0; i < h.hlo->n_buffers; i++) {
		h.canonical[i] = i;
		jr_map_put(&h.buffer_by_id, (uint64_t)h.hlo->buffers[i].id, i);
	}
	for (uint32_t k = 0; k < h.hlo->n_traces; k++)
		add_trace(ctx, &h, program, k, out);
	jr_map_done(&h.buffer_by_id);
}

static void add_peak(struct jr_pass_context *ctx, struct jr_section *out, uint64_t peak_bytes)
{
	struct jr_scalar peak = {.key = "totals.peak_memory_bytes",
		.title = "Peak memory",
		.help = "largest heap of a program that ran, by XLA's buffer assignment; parameters and "
				"other persistent buffers count as far as the trace has them",
		.unit = JR_UNIT_BYTES,
		.type = JR_I64,
		.value.i64 = (int64_t)peak_bytes,
		.plus_minus = NAN,
		.n = JR_NULL_I64,
		.tile = true};
	(void)jr_section_scalar(out, ctx->arena, &peak);
}

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_profile *p = ctx->profile;
	size_t n = 0, n_points = 0;
	for (size_t i = 0; i < p->n_programs; i++) {
		const struct jr_hlo *hlo = p->programs[i].hlo;
		for (uint32_t k = 0; hlo && k < hlo->n_traces; k++) {
			n++;
			n_points += (size_t)hlo->traces[k].n_events + 1;
		}
	}
	if (n == 0) {
		out->unavailable = "not available, because no HLO dump holds a heap simulator trace";
		return;
	}
	struct output result = {.memory = jr_table_new(ctx->arena, &memory_spec, n),
		.curves = jr_table_new(ctx->arena, &heap_spec, n_points)};
	for (uint32_t i = 0; i < p->n_programs; i++)
		add_program(ctx, i, &result);
	result.curves->n_rows = result.curves->n_data = result.curves->n_rendered = result.point;
	add_peak(ctx, out, result.largest_bytes);
	struct jr_chart chart = {.name = "heap",
		.title = "Heap over program order",
		.caption = "live bytes of XLA's buffer assignment, one curve a heap simulator trace",
		.kind = JR_CHART_STEP,
		.table = result.curves,
		.x = "event",
		.y = "bytes",
		.series = "series"};
	jr_section_chart(out, ctx->arena, &chart);
	jr_section_table(out, ctx->arena, result.memory);
	jr_peak_buffers_add(ctx, out, result.largest);
	jr_section_table(out, ctx->arena, result.largest);
	jr_section_table(out, ctx->arena, result.curves);
}

const struct jr_pass jr_pass_memory = {
	.name = "memory",
	.title = "Memory",
	.summary = "Heap of each program over its instructions, and the buffers alive at the peak",
	.needs = JR_NEEDS_HLO,
	.run = run,
};
