/* Labels of points: where they hide the fewest lines and points. */
#include "render/plot_impl.h"

#include <math.h>

#include "base/buf.h"

#define MAX_LABELS 40
#define FEW_LABELS 3

struct box {
	double x0, y0, x1, y1;
};

/* A label that has its place, and the line from its point to it, if it is not next to it. */
struct label {
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

#define N_SPOTS 12
#define LEADER 20.0   /* px: a line connects a label further from its point */
#define LINE_COST 100 /* in points: a label with a line through it is hard to read */
#define FAR_COST 15   /* in points: a label with a leader */
#define FAR_STEP 10.0 /* px from one of its places to the next, downwards */
#define N_ACROSS 9    /* such places per height, from half a label right of the point to the left */

/* The line from a point to a label that is not next to it. */
static void add_leader(struct label *label, struct jr_point at)
{
	const struct box *box = &label->box;
	double x = fmax(box->x0, fmin(at.x, box->x1));
	bool below = box->y0 > at.y + LEADER;
	label->has_leader = below || box->y1 < at.y - LEADER;
	label->from = (struct jr_point){at.x, below ? at.y + 5 : at.y - 5};
	label->to = (struct jr_point){x, below ? box->y0 + 1 : box->y1 - 1};
}

struct placing {
	const struct jr_points *pts;
	const struct label *placed; /* [n_placed] */
	size_t n_placed, fewest;
	struct jr_point at;
	struct label *best;
};

/* Try a place for a label: the best one hides the fewest lines and points, and no label. */
static void try_place(struct placing *p, double x, double y, double width, size_t cost)
{
	const struct jr_figure *fig = p->pts->fig;
	struct label label = {.box = {x, y - 7, x + width, y + 7}};
	const struct box *box = &label.box;
	if (box->x0 < fig->left || box->x1 > fig->right + 4 || box->y0 < fig->top - 2 ||
		box->y1 > fig->bottom || cost >= p->fewest)
		return;
	add_leader(&label, p->at);
	for (size_t i = 0; i < p->n_placed; i++) {
		const struct label *other = &p->placed[i];
		if (overlap(box, &other->box))
			return;
		cost += other->has_leader && crosses(box, other->from, other->to) ? LINE_COST : 0;
		cost += label.has_leader && crosses(&other->box, label.from, label.to) ? LINE_COST : 0;
	}
	cost += dots_below(p->pts, box) + LINE_COST * lines_below(p->pts, box);
	if (cost < p->fewest) {
		p->fewest = cost;
		*p->best = label;
	}
}

/* Choose a place around the point; only if each has a line through it, or if `few` points have
 * labels and none is free, a place further above or below. */
static bool place_label(struct placing *p, double radius, double width, bool few)
{
	static const struct {
		double dx, dy; /* share of the label's width; px of its middle */
		size_t cost;   /* cost of a larger distance */
	} spots[N_SPOTS] = {{0, 0, 0}, {-1, 0, 0}, {-0.5, -13, 0}, {-0.5, 13, 0}, {0, -11, 0},
		{0, 11, 0}, {-1, -11, 0}, {-1, 11, 0}, {0, -22, 2}, {0, 22, 2}, {-1, -22, 2}, {-1, 22, 2}};
	const struct jr_figure *fig = p->pts->fig;
	struct jr_point at = p->at;
	double wide = fmax(8, radius + 3), more = fmax(0, radius - 5);
	for (size_t k = 0; k < N_SPOTS; k++) {
		double gap = spots[k].dx == 0 ? wide : spots[k].dx == -1 ? -wide : 0;
		double dy = spots[k].dx == -0.5 ? spots[k].dy + copysign(more, spots[k].dy) : spots[k].dy;
		try_place(p, at.x + gap + spots[k].dx * width, at.y + dy, width, spots[k].cost);
	}
	if (p->fewest < LINE_COST || (p->fewest == SIZE_MAX && !few))
		return p->fewest < SIZE_MAX;
	for (double far = LEADER + FAR_STEP; far < fig->bottom - fig->top; far += FAR_STEP)
		for (size_t k = 0; k < N_ACROSS; k++) {
			static const double across[N_ACROSS] = {
				0, -0.25, -0.5, -0.75, -1, 0.25, -1.25, 0.5, -1.5};
			double x = at.x + width * across[k];
			size_t cost = FAR_COST + (size_t)(far / FAR_STEP);
			x = fmax(fig->left, fmin(x, fig->right + 4 - width));
			try_place(p, x, at.y + far, width, cost);
			try_place(p, x, at.y - far, width, cost + 1);
		}
	return p->fewest < SIZE_MAX;
}

static bool has_label(const struct jr_points *pts, const struct jr_dot *dot)
{
	const struct jr_series *series = &pts->fig->plot->series[dot->series];
	return series->labels && series->labels[dot->index];
}

void jr_points_label(const struct jr_points *pts)
{
	struct jr_figure *fig = pts->fig;
	struct label placed[MAX_LABELS];
	size_t n_placed = 0, n_labels = 0;
	struct jr_buf text = {0};
	for (size_t i = 0; i < pts->dots.n; i++)
		n_labels += has_label(pts, &pts->dots.items[i]);
	for (size_t i = 0; i < pts->dots.n && n_placed < MAX_LABELS; i++) {
		const struct jr_dot *dot = &pts->dots.items[i];
		const struct jr_series *series = &fig->plot->series[dot->series];
		if (!has_label(pts, dot))
			continue;
		text.size = 0;
		double width =
			jr_metrics_fit(fig->metrics, series->labels[dot->index], TEXT_SIZE, false, 220, &text);
		struct label *label = &placed[n_placed];
		struct placing p = {pts, placed, n_placed, SIZE_MAX, dot->at, label};
		if (!text.size || !place_label(&p, dot->radius, width, n_labels <= FEW_LABELS))
			continue;
		n_placed++;
		struct jr_style strong = jr_fill(jr_series_role(fig->plot, dot->series));
		strong.stroke = JR_ROLE_INK;
		jr_scene_marker(fig->scene, dot->at.x, dot->at.y, 4, jr_series_shape(dot->series), strong);
		jr_dot_tip(fig, dot);
		if (label->has_leader)
			jr_scene_line(fig->scene, label->from.x, label->from.y, label->to.x, label->to.y,
				jr_stroke(JR_ROLE_INK, 1));
		jr_scene_text(fig->scene, label->box.x0, label->box.y0 + 11, text.data,
			&(struct jr_text){.size = TEXT_SIZE, .halo = true});
	}
	jr_buf_done(&text);
}
