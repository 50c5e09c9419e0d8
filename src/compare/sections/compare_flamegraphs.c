/* Flamegraphs of both runs in one: each frame's time in the base and in the new run. */
#include "compare/core/compare_rows.h"
#include "compare/judge/diff_tree.h"

#define MAX_STEPS 1000000000 /* sums of remainders stay below 2^63 */

#define TOTALS(X, T)                                                                               \
	X(T, flamegraph, "Flamegraph", "name of the flamegraph", TEXT, NONE, JR_COL_KEY)               \
	JR_CHANGE(X, T, ms, "sum of all stacks", I64, NS, JR_OWN)                                      \
	X(T, base_executions, "Executions, base",                                                      \
		"number of executions of the step's module that the times of the base are divided by",     \
		I64, COUNT, 0)                                                                             \
	X(T, new_executions, "Executions, new",                                                        \
		"number of executions of the step's module that the times of the new run are "             \
		"divided by",                                                                              \
		I64, COUNT, 0)
JR_COMPARE_COLUMNS(TOTALS)

static const struct jr_table_spec spec = {JR_TABLE_SPEC(
	"flamegraph_totals", "flamegraph_totals", "Totals", "Per flamegraph", TOTALS_columns)};

static const struct {
	const char *name, *title, *caption;
	bool per_step;
} trees[JR_RUN_N_TREES] = {
	[JR_RUN_SOURCE_CODE] = {"diff_source_code", "Change of GPU time by source code",
		"Active time of the top modules by Python call stack of their instructions, and "
		"idle time; mean per step and device",
		true},
	[JR_RUN_OP_NAME] = {"diff_op_name", "Change of GPU time by op_name",
		"Active time of the top modules by JAX name stack, and idle time; mean per step and device",
		true},
	[JR_RUN_COMPILATION] = {"diff_compilation", "Change of compilation time",
		"Self time of profiled compiler ranges over the whole run", false},
};

/* Executions of the step's module; 1 if unknown. */
static int64_t executions_of(const struct jr_run *run)
{
	int64_t n = run->steps.row == SIZE_MAX
					? 0
					: jr_run_sum(run, JR_RUN_MODULES, JR_MODULE_EXECUTIONS, run->steps.row);
	return n > 0 && n <= MAX_STEPS ? n : 1;
}

static void put_totals(struct jr_table *table, size_t row, enum jr_run_tree which,
	const struct jr_tree *tree, const int64_t divisor[2])
{
	table->cells[TOTALS_flamegraph].text[row] = jr_run_tree_name(which);
	jr_change_i64(
		&table->cells[TOTALS_base_ms], row, (int64_t)tree->base_total, (int64_t)tree->total);
	if (!trees[which].per_step)
		return;
	table->cells[TOTALS_base_executions].i64[row] = divisor[JR_BASE];
	table->cells[TOTALS_new_executions].i64[row] = divisor[JR_NEW];
}

/* Say why a tree is not drawn: if one report lacks it, all of the other one would be a change. */
static void tell_missing(
	const struct jr_comparison *c, enum jr_run_tree which, struct jr_section *out)
{
	int without = c->runs[JR_BASE]->stacks[which].n ? JR_NEW : JR_BASE;
	if (!c->runs[!without]->stacks[which].n)
		return;
	jr_section_text(out, c->arena,
		"%s: not drawn, because the %s does not contain its stacks; a report.json needs "
		"data/%s.folded next to it (--format json,csv)",
		trees[which].title, without == JR_BASE ? "base" : "new run", jr_run_tree_name(which));
}

static struct jr_tree *make_tree(
	const struct jr_comparison *c, enum jr_run_tree which, const int64_t divisor[2])
{
	struct jr_run_stacks stacks[2] = {
		c->runs[JR_BASE]->stacks[which], c->runs[JR_NEW]->stacks[which]};
	struct jr_tree *tree = jr_diff_tree(stacks, divisor, c->arena);
	tree->name = trees[which].name;
	tree->title = trees[which].title;
	tree->caption = jr_arena_printf(c->arena,
		"%s; color shows the change of a frame and everything it calls; width shows the "
		"time in the new run, in the base, or the change",
		trees[which].caption);
	return tree;
}

static void run(const struct jr_comparison *c, struct jr_section *out)
{
	int64_t steps[2] = {executions_of(c->runs[JR_BASE]), executions_of(c->runs[JR_NEW])};
	static const int64_t whole[2] = {1, 1};
	struct jr_tree *made[JR_RUN_N_TREES] = {NULL};
	size_t n = 0;
	for (enum jr_run_tree which = 0; which < JR_RUN_N_TREES; which++) {
		if (!c->runs[JR_BASE]->stacks[which].n || !c->runs[JR_NEW]->stacks[which].n)
			continue;
		made[which] = make_tree(c, which, trees[which].per_step ? steps : whole);
		n++;
	}
	struct jr_table *table = jr_table_new(c->arena, &spec, n);
	size_t row = 0;
	for (enum jr_run_tree which = 0; which < JR_RUN_N_TREES; which++)
		if (made[which])
			put_totals(table, row++, which, made[which], steps);
	if (n)
		jr_section_table(out, c->arena, table);
	for (enum jr_run_tree which = 0; which < JR_RUN_N_TREES; which++) {
		if (made[which])
			jr_section_tree(out, c->arena, made[which]);
		else
			tell_missing(c, which, out);
	}
	if (!out->n)
		out->unavailable =
			"not available, because neither run contains stacks: exports without HLO "
			"have none, and a report.json needs data/*.folded next to it";
}

const struct jr_compare_pass jr_compare_flamegraphs = {
	.about = {.name = "flamegraphs",
		.title = "Flamegraphs of the change",
		.group = JR_GROUP_GPU,
		.summary = "Both runs in one tree: added, saved and moved time"},
	.run = run,
};
