/*
 * Swim lanes: intervals of several lanes over one axis.
 */
#include <math.h>

#include "base/buf.h"
#include "render/plot_impl.h"

#define NAMED 60.0 /* px: from this width on, an interval has its label */
#define LANE_ROW 26.0
#define LANE 18.0
#define PAIR_ROW 44.0
#define PAIR_GAP 1.0   /* between two lanes of a row */
#define SHORT 1.5      /* px: shorter intervals may share a box */
#define NEAR 0.75      /* px: maximum distance between them */
#define WIDE 4.0       /* px: maximum length of such a box */
#define OUTLINED 4.0   /* px: a narrower box has no outline and is filled with its color */
#define SEEN 1.0       /* px: narrower boxes are drawn this wide, and lower */
#define UNSEEN 0.05    /* px */
#define MAX_BOXES 1000 /* of a lane; only overlapping intervals can exceed it */

static bool drawable(const struct jr_plot *plot, const struct jr_interval *interval)
{
	return jr_axis_shows(&plot->x, interval->begin) && jr_axis_shows(&plot->x, interval->end) &&
		   interval->begin <= interval->end;
}

static bool has_extent(const struct jr_plot *plot, const struct jr_category *lane)
{
	return lane->lo < lane->hi && jr_axis_shows(&plot->x, lane->lo) &&
		   jr_axis_shows(&plot->x, lane->hi);
}

static void add_lane(struct jr_figure *fig, const struct jr_category *lane, struct jr_range *range)
{
	const struct jr_plot *plot = fig->plot;
	for (size_t k = 0; k < lane->n_intervals; k++) {
		const struct jr_interval *interval = &lane->intervals[k];
		if (!drawable(plot, interval)) {
			fig->n_not_finite++;
			continue;
		}
		jr_range_add(range, interval->begin);
		jr_range_add(range, interval->end);
	}
	if (has_extent(plot, lane)) {
		jr_range_add(range, lane->lo);
		jr_range_add(range, lane->hi);
	}
}

static struct jr_range lanes_range(struct jr_figure *fig)
{
	const struct jr_plot *plot = fig->plot;
	struct jr_range range = JR_RANGE_EMPTY;
	for (size_t i = 0; i < plot->n_categories && i < MAX_ROWS; i++)
		for (const struct jr_category *lane = &plot->categories[i]; lane; lane = lane->beneath)
			add_lane(fig, lane, &range);
	return range;
}

/* Draw the background, which means idle time where nothing covers it. */
static void draw_panel(struct jr_figure *fig, const struct jr_category *lane, double y)
{
	double x0 = fig->left, x1 = fig->right;
	if (has_extent(fig->plot, lane)) {
		x0 = fmax(x0, jr_scale_px(&fig->x_scale, lane->lo));
		x1 = fmin(x1, jr_scale_px(&fig->x_scale, lane->hi));
	}
	jr_scene_rect(fig->scene, x0, y - LANE / 2, fmax(x1 - x0, 0), LANE, jr_fill(JR_ROLE_PANEL));
}

/* One box of a lane: an interval, or a run of short ones. */
struct box {
	double x0, x1; /* px: from the first begin to the last end */
	double px;     /* px in which an interval runs */
	enum jr_role role;
	size_t n;
	const struct jr_interval *longest;
};

/* Return a style; a box too narrow for an outline or a pattern has one color. */
static struct jr_style style_of(enum jr_role role, bool narrow)
{
	struct jr_style style = jr_area(role ? role : JR_ROLE_COMPUTE);
	if (narrow && style.stroke)
		return jr_fill(style.fill);
	style.look = narrow && style.look ? JR_LOOK_AREA : style.look;
	return style;
}

/* Draw a box so that idle time keeps its share of the lane's area: the width is the sum of the
 * intervals, the gaps are before them. A box that is too narrow to see is drawn one pixel wide and
 * lower instead. It must fit between `covered`, after which nothing is painted yet, and the next
 * interval. */
static void draw_rect(
	struct jr_figure *fig, const struct box *box, double y, double covered, double next_x0)
{
	double width = box->px, height = LANE, room = box->x1 - covered;
	if (width < SEEN && room > width && box->x0 >= covered && box->x1 <= next_x0) {
		width = fmin(SEEN, room);
		height = LANE * box->px / width;
	}
	jr_scene_rect(fig->scene, box->x1 - width, y - height / 2, width, height,
		style_of(box->role, width < OUTLINED));
}

static void draw_box(
	struct jr_figure *fig, const struct box *box, double y, double covered, double next_x0)
{
	const struct jr_interval *interval = box->longest;
	if (box->px <= 0)
		return;
	draw_rect(fig, box, y, covered, next_x0);
	if (box->n > 1) {
		struct jr_buf tip = {0};
		jr_buf_printf(&tip, "%zu intervals", box->n);
		if (interval->tip)
			jr_buf_printf(&tip, ", the longest: %s", interval->tip);
		jr_scene_tip(fig->scene, tip.data);
		jr_buf_done(&tip);
		return;
	}
	jr_scene_tip(fig->scene, interval->tip);
	jr_scene_href(fig->scene, interval->href);
	double room = box->x1 - box->x0 - 8;
	if (!interval->label || room + 8 < NAMED)
		return;
	if (jr_look_stripes(style_of(box->role, false).look).dash)
		jr_figure_ground(fig, box->x0 + 4, y,
			fmin(room, jr_figure_text_width(fig, interval->label, TEXT_SIZE, false)));
	jr_figure_text(
		fig, box->x0 + 4, y + 4, interval->label, &(struct jr_text){.size = TEXT_SIZE}, room);
}

static bool in_sight(const struct jr_figure *fig, const struct jr_interval *interval)
{
	return drawable(fig->plot, interval) && interval->end >= fig->x_scale.lo &&
		   interval->begin <= fig->x_scale.hi;
}

/* Make the box that begins with interval k; moves k past it. Intervals shorter than SHORT px within
 * NEAR px of each other are gathered until the box is WIDE px long. Its color is that of the role
 * with most of its time. So a lane has at most about one box per 2 px, for any number of intervals,
 * unless they overlap: in a crowded lane, intervals that begin within SHORT px are one box, too. A
 * box that begins under a longer interval contains none that begins after it, because the gaps
 * would be painted there. */
static struct box gather(const struct jr_figure *fig, const struct jr_category *lane, bool crowded,
	double covered, size_t *k)
{
	const struct jr_interval *first = &lane->intervals[(*k)++];
	struct box box = {.x0 = jr_scale_px(&fig->x_scale, first->begin),
		.x1 = jr_scale_px(&fig->x_scale, first->end),
		.role = first->role,
		.n = 1,
		.longest = first};
	double time[JR_N_ROLES] = {0}, longest = first->end - first->begin;
	time[first->role] = longest;
	box.px = box.x1 - box.x0;
	if (box.x1 - box.x0 >= SHORT && !crowded)
		return box;
	for (; *k < lane->n_intervals && in_sight(fig, &lane->intervals[*k]); (*k)++) {
		const struct jr_interval *next = &lane->intervals[*k];
		double x0 = jr_scale_px(&fig->x_scale, next->begin);
		double x1 = jr_scale_px(&fig->x_scale, next->end);
		bool follows = x1 - x0 < SHORT && x0 - box.x1 < NEAR && x1 - box.x0 <= WIDE;
		if (x0 < box.x0 || !(follows || (crowded && x0 - box.x0 < SHORT)) ||
			(box.x0 < covered && x0 >= covered))
			break;
		box.px += fmax(0, x1 - fmax(x0, box.x1));
		box.x1 = fmax(box.x1, x1);
		box.n++;
		time[next->role] += next->end - next->begin;
		if (time[next->role] > time[box.role])
			box.role = next->role;
		if (next->end - next->begin > longest) {
			longest = next->end - next->begin;
			box.longest = next;
		}
	}
	return box;
}

/* A walk over the boxes of a lane. */
struct walk {
	bool crowded;
	bool draws;
	enum jr_role role; /* role to draw; NONE: all */
	double y;
	size_t n;               /* out: number of boxes */
	bool overlap;           /* out: a box begins before another ends, so that their order matters */
	bool roles[JR_N_ROLES]; /* out: roles of boxes */
};

static void walk_boxes(struct jr_figure *fig, const struct jr_category *lane, struct walk *walk)
{
	double covered = fig->left; /* no interval so far ended after it, px */
	for (size_t k = 0; k < lane->n_intervals;) {
		if (!in_sight(fig, &lane->intervals[k])) {
			k++;
			continue;
		}
		struct box box = gather(fig, lane, walk->crowded, covered, &k);
		double next_x0 = k < lane->n_intervals && in_sight(fig, &lane->intervals[k])
							 ? jr_scale_px(&fig->x_scale, lane->intervals[k].begin)
							 : box.x1;
		walk->n++;
		walk->overlap |= box.x0 < covered - UNSEEN;
		walk->roles[box.role] = true;
		if (walk->draws && (!walk->role || walk->role == box.role))
			draw_box(fig, &box, walk->y, covered, next_x0);
		covered = fmax(covered, box.x1);
	}
}

/* Return the style of most boxes of the lane, which is written once for all of them. */
static struct jr_style usual_style(const struct jr_category *lane)
{
	size_t n[JR_N_ROLES] = {0};
	enum jr_role usual = JR_ROLE_NONE;
	for (size_t i = 0; i < lane->n_intervals; i++) {
		enum jr_role role = lane->intervals[i].role;
		if (++n[role] > n[usual])
			usual = role;
	}
	return style_of(usual, true);
}

static void draw_group(
	struct jr_figure *fig, const struct jr_category *lane, struct jr_style style, struct walk walk)
{
	jr_scene_open(fig->scene, &(struct jr_group){.style = style});
	walk_boxes(fig, lane, &walk);
	jr_scene_close(fig->scene);
}

/* Draw role by role, so that each style is written once; in order of the intervals if they
 * overlap. */
static void draw_lane(struct jr_figure *fig, const struct jr_category *lane, double y)
{
	struct walk all = {0};
	walk_boxes(fig, lane, &all);
	if (all.n > MAX_BOXES) {
		all = (struct walk){.crowded = true};
		walk_boxes(fig, lane, &all);
	}
	struct walk walk = {.crowded = all.crowded, .draws = true, .y = y};
	if (all.overlap || all.roles[JR_ROLE_NONE]) {
		draw_group(fig, lane, usual_style(lane), walk);
		return;
	}
	for (walk.role = 1; walk.role < JR_N_ROLES; walk.role++)
		if (all.roles[walk.role])
			draw_group(fig, lane, style_of(walk.role, true), walk);
}

static void for_lanes(struct jr_figure *fig, const struct jr_rows *rows,
	void (*draw)(struct jr_figure *, const struct jr_category *, double))
{
	for (size_t i = 0; i < rows->n; i++) {
		const struct jr_category *lane = &fig->plot->categories[i];
		double y = jr_row_middle(rows, i);
		if (lane->beneath) {
			draw(fig, lane, y - (LANE + PAIR_GAP) / 2);
			draw(fig, lane->beneath, y + (LANE + PAIR_GAP) / 2);
		} else {
			draw(fig, lane, y);
		}
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
	bool pairs = false;
	for (size_t i = 0; i < plot->n_categories; i++)
		pairs |= plot->categories[i].beneath != NULL;
	struct jr_rows rows = jr_figure_rows(fig, pairs ? PAIR_ROW : LANE_ROW, 10);
	fig->x_scale = plot->x.fixed
					   ? jr_axis_scale(&plot->x, range, 10, fig->left, fig->right)
					   : jr_scale_make(plot->x.log, range.lo, range.hi, fig->left, fig->right);
	jr_figure_x_axis(fig);
	for_lanes(fig, &rows, draw_panel);
	jr_figure_row_labels(fig, &rows);
	for_lanes(fig, &rows, draw_lane);
	jr_figure_guides(fig);
}
