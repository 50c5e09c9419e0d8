/* Findings that came, went or stayed. */
#include "compare/core/compare_columns.h"

enum { ID, STATUS, TITLE, BASE, NEW, CHANGE, PERCENT };

static const struct jr_column_spec columns[] = {
	{"id", "Rule", "name of the rule that found it", JR_TEXT, JR_UNIT_NONE,
		JR_COL_KEY | JR_COL_CODE},
	{"status", "Status", "came: in the new run only; went: in the base only; stayed", JR_TEXT,
		JR_UNIT_NONE, JR_COL_BESIDE},
	{"title", "Finding", "in the words of the new run, or else of the base", JR_TEXT, JR_UNIT_NONE,
		0},
	{"base_ms", "Win, base", "time of a step that could be won at most, in the base", JR_I64,
		JR_UNIT_NS, 0},
	{"new_ms", "Win, new", "time of a step that could be won at most, in the new run", JR_I64,
		JR_UNIT_NS, 0},
	{"change_ms", "Change", "new - base; what one run does not have counts as 0", JR_I64,
		JR_UNIT_NS, JR_COL_CHANGE},
	{"change_percent", "Change", JR_CHANGE_HELP, JR_F64, JR_UNIT_PERCENT, JR_COL_CHANGE},
};
static const struct jr_table_spec spec = {JR_COMPARE_SPEC("finding_changes", "finding_changes",
	"Findings",
	"Per finding: what came, what went, what stayed. Times are what a step could win at most where "
	"that is mended, not what it takes",
	columns)};

static int64_t gain(const struct jr_run *run, size_t row)
{
	return row == SIZE_MAX ? JR_NULL_I64 : jr_run_i64(run, JR_RUN_FINDINGS, JR_FINDING_STEP, row);
}

static void run(const struct jr_comparison *c, struct jr_section *out)
{
	static const char *const statuses[] = {"came", "went", "stayed"};
	size_t n[2], n_pairs, row = 0;
	const char *const *keys[2];
	for (int side = 0; side < 2; side++) {
		n[side] = jr_run_rows(c->runs[side], JR_RUN_FINDINGS);
		keys[side] = c->runs[side]->tables[JR_RUN_FINDINGS]->cells[JR_FINDING_ID].text;
	}
	const struct jr_row_pair *pairs = jr_match_rows(keys, n, c->arena, &n_pairs);
	if (!n_pairs)
		return;
	struct jr_table *table = jr_table_new(c->arena, &spec, n_pairs);
	for (size_t status = 0; status < JR_COUNT_OF(statuses); status++) {
		for (size_t i = 0; i < n_pairs; i++) {
			const size_t *at = pairs[i].row;
			size_t own = at[JR_BASE] == SIZE_MAX ? 0 : at[JR_NEW] == SIZE_MAX ? 1 : 2;
			int known = own == 1 ? JR_BASE : JR_NEW;
			if (own != status)
				continue;
			table->cells[ID].text[row] = keys[known][at[known]];
			table->cells[STATUS].text[row] = statuses[status];
			table->cells[TITLE].text[row] =
				jr_run_text(c->runs[known], JR_RUN_FINDINGS, JR_FINDING_TITLE, at[known]);
			int64_t base = gain(c->runs[0], at[0]), fresh = gain(c->runs[1], at[1]);
			if (base != JR_NULL_I64 || fresh != JR_NULL_I64)
				jr_change_i64(table, BASE, row, base, fresh);
			row++;
		}
	}
	jr_section_table(out, c->arena, table);
}

const struct jr_compare_pass jr_compare_findings = {
	.about = {.name = "finding_changes",
		.title = "Findings",
		.summary = "What the rules found in one run, in the other, or in both"},
	.run = run,
};
