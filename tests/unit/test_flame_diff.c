/* Flamegraphs of a comparison: the scale, both charts, tooltips, and packing. */
#include <math.h>
#include <string.h>

#include "unit.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/intern.h"
#include "render/flame_diff.h"

#define NODE(up, text, before, after)                                                              \
	{                                                                                              \
		.parent = (up), .name = (text), .base = (before), .self = (after)                          \
	}

/* 20 ms to 22 ms: "a" gains, "gone" is removed, "young" added, "same" stays. */
static const struct jr_flame_node nodes[] = {
	NODE(JR_NONE, "root", 0, 0),
	NODE(0, "a", 10e6, 12e6),
	NODE(0, "gone", 4e6, 0),
	NODE(0, "young", 0, 4e6),
	NODE(0, "same", 6e6, 6e6),
};

static struct jr_flame flame_of(const struct jr_flame_node *list, size_t n)
{
	return (struct jr_flame){
		.id = "f", .title = "T", .bare = true, .diff = true, .nodes = list, .n_nodes = n};
}

static UNIT(steps_of_the_scale)
{
	static const struct {
		double before, after;
		int step;
	} cases[] = {{0, 0, 0}, {5, 5, 0}, {1000, 1009, 0}, {1000, 991, 0}, {1000, 1010, 1},
		{1000, 990, -1}, {1000, 1030, 2}, {1000, 970, -2}, {1000, 1100, 3}, {1000, 900, -3},
		{1000, 1300, 4}, {1000, 700, -4}, {0, 1, 4}, {1, 0, -4}, {1, 1e15, 4}};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++)
		assert_int_equal(jr_flame_step(cases[i].before, cases[i].after), cases[i].step);
	/* Nine looks, all different. */
	for (int a = -JR_FLAME_MAX_STEP; a <= JR_FLAME_MAX_STEP; a++)
		for (int b = a + 1; b <= JR_FLAME_MAX_STEP; b++) {
			struct jr_style x = jr_flame_step_style(a), y = jr_flame_step_style(b);
			assert_true(x.fill != y.fill || x.tint != y.tint);
			assert_true(jr_tint_alpha(x.tint) < 1); /* text on it can be read */
		}
	/* Stronger steps are less transparent. */
	for (int a = 1; a < JR_FLAME_MAX_STEP; a++) {
		assert_true(jr_tint_alpha(jr_flame_step_style(a).tint) <
					jr_tint_alpha(jr_flame_step_style(a + 1).tint));
		assert_int_equal(jr_flame_step_style(a).tint, jr_flame_step_style(-a).tint);
	}
}

/* Return the sum of the widths of the boxes with this tooltip in a group; -1 for no box. */
static double width_of(const struct jr_scene *sc, const char *group, const char *tip)
{
	double sum = -1;
	int depth = 0;
	for (size_t i = 0; i < sc->items.n; i++) {
		const struct jr_item *item = &sc->items.items[i];
		if (item->kind == JR_ITEM_OPEN)
			depth =
				depth || (item->group->id && strcmp(item->group->id, group) == 0) ? depth + 1 : 0;
		else if (item->kind == JR_ITEM_CLOSE && depth)
			depth--;
		else if (depth && item->kind == JR_ITEM_RECT && item->tip && strcmp(item->tip, tip) == 0)
			sum = (sum < 0 ? 0 : sum) + item->rect.width;
	}
	return sum;
}

static bool says(const struct jr_scene *sc, const char *text)
{
	for (size_t i = 0; i < sc->items.n; i++)
		if (sc->items.items[i].kind == JR_ITEM_TEXT &&
			strcmp(sc->items.items[i].text.string, text) == 0)
			return true;
	return false;
}

static UNIT(both_pictures)
{
	static const char a[] = "a: 10.00 ms → 12.00 ms, +2.000 ms (+20.00 %)";
	static const char gone[] = "gone: 4.000 ms → 0 ns, −4.000 ms (removed)";
	static const char young[] = "young: 0 ns → 4.000 ms, +4.000 ms (added)";
	static const char same[] = "same: 6.000 ms → 6.000 ms, 0 ns (0.00 %)";
	static const char all[] = "all: 20.00 ms → 22.00 ms, +2.000 ms (+10.00 %)";
	struct jr_metrics *m = jr_metrics_new();
	struct jr_flame flame = flame_of(nodes, JR_COUNT_OF(nodes));
	struct jr_scene sc;
	jr_flame_scene(&flame, m, &sc);
	double px = 1196.0 / 22; /* per ms in the new run */
	assert_true(fabs(width_of(&sc, "frames", a) - (12 * px - 0.5)) < 1e-6);
	assert_true(fabs(width_of(&sc, "frames", young) - (4 * px - 0.5)) < 1e-6);
	assert_true(fabs(width_of(&sc, "frames", same) - (6 * px - 0.5)) < 1e-6);
	assert_true(width_of(&sc, "frames", gone) < 0);
	px = 1196.0 / 10; /* 2 + 4 + 4 ms changed */
	assert_true(fabs(width_of(&sc, "changes", a) - (2 * px - 0.5)) < 1e-6);
	assert_true(fabs(width_of(&sc, "changes", young) - (4 * px - 0.5)) < 1e-6);
	assert_true(fabs(width_of(&sc, "changes", gone) - (4 * px - 0.5)) < 1e-6);
	assert_true(width_of(&sc, "changes", same) < 0);
	assert_true(fabs(width_of(&sc, "changes", all) - (10 * px - 0.5)) < 1e-6);
	assert_true(says(&sc, "gone\u00A0 removed") && says(&sc, "young\u00A0 added"));
	assert_true(says(&sc, "a\u00A0 +20.0 %") && says(&sc, "same"));
	assert_true(says(&sc, "−30 %") && says(&sc, "+30 %"));
	jr_scene_done(&sc);
	jr_metrics_free(m);
}

/* A run compared with itself, and runs of which one is empty. */
static UNIT(one_sided)
{
	static const struct jr_flame_node still[] = {NODE(JR_NONE, "x", 5e6, 5e6)};
	static const struct jr_flame_node gone[] = {NODE(JR_NONE, "x", 5e6, 0)};
	static const struct jr_flame_node none[] = {NODE(JR_NONE, "x", 0, NAN)};
	struct jr_metrics *m = jr_metrics_new();
	struct jr_scene sc;
	struct jr_flame flame = flame_of(still, 1);
	jr_flame_scene(&flame, m, &sc);
	assert_true(says(&sc, "No frame changed its time."));
	assert_true(width_of(&sc, "changes", "x: 5.000 ms → 5.000 ms, 0 ns (0.00 %)") < 0);
	jr_scene_done(&sc);
	flame = flame_of(gone, 1);
	jr_flame_scene(&flame, m, &sc);
	assert_true(width_of(&sc, "frames", "x: 5.000 ms → 0 ns, −5.000 ms (removed)") > 1000);
	assert_true(width_of(&sc, "changes", "x: 5.000 ms → 0 ns, −5.000 ms (removed)") > 1000);
	jr_scene_done(&sc);
	flame = flame_of(none, 1);
	jr_flame_scene(&flame, m, &sc);
	assert_true(says(&sc, "no data"));
	jr_scene_done(&sc);
	jr_metrics_free(m);
}

static UNIT(packed)
{
	struct jr_flame flame = flame_of(nodes, JR_COUNT_OF(nodes));
	struct jr_buf json = {0};
	assert_int_equal(jr_flame_pack(&flame, &json), 0);
	/* By the sum of both: root, a 22, same 12, gone 4, young 4. */
	assert_non_null(strstr(json.data, ",\"s\":[0,12000000,6000000,0,4000000]"));
	assert_non_null(strstr(json.data, ",\"b\":[0,10000000,6000000,4000000,0]"));
	assert_non_null(strstr(json.data, ",\"total\":22000000"));
	jr_buf_done(&json);
	flame.diff = false;
	jr_flame_pack(&flame, &json);
	assert_null(strstr(json.data, "\"b\":"));
	jr_buf_done(&json);
}

/* Too many frames for a page: those with the largest sums over both runs stay, including removed
 * ones, and neither run loses time. */
static UNIT(packed_in_part)
{
	enum { N = JR_FLAME_MAX_PACKED + 500 };
	static struct jr_flame_node many[N];
	static char names[N][16];
	many[0] = (struct jr_flame_node)NODE(JR_NONE, "root", 0, 0);
	for (int i = 1; i < N; i++) {
		names[i][0] = 'f';
		jr_num_i64(&names[i][1], i);
		many[i] = (struct jr_flame_node)NODE(0, names[i], i % 2 ? 0 : 2, i % 2 ? 2 : 0);
	}
	many[N - 1].self = 0;
	many[N - 1].base = 1000;
	struct jr_flame flame = flame_of(many, N);
	JR_CLEANUP(jr_buf_done) struct jr_buf json = {0};
	assert_int_equal(jr_flame_pack(&flame, &json), 500);
	const char *s = strstr(json.data, ",\"s\":["), *b = strstr(json.data, ",\"b\":[");
	assert_non_null(s);
	assert_non_null(b);
	const char *const lists[] = {s, b};
	static const double wanted[] = {2.0 * (N / 2 - 1), 2.0 * (N / 2 - 1) + 1000};
	for (int side = 0; side < 2; side++) {
		double sum = 0;
		for (const char *at = lists[side] + 5; *at != ']';) {
			char *end;
			sum += (double)strtoll(at + 1, &end, 10);
			at = end;
		}
		assert_true(sum == wanted[side]);
	}
	assert_memory_equal(b, ",\"b\":[0,1000,", 13);
}
