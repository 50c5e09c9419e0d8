/*
 * hlo_text.h - one HLO instruction as XLA prints it, and the facts that a profiler's event states
 * about one.
 * Layer: formats.  formats/README.md, section 8.2.
 *
 * TPU events carry the text of their instruction, so an input without HLO still states types, sizes
 * and groups. Texts may be cut short; unreadable parts are left out.
 */
#ifndef JR_FORMATS_HLO_TEXT_H
#define JR_FORMATS_HLO_TEXT_H

#include <stdbool.h>

#include "base/buf.h"

/* Facts that an event states about its instruction. Texts are ids in the owner's string table; 0 =
 * none. */
struct jr_said {
	uint32_t text;     /* the instruction as XLA prints it */
	uint32_t category; /* "convolution fusion", "all-reduce" */
	uint32_t op_name;
	uint32_t source; /* FILE:LINE */
	uint32_t stack;  /* FILE:LINE:COLUMN, one per line of text */
	/* Per execution; -1 = not stated. `bytes` covers all memories, the others only the device's
	 * main memory. */
	int64_t flops, bytes, read_bytes, written_bytes;
};

struct jr_hlo_text {
	struct jr_bytes name, opcode;  /* without "%"; point into the text; opcode empty = not stated */
	struct jr_bytes result;        /* its shape */
	struct jr_bytes first_operand; /* name, without "%"; empty = not printed */
	struct jr_bytes called;        /* name of the first called computation; empty = none */
	uint8_t element_type;          /* of the first operand, or else of the result; 0 = unknown */
	bool any_near;                 /* an operand or the result is in TPU vector memory */
	uint32_t n_operands;           /* operands with a printed shape */
	uint32_t n_results;            /* arrays of the result */
	uint32_t group_size;           /* of its first replica group; 0 = not stated */
	uint64_t result_bytes, largest_result_bytes;
	uint64_t operand_bytes, largest_operand_bytes, first_operand_bytes;
};

/**
 * Parse "%fusion.1 = f32[8]{0} fusion(f32[8]{0} %p0), kind=kLoop". Only the opcode, operands and
 * attributes may be missing: "%a = f32[8] ()".
 *
 * @return false if the text is not an instruction; `out` is then empty
 * @note O(n). Sizes saturate.
 */
bool jr_hlo_text_parse(const char *text, size_t n, struct jr_hlo_text *out);

#endif
