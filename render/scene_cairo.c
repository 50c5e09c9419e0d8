#include "render/scene_cairo.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/intern.h"
#include "base/num.h"
#include "base/text.h"
#include "render/scene_cairo_impl.h"

#define FONT_FAMILY "DejaVu Sans"
#define EM 1000.0    /* widths are in thousandths of the size */
#define N_DIRECT 256 /* code points looked up by index, the rest by hash */
#define MAX_PIXELS (1 << 26)

/*
 * fontconfig keeps its patterns for the life of the process, behind offsets that a leak checker
 * cannot follow. Programs built with a leak checker call this hook.
 */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LEAK_CHECKED
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define LEAK_CHECKED
#endif
#ifdef LEAK_CHECKED
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libfontconfig\n";
}
#endif

static void drop_surface(cairo_surface_t **surface)
{
	if (*surface)
		cairo_surface_destroy(*surface);
}

static void drop_context(cairo_t **cr)
{
	if (*cr)
		cairo_destroy(*cr);
}

/* --- metrics -------------------------------------------------------------------------------- */

struct jr_metrics {
	cairo_surface_t *surface; /* 1 x 1, only used to measure fonts */
	cairo_t *cr;
	uint16_t direct[2][N_DIRECT]; /* [bold][code point], EM units */
	struct jr_map others[2];
};

static void set_font(cairo_t *cr, double size, bool bold)
{
	cairo_select_font_face(cr, FONT_FAMILY, CAIRO_FONT_SLANT_NORMAL,
		bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
	cairo_set_font_size(cr, size);
	cairo_font_options_t *options = cairo_font_options_create();
	cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
	cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
	cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
	cairo_set_font_options(cr, options);
	cairo_font_options_destroy(options);
}

/* The toy text API places glyphs side by side without kerning, so widths add up. */
static uint16_t measure_glyph(struct jr_metrics *metrics, const char *utf8, size_t n, bool bold)
{
	char one[8] = {0};
	memcpy(one, utf8, n < sizeof(one) - 1 ? n : sizeof(one) - 1);
	cairo_text_extents_t extents = {0};
	set_font(metrics->cr, EM, bold);
	cairo_text_extents(metrics->cr, one, &extents);
	double advance = extents.x_advance;
	return advance >= 0 && advance < UINT16_MAX ? (uint16_t)lround(advance) : (uint16_t)(EM * 0.6);
}

struct jr_metrics *jr_metrics_new(void)
{
	struct jr_metrics *metrics = jr_calloc(1, sizeof(*metrics));
	metrics->surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
	metrics->cr = cairo_create(metrics->surface);
	return metrics;
}

void jr_metrics_free(struct jr_metrics *metrics)
{
	if (!metrics)
		return;
	cairo_destroy(metrics->cr);
	cairo_surface_destroy(metrics->surface);
	jr_map_done(&metrics->others[0]);
	jr_map_done(&metrics->others[1]);
	free(metrics);
}

static double advance_of(
	struct jr_metrics *metrics, const char *utf8, size_t n, int code, bool bold)
{
	if (code < 0)
		return 0;
	if (code < N_DIRECT) {
		uint16_t *slot = &metrics->direct[bold][code];
		if (*slot == 0 && code >= 0x20 && code != 0x7F)
			*slot = measure_glyph(metrics, utf8, n, bold);
		return *slot;
	}
	uint32_t known = jr_map_get(&metrics->others[bold], (uint64_t)code);
	if (known == JR_NONE) {
		known = measure_glyph(metrics, utf8, n, bold);
		jr_map_put(&metrics->others[bold], (uint64_t)code, known);
	}
	return known;
}

double jr_metrics_width(
	struct jr_metrics *metrics, const char *text, size_t n, double size, bool bold)
{
	double sum = 0;
	for (size_t i = 0; i < n;) {
		unsigned char c = (unsigned char)text[i];
		if (metrics->direct[bold][c] && c < 0x80) {
			sum += metrics->direct[bold][c];
			i++;
			continue;
		}
		int code;
		size_t used = jr_text_decode(text + i, n - i, &code);
		sum += advance_of(metrics, text + i, used, code, bold);
		i += used;
	}
	return sum * size / EM;
}

double jr_metrics_fit(struct jr_metrics *metrics, const char *text, double size, bool bold,
	double max_width, struct jr_buf *out)
{
	static const char mark[] = "…";
	double room = max_width * EM / size, sum = 0, cut_sum = 0;
	double mark_width = jr_metrics_width(metrics, mark, sizeof(mark) - 1, size, bold) * EM / size;
	size_t n = strlen(text), cut = 0, n_kept = 0;
	for (size_t i = 0; i < n;) {
		int code;
		size_t used = jr_text_decode(text + i, n - i, &code);
		sum += advance_of(metrics, text + i, used, code, bold);
		i += used;
		if (sum + mark_width <= room) {
			cut = i;
			cut_sum = sum;
			n_kept++;
		}
		if (sum > room) {
			if (n_kept < 2)
				return 0;
			while (cut && text[cut - 1] == ' ')
				cut--;
			jr_buf_add(out, text, cut);
			jr_buf_puts(out, mark);
			return (cut_sum + mark_width) * size / EM;
		}
	}
	jr_buf_add(out, text, n);
	return sum * size / EM;
}

/* --- drawing -------------------------------------------------------------------------------- */

static void set_color(cairo_t *cr, enum jr_role role, unsigned tint)
{
	struct jr_rgb c = jr_role_light(role);
	cairo_set_source_rgba(cr, c.r, c.g, c.b, jr_tint_alpha(tint));
}

static void paint(cairo_t *cr, const struct jr_style *style)
{
	if (style->fill) {
		struct jr_rgb c = style->look ? jr_area_light(style->fill) : jr_role_light(style->fill);
		cairo_set_source_rgba(cr, c.r, c.g, c.b, jr_tint_alpha(style->tint));
		cairo_fill_preserve(cr);
	}
	if (style->stroke) {
		static const double dashed[] = {5, 4}, dotted[] = {1.5, 3};
		set_color(cr, style->stroke, 0);
		cairo_set_line_width(cr, style->stroke_width > 0 ? style->stroke_width : 1);
		cairo_set_dash(
			cr, style->dash == JR_DASHED ? dashed : dotted, style->dash == JR_SOLID ? 0 : 2, 0);
		cairo_stroke_preserve(cr);
	}
	cairo_new_path(cr);
}

static void trace_rect(cairo_t *cr, const struct jr_item *item)
{
	double w = item->rect.width, h = item->rect.height;
	double r = fmin(item->rect.radius, fmin(w, h) / 2);
	if (!(r > 0)) {
		cairo_rectangle(cr, item->x, item->y, w, h);
		return;
	}
	cairo_new_sub_path(cr);
	cairo_arc(cr, item->x + w - r, item->y + r, r, -M_PI / 2, 0);
	cairo_arc(cr, item->x + w - r, item->y + h - r, r, 0, M_PI / 2);
	cairo_arc(cr, item->x + r, item->y + h - r, r, M_PI / 2, M_PI);
	cairo_arc(cr, item->x + r, item->y + r, r, M_PI, 3 * M_PI / 2);
	cairo_close_path(cr);
}

static void trace_marker(cairo_t *cr, const struct jr_item *item)
{
	double r = item->marker.radius;
	switch (item->marker.shape) {
	case JR_SQUARE: cairo_rectangle(cr, item->x - r, item->y - r, 2 * r, 2 * r); break;
	case JR_DIAMOND:
		cairo_move_to(cr, item->x - r, item->y);
		cairo_rel_line_to(cr, r, -r);
		cairo_rel_line_to(cr, r, r);
		cairo_rel_line_to(cr, -r, r);
		cairo_close_path(cr);
		break;
	case JR_TRIANGLE:
		cairo_move_to(cr, item->x - r, item->y + r);
		cairo_rel_line_to(cr, r, -2 * r);
		cairo_rel_line_to(cr, r, 2 * r);
		cairo_close_path(cr);
		break;
	case JR_CROSS:
		cairo_move_to(cr, item->x - r, item->y - r);
		cairo_rel_line_to(cr, 2 * r, 2 * r);
		cairo_rel_move_to(cr, 0, -2 * r);
		cairo_rel_line_to(cr, -2 * r, 2 * r);
		break;
	default:
		cairo_new_sub_path(cr);
		cairo_arc(cr, item->x, item->y, r, 0, 2 * M_PI);
		cairo_close_path(cr);
	}
}

/* The toy text API places glyphs from left to right in the order of the text: right-to-left words
 * are reversed here, with each mark after its letter. */
static void add_visual(struct jr_buf *out, const char *text)
{
	size_t n = strlen(text);
	for (size_t i = 0; i < n;) {
		int code;
		size_t run = (unsigned char)text[i] < 0x80 ? 0 : jr_text_rtl_run(text + i, n - i);
		if (!run) {
			size_t used = jr_text_decode(text + i, n - i, &code);
			jr_buf_add(out, text + i, used);
			i += used;
			continue;
		}
		size_t start = out->size;
		jr_buf_repeat(out, ' ', run);
		for (size_t from = 0, to = 0; from < run; from = to) {
			to += jr_text_decode(text + i + from, run - from, &code);
			while (to < run) {
				size_t used = jr_text_decode(text + i + to, run - to, &code);
				if (jr_text_width(text + i + to, used))
					break;
				to += used;
			}
			memcpy(out->data + start + run - to, text + i + from, to - from);
		}
		i += run;
	}
}

void jr_cairo_text(cairo_t *cr, double x, double y, const char *text, const struct jr_text *st)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf visual = {0};
	add_visual(&visual, text);
	const char *string = visual.size ? visual.data : "";
	set_font(cr, st->size, st->bold);
	double shift = 0;
	if (st->anchor != JR_START) {
		cairo_text_extents_t extents = {0};
		cairo_text_extents(cr, string, &extents);
		shift = st->anchor == JR_END ? -extents.x_advance : -extents.x_advance / 2;
	}
	cairo_save(cr);
	cairo_translate(cr, x, y);
	if (st->rotate != 0)
		cairo_rotate(cr, st->rotate * M_PI / 180);
	if (st->halo) {
		cairo_move_to(cr, shift, 0);
		cairo_text_path(cr, string);
		set_color(cr, JR_ROLE_BACKGROUND, 0);
		cairo_set_dash(cr, NULL, 0, 0);
		cairo_set_line_width(cr, 3);
		cairo_stroke(cr);
	}
	set_color(cr, st->role, 0);
	cairo_move_to(cr, shift, 0);
	cairo_show_text(cr, string);
	cairo_restore(cr);
	cairo_new_path(cr);
}

/* Stripes are a dashed line as thick as the rectangle is high, which needs no pattern. */
static void draw_stripes(cairo_t *cr, const struct jr_item *item)
{
	struct jr_stripes stripes = jr_look_stripes(item->style.look);
	double y = item->y + item->rect.height / 2;
	cairo_move_to(cr, item->x, y);
	cairo_line_to(cr, item->x + item->rect.width, y);
	set_color(cr, jr_stripe_role(item->style.fill, item->style.look), 0);
	cairo_set_line_width(cr, item->rect.height);
	cairo_set_dash(cr, (const double[]){stripes.on, stripes.off}, 2, 0);
	cairo_stroke(cr);
}

static void draw_item(cairo_t *cr, const struct jr_item *item)
{
	switch (item->kind) {
	case JR_ITEM_RECT: trace_rect(cr, item); break;
	case JR_ITEM_MARKER: trace_marker(cr, item); break;
	case JR_ITEM_LINE:
		cairo_move_to(cr, item->x, item->y);
		cairo_line_to(cr, item->line.x2, item->line.y2);
		break;
	case JR_ITEM_PATH:
		for (size_t i = 0; i < item->path.n; i++)
			cairo_line_to(cr, item->path.points[i].x, item->path.points[i].y);
		if (item->path.closed)
			cairo_close_path(cr);
		break;
	case JR_ITEM_TEXT:
		jr_cairo_text(cr, item->x, item->y, item->text.string, &item->text.style);
		return;
	case JR_ITEM_OPEN:
	case JR_ITEM_CLOSE: return; /* groups are not painted */
	}
	paint(cr, &item->style);
	if (item->kind == JR_ITEM_RECT && jr_look_stripes(item->style.look).on > 0)
		draw_stripes(cr, item);
}

void jr_cairo_draw(cairo_t *cr, const struct jr_scene *scene)
{
	cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
	for (size_t i = 0; i < scene->items.n; i++)
		draw_item(cr, &scene->items.items[i]);
}

static enum jr_status draw(
	const struct jr_scene *scene, cairo_surface_t *surface, double scale, struct jr_error *err)
{
	JR_CLEANUP(drop_context) cairo_t *cr = cairo_create(surface);
	cairo_scale(cr, scale, scale);
	set_color(cr, JR_ROLE_BACKGROUND, 0);
	cairo_paint(cr);
	jr_cairo_draw(cr, scene);
	cairo_status_t status = cairo_status(cr); /* sticky: the first failure, if any */
	if (status != CAIRO_STATUS_SUCCESS)
		return jr_fail(
			err, JR_EIO, "cannot draw '%s': %s", scene->id, cairo_status_to_string(status));
	return JR_OK;
}

cairo_status_t jr_cairo_append(void *closure, const unsigned char *data, unsigned length)
{
	jr_buf_add(closure, data, length);
	return CAIRO_STATUS_SUCCESS;
}

enum jr_status jr_scene_cairo_png(
	const struct jr_scene *scene, double scale, struct jr_buf *out, struct jr_error *err)
{
	if (JR_CHECKED)
		jr_scene_assert(scene);
	if (!(scale > 0))
		scale = 1;
	if (scale > 8)
		scale = 8;
	double width = ceil(scene->width * scale), height = ceil(scene->height * scale);
	if (!(width >= 1 && height >= 1 && width * height <= MAX_PIXELS)) {
		char w[JR_NUM_MAX], h[JR_NUM_MAX];
		jr_num_double(w, width);
		jr_num_double(h, height);
		return jr_fail(
			err, JR_ELIMIT, "chart '%s' of %s x %s pixels is too large for a PNG", scene->id, w, h);
	}
	JR_CLEANUP(drop_surface)
	cairo_surface_t *surface =
		cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height);
	JR_TRY(draw(scene, surface, scale, err));
	JR_CLEANUP(jr_buf_done) struct jr_buf bytes = {0};
	cairo_status_t status = cairo_surface_write_to_png_stream(surface, jr_cairo_append, &bytes);
	if (status != CAIRO_STATUS_SUCCESS)
		return jr_fail(
			err, JR_EIO, "cannot write '%s' as PNG: %s", scene->id, cairo_status_to_string(status));
	jr_buf_add(out, bytes.data, bytes.size);
	return JR_OK;
}
