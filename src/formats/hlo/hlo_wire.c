#include "formats/hlo/hlo_wire.h"

#include <inttypes.h>
#include <string.h>

/* Write `value` as a varint, 7 bits per byte, low bits first (protobuf.dev, "Encoding"). */
static uint8_t *put_varint(uint8_t *p, uint64_t value)
{
	while (value >= 0x80) {
		*p++ = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	*p++ = (uint8_t)value;
	return p;
}

static size_t varint_width(uint64_t value)
{
	size_t width = 1;
	while (value >>= 7)
		width++;
	return width;
}

/* protobuf-c allocates all of its memory here. If a message fails, it frees the parts one by one;
 * the arena reclaims them at the next jr_unpack_begin(). */
static void *take(void *context, size_t size)
{
	struct jr_unpacker *up = context;
	return jr_arena_array(&up->memory, size, 1, up->err);
}

static void give(void *context, void *block)
{
	(void)context;
	(void)block;
}

void jr_unpacker_init(
	struct jr_unpacker *up, const uint8_t *origin, uint32_t max_depth, uint64_t limit_bytes)
{
	*up = (struct jr_unpacker){
		.origin = origin,
		.max_depth = max_depth,
		.allocator = {.alloc = take, .free = give, .allocator_data = up},
	};
	jr_arena_init(&up->memory, limit_bytes);
}

void jr_unpacker_done(struct jr_unpacker *up)
{
	jr_arena_done(&up->memory);
	jr_buf_done(&up->reduced);
}

/* Check the wire type as protobuf-c does; packed arrays are always valid. */
static bool fits(const ProtobufCFieldDescriptor *field, uint8_t wire_type)
{
	switch (field->type) {
	case PROTOBUF_C_TYPE_STRING:
	case PROTOBUF_C_TYPE_BYTES:
	case PROTOBUF_C_TYPE_MESSAGE: return wire_type == JR_WIRE_BYTES;
	default: /* proto/ declares no types with a fixed width */
		return wire_type == JR_WIRE_VARINT ||
			   (field->label == PROTOBUF_C_LABEL_REPEATED && wire_type == JR_WIRE_BYTES);
	}
}

/*
 * protobuf-c ends a string at its first NUL, so the rest would be lost without an error. A NUL is
 * therefore replaced by a byte that never occurs in UTF-8; jr_unpacked_text() restores it. That
 * byte itself is replaced by another invalid one, which is shown in the same way.
 */
#define HIDDEN_NUL 0xFF
#define HIDDEN_OTHER 0xFE

static void hide_nuls(uint8_t *s, size_t n)
{
	for (uint8_t *at = s; (at = memchr(at, HIDDEN_NUL, (size_t)(s + n - at)));)
		*at++ = HIDDEN_OTHER;
	for (uint8_t *at = s; (at = memchr(at, 0, (size_t)(s + n - at)));)
		*at++ = HIDDEN_NUL;
}

struct jr_bytes jr_unpacked_text(const char *s, struct jr_buf *scratch)
{
	size_t n = strlen(s);
	if (!memchr(s, HIDDEN_NUL, n))
		return jr_bytes_of(s, n);
	scratch->size = 0;
	jr_buf_add(scratch, s, n);
	for (char *at = scratch->data; (at = memchr(at, HIDDEN_NUL, n - (size_t)(at - scratch->data)));)
		*at++ = '\0';
	return jr_bytes_of(scratch->data, n);
}

void jr_unpack_begin(struct jr_unpacker *up, size_t size)
{
	up->reduced.size = 0;
	jr_buf_reserve(&up->reduced, size);
	jr_arena_clear(&up->memory);
}

static enum jr_status reduce(struct jr_unpacker *up, const ProtobufCMessageDescriptor *type,
	struct jr_bytes message, unsigned depth, struct jr_error *err);

/*
 * Copy a field into up->reduced. The copy is never longer than the original, so the room of
 * jr_unpack_begin() is enough: tags and values take their shortest form. A message's length keeps
 * its old width after undeclared fields are removed; this is legal and avoids moving the content.
 */
static enum jr_status reduce_field(struct jr_unpacker *up, const ProtobufCMessageDescriptor *type,
	const struct jr_wire_field *field, uint64_t *seen, unsigned depth, struct jr_error *err)
{
	const ProtobufCFieldDescriptor *declared =
		protobuf_c_message_descriptor_get_field(type, field->number);
	if (!declared || !fits(declared, field->type))
		return JR_OK;

	uint8_t *start = (uint8_t *)up->reduced.data;
	uint8_t *p = put_varint(start + up->reduced.size, (uint64_t)field->number << 3 | field->type);
	if (field->type == JR_WIRE_VARINT) {
		up->reduced.size = (size_t)(put_varint(p, field->value) - start);
		return JR_OK;
	}
	if (declared->type != PROTOBUF_C_TYPE_MESSAGE) {
		p = put_varint(p, field->bytes.size);
		jr_copy(p, field->bytes.data, field->bytes.size);
		if (declared->type == PROTOBUF_C_TYPE_STRING)
			hide_nuls(p, field->bytes.size);
		up->reduced.size = (size_t)(p - start) + field->bytes.size;
		return JR_OK;
	}

	uint64_t offset = (uint64_t)(field->bytes.data - up->origin);
	if (declared->label != PROTOBUF_C_LABEL_REPEATED) {
		uint64_t bit = UINT64_C(1) << (declared - type->fields);
		if (*seen & bit)
			return jr_fail(err, JR_EFORMAT, "%s.%s occurs twice, again at offset %" PRIu64,
				type->short_name, declared->name, offset);
		*seen |= bit;
	}
	size_t width = varint_width(field->bytes.size);
	size_t begin = (size_t)(p - start) + width;
	up->reduced.size = begin;
	JR_TRY(reduce(up, declared->descriptor, field->bytes, depth + 1, err));
	uint64_t size = up->reduced.size - begin;
	for (size_t i = 0; i + 1 < width; i++, size >>= 7)
		*p++ = (uint8_t)(size | 0x80);
	*p = (uint8_t)size;
	return JR_OK;
}

static enum jr_status reduce(struct jr_unpacker *up, const ProtobufCMessageDescriptor *type,
	struct jr_bytes message, unsigned depth, struct jr_error *err)
{
	if (depth > up->max_depth)
		return jr_fail(err, JR_ELIMIT,
			"%s at offset %" PRIu64 " is nested more than %" PRIu32 " deep (--max-depth)",
			type->short_name, (uint64_t)(message.data - up->origin), up->max_depth);
	uint64_t seen = 0;
	struct jr_wire wire = jr_wire_of(message, up->origin);
	while (jr_wire_more(&wire)) {
		struct jr_wire_field field;
		JR_TRY(jr_wire_next(&wire, &field, err));
		JR_TRY(reduce_field(up, type, &field, &seen, depth, err));
	}
	return JR_OK;
}

enum jr_status jr_unpack_field(struct jr_unpacker *up, const ProtobufCMessageDescriptor *type,
	const struct jr_wire_field *field, uint64_t *seen, struct jr_error *err)
{
	return reduce_field(up, type, field, seen, 1, err);
}

const void *jr_unpack_end(struct jr_unpacker *up, const ProtobufCMessageDescriptor *type,
	uint64_t offset, struct jr_error *err)
{
	err->status = JR_OK;
	up->err = err;
	const void *message = protobuf_c_message_unpack(
		type, &up->allocator, up->reduced.size, (const uint8_t *)up->reduced.data);
	up->err = NULL;
	if (!message && err->status == JR_OK)
		(void)jr_fail(err, JR_EFORMAT, "damaged %s at offset %" PRIu64, type->short_name, offset);
	return message;
}

const void *jr_unpack(struct jr_unpacker *up, const ProtobufCMessageDescriptor *type,
	struct jr_bytes message, struct jr_error *err)
{
	jr_unpack_begin(up, message.size);
	if (reduce(up, type, message, 1, err) != JR_OK)
		return NULL;
	return jr_unpack_end(up, type, (uint64_t)(message.data - up->origin), err);
}
