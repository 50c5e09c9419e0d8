/*
 * one_hot.h - matrix products that look up rows, for one of their operands is a one-hot matrix.
 * Layer: analysis.  Definitions: README.md, section 14.8.
 */
#ifndef JR_ANALYSIS_ONE_HOT_H
#define JR_ANALYSIS_ONE_HOT_H

#include "analysis/cost/dataflow.h"

struct jr_one_hot {
	uint32_t matrix;     /* row of the instruction whose result is the one-hot matrix as the
						  * product's kernel reads it */
	uint64_t rows_bytes; /* of the rows that a look-up would move: the smaller one of the result
						  * and the other operand */
	uint64_t result_bytes;
};

/** Whether an instruction, a dot, a call of cuBLAS, or a fusion of one, is such a product. One-hot
 * is what comes of comparing a count along a dimension with other integers for equality. False
 * where nothing tells. O(instructions on the way), bounded. */
bool jr_one_hot_of(const struct jr_dataflow *flow, uint32_t instruction, struct jr_one_hot *to);

#endif
