#include "base/sort.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define FEW 16 /* sorted by insertion, which costs least if nothing has to move */

struct sorting {
	size_t size;
	jr_compare_with_fn compare;
	void *context;
	char *spare; /* for all items; NULL until it is needed */
	size_t n_spare;
};

/* Sizes of indexes, times and spans become plain moves. */
static inline void copy(char *to, const char *from, size_t size)
{
	if (size == 4)
		memcpy(to, from, 4);
	else if (size == 8)
		memcpy(to, from, 8);
	else if (size == 16)
		memcpy(to, from, 16);
	else
		memcpy(to, from, size);
}

static inline int order(const struct sorting *s, const char *a, const char *b)
{
	return s->compare(a, b, s->context);
}

static char *spare(struct sorting *s)
{
	if (!s->spare)
		s->spare = malloc(s->n_spare * s->size);
	if (!s->spare)
		jr_oom_of(s->n_spare * s->size);
	return s->spare;
}

/* Move each item to its place among the items before it. */
static void insert_each(struct sorting *s, char *items, size_t n)
{
	size_t size = s->size;
	for (size_t i = 1; i < n; i++) {
		size_t at = i;
		while (at && order(s, items + (at - 1) * size, items + i * size) > 0)
			at--;
		if (at == i)
			continue;
		char *held = spare(s);
		copy(held, items + i * size, size);
		memmove(items + (at + 1) * size, items + at * size, (i - at) * size);
		copy(items + at * size, held, size);
	}
}

/* Count the items at the end of `items` that are greater than `item`. */
static size_t count_greater(const struct sorting *s, const char *items, size_t n, const char *item)
{
	size_t known = 0, step = 1; /* known to be greater; steps double, then halve */
	while (known + step <= n && order(s, items + (n - known - step) * s->size, item) > 0) {
		known += step;
		step *= 2;
	}
	for (; step; step /= 2)
		if (known + step <= n && order(s, items + (n - known - step) * s->size, item) > 0)
			known += step;
	return known;
}

/* Count the items at the beginning of `items` that are less than `item`. */
static size_t count_less(const struct sorting *s, const char *items, size_t n, const char *item)
{
	size_t known = 0, step = 1;
	while (known + step <= n && order(s, items + (known + step - 1) * s->size, item) < 0) {
		known += step;
		step *= 2;
	}
	for (; step; step /= 2)
		if (known + step <= n && order(s, items + (known + step - 1) * s->size, item) < 0)
			known += step;
	return known;
}

/* Merge two sorted parts; items that are already in place do not move. */
static void merge(struct sorting *s, char *left, size_t n_left, size_t n_right)
{
	size_t size = s->size;
	char *right = left + n_left * size;
	size_t n = count_greater(s, left, n_left, right);
	if (n == 0)
		return;
	char *to = left + (n_left - n) * size;
	const char *right_end = right + count_less(s, right, n_right, right - size) * size;
	const char *held = memcpy(spare(s), to, n * size), *held_end = held + n * size;
	while (held < held_end && right < right_end) {
		bool later = order(s, right, held) < 0;
		copy(to, later ? right : held, size);
		right += later ? size : 0;
		held += later ? 0 : size;
		to += size;
	}
	memcpy(to, held, (size_t)(held_end - held));
}

/* Recursion depth: log2(n). */
static void sort_part(struct sorting *s, char *items, size_t n)
{
	if (n <= FEW) {
		insert_each(s, items, n);
		return;
	}
	size_t half = n / 2;
	sort_part(s, items, half);
	sort_part(s, items + half * s->size, n - half);
	merge(s, items, half, n - half);
}

/* Only the items after the first one out of order are divided. */
static void sort_all(struct sorting *s, char *items)
{
	size_t size = s->size, n = s->n_spare, sorted = 1;
	while (sorted < n && order(s, items + (sorted - 1) * size, items + sorted * size) <= 0)
		sorted++;
	if (sorted >= n)
		return;
	sort_part(s, items + sorted * size, n - sorted);
	merge(s, items, sorted, n - sorted);
	free(s->spare);
}

void jr_sort_with(void *items, size_t n, size_t size, jr_compare_with_fn compare, void *context)
{
	sort_all(&(struct sorting){size, compare, context, NULL, n}, items);
}

static int compare_plainly(const void *a, const void *b, void *context)
{
	return (*(jr_compare_fn *)context)(a, b);
}

void jr_sort(void *items, size_t n, size_t size, jr_compare_fn compare)
{
	jr_sort_with(items, n, size, compare_plainly, &compare);
}

int jr_compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}
