/* Active time by opcode, per step. */
#include "compare/core/compare_columns.h"

static const struct jr_column_spec columns[] = {
	{"opcode", "Opcode", "HLO opcode; unknown: no HLO of the program", JR_TEXT, JR_UNIT_NONE,
		JR_COL_KEY | JR_COL_CODE},
	JR_CHANGE_COLUMNS("_ms",
		"active time of the top modules, sum over devices / executions of the "
		"step's module",
		JR_F64, JR_UNIT_NS),
	{"direction", NULL, "slower, faster or unchanged", JR_TEXT, JR_UNIT_NONE, JR_COL_DATA_ONLY},
};
static const struct jr_table_spec spec = {
	JR_COMPARE_SPEC("opcodes", "opcodes", "Opcodes", "Per opcode; largest change first", columns)};

static double per_step(const struct jr_run *run, size_t row)
{
	double n = run->steps.row == SIZE_MAX
				   ? 0
				   : (double)jr_run_sum(run, JR_RUN_MODULES, JR_MODULE_EXECUTIONS, run->steps.row);
	if (row == SIZE_MAX || !(n > 0))
		return NAN;
	return (double)jr_run_sum(run, JR_RUN_OPCODES, JR_OPCODE_ACTIVE, row) / n;
}

static void run(const struct jr_comparison *c, struct jr_section *out)
{
	struct jr_table *table = jr_compare_named(c, &spec, JR_RUN_OPCODES, JR_OPCODE_NAME, per_step);
	if (!table) {
		out->unavailable = "not available, because neither run has a thunk";
		return;
	}
	out->unavailable = jr_step_missing(c->runs);
	if (out->unavailable)
		return;
	struct jr_chart chart = {.name = "opcodes",
		.title = "Change of GPU time by HLO opcode",
		.caption = "per step, all devices; to the right: the new run takes longer",
		.kind = JR_CHART_BARS,
		.table = table,
		.x = "opcode",
		.y = "change_ms",
		.series = "direction",
		.y_title = "Change per step"};
	jr_section_chart(out, c->arena, &chart);
	jr_section_table(out, c->arena, table);
}

const struct jr_compare_pass jr_compare_opcodes = {
	.about = {.name = "opcodes",
		.title = "Opcodes",
		.group = JR_GROUP_GPU,
		.summary = "GPU time by kind of HLO instruction, per step"},
	.run = run,
};
