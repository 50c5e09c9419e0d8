/* Latency of programs: percentiles of executions, queueing before them, idle time between them;
 * analysis/README.md, section 8.9. */

#include "analysis/core/distribution.h"
#include "analysis/core/program_kind.h"
#include "analysis/shared/columns.h"
#include "analysis/shared/input_shapes.h"
#include "analysis/step/latency_requests.h"
#include "analysis/step/step_tables.h"
#include "base/order.h"
#include "base/sort.h"

#define LEAST_EXECUTIONS 2 /* of a row */
#define N_SHOWN 30         /* rows for people */
#define LEAST_DRAWN 10     /* executions of a line */
#define MOST_LINES 6
#define MOST_POINTS 200 /* of a line */
#define WIDE 20         /* longest / shortest drawn time from which the axis is logarithmic */

JR_COLUMNS_OF(columns, JR_LATENCY_COLUMNS);
#define TITLE "Latency"
#define HELP                                                                                       \
	"One row per module name with at least two steady executions, by time; rows of its variants "  \
	"follow it"
/* Folded in the report of a training step. */
static const struct jr_table_spec folded_spec = {
	JR_TABLE_SPEC("latency", JR_AT(latency), TITLE, HELP, columns), .looked_up = true};
static const struct jr_table_spec spec = {
	JR_TABLE_SPEC("latency", JR_AT(latency), TITLE, HELP, columns)};

#define POINT_COLUMNS(X, T)                                                                        \
	X(T, series, "Program", "module name, and its variant", TEXT, NONE, JR_COL_KEY | JR_COL_CODE)  \
	X(T, latency_ms, "Latency", "latency of an execution", I64, NS)                                \
	X(T, share, "Share", "share of executions that did not take longer", F64, FRAC, JR_COL_KEY)
JR_TABLE(point_spec, P, POINT_COLUMNS, "latency_distribution", "latency_distribution",
	"Distribution of latency", "At most 200 rows per program or variant, by time, then latency",
	.data_only = true);

/* --- rows ------------------------------------------------------------------------------------- */

/* Executions of a program, or of all programs of a name. */
struct group {
	uint32_t name;    /* str */
	uint32_t program; /* JR_NONE: all variants */
	bool whole;
	uint32_t n_variants; /* of the name */
	int64_t name_ns;     /* of all executions of the name */
	int64_t sum_ns;
	struct jr_input_shapes shapes;
	const struct jr_served **items; /* [n] */
	size_t n;
};

/* Names by time, variants of a name after all of it, by time. */
JR_ORDER(compare_groups, struct group,
	JR_DOWN(name_ns) JR_UP(name) JR_DOWN(whole) JR_DOWN(sum_ns) JR_UP(program))

static void take(struct group *g, const struct jr_served *served)
{
	g->items[g->n++] = served;
	if (__builtin_add_overflow(g->sum_ns, served->latency_ns, &g->sum_ns))
		g->sum_ns = INT64_MAX; /* only for the order of rows */
}

static void add_shapes(struct jr_pass_context *ctx, struct group *variants, size_t n)
{
	uint32_t *programs = JR_ARENA_N(ctx->scratch, uint32_t, n + 1);
	for (size_t i = 0; i < n; i++)
		programs[i] = variants[i].program;
	const struct jr_input_shapes *shapes =
		jr_input_shapes_find(ctx->profile, programs, n, ctx->arena);
	for (size_t i = 0; i < n; i++)
		variants[i].shapes = shapes[i];
}

struct groups {
	size_t n;
	struct group *items;
};

/* By name, then program; the requests are by program. */
JR_ORDER(compare_programs, struct group, JR_UP(name) JR_UP(program))

static struct groups programs_of(struct jr_pass_context *ctx, const struct jr_served_list *all)
{
	const struct jr_profile *p = ctx->profile;
	struct groups own = {.items = JR_ARENA_N(ctx->scratch, struct group, p->n_programs + 1)};
	const struct jr_served **room = JR_ARENA_N(ctx->scratch, const struct jr_served *, all->n + 1);
	for (size_t i = 0; i < all->n; i++) {
		const struct jr_served *served = &all->items[i];
		if (!own.n || own.items[own.n - 1].program != served->program)
			own.items[own.n++] = (struct group){.name = p->programs[served->program].name,
				.program = served->program,
				.items = room + i};
		take(&own.items[own.n - 1], served);
	}
	jr_sort(own.items, own.n, sizeof(*own.items), compare_programs);
	return own;
}

/* Return a group per name with enough executions, and groups of its variants if it has several. */
static struct groups find_groups(struct jr_pass_context *ctx, const struct jr_served_list *all)
{
	struct groups own = programs_of(ctx, all);
	struct groups out = {.items = JR_ARENA_N(ctx->scratch, struct group, 2 * own.n + 1)};
	const struct jr_served **room = JR_ARENA_N(ctx->scratch, const struct jr_served *, all->n + 1);
	for (size_t i = 0, end; i < own.n; i = end) {
		struct group whole = {.name = own.items[i].name,
			.program = own.items[i].program,
			.whole = true,
			.shapes = {.batch = JR_NULL_I64},
			.items = room};
		for (end = i; end < own.n && own.items[end].name == whole.name; end++)
			for (size_t k = 0; k < own.items[end].n; k++)
				take(&whole, own.items[end].items[k]);
		room += whole.n;
		if (whole.n < LEAST_EXECUTIONS)
			continue;
		whole.n_variants = (uint32_t)(end - i);
		whole.name_ns = whole.sum_ns;
		whole.program = whole.n_variants > 1 ? JR_NONE : whole.program;
		out.items[out.n++] = whole;
		if (whole.n_variants == 1)
			continue;
		add_shapes(ctx, own.items + i, end - i);
		for (size_t k = i; k < end; k++) {
			own.items[k].name_ns = whole.sum_ns;
			own.items[k].n_variants = whole.n_variants;
			if (own.items[k].n >= LEAST_EXECUTIONS)
				out.items[out.n++] = own.items[k];
		}
	}
	jr_sort(out.items, out.n, sizeof(*out.items), compare_groups);
	return out;
}

/* --- numbers ---------------------------------------------------------------------------------- */

JR_ORDER_OF_VALUES(compare_ns, int64_t)

static int64_t *sorted_latencies(const struct group *g, struct jr_arena *scratch)
{
	int64_t *ns = JR_ARENA_N(scratch, int64_t, g->n + 1);
	for (size_t i = 0; i < g->n; i++)
		ns[i] = g->items[i]->latency_ns;
	jr_sort(ns, g->n, sizeof(*ns), compare_ns);
	return ns;
}

/* Fill a percentile and, in the next two columns, the ends of its interval. */
static void fill_quantile(
	union jr_cells *c, size_t column, size_t row, const int64_t *sorted, size_t n, double q)
{
	struct jr_rank_interval ends = jr_quantile_interval(n, q, JR_LATENCY_CONFIDENCE);
	c[column].i64[row] = sorted[jr_quantile_rank(n, q) - 1];
	if (ends.low > 0)
		c[column + 1].i64[row] = sorted[ends.low - 1];
	if (ends.high <= n)
		c[column + 2].i64[row] = sorted[ends.high - 1];
}

static void fill_queue(union jr_cells *c, size_t row, const struct group *g, int64_t *scratch)
{
	size_t n = 0, n_early = 0;
	for (size_t i = 0; i < g->n; i++) {
		n_early += g->items[i]->early;
		if (g->items[i]->queue_ns != JR_NULL_I64)
			scratch[n++] = g->items[i]->queue_ns;
	}
	c[JR_LATENCY_queue_count].i64[row] = (int64_t)n;
	if (n < g->n)
		c[JR_LATENCY_queue_missing].text[row] =
			n_early ? "unknown if executions start before they are launched: the clocks disagree"
			: n     ? "partly unknown: some launches were not recorded"
					: "unknown: launches were not recorded";
	if (!n)
		return;
	c[JR_LATENCY_queue_p50_ms].i64[row] = jr_quantile_i64(scratch, n, 0.5);
	c[JR_LATENCY_queue_p99_ms].i64[row] = jr_quantile_i64(scratch, n, 0.99);
	c[JR_LATENCY_queue_max_ms].i64[row] = jr_quantile_i64(scratch, n, 1);
}

static void fill_idle(union jr_cells *c, size_t row, const struct group *g, int64_t *scratch)
{
	size_t n = 0;
	int64_t sum_ns = 0;
	bool fits = true;
	for (size_t i = 0; i < g->n; i++)
		if (g->items[i]->idle_ns != JR_NULL_I64) {
			scratch[n++] = g->items[i]->idle_ns;
			fits &= !__builtin_add_overflow(sum_ns, g->items[i]->idle_ns, &sum_ns);
		}
	c[JR_LATENCY_idle_count].i64[row] = (int64_t)n;
	if (!n)
		return;
	c[JR_LATENCY_idle_p50_ms].i64[row] = jr_quantile_i64(scratch, n, 0.5);
	if (fits)
		c[JR_LATENCY_idle_sum_ms].i64[row] = sum_ns;
}

static void fill_row(
	struct jr_pass_context *ctx, struct jr_table *table, size_t row, const struct group *g)
{
	const struct jr_profile *p = ctx->profile;
	union jr_cells *c = table->cells;
	int64_t *scratch = JR_ARENA_N(ctx->scratch, int64_t, g->n + 1);
	const int64_t *sorted = sorted_latencies(g, ctx->scratch);
	uint32_t devices = 0;
	for (size_t i = 0; i < g->n; i++)
		devices = g->items[i]->n_devices > devices ? g->items[i]->n_devices : devices;
	c[JR_LATENCY_name].text[row] = jr_str(p, g->name);
	c[JR_LATENCY_program_id].text[row] =
		g->program == JR_NONE ? NULL : jr_program_id(p, g->program, ctx->arena);
	c[JR_LATENCY_whole].boolean[row] = g->whole;
	c[JR_LATENCY_inputs].text[row] = g->shapes.text;
	c[JR_LATENCY_batch].i64[row] = g->shapes.batch;
	c[JR_LATENCY_devices].i64[row] = devices;
	c[JR_LATENCY_count].i64[row] = (int64_t)g->n;
#define FILL(key, q) fill_quantile(c, JR_LATENCY_##key##_ms, row, sorted, g->n, q);
	JR_LATENCY_QUANTILES(FILL)
#undef FILL
	c[JR_LATENCY_max_ms].i64[row] = sorted[g->n - 1];
	fill_queue(c, row, g, scratch);
	fill_idle(c, row, g, scratch);
}

/* --- chart ------------------------------------------------------------------------------------ */

/* A name with variants is drawn as one line per variant. */
static bool is_line(const struct group *g)
{
	return g->n >= LEAST_DRAWN && g->whole == (g->n_variants == 1);
}

static const char *line_name(struct jr_pass_context *ctx, const struct group *g)
{
	const char *name = jr_str(ctx->profile, g->name);
	if (g->whole)
		return name;
	const char *id = jr_program_id(ctx->profile, g->program, ctx->arena);
	return g->shapes.batch == JR_NULL_I64
			   ? jr_arena_printf(ctx->arena, "%s, program %s", name, id)
			   : jr_arena_printf(ctx->arena, "%s, batch %lld (program %s)", name,
					 (long long)g->shapes.batch, id);
}

/* Points of equal distance in rank; the last one is the longest execution. */
static size_t add_line(
	struct jr_pass_context *ctx, struct jr_table *table, size_t row, const struct group *g)
{
	const int64_t *sorted = sorted_latencies(g, ctx->scratch);
	const char *name = line_name(ctx, g);
	size_t n = g->n < MOST_POINTS ? g->n : MOST_POINTS;
	for (size_t i = 1; i <= n; i++, row++) {
		size_t rank = i * g->n / n;
		table->cells[P_series].text[row] = name;
		table->cells[P_latency_ms].i64[row] = sorted[rank - 1];
		table->cells[P_share].f64[row] = (double)rank / (double)g->n;
	}
	return row;
}

static bool is_wide(const struct jr_table *table)
{
	int64_t low = INT64_MAX, high = 0;
	for (size_t row = 0; row < table->n_rows; row++) {
		int64_t ns = table->cells[P_latency_ms].i64[row];
		low = ns < low ? ns : low;
		high = ns > high ? ns : high;
	}
	return low > 0 && high / WIDE >= low;
}

static const char *several_caption(struct jr_pass_context *ctx, size_t n, size_t n_left)
{
	return jr_arena_printf(ctx->arena,
		"share of steady executions that took no longer than a time, for programs or variants "
		"with at least %d of them%s",
		LEAST_DRAWN,
		n_left ? jr_arena_printf(
					 ctx->arena, "; the %zu with most time, %zu more are not drawn", n, n_left)
			   : "");
}

static void draw(struct jr_pass_context *ctx, struct jr_section *out, const struct groups *groups)
{
	size_t n = 0, n_rows = 0, n_left = 0;
	const struct group *lines[MOST_LINES];
	for (size_t i = 0; i < groups->n; i++) {
		if (!is_line(&groups->items[i]))
			continue;
		if (n == MOST_LINES) {
			n_left++;
			continue;
		}
		lines[n++] = &groups->items[i];
		n_rows += groups->items[i].n < MOST_POINTS ? groups->items[i].n : MOST_POINTS;
	}
	if (!n)
		return;
	struct jr_table *table = jr_table_new(ctx->arena, &point_spec, n_rows);
	for (size_t i = 0, row = 0; i < n; i++)
		row = add_line(ctx, table, row, lines[i]);
	struct jr_chart chart = {.name = "latency",
		.title = "Distribution of latency",
		.caption = n == 1
					   ? jr_arena_printf(ctx->arena,
							 "share of the steady executions of %s that took no longer than a time",
							 line_name(ctx, lines[0]))
					   : several_caption(ctx, n, n_left),
		.kind = JR_CHART_LINE,
		.table = table,
		.x = JR_KEY(P, latency_ms),
		.x_title = "Latency of an execution",
		.y = JR_KEY(P, share),
		.y_title = "Executions that took no longer",
		.series = JR_KEY(P, series),
		.log_x = is_wide(table)};
	jr_section_chart(out, ctx->arena, &chart);
	jr_section_table(out, ctx->arena, table);
}

/* --- the section ------------------------------------------------------------------------------ */

/* Whether the report is of a training step, about which percentiles of executions say little. JAX's
 * names show a backward pass. Without names, even steps count as training. */
static bool is_training(const struct jr_pass_context *ctx)
{
	int backward = jr_program_has_backward(ctx->profile);
	return backward >= 0 ? backward > 0
						 : ctx->windows->n_periods > 0 && !jr_step_periods_uneven(ctx->windows);
}

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	struct jr_served_list all = jr_served_find(ctx->profile, ctx->scratch);
	struct groups groups = find_groups(ctx, &all);
	if (!groups.n) {
		out->unavailable = "not available, because no program has two steady executions";
		return;
	}
	bool training = is_training(ctx);
	struct jr_table *table = jr_table_new(ctx->arena, training ? &folded_spec : &spec, groups.n);
	for (size_t row = 0; row < groups.n; row++)
		fill_row(ctx, table, row, &groups.items[row]);
	table->n_rendered = groups.n < N_SHOWN ? groups.n : N_SHOWN;
	if (!training)
		draw(ctx, out, &groups);
	jr_section_table(out, ctx->arena, table);
	size_t least = jr_quantile_least(0.99, JR_LATENCY_CONFIDENCE);
	if (!training && groups.items[0].n < least)
		jr_section_text(out, ctx->arena,
			"p99 of fewer than %zu executions has no upper bound (95 %% confidence) and is close "
			"to the longest one.",
			least);
}

const struct jr_pass jr_pass_latency = {
	.name = "latency",
	.title = "Latency",
	.summary = "How long executions of each program take, and how long they wait before they start",
	.needs = JR_NEEDS_MODULES,
	.group = JR_GROUP_STEP,
	.apart = JR_APART,
	.run = run,
};
