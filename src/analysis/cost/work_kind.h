/*
 * work_kind.h - what sort of work a thunk is, in words that people use.
 * Layer: analysis.  Rules: README.md, section 13.9.
 */
#ifndef JR_ANALYSIS_WORK_KIND_H
#define JR_ANALYSIS_WORK_KIND_H

#include "analysis/cost/cost.h"

/** "matrix product"; "unknown". */
const char *jr_work_kind_name(enum jr_work_kind kind);

/* Kinds of computations, each found once. */
struct jr_work_kinds {
	const struct jr_profile *profile;
	uint8_t **of_computation; /* [n_programs][computations of its HLO], NULL: none asked for yet */
	struct jr_arena *arena;
};

/** All in `arena`, which must outlive it; so must the profile. */
struct jr_work_kinds jr_work_kinds_new(const struct jr_profile *profile, struct jr_arena *arena);

/**
 * The kind of a thunk: of a collective or a host copy its sort, of an instruction its opcode or
 * what it calls, of a fusion the first kind in the order above that one of its larger instructions
 * is of. Never fails. O(instructions of its program) over all thunks of it.
 */
enum jr_work_kind jr_work_kind(struct jr_work_kinds *kinds, const struct jr_op *op);

#endif
