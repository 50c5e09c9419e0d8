/*
 * attention.h - unfused attention: products with a softmax between them.
 * Layer: analysis.  Definitions: README.md, section 14.5.
 */
#ifndef JR_ANALYSIS_ATTENTION_H
#define JR_ANALYSIS_ATTENTION_H

#include "model/profile/profile.h"

/* Role of an instruction in attention. */
enum jr_scores_role {
	JR_SCORES_NONE,
	JR_SCORES_MADE,    /* a product whose result is the scores or their gradient */
	JR_SCORES_TAKEN,   /* a product with scores as an operand */
	JR_SCORES_BETWEEN, /* anything else that reads or writes them */
};

struct jr_scores {
	bool found;
	uint8_t *roles;  /* [n_instructions] enum jr_scores_role */
	uint64_t *bytes; /* [n_instructions] of scores, read and written per execution; saturated */
	/* of the first attention: number of products of queries with keys, and their sizes */
	uint64_t batch, queries, keys, head;
};

/** Find unfused attention, in `arena`. O(instructions and operands of the program). */
struct jr_scores jr_scores_of(const struct jr_hlo *hlo, struct jr_arena *arena);

#endif
