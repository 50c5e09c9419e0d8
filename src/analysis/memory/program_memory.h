/*
 * program_memory.h - device memory of a program, and its purpose.
 * Layer: analysis.  Definitions: analysis/README.md, section 7.
 *
 * XLA plans the memory of a program before it runs. Its buffer assignment is a list of allocations:
 * blocks that exist as long as the program runs (proto/README.md, BufferAllocationProto). Each
 * allocation belongs to the first part of this list that fits, so the parts add up to the whole:
 *
 *   parameters   of the entry computation; a donated parameter, whose memory an output reuses,
 *                counts as a parameter and not as an output
 *   outputs      memory that stays alive after the program ends (maybe_live_out)
 *   constants    of the program
 *   temporaries  the rest: mostly one block that contains the heap of a trace
 *
 * Memory of a single computation (thread-local) does not count as device memory. Memory in the host
 * (color 5) is counted separately.
 */
#ifndef JR_ANALYSIS_PROGRAM_MEMORY_H
#define JR_ANALYSIS_PROGRAM_MEMORY_H

#include "analysis/core/pass.h"

enum jr_memory_part {
	JR_MEMORY_PARAMETERS,
	JR_MEMORY_OUTPUTS,
	JR_MEMORY_CONSTANTS,
	JR_MEMORY_TEMPORARIES,
	JR_N_MEMORY_PARTS /* also: belongs to no part */
};

/* Bytes. A sum beyond 64 bits, which no real memory reaches, stays at the largest value. */
struct jr_program_memory {
	bool known; /* its dump lists allocations; otherwise all values are 0 and have no meaning */
	int64_t allocated_bytes;
	int64_t part_bytes[JR_N_MEMORY_PARTS];
	int64_t donated_bytes; /* parameters that are outputs, too */
	int64_t host_bytes;
};

/** Return a + b, both >= 0; saturated. */
int64_t jr_memory_add(int64_t a, uint64_t b);

/** Return the part that an allocation belongs to. */
enum jr_memory_part jr_memory_part_of(const struct jr_hlo_allocation *allocation);
/** Return the class of the buffers in an allocation: "parameter", "output", "constant",
 * "temporary", or "thread-local" or "host" if it belongs to no part. Static. */
const char *jr_memory_class(const struct jr_hlo_allocation *allocation);
/** The same four words, "several" for buffers of more than one class, "unused" for memory that no
 * buffer uses, and their color roles in charts; NULL-terminated. */
extern const char *const jr_memory_classes[];
extern const char *const jr_memory_class_roles[];

/** Add up a module's allocations. `hlo` is NULL if there is no dump. O(allocations). */
struct jr_program_memory jr_program_memory_of(const struct jr_hlo *hlo);

/* Columns of the table "program_memory", one per part, in the order of the parts. */
extern const char *const jr_memory_part_keys[JR_N_MEMORY_PARTS + 1];
/** Return "parameters", ...; static. */
const char *jr_memory_part_name(enum jr_memory_part part);

#endif
