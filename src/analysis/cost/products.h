/*
 * products.h - sizes of matrix products, and what of their tiles they leave empty.
 * Layer: analysis.  Definitions: README.md, section 14.4.
 */
#ifndef JR_ANALYSIS_PRODUCTS_H
#define JR_ANALYSIS_PRODUCTS_H

#include "analysis/cost/cost.h"

/* Of a library whose tiles are not known: the smallest that its fast kernels have. */
#define JR_SMALL_TILE 64

/* batch products of [m, k] and [k, n]; which side is m does not matter but for the tiles. */
struct jr_product {
	uint64_t batch, m, n, k;
	uint32_t tile_m, tile_n, tile_k; /* 0: not known */
	bool misaligned; /* a row of an operand or the result is no multiple of 16 bytes */
};

/** The matrix product that an instruction is: a dot, a call of cuBLAS, a fusion of one of these.
 * False where it is none, is several, or its shapes do not fit each other. O(instructions of the
 * fusion). */
bool jr_product_of(const struct jr_hlo *hlo, uint32_t instruction, struct jr_product *to);

/** Share of what the kernel multiplies that lies beyond the sizes, 0 to 1: in its tiles, or where
 * they are not known in tiles of JR_SMALL_TILE, of sizes of at least one. */
double jr_product_padding(const struct jr_product *product);

#endif
