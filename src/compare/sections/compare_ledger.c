/* The time ledger of a step, side by side; whole ns that add up. */
#include <math.h>
#include <string.h>

#include "analysis/step/step_ledger.h"
#include "analysis/shared/step_window.h"
#include "compare/core/compare_columns.h"

enum { PART, BASE, NEW, CHANGE, PERCENT };

static const struct jr_column_spec columns[] = {
	{"part", "Part", "of the time from a step's start to the start of the next one", JR_TEXT,
		JR_UNIT_NONE, JR_COL_KEY},
	JR_CHANGE_COLUMNS("_ms", "of a step, mean over devices", JR_I64, JR_UNIT_NS),
};
static const struct jr_table_spec spec = {JR_COMPARE_SPEC("ledger", "ledger",
	"Time ledger per step", "Per part; the parts add up to the period exactly", columns)};

#define N_PARTS JR_STEP_N_PARTS /* the period follows */

static const char *const part_names[N_PARTS + 1] = {"compute", "exposed communication",
	"exposed copies", "idle inside modules", "idle between modules", "other programs",
	"initialisation", "period"};

static const struct jr_column_spec bar_columns[] = {
	{"run", "Run", "base or new", JR_TEXT, JR_UNIT_NONE, JR_COL_KEY},
	{"compute_ms", "Compute", NULL, JR_I64, JR_UNIT_NS, 0},
	{"exposed_communication_ms", "Exposed communication", NULL, JR_I64, JR_UNIT_NS, 0},
	{"exposed_copy_ms", "Exposed copies", NULL, JR_I64, JR_UNIT_NS, 0},
	{"idle_in_modules_ms", "Idle inside modules", NULL, JR_I64, JR_UNIT_NS, 0},
	{"idle_between_modules_ms", "Idle between modules", NULL, JR_I64, JR_UNIT_NS, 0},
	{"other_programs_ms", "Other programs", NULL, JR_I64, JR_UNIT_NS, 0},
	{"initialisation_ms", "Initialisation", NULL, JR_I64, JR_UNIT_NS, 0},
};
static const struct jr_table_spec bar_spec = {
	JR_COMPARE_SPEC("ledger_runs", NULL, "Time ledger", "Per run", bar_columns), .data_only = true};

#define MOST_NS 0x1p53 /* of a step in a foreign report; more is taken for as much */

/* Parts of one step of a run in whole ns, and behind them their sum: each is rounded so that their
 * sum is. */
static bool divide(const struct jr_run *run, int64_t out[N_PARTS + 1])
{
	const struct jr_table *step = run->tables[JR_RUN_STEP_LEDGER];
	if (!step->n_rows || !(jr_step_parts_ns(step) > 0))
		return false;
	double upto = 0;
	out[N_PARTS] = 0;
	for (enum jr_step_column part = 0; part < N_PARTS; part++) {
		double ns = jr_step_part_ns(step, part);
		upto += ns < 0 ? 0 : ns < MOST_NS ? ns : MOST_NS;
		out[part] = llround(upto) - out[N_PARTS];
		out[N_PARTS] += out[part];
	}
	return true;
}

/* The verdict is of the median, these parts are of the mean: where the two differ, as much as the
 * first page of a report allows, that is said. */
static bool is_uneven(const struct jr_run *run)
{
	double mean = jr_metric_find("step.mean", strlen("step.mean"))->value(run),
		   median = jr_metric_find("step.median", strlen("step.median"))->value(run);
	return fabs(mean / median - 1) > JR_STEP_UNEVEN;
}

static void add_chart(
	const struct jr_comparison *c, struct jr_section *out, int64_t parts[2][N_PARTS + 1])
{
	static const char *const names[] = {"base", "new"};
	struct jr_table *table = jr_table_new(c->arena, &bar_spec, 2);
	for (size_t row = 0; row < 2; row++) {
		table->cells[0].text[row] = names[row];
		for (size_t part = 0; part < N_PARTS; part++)
			table->cells[1 + part].i64[row] = parts[row][part];
	}
	struct jr_chart chart = {.name = "ledger",
		.title = is_uneven(c->runs[JR_BASE]) || is_uneven(c->runs[JR_NEW])
					 ? "Where the time of the mean step goes"
					 : "Where the time of a step goes",
		.caption = "from a step's start to the start of the next one, mean over devices and steps",
		.kind = JR_CHART_STACKED,
		.table = table,
		.x = "run",
		.parts = jr_step_part_keys,
		.part_roles = jr_step_part_roles,
		.y_title = "Time per step"};
	jr_section_chart(out, c->arena, &chart);
	jr_section_table(out, c->arena, table);
}

static void run(const struct jr_comparison *c, struct jr_section *out)
{
	int64_t parts[2][N_PARTS + 1];
	for (int side = 0; side < 2; side++)
		if (!divide(c->runs[side], parts[side])) {
			out->unavailable = side == JR_BASE
								   ? "not available, because the base has no steady step"
								   : "not available, because the new run has no such step";
			return;
		}
	struct jr_table *table = jr_table_new(c->arena, &spec, N_PARTS + 1);
	for (size_t row = 0; row <= N_PARTS; row++) {
		table->cells[PART].text[row] = part_names[row];
		jr_change_i64(table, BASE, row, parts[JR_BASE][row], parts[JR_NEW][row]);
	}
	add_chart(c, out, parts);
	jr_section_table(out, c->arena, table);
}

const struct jr_compare_pass jr_compare_ledger = {
	.about = {.name = "ledger",
		.title = "Time ledger",
		.group = JR_GROUP_STEP,
		.summary =
			"The time from a step's start to the start of the next one, split into what ran"},
	.run = run,
};
