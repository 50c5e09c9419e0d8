#include "base/spans.h"

#include <stdlib.h>

#include "base/arena.h"

static int compare_spans(const void *a, const void *b)
{
	const struct jr_span *x = a, *y = b;
	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

void jr_spans_unite(struct jr_spans *spans, struct jr_arena *arena)
{
	if (spans->n)
		qsort(spans->items, spans->n, sizeof(*spans->items), compare_spans);
	jr_spans_unite_sorted(spans, arena);
}

void jr_spans_unite_sorted(struct jr_spans *spans, struct jr_arena *arena)
{
	struct jr_span *items = spans->items;
	size_t n = 0;
	for (size_t i = 0; i < spans->n; i++) {
		if (n && items[i].start_ns <= items[n - 1].end_ns) {
			if (items[i].end_ns > items[n - 1].end_ns)
				items[n - 1].end_ns = items[i].end_ns;
		} else {
			items[n++] = items[i];
		}
	}
	spans->n = n;
	spans->before_ns = JR_ARENA_N(arena, int64_t, n + 1);
	for (size_t i = 0; i < n; i++)
		spans->before_ns[i + 1] = spans->before_ns[i] + (items[i].end_ns - items[i].start_ns);
}

/* What is covered before t. */
static int64_t length_before(const struct jr_spans *spans, int64_t t_ns)
{
	size_t lo = 0, hi = spans->n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (spans->items[mid].start_ns < t_ns)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0)
		return 0;
	const struct jr_span *last = &spans->items[lo - 1];
	return spans->before_ns[lo - 1] +
		((t_ns < last->end_ns ? t_ns : last->end_ns) - last->start_ns);
}

int64_t jr_spans_within(const struct jr_spans *spans, int64_t start_ns, int64_t end_ns)
{
	return end_ns > start_ns ? length_before(spans, end_ns) - length_before(spans, start_ns) : 0;
}
