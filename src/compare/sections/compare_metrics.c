/* Every metric that a gate can name, in both runs. */
#include "compare/core/compare_columns.h"

enum { NAME, TITLE, BASE, NEW, CHANGE, PERCENT, LOW, HIGH, BETTER, D_UNIT, D_BASE, D_NEW };

static const struct jr_column_spec columns[] = {
	{"metric", "Metric", "name in gates", JR_TEXT, JR_UNIT_NONE, JR_COL_CODE},
	{"title", "What", "what it is", JR_TEXT, JR_UNIT_NONE, JR_COL_KEY},
	{"base_text", "Base", "in the base", JR_TEXT, JR_UNIT_NONE,
		JR_COL_RENDERED_ONLY | JR_COL_QUANTITY},
	{"new_text", "New", "in the new run", JR_TEXT, JR_UNIT_NONE,
		JR_COL_RENDERED_ONLY | JR_COL_QUANTITY},
	{"change_text", "Difference", "new - base; of a share in percentage points", JR_TEXT,
		JR_UNIT_NONE, JR_COL_RENDERED_ONLY | JR_COL_QUANTITY},
	{"change_percent", "Relative change", "new / base - 1, of a share too", JR_F64, JR_UNIT_PERCENT,
		JR_COL_CHANGE},
	{"low_percent", "From",
		"lower end of the relative change's 95 % interval, where there are samples", JR_F64,
		JR_UNIT_PERCENT, JR_COL_CHANGE | JR_COL_LOW},
	{"high_percent", "To", "upper end of it", JR_F64, JR_UNIT_PERCENT, JR_COL_CHANGE | JR_COL_HIGH},
	{"better", "Better", "less, more, or neither", JR_TEXT, JR_UNIT_NONE, JR_COL_DATA_ONLY},
	{"unit", NULL, "of the next two", JR_TEXT, JR_UNIT_NONE, JR_COL_DATA_ONLY},
	{"base", NULL, "value in the base", JR_F64, JR_UNIT_NONE, JR_COL_DATA_ONLY},
	{"new", NULL, "value in the new run", JR_F64, JR_UNIT_NONE, JR_COL_DATA_ONLY},
};
static const struct jr_table_spec spec = {
	JR_COMPARE_SPEC("metrics", "metrics", "Metrics", "Per metric that a gate can name", columns)};

static void fill_row(
	const struct jr_comparison *c, struct jr_table *table, size_t row, const struct jr_metric *m)
{
	static const char *const better[] = {"less", "neither", "more"};
	struct jr_metric_change change = c->changes[m - jr_metrics];
	union jr_cells *cells = table->cells;
	double scale = m->unit == JR_UNIT_NS ? 1e6 : 1;
	cells[NAME].text[row] = m->name;
	cells[TITLE].text[row] = m->title;
	cells[BASE].text[row] = jr_metric_text(m->unit, change.base, false, c->arena);
	cells[NEW].text[row] = jr_metric_text(m->unit, change.fresh, false, c->arena);
	cells[CHANGE].text[row] = jr_metric_text(m->unit, change.absolute, true, c->arena);
	cells[PERCENT].f64[row] = change.relative;
	cells[LOW].f64[row] = change.relative_low;
	cells[HIGH].f64[row] = change.relative_high;
	cells[BETTER].text[row] = better[m->better + 1];
	cells[D_UNIT].text[row] = jr_metric_unit(m->unit);
	cells[D_BASE].f64[row] = change.base / scale;
	cells[D_NEW].f64[row] = change.fresh / scale;
}

/* Those that neither run has come last, and not for people. */
static void run(const struct jr_comparison *c, struct jr_section *out)
{
	size_t n = 0, n_known = 0;
	while (jr_metrics[n].name)
		n++;
	struct jr_table *table = jr_table_new(c->arena, &spec, n);
	uint32_t *order = JR_ARENA_N(c->arena, uint32_t, n);
	for (int known = 1; known >= 0; known--)
		for (uint32_t i = 0, row = (uint32_t)(known ? 0 : n_known); i < n; i++) {
			bool own = !isnan(c->changes[i].base) || !isnan(c->changes[i].fresh);
			if (own == known)
				order[row++] = i;
			n_known += known && own;
		}
	for (size_t row = 0; row < n; row++)
		fill_row(c, table, row, &jr_metrics[order[row]]);
	table->n_rendered = n_known;
	jr_section_table(out, c->arena, table);
}

const struct jr_compare_pass jr_compare_metrics = {
	.about = {.name = "metrics",
		.title = "Metrics",
		.group = JR_GROUP_STEP,
		.summary = "Figures that gates can name, side by side"},
	.run = run,
};
