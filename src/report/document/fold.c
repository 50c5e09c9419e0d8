#include "report/document/fold.h"

#include <math.h>
#include <string.h>

#include "base/intern.h"

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

int64_t jr_fold_whole_ns(struct jr_fold_sum *sum, double ns)
{
	sum->exact_ns += ns;
	int64_t upto = llround(fmin(sum->exact_ns, 0x1p62)), own = upto - sum->whole_ns;
	sum->whole_ns = upto;
	return own;
}
