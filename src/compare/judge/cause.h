/*
 * cause.h - find the largest cause of the change of the step.
 * Layer: compare.
 */
#ifndef JR_COMPARE_CAUSE_H
#define JR_COMPARE_CAUSE_H

#include "compare/core/compare.h"

struct jr_change_cause {
	const char *name; /* a noun phrase: "idle between modules", "dot.3 on device 2"; NULL: none */
	int64_t ns;       /* time that it adds, with the sign of the change */
	/* The contribution; NULL if the cause has several. */
	const struct jr_contribution *item;
};

/**
 * Find the cause that explains most of the change of the step, in the direction of the change.
 *
 * Waiting for other devices is attributed to the compute by which a device is late, if that
 * accounts for it. Several contributions of one kind are combined if none of them is half of the
 * change. The name lives in the comparison's arena. O(contributions log contributions).
 */
struct jr_change_cause jr_change_cause_find(const struct jr_comparison *c);

#endif
