/*
 * Points beyond the axes: arrows in a margin around the plot area, each with its name and value.
 * Arrows that would overlap are merged into one with their number, so that they always fit the
 * margin.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/order.h"
#include "render/plot_impl.h"

#define LINE_HEIGHT 14.0
#define ARROW 5.0       /* px from its middle to its tip */
#define ARROW_ROOM 16.0 /* between the plot area and the text */
#define TICK_ROOM 34.0  /* width of the first or last tick label within a side margin */
#define WIDEST_FRAC 0.3 /* maximum width of a side margin, of the plot's width */
#define NARROW_FRAC 0.5 /* ... for phones */
#define TIP_LINES 8
#define SLACK 1e-6 /* of the domain: rounding errors at its ends do not count */

static int direction(const struct jr_scale *scale, double v)
{
	double lo = SLACK * (scale->log ? scale->lo : scale->hi - scale->lo);
	double hi = SLACK * (scale->log ? scale->hi : scale->hi - scale->lo);
	return v < scale->lo - lo ? -1 : v > scale->hi + hi ? 1 : 0;
}

bool jr_figure_beyond(const struct jr_figure *fig, double x, double y)
{
	return direction(&fig->x_scale, x) || direction(&fig->y_scale, y);
}

/* --- find and sort points --------------------------------------------------------------------- */

static void find_points(struct jr_beyond *b, struct jr_figure *fig)
{
	const struct jr_plot *plot = fig->plot;
	for (size_t s = 0; s < plot->n_series; s++) {
		const struct jr_series *series = &plot->series[s];
		if (jr_series_mark(plot, series) != JR_MARK_POINTS)
			continue;
		for (size_t i = 0; i < series->n; i++) {
			if (!jr_axis_shows(&plot->x, series->x[i]) || !jr_axis_shows(&plot->y, series->y[i]))
				continue;
			int right = direction(&fig->x_scale, series->x[i]);
			int up = direction(&fig->y_scale, series->y[i]);
			if (right || up)
				*jr_vec_add(&b->points) = (struct jr_beyond_point){right, up, s, i, 0};
		}
	}
	fig->n_beyond = b->points.n;
}

JR_ORDER(compare_points, struct jr_beyond_point,
	JR_DOWN(up) JR_UP(right) JR_UP(along) JR_UP(series) JR_UP(index))

static const struct jr_series *series_of(
	const struct jr_figure *fig, const struct jr_beyond_point *point)
{
	return &fig->plot->series[point->series];
}

/* Set the place of each point along its edge, in whole px; a corner has only one place. */
static void place_points(struct jr_beyond *b, const struct jr_figure *fig)
{
	for (size_t i = 0; i < b->points.n; i++) {
		struct jr_beyond_point *point = &b->points.items[i];
		const struct jr_series *series = series_of(fig, point);
		if (point->right && !point->up)
			point->along = round(jr_scale_px(&fig->y_scale, series->y[point->index]));
		if (point->up && !point->right)
			point->along = round(jr_scale_px(&fig->x_scale, series->x[point->index]));
	}
	if (b->points.n)
		qsort(b->points.items, b->points.n, sizeof(*b->points.items), compare_points);
}

/* --- texts ------------------------------------------------------------------------------------ */

/* Print the name of a mark: "4 × initialization". */
static void put_name(
	struct jr_buf *out, const struct jr_figure *fig, const struct jr_beyond_mark *mark)
{
	const char *name = mark->mixed ? "" : fig->plot->series[mark->series].name;
	char count[JR_NUM_MAX];
	jr_num_grouped_i64(count, (int64_t)mark->n);
	name = name ? name : "";
	if (mark->n > 1)
		jr_buf_printf(out, "%s %s%s", count, *name ? "× " : "points", name);
	else
		jr_buf_puts(out, *name ? name : "a point");
}

/* Print a range: "1.2 s to 2.4 s", or "1.2 s" if both texts are equal. */
static void put_range(struct jr_buf *out, const struct jr_axis *axis, struct jr_range range)
{
	struct jr_buf lo = {0}, hi = {0};
	jr_put_axis_value(&lo, axis, range.lo);
	jr_put_axis_value(&hi, axis, range.hi);
	const char *unit = strrchr(lo.data, ' '), *last = strrchr(hi.data, ' ');
	if (strcmp(lo.data, hi.data) != 0) { /* "24.3 to 65.8 ms" */
		bool same = unit && last && strcmp(unit, last) == 0;
		jr_buf_add(out, lo.data, same ? (size_t)(unit - lo.data) : lo.size);
		jr_buf_puts(out, " to ");
	}
	jr_buf_puts(out, hi.data);
	jr_buf_done(&lo);
	jr_buf_done(&hi);
}

static struct jr_range x_range(const struct jr_beyond *b, const struct jr_figure *fig, int right)
{
	struct jr_range range = JR_RANGE_EMPTY;
	for (size_t i = 0; i < b->points.n; i++) {
		const struct jr_beyond_point *point = &b->points.items[i];
		if (point->right == right)
			jr_range_add(&range, series_of(fig, point)->x[point->index]);
	}
	return range;
}

static double width_of(struct jr_figure *fig, const struct jr_buf *text)
{
	return jr_figure_text_width(fig, text->data, TEXT_SIZE, false);
}

/* --- marks ------------------------------------------------------------------------------------ */

/* Place the text above and below the plot: after the arrow if it fits, else before it, else where
 * there is most room; inside a mark that is long. */
static void place_words(struct jr_figure *fig, struct jr_beyond_mark *mark)
{
	struct jr_buf text = {0};
	put_name(&text, fig, mark);
	jr_buf_puts(&text, ", ");
	put_range(&text, &fig->plot->y, mark->y);
	double width = width_of(fig, &text) + 1;
	jr_buf_done(&text);
	double before = mark->first - 2 * ARROW, behind = mark->last + 2 * ARROW;
	double rooms[] = {before - fig->left, behind - before - 8 * ARROW, fig->right - behind};
	int side = rooms[2] >= width || rooms[2] >= fmax(rooms[0], rooms[1]) ? 1
			   : rooms[0] >= width || rooms[0] >= rooms[1]               ? -1
																		 : 0;
	mark->text_side = side;
	mark->text_width = fmax(0, fmin(width, rooms[side + 1]));
	mark->text_at = side < 0 ? before : side > 0 ? behind : (mark->first + mark->last) / 2;
	if (side < 0)
		mark->begin = before - mark->text_width - ARROW;
	if (side > 0)
		mark->end = behind + mark->text_width + ARROW;
}

/* Compute the room that a mark takes along its edge. */
static void take_room(struct jr_figure *fig, struct jr_beyond_mark *mark)
{
	mark->begin = mark->first - ARROW;
	mark->end = mark->last + ARROW;
	if (!mark->right) {
		place_words(fig, mark);
	} else if (!mark->up) {
		double middle = (mark->first + mark->last) / 2;
		mark->text_at = fmax(fig->top + LINE_HEIGHT, fmin(fig->bottom - LINE_HEIGHT, middle));
		mark->begin = fmin(mark->begin, mark->text_at - LINE_HEIGHT);
		mark->end = fmax(mark->end, mark->text_at + LINE_HEIGHT);
	}
}

static struct jr_beyond_mark mark_at(
	const struct jr_beyond *b, const struct jr_figure *fig, size_t from, size_t to)
{
	const struct jr_beyond_point *points = &b->points.items[from];
	struct jr_beyond_mark mark = {.right = points->right,
		.up = points->up,
		.from = from,
		.series = points->series,
		.first = points->along,
		.last = points->along,
		.y = JR_RANGE_EMPTY};
	for (; from + mark.n < to && points[mark.n].along == points->along; mark.n++) {
		mark.mixed |= points[mark.n].series != mark.series;
		jr_range_add(&mark.y, series_of(fig, &points[mark.n])->y[points[mark.n].index]);
	}
	return mark;
}

static void join(struct jr_beyond_mark *mark, const struct jr_beyond_mark *before)
{
	mark->mixed |= before->mixed || mark->series != before->series;
	mark->from = before->from;
	mark->n += before->n;
	mark->first = before->first;
	jr_range_add(&mark->y, before->y.lo);
	jr_range_add(&mark->y, before->y.hi);
}

/* Make the marks of points [from, to) of one edge; merge those that would overlap. */
static void make_marks(struct jr_beyond *b, struct jr_figure *fig, size_t from, size_t to)
{
	size_t first = b->marks.n;
	while (from < to) {
		struct jr_beyond_mark mark = mark_at(b, fig, from, to);
		from += mark.n;
		take_room(fig, &mark);
		while (b->marks.n > first && b->marks.items[b->marks.n - 1].end > mark.begin) {
			join(&mark, &b->marks.items[--b->marks.n]);
			take_room(fig, &mark);
		}
		*jr_vec_add(&b->marks) = mark;
	}
}

/* Make the marks of one edge; its points are adjacent. */
static void make_edge(struct jr_beyond *b, struct jr_figure *fig, int right, int up)
{
	size_t from = 0, to;
	while (from < b->points.n &&
		   (b->points.items[from].right != right || b->points.items[from].up != up))
		from++;
	for (to = from;
		 to < b->points.n && b->points.items[to].right == right && b->points.items[to].up == up;)
		to++;
	make_marks(b, fig, from, to);
}

/* --- margins ---------------------------------------------------------------------------------- */

/* Return the height of a margin: two lines if it has corners, else one. */
static double height_of(const struct jr_beyond *b, int up)
{
	double height = 0;
	for (size_t i = 0; i < b->points.n; i++)
		if (b->points.items[i].up == up)
			height = fmax(height, (b->points.items[i].right ? 2 : 1) * LINE_HEIGHT + 6);
	return height;
}

/* Return the width of a side margin: its widest text, within bounds. */
static double width_at(struct jr_beyond *b, struct jr_figure *fig, int right)
{
	struct jr_buf text = {0};
	struct jr_range range = x_range(b, fig, right);
	if (range.lo > range.hi)
		return 0;
	put_range(&text, &fig->plot->x, range);
	double widest = fmax(TICK_ROOM, width_of(fig, &text) + TICK_ROOM - ARROW_ROOM);
	for (size_t i = 0; i < b->marks.n; i++) {
		const struct jr_beyond_mark *mark = &b->marks.items[i];
		if (mark->right != right)
			continue;
		text.size = 0;
		put_name(&text, fig, mark);
		widest = fmax(widest, width_of(fig, &text));
		text.size = 0;
		put_range(&text, &fig->plot->y, mark->y);
		widest = fmax(widest, width_of(fig, &text));
	}
	jr_buf_done(&text);
	double most = fig->width < NARROW ? NARROW_FRAC : WIDEST_FRAC;
	return ceil(fmin(widest + ARROW_ROOM + 6, most * (fig->right - fig->left)));
}

void jr_beyond_reserve(struct jr_beyond *b, struct jr_figure *fig)
{
	find_points(b, fig);
	if (!b->points.n)
		return;
	struct jr_margins *margin = &fig->margin;
	margin->top = height_of(b, 1);
	margin->bottom = height_of(b, -1);
	fig->top += margin->top;
	fig->bottom += margin->top;
	fig->y_scale.at_lo = fig->bottom;
	fig->y_scale.at_hi = fig->top;
	place_points(b, fig);
	for (int right = -1; right <= 1; right += 2)
		for (int up = -1; up <= 1; up++)
			make_edge(b, fig, right, up);
	margin->left = width_at(b, fig, -1);
	margin->right = width_at(b, fig, 1);
	fig->left += margin->left;
	fig->right -= margin->right;
	fig->x_scale.at_lo = fig->left;
	fig->x_scale.at_hi = fig->right;
	place_points(b, fig);
	make_edge(b, fig, 0, 1);
	make_edge(b, fig, 0, -1);
}

/* --- drawing ---------------------------------------------------------------------------------- */

static void draw_margins(const struct jr_figure *fig)
{
	const struct jr_margins *m = &fig->margin;
	const struct jr_style panel = jr_fill(JR_ROLE_PANEL);
	double top = fig->top - m->top, bottom = fig->bottom + m->bottom;
	if (m->left > 0)
		jr_scene_rect(fig->scene, fig->left - m->left, top, m->left, bottom - top, panel);
	if (m->right > 0)
		jr_scene_rect(fig->scene, fig->right, top, m->right, bottom - top, panel);
	if (m->top > 0)
		jr_scene_rect(fig->scene, fig->left, top, fig->right - fig->left, m->top, panel);
	if (m->bottom > 0)
		jr_scene_rect(fig->scene, fig->left, fig->bottom, fig->right - fig->left, m->bottom, panel);
}

/* List the points of a mark, at most TIP_LINES, then the number of the others. */
static void put_tip(
	struct jr_buf *out, struct jr_figure *fig, const struct jr_beyond_point *points, size_t n)
{
	for (size_t i = 0; i < n && i < TIP_LINES; i++) {
		jr_buf_puts(out, i ? "\n" : "");
		jr_put_point_tip(out, fig->plot, points[i].series, points[i].index, n > 1);
	}
	char more[JR_NUM_MAX];
	if (n <= TIP_LINES)
		return;
	jr_num_grouped_i64(more, (int64_t)(n - TIP_LINES));
	jr_buf_printf(out, "\nand %s more", more);
}

static void draw_arrow(
	struct jr_figure *fig, double x, double y, int right, int up, enum jr_role role)
{
	double length = hypot(right, up), dx = ARROW * right / length, dy = -ARROW * up / length;
	const struct jr_point corners[] = {
		{x + dx, y + dy}, {x - dx - dy, y - dy + dx}, {x - dx + dy, y - dy - dx}};
	jr_scene_path(fig->scene, corners, 3, true, jr_fill(role));
}

/* Draw the text: in one line above and below, in two at the sides. */
static void draw_words(struct jr_figure *fig, const struct jr_beyond_mark *mark, double y)
{
	struct jr_buf text = {0};
	put_name(&text, fig, mark);
	struct jr_text style = {.size = TEXT_SIZE};
	if (!mark->right) {
		jr_buf_puts(&text, ", ");
		put_range(&text, &fig->plot->y, mark->y);
		style.anchor = mark->text_side < 0 ? JR_END : mark->text_side ? JR_START : JR_MIDDLE;
		jr_figure_text(fig, mark->text_at, y + 4, text.data, &style, mark->text_width);
		jr_buf_done(&text);
		return;
	}
	double room = (mark->right < 0 ? fig->margin.left : fig->margin.right) - ARROW_ROOM - 4;
	double x = mark->right < 0 ? fig->left - ARROW_ROOM : fig->right + ARROW_ROOM;
	style.anchor = mark->right < 0 ? JR_END : JR_START;
	jr_figure_text(fig, x, y - 2, text.data, &style, room);
	text.size = 0;
	put_range(&text, &fig->plot->y, mark->y);
	jr_figure_text(fig, x, y + LINE_HEIGHT - 2, text.data, &style, room);
	jr_buf_done(&text);
}

/* Draw a line over the span of the points along the edge, with a gap for text inside. */
static void draw_span(struct jr_figure *fig, const struct jr_beyond_mark *mark, double x, double y)
{
	const struct jr_style style = jr_stroke(jr_series_role(fig->plot, mark->series), 1.25);
	double first = mark->first, last = mark->last;
	double hole = mark->right || mark->text_side ? 0 : mark->text_width / 2 + ARROW;
	if (mark->right && first < last) {
		jr_scene_line(fig->scene, x, first, x, last, style);
	} else if (first < last) {
		jr_scene_line(fig->scene, first, y, hole > 0 ? mark->text_at - hole : last, y, style);
		if (hole > 0)
			jr_scene_line(fig->scene, mark->text_at + hole, y, last, y, style);
	}
}

static void draw_mark(
	const struct jr_beyond *b, struct jr_figure *fig, const struct jr_beyond_mark *mark)
{
	const struct jr_margins *m = &fig->margin;
	double x = mark->right < 0 ? fig->left - ARROW_ROOM / 2 : fig->right + ARROW_ROOM / 2;
	double y = mark->up > 0 ? fig->top - m->top / 2 : fig->bottom + m->bottom / 2;
	if (!mark->up)
		y = (mark->first + mark->last) / 2;
	if (!mark->right)
		x = mark->text_side ? (mark->first + mark->last) / 2 : mark->first;
	draw_span(fig, mark, x, y);
	draw_arrow(fig, x, y, mark->right, mark->up, jr_series_role(fig->plot, mark->series));
	struct jr_buf tip = {0};
	put_tip(&tip, fig, &b->points.items[mark->from], mark->n);
	jr_scene_tip(fig->scene, tip.data);
	jr_buf_done(&tip);
	draw_words(fig, mark, mark->up ? y : mark->text_at);
}

/* Draw the x range of the points in a side margin, next to the tick labels. */
static void draw_x_range(struct jr_beyond *b, struct jr_figure *fig, int right)
{
	struct jr_range range = x_range(b, fig, right);
	if (range.lo > range.hi)
		return;
	struct jr_buf text = {0};
	put_range(&text, &fig->plot->x, range);
	double width = right < 0 ? fig->margin.left : fig->margin.right;
	double x = right < 0 ? fig->left - width : fig->right + width;
	jr_figure_text(fig, x, jr_figure_x_label_y(fig), text.data,
		&(struct jr_text){
			.role = JR_ROLE_MUTED, .size = TEXT_SIZE, .anchor = right < 0 ? JR_START : JR_END},
		width - TICK_ROOM + 6);
	jr_buf_done(&text);
}

void jr_beyond_background(const struct jr_beyond *b, struct jr_figure *fig)
{
	if (b->points.n)
		draw_margins(fig);
}

void jr_beyond_draw(struct jr_beyond *b, struct jr_figure *fig)
{
	if (!b->points.n)
		return;
	jr_scene_open(fig->scene, &(struct jr_group){.class = "beyond"});
	for (size_t i = 0; i < b->marks.n; i++)
		draw_mark(b, fig, &b->marks.items[i]);
	draw_x_range(b, fig, -1);
	draw_x_range(b, fig, 1);
	jr_scene_close(fig->scene);
}

void jr_beyond_done(struct jr_beyond *b)
{
	jr_vec_done(&b->points);
	jr_vec_done(&b->marks);
}
