/*
 * work_kind.h - kind of work of a thunk, in common terms.
 * Layer: analysis.  Rules: README.md, section 13.9.
 */
#ifndef JR_ANALYSIS_WORK_KIND_H
#define JR_ANALYSIS_WORK_KIND_H

#include "analysis/cost/cost.h"

/** Return the name of a kind: "matrix product"; "unknown". */
const char *jr_work_kind_name(enum jr_work_kind kind);

/* Kinds of computations, each determined once. */
struct jr_work_kinds {
	const struct jr_profile *profile;
	uint8_t **of_computation; /* [n_programs][computations of its HLO], NULL: none requested yet */
	struct jr_arena *arena;
};

/** Prepare queries, in `arena`, which must outlive them; so must the profile. */
struct jr_work_kinds jr_work_kinds_new(const struct jr_profile *profile, struct jr_arena *arena);

/**
 * Return the kind of a thunk. Collectives and host copies have their own kind. For an instruction
 * it depends on its opcode or on what it calls. For a fusion it is the first kind in the
 * enumeration's order among its larger instructions. Never fails. O(instructions of its program)
 * over all thunks of it.
 */
enum jr_work_kind jr_work_kind(struct jr_work_kinds *kinds, const struct jr_op *op);

#endif
