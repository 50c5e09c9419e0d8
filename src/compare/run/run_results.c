/* Make a run from a profile and its results: the tables that report.json is written from. */
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "compare/run/run.h"
#include "report/core/doc.h"
#include "report/document/fold.h"
#include "report/core/report.h"

struct state {
	const struct jr_results *results;
	struct jr_section about[4]; /* facts about the profile, and the lists of report.json */
};

/* Sections in order: those of passes, then those of the profile. */
static const struct jr_section *section_at(const struct state *s, size_t i)
{
	if (i < s->results->n_sections)
		return &s->results->sections[i];
	i -= s->results->n_sections;
	return i < JR_COUNT_OF(s->about) ? &s->about[i] : NULL;
}

static const struct jr_table *find_table(const struct state *s, const char *path)
{
	const struct jr_section *section;
	for (size_t i = 0; (section = section_at(s, i)); i++)
		for (size_t k = 0; k < section->n; k++)
			if (section->items[k].kind == JR_RESULT_TABLE &&
				section->items[k].as.table->spec->json &&
				strcmp(section->items[k].as.table->spec->json, path) == 0)
				return section->items[k].as.table;
	return NULL;
}

/* --- tables ----------------------------------------------------------------------------------- */

/* The column that JSON has for a key: a column for people may have the same key. */
static size_t find_column(const struct jr_table *t, const char *key)
{
	for (size_t c = 0; c < t->spec->n_columns; c++)
		if (!(t->spec->columns[c].flags & JR_COL_RENDERED_ONLY) &&
			strcmp(t->spec->columns[c].key, key) == 0)
			return c;
	return SIZE_MAX;
}

static void copy_cell(struct jr_table *to, size_t column, size_t row, const struct jr_value *v)
{
	union jr_cells *cells = &to->cells[column];
	const struct jr_column_spec *wanted = &to->spec->columns[column];
	if (jr_value_is_null(v))
		return;
	switch (wanted->type) {
	case JR_TEXT:
		if (v->type == JR_TEXT)
			cells->text[row] = v->as.text;
		break;
	case JR_I64:
		if (v->type == JR_I64)
			cells->i64[row] = v->as.i64;
		break;
	case JR_F64: cells->f64[row] = jr_value_of_data(jr_value_data(v), wanted->unit); break;
	case JR_BOOL:
		if (v->type == JR_BOOL)
			cells->boolean[row] = v->as.boolean;
		break;
	case JR_ROWS: break;
	}
}

static struct jr_table *read_table(
	const struct state *s, const struct jr_table_spec *wanted, struct jr_arena *arena)
{
	const struct jr_table *from = find_table(s, wanted->json);
	if (!from)
		return NULL;
	size_t n = from->n_data < from->n_rows ? from->n_data : from->n_rows;
	struct jr_table *to = jr_table_new(arena, wanted, n);
	for (size_t c = 0; c < wanted->n_columns; c++) {
		size_t column = find_column(from, wanted->columns[c].key);
		for (size_t row = 0; column != SIZE_MAX && row < n; row++) {
			struct jr_value v = jr_value_of_cell(from, column, row);
			copy_cell(to, c, row, &v);
		}
	}
	return to;
}

/* --- scalars ---------------------------------------------------------------------------------- */

static void add_scalars(const struct state *s, struct jr_run_source *to, struct jr_arena *arena)
{
	const struct jr_section *section;
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	*jr_vec_add(&to->scalars) = (struct jr_run_scalar){"generator.version", JR_VERSION, NAN};
	for (size_t i = 0; (section = section_at(s, i)); i++) {
		for (size_t k = 0; k < section->n; k++) {
			const struct jr_scalar *scalar = section->items[k].as.scalar;
			if (section->items[k].kind != JR_RESULT_SCALAR || !scalar->key)
				continue;
			struct jr_value v = jr_value_of_scalar(scalar);
			text.size = 0;
			jr_value_put_data(&text, &v);
			*jr_vec_add(&to->scalars) = (struct jr_run_scalar){scalar->key,
				jr_value_is_null(&v) ? NULL : jr_arena_strndup(arena, text.data, text.size),
				jr_value_data(&v)};
		}
	}
}

/* --- stacks ----------------------------------------------------------------------------------- */

static struct jr_run_stacks read_stacks(
	const struct jr_results *results, enum jr_run_tree which, struct jr_arena *arena)
{
	const struct jr_tree *tree = jr_results_tree(results, jr_run_tree_name(which));
	struct jr_run_stacks out = {0};
	if (!tree)
		return out;
	struct jr_fold fold = {0};
	const int64_t *self_ns = jr_fold_whole_ns(tree->self_ns, tree->n, arena);
	out.items = JR_ARENA_N(arena, struct jr_run_stack, tree->n + 1);
	for (size_t i = 0; i < tree->n; i++) {
		struct jr_bytes stack = jr_fold_to(&fold, tree, (uint32_t)i);
		if (!(tree->self_ns[i] > 0))
			continue;
		out.items[out.n++] = (struct jr_run_stack){
			jr_arena_strndup(arena, (const char *)stack.data, stack.size), (double)self_ns[i]};
	}
	jr_fold_done(&fold);
	return out;
}

void jr_run_of_results(struct jr_run *run, const struct jr_profile *profile,
	const struct jr_results *results, struct jr_arena *arena)
{
	struct state s = {.results = results};
	struct jr_run_source source = {0};
	jr_doc_about(profile, results, arena, &s.about[0], &s.about[1], &s.about[2]);
	jr_doc_lists(profile, results, arena, &s.about[3]);
	add_scalars(&s, &source, arena);
	for (size_t i = 0; i < JR_RUN_N_TABLES; i++)
		source.tables[i] = read_table(&s, &jr_run_specs[i], arena);
	for (enum jr_run_tree tree = 0; tree < JR_RUN_N_TREES; tree++)
		source.stacks[tree] = read_stacks(results, tree, arena);
	jr_run_read(run, &source, arena);
}
