/*
 * wire.h - protobuf's wire format: walk the fields of a message in place.
 * Layer: formats, private to readers of protobufs.  Thread use: free.
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

/* One field as it stands in a message. */
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

/** Read the next field. @return JR_EFORMAT cut short, or a tag that no serialiser writes */
enum jr_status jr_wire_next(struct jr_wire *wire, struct jr_wire_field *field, struct jr_error *err)
	JR_MUST_CHECK;

#endif
