/*
 * Charts with one row per category: bars and stacked bars; also the row frame for the other kinds.
 */
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "render/plot_impl.h"

#define BAR_ROW 24.0
#define BAR 15.0

struct jr_rows jr_figure_rows(struct jr_figure *fig, double row_height, double right_room)
{
	const struct jr_plot *plot = fig->plot;
	struct jr_rows rows = {.n = plot->n_categories, .height = row_height};
	if (rows.n > MAX_ROWS) {
		fig->n_rows_left_out = rows.n - MAX_ROWS;
		rows.n = MAX_ROWS;
	}
	double widest = 0, room = fig->width * (fig->width < NARROW ? 0.4 : 0.5);
	for (size_t i = 0; i < rows.n; i++)
		if (plot->categories[i].name)
			widest =
				fmax(widest, jr_figure_text_width(fig, plot->categories[i].name, TEXT_SIZE, false));
	widest = ceil(fmin(widest, room));
	fig->y += 6;
	fig->top = rows.top = fig->y;
	fig->bottom = fig->top + (double)rows.n * row_height;
	fig->left = fig->pad + widest + 10;
	fig->right = fig->width - fig->pad - right_room;
	return rows;
}

double jr_row_middle(const struct jr_rows *rows, size_t i)
{
	return rows->top + ((double)i + 0.5) * rows->height;
}

void jr_figure_row_labels(struct jr_figure *fig, const struct jr_rows *rows)
{
	struct jr_text style = {.size = TEXT_SIZE, .anchor = JR_END};
	jr_scene_open(fig->scene, &(struct jr_group){.text = style});
	for (size_t i = 0; i < rows->n; i++) {
		const struct jr_category *category = &fig->plot->categories[i];
		if (!category->name)
			continue;
		size_t before = fig->scene->items.n;
		jr_figure_text(fig, fig->left - 10, jr_row_middle(rows, i) + 4, category->name, &style,
			fig->left - 10 - fig->pad + 0.5);
		if (fig->scene->items.n > before)
			jr_scene_href(fig->scene, category->href);
	}
	jr_scene_close(fig->scene);
}

void jr_row_value(const struct jr_plot *plot, char out[JR_NUM_MAX + 1], double value)
{
	bool sign = plot->change && value > 0;
	*out = '+';
	jr_format_value(out + sign, value, plot->x.format);
}

static double widest_value(struct jr_figure *fig, double (*value)(const struct jr_plot *, size_t))
{
	const struct jr_plot *plot = fig->plot;
	double widest = 0;
	for (size_t i = 0; i < plot->n_categories && i < MAX_ROWS; i++) {
		char text[JR_NUM_MAX + 1];
		const char *shown = plot->categories[i].value_text;
		if (!shown) {
			jr_row_value(plot, text, value(plot, i));
			shown = text;
		}
		widest = fmax(widest, jr_figure_text_width(fig, shown, TEXT_SIZE, false));
	}
	return fmin(widest, fig->width * 0.3);
}

static void value_label(
	struct jr_figure *fig, double x, double y, const struct jr_category *category, double value)
{
	char text[JR_NUM_MAX + 1];
	jr_row_value(fig->plot, text, value);
	jr_figure_text(fig, x + 6, y + 4, category->value_text ? category->value_text : text,
		&(struct jr_text){.role = JR_ROLE_MUTED, .size = TEXT_SIZE}, fig->width - x - 6);
}

static void row_tip(struct jr_figure *fig, const struct jr_category *category, const char *part,
	double value, double of)
{
	struct jr_buf tip = {0};
	char text[JR_NUM_MAX + 1];
	if (category->tip && !part) {
		jr_buf_puts(&tip, category->tip);
	} else {
		const struct jr_axis *axis = &fig->plot->x;
		jr_row_value(fig->plot, text, value);
		jr_buf_printf(&tip, "%s%s%s: %s%s%s", category->name ? category->name : "",
			part && category->name ? ", " : "", part ? part : "", text, axis->unit ? " " : "",
			axis->unit ? axis->unit : "");
		if (part && of > 0) {
			jr_num_grouped(text, 100 * value / of, 2);
			jr_buf_printf(&tip, " (%s %%)", text);
		}
	}
	jr_scene_tip(fig->scene, tip.data);
	jr_buf_done(&tip);
	jr_scene_href(fig->scene, category->href);
}

/* --- bars ------------------------------------------------------------------------------------ */

static double bar_value(const struct jr_plot *plot, size_t i)
{
	return plot->categories[i].value;
}

static bool has_error_bar(const struct jr_category *category)
{
	return isfinite(category->lo) && isfinite(category->hi) && category->lo < category->hi;
}

static struct jr_range bar_range(struct jr_figure *fig)
{
	const struct jr_plot *plot = fig->plot;
	struct jr_range range = JR_RANGE_EMPTY;
	for (size_t i = 0; i < plot->n_categories && i < MAX_ROWS; i++) {
		const struct jr_category *category = &plot->categories[i];
		if (!jr_figure_accepts(fig, &plot->x, category->value))
			continue;
		jr_range_add(&range, category->value);
		if (has_error_bar(category) && jr_axis_shows(&plot->x, category->hi))
			jr_range_add(&range, category->hi);
	}
	return range;
}

static void draw_bar(struct jr_figure *fig, size_t i, double y, double zero)
{
	const struct jr_category *category = &fig->plot->categories[i];
	double at = jr_scale_px(&fig->x_scale, category->value), end = at;
	double x0 = fmin(at, zero), x1 = fmax(at, zero);
	if (category->value != 0) { /* a small value is visible, a value of 0 is not */
		jr_scene_rect(fig->scene, x0, y - BAR / 2, fmax(x1 - x0, 0.75), BAR,
			jr_row_style(fig->plot, jr_category_role(category), category->hollow));
		row_tip(fig, category, NULL, category->value, 0);
	}
	if (has_error_bar(category)) {
		double lo = jr_scale_px(&fig->x_scale, category->lo);
		double hi = jr_scale_px(&fig->x_scale, category->hi);
		jr_scene_path(fig->scene,
			(struct jr_point[]){
				{lo, y - 4}, {lo, y + 4}, {lo, y}, {hi, y}, {hi, y - 4}, {hi, y + 4}},
			6, false, jr_stroke(JR_ROLE_INK, 1.25));
		end = fmax(at, hi);
	}
	value_label(fig, fmax(end, zero), y, category, category->value);
}

void jr_plot_bars(struct jr_figure *fig)
{
	const struct jr_plot *plot = fig->plot;
	struct jr_range range = bar_range(fig);
	if (range.lo > range.hi) {
		jr_figure_no_data(fig);
		return;
	}
	struct jr_rows rows = jr_figure_rows(fig, BAR_ROW, widest_value(fig, bar_value) + 10);
	struct jr_axis axis = plot->x;
	axis.zero = true;
	size_t max_ticks = jr_figure_x_ticks(fig, &axis, fig->right - fig->left);
	/* Bars end where the data ends: a missing half step is better than a half empty plot. */
	fig->x_scale =
		axis.log || axis.fixed
			? jr_axis_scale(&axis, range, max_ticks, fig->left, fig->right)
			: jr_scale_make(false, fmin(0, range.lo), fmax(0, range.hi), fig->left, fig->right);
	jr_figure_x_axis(fig);
	jr_figure_guides(fig);
	jr_figure_row_labels(fig, &rows);
	double zero = jr_scale_px(&fig->x_scale, axis.log ? fig->x_scale.lo : 0);
	for (size_t i = 0; i < rows.n; i++)
		if (jr_axis_shows(&axis, plot->categories[i].value))
			draw_bar(fig, i, jr_row_middle(&rows, i), zero);
}

/* --- stacked bars ---------------------------------------------------------------------------- */

static double part_value(const struct jr_plot *plot, size_t i, size_t k)
{
	const struct jr_category *category = &plot->categories[i];
	double v = category->parts ? category->parts[k] : 0;
	return jr_axis_shows(&(struct jr_axis){0}, v) && v > 0 ? v : 0;
}

static double stack_sum(const struct jr_plot *plot, size_t i)
{
	double sum = 0;
	for (size_t k = 0; k < plot->n_parts; k++)
		sum += part_value(plot, i, k);
	return sum;
}

static void part_label(
	struct jr_figure *fig, double x, double width, double y, double share, bool striped)
{
	char text[JR_NUM_MAX];
	size_t n = jr_num_grouped(text, 100 * share, share < 0.0995 ? 1 : 0);
	memcpy(text + n, " %", 3);
	double wide = jr_figure_text_width(fig, text, TEXT_SIZE, false);
	if (wide + 8 > width)
		return;
	if (striped)
		jr_figure_ground(fig, x + (width - wide) / 2, y, wide);
	jr_scene_text(fig->scene, x + width / 2, y + 4, text,
		&(struct jr_text){.size = TEXT_SIZE, .anchor = JR_MIDDLE});
}

static void draw_stack(struct jr_figure *fig, size_t i, double y)
{
	const struct jr_plot *plot = fig->plot;
	const struct jr_category *category = &plot->categories[i];
	double sum = stack_sum(plot, i), before = 0;
	/* Grid lines must not shine through. */
	jr_scene_rect(fig->scene, fig->left, y - 10, jr_scale_px(&fig->x_scale, sum) - fig->left, 20,
		jr_fill(JR_ROLE_BACKGROUND));
	for (size_t k = 0; k < plot->n_parts; k++) {
		double value = part_value(plot, i, k);
		if (value <= 0)
			continue;
		double x0 = jr_scale_px(&fig->x_scale, before);
		double x1 = jr_scale_px(&fig->x_scale, before + value);
		before += value;
		struct jr_style style = jr_area(jr_part_role(plot, k));
		style.stroke = style.stroke ? style.stroke : JR_ROLE_BACKGROUND;
		jr_scene_rect(fig->scene, x0, y - 10, x1 - x0, 20, style);
		row_tip(fig, category, plot->parts[k].name, value, sum);
		part_label(fig, x0, x1 - x0, y, value / sum, jr_look_stripes(style.look).dash);
	}
	value_label(fig, jr_scale_px(&fig->x_scale, before), y, category, sum);
}

void jr_plot_stacked(struct jr_figure *fig)
{
	const struct jr_plot *plot = fig->plot;
	struct jr_range range = {0, 0};
	for (size_t i = 0; i < plot->n_categories && i < MAX_ROWS; i++)
		jr_range_add(&range, stack_sum(plot, i));
	if (!(range.hi > 0)) {
		jr_figure_no_data(fig);
		return;
	}
	struct jr_rows rows = jr_figure_rows(fig, 30, widest_value(fig, stack_sum) + 10);
	fig->x_scale = jr_scale_make(false, 0, range.hi, fig->left, fig->right);
	jr_figure_x_axis(fig);
	jr_figure_row_labels(fig, &rows);
	for (size_t i = 0; i < rows.n; i++)
		if (stack_sum(plot, i) > 0)
			draw_stack(fig, i, jr_row_middle(&rows, i));
}
