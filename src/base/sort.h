/*
 * sort.h - a stable sort that is quick where rows are nearly in order, as those of traces are.
 * Layer: base.  Thread use: free.
 */
#ifndef JR_BASE_SORT_H
#define JR_BASE_SORT_H

#include <stddef.h>

typedef int (*jr_compare_fn)(const void *, const void *);
typedef int (*jr_compare_with_fn)(const void *, const void *, void *);

/**
 * Sort by merging; equal items keep their order. As qsort() and qsort_r(), but `items` may be NULL
 * where `n` is 0.
 *
 * @note n comparisons where they are in order, O(n log k) where they are k runs one behind the
 *       other or interleaved within a few places, O(n log n) at worst. Half of the items once more
 *       in memory (jr_oom()), none where they are in order.
 */
void jr_sort(void *items, size_t n, size_t size, jr_compare_fn compare);
void jr_sort_with(void *items, size_t n, size_t size, jr_compare_with_fn compare, void *context);

#endif
