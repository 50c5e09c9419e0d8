/*
 * spans.h - spans of time: their union, and how much of it is within another span.
 * Layer: base.
 */
#ifndef JR_BASE_SPANS_H
#define JR_BASE_SPANS_H

#include <stdbool.h>
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
	/* [n / JR_SPANS_STEP + 1] sum of the lengths of items[0..i * JR_SPANS_STEP) */
	int64_t *before_ns;
	int64_t length_ns; /* of all */
};
#define JR_SPANS_STEP 8 /* few enough to add up, and most of before_ns is not needed */

/** Sort the spans and merge those that overlap or touch, in place. `items` may be in any order;
 * before_ns is allocated in `arena`. O(n log n). */
void jr_spans_unite(struct jr_spans *spans, struct jr_arena *arena);
/** Unite spans that are already in order of start. O(n). */
void jr_spans_unite_sorted(struct jr_spans *spans, struct jr_arena *arena);

/** Return the total length. */
static inline int64_t jr_spans_length(const struct jr_spans *spans)
{
	return spans->length_ns;
}

/** Return how much of [start_ns, end_ns) the spans cover. O(log n). */
int64_t jr_spans_within(const struct jr_spans *spans, int64_t start_ns, int64_t end_ns);
/** Return the same for many spans in sequence. `near` starts at 0; it is the place in `items` where
 * the next search begins. O(log n) of the distance between two spans. */
int64_t jr_spans_within_near(
	const struct jr_spans *spans, int64_t start_ns, int64_t end_ns, size_t *near);
/** Return false if no span overlaps [start_ns, end_ns). `near` as above. */
bool jr_spans_meet(const struct jr_spans *spans, int64_t start_ns, int64_t end_ns, size_t *near);

#endif
