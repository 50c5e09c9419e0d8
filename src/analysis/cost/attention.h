/*
 * attention.h - attention that is no kernel of its own: products with a softmax between them.
 * Layer: analysis.  Definitions: README.md, section 14.5.
 */
#ifndef JR_ANALYSIS_ATTENTION_H
#define JR_ANALYSIS_ATTENTION_H

#include "model/profile/profile.h"

/* What an instruction does with scores. */
enum jr_scores_role {
	JR_SCORES_NONE,
	JR_SCORES_MADE,    /* a product whose result they are, or their gradient */
	JR_SCORES_TAKEN,   /* a product of which they are an operand */
	JR_SCORES_BETWEEN, /* anything else that reads or writes them */
};

struct jr_scores {
	bool found;
	uint8_t *roles;  /* [n_instructions] enum jr_scores_role */
	uint64_t *bytes; /* [n_instructions] of scores, read and written by an execution; saturated */
	/* of the first attention: so many products of queries with keys, and what they sum over */
	uint64_t batch, queries, keys, head;
};

/** In `arena`. O(instructions and operands of the program). */
struct jr_scores jr_scores_of(const struct jr_hlo *hlo, struct jr_arena *arena);

#endif
