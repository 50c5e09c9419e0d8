/* Shared parts: small multiples share an x axis and a legend; lanes in pairs share a name. */
#include <math.h>

#include "unit.h"
#include "plot_fixture.h"

/* Rows share the x axis, which is drawn once, and the legend; each has its own y axis. */
static UNIT_WITH(multiples, set_up, tear_down)
{
	struct fixture *f = *state;
	static const double x[] = {1, 2, 3}, ms[] = {10e6, 12e6, 11e6}, gb[] = {NAN, 2e9, 2e9};
	static const double nothing[] = {NAN, NAN, NAN};
	const struct jr_series first[] = {{.name = "same", .n = 2, .x = x, .y = ms},
		{.name = "regression", .n = 1, .x = x + 2, .y = ms + 2}};
	const struct jr_series second[] = {{.name = "same", .n = 2, .x = x, .y = gb},
		{.name = "regression", .n = 1, .x = x + 2, .y = gb + 2}};
	const struct jr_series third[] = {{.name = "same", .n = 3, .x = x, .y = nothing}};
	const struct jr_plot rows[] = {
		{.title = "Step", .note = "11 ms (+10 %)", .y = {.title = "s", .format = JR_FORMAT_TIME_NS},
			.series = first, .n_series = 2, .height = 120},
		{.title = "Memory", .y = {.title = "m", .format = JR_FORMAT_BYTES}, .series = second,
			.n_series = 2},
		{.title = "Nothing", .series = third, .n_series = 1},
	};
	struct jr_plot plot = {.kind = JR_PLOT_MULTIPLES, .id = "trend", .title = "Trend",
		.x = {.title = "Run", .format = JR_FORMAT_COUNT}, .series = first, .n_series = 2,
		.rows = rows, .n_rows = 3};
	draw(f, &plot);
	assert_int_equal(occurrences(f, "\"Run\""), 1);
	assert_int_equal(occurrences(f, "\"same\""), 1);
	assert_int_equal(occurrences(f, "\"Step\""), 1);
	assert_int_equal(occurrences(f, "\"Memory\""), 1);
	assert_int_equal(occurrences(f, "\"no data\""), 1);
	assert_true(says(f, "\"11 ms (+10 %)\""));
	assert_true(says(f, "\"12 ms\"") || says(f, "\"12.0 ms\""));
	assert_true(says(f, "GB\""));
	assert_true(says(f, "4 not finite, left out"));
	/* points at one x are aligned vertically, for labels of any width */
	double at[8];
	size_t n = 0;
	for (size_t i = 0; i < f->scene.items.n; i++) {
		const struct jr_item *item = &f->scene.items.items[i];
		if (item->kind == JR_ITEM_MARKER && item->tip && n < 8)
			at[n++] = item->x;
	}
	assert_int_equal(n, 5);
	assert_float_equal(at[1], at[3], 1e-9);
	assert_float_equal(at[2], at[4], 1e-9);
	double height = f->scene.height;
	plot.n_rows = 1;
	draw(f, &plot);
	assert_true(f->scene.height + 150 < height);
	plot.rows = &rows[2];
	draw(f, &plot);
	assert_true(says(f, "\"no data\""));
	plot.n_rows = 0;
	draw(f, &plot);
	assert_true(says(f, "\"no data\""));
}

/* Two lanes with one name share a row and its name, one close below the other. */
static UNIT_WITH(lanes_in_pairs, set_up, tear_down)
{
	struct fixture *f = *state;
	const struct jr_interval above = {0, 4000, JR_ROLE_COMPUTE, NULL, "above", NULL},
		below = {2000, 5000, JR_ROLE_COPY, NULL, "below", NULL};
	const struct jr_category second = {.intervals = &below, .n_intervals = 1};
	const struct jr_category rows[] = {
		{.name = "device 0", .intervals = &above, .n_intervals = 1, .beneath = &second},
		{.name = "device 1", .intervals = &above, .n_intervals = 1}};
	draw(f, &(struct jr_plot){.kind = JR_PLOT_SWIMLANE, .categories = rows, .n_categories = 2,
		.x = {.title = "t", .format = JR_FORMAT_TIME_NS}});
	assert_int_equal(occurrences(f, "\"device 0\""), 1);
	const struct jr_item *boxes[3], *item = f->scene.items.items;
	size_t n = 0;
	for (size_t i = 0; i < f->scene.items.n; i++, item++)
		if (item->kind == JR_ITEM_RECT && item->tip)
			boxes[n++] = item;
	assert_int_equal(n, 3);
	double gap = boxes[1]->y - boxes[0]->y - boxes[0]->rect.height;
	assert_true(gap >= 0 && gap < boxes[2]->y - boxes[1]->y - boxes[1]->rect.height);
	assert_true(boxes[1]->x > boxes[0]->x && boxes[2]->x == boxes[0]->x);
}
