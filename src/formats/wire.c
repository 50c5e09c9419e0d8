#include "formats/wire.h"

#include <inttypes.h>

static bool next_value(struct jr_reader *r, struct jr_wire_field *field)
{
	uint64_t size = 0;
	switch (field->type) {
	case JR_WIRE_VARINT:
		return jr_reader_varint(r, &field->value);
	case JR_WIRE_FIXED64:
		return jr_reader_take(r, 8, &field->bytes);
	case JR_WIRE_BYTES:
		return jr_reader_varint(r, &size) && jr_reader_take(r, size, &field->bytes);
	case JR_WIRE_FIXED32:
		return jr_reader_take(r, 4, &field->bytes);
	default: /* 3 and 4 are the groups of proto2, which XLA never had */
		return false;
	}
}

enum jr_status jr_wire_next(struct jr_wire *wire, struct jr_wire_field *field, struct jr_error *err)
{
	uint64_t offset = jr_wire_offset(wire);
	uint64_t tag;
	if (!jr_reader_varint(&wire->reader, &tag) || tag >> 3 == 0 || tag >> 32)
		return jr_fail(err, JR_EFORMAT, "not a protobuf field at offset %" PRIu64, offset);
	field->number = (uint32_t)(tag >> 3);
	field->type = (uint8_t)(tag & 7);
	if (!next_value(&wire->reader, field))
		return jr_fail(err, JR_EFORMAT,
			"protobuf field %" PRIu32 " (wire type %u) at offset %" PRIu64
			" is cut short or damaged",
			field->number, (unsigned)field->type, offset);
	return JR_OK;
}
