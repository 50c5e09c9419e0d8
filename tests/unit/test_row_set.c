/* Sets of rows: each row is found at its position and as the next one, all others are not. */

#include "unit.h"

#include "base/row_set.h"

/* Sets in tables of up to a few words, so that first and last rows of words are in them. */
static UNIT(test_positions)
{
	for (size_t n_rows = 0; n_rows < 200; n_rows++)
		for (size_t every = 1; every < 70; every += 3) {
			JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
			struct jr_row_set set = jr_row_set_new(n_rows, &arena);
			for (size_t row = n_rows % every; row < n_rows; row += every)
				jr_row_set_add(&set, row);
			uint32_t n = 0;
			for (size_t row = 0; row < n_rows; row++)
				assert_int_equal(jr_row_set_find(&set, row),
					row % every == n_rows % every ? n++ : JR_NONE);
			assert_int_equal(set.n, n);
			for (size_t row = 0, next = n_rows % every; row <= n_rows; row++) {
				next += row > next && row > n_rows % every ? every : 0;
				assert_int_equal(
					jr_row_set_next(&set, row, n_rows), next < n_rows ? next : n_rows);
			}
		}
}
