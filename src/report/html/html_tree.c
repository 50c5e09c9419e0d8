#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "report/html/html.h"
#include "report/core/text_fit.h"
#include "report/text/text_layout.h"

static const xmlChar *xml(const char *text)
{
	return (const xmlChar *)text;
}

xmlNodePtr jr_html_element(xmlNodePtr parent, const char *name, const char *class_name)
{
	xmlNodePtr node = xmlNewDocNode(parent ? parent->doc : NULL, NULL, xml(name), NULL);
	if (!node || (parent && !xmlAddChild(parent, node)))
		jr_oom();
	if (class_name)
		jr_html_attribute(node, "class", class_name);
	return node;
}

void jr_html_attribute(xmlNodePtr node, const char *name, const char *value)
{
	if (!xmlNewProp(node, xml(name), xml(value)))
		jr_oom();
}

void jr_html_text(xmlNodePtr parent, const char *text)
{
	if (!text || !*text)
		return;
	xmlNodePtr node = xmlNewDocText(parent->doc, xml(text));
	if (!node || !xmlAddChild(parent, node))
		jr_oom();
}

void jr_html_cut(xmlNodePtr parent, const char *text, size_t width)
{
	if (!text || strlen(text) <= width) { /* a character has at least as many bytes as columns */
		jr_html_text(parent, text);
		return;
	}
	struct jr_buf cut = {0};
	jr_layout_fit(&cut, text, width);
	jr_html_text(parent, cut.data);
	jr_buf_done(&cut);
}

static void add_code(xmlNodePtr parent, const char *text, size_t n)
{
	struct jr_buf part = {0};
	jr_buf_add(&part, text, n);
	jr_html_leaf(parent, "code", NULL, part.data);
	jr_buf_done(&part);
}

static void flush(xmlNodePtr parent, struct jr_buf *part)
{
	if (part->size)
		jr_html_text(parent, part->data);
	part->size = 0;
}

/* Add the part [from, to) of a prose. */
static void add_words(xmlNodePtr parent, const char *text, size_t from, size_t to)
{
	struct jr_buf part = {0};
	for (size_t i = from, n; i < to; i += n) {
		for (n = 0; i + n < to && text[i + n] != ' ' && (unsigned char)text[i + n] < 0x80;)
			n++;
		jr_buf_add(&part, text + i, n);
		if (n)
			continue;
		n = jr_text_rtl_run(text + i, to - i);
		if (n) {
			flush(parent, &part);
			jr_buf_add(&part, text + i, n);
			flush(jr_html_element(parent, "bdi", NULL), &part);
			continue;
		}
		n = jr_layout_dash(text, i);
		jr_buf_add(&part, text + i, n);
		if (n) {
			jr_buf_puts(&part, "\u2060");
			continue;
		}
		n = 1;
		if (jr_layout_binds(text, i))
			jr_buf_puts(&part, "\u00a0");
		else
			jr_buf_putc(&part, text[i]);
	}
	flush(parent, &part);
	jr_buf_done(&part);
}

void jr_html_prose(xmlNodePtr parent, const char *text)
{
	size_t from = 0, i = 0;
	while (text && text[i]) {
		size_t n = jr_layout_option(text, i);
		if (!n) {
			i++;
			continue;
		}
		add_words(parent, text, from, i);
		add_code(parent, text + i, n);
		from = i += n;
	}
	add_words(parent, text, from, i);
}

void jr_html_cut_prose(xmlNodePtr parent, const char *text, size_t width)
{
	struct jr_buf cut = {0};
	if (text && strlen(text) > width) {
		jr_layout_fit(&cut, text, width);
		text = cut.data;
	}
	jr_html_prose(parent, text);
	jr_buf_done(&cut);
}

xmlNodePtr jr_html_leaf(
	xmlNodePtr parent, const char *name, const char *class_name, const char *text)
{
	xmlNodePtr node = jr_html_element(parent, name, class_name);
	jr_html_text(node, text);
	return node;
}

xmlNodePtr jr_html_said(
	xmlNodePtr parent, const char *name, const char *class_name, const char *text)
{
	xmlNodePtr node = jr_html_element(parent, name, class_name);
	jr_html_prose(node, text);
	return node;
}

/* --- serializing ---------------------------------------------------------------------------- */

/* Elements without content in the HTML standard. */
static bool is_void(const char *name)
{
	static const char *const names[] = {"br", "col", "hr", "img", "input", "link", "meta", "wbr"};
	for (size_t i = 0; i < JR_COUNT_OF(names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static bool is_raw(const char *name)
{
	return strcmp(name, "script") == 0 || strcmp(name, "style") == 0;
}

static void put_escaped(struct jr_buf *out, const char *s, bool attribute)
{
	for (;;) {
		size_t n = strcspn(s, attribute ? "&<>\"" : "&<>");
		jr_buf_add(out, s, n);
		s += n;
		switch (*s++) {
		case '&': jr_buf_puts(out, "&amp;"); break;
		case '<': jr_buf_puts(out, "&lt;"); break;
		case '>': jr_buf_puts(out, "&gt;"); break;
		case '"': jr_buf_puts(out, "&quot;"); break;
		default: return;
		}
	}
}

static void put_attributes(struct jr_buf *out, xmlNodePtr node)
{
	for (xmlAttrPtr a = node->properties; a; a = a->next) {
		jr_buf_putc(out, ' ');
		jr_buf_puts(out, (const char *)a->name);
		jr_buf_puts(out, "=\"");
		for (xmlNodePtr c = a->children; c; c = c->next)
			if (c->content)
				put_escaped(out, (const char *)c->content, true);
		jr_buf_putc(out, '"');
	}
}

/* Write the start of an element; true if children and an end tag follow. */
static bool open_element(struct jr_buf *out, xmlNodePtr node)
{
	const char *name = (const char *)node->name;
	jr_buf_putc(out, '<');
	jr_buf_puts(out, name);
	put_attributes(out, node);
	/* within <svg> an element without content may close itself */
	bool alone = is_void(name) ||
				 (!node->children && (strcmp(name, "rect") == 0 || strcmp(name, "path") == 0 ||
										 strcmp(name, "line") == 0 || strcmp(name, "circle") == 0));
	jr_buf_puts(out, alone ? "/>" : ">");
	return !alone;
}

static void close_element(struct jr_buf *out, xmlNodePtr node)
{
	jr_buf_puts(out, "</");
	jr_buf_puts(out, (const char *)node->name);
	jr_buf_putc(out, '>');
}

static void put_text(struct jr_buf *out, xmlNodePtr node)
{
	if (node->parent && node->parent->type == XML_ELEMENT_NODE &&
		is_raw((const char *)node->parent->name))
		jr_buf_puts(out, (const char *)node->content);
	else
		put_escaped(out, (const char *)node->content, false);
}

void jr_html_serialize(struct jr_buf *out, xmlNodePtr top,
	void (*fill)(xmlNodePtr instruction, void *context), void *context)
{
	xmlNodePtr node = top;
	for (;;) {
		bool descend = false;
		if (node->type == XML_ELEMENT_NODE)
			descend = open_element(out, node);
		else if (node->type == XML_TEXT_NODE && node->content)
			put_text(out, node);
		else if (node->type == XML_PI_NODE && fill)
			fill(node, context);
		if (descend && node->children) {
			node = node->children;
			continue;
		}
		if (descend)
			close_element(out, node);
		while (node != top && !node->next) {
			node = node->parent;
			close_element(out, node);
		}
		if (node == top)
			return;
		node = node->next;
	}
}
