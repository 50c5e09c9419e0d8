/* Tables of the page. Everything is there without a script: the first rows, and the others behind
 * a check box; templates/page.js adds sorting, filtering and copying. */
#include <string.h>

#include "report/html.h"

#define MAX_ROWS 200  /* more make the page heavy; CSV and JSON have all */
#define FIRST_ROWS 20 /* shown at once */
#define SHORT_TEXT 32
#define LONG_TEXT 44  /* bytes; longer code may be cut in the middle by the style sheet */
#define TAIL_TEXT 30  /* of these, kept at the end */

/* What the cells of a column look like: "n" numbers, "c" code, "s" short text, "long" too long for
 * one line. */
static const char *column_class(const struct jr_doc_table *t, size_t c, size_t limit)
{
	const struct jr_doc_column *column = &t->columns[c];
	if (column->format.numeric)
		return "n";
	bool code = column->spec->flags & JR_COL_CODE;
	size_t longest = 0;
	for (size_t i = 0; i < jr_doc_rows(t, limit) && column->spec->type == JR_TEXT; i++) {
		const char *text = t->table->cells[column->index].text[jr_doc_row(t, limit, i)];
		size_t n = text ? strlen(text) : 0;
		if (n > longest)
			longest = n;
	}
	if (code)
		return longest > LONG_TEXT ? "c long" : "c";
	return longest <= SHORT_TEXT ? "s" : NULL;
}

static void add_header(xmlNodePtr table, const struct jr_doc_table *t, const char *const *classes)
{
	xmlNodePtr row = jr_html_element(jr_html_element(table, "thead", NULL), "tr", NULL);
	for (size_t c = 0; c < t->n_columns; c++) {
		const struct jr_doc_column *column = &t->columns[c];
		xmlNodePtr th = jr_html_element(row, "th", classes[c]);
		jr_html_attribute(th, "scope", "col");
		if (column->spec->help)
			jr_html_attribute(th, "title", column->spec->help);
		jr_html_text(th, column->spec->title);
		if (*column->format.suffix) {
			jr_html_text(th, " ");
			jr_html_leaf(th, "span", "unit", column->format.suffix);
		}
	}
}

static void add_bar(xmlNodePtr cell, double share)
{
	char width[JR_NUM_MAX];
	xmlNodePtr svg = jr_html_element(cell, "svg", "bar");
	jr_html_attribute(svg, "width", "64");
	jr_html_attribute(svg, "height", "8");
	jr_html_attribute(svg, "aria-hidden", "true");
	xmlNodePtr rect = jr_html_element(svg, "rect", NULL);
	jr_num_grouped(width, share * 64, 1);
	jr_html_attribute(rect, "width", width);
	jr_html_attribute(rect, "height", "8");
}

/* Where the tail of a long name begins: behind its last '/', if that leaves a tail of useful
 * length, else at a character boundary. */
static size_t tail_of(const char *text, size_t n)
{
	const char *slash = strrchr(text, '/');
	size_t at = slash ? (size_t)(slash - text) : 0;
	if (slash && n - at >= 8 && n - at <= TAIL_TEXT)
		return at;
	at = n - TAIL_TEXT;
	while (at < n && ((unsigned char)text[at] & 0xC0) == 0x80)
		at++;
	return at;
}

static void add_code(xmlNodePtr cell, const char *text)
{
	size_t n = strlen(text);
	if (n <= LONG_TEXT) {
		jr_html_text(cell, text);
		return;
	}
	xmlNodePtr cut = jr_html_element(cell, "span", "cut");
	struct jr_buf head = {0};
	size_t at = tail_of(text, n);
	jr_buf_add(&head, text, at);
	jr_html_leaf(cut, "span", NULL, head.data);
	jr_html_leaf(cut, "span", NULL, text + at);
	jr_buf_done(&head);
}

static void add_cell(xmlNodePtr row, const struct jr_doc_table *t,
	const struct jr_doc_column *column, size_t r, const char *class_name, bool heads_row)
{
	char room[JR_NUM_MAX];
	struct jr_value v = jr_value_of_cell(t->table, column->index, r);
	bool code = column->spec->flags & JR_COL_CODE && !jr_value_is_null(&v);
	xmlNodePtr cell = jr_html_element(row, heads_row ? "th" : "td", class_name);
	if (heads_row)
		jr_html_attribute(cell, "scope", "row");
	if (column->format.each && !jr_value_is_null(&v)) {
		jr_num_double(room, jr_value_number(&v));
		jr_html_attribute(cell, "data-v", room);
	}
	if (column->spec->flags & JR_COL_BAR && column->format.numeric)
		add_bar(cell, jr_value_bar(&column->format, &v));
	const char *text = jr_value_text(&column->format, &v, room);
	if (code)
		add_code(cell, text);
	else
		jr_html_text(cell, text);
}

static void add_rows(xmlNodePtr table, const struct jr_doc_table *t, const char *const *classes,
	const char *class_name, size_t from, size_t to)
{
	if (from >= to)
		return;
	xmlNodePtr body = jr_html_element(table, "tbody", class_name);
	size_t head = SIZE_MAX; /* the first column of the key names the row */
	for (size_t c = t->n_columns; c-- > 0;)
		if (t->columns[c].spec->flags & JR_COL_KEY)
			head = c;
	for (size_t i = from; i < to; i++) {
		xmlNodePtr row = jr_html_element(body, "tr", NULL);
		for (size_t c = 0; c < t->n_columns; c++)
			add_cell(row, t, &t->columns[c], i, classes[c], c == head);
	}
}

static void add_caption(xmlNodePtr table, const struct jr_table_spec *spec, const char *id,
	const char *section_title)
{
	xmlNodePtr caption = jr_html_element(table, "caption", NULL);
	jr_html_attribute(caption, "id", id);
	bool repeats = spec->title && strcmp(spec->title, section_title) == 0;
	jr_html_leaf(caption, "span", repeats ? "name hidden" : "name", spec->title);
	if (spec->help) {
		jr_html_text(caption, " ");
		jr_html_leaf(caption, "span", "about", spec->help);
	}
}

static void add_toggle(xmlNodePtr box, struct jr_arena *names, const char *name, size_t n)
{
	const char *id = jr_arena_printf(names, "all-%s", name);
	xmlNodePtr input = jr_html_element(box, "input", "toggle");
	jr_html_attribute(input, "type", "checkbox");
	jr_html_attribute(input, "id", id);
	xmlNodePtr label = jr_html_element(box, "label", "toggle");
	jr_html_attribute(label, "for", id);
	jr_html_leaf(label, "span", "more", jr_arena_printf(names, "Show all %zu rows", n));
	jr_html_leaf(label, "span", "less", jr_arena_printf(names, "Show the first %d", FIRST_ROWS));
}

/* How many rows the page leaves out, and where they are. */
static void add_remainder(xmlNodePtr box, struct jr_arena *names, const struct jr_doc_table *t,
	size_t shown)
{
	char all[JR_NUM_MAX], here[JR_NUM_MAX];
	size_t rows = t->rest;
	if (shown >= rows && !t->file)
		return;
	jr_num_grouped_i64(all, (int64_t)rows);
	jr_num_grouped_i64(here, (int64_t)shown);
	xmlNodePtr p = jr_html_element(box, "p", "remainder");
	if (shown < rows)
		jr_html_text(p, jr_arena_printf(names, "%s of %s rows. ", here, all));
	if (!t->file)
		return;
	xmlNodePtr link = jr_html_leaf(p, "a", NULL, t->file);
	jr_html_attribute(link, "href", t->file);
	if (shown < rows)
		jr_html_text(p, " has them all.");
}

void jr_html_table(xmlNodePtr parent, const struct jr_doc_table *t, const char *section_title)
{
	const struct jr_table_spec *spec = t->table->spec;
	struct jr_arena names;
	jr_arena_init(&names, 0);
	xmlNodePtr box = jr_html_element(parent, "div", "table");
	jr_html_attribute(box, "id", jr_arena_printf(&names, "t-%s", spec->name));
	size_t shown = t->n_shown < MAX_ROWS ? t->n_shown : MAX_ROWS;
	size_t first = shown <= FIRST_ROWS + 3 ? shown : FIRST_ROWS;
	/* the check box and its label stand ahead of what they govern; the style sheet moves the label
	 * below */
	if (first < shown)
		add_toggle(box, &names, spec->name, shown);
	xmlNodePtr scroll = jr_html_element(box, "div", "scroll");
	const char *caption = jr_arena_printf(&names, "c-%s", spec->name);
	jr_html_attribute(scroll, "role", "region");
	jr_html_attribute(scroll, "aria-labelledby", caption);
	jr_html_attribute(scroll, "tabindex", "0");
	const char **classes = JR_ARENA_N(&names, const char *, t->n_columns);
	bool wide = false;
	for (size_t c = 0; c < t->n_columns; c++) {
		classes[c] = column_class(t, c, MAX_ROWS);
		wide |= classes[c] && strcmp(classes[c], "c long") == 0;
	}
	xmlNodePtr table = jr_html_element(scroll, "table", wide ? "wide" : NULL);
	add_caption(table, spec, caption, section_title);
	if (t->table->n_rows) {
		add_header(table, t, classes);
		add_rows(table, t, classes, NULL, 0, first);
		add_rows(table, t, classes, "rest", first, shown);
		add_rows(table, t, classes, "always", t->rest, t->table->n_rows);
	} else {
		jr_html_leaf(box, "p", "none", "No rows.");
	}
	add_remainder(box, &names, t, shown);
	jr_arena_done(&names);
}
