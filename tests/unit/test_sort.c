/* Merge sort: equal items keep their order, for any order of the input. */
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "base/sort.h"
#include "base/order.h"

/* Its size is not one of those with a specialized move. */
struct item {
	int32_t key;
	uint32_t place; /* before sorting */
	uint8_t more[13];
};

JR_ORDER(compare_items, struct item, JR_UP(key))

static int compare_rows(const void *a, const void *b, void *context)
{
	const int64_t *keys = context;
	int64_t x = keys[*(const uint32_t *)a], y = keys[*(const uint32_t *)b];
	return (x > y) - (x < y);
}

static size_t n_compared;

static int compare_wide(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	n_compared++;
	return (x > y) - (x < y);
}

static uint32_t noise(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

enum order { ASCENDING, DESCENDING, RANDOM, FEW_KEYS, RUNS, NEARLY, N_ORDERS };

static int32_t key_of(enum order order, uint32_t i, uint32_t n, uint32_t *state)
{
	switch (order) {
	case ASCENDING:
		return (int32_t)i;
	case DESCENDING:
		return -(int32_t)i;
	case RANDOM:
		return (int32_t)(noise(state) % 100000);
	case FEW_KEYS:
		return (int32_t)(noise(state) % 3);
	case RUNS:
		return (int32_t)(i % (n / 3 + 1));
	default:
		return (int32_t)(i + noise(state) % 5);
	}
}

static void check(enum order order, uint32_t n)
{
	uint32_t state = n + 7;
	struct item *items = calloc(n + 1, sizeof(*items));
	uint32_t *rows = calloc(n + 1, sizeof(*rows));
	int64_t *keys = calloc(n + 1, sizeof(*keys));
	for (uint32_t i = 0; i < n; i++) {
		keys[i] = key_of(order, i, n, &state);
		items[i] = (struct item){.key = (int32_t)keys[i], .place = i};
		memset(items[i].more, (int)(i % 251), sizeof(items[i].more));
		rows[i] = i;
	}
	jr_sort(items, n, sizeof(*items), compare_items);
	jr_sort_with(rows, n, sizeof(*rows), compare_rows, keys);
	for (uint32_t i = 0; i < n; i++) {
		assert_int_equal(items[i].key, keys[items[i].place]);
		assert_int_equal(items[i].more[12], items[i].place % 251);
		assert_int_equal(rows[i], items[i].place);
		if (i)
			assert_true(items[i - 1].key < items[i].key ||
						(items[i - 1].key == items[i].key && items[i - 1].place < items[i].place));
	}
	free(items);
	free(rows);
	free(keys);
}

static UNIT(test_orders)
{
	static const uint32_t sizes[] = {0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 100, 1000, 4097};
	for (int order = 0; order < N_ORDERS; order++)
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
			check((enum order)order, sizes[i]);
	jr_sort(NULL, 0, 8, compare_wide);
}

/* Sorted input is compared about once per item, and a few runs cost only their merge. */
static UNIT(test_cost)
{
	enum { N = 1 << 16 };
	int64_t *values = calloc(N, sizeof(*values));
	for (size_t i = 0; i < N; i++)
		values[i] = (int64_t)i;
	n_compared = 0;
	jr_sort(values, N, sizeof(*values), compare_wide);
	assert_true(n_compared < N + N / 8);
	for (size_t i = 0; i < N; i++)
		values[i] = (int64_t)(i % (N / 2));
	n_compared = 0;
	jr_sort(values, N, sizeof(*values), compare_wide);
	assert_true(n_compared < 3 * N);
	free(values);
}
