/* Programs of both runs, matched. */
#include "compare/core/compare_columns.h"

enum {
	PROGRAM,
	NAME,
	MATCH,
	SAME_HLO,
	BASE_N,
	NEW_N,
	BASE,
	NEW,
	CHANGE,
	PERCENT,
	BASE_MEDIAN,
	NEW_MEDIAN
};

static const struct jr_column_spec columns[] = {
	{"program_id", "Program", "program id, in the base and in the new run", JR_TEXT, JR_UNIT_NONE,
		JR_COL_KEY},
	{"name", "Module", "name of the jitted function's HLO module", JR_TEXT, JR_UNIT_NONE,
		JR_COL_CODE},
	{"match", "Match",
		"what it was found by in both runs: fingerprint before optimisation, "
		"structure after it, name; added, removed: in one only",
		JR_TEXT, JR_UNIT_NONE, 0},
	{"same_hlo", "Same HLO", "the optimised modules are equal", JR_BOOL, JR_UNIT_NONE, 0},
	{"base_executions", "Executions, base", "steady, over all devices", JR_I64, JR_UNIT_COUNT, 0},
	{"new_executions", "Executions, new", "steady, over all devices", JR_I64, JR_UNIT_COUNT, 0},
	JR_CHANGE_COLUMNS("_ms", "mean time of an execution", JR_F64, JR_UNIT_NS),
	{"base_execution_median_ms", "Median execution, base", "of the slowest device", JR_I64,
		JR_UNIT_NS, JR_COL_DATA_ONLY},
	{"new_execution_median_ms", "Median execution, new", "of the slowest device", JR_I64,
		JR_UNIT_NS, JR_COL_DATA_ONLY},
};
static const struct jr_table_spec spec = {JR_COMPARE_SPEC("modules", "modules", "Modules",
	"Per program; by the base's total time, then what is new", columns)};

static double mean_ns(const struct jr_run *run, size_t row)
{
	if (row == SIZE_MAX)
		return NAN;
	double n = (double)jr_run_sum(run, JR_RUN_MODULES, JR_MODULE_EXECUTIONS, row);
	return n > 0 ? (double)jr_run_sum(run, JR_RUN_MODULES, JR_MODULE_SUM, row) / n : NAN;
}

static int64_t cell(const struct jr_run *run, size_t column, size_t row)
{
	return row == SIZE_MAX ? JR_NULL_I64 : jr_run_i64(run, JR_RUN_MODULES, column, row);
}

static void run(const struct jr_comparison *c, struct jr_section *out)
{
	size_t n = c->match.n_programs;
	struct jr_table *table = jr_table_new(c->arena, &spec, n);
	union jr_cells *cells = table->cells;
	for (size_t i = 0; i < n; i++) {
		const struct jr_program_match *p = &c->match.programs[i];
		cells[PROGRAM].text[i] = jr_compare_program_id(c, i);
		cells[NAME].text[i] = jr_compare_program_text(c, i, JR_MODULE_NAME);
		cells[MATCH].text[i] = jr_match_rule_name(p->rule);
		if (p->row[0] != SIZE_MAX && p->row[1] != SIZE_MAX)
			cells[SAME_HLO].boolean[i] = p->same_hlo;
		cells[BASE_N].i64[i] = cell(c->runs[0], JR_MODULE_EXECUTIONS, p->row[0]);
		cells[NEW_N].i64[i] = cell(c->runs[1], JR_MODULE_EXECUTIONS, p->row[1]);
		jr_change_f64(
			table, BASE, i, mean_ns(c->runs[0], p->row[0]), mean_ns(c->runs[1], p->row[1]));
		cells[BASE_MEDIAN].i64[i] = cell(c->runs[0], JR_MODULE_EXECUTION_MEDIAN, p->row[0]);
		cells[NEW_MEDIAN].i64[i] = cell(c->runs[1], JR_MODULE_EXECUTION_MEDIAN, p->row[1]);
	}
	if (!n)
		out->unavailable = "not available, because neither run has a steady module execution";
	else
		jr_section_table(out, c->arena, table);
}

const struct jr_compare_pass jr_compare_modules = {
	.about = {.name = "modules",
		.title = "Modules",
		.group = JR_GROUP_GPU,
		.summary = "Jitted functions of both runs, matched by what they compute"},
	.run = run,
};
