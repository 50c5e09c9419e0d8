/*
 * hlo_parts.h - what the parts of the HLO decoder (hlo*.c) share.
 * Layer: formats, private to hlo*.c.  Thread use: one decoder belongs to one thread.
 */
#ifndef JR_FORMATS_HLO_PARTS_H
#define JR_FORMATS_HLO_PARTS_H

#include "base/vec.h"
#include "formats/hlo/hlo.h"
#include "formats/hlo/hlo_wire.h"
#include "hlo.pb-c.h"

/* Messages that repeat byte for byte thousands of times (shapes, metadata) are decoded once: the
 * bytes are the key, the id that they get is the position in `items`. */
struct jr_hlo_known_shape {
	const struct jr_hlo_shape *shape; /* in hlo->arena */
	uint64_t hash;
};

struct jr_hlo_known_metadata {
	const char *op_name, *source_file, *scheduling_name;
	int32_t source_line;
	uint32_t stack_frame_id;
};

/* A partition of devices into groups, found again by the message that states it. */
struct jr_hlo_known_groups {
	uint64_t hash;
	const struct jr_hlo_groups *groups; /* in hlo->arena, or NULL */
};

/* Longer messages are not worth remembering. */
#define JR_HLO_KNOWN_BYTES 65536

struct jr_hlo_decoder {
	const struct jr_limits *limits;
	const uint8_t *origin; /* byte 0 of the file */
	struct jr_hlo *hlo;    /* under construction; its arrays are const, so the writable ends: */
	struct jr_hlo_instruction *instructions;
	struct jr_hlo_computation *computations;
	struct jr_hlo_buffer *buffers;
	struct jr_hlo_allocation *allocations;
	struct jr_hlo_heap_trace *traces;
	/* filled so far */
	uint32_t n_instructions, n_computations, n_buffers, n_allocations, n_traces;
	const char *entry_name;
	bool has_frames;
	struct jr_bytes schedule; /* as it stands in the file; empty: none */

	struct jr_intern *strings; /* hlo->index's */
	struct jr_unpacker unpacker;
	struct jr_buf clean, raw;      /* scratch of jr_hlo_text(), jr_hlo_text_z() */
	struct jr_buf attribute_bytes; /* fields of an instruction for jr_hlo_find_attributes() */
	struct jr_intern shape_keys, metadata_keys, attribute_keys;
	JR_VEC(struct jr_hlo_known_shape) shapes;
	JR_VEC(struct jr_hlo_known_metadata) metadata;
	JR_VEC(const struct jr_hlo_attributes *) attributes; /* by id of attribute_keys */
	JR_VEC(struct jr_hlo_known_groups) groups;
};

/** Text of an input, made clean and stored once. NULL with `err` set: JR_ELIMIT. */
const char *jr_hlo_text(struct jr_hlo_decoder *d, struct jr_bytes raw, struct jr_error *err)
	JR_MUST_CHECK;
/** The same of a protobuf-c string. */
const char *jr_hlo_text_z(struct jr_hlo_decoder *d, const char *raw, struct jr_error *err)
	JR_MUST_CHECK;
/** Copy of ids into hlo->arena; *out is NULL for n = 0. */
enum jr_status jr_hlo_ids(struct jr_hlo_decoder *d, size_t n, const int64_t *ids,
	const int64_t **out, struct jr_error *err) JR_MUST_CHECK;
/** JR_ELIMIT where all that the decoder holds is more than limits->memory_bytes. */
enum jr_status jr_hlo_check_memory(const struct jr_hlo_decoder *d, struct jr_error *err)
	JR_MUST_CHECK;

/** An xla.HloInstructionProto into the next of d->instructions. */
enum jr_status jr_hlo_decode_instruction(
	struct jr_hlo_decoder *d, struct jr_bytes message, struct jr_error *err) JR_MUST_CHECK;
/** Set group_size and groups of a collective from the first of its five forms that is there. */
enum jr_status jr_hlo_set_groups(struct jr_hlo_decoder *d, const Xla__HloInstructionProto *from,
	struct jr_hlo_instruction *to, struct jr_error *err) JR_MUST_CHECK;
/** Whether that field of an instruction is an attribute; then it is put to d->attribute_bytes as it
 * stands there (`raw`), unless nothing in it could be read. */
bool jr_hlo_take_attribute(
	struct jr_hlo_decoder *d, const struct jr_wire_field *field, struct jr_bytes raw);
/** What d->attribute_bytes say; *out is NULL where that is nothing. */
enum jr_status jr_hlo_find_attributes(struct jr_hlo_decoder *d,
	const struct jr_hlo_attributes **out, struct jr_error *err) JR_MUST_CHECK;
/**
 * Add what a backend_config of XLA's GPU compiler says: see formats/README.md, section 5.3. What
 * is no JSON, or other JSON, says nothing.
 */
enum jr_status jr_hlo_read_backend_config(struct jr_hlo_decoder *d, struct jr_bytes text,
	struct jr_hlo_attributes *to, struct jr_error *err) JR_MUST_CHECK;
/** xla.StackFrameIndexProto into hlo->frames, cycles cut. */
enum jr_status jr_hlo_decode_frames(
	struct jr_hlo_decoder *d, struct jr_bytes message, struct jr_error *err) JR_MUST_CHECK;
/** d->schedule into `place` of instructions, once ids are sorted. What of it cannot be read or
 * leads nowhere is left out: nothing but the order of launches depends on it. */
void jr_hlo_decode_schedule(struct jr_hlo_decoder *d);
/* What the arrays of a module must hold. */
struct jr_hlo_counts {
	uint64_t modules, computations, instructions, buffers, allocations, traces;
};

/** Count what an xla.BufferAssignmentProto holds, then (arrays made) decode it. */
enum jr_status jr_hlo_count_buffers(struct jr_bytes message, const uint8_t *origin,
	struct jr_hlo_counts *counts, struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_hlo_decode_buffers(
	struct jr_hlo_decoder *d, struct jr_bytes message, struct jr_error *err) JR_MUST_CHECK;

/** Copy of a shape into `arena`, nested ones too. */
enum jr_status jr_hlo_copy_shape(const Xla__ShapeProto *from, struct jr_arena *arena,
	struct jr_hlo_shape *to, struct jr_error *err) JR_MUST_CHECK;
/** The same for equal shapes of any file. */
uint64_t jr_hlo_shape_hash(const struct jr_hlo_shape *shape, uint64_t seed);

/** Number of fields `number` that hold bytes (messages) in `message`. */
enum jr_status jr_hlo_count_fields(struct jr_bytes message, const uint8_t *origin, uint32_t number,
	uint64_t *n, struct jr_error *err) JR_MUST_CHECK;

/** The texts of the module; the first part of hlo->index. */
struct jr_intern *jr_hlo_index_new(struct jr_hlo *hlo);
/** Sort ids and names, once all arrays are filled. */
enum jr_status jr_hlo_index_build(struct jr_hlo *hlo, struct jr_error *err) JR_MUST_CHECK;
void jr_hlo_index_done(struct jr_hlo *hlo);

#endif
