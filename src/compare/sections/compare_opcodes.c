/* Active time by opcode, per step. */
#include "compare/core/compare_rows.h"

static double per_step(const struct jr_compare_row *r, int side)
{
	const struct jr_run *run = r->c->runs[side];
	size_t step = run->steps.row, row = r->row[side];
	int64_t n = step == SIZE_MAX ? 0 : jr_run_sum(run, JR_RUN_MODULES, JR_MODULE_EXECUTIONS, step);
	return row == SIZE_MAX || n <= 0
			   ? NAN
			   : (double)jr_run_sum(run, JR_RUN_OPCODES, JR_OPCODE_ACTIVE, row) / (double)n;
}

#define OPCODES(X, T)                                                                              \
	X(T, opcode, "Opcode", "HLO opcode; unknown: the program has no HLO", TEXT, NONE,              \
		JR_COL_KEY | JR_COL_CODE, JR_ONE(JR_OPCODE_NAME))                                          \
	JR_CHANGE(X, T, ms,                                                                            \
		"active time of the top modules, summed over devices / executions of the step's module",   \
		F64, NS, JR_NUMBER(per_step))                                                              \
	X(T, direction, NULL, "slower, faster or unchanged", TEXT, NONE, JR_COL_DATA_ONLY,             \
		JR_DIRECTION(T, change_ms))
JR_COMPARE_COLUMNS(OPCODES)
JR_COMPARE_FILLS(OPCODES)

static const struct jr_compare_rows opcodes = {
	.spec = {JR_TABLE_SPEC(
		"opcodes", "opcodes", "Opcodes", "Per opcode; largest change first", OPCODES_columns)},
	.fills = OPCODES_fills,
	.table = JR_RUN_OPCODES,
	.key = JR_OPCODE_NAME,
	.rank = OPCODES_change_ms,
	.bars = {.name = "opcodes",
		.title = "Change of GPU time by HLO opcode",
		.caption = "per step, all devices; right of 0: the new run takes longer",
		.x = JR_KEY(OPCODES, opcode),
		.y = JR_KEY(OPCODES, change_ms),
		.series = JR_KEY(OPCODES, direction),
		.y_title = "Change per step"},
	.unavailable = "not available, because neither run has a thunk",
	.missing = jr_step_missing,
};

const struct jr_compare_pass jr_compare_opcodes = {
	.about = {.name = "opcodes",
		.title = "Opcodes",
		.group = JR_GROUP_GPU,
		.summary = "GPU time per step by kind of HLO instruction"},
	.rows = &opcodes,
};
