/* Steps of both runs: their distribution and their start times. */
#include "compare/core/compare_rows.h"

#define STEPS(X, T)                                                                                \
	X(T, run, "Run", "base or new", TEXT, NONE, JR_COL_KEY)                                        \
	X(T, step, "Step", "number of the steady step: 0, 1, …", I64, COUNT, JR_COL_KEY)               \
	X(T, dur_ms, "Execution", "execution time of the step on the slowest device", F64, NS, 0)      \
	X(T, period_ms, "Step",                                                                        \
		"time from its start to the start of the next step, mean over devices", F64, NS, 0)        \
	X(T, label, NULL, NULL, TEXT, NONE, JR_COL_RENDERED_ONLY)
JR_COMPARE_COLUMNS(STEPS)

static const struct jr_table_spec spec = {JR_TABLE_SPEC("steps", "steps", "Steady steps",
											  "Per step of each run, in order", STEPS_columns),
	.data_only = true};

static const char *const run_names[] = {[JR_BASE] = "base", [JR_NEW] = "new"};

static size_t n_rows(const struct jr_run_steps *s)
{
	return s->executions.n > s->periods.n ? s->executions.n : s->periods.n;
}

static struct jr_table *step_table(const struct jr_comparison *c)
{
	const struct jr_run_steps *steps[2] = {&c->runs[0]->steps, &c->runs[1]->steps};
	struct jr_table *table = jr_table_new(c->arena, &spec, n_rows(steps[0]) + n_rows(steps[1]));
	size_t row = 0;
	for (int side = 0; side < 2; side++) {
		for (size_t i = 0; i < n_rows(steps[side]); i++, row++) {
			table->cells[STEPS_run].text[row] = run_names[side];
			table->cells[STEPS_step].i64[row] = (int64_t)i;
			if (i < steps[side]->executions.n)
				table->cells[STEPS_dur_ms].f64[row] = steps[side]->executions.values[i];
			if (i < steps[side]->periods.n)
				table->cells[STEPS_period_ms].f64[row] = steps[side]->periods.values[i];
			table->cells[STEPS_label].text[row] =
				jr_arena_printf(c->arena, "%s, step %zu", run_names[side], i);
		}
	}
	return table;
}

void jr_compare_draw_steps(const struct jr_comparison *c, struct jr_section *out)
{
	struct jr_table *table = step_table(c);
	bool by_execution = c->runs[JR_NEW]->steps.by_execution;
	struct jr_chart chart = {.name = "steps_of_both",
		.title = "Steps of both runs",
		.caption = by_execution
					   ? "executions on the slowest device from top to bottom; line: median"
					   : "steps from top to bottom, each from its start to the start of "
						 "the next; line: median",
		.kind = JR_CHART_DOTS,
		.table = table,
		.x = JR_KEY(STEPS, run),
		.y = by_execution ? JR_KEY(STEPS, dur_ms) : JR_KEY(STEPS, period_ms)};
	if (table->n_rows)
		jr_section_chart(out, c->arena, &chart);
}

#define QUANTILES(X, T)                                                                            \
	X(T, quantile, "Quantile", "share of steps that are not longer", TEXT, NONE, JR_COL_KEY)       \
	JR_CHANGE_OF_BOTH(                                                                             \
		X, T, ms, "step time; execution time if step.basis is execution", F64, NS, JR_OWN)
JR_COMPARE_COLUMNS(QUANTILES)

static const struct jr_table_spec quantile_spec = {
	JR_TABLE_SPEC("step_quantiles", "step_quantiles", "Distribution of steps",
		"Per quantile, with linear interpolation between steps", QUANTILES_columns)};

static struct jr_table *quantile_table(const struct jr_comparison *c)
{
	static const struct {
		const char *name;
		double q;
	} quantiles[] = {{"fastest", 0}, {"5 %", 0.05}, {"25 %", 0.25}, {"median", 0.5}, {"75 %", 0.75},
		{"95 %", 0.95}, {"slowest", 1}};
	struct jr_table *table = jr_table_new(c->arena, &quantile_spec, JR_COUNT_OF(quantiles));
	union jr_cells *cells = &table->cells[QUANTILES_base_ms];
	for (int side = 0; side < 2; side++) {
		const struct jr_sample *s = jr_run_step_sample(c->runs[side]);
		double *sorted = JR_ARENA_N(c->arena, double, s->n + 1);
		for (size_t i = 0; i < s->n; i++)
			sorted[i] = s->values[i];
		jr_sort_doubles(sorted, s->n);
		for (size_t i = 0; i < JR_COUNT_OF(quantiles); i++)
			cells[side].f64[i] = jr_quantile(sorted, s->n, quantiles[i].q);
	}
	for (size_t i = 0; i < JR_COUNT_OF(quantiles); i++) {
		table->cells[QUANTILES_quantile].text[i] = quantiles[i].name;
		if (!isnan(cells[0].f64[i]) && !isnan(cells[1].f64[i]))
			jr_change_f64(cells, i, cells[0].f64[i], cells[1].f64[i]);
	}
	return table;
}

static void run(const struct jr_comparison *c, struct jr_section *out)
{
	struct jr_table *table = step_table(c);
	if (!table->n_rows) {
		out->unavailable = "not available, because neither run has a steady step";
		return;
	}
	jr_section_table(out, c->arena, quantile_table(c));
	jr_section_table(out, c->arena, table);
}

const struct jr_compare_pass jr_compare_steps = {
	.about = {.name = "steps",
		.title = "Steps",
		.group = JR_GROUP_STEP,
		.summary = "Step times of both runs: the sample behind the verdict, drawn in the overview"},
	.run = run,
};
