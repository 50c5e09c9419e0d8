/*
 * hlo_wire.h - unpack messages with protobuf-c, one at a time, without undeclared fields.
 * Layer: formats, private to readers of protobuf messages.  Thread use: free.
 */
#ifndef JR_FORMATS_HLO_WIRE_H
#define JR_FORMATS_HLO_WIRE_H

#include <protobuf-c/protobuf-c.h>

#include "base/arena.h"
#include "formats/hlo/wire.h"

/* Unpacks messages one at a time and reuses the memory for the next one. */
struct jr_unpacker {
	const uint8_t *origin;
	uint32_t max_depth;     /* nesting of messages */
	struct jr_arena memory; /* the message of the last jr_unpack() */
	struct jr_buf reduced;  /* its bytes without undeclared fields */
	ProtobufCAllocator allocator;
	struct jr_error *err; /* error of the current jr_unpack(), set by the allocator */
};

/** Initialize an unpacker. `limit_bytes` bounds the memory of one message. Do not move it
 * afterwards. */
void jr_unpacker_init(
	struct jr_unpacker *up, const uint8_t *origin, uint32_t max_depth, uint64_t limit_bytes);
void jr_unpacker_done(struct jr_unpacker *up);

/** Begin a message: drop the last one and make room for a message of `size` bytes. */
void jr_unpack_begin(struct jr_unpacker *up, size_t size);
/**
 * Add a field of that message, if `type` declares it. Other fields are skipped, also if only the
 * wire type differs (protobuf's rule for a field whose type changed).
 *
 * @param seen  in/out, one bit per field of `type`. A singular message that occurs twice is
 *              refused: serializers do not write that, and protobuf-c merges in quadratic time
 */
enum jr_status jr_unpack_field(struct jr_unpacker *up, const ProtobufCMessageDescriptor *type,
	const struct jr_wire_field *field, uint64_t *seen, struct jr_error *err) JR_MUST_CHECK;
/**
 * Finish the message.
 *
 * @param offset  position in the file, for the error message
 * @return a message of `type`, valid until the next jr_unpack_begin(); NULL with `err` set:
 *         JR_ELIMIT memory, JR_EFORMAT protobuf-c refuses it
 */
const void *jr_unpack_end(struct jr_unpacker *up, const ProtobufCMessageDescriptor *type,
	uint64_t offset, struct jr_error *err) JR_MUST_CHECK;
/** Return a string of such a message with the NULs of the input, at which protobuf-c would have
 * ended it. Borrows `s`, or `scratch` if there are NULs. */
struct jr_bytes jr_unpacked_text(const char *s, struct jr_buf *scratch);
/** Unpack one message: all of the calls above. */
const void *jr_unpack(struct jr_unpacker *up, const ProtobufCMessageDescriptor *type,
	struct jr_bytes message, struct jr_error *err) JR_MUST_CHECK;

#endif
