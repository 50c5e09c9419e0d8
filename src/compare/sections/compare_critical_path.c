/* The critical paths of both runs side by side, and whether the largest change is on them; whole ns
 * that add up to the period. */
#include <string.h>

#include "compare/core/compare_rows.h"

#define PATH(X, T)                                                                                 \
	X(T, part, "Part", "part of the critical path from one step to the next, over all devices",    \
		TEXT, NONE, JR_COL_KEY)                                                                    \
	JR_CHANGE(X, T, ms, "time per step", I64, NS, JR_OWN)
JR_COMPARE_COLUMNS(PATH)

static const struct jr_table_spec spec = {JR_TABLE_SPEC("critical_path", "critical_path",
	"Critical path", "Per part; the parts add up to the period", PATH_columns)};

#define N_PARTS 7 /* the period follows */

static const char *const part_names[N_PARTS + 1] = {
	"compute", "transfer", "copies", "gaps", "host", "other programs", "start skew", "period"};

static bool divide(const struct jr_run *run, int64_t out[N_PARTS + 1])
{
	double ns[N_PARTS];
	if (!jr_run_rows(run, JR_RUN_CRITICAL_PATH))
		return false;
	for (size_t part = 0; part < N_PARTS; part++)
		ns[part] = jr_run_f64(run, JR_RUN_CRITICAL_PATH, JR_CRITICAL_COMPUTE + part, 0);
	jr_compare_divide(ns, N_PARTS, -0x1p53, out);
	return true;
}

/* Mean over devices per execution of its module; 0 if the run does not have it. */
static double active_ns(const struct jr_comparison *c, const struct jr_thunk_match *t, int side)
{
	double ns = jr_compare_thunk_mean(c, t, side, JR_THUNK_ACTIVE);
	return isnan(ns) ? 0 : ns;
}

static bool same_text(const char *a, const char *b)
{
	return a && b && strcmp(a, b) == 0;
}

/* Time per step on the path, over all thunks of a match. */
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

#define LEAST_FRAC 0.001 /* of the period: less does not need a sentence */

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
			: jr_arena_printf(c->arena, "%s of it", jr_compare_time(c, fabs(path_change_ns)));
	jr_section_text(out, c->arena, "“%s” takes %s %s per step, %s on the critical path.%s",
		jr_compare_thunk_name(c, most), jr_compare_time(c, fabs(most_ns)),
		most_ns > 0 ? "more" : "less", on_path,
		waits ? " The time of a collective includes waiting for other devices, also for devices "
				"that were not profiled."
			  : "");
}

static void run(const struct jr_comparison *c, struct jr_section *out)
{
	int64_t parts[2][N_PARTS + 1];
	for (int side = 0; side < 2; side++)
		if (!divide(c->runs[side], parts[side])) {
			out->unavailable = jr_arena_printf(c->arena,
				"not available, because the %s has no critical path (no steady step, or "
				"an older report)",
				side == JR_BASE ? "base" : "new run");
			return;
		}
	if (c->judgement.same_subject) /* operations of different steps have no change */
		tell_largest(c, out, (double)parts[JR_BASE][N_PARTS]);
	const int64_t *const values[2] = {parts[0], parts[1]};
	jr_section_table(out, c->arena, jr_compare_parts(c, &spec, part_names, values, N_PARTS + 1));
}

const struct jr_compare_pass jr_compare_critical_path = {
	.about = {.name = "critical_path",
		.title = "Critical path",
		.group = JR_GROUP_STEP,
		.summary =
			"Operations that determine the step time, and whether the changes are among them"},
	.run = run,
};
