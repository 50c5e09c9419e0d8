#include "parquet_writer.h"

#include <assert.h>
#include <snappy-c.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "base/intern.h"
#include "base/vec.h"
#include "thrift_writer.h"

/* parquet.thrift */
enum { TYPE_INT32 = 1, TYPE_INT64 = 2, TYPE_DOUBLE = 5, TYPE_BYTE_ARRAY = 6 };
enum { ENCODING_PLAIN = 0, ENCODING_RLE = 3, ENCODING_RLE_DICTIONARY = 8 };
enum { REPETITION_REQUIRED = 0, REPETITION_OPTIONAL = 1, REPETITION_REPEATED = 2 };
enum { PAGE_DATA = 0, PAGE_DICTIONARY = 2, PAGE_DATA_V2 = 3 };

/* What the footer says of a written column chunk. */
struct chunk {
	int64_t n_values, raw_bytes, packed_bytes;
	int64_t data_offset, dictionary_offset; /* dictionary_offset -1: none */
	bool has_plain_pages;
};

struct writer {
	struct jr_buf *out;
	size_t file_begin; /* where the file starts in `out` */
	const struct gen_pq_options *options;
};

/* Distinct values of a chunk so far, numbered in order of first sight. */
struct dictionary {
	struct jr_intern
		texts; /* id 0 is "" by contract, so ids are shifted when "" is not the first */
	struct jr_map numbers;
	struct jr_map text_index; /* intern id -> index */
	struct jr_buf plain;	  /* PLAIN-encoded entries */
	uint32_t n;
	bool full;
};

typedef JR_VEC(uint32_t) u32_vec;

static int physical(const struct gen_pq_column *c)
{
	switch (c->type) {
	case GEN_PQ_INT32:
		return TYPE_INT32;
	case GEN_PQ_DOUBLE:
		return TYPE_DOUBLE;
	case GEN_PQ_TEXT:
		return TYPE_BYTE_ARRAY;
	case GEN_PQ_INT64:
	case GEN_PQ_INT64_LIST:
		break;
	}
	return TYPE_INT64;
}

static void put_le(struct jr_buf *out, uint64_t v, unsigned n_bytes)
{
	for (unsigned i = 0; i < n_bytes; i++)
		jr_buf_putc(out, (char)(v >> (8 * i)));
}

static uint64_t number_bits(const struct gen_pq_column *c, size_t i)
{
	if (c->type != GEN_PQ_DOUBLE)
		return (uint64_t)c->i64[i];
	uint64_t bits;
	memcpy(&bits, &c->f64[i], sizeof(bits));
	return bits;
}

static void put_plain(struct jr_buf *out, const struct gen_pq_column *c, size_t i)
{
	if (c->type == GEN_PQ_TEXT) {
		put_le(out, c->text[i].size, 4);
		jr_buf_add(out, c->text[i].data, c->text[i].size);
	} else {
		put_le(out, number_bits(c, i), c->type == GEN_PQ_INT32 ? 4 : 8);
	}
}

static unsigned bit_width(uint32_t max)
{
	unsigned width = 0;
	for (; max; max >>= 1)
		width++;
	return width;
}

static size_t run_length(const uint32_t *v, size_t i, size_t n)
{
	size_t end = i + 1;
	while (end < n && v[end] == v[i])
		end++;
	return end - i;
}

static void put_bit_packed(struct jr_buf *out, const uint32_t *v, size_t n, unsigned width)
{
	size_t groups = (n + 7) / 8;
	gen_varint(out, groups << 1 | 1);
	uint64_t acc = 0;
	unsigned have = 0;
	for (size_t i = 0; i < groups * 8; i++) {
		acc |= (uint64_t)(i < n ? v[i] : 0) << have;
		for (have += width; have >= 8; have -= 8, acc >>= 8)
			jr_buf_putc(out, (char)acc);
	}
}

/* The RLE / bit-packing hybrid of Encodings.md: long runs as runs, the rest in groups of eight. */
static void put_hybrid(struct jr_buf *out, const uint32_t *v, size_t n, unsigned width)
{
	for (size_t i = 0; i < n;) {
		size_t run = run_length(v, i, n);
		if (run >= 8) {
			gen_varint(out, (uint64_t)run << 1);
			put_le(out, v[i], (width + 7) / 8);
			i += run;
			continue;
		}
		size_t end = i;
		while (end < n && (end == i || run_length(v, end, n) < 8))
			end = end + 8 < n ? end + 8 : n;
		put_bit_packed(out, v + i, end - i, width);
		i = end;
	}
}

static uint32_t dictionary_index(
	struct dictionary *d, const struct gen_pq_column *c, size_t i, size_t limit)
{
	struct jr_map *map = c->type == GEN_PQ_TEXT ? &d->text_index : &d->numbers;
	uint64_t key = c->type == GEN_PQ_TEXT
					   ? jr_intern_put(&d->texts, (const char *)c->text[i].data, c->text[i].size)
					   : number_bits(c, i);
	uint32_t index = jr_map_get(map, key);
	if (index != JR_NONE)
		return index;
	if (d->plain.size >= limit) {
		d->full = true;
		return JR_NONE;
	}
	put_plain(&d->plain, c, i);
	jr_map_put(map, key, d->n);
	return d->n++;
}

static void pack(struct jr_buf *out, const struct jr_buf *in, enum gen_pq_codec codec)
{
	size_t bound = codec == GEN_PQ_SNAPPY ? snappy_max_compressed_length(in->size)
				   : codec == GEN_PQ_ZSTD ? ZSTD_compressBound(in->size)
										  : compressBound(in->size) + 32;
	jr_buf_reserve(out, bound > in->size ? bound : in->size);
	char *to = out->data + out->size;
	const char *from = in->data ? in->data : "";
	if (codec == GEN_PQ_SNAPPY) {
		snappy_compress(from, in->size, to, &bound);
	} else if (codec == GEN_PQ_ZSTD) {
		bound = ZSTD_compress(to, bound, from, in->size, 3);
		assert(!ZSTD_isError(bound));
	} else if (codec == GEN_PQ_GZIP) {
		z_stream z = {.next_in = (Bytef *)(uintptr_t)from,
			.avail_in = (uInt)in->size,
			.next_out = (Bytef *)to,
			.avail_out = (uInt)bound};
		if (deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
			jr_oom();
		deflate(&z, Z_FINISH);
		bound = z.total_out;
		deflateEnd(&z);
	} else {
		bound = in->size;
		memcpy(to, from, bound);
	}
	out->size += bound;
}

static void page_header(struct writer *w, struct gen_thrift *t, struct jr_buf *header, int type,
	size_t raw_bytes, const struct jr_buf *body)
{
	gen_thrift_begin(t, header);
	gen_thrift_int(t, 1, GEN_THRIFT_I32, type);
	gen_thrift_int(t, 2, GEN_THRIFT_I32, (int64_t)raw_bytes);
	gen_thrift_int(t, 3, GEN_THRIFT_I32, (int64_t)body->size);
	if (!w->options->no_checksum) {
		uLong crc = crc32(0, (const Bytef *)body->data, (uInt)body->size);
		gen_thrift_int(t, 4, GEN_THRIFT_I32, (int32_t)(uint32_t)crc);
	}
}

static void finish_page(struct writer *w, struct gen_thrift *t, struct jr_buf *header,
	const struct jr_buf *body, size_t raw_bytes, struct chunk *chunk)
{
	gen_thrift_end(t);
	jr_buf_add(w->out, header->data, header->size);
	jr_buf_add(w->out, body->data, body->size);
	chunk->raw_bytes += (int64_t)(header->size + raw_bytes);
	chunk->packed_bytes += (int64_t)(header->size + body->size);
	jr_buf_done(header);
}

static void put_dictionary_page(struct writer *w, const struct dictionary *d, struct chunk *chunk)
{
	struct jr_buf body = {0}, header = {0};
	struct gen_thrift t;
	pack(&body, &d->plain, w->options->codec);
	page_header(w, &t, &header, PAGE_DICTIONARY, d->plain.size, &body);
	gen_thrift_struct(&t, 7);
	gen_thrift_int(&t, 1, GEN_THRIFT_I32, d->n);
	gen_thrift_int(&t, 2, GEN_THRIFT_I32, ENCODING_PLAIN);
	gen_thrift_end(&t);
	finish_page(w, &t, &header, &body, d->plain.size, chunk);
	jr_buf_done(&body);
}

/* A data page before it is framed. */
struct page {
	size_t n_rows, n_values, n_nulls;
	bool has_repetition, has_definition, plain;
	struct jr_buf repetition, definition, values;
};

static void put_v1(struct writer *w, const struct page *p, struct chunk *chunk)
{
	struct jr_buf raw = {0}, body = {0}, header = {0};
	struct gen_thrift t;
	if (p->has_repetition) {
		put_le(&raw, p->repetition.size, 4);
		jr_buf_add(&raw, p->repetition.data, p->repetition.size);
	}
	if (p->has_definition) {
		put_le(&raw, p->definition.size, 4);
		jr_buf_add(&raw, p->definition.data, p->definition.size);
	}
	jr_buf_add(&raw, p->values.data, p->values.size);
	pack(&body, &raw, w->options->codec);
	page_header(w, &t, &header, PAGE_DATA, raw.size, &body);
	gen_thrift_struct(&t, 5);
	gen_thrift_int(&t, 1, GEN_THRIFT_I32, (int64_t)p->n_values);
	gen_thrift_int(&t, 2, GEN_THRIFT_I32, p->plain ? ENCODING_PLAIN : ENCODING_RLE_DICTIONARY);
	gen_thrift_int(&t, 3, GEN_THRIFT_I32, ENCODING_RLE);
	gen_thrift_int(&t, 4, GEN_THRIFT_I32, ENCODING_RLE);
	gen_thrift_end(&t);
	finish_page(w, &t, &header, &body, raw.size, chunk);
	jr_buf_done(&raw);
	jr_buf_done(&body);
}

static void put_v2(struct writer *w, const struct page *p, struct chunk *chunk)
{
	struct jr_buf body = {0}, header = {0};
	struct gen_thrift t;
	jr_buf_add(&body, p->repetition.data, p->repetition.size);
	jr_buf_add(&body, p->definition.data, p->definition.size);
	pack(&body, &p->values, w->options->codec);
	size_t raw_bytes = p->repetition.size + p->definition.size + p->values.size;
	page_header(w, &t, &header, PAGE_DATA_V2, raw_bytes, &body);
	gen_thrift_struct(&t, 8);
	gen_thrift_int(&t, 1, GEN_THRIFT_I32, (int64_t)p->n_values);
	gen_thrift_int(&t, 2, GEN_THRIFT_I32, (int64_t)p->n_nulls);
	gen_thrift_int(&t, 3, GEN_THRIFT_I32, (int64_t)p->n_rows);
	gen_thrift_int(&t, 4, GEN_THRIFT_I32, p->plain ? ENCODING_PLAIN : ENCODING_RLE_DICTIONARY);
	gen_thrift_int(&t, 5, GEN_THRIFT_I32, (int64_t)p->definition.size);
	gen_thrift_int(&t, 6, GEN_THRIFT_I32, (int64_t)p->repetition.size);
	gen_thrift_bool(&t, 7, w->options->codec != GEN_PQ_PLAIN);
	gen_thrift_end(&t);
	finish_page(w, &t, &header, &body, raw_bytes, chunk);
	jr_buf_done(&body);
}

/* Levels and the positions of the values that are there, of rows [first, first + n). */
static void page_levels(
	struct page *p, const struct gen_pq_column *c, size_t first, size_t n, u32_vec *present)
{
	u32_vec def = {0}, rep = {0};
	bool list = c->type == GEN_PQ_INT64_LIST;
	for (size_t i = first; i < first + n; i++) {
		bool valid = !c->valid || c->valid[i];
		size_t begin = list && valid ? c->list_begin[i] : i;
		size_t end = list && valid ? c->list_begin[i + 1] : i + valid;
		if (begin == end) { /* null, or (list) there but empty */
			*jr_vec_add(&def) = valid ? 1 : 0;
			*jr_vec_add(&rep) = 0;
			p->n_nulls++;
		}
		for (size_t j = begin; j < end; j++) {
			*jr_vec_add(&def) = list ? 3 : 1;
			*jr_vec_add(&rep) = j > begin;
			*jr_vec_add(present) = (uint32_t)j;
		}
	}
	p->n_rows = n;
	p->n_values = def.n;
	p->has_definition = true;
	put_hybrid(&p->definition, def.items, def.n, list ? 2 : 1);
	if (list) {
		p->has_repetition = true;
		put_hybrid(&p->repetition, rep.items, rep.n, 1);
	}
	jr_vec_done(&def);
	jr_vec_done(&rep);
}

static void page_values(struct page *p, const struct gen_pq_column *c, const u32_vec *present,
	struct dictionary *d, size_t dictionary_limit)
{
	u32_vec indexes = {0};
	uint32_t n_before = d->n;
	for (size_t i = 0; i < present->n && !d->full; i++)
		*jr_vec_add(&indexes) = dictionary_index(d, c, present->items[i], dictionary_limit);
	p->plain = d->full;
	if (p->plain) {
		for (size_t i = 0; i < present->n; i++)
			put_plain(&p->values, c, present->items[i]);
	} else {
		unsigned width = bit_width(d->n ? d->n - 1 : 0);
		jr_buf_putc(&p->values, (char)width);
		put_hybrid(&p->values, indexes.items, indexes.n, width);
	}
	assert(d->n >= n_before);
	jr_vec_done(&indexes);
}

static struct chunk put_chunk(
	struct writer *w, const struct gen_pq_column *c, size_t first, size_t n)
{
	struct chunk chunk = {.dictionary_offset = -1};
	struct dictionary d = {.full = c->no_dictionary};
	size_t limit = w->options->dictionary_bytes ? w->options->dictionary_bytes : 1 << 20;
	size_t page_rows = w->options->rows_per_page ? w->options->rows_per_page : n;
	JR_VEC(struct page) pages = {0};
	jr_intern_init(&d.texts);
	for (size_t i = 0; i < n || (i == 0 && n == 0); i += page_rows) {
		struct page *p = jr_vec_add(&pages);
		u32_vec present = {0};
		*p = (struct page){0};
		page_levels(p, c, first + i, n - i < page_rows ? n - i : page_rows, &present);
		page_values(p, c, &present, &d, limit);
		jr_vec_done(&present);
		if (n == 0)
			break;
	}
	if (d.n || (pages.n && !pages.items[0].plain)) {
		chunk.dictionary_offset = (int64_t)(w->out->size - w->file_begin);
		put_dictionary_page(w, &d, &chunk);
	}
	chunk.data_offset = (int64_t)(w->out->size - w->file_begin);
	for (size_t i = 0; i < pages.n; i++) {
		struct page *p = &pages.items[i];
		(w->options->page_version == 2 ? put_v2 : put_v1)(w, p, &chunk);
		chunk.n_values += (int64_t)p->n_values;
		chunk.has_plain_pages |= p->plain;
		jr_buf_done(&p->repetition);
		jr_buf_done(&p->definition);
		jr_buf_done(&p->values);
	}
	jr_vec_done(&pages);
	jr_intern_done(&d.texts);
	jr_map_done(&d.numbers);
	jr_map_done(&d.text_index);
	jr_buf_done(&d.plain);
	return chunk;
}

static void put_group_element(
	struct gen_thrift *t, const char *name, int repetition, size_t n_children, bool list)
{
	gen_thrift_item_struct(t);
	gen_thrift_int(t, 3, GEN_THRIFT_I32, repetition);
	gen_thrift_text(t, 4, name);
	gen_thrift_int(t, 5, GEN_THRIFT_I32, (int64_t)n_children);
	if (list) {
		gen_thrift_int(t, 6, GEN_THRIFT_I32, 3); /* ConvertedType LIST */
		gen_thrift_struct(t, 10);				 /* LogicalType */
		gen_thrift_struct(t, 3);				 /* LIST */
		gen_thrift_end(t);
		gen_thrift_end(t);
	}
	gen_thrift_end(t);
}

static void put_leaf_element(struct gen_thrift *t, const struct gen_pq_column *c, const char *name)
{
	gen_thrift_item_struct(t);
	gen_thrift_int(t, 1, GEN_THRIFT_I32, physical(c));
	gen_thrift_int(t, 3, GEN_THRIFT_I32, REPETITION_OPTIONAL);
	gen_thrift_text(t, 4, name);
	if (c->type == GEN_PQ_TEXT) {
		gen_thrift_int(t, 6, GEN_THRIFT_I32, 0); /* ConvertedType UTF8 */
		gen_thrift_struct(t, 10);
		gen_thrift_struct(t, 1); /* LogicalType STRING */
		gen_thrift_end(t);
		gen_thrift_end(t);
	}
	gen_thrift_end(t);
}

static void put_schema(struct gen_thrift *t, const struct gen_pq_column *columns, size_t n_columns)
{
	size_t n = 1 + n_columns;
	for (size_t i = 0; i < n_columns; i++)
		n += columns[i].type == GEN_PQ_INT64_LIST ? 2 : 0;
	gen_thrift_list(t, 2, GEN_THRIFT_STRUCT, n);
	put_group_element(t, "schema", REPETITION_REQUIRED, n_columns, false);
	for (size_t i = 0; i < n_columns; i++) {
		const struct gen_pq_column *c = &columns[i];
		if (c->type == GEN_PQ_INT64_LIST) {
			put_group_element(t, c->name, REPETITION_OPTIONAL, 1, true);
			put_group_element(t, "list", REPETITION_REPEATED, 1, false);
			put_leaf_element(t, c, "element");
		} else {
			put_leaf_element(t, c, c->name);
		}
	}
}

static void put_column_chunk(struct gen_thrift *t, const struct gen_pq_column *c,
	const struct chunk *chunk, enum gen_pq_codec codec)
{
	bool list = c->type == GEN_PQ_INT64_LIST, dictionary = chunk->dictionary_offset >= 0;
	gen_thrift_item_struct(t);
	gen_thrift_int(
		t, 2, GEN_THRIFT_I64, dictionary ? chunk->dictionary_offset : chunk->data_offset);
	gen_thrift_struct(t, 3);
	gen_thrift_int(t, 1, GEN_THRIFT_I32, physical(c));
	gen_thrift_list(t, 2, GEN_THRIFT_I32, dictionary ? 3 : 2);
	gen_thrift_item_int(t, ENCODING_PLAIN);
	gen_thrift_item_int(t, ENCODING_RLE);
	if (dictionary)
		gen_thrift_item_int(t, ENCODING_RLE_DICTIONARY);
	gen_thrift_list(t, 3, GEN_THRIFT_BINARY, list ? 3 : 1);
	gen_thrift_item_text(t, c->name);
	if (list) {
		gen_thrift_item_text(t, "list");
		gen_thrift_item_text(t, "element");
	}
	gen_thrift_int(t, 4, GEN_THRIFT_I32, codec);
	gen_thrift_int(t, 5, GEN_THRIFT_I64, chunk->n_values);
	gen_thrift_int(t, 6, GEN_THRIFT_I64, chunk->raw_bytes);
	gen_thrift_int(t, 7, GEN_THRIFT_I64, chunk->packed_bytes);
	gen_thrift_int(t, 9, GEN_THRIFT_I64, chunk->data_offset);
	if (dictionary)
		gen_thrift_int(t, 11, GEN_THRIFT_I64, chunk->dictionary_offset);
	gen_thrift_end(t);
	gen_thrift_end(t);
}

static void put_row_group(struct gen_thrift *t, const struct gen_pq_column *columns,
	size_t n_columns, const struct chunk *chunks, size_t n_rows, enum gen_pq_codec codec)
{
	int64_t raw = 0, packed = 0;
	for (size_t i = 0; i < n_columns; i++) {
		raw += chunks[i].raw_bytes;
		packed += chunks[i].packed_bytes;
	}
	gen_thrift_item_struct(t);
	gen_thrift_list(t, 1, GEN_THRIFT_STRUCT, n_columns);
	for (size_t i = 0; i < n_columns; i++)
		put_column_chunk(t, &columns[i], &chunks[i], codec);
	gen_thrift_int(t, 2, GEN_THRIFT_I64, raw);
	gen_thrift_int(t, 3, GEN_THRIFT_I64, (int64_t)n_rows);
	gen_thrift_int(t, 6, GEN_THRIFT_I64, packed);
	gen_thrift_end(t);
}

void gen_parquet_write(struct jr_buf *out, const struct gen_pq_column *columns, size_t n_columns,
	size_t n_rows, const struct gen_pq_options *options)
{
	struct writer w = {.out = out, .file_begin = out->size, .options = options};
	size_t group_rows = options->rows_per_group ? options->rows_per_group : n_rows;
	size_t n_groups = n_rows ? (n_rows + group_rows - 1) / group_rows : 0;
	JR_VEC(struct chunk) chunks = {0};
	jr_buf_puts(out, "PAR1");
	for (size_t g = 0; g < n_groups; g++) {
		size_t first = g * group_rows,
			   n = n_rows - first < group_rows ? n_rows - first : group_rows;
		for (size_t i = 0; i < n_columns; i++)
			*jr_vec_add(&chunks) = put_chunk(&w, &columns[i], first, n);
	}
	struct gen_thrift t;
	size_t footer = out->size;
	gen_thrift_begin(&t, out);
	gen_thrift_int(&t, 1, GEN_THRIFT_I32, 2);
	put_schema(&t, columns, n_columns);
	gen_thrift_int(&t, 3, GEN_THRIFT_I64, (int64_t)n_rows);
	gen_thrift_list(&t, 4, GEN_THRIFT_STRUCT, n_groups);
	for (size_t g = 0; g < n_groups; g++) {
		size_t first = g * group_rows,
			   n = n_rows - first < group_rows ? n_rows - first : group_rows;
		put_row_group(&t, columns, n_columns, chunks.items + g * n_columns, n, options->codec);
	}
	gen_thrift_text(&t, 6, "jr-generate version 1.0.0");
	gen_thrift_end(&t);
	put_le(out, out->size - footer, 4);
	jr_buf_puts(out, "PAR1");
	jr_vec_done(&chunks);
}
