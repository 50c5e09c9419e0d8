/* Make a figure from a stack tree: an outline in text of its heaviest paths, or of those that
 * changed most. figure.c draws it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "report/document/compose.h"

#define MAX_LINES 24
#define MIN_SHARE 0.01
#define MAX_INDENT 12

struct child {
	double total;
	uint32_t node;
};

/* Heaviest first; of equal ones the first in the tree. */
JR_ORDER(compare_children, struct child, JR_DOWN(total) JR_UP(node))

struct outline {
	const struct jr_tree *tree;
	const double *weight;   /* per node: its total; in a comparison, the change in it and below */
	double whole;           /* of all roots */
	struct child *children; /* of all nodes, grouped by parent, each group heaviest first */
	uint32_t *first;        /* [n + 2] node i: [first[i + 1], first[i + 2]); roots: 0 */
	struct jr_buf text;
	size_t n_lines;
};

/* Whether a node is a device of several, which is named although all of it is below one frame. */
static bool is_one_of_several(const struct outline *o, uint32_t node)
{
	return o->tree->bytes && o->tree->parent[node] == JR_NONE && o->first[1] - o->first[0] > 1;
}

static uint32_t group_of(const struct jr_tree *tree, size_t node)
{
	return tree->parent[node] == JR_NONE ? 0 : tree->parent[node] + 1;
}

static void sort_children(struct outline *o, struct jr_arena *arena)
{
	const struct jr_tree *t = o->tree;
	o->first = JR_ARENA_N(arena, uint32_t, t->n + 2);
	o->children = JR_ARENA_N(arena, struct child, t->n);
	uint32_t *next = JR_ARENA_N(arena, uint32_t, t->n + 2);
	for (size_t i = 0; i < t->n; i++)
		o->first[group_of(t, i) + 1]++;
	for (size_t i = 1; i < t->n + 2; i++)
		o->first[i] += o->first[i - 1];
	memcpy(next, o->first, sizeof(*next) * (t->n + 2));
	for (size_t i = 0; i < t->n; i++)
		o->children[next[group_of(t, i)]++] = (struct child){o->weight[i], (uint32_t)i};
	for (size_t i = 0; i <= t->n; i++)
		if (o->first[i + 1] - o->first[i] > 1)
			qsort(o->children + o->first[i], o->first[i + 1] - o->first[i], sizeof(*o->children),
				compare_children);
}

/* Sum the absolute changes of self times, so that a loss of one frame and a gain of another do not
 * cancel. */
static void weigh_change(struct outline *o, struct jr_arena *arena)
{
	const struct jr_tree *t = o->tree;
	double *weight = JR_ARENA_N(arena, double, t->n + 1);
	for (size_t i = t->n; i-- > 0;) {
		weight[i] += fabs(t->self_ns[i] - t->base_self_ns[i]);
		*(t->parent[i] == JR_NONE ? &o->whole : &weight[t->parent[i]]) += weight[i];
	}
	o->weight = weight;
}

static void put_change(struct outline *o, uint32_t node)
{
	char ms[JR_NUM_MAX];
	double change_ns = o->tree->total_ns[node] - o->tree->base_total_ns[node];
	jr_num_grouped(ms, fabs(change_ns) / 1e6, 3);
	jr_buf_repeat(&o->text, ' ', strlen(ms) < 10 ? 10 - strlen(ms) : 0);
	const char *sign = change_ns > 0 ? "+" : change_ns < 0 ? JR_NUM_MINUS : " ";
	jr_buf_printf(&o->text, "%s%s ms  ", sign, ms);
}

static void put_line(struct outline *o, uint32_t node, unsigned depth)
{
	char share[JR_NUM_MAX];
	if (o->tree->base_total_ns) {
		put_change(o, node);
	} else {
		jr_num_grouped(share, 100 * o->weight[node] / o->whole, 1);
		jr_buf_printf(&o->text, "%6s %%  ", share);
	}
	jr_buf_repeat(&o->text, ' ', (size_t)2 * (depth < MAX_INDENT ? depth : MAX_INDENT));
	jr_buf_puts(&o->text, o->tree->text[node]);
	jr_buf_putc(&o->text, '\n');
	o->n_lines++;
}

/* Skip the lines of a chain of single heavy children: only the node where the time divides gets
 * one. The line count bounds the depth. */
static void walk(struct outline *o, uint32_t group, unsigned depth)
{
	for (uint32_t i = o->first[group]; i < o->first[group + 1]; i++) {
		uint32_t node = o->children[i].node;
		if (o->n_lines >= MAX_LINES || !(o->children[i].total >= MIN_SHARE * o->whole))
			return;
		for (;;) {
			uint32_t g = node + 1;
			if (o->first[g + 1] == o->first[g] || is_one_of_several(o, node) ||
				o->children[o->first[g]].total < 0.98 * o->weight[node])
				break;
			node = o->children[o->first[g]].node;
		}
		put_line(o, node, depth);
		walk(o, node + 1, depth + 1);
	}
}

static const char *tree_in_words(struct jr_doc *doc, const struct jr_tree *tree)
{
	struct outline o = {.tree = tree, .weight = tree->total_ns, .whole = tree->total};
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	if (tree->base_total_ns) {
		o.whole = 0;
		weigh_change(&o, &scratch);
		if (!(o.whole > 0))
			jr_buf_puts(&o.text, "No frame changed its time.\n");
	}
	if (o.whole > 0) {
		sort_children(&o, &scratch);
		walk(&o, 0, 0);
	}
	const char *words = jr_arena_strndup(&doc->arena, o.text.data ? o.text.data : "", o.text.size);
	jr_buf_done(&o.text);
	return words;
}

struct jr_figure *jr_compose_tree(struct jr_doc *doc, const struct jr_tree *tree)
{
	struct jr_figure *f = JR_ARENA_NEW(&doc->arena, struct jr_figure);
	f->name = tree->name;
	f->title = jr_doc_words(doc, tree->title);
	f->caption = jr_doc_sentence(doc, tree->caption);
	f->tree = tree;
	f->fallback = tree_in_words(doc, tree);
	if (doc->csv)
		f->source = jr_arena_printf(&doc->arena, "data/%s.folded", tree->name);
	if (doc->svg && tree->total + tree->base_total > 0)
		f->file = jr_arena_printf(&doc->arena, "figures/%s.interactive.svg", tree->name);
	*jr_vec_add(&doc->figures) = f;
	return f;
}
