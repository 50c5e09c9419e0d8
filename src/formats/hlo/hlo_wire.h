/*
 * hlo_wire.h - unpack messages by protobuf-c, one at a time, undeclared fields left out.
 * Layer: formats, private to hlo*.c.  Thread use: free.
 */
#ifndef JR_FORMATS_HLO_WIRE_H
#define JR_FORMATS_HLO_WIRE_H

#include <protobuf-c/protobuf-c.h>

#include "base/arena.h"
#include "formats/hlo/wire.h"

/* Unpacks messages, one at a time, into memory that is used again for the next one. */
struct jr_unpacker {
	const uint8_t *origin;
	uint32_t max_depth;     /* of messages in messages */
	struct jr_arena memory; /* the message of the last jr_unpack() */
	struct jr_buf reduced;  /* its bytes, undeclared fields left out */
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
