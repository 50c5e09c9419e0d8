/*
 * sort.h - a stable sort that is fast for rows that are nearly in order, as in traces.
 * Layer: base.  Thread use: free.
 */
#ifndef JR_BASE_SORT_H
#define JR_BASE_SORT_H

#include <stddef.h>

typedef int (*jr_compare_fn)(const void *, const void *);
typedef int (*jr_compare_with_fn)(const void *, const void *, void *);

/**
 * Sort by merging; equal items keep their order. As qsort() and qsort_r(), but `items` may be NULL
 * if `n` is 0.
 *
 * @note n comparisons if the items are in order; O(n log k) for k sorted runs, one after the other
 *       or interleaved within a few places; O(n log n) at worst. Allocates memory for half of the
 *       items (jr_oom()), none if they are in order.
 */
void jr_sort(void *items, size_t n, size_t size, jr_compare_fn compare);
void jr_sort_with(void *items, size_t n, size_t size, jr_compare_with_fn compare, void *context);
/** Compare two items of type const char * by their bytes. */
int jr_compare_texts(const void *a, const void *b);

#endif
