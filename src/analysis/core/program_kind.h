/*
 * program_kind.h - kind of program, so that advice uses its terms.
 * Layer: analysis.
 *
 * Only names in the profile decide. "In PyTorch pin_memory=True" does not help a fluid solver, and
 * neither does "batches of input". Programs of unknown kind get neutral advice.
 */
#ifndef JR_ANALYSIS_PROGRAM_KIND_H
#define JR_ANALYSIS_PROGRAM_KIND_H

#include "model/profile/profile.h"

struct jr_program_kind {
	bool pytorch;  /* kernels of at::native, ranges of aten:: or c10d:: */
	bool learning; /* PyTorch, or kernels and ranges of other frameworks, or of attention,
					  normalization or optimizers */
	bool loader;   /* host ranges read input: "DataLoader", "get_batch", "load_input" */
	bool hopper;   /* compiled for devices of compute capability 9.0 */
};

/** Determine the kind from the names of operations and ranges. O(operations + ranges). Uses
 * `scratch` during the call. */
struct jr_program_kind jr_program_kind_of(const struct jr_profile *p, struct jr_arena *scratch);

/** Return whether the program is known to use JAX: the input is an archive of nsys-jax, or it
 * contains a name from JAX's code, or one that JAX gives to programs and operations ("jit_step",
 * "jit(step)/dot"). XLA also runs programs of TensorFlow and Julia. O(bytes of all names) */
bool jr_program_is_jax(const struct jr_profile *p);

/** Return true if a name contains one of these words, in any case. `words` ends with NULL. */
bool jr_names_any(const char *name, const char *const *words);

/** Return true if any program has HLO. */
bool jr_program_any_hlo(const struct jr_profile *p);

/** Return 1 if operations have the name that JAX gives to the backward pass of differentiated
 * functions, 0 if the names of operations are JAX's and none has it, -1 if no name is known.
 * O(operations) */
int jr_program_has_backward(const struct jr_profile *p);

#endif
