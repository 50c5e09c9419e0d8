/* Active time by opcode, per step. */
#include "compare/compare_columns.h"

enum { OPCODE, BASE, NEW, CHANGE, PERCENT, DIRECTION };

static const struct jr_column_spec columns[] = {
	{"opcode", "Opcode", "HLO opcode; unknown: no HLO of the program", JR_TEXT, JR_UNIT_NONE,
		JR_COL_KEY | JR_COL_CODE},
	JR_CHANGE_COLUMNS("_ms",
		"active time of the top modules, sum over devices / executions of the "
		"step's module",
		JR_F64, JR_UNIT_NS),
	{"direction", NULL, NULL, JR_TEXT, JR_UNIT_NONE, JR_COL_DATA_ONLY},
};
static const struct jr_table_spec spec = {JR_COMPARE_SPEC(
	"opcodes", "opcodes", "Opcodes", "One row an opcode; largest change first", columns)};

static double per_step(const struct jr_run *run, size_t row)
{
	double n = run->steps.row == SIZE_MAX
				   ? 0
				   : (double)jr_run_sum(run, JR_RUN_MODULES, JR_MODULE_EXECUTIONS, run->steps.row);
	if (row == SIZE_MAX || !(n > 0))
		return NAN;
	return (double)jr_run_sum(run, JR_RUN_OPCODES, JR_OPCODE_ACTIVE, row) / n;
}

static void run(const struct jr_comparison *c, struct jr_section *out)
{
	size_t n[2], n_pairs;
	const char *const *keys[2];
	for (int side = 0; side < 2; side++) {
		n[side] = jr_run_rows(c->runs[side], JR_RUN_OPCODES);
		keys[side] = c->runs[side]->tables[JR_RUN_OPCODES]->cells[JR_OPCODE_NAME].text;
	}
	const struct jr_row_pair *pairs = jr_match_rows(keys, n, c->arena, &n_pairs);
	if (!n_pairs) {
		out->unavailable = "not available, because neither run has a thunk";
		return;
	}
	struct jr_table *table = jr_table_new(c->arena, &spec, n_pairs);
	struct jr_rank_key *rank = JR_ARENA_N(c->arena, struct jr_rank_key, n_pairs);
	uint32_t *order = JR_ARENA_N(c->arena, uint32_t, n_pairs);
	for (uint32_t i = 0; i < n_pairs; i++) {
		const size_t *row = pairs[i].row;
		const char *name = row[0] != SIZE_MAX ? keys[0][row[0]] : keys[1][row[1]];
		table->cells[OPCODE].text[i] = name;
		jr_change_f64(table, BASE, i, per_step(c->runs[0], row[0]), per_step(c->runs[1], row[1]));
		double change = table->cells[CHANGE].f64[i];
		table->cells[DIRECTION].text[i] = change > 0   ? "slower"
										  : change < 0 ? "faster"
													   : "unchanged";
		rank[i] = (struct jr_rank_key){isnan(change) ? 0 : fabs(change), name ? name : "", 0, i};
	}
	jr_rank_sort(rank, n_pairs);
	for (size_t i = 0; i < n_pairs; i++)
		order[i] = rank[i].row;
	jr_table_permute(table, order, c->arena);
	struct jr_chart chart = {.name = "opcodes",
		.title = "Change of GPU time by HLO opcode",
		.caption = "per step, all devices; to the right: the new run takes longer",
		.kind = JR_CHART_BARS,
		.table = table,
		.x = "opcode",
		.y = "change_ms",
		.series = "direction",
		.y_title = "Change per step"};
	jr_section_chart(out, c->arena, &chart);
	jr_section_table(out, c->arena, table);
}

const struct jr_compare_pass jr_compare_opcodes = {
	.about = {.name = "opcodes",
		.title = "Opcodes",
		.summary = "GPU time by kind of HLO instruction, per step"},
	.run = run,
};
