/*
 * row_set.h - a set of rows of a table, each with its position among the rows of the set.
 * Layer: base.  Owner: the given arena.
 *
 * Columns that only these rows have are as long as the set: 12 bytes per 64 rows of the table find
 * the position.
 */
#ifndef JR_BASE_ROW_SET_H
#define JR_BASE_ROW_SET_H

#include "base/arena.h"
#include "base/intern.h"

struct jr_row_set {
	size_t n;         /* rows of the set */
	uint64_t *bits;   /* [rows of the table / 64 + 1] bit i % 64 of word i / 64: row i */
	uint32_t *before; /* of a word that is not 0: position of its first row */
};

/** Return an empty set for a table of `n_rows` rows. */
static inline struct jr_row_set jr_row_set_new(size_t n_rows, struct jr_arena *arena)
{
	return (struct jr_row_set){.bits = JR_ARENA_N(arena, uint64_t, n_rows / 64 + 1),
		.before = JR_ARENA_N(arena, uint32_t, n_rows / 64 + 1)};
}

/** Add a row, which is after all rows of the set. O(1). */
static inline void jr_row_set_add(struct jr_row_set *set, size_t row)
{
	if (!set->bits[row / 64])
		set->before[row / 64] = (uint32_t)set->n;
	set->bits[row / 64] |= UINT64_C(1) << row % 64;
	set->n++;
}

/** Return the first row of the set from `row` on; `n_rows`, those of the table: there is none. */
static inline size_t jr_row_set_next(const struct jr_row_set *set, size_t row, size_t n_rows)
{
	while (row < n_rows) {
		uint64_t word = set->bits[row / 64] >> row % 64;
		if (word)
			return row + (size_t)__builtin_ctzll(word);
		row = (row / 64 + 1) * 64;
	}
	return n_rows;
}

/* Without an option for newer processors, the builtin is a call of a function with tables. */
static inline uint32_t jr_count_bits(uint64_t v)
{
	v -= v >> 1 & UINT64_C(0x5555555555555555);
	v = (v & UINT64_C(0x3333333333333333)) + (v >> 2 & UINT64_C(0x3333333333333333));
	v = (v + (v >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
	return (uint32_t)(v * UINT64_C(0x0101010101010101) >> 56);
}

/** Return the position of a row in the set; JR_NONE: it is not in it. O(1). */
static inline uint32_t jr_row_set_find(const struct jr_row_set *set, size_t row)
{
	uint64_t word = set->bits[row / 64], bit = UINT64_C(1) << row % 64;
	if (!(word & bit))
		return JR_NONE;
	return set->before[row / 64] + jr_count_bits(word & (bit - 1));
}

#endif
