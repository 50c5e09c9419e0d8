#include "formats/parquet/parquet_writer.h"

#include <inttypes.h>
#include <snappy-c.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "base/intern.h"
#include "base/task.h"
#include "formats/parquet/parquet_pages.h"
#include "formats/parquet/thrift.h"

#define MOST_GROUP_ROWS ((size_t)1 << 20)
#define PAGE_BYTES ((uint64_t)1 << 20)

/* Distinct values of a chunk so far, numbered in order of first occurrence. */
struct dictionary {
	struct jr_intern texts; /* its ids are not indexes: id 0 is always "" */
	struct jr_map numbers;
	struct jr_map text_index; /* intern id -> index */
	struct jr_buf plain;      /* PLAIN-encoded entries */
	uint32_t n;
	uint64_t last_key; /* most values equal the one in the row before */
	uint32_t last_index;
	bool full;
};

typedef JR_VEC(uint32_t) u32_vec;

static void put_le(struct jr_buf *out, uint64_t v, unsigned n_bytes)
{
	for (unsigned i = 0; i < n_bytes; i++)
		jr_buf_putc(out, (char)(v >> (8 * i)));
}

static uint64_t number_bits(const struct jr_pq_put_column *c, size_t i)
{
	if (c->type != JR_PQ_PUT_DOUBLE)
		return (uint64_t)c->i64[i];
	uint64_t bits;
	memcpy(&bits, &c->f64[i], sizeof(bits));
	return bits;
}

static void put_plain(struct jr_buf *out, const struct jr_pq_put_column *c, size_t i)
{
	if (c->type == JR_PQ_PUT_TEXT) {
		put_le(out, c->text[i].size, 4);
		jr_buf_add(out, c->text[i].data, c->text[i].size);
	} else {
		put_le(out, number_bits(c, i), c->type == JR_PQ_PUT_INT32 ? 4 : 8);
	}
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
	jr_buf_varint(out, groups << 1 | 1);
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
			jr_buf_varint(out, (uint64_t)run << 1);
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
	struct dictionary *d, const struct jr_pq_put_column *c, size_t i, size_t limit)
{
	struct jr_map *map = c->type == JR_PQ_PUT_TEXT ? &d->text_index : &d->numbers;
	uint64_t key = c->type == JR_PQ_PUT_TEXT
					   ? jr_intern_put(&d->texts, (const char *)c->text[i].data, c->text[i].size)
					   : number_bits(c, i);
	if (d->n && key == d->last_key)
		return d->last_index;
	uint32_t index = jr_map_get(map, key);
	d->last_key = key;
	d->last_index = index == JR_NONE ? d->n : index;
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

/* Keep the first failure; `out` is then unusable. */
static void failed(struct jr_parquet_out *w, const char *codec, const char *why)
{
	if (w->status == JR_OK)
		w->status = jr_fail(&w->err, JR_EIO, "%s cannot compress a page: %s", codec, why);
}

/* Return whether a 32-bit header field of a page can state `n`; otherwise the file fails. */
static bool fits(struct jr_parquet_out *w, const char *what, uint64_t n)
{
	uint64_t most = w->options->most_page_bytes ? w->options->most_page_bytes : INT32_MAX;
	if (n > most && w->status == JR_OK)
		w->status = jr_fail(&w->err, JR_ELIMIT,
			"a page of %" PRIu64 " %s does not fit in a Parquet file, which takes %" PRIu64, n,
			what, most);
	return n <= most;
}

static size_t gzip(struct jr_parquet_out *w, const struct jr_buf *in, char *to, size_t room)
{
	z_stream z = {.next_in = (Bytef *)(uintptr_t)(in->data ? in->data : ""),
		.avail_in = (uInt)in->size, /* fits() checked it and its largest compressed size */
		.next_out = (Bytef *)to,
		.avail_out = (uInt)room};
	if (deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		jr_oom();
	if (deflate(&z, Z_FINISH) != Z_STREAM_END)
		failed(w, "zlib", z.msg ? z.msg : "its result does not fit");
	(void)deflateEnd(&z); /* reports only whether the stream had ended */
	return z.total_out;
}

static void pack(struct jr_parquet_out *w, struct jr_buf *out, const struct jr_buf *in)
{
	enum jr_pq_codec codec = w->options->codec;
	if (!fits(w, "bytes", in->size))
		return;
	size_t bound = codec == JR_PQ_SNAPPY ? snappy_max_compressed_length(in->size)
				   : codec == JR_PQ_ZSTD ? ZSTD_compressBound(in->size)
										 : compressBound(in->size) + 32;
	jr_buf_reserve(out, bound > in->size ? bound : in->size);
	char *to = out->data + out->size;
	const char *from = in->data ? in->data : "";
	if (codec == JR_PQ_SNAPPY) {
		if (snappy_compress(from, in->size, to, &bound) != SNAPPY_OK)
			failed(w, "snappy", "its result does not fit");
	} else if (codec == JR_PQ_ZSTD) {
		bound = ZSTD_compress(to, bound, from, in->size, 3);
		if (ZSTD_isError(bound))
			failed(w, "Zstandard", ZSTD_getErrorName(bound));
	} else if (codec == JR_PQ_GZIP) {
		bound = gzip(w, in, to, bound);
	} else {
		bound = in->size;
		memcpy(to, from, bound);
	}
	if (w->status == JR_OK)
		out->size += bound;
}

/* All sizes of a page are part of `raw_bytes`. */
static void page_header(struct jr_parquet_out *w, struct jr_thrift_out *t, struct jr_buf *header,
	int type, size_t raw_bytes, const struct jr_buf *body)
{
	jr_thrift_out_begin(t, header);
	jr_thrift_put_int(t, 1, JR_THRIFT_I32, type);
	if (!fits(w, "bytes", raw_bytes) || !fits(w, "bytes", body->size))
		return;
	jr_thrift_put_int(t, 2, JR_THRIFT_I32, (int64_t)raw_bytes);
	jr_thrift_put_int(t, 3, JR_THRIFT_I32, (int64_t)body->size);
	if (!w->options->no_checksum) {
		uLong crc = crc32(0, (const Bytef *)body->data, (uInt)body->size);
		jr_thrift_put_int(t, 4, JR_THRIFT_I32, (int32_t)(uint32_t)crc);
	}
}

static void finish_page(struct jr_parquet_out *w, struct jr_thrift_out *t, struct jr_buf *header,
	const struct jr_buf *body, size_t raw_bytes, struct jr_pq_put_chunk *chunk)
{
	jr_thrift_out_end(t);
	jr_buf_add(w->out, header->data, header->size);
	jr_buf_add(w->out, body->data, body->size);
	chunk->raw_bytes += (int64_t)(header->size + raw_bytes);
	chunk->packed_bytes += (int64_t)(header->size + body->size);
	jr_buf_done(header);
}

static void put_dictionary_page(
	struct jr_parquet_out *w, const struct dictionary *d, struct jr_pq_put_chunk *chunk)
{
	struct jr_buf body = {0}, header = {0};
	struct jr_thrift_out t;
	pack(w, &body, &d->plain);
	page_header(w, &t, &header, JR_PQ_DICTIONARY_PAGE, d->plain.size, &body);
	jr_thrift_put_struct(&t, 7);
	jr_thrift_put_int(&t, 1, JR_THRIFT_I32, d->n);
	jr_thrift_put_int(&t, 2, JR_THRIFT_I32, JR_PQ_PLAIN);
	jr_thrift_out_end(&t);
	finish_page(w, &t, &header, &body, d->plain.size, chunk);
	jr_buf_done(&body);
}

/* A data page before it is framed. */
struct page {
	size_t n_rows, n_values, n_nulls;
	bool has_repetition, has_definition, plain;
	struct jr_buf repetition, definition, values;
};

static void put_v1(struct jr_parquet_out *w, const struct page *p, struct jr_pq_put_chunk *chunk)
{
	struct jr_buf raw = {0}, body = {0}, header = {0};
	struct jr_thrift_out t;
	if (p->has_repetition) {
		put_le(&raw, p->repetition.size, 4);
		jr_buf_add(&raw, p->repetition.data, p->repetition.size);
	}
	if (p->has_definition) {
		put_le(&raw, p->definition.size, 4);
		jr_buf_add(&raw, p->definition.data, p->definition.size);
	}
	jr_buf_add(&raw, p->values.data, p->values.size);
	pack(w, &body, &raw);
	page_header(w, &t, &header, JR_PQ_DATA_PAGE, raw.size, &body);
	jr_thrift_put_struct(&t, 5);
	jr_thrift_put_int(&t, 1, JR_THRIFT_I32, (int64_t)p->n_values);
	jr_thrift_put_int(&t, 2, JR_THRIFT_I32, p->plain ? JR_PQ_PLAIN : JR_PQ_RLE_DICTIONARY);
	jr_thrift_put_int(&t, 3, JR_THRIFT_I32, JR_PQ_RLE);
	jr_thrift_put_int(&t, 4, JR_THRIFT_I32, JR_PQ_RLE);
	jr_thrift_out_end(&t);
	finish_page(w, &t, &header, &body, raw.size, chunk);
	jr_buf_done(&raw);
	jr_buf_done(&body);
}

static void put_v2(struct jr_parquet_out *w, const struct page *p, struct jr_pq_put_chunk *chunk)
{
	struct jr_buf body = {0}, header = {0};
	struct jr_thrift_out t;
	jr_buf_add(&body, p->repetition.data, p->repetition.size);
	jr_buf_add(&body, p->definition.data, p->definition.size);
	pack(w, &body, &p->values);
	size_t raw_bytes = p->repetition.size + p->definition.size + p->values.size;
	page_header(w, &t, &header, JR_PQ_DATA_PAGE_V2, raw_bytes, &body);
	jr_thrift_put_struct(&t, 8);
	jr_thrift_put_int(&t, 1, JR_THRIFT_I32, (int64_t)p->n_values);
	jr_thrift_put_int(&t, 2, JR_THRIFT_I32, (int64_t)p->n_nulls);
	jr_thrift_put_int(&t, 3, JR_THRIFT_I32, (int64_t)p->n_rows);
	jr_thrift_put_int(&t, 4, JR_THRIFT_I32, p->plain ? JR_PQ_PLAIN : JR_PQ_RLE_DICTIONARY);
	jr_thrift_put_int(&t, 5, JR_THRIFT_I32, (int64_t)p->definition.size);
	jr_thrift_put_int(&t, 6, JR_THRIFT_I32, (int64_t)p->repetition.size);
	jr_thrift_put_bool(&t, 7, w->options->codec != JR_PQ_UNCOMPRESSED);
	jr_thrift_out_end(&t);
	finish_page(w, &t, &header, &body, raw_bytes, chunk);
	jr_buf_done(&body);
}

/* Set the levels of rows [first, first + n) and the positions of their non-null values. */
static void page_levels(
	struct page *p, const struct jr_pq_put_column *c, size_t first, size_t n, u32_vec *present)
{
	u32_vec def = {0}, rep = {0};
	bool list = c->type == JR_PQ_PUT_INT64_LIST;
	for (size_t i = first; i < first + n; i++) {
		bool valid = !c->valid || c->valid[i];
		size_t begin = list && valid ? c->list_begin[i] : i;
		size_t end = list && valid ? c->list_begin[i + 1] : i + valid;
		if (begin == end) { /* null, or an empty list */
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

/* Return the most that a row adds to a page: its values PLAIN or as indexes, and a byte for
 * levels. */
static uint64_t row_bytes(const struct jr_pq_put_column *c, size_t i, bool plain)
{
	uint64_t n = 1;
	if (c->valid && !c->valid[i])
		return 1;
	if (c->type == JR_PQ_PUT_INT64_LIST)
		n = c->list_begin[i + 1] - c->list_begin[i];
	if (!plain)
		return 1 + 5 * n;
	return c->type == JR_PQ_PUT_TEXT ? 5 + c->text[i].size : 1 + 9 * n;
}

/* Count the rows of one page from `first` on; the page ends with the row that fills it. */
static size_t rows_of_page(const struct jr_parquet_out *w, const struct jr_pq_put_column *c,
	size_t first, size_t n, bool plain)
{
	const struct jr_pq_put_options *options = w->options;
	uint64_t most = options->page_bytes ? options->page_bytes : PAGE_BYTES, bytes = 0;
	size_t most_rows = options->rows_per_page ? options->rows_per_page : n, rows = 0;
	while (rows < n && rows < most_rows && bytes < most)
		bytes += row_bytes(c, first + rows++, plain);
	return rows;
}

/* Report a number that is too large for its column instead of cutting it. */
static void check_numbers(
	struct jr_parquet_out *w, const struct jr_pq_put_column *c, size_t first, size_t n)
{
	for (size_t i = first; c->type == JR_PQ_PUT_INT32 && i < first + n; i++)
		if (w->status == JR_OK && (!c->valid || c->valid[i]) && c->i64[i] != (int32_t)c->i64[i])
			w->status = jr_fail(&w->err, JR_ELIMIT,
				"%" PRId64 " does not fit in the 32 bits of column '%s'", c->i64[i], c->name);
}

/* Fill the next page of rows [first, first + n). A page in which the dictionary becomes full is
 * PLAIN. */
static void fill_page(struct jr_parquet_out *w, struct page *p, const struct jr_pq_put_column *c,
	size_t first, size_t n, struct dictionary *d)
{
	size_t limit = w->options->dictionary_bytes ? w->options->dictionary_bytes : 1 << 20;
	u32_vec present = {0}, indexes = {0};
	page_levels(p, c, first, rows_of_page(w, c, first, n, d->full), &present);
	if (!d->full) {
		for (size_t i = 0; i < present.n && !d->full; i++)
			*jr_vec_add(&indexes) = dictionary_index(d, c, present.items[i], limit);
		if (d->full) {
			jr_buf_done(&p->repetition);
			jr_buf_done(&p->definition);
			*p = (struct page){0};
			present.n = 0;
			page_levels(p, c, first, rows_of_page(w, c, first, n, true), &present);
		}
	}
	p->plain = d->full;
	if (p->plain) {
		for (size_t i = 0; i < present.n; i++)
			put_plain(&p->values, c, present.items[i]);
	} else {
		unsigned width = jr_pq_bit_width(d->n ? d->n - 1 : 0);
		jr_buf_putc(&p->values, (char)width);
		put_hybrid(&p->values, indexes.items, indexes.n, width);
	}
	(void)fits(w, "values", p->n_values);
	jr_vec_done(&present);
	jr_vec_done(&indexes);
}

static struct jr_pq_put_chunk put_chunk(
	struct jr_parquet_out *w, const struct jr_pq_put_column *c, size_t first, size_t n)
{
	struct jr_pq_put_chunk chunk = {.dictionary_offset = -1};
	struct dictionary d = {.full = c->no_dictionary};
	JR_VEC(struct page) pages = {0};
	check_numbers(w, c, first, n);
	jr_intern_init(&d.texts);
	for (size_t i = 0; i < n; i += pages.items[pages.n - 1].n_rows) {
		struct page *p = jr_vec_add(&pages);
		*p = (struct page){0};
		fill_page(w, p, c, first + i, n - i, &d);
	}
	if (d.n || (pages.n && !pages.items[0].plain)) {
		chunk.dictionary_offset = (int64_t)(w->out->size - w->begin);
		put_dictionary_page(w, &d, &chunk);
	}
	chunk.data_offset = (int64_t)(w->out->size - w->begin);
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

void jr_parquet_out_begin(
	struct jr_parquet_out *w, struct jr_buf *out, const struct jr_pq_put_options *options)
{
	*w = (struct jr_parquet_out){.out = out, .begin = out->size, .options = options};
	jr_buf_puts(out, "PAR1");
}

/* The columns of a row group, packed separately: offsets count from each column's start. */
struct group {
	const struct jr_pq_put_column *columns;
	size_t first, n;
	const struct jr_pq_put_options *options;
	struct packed_column {
		struct jr_buf bytes;
		struct jr_pq_put_chunk chunk;
		enum jr_status status;
		struct jr_error err;
	} * packed;
};

static void pack_column(void *context, size_t i)
{
	const struct group *g = context;
	struct jr_parquet_out own = {.out = &g->packed[i].bytes, .options = g->options};
	g->packed[i].chunk = put_chunk(&own, &g->columns[i], g->first, g->n);
	g->packed[i].status = own.status;
	g->packed[i].err = own.err;
}

static void add_column(struct jr_parquet_out *w, struct packed_column *column)
{
	struct jr_pq_put_chunk *chunk = jr_vec_add(&w->chunks);
	int64_t at = (int64_t)(w->taken_bytes + (w->out->size - w->begin));
	*chunk = column->chunk;
	chunk->data_offset += at;
	if (chunk->dictionary_offset >= 0)
		chunk->dictionary_offset += at;
	jr_buf_add(w->out, column->bytes.data, column->bytes.size);
	jr_buf_done(&column->bytes);
	if (w->status == JR_OK && column->status != JR_OK) {
		w->status = column->status;
		w->err = column->err;
	}
}

static void forget_taken(struct jr_parquet_out *w)
{
	if (w->is_taken)
		w->out->size = w->begin;
	w->is_taken = false;
}

struct jr_bytes jr_parquet_out_take(struct jr_parquet_out *w)
{
	forget_taken(w);
	size_t n = w->out->size - w->begin;
	w->taken_bytes += n;
	w->is_taken = true;
	return jr_bytes_of(w->out->data + w->begin, n);
}

static enum jr_status told(const struct jr_parquet_out *w, struct jr_error *err)
{
	if (w->status != JR_OK && err)
		*err = w->err;
	return w->status;
}

/* Check the number of values in a piece, which must fit 32 bits. */
static enum jr_status check_rows(
	const struct jr_pq_put_column *columns, size_t n_columns, size_t n_rows, struct jr_error *err)
{
	uint64_t most = n_rows;
	for (size_t i = 0; i < n_columns; i++)
		if (columns[i].type == JR_PQ_PUT_INT64_LIST && columns[i].list_begin[n_rows] > most)
			most = columns[i].list_begin[n_rows];
	if (most > INT32_MAX)
		return jr_fail(err, JR_ELIMIT, "a piece of %" PRIu64 " values is too large", most);
	return JR_OK;
}

enum jr_status jr_parquet_out_rows(struct jr_parquet_out *w, const struct jr_pq_put_column *columns,
	size_t n_columns, size_t n_rows, struct jr_error *err)
{
	const struct jr_pq_put_options *options = w->options;
	size_t most = options->rows_per_group ? options->rows_per_group : MOST_GROUP_ROWS;
	struct jr_arena arena;
	if (w->status == JR_OK)
		w->status = check_rows(columns, n_columns, n_rows, &w->err);
	JR_TRY(told(w, err));
	jr_arena_init(&arena, 0);
	struct group g = {.columns = columns, .options = options};
	g.packed = JR_ARENA_N(&arena, struct packed_column, n_columns);
	forget_taken(w);
	for (size_t first = 0; first < n_rows && w->status == JR_OK; first += most) {
		g.first = first;
		g.n = n_rows - first < most ? n_rows - first : most;
		*jr_vec_add(&w->group_rows) = g.n;
		jr_task_run(options->n_threads ? options->n_threads : 1, n_columns, pack_column, &g);
		for (size_t i = 0; i < n_columns; i++)
			add_column(w, &g.packed[i]);
	}
	w->n_rows += n_rows;
	jr_arena_done(&arena);
	return told(w, err);
}

void jr_parquet_out_drop(struct jr_parquet_out *w)
{
	jr_vec_done(&w->chunks);
	jr_vec_done(&w->group_rows);
}

enum jr_status jr_parquet_out_end(struct jr_parquet_out *w, const struct jr_pq_put_column *columns,
	size_t n_columns, struct jr_error *err)
{
	forget_taken(w);
	if (w->status != JR_OK) {
		jr_parquet_out_drop(w);
		return told(w, err);
	}
	size_t footer = w->out->size;
	jr_pq_put_footer(w, columns, n_columns);
	size_t size = w->out->size - footer;
	if (size > INT32_MAX)
		w->status = jr_fail(
			&w->err, JR_ELIMIT, "a footer of %zu bytes does not fit in a Parquet file", size);
	put_le(w->out, size, 4);
	jr_buf_puts(w->out, "PAR1");
	jr_parquet_out_drop(w);
	return told(w, err);
}

enum jr_status jr_parquet_write(struct jr_buf *out, const struct jr_pq_put_column *columns,
	size_t n_columns, size_t n_rows, const struct jr_pq_put_options *options, struct jr_error *err)
{
	struct jr_parquet_out w;
	jr_parquet_out_begin(&w, out, options);
	(void)jr_parquet_out_rows(&w, columns, n_columns, n_rows, NULL); /* out_end() returns it */
	return jr_parquet_out_end(&w, columns, n_columns, err);
}
