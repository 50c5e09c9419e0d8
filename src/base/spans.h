/*
 * spans.h - spans of time: their union, and how much of it lies within another span.
 * Layer: base.
 */
#ifndef JR_BASE_SPANS_H
#define JR_BASE_SPANS_H

#include <stddef.h>
#include <stdint.h>

struct jr_arena;

struct jr_span {
	int64_t start_ns, end_ns; /* end >= start */
};

/* Sorted, disjoint, not touching. */
struct jr_spans {
	size_t n;
	struct jr_span *items;
	int64_t *before_ns; /* [n + 1] sum of the lengths of items[0..i) */
};

/** Sort, and put together what overlaps or touches; in place. `items` of `spans` are given in any
 * order; before_ns is made in `arena`. O(n log n). */
void jr_spans_unite(struct jr_spans *spans, struct jr_arena *arena);
/** The same for items in order of start. O(n). */
void jr_spans_unite_sorted(struct jr_spans *spans, struct jr_arena *arena);

/** Length of all. */
static inline int64_t jr_spans_length(const struct jr_spans *spans)
{
	return spans->before_ns[spans->n];
}

/** Length of the part of [start_ns, end_ns) that they cover. O(log n). */
int64_t jr_spans_within(const struct jr_spans *spans, int64_t start_ns, int64_t end_ns);
/** The same, of many spans that follow one another: `near` is 0 at first, a place in `items` that
 * the next search begins at. O(log n) of how far the next span is from the last. */
int64_t jr_spans_within_near(
	const struct jr_spans *spans, int64_t start_ns, int64_t end_ns, size_t *near);

#endif
