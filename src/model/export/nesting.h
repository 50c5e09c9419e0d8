/*
 * nesting.h - which of a thread's ranges holds what comes next: ranges and calls of one thread, in
 * order of start (formats/README.md, section 3.2).
 * Layer: model, of export*.c.  Thread use: one thread at a time.
 *
 * Ranges of different domains need not nest. One that another leaves behind by ending later is no
 * longer among those that are open, so that calls in the overlap are found in the other one.
 */
#ifndef JR_MODEL_NESTING_H
#define JR_MODEL_NESTING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/intern.h"
#include "base/vec.h"

struct jr_open_range {
	uint32_t row;  /* whatever the caller counts by */
	uint32_t slot; /* the caller's */
	int64_t start_ns, end_ns;
};

/* Zero-initialise. */
struct jr_nesting {
	JR_VEC(struct jr_open_range) open; /* outermost first */
	JR_VEC(struct jr_open_range) left; /* behind, and a call of what follows may lie in them */
	uint64_t n_too_deep;               /* ranges beyond `most`: none is in them */
};

void jr_nesting_done(struct jr_nesting *nesting);
/** The next range, outer ones before those in them. Returns the row of the one that it lies in;
 * JR_NONE: in none. Appends to `left`, which is the caller's to empty. Amortised O(1).
 * @param most  ranges that may be open at once
 * @param above  the one that it lies in, until any of these is called again; NULL: of no
 *               interest */
uint32_t jr_nesting_enter(struct jr_nesting *nesting, const struct jr_open_range *range,
	uint64_t most, struct jr_open_range **above);
/** The innermost open range that holds a call; JR_NONE. Ranges that begin with it come first. */
uint32_t jr_nesting_find(struct jr_nesting *nesting, int64_t start_ns, int64_t end_ns);

#endif
