/* Phases of compilation. */
#include "analysis/compile/compile_stats.h"
#include "compare/core/compare_rows.h"

/* A phase of an earlier report may have no name. */
static const char *label(const struct jr_compare_row *r)
{
	int side = jr_compare_known(r);
	const char *name = jr_run_text(r->c->runs[side], JR_RUN_PHASES, JR_PHASE_NAME, r->row[side]);
	return name ? jr_compile_label(name) : NULL;
}

#define PHASES(X, T)                                                                               \
	X(T, name, "Name", "all passes and pass pipelines are one phase", TEXT, NONE,                  \
		JR_COL_KEY | JR_COL_CODE | JR_COL_DATA_ONLY, JR_ONE(JR_PHASE_NAME))                        \
	X(T, phase, "Phase", "all passes and pass pipelines are one phase", TEXT, NONE,                \
		JR_COL_CODE | JR_COL_RENDERED_ONLY, JR_WORDS(label))                                       \
	JR_CHANGE(                                                                                     \
		X, T, ms, "self time; wall time for parallel regions", F64, NS, JR_COLUMN(JR_PHASE_SELF))
JR_COMPARE_COLUMNS(PHASES)
JR_COMPARE_FILLS(PHASES)

static const struct jr_compare_rows phases = {
	.spec = {JR_TABLE_SPEC("compilation_phases", "compilation.phases", "Phases of compilation",
		"Per phase over all processes, largest change first", PHASES_columns)},
	.fills = PHASES_fills,
	.table = JR_RUN_PHASES,
	.key = JR_PHASE_NAME,
	.rank = PHASES_change_ms,
	.n_shown = 25,
};

static void add_total(const struct jr_comparison *c, struct jr_section *out)
{
	static const char help[] = "wall time of the profiled compilations of the slowest process";
	double base_ns = c->runs[JR_BASE]->compile_total_ns, new_ns = c->runs[JR_NEW]->compile_total_ns;
	struct jr_scalar totals[] = {
		jr_scalar_ns("compilation.base_ms", "Compilation, base", help, base_ns),
		jr_scalar_ns("compilation.new_ms", "Compilation, new", help, new_ns),
		jr_scalar_ns("compilation.change_ms", "Change", "new - base", new_ns - base_ns),
	};
	totals[2].change = true;
	for (size_t i = 0; i < JR_COUNT_OF(totals); i++)
		(void)jr_section_scalar(out, c->arena, &totals[i]);
}

/* Profilers record the phases of one compilation under different names, and in different numbers.
 */
static const char *not_compared(const struct jr_comparison *c, const struct jr_table *table)
{
	if (isnan(c->runs[JR_BASE]->compile_total_ns))
		return "no compilation of the base was profiled";
	if (isnan(c->runs[JR_NEW]->compile_total_ns))
		return "no compilation of the new run was profiled";
	for (size_t i = 0; i < table->n_rows; i++)
		if (!isnan(table->cells[PHASES_base_ms].f64[i]) &&
			!isnan(table->cells[PHASES_new_ms].f64[i]))
			return NULL;
	return "no phase has the same name in both runs (different profilers name them differently)";
}

static void run(const struct jr_comparison *c, struct jr_section *out)
{
	struct jr_table *table = jr_compare_table(c, &phases, NULL);
	if (!table) {
		out->unavailable = "not available, because neither run has a profiled compilation";
		return;
	}
	add_total(c, out);
	const char *reason = not_compared(c, table);
	if (reason)
		jr_section_text(out, c->arena, "Phases are not compared: %s.", reason);
	else
		jr_section_table(out, c->arena, table);
}

const struct jr_compare_pass jr_compare_compilation = {
	.about = {.name = "compilation",
		.title = "Compilation",
		.group = JR_GROUP_COMPILE,
		.summary =
			"Compilation time by phase. Each run is one sample, so small changes mean little"},
	.run = run,
};
