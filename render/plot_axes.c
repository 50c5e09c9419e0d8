#include "render/plot_impl.h"

#include <math.h>

#include "base/buf.h"

/* Larger than any measurement, and small enough for finite squares and differences. */
#define LARGEST 1e150
#define SMALLEST 1e-150 /* on logarithmic axes */

bool jr_axis_shows(const struct jr_axis *axis, double v)
{
	return fabs(v) <= LARGEST && (!axis->log || v >= SMALLEST);
}

bool jr_figure_accepts(struct jr_figure *fig, const struct jr_axis *axis, double v)
{
	if (jr_axis_shows(axis, v))
		return true;
	*(fabs(v) <= LARGEST ? &fig->n_not_positive : &fig->n_not_finite) += 1;
	return false;
}

void jr_range_add(struct jr_range *range, double v)
{
	if (range->lo > range->hi) {
		range->lo = range->hi = v;
		return;
	}
	range->lo = fmin(range->lo, v);
	range->hi = fmax(range->hi, v);
}

struct jr_scale jr_axis_scale(
	const struct jr_axis *axis, struct jr_range range, size_t max_ticks, double at_lo, double at_hi)
{
	if (axis->fixed && axis->lo < axis->hi)
		return jr_scale_make(axis->log, axis->lo, axis->hi, at_lo, at_hi);
	if (range.lo > range.hi)
		range = (struct jr_range){axis->log, 1 + axis->log};
	if (axis->zero && !axis->log)
		range = (struct jr_range){fmin(range.lo, 0), fmax(range.hi, 0)};
	double middle = range.lo / 2 + range.hi / 2, least = axis->least * fabs(middle);
	if (!axis->log && range.hi - range.lo < least)
		range = (struct jr_range){middle - least / 2, middle + least / 2};
	/* only zeros: whole units, not fractions of a nanosecond or byte */
	bool whole = axis->format == JR_FORMAT_TIME_NS || axis->format == JR_FORMAT_BYTES;
	if (!axis->log && whole && range.lo == 0 && range.hi == 0)
		range.hi = 5;
	struct jr_scale scale = jr_scale_make(axis->log, range.lo, range.hi, at_lo, at_hi);
	jr_scale_nice(&scale, max_ticks);
	return scale;
}

/* Lines one pixel wide are sharp if they run through the middle of pixels. */
static double crisp(double v)
{
	return floor(v) + 0.5;
}

static bool axis_title(const struct jr_figure *fig, const struct jr_axis *axis)
{
	fig->text->size = 0;
	jr_buf_puts(fig->text, axis->title ? axis->title : "");
	if (axis->unit && *axis->unit)
		jr_buf_printf(fig->text, fig->text->size ? " (%s)" : "%s", axis->unit);
	return fig->text->size > 0;
}

double jr_figure_y_label_width(struct jr_figure *fig, const struct jr_scale *scale)
{
	struct jr_tick ticks[JR_MAX_TICKS];
	size_t n = jr_scale_ticks(scale, fig->plot->y.format, 6, ticks);
	double widest = 0;
	for (size_t i = 0; i < n; i++)
		widest = fmax(widest, jr_figure_text_width(fig, ticks[i].label, TEXT_SIZE, false));
	return widest;
}

size_t jr_figure_x_ticks(struct jr_figure *fig, const struct jr_axis *axis, double px)
{
	double label = axis->format == JR_FORMAT_NUMBER || axis->format == JR_FORMAT_COUNT ? 68 : 78;
	if (fig->width < NARROW)
		label = 56; /* several close labels are better than one */
	size_t n = (size_t)(px / label);
	return n < 2 ? 2 : n > 12 ? 12 : n;
}

void jr_figure_y_title(struct jr_figure *fig)
{
	fig->y += 6;
	if (!axis_title(fig, &fig->plot->y))
		return;
	fig->y += 12;
	struct jr_buf title = {0};
	jr_buf_puts(&title, fig->text->data);
	jr_figure_text(fig, fig->pad, fig->y, title.data,
		&(struct jr_text){.role = JR_ROLE_MUTED, .size = TEXT_SIZE}, fig->width - 2 * fig->pad);
	jr_buf_done(&title);
	fig->y += 8;
}

static void open_labels(struct jr_figure *fig, enum jr_anchor anchor)
{
	jr_scene_open(fig->scene,
		&(struct jr_group){.text = {.role = JR_ROLE_MUTED, .size = TEXT_SIZE, .anchor = anchor}});
}

static void open_lines(struct jr_figure *fig, enum jr_role role)
{
	jr_scene_open(fig->scene, &(struct jr_group){.style = jr_stroke(role, 1)});
}

void jr_figure_y_axis(struct jr_figure *fig)
{
	struct jr_tick ticks[JR_MAX_TICKS];
	size_t max_ticks = fig->bottom - fig->top < 140 ? 4 : 6;
	size_t n = jr_scale_ticks(&fig->y_scale, fig->plot->y.format, max_ticks, ticks);
	double left = fig->left - fig->margin.left;
	open_lines(fig, JR_ROLE_GRID);
	for (size_t i = 0; i < n; i++) {
		double y = crisp(jr_scale_px(&fig->y_scale, ticks[i].value));
		if (!ticks[i].minor)
			jr_scene_line(fig->scene, fig->left, y, fig->right, y, jr_stroke(JR_ROLE_GRID, 1));
		else
			jr_scene_line(fig->scene, left - 3, y, left, y, jr_stroke(JR_ROLE_GRID, 1));
	}
	jr_scene_close(fig->scene);
	open_labels(fig, JR_END);
	for (size_t i = 0; i < n; i++)
		jr_scene_text(fig->scene, left - 8, jr_scale_px(&fig->y_scale, ticks[i].value) + 4,
			ticks[i].label,
			&(struct jr_text){.role = JR_ROLE_MUTED, .size = TEXT_SIZE, .anchor = JR_END});
	jr_scene_close(fig->scene);
}

/* Labels that would touch the previous one are left out; the tick stays. */
static void x_labels(struct jr_figure *fig, const struct jr_tick *ticks, size_t n, double y)
{
	double free_from = -INFINITY;
	open_labels(fig, JR_MIDDLE);
	for (size_t i = 0; i < n; i++) {
		if (ticks[i].minor)
			continue;
		double width = jr_figure_text_width(fig, ticks[i].label, TEXT_SIZE, false);
		double x = jr_scale_px(&fig->x_scale, ticks[i].value);
		x = fmax(width / 2, fmin(fig->width - width / 2, x));
		if (x - width / 2 < free_from)
			continue;
		free_from = x + width / 2 + 8;
		jr_scene_text(fig->scene, x, y, ticks[i].label,
			&(struct jr_text){.role = JR_ROLE_MUTED, .size = TEXT_SIZE, .anchor = JR_MIDDLE});
	}
	jr_scene_close(fig->scene);
}

static const char *name_at(const struct jr_axis *axis, double value)
{
	for (size_t i = 0; i < axis->n_names; i++)
		if (axis->named[i] == value)
			return axis->names[i];
	return NULL;
}

/* Names of values, below their ticks, as long as the distance of ticks allows. */
static void x_names(struct jr_figure *fig, const struct jr_tick *ticks, size_t n, double y)
{
	double room = fig->right - fig->left, before = NAN, free_from = 0;
	for (size_t i = 0; i < n; i++) {
		double x = jr_scale_px(&fig->x_scale, ticks[i].value);
		if (!ticks[i].minor && !isnan(before))
			room = fmin(room, x - before);
		before = ticks[i].minor ? before : x;
	}
	for (size_t i = 0; i < n; i++) {
		const char *name = ticks[i].minor ? NULL : name_at(&fig->plot->x, ticks[i].value);
		if (!name)
			continue;
		double width = fmin(room - 6, jr_figure_text_width(fig, name, TEXT_SIZE, false));
		double from = jr_scale_px(&fig->x_scale, ticks[i].value) - width / 2;
		from = fmax(free_from, fmin(fig->width - width, from));
		width = fmin(width, fig->width - from);
		free_from = from + width + 6;
		jr_figure_text(fig, from + width / 2, y, name,
			&(struct jr_text){.role = JR_ROLE_MUTED, .size = TEXT_SIZE, .anchor = JR_MIDDLE},
			width + 0.5);
	}
}

double jr_figure_x_label_y(const struct jr_figure *fig)
{
	return fig->bottom + fig->margin.bottom + 18;
}

static size_t x_ticks(struct jr_figure *fig, struct jr_tick ticks[JR_MAX_TICKS])
{
	const struct jr_axis *axis = &fig->plot->x;
	size_t most = jr_figure_x_ticks(fig, axis, fig->right - fig->left);
	return jr_scale_ticks(&fig->x_scale, axis->format, most, ticks);
}

void jr_figure_x_grid(struct jr_figure *fig)
{
	struct jr_tick ticks[JR_MAX_TICKS];
	size_t n = x_ticks(fig, ticks);
	open_lines(fig, JR_ROLE_GRID);
	for (size_t i = 0; i < n; i++) {
		double x = crisp(jr_scale_px(&fig->x_scale, ticks[i].value));
		if (!ticks[i].minor)
			jr_scene_line(
				fig->scene, x, fig->top, x, crisp(fig->bottom), jr_stroke(JR_ROLE_GRID, 1));
	}
	jr_scene_close(fig->scene);
}

void jr_figure_x_axis(struct jr_figure *fig)
{
	struct jr_tick ticks[JR_MAX_TICKS];
	double base = crisp(fig->bottom + fig->margin.bottom);
	size_t n = x_ticks(fig, ticks);
	jr_figure_x_grid(fig);
	open_lines(fig, JR_ROLE_AXIS);
	for (size_t i = 0; i < n; i++) {
		double x = crisp(jr_scale_px(&fig->x_scale, ticks[i].value));
		jr_scene_line(
			fig->scene, x, base, x, base + (ticks[i].minor ? 3 : 5), jr_stroke(JR_ROLE_AXIS, 1));
	}
	jr_scene_line(fig->scene, fig->left, base, fig->right, base, jr_stroke(JR_ROLE_AXIS, 1));
	jr_scene_close(fig->scene);
	fig->y = jr_figure_x_label_y(fig);
	x_labels(fig, ticks, n, fig->y);
	if (fig->plot->x.n_names) {
		fig->y += 15;
		x_names(fig, ticks, n, fig->y);
	}
	if (!axis_title(fig, &fig->plot->x))
		return;
	struct jr_buf title = {0};
	jr_buf_puts(&title, fig->text->data);
	fig->y += 20;
	double half = jr_figure_text_width(fig, title.data, TEXT_SIZE, false) / 2;
	double x = fmin((fig->left + fig->right) / 2, fig->width - fig->pad - half);
	jr_figure_text(fig, fmax(x, fig->pad + half), fig->y, title.data,
		&(struct jr_text){.role = JR_ROLE_MUTED, .size = TEXT_SIZE, .anchor = JR_MIDDLE},
		fig->width - 2 * fig->pad);
	jr_buf_done(&title);
}

static void guide_label(struct jr_figure *fig, const struct jr_guide *guide, double at)
{
	if (!guide->label || !*guide->label)
		return;
	struct jr_text style = {.role = JR_ROLE_MUTED, .size = TEXT_SIZE, .halo = true};
	if (!guide->vertical) {
		/* At the left, above the line: curves and clouds of a profile mostly rise to the right. */
		jr_figure_text(fig, fig->left + 6, at < fig->top + 14 ? at + 13 : at - 5, guide->label,
			&style, (fig->right - fig->left) / 2);
		return;
	}
	bool room_right = at < (fig->left + fig->right) / 2;
	style.anchor = room_right ? JR_START : JR_END;
	jr_figure_text(fig, room_right ? at + 5 : at - 5, fig->top + 11, guide->label, &style,
		(fig->right - fig->left) / 2);
}

void jr_figure_guides(struct jr_figure *fig)
{
	const struct jr_plot *plot = fig->plot;
	for (size_t i = 0; i < plot->n_guides; i++) {
		const struct jr_guide *guide = &plot->guides[i];
		const struct jr_scale *scale = guide->vertical ? &fig->x_scale : &fig->y_scale;
		if (!jr_axis_shows(guide->vertical ? &plot->x : &plot->y, guide->at) ||
			guide->at < scale->lo || guide->at > scale->hi)
			continue;
		struct jr_style style = jr_stroke(guide->role ? guide->role : JR_ROLE_MUTED, 1.25);
		style.dash = guide->dash;
		double at = jr_scale_px(scale, guide->at);
		bool part = guide->height_frac > 0 && guide->height_frac < 1;
		double top = part ? fig->bottom - guide->height_frac * (fig->bottom - fig->top) : fig->top;
		if (guide->vertical)
			jr_scene_line(fig->scene, at, top, at, fig->bottom, style);
		else
			jr_scene_line(fig->scene, fig->left, at, fig->right, at, style);
		jr_scene_tip(fig->scene, guide->tip);
		guide_label(fig, guide, at);
	}
}
