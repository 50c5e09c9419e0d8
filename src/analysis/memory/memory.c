/* Device memory of programs, their heaps over program order, and the buffers alive at the peak;
 * analysis/README.md, section 7. */
#include <string.h>

#include "analysis/shared/columns.h"
#include "analysis/core/say.h"
#include "analysis/memory/memory_parts.h"
#include "analysis/memory/program_memory.h"
#include "analysis/memory/memory_tables.h"

/* --- tables ----------------------------------------------------------------------------------- */

JR_TABLE_OF(program_spec, JR_PROGRAM_MEMORY_COLUMNS, "program_memory", JR_AT(program_memory),
	"Memory by program",
	"One row per program; by allocated memory. Empty: the dump does not contain it, or "
	"no heap is simulated for the program");

JR_TABLE_OF(memory_spec, JR_MEMORY_COLUMNS, "memory", JR_AT(memory), "Heap by program",
	"One row per heap simulator trace of a program that ran: temporaries live at once; "
	"by program",
	.looked_up = true);

#define HEAP_COLUMNS(X, T)                                                                         \
	X(T, series, "Program", "program and trace", TEXT, NONE)                                       \
	X(T, event, "Heap event", "position in program order", I64, COUNT)                             \
	X(T, bytes, "Heap", "live bytes", I64, BYTES)
JR_TABLE(heap_spec, H, HEAP_COLUMNS, "heap", NULL, "Heap over program order",
	"One row per point of a heap curve", .data_only = true);

/* --- heaps ------------------------------------------------------------------------------------ */

struct program {
	struct jr_program_memory memory;
	bool ran;
	uint32_t trace; /* trace with the largest device heap; JR_NONE = none */
	int64_t heap_peak_bytes;
	struct jr_table *live; /* NULL: its memory is not known */
};

struct output {
	struct program *programs; /* [n_programs] */
	struct jr_table *memory, *curves;
	size_t row, point;
};

static void add_trace(struct jr_pass_context *ctx, struct jr_heap *h, uint32_t program,
	const char *id, uint32_t k, struct output *out)
{
	const struct jr_profile *p = ctx->profile;
	const char *name = jr_str(p, p->programs[program].name);
	const char *series = jr_arena_printf(ctx->arena, "%s %s, trace %u", id, name, k);
	struct program *own = &out->programs[program];
	jr_heap_replay(h, &h->hlo->traces[k], ctx->scratch);
	for (size_t i = 0; i < h->n_points; i++) {
		out->curves->cells[H_series].text[out->point] = series;
		out->curves->cells[H_event].i64[out->point] = (int64_t)i;
		out->curves->cells[H_bytes].i64[out->point++] = (int64_t)h->curve[i];
	}
	union jr_cells *c = out->memory->cells;
	size_t row = out->row++;
	bool host = jr_heap_is_of_host(h, &h->hlo->traces[k]);
	c[JR_MEMORY_program_id].text[row] = id;
	c[JR_MEMORY_name].text[row] = name;
	c[JR_MEMORY_trace].i64[row] = k;
	c[JR_MEMORY_peak_bytes].i64[row] = (int64_t)h->peak_bytes;
	c[JR_MEMORY_points].i64[row] = (int64_t)h->n_points;
	c[JR_MEMORY_host].boolean[row] = host;
	c[JR_MEMORY_live_at_peak].rows[row] = jr_live_in_heap(ctx, h, id, k);
	if (!host && (own->trace == JR_NONE || (int64_t)h->peak_bytes > own->heap_peak_bytes)) {
		own->trace = k;
		own->heap_peak_bytes = (int64_t)h->peak_bytes;
	}
}

static void add_program(struct jr_pass_context *ctx, uint32_t program, struct output *out)
{
	const struct jr_hlo *hlo = ctx->profile->programs[program].hlo;
	struct program *own = &out->programs[program];
	own->memory = jr_program_memory_of(hlo);
	own->trace = JR_NONE;
	if (!hlo || (hlo->n_traces == 0 && !own->memory.known))
		return;
	const char *id = jr_program_id(ctx->profile, program, ctx->arena);
	struct jr_heap h;
	jr_heap_init(&h, hlo, ctx->scratch);
	for (uint32_t k = 0; k < hlo->n_traces; k++)
		add_trace(ctx, &h, program, id, k, out);
	if (own->trace != JR_NONE)
		jr_heap_replay(&h, &hlo->traces[own->trace], ctx->scratch);
	own->live = jr_live_in_program(ctx, &h, id, own->trace);
	jr_heap_done(&h);
}

/* --- programs --------------------------------------------------------------------------------- */

static void find_ran(const struct jr_profile *p, struct program *programs)
{
	for (size_t i = 0; i < p->modules.n; i++)
		programs[p->modules.program[i]].ran = true;
}

static struct jr_table *program_table(struct jr_pass_context *ctx, const struct program *programs)
{
	const struct jr_profile *p = ctx->profile;
	struct jr_rank_key *keys = JR_ARENA_N(ctx->scratch, struct jr_rank_key, p->n_programs + 1);
	for (uint32_t i = 0; i < p->n_programs; i++)
		keys[i] = (struct jr_rank_key){
			programs[i].memory.known ? (double)programs[i].memory.allocated_bytes : NAN,
			jr_str(p, p->programs[i].name), i, i};
	jr_rank_sort(keys, p->n_programs);
	struct jr_table *table = jr_table_new(ctx->arena, &program_spec, p->n_programs);
	union jr_cells *c = table->cells;
	for (size_t row = 0; row < p->n_programs; row++) {
		const struct program *own = &programs[keys[row].row];
		c[JR_PROGRAM_MEMORY_program_id].text[row] = jr_program_id(p, keys[row].row, ctx->arena);
		c[JR_PROGRAM_MEMORY_name].text[row] = keys[row].name;
		c[JR_PROGRAM_MEMORY_ran].boolean[row] = own->ran;
		c[JR_PROGRAM_MEMORY_live_at_peak].rows[row] = own->live;
		if (own->trace != JR_NONE)
			c[JR_PROGRAM_MEMORY_heap_peak_bytes].i64[row] = own->heap_peak_bytes;
		if (!own->memory.known)
			continue;
		c[JR_PROGRAM_MEMORY_allocated_bytes].i64[row] = own->memory.allocated_bytes;
		for (size_t k = 0; k < JR_N_MEMORY_PARTS; k++)
			c[JR_PROGRAM_MEMORY_parameter_bytes + k].i64[row] = own->memory.part_bytes[k];
		c[JR_PROGRAM_MEMORY_donated_bytes].i64[row] = own->memory.donated_bytes;
		c[JR_PROGRAM_MEMORY_host_bytes].i64[row] = own->memory.host_bytes;
	}
	return table;
}

/* The memory of a program matters if it ran, or will run. */
static bool counts(const struct jr_profile *p, const struct program *own)
{
	return own->ran || p->planned;
}

/* True if a takes more memory than b. Unknown memory ranks below known memory. */
static bool is_larger(const struct program *a, const struct program *b)
{
	if (a->ran != b->ran)
		return a->ran;
	if (a->memory.known != b->memory.known)
		return a->memory.known;
	if (a->memory.allocated_bytes != b->memory.allocated_bytes)
		return a->memory.allocated_bytes > b->memory.allocated_bytes;
	return a->heap_peak_bytes > b->heap_peak_bytes;
}

/* Return the program that the section describes; JR_NONE if no program's memory is known. `heap`:
 * only programs with a heap to draw. */
static uint32_t largest(const struct jr_profile *p, const struct program *programs, bool heap)
{
	uint32_t best = JR_NONE;
	for (uint32_t i = 0; i < p->n_programs; i++)
		if (programs[i].live && !(heap && programs[i].trace == JR_NONE) &&
			(best == JR_NONE || is_larger(&programs[i], &programs[best])))
			best = i;
	return best;
}

/* --- the section ------------------------------------------------------------------------------ */

/* Return the most that an allocator of device memory had in use; 0: not recorded. */
static int64_t measured_peak(const struct jr_profile *p)
{
	static const char of_device[] = "GPU_"; /* XLA's name; that of pinned memory is in lower case */
	const struct jr_allocator_events *t = &p->allocator_events;
	int64_t most = 0;
	for (size_t i = 0; i < t->n; i++)
		if (strncmp(jr_str(p, t->allocator[i]), of_device, sizeof(of_device) - 1) == 0 &&
			t->in_use_bytes[i] > most)
			most = t->in_use_bytes[i];
	return most;
}

static void add_peak(struct jr_pass_context *ctx, struct jr_section *out, uint32_t program,
	const struct program *own)
{
	int64_t measured = measured_peak(ctx->profile);
	const char *name = jr_str(ctx->profile, ctx->profile->programs[program].name);
	struct jr_scalar peak = {.key = "totals.peak_memory_bytes",
		.title = "Peak memory",
		.help = "device memory that XLA allocates for the largest program that ran: parameters, "
				"outputs, constants and temporaries; arrays that are not its arguments are not "
				"counted",
		.unit = JR_UNIT_BYTES,
		.type = JR_I64,
		.value.i64 = own->memory.allocated_bytes,
		.note = measured ? jr_arena_printf(ctx->arena,
							   "planned by XLA for %s; most in use, as measured: %s", name,
							   jr_bytes_text(ctx->arena, (double)measured))
						 : jr_arena_printf(ctx->arena, "in %s", name),
		.plus_minus = NAN,
		.n = JR_NULL_I64,
		.tile = true};
	if (!counts(ctx->profile, own) || !own->memory.known) {
		peak.value.i64 = JR_NULL_I64;
		peak.note = NULL;
	}
	(void)jr_section_scalar(out, ctx->arena, &peak);
}

static void add_heap_peak(
	struct jr_pass_context *ctx, struct jr_section *out, const struct program *programs)
{
	struct jr_scalar peak = {.key = "totals.heap_peak_bytes",
		.title = "Heap peak",
		.help = "largest sum of temporaries that are live at once in a program, from XLA's heap "
				"simulation",
		.unit = JR_UNIT_BYTES,
		.type = JR_I64,
		.value.i64 = JR_NULL_I64,
		.plus_minus = NAN,
		.n = JR_NULL_I64};
	for (size_t i = 0; i < ctx->profile->n_programs; i++)
		if (programs[i].trace != JR_NONE && programs[i].heap_peak_bytes > peak.value.i64)
			peak.value.i64 = programs[i].heap_peak_bytes;
	(void)jr_section_scalar(out, ctx->arena, &peak);
}

/* Report limits of the data: programs of unknown memory, and memory in the host. */
static void add_words(
	struct jr_pass_context *ctx, struct jr_section *out, const struct program *programs)
{
	const struct jr_profile *p = ctx->profile;
	size_t n = 0, n_unknown = 0, n_host = 0;
	for (size_t i = 0; i < p->n_programs; i++) {
		n += counts(p, &programs[i]);
		n_unknown += counts(p, &programs[i]) && !programs[i].memory.known;
		n_host += programs[i].memory.host_bytes > 0;
	}
	if (n_unknown && n_unknown == n)
		jr_section_text(out, ctx->arena,
			"No HLO dump of the programs that ran lists XLA's allocations, so their total "
			"memory is not known. Temporaries are the contents of their heaps.");
	else if (n_unknown)
		jr_section_text(out, ctx->arena,
			"For %zu of the %zu programs that ran, no HLO dump lists what XLA allocates for "
			"%s, so %s memory is not known. The largest program is the largest of the "
			"others.",
			n_unknown, n, n_unknown == 1 ? "it" : "them", n_unknown == 1 ? "its" : "their");
	if (n_host)
		jr_section_text(out, ctx->arena,
			"%zu program%s additional host memory (host_bytes in report.json), which is not "
			"counted here.",
			n_host, n_host == 1 ? " uses" : "s use");
}

/* Draw one bar per program that takes at least 1 % of the largest program's memory. Rows are sorted
 * by size. */
static void add_bars(struct jr_pass_context *ctx, struct jr_section *out,
	const struct jr_table *programs, bool alone)
{
	struct jr_table *shown = JR_ARENA_NEW(ctx->arena, struct jr_table);
	const int64_t *bytes = programs->cells[JR_PROGRAM_MEMORY_allocated_bytes].i64;
	size_t n = 0;
	while (n < programs->n_rows && bytes[n] != JR_NULL_I64 && bytes[n] > 0 &&
		   bytes[n] >= bytes[0] / 100)
		n++;
	if (n < 2 && !(n && alone))
		return;
	*shown = *programs;
	shown->n_rows = n;
	struct jr_chart chart = {.name = "program_memory",
		.title = "Memory by program",
		.caption =
			"memory that XLA allocates on a device for each program. Programs below 1 % of the "
			"largest are left out",
		.kind = JR_CHART_STACKED,
		.table = shown,
		.x = JR_KEY(JR_PROGRAM_MEMORY, name),
		.parts = jr_memory_part_keys,
		.part_roles = jr_memory_class_roles,
		.y_title = "Memory"};
	jr_section_chart(out, ctx->arena, &chart);
}

static void add_pictures(struct jr_pass_context *ctx, struct jr_section *out,
	const struct output *result, struct jr_table *table)
{
	const struct jr_profile *p = ctx->profile;
	uint32_t drawn = largest(p, result->programs, true);
	uint32_t shown = largest(p, result->programs, false);
	bool bands = false;
	if (drawn != JR_NONE)
		bands = jr_memory_bands_add(ctx, out, drawn, result->programs[drawn].trace);
	add_bars(ctx, out, table, !bands);
	jr_section_table(out, ctx->arena, table);
	jr_section_table(out, ctx->arena, result->memory);
	const struct program *own = &result->programs[shown];
	jr_peak_buffers_add(ctx, out, own->live, jr_str(p, p->programs[shown].name),
		own->memory.known ? own->memory.allocated_bytes : 0);
	jr_section_table(out, ctx->arena, own->live);
	jr_section_table(out, ctx->arena, result->curves);
}

static const char *why_unknown(const struct jr_profile *p)
{
	for (uint32_t i = 0; i < p->n_programs; i++)
		if (p->programs[i].hlo && p->programs[i].hlo->is_text)
			return "not available, because the HLO is text, which has no buffer assignment. Pass a "
				   "dump of --xla_dump_to and --xla_dump_hlo_as_proto with --xla-dump";
	return "not available, because no HLO dump contains a buffer assignment";
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
	struct output result = {.programs = JR_ARENA_N(ctx->scratch, struct program, p->n_programs + 1),
		.memory = jr_table_new(ctx->arena, &memory_spec, n),
		.curves = jr_table_new(ctx->arena, &heap_spec, n_points)};
	find_ran(p, result.programs);
	for (uint32_t i = 0; i < p->n_programs; i++)
		add_program(ctx, i, &result);
	uint32_t shown = largest(p, result.programs, false);
	if (shown == JR_NONE) {
		out->unavailable = why_unknown(p);
		return;
	}
	result.curves->n_rows = result.curves->n_data = result.curves->n_rendered = result.point;
	struct jr_table *table = program_table(ctx, result.programs);
	add_peak(ctx, out, shown, &result.programs[shown]);
	add_heap_peak(ctx, out, result.programs);
	add_words(ctx, out, result.programs);
	add_pictures(ctx, out, &result, table);
}

const struct jr_pass jr_pass_memory = {
	.name = "memory",
	.title = "Memory",
	.summary =
		"Device memory of each program, its heap over program order, and the buffers live at the "
		"peak",
	.needs = JR_NEEDS_HLO,
	.group = JR_GROUP_COMPILE,
	.apart = JR_APART_THEN,
	.run = run,
};
