/*
 * what_if_terms.h - what a user asks for: `thunk:NAME=0.5x`, `overlap=perfect`, ...
 * Layer: analysis.  One table of kinds drives parsing, the list for --help and what each changes.
 */
#ifndef JR_ANALYSIS_WHAT_IF_TERMS_H
#define JR_ANALYSIS_WHAT_IF_TERMS_H

#include "analysis/schedule/replay.h"

/* What stands behind the "=". */
enum jr_what_if_value {
	JR_WHAT_IF_FACTOR = 1, /* 0.5x */
	JR_WHAT_IF_ROOF = 2,   /* roof */
	JR_WHAT_IF_RATE = 4,   /* 200GB/s */
	JR_WHAT_IF_WORD = 8,   /* the kind's own: median, 0, never-late, perfect */
};

struct jr_what_if_kind;

/* Borrows the text that it was made of. */
struct jr_what_if {
	const struct jr_what_if_kind *kind;
	const char *text; /* all of it */
	const char *name; /* [name_bytes] between ":" and "=" */
	size_t name_bytes;
	enum jr_what_if_value value;
	double number; /* factor, or bytes/s */
};

/** Rows of what can be asked for: its form and what it means; NULL behind the last. */
bool jr_what_if_form(size_t row, const char **form, const char **help);

/**
 * Read one.
 * @return JR_EUSAGE no such kind, a name that lacks, a value that is none of its: said with what
 * can stand there
 */
enum jr_status jr_what_if_parse(const char *text, struct jr_what_if *out, struct jr_error *err)
	JR_MUST_CHECK;

/**
 * Whether what it names is in the profile.
 * @return JR_EUSAGE there is no thunk, opcode, collective or device of that name; with the nearest
 */
enum jr_status jr_what_if_check(const struct jr_profile *profile, const struct jr_what_if *what,
	struct jr_error *err) JR_MUST_CHECK;

/**
 * Add what it changes to *change, whose arrays are made in `arena` where they lack.
 * @return NULL; or a clause why it changes nothing ("no roof of it is known")
 */
const char *jr_what_if_apply(const struct jr_pass_context *ctx, const struct jr_what_if *what,
	struct jr_change *change, struct jr_arena *arena);

/** Both together, in *into: the stronger of each. Arrays in `arena`. */
void jr_change_merge(const struct jr_profile *profile, const struct jr_change *more,
	struct jr_change *into, struct jr_arena *arena);

/** Cut each op to its roof where that is known and ops[op] is set; how many there were. */
size_t jr_change_to_roofs(const struct jr_pass_context *ctx, const uint8_t *ops,
	struct jr_change *change, struct jr_arena *arena);

/** Cut the transfer of collectives to what the best bus bandwidth of their kind and size (in powers
 * of two) and group takes; how many could be faster. */
size_t jr_change_to_best_rates(
	const struct jr_pass_context *ctx, struct jr_change *change, struct jr_arena *arena);

/** What is left of a step at least without what findings tell of: its kernels at their roofs, where
 * that is known of all of them; 0 where it is not, or where a finding by itself does away with work
 * that the roofs count (scores of attention that a fused kernel never writes). */
double jr_step_least_ns(const struct jr_results *results);

#endif
