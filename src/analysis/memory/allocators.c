/* Memory in use as allocators report it; analysis/README.md, section 7. */
#include <stdlib.h>

#include "analysis/shared/columns.h"
#include "analysis/core/keys.h"
#include "analysis/core/terms.h"
#include "base/order.h"

#define COLUMNS(X, T)                                                                              \
	X(T, allocator, "Allocator",                                                                   \
		"name of the allocator" JR_ON_GPU(                                                         \
			": GPU_0_bfc belongs to the first " JR_GPU " of a process"),                           \
		TEXT, NONE, JR_COL_KEY | JR_COL_CODE)                                                      \
	X(T, profile, "Profile", "profile of the process", TEXT, NONE, JR_COL_KEY | JR_COL_CODE)       \
	X(T, max_bytes, "Profile peak", "largest allocated amount during the " JR_PROFILE_WORD, I64,   \
		BYTES, JR_COL_BAR)                                                                         \
	X(T, peak_bytes, "Process peak",                                                               \
		"largest allocated amount since the process started, even before the profile", I64, BYTES) \
	X(T, first_bytes, "At start",                                                                  \
		"allocated after the first allocation or deallocation of the " JR_PROFILE_WORD, I64,       \
		BYTES)                                                                                     \
	X(T, last_bytes, "At end", "allocated after the last one", I64, BYTES)                         \
	X(T, allocations, "Allocations", "number in the " JR_PROFILE_WORD, I64, COUNT)                 \
	X(T, deallocations, "Deallocations", "number in the " JR_PROFILE_WORD, I64, COUNT)
JR_TABLE(spec, COL, COLUMNS, "allocators", "allocators.allocators", "Allocators",
	"One row per allocator of a process; by its largest allocated amount");

#define CURVE_COLUMNS(X, T)                                                                        \
	X(T, time_ms, "Time", "time since the first point", I64, NS)                                   \
	X(T, in_use_bytes, "In use",                                                                   \
		"allocated memory; if there are too many points to draw, the highest are kept", I64,       \
		BYTES)                                                                                     \
	X(T, series, "Allocator", "name of the allocator, with its profile if there are several",      \
		TEXT, NONE, JR_COL_CODE)
JR_TABLE(curve_spec, C, CURVE_COLUMNS, "allocator_curves", "allocators.curves",
	"Allocated memory over time", "One row per point of a curve", .data_only = true);

#define MOST_CURVES 6   /* number of series colors */
#define MOST_POINTS 300 /* per curve; a chart is 700 pixels wide */

/* An allocator of a process. Its events are adjacent and in order of time. */
struct group {
	size_t first, n;
	int64_t most_bytes, peak_bytes, n_given_back;
};

static size_t list_groups(const struct jr_allocator_events *t, struct group *groups)
{
	size_t n = 0;
	for (size_t i = 0; i < t->n; i++) {
		if (i == 0 || t->process[i] != t->process[i - 1] || t->allocator[i] != t->allocator[i - 1])
			groups[n++] = (struct group){.first = i};
		struct group *g = &groups[n - 1];
		g->n++;
		g->n_given_back += t->gave_back[i];
		g->most_bytes = t->in_use_bytes[i] > g->most_bytes ? t->in_use_bytes[i] : g->most_bytes;
		g->peak_bytes = t->peak_bytes[i] > g->peak_bytes ? t->peak_bytes[i] : g->peak_bytes;
	}
	return n;
}

JR_ORDER(compare_groups, struct group, JR_DOWN(most_bytes) JR_UP(first))

static struct jr_table *group_table(
	struct jr_pass_context *ctx, const struct group *groups, size_t n)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_allocator_events *t = &p->allocator_events;
	struct jr_table *table = jr_table_new(ctx->arena, &spec, n);
	union jr_cells *c = table->cells;
	for (size_t i = 0; i < n; i++) {
		const struct group *g = &groups[i];
		size_t last = g->first + g->n - 1;
		c[COL_allocator].text[i] = jr_str(p, t->allocator[g->first]);
		c[COL_profile].text[i] = jr_str(p, p->processes[t->process[g->first]].name);
		c[COL_max_bytes].i64[i] = g->most_bytes;
		c[COL_peak_bytes].i64[i] = g->peak_bytes ? g->peak_bytes : JR_NULL_I64;
		c[COL_first_bytes].i64[i] = t->in_use_bytes[g->first];
		c[COL_last_bytes].i64[i] = t->in_use_bytes[last];
		c[COL_allocations].i64[i] = (int64_t)g->n - g->n_given_back;
		c[COL_deallocations].i64[i] = g->n_given_back;
	}
	return table;
}

/* Divide the events of a curve into equal parts. Keep the highest and the last event of each
 * part. */
static size_t add_curve(struct jr_table *table, size_t row, const struct jr_allocator_events *t,
	const struct group *g, int64_t origin_ns, const char *series)
{
	union jr_cells *c = table->cells;
	size_t parts = g->n < MOST_POINTS ? g->n : MOST_POINTS / 2;
	for (size_t part = 0; part < parts; part++) {
		size_t begin = g->first + part * g->n / parts, end = g->first + (part + 1) * g->n / parts;
		size_t highest = begin, last = end - 1;
		for (size_t i = begin; i < end; i++)
			highest = t->in_use_bytes[i] > t->in_use_bytes[highest] ? i : highest;
		for (size_t at = highest;; at = last) {
			c[C_time_ms].i64[row] = t->t_ns[at] - origin_ns;
			c[C_in_use_bytes].i64[row] = t->in_use_bytes[at];
			c[C_series].text[row++] = series;
			if (at == last)
				break;
		}
	}
	return row;
}

static void add_curves(
	struct jr_pass_context *ctx, struct jr_section *out, const struct group *groups, size_t n)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_allocator_events *t = &p->allocator_events;
	size_t n_curves = n < MOST_CURVES ? n : MOST_CURVES, row = 0;
	int64_t origin_ns = INT64_MAX;
	for (size_t i = 0; i < n_curves; i++)
		origin_ns = t->t_ns[groups[i].first] < origin_ns ? t->t_ns[groups[i].first] : origin_ns;
	struct jr_table *table = jr_table_new(ctx->arena, &curve_spec, n_curves * MOST_POINTS);
	for (size_t i = 0; i < n_curves; i++) {
		const char *name = jr_str(p, t->allocator[groups[i].first]);
		if (p->n_processes > 1)
			name = jr_arena_printf(ctx->arena, "%s: %s",
				jr_str(p, p->processes[t->process[groups[i].first]].name), name);
		row = add_curve(table, row, t, &groups[i], origin_ns, name);
	}
	table->n_rows = table->n_data = table->n_rendered = row;
	struct jr_chart chart = {.name = "allocators",
		.title = "Allocated memory over time",
		.caption = n > n_curves
					   ? jr_arena_printf(ctx->arena,
							 "the %zu of %zu allocators with the most allocated memory; includes "
							 "the memory of programs and everything else that is allocated",
							 n_curves, n)
					   : "allocated memory after each allocation and deallocation; includes the "
						 "memory of programs and everything else that is allocated",
		.kind = JR_CHART_STEP,
		.table = table,
		.x = JR_KEY(C, time_ms),
		.y = JR_KEY(C, in_use_bytes),
		.series = JR_KEY(C, series),
		.y_title = "In use"};
	jr_section_chart(out, ctx->arena, &chart);
	jr_section_table(out, ctx->arena, table);
}

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_allocator_events *t = &ctx->profile->allocator_events;
	struct group *groups = JR_ARENA_N(ctx->scratch, struct group, t->n + 1);
	size_t n = list_groups(t, groups);
	if (n == 0) {
		out->unavailable = "not available, because the " JR_PROFILE_WORD
						   " does not contain allocator events, which need "
						   "host_tracer_level 2";
		return;
	}
	qsort(groups, n, sizeof(*groups), compare_groups);
	add_curves(ctx, out, groups, n);
	jr_section_table(out, ctx->arena, group_table(ctx, groups, n));
}

const struct jr_pass jr_pass_allocators = {
	.name = "allocators",
	.title = "Allocators",
	.summary = "Memory allocated by each allocator over the time of the profile",
	.needs = JR_NEEDS_ALLOCATORS,
	.any_program = true,
	.group = JR_GROUP_COMPILE,
	.run = run,
};
