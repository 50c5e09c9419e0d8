#include "compare/core/compare_rows.h"

/* --- cells ------------------------------------------------------------------------------------ */

static const struct jr_table *table_of(const struct jr_compare_row *r, int side)
{
	return r->c->runs[side]->tables[r->rows->table];
}

static double number_of(const struct jr_compare_row *r, const struct jr_compare_fill *f, int side)
{
	if (f->number)
		return f->number(r, side);
	return r->row[side] == SIZE_MAX ? NAN
									: jr_table_number(table_of(r, side), f->column, r->row[side]);
}

static int64_t integer_of(const struct jr_compare_row *r, const struct jr_compare_fill *f, int side)
{
	size_t row = r->row[side];
	return row == SIZE_MAX ? JR_NULL_I64 : table_of(r, side)->cells[f->column].i64[row];
}

static void fill_integers(
	union jr_cells *to, const struct jr_compare_row *r, const struct jr_compare_fill *f)
{
	int64_t base = integer_of(r, f, JR_BASE), fresh = integer_of(r, f, JR_NEW);
	bool both = base != JR_NULL_I64 && fresh != JR_NULL_I64;
	if (f->how == JR_FILL_ONE)
		to->i64[r->i] = integer_of(r, f, jr_compare_known(r));
	else if (f->how == JR_FILL_CHANGE_ALONE)
		to->i64[r->i] = both ? fresh - base : JR_NULL_I64;
	else if (f->how == JR_FILL_CHANGE || (f->how == JR_FILL_CHANGE_OF_BOTH && both))
		jr_change_i64(to, r->i, base, fresh);
	else {
		to[0].i64[r->i] = base;
		to[1].i64[r->i] = fresh;
	}
}

static void fill_numbers(
	union jr_cells *to, const struct jr_compare_row *r, const struct jr_compare_fill *f)
{
	double base = number_of(r, f, JR_BASE), fresh = number_of(r, f, JR_NEW);
	bool both = !isnan(base) && !isnan(fresh);
	if (f->how == JR_FILL_CHANGE || (f->how == JR_FILL_CHANGE_OF_BOTH && both)) {
		jr_change_f64(to, r->i, base, fresh);
		return;
	}
	to[0].f64[r->i] = base;
	to[1].f64[r->i] = fresh;
	if (f->how == JR_FILL_DIFFERENCE)
		to[2].f64[r->i] = fresh - base;
	if (f->how == JR_FILL_ROWS)
		to[2].f64[r->i] =
			(r->row[JR_NEW] == SIZE_MAX ? 0 : fresh) - (r->row[JR_BASE] == SIZE_MAX ? 0 : base);
}

static void fill_cells(struct jr_table *table, size_t column, const struct jr_compare_row *r)
{
	const struct jr_compare_fill *f = &r->rows->fills[column];
	union jr_cells *to = &table->cells[column];
	enum jr_type type = table->spec->columns[column].type;
	int side = jr_compare_known(r);
	if (f->how == JR_FILL_NOT)
		return;
	if (f->how == JR_FILL_DIRECTION)
		to->text[r->i] = jr_compare_direction(jr_table_number(table, f->column, r->i));
	else if (type == JR_TEXT)
		to->text[r->i] =
			f->words ? f->words(r) : table_of(r, side)->cells[f->column].text[r->row[side]];
	else if (type == JR_I64)
		fill_integers(to, r, f);
	else if (type == JR_F64)
		fill_numbers(to, r, f);
	else {
		double v = number_of(r, f, side);
		to->boolean[r->i] = isnan(v) ? JR_NULL_BOOL : v != 0;
	}
}

/* --- rows ------------------------------------------------------------------------------------- */

const struct jr_row_pair *jr_compare_programs_paired(const struct jr_comparison *c, size_t *n)
{
	*n = c->match.n_programs;
	struct jr_row_pair *pairs = JR_ARENA_N(c->arena, struct jr_row_pair, *n + 1);
	for (size_t i = 0; i < *n; i++)
		pairs[i] = (struct jr_row_pair){{c->match.programs[i].row[0], c->match.programs[i].row[1]}};
	return pairs;
}

const struct jr_row_pair *jr_compare_thunks_paired(const struct jr_comparison *c, size_t *n)
{
	*n = c->match.n_thunks;
	struct jr_row_pair *pairs = JR_ARENA_N(c->arena, struct jr_row_pair, *n + 1);
	for (size_t i = 0; i < *n; i++)
		for (int side = 0; side < 2; side++)
			pairs[i].row[side] =
				c->match.thunks[i].n[side] ? c->match.thunks[i].rows[side][0] : SIZE_MAX;
	return pairs;
}

static const char *const *keys_of(const struct jr_compare_row *blank, int side)
{
	const struct jr_compare_rows *rows = blank->rows;
	const struct jr_table *table = table_of(blank, side);
	if (!rows->key_of)
		return table->cells[rows->key].text;
	const char **keys = JR_ARENA_N(blank->c->arena, const char *, table->n_rows + 1);
	for (size_t i = 0; i < table->n_rows; i++) {
		struct jr_compare_row r = *blank;
		r.row[side] = i;
		keys[i] = rows->key_of(&r, side);
	}
	return keys;
}

struct jr_table *jr_compare_table(
	const struct jr_comparison *c, const struct jr_compare_rows *rows, const void *context)
{
	struct jr_compare_row r = {c, rows, context, 0, {SIZE_MAX, SIZE_MAX}};
	const char *const *keys[2] = {NULL, NULL};
	size_t n;
	const struct jr_row_pair *pairs;
	if (rows->pair)
		pairs = rows->pair(c, &n);
	else {
		const size_t n_rows[2] = {table_of(&r, 0)->n_rows, table_of(&r, 1)->n_rows};
		for (int side = 0; side < 2; side++)
			keys[side] = keys_of(&r, side);
		pairs = jr_match_rows(keys, n_rows, c->arena, &n);
	}
	if (!n)
		return NULL;
	struct jr_table *table = jr_table_new(c->arena, &rows->spec, n);
	struct jr_rank_key *rank = JR_ARENA_N(c->arena, struct jr_rank_key, n);
	uint32_t *order = JR_ARENA_N(c->arena, uint32_t, n);
	for (uint32_t i = 0; i < n; i++) {
		r.i = i;
		r.row[0] = pairs[i].row[0];
		r.row[1] = pairs[i].row[1];
		for (size_t column = 0; column < rows->spec.n_columns; column++)
			fill_cells(table, column, &r);
		int side = jr_compare_known(&r);
		const char *key = rows->rank && keys[side] ? keys[side][r.row[side]] : NULL;
		double change = rows->rank ? jr_table_number(table, rows->rank, i) : 0;
		double value = rows->rank_of ? rows->rank_of(&r) : isnan(change) ? 0 : fabs(change);
		rank[i] = (struct jr_rank_key){value, key ? key : "", 0, i};
	}
	jr_rank_sort(rank, n);
	for (size_t i = 0; i < n; i++)
		order[i] = rank[i].row;
	jr_table_permute(table, order, c->arena);
	if (rows->n_shown && n > rows->n_shown)
		table->n_rendered = rows->n_shown;
	return table;
}

/* --- the section ------------------------------------------------------------------------------ */

void jr_compare_draw(const struct jr_comparison *c, const struct jr_chart *bars,
	const struct jr_table *table, size_t n_drawn, struct jr_section *out)
{
	struct jr_table *drawn = JR_ARENA_NEW(c->arena, struct jr_table);
	struct jr_chart chart = *bars;
	*drawn = *table;
	drawn->n_rows = n_drawn && n_drawn < table->n_rendered ? n_drawn : table->n_rendered;
	chart.kind = JR_CHART_BARS;
	chart.table = drawn;
	jr_section_chart(out, c->arena, &chart);
}

struct jr_table *jr_compare_put(const struct jr_comparison *c, const struct jr_compare_rows *rows,
	const void *context, struct jr_section *out)
{
	struct jr_table *table = jr_compare_table(c, rows, context);
	out->unavailable = !table ? rows->unavailable : rows->missing ? rows->missing(c->runs) : NULL;
	if (!table || out->unavailable)
		return NULL;
	if (rows->bars.name)
		jr_compare_draw(c, &rows->bars, table, rows->n_drawn, out);
	jr_section_table(out, c->arena, table);
	return table;
}

/* --- parts ------------------------------------------------------------------------------------ */

struct jr_table *jr_compare_parts(const struct jr_comparison *c, const struct jr_table_spec *spec,
	const char *const *names, const int64_t *const values[2], size_t n)
{
	struct jr_table *table = jr_table_new(c->arena, spec, n);
	for (size_t i = 0; i < n; i++) {
		table->cells[0].text[i] = names[i];
		jr_change_i64(&table->cells[1], i, values[JR_BASE][i], values[JR_NEW][i]);
	}
	return table;
}

void jr_compare_divide(const double *ns, size_t n, double least, int64_t *out)
{
	double upto = 0;
	out[n] = 0;
	for (size_t i = 0; i < n; i++) {
		upto += isnan(ns[i]) ? 0 : fmin(fmax(ns[i], least), 0x1p53);
		out[i] = llround(upto) - out[n];
		out[n] += out[i];
	}
}
