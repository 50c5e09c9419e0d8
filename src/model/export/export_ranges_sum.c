/* Sums over the children of export ranges. */
#include "base/order.h"
#include "model/export/export_ranges.h"

#include <stdlib.h>

static struct jr_export_children *children_of(const struct jr_export_ranges *r, uint32_t place)
{
	size_t lo = 0, hi = r->n_parents;
	JR_SEARCH(lo, hi, mid, r->parents[mid].place < place);
	return lo < r->n_parents && r->parents[lo].place == place ? &r->parents[lo] : NULL;
}

void jr_export_ranges_add_up(struct jr_export_ranges *r)
{
	for (size_t i = 0; i < r->n; i++) {
		if (r->n_calls[i] == 0)
			continue;
		r->n_with_gpu_work++;
		struct jr_export_children *above =
			r->parent[i] == JR_NONE ? NULL : children_of(r, r->parent[i]);
		if (above)
			above->n_with_gpu_work++;
	}
}

void jr_export_ranges_done(struct jr_export_ranges *r)
{
	if (!r)
		return;
	if (r->stream) {
		free(r->parent);
		free(r->parents);
	}
	jr_nsys_stream_done(&r->stream);
	jr_export_done(&r->x);
	jr_arena_done(&r->arena);
	*r = (struct jr_export_ranges){0};
}
