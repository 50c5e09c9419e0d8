/*
 * Changes with their intervals: one row each, around a line at 0 and the band of changes that do
 * not matter.
 */
#include <math.h>

#include "base/buf.h"
#include "render/plot_impl.h"

#define INTERVAL_ROW 30.0

/* Return the room for the value at the right, px; less in a narrow figure. */
static double value_room(const struct jr_figure *fig)
{
	return fmin(90, 0.18 * fig->width);
}

static bool has_interval(const struct jr_category *category)
{
	return isfinite(category->lo) && isfinite(category->hi) && category->lo <= category->hi &&
		   (category->lo != 0 || category->hi != 0 || category->value == 0);
}

/* Return the range of everything that is drawn, including 0. */
static struct jr_range range_of(struct jr_figure *fig)
{
	const struct jr_plot *plot = fig->plot;
	struct jr_range range = JR_RANGE_EMPTY;
	for (size_t i = 0; i < plot->n_categories && i < MAX_ROWS; i++) {
		const struct jr_category *category = &plot->categories[i];
		if (!jr_figure_accepts(fig, &plot->x, category->value))
			continue;
		jr_range_add(&range, category->value);
		if (has_interval(category) && jr_axis_shows(&plot->x, category->lo) &&
			jr_axis_shows(&plot->x, category->hi)) {
			jr_range_add(&range, category->lo);
			jr_range_add(&range, category->hi);
		}
	}
	if (range.lo > range.hi)
		return range;
	jr_range_add(&range, 0);
	jr_range_add(&range, 1.25 * plot->band);
	jr_range_add(&range, -1.25 * plot->band);
	return range;
}

static void draw_interval(struct jr_figure *fig, const struct jr_category *category, double y)
{
	enum jr_role role = jr_category_role(category);
	char number[JR_NUM_MAX + 1], low[JR_NUM_MAX + 1], high[JR_NUM_MAX + 1];
	double at = jr_scale_px(&fig->x_scale, category->value);
	jr_row_value(fig->plot, number, category->value);
	const char *value = category->value_text ? category->value_text : number;
	jr_row_value(fig->plot, low, category->lo);
	jr_row_value(fig->plot, high, category->hi);
	fig->text->size = 0;
	jr_buf_printf(fig->text, "%s: %s", category->name ? category->name : "", value);
	if (has_interval(category)) {
		double x0 = jr_scale_px(&fig->x_scale, category->lo);
		double x1 = jr_scale_px(&fig->x_scale, category->hi);
		jr_buf_printf(fig->text, ", 95 %% interval %s to %s", low, high);
		jr_scene_path(fig->scene,
			(struct jr_point[]){
				{x0, y - 6}, {x0, y + 6}, {x0, y}, {x1, y}, {x1, y - 6}, {x1, y + 6}},
			6, false, jr_stroke(role, 2));
		jr_scene_tip(fig->scene, fig->text->data);
	}
	jr_scene_marker(
		fig->scene, at, y, 5, JR_CIRCLE, jr_row_style(fig->plot, role, category->hollow));
	jr_scene_tip(fig->scene, fig->text->data);
	jr_figure_text(fig, fig->width - fig->pad, y + 4, value,
		&(struct jr_text){.size = TEXT_SIZE, .anchor = JR_END}, value_room(fig));
}

void jr_plot_intervals(struct jr_figure *fig)
{
	const struct jr_plot *plot = fig->plot;
	struct jr_range range = range_of(fig);
	if (range.lo > range.hi) {
		jr_figure_no_data(fig);
		return;
	}
	struct jr_rows rows = jr_figure_rows(fig, INTERVAL_ROW, value_room(fig) + 6);
	size_t max_ticks = jr_figure_x_ticks(fig, &plot->x, fig->right - fig->left);
	fig->x_scale = jr_axis_scale(&plot->x, range, max_ticks, fig->left, fig->right);
	double zero = jr_scale_px(&fig->x_scale, 0);
	if (plot->band > 0) {
		char size[JR_NUM_MAX];
		double x0 = jr_scale_px(&fig->x_scale, -plot->band);
		double x1 = jr_scale_px(&fig->x_scale, plot->band);
		jr_format_value(size, plot->band, plot->x.format);
		fig->text->size = 0;
		jr_buf_printf(fig->text, "within ±%s", size);
		jr_scene_rect(
			fig->scene, x0, fig->top, x1 - x0, fig->bottom - fig->top, jr_wash(JR_ROLE_MUTED, 5));
		jr_scene_tip(fig->scene, fig->text->data);
	}
	jr_figure_x_axis(fig);
	jr_scene_path(fig->scene, (struct jr_point[]){{zero, fig->top}, {zero, fig->bottom}}, 2, false,
		jr_stroke(JR_ROLE_INK, 1.25));
	jr_figure_row_labels(fig, &rows);
	for (size_t i = 0; i < rows.n; i++)
		if (jr_axis_shows(&plot->x, plot->categories[i].value))
			draw_interval(fig, &plot->categories[i], jr_row_middle(&rows, i));
}
