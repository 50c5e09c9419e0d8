/* Percentiles of the latency of programs that both runs have, each with a verdict of its own. */
#include "compare/core/compare_rows.h"
#include "compare/judge/latency_changes.h"

#define LATENCY(X, T)                                                                              \
	X(T, metric, "Metric", "metric name in gates", TEXT, NONE, JR_COL_KEY | JR_COL_CODE)           \
	X(T, verdict, "Verdict",                                                                       \
		"same, regression, improvement or cannot tell, by the interval and the tolerance; empty "  \
		"for the longest execution, which has no interval",                                        \
		TEXT, NONE, JR_COL_KEPT | JR_COL_BESIDE)                                                   \
	X(T, base_ms, "Base", "latency in the base", F64, NS, 0)                                       \
	X(T, new_ms, "New", "latency in the new run", F64, NS, 0)                                      \
	X(T, change_ms, "Difference", "new - base", F64, NS, JR_COL_CHANGE)                            \
	X(T, change_percent, "Change", "new / base - 1", F64, PERCENT, JR_COL_CHANGE)                  \
	X(T, low_percent, "From",                                                                      \
		"lower end of the 95 % interval of the change, from the exact intervals of both runs",     \
		F64, PERCENT, JR_COL_CHANGE | JR_COL_LOW)                                                  \
	X(T, high_percent, "To", "upper end of that interval", F64, PERCENT,                           \
		JR_COL_CHANGE | JR_COL_HIGH)                                                               \
	X(T, base_count, "Executions, base", "steady executions in the base", I64, COUNT, 0)           \
	X(T, new_count, "Executions, new", "steady executions in the new run", I64, COUNT, 0)          \
	X(T, reason, "Why", "why there is no verdict", TEXT, NONE, 0)
JR_COMPARE_COLUMNS(LATENCY)

#define HELP                                                                                       \
	"Per program that both runs execute at least twice, by time in the new run, and percentile"
#define SPEC JR_TABLE_SPEC("latency", "latency", "Latency of programs", HELP, LATENCY_columns)
static const struct jr_table_spec spec = {SPEC};
/* The step already shows what changed. */
static const struct jr_table_spec folded_spec = {SPEC, .looked_up = true};

static void fill_row(const struct jr_comparison *c, struct jr_table *table, size_t row,
	const struct jr_latency_change *l)
{
	union jr_cells *cells = table->cells;
	cells[LATENCY_metric].text[row] = l->metric->name;
	cells[LATENCY_verdict].text[row] = l->judged ? jr_verdict_name(l->verdict) : NULL;
	cells[LATENCY_base_ms].f64[row] = l->change.base;
	cells[LATENCY_new_ms].f64[row] = l->change.fresh;
	cells[LATENCY_change_ms].f64[row] = l->change.absolute;
	cells[LATENCY_change_percent].f64[row] = jr_change_fraction(l->change.base, l->change.fresh);
	cells[LATENCY_low_percent].f64[row] = l->change.relative_low;
	cells[LATENCY_high_percent].f64[row] = l->change.relative_high;
	cells[LATENCY_base_count].i64[row] =
		jr_run_i64(c->runs[JR_BASE], JR_RUN_LATENCY, JR_LATENCY_COUNT, l->row[JR_BASE]);
	cells[LATENCY_new_count].i64[row] =
		jr_run_i64(c->runs[JR_NEW], JR_RUN_LATENCY, JR_LATENCY_COUNT, l->row[JR_NEW]);
	cells[LATENCY_reason].text[row] = l->reason;
}

static void run(const struct jr_comparison *c, struct jr_section *out)
{
	struct jr_latency_changes all = jr_latency_changes_find(c);
	if (!all.n)
		return;
	bool told = jr_latency_changes_text(c) != NULL;
	struct jr_table *table = jr_table_new(c->arena, told ? &spec : &folded_spec, all.n);
	for (size_t row = 0; row < all.n; row++)
		fill_row(c, table, row, &all.items[row]);
	jr_section_table(out, c->arena, table);
}

const struct jr_compare_pass jr_compare_latency = {
	.about = {.name = "latency",
		.title = "Latency",
		.group = JR_GROUP_STEP,
		.summary = "How long executions of each program take in both runs"},
	.run = run,
};
