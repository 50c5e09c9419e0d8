/*
 * program_memory.h - what a program takes of a device's memory, and what it takes it for.
 * Layer: analysis.  Definitions: analysis/README.md, section 7.
 *
 * XLA plans the memory of a program before it runs: its buffer assignment is a list of allocations,
 * blocks that are there for as long as the program runs (proto/README.md, BufferAllocationProto).
 * Each belongs to one part, the first of these that it is, so that the parts add up to the whole:
 *
 *   parameters   of the entry computation; one that is donated, so that an output takes its memory,
 *                is a parameter and no output
 *   outputs      what lives on behind the program (maybe_live_out)
 *   constants    of the program
 *   temporaries  the rest: mostly one block, in which the heap of a trace is laid out
 *
 * Memory of a computation's own (thread-local) is none of the device's, and what lies in the host's
 * memory (color 5) is counted by itself.
 */
#ifndef JR_ANALYSIS_PROGRAM_MEMORY_H
#define JR_ANALYSIS_PROGRAM_MEMORY_H

#include "analysis/core/pass.h"

enum jr_memory_part {
	JR_MEMORY_PARAMETERS,
	JR_MEMORY_OUTPUTS,
	JR_MEMORY_CONSTANTS,
	JR_MEMORY_TEMPORARIES,
	JR_N_MEMORY_PARTS /* also: of no part */
};

/* Bytes; sums beyond 64 bits, which no memory has, stay at the largest value. */
struct jr_program_memory {
	bool known; /* its dump lists allocations; else all is 0 and means nothing */
	int64_t allocated_bytes;
	int64_t part_bytes[JR_N_MEMORY_PARTS];
	int64_t donated_bytes; /* of the parameters: outputs, too */
	int64_t host_bytes;
};

/** a + b, both >= 0. */
int64_t jr_memory_add(int64_t a, uint64_t b);

/** The part that an allocation belongs to. */
enum jr_memory_part jr_memory_part_of(const struct jr_hlo_allocation *allocation);
/** "parameter", "output", "constant", "temporary": what a buffer in it is. For what is of no part
 * "thread-local" or "host". Static. */
const char *jr_memory_class(const struct jr_hlo_allocation *allocation);
/** The same four words, "several" for buffers of more than one of these, "unused" for room that no
 * buffer uses, and the colour roles that pictures give them; NULL-terminated. */
extern const char *const jr_memory_classes[];
extern const char *const jr_memory_class_roles[];

/** Sums over a module's allocations. `hlo` may be NULL: there is no dump. O(allocations). */
struct jr_program_memory jr_program_memory_of(const struct jr_hlo *hlo);

/* Columns of the table "program_memory" by the parts, in their order. */
extern const char *const jr_memory_part_keys[JR_N_MEMORY_PARTS + 1];
/** "parameters", ...; static. */
const char *jr_memory_part_name(enum jr_memory_part part);

#endif
