/*
 * input_shapes.h - parameters in which programs of one function differ, and the batch size that
 * they show.
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_INPUT_SHAPES_H
#define JR_ANALYSIS_INPUT_SHAPES_H

#include "model/profile/profile.h"

/* One program of the function. */
struct jr_input_shapes {
	/* The first three parameters whose shapes differ between the programs, "s32[8], bf16[8,512]";
	 * NULL: none, or the program has no HLO. */
	const char *text;
	/* Leading dimension of all parameters that differ, if they differ in nothing else and agree on
	 * it; JR_NULL_I64: the shapes do not show one. */
	int64_t batch;
};

/**
 * Compare the entry parameters of programs, the first 64 of each, and at most 64 programs.
 *
 * A parameter that is the same in all programs is taken for a weight. If only one program is known,
 * nothing separates its weights from its inputs, so there is no batch.
 *
 * @param programs  [n] rows of programs
 * @return          [n] in `arena`. O(instructions of the entry computations)
 */
struct jr_input_shapes *jr_input_shapes_find(
	const struct jr_profile *p, const uint32_t *programs, size_t n, struct jr_arena *arena);

/* What the inputs of a program look like if it reads tokens. */
struct jr_token_shape {
	const struct jr_hlo_shape *shape; /* integers of two dimensions: batch, sequence; NULL: none */
	size_t n;                         /* entry parameters of that shape */
};

/**
 * Find the shape that most integer parameters of two dimensions share, of a program's entry; of
 * equally many the larger one. Token ids, positions, segments and targets usually have the same
 * shape, which makes it a guess and not a fact. O(instructions of the entry computation)
 */
struct jr_token_shape jr_token_shape_find(const struct jr_hlo *hlo);

#endif
