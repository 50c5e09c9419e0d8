/* One instruction: protobuf-c unpacks its own fields; its shape and metadata come from a cache. */
#include <inttypes.h>
#include <string.h>

#include "formats/hlo/hlo_parts.h"

/* Fields that are taken out of an instruction before it is unpacked (proto/hlo.proto). */
enum {
	INSTRUCTION_SHAPE = 3,
	INSTRUCTION_METADATA = 7,
};

/* --- shapes and metadata ------------------------------------------------------------------- */

static enum jr_status decode_shape(struct jr_hlo_decoder *d, struct jr_bytes message,
	struct jr_hlo_known_shape *out, struct jr_error *err)
{
	const Xla__ShapeProto *from =
		jr_unpack(&d->unpacker, &xla__shape_proto__descriptor, message, err);
	if (!from)
		return err->status;
	struct jr_hlo_shape *shape = jr_arena_array(&d->hlo->arena, 1, sizeof(*shape), err);
	if (!shape)
		return JR_ELIMIT;
	JR_TRY(jr_hlo_copy_shape(from, &d->hlo->arena, shape, err));
	*out = (struct jr_hlo_known_shape){shape, jr_hlo_shape_hash(shape, 0)};
	return JR_OK;
}

/* An absent message equals an empty one, whose id in the table of keys is 0 from the start. The
 * first round of the loop decodes it, once per module. */
static enum jr_status find_shape(struct jr_hlo_decoder *d, struct jr_bytes message,
	struct jr_hlo_known_shape *out, struct jr_error *err)
{
	if (message.size > JR_HLO_KNOWN_BYTES)
		return decode_shape(d, message, out, err);
	uint32_t id = 0;
	if (message.size)
		id = jr_intern_put(&d->shape_keys, (const char *)message.data, message.size);
	while (d->shapes.n <= id) {
		struct jr_hlo_known_shape shape;
		JR_TRY(
			decode_shape(d, d->shapes.n ? message : (struct jr_bytes){d->origin, 0}, &shape, err));
		*jr_vec_add(&d->shapes) = shape;
	}
	*out = d->shapes.items[id];
	return JR_OK;
}

static enum jr_status decode_metadata(struct jr_hlo_decoder *d, struct jr_bytes message,
	struct jr_hlo_known_metadata *out, struct jr_error *err)
{
	const Xla__OpMetadata *from =
		jr_unpack(&d->unpacker, &xla__op_metadata__descriptor, message, err);
	if (!from)
		return err->status;
	*out = (struct jr_hlo_known_metadata){
		.op_name = jr_hlo_text_z(d, from->op_name, err),
		.source_file = jr_hlo_text_z(d, from->source_file, err),
		.scheduling_name = jr_hlo_text_z(d, from->scheduling_name, err),
		.source_line = from->source_line > 0 ? from->source_line : 0,
		.stack_frame_id = from->stack_frame_id > 0 ? (uint32_t)from->stack_frame_id : 0,
	};
	return out->op_name && out->source_file && out->scheduling_name ? JR_OK : JR_ELIMIT;
}

static enum jr_status find_metadata(struct jr_hlo_decoder *d, struct jr_bytes message,
	struct jr_hlo_known_metadata *out, struct jr_error *err)
{
	if (message.size > JR_HLO_KNOWN_BYTES)
		return decode_metadata(d, message, out, err);
	uint32_t id = 0;
	if (message.size)
		id = jr_intern_put(&d->metadata_keys, (const char *)message.data, message.size);
	while (d->metadata.n <= id) {
		struct jr_hlo_known_metadata metadata;
		JR_TRY(decode_metadata(
			d, d->metadata.n ? message : (struct jr_bytes){d->origin, 0}, &metadata, err));
		*jr_vec_add(&d->metadata) = metadata;
	}
	*out = d->metadata.items[id];
	return JR_OK;
}

/* --- instructions and computations --------------------------------------------------------- */

/* Unpack the message without shape and metadata, which are returned as bytes, and without
 * attributes, which go to d->attribute_bytes. */
static const Xla__HloInstructionProto *unpack_instruction(struct jr_hlo_decoder *d,
	struct jr_bytes message, struct jr_bytes *shape, struct jr_bytes *metadata,
	struct jr_error *err)
{
	const ProtobufCMessageDescriptor *type = &xla__hlo_instruction_proto__descriptor;
	uint64_t offset = (uint64_t)(message.data - d->origin);
	uint64_t seen = 0;
	jr_unpack_begin(&d->unpacker, message.size);
	d->attribute_bytes.size = 0;
	struct jr_wire wire = jr_wire_of(message, d->origin);
	while (jr_wire_more(&wire)) {
		struct jr_wire_field field;
		size_t begin = wire.reader.pos;
		if (jr_wire_next(&wire, &field, err) != JR_OK)
			return NULL;
		struct jr_bytes raw = {message.data + begin, wire.reader.pos - begin};
		if (jr_hlo_take_attribute(d, &field, raw))
			continue;
		struct jr_bytes *apart = NULL;
		if (field.type == JR_WIRE_BYTES && field.number == INSTRUCTION_SHAPE)
			apart = shape;
		else if (field.type == JR_WIRE_BYTES && field.number == INSTRUCTION_METADATA)
			apart = metadata;
		if (!apart) {
			if (jr_unpack_field(&d->unpacker, type, &field, &seen, err) != JR_OK)
				return NULL;
		} else if (apart->data) {
			(void)jr_fail(err, JR_EFORMAT,
				"instruction at offset %" PRIu64 " has two shapes or metadata", offset);
			return NULL;
		} else {
			*apart = field.bytes;
		}
	}
	return jr_unpack_end(&d->unpacker, type, offset, err);
}

static uint32_t number_of(const Xla__HloInstructionProto *from)
{
	int64_t number = from->parameter_number ? from->parameter_number : from->tuple_index;
	return number >= 0 && number < JR_NONE ? (uint32_t)number : JR_NONE;
}

static enum jr_status copy_instruction(struct jr_hlo_decoder *d,
	const Xla__HloInstructionProto *from, struct jr_hlo_instruction *to, struct jr_error *err)
{
	to->name = jr_hlo_text_z(d, from->name, err);
	to->opcode = jr_hlo_text_z(d, from->opcode, err);
	to->custom_call_target = jr_hlo_text_z(d, from->custom_call_target, err);
	if (!to->name || !to->opcode || !to->custom_call_target)
		return JR_ELIMIT;
	if (from->n_operand_ids > UINT32_MAX || from->n_called_computation_ids > UINT32_MAX)
		return jr_fail(
			err, JR_ELIMIT, "too many operands of an instruction (%zu)", from->n_operand_ids);
	to->id = from->id;
	to->number = number_of(from);
	to->n_operands = (uint32_t)from->n_operand_ids;
	to->n_called = (uint32_t)from->n_called_computation_ids;
	JR_TRY(jr_hlo_ids(d, from->n_operand_ids, from->operand_ids, &to->operand_ids, err));
	JR_TRY(jr_hlo_ids(
		d, from->n_called_computation_ids, from->called_computation_ids, &to->called_ids, err));
	return jr_hlo_set_groups(d, from, to, err);
}

enum jr_status jr_hlo_decode_instruction(
	struct jr_hlo_decoder *d, struct jr_bytes message, struct jr_error *err)
{
	struct jr_hlo_instruction *to = &d->instructions[d->n_instructions++];
	struct jr_bytes shape_bytes = {0}, metadata_bytes = {0};
	const Xla__HloInstructionProto *from =
		unpack_instruction(d, message, &shape_bytes, &metadata_bytes, err);
	if (!from)
		return err->status;
	to->computation = d->n_computations;
	to->place = JR_NONE;
	JR_TRY(copy_instruction(d, from, to, err));

	struct jr_hlo_known_shape shape;
	struct jr_hlo_known_metadata metadata;
	JR_TRY(find_shape(d, shape_bytes, &shape, err));
	JR_TRY(find_metadata(d, metadata_bytes, &metadata, err));
	to->shape = shape.shape;
	to->op_name = metadata.op_name;
	to->source_file = metadata.source_file;
	to->scheduling_name = metadata.scheduling_name;
	to->source_line = metadata.source_line;
	to->stack_frame_id = metadata.stack_frame_id;
	JR_TRY(jr_hlo_find_attributes(d, &to->attributes, err));

	/* The compiler may write the computations in any order; a sum does not depend on it. */
	uint64_t hash = jr_hash(to->name, strlen(to->name), shape.hash);
	d->hlo->structure_hash += jr_hash(to->opcode, strlen(to->opcode), hash);
	return jr_hlo_check_memory(d, err);
}
