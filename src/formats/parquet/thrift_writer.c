#include "formats/parquet/thrift.h"

#include <assert.h>
#include <string.h>

static void zigzag(struct jr_buf *out, int64_t v)
{
	jr_buf_varint(out, ((uint64_t)v << 1) ^ (v < 0 ? UINT64_MAX : 0));
}

static void field(struct jr_thrift_out *t, int id, int type)
{
	int *last = &t->last_id[t->depth];
	int delta = id - *last;
	if (delta >= 1 && delta <= 15) {
		jr_buf_putc(t->out, (char)(delta << 4 | type));
	} else {
		jr_buf_putc(t->out, (char)type);
		zigzag(t->out, id);
	}
	*last = id;
}

static void push(struct jr_thrift_out *t)
{
	t->depth++;
	assert(t->depth < JR_THRIFT_OUT_DEPTH);
	t->last_id[t->depth] = 0;
}

static void bytes(struct jr_buf *out, const char *s)
{
	size_t n = strlen(s);
	jr_buf_varint(out, n);
	jr_buf_add(out, s, n);
}

void jr_thrift_out_begin(struct jr_thrift_out *t, struct jr_buf *out)
{
	*t = (struct jr_thrift_out){.out = out};
}

void jr_thrift_out_end(struct jr_thrift_out *t)
{
	jr_buf_putc(t->out, 0);
	t->depth--;
}

void jr_thrift_put_int(struct jr_thrift_out *t, int id, enum jr_thrift_type type, int64_t v)
{
	field(t, id, type);
	zigzag(t->out, v);
}

void jr_thrift_put_bool(struct jr_thrift_out *t, int id, int v)
{
	field(t, id, v ? JR_THRIFT_TRUE : JR_THRIFT_FALSE);
}

void jr_thrift_put_text(struct jr_thrift_out *t, int id, const char *s)
{
	field(t, id, JR_THRIFT_BINARY);
	bytes(t->out, s);
}

void jr_thrift_put_struct(struct jr_thrift_out *t, int id)
{
	field(t, id, JR_THRIFT_STRUCT);
	push(t);
}

void jr_thrift_put_list(struct jr_thrift_out *t, int id, enum jr_thrift_type element, size_t n)
{
	field(t, id, JR_THRIFT_LIST);
	if (n < 15) {
		jr_buf_putc(t->out, (char)(n << 4 | element));
	} else {
		jr_buf_putc(t->out, (char)(0xf0 | element));
		jr_buf_varint(t->out, n);
	}
}

void jr_thrift_put_item_int(struct jr_thrift_out *t, int64_t v)
{
	zigzag(t->out, v);
}

void jr_thrift_put_item_text(struct jr_thrift_out *t, const char *s)
{
	bytes(t->out, s);
}

void jr_thrift_put_item_struct(struct jr_thrift_out *t)
{
	push(t);
}
