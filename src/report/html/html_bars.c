/* Divided bars on the page: each is a row of rectangles with widths in percent. So bars adapt to
 * the window while text keeps its size, without scripts or inline styles. figures/NAME.svg has the
 * same bars with an axis. */
#include <math.h>
#include <string.h>

#include "report/document/chart_parts.h"
#include "report/html/html.h"

#define MAX_ROWS 30  /* the table has all rows */
#define LABELED 0.2  /* of the longest bar: parts from this length on have room for their value */
#define LEAST 0.0005 /* of a bar: from this length on a part is listed */
#define BAR_HEIGHT 20
#define ALONE_HEIGHT 28

struct bars {
	const struct jr_chart *chart;
	struct jr_chart_bars shown;
	size_t n_parts;
	double longest;
	struct jr_buf text;
};

static const struct jr_column_spec *part_spec(const struct bars *b, size_t part)
{
	size_t c = jr_table_column(b->chart->table, b->chart->parts[part]);
	return c == SIZE_MAX ? NULL : &b->chart->table->spec->columns[c];
}

static void set_number(
	struct bars *b, xmlNodePtr node, const char *name, double v, const char *unit)
{
	char number[JR_NUM_MAX];
	jr_num_double(number, round(v * 1000) / 1000);
	b->text.size = 0;
	jr_buf_printf(&b->text, "%s%s", number, unit);
	jr_html_attribute(node, name, b->text.data);
}

/* "105.8 ms", or with its share "105.8 ms, 82.8 %". */
static const char *value_text(struct bars *b, size_t part, double v, double sum)
{
	char share[JR_NUM_MAX];
	b->text.size = 0;
	jr_chart_put_value(&b->text, part_spec(b, part), v);
	if (sum > 0) {
		jr_num_grouped(share, 100 * v / sum, 1);
		jr_buf_printf(&b->text, ", %s %%", share);
	}
	return b->text.data;
}

static void color(struct bars *b, xmlNodePtr rect, size_t part)
{
	char hex[JR_HEX_MAX];
	enum jr_role role = jr_chart_part_role(b->chart, part);
	enum jr_look look = jr_role_look(role);
	b->text.size = 0;
	jr_buf_printf(&b->text, look ? "a-%s" : "f-%s t4", jr_role_name(role));
	if (look >= JR_LOOK_OUTLINED)
		jr_buf_printf(&b->text, " s-%s", jr_role_name(role));
	jr_html_attribute(rect, "class", b->text.data);
	jr_rgb_hex(hex, jr_area_light(role));
	jr_html_attribute(rect, "fill", hex); /* for a policy that blocks style sheets */
}

/* Draw stripes over a rectangle: a dashed line with the height of the rectangle as its width. */
static void stripes(
	struct bars *b, xmlNodePtr svg, size_t part, const char *from, const char *to, double height)
{
	enum jr_role role = jr_chart_part_role(b->chart, part);
	enum jr_look look = jr_role_look(role);
	char hex[JR_HEX_MAX];
	if (!jr_look_stripes(look).dash)
		return;
	role = jr_stripe_role(role, look);
	xmlNodePtr line = jr_html_element(svg, "line", NULL);
	jr_html_attribute(line, "x1", from);
	jr_html_attribute(line, "x2", to);
	set_number(b, line, "y1", height / 2, "");
	set_number(b, line, "y2", height / 2, "");
	set_number(b, line, "stroke-width", height, "");
	b->text.size = 0;
	jr_buf_printf(&b->text, "hatch s-%s", jr_role_name(role));
	jr_html_attribute(line, "class", b->text.data);
	jr_rgb_hex(hex, jr_role_light(role));
	jr_html_attribute(line, "stroke", hex);
	jr_html_attribute(line, "stroke-dasharray", jr_look_stripes(look).dash);
}

static void add_part(struct bars *b, xmlNodePtr svg, size_t part, size_t row, double from)
{
	double v = jr_chart_part(b->chart, part, row), sum = jr_chart_parts_sum(b->chart, row);
	if (!(v > 0))
		return;
	bool alone = b->shown.n == 1, single = b->n_parts == 1;
	xmlNodePtr rect = jr_html_element(svg, "rect", NULL);
	set_number(b, rect, "x", 100 * from / b->longest, "%");
	set_number(b, rect, "width", 100 * v / b->longest, "%");
	set_number(b, rect, "height", alone ? ALONE_HEIGHT : BAR_HEIGHT, "");
	color(b, rect, part);
	struct jr_buf title = {0};
	jr_buf_printf(
		&title, "%s %s", part_spec(b, part)->title, value_text(b, part, v, single ? 0 : sum));
	jr_html_leaf(rect, "title", NULL, title.data);
	jr_buf_done(&title);
	char begin[JR_NUM_MAX + 1], end[JR_NUM_MAX + 1];
	memcpy(begin + jr_num_double(begin, round(1e5 * from / b->longest) / 1000), "%", 2);
	memcpy(end + jr_num_double(end, round(1e5 * (from + v) / b->longest) / 1000), "%", 2);
	stripes(b, svg, part, begin, end, alone ? ALONE_HEIGHT : BAR_HEIGHT);
	if (v < LABELED * b->longest || single)
		return;
	bool striped = jr_look_stripes(jr_role_look(jr_chart_part_role(b->chart, part))).dash;
	xmlNodePtr text = jr_html_leaf(svg, "text", striped ? "halo" : NULL, value_text(b, part, v, 0));
	set_number(b, text, "x", 100 * (from + v / 2) / b->longest, "%");
	set_number(b, text, "y", alone ? 19 : 14, "");
	jr_html_attribute(text, "text-anchor", "middle");
}

static void add_bar(struct bars *b, xmlNodePtr parent, size_t row, const char *name)
{
	bool alone = b->shown.n == 1;
	double from = 0, sum = jr_chart_parts_sum(b->chart, row);
	if (!alone)
		jr_html_cut_prose(jr_html_element(parent, "span", "label"), name, JR_HTML_TILE);
	xmlNodePtr svg = jr_html_element(parent, "svg", "bars");
	jr_html_attribute(svg, "width", "100%");
	set_number(b, svg, "height", alone ? ALONE_HEIGHT : BAR_HEIGHT, "");
	jr_html_attribute(svg, "aria-hidden", "true"); /* the text below has the same content */
	for (size_t part = 0; part < b->n_parts; part++) {
		if (!part_spec(b, part))
			continue;
		add_part(b, svg, part, row, from);
		from += jr_chart_part(b->chart, part, row);
	}
	if (alone)
		return;
	size_t any = 0;
	while (any < b->n_parts && !part_spec(b, any))
		any++;
	jr_html_leaf(parent, "span", "value", any < b->n_parts ? value_text(b, any, sum, 0) : "");
}

/* Add the parts that any bar has, with values if there is only one bar. A single part is the
 * subject of the figure and needs no key. */
static void add_key(struct bars *b, xmlNodePtr parent)
{
	xmlNodePtr list = jr_html_element(parent, "ul", "key");
	for (size_t part = 0; part < b->n_parts; part++) {
		bool any = false;
		for (size_t i = 0; i < b->shown.n; i++) {
			size_t row = b->shown.rows[i];
			double v = jr_chart_part(b->chart, part, row);
			any |= v > 0 && v >= LEAST * jr_chart_parts_sum(b->chart, row);
		}
		if (!any || !part_spec(b, part))
			continue;
		xmlNodePtr item = jr_html_element(list, "li", NULL);
		xmlNodePtr svg = jr_html_element(item, "svg", "bars");
		jr_html_attribute(svg, "width", "10");
		jr_html_attribute(svg, "height", "10");
		jr_html_attribute(svg, "aria-hidden", "true");
		xmlNodePtr rect = jr_html_element(svg, "rect", NULL);
		jr_html_attribute(rect, "width", "10");
		jr_html_attribute(rect, "height", "10");
		color(b, rect, part);
		stripes(b, svg, part, "0", "10", 10);
		jr_html_text(item, " ");
		jr_html_text(item, part_spec(b, part)->title);
		if (b->shown.n > 1)
			continue;
		jr_html_text(item, " ");
		jr_html_said(item, "b", NULL,
			value_text(b, part, jr_chart_part(b->chart, part, 0), jr_chart_parts_sum(b->chart, 0)));
	}
}

void jr_html_bars(xmlNodePtr parent, const struct jr_chart *chart, const char *id)
{
	struct jr_arena arena;
	jr_arena_init(&arena, 0);
	struct bars b = {.chart = chart,
		.n_parts = jr_chart_n_parts(chart),
		.shown = jr_chart_longest(chart, MAX_ROWS, &arena)};
	for (size_t i = 0; i < b.shown.n; i++)
		b.longest = fmax(b.longest, jr_chart_parts_sum(chart, b.shown.rows[i]));
	xmlNodePtr box = jr_html_element(parent, "div", b.shown.n == 1 ? "bar-rows alone" : "bar-rows");
	jr_html_attribute(box, "id", id);
	for (size_t i = 0; i < b.shown.n && b.longest > 0; i++)
		add_bar(&b, box, b.shown.rows[i], jr_chart_row_name(chart, b.shown.rows[i], &arena));
	if (b.n_parts > 1)
		add_key(&b, parent);
	if (b.shown.n_left) {
		b.text.size = 0;
		jr_chart_put_left(&b.text, "Not shown: ", chart, &b.shown);
		jr_html_leaf(parent, "p", "remainder", b.text.data);
	}
	jr_buf_done(&b.text);
	jr_arena_done(&arena);
}
