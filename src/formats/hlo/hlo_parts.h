/*
 * hlo_parts.h - shared declarations of the HLO decoder (hlo*.c).
 * Layer: formats, private to hlo*.c.  Thread use: one decoder belongs to one thread.
 */
#ifndef JR_FORMATS_HLO_PARTS_H
#define JR_FORMATS_HLO_PARTS_H

#include "base/vec.h"
#include "formats/hlo/hlo.h"
#include "formats/hlo/hlo_wire.h"
#include "hlo.pb-c.h"

/* Shapes and metadata repeat byte for byte thousands of times, so each distinct message is decoded
 * once. The bytes are the key; the id of the key is the position in `items`. */
struct jr_hlo_known_shape {
	const struct jr_hlo_shape *shape; /* in hlo->arena */
	uint64_t hash;
};

struct jr_hlo_known_metadata {
	const char *op_name, *source_file, *scheduling_name;
	int32_t source_line;
	uint32_t stack_frame_id;
};

/* A partition of devices into groups, looked up by the hash of the message that states it. */
struct jr_hlo_known_groups {
	uint64_t hash;
	const struct jr_hlo_groups *groups; /* in hlo->arena, or NULL */
};

struct jr_hlo_known_opcode {
	const char *text; /* in the decoder's strings; NULL = none */
	uint8_t op;
};

struct jr_hlo_id_list {
	int64_t *items;
	size_t n, capacity; /* as JR_VEC */
};

/* Longer messages are not worth caching. */
#define JR_HLO_KNOWN_BYTES 65536

struct jr_hlo_decoder {
	const struct jr_limits *limits;
	const uint8_t *origin; /* byte 0 of the file */
	struct jr_hlo *hlo;    /* under construction; its arrays are const, so these are writable: */
	struct jr_hlo_instruction *instructions;
	struct jr_hlo_computation *computations;
	struct jr_hlo_buffer *buffers;
	struct jr_hlo_allocation *allocations;
	struct jr_hlo_heap_trace *traces;
	/* filled so far */
	uint32_t n_instructions, n_computations, n_buffers, n_allocations, n_traces;
	const char *entry_name;
	bool has_frames;
	struct jr_bytes schedule; /* bytes in the file; empty = none */
	int64_t most_bytes;       /* largest size that a buffer states */

	struct jr_intern *strings; /* owned by hlo->index */
	struct jr_unpacker unpacker;
	struct jr_buf clean, raw;      /* scratch of jr_hlo_text(), jr_hlo_text_z() */
	struct jr_buf attribute_bytes; /* fields of an instruction for jr_hlo_find_attributes() */
	struct jr_hlo_known_opcode opcodes[64];
	struct jr_hlo_id_list operand_ids, called_ids; /* of an instruction */
	struct jr_intern shape_keys, metadata_keys, attribute_keys;
	JR_VEC(struct jr_hlo_known_shape) shapes;
	JR_VEC(struct jr_hlo_known_metadata) metadata;
	JR_VEC(const struct jr_hlo_attributes *) attributes; /* by id of attribute_keys */
	JR_VEC(struct jr_hlo_known_groups) groups;
};

/** Clean a text of the input and store it once. JR_ELIMIT. */
enum jr_status jr_hlo_text(struct jr_hlo_decoder *d, struct jr_bytes raw, const char **out,
	struct jr_error *err) JR_MUST_CHECK;
/** Same as jr_hlo_text() for a protobuf-c string. */
enum jr_status jr_hlo_text_z(struct jr_hlo_decoder *d, const char *raw, const char **out,
	struct jr_error *err) JR_MUST_CHECK;
/** Copy ids into hlo->arena; *out is NULL for n = 0. */
enum jr_status jr_hlo_ids(struct jr_hlo_decoder *d, size_t n, const int64_t *ids,
	const int64_t **out, struct jr_error *err) JR_MUST_CHECK;
/** Return JR_ELIMIT if the decoder holds more than limits->memory_bytes in total. */
enum jr_status jr_hlo_check_memory(const struct jr_hlo_decoder *d, struct jr_error *err)
	JR_MUST_CHECK;

/** Decode an xla.HloInstructionProto into the next element of d->instructions. */
enum jr_status jr_hlo_decode_instruction(
	struct jr_hlo_decoder *d, struct jr_bytes message, struct jr_error *err) JR_MUST_CHECK;
/** Set group_size and groups of a collective from the first of its five forms that is present. */
enum jr_status jr_hlo_set_groups(struct jr_hlo_decoder *d, const Xla__HloInstructionProto *from,
	struct jr_hlo_instruction *to, struct jr_error *err) JR_MUST_CHECK;
/** Append a field to d->attribute_bytes as it is in the input (`raw`), if it is an attribute and
 * readable. @return whether the field is an attribute, readable or not */
bool jr_hlo_take_attribute(
	struct jr_hlo_decoder *d, const struct jr_wire_field *field, struct jr_bytes raw);
/** Decode d->attribute_bytes; *out is NULL if they are empty. */
enum jr_status jr_hlo_find_attributes(struct jr_hlo_decoder *d,
	const struct jr_hlo_attributes **out, struct jr_error *err) JR_MUST_CHECK;
/**
 * Add the numbers of a backend_config of XLA's GPU compiler: see formats/README.md, section 5.3.
 * Texts that are not JSON, or other JSON, are ignored.
 */
enum jr_status jr_hlo_read_backend_config(struct jr_hlo_decoder *d, struct jr_bytes text,
	struct jr_hlo_attributes *to, struct jr_error *err) JR_MUST_CHECK;
/** Return the number of a dot's algorithm in HLO text, "dot_bf16_bf16_f32"; 255 if unknown. */
uint8_t jr_hlo_algorithm(const char *name, size_t n);
/** Decode an xla.StackFrameIndexProto into hlo->frames and cut cycles. */
enum jr_status jr_hlo_decode_frames(
	struct jr_hlo_decoder *d, struct jr_bytes message, struct jr_error *err) JR_MUST_CHECK;
/** Decode d->schedule into `place` of instructions, after ids are sorted. Unreadable parts and
 * dangling ids are left out: only the launch order depends on the schedule. */
void jr_hlo_decode_schedule(struct jr_hlo_decoder *d);
/* Array sizes that a module needs. */
struct jr_hlo_counts {
	uint64_t modules, computations, instructions, buffers, allocations, traces;
};

/** Count the contents of an xla.BufferAssignmentProto; then, with the arrays allocated, decode
 * it. */
enum jr_status jr_hlo_count_buffers(struct jr_bytes message, const uint8_t *origin,
	struct jr_hlo_counts *counts, struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_hlo_decode_buffers(
	struct jr_hlo_decoder *d, struct jr_bytes message, struct jr_error *err) JR_MUST_CHECK;

/** Copy a shape into `arena`, including nested shapes. */
enum jr_status jr_hlo_copy_shape(const Xla__ShapeProto *from, struct jr_arena *arena,
	struct jr_hlo_shape *to, struct jr_error *err) JR_MUST_CHECK;
/** Hash a shape; equal shapes have equal hashes across files. */
uint64_t jr_hlo_shape_hash(const struct jr_hlo_shape *shape, uint64_t seed);

/** Count the fields `number` of `message` with bytes (messages) as values. */
enum jr_status jr_hlo_count_fields(struct jr_bytes message, const uint8_t *origin, uint32_t number,
	uint64_t *n, struct jr_error *err) JR_MUST_CHECK;

/** Create hlo->index and return the table of the module's texts, which it owns. */
struct jr_intern *jr_hlo_index_new(struct jr_hlo *hlo);
/** Sort ids and names, after all arrays are filled. */
enum jr_status jr_hlo_index_build(struct jr_hlo *hlo, struct jr_error *err) JR_MUST_CHECK;
void jr_hlo_index_done(struct jr_hlo *hlo);

#endif
