#include "formats/hlo/hlo_reduce.h"

#include "base/cleanup.h"
#include "formats/hlo/wire.h"
#include "hlo.pb-c.h"

static enum jr_status reduce(const ProtobufCMessageDescriptor *type, struct jr_bytes message,
	struct jr_buf *out, struct jr_error *err);

static enum jr_status put_field(const ProtobufCFieldDescriptor *declared,
	const struct jr_wire_field *field, struct jr_buf *out, struct jr_error *err)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf inner = {0};
	struct jr_bytes bytes = field->bytes;
	jr_buf_varint(out, (uint64_t)field->number << 3 | field->type);
	if (field->type == JR_WIRE_VARINT) {
		jr_buf_varint(out, field->value);
		return JR_OK;
	}
	if (field->type == JR_WIRE_BYTES && declared->type == PROTOBUF_C_TYPE_MESSAGE) {
		JR_TRY(reduce(declared->descriptor, bytes, &inner, err));
		bytes = jr_buf_view(&inner);
	}
	if (field->type == JR_WIRE_BYTES)
		jr_buf_varint(out, bytes.size);
	if (bytes.size)
		jr_buf_add(out, bytes.data, bytes.size);
	return JR_OK;
}

static enum jr_status reduce(const ProtobufCMessageDescriptor *type, struct jr_bytes message,
	struct jr_buf *out, struct jr_error *err)
{
	struct jr_wire wire = jr_wire_of(message, message.data);
	while (jr_wire_more(&wire)) {
		struct jr_wire_field field;
		JR_TRY(jr_wire_next(&wire, &field, err));
		const ProtobufCFieldDescriptor *declared =
			protobuf_c_message_descriptor_get_field(type, field.number);
		if (declared)
			JR_TRY(put_field(declared, &field, out, err));
	}
	return JR_OK;
}

enum jr_status jr_hlo_reduce(struct jr_bytes proto, struct jr_buf *out, struct jr_error *err)
{
	return reduce(&xla__hlo_proto__descriptor, proto, out, err);
}
