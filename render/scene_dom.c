#include "render/scene_dom.h"

#include <string.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/text.h"
#include "base/vec.h"
#include "render/scene.h"
#include "render/svg_path.h"

/* The style that an element inherits; attributes that would repeat it are left out. */
struct state {
	struct jr_style style;
	struct jr_text text;
	xmlNodePtr parent;
};

struct writer {
	xmlDocPtr doc;
	const char *prefix;
	double least_px; /* narrower rectangles have no tooltip */
	struct jr_intern ids;
	struct jr_buf text;  /* scratch for one attribute */
	struct jr_buf class; /* scratch */
	JR_VEC(struct state) stack;
	struct state now;
};

static const xmlChar *xml(const char *text)
{
	return (const xmlChar *)text;
}

static xmlNodePtr element(struct writer *w, xmlNodePtr parent, const char *name)
{
	xmlNodePtr node = xmlNewDocNode(w->doc, NULL, xml(name), NULL);
	if (!node || (parent && !xmlAddChild(parent, node)))
		jr_oom();
	return node;
}

static void attribute(xmlNodePtr node, const char *name, const char *value)
{
	if (!xmlNewProp(node, xml(name), xml(value)))
		jr_oom();
}

static void content(struct writer *w, xmlNodePtr node, const char *text)
{
	xmlNodePtr child = xmlNewDocText(w->doc, xml(text));
	if (!child || !xmlAddChild(node, child))
		jr_oom();
}

static void number_attribute(struct writer *w, xmlNodePtr node, const char *name, double v)
{
	w->text.size = 0;
	jr_svg_number(&w->text, v);
	attribute(node, name, w->text.data);
}

static void place_attribute(struct writer *w, xmlNodePtr node, const char *name, double px)
{
	number_attribute(w, node, name, jr_svg_grid(px));
}

/* --- classes -------------------------------------------------------------------------------- */

static void add_class(struct writer *w, const char *format, const char *name)
{
	if (w->class.size)
		jr_buf_putc(&w->class, ' ');
	jr_buf_puts(&w->class, format);
	jr_buf_puts(&w->class, name);
}

static void add_class_digit(struct writer *w, const char *letter, unsigned digit)
{
	add_class(w, letter, (char[]){(char)('0' + digit), '\0'});
}

/*
 * Each class comes with the equivalent attribute: if a policy blocks style sheets, the figure still
 * has its (light) colors and its text in place. A style sheet overrides them.
 */
static void color_attribute(xmlNodePtr node, const char *name, enum jr_role role)
{
	char text[JR_HEX_MAX] = "none";
	if (role != JR_ROLE_NONE)
		jr_rgb_hex(text, jr_role_light(role));
	attribute(node, name, text);
}

static void fill_class(struct writer *w, xmlNodePtr node, const struct jr_style *style)
{
	char hex[JR_HEX_MAX];
	if (style->look == JR_LOOK_MARK) {
		add_class(w, "f-", jr_role_name(style->fill));
		color_attribute(node, "fill", style->fill);
		return;
	}
	add_class(w, "a-", jr_role_name(style->fill));
	jr_rgb_hex(hex, jr_area_light(style->fill));
	attribute(node, "fill", hex);
}

static void style_classes(struct writer *w, xmlNodePtr node, const struct jr_style *style)
{
	struct jr_style *now = &w->now.style;
	if (style->fill != now->fill || (style->fill && style->look != now->look))
		fill_class(w, node, style);
	if (style->fill && style->tint != now->tint) {
		add_class_digit(w, "t", style->tint < JR_N_TINTS ? style->tint : JR_N_TINTS - 1);
		number_attribute(w, node, "fill-opacity", jr_tint_alpha(style->tint));
	}
	if (style->stroke != now->stroke) {
		add_class(w, "s-", jr_role_name(style->stroke));
		color_attribute(node, "stroke", style->stroke);
	}
	if (!style->stroke)
		return;
	if (style->dash != now->dash)
		add_class_digit(w, "d", style->dash);
	double width = style->stroke_width > 0 ? style->stroke_width : 1;
	if (width != now->stroke_width)
		number_attribute(w, node, "stroke-width", width);
}

static void text_classes(struct writer *w, xmlNodePtr node, const struct jr_text *text)
{
	const struct jr_text *now = &w->now.text;
	if (text->role != w->now.style.fill || w->now.style.look) {
		add_class(w, "f-", jr_role_name(text->role));
		color_attribute(node, "fill", text->role);
	}
	if (w->now.style.tint) {
		add_class(w, "t0", "");
		number_attribute(w, node, "fill-opacity", 1);
	}
	if (text->halo)
		add_class(w, "halo", "");
	else if (w->now.style.stroke)
		add_class(w, "s-none", "");
	if (w->now.style.stroke)
		color_attribute(node, "stroke", JR_ROLE_NONE);
	if (text->anchor != now->anchor) {
		add_class(w, text->anchor == JR_START ? "as" : text->anchor == JR_END ? "ae" : "am", "");
		attribute(node, "text-anchor",
			text->anchor == JR_START ? "start"
			: text->anchor == JR_END ? "end"
									 : "middle");
	}
	if (text->bold != now->bold)
		add_class(w, text->bold ? "b" : "n", "");
	if (text->size != now->size)
		number_attribute(w, node, "font-size", text->size);
}

static void put_class(struct writer *w, xmlNodePtr node)
{
	if (w->class.size)
		attribute(node, "class", w->class.data);
	w->class.size = 0;
}

/* --- shapes --------------------------------------------------------------------------------- */

static void marker_path(struct jr_buf *d, const struct jr_item *item)
{
	double r = item->marker.radius, x = item->x, y = item->y;
	switch (item->marker.shape) {
	case JR_DIAMOND:
		jr_svg_polyline(
			d, (struct jr_point[]){{x - r, y}, {x, y - r}, {x + r, y}, {x, y + r}}, 4, true);
		break;
	case JR_TRIANGLE:
		jr_svg_polyline(
			d, (struct jr_point[]){{x - r, y + r}, {x, y - r}, {x + r, y + r}}, 3, true);
		break;
	case JR_CROSS:
		jr_svg_polyline(d, (struct jr_point[]){{x - r, y - r}, {x + r, y + r}}, 2, false);
		jr_svg_polyline(d, (struct jr_point[]){{x + r, y - r}, {x - r, y + r}}, 2, false);
		break;
	default: jr_svg_rect(d, x - r, y - r, 2 * r, 2 * r);
	}
}

/* --- runs: items of one style without tooltips become one element ---------------------------- */

static bool same_style(const struct jr_style *a, const struct jr_style *b)
{
	return a->fill == b->fill && a->tint == b->tint && a->look == b->look &&
		   a->stroke == b->stroke && a->stroke_width == b->stroke_width && a->dash == b->dash;
}

static bool has_tip(const struct writer *w, const struct jr_item *item)
{
	return item->tip && !(item->kind == JR_ITEM_RECT && item->rect.width < w->least_px);
}

/* Return true for a rectangle without a stroke whose width is rounded to 0, and for a place of a
 * tooltip without one. */
static bool is_nothing(const struct jr_item *item)
{
	if (item->kind == JR_ITEM_MARKER)
		return !item->style.fill && !item->style.stroke && !item->tip && !item->href;
	return item->kind == JR_ITEM_RECT && !item->style.stroke &&
		   jr_svg_grid(jr_svg_grid(item->x + item->rect.width) - jr_svg_grid(item->x)) == 0;
}

/* Return true for lines, and for dots and rectangles that leave no trace where they overlap. */
static bool may_join(const struct writer *w, const struct jr_item *item)
{
	if (has_tip(w, item) || item->href)
		return false;
	const struct jr_style *style = &item->style;
	bool plain = style->fill && !style->tint && !style->stroke;
	if (item->kind == JR_ITEM_RECT)
		return plain && !item->rect.radius && !jr_look_stripes(style->look).dash;
	return item->kind == JR_ITEM_LINE ||
		   (item->kind == JR_ITEM_MARKER && item->marker.shape == JR_CIRCLE && plain &&
			   style->look == JR_LOOK_MARK);
}

/* Return how many items from the first on become one element. */
static size_t run_of(const struct writer *w, const struct jr_item *items, size_t n)
{
	size_t k = 1;
	if (!may_join(w, items))
		return 1;
	while (k < n && items[k].kind == items->kind && may_join(w, &items[k]) &&
		   same_style(&items[k].style, &items->style) &&
		   (items->kind != JR_ITEM_MARKER || items[k].marker.radius == items->marker.radius))
		k++;
	return k;
}

static void run_node(struct writer *w, const struct jr_item *items, size_t n)
{
	xmlNodePtr node = element(w, w->now.parent, "path");
	struct jr_style style = items->style;
	w->text.size = 0;
	for (const struct jr_item *item = items; item < items + n; item++) {
		if (item->kind == JR_ITEM_RECT) {
			if (!is_nothing(item))
				jr_svg_rect(&w->text, item->x, item->y, item->rect.width, item->rect.height);
			continue;
		}
		/* a dot is a line of length 0 with round ends */
		bool dot = item->kind == JR_ITEM_MARKER;
		double x2 = dot ? item->x : item->line.x2, y2 = dot ? item->y : item->line.y2;
		jr_svg_polyline(&w->text, (struct jr_point[]){{item->x, item->y}, {x2, y2}}, 2, false);
	}
	attribute(node, "d", w->text.data);
	if (items->kind == JR_ITEM_MARKER) {
		attribute(node, "stroke-linecap", "round");
		style.stroke = style.fill;
		style.stroke_width = 2 * items->marker.radius;
		style.fill = w->now.style.fill;
		style.tint = w->now.style.tint;
		style.look = w->now.style.look;
	}
	style_classes(w, node, &style);
	put_class(w, node);
}

static xmlNodePtr shape_node(struct writer *w, xmlNodePtr parent, const struct jr_item *item)
{
	xmlNodePtr node;
	if (item->kind == JR_ITEM_MARKER && item->marker.shape == JR_CIRCLE) {
		node = element(w, parent, "circle");
		place_attribute(w, node, "cx", item->x);
		place_attribute(w, node, "cy", item->y);
		place_attribute(w, node, "r", item->marker.radius);
		return node;
	}
	if (item->kind == JR_ITEM_RECT && item->rect.radius > 0) {
		node = element(w, parent, "rect");
		place_attribute(w, node, "x", item->x);
		place_attribute(w, node, "y", item->y);
		place_attribute(w, node, "width", item->rect.width);
		place_attribute(w, node, "height", item->rect.height);
		place_attribute(w, node, "rx", item->rect.radius);
		return node;
	}
	node = element(w, parent, "path");
	w->text.size = 0;
	if (item->kind == JR_ITEM_RECT)
		jr_svg_rect(&w->text, item->x, item->y, item->rect.width, item->rect.height);
	else if (item->kind == JR_ITEM_LINE)
		jr_svg_polyline(&w->text,
			(struct jr_point[]){{item->x, item->y}, {item->line.x2, item->line.y2}}, 2, false);
	else if (item->kind == JR_ITEM_PATH)
		jr_svg_polyline(&w->text, item->path.points, item->path.n, item->path.closed);
	else
		marker_path(&w->text, item);
	attribute(node, "d", w->text.data);
	return node;
}

static void content_part(struct writer *w, xmlNodePtr node, const char *text, size_t n)
{
	w->text.size = 0;
	jr_buf_add(&w->text, text, n);
	if (n)
		content(w, node, w->text.data);
}

/* Right-to-left words get their own isolate, so that the text next to them keeps its place. */
static void label_content(struct writer *w, xmlNodePtr node, const char *text)
{
	size_t n = strlen(text), from = 0;
	for (size_t i = 0; i < n;) {
		size_t run = (unsigned char)text[i] < 0x80 ? 0 : jr_text_rtl_run(text + i, n - i);
		if (!run) {
			i++;
			continue;
		}
		content_part(w, node, text + from, i - from);
		xmlNodePtr words = element(w, node, "tspan");
		attribute(words, "unicode-bidi", "isolate");
		content_part(w, words, text + i, run);
		from = i += run;
	}
	content_part(w, node, text + from, n - from);
}

static xmlNodePtr text_node(struct writer *w, xmlNodePtr parent, const struct jr_item *item)
{
	const struct jr_text *st = &item->text.style;
	xmlNodePtr node = element(w, parent, "text");
	place_attribute(w, node, "x", item->x);
	place_attribute(w, node, "y", item->y);
	if (st->rotate != 0) {
		w->text.size = 0;
		jr_buf_puts(&w->text, "rotate(");
		jr_svg_number(&w->text, st->rotate);
		jr_buf_putc(&w->text, ' ');
		jr_svg_number(&w->text, jr_svg_grid(item->x));
		jr_buf_putc(&w->text, ' ');
		jr_svg_number(&w->text, jr_svg_grid(item->y));
		jr_buf_putc(&w->text, ')');
		attribute(node, "transform", w->text.data);
	}
	text_classes(w, node, st);
	return node;
}

/* Stripes are a dashed line as thick as the rectangle is high. It needs no pattern, whose address a
 * style sheet would have to name, and it is printed, too. */
static void stripes_node(struct writer *w, xmlNodePtr parent, const struct jr_item *item)
{
	xmlNodePtr node = element(w, parent, "path");
	double y = item->y + item->rect.height / 2;
	w->text.size = 0;
	jr_svg_polyline(
		&w->text, (struct jr_point[]){{item->x, y}, {item->x + item->rect.width, y}}, 2, false);
	attribute(node, "d", w->text.data);
	enum jr_role role = jr_stripe_role(item->style.fill, item->style.look);
	add_class(w, "hatch s-", jr_role_name(role));
	put_class(w, node);
	color_attribute(node, "stroke", role);
	attribute(node, "stroke-dasharray", jr_look_stripes(item->style.look).dash);
	number_attribute(w, node, "stroke-width", item->rect.height);
}

static void item_node(struct writer *w, const struct jr_item *item)
{
	xmlNodePtr parent = w->now.parent;
	if (item->href) {
		parent = element(w, parent, "a");
		attribute(parent, "href", item->href);
	}
	xmlNodePtr node;
	if (item->kind == JR_ITEM_TEXT) {
		node = text_node(w, parent, item);
		if (item->tip || item->href)
			add_class(w, "tip", "");
	} else {
		node = shape_node(w, parent, item);
		style_classes(w, node, &item->style);
	}
	put_class(w, node);
	if (has_tip(w, item))
		content(w, element(w, node, "title"), item->tip);
	if (item->kind == JR_ITEM_RECT && jr_look_stripes(item->style.look).dash)
		stripes_node(w, parent, item);
	if (item->kind == JR_ITEM_TEXT)
		label_content(w, node, item->text.string);
}

/* --- groups --------------------------------------------------------------------------------- */

/* Set the id: PREFIX-id with only [A-Za-z0-9_.-] the first time, PREFIX-id-2 the second. */
static void id_attribute(struct writer *w, xmlNodePtr node, const char *id)
{
	struct jr_buf *out = &w->text;
	out->size = 0;
	jr_buf_puts(out, w->prefix);
	if (out->size && *id)
		jr_buf_putc(out, '-');
	for (const char *p = id; *p; p++) {
		bool plain = jr_is_letter(*p) || jr_is_digit(*p) || strchr("_.-", *p);
		jr_buf_putc(out, plain ? *p : '_');
	}
	size_t base = out->size;
	for (unsigned k = 2; jr_intern_find(&w->ids, out->data, out->size) != JR_NONE; k++) {
		out->size = base;
		jr_buf_printf(out, "-%u", k);
	}
	jr_intern_put(&w->ids, out->data, out->size);
	attribute(node, "id", out->data);
}

static void data_attributes(struct writer *w, xmlNodePtr node, const struct jr_group *group)
{
	for (size_t i = 0; i < group->n_data; i++) {
		const char *name = group->data[i].name;
		if (!name || !*name ||
			strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(name))
			continue;
		w->text.size = 0;
		jr_buf_printf(&w->text, "data-%s", name);
		attribute(node, w->text.data, group->data[i].value ? group->data[i].value : "");
	}
}

static void open_group(struct writer *w, const struct jr_item *item)
{
	const struct jr_group *group = item->group;
	*jr_vec_add(&w->stack) = w->now;
	xmlNodePtr parent = w->now.parent;
	if (group->href) {
		parent = element(w, parent, "a");
		attribute(parent, "href", group->href);
	}
	xmlNodePtr node = element(w, parent, "g");
	if (group->id && *group->id)
		id_attribute(w, node, group->id);
	if (group->class && *group->class)
		add_class(w, group->class, "");
	bool for_text = group->style.fill == JR_ROLE_NONE && group->style.stroke == JR_ROLE_NONE &&
					group->text.role != JR_ROLE_NONE;
	if (for_text && w->now.style.tint == 0 && w->now.style.stroke == JR_ROLE_NONE) {
		text_classes(w, node, &group->text);
		w->now.text = group->text;
		w->now.style.fill = group->text.role;
	} else if (group->style.fill || group->style.stroke) {
		style_classes(w, node, &group->style);
		struct jr_style before = w->now.style;
		w->now.style = group->style;
		if (!group->style.fill)
			w->now.style.tint = before.tint;
		if (!group->style.stroke) {
			w->now.style.dash = before.dash;
			w->now.style.stroke_width = before.stroke_width;
		} else if (!(group->style.stroke_width > 0)) {
			w->now.style.stroke_width = 1;
		}
	}
	put_class(w, node);
	data_attributes(w, node, group);
	if (group->title)
		content(w, element(w, node, "title"), group->title);
	w->now.parent = node;
}

/* --- document ------------------------------------------------------------------------------- */

static bool has_links(const struct jr_scene *scene)
{
	for (size_t i = 0; i < scene->items.n; i++) {
		const struct jr_item *item = &scene->items.items[i];
		if (item->href || (item->kind == JR_ITEM_OPEN && item->group->href))
			return true;
	}
	return false;
}

static void svg_attributes(struct writer *w, xmlNodePtr svg, const struct jr_scene *scene)
{
	attribute(svg, "class", "jr-figure");
	if (*w->prefix)
		id_attribute(w, svg, "");
	w->text.size = 0;
	jr_buf_puts(&w->text, "0 0 ");
	jr_svg_number(&w->text, scene->width);
	jr_buf_putc(&w->text, ' ');
	jr_svg_number(&w->text, scene->height);
	attribute(svg, "viewBox", w->text.data);
	number_attribute(w, svg, "width", scene->width);
	number_attribute(w, svg, "height", scene->height);
	attribute(svg, "fill", "none");
	number_attribute(w, svg, "font-size", 12);
	/* Content of an "img" cannot be reached from a keyboard, but links must be. */
	attribute(svg, "role", has_links(scene) ? "group" : "img");
	if (*scene->label)
		attribute(svg, "aria-label", scene->label);
}

xmlNodePtr jr_scene_dom(
	const struct jr_scene *scene, xmlDocPtr doc, const char *prefix, double least_px)
{
	if (JR_CHECKED)
		jr_scene_assert(scene);
	struct writer w = {.doc = doc, .prefix = prefix ? prefix : scene->id, .least_px = least_px};
	jr_intern_init(&w.ids);
	xmlNodePtr svg = element(&w, NULL, "svg");
	svg_attributes(&w, svg, scene);
	w.now.parent = svg;
	w.now.text.size = 12; /* the size of .jr-figure */
	w.now.style.stroke_width = 1;
	for (size_t i = 0, n = 1; i < scene->items.n; i += n) {
		const struct jr_item *item = &scene->items.items[i];
		n = is_nothing(item) ? 1 : run_of(&w, item, scene->items.n - i);
		if (n > 1)
			run_node(&w, item, n);
		else if (item->kind == JR_ITEM_OPEN)
			open_group(&w, item);
		else if (item->kind == JR_ITEM_CLOSE)
			w.now = w.stack.items[--w.stack.n];
		else if (!is_nothing(item))
			item_node(&w, item);
	}
	jr_vec_done(&w.stack);
	jr_buf_done(&w.text);
	jr_buf_done(&w.class);
	jr_intern_done(&w.ids);
	return svg;
}

static void serialize(xmlDocPtr doc, xmlNodePtr node, struct jr_buf *out)
{
	xmlBufferPtr buffer = xmlBufferCreate();
	if (!buffer || xmlNodeDump(buffer, doc, node, 0, 0) < 0)
		jr_oom();
	jr_buf_add(out, xmlBufferContent(buffer), (size_t)xmlBufferLength(buffer));
	xmlBufferFree(buffer);
}

static xmlDocPtr new_document(void)
{
	xmlDocPtr doc = xmlNewDoc(xml("1.0"));
	if (!doc)
		jr_oom();
	/* Without it, libxml2 writes every non-ASCII character as a reference. */
	doc->encoding = xmlStrdup(xml("UTF-8"));
	return doc;
}

void jr_scene_svg_inline(const struct jr_scene *scene, const char *prefix, struct jr_buf *out)
{
	xmlDocPtr doc = new_document();
	xmlNodePtr svg = jr_scene_dom(scene, doc, prefix, 0);
	serialize(doc, svg, out);
	xmlFreeNode(svg);
	xmlFreeDoc(doc);
}

static void prepend(xmlNodePtr svg, xmlNodePtr node)
{
	if (svg->children ? !xmlAddPrevSibling(svg->children, node) : !xmlAddChild(svg, node))
		jr_oom();
}

void jr_scene_svg_document(const struct jr_scene *scene, const char *about, struct jr_buf *out)
{
	struct writer w = {.doc = new_document(), .prefix = ""};
	xmlNodePtr svg = jr_scene_dom(scene, w.doc, NULL, 0);
	xmlDocSetRootElement(w.doc, svg);
	if (!xmlNewNs(svg, xml("http://www.w3.org/2000/svg"), NULL))
		jr_oom();
	xmlNodePtr ground = element(&w, NULL, "path");
	jr_svg_rect(&w.text, 0, 0, scene->width, scene->height);
	attribute(ground, "d", w.text.data);
	attribute(ground, "class", "f-background");
	prepend(svg, ground);
	xmlNodePtr style = element(&w, NULL, "style");
	w.text.size = 0;
	jr_palette_css(&w.text);
	content(&w, style, w.text.data);
	prepend(svg, style);
	if (about) {
		xmlNodePtr desc = element(&w, NULL, "desc");
		content(&w, desc, about);
		prepend(svg, desc);
	}
	xmlNodePtr title = element(&w, NULL, "title");
	content(&w, title, *scene->label ? scene->label : "figure");
	prepend(svg, title);
	jr_buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	serialize(w.doc, svg, out);
	jr_buf_putc(out, '\n');
	jr_buf_done(&w.text);
	xmlFreeDoc(w.doc);
}
