/* Since when a device is late, which rows of many devices people see, and how lags are drawn. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "unit.h"

#include "analysis/core/keys.h"
#include "analysis/shared/chosen_rows.h"
#include "analysis/shared/columns.h"
#include "analysis/shared/lateness.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "render/plot.h"
#include "render/scene_dom.h"

/* --- since when ------------------------------------------------------------------------------- */

#define MOST_STEPS 40
#define BOUND 100.0

/* One device per text: a character per step, from step 5 on. '.': on time, 'x': late, 'h': a little
 * below the bound, 'n': a little above it, '?': unknown. */
struct job {
	struct jr_arena arena;
	struct jr_lag lags[8 * MOST_STEPS];
	size_t first[9];
	struct jr_lateness lateness;
};

static void build(struct job *job, const char *const *devices, size_t n, bool whole)
{
	*job = (struct job){.lateness = {.bound_ns = BOUND, .need_ns = 100 * BOUND}};
	jr_arena_init(&job->arena, 0);
	size_t at = 0;
	for (uint32_t d = 0; d < n; d++) {
		job->first[d] = at;
		for (uint32_t i = 0; devices[d][i]; i++) {
			char c = devices[d][i];
			double lag_ns = c == 'x' ? 500 : c == 'n' ? 110 : c == 'h' ? 90 : c == '?' ? NAN : -10;
			job->lags[at++] = (struct jr_lag){
				.device = d, .step = 5 + i, .whole = i || whole, .need_ns = 1000, .lag_ns = lag_ns};
		}
	}
	job->first[n] = at;
	job->lateness.lags = job->lags;
	job->lateness.first = job->first;
	job->lateness.n = at;
}

static struct jr_late judge(const char *steps, bool whole)
{
	struct job job;
	build(&job, &steps, 1, whole);
	struct jr_late late = jr_lateness_of(&job.lateness, (uint32_t[]){0}, 1, &job.arena);
	jr_arena_done(&job.arena);
	return late;
}

static UNIT(since_when)
{
	static const struct {
		const char *steps;
		enum jr_late_when when;
		uint32_t since;
		size_t n_late, n_steps;
	} cases[] = {
		{"..........", JR_LATE_NEVER, JR_NONE, 0, 10},
		{"xxxxxxxxxx", JR_LATE_ALWAYS, JR_NONE, 10, 10},
		{"xxxx.xxxxx", JR_LATE_ALWAYS, JR_NONE, 9, 10},
		{"....xxxxxx", JR_LATE_SINCE, 9, 6, 10},
		{".xxxxxxxxx", JR_LATE_SINCE, 6, 9, 10},
		{".......xxx", JR_LATE_SINCE, 12, 3, 10},
		{"....xxxxxx?xx", JR_LATE_SINCE, 9, 8, 12},
		/* a single late step before is a coincidence; two of four are not */
		{"...x......xxxxxxxxxx", JR_LATE_SINCE, 15, 11, 20},
		{"x..xxxxxxxxxx", JR_LATE_SOMETIMES, JR_NONE, 11, 13},
		/* too short to last; it also may end */
		{"........xx", JR_LATE_SOMETIMES, JR_NONE, 2, 10},
		/* it ended, or lasted for a while; two spans are no span */
		{"xxxxx.....", JR_LATE_DURING, 5, 5, 10},
		{"....xxx...", JR_LATE_DURING, 9, 3, 10},
		{"....xxxxxxxxx.xxx........x.......", JR_LATE_DURING, 9, 13, 33},
		{"....xx....", JR_LATE_SOMETIMES, JR_NONE, 2, 10},
		{"..xxx....xxx..", JR_LATE_SOMETIMES, JR_NONE, 6, 14},
		/* as often as it can be seen, without a gap at an end */
		{"...x...x...x", JR_LATE_EACH, JR_NONE, 3, 12},
		{"x.x.x.x.x.", JR_LATE_EACH, JR_NONE, 5, 10},
		{"...x...x...x....", JR_LATE_SOMETIMES, JR_NONE, 3, 16},
		{"...x..x....x", JR_LATE_SOMETIMES, JR_NONE, 3, 12},
		{"....x.....", JR_LATE_NEVER, JR_NONE, 1, 10},
		/* always near the bound: half of it decides */
		{"nhnnhnhnnh", JR_LATE_ALWAYS, JR_NONE, 10, 10},
		{"....nhnnhnhn", JR_LATE_SINCE, 9, 8, 12},
		{"hhhhhhhhhh", JR_LATE_NEVER, JR_NONE, 0, 10},
		{"?????", JR_LATE_NEVER, JR_NONE, 0, 0},
		{"", JR_LATE_NEVER, JR_NONE, 0, 0},
	};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		struct jr_late late = judge(cases[i].steps, true);
		if (late.when != cases[i].when || late.since != cases[i].since ||
			late.n_late != cases[i].n_late || late.n_steps != cases[i].n_steps)
			fail_msg("'%s': %d since %u, %zu of %zu", cases[i].steps, (int)late.when, late.since,
				late.n_late, late.n_steps);
		assert_true(isnan(late.mean_ns) == (late.n_steps == 0));
	}
}

/* The time ahead of a device's first step is not known, so a device that starts each step late can
 * only seem to be on time in it. */
static UNIT(first_step)
{
	assert_int_equal(judge(".xxxxxxxxx", false).when, JR_LATE_ALWAYS);
	assert_int_equal(judge("..xxxxxxxx", false).when, JR_LATE_SINCE);
	/* unless its kernels are late, which that step would show */
	struct job job;
	build(&job, (const char *const[]){".xxxxxxxxx"}, 1, false);
	for (size_t i = 1; i < job.lateness.n; i++)
		job.lags[i].own_lag_ns = 500;
	struct jr_late late = jr_lateness_of(&job.lateness, (uint32_t[]){0}, 1, &job.arena);
	assert_int_equal(late.when, JR_LATE_SINCE);
	assert_int_equal(late.since, 6);
	jr_arena_done(&job.arena);
}

/* A lag that grows is not one that begins: neither a jump, noise, nor a lag that falls grows. */
static UNIT(growth)
{
	static const struct {
		double first, slope, jump, noise;
		bool grows;
	} cases[] = {{-10, 20, 0, 0, true}, {-10, 20, 0, 60, true}, {500, 20, 0, 30, true},
		{0, 0, 600, 0, false}, {500, 0, 0, 60, false}, {600, -20, 0, 0, false},
		{500, 1, 0, 0, false}};
	static const char steps[] = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		struct job job;
		build(&job, (const char *const[]){steps}, 1, true);
		for (size_t k = 0; k < sizeof(steps) - 1; k++)
			job.lags[k].lag_ns = cases[i].first + cases[i].slope * (double)k +
								 (k < 15 ? 0 : cases[i].jump) +
								 cases[i].noise * ((double)(k * 7 % 5) / 2 - 1);
		struct jr_late late = jr_lateness_of(&job.lateness, (uint32_t[]){0}, 1, &job.arena);
		if (late.grows != cases[i].grows)
			fail_msg("case %zu: %s", i, late.grows ? "grows" : "does not grow");
		if (late.grows && !cases[i].noise) {
			assert_true(fabs(late.from_ns - cases[i].first) < 1e-6);
			assert_true(fabs(late.to_ns - cases[i].first - 30 * cases[i].slope) < 1e-6);
		}
		jr_arena_done(&job.arena);
	}
}

/* A group is as late as its members are on average. */
static UNIT(groups)
{
	static const char *const devices[] = {"..........", "....xxxxxx", "....xxxxxx", "....hxxxxx"};
	struct job job;
	build(&job, devices, 4, true);
	struct jr_late late = jr_lateness_of(&job.lateness, (uint32_t[]){1, 2, 3}, 3, &job.arena);
	assert_int_equal(late.when, JR_LATE_SINCE);
	assert_int_equal(late.since, 9);
	assert_int_equal(late.n_late, 6);
	late = jr_lateness_of(&job.lateness, NULL, 0, &job.arena);
	assert_int_equal(late.when, JR_LATE_NEVER);
	jr_arena_done(&job.arena);
}

static UNIT(words)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	static const struct {
		const char *steps, *words;
	} cases[] = {{"....xxxxxx", "since step 9"}, {"xxxxx", "in 5 of 5 steps"},
		{"x...x....x", "now and then (3 of 10 steps)"},
		{"x...x...x.", "in every 4th step"}, {"..xxxx....", "in steps 7 to 10"},
		{"xx.", "in 2 of 3 steps"}, {"x", NULL}, {".....", NULL}};
	const struct jr_step_windows windows = {0};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		struct jr_late late = judge(cases[i].steps, true);
		const char *text = jr_late_words(NULL, &windows, &late, &arena);
		if (cases[i].words)
			assert_string_equal(text, cases[i].words);
		else
			assert_null(text);
	}
}

/* --- chosen rows ------------------------------------------------------------------------------ */

#define COLUMNS(X, T)                                                                              \
	X(T, device, "Device", "number", I64, NONE, JR_COL_KEY)                             \
	X(T, late_ms, "Late", "time", F64, NS)                                           \
	X(T, chosen, JR_CHOSEN_TITLE, JR_CHOSEN_HELP, TEXT, NONE, JR_COL_RENDERED_ONLY)
JR_COLUMNS(columns, COL, COLUMNS);
static const struct jr_table_spec spec = {
	JR_TABLE_SPEC("devices", "devices", "Devices", "Per device", columns)};

/* Values are 0 to 9 by turns, except those given. */
static struct jr_table *choose(struct jr_arena *arena, size_t n, double fifth, double ninth)
{
	struct jr_table *t = jr_table_new(arena, &spec, n);
	for (size_t i = 0; i < n; i++) {
		t->cells[COL_device].i64[i] = (int64_t)i;
		t->cells[COL_late_ms].f64[i] = i == 5 ? fifth : i == 9 ? ninth : (double)(i % 9);
	}
	jr_choose_rows(t, COL_late_ms, COL_chosen, arena, arena);
	return t;
}

static UNIT(chosen_rows)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	struct jr_table *t = choose(&arena, 16, 500, 5);
	assert_null(t->chosen);
	assert_int_equal(t->n_rendered, 16);
	t = choose(&arena, 500, 500, 400);
	assert_int_equal(t->n_rendered, 4);
	assert_int_equal(t->n_data, 500);
	static const char *const reasons[] = {"worst", "outlier"};
	for (size_t i = 0; i < 2; i++) { /* ascending rows: 0 is the first of the best or median */
		size_t row = i ? 9 : 5;
		assert_string_equal(t->cells[COL_chosen].text[row], reasons[i]);
		bool found = false;
		for (size_t k = 0; k < t->n_rendered; k++)
			found |= t->chosen[k] == row;
		assert_true(found);
	}
	for (size_t k = 1; k < t->n_rendered; k++)
		assert_true(t->chosen[k - 1] < t->chosen[k]);
	t = choose(&arena, 500, NAN, NAN);
	assert_int_equal(t->n_rendered, 3); /* no value: neither chosen nor in the way */
	t = jr_table_new(&arena, &spec, 100);
	for (size_t i = 0; i < 100; i++)
		t->cells[COL_late_ms].f64[i] = i < 50 ? (double)i * 1e6 : 0;
	jr_choose_rows(t, COL_late_ms, COL_chosen, &arena, &arena);
	assert_true(t->n_rendered <= 10); /* as many as the shortest format shows */
}

/* --- the figure ------------------------------------------------------------------------------- */

#define ROWS 64
#define STEPS 100

static void draw(struct jr_buf *svg, struct jr_scene *scene, double value, double width)
{
	static double values[ROWS * STEPS];
	static struct jr_heat_row rows[ROWS];
	static struct jr_heat_column columns_of[STEPS];
	static char names[ROWS][32];
	for (size_t i = 0; i < ROWS; i++) {
		(void)snprintf(names[i], sizeof(names[i]), "node%03zu", i);
		rows[i] = (struct jr_heat_row){.name = names[i], .outlined_from = SIZE_MAX};
		for (size_t c = 0; c < STEPS; c++)
			values[i * STEPS + c] = i == 37 && c >= 12 ? value : (double)((i * 7 + c * 13) % 90);
	}
	rows[37].note = "since step 1,212";
	rows[37].outlined_from = 12;
	for (int64_t c = 0; c < STEPS; c++)
		columns_of[c] = (struct jr_heat_column){1200 + c, 1200 + c};
	const struct jr_heat heat = {.n_rows = ROWS, .n_columns = STEPS, .rows = rows,
		.columns = columns_of, .values = values, .band = 100, .row_title = "Host"};
	const struct jr_part part = {.role = JR_ROLE_WAIT};
	const struct jr_plot plot = {.kind = JR_PLOT_HEAT, .id = "lags", .title = "Lag", .bare = true,
		.width = width, .x = {.title = "Step"}, .y = {.title = "Lag", .format = JR_FORMAT_TIME_NS},
		.heat = &heat, .parts = &part, .n_parts = 1};
	struct jr_metrics *metrics = jr_metrics_new();
	jr_plot_scene(&plot, metrics, scene);
	jr_metrics_free(metrics);
	jr_scene_assert(scene);
	jr_scene_svg_inline(scene, NULL, svg);
}

/* The late row has its name, note, outline and tooltip; noise below the band has one color, so that
 * the figure stays small. */
static UNIT(heat_map)
{
	for (double width = 358; width < 800; width += 402) {
		JR_CLEANUP(jr_buf_done) struct jr_buf svg = {0};
		struct jr_scene scene;
		draw(&svg, &scene, 900, width);
		assert_non_null(strstr(svg.data, ">node037</text>"));
		assert_non_null(strstr(svg.data, "node037, steps 1212 to 1299: 900 ns"));
		assert_true((strstr(svg.data, ">since step 1,212</text>") != NULL) == (width > 480));
		assert_non_null(strstr(svg.data, ">Step</text>"));
		assert_non_null(strstr(svg.data, ">200 ns</text>")); /* the scale: 100, 200, 500 ns */
		assert_true(svg.size < 40000);
		jr_scene_done(&scene);
	}
}

/* In gray, on light and on dark pages, a larger value is further from the background. */
static UNIT(colors_without_hue)
{
	static const double values[] = {50, 150, 300, 700, 5000};
	for (int dark = 0; dark < 2; dark++) {
		double last = 1;
		struct jr_rgb page =
			dark ? jr_role_dark(JR_ROLE_BACKGROUND) : jr_role_light(JR_ROLE_BACKGROUND);
		struct jr_rgb full = dark ? jr_role_dark(JR_ROLE_WAIT) : jr_role_light(JR_ROLE_WAIT);
		JR_CLEANUP(jr_buf_done) struct jr_buf svg = {0};
		struct jr_scene scene;
		draw(&svg, &scene, 5000, 760);
		size_t n = 0;
		for (size_t i = 0; i < scene.items.n && n < JR_COUNT_OF(values); i++) {
			const struct jr_item *item = &scene.items.items[i];
			if (item->kind != JR_ITEM_RECT || item->style.fill != JR_ROLE_WAIT)
				continue; /* the first rectangles are the color scale */
			double a = jr_tint_alpha(item->style.tint);
			struct jr_rgb mixed = {page.r + a * (full.r - page.r), page.g + a * (full.g - page.g),
				page.b + a * (full.b - page.b)};
			double contrast = jr_contrast(mixed, page);
			assert_true(contrast > last * 1.08);
			last = contrast;
			n++;
		}
		assert_int_equal(n, JR_COUNT_OF(values));
		jr_scene_done(&scene);
	}
}

static UNIT(scale)
{
	static const double values[] = {0, -5, NAN, 3e6};
	struct jr_cell_scale s;
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	jr_heat_scale_make(&s, values, 4, 178000);
	assert_int_equal(s.n, JR_CELL_STEPS);
	for (size_t k = 0; k <= s.n; k++) {
		jr_heat_step_words(&text, &s, k);
		jr_buf_puts(&text, "; ");
	}
	assert_string_equal(text.data, "below 178 µs; 178 µs to 500 µs; 500 µs to 1 ms; 1 ms to 2 ms; "
								   "2 ms or more; unknown; ");
	jr_heat_scale_make(&s, values, 3, 178000); /* nothing is late: one color */
	assert_int_equal(s.n, 1);
	assert_string_equal(s.bounds[1].label, "178 µs");
}
