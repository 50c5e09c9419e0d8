/*
 * order.h - comparators for qsort() and bsearch(), named by the fields that they compare; binary
 * search.
 * Layer: base.
 *
 *   JR_ORDER(compare_spans, struct span, JR_UP(process) JR_DOWN(dur_ns) JR_TEXT_UP(name))
 *
 * defines `static int compare_spans(const void *, const void *)`. The first field that differs
 * decides; rows without a difference are equal. The last field should be one that no two rows
 * share, because qsort is not stable and the same input must give the same bytes.
 */
#ifndef JR_BASE_ORDER_H
#define JR_BASE_ORDER_H

#include <stdint.h>
#include <string.h>

#define JR_ORDER(name, type, fields)                                                               \
	static int name(const void *va, const void *vb)                                                \
	{                                                                                              \
		const type *a = va, *b = vb;                                                               \
		fields return 0;                                                                           \
	}

/* Compare a number, smaller or larger first. Not for NaN, which has no order. */
#define JR_UP(field)                                                                               \
	if (a->field != b->field)                                                                      \
		return a->field < b->field ? -1 : 1;
#define JR_DOWN(field)                                                                             \
	if (a->field != b->field)                                                                      \
		return a->field > b->field ? -1 : 1;
/* Compare a text by its bytes; not NULL. */
#define JR_TEXT_UP(field)                                                                          \
	if (strcmp(a->field, b->field) != 0)                                                           \
		return strcmp(a->field, b->field);
/* Compare what a function returns for a pointer to a row, smaller or larger first. */
#define JR_UP_OF(function)                                                                         \
	if (function(a) != function(b))                                                                \
		return function(a) < function(b) ? -1 : 1;
/* Compare a field with its own comparator, which takes pointers to it. */
#define JR_BY(order, field)                                                                        \
	if (order(&a->field, &b->field) != 0)                                                          \
		return order(&a->field, &b->field);

/* Comparators for qsort_r() over uint32_t indexes of the rows that are the context: an array of
 * structs, or a struct of columns, with JR_UP_AT(column). Equal rows keep their order. */
#define JR_ORDER_ROWS(name, type, fields)                                                          \
	static int name(const void *va, const void *vb, void *vr)                                      \
	{                                                                                              \
		uint32_t i = *(const uint32_t *)va, j = *(const uint32_t *)vb;                             \
		const type *a = (const type *)vr + i, *b = (const type *)vr + j;                           \
		fields return (i > j) - (i < j);                                                           \
	}
#define JR_ORDER_COLUMNS(name, type, fields)                                                       \
	static int name(const void *va, const void *vb, void *vt)                                      \
	{                                                                                              \
		const type *t = vt;                                                                        \
		uint32_t i = *(const uint32_t *)va, j = *(const uint32_t *)vb;                             \
		fields return (i > j) - (i < j);                                                           \
	}
#define JR_UP_AT(column)                                                                           \
	if (t->column[i] != t->column[j])                                                              \
		return t->column[i] < t->column[j] ? -1 : 1;
#define JR_DOWN_AT(column)                                                                         \
	if (t->column[i] != t->column[j])                                                              \
		return t->column[i] > t->column[j] ? -1 : 1;

/* Comparators for jr_sort_with(), with the table of texts as the context `w`: text_of(w, a->field)
 * is jr_str() of a profile, or jr_intern_str(). */
#define JR_ORDER_WITH(name, type, context, fields)                                                 \
	static int name(const void *va, const void *vb, void *vw)                                      \
	{                                                                                              \
		const type *a = va, *b = vb;                                                               \
		const context *w = vw;                                                                     \
		fields return 0;                                                                           \
	}
#define JR_TEXT_UP_OF(text_of, field)                                                              \
	if (a->field != b->field && strcmp(text_of(w, a->field), text_of(w, b->field)) != 0)           \
		return strcmp(text_of(w, a->field), text_of(w, b->field));

/* Compare plain numbers, the smallest first. */
#define JR_ORDER_OF_VALUES(name, type)                                                             \
	static int name(const void *va, const void *vb)                                                \
	{                                                                                              \
		type a = *(const type *)va, b = *(const type *)vb;                                         \
		return (a > b) - (a < b);                                                                  \
	}

/* Search sorted rows [lo, hi): move the variables `lo` and `hi` to the first row `mid` that is not
 * `before` what is searched for, or to the end. */
#define JR_SEARCH(lo, hi, mid, before)                                                             \
	while (lo < hi) {                                                                              \
		size_t mid = lo + (hi - lo) / 2;                                                           \
		if (before)                                                                                \
			lo = mid + 1;                                                                          \
		else                                                                                       \
			hi = mid;                                                                              \
	}                                                                                              \
	(void)0

#endif
