/* Choose the sections that are side by side in a wide window: two adjacent sections that need less
 * height so than one below the other. Heights are estimates; an error of one line leaves one line
 * blank. */
#include <math.h>
#include <string.h>

#include "render/scene.h"
#include "report/html/html.h"

/* Sizes in the style sheet, px. */
enum { TITLE = 95, GAP = 20, LINE = 24, FOLD = 37 };
enum { LINE_BYTES = 90, TABLE_ROWS = 12, FACTS_A_LINE = 3 };

/* Height of a section: as one column of half the window, and as two. */
struct room {
	double one, two;
	bool full; /* some block needs the full width */
};

static double text_height(const char *text)
{
	size_t n = text ? 1 + strlen(text) / LINE_BYTES : 0;
	return LINE * (double)n;
}

static double figure_height(const struct jr_figure *f, bool *full)
{
	*full = f->tree || !f->chart || f->chart->kind == JR_CHART_LANES;
	if (!*full && f->chart->kind == JR_CHART_STACKED && f->chart->parts)
		return TITLE + LINE * (double)(f->chart->table->n_rows + 1);
	return TITLE + (f->scene ? f->scene->height : 0);
}

static double table_height(const struct jr_doc_table *t, bool *full)
{
	if (t->folded)
		return FOLD;
	*full = jr_html_table_is_broad(t);
	return TITLE + LINE * (double)(1 + jr_doc_rows(t, TABLE_ROWS));
}

static double list_height(const struct jr_list *list)
{
	double height = GAP;
	for (size_t i = 0; i < list->n; i++)
		height += text_height(list->entries[i].text);
	return height;
}

/* A section of the glossary is one folded line. */
static double terms_height(const struct jr_terms *terms)
{
	double height = GAP;
	for (size_t i = 0; i < terms->n; i++)
		if (!i || strcmp(terms->terms[i - 1].id, terms->terms[i].id) != 0)
			height += LINE;
	return height;
}

static double block_height(const struct jr_block *block, bool *full)
{
	switch (block->kind) {
	case JR_BLOCK_TEXT: return text_height(block->as.text);
	case JR_BLOCK_HEADING: return 2 * LINE;
	case JR_BLOCK_FACTS: return 2 * LINE * ceil((double)block->as.facts.n / FACTS_A_LINE);
	case JR_BLOCK_TABLE: return table_height(block->as.table, full);
	case JR_BLOCK_FIGURE: return figure_height(block->as.figure, full);
	case JR_BLOCK_LIST: return list_height(&block->as.list);
	case JR_BLOCK_TERMS: return terms_height(&block->as.terms);
	case JR_BLOCK_TILES:
	case JR_BLOCK_FINDINGS:
	case JR_BLOCK_LISTING: *full = true; break;
	}
	return 0;
}

static struct room room_of(const struct jr_doc_section *section)
{
	struct room room = {0};
	double most = 0;
	for (size_t i = 0; i < section->blocks.n && !room.full; i++) {
		double height = block_height(&section->blocks.items[i], &room.full);
		room.one += height;
		most = fmax(most, height);
	}
	room.two = TITLE + fmax(most, room.one / 2);
	room.one += TITLE;
	return room;
}

void jr_html_pairs(const struct jr_doc *doc, bool *paired)
{
	/* least height of the sections so far, and of those without the last one */
	double least = 0, before = 0;
	struct room last = {.full = true};
	const char *live = doc->slices.size ? jr_html_timeline_section(doc) : NULL;
	for (size_t i = 0; i < doc->sections.n; i++) {
		struct room room = room_of(&doc->sections.items[i]);
		room.full |= live && strcmp(live + 1, doc->sections.items[i].id) == 0;
		double alone = least + room.two;
		double beside = before + fmax(last.one, room.one);
		paired[i] = !room.full && !last.full && beside < alone;
		before = least;
		least = paired[i] ? beside : alone;
		last = room;
	}
	/* from the end: if a section is the second of a pair, the one before it is the first */
	for (size_t i = doc->sections.n; i-- > 1;)
		if (paired[i]) {
			paired[i - 1] = true;
			i--;
		}
}
