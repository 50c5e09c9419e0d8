#include "formats/parquet/thrift.h"

#include <inttypes.h>

void jr_thrift_fail(struct jr_thrift *t, const char *what)
{
	if (t->status != JR_OK)
		return;
	t->status = jr_fail(t->err, JR_EFORMAT, "%s at offset %" PRIu64, what, t->base + t->in.pos);
	t->in.pos = t->in.in.size;
}

static uint64_t varint(struct jr_thrift *t)
{
	uint64_t value;
	if (t->status == JR_OK && jr_reader_varint(&t->in, &value))
		return value;
	jr_thrift_fail(t, "broken or cut-off Thrift integer");
	return 0;
}

static uint8_t byte(struct jr_thrift *t)
{
	uint8_t value;
	if (t->status == JR_OK && jr_reader_u8(&t->in, &value))
		return value;
	jr_thrift_fail(t, "cut-off Thrift structure");
	return 0;
}

static void check_type(
	struct jr_thrift *t, const struct jr_thrift_field *f, enum jr_thrift_type type)
{
	if (f->type != type)
		jr_thrift_fail(t, "Thrift field of a wrong type");
}

bool jr_thrift_next(struct jr_thrift *t, struct jr_thrift_field *f)
{
	uint8_t header = byte(t);
	if (t->status != JR_OK || header == JR_THRIFT_STOP)
		return false;
	uint8_t type = header & 0x0F;
	if (type == JR_THRIFT_STOP || type > JR_THRIFT_UUID) {
		jr_thrift_fail(t, "unknown Thrift type");
		return false;
	}
	int64_t id = header >> 4 ? (int64_t)f->id + (header >> 4) : jr_zigzag(varint(t));
	if (id < INT16_MIN || id > INT16_MAX) {
		jr_thrift_fail(t, "Thrift field number beyond 16 bits");
		return false;
	}
	f->id = (int32_t)id;
	f->type = (enum jr_thrift_type)type;
	return t->status == JR_OK;
}

int64_t jr_thrift_i64(struct jr_thrift *t, const struct jr_thrift_field *f)
{
	check_type(t, f, JR_THRIFT_I64);
	return jr_zigzag(varint(t));
}

int32_t jr_thrift_i32(struct jr_thrift *t, const struct jr_thrift_field *f)
{
	check_type(t, f, JR_THRIFT_I32);
	int64_t value = jr_zigzag(varint(t));
	if (value >= INT32_MIN && value <= INT32_MAX)
		return (int32_t)value;
	jr_thrift_fail(t, "Thrift integer beyond 32 bits");
	return 0;
}

uint32_t jr_thrift_natural32(struct jr_thrift *t, const struct jr_thrift_field *f)
{
	int32_t value = jr_thrift_i32(t, f);
	if (value >= 0)
		return (uint32_t)value;
	jr_thrift_fail(t, "negative count or size");
	return 0;
}

uint64_t jr_thrift_natural64(struct jr_thrift *t, const struct jr_thrift_field *f)
{
	int64_t value = jr_thrift_i64(t, f);
	if (value >= 0)
		return (uint64_t)value;
	jr_thrift_fail(t, "negative count, size or offset");
	return 0;
}

bool jr_thrift_bool(struct jr_thrift *t, const struct jr_thrift_field *f)
{
	if (f->type != JR_THRIFT_TRUE && f->type != JR_THRIFT_FALSE)
		jr_thrift_fail(t, "Thrift field of a wrong type");
	return t->status == JR_OK && f->type == JR_THRIFT_TRUE;
}

struct jr_bytes jr_thrift_binary(struct jr_thrift *t, const struct jr_thrift_field *f)
{
	struct jr_bytes bytes = {0};
	check_type(t, f, JR_THRIFT_BINARY);
	uint64_t size = varint(t);
	if (t->status == JR_OK && !jr_reader_take(&t->in, size, &bytes))
		jr_thrift_fail(t, "Thrift string longer than the remaining data");
	return bytes;
}

bool jr_thrift_struct(struct jr_thrift *t, const struct jr_thrift_field *f)
{
	check_type(t, f, JR_THRIFT_STRUCT);
	return t->status == JR_OK;
}

uint32_t jr_thrift_list(struct jr_thrift *t, const struct jr_thrift_field *f, uint32_t min_bytes,
	struct jr_thrift_field *element)
{
	if (f->type != JR_THRIFT_LIST && f->type != JR_THRIFT_SET)
		jr_thrift_fail(t, "Thrift field of a wrong type");
	uint8_t header = byte(t);
	uint64_t n = header >> 4 == 15 ? varint(t) : header >> 4;
	uint8_t type = header & 0x0F;
	if (t->status == JR_OK && (type == JR_THRIFT_STOP || type > JR_THRIFT_UUID))
		jr_thrift_fail(t, "unknown Thrift type");
	if (t->status == JR_OK && n > jr_reader_left(&t->in) / (min_bytes ? min_bytes : 1))
		jr_thrift_fail(t, "Thrift list longer than the remaining data");
	if (t->status == JR_OK && n > UINT32_MAX)
		jr_thrift_fail(t, "Thrift list of more than 2^32 elements");
	*element = (struct jr_thrift_field){.type = (enum jr_thrift_type)type};
	return t->status == JR_OK ? (uint32_t)n : 0;
}

static void skip_bytes(struct jr_thrift *t, uint64_t n)
{
	struct jr_bytes ignored;
	if (t->status == JR_OK && !jr_reader_take(&t->in, n, &ignored))
		jr_thrift_fail(t, "cut-off Thrift structure");
}

static void skip_value(struct jr_thrift *t, enum jr_thrift_type type, bool in_container, int depth);

static void skip_struct(struct jr_thrift *t, int depth)
{
	struct jr_thrift_field f = {0};
	while (jr_thrift_next(t, &f))
		skip_value(t, f.type, false, depth);
}

static void skip_list(struct jr_thrift *t, enum jr_thrift_type type, int depth)
{
	struct jr_thrift_field list = {.type = type}, element;
	uint32_t n = jr_thrift_list(t, &list, 1, &element);
	for (uint32_t i = 0; i < n && t->status == JR_OK; i++)
		skip_value(t, element.type, true, depth);
}

static void skip_map(struct jr_thrift *t, int depth)
{
	uint64_t n = varint(t);
	if (!n)
		return;
	uint8_t types = byte(t);
	uint8_t key = types >> 4, value = types & 0x0F;
	if (n > jr_reader_left(&t->in))
		jr_thrift_fail(t, "Thrift map longer than the remaining data");
	if (!key || !value || key > JR_THRIFT_UUID || value > JR_THRIFT_UUID)
		jr_thrift_fail(t, "unknown Thrift type");
	for (uint64_t i = 0; i < n && t->status == JR_OK; i++) {
		skip_value(t, (enum jr_thrift_type)key, true, depth);
		skip_value(t, (enum jr_thrift_type)value, true, depth);
	}
}

/* Skip a value. A field's type contains the value of a bool; in a list or map a bool takes a
 * byte. */
static void skip_value(struct jr_thrift *t, enum jr_thrift_type type, bool in_container, int depth)
{
	if (depth >= JR_THRIFT_DEPTH) {
		jr_thrift_fail(t, "Thrift structures nested too deeply");
		return;
	}
	switch (type) {
	case JR_THRIFT_TRUE:
	case JR_THRIFT_FALSE: skip_bytes(t, in_container); break;
	case JR_THRIFT_I8: skip_bytes(t, 1); break;
	case JR_THRIFT_I16:
	case JR_THRIFT_I32:
	case JR_THRIFT_I64: (void)varint(t); break;
	case JR_THRIFT_DOUBLE: skip_bytes(t, 8); break;
	case JR_THRIFT_BINARY: skip_bytes(t, varint(t)); break;
	case JR_THRIFT_UUID: skip_bytes(t, 16); break;
	case JR_THRIFT_LIST:
	case JR_THRIFT_SET: skip_list(t, type, depth + 1); break;
	case JR_THRIFT_MAP: skip_map(t, depth + 1); break;
	case JR_THRIFT_STRUCT: skip_struct(t, depth + 1); break;
	case JR_THRIFT_STOP: jr_thrift_fail(t, "unknown Thrift type"); break;
	}
}

void jr_thrift_skip(struct jr_thrift *t, const struct jr_thrift_field *f)
{
	if (t->status == JR_OK)
		skip_value(t, f->type, false, 0);
}
