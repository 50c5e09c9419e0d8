/*
 * wire.h - protobuf's wire format: walk the fields of a message in place.
 * Layer: formats, private to protobuf readers.  Thread use: free.
 */
#ifndef JR_FORMATS_WIRE_H
#define JR_FORMATS_WIRE_H

#include "base/buf.h"
#include "base/reader.h"

enum jr_wire_type {
	JR_WIRE_VARINT = 0,
	JR_WIRE_FIXED64 = 1,
	JR_WIRE_BYTES = 2,
	JR_WIRE_FIXED32 = 5,
};

/* One field of a message. */
struct jr_wire_field {
	uint32_t number;
	uint8_t type;          /* enum jr_wire_type */
	uint64_t value;        /* JR_WIRE_VARINT */
	struct jr_bytes bytes; /* content of the other types */
};

/* Cursor over the fields of one message; `origin` is byte 0 of the file, for offsets in errors. */
struct jr_wire {
	struct jr_reader reader;
	const uint8_t *origin;
};

static inline struct jr_wire jr_wire_of(struct jr_bytes message, const uint8_t *origin)
{
	return (struct jr_wire){jr_reader_of(message), origin};
}

static inline bool jr_wire_more(const struct jr_wire *wire)
{
	return jr_reader_left(&wire->reader) > 0;
}

static inline uint64_t jr_wire_offset(const struct jr_wire *wire)
{
	return (uint64_t)(wire->reader.in.data - wire->origin) + wire->reader.pos;
}

/* Most tags and lengths are one byte. */
static inline bool jr_wire_varint(struct jr_reader *r, uint64_t *out)
{
	if (r->pos < r->in.size && r->in.data[r->pos] < 0x80) {
		*out = r->in.data[r->pos++];
		return true;
	}
	return jr_reader_varint(r, out);
}

/** Read the next field, if there is one. False: cut short, or a tag that no serializer writes. */
static inline bool jr_wire_take(struct jr_wire *wire, struct jr_wire_field *field)
{
	struct jr_reader *r = &wire->reader;
	uint64_t tag, size;
	if (!jr_wire_varint(r, &tag) || tag >> 3 == 0 || tag >> 32)
		return false;
	field->number = (uint32_t)(tag >> 3);
	field->type = (uint8_t)(tag & 7);
	switch (field->type) {
	case JR_WIRE_VARINT: return jr_wire_varint(r, &field->value);
	case JR_WIRE_FIXED64: return jr_reader_take(r, 8, &field->bytes);
	case JR_WIRE_BYTES: return jr_wire_varint(r, &size) && jr_reader_take(r, size, &field->bytes);
	case JR_WIRE_FIXED32: return jr_reader_take(r, 4, &field->bytes);
	default: /* 3 and 4 are proto2 groups, which XLA never used */ return false;
	}
}

/** Return true if the field at this position is longer than the remaining bytes and has no other
 * error. */
bool jr_wire_is_cut(struct jr_reader at);

/** Read the next field. @return JR_EFORMAT cut short, or a tag that no serializer writes */
enum jr_status jr_wire_next(struct jr_wire *wire, struct jr_wire_field *field, struct jr_error *err)
	JR_MUST_CHECK;

#endif
