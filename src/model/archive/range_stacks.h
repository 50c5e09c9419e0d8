/*
 * range_stacks.h - the trace column with the stack of ranges around each range, outermost first.
 * Layer: model.  It is a text ":1:2:3" (column set A) or a list of integers (B, C); the last id is
 * the range's own. It repeats the id columns and is read only if these are incomplete.
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

/* The position of a walk up a stack. */
struct jr_stack_walk {
	const struct jr_range_stacks *stacks;
	uint64_t row;
	uint64_t left; /* remaining bytes or elements */
	uint64_t depth;
};

/** Start a walk up the stack of a file row, of at most `max_depth` ids. The first walk decodes the
 * column. If it is absent, damaged or of another type, every stack is empty. */
struct jr_stack_walk jr_range_stacks_walk(
	struct jr_range_stacks *stacks, uint64_t row, uint64_t max_depth);
/** Return the next id up, beginning with the row's own. False at the end, or if an id is not a
 * number. */
bool jr_stack_walk_up(struct jr_stack_walk *walk, int64_t *id);

#endif
