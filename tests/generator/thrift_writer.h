/*
 * thrift_writer.h - Thrift's compact protocol, as far as a Parquet footer needs it.
 */
#ifndef GEN_THRIFT_WRITER_H
#define GEN_THRIFT_WRITER_H

#include "base/buf.h"

enum gen_thrift_type {
	GEN_THRIFT_TRUE = 1,
	GEN_THRIFT_FALSE = 2,
	GEN_THRIFT_I16 = 4,
	GEN_THRIFT_I32 = 5,
	GEN_THRIFT_I64 = 6,
	GEN_THRIFT_BINARY = 8,
	GEN_THRIFT_LIST = 9,
	GEN_THRIFT_STRUCT = 12,
};

#define GEN_THRIFT_DEPTH 16

struct gen_thrift {
	struct jr_buf *out;
	int depth;
	int last_id[GEN_THRIFT_DEPTH]; /* field ids are written as differences within a struct */
};

void gen_varint(struct jr_buf *out, uint64_t v);
void gen_thrift_begin(struct gen_thrift *t, struct jr_buf *out);
/** Close a struct: the one of gen_thrift_begin(), a field's or a list element's. */
void gen_thrift_end(struct gen_thrift *t);
void gen_thrift_int(struct gen_thrift *t, int id, enum gen_thrift_type type, int64_t v);
void gen_thrift_bool(struct gen_thrift *t, int id, int v);
void gen_thrift_text(struct gen_thrift *t, int id, const char *s);
void gen_thrift_struct(struct gen_thrift *t, int id);
void gen_thrift_list(struct gen_thrift *t, int id, enum gen_thrift_type element, size_t n);
/* Elements of a list. */
void gen_thrift_item_int(struct gen_thrift *t, int64_t v);
void gen_thrift_item_text(struct gen_thrift *t, const char *s);
void gen_thrift_item_struct(struct gen_thrift *t);

#endif
