/*
 * vec.h - a typed, growing array on the heap.
 * Layer: base.
 *
 *	JR_VEC(struct row) rows = {0};
 *	*jr_vec_add(&rows) = (struct row){...};
 *	for (size_t i = 0; i < rows.n; i++) use(&rows.items[i]);
 *	jr_vec_done(&rows);
 */
#ifndef JR_BASE_VEC_H
#define JR_BASE_VEC_H

#include <stddef.h>
#include <stdlib.h>

#define JR_VEC(T)                                                                                  \
	struct {                                                                                       \
		T *items;                                                                                  \
		size_t n;                                                                                  \
		size_t capacity;                                                                           \
	}

/* Return a pointer to a new last element, its content undefined; valid until the next add. */
#define jr_vec_add(vec)                                                                            \
	((vec)->n == (vec)->capacity                                                                   \
			? ((vec)->items = jr_vec_grow((vec)->items, &(vec)->capacity, sizeof(*(vec)->items)))  \
			: (vec)->items,                                                                        \
		&(vec)->items[(vec)->n++])

#define jr_vec_done(vec)                                                                           \
	(free((vec)->items), (vec)->items = NULL, (vec)->n = 0, (vec)->capacity = 0)

/** Double the capacity; jr_oom() if there is no memory. */
void *jr_vec_grow(void *items, size_t *capacity, size_t item_size);

#endif
