#include "analysis/core/result.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* --- tables --------------------------------------------------------------------------------- */

static size_t cell_size(enum jr_type type)
{
	switch (type) {
	case JR_TEXT: return sizeof(const char *);
	case JR_I64: return sizeof(int64_t);
	case JR_F64: return sizeof(double);
	case JR_BOOL: return sizeof(uint8_t);
	case JR_ROWS: return sizeof(struct jr_table *);
	}
	return 0;
}

/* All members of the union are object pointers, so `void *` can represent each of them. */
static void *cells_get(const union jr_cells *cells, enum jr_type type)
{
	switch (type) {
	case JR_TEXT: return (void *)cells->text;
	case JR_I64: return cells->i64;
	case JR_F64: return cells->f64;
	case JR_BOOL: return cells->boolean;
	case JR_ROWS: return (void *)cells->rows;
	}
	return NULL;
}

static void cells_new(union jr_cells *cells, enum jr_type type, struct jr_arena *arena, size_t n)
{
	switch (type) {
	case JR_TEXT: cells->text = JR_ARENA_N(arena, const char *, n); break;
	case JR_I64:
		cells->i64 = JR_ARENA_N(arena, int64_t, n);
		for (size_t i = 0; i < n; i++)
			cells->i64[i] = JR_NULL_I64;
		break;
	case JR_F64:
		cells->f64 = JR_ARENA_N(arena, double, n);
		for (size_t i = 0; i < n; i++)
			cells->f64[i] = NAN;
		break;
	case JR_BOOL:
		cells->boolean = JR_ARENA_N(arena, uint8_t, n);
		memset(cells->boolean, JR_NULL_BOOL, n);
		break;
	case JR_ROWS: cells->rows = JR_ARENA_N(arena, struct jr_table *, n); break;
	}
}

const char *jr_cause_name(enum jr_cause cause)
{
	static const char *const names[JR_N_CAUSES] = {
		[JR_CAUSE_HOST] = "host",
		[JR_CAUSE_LAUNCH] = "launch",
		[JR_CAUSE_COMPUTE] = "compute",
		[JR_CAUSE_TRANSFER] = "transfer",
		[JR_CAUSE_WAITING] = "waiting",
		[JR_CAUSE_MEMORY] = "memory",
		[JR_CAUSE_COMPILATION] = "compilation",
		[JR_CAUSE_DRIFT] = "drift",
		[JR_CAUSE_MEASUREMENT] = "measurement",
	};
	return names[cause];
}

struct jr_table *jr_table_new(
	struct jr_arena *arena, const struct jr_table_spec *spec, size_t n_rows)
{
	struct jr_table *table = JR_ARENA_NEW(arena, struct jr_table);
	table->spec = spec;
	table->n_rows = table->n_data = table->n_rendered = n_rows;
	table->cells = JR_ARENA_N(arena, union jr_cells, spec->n_columns);
	for (size_t c = 0; c < spec->n_columns; c++)
		cells_new(&table->cells[c], spec->columns[c].type, arena, n_rows);
	return table;
}

void jr_table_permute(struct jr_table *table, const uint32_t *order, struct jr_arena *scratch)
{
	size_t n = table->n_rows;
	char *copy = jr_arena_alloc_n(scratch, n, sizeof(uint64_t));
	for (size_t c = 0; c < table->spec->n_columns; c++) {
		enum jr_type type = table->spec->columns[c].type;
		size_t size = cell_size(type);
		char *cells = cells_get(&table->cells[c], type);
		memcpy(copy, cells, n * size);
		for (size_t i = 0; i < n; i++)
			memcpy(cells + i * size, copy + order[i] * size, size);
	}
}

size_t jr_table_column(const struct jr_table *table, const char *key)
{
	for (size_t c = 0; c < table->spec->n_columns; c++)
		if (strcmp(table->spec->columns[c].key, key) == 0)
			return c;
	return SIZE_MAX;
}

double jr_table_number(const struct jr_table *table, size_t column, size_t row)
{
	const union jr_cells *cells = &table->cells[column];
	switch (table->spec->columns[column].type) {
	case JR_I64: return cells->i64[row] == JR_NULL_I64 ? NAN : (double)cells->i64[row];
	case JR_F64: return cells->f64[row];
	case JR_BOOL: return cells->boolean[row] == JR_NULL_BOOL ? NAN : cells->boolean[row];
	case JR_TEXT:
	case JR_ROWS: break;
	}
	return NAN;
}

const char *jr_table_text(const struct jr_table *table, const char *key, size_t row)
{
	size_t c = jr_table_column(table, key);
	bool is_text = c != SIZE_MAX && table->spec->columns[c].type == JR_TEXT;
	return is_text && table->cells[c].text[row] ? table->cells[c].text[row] : "";
}

/* --- sections ------------------------------------------------------------------------------- */

static struct jr_result_item *add_item(
	struct jr_section *s, struct jr_arena *arena, enum jr_result_kind kind)
{
	if (s->n == s->capacity) {
		size_t capacity = s->capacity ? s->capacity * 2 : 8;
		struct jr_result_item *items = JR_ARENA_N(arena, struct jr_result_item, capacity);
		if (s->n)
			memcpy(items, s->items, s->n * sizeof(*items));
		s->items = items;
		s->capacity = capacity;
	}
	struct jr_result_item *item = &s->items[s->n++];
	item->kind = kind;
	return item;
}

void jr_section_text(struct jr_section *s, struct jr_arena *arena, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	int n = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	char *text = JR_ARENA_N(arena, char, n > 0 ? (size_t)n + 1 : 1);
	if (n > 0) {
		va_start(args, fmt);
		vsnprintf(text, (size_t)n + 1, fmt, args);
		va_end(args);
	}
	add_item(s, arena, JR_RESULT_TEXT)->as.text = text;
}

void jr_section_answer(struct jr_section *s, struct jr_arena *arena, const struct jr_answer *answer)
{
	struct jr_answer *copy = JR_ARENA_NEW(arena, struct jr_answer);
	*copy = *answer;
	add_item(s, arena, JR_RESULT_ANSWER)->as.answer = copy;
}

const char *jr_answer_text(struct jr_arena *arena, const struct jr_answer *answer)
{
	return jr_arena_printf(arena, "%s.%s%s", answer->headline, answer->lede ? " " : "",
		answer->lede ? answer->lede : "");
}

struct jr_scalar *jr_section_scalar(
	struct jr_section *s, struct jr_arena *arena, const struct jr_scalar *scalar)
{
	struct jr_scalar *copy = JR_ARENA_NEW(arena, struct jr_scalar);
	*copy = *scalar;
	add_item(s, arena, JR_RESULT_SCALAR)->as.scalar = copy;
	return copy;
}

void jr_section_table(struct jr_section *s, struct jr_arena *arena, struct jr_table *table)
{
	add_item(s, arena, JR_RESULT_TABLE)->as.table = table;
}

void jr_section_chart(struct jr_section *s, struct jr_arena *arena, const struct jr_chart *chart)
{
	struct jr_chart *copy = JR_ARENA_NEW(arena, struct jr_chart);
	*copy = *chart;
	add_item(s, arena, JR_RESULT_CHART)->as.chart = copy;
}

void jr_section_tree(struct jr_section *s, struct jr_arena *arena, struct jr_tree *tree)
{
	add_item(s, arena, JR_RESULT_TREE)->as.tree = tree;
}

void jr_section_listing(struct jr_section *s, struct jr_arena *arena, struct jr_listing *listing)
{
	add_item(s, arena, JR_RESULT_LISTING)->as.listing = listing;
}

/* --- looking up ----------------------------------------------------------------------------- */

static const char *item_name(const struct jr_result_item *item)
{
	switch (item->kind) {
	case JR_RESULT_SCALAR: return item->as.scalar->key;
	case JR_RESULT_TABLE: return item->as.table->spec->name;
	case JR_RESULT_CHART: return item->as.chart->name;
	case JR_RESULT_TREE: return item->as.tree->name;
	case JR_RESULT_LISTING:
	case JR_RESULT_ANSWER:
	case JR_RESULT_TEXT: break;
	}
	return NULL;
}

static const struct jr_result_item *find(
	const struct jr_results *r, enum jr_result_kind kind, const char *name)
{
	for (size_t s = 0; s < r->n_sections; s++) {
		for (size_t i = 0; i < r->sections[s].n; i++) {
			const struct jr_result_item *item = &r->sections[s].items[i];
			const char *own = item->kind == kind ? item_name(item) : NULL;
			if (own && strcmp(own, name) == 0)
				return item;
		}
	}
	return NULL;
}

const struct jr_answer *jr_results_answer(const struct jr_results *r)
{
	for (size_t s = 0; s < r->n_sections; s++)
		for (size_t i = 0; i < r->sections[s].n; i++)
			if (r->sections[s].items[i].kind == JR_RESULT_ANSWER)
				return r->sections[s].items[i].as.answer;
	return NULL;
}

const struct jr_table *jr_results_table(const struct jr_results *r, const char *name)
{
	const struct jr_result_item *item = find(r, JR_RESULT_TABLE, name);
	return item ? item->as.table : NULL;
}

const struct jr_scalar *jr_results_scalar(const struct jr_results *r, const char *key)
{
	const struct jr_result_item *item = find(r, JR_RESULT_SCALAR, key);
	return item ? item->as.scalar : NULL;
}

const struct jr_tree *jr_results_tree(const struct jr_results *r, const char *name)
{
	const struct jr_result_item *item = find(r, JR_RESULT_TREE, name);
	return item ? item->as.tree : NULL;
}
