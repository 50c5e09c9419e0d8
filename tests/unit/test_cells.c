/* Many devices as cells: how long each waits, which are marked, and where and how cells are
 * drawn. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "unit.h"

#include "analysis/shared/delays.h"
#include "analysis/devices/devices_parts.h"
#include "analysis/shared/step_window.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "render/plot.h"
#include "render/scene_dom.h"

#define N 20

/* --- the pass --------------------------------------------------------------------------------- */

struct ranks {
	struct jr_profile profile;
	struct jr_device devices[N];
	struct jr_process processes[N];
	struct jr_device_delay delays[N];
	struct jr_step_window windows[N];
	struct jr_arena arena, scratch;
	struct jr_section section;
};

/* N devices, one process each, alternating over N / in_host hosts; each waits 3 µs in 3 steps
 * for 5. */
static void build(struct ranks *r, size_t n, unsigned in_host)
{
	*r = (struct ranks){.profile = {.n_devices = n, .n_processes = n}};
	jr_intern_init(&r->profile.strings);
	jr_arena_init(&r->arena, 0);
	jr_arena_init(&r->scratch, 0);
	r->profile.devices = r->devices;
	r->profile.processes = r->processes;
	for (uint32_t i = 0; i < n; i++) {
		char host[] = "node-x";
		host[5] = (char)('a' + i % (N / in_host));
		r->processes[i].hostname = jr_intern_puts(&r->profile.strings, host);
		r->devices[i] = (struct jr_device){.global = i, .process = i};
		r->windows[i].n_periods = 2;
		r->delays[i] = (struct jr_device_delay){
			.instances = 4, .waited_ns = i == 5 ? 300 : 3000, .caused_ns = i == 5 ? 3000 * 19 : 15};
	}
}

static void run_pass(struct ranks *r)
{
	const struct jr_delays delays = {.devices = r->delays};
	const struct jr_step_windows windows = {.devices = r->windows};
	struct jr_pass_context ctx = {.profile = &r->profile,
		.delays = &delays,
		.windows = &windows,
		.arena = &r->arena,
		.scratch = &r->scratch};
	jr_add_rank_waits(&ctx, &r->section);
}

static void drop(struct ranks *r)
{
	jr_arena_done(&r->arena);
	jr_arena_done(&r->scratch);
	jr_intern_done(&r->profile.strings);
}

/* Host by host, in any numbering of devices; per step; the device that all wait for is named. */
static UNIT(waits_of_ranks)
{
	struct ranks r;
	build(&r, N, 4);
	r.delays[7] = (struct jr_device_delay){0}; /* took part in no collective with others */
	run_pass(&r);
	assert_int_equal(r.section.n, 2);
	const struct jr_chart *chart = r.section.items[0].as.chart;
	const struct jr_table *t = r.section.items[1].as.table;
	assert_ptr_equal(chart->table, t);
	assert_int_equal(t->n_rows, N);
	size_t device = jr_table_column(t, "device"), waited = jr_table_column(t, "waited_step_ms");
	for (size_t row = 0; row < N; row++) {
		size_t d = row % 4 * 5 + row / 4;
		assert_true(jr_table_number(t, device, row) == (double)d);
		double ns = jr_table_number(t, waited, row);
		assert_true(d == 7 ? isnan(ns) : ns == (d == 5 ? 100 : 1000));
		assert_int_equal(*jr_table_text(t, "hostname", row), 'n');
		assert_int_equal(jr_table_text(t, "hostname", row)[5], "abcde"[row / 4]);
		assert_string_equal(
			jr_table_text(t, "name", row), d == 5 ? "Device 5 on “node-a”" : "");
	}
	assert_string_equal(jr_table_text(t, "told", 1),
		"Device 5 on “node-a” waits 100 ns per step and causes 99.5 % of all waiting");
	assert_non_null(strstr(chart->caption, "grouped by host"));
	drop(&r);
}

/* With few devices, or without waiting, there is no strip; one device per host does not make
 * groups. */
static UNIT(no_strip)
{
	struct ranks r;
	build(&r, 16, 1);
	run_pass(&r);
	assert_int_equal(r.section.n, 0);
	drop(&r);
	build(&r, 17, 1);
	run_pass(&r);
	assert_int_equal(r.section.n, 2);
	assert_null(strstr(r.section.items[0].as.chart->caption, "side by side"));
	drop(&r);
	build(&r, 17, 1);
	for (size_t i = 0; i < 17; i++)
		r.delays[i].caused_ns = r.delays[i].waited_ns = 0;
	run_pass(&r);
	assert_int_equal(r.section.n, 0);
	drop(&r);
}

/* --- the chart -------------------------------------------------------------------------------- */

#define MANY 1000

static char names[MANY][24], groups[MANY][24];

/* Cell 402 is chosen and has a small value; 7 is not known. */
static void make_cells(struct jr_cell *cells, size_t n, size_t in_group)
{
	for (size_t i = 0; i < n; i++) {
		(void)snprintf(names[i], sizeof(names[i]), "%zu", i);
		(void)snprintf(groups[i], sizeof(groups[i]), "h%zu", i / in_group);
		cells[i] = (struct jr_cell){.value = i == 402 ? 1e3 : i == 7 ? NAN : 1e6,
			.name = names[i],
			.group = groups[i],
			.label = i == 402 ? "the late one" : NULL};
	}
}

static void draw(struct jr_scene *scene, const struct jr_cell *cells, size_t n, double width)
{
	struct jr_metrics *metrics = jr_metrics_new();
	const struct jr_part color = {.role = JR_ROLE_WAIT};
	jr_plot_scene(
		&(struct jr_plot){.kind = JR_PLOT_CELLS,
			.width = width,
			.bare = true,
			.y = {.title = "Waits", .format = JR_FORMAT_TIME_NS},
			.cells = cells,
			.n_cells = n,
			.parts = &color,
			.n_parts = 1},
		metrics, scene);
	jr_metrics_free(metrics);
}

static const struct jr_item *find_text(const struct jr_scene *scene, const char *text)
{
	for (size_t i = 0; i < scene->items.n; i++) {
		const struct jr_item *item = &scene->items.items[i];
		if (item->kind == JR_ITEM_TEXT && strcmp(item->text.string, text) == 0)
			return item;
	}
	return NULL;
}

/* Return the area that the fills of cells cover, in cells, and the side of one. */
static double covered(const struct jr_scene *scene, double *side)
{
	double area = 0;
	*side = 0;
	for (size_t i = 0; i < scene->items.n; i++) {
		const struct jr_item *item = &scene->items.items[i];
		if (item->kind == JR_ITEM_RECT && item->style.stroke == JR_ROLE_INK)
			*side = item->rect.width + 1;
	}
	for (size_t i = 0; i < scene->items.n; i++) {
		const struct jr_item *item = &scene->items.items[i];
		if (item->kind != JR_ITEM_RECT || !item->style.fill || item->rect.height == 11)
			continue; /* 11: legend */
		assert_true(item->x >= 0 && item->x + item->rect.width <= scene->width);
		area += (item->rect.width + 1) * (item->rect.height + 1);
	}
	return area / *side / *side;
}

/* 1,000 cells: all are drawn, at both chart sizes, in few bytes; the legend counts them. */
static UNIT(thousand_cells)
{
	static struct jr_cell cells[MANY];
	for (int narrow = 0; narrow < 2; narrow++) {
		for (int grouped = 0; grouped < 2; grouped++) {
			struct jr_scene scene;
			JR_CLEANUP(jr_buf_done) struct jr_buf svg = {0};
			double side;
			make_cells(cells, MANY, grouped ? 8 : 1);
			draw(&scene, cells, MANY, narrow ? 358 : 760);
			assert_true(fabs(covered(&scene, &side) - MANY) < 1e-6);
			assert_true(side >= 5);
			assert_true(scene.height < (narrow ? 330 : 200));
			assert_non_null(find_text(&scene, "below 0.2 ms (1)"));
			assert_non_null(find_text(&scene, "0.8 ms to 1.0 ms (998)"));
			assert_non_null(find_text(&scene, "unknown (1)"));
			assert_non_null(find_text(&scene, "the late one"));
			assert_non_null(find_text(&scene, "0"));
			jr_scene_svg_inline(&scene, "x", &svg);
			assert_true(svg.size < (grouped ? 60000u : 12000u));
			jr_scene_done(&scene);
		}
	}
}

/* Cells of a group are on one line without gaps if they fit, apart from other groups. */
static UNIT(groups_of_cells)
{
	static struct jr_cell cells[MANY];
	struct jr_scene scene;
	make_cells(cells, 40, 8);
	draw(&scene, cells, 40, 760);
	double ends[8] = {0}, begins[8] = {0};
	size_t n = 0;
	for (size_t i = 0; i < scene.items.n; i++) {
		const struct jr_item *item = &scene.items.items[i];
		if (item->kind != JR_ITEM_RECT || item->rect.height == 11 || !item->style.fill)
			continue;
		if (n && fabs(item->x - ends[n - 1]) < 2) { /* 7, which is not known, ends its group */
			ends[n - 1] = item->x + item->rect.width;
			continue;
		}
		assert_in_range(n, 0, 7);
		begins[n] = item->x;
		ends[n++] = item->x + item->rect.width;
	}
	assert_int_equal(n, 5);
	for (size_t i = 1; i < n; i++)
		assert_true(begins[i] - ends[i - 1] > 3 || begins[i] == begins[0]);
	jr_scene_done(&scene);
}

/* Words next to a chosen cell stay within the chart, and do not overlap. */
static UNIT(flags)
{
	static struct jr_cell cells[MANY];
	for (size_t at = 0; at < MANY; at += 37) {
		struct jr_scene scene;
		make_cells(cells, MANY, 1);
		cells[402].label = NULL;
		cells[at].label = "one";
		cells[at + 1 < MANY ? at + 1 : 0].label = "one that is beside it";
		draw(&scene, cells, MANY, 358);
		const struct jr_item *words = find_text(&scene, "one");
		if (!words)
			words = find_text(&scene, "one that is beside it");
		assert_non_null(words);
		assert_true(words->x >= 0 && words->x <= 358 && words->y > 0 && words->y < scene.height);
		jr_scene_done(&scene);
	}
}
