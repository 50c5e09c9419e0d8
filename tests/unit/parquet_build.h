/*
 * parquet_build.h - Parquet files by hand, right or wrong, for the tests.
 *
 *	struct jr_buf file = {0};
 *	build_begin(&file);
 *	struct build_chunk chunk = {...where pages begin: .data_offset = file.size...};
 *	build_page(&file, &page);
 *	build_end(&file, &footer);
 */
#ifndef JR_TESTS_PARQUET_BUILD_H
#define JR_TESTS_PARQUET_BUILD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"

/* --- Thrift compact protocol --------------------------------------------------------------- */

static inline void build_varint(struct jr_buf *out, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		jr_buf_putc(out, (char)(v | 0x80));
	jr_buf_putc(out, (char)v);
}

static inline void build_zigzag(struct jr_buf *out, int64_t v)
{
	build_varint(out, v < 0 ? ~((uint64_t)v << 1) : (uint64_t)v << 1);
}

/* Header of field `id`; *last is the id of the one before, 0 at a structure's start. */
static inline void build_field(struct jr_buf *out, int *last, int id, int type)
{
	if (id - *last > 0 && id - *last < 16) {
		jr_buf_putc(out, (char)((id - *last) << 4 | type));
	} else {
		jr_buf_putc(out, (char)type);
		build_zigzag(out, id);
	}
	*last = id;
}

static inline void build_i32(struct jr_buf *out, int *last, int id, int32_t v)
{
	build_field(out, last, id, 5);
	build_zigzag(out, v);
}

static inline void build_i64(struct jr_buf *out, int *last, int id, int64_t v)
{
	build_field(out, last, id, 6);
	build_zigzag(out, v);
}

static inline void build_text(struct jr_buf *out, const char *s)
{
	build_varint(out, strlen(s));
	jr_buf_puts(out, s);
}

static inline void build_list(struct jr_buf *out, int *last, int id, size_t n, int type)
{
	build_field(out, last, id, 9);
	if (n < 15) {
		jr_buf_putc(out, (char)(n << 4 | (unsigned)type));
	} else {
		jr_buf_putc(out, (char)(0xF0 | type));
		build_varint(out, n);
	}
}

static inline void build_stop(struct jr_buf *out)
{
	jr_buf_putc(out, '\0');
}

/* --- pages --------------------------------------------------------------------------------- */

struct build_page {
	int type;		  /* 0 data, 1 index, 2 dictionary, 3 data v2 */
	int32_t n_values; /* of a dictionary: entries */
	int encoding;
	int def_encoding, rep_encoding; /* v1; 0 stands for RLE (3) */
	struct jr_bytes body;			/* as stored */
	int32_t size;					/* decompressed; 0: that of body */
	bool has_crc;
	uint32_t crc;
	int32_t n_nulls, n_rows, def_bytes, rep_bytes; /* v2 */
	int is_compressed;							   /* v2: 0 not said, 1 true, 2 false */
};

static inline void build_page_header(struct jr_buf *out, const struct build_page *p)
{
	int last = 0, inner = 0;
	build_i32(out, &last, 1, p->type);
	build_i32(out, &last, 2, p->size ? p->size : (int32_t)p->body.size);
	build_i32(out, &last, 3, (int32_t)p->body.size);
	if (p->has_crc)
		build_i32(out, &last, 4, (int32_t)p->crc);
	build_field(out, &last, p->type == 3 ? 8 : p->type + 5, 12);
	if (p->type != 1) {
		build_i32(out, &inner, 1, p->n_values);
		if (p->type == 3) {
			build_i32(out, &inner, 2, p->n_nulls);
			build_i32(out, &inner, 3, p->n_rows);
			build_i32(out, &inner, 4, p->encoding);
			build_i32(out, &inner, 5, p->def_bytes);
			build_i32(out, &inner, 6, p->rep_bytes);
			if (p->is_compressed)
				build_field(out, &inner, 7, p->is_compressed);
		} else {
			build_i32(out, &inner, 2, p->encoding);
		}
		if (p->type == 0) {
			build_i32(out, &inner, 3, p->def_encoding ? p->def_encoding : 3);
			build_i32(out, &inner, 4, p->rep_encoding ? p->rep_encoding : 3);
		}
	}
	build_stop(out);
	build_stop(out);
}

static inline void build_page(struct jr_buf *out, const struct build_page *p)
{
	build_page_header(out, p);
	jr_buf_add(out, p->body.data, p->body.size);
}

/* --- footer -------------------------------------------------------------------------------- */

struct build_element {
	const char *name;
	int type;		/* -1: a group */
	int repetition; /* 0 required, 1 optional, 2 repeated */
	int n_children;
	int converted; /* ConvertedType, 0: none */
	int logical;   /* field of LogicalType, 0: none */
	int32_t type_length;
};

struct build_chunk {
	int type;
	const char *path[4]; /* up to the first NULL */
	int codec;
	int64_t n_values, data_offset, dictionary_offset /* 0: not said */, size;
	bool encrypted, external;
};

struct build_group {
	int64_t n_rows;
	const struct build_chunk *chunks;
	size_t n_chunks;
};

struct build_footer {
	const struct build_element *elements;
	size_t n_elements;
	int64_t n_rows;
	const struct build_group *groups;
	size_t n_groups;
	const char *created_by;
	bool encrypted;
};

static inline void build_begin(struct jr_buf *out)
{
	out->size = 0;
	jr_buf_puts(out, "PAR1");
}

static inline void build_schema_element(struct jr_buf *out, const struct build_element *e)
{
	int last = 0, inner = 0;
	if (e->type >= 0)
		build_i32(out, &last, 1, e->type);
	if (e->type_length)
		build_i32(out, &last, 2, e->type_length);
	build_i32(out, &last, 3, e->repetition);
	build_field(out, &last, 4, 8);
	build_text(out, e->name);
	if (e->type < 0)
		build_i32(out, &last, 5, e->n_children);
	if (e->converted)
		build_i32(out, &last, 6, e->converted);
	if (e->logical) {
		build_field(out, &last, 10, 12);
		build_field(out, &inner, e->logical, 12);
		build_stop(out);
		build_stop(out);
	}
	build_stop(out);
}

static inline void build_column_chunk(struct jr_buf *out, const struct build_chunk *c)
{
	int last = 0, inner = 0;
	if (c->external) {
		build_field(out, &last, 1, 8);
		build_text(out, "other.parquet");
	}
	build_i64(out, &last, 2, c->data_offset);
	build_field(out, &last, 3, 12);
	build_i32(out, &inner, 1, c->type);
	build_list(out, &inner, 2, 1, 5);
	build_zigzag(out, 0);
	size_t n = 0;
	while (n < 4 && c->path[n])
		n++;
	build_list(out, &inner, 3, n, 8);
	for (size_t i = 0; i < n; i++)
		build_text(out, c->path[i]);
	build_i32(out, &inner, 4, c->codec);
	build_i64(out, &inner, 5, c->n_values);
	build_i64(out, &inner, 6, c->size);
	build_i64(out, &inner, 7, c->size);
	build_i64(out, &inner, 9, c->data_offset);
	if (c->dictionary_offset)
		build_i64(out, &inner, 11, c->dictionary_offset);
	build_stop(out);
	if (c->encrypted) {
		build_field(out, &last, 8, 12);
		build_stop(out);
	}
	build_stop(out);
}

static inline void build_end(struct jr_buf *out, const struct build_footer *f)
{
	size_t begin = out->size;
	int last = 0;
	build_i32(out, &last, 1, 1);
	build_list(out, &last, 2, f->n_elements, 12);
	for (size_t i = 0; i < f->n_elements; i++)
		build_schema_element(out, &f->elements[i]);
	build_i64(out, &last, 3, f->n_rows);
	build_list(out, &last, 4, f->n_groups, 12);
	for (size_t i = 0; i < f->n_groups; i++) {
		int inner = 0;
		build_list(out, &inner, 1, f->groups[i].n_chunks, 12);
		for (size_t k = 0; k < f->groups[i].n_chunks; k++)
			build_column_chunk(out, &f->groups[i].chunks[k]);
		build_i64(out, &inner, 2, 0);
		build_i64(out, &inner, 3, f->groups[i].n_rows);
		build_stop(out);
	}
	if (f->created_by) {
		build_field(out, &last, 6, 8);
		build_text(out, f->created_by);
	}
	if (f->encrypted) {
		build_field(out, &last, 8, 12);
		build_stop(out);
	}
	build_stop(out);
	uint32_t size = (uint32_t)(out->size - begin);
	const uint8_t bytes[] = {
		(uint8_t)size, (uint8_t)(size >> 8), (uint8_t)(size >> 16), (uint8_t)(size >> 24)};
	jr_buf_add(out, bytes, sizeof(bytes));
	jr_buf_puts(out, "PAR1");
}

/* A file of one column in one row group. `pages` may begin with a dictionary. */
struct build_column {
	struct build_element leaf[3]; /* n_leaf of them, from the top level down */
	size_t n_leaf;
	int codec;
	int64_t n_rows, n_values;
	const struct build_page *pages;
	size_t n_pages;
};

static inline void build_file(struct jr_buf *out, const struct build_column *c)
{
	build_begin(out);
	struct build_chunk chunk = {.type = c->leaf[c->n_leaf - 1].type,
		.codec = c->codec,
		.n_values = c->n_values,
		.data_offset = (int64_t)out->size};
	for (size_t i = 0; i < c->n_pages; i++) {
		if (i == 1 && c->pages[0].type == 2) {
			chunk.dictionary_offset = chunk.data_offset;
			chunk.data_offset = (int64_t)out->size;
		}
		build_page(out, &c->pages[i]);
	}
	chunk.size = (int64_t)out->size - 4;
	struct build_element elements[4] = {{.name = "schema", .type = -1, .n_children = 1}};
	for (size_t i = 0; i < c->n_leaf; i++) {
		elements[i + 1] = c->leaf[i];
		chunk.path[i] = c->leaf[i].name;
	}
	const struct build_group group = {.n_rows = c->n_rows, .chunks = &chunk, .n_chunks = 1};
	const struct build_footer footer = {.elements = elements,
		.n_elements = c->n_leaf + 1,
		.n_rows = c->n_rows,
		.groups = &group,
		.n_groups = 1,
		.created_by = "built by hand"};
	build_end(out, &footer);
}

#endif
