/*
 * dataflow.h - where the values of an array come from, followed through a program.
 * Layer: analysis.  Definitions: README.md, section 14.8.
 *
 * An array is an instruction and, of a tuple, the places in it. Values are followed backward over
 * what moves them, into fusions, calls and loops, to what makes them.
 */
#ifndef JR_ANALYSIS_DATAFLOW_H
#define JR_ANALYSIS_DATAFLOW_H

#include "base/vec.h"
#include "model/profile/profile.h"

/* What values come from, or'ed. */
enum jr_from {
	JR_FROM_CONSTANT = 1, /* one constant each: all elements of an array are equal */
	JR_FROM_TABLE = 2,    /* a constant of several elements */
	JR_FROM_IOTA = 4,
	JR_FROM_PARAMETER = 8, /* of the entry computation */
	JR_FROM_SORT = 16,     /* something on the way sorts them */
	JR_FROM_ELEMENTS = 32, /* something on the way computes element by element */
	JR_FROM_PARTS = 64,    /* something on the way joins arrays */
	JR_FROM_OTHER = 128,   /* anything else, or more than is followed */
};

#define JR_DATAFLOW_PARAMETERS 16

struct jr_values {
	unsigned from;     /* enum jr_from, or'ed */
	uint32_t gathered; /* devices of the largest all-gather on the way; 0: none */
	uint32_t n_parameters, parameters[JR_DATAFLOW_PARAMETERS]; /* their numbers, each once */
};

/* An array: path[0] is the place in the instruction's tuple, path[1] the one in that. */
struct jr_array {
	uint32_t row; /* of instructions; JR_NONE: there is none */
	uint32_t n_path, path[2];
};

struct jr_dataflow {
	const struct jr_hlo *hlo;
	const uint32_t *caller; /* [n_computations] instruction; JR_NONE: none, or several */
	uint64_t
		*steps; /* that may still be taken: all questions together are bounded by the program */
};

/** In `arena`; the program must outlive it. O(instructions). */
struct jr_dataflow jr_dataflow_new(const struct jr_hlo *hlo, struct jr_arena *arena);

/** Operand k of an instruction; its row is JR_NONE where it is missing. */
struct jr_array jr_operand(const struct jr_dataflow *flow, uint32_t row, uint32_t k);

/** What all values of an array come from. O(instructions on the way), bounded; beyond
 * that JR_FROM_OTHER. */
struct jr_values jr_values_of(const struct jr_dataflow *flow, struct jr_array array);

/** What makes an array: the first instruction on the way that does not only move values or give
 * them another type. O(instructions on the way), bounded. */
struct jr_array jr_maker_of(const struct jr_dataflow *flow, struct jr_array array);

/** True where all elements are equal whenever those of each parameter are. */
static inline bool jr_all_equal(const struct jr_values *v)
{
	return v->from &&
		   !(v->from & ~(unsigned)(JR_FROM_CONSTANT | JR_FROM_PARAMETER | JR_FROM_ELEMENTS));
}

/** Row of the entry computation; JR_NONE: not known. */
uint32_t jr_entry_of(const struct jr_hlo *hlo);
/** Row of the root of a computation, JR_NONE: there is none. */
uint32_t jr_root_of(const struct jr_hlo *hlo, uint32_t computation);

#endif
