#include "formats/parquet/parquet_footer.h"

#include <inttypes.h>

#include "base/intern.h"
#include "formats/parquet/parquet.h"
#include "formats/parquet/thrift.h"

#define MAGIC_BYTES JR_PARQUET_HEAD_BYTES
#define TAIL_BYTES 8 /* length of the metadata, magic */

/* Values of enum ConvertedType and field numbers of union LogicalType. */
#define CONVERTED_LIST 3
#define LOGICAL_LIST 3

struct parse {
	struct jr_thrift t;
	struct jr_arena *arena;
	struct jr_pq_footer *footer;
	bool has_n_rows, encrypted;
};

uint64_t jr_pq_path_hash(uint64_t parent, struct jr_bytes part)
{
	return jr_hash(part.data, part.size, parent);
}

static const char *text(struct parse *p, const struct jr_thrift_field *f)
{
	struct jr_bytes bytes = jr_thrift_binary(&p->t, f);
	if (bytes.size && memchr(bytes.data, '\0', bytes.size))
		jr_thrift_fail(&p->t, "name with a NUL byte");
	if (p->t.status != JR_OK)
		return "";
	return jr_arena_strndup(p->arena, (const char *)bytes.data, bytes.size);
}

static void *array(struct parse *p, uint32_t n, size_t size)
{
	void *items = jr_arena_array(p->arena, n, size, p->t.err);
	if (!items) {
		p->t.status = JR_ELIMIT;
		p->t.in.pos = p->t.in.in.size;
	}
	return items;
}

/* The union's set field is the logical type; unknown ones are ignored. */
static bool logical_is_list(struct jr_thrift *t, const struct jr_thrift_field *field)
{
	bool is_list = false;
	if (!jr_thrift_struct(t, field))
		return false;
	struct jr_thrift_field f = {0};
	while (jr_thrift_next(t, &f)) {
		is_list |= f.id == LOGICAL_LIST;
		jr_thrift_skip(t, &f);
	}
	return is_list;
}

static void parse_element(struct parse *p, struct jr_pq_element *e)
{
	struct jr_thrift *t = &p->t;
	*e = (struct jr_pq_element){.type = -1};
	struct jr_thrift_field f = {0};
	while (jr_thrift_next(t, &f)) {
		switch (f.id) {
		case 1:
			e->type = jr_thrift_i32(t, &f);
			if (e->type < JR_PQ_BOOLEAN || e->type > JR_PQ_FIXED_LEN_BYTE_ARRAY)
				jr_thrift_fail(t, "unknown physical type");
			break;
		case 2: e->type_length = jr_thrift_natural32(t, &f); break;
		case 3: {
			int32_t repetition = jr_thrift_i32(t, &f);
			if (repetition < JR_PQ_REQUIRED || repetition > JR_PQ_REPEATED)
				jr_thrift_fail(t, "unknown repetition type");
			else
				e->repetition = (enum jr_pq_repetition)repetition;
			break;
		}
		case 4: e->name = text(p, &f); break;
		case 5: e->n_children = jr_thrift_natural32(t, &f); break;
		case 6: e->is_list |= jr_thrift_i32(t, &f) == CONVERTED_LIST; break;
		case 10: e->is_list |= logical_is_list(t, &f); break;
		default: jr_thrift_skip(t, &f);
		}
	}
	if (!e->name)
		jr_thrift_fail(t, "schema element without a name");
	if (e->type >= 0 && e->n_children)
		jr_thrift_fail(t, "schema element that is both a value and a group");
	if (e->type == JR_PQ_FIXED_LEN_BYTE_ARRAY && !e->type_length)
		jr_thrift_fail(t, "fixed-length schema element of no length");
}

static void parse_schema(struct parse *p, const struct jr_thrift_field *field)
{
	struct jr_thrift_field element;
	uint32_t n = jr_thrift_list(&p->t, field, 3, &element);
	if (p->footer->elements)
		jr_thrift_fail(&p->t, "schema given twice");
	struct jr_pq_element *elements = array(p, n, sizeof(*elements));
	for (uint32_t i = 0; i < n && jr_thrift_struct(&p->t, &element); i++)
		parse_element(p, &elements[i]);
	p->footer->elements = elements;
	p->footer->n_elements = n;
}

static uint64_t parse_path(struct jr_thrift *t, const struct jr_thrift_field *field)
{
	struct jr_thrift_field element;
	uint32_t n = jr_thrift_list(t, field, 1, &element);
	uint64_t hash = 0;
	for (uint32_t i = 0; i < n && t->status == JR_OK; i++)
		hash = jr_pq_path_hash(hash, jr_thrift_binary(t, &element));
	return hash;
}

/* A chunk begins with its dictionary, if it has one. An offset of 0 means "none": the magic is
 * there, but some writers still set the field. */
static void place_chunk(struct jr_pq_chunk *chunk, uint64_t data, uint64_t dictionary)
{
	chunk->begin = dictionary > 0 && dictionary < data ? dictionary : data;
}

static void parse_column_metadata(struct jr_thrift *t, struct jr_pq_chunk *chunk)
{
	uint64_t data = 0, dictionary = 0;
	unsigned seen = 0;
	struct jr_thrift_field f = {0};
	while (jr_thrift_next(t, &f)) {
		if (f.id > 0 && f.id < 32)
			seen |= 1u << f.id;
		switch (f.id) {
		case 1: chunk->type = jr_thrift_i32(t, &f); break;
		case 3: chunk->path_hash = parse_path(t, &f); break;
		case 4: chunk->codec = jr_thrift_i32(t, &f); break;
		case 5: chunk->n_values = jr_thrift_natural64(t, &f); break;
		case 7: chunk->size_bytes = jr_thrift_natural64(t, &f); break;
		case 9: data = jr_thrift_natural64(t, &f); break;
		case 11: dictionary = jr_thrift_natural64(t, &f); break;
		default: jr_thrift_skip(t, &f);
		}
	}
	const unsigned required = 1u << 1 | 1u << 3 | 1u << 4 | 1u << 5 | 1u << 7 | 1u << 9;
	if ((seen & required) != required)
		jr_thrift_fail(t, "column metadata without a required field");
	place_chunk(chunk, data, dictionary);
}

static void parse_chunk(struct jr_thrift *t, struct jr_pq_chunk *chunk)
{
	bool has_metadata = false;
	struct jr_thrift_field f = {0};
	while (jr_thrift_next(t, &f)) {
		switch (f.id) {
		case 1: chunk->external |= jr_thrift_binary(t, &f).size > 0; break;
		case 3:
			has_metadata = jr_thrift_struct(t, &f);
			if (has_metadata)
				parse_column_metadata(t, chunk);
			break;
		case 8: /* crypto_metadata */
		case 9: /* encrypted_column_metadata */
			chunk->encrypted = true;
			jr_thrift_skip(t, &f);
			break;
		default: jr_thrift_skip(t, &f);
		}
	}
	if (!has_metadata && !chunk->encrypted && !chunk->external)
		jr_thrift_fail(t, "column chunk without metadata");
}

static void parse_group(struct parse *p, struct jr_pq_row_group *group)
{
	struct jr_thrift *t = &p->t;
	bool has_n_rows = false;
	struct jr_thrift_field f = {0}, element;
	while (jr_thrift_next(t, &f)) {
		switch (f.id) {
		case 1:
			if (group->chunks)
				jr_thrift_fail(t, "columns of a row group given twice");
			group->n_chunks = jr_thrift_list(t, &f, 6, &element);
			group->chunks = array(p, group->n_chunks, sizeof(*group->chunks));
			for (uint32_t i = 0; i < group->n_chunks && jr_thrift_struct(t, &element); i++)
				parse_chunk(t, &group->chunks[i]);
			break;
		case 3:
			group->n_rows = jr_thrift_natural64(t, &f);
			has_n_rows = true;
			break;
		default: jr_thrift_skip(t, &f);
		}
	}
	if (!group->chunks || !has_n_rows)
		jr_thrift_fail(t, "row group without a required field");
}

static void parse_groups(struct parse *p, const struct jr_thrift_field *field)
{
	struct jr_thrift_field element;
	uint32_t n = jr_thrift_list(&p->t, field, 5, &element);
	if (p->footer->groups)
		jr_thrift_fail(&p->t, "row groups given twice");
	struct jr_pq_row_group *groups = array(p, n, sizeof(*groups));
	for (uint32_t i = 0; i < n && jr_thrift_struct(&p->t, &element); i++)
		parse_group(p, &groups[i]);
	p->footer->groups = groups;
	p->footer->n_groups = n;
}

static enum jr_status parse_metadata(struct parse *p)
{
	struct jr_thrift *t = &p->t;
	struct jr_thrift_field f = {0};
	while (jr_thrift_next(t, &f)) {
		switch (f.id) {
		case 2: parse_schema(p, &f); break;
		case 3:
			p->footer->n_rows = jr_thrift_natural64(t, &f);
			p->has_n_rows = true;
			break;
		case 4: parse_groups(p, &f); break;
		case 6: p->footer->created_by = text(p, &f); break;
		case 8: /* encryption_algorithm */
			p->encrypted = true;
			jr_thrift_skip(t, &f);
			break;
		default: jr_thrift_skip(t, &f);
		}
	}
	if (!p->has_n_rows || !p->footer->groups || !p->footer->n_elements)
		jr_thrift_fail(t, "metadata without a required field");
	return t->status;
}

enum jr_status jr_parquet_begins(struct jr_bytes head, uint64_t size_bytes, struct jr_error *err)
{
	if (size_bytes < MAGIC_BYTES + TAIL_BYTES || head.size < MAGIC_BYTES)
		return jr_fail(err, JR_EFORMAT, "not a Parquet file: only %" PRIu64 " byte%s", size_bytes,
			size_bytes == 1 ? "" : "s");
	if (memcmp(head.data, "PARE", MAGIC_BYTES) == 0)
		return jr_fail(err, JR_EUNSUPPORTED, "encrypted Parquet file");
	if (memcmp(head.data, "PAR1", MAGIC_BYTES) != 0)
		return jr_fail(err, JR_EFORMAT, "not a Parquet file: no 'PAR1' at offset 0");
	return JR_OK;
}

enum jr_status jr_pq_footer_read(
	struct jr_bytes file, struct jr_arena *arena, struct jr_pq_footer *footer, struct jr_error *err)
{
	JR_TRY(jr_parquet_begins(file, file.size, err));
	const uint8_t *tail = file.data + file.size - TAIL_BYTES;
	if (memcmp(tail + 4, "PARE", MAGIC_BYTES) == 0)
		return jr_fail(err, JR_EUNSUPPORTED, "encrypted Parquet file");
	if (memcmp(tail + 4, "PAR1", MAGIC_BYTES) != 0)
		return jr_fail(err, JR_EFORMAT, "no 'PAR1' at offset %zu: the Parquet file is cut off",
			file.size - MAGIC_BYTES);
	struct jr_reader r = jr_reader_of(jr_bytes_of(tail, 4));
	uint32_t size = 0;
	(void)jr_reader_u32le(&r, &size);
	if (size > file.size - MAGIC_BYTES - TAIL_BYTES)
		return jr_fail(err, JR_EFORMAT, "footer of %" PRIu32 " bytes in a file of %zu (offset %zu)",
			size, file.size, file.size - TAIL_BYTES);
	*footer = (struct jr_pq_footer){.data_end = file.size - TAIL_BYTES - size, .created_by = ""};
	struct parse p = {.arena = arena, .footer = footer};
	p.t = jr_thrift_of(jr_bytes_of(file.data + footer->data_end, size), footer->data_end, err);
	JR_TRY(parse_metadata(&p));
	if (p.encrypted)
		return jr_fail(err, JR_EUNSUPPORTED, "Parquet file with encrypted columns");
	return JR_OK;
}
