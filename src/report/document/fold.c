#include "report/document/fold.h"

#include <math.h>
#include <string.h>

#include "base/intern.h"
#include "base/order.h"
#include "base/sort.h"

static void put_frame(struct jr_buf *out, const char *text)
{
	for (;;) {
		size_t n = strcspn(text, ";\n");
		jr_buf_add(out, text, n);
		text += n;
		if (!*text)
			return;
		jr_buf_putc(out, *text++ == ';' ? ',' : ' ');
	}
}

struct jr_bytes jr_fold_to(struct jr_fold *fold, const struct jr_tree *tree, uint32_t node)
{
	uint32_t parent = tree->parent[node];
	while (fold->nodes.n && fold->nodes.items[fold->nodes.n - 1] != parent)
		fold->nodes.n--;
	fold->ends.n = fold->nodes.n;
	fold->text.size = fold->ends.n ? fold->ends.items[fold->ends.n - 1] : 0;
	if (parent != JR_NONE && !fold->nodes.n)
		(void)jr_fold_to(fold, tree, parent);
	if (fold->nodes.n)
		jr_buf_putc(&fold->text, ';');
	put_frame(&fold->text, tree->text[node]);
	*jr_vec_add(&fold->nodes) = node;
	*jr_vec_add(&fold->ends) = fold->text.size;
	return jr_buf_view(&fold->text);
}

void jr_fold_done(struct jr_fold *fold)
{
	jr_buf_done(&fold->text);
	jr_vec_done(&fold->nodes);
	jr_vec_done(&fold->ends);
}

struct remainder {
	double ns;
	size_t i;
};

JR_ORDER(compare_remainders, struct remainder, JR_DOWN(ns) JR_UP(i))

int64_t *jr_fold_whole_ns(const double *ns, size_t n, struct jr_arena *arena)
{
	int64_t *whole = JR_ARENA_N(arena, int64_t, n + 1);
	struct remainder *rest = JR_ARENA_N(arena, struct remainder, n + 1);
	double sum = 0;
	size_t n_rest = 0;
	for (size_t i = 0; i < n; i++) {
		double v = ns[i] > 0 ? fmin(ns[i], 0x1p62) : 0, down = floor(v);
		whole[i] = (int64_t)down;
		if (v > down)
			rest[n_rest++] = (struct remainder){v - down, i};
		sum += v - down;
	}
	jr_sort(rest, n_rest, sizeof(*rest), compare_remainders);
	size_t more = (size_t)llround(sum);
	for (size_t i = 0; i < more && i < n_rest; i++)
		whole[rest[i].i]++;
	return whole;
}
