#include "formats/parquet/parquet_pages.h"

#include <inttypes.h>
#include <zlib.h>

#include "formats/parquet/thrift.h"

/* Destination of a header's field. */
struct target {
	uint32_t *natural; /* or: */
	int32_t *encoding;
};

/* Field 5, 7 or 8 of the header has the fields of the page's type: 1 to `n`, all required, and in a
 * data page v2 whether it is compressed. */
static void parse_type_header(struct jr_thrift *t, int32_t id, struct jr_pq_page *page)
{
	const struct target v1[] = {{.natural = &page->n_values}, {.encoding = &page->encoding},
		{.encoding = &page->def_encoding}, {.encoding = &page->rep_encoding}};
	const struct target v2[] = {{.natural = &page->n_values}, {.natural = &page->n_nulls},
		{.natural = &page->n_rows}, {.encoding = &page->encoding}, {.natural = &page->def_bytes},
		{.natural = &page->rep_bytes}};
	const struct target *targets = id == 8 ? v2 : v1;
	int32_t n = id == 5 ? 4 : id == 7 ? 2 : 6;
	unsigned seen = 0;
	struct jr_thrift_field f = {0};
	while (jr_thrift_next(t, &f)) {
		const struct target *to = f.id >= 1 && f.id <= n ? &targets[f.id - 1] : NULL;
		seen |= to ? 1u << f.id : 0;
		if (to && to->natural)
			*to->natural = jr_thrift_natural32(t, &f);
		else if (to)
			*to->encoding = jr_thrift_i32(t, &f);
		else if (id == 8 && f.id == 7)
			page->is_compressed = jr_thrift_bool(t, &f);
		else
			jr_thrift_skip(t, &f);
	}
	if (seen != (2u << n) - 2)
		jr_thrift_fail(t, id == 7 ? "dictionary page header without a required field"
								  : "data page header without a required field");
	if (id != 8)
		return;
	if (page->n_nulls > page->n_values || page->n_rows > page->n_values)
		jr_thrift_fail(t, "data page header with more nulls or rows than values");
	page->def_encoding = page->rep_encoding = JR_PQ_RLE;
}

static const uint8_t field_of_type[] = {[JR_PQ_DATA_PAGE] = 5,
	[JR_PQ_INDEX_PAGE] = 0,
	[JR_PQ_DICTIONARY_PAGE] = 7,
	[JR_PQ_DATA_PAGE_V2] = 8};

static enum jr_status parse_header(
	struct jr_thrift *t, struct jr_pq_page *page, uint32_t *stored_bytes)
{
	unsigned seen = 0;
	int32_t type = -1;
	struct jr_thrift_field f = {0};
	while (jr_thrift_next(t, &f)) {
		if (f.id > 0 && f.id < 32) {
			if (seen >> f.id & 1)
				jr_thrift_fail(t, "page header with a field given twice");
			seen |= 1u << f.id;
		}
		switch (f.id) {
		case 1: type = jr_thrift_i32(t, &f); break;
		case 2: page->size_bytes = jr_thrift_natural32(t, &f); break;
		case 3: *stored_bytes = jr_thrift_natural32(t, &f); break;
		case 4:
			page->crc = (uint32_t)jr_thrift_i32(t, &f);
			page->has_crc = true;
			break;
		case 5:
		case 7:
		case 8:
			if (jr_thrift_struct(t, &f))
				parse_type_header(t, f.id, page);
			break;
		default: jr_thrift_skip(t, &f);
		}
	}
	const unsigned required = 1u << 1 | 1u << 2 | 1u << 3;
	if ((seen & required) != required || type < JR_PQ_DATA_PAGE)
		jr_thrift_fail(t, "page header without a required field");
	else if (type > JR_PQ_DATA_PAGE_V2)
		jr_thrift_fail(t, "page of an unknown type");
	else if (type != JR_PQ_INDEX_PAGE &&
			 (seen & (1u << 5 | 1u << 7 | 1u << 8)) != 1u << field_of_type[type])
		jr_thrift_fail(t, "page header that does not fit the page's type");
	else
		page->type = (enum jr_pq_page_type)type;
	return t->status;
}

static enum jr_status check_size(
	const struct jr_pq_page *page, const struct jr_limits *limits, struct jr_error *err)
{
	if (page->size_bytes > limits->entry_bytes)
		return jr_fail(err, JR_ELIMIT,
			"page at offset %" PRIu64 " expands to %" PRIu32 " bytes, limit %" PRIu64
			" (--max-entry-bytes)",
			page->offset, page->size_bytes, limits->entry_bytes);
	if (page->size_bytes > jr_limits_unpacked(limits, page->bytes.size))
		return jr_fail(err, JR_ELIMIT,
			"page at offset %" PRIu64 " expands from %zu to %" PRIu32 " bytes, more than %" PRIu64
			" times (--max-ratio)",
			page->offset, page->bytes.size, page->size_bytes, limits->ratio);
	return JR_OK;
}

enum jr_status jr_pq_page_next(struct jr_reader *in, uint64_t base, const struct jr_limits *limits,
	struct jr_pq_page *page, struct jr_error *err)
{
	*page = (struct jr_pq_page){.offset = base + in->pos, .is_compressed = true};
	struct jr_thrift t =
		jr_thrift_of(jr_bytes_of(in->in.data + in->pos, jr_reader_left(in)), page->offset, err);
	uint32_t stored_bytes = 0;
	JR_TRY(parse_header(&t, page, &stored_bytes));
	in->pos += t.in.pos;
	if (!jr_reader_take(in, stored_bytes, &page->bytes))
		return jr_fail(err, JR_EFORMAT,
			"page at offset %" PRIu64 " of %" PRIu32 " bytes reaches beyond its column chunk",
			page->offset, stored_bytes);
	if (page->type == JR_PQ_DATA_PAGE_V2 &&
		(uint64_t)page->def_bytes + page->rep_bytes >
			(page->size_bytes < stored_bytes ? page->size_bytes : stored_bytes))
		return jr_fail(err, JR_EFORMAT,
			"levels of the page at offset %" PRIu64 " are longer than the page", page->offset);
	return check_size(page, limits, err);
}

static enum jr_status check_crc(const struct jr_pq_page *page, struct jr_error *err)
{
	if (!page->has_crc)
		return JR_OK;
	uint32_t crc = (uint32_t)crc32_z(0, page->bytes.data, page->bytes.size);
	if (crc == page->crc)
		return JR_OK;
	return jr_fail(err, JR_EFORMAT, "CRC-32 is %08" PRIx32 ", the page header states %08" PRIx32,
		crc, page->crc);
}

/* Decompress bytes, or return `in` itself if it is not compressed. */
static enum jr_status expand(enum jr_pq_codec codec, struct jr_bytes in, size_t size,
	struct jr_arena *arena, struct jr_buf *scratch, struct jr_bytes *out, struct jr_error *err)
{
	if (codec == JR_PQ_UNCOMPRESSED && in.size == size) {
		*out = in;
		return JR_OK;
	}
	uint8_t *bytes;
	if (arena) {
		bytes = jr_arena_array(arena, size, 1, err);
		if (!bytes)
			return JR_ELIMIT;
	} else {
		scratch->size = 0;
		JR_TRY(jr_buf_room(scratch, size, err));
		bytes = (uint8_t *)scratch->data;
	}
	JR_TRY(jr_pq_decompress(codec, in, bytes, size, err));
	*out = jr_bytes_of(bytes, size);
	return JR_OK;
}

static enum jr_status take_levels_v1(struct jr_reader *r, int32_t encoding, unsigned max,
	uint32_t n_values, const char *what, struct jr_bytes *out, struct jr_error *err)
{
	*out = (struct jr_bytes){0};
	if (!max)
		return JR_OK;
	uint64_t size = ((uint64_t)n_values * jr_pq_bit_width(max) + 7) / 8;
	if (encoding == JR_PQ_RLE) {
		uint32_t stated;
		if (!jr_reader_u32le(r, &stated))
			return jr_fail(err, JR_EFORMAT, "page ends before its %s levels", what);
		size = stated;
	} else if (encoding != JR_PQ_BIT_PACKED) {
		return jr_fail(err, JR_EFORMAT, "%s levels in encoding %" PRId32, what, encoding);
	}
	if (!jr_reader_take(r, size, out))
		return jr_fail(err, JR_EFORMAT, "%" PRIu64 " bytes of %s levels in a page of %zu", size,
			what, r->in.size);
	return JR_OK;
}

enum jr_status jr_pq_page_open(const struct jr_pq_page *page, enum jr_pq_codec codec,
	unsigned max_def, unsigned max_rep, struct jr_arena *arena, struct jr_buf *scratch,
	struct jr_pq_body *body, struct jr_error *err)
{
	JR_TRY(check_crc(page, err));
	*body = (struct jr_pq_body){0};
	struct jr_reader r = jr_reader_of(page->bytes);
	size_t size = page->size_bytes;
	if (page->type == JR_PQ_DATA_PAGE_V2) {
		/* v2 stores levels uncompressed before the values. jr_pq_page_next() checked their size. */
		if (!jr_reader_take(&r, page->rep_bytes, &body->rep) ||
			!jr_reader_take(&r, page->def_bytes, &body->def))
			return jr_fail(err, JR_EFORMAT, "page ends within its levels");
		size -= (size_t)page->rep_bytes + page->def_bytes;
	}
	struct jr_bytes rest, bytes = {0};
	(void)jr_reader_take(&r, jr_reader_left(&r), &rest);
	/* An empty page is valid with every codec: some writers leave out the empty stream. */
	if (rest.size || size)
		JR_TRY(expand(page->is_compressed ? codec : JR_PQ_UNCOMPRESSED, rest, size, arena, scratch,
			&bytes, err));
	r = jr_reader_of(bytes);
	if (page->type == JR_PQ_DATA_PAGE) {
		JR_TRY(take_levels_v1(
			&r, page->rep_encoding, max_rep, page->n_values, "repetition", &body->rep, err));
		JR_TRY(take_levels_v1(
			&r, page->def_encoding, max_def, page->n_values, "definition", &body->def, err));
	}
	(void)jr_reader_take(&r, jr_reader_left(&r), &body->values);
	return JR_OK;
}

enum jr_status jr_pq_levels(struct jr_bytes bytes, int32_t encoding, unsigned max, uint32_t n,
	uint8_t *out, struct jr_error *err)
{
	unsigned width = jr_pq_bit_width(max);
	if (encoding == JR_PQ_BIT_PACKED) {
		if (bytes.size < ((uint64_t)n * width + 7) / 8)
			return jr_fail(err, JR_EFORMAT, "page ends within its levels");
		jr_pq_unpack_msb_u8(bytes, width, n, out);
	} else {
		JR_TRY(jr_pq_hybrid_u8(bytes, width, n, out, err));
	}
	uint8_t highest = 0;
	for (uint32_t i = 0; i < n; i++)
		highest = out[i] > highest ? out[i] : highest;
	if (highest > max)
		return jr_fail(err, JR_EFORMAT, "level %u where the schema allows %u", highest, max);
	return JR_OK;
}
