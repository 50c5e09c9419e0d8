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

static const char *status(const struct jr_compare_row *r)
{
	static const char *const statuses[] = {"new", "resolved", "in both"};
	return statuses[status_of(r)];
}

/* A rule pairs findings, unless they are about different thunks or devices. */
static const char *key_of(const struct jr_compare_row *r, int side)
{
	const struct jr_run *const *runs = r->c->runs;
	const char *id = jr_run_text(runs[side], JR_RUN_FINDINGS, JR_FINDING_ID, r->row[side]);
	for (size_t i = 0; id && i < jr_run_rows(runs[!side], JR_RUN_FINDINGS); i++) {
		size_t rows[2] = {i, i};
		rows[side] = r->row[side];
		if (jr_match_findings(&r->c->match, runs, rows))
			return id;
	}
	return id ? jr_arena_printf(r->c->arena, "%s\x01%d", id, side) : NULL;
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
		"new: in the new run only; resolved: in the base only. A finding about another thunk or "  \
		"device is another finding",                                                               \
		TEXT, NONE, JR_COL_BESIDE, JR_WORDS(status))                                               \
	X(T, title, "Finding", "title in the new run, or else in the base", TEXT, NONE, JR_COL_BESIDE, \
		JR_ONE(JR_FINDING_TITLE))                                                                  \
	X(T, base_ms, "Saving, base", "potential saving per step in the base; without steps, per GPU", \
		F64, NS, JR_COL_LIKE, .how = JR_FILL_CHANGE, JR_NUMBER(saving))                            \
	X(T, new_ms, "Saving, new", "potential saving in the new run", F64, NS, JR_COL_LIKE, JR_OWN)   \
	X(T, change_ms, "Change", JR_CHANGE_OF_0_HELP, F64, NS, JR_COL_CHANGE | JR_COL_LIKE, JR_OWN)   \
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
	.key_of = key_of,
	.rank_of = rank_of,
};

const struct jr_compare_pass jr_compare_findings = {
	.about = {.name = "finding_changes",
		.title = "Findings",
		.summary = "Findings of one run or of both"},
	.rows = &findings,
};
