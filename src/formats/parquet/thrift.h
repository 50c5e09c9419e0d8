/*
 * thrift.h - bounded reader of the Thrift compact protocol.
 * Layer: formats.  Format facts: thrift/doc/specs/thrift-compact-protocol.md.
 *
 * The first failure is kept: after it nothing is read, loops end and values are 0, so a parser
 * checks `status` once per structure. The count of a list is checked against the remaining bytes
 * before it is returned.
 *
 *	struct jr_thrift_field f = {0};
 *	while (jr_thrift_next(t, &f)) {
 *		if (f.id == 1)
 *			x = jr_thrift_i32(t, &f);
 *		else
 *			jr_thrift_skip(t, &f);
 *	}
 *	return t->status;
 */
#ifndef JR_FORMATS_THRIFT_H
#define JR_FORMATS_THRIFT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/reader.h"

#define JR_THRIFT_DEPTH 32 /* nesting of skipped values */

enum jr_thrift_type {
	JR_THRIFT_STOP = 0,
	JR_THRIFT_TRUE = 1, /* as a list's element type: bool */
	JR_THRIFT_FALSE = 2,
	JR_THRIFT_I8 = 3,
	JR_THRIFT_I16 = 4,
	JR_THRIFT_I32 = 5,
	JR_THRIFT_I64 = 6,
	JR_THRIFT_DOUBLE = 7,
	JR_THRIFT_BINARY = 8,
	JR_THRIFT_LIST = 9,
	JR_THRIFT_SET = 10,
	JR_THRIFT_MAP = 11,
	JR_THRIFT_STRUCT = 12,
	JR_THRIFT_UUID = 13,
};

struct jr_thrift {
	struct jr_reader in;
	uint64_t base;         /* offset of in.in within the file, for messages */
	enum jr_status status; /* JR_OK or JR_EFORMAT */
	struct jr_error *err;
};

/* Zero-initialize at the start of each structure: ids are coded as differences. */
struct jr_thrift_field {
	int32_t id;
	enum jr_thrift_type type;
};

static inline struct jr_thrift jr_thrift_of(struct jr_bytes in, uint64_t base, struct jr_error *err)
{
	return (struct jr_thrift){.in = jr_reader_of(in), .base = base, .err = err};
}

/** Read the next field of the structure; false at its end and after a failure. */
bool jr_thrift_next(struct jr_thrift *t, struct jr_thrift_field *f);
/** Return the value of a field or list element; it is a failure if the type does not match. */
int32_t jr_thrift_i32(struct jr_thrift *t, const struct jr_thrift_field *f);
int64_t jr_thrift_i64(struct jr_thrift *t, const struct jr_thrift_field *f);
/** Return a count, size or offset: a negative one is a failure. */
uint32_t jr_thrift_natural32(struct jr_thrift *t, const struct jr_thrift_field *f);
uint64_t jr_thrift_natural64(struct jr_thrift *t, const struct jr_thrift_field *f);
bool jr_thrift_bool(struct jr_thrift *t, const struct jr_thrift_field *f);
/** Return a view into the input. */
struct jr_bytes jr_thrift_binary(struct jr_thrift *t, const struct jr_thrift_field *f);
/** Return true if the field is a structure. Read it with a separate jr_thrift_field. */
bool jr_thrift_struct(struct jr_thrift *t, const struct jr_thrift_field *f);
/**
 * Begin a list.
 *
 * @param min_bytes  smallest size of an element; a count that cannot fit the remaining bytes is a
 *                   failure
 * @param element    out: the "field" to pass to the functions above for each element
 * @return number of elements, 0 after a failure
 */
uint32_t jr_thrift_list(struct jr_thrift *t, const struct jr_thrift_field *f, uint32_t min_bytes,
	struct jr_thrift_field *element);
void jr_thrift_skip(struct jr_thrift *t, const struct jr_thrift_field *f);
/** Fail at the current offset with `what`, unless it failed before. */
void jr_thrift_fail(struct jr_thrift *t, const char *what);

#define JR_THRIFT_OUT_DEPTH 16 /* structs in structs; Parquet has 7 */

struct jr_thrift_out {
	struct jr_buf *out;
	int depth;
	int last_id[JR_THRIFT_OUT_DEPTH]; /* field ids are written as differences within a struct */
};

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
