/*
 * order.h - comparators for qsort() and bsearch(), named by the fields that they compare.
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
#define JR_TEXT_DOWN(field)                                                                        \
	if (strcmp(a->field, b->field) != 0)                                                           \
		return strcmp(b->field, a->field);
/* Compare a field with its own comparator, which takes pointers to it. */
#define JR_BY(order, field)                                                                        \
	if (order(&a->field, &b->field) != 0)                                                          \
		return order(&a->field, &b->field);

/* Compare plain numbers, the smallest first. */
#define JR_ORDER_OF_VALUES(name, type)                                                             \
	static int name(const void *va, const void *vb)                                                \
	{                                                                                              \
		type a = *(const type *)va, b = *(const type *)vb;                                         \
		return (a > b) - (a < b);                                                                  \
	}

#endif
