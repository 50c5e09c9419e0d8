/*
 * what_if_terms.h - terms of --what-if: `thunk:NAME=0.5x`, `overlap=perfect`, ...
 * Layer: analysis.  One table of kinds drives parsing, the list for --help and the change of each
 * kind.
 */
#ifndef JR_ANALYSIS_WHAT_IF_TERMS_H
#define JR_ANALYSIS_WHAT_IF_TERMS_H

#include "analysis/schedule/replay.h"

/* Kind of value after the "=". */
enum jr_what_if_value {
	JR_WHAT_IF_FACTOR = 1, /* 0.5x */
	JR_WHAT_IF_ROOF = 2,   /* roof */
	JR_WHAT_IF_RATE = 4,   /* 200GB/s */
	JR_WHAT_IF_WORD = 8,   /* the kind's own word: median, 0, never-late, perfect */
};

struct jr_what_if_kind;

/* Borrows the text that it was parsed from. */
struct jr_what_if {
	const struct jr_what_if_kind *kind;
	const char *text; /* the whole text */
	const char *name; /* [name_bytes] between ":" and "=" */
	size_t name_bytes;
	enum jr_what_if_value value;
	double number; /* factor, or bytes/s */
};

/** Get the form and the meaning of a term, row by row. Return false after the last row. */
bool jr_what_if_form(size_t row, const char **form, const char **help);

/**
 * Parse one term.
 * @return JR_EUSAGE unknown kind, missing name, or invalid value; the message lists the valid ones
 */
enum jr_status jr_what_if_parse(const char *text, struct jr_what_if *out, struct jr_error *err)
	JR_MUST_CHECK;

/**
 * Check that the thing that the term names is in the profile.
 * @return JR_EUSAGE there is no thunk, opcode, collective or device of that name; the message names
 *         the nearest one
 */
enum jr_status jr_what_if_check(const struct jr_profile *profile, const struct jr_what_if *what,
	struct jr_error *err) JR_MUST_CHECK;

/**
 * Add the change to *change. Arrays that it does not have yet are made in `arena`.
 * @return NULL; or a clause why it changes nothing ("its roofline is unknown")
 */
const char *jr_what_if_apply(const struct jr_pass_context *ctx, const struct jr_what_if *what,
	struct jr_change *change, struct jr_arena *arena);

/** Merge two changes into *into; the stronger of each pair counts. Arrays in `arena`. */
void jr_change_merge(const struct jr_profile *profile, const struct jr_change *more,
	struct jr_change *into, struct jr_arena *arena);

/** Limit each op with ops[op] set to its roofline time, if that is known. Return the number of such
 * ops. */
size_t jr_change_to_roofs(const struct jr_pass_context *ctx, const uint8_t *ops,
	struct jr_change *change, struct jr_arena *arena);

/** Limit the transfers of collectives to the time at the best bus bandwidth of the same kind, size
 * (in powers of two) and group size. Return how many could be faster. */
size_t jr_change_to_best_rates(
	const struct jr_pass_context *ctx, struct jr_change *change, struct jr_arena *arena);

/**
 * Return the minimum step time without the causes of findings: all kernels at the roofline. Return
 * 0 if that is not known for all kernels. Return 0, too, if a finding by itself removes work that
 * the roofline counts, such as attention scores that a fused kernel never writes.
 */
double jr_step_least_ns(const struct jr_results *results);

#endif
