#include "render/plot.h"

#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "render/plot_impl.h"

#define FRAME_SWATCH 24.0 /* px */

/* --- text around the plot -------------------------------------------------------------------- */

/* Return the longest part of s that fits in max_width, ending at a space if there is one. */
static size_t line_end(struct jr_figure *fig, const char *s, double max_width)
{
	size_t n = strlen(s), end = 0, at_space = 0;
	double sum = 0;
	while (end < n) {
		int code;
		size_t used = jr_text_decode(s + end, n - end, &code);
		sum += jr_metrics_width(fig->metrics, s + end, used, TEXT_SIZE, false);
		if (sum > max_width && end)
			return at_space ? at_space : end;
		if (s[end] == ' ')
			at_space = end;
		end += used;
	}
	return end;
}

/* Draw a wrapped paragraph of at most 6 lines; figures are not the place for long text. */
static void paragraph(struct jr_figure *fig, const char *text)
{
	const struct jr_text style = {.role = JR_ROLE_MUTED, .size = TEXT_SIZE};
	double room = fig->width - 2 * fig->pad;
	for (int line = 0; *text && line < 6; line++) {
		size_t n = line_end(fig, text, room);
		fig->text->size = 0;
		jr_buf_add(fig->text, text, n);
		fig->y += 16;
		jr_scene_text(fig->scene, fig->pad, fig->y, fig->text->data, &style);
		text += n;
		while (*text == ' ')
			text++;
	}
}

static void header(struct jr_figure *fig)
{
	const struct jr_plot *plot = fig->plot;
	fig->y = plot->bare ? 4 : 10;
	if (plot->bare)
		return;
	if (plot->title && *plot->title) {
		fig->y += 16;
		jr_figure_text(fig, fig->pad, fig->y, plot->title,
			&(struct jr_text){.size = TITLE_SIZE, .bold = true}, fig->width - 2 * fig->pad);
		fig->y += 4;
	}
	if (plot->subtitle && *plot->subtitle)
		paragraph(fig, plot->subtitle);
	fig->y += 8;
}

static bool legend_by_part(const struct jr_plot *plot)
{
	return plot->kind == JR_PLOT_STACKED || plot->kind == JR_PLOT_SWIMLANE ||
		   plot->kind == JR_PLOT_BARS;
}

static bool has_series(const struct jr_plot *plot)
{
	return plot->kind == JR_PLOT_SCATTER || plot->kind == JR_PLOT_LINE ||
		   plot->kind == JR_PLOT_MULTIPLES;
}

/* Whether the mark of an entry follows once it is known how its points are drawn. */
static bool is_later(const struct jr_plot *plot, size_t i)
{
	return (plot->kind == JR_PLOT_SCATTER || plot->kind == JR_PLOT_LINE) && i < plot->n_series &&
		   jr_series_mark(plot, &plot->series[i]) == JR_MARK_POINTS && !plot->series[i].guide;
}

static void legend_swatch(struct jr_figure *fig, size_t i, double x, double y)
{
	const struct jr_plot *plot = fig->plot;
	if (plot->frames) {
		enum jr_role role = jr_part_role(plot, i);
		struct jr_style hem = jr_hem(role), area = jr_area(role);
		area.look = area.look < JR_LOOK_OUTLINED ? JR_LOOK_AREA : area.look;
		jr_scene_rect(fig->scene, x, y - 9, FRAME_SWATCH, 11, area);
		if (hem.stroke)
			jr_scene_line(fig->scene, x, y - 8, x + FRAME_SWATCH, y - 8, hem);
		return;
	}
	if (legend_by_part(plot)) {
		jr_scene_round_rect(fig->scene, x, y - 9, 11, 11, 2,
			plot->kind == JR_PLOT_BARS
				? jr_row_style(plot, jr_part_role(plot, i), i + plot->n_hollow >= plot->n_parts)
				: jr_area(jr_part_role(plot, i)));
		return;
	}
	if (i == plot->n_series) {
		enum jr_role role = plot->guides[0].role;
		jr_scene_line(
			fig->scene, x + 7, y - 9, x + 7, y + 2, jr_stroke(role ? role : JR_ROLE_MUTED, 1.25));
		return;
	}
	const struct jr_series *series = &plot->series[i];
	enum jr_role role = jr_series_role(plot, i);
	enum jr_mark mark = jr_series_mark(plot, series);
	if (mark == JR_MARK_BAND) {
		jr_scene_round_rect(fig->scene, x, y - 9, 14, 11, 2, jr_wash(role, jr_band_tint(plot, i)));
		return;
	}
	if (mark == JR_MARK_STEP && series->lo)
		jr_scene_rect(fig->scene, x, y - 9, 14, 11, jr_area(role));
	struct jr_style line = jr_stroke(role, 2);
	line.dash = series->dash;
	if (mark == JR_MARK_STEP && series->lo)
		jr_scene_line(fig->scene, x, y - 9, x + 14, y - 9, line);
	else if (mark != JR_MARK_POINTS)
		jr_scene_line(fig->scene, x, y - 4, x + 14, y - 4, line);
	if (mark == JR_MARK_POINTS || mark == JR_MARK_LINE_DOTS)
		jr_scene_marker(fig->scene, x + 7, y - 4, 4, jr_series_shape(i), jr_fill(role));
}

/* A legend lists only what occurs. */
static bool occurs(const struct jr_plot *plot, size_t part)
{
	bool seen = plot->kind != JR_PLOT_STACKED || plot->frames;
	for (size_t i = 0; i < plot->n_categories && !seen; i++)
		seen = plot->categories[i].parts && plot->categories[i].parts[part] > 0;
	return seen;
}

/* Draw a legend below y, or into the one there the marks of points. Return where it ends. */
static double legend(struct jr_figure *fig, double y, const enum jr_points_look *look)
{
	const struct jr_plot *plot = fig->plot;
	bool by_part = legend_by_part(plot);
	size_t n = by_part                                  ? plot->n_parts
			   : has_series(plot) && plot->n_series > 1 ? plot->n_series
														: 0;
	n += !by_part && n && plot->n_guides; /* the entry after the series: the guides */
	double x = fig->pad;
	bool any = false;
	for (size_t i = 0; i < n; i++) {
		const char *name = by_part              ? plot->parts[i].name
						   : i < plot->n_series ? plot->series[i].name
												: plot->guides_name;
		if (!name || !*name || (by_part && !occurs(plot, i)))
			continue;
		double swatch = plot->frames ? FRAME_SWATCH + 6 : by_part ? 16 : 20;
		double width = fmin(jr_figure_text_width(fig, name, TEXT_SIZE, false), 320) + swatch;
		if (!any || x + width > fig->width - fig->pad) {
			y += 18;
			x = fig->pad;
		}
		any = true;
		bool later = is_later(plot, i);
		bool crowded = look && later && *look == JR_POINTS_CROWDED;
		if (later == (look != NULL) && !(crowded && jr_crowd_swatch(fig, i, x, y)))
			legend_swatch(fig, i, x, y);
		if (!look)
			jr_figure_text(fig, x + swatch, y, name, &(struct jr_text){.size = TEXT_SIZE}, 321);
		x += width + 18;
	}
	return any ? y + 8 : y;
}

void jr_figure_legend_points(struct jr_figure *fig, enum jr_points_look look)
{
	(void)legend(fig, fig->legend_y, &look);
}

static void count_note(struct jr_buf *out, size_t n, const char *what)
{
	if (!n)
		return;
	char number[JR_NUM_MAX];
	jr_num_grouped_i64(number, (int64_t)n);
	jr_buf_printf(out, "%s%s %s", out->size ? "; " : "", number, what);
}

/* Make the caption: "n = 12; definition; 3 values not finite left out". */
static void caption_text(const struct jr_figure *fig, struct jr_buf *out)
{
	const struct jr_plot *plot = fig->plot;
	if (plot->n > 0) {
		char number[JR_NUM_MAX];
		jr_num_grouped_i64(number, plot->n);
		jr_buf_printf(out, "n = %s", number);
	}
	if (plot->caption && *plot->caption)
		jr_buf_printf(out, "%s%s", out->size ? "; " : "", plot->caption);
	count_note(out, fig->n_not_finite, "not finite, left out");
	count_note(out, fig->n_not_positive, "not above 0, left out of the logarithmic axis");
	count_note(out, fig->n_beyond, "beyond the axes, marked at the edge");
	count_note(out, fig->n_rows_left_out, "more rows not drawn");
}

static void accessible_label(struct jr_figure *fig, const char *caption)
{
	const struct jr_plot *plot = fig->plot;
	struct jr_buf label = {0};
	jr_buf_puts(&label, plot->title ? plot->title : "");
	if (plot->subtitle && *plot->subtitle)
		jr_buf_printf(&label, "%s%s", label.size ? ": " : "", plot->subtitle);
	if (*caption)
		jr_buf_printf(&label, " (%s)", caption);
	jr_scene_name(fig->scene, plot->id ? plot->id : "", label.data);
	jr_buf_done(&label);
}

void jr_figure_begin(struct jr_figure *fig)
{
	const struct jr_plot *plot = fig->plot;
	fig->width = plot->width > 0 ? fmax(240, fmin(4000, plot->width)) : 760;
	fig->pad = plot->bare ? 2 : 14;
	jr_scene_init(fig->scene, fig->width, 0);
	header(fig);
	fig->legend_y = fig->y;
	fig->y = legend(fig, fig->y, NULL);
}

void jr_figure_end(struct jr_figure *fig)
{
	struct jr_buf caption = {0};
	jr_buf_puts(&caption, "");
	caption_text(fig, &caption);
	accessible_label(fig, caption.data);
	if (!fig->plot->bare && caption.size) {
		fig->y += 6;
		paragraph(fig, caption.data);
	}
	fig->scene->height = ceil(fig->y + (fig->plot->bare ? 6 : 14));
	jr_buf_done(&caption);
}

void jr_plot_scene(const struct jr_plot *plot, struct jr_metrics *metrics, struct jr_scene *out)
{
	static void (*const draw[JR_N_PLOT_KINDS])(struct jr_figure *) = {
		[JR_PLOT_SCATTER] = jr_plot_points,
		[JR_PLOT_LINE] = jr_plot_points,
		[JR_PLOT_BARS] = jr_plot_bars,
		[JR_PLOT_HISTOGRAM] = jr_plot_histogram,
		[JR_PLOT_BOX] = jr_plot_spread,
		[JR_PLOT_VIOLIN] = jr_plot_spread,
		[JR_PLOT_DOTS] = jr_plot_spread,
		[JR_PLOT_INTERVALS] = jr_plot_intervals,
		[JR_PLOT_STACKED] = jr_plot_stacked,
		[JR_PLOT_SWIMLANE] = jr_plot_lanes,
		[JR_PLOT_CELLS] = jr_plot_cells,
		[JR_PLOT_HEAT] = jr_plot_heat,
		[JR_PLOT_MULTIPLES] = jr_plot_multiples,
	};
	struct jr_buf text = {0};
	struct jr_figure fig = {.plot = plot, .metrics = metrics, .scene = out, .text = &text};
	jr_figure_begin(&fig);
	draw[plot->kind](&fig);
	jr_figure_end(&fig);
	jr_buf_done(&text);
}
