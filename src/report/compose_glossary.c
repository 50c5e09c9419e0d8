/* The glossary: every definition that came with a figure, once. */
#include <stdlib.h>
#include <string.h>

#include "report/compose.h"

typedef JR_VEC(struct jr_term) term_list;

static void add_term(term_list *list, const char *name, const char *definition, const char *section)
{
	if (name && definition && *name && *definition)
		*jr_vec_add(list) = (struct jr_term){name, definition, section};
}

static int lower(int c)
{
	return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

/* Case plays no part in the order, except between names that differ in nothing else. */
static int compare_names(const char *a, const char *b)
{
	for (size_t i = 0;; i++) {
		int x = lower((unsigned char)a[i]), y = lower((unsigned char)b[i]);
		if (x != y)
			return x < y ? -1 : 1;
		if (!x)
			return strcmp(a, b);
	}
}

static int compare_terms(const void *a, const void *b)
{
	const struct jr_term *x = a, *y = b;
	int order = compare_names(x->name, y->name);
	if (!order)
		order = strcmp(x->definition, y->definition);
	return order ? order : strcmp(x->section, y->section);
}

static void add_columns(term_list *list, const struct jr_table_spec *spec, const char *section)
{
	if (spec->data_only)
		return;
	for (size_t c = 0; c < spec->n_columns; c++)
		if (!(spec->columns[c].flags & JR_COL_DATA_ONLY))
			add_term(list, spec->columns[c].title, spec->columns[c].help, section);
}

static void add_section_terms(term_list *list, const struct jr_section *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct jr_result_item *item = &s->items[i];
		if (item->kind == JR_RESULT_SCALAR && (!item->as.scalar->hidden || item->as.scalar->tile))
			add_term(list, item->as.scalar->title, item->as.scalar->help, s->pass->title);
		else if (item->kind == JR_RESULT_TABLE)
			add_columns(list, item->as.table->spec, s->pass->title);
	}
}

/* Equal name and definition: one entry that names all its sections. */
static size_t merge_terms(struct jr_doc *doc, struct jr_term *terms, size_t n)
{
	size_t kept = 0;
	for (size_t i = 0; i < n; i++) {
		struct jr_term *last = kept ? &terms[kept - 1] : NULL;
		if (!last || strcmp(last->name, terms[i].name) != 0 ||
			strcmp(last->definition, terms[i].definition) != 0) {
			terms[kept++] = terms[i];
			continue;
		}
		size_t length = strlen(last->section), own = strlen(terms[i].section);
		if (length < own || strcmp(last->section + length - own, terms[i].section) != 0)
			last->section = jr_arena_printf(&doc->arena, "%s, %s", last->section, terms[i].section);
	}
	return kept;
}

struct jr_terms jr_compose_glossary(struct jr_doc *doc)
{
	term_list list = {0};
	for (size_t i = 0; i < doc->data.n; i++)
		add_section_terms(&list, doc->data.items[i]);
	struct jr_terms out = {.n = list.n};
	out.terms = JR_ARENA_N(&doc->arena, struct jr_term, list.n + 1);
	if (list.n) {
		memcpy(out.terms, list.items, list.n * sizeof(*list.items));
		qsort(out.terms, out.n, sizeof(*out.terms), compare_terms);
	}
	jr_vec_done(&list);
	out.n = merge_terms(doc, out.terms, out.n);
	return out;
}
