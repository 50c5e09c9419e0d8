/* Tables of the page. Everything works without a script: the first rows are visible, and a check
 * box shows the others. templates/page.js adds sorting, filtering and copying. */
#include <string.h>

#include "report/core/labels.h"
#include "report/html/html.h"

#define MAX_ROWS 100  /* more rows make the page slow; CSV and JSON have all */
#define SHOWN_ROWS 50 /* the same if an earlier figure shows the table */
#define FIRST_ROWS 10 /* visible at once */
#define AHEAD_ROWS 6  /* for a table before the main content */
#define SHORT_TEXT 32
#define LINE_TEXT 150 /* characters of a row that fit on a common screen */
#define HALF_TEXT 118 /* and on half of a wide one */
#define LONG_TEXT 44  /* bytes; longer code may be cut in the middle by the style sheet */
#define DENSE_NAME 24 /* the same in the first such column of a crowded row */
#define DENSE_TEXT 18 /* and in its other columns */

/* Width of a column's texts in bytes; numbers count as their header. `starts`: of the visible part
 * of sources, or NULL. */
static size_t column_length(const struct jr_doc_table *t, size_t c, const size_t *starts)
{
	const struct jr_doc_column *column = &t->columns[c];
	size_t longest = column->format.numeric ? 9 : strlen(column->spec->title);
	for (size_t i = 0; i < jr_doc_rows(t, MAX_ROWS) && column->spec->type == JR_TEXT; i++) {
		const char *text = t->table->cells[column->index].text[jr_doc_row(t, MAX_ROWS, i)];
		size_t n = text ? strlen(text) - (starts ? starts[i] : 0) : 0;
		if (n > longest)
			longest = n;
	}
	if (column->spread)
		longest += 10;
	if (column->low)
		longest += 20;
	return column->spec->flags & JR_COL_BAR ? longest + 10 : longest;
}

/* A table without the columns that the page shows within cells of other columns. */
static struct jr_doc_table joined(const struct jr_doc_table *t, struct jr_arena *arena)
{
	struct jr_doc_table page = *t;
	page.columns = JR_ARENA_N(arena, struct jr_doc_column, t->n_columns);
	page.n_columns = 0;
	for (size_t c = 0; c < t->n_columns; c++)
		if (!t->columns[c].within)
			page.columns[page.n_columns++] = t->columns[c];
	return page;
}

/* Class of a column's cells: "n" numbers, "q" text of numbers with units, "c" code, "s" short text,
 * "t" longer text. */
static const char *column_class(const struct jr_doc_column *column, size_t length)
{
	if (column->format.numeric)
		return "n";
	if (column->format.right)
		return "q";
	if (column->spec->flags & JR_COL_CODE)
		return "c";
	return length <= SHORT_TEXT ? "s" : "t";
}

/* Characters left for long names by the other columns of the row. */
static size_t cut_width(const struct jr_doc_table *t, const size_t *lengths)
{
	size_t n_long = 0, others = 0;
	for (size_t c = 0; c < t->n_columns; c++) {
		if (t->columns[c].spec->flags & JR_COL_CODE && lengths[c] > LONG_TEXT)
			n_long++;
		else
			others += lengths[c] + 3;
	}
	size_t room = n_long && others < LINE_TEXT ? (LINE_TEXT - others) / n_long : 0;
	return !n_long ? LONG_TEXT : room >= 80 ? 80 : room >= 55 ? 55 : room >= 38 ? 38 : 26;
}

/* Characters of a row whose long names are cut to `cut`. */
static size_t row_length(const struct jr_doc_table *t, const size_t *lengths, size_t cut)
{
	size_t sum = 0;
	for (size_t c = 0; c < t->n_columns; c++) {
		bool code = t->columns[c].spec->flags & JR_COL_CODE;
		sum += (code && lengths[c] > LONG_TEXT ? cut : lengths[c]) + 3;
	}
	return sum;
}

/* Properties that all cells of a table share. */
struct look {
	const struct jr_doc_table *table;
	const char **classes; /* [n_columns] */
	size_t *lengths;      /* [n_columns] bytes of the longest text */
	size_t head;          /* column with the row's name, SIZE_MAX = none */
	size_t *cut;          /* [n_columns] bytes of a name from which on it may be cut */
	size_t **at;          /* [n_columns][rows listed] of names: see jr_labels_apart(), of sources:
						   * jr_labels_sources(); or NULL */
	size_t *prefix;       /* [n_columns] bytes that all names begin with */
	size_t *beginning;    /* [n_columns] the same of names that only differ as a whole */
	size_t *wide;         /* [n_columns] most characters of such a column, 0 = its text */
	bool dense;           /* less space between columns */
	bool broad;           /* half of a wide window is too narrow */
	bool timeline;        /* its rows are linked */
	bool gives;           /* there is a column with names that may be cut */
};

/* Columns with names that may be cut have the width of their names if there is room, and shrink if
 * not. These numbers tell the style sheet their largest width. */
static void add_widths(xmlNodePtr table, const struct look *look)
{
	static const size_t steps[] = {20, 26, 32, 38, 44, 55, 80};
	struct jr_buf name = {0};
	xmlNodePtr group = jr_html_element(table, "colgroup", NULL);
	for (size_t c = 0; c < look->table->n_columns; c++) {
		size_t wide = look->wide[c], step = 0;
		xmlNodePtr column = jr_html_element(group, "col", NULL);
		if (!wide)
			continue;
		while (step + 1 < sizeof(steps) / sizeof(*steps) && steps[step] < wide)
			step++;
		name.size = 0;
		jr_buf_printf(&name, "w%zu", steps[step]);
		jr_html_attribute(column, "class", name.data);
	}
	jr_buf_done(&name);
}

/* The names of the parts are for copied rows (page.js). */
static void add_joined_header(xmlNodePtr th, const struct jr_doc_column *column)
{
	const struct jr_doc_column *spread = column->spread, *low = column->low, *high = column->high;
	struct jr_buf text = {0};
	jr_buf_puts(&text, column->spec->help ? column->spec->help : column->spec->title);
	if (spread)
		jr_buf_printf(&text, "; ±: %s", spread->spec->help);
	if (low)
		jr_buf_printf(&text, "; in parentheses: %s, %s", low->spec->help, high->spec->help);
	jr_html_attribute(th, "title", text.data);
	text.size = 0;
	jr_buf_puts(&text, column->spec->title);
	if (spread)
		jr_buf_printf(&text, "|%s", spread->spec->title);
	if (low)
		jr_buf_printf(&text, "|%s|%s", low->spec->title, high->spec->title);
	jr_html_attribute(th, "data-parts", text.data);
	jr_html_text(th, column->spec->title);
	jr_html_text(th, spread ? " ±" : "");
	jr_html_text(th, low ? " (95 %)" : "");
	jr_buf_done(&text);
}

static void add_header(xmlNodePtr table, const struct jr_doc_table *t, const char *const *classes)
{
	xmlNodePtr row = jr_html_element(jr_html_element(table, "thead", NULL), "tr", NULL);
	for (size_t c = 0; c < t->n_columns; c++) {
		const struct jr_doc_column *column = &t->columns[c];
		bool bar = column->spec->flags & JR_COL_BAR && column->format.numeric;
		xmlNodePtr th = jr_html_element(row, "th", bar ? "n bar" : classes[c]);
		jr_html_attribute(th, "scope", "col");
		if (column->spread || column->low) {
			add_joined_header(th, column);
		} else {
			if (column->spec->help)
				jr_html_attribute(th, "title", column->spec->help);
			jr_html_text(th, column->spec->title);
		}
		if (*column->format.suffix) {
			jr_html_text(th, " ");
			jr_html_leaf(th, "span", "unit", column->format.suffix);
		}
	}
}

static void add_bar(xmlNodePtr cell, double share, double full)
{
	const double SEEN = 0.3; /* px */
	char width[JR_NUM_MAX];
	if (share * full < SEEN)
		return; /* most rows are in such a long tail */
	xmlNodePtr svg = jr_html_element(cell, "svg", NULL);
	jr_num_grouped(width, full, 0);
	jr_html_attribute(svg, "width", width);
	jr_html_attribute(svg, "height", "8");
	jr_html_attribute(svg, "aria-hidden", "true");
	xmlNodePtr rect = jr_html_element(svg, "rect", NULL);
	jr_num_grouped(width, share * full, 1);
	jr_html_attribute(rect, "width", width);
	jr_html_attribute(rect, "height", "8");
}

static void add_code(
	xmlNodePtr cell, const struct look *look, size_t c, const char *text, size_t at)
{
	size_t prefix = at == JR_LABEL_WHOLE ? look->beginning[c] : look->prefix[c];
	jr_html_name(cell, text, look->cut[c], at, prefix);
}

static bool has_part(
	const struct jr_doc_table *t, const struct jr_doc_column *part, size_t r, struct jr_value *v)
{
	if (!part)
		return false;
	*v = jr_value_of_cell(t->table, part->index, r);
	return !jr_value_is_null(v);
}

/* Add a value in the format of the column whose cell it is in. */
static void add_part_of(xmlNodePtr cell, const struct jr_doc_column *column, const char *ahead,
	const struct jr_value *v)
{
	char room[JR_NUM_MAX];
	jr_html_text(cell, ahead);
	jr_html_text(cell, jr_value_text(&column->format, v, room));
}

/* Add "± 0.002", "(−1.50 … −0.40)" after the value. */
static void add_parts(
	xmlNodePtr cell, const struct jr_doc_table *t, const struct jr_doc_column *column, size_t r)
{
	struct jr_value v, high;
	if (has_part(t, column->spread, r, &v))
		add_part_of(cell, column, " ± ", &v);
	if (has_part(t, column->low, r, &v) && has_part(t, column->high, r, &high)) {
		add_part_of(cell, column, " (", &v);
		add_part_of(cell, column, " … ", &high);
		jr_html_text(cell, ")");
	}
}

/* Add the cell of table row `r`, which is the k-th one listed. */
static void add_cell(xmlNodePtr row, const struct look *look, size_t c, size_t r, size_t k)
{
	const struct jr_doc_table *t = look->table;
	const struct jr_doc_column *column = &t->columns[c];
	char room[JR_NUM_MAX];
	struct jr_value v = jr_value_of_cell(t->table, column->index, r);
	bool code = column->spec->flags & JR_COL_CODE && !jr_value_is_null(&v);
	/* most cells of a page are numbers, so these have no class */
	const char *class_name = column->format.numeric && c != look->head ? NULL : look->classes[c];
	xmlNodePtr cell = jr_html_element(row, c == look->head ? "th" : "td", class_name);
	if (c == look->head)
		jr_html_attribute(cell, "scope", "row");
	if (column->format.each && !jr_value_is_null(&v)) {
		jr_num_double(room, jr_value_number(&v));
		jr_html_attribute(cell, "data-v", room);
	}
	if (column->spec->flags & JR_COL_BAR && column->format.numeric)
		add_bar(cell, jr_value_bar(&column->format, &v), look->dense ? 40 : 64);
	const char *text = jr_value_text(&column->format, &v, room);
	char anchor[JR_ANCHOR_MAX + 1] = "#";
	if (column->spec->flags & JR_COL_SOURCE && code &&
		jr_doc_line_anchor(t->doc, text, anchor + 1)) {
		cell = jr_html_element(cell, "a", NULL);
		jr_html_attribute(cell, "href", anchor);
	}
	const char *timeline =
		column->spec->flags & JR_COL_TIMELINE && code ? jr_html_timeline_section(t->doc) : NULL;
	if (timeline) {
		cell = jr_html_element(cell, "a", NULL);
		jr_html_attribute(cell, "href", timeline);
		jr_html_attribute(cell, "data-find", "");
	}
	if (code && column->spec->flags & JR_COL_SOURCE)
		jr_html_source(cell, text, look->at[c] ? look->at[c][k] : 0);
	else if (code)
		add_code(cell, look, c, text, look->at[c] ? look->at[c][k] : JR_LABEL_USUAL);
	else if (column->format.numeric)
		jr_html_text(cell, text);
	else
		jr_html_cut_prose(cell, text, JR_HTML_VALUE);
	if (!jr_value_is_null(&v))
		add_parts(cell, t, column, r);
}

static void put_row_id(struct jr_buf *out, const struct jr_doc_table *table, size_t row)
{
	jr_buf_printf(out, "%s-%zu", table->table->spec->name, row);
}

bool jr_html_find_row(
	struct jr_buf *out, const struct jr_doc *doc, const char *section, const char *thunk)
{
	for (size_t i = 0; i < doc->sections.n; i++) {
		const struct jr_doc_section *s = &doc->sections.items[i];
		for (size_t k = 0; k < s->blocks.n && strcmp(s->id, section) == 0; k++) {
			const struct jr_doc_table *t =
				s->blocks.items[k].kind == JR_BLOCK_TABLE ? s->blocks.items[k].as.table : NULL;
			for (size_t c = 0; t && c < t->n_columns; c++) {
				if (!(t->columns[c].spec->flags & JR_COL_TIMELINE))
					continue;
				const char *const *names = t->table->cells[t->columns[c].index].text;
				for (size_t row = 0; row < t->n_shown && row < JR_HTML_LINKED_ROWS; row++)
					if (names[row] && strcmp(names[row], thunk) == 0) {
						put_row_id(out, t, row);
						return true;
					}
			}
		}
	}
	return false;
}

/* `first`: which of the listed rows the row `from` is. */
static void add_rows(xmlNodePtr table, const struct look *look, const char *class_name, size_t from,
	size_t to, size_t first)
{
	if (from >= to)
		return;
	struct jr_buf id = {0};
	xmlNodePtr body = jr_html_element(table, "tbody", class_name);
	for (size_t k = from; k < to; k++) {
		size_t i = k < look->table->n_shown ? jr_doc_row(look->table, SIZE_MAX, k) : k;
		xmlNodePtr row = jr_html_element(body, "tr", NULL);
		if (look->timeline && i < JR_HTML_LINKED_ROWS) {
			id.size = 0;
			put_row_id(&id, look->table, i);
			jr_html_attribute(row, "id", id.data);
		}
		for (size_t c = 0; c < look->table->n_columns; c++)
			add_cell(row, look, c, i, first + k - from);
	}
	jr_buf_done(&id);
}

/* Find how names of a column differ, in the rows that the page may list. */
static void tell_apart(struct look *look, size_t c, struct jr_arena *arena)
{
	const struct jr_doc_table *t = look->table;
	const char **names = jr_doc_labels(t, c, MAX_ROWS, SIZE_MAX, arena);
	if (!names || look->at[c])
		return;
	size_t n = jr_doc_rows(t, MAX_ROWS);
	look->at[c] = JR_ARENA_N(arena, size_t, n + 1);
	jr_labels_apart(names, n, jr_html_name_seen, &look->cut[c], arena, look->at[c]);
	look->prefix[c] = jr_labels_prefix(names, n);
	for (size_t i = 0; i < n; i++)
		names[i] = look->at[c][i] == JR_LABEL_WHOLE ? names[i] : NULL;
	look->beginning[c] = jr_labels_prefix(names, n);
}

/* Find the folders that the page shows of sources. */
static void start_sources(struct look *look, size_t c, struct jr_arena *arena)
{
	const struct jr_doc_table *t = look->table;
	const char **names = t->columns[c].spec->flags & JR_COL_SOURCE
							 ? jr_doc_labels(t, c, MAX_ROWS, SIZE_MAX, arena)
							 : NULL;
	if (!names)
		return;
	size_t n = jr_doc_rows(t, MAX_ROWS);
	look->at[c] = JR_ARENA_N(arena, size_t, n + 1);
	jr_labels_sources(names, n, arena, look->at[c]);
}

static struct look look_of(const struct jr_doc_table *t, struct jr_arena *arena)
{
	struct look look = {.table = t, .head = SIZE_MAX};
	look.lengths = JR_ARENA_N(arena, size_t, t->n_columns);
	look.classes = JR_ARENA_N(arena, const char *, t->n_columns);
	look.at = JR_ARENA_N(arena, size_t *, t->n_columns);
	for (size_t c = t->n_columns; c-- > 0;) {
		start_sources(&look, c, arena);
		look.lengths[c] = column_length(t, c, look.at[c]);
		look.classes[c] = column_class(&t->columns[c], look.lengths[c]);
		if (t->columns[c].spec->flags & JR_COL_KEY)
			look.head = c;
		look.timeline |= (t->columns[c].spec->flags & JR_COL_TIMELINE) != 0;
	}
	size_t room = cut_width(t, look.lengths);
	look.dense = row_length(t, look.lengths, room) > LINE_TEXT;
	look.broad = look.dense || row_length(t, look.lengths, DENSE_NAME) > HALF_TEXT;
	look.cut = JR_ARENA_N(arena, size_t, t->n_columns);
	look.prefix = JR_ARENA_N(arena, size_t, t->n_columns);
	look.beginning = JR_ARENA_N(arena, size_t, t->n_columns);
	look.wide = JR_ARENA_N(arena, size_t, t->n_columns);
	size_t dense = DENSE_NAME;
	for (size_t c = 0; c < t->n_columns; c++) {
		size_t length = look.lengths[c];
		if (!(t->columns[c].spec->flags & JR_COL_CODE))
			continue;
		look.cut[c] = look.dense ? dense : length > LONG_TEXT ? room : LONG_TEXT;
		dense = DENSE_TEXT;
		if (length <= look.cut[c])
			continue;
		tell_apart(&look, c, arena);
		look.wide[c] = !look.dense ? room : length < LONG_TEXT ? length : LONG_TEXT;
		look.gives = true;
	}
	return look;
}

static void add_caption(
	xmlNodePtr table, const struct jr_doc_table *t, const char *id, const char *section_title)
{
	const struct jr_table_spec *spec = t->table->spec;
	xmlNodePtr caption = jr_html_element(table, "caption", NULL);
	jr_html_attribute(caption, "id", id);
	bool repeats = spec->title && strcmp(spec->title, section_title) == 0;
	jr_html_leaf(caption, "span", repeats ? "name hidden" : "name", spec->title);
	if (t->about) {
		jr_html_text(caption, " ");
		jr_html_said(caption, "span", "about", t->about);
	}
	if (t->same) {
		jr_html_text(caption, " ");
		jr_html_said(caption, "span", "about", t->same);
	}
}

static void add_toggle(
	xmlNodePtr box, struct jr_arena *names, const char *name, size_t n, size_t first)
{
	const char *id = jr_arena_printf(names, "all-%s", name);
	xmlNodePtr input = jr_html_element(box, "input", "toggle");
	jr_html_attribute(input, "type", "checkbox");
	jr_html_attribute(input, "id", id);
	xmlNodePtr label = jr_html_element(box, "label", "toggle");
	jr_html_attribute(label, "for", id);
	jr_html_leaf(label, "span", "more", jr_arena_printf(names, "Show all %zu rows", n));
	jr_html_leaf(label, "span", "less", jr_arena_printf(names, "Show the first %zu", first));
}

/* Add the number of rows that the page leaves out, and the file that has all. */
static void add_remainder(xmlNodePtr box, const struct jr_doc_table *t, size_t shown)
{
	struct jr_buf more = {0};
	if (shown >= t->rest && !t->file)
		return;
	xmlNodePtr p = jr_html_element(box, "p", "remainder");
	jr_doc_put_more(&more, t, shown);
	if (more.size && t->file)
		jr_buf_puts(&more, " in ");
	jr_html_text(p, more.size ? more.data : "");
	jr_buf_done(&more);
	if (t->file)
		jr_html_attribute(jr_html_leaf(p, "a", NULL, t->file), "href", t->file);
}

bool jr_html_table_is_broad(const struct jr_doc_table *t)
{
	struct jr_arena arena;
	jr_arena_init(&arena, 0);
	struct jr_doc_table page = joined(t, &arena);
	bool broad = look_of(&page, &arena).broad;
	jr_arena_done(&arena);
	return broad;
}

void jr_html_table(
	xmlNodePtr parent, const struct jr_doc_table *table_of, const char *section_title, bool ahead)
{
	const struct jr_table_spec *spec = table_of->table->spec;
	struct jr_arena names;
	jr_arena_init(&names, 0);
	struct jr_doc_table page = joined(table_of, &names);
	const struct jr_doc_table *t = &page;
	struct look look = look_of(t, &names);
	xmlNodePtr box = jr_html_element(parent, "div", look.broad ? "table broad" : "table");
	jr_html_attribute(box, "id", jr_arena_printf(&names, "t-%s", spec->name));
	size_t most = t->folded && !spec->looked_up ? SHOWN_ROWS : MAX_ROWS;
	size_t shown = t->n_shown < most ? t->n_shown : most;
	size_t first = ahead ? AHEAD_ROWS : FIRST_ROWS;
	if (shown <= first + 3)
		first = shown;
	/* the check box and its label come before the rows they control; the style sheet moves the
	 * label below */
	if (first < shown)
		add_toggle(box, &names, spec->name, shown, first);
	xmlNodePtr scroll = jr_html_element(box, "div", "scroll");
	const char *caption = jr_arena_printf(&names, "c-%s", spec->name);
	jr_html_attribute(scroll, "role", "region");
	jr_html_attribute(scroll, "aria-labelledby", caption);
	jr_html_attribute(scroll, "tabindex", "0");
	xmlNodePtr table = jr_html_element(scroll, "table", look.dense ? "dense" : NULL);
	add_caption(table, t, caption, section_title);
	if (t->table->n_rows) {
		if (look.gives)
			add_widths(table, &look);
		add_header(table, t, look.classes);
		add_rows(table, &look, NULL, 0, first, 0);
		add_rows(table, &look, "rest", first, shown, first);
		add_rows(table, &look, "always", t->rest, t->table->n_rows, shown);
	} else {
		jr_html_leaf(box, "p", "none", "No rows.");
	}
	add_remainder(box, t, shown);
	jr_arena_done(&names);
}
