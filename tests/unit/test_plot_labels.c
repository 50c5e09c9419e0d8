/* Labels of points in charts: where they are placed, and what they leave in sight. */
#include <math.h>
#include <string.h>

#include "unit.h"
#include "plot_fixture.h"
#include "render/plot.h"

/* Collect the labels of points, and check that none overlaps another. Return their number. */
static size_t placed_labels(struct fixture *f, const char *label)
{
	const struct jr_item *placed[40];
	size_t n = 0;
	for (size_t i = 0; i < f->scene.items.n; i++)
		if (f->scene.items.items[i].kind == JR_ITEM_TEXT &&
			f->scene.items.items[i].text.style.halo)
			placed[n++] = &f->scene.items.items[i];
	double width = jr_metrics_width(f->metrics, label, strlen(label), 11, false);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			assert_true(fabs(placed[i]->x - placed[k]->x) >= width - 1e-6 ||
				fabs(placed[i]->y - placed[k]->y) >= 14 - 1e-6);
	return n;
}

/* A few labels have a place, also if their points are in one corner. */
static UNIT_WITH(few_labels_are_placed, set_up, tear_down)
{
	struct fixture *f = *state;
	static const char *const label = "a label of some length";
	const char *const labels[] = {label, label, label, NULL};
	for (int corner = 0; corner < 4; corner++) {
		double right = corner & 1 ? 100 : 0, top = corner & 2 ? 100 : 0;
		const double x[] = {right, right, right, 100 - right}, y[] = {top, top, top, 100 - top};
		const struct jr_series series = {.n = 4, .x = x, .y = y, .labels = labels};
		draw(f, &(struct jr_plot){.kind = JR_PLOT_SCATTER, .series = &series, .n_series = 1});
		if (placed_labels(f, label) != 3)
			fail_msg("corner %d: %zu labels", corner, placed_labels(f, label));
	}
}

/* Labels at one place: as many as fit, without overlap. */
static UNIT_WITH(labels_do_not_overlap, set_up, tear_down)
{
	struct fixture *f = *state;
	double x[30], y[30];
	const char *labels[30];
	for (int i = 0; i < 30; i++) {
		x[i] = 50 + i % 3;
		y[i] = 50 + i % 5;
		labels[i] = "a label of some length";
	}
	x[0] = 0, y[0] = 0, x[1] = 100, y[1] = 100;
	const struct jr_series series = {.n = 30, .x = x, .y = y, .labels = labels};
	draw(f, &(struct jr_plot){.kind = JR_PLOT_SCATTER, .series = &series, .n_series = 1});
	assert_in_range(placed_labels(f, labels[0]), 3, 29);
}

/* Whether a line or a leader runs through the box of a text: 64 points of each part are tried. */
static bool runs_through(const struct jr_item *text, double width, const struct jr_item *line)
{
	const struct jr_point ends[] = {{line->x, line->y}, {line->line.x2, line->line.y2}};
	bool leader = line->kind == JR_ITEM_LINE;
	const struct jr_point *at = leader ? ends : line->path.points;
	size_t n = leader ? 2 : line->kind == JR_ITEM_PATH ? line->path.n : 0;
	for (size_t p = 1; p < n; p++)
		for (int k = 0; k <= 64; k++) {
			double x = at[p - 1].x + (at[p].x - at[p - 1].x) * k / 64;
			double y = at[p - 1].y + (at[p].y - at[p - 1].y) * k / 64;
			if (x > text->x + 1 && x < text->x + width - 1 && y > text->y - 9 && y < text->y + 1)
				return true;
		}
	return false;
}

/* Count the labels of points; no line of the chart and, if `strict`, no leader runs through one,
 * and none is on a large point. */
static size_t sound_labels(const struct fixture *f, bool strict)
{
	size_t n = 0;
	for (size_t t = 0; t < f->scene.items.n; t++) {
		const struct jr_item *text = &f->scene.items.items[t], *other = f->scene.items.items;
		if (text->kind != JR_ITEM_TEXT || !text->text.style.halo)
			continue;
		const char *words = text->text.string;
		double width = jr_metrics_width(f->metrics, words, strlen(words), 12, false);
		for (size_t k = 0; k < f->scene.items.n; k++, other++) {
			if (other->style.stroke == JR_ROLE_INK && (strict || other->kind == JR_ITEM_PATH))
				assert_false(runs_through(text, width, other));
			if (!strict || other->kind != JR_ITEM_MARKER || other->marker.radius < 10)
				continue;
			double dx = fmax(fmax(text->x - other->x, other->x - text->x - width), 0);
			double dy = fmax(fmax(text->y - 9 - other->y, other->y - text->y - 1), 0);
			assert_true(hypot(dx, dy) > other->marker.radius);
		}
		n++;
	}
	return n;
}

/* Points at and below roofs, in charts of phones and of screens: no line runs through a label. */
static UNIT_WITH(labels_are_not_on_lines, set_up, tear_down)
{
	static const double roof[] = {0.1, 250, 2000};
	static const double memory[] = {0.3, 900, NAN}, peak[] = {NAN, 900, 900};
	static const char *const labels[] = {"one kernel's name", "another one's", "a third one's"};
	for (int i = 0; i < 40; i++) {
		double share = (i / 2 + 1) * 0.05;
		const double x[] = {0.2, 200, 1500}, y[] = {0.6 * share, 700 * share, 900 * share};
		const struct jr_series series[] = {{.n = 3, .x = x, .y = y, .labels = labels},
			{.mark = JR_MARK_LINE, .role = JR_ROLE_INK, .n = 3, .x = roof, .y = memory},
			{.mark = JR_MARK_LINE, .role = JR_ROLE_INK, .n = 3, .x = roof, .y = peak}};
		draw(*state, &(struct jr_plot){.kind = JR_PLOT_SCATTER, .series = series, .n_series = 3,
			.width = i % 2 ? 358 : 0, .x = {.log = true}, .y = {.log = true}});
		assert_int_equal(sound_labels(*state, false), 3);
	}
}

/* Large points at one place, where roofs leave little room. */
static UNIT_WITH(labels_pass_leaders_and_areas, set_up, tear_down)
{
	static const double x[] = {500, 500, 505, 0.2}, y[] = {260, 257, 250, 1e-4};
	static const double weights[] = {9, 8, 7, 1};
	static const double roof[] = {0.1, 250, 2000}, peak[] = {0.3, 990, 990};
	static const char *const labels[] = {"custom-call.21.0", "custom-call.14.0", "fusion.3", NULL};
	const struct jr_series series[] = {
		{.n = 4, .x = x, .y = y, .weights = weights, .labels = labels},
		{.mark = JR_MARK_LINE, .role = JR_ROLE_INK, .n = 3, .x = roof, .y = peak}};
	draw(*state, &(struct jr_plot){.kind = JR_PLOT_SCATTER, .series = series, .n_series = 2,
		.x = {.log = true}, .y = {.log = true}});
	assert_int_equal(sound_labels(*state, true), 3);
}
