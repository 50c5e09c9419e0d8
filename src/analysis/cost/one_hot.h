/*
 * one_hot.h - matrix products that look up rows, because one operand is a one-hot matrix.
 * Layer: analysis.  Definitions: README.md, section 14.8.
 */
#ifndef JR_ANALYSIS_ONE_HOT_H
#define JR_ANALYSIS_ONE_HOT_H

#include "analysis/cost/dataflow.h"

struct jr_one_hot {
	uint32_t matrix; /* row of the instruction whose result is the one-hot matrix that the product's
						kernel reads */
	uint64_t rows_bytes; /* bytes of the rows that a lookup would move: the smaller of the result
							and the other operand */
	uint64_t result_bytes;
};

/** Return whether an instruction (a dot, a call of cuBLAS, or a fusion of one) is such a product. A
 * matrix is one-hot if it results from comparing an iota along a dimension with other integers for
 * equality. False if this cannot be determined. O(instructions on the way), bounded. */
bool jr_one_hot_of(const struct jr_dataflow *flow, uint32_t instruction, struct jr_one_hot *to);

#endif
