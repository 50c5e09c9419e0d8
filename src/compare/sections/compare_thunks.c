/* Thunks of all matched programs. */
#include "compare/core/compare_columns.h"

enum { PROGRAM, NAME, OPCODE, OP_NAME, MATCH, BASE_N, NEW_N, BASE, NEW, CHANGE, PERCENT, SHAPE };

static const struct jr_column_spec columns[] = {
	{"program_id", "Program", "program id, in the base and in the new run", JR_TEXT, JR_UNIT_NONE,
		JR_COL_KEY},
	{"name", "Thunk", "name of the HLO instruction, or of the heaviest of a group", JR_TEXT,
		JR_UNIT_NONE, JR_COL_KEY | JR_COL_CODE},
	{"opcode", "Opcode", "HLO opcode", JR_TEXT, JR_UNIT_NONE, JR_COL_CODE},
	{"op_name", "op_name", "path of the JAX operation", JR_TEXT, JR_UNIT_NONE, JR_COL_CODE},
	{"match", "Match",
		"same; reshaped: with another shape, renamed: with another op_name; added, "
		"removed: in one run only",
		JR_TEXT, JR_UNIT_NONE, 0},
	{"base_count", "Count, base", "executions per execution of the module", JR_F64, JR_UNIT_COUNT,
		0},
	{"new_count", "Count, new", "executions per execution of the module", JR_F64, JR_UNIT_COUNT, 0},
	JR_CHANGE_COLUMNS("_ms", "active time per execution of the module", JR_F64, JR_UNIT_NS),
	{"shape", "Shape", "of the result", JR_TEXT, JR_UNIT_NONE, JR_COL_DATA_ONLY | JR_COL_CODE},
};
static const struct jr_table_spec spec = {JR_COMPARE_SPEC("thunks", "thunks", "Thunks",
	"Per thunk of a top module, or a group of thunks that nothing tells apart; largest "
	"change "
	"first",
	columns)};

#define N_SHOWN 30

/* Active ns and executions of a group per execution of its module; NaN where it is not there. */
static void per_execution(const struct jr_comparison *c, const struct jr_thunk_match *t, int side,
	double *ns, double *count)
{
	const struct jr_run *run = c->runs[side];
	size_t module = c->match.programs[t->program].row[side];
	*ns = *count = NAN;
	if (!t->n[side] || module == SIZE_MAX)
		return;
	double executions = (double)jr_run_sum(run, JR_RUN_MODULES, JR_MODULE_EXECUTIONS, module);
	int64_t sum_ns = 0, sum_count = 0;
	for (size_t i = 0; i < t->n[side]; i++) {
		sum_ns += jr_run_sum(run, JR_RUN_THUNKS, JR_THUNK_ACTIVE, t->rows[side][i]);
		sum_count += jr_run_sum(run, JR_RUN_THUNKS, JR_THUNK_COUNT, t->rows[side][i]);
	}
	if (executions > 0) {
		*ns = (double)sum_ns / executions;
		*count = (double)sum_count / executions;
	}
}

static void fill_row(const struct jr_comparison *c, struct jr_table *table, size_t row)
{
	const struct jr_thunk_match *t = &c->match.thunks[row];
	union jr_cells *cells = table->cells;
	double ns[2];
	cells[PROGRAM].text[row] = jr_compare_program_id(c, t->program);
	cells[NAME].text[row] = jr_compare_thunk_name(c, t);
	cells[OPCODE].text[row] = jr_compare_thunk_text(c, t, JR_THUNK_OPCODE);
	cells[OP_NAME].text[row] = jr_compare_thunk_text(c, t, JR_THUNK_OP_NAME);
	cells[MATCH].text[row] = jr_thunk_change_name(t->change);
	cells[SHAPE].text[row] = jr_compare_thunk_text(c, t, JR_THUNK_SHAPE);
	per_execution(c, t, JR_BASE, &ns[JR_BASE], &cells[BASE_N].f64[row]);
	per_execution(c, t, JR_NEW, &ns[JR_NEW], &cells[NEW_N].f64[row]);
	jr_change_f64(table, BASE, row, ns[JR_BASE], ns[JR_NEW]);
}

static void run(const struct jr_comparison *c, struct jr_section *out)
{
	size_t n = c->match.n_thunks;
	if (!n) {
		out->unavailable = "not available, because neither run has a thunk";
		return;
	}
	struct jr_table *table = jr_table_new(c->arena, &spec, n);
	struct jr_rank_key *keys = JR_ARENA_N(c->arena, struct jr_rank_key, n);
	for (uint32_t row = 0; row < n; row++) {
		fill_row(c, table, row);
		double change = table->cells[CHANGE].f64[row];
		keys[row] = (struct jr_rank_key){isnan(change) ? 0 : fabs(change), "", 0, row};
	}
	jr_rank_sort(keys, n);
	uint32_t *order = JR_ARENA_N(c->arena, uint32_t, n);
	for (size_t row = 0; row < n; row++)
		order[row] = keys[row].row;
	jr_table_permute(table, order, c->arena);
	table->n_rendered = n < N_SHOWN ? n : N_SHOWN;
	jr_section_table(out, c->arena, table);
}

const struct jr_compare_pass jr_compare_thunks = {
	.about = {.name = "thunks",
		.title = "Thunks",
		.group = JR_GROUP_GPU,
		.summary = "Kernels and library calls of all top modules, by how much they changed"},
	.run = run,
};
