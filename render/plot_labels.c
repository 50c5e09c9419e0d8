/* Labels of points: where they hide the fewest lines and points. */
#include "render/plot_impl.h"

#include <math.h>

#include "base/buf.h"

#define MAX_LABELS 40
#define FEW_LABELS 3
#define MOST_WIDTH 220 /* px */

struct box {
	double x0, y0, x1, y1;
};

/* A label, its place, and the line from its point to it, if it is not next to it. */
struct label {
	const struct jr_dot *dot;
	double width;
	size_t cost; /* of its place; SIZE_MAX: it has none */
	struct box box;
	bool has_leader;
	struct jr_point from, to;
};

static bool overlap(const struct box *a, const struct box *b)
{
	return a->x0 < b->x1 && b->x0 < a->x1 && a->y0 < b->y1 && b->y0 < a->y1;
}

static size_t dots_below(const struct jr_points *pts, const struct box *box)
{
	size_t n = 0;
	for (size_t i = 0; i < pts->dots.n; i++) {
		struct jr_point at = pts->dots.items[i].at;
		double r = pts->dots.items[i].radius;
		n += at.x > box->x0 - r && at.x < box->x1 + r && at.y > box->y0 - r + 1 &&
			 at.y < box->y1 + r - 1;
	}
	return n;
}

/* Return true if any part of the line from `a` to `b` is in the box. Clips the line at the left and
 * right side, then at top and bottom. */
static bool crosses(const struct box *box, struct jr_point a, struct jr_point b)
{
	double from = 0, to = 1, dx = b.x - a.x, dy = b.y - a.y;
	const double sides[4][2] = {
		{-dx, a.x - box->x0}, {dx, box->x1 - a.x}, {-dy, a.y - box->y0}, {dy, box->y1 - a.y}};
	for (size_t k = 0; k < 4; k++) {
		double along = sides[k][0], room = sides[k][1];
		if (along == 0 && room < 0)
			return false;
		if (along < 0)
			from = fmax(from, room / along);
		else if (along > 0)
			to = fmin(to, room / along);
	}
	return from <= to;
}

/* Count line segments and error bars that run through the box. */
static size_t lines_below(const struct jr_points *pts, const struct box *box)
{
	const struct jr_figure *fig = pts->fig;
	size_t n = 0;
	for (size_t s = 0; s < fig->plot->n_series; s++) {
		const struct jr_series *series = &fig->plot->series[s];
		enum jr_mark mark = jr_series_mark(fig->plot, series);
		bool bars = mark == JR_MARK_POINTS || mark == JR_MARK_LINE_DOTS;
		bool line = mark != JR_MARK_POINTS && mark != JR_MARK_BAND && !series->guide;
		bars = bars && series->lo && series->hi;
		for (size_t i = 0; i < series->n && (line || bars); i++) {
			if (!jr_points_show(fig->plot, series, i))
				continue;
			struct jr_point at = jr_points_place(fig, series->x[i], series->y[i]);
			if (line && i + 1 < series->n && jr_points_show(fig->plot, series, i + 1))
				n += crosses(box, at, jr_points_place(fig, series->x[i + 1], series->y[i + 1]));
			if (bars && isfinite(series->lo[i]) && isfinite(series->hi[i]))
				n += crosses(box, jr_points_place(fig, series->x[i], series->lo[i]),
					jr_points_place(fig, series->x[i], series->hi[i]));
		}
	}
	return n;
}

#define N_SPOTS 16
#define LEADER 20.0   /* px: a line connects a label further from its point */
#define LINE_COST 100 /* in points: a label with a line through it is hard to read */
#define CROSS_COST 50 /* in points: a label with a leader through it */
#define FAR_COST 15   /* in points: a label with a leader */
#define FAR_STEP 10.0 /* px from one of its places to the next, downwards */
#define N_ACROSS 11   /* such places per height, from half a label right of the point to the left */

/* The line from a point to a label that is not next to it. */
static void add_leader(struct label *label)
{
	const struct box *box = &label->box;
	struct jr_point at = label->dot->at;
	double x = fmax(box->x0, fmin(at.x, box->x1));
	bool below = box->y0 > at.y + LEADER;
	label->has_leader = below || box->y1 < at.y - LEADER;
	label->from = (struct jr_point){at.x, below ? at.y + 5 : at.y - 5};
	label->to = (struct jr_point){x, below ? box->y0 + 1 : box->y1 - 1};
}

struct placing {
	const struct jr_points *pts;
	struct label *labels; /* [n] */
	size_t n;
};

/* Try a place for a label: the best one hides the fewest lines and points, and no label. */
static void try_place(const struct placing *p, struct label *best, double x, double y, size_t cost)
{
	const struct jr_figure *fig = p->pts->fig;
	struct label label = *best;
	const struct box *box = &label.box;
	label.box = (struct box){x, y - 7, x + label.width, y + 7};
	if (box->x0 < fig->left || box->x1 > fig->right + 4 || box->y0 < fig->top - 2 ||
		box->y1 > fig->bottom || cost >= best->cost)
		return;
	add_leader(&label);
	for (size_t i = 0; i < p->n; i++) {
		const struct label *other = &p->labels[i];
		if (other == best || other->cost == SIZE_MAX)
			continue;
		if (overlap(box, &other->box))
			return;
		cost += other->has_leader && crosses(box, other->from, other->to) ? CROSS_COST : 0;
		cost += label.has_leader && crosses(&other->box, label.from, label.to) ? CROSS_COST : 0;
	}
	label.cost = cost + dots_below(p->pts, box) + LINE_COST * lines_below(p->pts, box);
	if (label.cost < best->cost)
		*best = label;
}

/* Choose a place around the point; only if each has a line through it, or if `few` points have
 * labels and none is free, a place further above or below. */
static void place_label(const struct placing *p, struct label *label, bool few)
{
	static const struct {
		double dx, dy; /* share of the label's width; px of its middle */
		size_t cost;   /* cost of a larger distance */
	} spots[N_SPOTS] = {{0, 0, 0}, {-1, 0, 0}, {-0.5, -13, 0}, {-0.5, 13, 0}, {0, -11, 0},
		{0, 11, 0}, {-1, -11, 0}, {-1, 11, 0}, {0, -22, 2}, {0, 22, 2}, {-1, -22, 2}, {-1, 22, 2},
		{-0.25, -13, 1}, {-0.25, 13, 1}, {-0.75, -13, 1}, {-0.75, 13, 1}};
	static const double across[N_ACROSS] = {
		0, -0.25, -0.5, -0.75, -1, 0.25, -1.25, 0.5, -1.5, -2, -2.5};
	const struct jr_figure *fig = p->pts->fig;
	struct jr_point at = label->dot->at;
	double r = label->dot->radius, width = label->width, most = fig->right + 4 - width;
	label->cost = SIZE_MAX;
	for (size_t k = 0; k < N_SPOTS; k++) {
		double x = at.x + spots[k].dx * width, dy = spots[k].dy;
		if (spots[k].dx < 0 && spots[k].dx > -1) {
			x = fmax(fig->left, fmin(x, most));
			dy += copysign(fmax(0, r - 5), dy);
		} else {
			x += copysign(fmax(8, r + 3), spots[k].dx + 0.5);
		}
		try_place(p, label, x, at.y + dy, spots[k].cost);
	}
	if (label->cost < CROSS_COST || (label->cost == SIZE_MAX && !few))
		return;
	for (double far = LEADER + FAR_STEP; far < fig->bottom - fig->top; far += FAR_STEP)
		for (size_t k = 0; k < N_ACROSS; k++) {
			double x = fmax(fig->left, fmin(at.x + width * across[k], most));
			size_t cost = FAR_COST + (size_t)(far / FAR_STEP);
			try_place(p, label, x, at.y + far, cost);
			try_place(p, label, x, at.y - far, cost + 1);
		}
}

/* Place the labels in turn; a few of them again, now that the places of the others are known. */
static void place_all(const struct placing *p)
{
	bool few = p->n <= FEW_LABELS;
	size_t n_placed = 0;
	for (size_t i = 0; i < p->n; i++)
		p->labels[i].cost = SIZE_MAX;
	for (size_t round = 0; round < (few ? FEW_LABELS : 1); round++)
		for (size_t i = 0; i < p->n && (few || n_placed < MAX_LABELS); i++) {
			place_label(p, &p->labels[i], few);
			n_placed += p->labels[i].cost < SIZE_MAX;
		}
}

static void draw_label(struct jr_figure *fig, const struct label *label, const char *text)
{
	const struct jr_dot *dot = label->dot;
	struct jr_style strong = jr_fill(jr_series_role(fig->plot, dot->series));
	strong.stroke = JR_ROLE_INK;
	jr_scene_marker(fig->scene, dot->at.x, dot->at.y, 4, jr_series_shape(dot->series), strong);
	jr_dot_tip(fig, dot);
	if (label->has_leader)
		jr_scene_line(fig->scene, label->from.x, label->from.y, label->to.x, label->to.y,
			jr_stroke(JR_ROLE_INK, 1));
	jr_scene_text(fig->scene, label->box.x0, label->box.y0 + 11, text,
		&(struct jr_text){.size = TEXT_SIZE, .halo = true});
}

/* Fit the text of a dot's label; its width, or 0: the dot has none. */
static double label_text(const struct jr_points *pts, const struct jr_dot *dot, struct jr_buf *text)
{
	const struct jr_series *series = &pts->fig->plot->series[dot->series];
	text->size = 0;
	if (!series->labels || !series->labels[dot->index])
		return 0;
	return jr_metrics_fit(
		pts->fig->metrics, series->labels[dot->index], TEXT_SIZE, false, MOST_WIDTH, text);
}

void jr_points_label(const struct jr_points *pts)
{
	JR_VEC(struct label) labels = {0};
	struct jr_buf text = {0};
	for (size_t i = 0; i < pts->dots.n; i++) {
		const struct jr_dot *dot = &pts->dots.items[i];
		double width = label_text(pts, dot, &text);
		if (width > 0)
			*jr_vec_add(&labels) = (struct label){.dot = dot, .width = width};
	}
	place_all(&(struct placing){pts, labels.items, labels.n});
	for (size_t i = 0; i < labels.n; i++) {
		if (labels.items[i].cost == SIZE_MAX)
			continue;
		label_text(pts, labels.items[i].dot, &text);
		draw_label(pts->fig, &labels.items[i], text.data);
	}
	jr_vec_done(&labels);
	jr_buf_done(&text);
}
