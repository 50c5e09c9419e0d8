#include "formats/parquet/parquet_parts.h"

#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/intern.h"
#include "base/vec.h"
#include "formats/parquet/parquet_encodings.h"
#include "formats/parquet/parquet_pages.h"

/* The pages of a column in one row group, in `pages` from `first`. */
struct chunk {
	const struct jr_pq_chunk *meta;
	uint64_t n_rows;
	size_t first_page, n_pages;
};

/* State while one column is read. Headers of all pages are read first: their counts are checked
 * against the footer before anything is allocated or decompressed. */
struct reading {
	const struct jr_parquet *pq;
	const struct jr_parquet_column *column;
	const struct jr_pq_leaf *leaf;
	const struct jr_limits *limits;
	struct jr_arena *arena;
	struct jr_error *err;
	struct jr_parquet_groups groups;
	uint64_t n_rows; /* of these groups */
	JR_VEC(struct chunk) chunks;
	JR_VEC(struct jr_pq_page) pages;
	uint64_t n_entries; /* values of all pages, nulls and empty lists included */
	uint64_t n_strings; /* upper bound for the strings' dictionary */
	uint32_t width;     /* bytes per value in `data` */
	uint8_t *data;      /* [n_entries * width]; strings: uint32_t indexes */
	uint64_t n_done;    /* values in `data` */
	uint8_t *valid;     /* [n_entries], NULL: no null so far */
	struct jr_bytes *strings;
	uint32_t n_strings_done;
	uint64_t *list_begin;                       /* [n_rows + 1], LIST only */
	uint8_t *list_valid;                        /* [n_rows], NULL: no null list so far */
	uint64_t n_rows_done, rows_begin, rows_end; /* of the current chunk, LIST only */
	/* Dictionary of the current chunk. */
	uint32_t n_dictionary, dictionary_base; /* strings: index of its first entry */
	const uint8_t *dictionary;              /* numbers: in dictionary_page or the file */
	struct jr_buf page, dictionary_page, defs, reps, indexes, lengths;
};

static void reading_done(struct reading *r)
{
	jr_vec_done(&r->chunks);
	jr_vec_done(&r->pages);
	jr_buf_done(&r->page);
	jr_buf_done(&r->dictionary_page);
	jr_buf_done(&r->defs);
	jr_buf_done(&r->reps);
	jr_buf_done(&r->indexes);
	jr_buf_done(&r->lengths);
}

/* Return NULL with r->err set if there is not enough memory. */
static void *reserve(const struct reading *r, struct jr_buf *buf, uint64_t n)
{
	buf->size = 0;
	return jr_buf_room(buf, n, r->err) == JR_OK ? buf->data : NULL;
}

static bool is_string(const struct reading *r)
{
	return r->column->type == JR_PQ_BYTE_ARRAY || r->column->type == JR_PQ_FIXED_LEN_BYTE_ARRAY;
}

static bool is_data(const struct jr_pq_page *page)
{
	return page->type == JR_PQ_DATA_PAGE || page->type == JR_PQ_DATA_PAGE_V2;
}

static bool uses_dictionary(const struct jr_pq_page *page)
{
	return page->encoding == JR_PQ_PLAIN_DICTIONARY || page->encoding == JR_PQ_RLE_DICTIONARY;
}

/* --- plan ---------------------------------------------------------------------------------- */

/* Check that the chunk belongs to the column and can be read. */
static enum jr_status check_chunk(
	const struct reading *r, const struct jr_pq_chunk *chunk, uint64_t n_rows)
{
	uint64_t data_end = r->pq->impl->footer.data_end;
	if (chunk->encrypted)
		return jr_fail(r->err, JR_EUNSUPPORTED, "encrypted column");
	if (chunk->external)
		return jr_fail(r->err, JR_EUNSUPPORTED, "pages in another file");
	if (chunk->type != (int32_t)r->column->type)
		return jr_fail(r->err, JR_EFORMAT,
			"type %" PRId32 " in the schema, %" PRId32 " in the column chunk",
			(int32_t)r->column->type, chunk->type);
	if (chunk->path_hash != r->leaf->path_hash)
		return jr_fail(r->err, JR_EFORMAT, "its column chunk belongs to another column");
	if (!r->column->is_list && chunk->n_values != n_rows)
		return jr_fail(r->err, JR_EFORMAT, "%" PRIu64 " values in a row group of %" PRIu64 " rows",
			chunk->n_values, n_rows);
	if (chunk->n_values && (chunk->begin > data_end || chunk->size_bytes > data_end - chunk->begin))
		return jr_fail(r->err, JR_EFORMAT,
			"column chunk of %" PRIu64 " bytes at offset %" PRIu64
			" reaches beyond the data, which ends at %" PRIu64,
			chunk->size_bytes, chunk->begin, data_end);
	return jr_pq_codec_check(chunk->codec, r->err);
}

/* Count a page's values. A dictionary must be the first page. */
static enum jr_status plan_page(
	struct reading *r, const struct jr_pq_page *page, bool is_first, uint64_t *n_values)
{
	if (page->type == JR_PQ_DICTIONARY_PAGE) {
		if (!is_first)
			return jr_fail(
				r->err, JR_EFORMAT, "second dictionary at offset %" PRIu64, page->offset);
		if (page->encoding != JR_PQ_PLAIN && page->encoding != JR_PQ_PLAIN_DICTIONARY)
			return jr_fail(r->err, JR_EFORMAT,
				"dictionary at offset %" PRIu64 " in encoding %" PRId32, page->offset,
				page->encoding);
		r->n_strings += page->n_values;
	} else if (is_data(page)) {
		*n_values += page->n_values;
		if (!uses_dictionary(page))
			r->n_strings += page->n_values;
	}
	return JR_OK;
}

/* parquet-mr before 1.2.9 left the dictionary page's header out of the chunk's size (PARQUET-816),
 * so the last page may end up to this many bytes after the chunk. */
#define DICTIONARY_HEADER_BYTES 100

static struct jr_reader chunk_reader(const struct reading *r, const struct jr_pq_chunk *meta)
{
	uint64_t size = meta->size_bytes;
	uint64_t room = r->pq->impl->footer.data_end - meta->begin - size;
	if (!strncmp(r->pq->created_by, "parquet-mr", 10))
		size += room < DICTIONARY_HEADER_BYTES ? room : DICTIONARY_HEADER_BYTES;
	return jr_reader_of(jr_bytes_of(r->pq->file.data + meta->begin, (size_t)size));
}

static enum jr_status plan_chunk(struct reading *r, const struct jr_pq_chunk *meta, uint64_t n_rows)
{
	JR_TRY(check_chunk(r, meta, n_rows));
	struct chunk *chunk = jr_vec_add(&r->chunks);
	*chunk = (struct chunk){.meta = meta, .n_rows = n_rows, .first_page = r->pages.n};
	uint64_t n_values = 0;
	struct jr_reader in = {0};
	if (meta->n_values)
		in = chunk_reader(r, meta);
	while (jr_reader_left(&in) && in.pos < meta->size_bytes) {
		struct jr_pq_page page;
		JR_TRY(jr_pq_page_next(&in, meta->begin, r->limits, &page, r->err));
		JR_TRY(plan_page(r, &page, r->pages.n == chunk->first_page, &n_values));
		if (page.type != JR_PQ_INDEX_PAGE)
			*jr_vec_add(&r->pages) = page;
	}
	chunk->n_pages = r->pages.n - chunk->first_page;
	r->n_entries += n_values;
	if (n_values == meta->n_values)
		return JR_OK;
	return jr_fail(r->err, JR_EFORMAT,
		"pages of the column chunk at offset %" PRIu64 " contain %" PRIu64
		" values, the footer states %" PRIu64,
		meta->begin, n_values, meta->n_values);
}

static enum jr_status plan(struct reading *r, size_t column)
{
	const struct jr_pq_footer *footer = &r->pq->impl->footer;
	uint64_t stored_bytes = 0, expanded_bytes = 0;
	for (uint32_t i = r->groups.begin; i < r->groups.end; i++) {
		const struct jr_pq_chunk *chunk = &footer->groups[i].chunks[column];
		JR_TRY(plan_chunk(r, chunk, footer->groups[i].n_rows));
		r->n_rows += footer->groups[i].n_rows;
		stored_bytes += chunk->n_values ? chunk->size_bytes : 0;
		if (stored_bytes > footer->data_end)
			return jr_fail(r->err, JR_EFORMAT, "column chunks overlap");
		if (r->n_entries > r->limits->rows || r->n_strings > r->limits->rows ||
			r->n_strings >= JR_NONE)
			return jr_fail(
				r->err, JR_ELIMIT, "more than %" PRIu64 " values (--max-rows)", r->limits->rows);
	}
	for (size_t i = 0; i < r->pages.n; i++)
		expanded_bytes += r->pages.items[i].size_bytes;
	if (expanded_bytes > r->limits->memory_bytes)
		return jr_fail(r->err, JR_ELIMIT,
			"pages expand to %" PRIu64 " bytes, limit %" PRIu64 " (--max-memory)", expanded_bytes,
			r->limits->memory_bytes);
	return JR_OK;
}

static enum jr_status allocate(struct reading *r)
{
	static const uint8_t widths[] = {[JR_PQ_BOOLEAN] = 1,
		[JR_PQ_INT32] = 4,
		[JR_PQ_INT64] = 8,
		[JR_PQ_INT96] = 0,
		[JR_PQ_FLOAT] = 4,
		[JR_PQ_DOUBLE] = 8,
		[JR_PQ_BYTE_ARRAY] = 4,
		[JR_PQ_FIXED_LEN_BYTE_ARRAY] = 4};
	r->width = widths[r->column->type];
	r->data = jr_arena_array(r->arena, r->n_entries, r->width, r->err);
	if (!r->data)
		return JR_ELIMIT;
	if (is_string(r)) {
		r->strings = jr_arena_array(r->arena, r->n_strings, sizeof(*r->strings), r->err);
		if (!r->strings)
			return JR_ELIMIT;
	}
	if (r->column->is_list) {
		r->list_begin = jr_arena_array(r->arena, r->n_rows + 1, sizeof(*r->list_begin), r->err);
		if (!r->list_begin)
			return JR_ELIMIT;
	}
	return JR_OK;
}

/* --- levels -------------------------------------------------------------------------------- */

/* Create flags at the first null; all earlier values are valid. */
static enum jr_status need_flags(struct reading *r, uint8_t **flags, uint64_t n)
{
	if (*flags)
		return JR_OK;
	*flags = jr_arena_array(r->arena, n, 1, r->err);
	if (!*flags)
		return JR_ELIMIT;
	memset(*flags, 1, (size_t)n);
	return JR_OK;
}

static uint32_t count_ones(const uint8_t *flags, uint32_t n)
{
	uint32_t ones = 0;
	for (uint32_t i = 0; i < n; i++)
		ones += flags[i];
	return ones;
}

/* Read which values of a page are present. The levels of an optional column are the flags. */
static enum jr_status read_flat_levels(struct reading *r, const struct jr_pq_page *page,
	const struct jr_pq_body *body, uint32_t *n_present)
{
	uint32_t n = page->n_values;
	*n_present = n;
	if (!r->column->max_def || !n)
		return JR_OK;
	if (page->def_encoding == JR_PQ_RLE && jr_pq_hybrid_is_constant(body->def, 1, n, 1))
		return JR_OK;
	uint8_t *levels = reserve(r, &r->defs, n);
	if (!levels)
		return JR_ELIMIT;
	JR_TRY(jr_pq_levels(body->def, page->def_encoding, 1, n, levels, r->err));
	*n_present = count_ones(levels, n);
	if (*n_present == n)
		return JR_OK;
	JR_TRY(need_flags(r, &r->valid, r->n_entries));
	memcpy(r->valid + r->n_done, levels, n);
	return JR_OK;
}

static enum jr_status bad_list(const struct reading *r, uint32_t i, const char *what)
{
	return jr_fail(r->err, JR_EFORMAT, "%s at value %" PRIu32 " of the page", what, i);
}

/* Start and fill lists; `present` gets a flag per element (0 or 1). */
static enum jr_status fill_lists(struct reading *r, const uint8_t *reps, const uint8_t *defs,
	uint32_t n, uint8_t *present, uint32_t *n_slots)
{
	const uint8_t list_def = r->leaf->list_def, max_def = r->column->max_def;
	uint32_t slots = 0;
	for (uint32_t i = 0; i < n; i++) {
		bool has_element = defs[i] > list_def;
		if (!reps[i]) {
			if (r->n_rows_done == r->rows_end)
				return bad_list(r, i, "more rows than the row group has");
			r->list_begin[r->n_rows_done++] = r->n_done + slots;
			if (defs[i] < list_def) {
				JR_TRY(need_flags(r, &r->list_valid, r->n_rows));
				r->list_valid[r->n_rows_done - 1] = 0;
			}
		} else if (r->n_rows_done == r->rows_begin) {
			return bad_list(r, i, "repetition level 1 before the first row");
		} else if (!has_element || r->list_begin[r->n_rows_done - 1] == r->n_done + slots) {
			return bad_list(r, i, "further element of a list that is empty");
		}
		if (has_element)
			present[slots++] = defs[i] == max_def;
	}
	*n_slots = slots;
	return JR_OK;
}

static enum jr_status read_list_levels(struct reading *r, const struct jr_pq_page *page,
	const struct jr_pq_body *body, uint32_t *n_slots, uint32_t *n_present)
{
	uint32_t n = page->n_values;
	uint64_t rows_before = r->n_rows_done;
	uint8_t *reps = reserve(r, &r->reps, n);
	uint8_t *defs = reserve(r, &r->defs, n);
	if (!reps || !defs)
		return JR_ELIMIT;
	JR_TRY(jr_pq_levels(body->rep, page->rep_encoding, 1, n, reps, r->err));
	JR_TRY(jr_pq_levels(body->def, page->def_encoding, r->column->max_def, n, defs, r->err));
	/* There are at most as many elements as levels, so the flags can overwrite the levels. */
	JR_TRY(fill_lists(r, reps, defs, n, defs, n_slots));
	if (page->type == JR_PQ_DATA_PAGE_V2 && r->n_rows_done - rows_before != page->n_rows)
		return jr_fail(r->err, JR_EFORMAT, "%" PRIu64 " rows, but the header states %" PRIu32,
			r->n_rows_done - rows_before, page->n_rows);
	*n_present = count_ones(defs, *n_slots);
	if (*n_present < *n_slots)
		JR_TRY(need_flags(r, &r->valid, r->n_entries));
	if (r->valid && *n_slots)
		memcpy(r->valid + r->n_done, defs, *n_slots);
	return JR_OK;
}

/* --- values -------------------------------------------------------------------------------- */

static enum jr_status unread(const struct reading *r, int32_t encoding)
{
	static const char *const types[] = {[JR_PQ_BOOLEAN] = "BOOLEAN",
		[JR_PQ_INT32] = "INT32",
		[JR_PQ_INT64] = "INT64",
		[JR_PQ_INT96] = "INT96",
		[JR_PQ_FLOAT] = "FLOAT",
		[JR_PQ_DOUBLE] = "DOUBLE",
		[JR_PQ_BYTE_ARRAY] = "BYTE_ARRAY",
		[JR_PQ_FIXED_LEN_BYTE_ARRAY] = "FIXED_LEN_BYTE_ARRAY"};
	return jr_fail(r->err, JR_EUNSUPPORTED, "%s values in encoding %" PRId32 " are not supported",
		types[r->column->type], encoding);
}

static enum jr_status decode_booleans(
	struct reading *r, int32_t encoding, struct jr_bytes in, uint32_t n)
{
	uint8_t *out = r->data + r->n_done;
	if (encoding == JR_PQ_PLAIN)
		return jr_pq_plain_bool(in, n, out, r->err);
	if (encoding == JR_PQ_RLE)
		return jr_pq_rle_bool(in, n, out, r->err);
	return unread(r, encoding);
}

static enum jr_status decode_numbers(
	struct reading *r, const struct jr_pq_page *page, struct jr_bytes in, uint32_t n)
{
	uint8_t *out = r->data + r->n_done * r->width;
	if (uses_dictionary(page)) {
		uint32_t *indexes = reserve(r, &r->indexes, n * (uint64_t)sizeof(uint32_t));
		if (!indexes)
			return JR_ELIMIT;
		JR_TRY(jr_pq_indexes(in, n, r->n_dictionary, indexes, r->err));
		jr_pq_gather(r->dictionary, r->width, indexes, n, out);
		return JR_OK;
	}
	if (page->encoding == JR_PQ_PLAIN)
		return jr_pq_plain_fixed(in, r->width, n, out, r->err);
	if (page->encoding == JR_PQ_BYTE_STREAM_SPLIT)
		return jr_pq_split(in, r->width, n, out, r->err);
	if (page->encoding == JR_PQ_DELTA_BINARY_PACKED && r->column->type == JR_PQ_INT32)
		return jr_pq_delta_i32(in, n, (int32_t *)(void *)out, r->err);
	if (page->encoding == JR_PQ_DELTA_BINARY_PACKED && r->column->type == JR_PQ_INT64)
		return jr_pq_delta_i64(in, n, (int64_t *)(void *)out, r->err);
	return unread(r, page->encoding);
}

static enum jr_status split_fixed_strings(
	struct reading *r, struct jr_bytes in, uint32_t n, struct jr_bytes *out)
{
	uint32_t width = r->column->type_length;
	uint8_t *bytes = jr_arena_array(r->arena, in.size, 1, r->err);
	if (!bytes)
		return JR_ELIMIT;
	JR_TRY(jr_pq_split(in, width, n, bytes, r->err));
	return jr_pq_plain_fixed_strings(jr_bytes_of(bytes, in.size), width, n, r->limits, out, r->err);
}

/* Append strings of the page itself to the dictionary. */
static enum jr_status add_strings(
	struct reading *r, int32_t encoding, struct jr_bytes in, uint32_t n)
{
	struct jr_bytes *out = r->strings + r->n_strings_done;
	bool is_fixed = r->column->type == JR_PQ_FIXED_LEN_BYTE_ARRAY;
	if (encoding == JR_PQ_PLAIN && !is_fixed)
		JR_TRY(jr_pq_plain_strings(in, n, r->limits, out, r->err));
	else if (encoding == JR_PQ_PLAIN)
		JR_TRY(jr_pq_plain_fixed_strings(in, r->column->type_length, n, r->limits, out, r->err));
	else if (encoding == JR_PQ_BYTE_STREAM_SPLIT && is_fixed)
		JR_TRY(split_fixed_strings(r, in, n, out));
	else if (encoding == JR_PQ_DELTA_LENGTH_BYTE_ARRAY && !is_fixed)
		JR_TRY(jr_pq_delta_length(in, n, r->limits, &r->lengths, out, r->err));
	else if (encoding == JR_PQ_DELTA_BYTE_ARRAY)
		JR_TRY(jr_pq_delta_strings(in, n, r->limits, r->arena, &r->lengths, out, r->err));
	else
		return unread(r, encoding);
	for (uint32_t i = 0; is_fixed && i < n; i++)
		if (out[i].size != r->column->type_length)
			return jr_fail(r->err, JR_EFORMAT, "value of %zu bytes, but all values take %" PRIu32,
				out[i].size, r->column->type_length);
	r->n_strings_done += n;
	return JR_OK;
}

static enum jr_status decode_strings(
	struct reading *r, const struct jr_pq_page *page, struct jr_bytes in, uint32_t n)
{
	uint32_t *out = (uint32_t *)(void *)r->data + r->n_done;
	uint32_t base = r->n_strings_done;
	if (uses_dictionary(page)) {
		base = r->dictionary_base;
		JR_TRY(jr_pq_indexes(in, n, r->n_dictionary, out, r->err));
		for (uint32_t i = 0; base && i < n; i++)
			out[i] += base;
		return JR_OK;
	}
	JR_TRY(add_strings(r, page->encoding, in, n));
	for (uint32_t i = 0; i < n; i++)
		out[i] = base + i;
	return JR_OK;
}

/* Move the n_present values of a page to the positions with a flag. Start at the end: no value
 * moves left. */
static void spread(struct reading *r, uint32_t n, uint32_t n_present)
{
	const uint8_t *valid = r->valid + r->n_done;
	uint8_t *data = r->data + r->n_done * r->width;
	size_t from = n_present;
	if (r->width == 8) {
		for (size_t i = n; i-- > 0;) {
			uint64_t value = 0;
			if (valid[i])
				memcpy(&value, data + 8 * --from, 8);
			memcpy(data + 8 * i, &value, 8);
		}
	} else if (r->width == 4) {
		const uint32_t none = is_string(r) ? JR_NONE : 0;
		for (size_t i = n; i-- > 0;) {
			uint32_t value = none;
			if (valid[i])
				memcpy(&value, data + 4 * --from, 4);
			memcpy(data + 4 * i, &value, 4);
		}
	} else {
		for (size_t i = n; i-- > 0;)
			data[i] = valid[i] ? data[--from] : 0;
	}
}

/* --- pages --------------------------------------------------------------------------------- */

static enum jr_status read_dictionary(
	struct reading *r, const struct jr_pq_page *page, enum jr_pq_codec codec)
{
	struct jr_pq_body body;
	bool strings = is_string(r);
	JR_TRY(jr_pq_page_open(
		page, codec, 0, 0, strings ? r->arena : NULL, &r->dictionary_page, &body, r->err));
	r->n_dictionary = page->n_values;
	r->dictionary_base = r->n_strings_done;
	if (strings)
		return add_strings(r, JR_PQ_PLAIN, body.values, page->n_values);
	if (r->width == 1)
		return unread(r, page->encoding);
	if (body.values.size != (uint64_t)page->n_values * r->width)
		return jr_fail(r->err, JR_EFORMAT, "%" PRIu32 " entries in %zu bytes", page->n_values,
			body.values.size);
	r->dictionary = body.values.data;
	return JR_OK;
}

static enum jr_status read_data(
	struct reading *r, const struct jr_pq_page *page, enum jr_pq_codec codec)
{
	struct jr_pq_body body;
	/* String views need the page to stay; numbers are copied. */
	bool keep = is_string(r) && !uses_dictionary(page);
	JR_TRY(jr_pq_page_open(page, codec, r->column->max_def, r->column->max_rep,
		keep ? r->arena : NULL, &r->page, &body, r->err));
	uint32_t n = page->n_values, n_present = 0;
	if (r->column->is_list)
		JR_TRY(read_list_levels(r, page, &body, &n, &n_present));
	else
		JR_TRY(read_flat_levels(r, page, &body, &n_present));
	if (r->width == 1)
		JR_TRY(decode_booleans(r, page->encoding, body.values, n_present));
	else if (is_string(r))
		JR_TRY(decode_strings(r, page, body.values, n_present));
	else
		JR_TRY(decode_numbers(r, page, body.values, n_present));
	if (n_present < n)
		spread(r, n, n_present);
	r->n_done += n;
	return JR_OK;
}

static enum jr_status read_chunk(struct reading *r, const struct chunk *chunk)
{
	enum jr_pq_codec codec = (enum jr_pq_codec)chunk->meta->codec;
	r->n_dictionary = 0;
	r->rows_begin = r->n_rows_done;
	r->rows_end = r->n_rows_done + chunk->n_rows;
	for (size_t i = 0; i < chunk->n_pages; i++) {
		const struct jr_pq_page *page = &r->pages.items[chunk->first_page + i];
		enum jr_status status =
			is_data(page) ? read_data(r, page, codec) : read_dictionary(r, page, codec);
		if (status != JR_OK)
			return jr_context(r->err, status, "page at offset %" PRIu64, page->offset);
	}
	if (r->column->is_list && r->n_rows_done != r->rows_end)
		return jr_fail(r->err, JR_EFORMAT, "%" PRIu64 " lists in a row group of %" PRIu64 " rows",
			r->n_rows_done - r->rows_begin, chunk->n_rows);
	return JR_OK;
}

static void hand_out(struct reading *r, struct jr_parquet_values *values)
{
	*values = (struct jr_parquet_values){
		.type = r->column->type,
		.n_rows = r->n_rows,
		.n_values = r->n_done,
		.valid = r->valid,
		.dictionary = r->strings,
		.n_dictionary = r->n_strings_done,
		.list_begin = r->list_begin,
		.list_valid = r->list_valid,
	};
	if (r->list_begin)
		r->list_begin[r->n_rows] = r->n_done;
	void *data = r->data;
	switch (r->column->type) {
	case JR_PQ_BOOLEAN: values->boolean = data; break;
	case JR_PQ_INT32: values->int32 = data; break;
	case JR_PQ_INT64: values->int64 = data; break;
	case JR_PQ_FLOAT: values->float32 = data; break;
	case JR_PQ_DOUBLE: values->float64 = data; break;
	case JR_PQ_BYTE_ARRAY:
	case JR_PQ_FIXED_LEN_BYTE_ARRAY: values->string = data; break;
	case JR_PQ_INT96: break;
	}
}

enum jr_status jr_pq_column_read(const struct jr_parquet *pq, size_t column,
	struct jr_parquet_groups groups, struct jr_arena *arena, struct jr_parquet_values *values,
	struct jr_error *err)
{
	JR_CLEANUP(reading_done)
	struct reading r = {
		.pq = pq,
		.column = &pq->columns[column],
		.leaf = &pq->impl->leaves[column],
		.limits = &pq->impl->limits,
		.arena = arena,
		.err = err,
		.groups = groups,
	};
	JR_TRY(plan(&r, column));
	JR_TRY(allocate(&r));
	for (size_t i = 0; i < r.chunks.n; i++)
		JR_TRY(read_chunk(&r, &r.chunks.items[i]));
	hand_out(&r, values);
	return JR_OK;
}
