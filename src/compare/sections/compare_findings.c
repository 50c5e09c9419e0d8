/* Findings that are new, gone or unchanged. */
#include <math.h>
#include <string.h>

#include "compare/core/compare_rows.h"

/* Sort order. */
static size_t status_of(const struct jr_compare_row *r)
{
	return r->row[JR_BASE] == SIZE_MAX ? 0 : r->row[JR_NEW] == SIZE_MAX ? 1 : 2;
}

static double rank_of(const struct jr_compare_row *r)
{
	return -(double)status_of(r);
}

/* Return the late device with the largest lag; JR_NULL_I64: none is late. */
static int64_t latest_device(const struct jr_run *run)
{
	int64_t device = JR_NULL_I64;
	double most_ns = -INFINITY;
	for (size_t i = 0; i < jr_run_rows(run, JR_RUN_STRAGGLERS); i++) {
		double lag_ns = jr_run_f64(run, JR_RUN_STRAGGLERS, JR_STRAGGLER_LAG, i);
		if (!jr_run_text(run, JR_RUN_STRAGGLERS, JR_STRAGGLER_LATE, i) || !(lag_ns > most_ns))
			continue;
		most_ns = lag_ns;
		device = jr_run_i64(run, JR_RUN_STRAGGLERS, JR_STRAGGLER_DEVICE, i);
	}
	return device;
}

/* A rule pairs the findings, so that about late devices may be about another one in each run. */
static bool is_of_other_device(const struct jr_compare_row *r)
{
	const struct jr_run *const *runs = r->c->runs;
	const char *id = jr_run_text(runs[JR_NEW], JR_RUN_FINDINGS, JR_FINDING_ID, r->row[JR_NEW]);
	int64_t base = latest_device(runs[JR_BASE]), new = latest_device(runs[JR_NEW]);
	return id && strcmp(id, "straggler") == 0 && base != JR_NULL_I64 &&
		   new != JR_NULL_I64 &&base != new;
}

static const char *status(const struct jr_compare_row *r)
{
	static const char *const statuses[] = {"new", "resolved", "in both"};
	size_t of = status_of(r);
	return of == 2 && is_of_other_device(r) ? "other device" : statuses[of];
}

/* Per step; without steps, per GPU. NaN: the run does not have the finding, or its saving is not
 * known. */
static double saving(const struct jr_compare_row *r, int side)
{
	const struct jr_run *run = r->c->runs[side];
	size_t row = r->row[side], n_gpus = jr_run_rows(run, JR_RUN_GPU);
	if (row == SIZE_MAX)
		return NAN;
	int64_t step_ns = jr_run_i64(run, JR_RUN_FINDINGS, JR_FINDING_STEP, row);
	int64_t all_ns = jr_run_i64(run, JR_RUN_FINDINGS, JR_FINDING_ALL, row);
	if (step_ns != JR_NULL_I64)
		return (double)step_ns;
	return all_ns == JR_NULL_I64 || !n_gpus || jr_run_rows(run, JR_RUN_STEP_LEDGER)
			   ? NAN
			   : (double)all_ns / (double)n_gpus;
}

#define FINDINGS(X, T)                                                                             \
	X(T, id, "Rule", "name of the rule", TEXT, NONE, JR_COL_KEY | JR_COL_DATA_ONLY,                \
		JR_ONE(JR_FINDING_ID))                                                                     \
	X(T, status, "Status",                                                                         \
		"new: in the new run only; resolved: in the base only; other device: in "                  \
		"both, but another device is the latest",                                                  \
		TEXT, NONE, JR_COL_BESIDE, JR_WORDS(status))                                               \
	X(T, title, "Finding", "title in the new run, or else in the base", TEXT, NONE, JR_COL_BESIDE, \
		JR_ONE(JR_FINDING_TITLE))                                                                  \
	X(T, base_ms, "Saving, base", "potential saving per step in the base; without steps, per GPU", \
		F64, NS, 0, .how = JR_FILL_CHANGE, JR_NUMBER(saving))                                      \
	X(T, new_ms, "Saving, new", "potential saving in the new run", F64, NS, 0, JR_OWN)             \
	X(T, change_ms, "Change", JR_CHANGE_OF_0_HELP, F64, NS, JR_COL_CHANGE, JR_OWN)                 \
	X(T, change_percent, "Change", JR_CHANGE_HELP, F64, PERCENT, JR_COL_CHANGE, JR_OWN)
JR_COMPARE_COLUMNS(FINDINGS)
JR_COMPARE_FILLS(FINDINGS)

static const struct jr_compare_rows findings = {
	.spec = {JR_TABLE_SPEC("finding_changes", "finding_changes", "Findings",
		"Per finding: new, resolved or in both runs. Times are potential savings per step, "
		"or per device without steps, not the time that the finding takes",
		FINDINGS_columns)},
	.fills = FINDINGS_fills,
	.table = JR_RUN_FINDINGS,
	.key = JR_FINDING_ID,
	.rank_of = rank_of,
};

const struct jr_compare_pass jr_compare_findings = {
	.about = {.name = "finding_changes",
		.title = "Findings",
		.summary = "Findings of one run or of both"},
	.rows = &findings,
};
