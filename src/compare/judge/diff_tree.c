#include "compare/judge/diff_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/core/frame_kind.h"
#include "analysis/core/stacks.h"
#include "base/num.h"
#include "base/order.h"
#include "compare/judge/explain.h"

#define MAX_ALIGNED ((size_t)1 << 20) /* pairs of calls to align; more are paired in order */

/* The facts about a frame that its text gives. */
struct frame {
	uint32_t key; /* calls with one key may be the same */
	uint32_t line;
	uint8_t kind;
};

/* The stacks of one run. */
struct side {
	struct jr_tree *tree;
	uint32_t *end;   /* [n] after its last descendant */
	uint32_t *frame; /* [n] index into merging.frames */
	uint64_t *calls; /* [n] keys of its children, in any order */
};

/* A node of the merged tree. JR_NONE: a run does not have it. */
struct pair {
	uint32_t node[2];
	uint32_t parent; /* in the merged tree */
};

struct call {
	const char *text;
	const struct frame *frame;
	uint32_t node;
	uint8_t side;
};

struct merging {
	struct side sides[2];
	struct jr_intern texts, keys;
	JR_VEC(struct frame) frames; /* indexed by text */
	JR_VEC(struct call) calls;   /* of the current node, from both runs */
	JR_VEC(struct pair) found;   /* pairs of those calls */
	JR_VEC(struct pair) stack, out;
	struct jr_arena scratch;
};

/* --- reading ---------------------------------------------------------------------------------- */

/* Whole ns by running sums: each is at most 1 ns off, and they add up to the rounded sum of all.
 * Then the share of one step. */
static int64_t *whole_ns(
	const struct jr_run_stacks *stacks, int64_t divisor, struct jr_arena *scratch)
{
	int64_t *ns = JR_ARENA_N(scratch, int64_t, stacks->n + 1);
	int64_t before = 0;
	double sum = 0;
	for (size_t i = 0; i < stacks->n; i++) {
		sum += stacks->items[i].self_ns;
		int64_t upto = llround(fmin(sum, 9007199254740992.0)); /* 2^53 */
		ns[i] = upto - before;
		before = upto;
	}
	int64_t *shares = JR_ARENA_N(scratch, int64_t, stacks->n + 1);
	jr_divide_exactly(ns, stacks->n, divisor, shares);
	return shares;
}

static bool has_frame(const struct jr_run_stacks *stacks, const char *frame)
{
	size_t n = strlen(frame);
	for (size_t i = 0; i < stacks->n; i++)
		for (const char *s = stacks->items[i].stack; (s = strstr(s, frame)); s += n)
			if ((s == stacks->items[i].stack || s[-1] == ';') && (!s[n] || s[n] == ';'))
				return true;
	return false;
}

/* `without`: a frame to skip; NULL: none. */
static struct jr_tree *read_stacks(const struct jr_run_stacks *stacks, int64_t divisor,
	const char *without, struct jr_arena *scratch, struct jr_arena *arena)
{
	struct jr_stacks all;
	const int64_t *ns = whole_ns(stacks, divisor, scratch);
	jr_stacks_init(&all);
	for (size_t i = 0; i < stacks->n; i++) {
		uint32_t node = JR_NONE;
		const char *s = stacks->items[i].stack;
		for (;;) {
			size_t n = strcspn(s, ";");
			bool skip = without && n == strlen(without) && memcmp(s, without, n) == 0;
			if (!skip || (!s[n] && node == JR_NONE))
				node = jr_stacks_child(&all, node, s, n, JR_FRAME_UNKNOWN);
			if (!s[n])
				break;
			s += n + 1;
		}
		jr_stacks_add(&all, node, (double)ns[i]);
	}
	struct jr_tree *tree = jr_stacks_tree(&all, arena);
	jr_stacks_done(&all);
	return tree;
}

static uint32_t line_of(const char *text, const struct jr_frame_parts *parts)
{
	int64_t line;
	size_t from = parts->file_size + 1;
	return jr_parse_i64(text + from, parts->line_size - from, &line) && line < UINT32_MAX
			   ? (uint32_t)line
			   : UINT32_MAX;
}

static struct frame look_at(struct merging *m, const char *text)
{
	struct jr_frame_parts parts;
	if (!jr_frame_split(text, &parts)) {
		const char *plain = jr_match_op_name(&m->scratch, text);
		/* "[GPU idle ...]" consists of brackets only */
		uint32_t key = jr_intern_puts(&m->keys, *plain ? plain : text);
		return (struct frame){key, 0, JR_FRAME_UNKNOWN};
	}
	const char *file = jr_arena_strndup(&m->scratch, text, parts.file_size);
	const char *function = jr_arena_strndup(&m->scratch, parts.function, parts.function_size);
	/* Texts are clean, so a control byte separates the key from texts that are not frames. */
	return (struct frame){
		jr_intern_puts(&m->keys, jr_arena_printf(&m->scratch, "%s\x01%s", file, function)),
		line_of(text, &parts), (uint8_t)jr_frame_kind(file, function)};
}

static void index_side(struct merging *m, struct side *side)
{
	const struct jr_tree *tree = side->tree;
	side->end = JR_ARENA_N(&m->scratch, uint32_t, tree->n + 1);
	side->frame = JR_ARENA_N(&m->scratch, uint32_t, tree->n + 1);
	side->calls = JR_ARENA_N(&m->scratch, uint64_t, tree->n + 1);
	for (size_t i = 0; i < tree->n; i++) {
		uint32_t text = jr_intern_puts(&m->texts, tree->text[i]);
		while (m->frames.n <= text) {
			struct frame frame = look_at(m, jr_intern_str(&m->texts, (uint32_t)m->frames.n));
			*jr_vec_add(&m->frames) = frame;
		}
		side->frame[i] = text;
	}
	for (size_t i = tree->n; i-- > 0;) {
		if (side->end[i] < i + 1)
			side->end[i] = (uint32_t)i + 1;
		uint32_t parent = tree->parent[i], key = m->frames.items[side->frame[i]].key;
		if (parent == JR_NONE)
			continue;
		if (side->end[parent] < side->end[i])
			side->end[parent] = side->end[i];
		side->calls[parent] += jr_hash(&key, sizeof(key), 1);
	}
}

/* --- matching calls --------------------------------------------------------------------------- */

/* Calls of one function are adjacent, the base's first, each run's by line. */
JR_ORDER(
	compare_calls, struct call, JR_UP(frame->key) JR_UP(side) JR_UP(frame->line) JR_TEXT_UP(text))

static void add_pair(struct merging *m, const struct call *base, const struct call *fresh)
{
	*jr_vec_add(&m->found) =
		(struct pair){{base ? base->node : JR_NONE, fresh ? fresh->node : JR_NONE}, 0};
}

/* Pair the calls between two aligned pairs in order; the rest is in one run only. */
static void pair_gap(struct merging *m, const struct call *base, size_t n_base,
	const struct call *fresh, size_t n_fresh)
{
	for (size_t i = 0; i < n_base || i < n_fresh; i++)
		add_pair(m, i < n_base ? &base[i] : NULL, i < n_fresh ? &fresh[i] : NULL);
}

static bool same_texts(
	const struct call *base, size_t n_base, const struct call *fresh, size_t n_fresh)
{
	for (size_t i = 0; n_base == n_fresh && i < n_base; i++)
		if (strcmp(base[i].text, fresh[i].text) != 0)
			return false;
	return n_base == n_fresh;
}

/* Similarity of two calls; 0: none. */
static uint32_t likeness(const struct merging *m, const struct call *base, const struct call *fresh)
{
	bool same_calls = m->sides[0].calls[base->node] == m->sides[1].calls[fresh->node];
	return (same_calls ? 2 : 0) + (strcmp(base->text, fresh->text) == 0);
}

/* best[i * (n_fresh + 1) + k]: the largest similarity of base[i..] and fresh[k..] with pairs that
 * do not cross. */
static void align_calls(struct merging *m, const struct call *base, size_t n_base,
	const struct call *fresh, size_t n_fresh)
{
	size_t width = n_fresh + 1;
	uint32_t *best = jr_calloc((n_base + 1) * width, sizeof(*best));
	for (size_t i = n_base; i-- > 0;)
		for (size_t k = n_fresh; k-- > 0;) {
			uint32_t like = likeness(m, &base[i], &fresh[k]), *to = &best[i * width + k];
			*to = best[(i + 1) * width + k];
			if (best[i * width + k + 1] > *to)
				*to = best[i * width + k + 1];
			if (like && like + best[(i + 1) * width + k + 1] > *to)
				*to = like + best[(i + 1) * width + k + 1];
		}
	size_t i = 0, k = 0, from_i = 0, from_k = 0;
	while (i < n_base && k < n_fresh) {
		uint32_t like = likeness(m, &base[i], &fresh[k]), at = best[i * width + k];
		if (like && at == like + best[(i + 1) * width + k + 1]) {
			pair_gap(m, &base[from_i], i - from_i, &fresh[from_k], k - from_k);
			add_pair(m, &base[i], &fresh[k]);
			from_i = ++i;
			from_k = ++k;
		} else if (at == best[(i + 1) * width + k]) {
			i++;
		} else {
			k++;
		}
	}
	pair_gap(m, &base[from_i], n_base - from_i, &fresh[from_k], n_fresh - from_k);
	free(best);
}

static void take_calls(struct merging *m, uint32_t parent, uint8_t side)
{
	const struct side *s = &m->sides[side];
	uint32_t i = parent == JR_NONE ? 0 : parent + 1;
	uint32_t end = parent == JR_NONE ? (uint32_t)s->tree->n : s->end[parent];
	for (; i < end; i = s->end[i])
		*jr_vec_add(&m->calls) =
			(struct call){s->tree->text[i], &m->frames.items[s->frame[i]], i, side};
}

static const char *text_of(const struct merging *m, const struct pair *pair)
{
	int side = pair->node[1] != JR_NONE;
	return m->sides[side].tree->text[pair->node[side]];
}

static int compare_pairs(const void *a, const void *b, void *merging)
{
	const struct pair *x = a, *y = b;
	int texts = strcmp(text_of(merging, x), text_of(merging, y));
	if (texts)
		return texts;
	for (int side = 1; side >= 0; side--)
		if (x->node[side] != y->node[side])
			return x->node[side] < y->node[side] ? -1 : 1;
	return 0;
}

/* Push the children of a merged node, so that the first text is on top of the stack. */
static void push_children(struct merging *m, const struct pair *of, uint32_t parent)
{
	m->calls.n = m->found.n = 0;
	for (uint8_t side = 0; side < 2; side++)
		if (parent == JR_NONE || of->node[side] != JR_NONE)
			take_calls(m, parent == JR_NONE ? JR_NONE : of->node[side], side);
	struct call *calls = m->calls.items;
	if (m->calls.n > 1)
		qsort(calls, m->calls.n, sizeof(*calls), compare_calls);
	for (size_t i = 0, end; i < m->calls.n; i = end) {
		size_t n_base = 0;
		for (end = i; end < m->calls.n && calls[end].frame->key == calls[i].frame->key; end++)
			n_base += calls[end].side == 0;
		const struct call *base = &calls[i], *fresh = base + n_base;
		size_t n_fresh = end - i - n_base;
		if (n_base && n_fresh && n_base <= MAX_ALIGNED / n_fresh &&
			!same_texts(base, n_base, fresh, n_fresh))
			align_calls(m, base, n_base, fresh, n_fresh);
		else
			pair_gap(m, base, n_base, fresh, n_fresh);
	}
	if (m->found.n > 1)
		qsort_r(m->found.items, m->found.n, sizeof(*m->found.items), compare_pairs, m);
	for (size_t i = m->found.n; i-- > 0;) {
		m->found.items[i].parent = parent;
		*jr_vec_add(&m->stack) = m->found.items[i];
	}
}

/* --- entry point ------------------------------------------------------------------------------ */

static double self_of(const struct merging *m, const struct pair *pair, int side)
{
	return pair->node[side] == JR_NONE ? 0 : m->sides[side].tree->self_ns[pair->node[side]];
}

static struct jr_tree *make_tree(const struct merging *m, struct jr_arena *arena)
{
	struct jr_tree *tree = JR_ARENA_NEW(arena, struct jr_tree);
	size_t n = tree->n = m->out.n;
	tree->parent = JR_ARENA_N(arena, uint32_t, n + 1);
	tree->text = JR_ARENA_N(arena, const char *, n + 1);
	tree->kind = JR_ARENA_N(arena, uint8_t, n + 1);
	tree->self_ns = JR_ARENA_N(arena, double, n + 1);
	tree->total_ns = JR_ARENA_N(arena, double, n + 1);
	tree->base_self_ns = JR_ARENA_N(arena, double, n + 1);
	tree->base_total_ns = JR_ARENA_N(arena, double, n + 1);
	for (size_t i = n; i-- > 0;) {
		const struct pair *pair = &m->out.items[i];
		int side = pair->node[1] != JR_NONE;
		tree->parent[i] = pair->parent;
		tree->text[i] = text_of(m, pair);
		tree->kind[i] = m->frames.items[m->sides[side].frame[pair->node[side]]].kind;
		tree->base_self_ns[i] = self_of(m, pair, 0);
		tree->self_ns[i] = self_of(m, pair, 1);
		tree->base_total_ns[i] += tree->base_self_ns[i];
		tree->total_ns[i] += tree->self_ns[i];
		tree->n_stacks += tree->base_self_ns[i] > 0 || tree->self_ns[i] > 0;
		bool root = pair->parent == JR_NONE;
		*(root ? &tree->base_total : &tree->base_total_ns[pair->parent]) += tree->base_total_ns[i];
		*(root ? &tree->total : &tree->total_ns[pair->parent]) += tree->total_ns[i];
	}
	return tree;
}

struct jr_tree *jr_diff_tree(
	const struct jr_run_stacks stacks[2], const int64_t divisor[2], struct jr_arena *arena)
{
	/* Newer versions of JAX leave this frame out. */
	static const char main_frame[] = "jit(main)";
	struct merging m = {0};
	jr_arena_init(&m.scratch, 0);
	jr_intern_init(&m.texts);
	jr_intern_init(&m.keys);
	bool skip = has_frame(&stacks[0], main_frame) != has_frame(&stacks[1], main_frame);
	for (int side = 0; side < 2; side++)
		m.sides[side].tree =
			read_stacks(&stacks[side], divisor[side], skip ? main_frame : NULL, &m.scratch, arena);
	for (int side = 0; side < 2; side++)
		index_side(&m, &m.sides[side]);
	push_children(&m, NULL, JR_NONE);
	while (m.stack.n) {
		struct pair pair = m.stack.items[--m.stack.n];
		*jr_vec_add(&m.out) = pair;
		push_children(&m, &pair, (uint32_t)m.out.n - 1);
	}
	struct jr_tree *tree = make_tree(&m, arena);
	jr_vec_done(&m.frames);
	jr_vec_done(&m.calls);
	jr_vec_done(&m.found);
	jr_vec_done(&m.stack);
	jr_vec_done(&m.out);
	jr_intern_done(&m.texts);
	jr_intern_done(&m.keys);
	jr_arena_done(&m.scratch);
	return tree;
}
