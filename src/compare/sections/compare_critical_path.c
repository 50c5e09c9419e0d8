/* What the steps of both runs wait for, side by side, and whether what changed most is on that
 * path; whole ns that add up to the period. */
#include <string.h>

#include "compare/core/compare_columns.h"

enum { PART, BASE, NEW, CHANGE, PERCENT };

static const struct jr_column_spec columns[] = {
	{"part", "Part", "of the critical path from one step to the next, over all devices", JR_TEXT,
		JR_UNIT_NONE, JR_COL_KEY},
	JR_CHANGE_COLUMNS("_ms", "of a step", JR_I64, JR_UNIT_NS),
};
static const struct jr_table_spec spec = {JR_COMPARE_SPEC("critical_path", "critical_path",
	"Critical path", "Per part; they add up to the period", columns)};

#define N_PARTS 7 /* the period follows */
#define MOST_NS 0x1p53

static const char *const part_names[N_PARTS + 1] = {
	"compute", "transfer", "copies", "gaps", "host", "other programs", "start skew", "period"};

/* Rounded so that the sum is what the parts add up to. */
static bool divide(const struct jr_run *run, int64_t out[N_PARTS + 1])
{
	if (!jr_run_rows(run, JR_RUN_CRITICAL_PATH))
		return false;
	double upto = 0;
	out[N_PARTS] = 0;
	for (size_t part = 0; part < N_PARTS; part++) {
		double ns = jr_run_f64(run, JR_RUN_CRITICAL_PATH, JR_CRITICAL_COMPUTE + part, 0);
		upto += isnan(ns) ? 0 : fmin(fmax(ns, -MOST_NS), MOST_NS);
		out[part] = llround(upto) - out[N_PARTS];
		out[N_PARTS] += out[part];
	}
	return true;
}

/* Of an execution of its module, all devices alike; 0 where it is not there. */
static double active_ns(const struct jr_comparison *c, const struct jr_thunk_match *t, int side)
{
	const struct jr_run *run = c->runs[side];
	size_t module = c->match.programs[t->program].row[side];
	double sum_ns = 0;
	if (module == SIZE_MAX)
		return 0;
	for (size_t i = 0; i < t->n[side]; i++)
		sum_ns += (double)jr_run_sum(run, JR_RUN_THUNKS, JR_THUNK_ACTIVE, t->rows[side][i]);
	double executions = (double)jr_run_sum(run, JR_RUN_MODULES, JR_MODULE_EXECUTIONS, module);
	return executions > 0 ? sum_ns / executions : 0;
}

static bool same_text(const char *a, const char *b)
{
	return a && b && strcmp(a, b) == 0;
}

/* A step's time on the path of all thunks of a match. */
static double path_ns(const struct jr_comparison *c, const struct jr_thunk_match *t, int side)
{
	const struct jr_run *run = c->runs[side];
	double sum_ns = 0;
	for (size_t i = 0; i < t->n[side]; i++) {
		const char *name = jr_run_text(run, JR_RUN_THUNKS, JR_THUNK_NAME, t->rows[side][i]);
		const char *id = jr_run_text(run, JR_RUN_THUNKS, JR_THUNK_PROGRAM, t->rows[side][i]);
		for (size_t k = 0; k < jr_run_rows(run, JR_RUN_CRITICAL_THUNKS); k++)
			if (same_text(name, jr_run_text(run, JR_RUN_CRITICAL_THUNKS, JR_CRITICAL_NAME, k)) &&
				same_text(id, jr_run_text(run, JR_RUN_CRITICAL_THUNKS, JR_CRITICAL_PROGRAM, k))) {
				double ns = jr_run_f64(run, JR_RUN_CRITICAL_THUNKS, JR_CRITICAL_ON_PATH, k);
				sum_ns += isnan(ns) ? 0 : ns;
			}
	}
	return sum_ns;
}

static const char *time_text(const struct jr_comparison *c, double ns)
{
	char text[JR_NUM_MAX];
	jr_num_time(text, ns);
	return jr_arena_strdup(c->arena, text);
}

#define LEAST_FRAC 0.001 /* of the period: less is not worth a sentence */

static void tell_largest(const struct jr_comparison *c, struct jr_section *out, double period_ns)
{
	const struct jr_thunk_match *most = NULL;
	double most_ns = 0;
	for (size_t i = 0; i < c->match.n_thunks; i++) {
		const struct jr_thunk_match *t = &c->match.thunks[i];
		double change_ns = active_ns(c, t, JR_NEW) - active_ns(c, t, JR_BASE);
		if (fabs(change_ns) > fabs(most_ns)) {
			most = t;
			most_ns = change_ns;
		}
	}
	if (!most || fabs(most_ns) < LEAST_FRAC * period_ns)
		return;
	double path_change_ns = path_ns(c, most, JR_NEW) - path_ns(c, most, JR_BASE);
	bool alike = path_change_ns * most_ns > 0;
	const struct jr_run *run = c->runs[most->n[JR_NEW] ? JR_NEW : JR_BASE];
	size_t row = most->rows[most->n[JR_NEW] ? JR_NEW : JR_BASE][0];
	bool waits = jr_run_is(run, JR_RUN_THUNKS, JR_THUNK_COMMUNICATION, row);
	double least_ns = LEAST_FRAC * period_ns;
	const char *on_path =
		fabs(path_change_ns) < least_ns || !alike ? "none of it"
		: fabs(path_change_ns) > fabs(most_ns) - least_ns
			? "all of it"
			: jr_arena_printf(c->arena, "%s of it", time_text(c, fabs(path_change_ns)));
	jr_section_text(out, c->arena, "“%s” takes %s %s per step, %s on the critical path.%s",
		jr_compare_thunk_name(c, most), time_text(c, fabs(most_ns)), most_ns > 0 ? "more" : "less",
		on_path, waits ? " A collective holds waiting for other devices, recorded or not." : "");
}

static void run(const struct jr_comparison *c, struct jr_section *out)
{
	int64_t parts[2][N_PARTS + 1];
	for (int side = 0; side < 2; side++)
		if (!divide(c->runs[side], parts[side])) {
			out->unavailable =
				side == JR_BASE
					? "not available, because the base has no critical path (no steady step, or a "
					  "report of before there were any)"
					: "not available, because the new run has no critical path (no steady step, or "
					  "a "
					  "report of before there were any)";
			return;
		}
	tell_largest(c, out, (double)parts[JR_BASE][N_PARTS]);
	struct jr_table *table = jr_table_new(c->arena, &spec, N_PARTS + 1);
	for (size_t row = 0; row <= N_PARTS; row++) {
		table->cells[PART].text[row] = part_names[row];
		jr_change_i64(table, BASE, row, parts[JR_BASE][row], parts[JR_NEW][row]);
	}
	jr_section_table(out, c->arena, table);
}

const struct jr_compare_pass jr_compare_critical_path = {
	.about = {.name = "critical_path",
		.title = "Critical path",
		.group = JR_GROUP_STEP,
		.summary = "What the steps wait for, and whether what changed is on that path"},
	.run = run,
};
