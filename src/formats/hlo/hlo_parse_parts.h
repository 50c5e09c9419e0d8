/*
 * hlo_parse_parts.h - shared declarations of the text decoder (hlo_parse*.c).
 * Layer: formats, private to hlo_parse*.c.  Thread use: one parser belongs to one thread.
 */
#ifndef JR_FORMATS_HLO_PARSE_PARTS_H
#define JR_FORMATS_HLO_PARSE_PARTS_H

#include "base/vec.h"
#include "formats/hlo/hlo_cursor.h"
#include "formats/hlo/hlo_parse.h"
#include "formats/hlo/wire.h"

/* An instruction whose message is written: parser.out.data[at .. at + size). Size 0: it moved from
 * the entry to the computation that lists it. */
struct jr_hlo_piece {
	size_t at, size;
	uint32_t id;
	bool listed; /* by a computation */
	bool root;
};

/* Names of instructions, or of computations, with their ids. */
struct jr_hlo_names {
	struct jr_intern texts;
	JR_VEC(uint32_t) ids; /* by id in texts */
	uint32_t n_ids;       /* ids of all scopes, and of what has no name in the text */
};

struct jr_hlo_parsed_computation {
	uint32_t id;
	uint32_t name;  /* in the names of computations */
	uint32_t first; /* of its pieces */
	uint32_t n;
};

/* Distinct stacks as one tree of frames. */
struct jr_hlo_stacks {
	struct jr_intern texts, keys;   /* the id of a key is that of its frame and of its location */
	struct jr_map files, functions; /* id in texts -> number from 1 */
	uint32_t n_files, n_functions, n_frames;
	uint32_t prefix; /* frame that all stacks begin with; 0 = none */
	struct jr_buf scratch;
};

struct jr_hlo_parser {
	const struct jr_limits *limits;
	struct jr_buf out;     /* the message; of fragments only the pieces */
	struct jr_buf wrapped; /* computations of asynchronous operations, as fields of a module */
	struct jr_buf frames;  /* contents of an xla.StackFrameIndexProto */
	struct jr_hlo_names instructions; /* of a computation; of a module if it is in fragments */
	struct jr_hlo_names called;       /* computations */
	uint32_t first_operand;           /* of the instruction that is read; 0 = none */
	struct jr_map asynchronous; /* ids of async-start and async-update whose names were short */
	bool in_computation;        /* the next instruction is listed */
	struct jr_hlo_stacks stacks;
	JR_VEC(struct jr_hlo_piece) pieces;
	JR_VEC(struct jr_hlo_parsed_computation) computations;
	JR_VEC(uint32_t) piece_of; /* by id of an instruction: its piece, JR_NONE = only mentioned */
	JR_VEC(uint32_t) fused;    /* ids of computations that fusions call */
	JR_VEC(bool) listed;       /* by id of a computation: its text was read */
	bool fragments;            /* of a builder: names are valid within the module */
};

/** Return whether the parser takes more memory than it may. */
static inline bool jr_parse_is_full(const struct jr_hlo_parser *p)
{
	enum { PER_NAME = 64, PER_PIECE = 2 * sizeof(struct jr_hlo_piece) };
	const struct jr_intern *a = &p->instructions.texts, *b = &p->called.texts;
	return p->out.size + p->wrapped.size + p->frames.size + (a->n + b->n) * PER_NAME +
			   a->arena.used_bytes + b->arena.used_bytes + p->pieces.n * PER_PIECE >
		   p->limits->memory_bytes;
}

/* --- protobuf's wire format, written (protobuf.dev, "Encoding") ------------------------------ */

/* Return where the next `n` bytes go. */
static inline uint8_t *jr_put_room(struct jr_buf *out, size_t n)
{
	if (out->capacity - out->size <= n)
		jr_buf_reserve(out, n);
	return (uint8_t *)out->data + out->size;
}

/* Write a varint at `p`, which has room for 10 bytes. Return its end. */
static inline uint8_t *jr_put_varint_at(uint8_t *p, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*p++ = (uint8_t)(value | 0x80);
	*p++ = (uint8_t)value;
	return p;
}

static inline void jr_put_varint(struct jr_buf *out, uint64_t value)
{
	uint8_t *end = jr_put_varint_at(jr_put_room(out, 10), value);
	*end = 0;
	out->size = (size_t)(end - (uint8_t *)out->data);
}

static inline void jr_put_number(struct jr_buf *out, uint32_t field, int64_t value)
{
	jr_put_varint(out, field << 3 | JR_WIRE_VARINT);
	jr_put_varint(out, (uint64_t)value);
}

static inline void jr_put_text(struct jr_buf *out, uint32_t field, struct jr_bytes text)
{
	jr_put_varint(out, field << 3 | JR_WIRE_BYTES);
	jr_put_varint(out, text.size);
	jr_buf_add(out, text.data, text.size);
}

/* A length is written when its message is complete. There is one byte for it; a message of 128
 * bytes or more moves to make room. */
static inline size_t jr_put_open(struct jr_buf *out, uint32_t field)
{
	jr_put_varint(out, field << 3 | JR_WIRE_BYTES);
	(void)jr_put_room(out, 1);
	return ++out->size;
}

static inline void jr_put_close(struct jr_buf *out, size_t begin)
{
	uint8_t length[10];
	size_t size = out->size - begin;
	size_t more = (size_t)(jr_put_varint_at(length, size) - length) - 1;
	if (more) {
		(void)jr_put_room(out, more);
		memmove(out->data + begin + more, out->data + begin, size);
		out->size += more;
	}
	memcpy(out->data + begin - 1, length, more + 1);
}

/* --- values ---------------------------------------------------------------------------------- */

/** Read a number with an optional sign; saturates. */
bool jr_parse_number(struct jr_cursor *c, int64_t *out);
/** Read a name, without "%". Empty: there is none. */
struct jr_bytes jr_parse_name(struct jr_cursor *c);
/** Read a value up to a comma, a blank (`stop_at_blank`) or the end of the line, outside of
 * brackets and quotes. False: a bracket or quote does not end. */
bool jr_parse_value(struct jr_cursor *c, bool stop_at_blank, struct jr_bytes *value);
/** Read `KEY=VALUE` behind blanks and commas. False: there is none. */
bool jr_parse_pair(
	struct jr_cursor *c, bool stop_at_blank, struct jr_bytes *key, struct jr_bytes *value);
/** Return the inside of "{...}"; other values as they are. */
struct jr_cursor jr_parse_inside(struct jr_bytes value);
static inline bool jr_parse_is(struct jr_bytes text, const char *word)
{
	return text.size && *text.data == (uint8_t)*word && text.size == strlen(word) &&
		   memcmp(text.data, word, text.size) == 0;
}
/** Write a field with the text of a quoted value, its escapes resolved. */
void jr_put_quoted(struct jr_buf *out, uint32_t field, struct jr_bytes value);
/** Write a packed list: the numbers of "{1,0}". */
void jr_put_list(struct jr_buf *out, uint32_t field, struct jr_bytes value);
/** Read a shape and write it as a field. */
bool jr_parse_shape(struct jr_buf *out, struct jr_cursor *c, uint32_t field);

/* --- parts of a module ----------------------------------------------------------------------- */

/** Return the id of an instruction of this scope, or of a computation; the first mention makes
 * it. */
uint32_t jr_parse_instruction_id(struct jr_hlo_parser *p, struct jr_bytes name);
uint32_t jr_parse_computation_id(struct jr_hlo_parser *p, struct jr_bytes name);
/** Read one instruction and add its piece. False: nothing is added.
 * @param frame  id of its stack frame; 0 = the one that the text states */
bool jr_parse_instruction(struct jr_hlo_parser *p, struct jr_cursor *c, uint32_t frame);
/** Write the attributes behind the operands, metadata last, from *metadata on. */
bool jr_parse_attributes(struct jr_hlo_parser *p, struct jr_cursor *c, struct jr_bytes opcode,
	uint32_t frame, size_t *metadata);
/** Turn the name of an asynchronous operation, "reduce-scatter-start", into "async-start". A start
 * has a tuple as shape; the others have a start as first operand.
 * @param shape  of the instruction, as text
 * @param inner  out, set for a start: the operation, for jr_parse_wrap(); else empty */
void jr_parse_async_opcode(struct jr_hlo_parser *p, struct jr_bytes name, struct jr_cursor shape,
	struct jr_bytes *opcode, struct jr_bytes *inner);
/** Make the computation of an async-start, and move to its operation the attributes that are at the
 * end of p->out. False: its shape is not that of a start. */
bool jr_parse_wrap(struct jr_hlo_parser *p, struct jr_bytes name, struct jr_bytes opcode,
	struct jr_cursor shape, size_t attributes, size_t metadata);
/** Read a table of stack frames, whose title the cursor is at. False: it is not one. */
bool jr_parse_frames(struct jr_hlo_parser *p, struct jr_cursor *c);

/** Return the id of the innermost frame of the first of some merged stacks, below `parent`. */
uint32_t jr_parse_stack(struct jr_hlo_parser *p, struct jr_bytes stacks, uint32_t parent);

#endif
