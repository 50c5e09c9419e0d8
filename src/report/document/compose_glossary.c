/* The glossary: every definition of a value or column, section by section. */
#include <string.h>

#include "report/document/compose.h"

struct glossary {
	struct jr_doc *doc;
	JR_VEC(struct jr_term) terms;
	size_t begin; /* first term of the current section */
};

/* A name with the same definition in two tables of a section is listed once. */
static void add_term(
	struct glossary *g, const char *name, const char *help, const struct jr_pass *pass)
{
	if (!name || !help || !*name || !*help)
		return;
	const char *definition = jr_doc_sentence(g->doc, help);
	for (size_t i = g->begin; i < g->terms.n; i++)
		if (strcmp(g->terms.items[i].name, name) == 0 &&
			strcmp(g->terms.items[i].definition, definition) == 0)
			return;
	*jr_vec_add(&g->terms) =
		(struct jr_term){name, definition, jr_doc_words(g->doc, pass->title), pass->name};
}

static void add_columns(
	struct glossary *g, const struct jr_table *table, const struct jr_pass *pass)
{
	const struct jr_table_spec *spec = table->spec;
	if (spec->data_only || table->n_rows == 0) /* not in the document */
		return;
	for (size_t c = 0; c < spec->n_columns; c++)
		if (!(spec->columns[c].flags & JR_COL_DATA_ONLY))
			add_term(g, spec->columns[c].title, spec->columns[c].help, pass);
}

static void add_section_terms(struct glossary *g, const struct jr_section *s)
{
	g->begin = g->terms.n;
	for (size_t i = 0; i < s->n; i++) {
		const struct jr_result_item *item = &s->items[i];
		if (item->kind == JR_RESULT_SCALAR && (!item->as.scalar->hidden || item->as.scalar->tile))
			add_term(g, item->as.scalar->title, item->as.scalar->help, s->pass);
		else if (item->kind == JR_RESULT_TABLE)
			add_columns(g, item->as.table, s->pass);
	}
}

struct jr_terms jr_compose_glossary(struct jr_doc *doc)
{
	struct glossary g = {.doc = doc};
	for (size_t i = 0; i < doc->data.n; i++)
		add_section_terms(&g, doc->data.items[i]);
	struct jr_terms out = {.n = g.terms.n};
	out.terms = JR_ARENA_COPY(&doc->arena, g.terms.items, out.n, 1);
	jr_vec_done(&g.terms);
	return out;
}
