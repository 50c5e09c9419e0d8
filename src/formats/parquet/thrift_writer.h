/*
 * thrift_writer.h - write Thrift's compact protocol, limited to what Parquet needs.
 * Layer: formats.  Format facts: thrift/doc/specs/thrift-compact-protocol.md.
 */
#ifndef JR_FORMATS_THRIFT_WRITER_H
#define JR_FORMATS_THRIFT_WRITER_H

#include "base/buf.h"
#include "formats/parquet/thrift.h"

#define JR_THRIFT_OUT_DEPTH 16 /* structs in structs; Parquet has 7 */

struct jr_thrift_out {
	struct jr_buf *out;
	int depth;
	int last_id[JR_THRIFT_OUT_DEPTH]; /* field ids are written as differences within a struct */
};

/** Append an integer as groups of seven bits, low bits first. */
void jr_thrift_put_varint(struct jr_buf *out, uint64_t v);
/** Begin the outermost struct; `out` is borrowed. */
void jr_thrift_out_begin(struct jr_thrift_out *t, struct jr_buf *out);
/** Close a struct: the one of jr_thrift_out_begin(), a field's or a list element's. */
void jr_thrift_out_end(struct jr_thrift_out *t);
/* Append a field; ascending ids of a struct take the fewest bytes. */
void jr_thrift_put_int(struct jr_thrift_out *t, int id, enum jr_thrift_type type, int64_t v);
void jr_thrift_put_bool(struct jr_thrift_out *t, int id, int v);
void jr_thrift_put_text(struct jr_thrift_out *t, int id, const char *s);
void jr_thrift_put_struct(struct jr_thrift_out *t, int id);
void jr_thrift_put_list(struct jr_thrift_out *t, int id, enum jr_thrift_type element, size_t n);
/* Append an element of a list. */
void jr_thrift_put_item_int(struct jr_thrift_out *t, int64_t v);
void jr_thrift_put_item_text(struct jr_thrift_out *t, const char *s);
void jr_thrift_put_item_struct(struct jr_thrift_out *t);

#endif
