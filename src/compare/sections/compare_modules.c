/* Programs of both runs, matched. */
#include "compare/core/compare_rows.h"

static const char *program(const struct jr_compare_row *r)
{
	return jr_compare_program_id(r->c, r->i);
}

static const char *name(const struct jr_compare_row *r)
{
	return jr_compare_program_text(r->c, r->i, JR_MODULE_NAME);
}

static const char *match(const struct jr_compare_row *r)
{
	return jr_match_rule_name(r->c->match.programs[r->i].rule);
}

static double same_hlo(const struct jr_compare_row *r, int side)
{
	return r->row[!side] == SIZE_MAX ? NAN : r->c->match.programs[r->i].same_hlo;
}

static double mean_ns(const struct jr_compare_row *r, int side)
{
	const struct jr_run *run = r->c->runs[side];
	size_t row = r->row[side];
	int64_t n = row == SIZE_MAX ? 0 : jr_run_sum(run, JR_RUN_MODULES, JR_MODULE_EXECUTIONS, row);
	return n > 0 ? (double)jr_run_sum(run, JR_RUN_MODULES, JR_MODULE_SUM, row) / (double)n : NAN;
}

#define MODULES(X, T)                                                                              \
	JR_PROGRAM(X, T, program)                                                                      \
	X(T, name, "Module", "name of the jitted function's HLO module", TEXT, NONE,                   \
		JR_COL_CODE | JR_COL_VITAL, JR_WORDS(name))                                                \
	X(T, match, "Match",                                                                           \
		"how it was matched in both runs: fingerprint before optimization, structure "             \
		"after optimization, or name; added, removed: in one run only",                            \
		TEXT, NONE, 0, JR_WORDS(match))                                                            \
	X(T, same_hlo, "Same HLO", "whether the optimized modules are equal", BOOL, NONE, 0,           \
		.how = JR_FILL_ONE, JR_NUMBER(same_hlo))                                                   \
	JR_BASE_AND_NEW(X, T, executions, "Executions",                                                \
		"number of steady executions, over all devices", I64, COUNT, 0,                            \
		JR_COLUMN(JR_MODULE_EXECUTIONS))                                                           \
	JR_CHANGE(X, T, ms, "mean time per execution", F64, NS, JR_NUMBER(mean_ns))                    \
	JR_BASE_AND_NEW(X, T, execution_median_ms, "Median execution",                                 \
		"median time per execution on the slowest device", I64, NS, JR_COL_DATA_ONLY,              \
		JR_COLUMN(JR_MODULE_EXECUTION_MEDIAN))
JR_COMPARE_COLUMNS(MODULES)
JR_COMPARE_FILLS(MODULES)

static const struct jr_compare_rows modules = {
	.spec = {JR_TABLE_SPEC("modules", "modules", "Modules",
		"Per program; largest total time in the base first, then new ones", MODULES_columns)},
	.fills = MODULES_fills,
	.table = JR_RUN_MODULES,
	.pair = jr_compare_programs_paired,
	.unavailable = "not available, because neither run has a steady module execution",
};

const struct jr_compare_pass jr_compare_modules = {
	.about = {.name = "modules",
		.title = "Modules",
		.group = JR_GROUP_GPU,
		.summary = "Jitted functions of both runs, matched by their computation"},
	.rows = &modules,
};
