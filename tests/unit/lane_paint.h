/*
 * lane_paint.h - the painted part of a lane of a chart.
 */
#ifndef JR_TESTS_LANE_PAINT_H
#define JR_TESTS_LANE_PAINT_H

#include <math.h>
#include <stdlib.h>

#include "unit.h"

#include "base/cleanup.h"
#include "render/scene.h"

/* A rectangle of a lane: `height` is the painted part of the lane's height between its edges. */
struct stripe {
	double x0, x1, height;
};

static inline int by_edge(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Return the area of a lane that its intervals cover, in px of its width, which is *panel_px.
 * Lanes are filled as PANEL, in order; intervals have their role, on the same middle line. */
static inline double painted_px(const struct jr_scene *scene, size_t lane, double *panel_px)
{
	static struct stripe stripes[20000];
	static double edges[40000];
	size_t n = 0, n_edges = 0, seen = 0;
	double middle = NAN, height = 0, sum = 0;
	for (size_t i = 0; i < scene->items.n; i++) {
		const struct jr_item *item = &scene->items.items[i];
		if (item->kind != JR_ITEM_RECT)
			continue;
		double y = item->y + item->rect.height / 2;
		if (item->style.fill == JR_ROLE_PANEL && item->style.tint == 0 && seen++ == lane) {
			middle = y;
			height = item->rect.height;
			*panel_px = item->rect.width;
		} else if (item->style.fill != JR_ROLE_PANEL && fabs(y - middle) < 1e-6) {
			assert_true(n < JR_COUNT_OF(stripes));
			assert_true(item->rect.height <= height + 1e-9);
			stripes[n++] = (struct stripe){
				item->x, item->x + item->rect.width, item->rect.height / height};
			edges[n_edges++] = item->x;
			edges[n_edges++] = item->x + item->rect.width;
		}
	}
	assert_true(height > 0);
	qsort(edges, n_edges, sizeof(*edges), by_edge);
	for (size_t e = 0; e + 1 < n_edges; e++) {
		double highest = 0;
		for (size_t k = 0; k < n; k++)
			if (stripes[k].x0 <= edges[e] && stripes[k].x1 >= edges[e + 1])
				highest = fmax(highest, stripes[k].height);
		sum += highest * (edges[e + 1] - edges[e]);
	}
	return sum;
}

#endif
