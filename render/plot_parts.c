/* Marks, colors and texts that all kinds of plots use. */
#include "render/plot_impl.h"

#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "render/plot.h"

enum jr_role jr_series_role(const struct jr_plot *plot, size_t i)
{
	enum jr_role role = plot->series[i].role;
	return role ? role : jr_role_series((unsigned)i);
}

enum jr_role jr_part_role(const struct jr_plot *plot, size_t k)
{
	enum jr_role role = plot->parts[k].role;
	return role ? role : jr_role_series((unsigned)k);
}

enum jr_role jr_category_role(const struct jr_category *category)
{
	return category->role ? category->role : JR_ROLE_COMPUTE;
}

enum jr_shape jr_series_shape(size_t i)
{
	static const enum jr_shape shapes[] = {JR_CIRCLE, JR_SQUARE, JR_DIAMOND, JR_TRIANGLE};
	return shapes[i % 4];
}

enum jr_mark jr_series_mark(const struct jr_plot *plot, const struct jr_series *series)
{
	if (series->mark != JR_MARK_DEFAULT)
		return series->mark;
	return plot->kind == JR_PLOT_SCATTER ? JR_MARK_POINTS : JR_MARK_LINE;
}

unsigned jr_band_tint(const struct jr_plot *plot, size_t i)
{
	for (size_t k = 0; plot->series[i].mark == JR_MARK_BAND && k < i; k++)
		if (plot->series[k].mark == JR_MARK_BAND)
			return 6;
	return 5;
}

double jr_figure_text_width(struct jr_figure *fig, const char *text, double size, bool bold)
{
	return jr_metrics_width(fig->metrics, text, strlen(text), size, bold);
}

void jr_figure_text(struct jr_figure *fig, double x, double y, const char *text,
	const struct jr_text *style, double max_width)
{
	struct jr_buf cut = {0};
	jr_metrics_fit(fig->metrics, text, style->size > 0 ? style->size : TEXT_SIZE, style->bold,
		max_width, &cut);
	if (cut.size) {
		jr_scene_text(fig->scene, x, y, cut.data, style);
		if (strcmp(cut.data, text) != 0)
			jr_scene_tip(fig->scene, text);
	}
	jr_buf_done(&cut);
}

void jr_figure_ground(struct jr_figure *fig, double x, double y, double width)
{
	jr_scene_round_rect(fig->scene, x - 3, y - 7, width + 6, 14, 2, jr_fill(JR_ROLE_BACKGROUND));
}

void jr_figure_no_data(struct jr_figure *fig)
{
	double left = fig->pad, width = fig->width - 2 * fig->pad, height = 88;
	fig->y += 6;
	jr_scene_round_rect(fig->scene, left, fig->y, width, height, 4, jr_fill(JR_ROLE_PANEL));
	jr_scene_text(fig->scene, left + width / 2, fig->y + height / 2 + 4, "no data",
		&(struct jr_text){.role = JR_ROLE_MUTED, .size = TEXT_SIZE, .anchor = JR_MIDDLE});
	fig->y += height;
}

void jr_put_axis_value(struct jr_buf *out, const struct jr_axis *axis, double value)
{
	char text[JR_NUM_MAX];
	jr_format_value(text, value, axis->format);
	jr_buf_puts(out, text);
	if (axis->unit && *axis->unit)
		jr_buf_printf(out, " %s", axis->unit);
}

void jr_put_point_tip(
	struct jr_buf *out, const struct jr_plot *plot, size_t s, size_t i, bool one_line)
{
	const struct jr_series *series = &plot->series[s];
	const char *given = series->things ? series->things[i] : NULL;
	const char *separator = given && !one_line ? "\n" : ", ";
	if (given)
		jr_buf_printf(out, "%s%s%s: ", given, separator, plot->x.title ? plot->x.title : "x");
	else if (series->name && *series->name)
		jr_buf_printf(out, "%s: ", series->name);
	jr_put_axis_value(out, &plot->x, series->x[i]);
	jr_buf_puts(out, separator);
	if (given)
		jr_buf_printf(out, "%s: ", plot->y.title ? plot->y.title : "y");
	jr_put_axis_value(out, &plot->y, series->y[i]);
}

struct jr_style jr_row_style(const struct jr_plot *plot, enum jr_role role, bool hollow)
{
	if (!hollow)
		return plot->n_parts && jr_role_look(role) ? jr_area(role) : jr_fill(role);
	return (struct jr_style){.fill = JR_ROLE_BACKGROUND, .stroke = role, .stroke_width = 1.5};
}

/* --- legend ---------------------------------------------------------------------------------- */

#define FRAME_SWATCH 24.0 /* px */

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
		   i < 64 && jr_series_mark(plot, &plot->series[i]) == JR_MARK_POINTS &&
		   !plot->series[i].guide;
}

/* A line with a box on it, as jr_points_crowd() draws them. */
static void crowd_swatch(struct jr_figure *fig, size_t s, double x, double y)
{
	enum jr_role role = jr_series_role(fig->plot, s);
	jr_scene_line(fig->scene, x + 7, y - 10, x + 7, y + 2, jr_stroke(role, 1));
	jr_scene_rect(fig->scene, x + 4.5, y - 7, 5, 6, jr_fill(role));
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
static double legend(struct jr_figure *fig, double y, const uint64_t *crowded)
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
		if (later && crowded && *crowded >> i & 1)
			crowd_swatch(fig, i, x, y);
		else if (later == (crowded != NULL))
			legend_swatch(fig, i, x, y);
		if (!crowded)
			jr_figure_text(fig, x + swatch, y, name, &(struct jr_text){.size = TEXT_SIZE}, 321);
		x += width + 18;
	}
	return any ? y + 8 : y;
}

void jr_figure_legend_points(struct jr_figure *fig, uint64_t crowded)
{
	(void)legend(fig, fig->legend_y, &crowded);
}

void jr_figure_legend(struct jr_figure *fig)
{
	fig->legend_y = fig->y;
	fig->y = legend(fig, fig->y, NULL);
}
