/* Tables of a PDF: columns as wide as their texts while they fit, the others left out by name. */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "report/core/labels.h"
#include "report/pdf/pdf_layout.h"

#define WIDEST 190 /* pt of one column */
#define BETWEEN 8
#define ROW 10.5
#define SIZE 7.5

static const struct jr_pdf_font cell_font = {.size = SIZE},
								head_font = {.size = SIZE, .bold = true, .role = JR_ROLE_MUTED};

struct grid {
	struct jr_flow *flow;
	const struct jr_doc_table *table;
	size_t n_rows; /* shown */
	size_t limit;
	double *widths;       /* [n_columns]; 0: left out */
	const char ***labels; /* [n_columns][n_rows] of names that are too long; or NULL */
	struct jr_arena *arena;
};

static bool is_blank(const struct grid *g, const struct jr_doc_column *c)
{
	return jr_doc_blank(c, g->limit);
}

static const char *text_at(const struct grid *g, size_t column, size_t row, char room[JR_NUM_MAX])
{
	const struct jr_doc_column *c = &g->table->columns[column];
	if (g->labels[column] && g->labels[column][row])
		return g->labels[column][row];
	struct jr_value v =
		jr_value_of_cell(g->table->table, c->index, jr_doc_row(g->table, g->limit, row));
	return jr_value_text(&c->format, &v, room);
}

/* Sources are shown without their folders, as far as different ones still look different. */
static void shorten_sources(struct grid *g)
{
	for (size_t c = 0; c < g->table->n_columns; c++) {
		const char **names = jr_doc_source_labels(g->table, c, g->limit, g->arena);
		g->labels[c] = names ? names : g->labels[c];
	}
}

static void head_text(const struct jr_doc_column *c, struct jr_buf *out)
{
	jr_buf_puts(out, c->spec->title);
	if (*c->format.suffix)
		jr_buf_printf(out, " (%s)", c->format.suffix);
}

/* Measure the columns, then leave out the last ones that do not fit, texts before numbers; names
 * of rows and sources stay. Long texts get the room that is left. */
static void choose_columns(struct grid *g)
{
	const struct jr_doc_table *t = g->table;
	struct jr_flow *f = g->flow;
	JR_CLEANUP(jr_buf_done) struct jr_buf head = {0};
	double sum = -BETWEEN, room = f->right - f->left;
	double *whole = JR_ARENA_N(g->arena, double, t->n_columns + 1);
	for (size_t c = 0; c < t->n_columns; c++) {
		char number[JR_NUM_MAX];
		if (is_blank(g, &t->columns[c]))
			continue;
		head.size = 0;
		head_text(&t->columns[c], &head);
		double w = jr_pdf_width(f->pdf, head.data, head.size, &head_font);
		for (size_t row = 0; row < g->n_rows; row++) {
			const char *text = text_at(g, c, row, number);
			double width = jr_pdf_width(f->pdf, text, strlen(text), &cell_font);
			w = width > w ? width : w;
		}
		whole[c] = w;
		g->widths[c] = w < WIDEST ? w : WIDEST;
		sum += g->widths[c] + BETWEEN;
	}
	size_t name = 1;
	while (name < t->n_columns && !(t->columns[name].spec->flags & JR_COL_CODE))
		name++;
	for (int numbers = 0; numbers < 2; numbers++)
		for (size_t c = t->n_columns; c-- > 1 && sum > room;) {
			bool kept = c == name || t->columns[c].spec->flags & (JR_COL_SOURCE | JR_COL_KEY);
			if (!(g->widths[c] > 0) || t->columns[c].format.right != numbers || kept)
				continue;
			sum -= g->widths[c] + BETWEEN;
			g->widths[c] = 0;
		}
	for (size_t c = 0; c < t->n_columns && sum < room; c++) {
		double more = g->widths[c] > 0 ? fmin(whole[c] - g->widths[c], room - sum) : 0;
		g->widths[c] += more;
		sum += more;
	}
}

static double widest(const struct grid *g, const char *const *texts)
{
	double widest = 0;
	for (size_t row = 0; row < g->n_rows; row++) {
		double w =
			texts[row] ? jr_pdf_width(g->flow->pdf, texts[row], strlen(texts[row]), &cell_font) : 0;
		widest = w > widest ? w : widest;
	}
	return widest;
}

#define LEAST_NAME 16 /* characters */
#define MOST_NAME 128

/* Shorten names to as many characters as fit into their column. */
static void shorten_names(struct grid *g)
{
	for (size_t c = 0; c < g->table->n_columns; c++) {
		double room = g->widths[c] + 0.5;
		const char **names = jr_doc_labels(g->table, c, g->limit, SIZE_MAX, g->arena);
		if (!names || !(g->widths[c] > 0) || widest(g, names) <= room ||
			g->table->columns[c].spec->flags & JR_COL_SOURCE)
			continue;
		const char **labels = JR_ARENA_N(g->arena, const char *, g->n_rows + 1);
		size_t least = LEAST_NAME, most = MOST_NAME;
		while (least + 1 < most) {
			size_t width = (least + most) / 2;
			jr_labels_fit(names, g->n_rows, width, g->arena, labels);
			*(widest(g, labels) <= room ? &least : &most) = width;
		}
		jr_labels_fit(names, g->n_rows, least, g->arena, labels);
		g->labels[c] = labels;
	}
}

static void put_cell(struct grid *g, size_t column, double x, double y, const char *text,
	const struct jr_pdf_font *font)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf fit = {0};
	jr_pdf_fit(g->flow->pdf, text, font, g->widths[column] + 0.5, &fit);
	const char *shown = fit.size ? fit.data : "";
	double w = jr_pdf_width(g->flow->pdf, shown, strlen(shown), font);
	bool right = g->table->columns[column].format.right;
	jr_pdf_text(g->flow->pdf, right ? x + g->widths[column] - w : x, y, shown, font);
}

static void put_head(struct grid *g)
{
	struct jr_flow *f = g->flow;
	struct jr_buf head = {0};
	double x = f->left;
	for (size_t c = 0; c < g->table->n_columns; c++) {
		if (!(g->widths[c] > 0))
			continue;
		head.size = 0;
		head_text(&g->table->columns[c], &head);
		put_cell(g, c, x, f->y + SIZE, head.data, &head_font);
		x += g->widths[c] + BETWEEN;
	}
	jr_buf_done(&head);
	f->y += ROW;
	jr_pdf_rect(f->pdf, f->left, f->y - 1, f->right - f->left, 0.5, JR_ROLE_AXIS);
}

/* Name what is left out: columns, rows. */
static void rest_text(const struct grid *g, struct jr_buf *text)
{
	const struct jr_doc_table *t = g->table;
	for (size_t c = 0; c < t->n_columns; c++)
		if (!(g->widths[c] > 0) && !is_blank(g, &t->columns[c]))
			jr_buf_printf(
				text, "%s%s", text->size ? ", " : "Not shown: ", t->columns[c].spec->title);
	size_t shown = g->n_rows - (t->table->n_rows - t->rest);
	jr_buf_puts(text, text->size && shown < t->rest ? "; " : "");
	jr_doc_put_more(text, t, shown);
	if (text->size)
		jr_buf_putc(text, '.');
}

/* `rest` is on the page of the last row. */
static void put_rows(struct grid *g, const char *rest)
{
	struct jr_flow *f = g->flow;
	put_head(g);
	for (size_t row = 0; row < g->n_rows; row++) {
		unsigned page = f->page;
		bool last = row + 1 == g->n_rows;
		jr_flow_need(f, ROW + (last ? jr_flow_height(f, rest, &jr_pdf_small) : 0));
		if (f->page != page)
			put_head(g);
		double x = f->left;
		for (size_t c = 0; c < g->table->n_columns; c++) {
			char number[JR_NUM_MAX];
			if (!(g->widths[c] > 0))
				continue;
			put_cell(g, c, x, f->y + SIZE, text_at(g, c, row, number), &cell_font);
			x += g->widths[c] + BETWEEN;
		}
		f->y += ROW;
		jr_pdf_rect(f->pdf, f->left, f->y - 1, f->right - f->left, 0.25, JR_ROLE_GRID);
	}
	if (rest)
		jr_flow_text(f, NULL, rest, &jr_pdf_small, 0);
}

void jr_flow_table(struct jr_flow *f, const struct jr_doc_table *table, size_t limit)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	struct grid g = {.flow = f,
		.table = table,
		.n_rows = jr_doc_rows(table, limit),
		.limit = limit,
		.widths = JR_ARENA_N(&arena, double, table->n_columns + 1),
		.labels = JR_ARENA_N(&arena, const char **, table->n_columns + 1),
		.arena = &arena};
	jr_flow_need(f, 5 * ROW);
	if (table->table->spec->title)
		jr_flow_text(f, NULL, table->table->spec->title, &jr_pdf_strong, 0);
	if (table->same)
		jr_flow_text(f, NULL, table->same, &jr_pdf_small, 0);
	if (g.n_rows) {
		shorten_sources(&g);
		choose_columns(&g);
		shorten_names(&g);
		struct jr_buf rest = {0};
		rest_text(&g, &rest);
		put_rows(&g, rest.size ? rest.data : NULL);
		jr_buf_done(&rest);
	}
	jr_flow_gap(f, 8);
}
