/*
 * hlo_wire.h - protobuf's wire format: walk the fields of a message, and unpack one by protobuf-c.
 * Layer: formats, private to hlo*.c.  Thread use: free.
 */
#ifndef JR_FORMATS_HLO_WIRE_H
#define JR_FORMATS_HLO_WIRE_H

#include <protobuf-c/protobuf-c.h>

#include "base/arena.h"
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
	uint8_t type;		   /* enum jr_wire_type */
	uint64_t value;		   /* JR_WIRE_VARINT */
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

/* Unpacks messages, one at a time, into memory that is used again for the next one. */
struct jr_unpacker {
	const uint8_t *origin;
	uint32_t max_depth;		/* of messages in messages */
	struct jr_arena memory; /* the message of the last jr_unpack() */
	struct jr_buf reduced;	/* its bytes, undeclared fields left out */
	ProtobufCAllocator allocator;
	struct jr_error *err; /* of the jr_unpack() under way: the allocator reports here */
};

/** `limit_bytes` bounds the memory of one message. Not to be moved afterwards. */
void jr_unpacker_init(
	struct jr_unpacker *up, const uint8_t *origin, uint32_t max_depth, uint64_t limit_bytes);
void jr_unpacker_done(struct jr_unpacker *up);

/** Begin a message: drop the last one, make room for a message of `size` bytes. */
void jr_unpack_begin(struct jr_unpacker *up, size_t size);
/**
 * Add a field of that message, if `type` declares it: others are skipped, also those of another
 * wire type than declared (protobuf's rule for a field whose type changed).
 *
 * @param seen  in/out, one bit for each field of `type`: a singular message that stands twice is
 *              refused, as no serialiser writes that and protobuf-c merges in quadratic time
 */
enum jr_status jr_unpack_field(struct jr_unpacker *up, const ProtobufCMessageDescriptor *type,
	const struct jr_wire_field *field, uint64_t *seen, struct jr_error *err) JR_MUST_CHECK;
/**
 * Finish the message.
 *
 * @param offset  where it begins in the file, for the error message
 * @return a message of `type`, good until the next jr_unpack_begin(); NULL with `err` set:
 *         JR_ELIMIT memory, JR_EFORMAT protobuf-c refuses it
 */
const void *jr_unpack_end(struct jr_unpacker *up, const ProtobufCMessageDescriptor *type,
	uint64_t offset, struct jr_error *err) JR_MUST_CHECK;
/** A string of such a message with the NULs that it had, which protobuf-c would have ended it at;
 * borrows `s`, or `scratch` where there were any. */
struct jr_bytes jr_unpacked_text(const char *s, struct jr_buf *scratch);
/** All of the above for the bytes of one message. */
const void *jr_unpack(struct jr_unpacker *up, const ProtobufCMessageDescriptor *type,
	struct jr_bytes message, struct jr_error *err) JR_MUST_CHECK;

#endif
