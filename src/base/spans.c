#include "base/spans.h"

#include "base/arena.h"
#include "base/order.h"
#include "base/sort.h"

JR_ORDER(compare_spans, struct jr_span, JR_UP(start_ns))

void jr_spans_unite(struct jr_spans *spans, struct jr_arena *arena)
{
	jr_sort(spans->items, spans->n, sizeof(*spans->items), compare_spans);
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
	spans->before_ns = JR_ARENA_N(arena, int64_t, n / JR_SPANS_STEP + 1);
	spans->length_ns = 0;
	for (size_t i = 0; i < n; i++) {
		if (i % JR_SPANS_STEP == 0)
			spans->before_ns[i / JR_SPANS_STEP] = spans->length_ns;
		spans->length_ns += items[i].end_ns - items[i].start_ns;
	}
}

/* Count the spans that begin before t. `near` is the number for the previous t. The next t is
 * usually close, so the steps double until they pass it. */
static size_t begun_before(const struct jr_spans *spans, int64_t t_ns, size_t near)
{
	size_t lo = near, hi = lo;
	for (size_t step = 1; lo && spans->items[lo - 1].start_ns >= t_ns; step *= 2) {
		hi = lo - 1;
		lo = lo > step ? lo - step : 0;
	}
	for (size_t step = 1; hi < spans->n && spans->items[hi].start_ns < t_ns; step *= 2) {
		lo = hi + 1;
		hi = spans->n - hi > step ? hi + step : spans->n;
	}
	JR_SEARCH(lo, hi, mid, spans->items[mid].start_ns < t_ns);
	return lo;
}

/* Return the length of items[first..end). */
static int64_t length_of(const struct jr_spans *spans, size_t first, size_t end)
{
	int64_t sum_ns = 0;
	for (; first < end && (first % JR_SPANS_STEP || end - first < JR_SPANS_STEP); first++)
		sum_ns += spans->items[first].end_ns - spans->items[first].start_ns;
	if (first == end)
		return sum_ns;
	size_t block = (end - 1) / JR_SPANS_STEP; /* before_ns may not reach the end */
	sum_ns += spans->before_ns[block] - spans->before_ns[first / JR_SPANS_STEP];
	for (size_t i = block * JR_SPANS_STEP; i < end; i++)
		sum_ns += spans->items[i].end_ns - spans->items[i].start_ns;
	return sum_ns;
}

int64_t jr_spans_within(const struct jr_spans *spans, int64_t start_ns, int64_t end_ns)
{
	size_t near = spans->n / 2;
	return jr_spans_within_near(spans, start_ns, end_ns, &near);
}

int64_t jr_spans_within_near(
	const struct jr_spans *spans, int64_t start_ns, int64_t end_ns, size_t *near)
{
	if (end_ns <= start_ns)
		return 0;
	size_t first = *near = begun_before(spans, start_ns, *near);
	size_t end = begun_before(spans, end_ns, first); /* does not move `near`: it may end late */
	const struct jr_span *items = spans->items;
	if (end == 0)
		return 0;
	int64_t sum_ns = length_of(spans, first, end);
	if (first && items[first - 1].end_ns > start_ns) /* begins before */
		sum_ns += items[first - 1].end_ns - start_ns;
	if (items[end - 1].end_ns > end_ns) /* ends after */
		sum_ns -= items[end - 1].end_ns - end_ns;
	return sum_ns;
}

bool jr_spans_meet(const struct jr_spans *spans, int64_t start_ns, int64_t end_ns, size_t *near)
{
	*near = begun_before(spans, end_ns, *near);
	return *near && spans->items[*near - 1].end_ns > start_ns;
}
