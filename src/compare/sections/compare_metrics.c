/* All metrics that a gate can use, in both runs. */
#include "compare/core/compare_rows.h"

#define METRICS(X, T)                                                                              \
	X(T, metric, "Metric", "name of the metric for --gate", TEXT, NONE, JR_COL_CODE)               \
	X(T, title, "What", "meaning of the metric", TEXT, NONE, JR_COL_KEY)                           \
	X(T, base_text, "Base", "value in the base", TEXT, NONE,                                       \
		JR_COL_RENDERED_ONLY | JR_COL_QUANTITY)                                                    \
	X(T, new_text, "New", "value in the new run", TEXT, NONE,                                      \
		JR_COL_RENDERED_ONLY | JR_COL_QUANTITY)                                                    \
	X(T, change_text, "Difference", "new - base; in percentage points for a share", TEXT, NONE,    \
		JR_COL_RENDERED_ONLY | JR_COL_QUANTITY)                                                    \
	X(T, change_percent, "Relative change", "new / base - 1, also for shares", F64, PERCENT,       \
		JR_COL_CHANGE)                                                                             \
	X(T, low_percent, "From",                                                                      \
		"lower end of the 95 % interval of the relative change, if there are samples", F64,        \
		PERCENT, JR_COL_CHANGE | JR_COL_LOW)                                                       \
	X(T, high_percent, "To",                                                                       \
		"upper end of the 95 % interval of the relative change, if there are samples", F64,        \
		PERCENT, JR_COL_CHANGE | JR_COL_HIGH)                                                      \
	X(T, better, "Better", "whether less, more or neither is better", TEXT, NONE,                  \
		JR_COL_DATA_ONLY)                                                                          \
	X(T, unit, NULL, "unit of the next two columns", TEXT, NONE, JR_COL_DATA_ONLY)                 \
	X(T, base, NULL, "value in the base", F64, NONE, JR_COL_DATA_ONLY)                             \
	X(T, new, NULL, "value in the new run", F64, NONE, JR_COL_DATA_ONLY)
JR_COMPARE_COLUMNS(METRICS)

static const struct jr_table_spec spec = {JR_TABLE_SPEC("metrics", "metrics", "Metrics",
											  "Per metric that gates can use", METRICS_columns),
	.rest = "of metrics that neither run has"};

static void fill_row(
	const struct jr_comparison *c, struct jr_table *table, size_t row, const struct jr_metric *m)
{
	static const char *const better[] = {"less", "neither", "more"};
	struct jr_metric_change change = c->changes[m - jr_metrics];
	union jr_cells *cells = table->cells;
	double scale = m->unit == JR_UNIT_NS ? 1e6 : 1;
	cells[METRICS_metric].text[row] = m->name;
	cells[METRICS_title].text[row] = m->title;
	cells[METRICS_base_text].text[row] = jr_metric_text(m->unit, change.base, false, c->arena);
	cells[METRICS_new_text].text[row] = jr_metric_text(m->unit, change.fresh, false, c->arena);
	cells[METRICS_change_text].text[row] = jr_metric_text(m->unit, change.absolute, true, c->arena);
	cells[METRICS_change_percent].f64[row] = change.relative;
	cells[METRICS_low_percent].f64[row] = change.relative_low;
	cells[METRICS_high_percent].f64[row] = change.relative_high;
	cells[METRICS_better].text[row] = better[m->better + 1];
	cells[METRICS_unit].text[row] = jr_metric_unit(m->unit);
	cells[METRICS_base].f64[row] = change.base / scale;
	cells[METRICS_new].f64[row] = change.fresh / scale;
}

/* Metrics that neither run has come last, and are not shown to people. Those of one program are in
 * the section on latency. */
static void run(const struct jr_comparison *c, struct jr_section *out)
{
	size_t n = 0, n_rows = 0, row = 0;
	for (; jr_metrics[n].name; n++)
		n_rows += jr_metrics[n].value != NULL;
	struct jr_table *table = jr_table_new(c->arena, &spec, n_rows);
	for (int known = 1; known >= 0; known--) {
		for (size_t i = 0; i < n; i++)
			if (jr_metrics[i].value &&
				(!isnan(c->changes[i].base) || !isnan(c->changes[i].fresh)) == known)
				fill_row(c, table, row++, &jr_metrics[i]);
		if (known)
			table->n_rendered = row;
	}
	jr_section_table(out, c->arena, table);
}

const struct jr_compare_pass jr_compare_metrics = {
	.about = {.name = "metrics",
		.title = "Metrics",
		.group = JR_GROUP_STEP,
		.summary = "Metrics of both runs, side by side; --gate can set limits for them"},
	.run = run,
};
