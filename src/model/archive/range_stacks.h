/*
 * range_stacks.h - the column of a trace that says what each range lies in, from the outermost in.
 * Layer: model.  A text ":1:2:3" (column set A) or a list of integers (B, C); the last id is the
 * range's own. It says again what the columns of ids say, and is read only where these do not.
 */
#ifndef JR_MODEL_RANGE_STACKS_H
#define JR_MODEL_RANGE_STACKS_H

#include "formats/parquet/parquet.h"

struct jr_range_stacks {
	const struct jr_parquet *pq;
	struct jr_arena *arena;
	bool tried, there;
	struct jr_parquet_values values;
};

/* Where a walk up a stack has come to. */
struct jr_stack_walk {
	const struct jr_range_stacks *stacks;
	uint64_t row;
	uint64_t left; /* bytes or elements that are not yet walked over */
	uint64_t depth;
};

/** A walk up the stack of a row of the file: of `max_depth` ids at most. The column is decoded at
 * the first; where it is absent, damaged or of another type, every stack is empty. */
struct jr_stack_walk jr_range_stacks_walk(
	struct jr_range_stacks *stacks, uint64_t row, uint64_t max_depth);
/** The next id up, the row's own first; false at the end, or where an id is no number. */
bool jr_stack_walk_up(struct jr_stack_walk *walk, int64_t *id);

#endif
