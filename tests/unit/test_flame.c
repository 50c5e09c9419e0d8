/* Flamegraphs: widths add up, nothing is lost, labels, packing, hostile names. */
#include <math.h>
#include <libxml/parser.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/intern.h"
#include "render/flame.h"
#include "render/flame_impl.h"
#include "render/scene_dom.h"

#define MAX_NODES 3000

#define NODE(up, text, what, own)                                                                  \
	{                                                                                              \
		.parent = (up), .name = (text), .role = (what), .self = (own)                              \
	}

/* A small random number generator, so that a failure can be repeated on any machine. */
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
		nodes[i] = (struct jr_flame_node)NODE(parent, names[next_random(&seed) % 7],
			(enum jr_role)(next_random(&seed) % JR_N_ROLES), self);
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

/* Every frame is over a frame of the row before, and frames of a row do not overlap. */
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
			/* Frames are half a pixel narrower than their share: the gap between neighbors. */
			if (fabs(r->y[i] - r->y[k] - JR_FLAME_ROW) < 1e-6 && r->x0[k] <= r->x0[i] + 1e-6 &&
				r->x1[i] <= r->x1[k] + 0.5 + 1e-6)
				below_one = true;
		}
		assert_true(below_one);
	}
}

static UNIT(widths_conserve)
{
	static struct jr_flame_node nodes[MAX_NODES];
	static struct rects rects;
	struct jr_metrics *m = jr_metrics_new();
	size_t n_drawn = 0;
	for (uint32_t seed = 1; seed < 40; seed++) {
		size_t n = seed < 10 ? seed : seed * 30;
		random_tree(seed, nodes, n);
		struct jr_flame flame = flame_of(nodes, n);
		struct jr_scene sc;
		jr_flame_scene(&flame, m, &sc);
		frames_of(&sc, &rects);
		if (rects.n)
			assert_nested(&rects);
		n_drawn += rects.n > 0;
		jr_scene_done(&sc);
	}
	assert_in_range(n_drawn, 30, 39); /* some of the smallest have no weight */
	jr_metrics_free(m);
}

/* One wide child and a thousand narrow ones: the box that gathers the narrow ones is as wide as
 * they are together. */
static UNIT(nothing_is_lost)
{
	static struct jr_flame_node nodes[1002];
	nodes[0] = (struct jr_flame_node)NODE(JR_NONE, "root", JR_ROLE_COMPUTE, 0);
	nodes[1] = (struct jr_flame_node)NODE(0, "wide", JR_ROLE_COMPUTE, 9000);
	for (size_t i = 2; i < 1002; i++)
		nodes[i] = (struct jr_flame_node)NODE(0, "narrow", JR_ROLE_COMPUTE, 1);
	struct jr_flame flame = flame_of(nodes, 1002);
	flame.bare = true;
	struct jr_metrics *m = jr_metrics_new();
	struct jr_scene sc;
	JR_CLEANUP(jr_buf_done) struct jr_buf dump = {0};
	jr_flame_scene(&flame, m, &sc);
	jr_scene_dump(&sc, &dump);
	assert_non_null(strstr(dump.data, "tip=\"… 1,000 frames: 1.000 µs, 10.00 %\""));
	assert_non_null(strstr(dump.data, "rect 1078.4 42 119.1 16"));
	assert_non_null(strstr(dump.data, "\"… 1,000 frames\""));
	jr_scene_done(&sc);
	jr_metrics_free(m);
}

static UNIT(golden)
{
	static const struct jr_flame_node nodes[] = {
		NODE(JR_NONE, "[GPU active]", JR_ROLE_COMPUTE, 0),
		NODE(0, "/opt/paxml/trainer_lib.py:974:8[train_step]", JR_ROLE_USER_CODE, 1e6),
		NODE(0, "/opt/b.py:1[g]", JR_ROLE_LIBRARY, 2e6),
		NODE(2, "jit(main)/transformer/layer_norm/div", JR_ROLE_XLA, 1e6),
		NODE(JR_NONE, "[GPU idle]", JR_ROLE_IDLE_INSIDE, 1e6),
	};
	struct jr_flame flame = flame_of(nodes, JR_COUNT_OF(nodes));
	flame.bare = true;
	flame.width = 604;
	struct jr_metrics *m = jr_metrics_new();
	struct jr_scene sc;
	JR_CLEANUP(jr_buf_done) struct jr_buf dump = {0};
	jr_flame_scene(&flame, m, &sc);
	jr_scene_dump(&sc, &dump);
	assert_string_equal(dump.data, "scene id=\"f\" label=\"T\" 604 82\n"
		"  group id=\"frames\" class=\"jr-frames\" data-top=\"8\" data-rows=\"4\" data-left=\"2\"\n"
		"    group\n"
		"      rect 2 25 479.5 16 area=compute tip=\"[GPU active]: 4.000 ms, 80.00 %\"\n"
		"    group\n"
		"      rect 482 25 119.5 16 hatched=idle-inside stroke=idle-inside 1 "
		"tip=\"[GPU idle]: 1.000 ms, 20.00 %\"\n"
		"    group\n"
		"      rect 362 42 119.5 16 area=user-code/7 tip=\"/opt/paxml/trainer_lib.py:974:8"
		"[train_step]: 1.000 ms, 20.00 %\"\n"
		"    group\n"
		"      rect 2 42 359.5 16 area=library tip=\"/opt/b.py:1[g]: 3.000 ms, 60.00 %\"\n"
		"    group\n"
		"      rect 2 59 119.5 16 area=xla/9 tip=\"jit(main)/transformer/layer_norm/div: "
		"1.000 ms, 20.00 %\"\n"
		"    group\n"
		"      rect 2 8 599.5 16 outlined=unknown stroke=unknown 1 "
		"tip=\"all: 5.000 ms, 100.00 %\"\n"
		"    group\n"
		"      line 2 26 481.5 26 stroke=ink 2\n"
		"    group\n"
		"      line 2 60 121.5 60 stroke=ink 2 dotted\n"
		"    group\n"
		"      text 6 37 12 start ink \"[GPU active]\"\n"
		"      text 486 37 12 start ink \"[GPU idle]\"\n"
		"      text 366 54 12 start ink \"train_step\u00A0 train…\"\n"
		"      text 6 54 12 start ink \"g\u00A0 b.py:1\"\n"
		"      text 6 71 12 start ink \"…/layer_norm/div\"\n"
		"      text 6 20 12 start ink \"all\"\n");
	jr_scene_done(&sc);
	jr_metrics_free(m);
}

/* --- folding --------------------------------------------------------------------------------- */

/* Build a root, a trunk of n frames that splits into two, and one idle frame. */
static size_t trunk(struct jr_flame_node *nodes, uint32_t n)
{
	static const char *const names[] = {"/a/main.py:1[<module>]", "/a/main.py:2[main]",
		"/lib/x.py:3[wrapper]", "/a/train.py:4[train]"};
	nodes[0] = (struct jr_flame_node)NODE(JR_NONE, "[GPU active]", JR_ROLE_COMPUTE, 0);
	for (uint32_t i = 0; i < n; i++)
		nodes[i + 1] = (struct jr_flame_node)NODE(i, names[i % 4], JR_ROLE_USER_CODE, 0);
	nodes[n + 1] = (struct jr_flame_node)NODE(n, "left", JR_ROLE_XLA, 2e6);
	nodes[n + 2] = (struct jr_flame_node)NODE(n, "right", JR_ROLE_XLA, 1e6);
	nodes[n + 3] = (struct jr_flame_node)NODE(JR_NONE, "[idle]", JR_ROLE_IDLE_INSIDE, 1e6);
	return n + 4;
}

static void assert_drawn(const struct jr_flame_node *nodes, size_t n, const char *text, bool is)
{
	struct jr_flame flame = flame_of(nodes, n);
	struct jr_metrics *m = jr_metrics_new();
	struct jr_scene sc;
	JR_CLEANUP(jr_buf_done) struct jr_buf dump = {0};
	flame.bare = true;
	jr_flame_scene(&flame, m, &sc);
	jr_scene_dump(&sc, &dump);
	if ((strstr(dump.data, text) != NULL) != is)
		fail_msg("%s: %s in %s", text, is ? "not" : "is", dump.data);
	jr_scene_done(&sc);
	jr_metrics_free(m);
}

static UNIT(trunk_is_folded)
{
	struct jr_flame_node nodes[80];
	size_t n = trunk(nodes, 9); /* the last frame, where the time splits, stays */
	static const char tip[] = "tip=\"… 8 frames shared by all stacks: <module> → train: 3.000 ms, "
		"75.00 %\\n<module>\u00A0 main.py:1\\nmain\u00A0 main.py:2\\nwrapper\u00A0 x.py:3";
	assert_drawn(nodes, n, tip, true);
	assert_drawn(nodes, n, "\"… 8 frames shared by all stacks: <module> → train\"", true);
	assert_drawn(nodes, n, "data-rows=\"5\"", true); /* all, root, band, last, its children */

	n = trunk(nodes, 4); /* three and the last: too few to fold */
	assert_drawn(nodes, n, "… ", false);
	n = trunk(nodes, 5);
	assert_drawn(nodes, n, "… 4 frames shared by all stacks", true);

	/* If another frame begins next to it, they are not all folded. */
	n = trunk(nodes, 9);
	nodes[n++] = (struct jr_flame_node)NODE(0, "/a/other.py:1[g]", JR_ROLE_USER_CODE, 1e6);
	assert_drawn(nodes, n, "share", false);
	assert_drawn(nodes, n, "\"… 8 frames: <module> → train\"", true);
	nodes[n - 1].role = JR_ROLE_UNKNOWN; /* no stack at all */
	assert_drawn(nodes, n, "… 8 frames shared by all stacks", true);

	/* A run with less than half of the time stays, because readers look for it. */
	nodes[n - 1].self = 4e6;
	assert_drawn(nodes, n, "… ", false);

	/* A frame with own time in the middle is not folded either. */
	n = trunk(nodes, 9);
	nodes[4].self = 1;
	assert_drawn(nodes, n, "… 8 frames", false);
	assert_drawn(nodes, n, "… 4 frames: <module> → <module>", false);
	assert_drawn(nodes, n, "… 4 frames: <module> → train", true);
}

/* The time of wrappers goes to their callers, and frames that wrappers kept apart are merged. */
static UNIT(wrappers_are_left_out)
{
	struct jr_flame_node nodes[] = {
		NODE(JR_NONE, "[GPU active]", JR_ROLE_COMPUTE, 0),
		NODE(0, "/a/train.py:1[step]", JR_ROLE_USER_CODE, 1e6),
		NODE(1, "/lib/w.py:2[first]", JR_ROLE_LIBRARY, 2e6),
		NODE(1, "/lib/w.py:3[second]", JR_ROLE_LIBRARY, 0),
		NODE(2, "/a/layer.py:4[call]", JR_ROLE_USER_CODE, 4e6),
		NODE(3, "/a/layer.py:4[call]", JR_ROLE_USER_CODE, 8e6),
		NODE(5, "/lib/w.py:2[first]", JR_ROLE_LIBRARY, 16e6),
		NODE(JR_NONE, "/lib/w.py:9[alone]", JR_ROLE_LIBRARY, 1e6),
	};
	size_t n = JR_COUNT_OF(nodes);
	assert_drawn(nodes, n, "\"first\u00A0 w.py:2\"", true);
	assert_drawn(nodes, n, "layer.py:4[call]: 28.00 ms", false);
	nodes[2].wrapper = nodes[3].wrapper = nodes[6].wrapper = nodes[7].wrapper = true;
	assert_drawn(nodes, n, "first", false);
	assert_drawn(nodes, n, "/a/layer.py:4[call]: 28.00 ms, 87.50 %", true);
	assert_drawn(nodes, n, "/a/train.py:1[step]: 31.00 ms, 96.88 %", true);
	assert_drawn(nodes, n, "/lib/w.py:9[alone]: 1.000 ms", true); /* has no caller */
}

/* The legend explains only what is drawn. */
static UNIT(legends_of_what_is_drawn)
{
	struct jr_flame_node nodes[] = {
		NODE(JR_NONE, "a", JR_ROLE_USER_CODE, 1),
		NODE(0, "w", JR_ROLE_LIBRARY, 1),
	};
	struct jr_flame flame = flame_of(nodes, 2);
	flame.legend = (struct jr_part[]){{"own code", JR_ROLE_USER_CODE}, {"bought", JR_ROLE_LIBRARY}};
	flame.n_legend = 2;
	for (int hidden = 0; hidden < 2; hidden++) {
		struct jr_metrics *m = jr_metrics_new();
		struct jr_scene sc;
		JR_CLEANUP(jr_buf_done) struct jr_buf dump = {0};
		nodes[1].wrapper = hidden;
		jr_flame_scene(&flame, m, &sc);
		jr_scene_dump(&sc, &dump);
		assert_non_null(strstr(dump.data, "own code"));
		assert_int_equal(strstr(dump.data, "bought") == NULL, hidden);
		jr_scene_done(&sc);
		jr_metrics_free(m);
	}
}

static UNIT(long_bands_are_listed_in_part)
{
	struct jr_flame_node nodes[80];
	size_t n = trunk(nodes, 70);
	assert_drawn(nodes, n, "\\n… and 21 more\"", true);
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

static UNIT(splitting)
{
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

static UNIT(labels_fit)
{
	static const char *const names[] = {"/opt/paxml/trainer_lib.py:974[train_step]",
		"jit(main)/transformer/layer_norm/div", "[GPU idle during module execution]", "/", "a/",
		""};
	struct jr_metrics *m = jr_metrics_new();
	JR_CLEANUP(jr_buf_done) struct jr_buf label = {0};
	for (size_t i = 0; i < JR_COUNT_OF(names); i++)
		for (double room = 0; room < 400; room += 3) {
			jr_flame_label(m, names[i], room, &label);
			assert_true(jr_metrics_width(m, label.data, label.size, 11, false) <= room + 1e-9);
		}
	jr_flame_label(m, names[0], 400, &label);
	assert_string_equal(label.data, "train_step\u00A0 trainer_lib.py:974");
	jr_flame_label(m, names[0], 75, &label);
	assert_string_equal(label.data, "train_step");
	jr_metrics_free(m);
}

/* --- packing --------------------------------------------------------------------------------- */

/* Read the numbers of the array `key` of the JSON text. */
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

static UNIT(packed_totals)
{
	static struct jr_flame_node nodes[MAX_NODES];
	static int64_t self[MAX_NODES], up[MAX_NODES];
	for (uint32_t seed = 1; seed < 20; seed++) {
		size_t n = seed * 40;
		random_tree(seed, nodes, n);
		for (size_t i = 0; i < n; i++)
			nodes[i].self /= 3; /* fractional shares */
		struct jr_flame flame = flame_of(nodes, n);
		struct jr_flame_tree tree = jr_flame_order(&flame, JR_FLAME_AFTER);
		JR_CLEANUP(jr_buf_done) struct jr_buf json = {0};
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
		free(tree.frames);
	}
}

static UNIT(packed_text)
{
	static const struct jr_flame_node nodes[] = {
		NODE(JR_NONE, "</script><script>alert(1)", JR_ROLE_XLA, 0),
		NODE(0, "\"\\\x01 & ]]>", JR_ROLE_SERIES_8, 1.5),
		NODE(0, "prefix/one", JR_ROLE_NONE, 2),
		NODE(0, "prefix/other", JR_ROLE_NONE, 0.25),
	};
	struct jr_flame flame = flame_of(nodes, JR_COUNT_OF(nodes));
	flame.unit = JR_FLAME_MS;
	struct jr_buf json = {0}, again = {0};
	jr_flame_pack(&flame, &json);
	jr_flame_pack(&flame, &again);
	assert_string_equal(json.data, again.data);
	assert_null(strpbrk(json.data, "<>&\x01"));
	assert_non_null(strstr(json.data, "\"p\":[0,0,0,8],"));
	assert_non_null(strstr(json.data, "\"q\":[\"\\\"\\\\␁ \\u0026 ]]\\u003e\","
		"\"\\u003c/script\\u003e\\u003cscript\\u003ealert(1)\",\"prefix/one\",\"ther\"]"));
	assert_non_null(strstr(json.data, "\"n\":[1,2,0,3],\"u\":[0,0,1,1],\"s\":[0,2000000,1500000,"
		"250000],\"total\":3750000}"));
	jr_buf_done(&json);
	jr_buf_done(&again);
}

/* What follows the prefix that a name shares with the one before it is written once. */
static UNIT(repeated_names)
{
	static const struct jr_flame_node nodes[] = {NODE(JR_NONE, "1/div", JR_ROLE_XLA, 8),
		NODE(0, "1/mul", JR_ROLE_XLA, 7), NODE(0, "2/div", JR_ROLE_XLA, 6),
		NODE(0, "2/mul", JR_ROLE_XLA, 5), NODE(0, "2/mul/2", JR_ROLE_XLA, 4)};
	struct jr_flame flame = flame_of(nodes, JR_COUNT_OF(nodes));
	JR_CLEANUP(jr_buf_done) struct jr_buf json = {0};
	jr_flame_pack(&flame, &json);
	assert_non_null(
		strstr(json.data, "\"p\":[0,2,0,2,5],\"q\":[\"1/div\",\"mul\",\"2/div\",2,\"/2\"]"));
}

/* The unit of a tree of bytes is in its tooltips and in the packed tree. */
static UNIT(bytes)
{
	static const struct jr_flame_node nodes[] = {NODE(JR_NONE, "cuda:0", JR_ROLE_COMPUTE, 0),
		NODE(0, "/a.py:1[f]", JR_ROLE_USER_CODE, 338184)};
	struct jr_flame flame = flame_of(nodes, JR_COUNT_OF(nodes));
	flame.unit = JR_FLAME_BYTES;
	struct jr_buf json = {0}, dump = {0};
	struct jr_scene scene = {0};
	jr_flame_pack(&flame, &json);
	assert_non_null(strstr(json.data, "\"unit\":\"bytes\""));
	assert_non_null(strstr(json.data, "\"total\":338184}"));
	struct jr_metrics *metrics = jr_metrics_new();
	jr_flame_scene(&flame, metrics, &scene);
	jr_scene_dump(&scene, &dump);
	assert_non_null(strstr(dump.data, "tip=\"/a.py:1[f]: 338.2 kB, 100.00 %\""));
	jr_metrics_free(metrics);
	jr_scene_done(&scene);
	jr_buf_done(&json);
	jr_buf_done(&dump);
}

/* Frames against rooflines: one word for each frame with time, short if all of its time has a
 * roofline. */
static UNIT(packed_roofs)
{
	static const struct jr_flame_node nodes[] = {
		{.parent = JR_NONE, .name = "root"}, /* no own time: no word */
		{.parent = 0, .name = "a", .self = 100, .roofed = 100, .roof = 60, .lost = 40},
		{.parent = 0, .name = "b", .self = 90}, /* no roofline */
		{.parent = 0, .name = "c", .self = 80, .roofed = 30, .roof = 20, .lost = 10},
		/* partly faster than its roofline */
		{.parent = 0, .name = "d", .self = 70, .roofed = 70, .roof = 90, .lost = 5},
		{.parent = 0, .name = "e", .self = 60, .roofed = 60, .roof = 60, .lost = 0},
	};
	struct jr_flame flame = flame_of(nodes, JR_COUNT_OF(nodes));
	JR_CLEANUP(jr_buf_done) struct jr_buf json = {0};
	jr_flame_pack(&flame, &json);
	assert_null(strstr(json.data, "\"e\":"));
	json.size = 0;
	flame.roofs = true;
	jr_flame_pack(&flame, &json);
	assert_non_null(strstr(json.data, "\"s\":[0,100,90,80,70,60],"));
	assert_non_null(strstr(json.data, "\"e\":[40,-1,[10,30,20],[5,70,90],0],"));
}

/* If there are too many frames, only the widest are packed; the rest is gathered and nothing is
 * lost. */
static UNIT(packed_in_part)
{
	enum { N = 60000 };
	struct jr_flame_node *nodes = calloc(N, sizeof(*nodes));
	int64_t *self = calloc(N, sizeof(*self)), *name = calloc(N, sizeof(*name));
	nodes[0] = (struct jr_flame_node)NODE(JR_NONE, "root", JR_ROLE_COMPUTE, 0);
	for (uint32_t i = 1; i < N; i++) /* 100 groups of 599 */
		nodes[i] = (struct jr_flame_node)NODE(i <= 100 ? 0 : i % 100 + 1, "x", JR_ROLE_XLA,
			i <= 100 ? 0 : i);
	struct jr_flame flame = flame_of(nodes, N);
	JR_CLEANUP(jr_buf_done) struct jr_buf json = {0};
	assert_int_equal(jr_flame_pack(&flame, &json), N - JR_FLAME_MAX_PACKED);
	assert_true(json.size < JR_FLAME_MAX_BYTES * 2);
	size_t n = numbers(json.data, "n", name, N), gathered = 0, groups = 0;
	assert_int_equal(numbers(json.data, "s", self, N), n);
	int64_t sum = 0, expected = 0;
	for (size_t i = 0; i < n; i++) {
		gathered += name[i] < 0 ? (size_t)-name[i] : 0;
		groups += name[i] < 0;
		sum += self[i];
	}
	for (int64_t i = 101; i < N; i++)
		expected += i;
	assert_int_equal(sum, expected);
	assert_int_equal(groups, 100);
	assert_int_equal(gathered, N - JR_FLAME_MAX_PACKED);
	assert_int_equal(n, JR_FLAME_MAX_PACKED + groups);
	free(nodes);
	free(self);
	free(name);
}

/* The length of names counts too. */
static UNIT(packed_names_are_bounded)
{
	enum { N = 3000, LONG = 5000 };
	struct jr_flame_node *nodes = calloc(N, sizeof(*nodes));
	char *names = calloc(N, LONG + 8);
	for (uint32_t i = 0; i < N; i++) {
		char *name = names + (size_t)i * (LONG + 8);
		int digits = snprintf(name, 8, "%u", i);
		memset(name + digits, 'x', LONG);
		nodes[i] = (struct jr_flame_node)NODE(JR_NONE, name, JR_ROLE_XLA, N - i);
	}
	struct jr_flame flame = flame_of(nodes, N);
	JR_CLEANUP(jr_buf_done) struct jr_buf json = {0};
	size_t left_out = jr_flame_pack(&flame, &json);
	assert_in_range(left_out, 1, N - 500);
	assert_true(json.size < JR_FLAME_MAX_BYTES + 10000);
	free(nodes);
	free(names);
}

static UNIT(packed_wrappers)
{
	struct jr_flame_node nodes[] = {
		NODE(JR_NONE, "a", JR_ROLE_USER_CODE, 0),
		NODE(0, "w", JR_ROLE_LIBRARY, 0),
		NODE(1, "b", JR_ROLE_USER_CODE, 1),
		NODE(2, "w", JR_ROLE_LIBRARY, 1),
	};
	nodes[1].wrapper = nodes[3].wrapper = true;
	struct jr_flame flame = flame_of(nodes, JR_COUNT_OF(nodes));
	flame.legend = (struct jr_part[]){{"user's code", JR_ROLE_USER_CODE}};
	flame.n_legend = 1;
	JR_CLEANUP(jr_buf_done) struct jr_buf json = {0};
	assert_int_equal(jr_flame_pack(&flame, &json), 0);
	assert_non_null(strstr(json.data, "\"w\":[2],\"n\":[0,2,1,2]"));
	assert_non_null(strstr(json.data, ",\"user's code\"]]"));
}

/* Links belong to names: the script expects each name once, by its place in sorted order. */
static UNIT(packed_links)
{
	static const struct jr_flame_node nodes[] = {NODE(JR_NONE, "b", JR_ROLE_XLA, 1),
		NODE(0, "c", JR_ROLE_XLA, 1), NODE(1, "a", JR_ROLE_XLA, 1), NODE(0, "a", JR_ROLE_XLA, 1)};
	static const char *const hrefs[] = {NULL, "#</c>", "#src-1-7", "#src-1-7"};
	struct jr_flame flame = flame_of(nodes, JR_COUNT_OF(nodes));
	JR_CLEANUP(jr_buf_done) struct jr_buf json = {0};
	flame.hrefs = hrefs;
	jr_flame_pack(&flame, &json);
	if (!strstr(json.data, "\"l\":[0,2],\"h\":[\"#src-1-7\",\"#\\u003c/c\\u003e\"]"))
		fail_msg("%s", json.data);
}

/* --- hostile and empty ----------------------------------------------------------------------- */

static void assert_no_data(const struct jr_flame_node *nodes, size_t n)
{
	struct jr_flame flame = flame_of(nodes, n);
	struct jr_metrics *m = jr_metrics_new();
	struct jr_scene sc;
	JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
	jr_flame_scene(&flame, m, &sc);
	jr_scene_dump(&sc, &out);
	assert_non_null(strstr(out.data, "\"no data\""));
	out.size = 0;
	jr_flame_pack(&flame, &out);
	assert_non_null(strstr(out.data, "\"total\":0}"));
	jr_scene_done(&sc);
	jr_metrics_free(m);
}

static UNIT(empty)
{
	static const struct jr_flame_node bad[] = {NODE(JR_NONE, "a", JR_ROLE_NONE, -1),
		NODE(0, NULL, JR_ROLE_NONE, NAN), NODE(7, "later parent", JR_ROLE_NONE, 0)};
	assert_no_data(NULL, 0);
	assert_no_data(bad, 1);
	assert_no_data(bad, 3);
}

static UNIT(hostile_names)
{
	static const struct jr_flame_node nodes[] = {
		NODE(JR_NONE, "<script>alert(1)</script>", JR_ROLE_XLA, 1),
		NODE(0, "]]> & \" ' \xff \x02", JR_ROLE_XLA, 5),
		NODE(1, "/a\".py:1[</text><script>]", JR_ROLE_XLA, 5),
	};
	struct jr_flame flame = flame_of(nodes, JR_COUNT_OF(nodes));
	struct jr_metrics *m = jr_metrics_new();
	struct jr_scene sc;
	JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
	jr_flame_scene(&flame, m, &sc);
	jr_scene_svg_inline(&sc, NULL, &out);
	assert_null(strstr(out.data, "<script"));
	xmlDocPtr doc = xmlReadMemory(out.data, (int)out.size, "x", NULL, XML_PARSE_NONET);
	assert_non_null(doc);
	xmlFreeDoc(doc);
	jr_scene_done(&sc);
	jr_metrics_free(m);
}

/* A chain of 200,000 calls: no recursion anywhere. */
static UNIT(deep)
{
	size_t n = 200000;
	struct jr_flame_node *nodes = calloc(n, sizeof(*nodes));
	for (size_t i = 0; i < n; i++)
		nodes[i] = (struct jr_flame_node)NODE(i ? (uint32_t)(i - 1) : JR_NONE, "f", JR_ROLE_XLA, 0);
	nodes[n - 1].self = 1;
	struct jr_flame flame = flame_of(nodes, n);
	struct jr_flame_tree tree = jr_flame_order(&flame, JR_FLAME_AFTER);
	assert_int_equal(tree.n, n);
	assert_int_equal(tree.depth, n);
	assert_true(tree.total == 1);
	free(tree.frames);
	free(nodes);
}

/* Many rows of many frames, or a deep stack, do not make a chart too large for a browser. */
static UNIT(pictures_are_bounded)
{
	enum { WIDE = 600, DEEP = 900, N = WIDE * DEEP };
	struct jr_flame_node *nodes = calloc(N, sizeof(*nodes));
	for (uint32_t i = 0; i < N; i++) /* as wide at each depth */
		nodes[i] = (struct jr_flame_node)NODE(i < WIDE ? JR_NONE : i - WIDE, "f", JR_ROLE_XLA,
			i < N - WIDE ? 0 : 1);
	struct jr_flame flame = flame_of(nodes, N);
	struct jr_metrics *m = jr_metrics_new();
	struct jr_scene sc;
	for (int folded = 0; folded < 2; folded++) {
		for (uint32_t i = 0; i < N - WIDE; i++)
			nodes[i].self = folded ? 0 : 1e-3; /* own time: not folded */
		jr_flame_scene(&flame, m, &sc);
		assert_true(sc.items.n < 20000);
		assert_true(sc.height < 10000);
		jr_scene_done(&sc);
	}
	jr_metrics_free(m);
	free(nodes);
}

static size_t n_frames_drawn(const struct jr_flame_node *nodes, size_t n)
{
	static struct rects rects;
	struct jr_flame flame = flame_of(nodes, n);
	struct jr_metrics *m = jr_metrics_new();
	struct jr_scene sc;
	flame.bare = true;
	jr_flame_scene(&flame, m, &sc);
	frames_of(&sc, &rects);
	jr_scene_done(&sc);
	jr_metrics_free(m);
	return rects.n;
}

/* Among many frames, those too narrow to point at are gathered, but never a wide one. */
static UNIT(crowds_are_gathered)
{
	enum { NARROW = 580, WIDE = 20, DEEP = 300 };
	static struct jr_flame_node nodes[1 + NARROW + WIDE], deep[3 * DEEP];
	nodes[0] = (struct jr_flame_node)NODE(JR_NONE, "root", JR_ROLE_COMPUTE, 0);
	for (size_t i = 1; i < JR_COUNT_OF(nodes); i++) /* 1.5 px and 15 px */
		nodes[i] = (struct jr_flame_node)NODE(0, "f", JR_ROLE_COMPUTE, i > NARROW ? 10 : 1);
	/* the top row, the root, the wide frames and the box of the others */
	assert_int_equal(n_frames_drawn(nodes, JR_COUNT_OF(nodes)), 2 + WIDE + 1);
	assert_int_equal(n_frames_drawn(nodes, 1 + 400), 2 + 400);
	for (uint32_t i = 0; i < JR_COUNT_OF(deep); i++)
		deep[i] = (struct jr_flame_node)NODE(
			i < 3 ? JR_NONE : i - 3, "f", JR_ROLE_XLA, i < 3 * (DEEP - 1) ? 1 : 1e6);
	assert_int_equal(n_frames_drawn(deep, JR_COUNT_OF(deep)), 1 + 3 * DEEP);
}

static UNIT(same_tints_for_ever)
{
	assert_int_equal(jr_flame_tint("[GPU active]"), 4);
	assert_int_equal(jr_flame_tint("/opt/b.py:1[g]"), 4);
	/* A function keeps its color when its line or folder changes. */
	assert_int_equal(jr_flame_tint("/a/b/m.py:12:3[f]"), jr_flame_tint("/c/m.py:977[f]"));
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
