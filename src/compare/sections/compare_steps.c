/* Steps of both runs: how they are distributed, and when they ran. */
#include <string.h>

#include "compare/core/compare_columns.h"

enum { RUN, STEP, DUR, PERIOD, LABEL };

static const struct jr_column_spec columns[] = {
	{"run", "Run", "base or new", JR_TEXT, JR_UNIT_NONE, JR_COL_KEY},
	{"step", "Step", "0, 1, … of the steady ones", JR_I64, JR_UNIT_COUNT, JR_COL_KEY},
	{"dur_ms", "Execution", "its execution on the slowest device", JR_F64, JR_UNIT_NS, 0},
	{"period_ms", "Step", "from its start to the start of the next one, mean over devices", JR_F64,
		JR_UNIT_NS, 0},
	{"label", NULL, NULL, JR_TEXT, JR_UNIT_NONE, JR_COL_RENDERED_ONLY},
};
static const struct jr_table_spec spec = {
	JR_COMPARE_SPEC("steps", "steps", "Steady steps", "Per step of either run, in order", columns),
	.data_only = true};

enum { Q_NAME, Q_BASE, Q_NEW, Q_CHANGE, Q_PERCENT };

static const struct jr_column_spec quantile_columns[] = {
	{"quantile", "Quantile", "share of steps that take no longer", JR_TEXT, JR_UNIT_NONE,
		JR_COL_KEY},
	JR_CHANGE_COLUMNS_OF_BOTH(
		"_ms", "time of the step; of its execution where step.basis says so", JR_F64, JR_UNIT_NS),
};
static const struct jr_table_spec quantile_spec = {
	JR_COMPARE_SPEC("step_quantiles", "step_quantiles", "Distribution of steps",
		"Per quantile, between steps "
		"interpolated linearly",
		quantile_columns)};

static const char *const run_names[] = {[JR_BASE] = "base", [JR_NEW] = "new"};

static size_t n_rows(const struct jr_run_steps *s)
{
	return s->executions.n > s->periods.n ? s->executions.n : s->periods.n;
}

struct jr_table *jr_compare_step_table(const struct jr_comparison *c)
{
	const struct jr_run_steps *steps[2] = {&c->runs[0]->steps, &c->runs[1]->steps};
	struct jr_table *table = jr_table_new(c->arena, &spec, n_rows(steps[0]) + n_rows(steps[1]));
	size_t row = 0;
	for (int side = 0; side < 2; side++) {
		for (size_t i = 0; i < n_rows(steps[side]); i++, row++) {
			table->cells[RUN].text[row] = run_names[side];
			table->cells[STEP].i64[row] = (int64_t)i;
			if (i < steps[side]->executions.n)
				table->cells[DUR].f64[row] = steps[side]->executions.values[i];
			if (i < steps[side]->periods.n)
				table->cells[PERIOD].f64[row] = steps[side]->periods.values[i];
			table->cells[LABEL].text[row] =
				jr_arena_printf(c->arena, "%s, step %zu", run_names[side], i);
		}
	}
	return table;
}

static const double *sorted(const struct jr_comparison *c, int side)
{
	const struct jr_sample *s = jr_run_step_sample(c->runs[side]);
	double *values = JR_ARENA_N(c->arena, double, s->n + 1);
	if (s->n)
		memcpy(values, s->values, s->n * sizeof(*values));
	jr_sort_doubles(values, s->n);
	return values;
}

static struct jr_table *quantile_table(const struct jr_comparison *c)
{
	static const struct {
		const char *name;
		double q;
	} quantiles[] = {{"fastest", 0}, {"5 %", 0.05}, {"25 %", 0.25}, {"median", 0.5}, {"75 %", 0.75},
		{"95 %", 0.95}, {"slowest", 1}};
	struct jr_table *table = jr_table_new(c->arena, &quantile_spec, JR_COUNT_OF(quantiles));
	const double *values[2] = {sorted(c, JR_BASE), sorted(c, JR_NEW)};
	for (size_t i = 0; i < JR_COUNT_OF(quantiles); i++) {
		double v[2];
		for (int side = 0; side < 2; side++)
			v[side] =
				jr_quantile(values[side], jr_run_step_sample(c->runs[side])->n, quantiles[i].q);
		table->cells[Q_NAME].text[i] = quantiles[i].name;
		jr_change_of_both(table, Q_BASE, i, v[JR_BASE], v[JR_NEW]);
	}
	return table;
}

static void run(const struct jr_comparison *c, struct jr_section *out)
{
	struct jr_table *table = jr_compare_step_table(c);
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
		.summary = "Step times of both runs: the sample that the verdict rests on, which "
				   "the overview draws"},
	.run = run,
};
