#include "formats/hlo/wire.h"

#include <inttypes.h>

enum jr_status jr_wire_next(struct jr_wire *wire, struct jr_wire_field *field, struct jr_error *err)
{
	uint64_t offset = jr_wire_offset(wire);
	field->number = 0;
	if (jr_wire_take(wire, field))
		return JR_OK;
	if (field->number == 0)
		return jr_fail(err, JR_EFORMAT, "not a protobuf field at offset %" PRIu64, offset);
	return jr_fail(err, JR_EFORMAT,
		"protobuf field %" PRIu32 " (wire type %u) at offset %" PRIu64 " is cut short or damaged",
		field->number, (unsigned)field->type, offset);
}

bool jr_wire_is_cut(struct jr_reader at)
{
	uint64_t tag, size;
	enum { LONGEST_VARINT = 10 };
	if (!jr_wire_varint(&at, &tag) || ((tag & 7) == JR_WIRE_BYTES && !jr_wire_varint(&at, &size)))
		return jr_reader_left(&at) < LONGEST_VARINT;
	return tag >> 3 != 0 && tag >> 32 == 0 && (tag & 7) == JR_WIRE_BYTES &&
		   size > jr_reader_left(&at);
}
