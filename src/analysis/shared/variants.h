/*
 * variants.h - programs of one function: recompiled, or for several shapes.
 * Layer: analysis.
 *
 * Programs of one name are variants of a function: shape buckets of a server, or a function that is
 * compiled again. If they alternate in no fixed order, none of them is the step of the profile, and
 * results are per execution.
 */
#ifndef JR_ANALYSIS_VARIANTS_H
#define JR_ANALYSIS_VARIANTS_H

#include "analysis/shared/steady.h"

struct jr_pass_context;
struct jr_section;

/** Return true if the program with the most time and the others of its name alternate in no fixed
 * order. This is so if the number of other executions between its own varies. It is also so if it
 * runs at most once per device and the others run at least twice as often. O(module rows log). */
bool jr_variants_irregular(const struct jr_profile *profile, const struct jr_steady *steady);

/* Why sections about steps are then not available. */
extern const char jr_variants_no_step[];

/** Add the table of variants if they do not form steps (struct jr_step_windows). */
void jr_variants_add(struct jr_pass_context *ctx, struct jr_section *out);

/* Recompilation between calls of one function. */
struct jr_compiled_calls {
	uint32_t name; /* name of the programs (string id); 0 = the function is not compiled again */
	size_t n_calls, n_between; /* executions on one device; periods between them that compile */
	size_t n_programs;
	double compile_ns; /* in these periods, together; concurrent compilations count once */
	double wall_ns;    /* of all periods */
	double run_ns;     /* part of it in executions of the function */
};

/** Find recompilations of the function with the most time, on the first device that runs it. O(rows
 * log). */
struct jr_compiled_calls jr_compiled_calls_find(
	const struct jr_profile *profile, const struct jr_steady *steady, struct jr_arena *arena);

#endif
