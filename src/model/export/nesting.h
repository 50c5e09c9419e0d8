/*
 * nesting.h - finds the innermost range around the next range or call of a thread, in order of
 * start (formats/README.md, section 3.2).
 * Layer: model, of export*.c.  Thread use: one thread at a time.
 *
 * Ranges of different domains need not nest. If a later range ends after an earlier one, the
 * earlier one is no longer open. Calls in the overlap then belong to the later range.
 */
#ifndef JR_MODEL_NESTING_H
#define JR_MODEL_NESTING_H

#include <stdint.h>

#include "base/intern.h"
#include "base/vec.h"

struct jr_open_range {
	uint32_t row;  /* row number of the caller */
	uint32_t slot; /* free for use by the caller */
	int64_t start_ns, end_ns;
};

/* Zero-initialize. */
struct jr_nesting {
	JR_VEC(struct jr_open_range) open; /* outermost first */
	JR_VEC(struct jr_open_range) left; /* closed by a crossing range; calls may still be in them */
	uint64_t n_too_deep;               /* ranges beyond `most`; they are never parents */
};

void jr_nesting_done(struct jr_nesting *nesting);
/** Enter the next range; outer ranges come before inner ones. Returns the row of its parent, or
 * JR_NONE. Appends to `left`, which the caller empties. Amortized O(1).
 * @param most  ranges that may be open at once
 * @param above  out: its parent, valid until the next call of these functions; may be NULL */
uint32_t jr_nesting_enter(struct jr_nesting *nesting, const struct jr_open_range *range,
	uint64_t most, struct jr_open_range **above);
/** Return the row of the innermost open range that contains a call, or JR_NONE. Ranges with the
 * same start must be entered before. */
uint32_t jr_nesting_find(struct jr_nesting *nesting, int64_t start_ns, int64_t end_ns);

#endif
