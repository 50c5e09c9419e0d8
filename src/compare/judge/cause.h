/*
 * cause.h - what most of the change of the step is put down to.
 * Layer: compare.
 */
#ifndef JR_COMPARE_CAUSE_H
#define JR_COMPARE_CAUSE_H

#include "compare/core/compare.h"

struct jr_change_cause {
	const char *name; /* a noun phrase: "idle between modules", "dot.3 on device 2"; NULL: none */
	int64_t ns;       /* what it adds to the change of the step, with the sign of the change */
	/* The contribution that it is; NULL where it is several. */
	const struct jr_contribution *item;
};

/**
 * Find what explains most of the change of the step, in the direction of the change.
 *
 * Waiting for other devices is put down to the compute that a device is late by, where that
 * accounts for it; several contributions of one kind stand together where none is half of them.
 * The name lives in the comparison's arena. O(contributions log contributions).
 */
struct jr_change_cause jr_change_cause_find(const struct jr_comparison *c);

#endif
