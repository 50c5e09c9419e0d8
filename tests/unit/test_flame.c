/* Flamegraphs: widths conserve, nothing is lost, labels, packing, hostile names. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <libxml/parser.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/intern.h"
#include "render/flame.h"
#include "render/flame_impl.h"
#include "render/scene_dom.h"

#define MAX_NODES 3000

/* A small random number generator of our own, so that a failure can be repeated anywhere. */
static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

static void random_tree(uint32_t seed, struct jr_flame_node *nodes, size_t n)
{
	static const char *const names[] = {"/opt/a/b.py:12[f]", "/opt/c.py:7:3[<lambda>]",
		"jit(f)/add", "[GPU active]", "x", "漢字/é", ""};
	for (size_t i = 0; i < n; i++) {
		uint32_t r = next_random(&seed);
		uint32_t parent = r % 50 == 0 || i == 0 ? JR_NONE
			: r % 3 ? (uint32_t)(i - 1) : next_random(&seed) % (uint32_t)i;
		double self = next_random(&seed) % 4 ? 0 : exp(next_random(&seed) % 1000 / 50.0);
		nodes[i] = (struct jr_flame_node){parent, names[next_random(&seed) % 7],
			(enum jr_role)(next_random(&seed) % JR_N_ROLES), self};
	}
}

static struct jr_flame flame_of(const struct jr_flame_node *nodes, size_t n)
{
	return (struct jr_flame){.id = "f", .title = "T", .nodes = nodes, .n_nodes = n};
}

/* --- geometry -------------------------------------------------------------------------------- */

struct rects {
	double x0[MAX_NODES + 1], x1[MAX_NODES + 1], y[MAX_NODES + 1];
	size_t n;
};

static void frames_of(const struct jr_scene *sc, struct rects *out)
{
	bool inside = false;
	out->n = 0;
	for (size_t i = 0; i < sc->items.n; i++) {
		const struct jr_item *item = &sc->items.items[i];
		if (item->kind == JR_ITEM_OPEN && item->group->id)
			inside = true;
		if (!inside || item->kind != JR_ITEM_RECT)
			continue;
		assert_true(out->n <= MAX_NODES);
		out->x0[out->n] = item->x;
		out->x1[out->n] = item->x + item->rect.width;
		out->y[out->n++] = item->y;
	}
}

/* Every frame lies over one of the row before, and frames of a row do not overlap. */
static void assert_nested(const struct rects *r)
{
	double top = INFINITY;
	for (size_t i = 0; i < r->n; i++)
		top = fmin(top, r->y[i]);
	for (size_t i = 0; i < r->n; i++) {
		assert_true(r->x1[i] >= r->x0[i]);
		bool below_one = r->y[i] == top;
		for (size_t k = 0; k < r->n; k++) {
			if (k == i)
				continue;
			if (r->y[k] == r->y[i])
				assert_true(r->x1[k] <= r->x0[i] + 1e-6 || r->x1[i] <= r->x0[k] + 1e-6);
			/* Frames are half a pixel narrower than their share: the gap between neighbours. */
			if (fabs(r->y[i] - r->y[k] - JR_FLAME_ROW) < 1e-6 && r->x0[k] <= r->x0[i] + 1e-6 &&
				r->x1[i] <= r->x1[k] + 0.5 + 1e-6)
				below_one = true;
		}
		assert_true(below_one);
	}
}

static void widths_conserve(void **state)
{
	(void)state;
	static struct jr_flame_node nodes[MAX_NODES];
	static struct rects rects;
	struct jr_metrics *m = jr_metrics_new();
	for (uint32_t seed = 1; seed < 40; seed++) {
		size_t n = seed < 10 ? seed : seed * 30;
		random_tree(seed, nodes, n);
		struct jr_flame flame = flame_of(nodes, n);
		struct jr_scene sc;
		jr_flame_scene(&flame, m, &sc);
		frames_of(&sc, &rects);
		if (rects.n)
			assert_nested(&rects);
		jr_scene_done(&sc);
	}
	jr_metrics_free(m);
}

/* One wide child and a thousand narrow ones: the box that gathers them is as wide as they are. */
static void nothing_is_lost(void **state)
{
	(void)state;
	static struct jr_flame_node nodes[1002];
	nodes[0] = (struct jr_flame_node){JR_NONE, "root", JR_ROLE_COMPUTE, 0};
	nodes[1] = (struct jr_flame_node){0, "wide", JR_ROLE_COMPUTE, 9000};
	for (size_t i = 2; i < 1002; i++)
		nodes[i] = (struct jr_flame_node){0, "narrow", JR_ROLE_COMPUTE, 1};
	struct jr_flame flame = flame_of(nodes, 1002);
	flame.bare = true;
	struct jr_metrics *m = jr_metrics_new();
	struct jr_scene sc;
	struct jr_buf dump = {0};
	jr_flame_scene(&flame, m, &sc);
	jr_scene_dump(&sc, &dump);
	assert_non_null(strstr(dump.data, "tip=\"… 1,000 frames: 0.001 ms, 10.00 %\""));
	assert_non_null(strstr(dump.data, "rect 1078.4 42 119.1 16"));
	assert_non_null(strstr(dump.data, "\"… 1,000 frames\""));
	jr_buf_done(&dump);
	jr_scene_done(&sc);
	jr_metrics_free(m);
}

static void golden(void **state)
{
	(void)state;
	static const struct jr_flame_node nodes[] = {
		{JR_NONE, "[GPU active]", JR_ROLE_COMPUTE, 0},
		{0, "/opt/paxml/trainer_lib.py:974:8[train_step]", JR_ROLE_USER_CODE, 1e6},
		{0, "/opt/b.py:1[g]", JR_ROLE_LIBRARY, 2e6},
		{2, "jit(main)/transformer/layer_norm/div", JR_ROLE_XLA, 1e6},
		{JR_NONE, "[GPU idle]", JR_ROLE_IDLE_INSIDE, 1e6},
	};
	struct jr_flame flame = flame_of(nodes, JR_COUNT_OF(nodes));
	flame.bare = true;
	flame.width = 604;
	struct jr_metrics *m = jr_metrics_new();
	struct jr_scene sc;
	struct jr_buf dump = {0};
	jr_flame_scene(&flame, m, &sc);
	jr_scene_dump(&sc, &dump);
	assert_string_equal(dump.data, "scene id=\"f\" label=\"T\" 604 82\n"
		"  group id=\"frames\" class=\"jr-frames\" data-top=\"8\" data-rows=\"4\" data-left=\"2\""
		" data-width=\"600\"\n"
		"    group\n"
		"      rect 2 25 479.5 16 fill=compute/4 tip=\"[GPU active]: 4.000 ms, 80.00 %\"\n"
		"    group\n"
		"      rect 482 25 119.5 16 fill=idle-inside/2 tip=\"[GPU idle]: 1.000 ms, 20.00 %\"\n"
		"    group\n"
		"      rect 362 42 119.5 16 fill=user-code/2 tip=\"/opt/paxml/trainer_lib.py:974:8"
		"[train_step]: 1.000 ms, 20.00 %\"\n"
		"    group\n"
		"      rect 2 42 359.5 16 fill=library/1 tip=\"/opt/b.py:1[g]: 3.000 ms, 60.00 %\"\n"
		"    group\n"
		"      rect 2 59 119.5 16 fill=xla/3 tip=\"jit(main)/transformer/layer_norm/div: "
		"1.000 ms, 20.00 %\"\n"
		"    group\n"
		"      rect 2 8 599.5 16 fill=unknown/1 tip=\"all: 5.000 ms, 100.00 %\"\n"
		"    group\n"
		"      text 6 37 11 start ink \"[GPU active]\"\n"
		"      text 486 37 11 start ink \"[GPU idle]\"\n"
		"      text 366 54 11 start ink \"train_step\u00A0 trainer…\"\n"
		"      text 6 54 11 start ink \"g\u00A0 b.py:1\"\n"
		"      text 6 71 11 start ink \"…/layer_norm/div\"\n"
		"      text 6 20 11 start ink \"all\"\n");
	jr_buf_done(&dump);
	jr_scene_done(&sc);
	jr_metrics_free(m);
}

/* --- labels ---------------------------------------------------------------------------------- */

static void assert_split(const char *name, const char *function, const char *place)
{
	struct jr_flame_place got;
	if (!function) {
		assert_false(jr_flame_split(name, &got));
		return;
	}
	assert_true(jr_flame_split(name, &got));
	assert_int_equal(got.n_function, strlen(function));
	assert_memory_equal(got.function, function, got.n_function);
	assert_int_equal(got.n_place, strlen(place));
	assert_memory_equal(got.place, place, got.n_place);
}

static void splitting(void **state)
{
	(void)state;
	assert_split("/opt/a/b.py:12[f]", "f", "b.py:12");
	assert_split("b.py:12:34[f]", "f", "b.py:12");
	assert_split("/x/y.py:5[<module>]", "<module>", "y.py:5");
	assert_split("/x/y.py:5[f[0]]", "f[0]", "y.py:5");
	assert_split("reduce_sum[axes=(0, 1)]", NULL, NULL);
	assert_split("[GPU active]", NULL, NULL);
	assert_split("/a.py:12[]", NULL, NULL);
	assert_split("/a.py:[f]", NULL, NULL);
	assert_split(":1[f]", NULL, NULL);
	assert_split("", NULL, NULL);
	assert_split("]", NULL, NULL);
	assert_split("<string>:1[f]", "f", "<string>:1");
}

static void labels_fit(void **state)
{
	(void)state;
	static const char *const names[] = {"/opt/paxml/trainer_lib.py:974[train_step]",
		"jit(main)/transformer/layer_norm/div", "[GPU idle during module execution]", "/", "a/",
		""};
	struct jr_metrics *m = jr_metrics_new();
	struct jr_buf label = {0};
	for (size_t i = 0; i < JR_COUNT_OF(names); i++)
		for (double room = 0; room < 400; room += 3) {
			jr_flame_label(m, names[i], room, &label);
			assert_true(jr_metrics_width(m, label.data, label.size, 11, false) <= room + 1e-9);
		}
	jr_flame_label(m, names[0], 400, &label);
	assert_string_equal(label.data, "train_step\u00A0 trainer_lib.py:974");
	jr_flame_label(m, names[0], 75, &label);
	assert_string_equal(label.data, "train_step");
	jr_buf_done(&label);
	jr_metrics_free(m);
}

/* --- packing --------------------------------------------------------------------------------- */

/* The numbers of the array `key` of the JSON text. */
static size_t numbers(const char *json, const char *key, int64_t *out, size_t room)
{
	char pattern[16];
	snprintf(pattern, sizeof(pattern), "\"%s\":[", key);
	const char *at = strstr(json, pattern);
	assert_non_null(at);
	at += strlen(pattern);
	size_t n = 0;
	while (*at != ']') {
		char *end;
		assert_true(n < room);
		out[n++] = strtoll(at, &end, 10);
		assert_true(end > at);
		at = *end == ',' ? end + 1 : end;
	}
	return n;
}

static void packed_totals(void **state)
{
	(void)state;
	static struct jr_flame_node nodes[MAX_NODES];
	static int64_t self[MAX_NODES], up[MAX_NODES];
	for (uint32_t seed = 1; seed < 20; seed++) {
		size_t n = seed * 40;
		random_tree(seed, nodes, n);
		for (size_t i = 0; i < n; i++)
			nodes[i].self /= 3; /* shares that are not whole */
		struct jr_flame flame = flame_of(nodes, n);
		struct jr_flame_tree tree = jr_flame_order(&flame);
		struct jr_buf json = {0};
		jr_flame_pack(&flame, &json);
		assert_int_equal(numbers(json.data, "s", self, MAX_NODES), n);
		assert_int_equal(numbers(json.data, "u", up, MAX_NODES), n);
		size_t depth = 0;
		for (size_t i = 0; i < n; i++) {
			depth = i ? depth + 1 - (size_t)up[i] : 0;
			assert_int_equal(depth, tree.frames[i].depth);
			int64_t total = 0;
			for (size_t k = i; k < tree.frames[i].end; k++)
				total += self[k];
			assert_true(fabs((double)total - tree.frames[i].total) <= 1 + 1e-6);
			assert_true(self[i] >= 0);
		}
		jr_buf_done(&json);
		free(tree.frames);
	}
}

static void packed_text(void **state)
{
	(void)state;
	static const struct jr_flame_node nodes[] = {
		{JR_NONE, "</script><script>alert(1)", JR_ROLE_XLA, 0},
		{0, "\"\\\x01 & ]]>", JR_ROLE_SERIES_8, 1.5},
		{0, "prefix/one", JR_ROLE_NONE, 2},
		{0, "prefix/other", JR_ROLE_NONE, 0.25},
	};
	struct jr_flame flame = flame_of(nodes, JR_COUNT_OF(nodes));
	flame.unit = JR_FLAME_MS;
	struct jr_buf json = {0}, again = {0};
	jr_flame_pack(&flame, &json);
	jr_flame_pack(&flame, &again);
	assert_string_equal(json.data, again.data);
	assert_null(strpbrk(json.data, "<>&\x01"));
	assert_non_null(strstr(json.data, "\"p\":[0,0,0,0,8],"));
	assert_non_null(strstr(json.data, "\"q\":[\"\",\"\\\"\\\\␁ \\u0026 ]]\\u003e\","
		"\"\\u003c/script\\u003e\\u003cscript\\u003ealert(1)\",\"prefix/one\",\"ther\"]"));
	assert_non_null(strstr(json.data, "\"n\":[2,3,1,4],\"u\":[0,0,1,1],\"s\":[0,2000000,1500000,"
		"250000],\"total\":3750000}"));
	jr_buf_done(&json);
	jr_buf_done(&again);
}

/* --- hostile and empty ----------------------------------------------------------------------- */

static void assert_no_data(const struct jr_flame_node *nodes, size_t n)
{
	struct jr_flame flame = flame_of(nodes, n);
	struct jr_metrics *m = jr_metrics_new();
	struct jr_scene sc;
	struct jr_buf out = {0};
	jr_flame_scene(&flame, m, &sc);
	jr_scene_dump(&sc, &out);
	assert_non_null(strstr(out.data, "\"no data\""));
	out.size = 0;
	jr_flame_pack(&flame, &out);
	assert_non_null(strstr(out.data, "\"total\":0}"));
	jr_buf_done(&out);
	jr_scene_done(&sc);
	jr_metrics_free(m);
}

static void empty(void **state)
{
	(void)state;
	static const struct jr_flame_node bad[] = {{JR_NONE, "a", JR_ROLE_NONE, -1},
		{0, NULL, JR_ROLE_NONE, NAN}, {7, "later parent", JR_ROLE_NONE, 0}};
	assert_no_data(NULL, 0);
	assert_no_data(bad, 1);
	assert_no_data(bad, 3);
}

static void hostile_names(void **state)
{
	(void)state;
	static const struct jr_flame_node nodes[] = {
		{JR_NONE, "<script>alert(1)</script>", JR_ROLE_XLA, 1},
		{0, "]]> & \" ' \xff \x02", JR_ROLE_XLA, 5},
		{1, "/a\".py:1[</text><script>]", JR_ROLE_XLA, 5},
	};
	struct jr_flame flame = flame_of(nodes, JR_COUNT_OF(nodes));
	struct jr_metrics *m = jr_metrics_new();
	struct jr_scene sc;
	struct jr_buf out = {0};
	jr_flame_scene(&flame, m, &sc);
	jr_scene_svg_inline(&sc, NULL, &out);
	assert_null(strstr(out.data, "<script"));
	xmlDocPtr doc = xmlReadMemory(out.data, (int)out.size, "x", NULL, XML_PARSE_NONET);
	assert_non_null(doc);
	xmlFreeDoc(doc);
	jr_buf_done(&out);
	jr_scene_done(&sc);
	jr_metrics_free(m);
}

/* A chain of 200,000 calls: no recursion anywhere. */
static void deep(void **state)
{
	(void)state;
	size_t n = 200000;
	struct jr_flame_node *nodes = calloc(n, sizeof(*nodes));
	for (size_t i = 0; i < n; i++)
		nodes[i] = (struct jr_flame_node){i ? (uint32_t)(i - 1) : JR_NONE, "f", JR_ROLE_XLA, 0};
	nodes[n - 1].self = 1;
	struct jr_flame flame = flame_of(nodes, n);
	struct jr_flame_tree tree = jr_flame_order(&flame);
	assert_int_equal(tree.n, n);
	assert_int_equal(tree.depth, n);
	assert_true(tree.total == 1);
	free(tree.frames);
	free(nodes);
}

static void same_tints_for_ever(void **state)
{
	(void)state;
	assert_int_equal(jr_flame_tint("[GPU active]"), 4);
	assert_int_equal(jr_flame_tint("/opt/b.py:1[g]"), 1);
	size_t count[5] = {0};
	for (int i = 0; i < 400; i++) {
		char name[16];
		snprintf(name, sizeof(name), "f%d", i);
		unsigned tint = jr_flame_tint(name);
		assert_in_range(tint, 1, 4);
		count[tint]++;
	}
	for (int t = 1; t <= 4; t++)
		assert_in_range(count[t], 60, 140);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(widths_conserve), cmocka_unit_test(nothing_is_lost),
		cmocka_unit_test(golden), cmocka_unit_test(splitting), cmocka_unit_test(labels_fit),
		cmocka_unit_test(packed_totals), cmocka_unit_test(packed_text), cmocka_unit_test(empty),
		cmocka_unit_test(hostile_names), cmocka_unit_test(deep),
		cmocka_unit_test(same_tints_for_ever),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
