/* Assert the invariants of every document that doc.h and README.md promise. */
#include <assert.h>
#include <string.h>

#include "base/intern.h"
#include "report/core/doc.h"

/* Used names, each of one sort. */
struct names {
	struct jr_intern texts;
	struct jr_map sorts; /* id -> sort */
};

enum sort { OBJECT, VALUE };

/* True if the first n bytes of the name are new, or are an object again. */
static bool take(struct names *names, const char *name, size_t n, enum sort sort)
{
	size_t before = names->texts.n;
	uint32_t id = jr_intern_put(&names->texts, name, n);
	if (names->texts.n > before)
		jr_map_put(&names->sorts, id, sort);
	return names->texts.n > before || (sort == OBJECT && jr_map_get(&names->sorts, id) == OBJECT);
}

/* Each JSON path has one item, and an object has no value of its own. */
static void assert_path(struct names *paths, const char *path)
{
	for (const char *dot = strchr(path, '.'); dot; dot = strchr(dot + 1, '.'))
		assert(take(paths, path, (size_t)(dot - path), OBJECT));
	assert(take(paths, path, strlen(path), VALUE));
}

static void assert_data(const struct jr_doc *doc)
{
	struct names paths = {0}, files = {0};
	jr_intern_init(&paths.texts);
	jr_intern_init(&files.texts);
	for (size_t s = 0; s < doc->data.n; s++)
		for (size_t i = 0; i < doc->data.items[s]->n; i++) {
			const struct jr_result_item *item = &doc->data.items[s]->items[i];
			if (item->kind == JR_RESULT_SCALAR && item->as.scalar->key)
				assert_path(&paths, item->as.scalar->key);
			if (item->kind == JR_RESULT_TABLE && item->as.table->spec->json)
				assert_path(&paths, item->as.table->spec->json);
			if (item->kind == JR_RESULT_TABLE) {
				const char *name = item->as.table->spec->name;
				assert(name && take(&files, name, strlen(name), VALUE));
			}
		}
	jr_intern_done(&paths.texts);
	jr_map_done(&paths.sorts);
	jr_intern_done(&files.texts);
	jr_map_done(&files.sorts);
}

static void assert_table(const struct jr_doc_table *t)
{
	assert(t->n_shown <= t->rest && t->rest <= t->table->n_rows);
	for (size_t i = 0; t->table->chosen && i < t->n_shown; i++)
		assert(
			t->table->chosen[i] < t->rest && (!i || t->table->chosen[i - 1] < t->table->chosen[i]));
	for (size_t c = 0; c < t->n_columns; c++) {
		assert(t->columns[c].index < t->table->spec->n_columns);
		assert(t->columns[c].spec == &t->table->spec->columns[t->columns[c].index]);
		assert(!t->columns[c].low == !t->columns[c].high);
	}
}

/* The document's own lists match its sections, in their order. */
static void assert_sections(const struct jr_doc *doc)
{
	size_t n_figures = 0, n_tables = 0, n_listings = 0;
	struct names ids = {0};
	jr_intern_init(&ids.texts);
	for (size_t s = 0; s < doc->sections.n; s++) {
		const struct jr_doc_section *section = &doc->sections.items[s];
		assert(section->title && take(&ids, section->id, strlen(section->id), VALUE));
		for (size_t i = 0; i < section->blocks.n; i++) {
			const struct jr_block *b = &section->blocks.items[i];
			assert(b->kind != JR_BLOCK_HEADING ||
				   (i + 1 < section->blocks.n && b[1].kind != JR_BLOCK_HEADING));
			if (b->kind == JR_BLOCK_FIGURE) {
				assert(n_figures < doc->figures.n);
				assert(doc->figures.items[n_figures] == b->as.figure);
				n_figures++;
				assert(!b->as.figure->chart != !b->as.figure->tree);
			} else if (b->kind == JR_BLOCK_TABLE) {
				assert(n_tables < doc->tables.n);
				assert(doc->tables.items[n_tables] == b->as.table);
				n_tables++;
				assert_table(b->as.table);
			} else if (b->kind == JR_BLOCK_LISTING) {
				assert(n_listings < doc->listings.n);
				assert(doc->listings.items[n_listings] == b->as.listing);
				n_listings++;
				assert(b->as.listing->number == n_listings);
			}
		}
	}
	assert(n_figures == doc->figures.n && n_tables == doc->tables.n);
	assert(n_listings == doc->listings.n);
	jr_intern_done(&ids.texts);
	jr_map_done(&ids.sorts);
}

void jr_doc_assert(const struct jr_doc *doc)
{
	assert(doc->title && doc->subtitle);
	assert_data(doc);
	assert_sections(doc);
}
