/* Findings that are new, gone or unchanged. */
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

#define FINDINGS(X, T)                                                                             \
	X(T, id, "Rule", "name of the rule", TEXT, NONE, JR_COL_KEY | JR_COL_DATA_ONLY,                \
		JR_ONE(JR_FINDING_ID))                                                                     \
	X(T, status, "Status", "new: in the new run only; resolved: in the base only", TEXT, NONE,     \
		JR_COL_BESIDE, JR_WORDS(status))                                                           \
	X(T, title, "Finding", "title in the new run, or else in the base", TEXT, NONE, 0,             \
		JR_ONE(JR_FINDING_TITLE))                                                                  \
	X(T, base_ms, "Saving, base", "potential saving per step in the base", I64, NS, 0,             \
		.how = JR_FILL_CHANGE, JR_COLUMN(JR_FINDING_STEP))                                         \
	X(T, new_ms, "Saving, new", "potential saving per step in the new run", I64, NS, 0, JR_OWN)    \
	X(T, change_ms, "Change", JR_CHANGE_OF_0_HELP, I64, NS, JR_COL_CHANGE, JR_OWN)                 \
	X(T, change_percent, "Change", JR_CHANGE_HELP, F64, PERCENT, JR_COL_CHANGE, JR_OWN)
JR_COMPARE_COLUMNS(FINDINGS)
JR_COMPARE_FILLS(FINDINGS)

static const struct jr_compare_rows findings = {
	.spec = {JR_TABLE_SPEC("finding_changes", "finding_changes", "Findings",
		"Per finding: added, removed or in both runs. Times are potential savings per step, "
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
