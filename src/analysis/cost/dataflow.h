/*
 * dataflow.h - follow the values of an array through a program to their origin.
 * Layer: analysis.  Definitions: README.md, section 14.8.
 *
 * An array is an instruction and, for tuples, the indices in it. Values are followed backward
 * through instructions that move them, into fusions, calls and loops, to the instructions that make
 * them.
 */
#ifndef JR_ANALYSIS_DATAFLOW_H
#define JR_ANALYSIS_DATAFLOW_H

#include "base/vec.h"
#include "model/profile/profile.h"

/* Origins of values, or'ed. */
enum jr_from {
	JR_FROM_CONSTANT = 1, /* one constant each: all elements of an array are equal */
	JR_FROM_TABLE = 2,    /* a constant of several elements */
	JR_FROM_IOTA = 4,
	JR_FROM_PARAMETER = 8, /* of the entry computation */
	JR_FROM_SORT = 16,     /* an instruction on the way sorts them */
	JR_FROM_ELEMENTS = 32, /* an instruction on the way computes elementwise */
	JR_FROM_PARTS = 64,    /* an instruction on the way joins arrays */
	JR_FROM_OTHER = 128,   /* anything else, or beyond the limit */
};

#define JR_DATAFLOW_PARAMETERS 16

struct jr_values {
	unsigned from;     /* enum jr_from, or'ed */
	uint32_t gathered; /* devices of the largest all-gather on the way; 0: none */
	uint32_t n_parameters, parameters[JR_DATAFLOW_PARAMETERS]; /* their numbers, each once */
};

/* An array: path[0] is the index in the instruction's tuple, path[1] the index in that element. */
struct jr_array {
	uint32_t row; /* of instructions; JR_NONE: there is none */
	uint32_t n_path, path[2];
};

struct jr_dataflow {
	const struct jr_hlo *hlo;
	const uint32_t *caller; /* [n_computations] instruction; JR_NONE: none, or several */
	uint64_t *steps;        /* remaining steps: the program size bounds all queries together */
};

/** Prepare queries, in `arena`; the program must outlive it. O(instructions). */
struct jr_dataflow jr_dataflow_new(const struct jr_hlo *hlo, struct jr_arena *arena);

/** Return operand k of an instruction; its row is JR_NONE if it is missing. */
struct jr_array jr_operand(const struct jr_dataflow *flow, uint32_t row, uint32_t k);

/** Return the origins of all values of an array. O(instructions on the way), bounded; beyond that
 * JR_FROM_OTHER. */
struct jr_values jr_values_of(const struct jr_dataflow *flow, struct jr_array array);

/** Return the array's maker: the first instruction on the way that does more than move values or
 * change their type. O(instructions on the way), bounded. */
struct jr_array jr_maker_of(const struct jr_dataflow *flow, struct jr_array array);

/** Return true if all elements are equal whenever the elements of each parameter are equal. */
static inline bool jr_all_equal(const struct jr_values *v)
{
	return v->from &&
		   !(v->from & ~(unsigned)(JR_FROM_CONSTANT | JR_FROM_PARAMETER | JR_FROM_ELEMENTS));
}

#endif
