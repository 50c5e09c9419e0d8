/*
 * The drawing order of a flamegraph: preorder, siblings by total, with the runs that are folded.
 * The chart and the packed tree both walk over that order. Also the removal of wrappers.
 */
#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/order.h"
#include "render/flame_impl.h"

void jr_flame_put_value(struct jr_buf *out, const struct jr_flame *flame, double value)
{
	char text[JR_NUM_MAX];
	if (flame->unit == JR_FLAME_BYTES)
		jr_num_bytes(text, value);
	else
		jr_num_time(text, flame->unit == JR_FLAME_NS ? value : value * 1e6);
	jr_buf_puts(out, text);
}

double jr_flame_value(double own)
{
	return isfinite(own) && own > 0 ? own : 0;
}

static double own_value(const struct jr_flame_node *node, enum jr_flame_weight weight)
{
	double after = jr_flame_value(node->self), before = jr_flame_value(node->base);
	switch (weight) {
	case JR_FLAME_AFTER: return after;
	case JR_FLAME_BEFORE: return before;
	case JR_FLAME_CHANGE: return fabs(after - before);
	case JR_FLAME_BOTH: return after + before;
	}
	return after;
}

/* --- order ----------------------------------------------------------------------------------- */

JR_ORDER(by_total, struct sibling, JR_DOWN(total) JR_TEXT_UP(name) JR_UP(index))

/* children[first[p + 1] ...] of parent p; slot 0 holds the roots. */
struct families {
	struct sibling *children;
	size_t *first; /* [n + 2] */
};

static size_t family_of(const struct jr_flame *flame, size_t i)
{
	uint32_t parent = flame->nodes[i].parent;
	return parent < i ? (size_t)parent + 1 : 0; /* a parent that comes later makes this a root */
}

static struct families group_families(const struct jr_flame *flame, const double *totals)
{
	size_t n = flame->n_nodes;
	struct families f = {jr_calloc(n + 1, sizeof(*f.children)), jr_calloc(n + 3, sizeof(*f.first))};
	for (size_t i = 0; i < n; i++)
		f.first[family_of(flame, i) + 2]++;
	for (size_t p = 0; p <= n; p++)
		f.first[p + 2] += f.first[p + 1];
	for (size_t i = 0; i < n; i++) {
		const char *name = flame->nodes[i].name;
		f.children[f.first[family_of(flame, i) + 1]++] =
			(struct sibling){totals[i], name ? name : "", i};
	}
	for (size_t p = 0; p <= n; p++)
		if (f.first[p + 1] - f.first[p] > 1)
			qsort(f.children + f.first[p], f.first[p + 1] - f.first[p], sizeof(*f.children),
				by_total);
	return f;
}

static double *sum_totals(const struct jr_flame *flame, enum jr_flame_weight weight, double *all)
{
	double *totals = jr_calloc(flame->n_nodes + 1, sizeof(*totals));
	*all = 0;
	for (size_t i = flame->n_nodes; i-- > 0;) {
		totals[i] += own_value(&flame->nodes[i], weight);
		size_t family = family_of(flame, i);
		*(family ? &totals[family - 1] : all) += totals[i];
	}
	return totals;
}

struct visit {
	size_t next, end; /* in families.children */
	size_t frame;     /* parent of these children, in tree->frames */
	double x;         /* where the next child begins */
};

static void walk(const struct families *f, struct jr_flame_tree *tree)
{
	JR_VEC(struct visit) stack = {0};
	*jr_vec_add(&stack) = (struct visit){0, f->first[1], SIZE_MAX, 0};
	while (stack.n) {
		struct visit *at = &stack.items[stack.n - 1];
		if (at->next == at->end) {
			if (at->frame != SIZE_MAX)
				tree->frames[at->frame].end = tree->n;
			stack.n--;
			continue;
		}
		const struct sibling *child = &f->children[at->next++];
		size_t frame = tree->n++;
		tree->frames[frame] = (struct jr_flame_frame){
			.node = child->index, .depth = stack.n - 1, .begin = at->x, .total = child->total};
		if (stack.n > tree->depth)
			tree->depth = stack.n;
		double x = at->x;
		at->x += child->total;
		*jr_vec_add(&stack) =
			(struct visit){f->first[child->index + 1], f->first[child->index + 2], frame, x};
	}
	jr_vec_done(&stack);
}

static void fold(struct jr_flame_tree *tree)
{
	struct jr_flame_frame *frames = tree->frames;
	double half = 0; /* of the root's time */
	for (size_t i = 0, last; i < tree->n; i = last + 1) {
		last = i;
		if (frames[i].depth == 0) {
			half = frames[i].total / 2;
			continue;
		}
		while (last + 1 < tree->n && frames[last + 1].depth > frames[last].depth &&
			   frames[last + 1].total == frames[last].total)
			last++;
		size_t n = last - i;
		if (n >= JR_FLAME_MIN_FOLD && frames[i].total > 0 && frames[i].total >= half)
			frames[i].n_folded = n;
	}
}

struct jr_flame_tree jr_flame_order(const struct jr_flame *flame, enum jr_flame_weight weight)
{
	struct jr_flame_tree tree = {0};
	double *totals = sum_totals(flame, weight, &tree.total);
	struct families families = group_families(flame, totals);
	tree.frames = jr_calloc(flame->n_nodes + 1, sizeof(*tree.frames));
	walk(&families, &tree);
	fold(&tree);
	free(families.children);
	free(families.first);
	free(totals);
	return tree;
}

/* --- wrappers -------------------------------------------------------------------------------- */

static void add_own(struct jr_flame_node *to, const struct jr_flame_node *from)
{
	to->self = jr_flame_value(to->self) + jr_flame_value(from->self);
	to->base = jr_flame_value(to->base) + jr_flame_value(from->base);
	to->roofed += jr_flame_value(from->roofed);
	to->roof += jr_flame_value(from->roof);
	to->lost += jr_flame_value(from->lost);
}

static bool is_hidden(const struct jr_flame *flame, size_t i)
{
	return flame->nodes[i].wrapper && flame->nodes[i].parent < i;
}

struct jr_flame_node *jr_flame_without_wrappers(const struct jr_flame *flame, size_t *n)
{
	struct jr_flame_node *nodes = jr_calloc(flame->n_nodes + 1, sizeof(*nodes));
	uint32_t *at = jr_calloc(flame->n_nodes + 1, sizeof(*at));
	struct jr_intern names;
	struct jr_map known = {0}; /* by parent and name */
	jr_intern_init(&names);
	bool any = false;
	for (size_t i = 0; i < flame->n_nodes; i++)
		any |= is_hidden(flame, i);
	*n = 0;
	for (size_t i = 0; i < flame->n_nodes; i++) {
		const struct jr_flame_node *node = &flame->nodes[i];
		uint32_t parent = node->parent < i ? at[node->parent] : JR_NONE;
		if (is_hidden(flame, i)) {
			at[i] = parent;
			add_own(&nodes[parent], node);
			continue;
		}
		uint64_t key = jr_key2(parent, jr_intern_puts(&names, node->name ? node->name : ""));
		at[i] = any ? jr_map_get(&known, key) : JR_NONE;
		if (at[i] != JR_NONE) {
			add_own(&nodes[at[i]], node);
			continue;
		}
		at[i] = (uint32_t)(*n)++;
		jr_map_put(&known, key, at[i]);
		nodes[at[i]] = *node;
		nodes[at[i]].parent = parent;
	}
	jr_map_done(&known);
	jr_intern_done(&names);
	free(at);
	return nodes;
}

/* --- queries --------------------------------------------------------------------------------- */

size_t jr_flame_run_end(const struct jr_flame_tree *tree, size_t i)
{
	size_t end = i;
	while (end < tree->n && tree->frames[end].depth == tree->frames[i].depth)
		end = tree->frames[end].end;
	return end;
}

enum jr_role jr_flame_role(const struct jr_flame *flame, const struct jr_flame_tree *tree, size_t i)
{
	enum jr_role role = flame->nodes[tree->frames[i].node].role;
	return role ? role : JR_ROLE_UNKNOWN;
}

bool jr_flame_is_trunk(const struct jr_flame *flame, const struct jr_flame_tree *tree, size_t i)
{
	const struct jr_flame_frame *frames = tree->frames;
	if (frames[i].depth != 1 || i == 0 || frames[i - 1].depth != 0)
		return false;
	for (size_t k = frames[i].end; k < frames[i - 1].end; k = frames[k].end)
		if (frames[k].total > 0 && jr_flame_role(flame, tree, k) != JR_ROLE_UNKNOWN)
			return false;
	for (size_t k = 0; k < tree->n; k = frames[k].end) {
		enum jr_role role = jr_flame_role(flame, tree, k);
		if (k != i - 1 && frames[k].total > 0 && role != JR_ROLE_UNKNOWN &&
			role != JR_ROLE_IDLE_INSIDE && role != JR_ROLE_IDLE_BETWEEN)
			return false;
	}
	return true;
}
