#include "compare/core/compare_columns.h"

#include <string.h>

static const char *program_text(
	const struct jr_comparison *c, size_t program, int side, size_t column)
{
	size_t row = c->match.programs[program].row[side];
	return row == SIZE_MAX ? NULL : jr_run_text(c->runs[side], JR_RUN_MODULES, column, row);
}

/* "a", or "a → b" where they differ and both are known. */
static const char *from_to(const struct jr_comparison *c, const char *base, const char *fresh)
{
	if (base && fresh && strcmp(base, fresh) != 0)
		return jr_arena_printf(c->arena, "%s → %s", base, fresh);
	return fresh ? fresh : base;
}

const char *jr_compare_program_id(const struct jr_comparison *c, size_t program)
{
	return from_to(c, program_text(c, program, JR_BASE, JR_MODULE_ID),
		program_text(c, program, JR_NEW, JR_MODULE_ID));
}

const char *jr_compare_program_text(const struct jr_comparison *c, size_t program, size_t column)
{
	const char *fresh = program_text(c, program, JR_NEW, column);
	return fresh ? fresh : program_text(c, program, JR_BASE, column);
}

static const char *group_name(
	const struct jr_comparison *c, const struct jr_thunk_match *t, int side)
{
	if (!t->n[side])
		return NULL;
	const char *first = jr_run_text(c->runs[side], JR_RUN_THUNKS, JR_THUNK_NAME, t->rows[side][0]);
	if (!first || t->n[side] == 1)
		return first;
	return jr_arena_printf(c->arena, "%s and %zu more", first, t->n[side] - 1);
}

const char *jr_compare_thunk_name(const struct jr_comparison *c, const struct jr_thunk_match *t)
{
	return from_to(c, group_name(c, t, JR_BASE), group_name(c, t, JR_NEW));
}

const char *jr_compare_thunk_text(
	const struct jr_comparison *c, const struct jr_thunk_match *t, size_t column)
{
	int side = t->n[JR_NEW] ? JR_NEW : JR_BASE;
	return jr_run_text(c->runs[side], JR_RUN_THUNKS, column, t->rows[side][0]);
}

struct jr_table *jr_compare_named(const struct jr_comparison *c, const struct jr_table_spec *spec,
	enum jr_run_table rows, size_t name, double (*value)(const struct jr_run *run, size_t row))
{
	enum { NAME };
	size_t n[2], n_pairs, base = 1;
	const char *const *keys[2];
	while (spec->columns[base].type != JR_F64)
		base++;
	for (int side = 0; side < 2; side++) {
		n[side] = jr_run_rows(c->runs[side], rows);
		keys[side] = c->runs[side]->tables[rows]->cells[name].text;
	}
	const struct jr_row_pair *pairs = jr_match_rows(keys, n, c->arena, &n_pairs);
	if (!n_pairs)
		return NULL;
	struct jr_table *table = jr_table_new(c->arena, spec, n_pairs);
	struct jr_rank_key *rank = JR_ARENA_N(c->arena, struct jr_rank_key, n_pairs);
	uint32_t *order = JR_ARENA_N(c->arena, uint32_t, n_pairs);
	size_t direction = jr_table_column(table, "direction");
	for (uint32_t i = 0; i < n_pairs; i++) {
		const size_t *row = pairs[i].row;
		const char *text = row[0] != SIZE_MAX ? keys[0][row[0]] : keys[1][row[1]];
		table->cells[NAME].text[i] = text;
		jr_change_f64(table, base, i, value(c->runs[0], row[0]), value(c->runs[1], row[1]));
		double change = table->cells[base + 2].f64[i];
		if (direction != SIZE_MAX)
			table->cells[direction].text[i] = change > 0   ? "slower"
											  : change < 0 ? "faster"
														   : "unchanged";
		rank[i] = (struct jr_rank_key){isnan(change) ? 0 : fabs(change), text ? text : "", 0, i};
	}
	jr_rank_sort(rank, n_pairs);
	for (size_t i = 0; i < n_pairs; i++)
		order[i] = rank[i].row;
	jr_table_permute(table, order, c->arena);
	return table;
}
