/* Phases of compilation. */
#include <math.h>

#include "analysis/compile/compile_stats.h"
#include "compare/core/compare_columns.h"

static const struct jr_column_spec columns[] = {
	{"name", "Name", "all passes and pass pipelines are one phase", JR_TEXT, JR_UNIT_NONE,
		JR_COL_KEY | JR_COL_CODE | JR_COL_DATA_ONLY},
	{"phase", "Phase", "all passes and pass pipelines are one phase", JR_TEXT, JR_UNIT_NONE,
		JR_COL_CODE | JR_COL_RENDERED_ONLY},
	JR_CHANGE_COLUMNS("_ms", "self time, of parallel regions by the clock", JR_F64, JR_UNIT_NS),
};
static const struct jr_table_spec spec = {
	JR_COMPARE_SPEC("compilation_phases", "compilation.phases", "Phases of compilation",
		"Per phase, over all processes, largest change first", columns)};

#define N_SHOWN 25

static double self_ns(const struct jr_run *run, size_t row)
{
	return row == SIZE_MAX ? NAN : jr_run_f64(run, JR_RUN_PHASES, JR_PHASE_SELF, row);
}

static void add_total(const struct jr_comparison *c, struct jr_section *out)
{
	static const char *const keys[] = {"compilation.base_ms", "compilation.new_ms"};
	static const char *const titles[] = {"Compilation, base", "Compilation, new"};
	for (int side = 0; side < 2; side++) {
		struct jr_scalar s = jr_scalar_ns(keys[side], titles[side],
			"wall time of the profiled compilations of the process that took longest",
			c->runs[side]->compile_total_ns);
		(void)jr_section_scalar(out, c->arena, &s);
	}
	struct jr_scalar s = jr_scalar_ns("compilation.change_ms", "Change", "new - base",
		c->runs[JR_NEW]->compile_total_ns - c->runs[JR_BASE]->compile_total_ns);
	s.change = true;
	(void)jr_section_scalar(out, c->arena, &s);
}

/* Profilers record the phases of one compilation under names, and in a number, of their own. */
static const char *not_compared(const struct jr_comparison *c, const struct jr_table *table)
{
	if (isnan(c->runs[JR_BASE]->compile_total_ns))
		return "no compilation of the base run was profiled";
	if (isnan(c->runs[JR_NEW]->compile_total_ns))
		return "no compilation of the new run was profiled";
	const double *base = table->cells[jr_table_column(table, "base_ms")].f64;
	const double *fresh = table->cells[jr_table_column(table, "new_ms")].f64;
	for (size_t i = 0; i < table->n_rows; i++)
		if (!isnan(base[i]) && !isnan(fresh[i]))
			return NULL;
	return "no phase has the same name in both runs, as in profiles of different profilers";
}

static void run(const struct jr_comparison *c, struct jr_section *out)
{
	struct jr_table *table = jr_compare_named(c, &spec, JR_RUN_PHASES, JR_PHASE_NAME, self_ns);
	if (!table) {
		out->unavailable = "not available, because neither run has a profiled compilation";
		return;
	}
	add_total(c, out);
	const char *reason = not_compared(c, table);
	if (reason) {
		jr_section_text(out, c->arena, "Phases are not compared: %s.", reason);
		return;
	}
	const union jr_cells *name = &table->cells[jr_table_column(table, "name")];
	union jr_cells *label = &table->cells[jr_table_column(table, "phase")];
	for (size_t i = 0; i < table->n_rows; i++) /* an earlier report may lack a name */
		label->text[i] = name->text[i] ? jr_compile_label(name->text[i]) : NULL;
	table->n_rendered = table->n_rows < N_SHOWN ? table->n_rows : N_SHOWN;
	jr_section_table(out, c->arena, table);
}

const struct jr_compare_pass jr_compare_compilation = {
	.about = {.name = "compilation",
		.title = "Compilation",
		.group = JR_GROUP_COMPILE,
		.summary =
			"Where compilation time went; one sample a run, so that small changes say little"},
	.run = run,
};
