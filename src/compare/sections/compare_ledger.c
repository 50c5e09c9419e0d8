/* The time breakdown of a step side by side; whole ns that add up. */
#include <string.h>

#include "analysis/step/step_ledger.h"
#include "analysis/shared/step_window.h"
#include "compare/core/compare_rows.h"

#define LEDGER(X, T)                                                                               \
	X(T, part, "Part", "part of the time from one step start to the next", TEXT, NONE, JR_COL_KEY) \
	JR_CHANGE(X, T, ms, "time per step, mean over devices", I64, NS, JR_OWN)
JR_COMPARE_COLUMNS(LEDGER)

static const struct jr_table_spec spec = {JR_TABLE_SPEC("ledger", "ledger",
	"Time breakdown per step", "Per part; the parts add up to the period exactly", LEDGER_columns)};

#define N_PARTS JR_STEP_N_PARTS /* the period follows */

static const char *const part_names[N_PARTS + 1] = {"compute", "exposed communication",
	"exposed copies", "idle inside modules", "idle between modules", "other programs", "warm-up",
	"period"};

/* Parts in the order of analysis/step_ledger.h. */
#define BARS(X, T)                                                                                 \
	X(T, run, "Run", "base or new", TEXT, NONE, JR_COL_KEY)                                        \
	X(T, compute_ms, "Compute", NULL, I64, NS, 0)                                                  \
	X(T, exposed_communication_ms, "Exposed communication", NULL, I64, NS, 0)                      \
	X(T, exposed_copy_ms, "Exposed copies", NULL, I64, NS, 0)                                      \
	X(T, idle_in_modules_ms, "Idle inside modules", NULL, I64, NS, 0)                              \
	X(T, idle_between_modules_ms, "Idle between modules", NULL, I64, NS, 0)                        \
	X(T, other_programs_ms, "Other programs", NULL, I64, NS, 0)                                    \
	X(T, warmup_ms, "Warm-up", NULL, I64, NS, 0)
JR_COMPARE_COLUMNS(BARS)

static const struct jr_table_spec bar_spec = {
	JR_TABLE_SPEC("ledger_runs", NULL, "Time breakdown", "Per run", BARS_columns),
	.data_only = true};

/* Parts of one step of a run in whole ns, followed by their sum. */
static bool divide(const struct jr_run *run, int64_t out[N_PARTS + 1])
{
	const struct jr_table *step = run->tables[JR_RUN_STEP_LEDGER];
	double ns[N_PARTS];
	if (!step->n_rows || !(jr_step_parts_ns(step) > 0))
		return false;
	for (enum jr_step_column part = 0; part < N_PARTS; part++)
		ns[part] = jr_step_part_ns(step, part);
	jr_compare_divide(ns, N_PARTS, 0, out);
	return true;
}

/* Whether mean and median differ by more than JR_STEP_UNEVEN. The verdict is about the median,
 * these parts about the mean, so a note says so. */
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
		table->cells[BARS_run].text[row] = names[row];
		for (size_t part = 0; part < N_PARTS; part++)
			table->cells[BARS_compute_ms + part].i64[row] = parts[row][part];
	}
	struct jr_chart chart = {.name = "ledger",
		.title = is_uneven(c->runs[JR_BASE]) || is_uneven(c->runs[JR_NEW])
					 ? "Time breakdown of the mean step"
					 : "Time breakdown of a step",
		.caption = "from one step start to the next, mean over devices and steps",
		.kind = JR_CHART_STACKED,
		.table = table,
		.x = JR_KEY(BARS, run),
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
	const int64_t *const values[2] = {parts[0], parts[1]};
	add_chart(c, out, parts);
	jr_section_table(out, c->arena, jr_compare_parts(c, &spec, part_names, values, N_PARTS + 1));
}

const struct jr_compare_pass jr_compare_ledger = {
	.about = {.name = "ledger",
		.title = "Time breakdown",
		.group = JR_GROUP_STEP,
		.summary = "The time from one step start to the next, by activity"},
	.run = run,
};
