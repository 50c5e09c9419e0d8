/* Variability of compute thunks across devices and executions; analysis/README.md, section 4.7. */
#include <stdlib.h>

#include "analysis/shared/columns.h"
#include "analysis/core/statistics.h"
#include "analysis/core/keys.h"

#define N_DETAILED 10
#define DETAIL_RATIO 0.1

#define COLUMNS(X, T)                                                                              \
	X(T, program_id, "Program", "program id", TEXT, NONE, JR_COL_KEY)                              \
	X(T, name, "Thunk", "name of the HLO instruction", TEXT, NONE,                                 \
		JR_COL_KEY | JR_COL_CODE | JR_COL_VITAL)                                                   \
	X(T, count, "Count", "steady executions over all devices", I64, COUNT)                         \
	X(T, mean_ms, "Mean", "µ: mean duration over devices and executions", F64, NS)                 \
	X(T, std_ms, "±", "σ: sample standard deviation of the duration", F64, NS, JR_COL_SPREAD)      \
	X(T, std_over_mean, "σ/µ", "relative spread", F64, FRAC, JR_COL_BAR)                           \
	X(T, detailed, "In detail", "one of the 10 slowest with σ/µ above 10 %", BOOL, NONE)
JR_TABLE(spec, COL, COLUMNS, "variability", "variability", "Spread of compute thunks",
	"One row per compute thunk of any program; by mean duration");

#define DETAIL_COLUMNS(X, T)                                                                       \
	X(T, name, "Thunk", "program and name", TEXT, NONE, JR_COL_CODE)                               \
	X(T, dur_ms, "Duration", "duration of one execution on one device", I64, NS)                   \
	X(T, of_median, "Of median", "duration / median duration of the thunk", F64, FRAC)
JR_TABLE(detail_spec, D, DETAIL_COLUMNS, "variability_detail", NULL,
	"Executions of the thunks in detail",
	"One row per steady execution of a thunk in detail; by thunk, device, then start",
	.data_only = true);

static double spread(const struct jr_op_steady *s)
{
	return jr_ratio(jr_stats_std(&s->active), jr_stats_mean(&s->active));
}

/* Set each row, an execution of one op, relative to their median. */
static void add_of_median(
	struct jr_pass_context *ctx, struct jr_table *table, size_t from, size_t to)
{
	size_t n = to - from;
	double *sorted = JR_ARENA_N(ctx->scratch, double, n + 1);
	for (size_t i = 0; i < n; i++)
		sorted[i] = (double)table->cells[D_dur_ms].i64[from + i];
	jr_sort_doubles(sorted, n);
	double median = jr_quantile(sorted, n, 0.5);
	for (size_t i = 0; i < n; i++)
		table->cells[D_of_median].f64[from + i] =
			jr_ratio((double)table->cells[D_dur_ms].i64[from + i], median);
}

/* Executions of the detailed ops, slowest op first: the data of the distribution charts. */
static struct jr_table *detail_table(struct jr_pass_context *ctx, const uint32_t *ops, size_t n)
{
	const struct jr_profile *p = ctx->profile;
	size_t n_rows = 0;
	for (size_t k = 0; k < n; k++)
		n_rows += (size_t)ctx->steady->ops[ops[k]].count;
	struct jr_table *table = jr_table_new(ctx->arena, &detail_spec, n_rows);
	size_t row = 0;
	for (size_t k = 0; k < n; k++) {
		size_t from = row;
		const struct jr_op *op = &p->ops[ops[k]];
		const char *name = jr_arena_printf(
			ctx->arena, "%u %s", p->programs[op->program].number, jr_str(p, op->name));
		for (size_t i = 0; i < p->thunks.n; i++) {
			if (p->thunks.op[i] != ops[k] || !jr_thunk_steady(p, i))
				continue;
			table->cells[D_name].text[row] = name;
			table->cells[D_dur_ms].i64[row++] = jr_thunk_dur_ns(p, i);
		}
		add_of_median(ctx, table, from, row);
	}
	return table;
}

/* Return whether durations differ so much that the shorter ones would all be at the edge of a
 * common axis. */
static bool is_wide(const struct jr_table *details)
{
	const double *of_median = details->cells[D_of_median].f64;
	double least = INFINITY, most = 0;
	for (size_t row = 0; row < details->n_rows; row++) {
		least = fmin(least, of_median[row]);
		most = fmax(most, of_median[row]);
	}
	return least > 0 && most > 30 * least;
}

/* --- lines of equal spread -------------------------------------------------------------------- */

#define LINE_COLUMNS(X, T)                                                                         \
	X(T, name, "Line", "name of the line", TEXT, NONE, JR_COL_KEY)                                 \
	X(T, mean_ms, "Mean", "mean at a point of the line", F64, NS)                                  \
	X(T, std_over_mean, "σ/µ", "relative spread at that point", F64, FRAC)
JR_TABLE(line_spec, L, LINE_COLUMNS, "variability_lines", NULL, "Lines of equal σ",
	"One row per point of a line, by mean; an empty row ends each line", .data_only = true);

#define MOST_LINES 5   /* one per power of ten, the largest */
#define LINE_POINTS 32 /* the line is straight if both axes are logarithmic */

struct extent {
	double mean[2], ratio[2], std; /* of drawable rows; largest spread */
};

static struct extent extent_of(const struct jr_table *table)
{
	struct extent e = {{INFINITY, 0}, {INFINITY, 0}, 0};
	const union jr_cells *c = table->cells;
	for (size_t row = 0; row < table->n_rows; row++) {
		double mean = c[COL_mean_ms].f64[row], ratio = c[COL_std_over_mean].f64[row];
		if (!(mean > 0) || !(ratio > 0))
			continue;
		e.mean[0] = fmin(e.mean[0], mean);
		e.mean[1] = fmax(e.mean[1], mean);
		e.ratio[0] = fmin(e.ratio[0], ratio);
		e.ratio[1] = fmax(e.ratio[1], ratio);
		e.std = fmax(e.std, mean * ratio);
	}
	return e;
}

/* "10 µs": a power of ten in a suitable unit. */
static const char *power_text(struct jr_pass_context *ctx, double ns)
{
	static const char *const units[] = {"ns", "µs", "ms"};
	size_t unit = 0;
	for (; unit < 3 && ns >= 999.5; unit++)
		ns /= 1000;
	return jr_arena_printf(ctx->arena, "%d %s", (int)(ns + 0.5), unit < 3 ? units[unit] : "s");
}

/* Points on a line vary by the same amount of time, so they cost the same regardless of their mean.
 * All lines form one series, broken between lines. */
static const struct jr_table *spread_lines(
	struct jr_pass_context *ctx, const struct jr_table *variability)
{
	struct jr_table *table =
		jr_table_new(ctx->arena, &line_spec, (size_t)MOST_LINES * (LINE_POINTS + 1));
	struct extent e = extent_of(variability);
	union jr_cells *c = table->cells;
	double most = pow(10, floor(log10(e.std))), least = most;
	size_t row = 0;
	for (size_t k = 0; e.std > 0 && k < MOST_LINES; k++) {
		double std = most / pow(10, (double)k);
		double from = fmax(e.mean[0], std / e.ratio[1]), to = fmin(e.mean[1], std / e.ratio[0]);
		if (!(from < to))
			continue;
		least = std;
		for (size_t i = 0; i <= LINE_POINTS; i++) {
			bool end = i == LINE_POINTS;
			double mean = from * pow(to / from, (double)i / (LINE_POINTS - 1));
			c[L_mean_ms].f64[row] = end ? NAN : mean;
			c[L_std_over_mean].f64[row++] = end ? NAN : std / mean;
		}
	}
	const char *name = least < most ? jr_arena_printf(ctx->arena, "equal σ, %s to %s",
										  power_text(ctx, least), power_text(ctx, most))
									: jr_arena_printf(ctx->arena, "σ = %s", power_text(ctx, most));
	for (size_t i = 0; i < row; i++)
		c[L_name].text[i] = name;
	table->n_rows = table->n_data = table->n_rendered = row;
	return row ? table : NULL;
}

static void add_charts(struct jr_pass_context *ctx, struct jr_section *out,
	const struct jr_table *table, const struct jr_table *details)
{
	struct jr_chart scatter = {.name = "variability",
		.title = "Relative spread against mean duration",
		.caption =
			"one point per compute thunk with at least two steady executions. Labels: the 10 "
			"slowest with σ/µ above 10 %. Lines: equal σ, × 10 from one to the next",
		.kind = JR_CHART_SCATTER,
		.table = table,
		.x = JR_KEY(COL, mean_ms),
		.y = JR_KEY(COL, std_over_mean),
		.label = JR_KEY(COL, name),
		.marked = JR_KEY(COL, detailed),
		.lines = spread_lines(ctx, table),
		.line_name = JR_KEY(L, name),
		.line_x = JR_KEY(L, mean_ms),
		.line_y = JR_KEY(L, std_over_mean),
		.faint = true,
		.log_x = true,
		.y_title = "σ/µ"};
	jr_section_chart(out, ctx->arena, &scatter);
	if (details->n_rows == 0)
		return;
	struct jr_chart box = {.name = "variability_detail",
		.title = "Durations of the most variable slow thunks",
		.caption =
			"distribution over steady executions and devices, relative to the median of each "
			"thunk",
		.kind = JR_CHART_BOX,
		.table = details,
		.x = JR_KEY(D, name),
		.y = JR_KEY(D, of_median),
		.y_title = "Duration / median",
		.log_y = is_wide(details)};
	jr_section_chart(out, ctx->arena, &box);
}

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_op_steady *ops = ctx->steady->ops;
	struct jr_rank_key *keys = JR_ARENA_N(ctx->scratch, struct jr_rank_key, p->n_ops + 1);
	size_t n = 0;
	for (uint32_t i = 0; i < p->n_ops; i++)
		if (ops[i].count && !p->ops[i].communication)
			keys[n++] = (struct jr_rank_key){(double)ops[i].active_ns / (double)ops[i].count,
				jr_str(p, p->ops[i].name), p->ops[i].program, i};
	jr_rank_sort(keys, n);
	struct jr_table *table = jr_table_new(ctx->arena, &spec, n);
	const char **ids = jr_program_ids(p, ctx->arena);
	uint32_t detailed[N_DETAILED];
	size_t n_detailed = 0;
	union jr_cells *c = table->cells;
	for (size_t row = 0; row < n; row++) {
		uint32_t i = keys[row].row;
		bool in_detail = n_detailed < N_DETAILED && spread(&ops[i]) > DETAIL_RATIO;
		c[COL_program_id].text[row] = ids[p->ops[i].program];
		c[COL_name].text[row] = jr_str(p, p->ops[i].name);
		c[COL_count].i64[row] = ops[i].count;
		c[COL_mean_ms].f64[row] = keys[row].value;
		c[COL_std_ms].f64[row] = jr_stats_std(&ops[i].active);
		c[COL_std_over_mean].f64[row] = spread(&ops[i]);
		c[COL_detailed].boolean[row] = in_detail;
		if (in_detail)
			detailed[n_detailed++] = i;
	}
	struct jr_table *details = detail_table(ctx, detailed, n_detailed);
	add_charts(ctx, out, table, details);
	jr_section_table(out, ctx->arena, table);
	jr_section_table(out, ctx->arena, details);
}

const struct jr_pass jr_pass_variability = {
	.name = "variability",
	.title = "Variability",
	.summary = "Compute thunks with durations that vary over executions and devices",
	.needs = JR_NEEDS_THUNKS,
	.group = JR_GROUP_DEVICES,
	.apart = JR_APART_THEN,
	.run = run,
};
