/* Marks, colors and texts that all kinds of plots use. */
#include "render/plot_impl.h"

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
