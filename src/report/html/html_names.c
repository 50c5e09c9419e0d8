/* Long names in cells of tables: parts of them, of which the style sheet hides some. */
#include <string.h>

#include "report/core/labels.h"
#include "report/core/text_fit.h"
#include "report/html/html.h"

#define TAIL_TEXT ((size_t)20) /* bytes kept at the end of a name without a better split */
#define LEAST_SEEN 11          /* characters of the part that the style sheet cuts last */

/* Return where the last `tail` bytes begin, at a whole character. */
static size_t tail_of(const char *text, size_t n, size_t tail)
{
	size_t at = n > tail ? n - tail : 0;
	while (at < n && ((unsigned char)text[at] & 0xC0) == 0x80)
		at++;
	return at;
}

/* The style sheet cuts a long name: first its parameters (from a '[' on, in an op_name), then the
 * beginning of its path, last its final component. */
struct cut {
	size_t tail, rest; /* where these parts begin */
};

static struct cut cut_of(const char *text, size_t n, size_t width)
{
	struct cut cut = {.rest = strcspn(text, "[")};
	if (cut.rest == 0)
		cut.rest = n;
	cut.tail = cut.rest;
	while (cut.tail > 0 && text[cut.tail - 1] != '/')
		cut.tail--;
	if (cut.tail > 1 && cut.tail < cut.rest) {
		cut.tail--;
		return cut;
	}
	if (cut.rest < n) { /* parameters without a path: the name before them leads */
		cut.tail = 0;
		return cut;
	}
	cut.rest = n;
	cut.tail = tail_of(text, n, width / 2 < TAIL_TEXT ? width / 2 : TAIL_TEXT);
	return cut;
}

static void add_part(xmlNodePtr parent, const char *class_name, const char *text, size_t n)
{
	struct jr_buf part = {0};
	jr_buf_add(&part, text, n);
	if (n)
		jr_html_leaf(parent, "span", class_name, part.data);
	jr_buf_done(&part);
}

/* Parts of a name that must differ from others from `at` on. */
static struct cut cut_at(const char *text, size_t n, size_t width, size_t at)
{
	if (at == JR_LABEL_USUAL)
		return cut_of(text, n, width);
	struct cut cut = {at, n - at > width / 2 ? at + width / 2 : n};
	while (cut.rest < n && ((unsigned char)text[cut.rest] & 0xC0) == 0x80)
		cut.rest++;
	return cut;
}

const char *jr_html_name_seen(
	struct jr_arena *arena, const void *context, const char *name, size_t at)
{
	size_t width = *(const size_t *)context, n = strlen(name);
	if (n <= width || at == JR_LABEL_WHOLE)
		return name;
	struct cut cut = cut_at(name, n, width, at);
	size_t most = jr_layout_head_bytes(name + cut.tail, cut.rest - cut.tail, LEAST_SEEN);
	return jr_arena_printf(arena, "…%.*s", (int)most, name + cut.tail);
}

/* A name that only differs from others as a whole: in three lines of TAIL_TEXT. */
static void add_whole(xmlNodePtr cell, const char *text, size_t n, size_t prefix)
{
	xmlNodePtr whole = jr_html_element(cell, "span", "cut whole");
	size_t end;
	(void)jr_label_end(text, 0, &end);
	size_t tail = tail_of(text, end, 2 * TAIL_TEXT - 2);
	prefix = prefix < tail ? prefix : 0;
	size_t part = tail + strcspn(text + tail, "/_.-") + 1;
	tail = part < end && part - prefix <= 2 * TAIL_TEXT ? part : tail; /* after a whole word */
	add_part(whole, "r", text, prefix);
	add_part(whole, "h", text + prefix, tail - prefix);
	add_part(whole, NULL, text + tail, end - tail);
	add_part(whole, "r", text + end, n - end);
}

/* An op_name that differs from others in its parameters: the primitive stays before the part of
 * them. Return false, and add nothing, for other names. */
static bool add_primitive(xmlNodePtr box, const char *text, size_t at)
{
	size_t end = strcspn(text, "["), first = end;
	while (first > 0 && text[first - 1] != '/')
		first--;
	if (at == JR_LABEL_USUAL || at <= end || first == end)
		return false;
	add_part(box, "r", text, first);
	add_part(box, "h", text + first, end - first);
	add_part(box, "r", text + end, at - end);
	return true;
}

void jr_html_name(xmlNodePtr cell, const char *text, size_t width, size_t at, size_t prefix)
{
	size_t n = strlen(text);
	if (n <= width) {
		jr_html_text(cell, text);
		return;
	}
	if (at == JR_LABEL_WHOLE) {
		add_whole(cell, text, n, prefix);
		return;
	}
	struct cut cut = cut_at(text, n, width, at);
	size_t end, last = at == JR_LABEL_USUAL ? 0 : jr_label_end(text, at, &end);
	prefix = prefix < cut.tail ? prefix : 0;
	xmlNodePtr box = jr_html_element(cell, "span", "cut");
	if (!add_primitive(box, text, at)) {
		add_part(box, "r", text, prefix);
		add_part(box, last > cut.rest ? "r" : "h", text + prefix, cut.tail - prefix);
	}
	add_part(box, NULL, text + cut.tail, cut.rest - cut.tail);
	if (last > cut.rest) { /* the primitive stays, and the beginning is cut before it */
		add_part(box, "r", text + cut.rest, last - cut.rest);
		add_part(box, "h", text + last, end - last);
		cut.rest = end;
	}
	add_part(box, "r", text + cut.rest, n - cut.rest);
}

void jr_html_source(xmlNodePtr cell, const char *text, size_t start)
{
	xmlNodePtr box = start ? jr_html_element(cell, "span", "cut file") : cell;
	size_t n = strlen(text + start), name = n > 14 ? strcspn(text + start, ":") : n;
	add_part(box, "h", text, start);
	add_part(box, NULL, text + start, name);
	if (name < n) /* a long one wraps here rather than within the number of the line */
		jr_html_element(box, "wbr", NULL);
	add_part(box, NULL, text + start + name, n - name);
}
