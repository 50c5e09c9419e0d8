/*
 * variants.h - programs of one function: compiled again, or for several shapes.
 * Layer: analysis.
 *
 * Programs of one name are variants of a function: shape buckets of a server, or a function that is
 * compiled again. Where they take turns in no fixed order, none of them is the step of the profile,
 * and what is said is said per execution.
 */
#ifndef JR_ANALYSIS_VARIANTS_H
#define JR_ANALYSIS_VARIANTS_H

#include "analysis/shared/steady.h"

struct jr_pass_context;
struct jr_section;

/** True where the heaviest program and others of its name take turns in no fixed order: between its
 * executions the number of theirs differs, or it runs no more than once and they do as well.
 * O(module rows log). */
bool jr_variants_irregular(const struct jr_profile *profile, const struct jr_steady *steady);

/* Why sections about steps are not available then. */
extern const char jr_variants_no_step[];

/** Add the table of variants where there is no step for them (struct jr_step_windows). */
void jr_variants_add(struct jr_pass_context *ctx, struct jr_section *out);

/* Compilation between calls of one function. */
struct jr_compiled_calls {
	uint32_t name;             /* str: of the programs; 0 = the function is not compiled again */
	size_t n_calls, n_between; /* executions on one device; periods between them that compile */
	size_t n_programs;
	double compile_ns; /* in these periods, together; compilations side by side count once */
	double wall_ns;    /* of all periods */
	double run_ns;     /* of it executions of the function */
};

/** Of the function that takes most time, on the first device that runs it. O(rows log). */
struct jr_compiled_calls jr_compiled_calls_find(
	const struct jr_profile *profile, const struct jr_steady *steady, struct jr_arena *arena);

#endif
