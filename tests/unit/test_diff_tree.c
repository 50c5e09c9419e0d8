/* The stacks of two runs as one tree: nothing is lost, and moved code is still matched. */

#include <math.h>

#include "unit.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/intern.h"
#include "compare/judge/diff_tree.h"

struct line {
	const char *stack;
	double ns;
};

static const int64_t ONE[2] = {1, 1};

static struct jr_run_stacks stacks_of(struct jr_arena *arena, const struct line *lines, size_t n)
{
	struct jr_run_stacks out = {n, JR_ARENA_N(arena, struct jr_run_stack, n + 1)};
	for (size_t i = 0; i < n; i++)
		out.items[i] = (struct jr_run_stack){lines[i].stack, lines[i].ns};
	return out;
}

/* "TEXT BASE NEW" per line, totals in ns, one leading blank per caller. */
static char *dump(const struct jr_tree *tree, struct jr_arena *arena)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
	for (size_t i = 0; i < tree->n; i++) {
		for (uint32_t p = tree->parent[i]; p != JR_NONE; p = tree->parent[p])
			jr_buf_putc(&out, ' ');
		jr_buf_printf(
			&out, "%s %.0f %.0f\n", tree->text[i], tree->base_total_ns[i], tree->total_ns[i]);
	}
	return jr_arena_strndup(arena, out.data ? out.data : "", out.size);
}

static void expect(const struct line *base, size_t n_base, const struct line *fresh, size_t n_fresh,
	const char *wanted)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	struct jr_run_stacks stacks[2] = {
		stacks_of(&arena, base, n_base), stacks_of(&arena, fresh, n_fresh)};
	const struct jr_tree *tree = jr_diff_tree(stacks, ONE, &arena);
	assert_string_equal(dump(tree, &arena), wanted);
}
#define EXPECT(base, fresh, wanted)                                                                \
	expect(base, JR_COUNT_OF(base), fresh, JR_COUNT_OF(fresh), wanted)

static UNIT(test_added_and_removed)
{
	static const struct line base[] = {{"all;kept", 5}, {"all;old;deep", 3}};
	static const struct line fresh[] = {{"all;kept", 6}, {"all;young", 2}};
	EXPECT(base, fresh,
		"all 8 8\n"
		" kept 5 6\n"
		" old 3 0\n"
		"  deep 3 0\n"
		" young 0 2\n");
}

/* A line was inserted at the top of the file: everything moved, nothing changed. */
static UNIT(test_moved_lines)
{
	static const struct line base[] = {{"m.py:9[main];m.py:3[f];dot", 5},
		{"m.py:9[main];m.py:4[f];exp", 7}, {"m.py:9[main];m.py:4[f];log", 1}};
	static const struct line fresh[] = {{"m.py:10[main];m.py:4[f];dot", 5},
		{"m.py:10[main];m.py:5[f];exp", 7}, {"m.py:10[main];m.py:5[f];log", 2}};
	EXPECT(base, fresh,
		"m.py:10[main] 13 14\n"
		" m.py:4[f] 5 5\n"
		"  dot 5 5\n"
		" m.py:5[f] 8 9\n"
		"  exp 7 7\n"
		"  log 1 2\n");
}

/* One more call between two others: those are matched by what they call. Lines alone would match
 * the new call with the second. */
static UNIT(test_call_between_others)
{
	static const struct line base[] = {{"a.py:1:5[f];dot", 5}, {"a.py:2:5[f];exp", 7}};
	static const struct line fresh[] = {
		{"a.py:1:5[f];dot", 5}, {"a.py:2:5[f];log", 3}, {"a.py:3:5[f];exp", 7}};
	EXPECT(base, fresh,
		"a.py:1:5[f] 5 5\n"
		" dot 5 5\n"
		"a.py:2:5[f] 0 3\n"
		" log 0 3\n"
		"a.py:3:5[f] 7 7\n"
		" exp 7 7\n");
}

/* The same line in another file, and another function on the same line, are different frames. */
static UNIT(test_other_places)
{
	static const struct line base[] = {{"a.py:1[f]", 5}, {"b.py:1[f]", 4}};
	static const struct line fresh[] = {{"a.py:1[g]", 5}, {"c.py:1[f]", 4}};
	EXPECT(base, fresh,
		"a.py:1[f] 5 0\n"
		"a.py:1[g] 0 5\n"
		"b.py:1[f] 4 0\n"
		"c.py:1[f] 0 4\n");
}

/* Versions of JAX: jit(main) is a frame in only one of the two; parameters are printed or not. */
static UNIT(test_versions_of_jax)
{
	static const struct line base[] = {{"jit(step);jit(main);mlp;dot_general[precision=None]", 5}};
	static const struct line fresh[] = {{"jit(step);mlp;dot_general", 6}};
	EXPECT(base, fresh,
		"jit(step) 5 6\n"
		" mlp 5 6\n"
		"  dot_general 5 6\n");
	static const struct line both[] = {{"jit(step);jit(main);mlp", 5}};
	EXPECT(both, both,
		"jit(step) 5 5\n"
		" jit(main) 5 5\n"
		"  mlp 5 5\n");
	static const struct line alone[] = {{"jit(main)", 5}}, other[] = {{"x", 4}};
	EXPECT(alone, other,
		"jit(main) 5 0\n"
		"x 0 4\n");
}

/* Brackets alone are not parameters. */
static UNIT(test_kinds_of_idle)
{
	static const struct line base[] = {{"[GPU active];x", 5}, {"[GPU idle during]", 3}};
	static const struct line fresh[] = {{"[GPU active];x", 5}, {"[GPU idle between]", 4}};
	EXPECT(base, fresh,
		"[GPU active] 5 5\n"
		" x 5 5\n"
		"[GPU idle between] 0 4\n"
		"[GPU idle during] 3 0\n");
}

static UNIT(test_nothing)
{
	static const struct line some[] = {{"a;b", 5}};
	expect(NULL, 0, NULL, 0, "");
	expect(some, 1, NULL, 0, "a 5 0\n b 5 0\n");
	expect(NULL, 0, some, 1, "a 0 5\n b 0 5\n");
}

/* --- properties ------------------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

static struct jr_run_stacks random_stacks(struct jr_arena *arena, uint64_t *random)
{
	size_t n = next_random(random) % 60;
	struct jr_run_stacks out = {n, JR_ARENA_N(arena, struct jr_run_stack, n + 1)};
	for (size_t i = 0; i < n; i++) {
		JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
		size_t depth = 1 + next_random(random) % 7;
		for (size_t d = 0; d < depth; d++)
			jr_buf_printf(&text, "%s%c.py:%u[f%u]", d ? ";" : "",
				'a' + (int)(next_random(random) % 2), (unsigned)(next_random(random) % 6),
				(unsigned)(next_random(random) % 3));
		out.items[i].stack = jr_arena_strndup(arena, text.data, text.size);
		out.items[i].self_ns = (double)next_random(random) / 3;
	}
	return out;
}

static double sum_of(const struct jr_run_stacks *stacks, int64_t divisor)
{
	double sum = 0;
	for (size_t i = 0; i < stacks->n; i++)
		sum += stacks->items[i].self_ns;
	return (double)(llround(sum) / divisor);
}

static void check_tree(const struct jr_tree *tree)
{
	double base = 0, fresh = 0;
	for (size_t i = 0; i < tree->n; i++) {
		assert_true(tree->parent[i] == JR_NONE || tree->parent[i] < i);
		assert_true(tree->base_self_ns[i] >= 0 && tree->self_ns[i] >= 0);
		assert_true(tree->self_ns[i] == floor(tree->self_ns[i]));
		base += tree->base_self_ns[i];
		fresh += tree->self_ns[i];
	}
	assert_true(base == tree->base_total && fresh == tree->total);
}

/* For any matching, both totals stay exact to the ns; swapped runs give swapped times; a run
 * compared with itself shows no change. */
static UNIT(test_conservation)
{
	static const int64_t steps[2] = {7, 30}, back[2] = {30, 7}, same[2] = {7, 7};
	uint64_t random = 1;
	for (int round = 0; round < 300; round++) {
		JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
		struct jr_run_stacks a = random_stacks(&arena, &random), b = random_stacks(&arena, &random);
		const struct jr_tree *tree =
			jr_diff_tree((const struct jr_run_stacks[]){a, b}, steps, &arena);
		check_tree(tree);
		assert_true(tree->base_total == sum_of(&a, 7) && tree->total == sum_of(&b, 30));
		const struct jr_tree *turned =
			jr_diff_tree((const struct jr_run_stacks[]){b, a}, back, &arena);
		check_tree(turned);
		assert_true(turned->base_total == tree->total && turned->total == tree->base_total);
		const struct jr_tree *itself =
			jr_diff_tree((const struct jr_run_stacks[]){a, a}, same, &arena);
		check_tree(itself);
		for (size_t i = 0; i < itself->n; i++)
			assert_true(itself->self_ns[i] == itself->base_self_ns[i]);
	}
}

/* Many calls of one function by one frame: no table of all pairs is built. */
static UNIT(test_many_calls)
{
	enum { N = 3000 };
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	struct jr_run_stacks stacks[2];
	for (int side = 0; side < 2; side++) {
		stacks[side] = (struct jr_run_stacks){N, JR_ARENA_N(&arena, struct jr_run_stack, N)};
		for (int i = 0; i < N; i++)
			stacks[side].items[i] =
				(struct jr_run_stack){jr_arena_printf(&arena, "a.py:%d[f]", i + side), 1};
	}
	const struct jr_tree *tree = jr_diff_tree(stacks, ONE, &arena);
	assert_int_equal(tree->n, N); /* each with the one that it moved to */
	assert_true(tree->total == N && tree->base_total == N);
}

/* A stack as deep as limits allow needs no recursion. */
static UNIT(test_depth)
{
	enum { DEPTH = 200000 };
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	for (int i = 0; i < DEPTH; i++)
		jr_buf_puts(&text, i ? ";x" : "x");
	struct line line = {text.data, 4};
	struct jr_run_stacks stacks[2] = {stacks_of(&arena, &line, 1), stacks_of(&arena, &line, 1)};
	const struct jr_tree *tree = jr_diff_tree(stacks, ONE, &arena);
	assert_int_equal(tree->n, DEPTH);
}
