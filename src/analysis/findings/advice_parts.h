/*
 * advice_parts.h - facts about ops, for the table of facts.
 * Layer: analysis, private to advice*.c.  Definitions: README.md, section 14.8.
 */
#ifndef JR_ANALYSIS_ADVICE_PARTS_H
#define JR_ANALYSIS_ADVICE_PARTS_H

#include "analysis/findings/advice.h"

enum { YES = 1, NO = 0, UNKNOWN = -1 };

/* Cached results. In the result arena, shared by all checks. */
struct jr_facts {
	const struct jr_dataflow **flows; /* [n_programs], NULL: not made yet */
	const struct jr_constant_inputs *constant_inputs;
	int known[JR_N_FACTS]; /* facts about the program: 2 + the result; 0: not decided yet */
};

/** Return the cache of a check; never NULL. */
struct jr_facts *jr_facts_of(struct jr_check *c);

/* enum jr_fact documents each of these facts. */
int jr_fact_copies(struct jr_check *c, const struct jr_about *about);
int jr_fact_transposes(struct jr_check *c, const struct jr_about *about);
int jr_fact_moves_parameter(struct jr_check *c, const struct jr_about *about);
int jr_fact_few_results(struct jr_check *c, const struct jr_about *about);
int jr_fact_reduces_columns(struct jr_check *c, const struct jr_about *about);
int jr_fact_fused(struct jr_check *c, const struct jr_about *about);
int jr_fact_wide_input(struct jr_check *c, const struct jr_about *about);
int jr_fact_checkpointed(struct jr_check *c, const struct jr_about *about);
int jr_fact_masked_by_place(struct jr_check *c);
int jr_fact_equal_indices(struct jr_check *c, const struct jr_about *about);
int jr_fact_shared_indices(struct jr_check *c, const struct jr_about *about);
int jr_fact_sorted_indices(struct jr_check *c, const struct jr_about *about);
int jr_fact_repeatable_indices(struct jr_check *c, const struct jr_about *about);
int jr_fact_depends_on_data(struct jr_check *c, const struct jr_about *about);
int jr_fact_beside_communication(struct jr_check *c, const struct jr_about *about);

#endif
