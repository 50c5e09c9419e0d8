/* Unions of time spans, and how much of a span they cover. */
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/spans.h"

static UNIT(test_unite)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	/* separate, inside another, equal, touching on either side, of zero length */
	struct jr_span items[] = {{50, 60}, {10, 20}, {12, 15}, {10, 20}, {20, 25}, {5, 10}, {40, 40}};
	struct jr_spans spans = {.n = JR_COUNT_OF(items), .items = items};
	jr_spans_unite(&spans, &arena);
	assert_int_equal(spans.n, 3);
	static const struct jr_span expected[] = {{5, 25}, {40, 40}, {50, 60}};
	assert_memory_equal(spans.items, expected, sizeof(expected));
	assert_int_equal(jr_spans_length(&spans), 30);
	assert_int_equal(jr_spans_within(&spans, 0, 100), 30);
	assert_int_equal(jr_spans_within(&spans, 20, 55), 10);
	assert_int_equal(jr_spans_within(&spans, 25, 50), 0);
	assert_int_equal(jr_spans_within(&spans, 7, 7), 0);
	assert_int_equal(jr_spans_within(&spans, 9, 7), 0);
	assert_int_equal(jr_spans_within(&spans, INT64_MIN, INT64_MAX), 30);
	struct jr_spans none = {.n = 0, .items = items};
	jr_spans_unite(&none, &arena);
	assert_int_equal(jr_spans_length(&none), 0);
	assert_int_equal(jr_spans_within(&none, 0, 100), 0);
}

/* Checked by counting each ns. */
static UNIT(test_random)
{
	uint32_t seed = 1;
	for (int round = 0; round < 100; round++) {
		struct jr_arena arena;
		struct jr_span items[32]; /* more than JR_SPANS_STEP stay apart */
		uint8_t covered[132] = {0};
		jr_arena_init(&arena, 0);
		for (size_t i = 0; i < JR_COUNT_OF(items); i++) {
			seed = seed * 1664525 + 1013904223;
			int64_t start = seed >> 8 & 127, length = (seed >> 16 & 3) + round % 2;
			items[i] = (struct jr_span){start, start + length};
			memset(covered + start, 1, (size_t)length);
		}
		struct jr_spans spans = {.n = JR_COUNT_OF(items), .items = items};
		jr_spans_unite(&spans, &arena);
		size_t near = 0, at = 0; /* the start of the search is a hint; any value works */
		for (int64_t from = 0; from < 132; from++)
			for (int64_t to = from, sum = 0; to < 132; sum += covered[to++]) {
				assert_int_equal(jr_spans_within(&spans, from, to), sum);
				assert_int_equal(jr_spans_within_near(&spans, from, to, &near), sum);
				assert_true(near <= spans.n);
				bool meet = jr_spans_meet(&spans, from, to, &at);
				assert_true(meet || sum == 0);
				if (round % 2 && from < to) /* no span of zero length */
					assert_int_equal(meet, sum > 0);
			}
		jr_arena_done(&arena);
	}
}
