/* One instruction: its fields are read in place; its shape, metadata and attributes come from
 * caches. protobuf-c unpacks only the groups of devices, which collectives have. */
#include <inttypes.h>
#include <string.h>

#include "formats/hlo/hlo_parts.h"

enum { /* proto/hlo.proto */
	INSTRUCTION_NAME = 1,
	INSTRUCTION_OPCODE = 2,
	INSTRUCTION_SHAPE = 3,
	INSTRUCTION_METADATA = 7,
	INSTRUCTION_PARAMETER_NUMBER = 9,
	INSTRUCTION_TUPLE_INDEX = 13,
	INSTRUCTION_CUSTOM_CALL_TARGET = 28,
	INSTRUCTION_ID = 35,
	INSTRUCTION_OPERAND_IDS = 36,
	INSTRUCTION_CALLED_IDS = 38,
	INSTRUCTION_REPLICA_GROUPS = 49,
	INSTRUCTION_DEVICE_LIST = 87,
	INSTRUCTION_IOTA_GROUPS = 92,
	INSTRUCTION_MESH_GROUPS = 93,
};

/* --- shapes and metadata ------------------------------------------------------------------- */

static enum jr_status decode_shape(struct jr_hlo_decoder *d, struct jr_bytes message,
	struct jr_hlo_known_shape *out, struct jr_error *err)
{
	const Xla__ShapeProto *from =
		jr_unpack(&d->unpacker, &xla__shape_proto__descriptor, message, err);
	if (!from)
		return err->status;
	struct jr_hlo_shape *shape;
	JR_TRY_ARRAY(shape, &d->hlo->arena, 1, err);
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
		.source_line = from->source_line > 0 ? from->source_line : 0,
		.stack_frame_id = from->stack_frame_id > 0 ? (uint32_t)from->stack_frame_id : 0,
	};
	JR_TRY(jr_hlo_text_z(d, from->op_name, &out->op_name, err));
	JR_TRY(jr_hlo_text_z(d, from->source_file, &out->source_file, err));
	return jr_hlo_text_z(d, from->scheduling_name, &out->scheduling_name, err);
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

/* --- fields ---------------------------------------------------------------------------------- */

/* What the fields of an instruction state besides texts. */
struct stated {
	uint64_t offset; /* of the instruction, for messages */
	size_t size;
	struct jr_bytes shape, metadata;
	int64_t parameter_number, tuple_index;
	bool grouped;  /* jr_unpack_begin() was called */
	uint64_t seen; /* by jr_unpack_field() */
};

static enum jr_status add_id(
	struct jr_hlo_decoder *d, struct jr_hlo_id_list *ids, uint64_t id, struct jr_error *err)
{
	if (ids->n >= UINT32_MAX || ids->n >= d->limits->memory_bytes / sizeof(id))
		return jr_fail(err, JR_ELIMIT, "too many operands of an instruction (%zu)", ids->n + 1);
	*jr_vec_add(ids) = (int64_t)id;
	return JR_OK;
}

/* Ids that are written one by one or packed. */
static enum jr_status take_ids(struct jr_hlo_decoder *d, struct jr_hlo_id_list *ids,
	const struct jr_wire_field *field, const struct stated *s, struct jr_error *err)
{
	if (field->type == JR_WIRE_VARINT)
		return add_id(d, ids, field->value, err);
	if (field->type != JR_WIRE_BYTES)
		return JR_OK;
	struct jr_reader packed = jr_reader_of(field->bytes);
	while (jr_reader_left(&packed) > 0) {
		uint64_t id;
		if (!jr_wire_varint(&packed, &id))
			return jr_fail(err, JR_EFORMAT,
				"damaged list of ids in the instruction at offset %" PRIu64, s->offset);
		JR_TRY(add_id(d, ids, id, err));
	}
	return JR_OK;
}

static enum jr_status take_text(struct jr_hlo_decoder *d, const char **out,
	const struct jr_wire_field *field, struct jr_error *err)
{
	return field->type == JR_WIRE_BYTES ? jr_hlo_text(d, field->bytes, out, err) : JR_OK;
}

/* Opcodes repeat, so the latest ones are kept by the address of their text. */
static enum jr_status take_opcode(struct jr_hlo_decoder *d, struct jr_hlo_instruction *to,
	const struct jr_wire_field *field, struct jr_error *err)
{
	JR_TRY(take_text(d, &to->opcode, field, err));
	struct jr_hlo_known_opcode *known =
		&d->opcodes[(uintptr_t)to->opcode / 8 % JR_COUNT_OF(d->opcodes)];
	if (known->text != to->opcode)
		*known = (struct jr_hlo_known_opcode){to->opcode, (uint8_t)jr_hlo_opcode_of(to->opcode)};
	to->op = known->op;
	return JR_OK;
}

static enum jr_status take_apart(struct jr_bytes *out, const struct jr_wire_field *field,
	const struct stated *s, struct jr_error *err)
{
	if (field->type != JR_WIRE_BYTES)
		return JR_OK;
	if (out->data)
		return jr_fail(err, JR_EFORMAT,
			"instruction at offset %" PRIu64 " has two shapes or metadata", s->offset);
	*out = field->bytes;
	return JR_OK;
}

static enum jr_status take_groups(struct jr_hlo_decoder *d, const struct jr_wire_field *field,
	struct stated *s, struct jr_error *err)
{
	if (!s->grouped)
		jr_unpack_begin(&d->unpacker, s->size);
	s->grouped = true;
	return jr_unpack_field(
		&d->unpacker, &xla__hlo_instruction_proto__descriptor, field, &s->seen, err);
}

/* Take a field. If one occurs twice, its last value counts. */
static enum jr_status take_field(struct jr_hlo_decoder *d, const struct jr_wire_field *field,
	struct jr_hlo_instruction *to, struct stated *s, struct jr_error *err)
{
	bool number = field->type == JR_WIRE_VARINT;
	switch (field->number) {
	case INSTRUCTION_NAME: return take_text(d, &to->name, field, err);
	case INSTRUCTION_OPCODE: return take_opcode(d, to, field, err);
	case INSTRUCTION_CUSTOM_CALL_TARGET: return take_text(d, &to->custom_call_target, field, err);
	case INSTRUCTION_SHAPE: return take_apart(&s->shape, field, s, err);
	case INSTRUCTION_METADATA: return take_apart(&s->metadata, field, s, err);
	case INSTRUCTION_OPERAND_IDS: return take_ids(d, &d->operand_ids, field, s, err);
	case INSTRUCTION_CALLED_IDS: return take_ids(d, &d->called_ids, field, s, err);
	case INSTRUCTION_ID: to->id = number ? (int64_t)field->value : to->id; return JR_OK;
	case INSTRUCTION_PARAMETER_NUMBER:
		s->parameter_number = number ? (int64_t)field->value : s->parameter_number;
		return JR_OK;
	case INSTRUCTION_TUPLE_INDEX:
		s->tuple_index = number ? (int64_t)field->value : s->tuple_index;
		return JR_OK;
	case INSTRUCTION_REPLICA_GROUPS:
	case INSTRUCTION_DEVICE_LIST:
	case INSTRUCTION_IOTA_GROUPS:
	case INSTRUCTION_MESH_GROUPS: return take_groups(d, field, s, err);
	default: return JR_OK;
	}
}

static enum jr_status take_fields(struct jr_hlo_decoder *d, struct jr_bytes message,
	struct jr_hlo_instruction *to, struct stated *s, struct jr_error *err)
{
	struct jr_wire wire = jr_wire_of(message, d->origin);
	d->attribute_bytes.size = d->operand_ids.n = d->called_ids.n = 0;
	while (jr_wire_more(&wire)) {
		struct jr_wire_field field;
		size_t begin = wire.reader.pos;
		JR_TRY(jr_wire_next(&wire, &field, err));
		struct jr_bytes raw = {message.data + begin, wire.reader.pos - begin};
		if (!jr_hlo_take_attribute(d, &field, raw))
			JR_TRY(take_field(d, &field, to, s, err));
	}
	int64_t number = s->parameter_number ? s->parameter_number : s->tuple_index;
	to->number = number >= 0 && number < JR_NONE ? (uint32_t)number : JR_NONE;
	to->n_operands = (uint32_t)d->operand_ids.n;
	to->n_called = (uint32_t)d->called_ids.n;
	JR_TRY(jr_hlo_ids(d, to->n_operands, d->operand_ids.items, &to->operand_ids, err));
	return jr_hlo_ids(d, to->n_called, d->called_ids.items, &to->called_ids, err);
}

/* --- the instruction ------------------------------------------------------------------------- */

enum jr_status jr_hlo_decode_instruction(
	struct jr_hlo_decoder *d, struct jr_bytes message, struct jr_error *err)
{
	struct jr_hlo_instruction *to = &d->instructions[d->n_instructions++];
	struct stated s = {.offset = (uint64_t)(message.data - d->origin), .size = message.size};
	to->name = to->opcode = to->custom_call_target = "";
	to->computation = d->n_computations;
	to->place = JR_NONE;
	JR_TRY(take_fields(d, message, to, &s, err));
	if (s.grouped) {
		const Xla__HloInstructionProto *from =
			jr_unpack_end(&d->unpacker, &xla__hlo_instruction_proto__descriptor, s.offset, err);
		if (!from)
			return err->status;
		JR_TRY(jr_hlo_set_groups(d, from, to, err));
	}

	struct jr_hlo_known_shape shape;
	struct jr_hlo_known_metadata metadata;
	JR_TRY(find_shape(d, s.shape, &shape, err));
	JR_TRY(find_metadata(d, s.metadata, &metadata, err));
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
