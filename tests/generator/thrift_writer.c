#include "thrift_writer.h"

#include <assert.h>
#include <string.h>

void gen_varint(struct jr_buf *out, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		jr_buf_putc(out, (char)(v | 0x80));
	jr_buf_putc(out, (char)v);
}

static void zigzag(struct jr_buf *out, int64_t v)
{
	gen_varint(out, ((uint64_t)v << 1) ^ (v < 0 ? UINT64_MAX : 0));
}

static void field(struct gen_thrift *t, int id, int type)
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

static void push(struct gen_thrift *t)
{
	t->depth++;
	assert(t->depth < GEN_THRIFT_DEPTH);
	t->last_id[t->depth] = 0;
}

static void bytes(struct jr_buf *out, const char *s)
{
	size_t n = strlen(s);
	gen_varint(out, n);
	jr_buf_add(out, s, n);
}

void gen_thrift_begin(struct gen_thrift *t, struct jr_buf *out)
{
	*t = (struct gen_thrift){.out = out};
}

void gen_thrift_end(struct gen_thrift *t)
{
	jr_buf_putc(t->out, 0);
	t->depth--;
}

void gen_thrift_int(struct gen_thrift *t, int id, enum gen_thrift_type type, int64_t v)
{
	field(t, id, type);
	zigzag(t->out, v);
}

void gen_thrift_bool(struct gen_thrift *t, int id, int v)
{
	field(t, id, v ? GEN_THRIFT_TRUE : GEN_THRIFT_FALSE);
}

void gen_thrift_text(struct gen_thrift *t, int id, const char *s)
{
	field(t, id, GEN_THRIFT_BINARY);
	bytes(t->out, s);
}

void gen_thrift_struct(struct gen_thrift *t, int id)
{
	field(t, id, GEN_THRIFT_STRUCT);
	push(t);
}

void gen_thrift_list(struct gen_thrift *t, int id, enum gen_thrift_type element, size_t n)
{
	field(t, id, GEN_THRIFT_LIST);
	if (n < 15) {
		jr_buf_putc(t->out, (char)(n << 4 | element));
	} else {
		jr_buf_putc(t->out, (char)(0xf0 | element));
		gen_varint(t->out, n);
	}
}

void gen_thrift_item_int(struct gen_thrift *t, int64_t v)
{
	zigzag(t->out, v);
}

void gen_thrift_item_text(struct gen_thrift *t, const char *s)
{
	bytes(t->out, s);
}

void gen_thrift_item_struct(struct gen_thrift *t)
{
	push(t);
}
