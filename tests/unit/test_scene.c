/* Scene, palette and both backends: dumps, escaping, ids, contrast, widths, identical bytes on a
 * second run. */
#include <math.h>
#include <libxml/parser.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "render/scene.h"
#include "render/scene_cairo.h"
#include "render/scene_dom.h"

static const char hostile[] = "<script>alert('1')</script> \"q\" & ]]> \x01\xff\xe2\x80\xae --> é";

static void draw_everything(struct jr_scene *sc)
{
	static const struct jr_point points[] = {{10, 60}, {20.126, 50}, {30, 70.5}};
	static const struct jr_attribute data[] = {{"n", "12"}, {"bad name", "x"}};
	jr_scene_init(sc, 200, 100);
	jr_scene_name(sc, "demo", hostile);
	jr_scene_rect(sc, 1, 2, 30.004, 0.5, jr_fill(JR_ROLE_COMPUTE));
	jr_scene_tip(sc, hostile);
	jr_scene_open(sc, &(struct jr_group){.id = "g", .class = "hit", .title = "t", .href = "#top",
		.data = data, .n_data = 2, .style = jr_wash(JR_ROLE_COPY, 2)});
	jr_scene_round_rect(sc, 5, 5, 10, 10, 2, jr_wash(JR_ROLE_COPY, 2));
	jr_scene_line(sc, 0, 0, 200, 100, (struct jr_style){.stroke = JR_ROLE_GRID, .dash = JR_DASHED});
	jr_scene_close(sc);
	jr_scene_path(sc, points, 3, false, jr_stroke(JR_ROLE_INK, 1.5));
	jr_scene_path(sc, points, 3, true, jr_wash(JR_ROLE_SERIES_2, 5));
	for (enum jr_shape shape = JR_CIRCLE; shape < JR_N_SHAPES; shape++)
		jr_scene_marker(sc, 100 + 10.0 * shape, 50, 4, shape, jr_fill(JR_ROLE_ACCENT));
	jr_scene_href(sc, "#row-1");
	jr_scene_text(sc, 100, 90, hostile,
		&(struct jr_text){.size = 11, .anchor = JR_END, .bold = true, .rotate = -90, .halo = true});
	jr_scene_text(sc, NAN, INFINITY, "plain", NULL);
	jr_scene_open(sc, &(struct jr_group){.id = "g"}); /* a second g, never closed */
}

static UNIT(dump)
{
	struct jr_scene sc;
	JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
	jr_scene_init(&sc, 40, 30);
	jr_scene_name(&sc, "a", "label");
	jr_scene_open(&sc, &(struct jr_group){.id = "i", .title = "t"});
	jr_scene_rect(&sc, 1, 2, 3.456, 4, jr_wash(JR_ROLE_COMPUTE, 3));
	jr_scene_tip(&sc, "tip\nsecond\x01");
	jr_scene_close(&sc);
	jr_scene_line(&sc, 0, 0, 5, -5.5, jr_stroke(JR_ROLE_GRID, 0));
	jr_scene_text(&sc, 3, 4, "x\ny", &(struct jr_text){.anchor = JR_MIDDLE});
	jr_scene_text(&sc, 3, 4, "", NULL);
	jr_scene_close(&sc); /* nothing is open: harmless */
	jr_scene_dump(&sc, &out);
	assert_string_equal(out.data, "scene id=\"a\" label=\"label\" 40 30\n"
		"  group id=\"i\" title=\"t\"\n"
		"    rect 1 2 3.46 4 fill=compute/3 tip=\"tip\\nsecond␁\"\n"
		"  line 0 0 5 -5.5 stroke=grid 1\n"
		"  text 3 4 12 middle ink \"x␊y\"\n");
	jr_scene_done(&sc);
	jr_scene_done(&sc);
	jr_scene_done(NULL);
}

static UNIT(fragments)
{
	assert_true(jr_href_is_fragment("#thunk-1.2:3_a"));
	static const char *const bad[] = {NULL, "", "#", "x", "javascript:alert(1)", "#a b", "#a\"",
		"http://x/#a", "#é", "##"};
	for (size_t i = 0; i < JR_COUNT_OF(bad); i++)
		assert_false(jr_href_is_fragment(bad[i]));
}

/* --- inline SVG ------------------------------------------------------------------------------ */

static xmlDocPtr parse(const struct jr_buf *text)
{
	xmlDocPtr doc = xmlReadMemory(text->data, (int)text->size, "x.svg", NULL, XML_PARSE_NONET);
	assert_non_null(doc);
	return doc;
}

static size_t count_elements(xmlNodePtr node, const char *name)
{
	size_t n = 0;
	for (; node; node = node->next) {
		if (node->type != XML_ELEMENT_NODE)
			continue;
		n += strcmp((const char *)node->name, name) == 0;
		n += count_elements(node->children, name);
	}
	return n;
}

static void collect_ids(xmlNodePtr node, char ids[][64], size_t *n)
{
	for (; node; node = node->next) {
		if (node->type != XML_ELEMENT_NODE)
			continue;
		xmlChar *id = xmlGetProp(node, (const xmlChar *)"id");
		if (id) {
			for (size_t i = 0; i < *n; i++)
				assert_string_not_equal(ids[i], (const char *)id);
			snprintf(ids[(*n)++], 64, "%s", (const char *)id);
			xmlFree(id);
		}
		collect_ids(node->children, ids, n);
	}
}

static UNIT(inline_svg)
{
	struct jr_scene sc;
	JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
	char ids[8][64] = {{0}};
	size_t n_ids = 0;
	draw_everything(&sc);
	jr_scene_svg_inline(&sc, "fig7", &out);
	xmlDocPtr doc = parse(&out);
	xmlNodePtr svg = xmlDocGetRootElement(doc);
	assert_int_equal(count_elements(svg, "script"), 0);
	assert_int_equal(count_elements(svg, "text"), 2);
	assert_int_equal(count_elements(svg, "a"), 2);
	assert_int_equal(count_elements(svg, "title"), 2);
	collect_ids(svg, ids, &n_ids);
	assert_int_equal(n_ids, 3);
	assert_string_equal(ids[0], "fig7");
	assert_string_equal(ids[1], "fig7-g");
	assert_string_equal(ids[2], "fig7-g-2");
	assert_non_null(strstr(out.data,
		"<path d=\"M1 2h30v.5h-30z\" fill=\"#0072B2\" class=\"f-compute\">"));
	assert_non_null(strstr(out.data, "data-n=\"12\""));
	assert_null(strstr(out.data, "bad name"));
	assert_null(strstr(out.data, "style="));
	assert_null(strstr(out.data, "http"));
	xmlFreeDoc(doc);
	jr_scene_done(&sc);
}

/* Steps from point to point, each in its shortest form; a repeated point is written once. */
static UNIT(path_data)
{
	static const struct jr_point points[] = {{1, 2}, {1, 2}, {2, 2}, {2, 4.5}, {2.004, 4.5},
		{5, 3}, {4, 3}};
	struct jr_scene sc;
	JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
	jr_scene_init(&sc, 10, 10);
	jr_scene_path(&sc, points, JR_COUNT_OF(points), true, jr_fill(JR_ROLE_INK));
	jr_scene_path(&sc, points, 2, false, jr_stroke(JR_ROLE_INK, 1));
	jr_scene_svg_inline(&sc, NULL, &out);
	assert_non_null(strstr(out.data, "d=\"M1 2h1v2.5l3-1.5h-1z\""));
	assert_non_null(strstr(out.data, "d=\"M1 2h0\"")); /* a dot is still drawn */
	jr_scene_done(&sc);
}

/* Coordinates are rounded to a tenth of a pixel. A denser curve keeps only its visible points,
 * with its top unchanged. */
static UNIT(path_thinned)
{
	enum { N = 1000 };
	struct jr_point points[N];
	struct jr_scene sc;
	JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
	for (size_t i = 0; i < N; i++)
		points[i] = (struct jr_point){0.375 * (double)i, 40 + 0.04 * (double)(i % 2)};
	points[501].y = 10;
	jr_scene_init(&sc, 400, 100);
	jr_scene_path(&sc, points, N, false, jr_stroke(JR_ROLE_INK, 1));
	jr_scene_rect(&sc, 1.234, 5, 2.345, 1, jr_fill(JR_ROLE_COMPUTE));
	jr_scene_rect(&sc, 3.579, 5, 1, 1, jr_fill(JR_ROLE_COMPUTE));
	jr_scene_svg_inline(&sc, NULL, &out);
	assert_non_null(strstr(out.data, "d=\"M0 40h187.5l.4-30l.4 30h186.3\""));
	/* the edge is shared, and both are one element */
	assert_non_null(strstr(out.data, "d=\"M1.2 5h2.4v1h-2.4zM3.6 5h1v1h-1z\""));
	jr_scene_done(&sc);
}

/* Where a live chart takes over, rectangles too narrow to point at have no tooltip. */
static UNIT(narrow_tips)
{
	struct jr_scene sc;
	jr_scene_init(&sc, 400, 100);
	for (double x = 0; x < 5; x++) {
		jr_scene_rect(&sc, 20 * x, 5, x + 1, 1, jr_fill(JR_ROLE_COMPUTE));
		jr_scene_tip(&sc, "t");
	}
	for (int least = 0; least < 7; least++) {
		xmlDocPtr doc = xmlNewDoc(BAD_CAST "1.0");
		xmlNodePtr svg = jr_scene_dom(&sc, doc, "x", least);
		int tips = 0, paths = 0;
		for (xmlNodePtr node = svg->children; node; node = node->next, paths++)
			tips += node->children != NULL;
		assert_int_equal(tips, least < 2 ? 5 : 6 - least);
		assert_int_equal(paths, tips + (least > 1));
		xmlFreeNode(svg);
		xmlFreeDoc(doc);
	}
	jr_scene_done(&sc);
}

/* Attributes of the group that its items repeat are written once; differences are written. */
static UNIT(inheritance)
{
	struct jr_scene sc;
	JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
	jr_scene_init(&sc, 10, 10);
	jr_scene_open(&sc, &(struct jr_group){.style = jr_wash(JR_ROLE_COMPUTE, 2)});
	jr_scene_rect(&sc, 0, 0, 1, 1, jr_wash(JR_ROLE_COMPUTE, 2));
	jr_scene_rect(&sc, 1, 0, 1, 1, jr_fill(JR_ROLE_COMPUTE));
	jr_scene_rect(&sc, 2, 0, 1, 1, jr_wash(JR_ROLE_COPY, 2));
	jr_scene_text(&sc, 3, 3, "t", NULL);
	jr_scene_close(&sc);
	jr_scene_rect(&sc, 0, 5, 1, 1, jr_wash(JR_ROLE_COMPUTE, 2));
	jr_scene_svg_inline(&sc, "p", &out);
	/* attributes repeat the classes, for places that do not allow style sheets */
	assert_non_null(strstr(out.data,
		"<g fill=\"#0072B2\" fill-opacity=\".41\" class=\"f-compute t2\"><path d=\"M0 0h1v1h-1z\"/>"
		"<path d=\"M1 0h1v1h-1z\" fill-opacity=\"1\" class=\"t0\"/>"
		"<path d=\"M2 0h1v1h-1z\" fill=\"#B0598B\" class=\"f-copy\"/>"
		"<text x=\"3\" y=\"3\" fill=\"#1B2026\" fill-opacity=\"1\" class=\"f-ink t0\">t</text></g>"
		"<path d=\"M0 5h1v1h-1z\" fill=\"#0072B2\" fill-opacity=\".41\" class=\"f-compute t2\"/>"));
	jr_scene_done(&sc);
}

static UNIT(standalone_svg)
{
	struct jr_scene sc;
	struct jr_buf out = {0}, again = {0};
	draw_everything(&sc);
	jr_scene_svg_document(&sc, "a <desc>", &out);
	jr_scene_svg_document(&sc, "a <desc>", &again);
	assert_string_equal(out.data, again.data);
	xmlDocPtr doc = parse(&out);
	xmlNodePtr svg = xmlDocGetRootElement(doc);
	assert_non_null(svg->ns);
	assert_string_equal((const char *)svg->ns->href, "http://www.w3.org/2000/svg");
	assert_int_equal(count_elements(svg, "style"), 1);
	assert_non_null(strstr(out.data, "<desc>a &lt;desc&gt;</desc>"));
	assert_non_null(strstr(out.data, "</text>"));
	assert_non_null(strstr(out.data, "prefers-color-scheme"));
	assert_null(strstr(out.data, "url("));
	assert_null(strstr(out.data, "@import"));
	xmlFreeDoc(doc);
	jr_buf_done(&out);
	jr_buf_done(&again);
	jr_scene_done(&sc);
}

static UNIT(empty_scene)
{
	struct jr_scene sc;
	JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
	struct jr_error err;
	jr_scene_init(&sc, 10, 10);
	jr_scene_path(&sc, NULL, 0, true, jr_fill(JR_ROLE_INK));
	jr_scene_svg_inline(&sc, NULL, &out);
	xmlFreeDoc(parse(&out));
	assert_int_equal(jr_scene_cairo_png(&sc, 1, &out, &err), JR_OK);
	jr_scene_done(&sc);
	jr_scene_init(&sc, 1e6, 1e6);
	assert_int_equal(jr_scene_cairo_png(&sc, 1, &out, &err), JR_ELIMIT);
	assert_non_null(strstr(err.message, "too large"));
	jr_scene_done(&sc);
}

/* --- cairo ----------------------------------------------------------------------------------- */

static UNIT(cairo_files)
{
	struct jr_scene sc;
	struct jr_buf png = {0}, png2 = {0};
	struct jr_error err;
	draw_everything(&sc);
	assert_int_equal(jr_scene_cairo_png(&sc, 2, &png, &err), JR_OK);
	assert_int_equal(jr_scene_cairo_png(&sc, 2, &png2, &err), JR_OK);
	assert_true(jr_bytes_eq(jr_buf_view(&png), jr_buf_view(&png2)));
	assert_true(png.size > 24);
	assert_memory_equal(png.data, "\x89PNG\r\n\x1a\n", 8);
	assert_memory_equal(png.data + 16, "\0\0\x01\x90\0\0\0\xC8", 8); /* 400 x 200 */
	jr_buf_done(&png);
	jr_buf_done(&png2);
	jr_scene_done(&sc);
}

static void write_label(struct jr_scene *sc, double x, const char *text)
{
	jr_scene_text(sc, x, 20, text, NULL);
}

/* Right-to-left words are reversed among themselves, and keep their place. */
static UNIT(right_to_left)
{
	struct jr_scene sc, letters;
	struct jr_buf svg = {0}, png = {0}, png2 = {0};
	struct jr_error err;
	jr_scene_init(&sc, 100, 30);
	write_label(&sc, 4, "9 אבּ_ג 7");
	jr_scene_svg_inline(&sc, NULL, &svg);
	assert_non_null(strstr(svg.data, ">9 <tspan unicode-bidi=\"isolate\">אבּ_ג</tspan> 7</text>"));
	jr_scene_init(&letters, 100, 30);
	write_label(&letters, 4, "9 ");
	struct jr_metrics *metrics = jr_metrics_new();
	double x = 4 + jr_metrics_width(metrics, "9 ", 2, 12, false);
	static const char *const visual[] = {"ג", "_", "בּ", "א", " 7"};
	for (size_t i = 0; i < JR_COUNT_OF(visual); i++) {
		write_label(&letters, x, visual[i]);
		x += jr_metrics_width(metrics, visual[i], strlen(visual[i]), 12, false);
	}
	assert_int_equal(jr_scene_cairo_png(&sc, 1, &png, &err), JR_OK);
	assert_int_equal(jr_scene_cairo_png(&letters, 1, &png2, &err), JR_OK);
	assert_true(jr_bytes_eq(jr_buf_view(&png), jr_buf_view(&png2)));
	jr_metrics_free(metrics);
	jr_buf_done(&svg);
	jr_buf_done(&png);
	jr_buf_done(&png2);
	jr_scene_done(&letters);
	jr_scene_done(&sc);
}

static double width_of(struct jr_metrics *m, const char *text, double size, bool bold)
{
	return jr_metrics_width(m, text, strlen(text), size, bold);
}

static UNIT(metrics)
{
	struct jr_metrics *m = jr_metrics_new();
	assert_true(width_of(m, "", 12, false) == 0);
	double one = width_of(m, "i", 12, false), wide = width_of(m, "W", 12, false);
	assert_true(one > 1 && wide > one && wide < 20);
	assert_true(fabs(width_of(m, "iW", 12, false) - one - wide) < 1e-9);
	assert_true(fabs(width_of(m, "W", 24, false) - 2 * wide) < 1e-9);
	assert_true(width_of(m, "width", 12, true) >= width_of(m, "width", 12, false));
	assert_true(width_of(m, "é…漢", 12, false) > 10);
	assert_true(fabs(width_of(m, "é…漢", 12, false) - width_of(m, "é…漢", 12, false)) == 0);
	assert_true(isfinite(width_of(m, "\xff\xc3", 12, false)));
	jr_metrics_free(m);
	jr_metrics_free(NULL);
}

static UNIT(fit)
{
	struct jr_metrics *m = jr_metrics_new();
	const char *text = "résumé of the longest label of all";
	double whole = width_of(m, text, 12, false);
	for (double room = 0; room < whole + 20; room += 0.7) {
		JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
		jr_buf_puts(&out, "");
		double width = jr_metrics_fit(m, text, 12, false, room, &out);
		assert_true(width <= room + 1e-9);
		assert_true(jr_metrics_width(m, out.data, out.size, 12, false) <= room + 1e-9);
		if (room >= whole)
			assert_string_equal(out.data, text);
		else if (out.size)
			assert_string_equal(out.data + out.size - 3, "…");
	}
	jr_metrics_free(m);
}

/* --- palette --------------------------------------------------------------------------------- */

static struct jr_rgb over(struct jr_rgb top, double alpha, struct jr_rgb ground)
{
	return (struct jr_rgb){top.r * alpha + ground.r * (1 - alpha),
		top.g * alpha + ground.g * (1 - alpha), top.b * alpha + ground.b * (1 - alpha)};
}

static UNIT(contrast)
{
	assert_true(fabs(jr_contrast((struct jr_rgb){0, 0, 0}, (struct jr_rgb){1, 1, 1}) - 21) < 1e-9);
	static const enum jr_role words[] = {JR_ROLE_INK, JR_ROLE_MUTED, JR_ROLE_ACCENT,
		JR_ROLE_WARNING, JR_ROLE_GOOD, JR_ROLE_BAD};
	for (int dark = 0; dark < 2; dark++) {
		struct jr_rgb (*color)(enum jr_role) = dark ? jr_role_dark : jr_role_light;
		struct jr_rgb ground = color(JR_ROLE_BACKGROUND);
		for (size_t i = 0; i < JR_COUNT_OF(words); i++) {
			assert_true(jr_contrast(color(words[i]), ground) >= 4.5);
			assert_true(jr_contrast(color(words[i]), color(JR_ROLE_PANEL)) >= 4.5);
		}
		assert_true(jr_contrast(ground, color(JR_ROLE_ACCENT)) >= 4.5);
		for (enum jr_role role = JR_ROLE_COMPUTE; role < JR_N_ROLES; role++) {
			enum jr_look look = jr_role_look(role);
			struct jr_rgb area = dark ? jr_area_dark(role) : jr_area_light(role);
			for (unsigned tint = look ? 0 : 1; tint < JR_N_TINTS; tint += look && !tint ? 7 : 1) {
				if (!look && tint > 6)
					break; /* shades of areas */
				struct jr_rgb fill = over(area, jr_tint_alpha(tint), ground);
				double ratio = jr_contrast(color(JR_ROLE_INK), fill);
				if (ratio < 4.5)
					fail_msg("ink on %s/%u, dark %d: %.2f", jr_role_name(role), tint, dark, ratio);
			}
			/* An outline must be visible on the page. */
			if (look >= JR_LOOK_OUTLINED && jr_contrast(color(role), ground) < 3)
				fail_msg("outline of %s, dark %d: %.2f", jr_role_name(role), dark,
					jr_contrast(color(role), ground));
		}
		/* Lines and dots of series on the page: graphics need 3. */
		for (unsigned i = 0; i < 8; i++)
			assert_true(jr_contrast(color(jr_role_series(i)), ground) >= 3);
	}
}

/* Compute the CIELAB color under D65 as a person sees it; `sight`: rows of a matrix on linear
 * RGB. */
static void seen_as(double lab[3], struct jr_rgb c, const double sight[3][3])
{
	static const double to_xyz[3][3] = {{0.4339, 0.3763, 0.1899}, {0.2126, 0.7152, 0.0722},
		{0.0177, 0.1095, 0.8729}}; /* relative to white */
	const double v[3] = {c.r, c.g, c.b};
	double linear[3], f[3];
	for (size_t i = 0; i < 3; i++)
		linear[i] = v[i] <= 0.04045 ? v[i] / 12.92 : pow((v[i] + 0.055) / 1.055, 2.4);
	for (size_t k = 0; k < 3; k++) {
		double sum = 0;
		for (size_t i = 0; i < 3; i++) {
			double part = 0;
			for (size_t j = 0; j < 3; j++)
				part += sight[i][j] * linear[j];
			sum += to_xyz[k][i] * fmin(1, fmax(0, part));
		}
		f[k] = sum > 0.008856 ? cbrt(sum) : 7.787 * sum + 16.0 / 116;
	}
	lab[0] = 116 * f[1] - 16;
	lab[1] = 500 * (f[0] - f[1]);
	lab[2] = 200 * (f[1] - f[2]);
}

/* Normal sight, and sight without red, green or blue cones: Machado, Oliveira and Fernandes
 * 2009, complete. */
static const double sights[][3][3] = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216},
		{-0.003882, -0.048116, 1.051998}},
	{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413},
		{-0.011820, 0.042940, 0.968881}},
	{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602},
		{0.004733, 0.691367, 0.303900}}};

/* CIEDE2000 (Sharma, Wu and Dalal 2005). */
static double difference(const double x[3], const double y[3])
{
	const double turn = acos(-1) / 180, c7 = 6103515625.0; /* 25^7 */
	double mean = (hypot(x[1], x[2]) + hypot(y[1], y[2])) / 2;
	double g = 1.5 - 0.5 * sqrt(pow(mean, 7) / (pow(mean, 7) + c7));
	double c1 = hypot(g * x[1], x[2]), c2 = hypot(g * y[1], y[2]);
	double h1 = fmod(atan2(x[2], g * x[1]) / turn + 360, 360);
	double h2 = fmod(atan2(y[2], g * y[1]) / turn + 360, 360);
	double dh = h2 - h1, h = (h1 + h2) / 2, l = (x[0] + y[0]) / 2 - 50, c = (c1 + c2) / 2;
	if (fabs(dh) > 180) {
		dh += dh > 0 ? -360 : 360;
		h += h < 180 ? 180 : -180;
	}
	dh = 2 * sqrt(c1 * c2) * sin(turn * dh / 2);
	double t = 1 - 0.17 * cos(turn * (h - 30)) + 0.24 * cos(turn * 2 * h) +
			   0.32 * cos(turn * (3 * h + 6)) - 0.2 * cos(turn * (4 * h - 63));
	double rotation = -2 * sqrt(pow(c, 7) / (pow(c, 7) + c7)) *
					  sin(turn * 60 * exp(-pow((h - 275) / 25, 2)));
	double dl = (y[0] - x[0]) / (1 + 0.015 * l * l / sqrt(20 + l * l));
	double dc = (c2 - c1) / (1 + 0.045 * c);
	dh /= 1 + 0.015 * c * t;
	return sqrt(dl * dl + dc * dc + dh * dh + rotation * dc * dh);
}

#define MOST_TOGETHER 8

struct together {
	const char *name;
	enum jr_role roles[MOST_TOGETHER];
	bool frames; /* in all shades of a flamegraph */
	bool lines; /* as lines and dots */
	bool on_page; /* areas without outline contrast with the page */
};

/* Classes that charts put next to each other, those of parts of charts of src/analysis. */
static const struct neighbors {
	const char *name;
	enum jr_role roles[MOST_TOGETHER + 1];
} neighbors[] = {
	{"step ledger", {JR_ROLE_COMPUTE, JR_ROLE_COMMUNICATION, JR_ROLE_WAIT, JR_ROLE_COPY,
		JR_ROLE_IDLE_INSIDE, JR_ROLE_IDLE_BETWEEN, JR_ROLE_OTHER, JR_ROLE_WARM_UP}},
	{"critical path", {JR_ROLE_COMPUTE, JR_ROLE_COMMUNICATION, JR_ROLE_COPY, JR_ROLE_IDLE_INSIDE,
		JR_ROLE_IDLE_BETWEEN, JR_ROLE_OTHER, JR_ROLE_WAIT}},
	{"lanes", {JR_ROLE_GEMM, JR_ROLE_ATTENTION, JR_ROLE_FUSION, JR_ROLE_COPY, JR_ROLE_WAIT,
		JR_ROLE_UNKNOWN}},
	{"roofline by kind", {JR_ROLE_COMPUTE, JR_ROLE_COMMUNICATION, JR_ROLE_UNKNOWN}},
	{"gaps", {JR_ROLE_USER_CODE, JR_ROLE_WARM_UP, JR_ROLE_IDLE_INSIDE, JR_ROLE_IDLE_BETWEEN}},
	{"transfer and waiting", {JR_ROLE_COMMUNICATION, JR_ROLE_WAIT}},
	{"memory", {JR_ROLE_SERIES_5, JR_ROLE_SERIES_3, JR_ROLE_SERIES_4, JR_ROLE_SERIES_1,
		JR_ROLE_UNKNOWN, JR_ROLE_IDLE_INSIDE}},
};

static struct jr_rgb color_of(const struct together *set, enum jr_role role, int dark)
{
	if (set->lines)
		return dark ? jr_role_dark(role) : jr_role_light(role);
	return dark ? jr_area_dark(role) : jr_area_light(role);
}

static void told_apart(const struct together *set, int dark, size_t sight)
{
	static const unsigned shades[] = {0, 7}; /* the strongest and the weakest */
	struct jr_rgb ground =
		dark ? jr_role_dark(JR_ROLE_BACKGROUND) : jr_role_light(JR_ROLE_BACKGROUND);
	for (size_t i = 0; i < MOST_TOGETHER && set->roles[i]; i++)
		for (size_t k = 0; k < i; k++)
			for (size_t shade = 0; shade < (set->frames ? 4 : 1); shade++) {
				const enum jr_role roles[] = {set->roles[i], set->roles[k]};
				double lab[2][3];
				for (size_t r = 0; r < 2; r++) {
					struct jr_rgb area = color_of(set, roles[r], dark);
					unsigned tint = shades[shade >> r & 1];
					seen_as(lab[r], over(area, jr_tint_alpha(tint), ground), sights[sight]);
				}
				double apart = difference(lab[0], lab[1]);
				if (apart < 10)
					fail_msg("%s: %s is %.1f from %s, dark %d, sight %zu", set->name,
						jr_role_name(roles[0]), apart, jr_role_name(roles[1]), dark, sight);
			}
}

/* Neighbors in stacks, lanes and bars differ in gray, too: in their pattern, or by L* of at least
 * 15. Stripes are visible in gray. Paper is as a light page. */
static UNIT(neighbors_in_gray)
{
	static const char *const names[] = {"light", "dark"};
	assert_true(fabs(jr_lightness((struct jr_rgb){1, 1, 1}) - 100) < 1e-2);
	assert_true(fabs(jr_lightness((struct jr_rgb){0.5, 0.5, 0.5}) - 53.389) < 1e-2);
	assert_true(jr_lightness((struct jr_rgb){0, 0, 0}) == 0);
	assert_false(jr_areas_apart(JR_ROLE_FORWARD, JR_ROLE_USER_CODE)); /* L* 57 and 59, both plain */
	for (int dark = 0; dark < 2; dark++)
		for (size_t s = 0; s < JR_COUNT_OF(neighbors); s++)
			for (size_t i = 0; neighbors[s].roles[i]; i++) {
				enum jr_role role = neighbors[s].roles[i];
				enum jr_look look = jr_role_look(role);
				struct jr_stripes stripes = jr_look_stripes(look);
				enum jr_role line = jr_stripe_role(role, look);
				double fill = jr_lightness(dark ? jr_area_dark(role) : jr_area_light(role));
				double stripe = jr_lightness(dark ? jr_role_dark(line) : jr_role_light(line));
				if (look == JR_LOOK_MARK || (stripes.on > 0 && fabs(stripe - fill) < 15))
					fail_msg("%s, %s: stripes of %s", neighbors[s].name, names[dark],
						jr_role_name(role));
				for (size_t k = 0; k < i; k++)
					if (!jr_areas_apart(role, neighbors[s].roles[k]))
						fail_msg("%s: %s and %s look alike in gray", neighbors[s].name,
							jr_role_name(role), jr_role_name(neighbors[s].roles[k]));
			}
}

/* Frames next to each other in a flamegraph differ in gray: in their hem, or by L* of at least 15.
 * Hems are visible on them. */
static UNIT(frames_in_gray)
{
	static const struct neighbors frames[] = {
		{"code", {JR_ROLE_COMPUTE, JR_ROLE_USER_CODE, JR_ROLE_LIBRARY, JR_ROLE_XLA,
			JR_ROLE_COMMUNICATION, JR_ROLE_UNKNOWN}},
		{"phases", {JR_ROLE_COMPUTE, JR_ROLE_LIBRARY, JR_ROLE_FORWARD, JR_ROLE_BACKWARD,
			JR_ROLE_REMAT, JR_ROLE_UPDATE, JR_ROLE_COMMUNICATION, JR_ROLE_UNKNOWN}},
		{"efficiency", {JR_ROLE_ROOF_1, JR_ROLE_ROOF_2, JR_ROLE_ROOF_3, JR_ROLE_ROOF_4,
			JR_ROLE_ROOF_5, JR_ROLE_UNKNOWN}},
		{"changes", {JR_ROLE_SLOWER, JR_ROLE_FASTER}},
	};
	assert_false(jr_frames_apart(JR_ROLE_FORWARD, JR_ROLE_USER_CODE)); /* L* 57 and 59 */
	for (size_t s = 0; s < JR_COUNT_OF(frames); s++)
		for (size_t i = 0; frames[s].roles[i]; i++) {
			enum jr_role role = frames[s].roles[i], hem = jr_hem(role).stroke;
			for (size_t k = 0; k < i; k++)
				if (!jr_frames_apart(role, frames[s].roles[k]))
					fail_msg("%s: %s and %s look alike in gray", frames[s].name,
						jr_role_name(role), jr_role_name(frames[s].roles[k]));
			double light = jr_lightness(jr_area_light(role)) - jr_lightness(jr_role_light(hem));
			double dark = jr_lightness(jr_area_dark(role)) - jr_lightness(jr_role_dark(hem));
			if (hem && (fabs(light) < 15 || fabs(dark) < 15))
				fail_msg("%s: the hem of %s", frames[s].name, jr_role_name(role));
		}
}

/* Roles that occur in one chart, as they are drawn. Hatching distinguishes hatched ones. */
static UNIT(roles_drawn_together)
{
	static const double sharma[][3] = {{50, 2.6772, -79.7751}, {50, 0, -82.7485},
		{50, 2.5, 0}, {73, 25, -18}, {60.2574, -34.0099, 36.2677}, {60.4626, -34.1751, 39.4387}};
	assert_true(fabs(difference(sharma[0], sharma[1]) - 2.0425) < 1e-4);
	assert_true(fabs(difference(sharma[2], sharma[3]) - 27.1492) < 1e-4);
	assert_true(fabs(difference(sharma[4], sharma[5]) - 1.2644) < 1e-4);
	static const struct together sets[] = {
		{"ledger", {JR_ROLE_COMPUTE, JR_ROLE_COMMUNICATION, JR_ROLE_COPY, JR_ROLE_IDLE_BETWEEN,
			JR_ROLE_OTHER, JR_ROLE_WARM_UP}, .on_page = true},
		{"lanes", {JR_ROLE_GEMM, JR_ROLE_ATTENTION, JR_ROLE_FUSION, JR_ROLE_COPY, JR_ROLE_WAIT,
			JR_ROLE_UNKNOWN}, .on_page = true},
		{"waiting", {JR_ROLE_COMMUNICATION, JR_ROLE_WAIT}, .on_page = true},
		{"frames", {JR_ROLE_USER_CODE, JR_ROLE_LIBRARY, JR_ROLE_XLA, JR_ROLE_COMMUNICATION,
			JR_ROLE_UNKNOWN}, .frames = true},
		{"phases", {JR_ROLE_FORWARD, JR_ROLE_BACKWARD, JR_ROLE_REMAT, JR_ROLE_UPDATE,
			JR_ROLE_LIBRARY, JR_ROLE_COMMUNICATION, JR_ROLE_UNKNOWN}, .frames = true},
		{"series", {JR_ROLE_SERIES_1, JR_ROLE_SERIES_2, JR_ROLE_SERIES_3, JR_ROLE_SERIES_4,
			JR_ROLE_SERIES_5, JR_ROLE_SERIES_6}, .lines = true, .on_page = true},
		{"memory", {JR_ROLE_SERIES_5, JR_ROLE_SERIES_3, JR_ROLE_SERIES_4, JR_ROLE_SERIES_1,
			JR_ROLE_UNKNOWN}, .on_page = true},
	};
	for (int dark = 0; dark < 2; dark++)
		for (size_t s = 0; s < JR_COUNT_OF(sets); s++) {
			for (size_t sight = 0; sight < JR_COUNT_OF(sights); sight++)
				told_apart(&sets[s], dark, sight);
			for (size_t i = 0; sets[s].on_page && i < MOST_TOGETHER && sets[s].roles[i]; i++) {
				enum jr_role role = sets[s].roles[i];
				struct jr_rgb area = color_of(&sets[s], role, dark);
				struct jr_rgb ground =
					dark ? jr_role_dark(JR_ROLE_BACKGROUND) : jr_role_light(JR_ROLE_BACKGROUND);
				if (jr_role_look(role) < JR_LOOK_OUTLINED && jr_contrast(area, ground) < 3)
					fail_msg("%s on the page, dark %d", jr_role_name(role), dark);
			}
		}
}

/* Classes of efficiency: text on them is readable, lightness goes one way, neighbors can be
 * distinguished with every kind of sight, and none is gray. */
static UNIT(classes_of_efficiency)
{
	for (int dark = 0; dark < 2; dark++) {
		struct jr_rgb (*color)(enum jr_role) = dark ? jr_role_dark : jr_role_light;
		struct jr_rgb grey =
			over(color(JR_ROLE_UNKNOWN), jr_tint_alpha(1), color(JR_ROLE_BACKGROUND));
		for (size_t s = 0; s < JR_COUNT_OF(sights); s++) {
			double before[3] = {0}, none[3];
			seen_as(none, grey, sights[s]);
			for (int role = JR_ROLE_ROOF_1; role <= JR_ROLE_ROOF_5; role++) {
				double lab[3];
				struct jr_rgb fill = color((enum jr_role)role);
				seen_as(lab, fill, sights[s]);
				assert_true(jr_contrast(color(JR_ROLE_INK), fill) >= 4.5);
				if (hypot(hypot(lab[0] - none[0], lab[1] - none[1]), lab[2] - none[2]) < 10)
					fail_msg("%s is grey, dark %d, sight %zu", jr_role_name((enum jr_role)role),
						dark, s);
				double apart =
					hypot(hypot(lab[0] - before[0], lab[1] - before[1]), lab[2] - before[2]);
				if (role > JR_ROLE_ROOF_1 && apart < 10)
					fail_msg("%s is %.1f from the one before, dark %d, sight %zu",
						jr_role_name((enum jr_role)role), apart, dark, s);
				if (role > JR_ROLE_ROOF_1 && s == 0)
					assert_true(dark ? lab[0] < before[0] : lab[0] > before[0]);
				memcpy(before, lab, sizeof(before));
			}
		}
	}
}

static UNIT(names_and_numbers)
{
	for (enum jr_role role = JR_ROLE_NONE + 1; role < JR_N_ROLES; role++)
		assert_int_equal(jr_role_find(jr_role_name(role)), role);
	assert_int_equal(jr_role_find("no role"), JR_ROLE_NONE);
	assert_int_equal(jr_role_find(""), JR_ROLE_NONE);
	assert_int_equal(jr_role_find(NULL), JR_ROLE_NONE);
	char hex[JR_HEX_MAX];
	jr_rgb_hex(hex, jr_role_light(JR_ROLE_COMPUTE));
	assert_string_equal(hex, "#0072B2");
	jr_rgb_hex(hex, (struct jr_rgb){1, 0, 0.5});
	assert_string_equal(hex, "#FF0080");
}

static UNIT(style_sheet)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf css = {0};
	jr_palette_css(&css);
	assert_non_null(strstr(css.data, "--jr-compute:#"));
	assert_non_null(strstr(css.data, "prefers-color-scheme:dark"));
	assert_non_null(strstr(css.data, ".f-series-8{"));
	static const char *const never[] = {"url(", "@import", "http", "<", "@font-face"};
	for (size_t i = 0; i < JR_COUNT_OF(never); i++)
		assert_null(strstr(css.data, never[i]));
	size_t open = 0, close = 0;
	for (size_t i = 0; i < css.size; i++) {
		open += css.data[i] == '{';
		close += css.data[i] == '}';
	}
	assert_int_equal(open, close);
	if (css.size >= 9400) fail_msg("%zu", css.size);
}
