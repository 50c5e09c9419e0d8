/*
 * program_kind.h - what a program is known to be, so that advice uses its words.
 * Layer: analysis.
 *
 * Known by names in the profile alone. "In PyTorch pin_memory=True" is no advice to a
 * fluid solver, nor is "batches of input": what is not known to be one is spoken of as any program.
 */
#ifndef JR_ANALYSIS_PROGRAM_KIND_H
#define JR_ANALYSIS_PROGRAM_KIND_H

#include "model/profile/profile.h"

struct jr_program_kind {
	bool pytorch;  /* kernels of at::native, ranges of aten:: or c10d:: */
	bool learning; /* of PyTorch, or kernels and ranges of other frameworks, or of attention,
					* normalization, optimizers */
	bool loader;   /* ranges of its host read input: "DataLoader", "get_batch", "load_input" */
	bool hopper;   /* compiled for devices of compute capability 9.0 */
};

/** O(operations + ranges), with the names that these have. `scratch` for the time of the call. */
struct jr_program_kind jr_program_kind_of(const struct jr_profile *p, struct jr_arena *scratch);

/** Whether the program is known to be of JAX: the input is an archive of nsys-jax, or a name in it
 * is one that JAX gives to programs and operations ("jit_step", "jit(step)/dot") or is of its code.
 * XLA runs programs of TensorFlow and of Julia, too. O(bytes of all names) */
bool jr_program_is_jax(const struct jr_profile *p);

#endif
