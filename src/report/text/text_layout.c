#include "report/text/text_layout.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "report/core/labels.h"
#include "report/core/text_fit.h"

#define GAP 2
#define TEXT_MIN 18 /* least width of a text column whose text is longer */
#define BAR_MAX 16
#define INDENT 4          /* of texts below their row */
#define SENTENCE_BLANKS 3 /* a text with so many, */
#define SENTENCE_MIN 36   /* and so wide, is a sentence */

static bool ends_word(char c)
{
	return !jr_is_digit(c) && !jr_is_letter(c) && c != '_' && c != '-' && c != '/';
}

static bool is_unit(const char *s)
{
	static const char *const units[] = {"%", "ns", "µs", "ms", "s", "min", "B", "kB", "MB", "GB",
		"TB", "KiB", "MiB", "GiB", "TiB", "MB/s", "GB/s", "TB/s", "MHz", "GHz", "GFLOP", "TFLOP",
		"GFLOP/s", "TFLOP/s"};
	for (size_t i = 0; i < JR_COUNT_OF(units); i++) {
		size_t n = strlen(units[i]);
		if (strncmp(s, units[i], n) == 0 && ends_word(s[n]))
			return true;
	}
	return false;
}

/* Whether text[0..at) ends with a word that belongs to a following number: "device 3". */
static bool names_number(const char *text, size_t at)
{
	static const char *const words[] = {"evice", "xecution", "rogram", "GPU"};
	for (size_t i = 0; i < JR_COUNT_OF(words); i++) {
		size_t n = strlen(words[i]);
		if (at >= n && memcmp(text + at - n, words[i], n) == 0)
			return true;
	}
	return false;
}

bool jr_layout_binds(const char *text, size_t at)
{
	static const char plus_minus[] = "±";
	const char *next = text + at + 1;
	if (text[at] != ' ' || at == 0)
		return false;
	char before = text[at - 1];
	if (jr_is_digit(before) && is_unit(next))
		return true;
	if (jr_is_digit(*next) && names_number(text, at))
		return true;
	if (before == '=' && at > 1 && text[at - 2] == ' ')
		return jr_is_digit(*next);
	if (*next == '=' && next[1] == ' ' && jr_is_digit(next[2]))
		return at == 1 || ends_word(text[at - 2]);
	size_t n = sizeof(plus_minus) - 1;
	return strncmp(next, plus_minus, n) == 0 ||
		   (at >= n && strncmp(next - 1 - n, plus_minus, n) == 0);
}

size_t jr_layout_dash(const char *text, size_t at)
{
	static const char dash[] = "–";
	size_t n = sizeof(dash) - 1;
	return at && text[at - 1] != ' ' && strncmp(text + at, dash, n) == 0 &&
				   jr_is_digit(text[at + n])
			   ? n
			   : 0;
}

size_t jr_layout_option(const char *text, size_t at)
{
	const char *s = text + at;
	if (strncmp(s, "--", 2) != 0 || s[2] < 'a' || s[2] > 'z' ||
		(at && !strchr(" (\n", text[at - 1])))
		return 0;
	size_t n = strcspn(s, " \n;)\"'");
	while (n && strchr(",.:", s[n - 1]))
		n--;
	return n;
}

/* Bytes of the word at s, including words joined by blanks that bind. */
static size_t word_bytes(const char *s)
{
	size_t n = strcspn(s, " \n\t\r");
	while (n && jr_layout_binds(s, n) && s[n + 1] != ' ')
		n += 1 + strcspn(s + n + 1, " \n\t\r");
	return n;
}

void jr_layout_wrap(
	struct jr_buf *out, const char *text, size_t width, size_t column, size_t indent)
{
	bool begun = false;
	for (;;) {
		text += strspn(text, " \n\t\r");
		size_t n = word_bytes(text);
		if (!n)
			break;
		size_t columns = jr_text_width(text, n);
		if (begun && column + 1 + columns > width) {
			jr_buf_putc(out, '\n');
			jr_buf_repeat(out, ' ', indent);
			column = indent;
		} else if (begun) {
			jr_buf_putc(out, ' ');
			column++;
		}
		/* a word longer than a line breaks at the end of the line */
		while (column + columns > width && width > indent) {
			size_t part = jr_layout_head_bytes(text, n, width - column);
			jr_buf_add(out, text, part);
			jr_buf_putc(out, '\n');
			jr_buf_repeat(out, ' ', indent);
			columns -= jr_text_width(text, part);
			text += part, n -= part;
			column = indent;
		}
		jr_buf_add(out, text, n);
		column += columns;
		text += n;
		begun = true;
	}
	jr_buf_putc(out, '\n');
}

/* --- tables --------------------------------------------------------------------------------- */

enum place { IN_ROW, BELOW, LEFT_OUT };

struct column {
	const struct jr_doc_column *spec;
	const char *header; /* title with its unit */
	const char **cells; /* [n_rows] */
	size_t natural, least, width;
	bool flag;  /* yes or no: its name is printed below the row if true */
	bool whole; /* a sentence, or marked as whole: never cut; without room it gets its own lines */
	enum place place;
};

struct layout {
	struct jr_arena arena;
	const struct jr_doc_table *table;
	const struct jr_text_style *style;
	size_t n_rows, n_columns, width, bar_width;
	struct column *columns;
	const struct column *bar;
	double *bars; /* [n_rows] 0..1 */
};

static const char *header_of(struct layout *l, const struct jr_doc_column *c)
{
	if (!*c->format.suffix)
		return c->spec->title;
	return jr_arena_printf(&l->arena, "%s %s", c->spec->title, c->format.suffix);
}

static size_t longest_word(const char *text)
{
	size_t longest = 0;
	while (*text) {
		size_t n = strcspn(text, " ");
		size_t columns = jr_text_width(text, n);
		if (columns > longest)
			longest = columns;
		text += n + strspn(text + n, " ");
	}
	return longest;
}

/* The middle of a sentence cannot be left out, as that of a name can. */
static bool is_sentence(const char *text, size_t columns)
{
	size_t blanks = columns < SENTENCE_MIN ? SENTENCE_BLANKS + 1 : 0;
	while ((text = strchr(text, ' ')) && blanks < SENTENCE_BLANKS)
		blanks++, text++;
	return blanks == SENTENCE_BLANKS;
}

static void measure_column(struct layout *l, struct column *c, size_t limit)
{
	const struct jr_table *table = l->table->table;
	c->header = header_of(l, c->spec);
	c->natural = longest_word(c->header);
	c->flag = c->spec->spec->type == JR_BOOL;
	c->whole = c->spec->spec->flags & JR_COL_WHOLE;
	c->cells = JR_ARENA_N(&l->arena, const char *, l->n_rows + 1);
	for (size_t i = 0; i < l->n_rows; i++) {
		char room[JR_NUM_MAX];
		struct jr_value v = jr_value_of_cell(table, c->spec->index, jr_doc_row(l->table, limit, i));
		const char *text = jr_value_text(&c->spec->format, &v, room);
		c->cells[i] = text == room ? jr_arena_strdup(&l->arena, room) : text;
		size_t columns = jr_text_width(c->cells[i], strlen(c->cells[i]));
		if (columns > c->natural)
			c->natural = columns;
		c->whole |= !c->spec->format.numeric && !(c->spec->spec->flags & JR_COL_CODE) &&
					is_sentence(c->cells[i], columns);
		if (l->bar == c)
			l->bars[i] = jr_value_bar(&c->spec->format, &v);
	}
	c->least = c->spec->format.numeric || c->whole || c->natural < TEXT_MIN ? c->natural : TEXT_MIN;
	c->width = c->natural;
}

static size_t total_width(const struct layout *l, bool least)
{
	size_t total = 0;
	for (size_t i = 0; i < l->n_columns; i++)
		if (l->columns[i].place == IN_ROW)
			total += (least ? l->columns[i].least : l->columns[i].width) + GAP;
	return total ? total - GAP : 0;
}

/* Move the widest text below the row, the row's name last; without texts, drop the last number. A
 * text that fits after all goes back. */
static void make_room(struct layout *l)
{
	while (total_width(l, true) > l->width) {
		struct column *out = NULL, *last = NULL;
		for (size_t i = 0; i < l->n_columns; i++) {
			struct column *c = &l->columns[i];
			if (c->place != IN_ROW)
				continue;
			last = c;
			if (!c->spec->format.numeric && c->least >= 12 &&
				(!out || out == l->columns || c->natural > out->natural))
				out = c;
		}
		if (out)
			out->place = BELOW;
		else if (last)
			last->place = last->spec->format.numeric ? LEFT_OUT : BELOW;
	}
	for (size_t i = 0; i < l->n_columns; i++) {
		struct column *c = &l->columns[i];
		enum place place = c->place;
		c->place = place == BELOW ? IN_ROW : place;
		if (total_width(l, true) > l->width)
			c->place = place;
	}
}

/* Narrow the widest text column until the row fits. */
static void squeeze(struct layout *l)
{
	for (size_t total; (total = total_width(l, false)) > l->width;) {
		struct column *widest = NULL;
		for (size_t i = 0; i < l->n_columns; i++) {
			struct column *c = &l->columns[i];
			if (c->place == IN_ROW && c->width > c->least && (!widest || c->width > widest->width))
				widest = c;
		}
		if (!widest)
			return;
		size_t excess = total - l->width, room = widest->width - widest->least;
		widest->width -= excess < room ? 1 + (excess - 1) / 4 : 1;
	}
}

/* Shorten names to their columns. A name that needs more room to differ from the others moves its
 * column below the row, where it may take several lines. */
static void shorten_names(struct layout *l)
{
	for (size_t i = 0; i < l->n_columns; i++) {
		struct column *c = &l->columns[i];
		if (!(c->spec->spec->flags & JR_COL_CODE) || c->whole || c->place == LEFT_OUT)
			continue;
		const char **names = JR_ARENA_N(&l->arena, const char *, l->n_rows + 1);
		const char **labels = JR_ARENA_N(&l->arena, const char *, l->n_rows + 1);
		for (size_t row = 0; row < l->n_rows; row++)
			names[row] = strcmp(c->cells[row], "–") != 0 ? c->cells[row] : NULL;
		for (int again = c->place == IN_ROW; again >= 0; again--) {
			size_t width = c->place == IN_ROW ? c->width : l->width - INDENT;
			jr_labels_fit(names, l->n_rows, width, &l->arena, labels);
			bool fits = true;
			for (size_t row = 0; row < l->n_rows; row++) {
				labels[row] = labels[row] ? labels[row] : c->cells[row];
				fits &= jr_text_width(labels[row], strlen(labels[row])) <= width;
			}
			if (fits)
				break;
			c->place = BELOW;
		}
		c->cells = labels;
	}
}

static void pad(struct jr_buf *out, size_t n)
{
	jr_buf_repeat(out, ' ', n);
}

/* Remove trailing blanks of the last line. */
static void trim(struct jr_buf *out)
{
	while (out->size && out->data[out->size - 1] == ' ')
		out->size--;
}

/* Words of the header on line `line` of a column `width` wide; NULL after the last one. */
static const char *header_line(const char *text, size_t width, size_t line, size_t *n)
{
	for (;; line--) {
		size_t used = 0, bytes = 0;
		while (text[bytes]) {
			size_t blank = strspn(text + bytes, " ");
			size_t word = strcspn(text + bytes + blank, " ");
			size_t columns = jr_text_width(text + bytes + blank, word) + (used ? 1 : 0);
			if (used && used + columns > width)
				break;
			used += columns;
			bytes += blank + word;
		}
		if (!bytes)
			return NULL;
		if (!line) {
			*n = bytes;
			return text;
		}
		text += bytes;
		text += strspn(text, " ");
	}
}

static size_t header_height(const struct layout *l)
{
	size_t height = 1, n;
	for (size_t i = 0; i < l->n_columns; i++)
		while (l->columns[i].place == IN_ROW &&
			   header_line(l->columns[i].header, l->columns[i].width, height, &n))
			height++;
	return height;
}

static void put_header(struct jr_buf *out, const struct layout *l)
{
	size_t height = header_height(l);
	for (size_t line = 0; line < height; line++) {
		bool first = true;
		jr_layout_sgr(out, l->style, "1");
		for (size_t i = 0; i < l->n_columns; i++) {
			const struct column *c = &l->columns[i];
			if (c->place != IN_ROW)
				continue;
			pad(out, first ? 0 : GAP);
			first = false;
			size_t n = 0, lines = 1;
			while (header_line(c->header, c->width, lines, &n))
				lines++;
			const char *text = line + lines >= height
								   ? header_line(c->header, c->width, line + lines - height, &n)
								   : NULL;
			size_t columns = text ? jr_text_width(text, n) : 0;
			if (c->spec->format.right)
				pad(out, c->width - columns);
			jr_buf_add(out, text ? text : "", text ? n : 0);
			if (!c->spec->format.right)
				pad(out, c->width - columns);
		}
		trim(out);
		jr_buf_putc(out, '\n');
		jr_layout_line_end(out, l->style);
	}
	jr_layout_sgr(out, l->style, "2");
	for (size_t i = 0; i < total_width(l, false); i++)
		jr_buf_puts(out, "─");
	jr_buf_putc(out, '\n');
	jr_layout_line_end(out, l->style);
}

static void put_bar(struct jr_buf *out, double share, size_t width)
{
	static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
	size_t n = (size_t)(share * 8 * (double)width + 0.5);
	for (size_t i = 0; i < n / 8; i++)
		jr_buf_puts(out, "█");
	jr_buf_puts(out, eighths[n % 8]);
}

/* Write the texts that do not fit in the row, as many per line as fit. */
static void put_below(struct jr_buf *out, const struct layout *l, size_t row)
{
	size_t at = 0;
	for (size_t i = 0; i < l->n_columns; i++) {
		const struct column *c = &l->columns[i];
		if (c->place != BELOW || strcmp(c->cells[row], "–") == 0)
			continue;
		if (c->flag && (strcmp(c->cells[row], "") == 0 || strcmp(c->cells[row], "no") == 0))
			continue;
		const char *text = c->flag ? c->header : c->cells[row];
		if (c->whole || jr_text_width(text, strlen(text)) > l->width - INDENT) {
			if (at)
				jr_buf_putc(out, '\n');
			pad(out, INDENT);
			jr_layout_wrap(out, text, l->width, INDENT, INDENT);
			at = 0;
			continue;
		}
		size_t columns = jr_text_width(text, strlen(text));
		if (at && at + GAP + columns > l->width) {
			jr_buf_putc(out, '\n');
			at = 0;
		}
		pad(out, at ? GAP : INDENT);
		at += at ? GAP : INDENT;
		at += jr_layout_fit(out, text, l->width - at);
	}
	if (at)
		jr_buf_putc(out, '\n');
}

static void put_row(struct jr_buf *out, const struct layout *l, size_t row)
{
	bool first = true;
	for (size_t i = 0; i < l->n_columns; i++) {
		const struct column *c = &l->columns[i];
		if (c->place != IN_ROW)
			continue;
		pad(out, first ? 0 : GAP);
		first = false;
		size_t columns = jr_text_width(c->cells[row], strlen(c->cells[row]));
		if (c->spec->format.right)
			pad(out, columns < c->width ? c->width - columns : 0);
		columns = jr_layout_fit(out, c->cells[row], c->width);
		if (!c->spec->format.right)
			pad(out, c->width - columns);
	}
	if (l->bar_width) {
		pad(out, GAP);
		jr_layout_sgr(out, l->style, "34");
		put_bar(out, l->bars[row], l->bar_width);
		jr_layout_line_end(out, l->style);
	}
	trim(out);
	jr_buf_putc(out, '\n');
	put_below(out, l, row);
}

static void put_left_out(struct jr_buf *out, const struct layout *l)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf names = {0};
	for (size_t i = 0; i < l->n_columns; i++)
		if (l->columns[i].place == LEFT_OUT)
			jr_buf_printf(&names, "%s%s", names.size ? ", " : "not shown: ", l->columns[i].header);
	size_t data = l->table->rest, shown = l->n_rows - (l->table->table->n_rows - data);
	if (shown < data) {
		jr_buf_puts(&names, names.size ? "; " : "");
		jr_doc_put_more(&names, l->table, shown);
		if (l->table->file)
			jr_buf_printf(&names, " in %s", l->table->file);
	}
	if (names.size) {
		jr_layout_sgr(out, l->style, "2");
		jr_buf_putc(out, '(');
		jr_buf_putc(&names, ')');
		jr_layout_wrap(out, names.data, l->width, 1, 1);
		jr_layout_line_end(out, l->style);
	}
}

void jr_layout_table(struct jr_buf *out, const struct jr_doc_table *table, size_t limit,
	const struct jr_text_style *style)
{
	size_t width = style->width;
	struct layout l = {.table = table,
		.style = style,
		.n_rows = jr_doc_rows(table, limit),
		.width = width,
		.n_columns = table->n_columns};
	jr_arena_init(&l.arena, 0);
	l.columns = JR_ARENA_N(&l.arena, struct column, l.n_columns);
	l.bars = JR_ARENA_N(&l.arena, double, l.n_rows + 1);
	l.n_columns = 0;
	for (size_t i = 0; i < table->n_columns; i++) {
		if (jr_doc_blank(&table->columns[i], limit))
			continue;
		struct column *c = &l.columns[l.n_columns++];
		c->spec = &table->columns[i];
		if (c->spec->spec->flags & JR_COL_BAR && !l.bar)
			l.bar = c;
		measure_column(&l, c, limit);
	}
	make_room(&l);
	squeeze(&l);
	shorten_names(&l);
	size_t used = total_width(&l, false) + GAP;
	if (l.bar && used + 8 <= width)
		l.bar_width = width - used < BAR_MAX ? width - used : BAR_MAX;
	if (!l.n_rows) {
		jr_buf_puts(out, "(no rows)\n");
		jr_arena_done(&l.arena);
		return;
	}
	put_header(out, &l);
	for (size_t row = 0; row < l.n_rows; row++)
		put_row(out, &l, row);
	put_left_out(out, &l);
	jr_arena_done(&l.arena);
}
