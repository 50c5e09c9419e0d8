/* Phases of compilation. */
#include "compare/compare_columns.h"

enum { NAME, BASE, NEW, CHANGE, PERCENT };

static const struct jr_column_spec columns[] = {
	{"name", "Phase", "all passes and pass pipelines are one phase", JR_TEXT, JR_UNIT_NONE,
		JR_COL_KEY | JR_COL_CODE},
	JR_CHANGE_COLUMNS("_ms", "self time, of parallel regions by the clock", JR_F64, JR_UNIT_NS),
};
static const struct jr_table_spec spec = {
	JR_COMPARE_SPEC("compilation_phases", "compilation.phases", "Phases of compilation",
		"One row a phase, largest change first", columns)};

#define N_SHOWN 25

static double self_ns(const struct jr_run *run, size_t row)
{
	return row == SIZE_MAX ? NAN : jr_run_f64(run, JR_RUN_PHASES, JR_PHASE_SELF, row);
}

static void add_total(const struct jr_comparison *c, struct jr_section *out)
{
	static const char *const keys[] = {"compilation.base_ms", "compilation.new_ms"};
	static const char *const titles[] = {"Compilation, base", "Compilation, new"};
	for (int side = 0; side < 2; side++) {
		struct jr_scalar s = jr_scalar_ns(keys[side], titles[side],
			"wall time of all profiled compilations", c->runs[side]->compile_total_ns);
		(void)jr_section_scalar(out, c->arena, &s);
	}
	struct jr_scalar s = jr_scalar_ns("compilation.change_ms", "Change", "new - base",
		c->runs[JR_NEW]->compile_total_ns - c->runs[JR_BASE]->compile_total_ns);
	s.change = true;
	(void)jr_section_scalar(out, c->arena, &s);
}

static void run(const struct jr_comparison *c, struct jr_section *out)
{
	size_t n[2], n_pairs;
	const char *const *keys[2];
	for (int side = 0; side < 2; side++) {
		n[side] = jr_run_rows(c->runs[side], JR_RUN_PHASES);
		keys[side] = c->runs[side]->tables[JR_RUN_PHASES]->cells[JR_PHASE_NAME].text;
	}
	const struct jr_row_pair *pairs = jr_match_rows(keys, n, c->arena, &n_pairs);
	if (!n_pairs) {
		out->unavailable = "not available, because neither run has a profiled compilation";
		return;
	}
	struct jr_table *table = jr_table_new(c->arena, &spec, n_pairs);
	struct jr_rank_key *rank = JR_ARENA_N(c->arena, struct jr_rank_key, n_pairs);
	uint32_t *order = JR_ARENA_N(c->arena, uint32_t, n_pairs);
	for (uint32_t i = 0; i < n_pairs; i++) {
		const size_t *row = pairs[i].row;
		const char *name = row[0] != SIZE_MAX ? keys[0][row[0]] : keys[1][row[1]];
		table->cells[NAME].text[i] = name;
		jr_change_f64(table, BASE, i, self_ns(c->runs[0], row[0]), self_ns(c->runs[1], row[1]));
		double change = table->cells[CHANGE].f64[i];
		rank[i] = (struct jr_rank_key){isnan(change) ? 0 : fabs(change), name ? name : "", 0, i};
	}
	jr_rank_sort(rank, n_pairs);
	for (size_t i = 0; i < n_pairs; i++)
		order[i] = rank[i].row;
	jr_table_permute(table, order, c->arena);
	table->n_rendered = n_pairs < N_SHOWN ? n_pairs : N_SHOWN;
	add_total(c, out);
	jr_section_table(out, c->arena, table);
}

const struct jr_compare_pass jr_compare_compilation = {
	.about = {.name = "compilation",
		.title = "Compilation",
		.summary =
			"Where compilation time went; one sample a run, so that small changes say little"},
	.run = run,
};
