/*
 * Swim lanes: intervals of several lanes over one axis.
 */
#include <math.h>

#include "base/buf.h"
#include "render/plot_impl.h"

#define LANE_ROW 26.0
#define LANE 18.0

static bool drawable(const struct jr_plot *plot, const struct jr_interval *interval)
{
	return jr_axis_shows(&plot->x, interval->begin) && jr_axis_shows(&plot->x, interval->end) &&
		interval->begin <= interval->end;
}

static struct jr_range lanes_range(struct jr_figure *fig)
{
	const struct jr_plot *plot = fig->plot;
	struct jr_range range = JR_RANGE_EMPTY;
	for (size_t i = 0; i < plot->n_categories && i < MAX_ROWS; i++)
		for (size_t k = 0; k < plot->categories[i].n_intervals; k++) {
			const struct jr_interval *interval = &plot->categories[i].intervals[k];
			if (!drawable(plot, interval)) {
				fig->n_not_finite++;
				continue;
			}
			jr_range_add(&range, interval->begin);
			jr_range_add(&range, interval->end);
		}
	return range;
}

static void interval_box(struct jr_figure *fig, const struct jr_interval *interval, double x0,
	double x1, double y, size_t n)
{
	enum jr_role role = interval->role ? interval->role : JR_ROLE_COMPUTE;
	jr_scene_rect(fig->scene, x0, y - LANE / 2, fmax(x1 - x0, 0.5), LANE,
		jr_wash(role, 4));
	if (n > 1) {
		struct jr_buf tip = {0};
		jr_buf_printf(&tip, "%zu intervals", n);
		if (interval->tip)
			jr_buf_printf(&tip, ", first: %s", interval->tip);
		jr_scene_tip(fig->scene, tip.data);
		jr_buf_done(&tip);
		return;
	}
	jr_scene_tip(fig->scene, interval->tip);
	jr_scene_href(fig->scene, interval->href);
	if (interval->label && x1 - x0 > 24)
		jr_figure_text(fig, x0 + 4, y + 4, interval->label,
			&(struct jr_text){.size = LABEL_SIZE}, x1 - x0 - 8);
}

/* Intervals of one role that lie within one half pixel of each other's begin become one box. */
static void draw_lane(struct jr_figure *fig, const struct jr_category *lane, double y)
{
	const struct jr_plot *plot = fig->plot;
	for (size_t k = 0; k < lane->n_intervals;) {
		const struct jr_interval *interval = &lane->intervals[k++];
		if (!drawable(plot, interval) || interval->end < fig->x_scale.lo ||
			interval->begin > fig->x_scale.hi)
			continue;
		double x0 = jr_scale_px(&fig->x_scale, interval->begin);
		double x1 = jr_scale_px(&fig->x_scale, interval->end);
		size_t n = 1;
		while (k < lane->n_intervals && drawable(plot, &lane->intervals[k]) &&
			lane->intervals[k].role == interval->role && x1 - x0 < 0.5) {
			double next = jr_scale_px(&fig->x_scale, lane->intervals[k].end);
			if (next < x0 || next - x0 >= 0.5)
				break;
			x1 = fmax(x1, next);
			n++;
			k++;
		}
		interval_box(fig, interval, x0, x1, y, n);
	}
}

void jr_plot_lanes(struct jr_figure *fig)
{
	const struct jr_plot *plot = fig->plot;
	struct jr_range range = lanes_range(fig);
	if (range.lo > range.hi) {
		jr_figure_no_data(fig);
		return;
	}
	struct jr_rows rows = jr_figure_rows(fig, LANE_ROW, 10);
	fig->x_scale = plot->x.fixed
		? jr_axis_scale(&plot->x, range, 10, fig->left, fig->right)
		: jr_scale_make(plot->x.log, range.lo, range.hi, fig->left, fig->right);
	jr_figure_x_axis(fig);
	for (size_t i = 0; i < rows.n; i++)
		jr_scene_rect(fig->scene, fig->left, jr_row_middle(&rows, i) - LANE / 2,
			fig->right - fig->left, LANE, jr_fill(JR_ROLE_PANEL));
	jr_figure_row_labels(fig, &rows);
	for (size_t i = 0; i < rows.n; i++)
		draw_lane(fig, &plot->categories[i], jr_row_middle(&rows, i));
	jr_figure_guides(fig);
}
