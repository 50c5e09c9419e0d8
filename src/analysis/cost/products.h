/*
 * products.h - sizes of matrix products, and the padding in their tiles.
 * Layer: analysis.  Definitions: README.md, section 14.4.
 */
#ifndef JR_ANALYSIS_PRODUCTS_H
#define JR_ANALYSIS_PRODUCTS_H

#include "analysis/cost/cost.h"

/* Instructions of a fusion that are searched: real ones have some dozens. */
#define JR_MOST_WITHIN 4096
/* For libraries with unknown tiles: the smallest tile of their fast kernels. */
#define JR_SMALL_TILE 64

/* batch products of [m, k] and [k, n]; which side is m matters only for the tiles. */
struct jr_product {
	uint64_t batch, m, n, k;
	uint32_t tile_m, tile_n, tile_k; /* 0: not known */
	bool misaligned; /* a row of an operand or the result is not a multiple of 16 bytes */
};

/** Return the instruction itself, or the first one in a fusion, with that opcode; NULL: none. */
const struct jr_hlo_instruction *jr_first_within(
	const struct jr_hlo *hlo, const struct jr_hlo_instruction *inst, uint8_t op);
/** Find the matrix product of an instruction: a dot, a call of cuBLAS, or a fusion of one of these.
 * False if there is none, if there are several, or if its shapes are inconsistent. O(instructions
 * of the fusion). */
bool jr_product_of(const struct jr_hlo *hlo, uint32_t instruction, struct jr_product *to);

/** Return the share of the kernel's multiplications that is padding, 0 to 1. It counts the kernel's
 * tiles, or, if they are not known, tiles of JR_SMALL_TILE for sizes of at least one tile. */
double jr_product_padding(const struct jr_product *product);

#endif
