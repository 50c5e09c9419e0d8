/* Charts: what is drawn, what is left out (and reported), size limits, hostile text and numbers. */
#include <math.h>
#include <libxml/parser.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/order.h"
#include "lane_paint.h"
#include "plot_fixture.h"
#include "render/plot.h"
#include "render/scene_dom.h"

/* Return the same sequence in each run: a linear congruential generator. */
static double next_below(uint32_t *seed, uint32_t below)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (double)((uint64_t)(*seed >> 8) * below >> 24);
}

/* --- what each kind draws -------------------------------------------------------------------- */

static UNIT_WITH(scatter, set_up, tear_down)
{
	struct fixture *f = *state;
	static const double x[] = {1e3, 1e5, 1e7, 0, NAN}, y[] = {1, 20, 300, 5, 6};
	static const double lo[] = {0.5, -15, 250, 0, 0}, hi[] = {2, 30, 350, 0, 0};
	static const char *const hrefs[] = {NULL, "#row-2", "javascript:x", NULL, NULL};
	static const char *const labels[] = {NULL, NULL, "the largest", NULL, NULL};
	const struct jr_series series = {.name = "all-gather", .n = 5, .x = x, .y = y, .lo = lo,
		.hi = hi, .hrefs = hrefs, .labels = labels};
	draw(f, &(struct jr_plot){.kind = JR_PLOT_SCATTER, .id = "s", .title = "Bandwidth",
		.subtitle = "by size", .caption = "definition", .n = 12345,
		.x = {.title = "size", .format = JR_FORMAT_BYTES, .log = true},
		.y = {.title = "rate", .unit = "GB/s", .zero = true}, .series = &series, .n_series = 1});
	assert_true(says(f, "\"Bandwidth\""));
	assert_true(says(f, "label=\"Bandwidth: by size (n = 12,345; definition; 1 not finite, "
		"left out; 1 not above 0, left out of the logarithmic axis)\""));
	assert_true(says(f, "\"rate (GB/s)\""));
	assert_true(says(f, "\"size\""));
	assert_int_equal(occurrences(f, "\n    circle"), 3);
	assert_int_equal(occurrences(f, "\n  circle"), 1); /* the labeled one again, stronger */
	assert_true(says(f, "tip=\"all-gather: 100.0 kB, 20 GB/s\" href=#row-2"));
	assert_false(says(f, "javascript"));
	assert_true(says(f, "halo \"the largest\""));
	assert_true(says(f, "end muted \"0\""));
	assert_false(says(f, "end muted \"-")); /* error bars do not push a zero axis below 0 */
}

/* An error bar spans the uncertainty of its point, in the scale of the points. It is not drawn
 * if it is shorter than a pixel or unknown. */
static UNIT_WITH(error_bars, set_up, tear_down)
{
	struct fixture *f = *state;
	static const double x[] = {1, 2, 3, 4, 5}, y[] = {0, 100, 50, 60, 70};
	static const double lo[] = {-20, 90, NAN, 61, 69.99}, hi[] = {10, 140, 60, 60, 70.01};
	const struct jr_series series = {.n = 5, .x = x, .y = y, .lo = lo, .hi = hi};
	draw(f, &(struct jr_plot){.kind = JR_PLOT_SCATTER, .series = &series, .n_series = 1});
	double at[5] = {0}, bars[5][2] = {{0}};
	size_t n = 0, n_bars = 0;
	for (size_t i = 0; i < f->scene.items.n; i++) {
		const struct jr_item *item = &f->scene.items.items[i];
		if (item->kind == JR_ITEM_MARKER && n < 5)
			at[n++] = item->y;
		if (item->kind == JR_ITEM_PATH && item->path.n == 6) {
			bars[n_bars][0] = item->path.points[2].y;
			bars[n_bars++][1] = item->path.points[3].y;
		}
	}
	assert_int_equal(n, 5);
	assert_int_equal(n_bars, 2);
	double px = (at[0] - at[1]) / 100; /* of one unit */
	assert_true(px > 1);
	for (size_t i = 0; i < 2; i++)
		assert_true(fabs(bars[i][0] - at[i] - px * (y[i] - lo[i])) < 1e-6 &&
			fabs(bars[i][1] - at[i] - px * (y[i] - hi[i])) < 1e-6);
}

/* Crowded points are boxes by column, over the middle half of the column's values: of evenly spread
 * ones half of the range. Each point is in one of them. */
static void expect_columns(const struct fixture *f, size_t n)
{
	size_t n_points = 0, n_boxes = 0;
	double range = 0;
	for (size_t i = 0; i < f->scene.items.n; i++) {
		const struct jr_item *item = &f->scene.items.items[i];
		const char *tip = item->tip ? strstr(item->tip, " points, median ") : NULL;
		if (item->kind == JR_ITEM_LINE && !tip && item->x == item->line.x2)
			range = fmax(range, item->y - item->line.y2);
		if (!tip)
			continue;
		assert_int_equal(item->kind, JR_ITEM_RECT);
		assert_true(item->rect.width >= 3.5);
		assert_true(fabs(item->rect.height / range - 0.5) < 0.1);
		char *end;
		size_t thousands = strtoul(item->tip, &end, 10);
		n_points += *end == ',' ? 1000 * thousands + strtoul(end + 1, NULL, 10) : thousands;
		n_boxes++;
	}
	assert_int_equal(n_points, n);
	assert_true(n_boxes > 50 && n_boxes <= 400);
}

static UNIT_WITH(scatter_is_bounded, set_up, tear_down)
{
	struct fixture *f = *state;
	size_t n = 50000;
	double *x = calloc(n, sizeof(*x)), *y = calloc(n, sizeof(*y));
	uint32_t seed = 7;
	for (size_t i = 0; i < n; i++) {
		seed = seed * 1664525u + 1013904223u;
		x[i] = seed >> 8;
		seed = seed * 1664525u + 1013904223u;
		y[i] = seed >> 8;
	}
	const struct jr_series series = {.n = n, .x = x, .y = y};
	draw(f, &(struct jr_plot){.kind = JR_PLOT_SCATTER, .series = &series, .n_series = 1});
	expect_columns(f, n);
	for (size_t i = 0; i < n; i++) {
		x[i] = floor(x[i] / 1e6);
		y[i] = floor(y[i] / 1e6);
	}
	draw(f, &(struct jr_plot){.kind = JR_PLOT_SCATTER, .series = &series, .n_series = 1});
	assert_true(f->scene.items.n < 600);
	assert_true(says(f, "points here)"));
	for (size_t i = 0; i < n; i++)
		x[i] = (double)i;
	draw(f, &(struct jr_plot){.kind = JR_PLOT_LINE, .series = &series, .n_series = 1});
	assert_true(f->dump.size < 200000);
	free(x);
	free(y);
}

/* A line sets the axis. A distant point is an arrow at the edge, unless it is named or heavy. */
static UNIT_WITH(lines_stay_in_view, set_up, tear_down)
{
	struct fixture *f = *state;
	double x[20], y[20], weights[20];
	const char *labels[20] = {0};
	const double ends[] = {1, 1000}, heights[] = {0.5, 500};
	for (size_t i = 0; i < 20; i++) {
		x[i] = (double)(i + 1);
		y[i] = i ? (double)i : 1e-7;
		weights[i] = i ? 1 : 1e-6;
	}
	struct jr_series series[] = {
		{.n = 20, .x = x, .y = y, .weights = weights, .labels = labels, .mark = JR_MARK_POINTS},
		{.n = 2, .x = ends, .y = heights, .mark = JR_MARK_LINE},
	};
	const struct jr_plot plot = {.kind = JR_PLOT_SCATTER, .series = series, .n_series = 2,
		.x.log = true, .y.log = true};
	draw(f, &plot);
	assert_true(says(f, "a point, 1 × 10⁻⁷"));
	labels[0] = "named";
	draw(f, &plot);
	assert_false(says(f, "a point, "));
	labels[0] = NULL;
	weights[0] = 1;
	draw(f, &plot);
	assert_false(says(f, "a point, "));
}

/* --- points beyond the axes ------------------------------------------------------------------ */

struct texts {
	const struct jr_item *items[400];
	size_t n;
};

/* Return the texts of the scene that contain `part`. */
static struct texts texts_with(const struct fixture *f, const char *part)
{
	struct texts found = {.n = 0};
	for (size_t i = 0; i < f->scene.items.n && found.n < JR_COUNT_OF(found.items); i++) {
		const struct jr_item *item = &f->scene.items.items[i];
		if (item->kind == JR_ITEM_TEXT && strstr(item->text.string, part))
			found.items[found.n++] = item;
	}
	return found;
}

/* Return the triangle that points away from the plot area, found by a part of its tooltip. */
static const struct jr_item *arrow(const struct fixture *f, const char *tip)
{
	for (size_t i = 0; i < f->scene.items.n; i++) {
		const struct jr_item *item = &f->scene.items.items[i];
		if (item->kind == JR_ITEM_PATH && item->path.n == 3 && item->tip && strstr(item->tip, tip))
			return item;
	}
	fail_msg("no arrow of %s", tip);
	return NULL;
}

/* Return the direction from the middle of its base to its tip, in px to the right and downwards. */
static struct jr_point pointing(const struct jr_item *item)
{
	const struct jr_point *p = item->path.points;
	return (struct jr_point){p[0].x - (p[1].x + p[2].x) / 2, p[0].y - (p[1].y + p[2].y) / 2};
}

static double marker_x(const struct fixture *f, size_t which)
{
	for (size_t i = 0; i < f->scene.items.n; i++)
		if (f->scene.items.items[i].kind == JR_ITEM_MARKER &&
			f->scene.items.items[i].marker.shape == JR_SQUARE && which-- == 0)
			return f->scene.items.items[i].x;
	fail_msg("no such marker");
	return NAN;
}

static const struct jr_axis start = {.title = "Start", .format = JR_FORMAT_TIME_NS};
static const struct jr_axis duration = {.title = "Duration", .format = JR_FORMAT_TIME_NS};

/* The axes fit the steady points. Points beyond them are reported at the edge, at their place on
 * the axis that reaches them. Points within are drawn as usual. */
static UNIT_WITH(points_apart, set_up, tear_down)
{
	struct fixture *f = *state;
	static const double x[] = {1e9, 5e9, 150e9, 110e9}, y[] = {4.2e9, 10.5e6, 70e6, 10.2e6};
	static const bool apart[] = {true, true, true, true};
	static const char *const things[] = {"run 0", "run 1", "run 2", "run 3"};
	static const double steady_x[] = {100e9, 150e9, 200e9}, steady_y[] = {10e6, 10.8e6, 11e6};
	const struct jr_series series[] = {{.name = "warm-up", .role = JR_ROLE_WARM_UP, .n = 4,
		.x = x, .y = y, .apart = apart, .things = things},
		{.name = "device 0", .n = 3, .x = steady_x, .y = steady_y}};
	draw(f, &(struct jr_plot){.kind = JR_PLOT_SCATTER, .x = start, .y = duration,
		.series = series, .n_series = 2});
	assert_true(says(f, "3 beyond the axes, marked at the edge"));
	assert_true(says(f, "\"10.2 ms\"") && says(f, "\"100 s\""));
	assert_false(says(f, "\"2 s\"") || says(f, "\"50 ms\"") || says(f, "\"0\""));
	assert_true(marker_x(f, 3) - marker_x(f, 1) > 0.6 * f->scene.width); /* 0: in the legend */
	assert_int_equal(occurrences(f, "tip=\"run 3\\nStart: 110.0 s\\nDuration: 10.20 ms\""), 1);
	/* above and to the left; at the left, at its height; above, at its time */
	const struct jr_item *corner = arrow(f, "run 0\nStart: 1.000 s\nDuration: 4.200 s");
	const struct jr_item *side = arrow(f, "run 1"), *above = arrow(f, "run 2");
	assert_true(pointing(corner).x < 0 && pointing(corner).y < 0);
	assert_true(pointing(side).x < 0 && fabs(pointing(side).y) < 1e-6);
	assert_true(fabs(pointing(above).x) < 1e-6 && pointing(above).y < 0);
	assert_true(fabs(above->path.points[0].x - marker_x(f, 2)) <= 0.5);
	assert_true(fabs(side->path.points[0].y - (texts_with(f, "10.4 ms").items[0]->y +
		texts_with(f, "10.6 ms").items[0]->y) / 2 + 4) <= 0.5);
	assert_true(side->path.points[1].x < marker_x(f, 1));
	/* in words, in the margin */
	struct texts names = texts_with(f, "warm-up");
	assert_int_equal(names.n, 4); /* legend, corner, side, above */
	assert_string_equal(texts_with(f, "4.200 s").items[0]->text.string, "4.200 s");
	assert_string_equal(texts_with(f, "10.50 ms").items[0]->text.string, "10.50 ms");
	assert_int_equal(texts_with(f, "warm-up, 70.00 ms").n, 1);
	assert_int_equal(texts_with(f, "1.000 to 5.000 s").n, 1); /* one unit */
	assert_true(texts_with(f, "4.200 s").items[0]->y < texts_with(f, "11.0 ms").items[0]->y);
}

/* The files show the same scene, with its words. */
static UNIT_WITH(points_apart_in_files, set_up, tear_down)
{
	struct fixture *f = *state;
	static const double x[] = {1, 100, 200}, y[] = {900, 10, 11};
	static const bool apart[] = {true, false, false};
	const struct jr_series series = {.name = "a<b", .n = 3, .x = x, .y = y, .apart = apart};
	struct jr_plot plot = {.kind = JR_PLOT_SCATTER, .series = &series, .n_series = 1};
	struct jr_buf page = {0}, file = {0}, without = {0};
	draw(f, &plot);
	jr_scene_svg_inline(&f->scene, "x", &page);
	assert_non_null(strstr(page.data, "<title>a&lt;b: 1, 900</title>"));
	assert_non_null(strstr(page.data, ">a&lt;b</text>"));
	assert_non_null(strstr(page.data, ">900</text>"));
	jr_scene_svg_document(&f->scene, NULL, &file);
	assert_non_null(strstr(file.data, ">900</text>"));
	const struct jr_series two = {.n = 2, .x = x + 1, .y = y + 1};
	plot.series = &two;
	draw(f, &plot);
	jr_scene_svg_document(&f->scene, NULL, &without);
	assert_null(strstr(without.data, ">900</text>"));
	jr_buf_done(&page);
	jr_buf_done(&file);
	jr_buf_done(&without);
}

struct box {
	double x0, y0, x1, y1;
};

static struct box box_of(const struct fixture *f, const struct jr_item *item)
{
	const char *text = item->text.string;
	double w = jr_metrics_width(f->metrics, text, strlen(text), 12, false);
	double x0 = item->x - (item->text.style.anchor == JR_END ? w
		: item->text.style.anchor == JR_MIDDLE ? w / 2 : 0);
	return (struct box){x0, item->y - 9, x0 + w, item->y + 2};
}

static bool on_each_other(struct box a, struct box b)
{
	return a.x0 < b.x1 - 0.01 && b.x0 < a.x1 - 0.01 && a.y0 < b.y1 - 0.01 && b.y0 < a.y1 - 0.01;
}

static struct box line_box(const struct jr_item *item)
{
	return (struct box){fmin(item->x, item->line.x2) - 0.5, fmin(item->y, item->line.y2) - 0.5,
		fmax(item->x, item->line.x2) + 0.5, fmax(item->y, item->line.y2) + 0.5};
}

/* Check that no text overlaps another one or the line of a mark, or leaves the chart, and that
 * no point is missing. */
static void check_margins(const struct fixture *f, size_t n)
{
	struct texts all = texts_with(f, "");
	size_t told = 0;
	for (size_t i = 0; i < all.n; i++) {
		struct box box = box_of(f, all.items[i]);
		assert_true(box.x0 >= -1 && box.x1 <= f->scene.width + 1);
		assert_true(box.y0 >= 0 && box.y1 <= f->scene.height);
		for (size_t k = 0; k < i; k++)
			if (on_each_other(box, box_of(f, all.items[k])))
				fail_msg("'%s' on '%s'", all.items[i]->text.string, all.items[k]->text.string);
		const char *text = all.items[i]->text.string;
		for (size_t k = 0; k < f->scene.items.n; k++) {
			const struct jr_item *item = &f->scene.items.items[k];
			if (item->kind == JR_ITEM_LINE && item->style.stroke == JR_ROLE_SERIES_1)
				assert_false(on_each_other(box, line_box(item)));
		}
		if (strstr(text, "warm"))
			told += strstr(text, "× ") ? strtoul(text, NULL, 10) : 1;
	}
	if (n)
		assert_int_equal(told, n);
}

static void drop_commas(char *text)
{
	char *to = text;
	for (; *text; text++)
		if (*text != ',')
			*to++ = *text;
	*to = '\0';
}

/* Any number of points beyond, anywhere: few arrows, without overlap, with their counts. */
static UNIT_WITH(points_apart_are_bounded, set_up, tear_down)
{
	struct fixture *f = *state;
	static double x[20002], y[20002];
	static bool apart[20002];
	uint32_t seed = 5;
	for (size_t round = 0; round < 60; round++) {
		size_t n = round < 50 ? 1 + round * 3 : 20000;
		double reach = round % 3 ? 3000 : 1e9;
		for (size_t i = 0; i < n; i++) {
			seed = seed * 1664525u + 1013904223u;
			x[i] = ((double)(seed >> 8) / (1 << 24) - 0.5) * 2 * (round & 1 ? reach : 90);
			seed = seed * 1664525u + 1013904223u;
			y[i] = ((double)(seed >> 8) / (1 << 24) - 0.5) * 2 * (round & 2 ? reach : 90);
			apart[i] = true;
			if (fabs(x[i]) <= 101 && fabs(y[i]) <= 101)
				y[i] = 5000; /* all of them are beyond */
		}
		x[n] = y[n] = -100;
		x[n + 1] = y[n + 1] = 100;
		apart[n] = apart[n + 1] = false;
		const struct jr_series series = {.name = "warm", .n = n + 2, .x = x, .y = y,
			.apart = apart};
		draw(f, &(struct jr_plot){.kind = JR_PLOT_SCATTER, .x = start, .y = duration,
			.series = &series, .n_series = 1, .bare = round & 4, .width = round & 8 ? 500 : 0});
		assert_in_range(f->scene.items.n, 10, 400);
		for (size_t i = 0; i < f->scene.items.n; i++)
			if (f->scene.items.items[i].kind == JR_ITEM_TEXT)
				drop_commas((char *)(uintptr_t)f->scene.items.items[i].text.string);
		check_margins(f, n);
	}
}

/* If there are no other points, they set the axes. */
static UNIT_WITH(all_points_apart, set_up, tear_down)
{
	struct fixture *f = *state;
	static const double x[] = {1, 100, 200}, y[] = {900, 10, 11};
	static const bool apart[] = {true, true, true};
	const struct jr_series series = {.n = 3, .x = x, .y = y, .apart = apart};
	draw(f, &(struct jr_plot){.kind = JR_PLOT_SCATTER, .series = &series, .n_series = 1});
	assert_false(says(f, "beyond"));
	assert_true(says(f, "\"800\""));
	assert_int_equal(occurrences(f, "\n    circle"), 3);
}

JR_ORDER_OF_VALUES(ascending, double)

/* Return the share of the plot height of 280 px between the middle 90 % of the points. */
static double middle_span(const struct fixture *f)
{
	double y[64] = {0};
	size_t n = 0;
	for (size_t i = 0; i < f->scene.items.n; i++)
		if (f->scene.items.items[i].kind == JR_ITEM_MARKER && n < JR_COUNT_OF(y))
			y[n++] = f->scene.items.items[i].y;
	qsort(y, n, sizeof(*y), ascending);
	return (y[(size_t)(0.95 * (double)(n - 1) + 0.5)] - y[(size_t)(0.05 * (double)(n - 1) + 0.5)]) /
		280;
}

/* One distant point does not flatten all others. Data over decades gets a logarithmic axis;
 * otherwise the distant point is at the edge. Few points, lines and fixed axes are unchanged. */
static UNIT_WITH(points_fill_the_height, set_up, tear_down)
{
	struct fixture *f = *state;
	enum { N = 40 };
	static const char *things[N];
	double x[N], y[N];
	for (size_t i = 0; i < N; i++) {
		x[i] = 1 + (double)i;
		y[i] = 1000 + (double)(i * 7 % 20);
		things[i] = "a thing";
	}
	struct jr_series series = {.n = N, .x = x, .y = y, .things = things};
	struct jr_plot plot = {.kind = JR_PLOT_SCATTER, .series = &series, .n_series = 1};
	draw(f, &plot);
	assert_true(middle_span(f) >= 0.4);
	assert_false(says(f, "beyond"));
	y[5] = 90000;
	draw(f, &plot);
	assert_true(says(f, "1 beyond the axes, marked at the edge"));
	assert_true(texts_with(f, "90,000").n == 1 && occurrences(f, "tip=\"a thing") >= N);
	assert_true(middle_span(f) >= 0.4);
	plot.y.zero = true;
	draw(f, &plot);
	assert_true(middle_span(f) >= 0.4);
	for (size_t i = 0; i < N; i++)
		y[i] = pow(10, (double)i / 4); /* nearly ten decades */
	draw(f, &plot);
	assert_false(says(f, "beyond"));
	assert_true(middle_span(f) >= 0.4 && says(f, "\"10,000\"") && says(f, "\"100\""));
	y[0] = 0; /* has no place on a logarithmic axis */
	draw(f, &plot);
	assert_false(says(f, "left out"));
	plot.y = (struct jr_axis){.fixed = true, .lo = 0, .hi = 100000};
	draw(f, &plot);
	assert_true(middle_span(f) < 0.4 || !says(f, "\"1,000\""));
	plot.y = (struct jr_axis){0};
	series.n = 5;
	y[0] = y[1] = y[2] = y[3] = 1;
	y[4] = 1e6;
	draw(f, &plot);
	assert_false(says(f, "beyond"));
}

static UNIT_WITH(lines, set_up, tear_down)
{
	struct fixture *f = *state;
	static const double x[] = {0, 1, 2, 3, 4}, y[] = {1, 3, NAN, 2, 5};
	static const double lo[] = {0, 2, 0, 1, 4}, hi[] = {2, 4, 0, 3, 6};
	const struct jr_series series[] = {
		{.name = "step", .n = 5, .x = x, .y = y, .mark = JR_MARK_STEP},
		{.name = "band", .n = 5, .x = x, .y = y, .lo = lo, .hi = hi, .dash = JR_DASHED},
	};
	const struct jr_guide guides[] = {{.at = 4.5, .label = "peak"}, {.vertical = true, .at = 2},
		{.at = 1e9, .label = "far away"}};
	draw(f, &(struct jr_plot){.kind = JR_PLOT_LINE, .series = series, .n_series = 2,
		.guides = guides, .n_guides = 3});
	assert_int_equal(occurrences(f, "stroke=series-1 1.75 tip"), 2); /* the NAN cuts it */
	assert_int_equal(occurrences(f, "stroke=series-2 1.75 dashed tip"), 2);
	assert_int_equal(occurrences(f, "polygon"), 2);
	assert_true(says(f, "\"peak\""));
	assert_false(says(f, "far away"));
	assert_true(says(f, "\"step\""));
	assert_true(says(f, "class=\"hit\""));
}

/* A change below the least span of an axis is drawn flat; a larger one is unchanged. */
static UNIT_WITH(least_span, set_up, tear_down)
{
	struct fixture *f = *state;
	static const double x[] = {0, 1, 2}, flat[] = {0.9709, 0.9714, 0.9711}, steep[] = {1, 2, 3};
	double height[3];
	for (int i = 0; i < 3; i++) {
		const struct jr_series line = {.n = 3, .x = x, .y = i < 2 ? flat : steep,
			.mark = JR_MARK_POINTS};
		draw(f, &(struct jr_plot){.kind = JR_PLOT_LINE, .y.least = i ? 0.02 : 0, .series = &line,
			.n_series = 1});
		height[i] = middle_span(f);
	}
	assert_true(height[0] > 0.5 && height[1] < 0.05 && height[2] > 0.5);
}

/* Only ranges: filled, one darker than the other, with matching swatches and no line. */
static UNIT_WITH(bands, set_up, tear_down)
{
	struct fixture *f = *state;
	static const double x[] = {0, 1, 2}, y[] = {0, 0, 0};
	static const double lo[] = {-2, -3, -2}, hi[] = {2, 3, 2};
	const struct jr_series series[] = {
		{.name = "range", .n = 3, .x = x, .y = y, .lo = lo, .hi = hi, .mark = JR_MARK_BAND},
		{.name = "σ", .n = 3, .x = x, .y = y, .lo = y, .hi = hi, .mark = JR_MARK_BAND},
		{.name = "line", .n = 3, .x = x, .y = hi},
	};
	draw(f, &(struct jr_plot){.kind = JR_PLOT_LINE, .series = series, .n_series = 3});
	assert_int_equal(occurrences(f, "fill=series-1/5"), 2);
	assert_int_equal(occurrences(f, "fill=series-2/6"), 2);
	assert_int_equal(occurrences(f, "stroke=series-1"), 0);
	assert_int_equal(occurrences(f, "stroke=series-3"), 2);
}

static UNIT_WITH(bars, set_up, tear_down)
{
	struct fixture *f = *state;
	static const struct jr_category categories[] = {
		{.name = "long name that is far too long for the column that row labels can have here",
			.value = 100, .href = "#a"},
		{.name = "half", .value = 50, .lo = 40, .hi = 60},
		{.name = "nan", .value = NAN},
		{.name = "text", .value = 1, .value_text = "1 of 100"},
	};
	draw(f, &(struct jr_plot){.kind = JR_PLOT_BARS, .x = {.title = "time", .unit = "ms"},
		.categories = categories, .n_categories = 4, .bare = true});
	assert_int_equal(occurrences(f, "fill=compute"), 3);
	assert_true(says(f, "…\" tip=\"long name that is far too long for the column that row labels "
		"can have here\" href=#a"));
	assert_true(says(f, "\"1 of 100\""));
	assert_true(says(f, "tip=\"half: 50 ms\""));
	assert_true(says(f, "\"50\""));
	/* Twice the value is twice the length. */
	double width[2] = {0};
	size_t n = 0;
	for (size_t i = 0; i < f->scene.items.n && n < 2; i++)
		if (f->scene.items.items[i].kind == JR_ITEM_RECT)
			width[n++] = f->scene.items.items[i].rect.width;
	assert_true(fabs(width[0] - 2 * width[1]) < 1e-6);
}

/* The legend explains colors of bars, the values show signs of changes. A missing value has no
 * bar. */
static UNIT_WITH(bars_of_changes, set_up, tear_down)
{
	struct fixture *f = *state;
	static const struct jr_category categories[] = {
		{.name = "more", .value = 1500, .role = JR_ROLE_SLOWER},
		{.name = "less", .value = -500, .role = JR_ROLE_FASTER},
		{.name = "same", .value = 0},
	};
	static const struct jr_part parts[] = {{"slower", JR_ROLE_SLOWER}, {"faster", JR_ROLE_FASTER}};
	draw(f, &(struct jr_plot){.kind = JR_PLOT_BARS, .x.format = JR_FORMAT_TIME_NS,
		.categories = categories, .n_categories = 3, .parts = parts, .n_parts = 2, .change = true});
	assert_true(says(f, "\"+1.500 µs\""));
	assert_true(says(f, "tip=\"more: +1.500 µs\""));
	assert_true(says(f, "\"−500 ns\""));
	assert_true(says(f, "\"0 ns\""));
	assert_int_equal(occurrences(f, "fill=slower"), 2);
	assert_int_equal(occurrences(f, "fill=faster"), 2);
	assert_int_equal(occurrences(f, "fill=compute"), 0);
	assert_true(says(f, "\"slower\""));
}

/* Marks on an edge are listed in the legend after the series. */
static UNIT_WITH(guides_in_the_legend, set_up, tear_down)
{
	struct fixture *f = *state;
	static const double x[] = {0, 1}, y[] = {1, 3};
	const struct jr_series series[] = {{.name = "one", .n = 2, .x = x, .y = y},
		{.name = "two", .n = 2, .x = x, .y = x}};
	const struct jr_guide guides[] = {
		{.vertical = true, .at = 0.5, .height_frac = 0.2, .role = JR_ROLE_COMMUNICATION}};
	struct jr_plot plot = {.kind = JR_PLOT_LINE, .series = series, .n_series = 2,
		.guides = guides, .n_guides = 1};
	draw(f, &plot);
	assert_int_equal(occurrences(f, "stroke=communication"), 1);
	plot.guides_name = "ends";
	draw(f, &plot);
	assert_int_equal(occurrences(f, "stroke=communication"), 2);
	assert_true(says(f, "\"ends\""));
}

static UNIT_WITH(too_many_rows, set_up, tear_down)
{
	struct fixture *f = *state;
	struct jr_category *categories = calloc(1000, sizeof(*categories));
	for (size_t i = 0; i < 1000; i++)
		categories[i] = (struct jr_category){.name = "x", .value = 1};
	draw(f, &(struct jr_plot){.kind = JR_PLOT_BARS, .categories = categories,
		.n_categories = 1000});
	assert_true(says(f, "600 more rows not drawn"));
	free(categories);
}

static UNIT_WITH(histogram, set_up, tear_down)
{
	struct fixture *f = *state;
	double y[1000];
	for (int i = 0; i < 1000; i++)
		y[i] = 100 + (i * 37 % 101);
	const struct jr_series series = {.n = 1000, .y = y};
	struct jr_plot plot = {.kind = JR_PLOT_HISTOGRAM, .x = {.unit = "ms"}, .series = &series,
		.n_series = 1};
	for (int mode = 0; mode < 4; mode++) {
		plot.x.log = mode & 1;
		plot.y.log = mode & 2;
		draw(f, &plot);
		size_t total = 0, bins = 0;
		for (size_t i = 0; i < f->scene.items.n; i++) {
			const char *tip = f->scene.items.items[i].tip;
			const char *count = tip ? strrchr(tip, ':') : NULL;
			if (count) {
				total += strtoul(count + 1, NULL, 10);
				bins++;
			}
		}
		assert_int_equal(total, 1000);
		assert_in_range(bins, 5, 60);
	}
	double same[3] = {5, 5, 5};
	const struct jr_series constant = {.n = 3, .y = same};
	plot.series = &constant;
	draw(f, &plot);
	assert_true(says(f, ": 3\""));
}

static UNIT_WITH(distributions, set_up, tear_down)
{
	struct fixture *f = *state;
	static const double samples[] = {10, 20, 30, 40, 50, 60, 70, 80, 90, 1000};
	static const struct jr_category categories[] = {{.name = "ten", .samples = samples, .n = 10},
		{.name = "one", .samples = samples, .n = 1}, {.name = "none"}};
	struct jr_plot plot = {.kind = JR_PLOT_BOX, .categories = categories, .n_categories = 3};
	draw(f, &plot);
	assert_true(says(f, "tip=\"ten: n 10, min 10, q1 32.5, median 55, q3 77.5, max 1,000\""));
	assert_true(says(f, "\"n = 10\"") && says(f, "\"n = 1\"") && says(f, "\"n = 0\""));
	assert_int_equal(occurrences(f, "circle"), 1); /* 1000 is beyond the whisker */
	plot.kind = JR_PLOT_VIOLIN;
	draw(f, &plot);
	assert_int_equal(occurrences(f, "polygon"), 1);
	assert_true(says(f, "median 55"));
}

/* Doubtful intervals are outlined, irrelevant ones shaded; 0 is always on the axis. */
static UNIT_WITH(intervals, set_up, tear_down)
{
	struct fixture *f = *state;
	struct jr_category row = {.name = "step", .role = JR_ROLE_SLOWER, .value = 0.03, .lo = 0.02,
		.hi = 0.04};
	struct jr_plot plot = {.kind = JR_PLOT_INTERVALS, .x.format = JR_FORMAT_PERCENT,
		.categories = &row, .n_categories = 1, .band = 0.01, .change = true};
	draw(f, &plot);
	assert_true(says(f, "tip=\"step: +3.00 %, 95 % interval +2.00 % to +4.00 %\""));
	assert_true(says(f, " fill=slower"));
	assert_true(says(f, "tip=\"within ±1.00 %\""));
	assert_true(says(f, "muted \"0 %\""));
	row.hollow = true;
	plot.band = 0;
	draw(f, &plot);
	assert_true(says(f, " fill=background stroke=slower"));
	assert_false(says(f, "within ±"));
	row.lo = row.hi = NAN; /* one sample shows no variation */
	draw(f, &plot);
	assert_true(says(f, "tip=\"step: +3.00 %\"") && !says(f, "interval"));
	row.value = NAN;
	draw(f, &plot);
	assert_true(says(f, "no data"));
}

/* Few samples: all, in order, without quartiles. Many samples: the chart stays small. */
static UNIT_WITH(dots, set_up, tear_down)
{
	struct fixture *f = *state;
	double many[5000];
	for (int i = 0; i < 5000; i++)
		many[i] = i % 50;
	static const double few[] = {30, 10, 20};
	struct jr_category row = {.name = "base", .samples = few, .n = 3};
	struct jr_plot plot = {.kind = JR_PLOT_DOTS, .categories = &row, .n_categories = 1};
	draw(f, &plot);
	assert_int_equal(occurrences(f, "circle"), 3);
	assert_true(says(f, "tip=\"base 0: 30\"") && says(f, "tip=\"base 2: 20\""));
	assert_int_equal(occurrences(f, "rect"), 0);
	row = (struct jr_category){.name = "base", .samples = many, .n = 5000};
	draw(f, &plot);
	assert_int_equal(occurrences(f, "rect"), 1);
	assert_in_range(occurrences(f, "tip=\"base "), 100, 120);
	assert_true(says(f, "tip=\"base 0 to 40: 0 to 40\""));
}

static UNIT_WITH(stacked, set_up, tear_down)
{
	struct fixture *f = *state;
	static const struct jr_part parts[] = {{"compute", JR_ROLE_COMPUTE},
		{"idle", JR_ROLE_NONE}, {"absent", JR_ROLE_COPY}};
	static const double a[] = {75, 25, 0}, b[] = {NAN, -5, 0};
	static const struct jr_category categories[] = {{.name = "device 0", .parts = a},
		{.name = "device 1", .parts = b}, {.name = "device 2"}};
	draw(f, &(struct jr_plot){.kind = JR_PLOT_STACKED, .x = {.unit = "ms"}, .parts = parts,
		.n_parts = 3, .categories = categories, .n_categories = 3});
	assert_true(says(f, "tip=\"device 0, compute: 75 ms (75.00 %)\""));
	assert_true(says(f, "tip=\"device 0, idle: 25 ms (25.00 %)\""));
	assert_true(says(f, "middle ink \"75 %\""));
	assert_true(says(f, "muted \"100\""));
	assert_true(says(f, "ink \"idle\"") && !says(f, "absent"));
	assert_true(says(f, "fill=series-2/4 stroke=background"));
}

static UNIT_WITH(lanes, set_up, tear_down)
{
	struct fixture *f = *state;
	struct jr_interval many[1000];
	for (int i = 0; i < 1000; i++)
		many[i] = (struct jr_interval){i * 0.01, i * 0.01 + 0.005, JR_ROLE_COMPUTE, "f", "tip",
			NULL};
	const struct jr_interval few[] = {{0, 5000, JR_ROLE_COMMUNICATION, "all-gather", "t", "#x"},
		{5000, 4000, JR_ROLE_COPY, NULL, NULL, NULL}, {NAN, 1, JR_ROLE_COPY, NULL, NULL, NULL}};
	const struct jr_category categories[] = {
		{.name = "device 0", .intervals = many, .n_intervals = 1000},
		{.name = "device 1", .intervals = few, .n_intervals = 3}};
	draw(f, &(struct jr_plot){.kind = JR_PLOT_SWIMLANE, .categories = categories,
		.n_categories = 2, .x = {.title = "t", .format = JR_FORMAT_TIME_NS}});
	assert_true(says(f, "intervals, the longest: tip\""));
	assert_true(says(f, "\"all-gather\""));
	assert_true(says(f, "href=#x"));
	assert_false(says(f, "fill=copy"));
	assert_true(f->scene.items.n < 60);
}

/* Each interval overlaps thousands of others: a page contains only as many as can be
 * distinguished. */
static UNIT_WITH(lanes_that_overlap, set_up, tear_down)
{
	struct fixture *f = *state;
	static struct jr_interval many[20000];
	for (int i = 0; i < 20000; i++)
		many[i] = (struct jr_interval){i, 20000 + (i * 7919) % 20000, JR_ROLE_COMMUNICATION, NULL,
			"tip", NULL};
	struct jr_category lane = {.name = "device 0", .intervals = many, .n_intervals = 20000};
	const struct jr_plot plot = {.kind = JR_PLOT_SWIMLANE, .categories = &lane, .n_categories = 1,
		.x = {.title = "t", .format = JR_FORMAT_TIME_NS}};
	draw(f, &plot);
	assert_true(says(f, "intervals, the longest: tip\""));
	assert_in_range(f->scene.items.n, 200, 1000);
	lane.n_intervals = 500; /* few enough to be drawn one by one */
	draw(f, &plot);
	assert_false(says(f, "intervals"));
	assert_true(f->scene.items.n > 500);
}

/* --- what a lane paints ----------------------------------------------------------------------- */

/* Return the length of the union of intervals, sorted by begin. */
static double union_of(const struct jr_interval *intervals, size_t n)
{
	double sum = 0, end = -INFINITY;
	for (size_t i = 0; i < n; i++) {
		sum += fmax(0, intervals[i].end - fmax(end, intervals[i].begin));
		end = fmax(end, intervals[i].end);
	}
	return sum;
}

/* Draw the lane over 0 to 1,000,000 and check that the painted share equals the share of the
 * union. */
static void check_painted(struct fixture *f, const char *what, struct jr_interval *intervals,
	size_t n)
{
	struct jr_interval ends[] = {
		{0, 0, JR_ROLE_COPY, NULL, NULL, NULL}, {1e6, 1e6, JR_ROLE_COPY, NULL, NULL, NULL}};
	const struct jr_category lanes[] = {{.name = "a", .intervals = intervals, .n_intervals = n},
		{.name = "b", .intervals = ends, .n_intervals = 2}};
	draw(f, &(struct jr_plot){.kind = JR_PLOT_SWIMLANE, .categories = lanes, .n_categories = 2,
		.width = 1120, .x = {.title = "t", .format = JR_FORMAT_TIME_NS}});
	double panel_px = 0, painted = painted_px(&f->scene, 0, &panel_px);
	double expected = union_of(intervals, n) / 1e6 * panel_px;
	if (fabs(painted - expected) > 0.01)
		fail_msg("%s: %g px of %g are painted, must be %g", what, painted, panel_px, expected);
	if (painted_px(&f->scene, 1, &panel_px) > 0)
		fail_msg("%s: what takes no time is painted", what);
	assert_true(f->scene.items.n < 3000);
}

/* Idle time keeps its share of pixels, even if it and its neighbors are short. */
static UNIT_WITH(lanes_keep_idle_time, set_up, tear_down)
{
	struct fixture *f = *state;
	static struct jr_interval many[20000];
	uint32_t seed = 1;
	for (size_t i = 0; i < 20000; i++) /* gaps of a fiftieth of a pixel */
		many[i] = (struct jr_interval){50 * (double)i, 50 * (double)i + 30, JR_ROLE_COMPUTE, NULL,
			NULL, NULL};
	check_painted(f, "short gaps", many, 20000);
	for (size_t i = 0; i < 100; i++) /* far apart, each a tiny fraction of a pixel */
		many[i] = (struct jr_interval){9000 * (double)i, 9000 * (double)i + 2 * (double)(i % 50),
			JR_ROLE_COMPUTE, NULL, NULL, NULL};
	check_painted(f, "short and far apart", many, 100);
	double at = 0;
	for (size_t i = 0; i < 1000; i++) { /* of all sizes, one after the other */
		double gap = next_below(&seed, 4) ? next_below(&seed, 300) : next_below(&seed, 3000);
		double dur = next_below(&seed, 9) ? next_below(&seed, 300) : next_below(&seed, 5000);
		many[i] = (struct jr_interval){at + gap, at + gap + dur, JR_ROLE_COPY, NULL, NULL, NULL};
		at += gap + dur;
		many[i].begin *= 0.5;
		many[i].end *= 0.5;
	}
	check_painted(f, "of all sizes", many, 1000);
	at = 0;
	for (size_t i = 0; i < 1000; i++) { /* several streams */
		double dur = next_below(&seed, 5) ? next_below(&seed, 200) : next_below(&seed, 9000);
		at += next_below(&seed, 1500);
		many[i] = (struct jr_interval){at, at + dur, JR_ROLE_COMPUTE, NULL, NULL, NULL};
	}
	check_painted(f, "that overlap", many, 1000);
	for (size_t i = 0; i < 20000; i++) { /* more than are drawn one by one */
		double dur = next_below(&seed, 50) ? next_below(&seed, 60) : next_below(&seed, 4000);
		many[i] = (struct jr_interval){45 * (double)i, 45 * (double)i + dur, JR_ROLE_COMPUTE, NULL,
			NULL, NULL};
	}
	check_painted(f, "that overlap, many", many, 20000);
}

/* --- missing and absurd values --------------------------------------------------------------- */

static UNIT_WITH(no_data, set_up, tear_down)
{
	struct fixture *f = *state;
	static const double nan[] = {NAN, INFINITY};
	const struct jr_series series = {.n = 2, .x = nan, .y = nan};
	for (enum jr_plot_kind kind = 0; kind < JR_N_PLOT_KINDS; kind++) {
		struct jr_plot plot = {.kind = kind, .title = "Empty"};
		draw(f, &plot);
		assert_true(says(f, "\"no data\""));
		assert_true(says(f, "\"Empty\""));
		plot.series = &series;
		plot.n_series = 1;
		draw(f, &plot);
		assert_true(says(f, "\"no data\""));
	}
}

static double nonsense(uint32_t *seed)
{
	static const double odd[] = {0, -0.0, 1, -1, 1e308, -1e308, 5e-324, NAN, INFINITY, -INFINITY,
		1e-9, 12345.678};
	*seed = *seed * 1664525u + 1013904223u;
	return odd[(*seed >> 10) % JR_COUNT_OF(odd)];
}

static void assert_drawable(struct fixture *f)
{
	for (size_t i = 0; i < f->scene.items.n; i++) {
		const struct jr_item *item = &f->scene.items.items[i];
		assert_true(isfinite(item->x) && isfinite(item->y));
		assert_true(fabs(item->x) < 1e5 && fabs(item->y) < 1e5);
		if (item->kind == JR_ITEM_RECT)
			assert_true(item->rect.width >= 0 && item->rect.height >= 0);
	}
	JR_CLEANUP(jr_buf_done) struct jr_buf svg = {0};
	jr_scene_svg_inline(&f->scene, "x", &svg);
	xmlDocPtr doc = xmlReadMemory(svg.data, (int)svg.size, "x", NULL, XML_PARSE_NONET);
	assert_non_null(doc);
	assert_null(strstr(svg.data, "<script"));
	xmlFreeDoc(doc);
}

/* Every kind with every mixture of impossible numbers and hostile words. */
static UNIT_WITH(nonsense_everywhere, set_up, tear_down)
{
	struct fixture *f = *state;
	static const char bad[] = "<script>\"]]>&\x01\xff";
	const char *const words[] = {bad, NULL, "x"};
	static const bool apart[] = {true, false, true};
	uint32_t seed = 42;
	for (int round = 0; round < 400; round++) {
		double v[4][3];
		for (size_t i = 0; i < 12; i++)
			v[i / 3][i % 3] = nonsense(&seed);
		struct jr_interval intervals[3];
		struct jr_category categories[2];
		struct jr_series series[2];
		const struct jr_part parts[] = {{bad, JR_ROLE_COPY}, {NULL, JR_ROLE_NONE},
			{"", JR_ROLE_INK}};
		for (size_t i = 0; i < 3; i++)
			intervals[i] = (struct jr_interval){v[0][i], v[1][i], JR_ROLE_NONE, bad, bad, bad};
		for (size_t i = 0; i < 2; i++) {
			series[i] = (struct jr_series){.name = words[i], .n = 3, .x = v[i], .y = v[i + 1],
				.lo = round & 1 ? v[2] : NULL, .hi = round & 1 ? v[3] : NULL, .things = words,
				.hrefs = words, .labels = words, .apart = round & 16 ? apart : NULL,
				.mark = (enum jr_mark)(round / 8 % 5)};
			categories[i] = (struct jr_category){.name = words[i], .href = bad, .value = v[0][i],
				.lo = v[1][i], .hi = v[2][i], .samples = v[i], .n = 3, .parts = v[i + 1],
				.intervals = intervals, .n_intervals = 3};
		}
		const struct jr_guide guides[] = {{.at = v[3][0], .label = bad, .tip = bad},
			{.vertical = true, .at = v[3][1], .height_frac = v[3][2], .label = bad}};
		struct jr_axis axis = {.title = bad, .unit = bad, .format = (enum jr_format)(round % 4),
			.log = round & 2, .zero = round & 4, .fixed = round & 8, .lo = v[0][0], .hi = v[1][1]};
		const struct jr_heat_row heat_row = {bad, words[round % 2], bad, (size_t)round % 4};
		const struct jr_heat_column columns[] = {{INT64_MIN, INT64_MIN}, {-1, 0}, {1, INT64_MAX}};
		const struct jr_heat heat = {.n_rows = 1, .n_columns = 3, .rows = &heat_row,
			.columns = columns, .values = v[0], .band = v[3][2], .row_title = bad};
		for (enum jr_plot_kind kind = 0; kind < JR_N_PLOT_KINDS; kind++) {
			draw(f, &(struct jr_plot){.kind = kind, .id = bad, .title = bad, .subtitle = bad,
				.heat = &heat,
				.caption = bad, .n = round - 3, .width = nonsense(&seed),
				.height = nonsense(&seed), .x = axis, .y = axis, .series = series, .n_series = 2,
				.guides = guides, .n_guides = 2, .categories = categories, .n_categories = 2,
				.parts = parts, .n_parts = 3});
			assert_drawable(f);
		}
	}
}

static UNIT_WITH(same_bytes, set_up, tear_down)
{
	struct fixture *f = *state;
	static const double x[] = {1, 2, 3}, y[] = {3, 1, 2};
	const struct jr_series series = {.n = 3, .x = x, .y = y};
	struct jr_plot plot = {.kind = JR_PLOT_LINE, .id = "p", .title = "T", .series = &series,
		.n_series = 1};
	JR_CLEANUP(jr_buf_done) struct jr_buf first = {0};
	draw(f, &plot);
	jr_buf_add(&first, f->dump.data, f->dump.size);
	draw(f, &plot);
	assert_string_equal(first.data, f->dump.data);
}


/* Collect the radii of the circles, largest first. */
static size_t radii(const struct fixture *f, double *out, size_t most)
{
	size_t n = 0;
	for (size_t i = 0; i < f->scene.items.n; i++) {
		const struct jr_item *item = &f->scene.items.items[i];
		if (item->kind == JR_ITEM_MARKER && item->tip && n < most)
			out[n++] = item->marker.radius;
	}
	return n;
}

/* The area of a point shows its weight. Weights at one place add up; points without weight are
 * small. */
static UNIT_WITH(areas_of_points, set_up, tear_down)
{
	struct fixture *f = *state;
	static const double x[] = {1, 2, 3, 3, 4}, y[] = {1, 2, 3, 3, 4};
	static const double weights[] = {16, 4, 3, 1, NAN};
	struct jr_series series = {.name = "a", .n = 5, .x = x, .y = y, .weights = weights};
	struct jr_plot plot = {
		.kind = JR_PLOT_SCATTER, .id = "areas", .title = "Areas", .series = &series, .n_series = 1};
	double r[8];
	draw(f, &plot);
	assert_int_equal(radii(f, r, 8), 4);
	double least = r[3], most = r[0];
	assert_true(least > 0 && most > 3 * least);
	assert_float_equal(r[1] - least, (most - least) / 2, 1e-9); /* a quarter of the area */
	assert_float_equal(r[2], r[1], 1e-9);
	series.weights = NULL;
	draw(f, &plot);
	assert_int_equal(radii(f, r, 8), 4);
	assert_float_equal(r[0], r[3], 1e-9);
}
