/* The time ledger per step, side by side; whole ns that add up. */
#include "compare/compare_columns.h"

enum { PART, BASE, NEW, CHANGE, PERCENT };

static const struct jr_column_spec columns[] = {
	{"part", "Part", "of the steady wall of a device", JR_TEXT, JR_UNIT_NONE, JR_COL_KEY},
	JR_CHANGE_COLUMNS(
		"_ms", "sum over devices / executions of the step's module", JR_I64, JR_UNIT_NS),
};
static const struct jr_table_spec spec = {JR_COMPARE_SPEC("ledger", "ledger",
	"Time ledger per step", "One row a part; the parts add up to the wall exactly", columns)};

#define N_LEDGER 6 /* parts, in the order of run.h; the wall follows */

static const char *const part_names[N_LEDGER + 1] = {"compute", "exposed communication",
	"exposed copies", "idle inside modules", "idle between modules", "other programs", "wall"};
static const char *const part_keys[] = {"compute_ms", "exposed_communication_ms", "exposed_copy_ms",
	"idle_in_modules_ms", "idle_between_modules_ms", "other_programs_ms", NULL};
static const char *const part_roles[] = {
	"compute", "communication", "copy", "idle-inside", "idle-between", "other-programs", NULL};

static const struct jr_column_spec bar_columns[] = {
	{"run", "Run", "base or new", JR_TEXT, JR_UNIT_NONE, JR_COL_KEY},
	{"compute_ms", "Compute", NULL, JR_I64, JR_UNIT_NS, 0},
	{"exposed_communication_ms", "Exposed communication", NULL, JR_I64, JR_UNIT_NS, 0},
	{"exposed_copy_ms", "Exposed copies", NULL, JR_I64, JR_UNIT_NS, 0},
	{"idle_in_modules_ms", "Idle inside modules", NULL, JR_I64, JR_UNIT_NS, 0},
	{"idle_between_modules_ms", "Idle between modules", NULL, JR_I64, JR_UNIT_NS, 0},
	{"other_programs_ms", "Other programs", NULL, JR_I64, JR_UNIT_NS, 0},
};
static const struct jr_table_spec bar_spec = {
	JR_COMPARE_SPEC("ledger_runs", NULL, "Time ledger", "One row a run", bar_columns),
	.data_only = true};

/* Parts of one step of a run, and behind them their sum. */
static bool divide(const struct jr_run *run, int64_t out[N_LEDGER + 1])
{
	int64_t sums[N_LEDGER] = {0};
	int64_t executions = run->steps.row == SIZE_MAX ? 0
													: jr_run_i64(run, JR_RUN_MODULES,
														  JR_MODULE_EXECUTIONS, run->steps.row);
	size_t n = jr_run_rows(run, JR_RUN_LEDGER);
	if (executions <= 0 || !n)
		return false;
	for (size_t part = 0; part < N_LEDGER; part++)
		for (size_t i = 0; i < n; i++)
			sums[part] += jr_run_sum(run, JR_RUN_LEDGER, JR_LEDGER_COMPUTE + part, i);
	jr_divide_exactly(sums, N_LEDGER, executions, out);
	out[N_LEDGER] = 0;
	for (size_t part = 0; part < N_LEDGER; part++)
		out[N_LEDGER] += out[part];
	return true;
}

static void add_chart(
	const struct jr_comparison *c, struct jr_section *out, int64_t parts[2][N_LEDGER + 1])
{
	static const char *const names[] = {"base", "new"};
	struct jr_table *table = jr_table_new(c->arena, &bar_spec, 2);
	for (size_t row = 0; row < 2; row++) {
		table->cells[0].text[row] = names[row];
		for (size_t part = 0; part < N_LEDGER; part++)
			table->cells[1 + part].i64[row] = parts[row][part];
	}
	struct jr_chart chart = {.name = "ledger",
		.title = "Where the wall time of a step goes",
		.caption = "mean over devices and steps, with what runs between steps",
		.kind = JR_CHART_STACKED,
		.table = table,
		.x = "run",
		.parts = part_keys,
		.part_roles = part_roles,
		.y_title = "Time per step"};
	jr_section_chart(out, c->arena, &chart);
	jr_section_table(out, c->arena, table);
}

static void run(const struct jr_comparison *c, struct jr_section *out)
{
	int64_t parts[2][N_LEDGER + 1];
	for (int side = 0; side < 2; side++)
		if (!divide(c->runs[side], parts[side])) {
			out->unavailable = side == JR_BASE
								   ? "not available, because the base has no steady step"
								   : "not available, because the new run has no such step";
			return;
		}
	struct jr_table *table = jr_table_new(c->arena, &spec, N_LEDGER + 1);
	for (size_t row = 0; row <= N_LEDGER; row++) {
		table->cells[PART].text[row] = part_names[row];
		jr_change_i64(table, BASE, row, parts[JR_BASE][row], parts[JR_NEW][row]);
	}
	add_chart(c, out, parts);
	jr_section_table(out, c->arena, table);
}

const struct jr_compare_pass jr_compare_ledger = {
	.about = {.name = "ledger",
		.title = "Time ledger",
		.summary = "Each device's steady wall time per step, split into what ran"},
	.run = run,
};
