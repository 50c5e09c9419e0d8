/* Percentiles of the latency of programs that both runs have, each with a verdict of its own. */
#include <math.h>

#include "compare/core/compare_rows.h"
#include "compare/judge/latency_changes.h"

#define LATENCY(X, T)                                                                              \
	X(T, metric, "Metric", "metric name in gates", TEXT, NONE, JR_COL_KEY | JR_COL_CODE)           \
	X(T, verdict, "Verdict",                                                                       \
		"same, regression, improvement or cannot tell, by the interval and the tolerance; empty "  \
		"for the longest execution, which has no interval",                                        \
		TEXT, NONE, JR_COL_KEPT | JR_COL_BESIDE)                                                   \
	X(T, base_ms, "Base", "latency in the base", F64, NS, JR_COL_LIKE)                             \
	X(T, new_ms, "New", "latency in the new run", F64, NS, JR_COL_LIKE)                            \
	X(T, change_ms, "Difference", "new - base", F64, NS, JR_COL_CHANGE | JR_COL_LIKE)              \
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

/* --- variants ----------------------------------------------------------------------------------
 */

/* Return the row of the table if it is a variant whose inputs are known, as a text that variants of
 * both runs share. A row of one run without inputs has no partner. */
static const char *variant_key(
	const struct jr_comparison *c, const struct jr_run *run, int side, size_t row)
{
	const char *inputs = jr_run_text(run, JR_RUN_LATENCY, JR_LATENCY_INPUTS, row);
	const char *name = jr_run_text(run, JR_RUN_LATENCY, JR_LATENCY_NAME, row);
	return inputs ? jr_arena_printf(c->arena, "%s\n%s", name, inputs)
				  : jr_arena_printf(c->arena, "%s\n%d %zu", name, side, row);
}

/* Pair variants of programs by name and input shapes. */
static const struct jr_row_pair *pair_variants(const struct jr_comparison *c, size_t *n)
{
	const char **keys[2];
	size_t *rows[2], n_rows[2];
	for (int side = 0; side < 2; side++) {
		const struct jr_run *run = c->runs[side];
		size_t all = jr_run_rows(run, JR_RUN_LATENCY);
		keys[side] = JR_ARENA_N(c->arena, const char *, all + 1);
		rows[side] = JR_ARENA_N(c->arena, size_t, all + 1);
		n_rows[side] = 0;
		for (size_t row = 0; row < all; row++) {
			if (!jr_run_text(run, JR_RUN_LATENCY, JR_LATENCY_NAME, row) ||
				jr_run_is(run, JR_RUN_LATENCY, JR_LATENCY_WHOLE, row))
				continue;
			keys[side][n_rows[side]] = variant_key(c, run, side, row);
			rows[side][n_rows[side]++] = row;
		}
	}
	const char *const *const both[2] = {keys[0], keys[1]};
	struct jr_row_pair *pairs = jr_match_rows(both, n_rows, c->arena, n);
	for (size_t i = 0; i < *n; i++)
		for (int side = 0; side < 2; side++)
			if (pairs[i].row[side] != SIZE_MAX)
				pairs[i].row[side] = rows[side][pairs[i].row[side]];
	return pairs;
}

static const char *partner(const struct jr_compare_row *r)
{
	return r->row[JR_BASE] == SIZE_MAX  ? "only in the new run"
		   : r->row[JR_NEW] == SIZE_MAX ? "only in the base"
										: "in both";
}

static double most_p50(const struct jr_compare_row *r)
{
	double most = 0;
	for (int side = 0; side < 2; side++)
		if (r->row[side] != SIZE_MAX)
			most = fmax(most, jr_table_number(r->c->runs[side]->tables[JR_RUN_LATENCY],
								  JR_LATENCY_P50, r->row[side]));
	return most;
}

#define VARIANTS(X, T)                                                                             \
	X(T, name, "Module", "module name", TEXT, NONE, JR_COL_KEY | JR_COL_CODE,                      \
		JR_ONE(JR_LATENCY_NAME))                                                                   \
	X(T, inputs, "Inputs", "shapes of the first parameters that differ between variants", TEXT,    \
		NONE, JR_COL_KEY | JR_COL_CODE, JR_ONE(JR_LATENCY_INPUTS))                                 \
	X(T, partner, "Runs", "runs that execute this variant at least twice", TEXT, NONE,             \
		JR_COL_BESIDE, JR_WORDS(partner))                                                          \
	JR_CHANGE_OF_BOTH(X, T, ms, "latency that half of the executions do not exceed", F64, NS,      \
		JR_COLUMN(JR_LATENCY_P50))                                                                 \
	JR_BASE_AND_NEW(X, T, p99_ms, "p99", "latency that 99 % of executions do not exceed", F64, NS, \
		JR_COL_LIKE, JR_COLUMN(JR_LATENCY_P99))                                                    \
	JR_BASE_AND_NEW(X, T, count, "Executions", "steady executions", I64, COUNT, 0,                 \
		JR_COLUMN(JR_LATENCY_COUNT))
JR_COMPARE_COLUMNS(VARIANTS)
JR_COMPARE_FILLS(VARIANTS)

static const struct jr_compare_rows variants = {
	.spec = {JR_TABLE_SPEC("latency_variants", "latency_variants", "Median latency by variant",
		"Per variant of a program that runs in several; paired by input shapes; longest first",
		VARIANTS_columns)},
	.fills = VARIANTS_fills,
	.table = JR_RUN_LATENCY,
	.pair = pair_variants,
	.rank_of = most_p50,
	.n_shown = 30,
};

static void run(const struct jr_comparison *c, struct jr_section *out)
{
	struct jr_latency_changes all = jr_latency_changes_find(c);
	if (!all.n) {
		out->unavailable =
			"not available, because no program has two steady executions in both runs";
		return;
	}
	bool told = jr_latency_changes_text(c) != NULL;
	struct jr_table *table = jr_table_new(c->arena, told ? &spec : &folded_spec, all.n);
	for (size_t row = 0; row < all.n; row++)
		fill_row(c, table, row, &all.items[row]);
	jr_section_table(out, c->arena, table);
	(void)jr_compare_put(c, &variants, NULL, out);
}

const struct jr_compare_pass jr_compare_latency = {
	.about = {.name = "latency",
		.title = "Latency",
		.group = JR_GROUP_STEP,
		.summary = "How long executions of each program take in both runs"},
	.run = run,
};
