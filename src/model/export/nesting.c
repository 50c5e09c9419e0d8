#include "model/export/nesting.h"

void jr_nesting_done(struct jr_nesting *n)
{
	jr_vec_done(&n->open);
	jr_vec_done(&n->left);
}

uint32_t jr_nesting_enter(struct jr_nesting *n, const struct jr_open_range *range, uint64_t most,
	struct jr_open_range **above)
{
	while (n->open.n) {
		const struct jr_open_range *top = &n->open.items[n->open.n - 1];
		if (top->end_ns >= range->end_ns && top->end_ns >= range->start_ns)
			break;
		if (top->end_ns >= range->start_ns) /* a call of zero length may be in both */
			*jr_vec_add(&n->left) = *top;
		n->open.n--;
	}
	size_t depth = n->open.n;
	if (depth == most)
		n->n_too_deep++;
	else
		*jr_vec_add(&n->open) = *range;
	if (above)
		*above = depth ? &n->open.items[depth - 1] : NULL;
	return depth ? n->open.items[depth - 1].row : JR_NONE;
}

/* Pops ranges that have ended. */
uint32_t jr_nesting_find(struct jr_nesting *n, int64_t start_ns, int64_t end_ns)
{
	while (n->open.n && n->open.items[n->open.n - 1].end_ns < start_ns)
		n->open.n--;
	for (size_t k = n->open.n; k-- > 0;)
		if (n->open.items[k].end_ns >= end_ns)
			return n->open.items[k].row;
	return JR_NONE;
}
