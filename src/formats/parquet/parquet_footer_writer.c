/* FileMetaData of a Parquet file: parquet.thrift. */
#include <inttypes.h>

#include "base/text.h"
#include "formats/parquet/parquet.h"
#include "formats/parquet/parquet_footer.h"
#include "formats/parquet/parquet_pages.h"
#include "formats/parquet/parquet_writer.h"
#include "formats/parquet/thrift.h"

static int physical(const struct jr_pq_put_column *c)
{
	switch (c->type) {
	case JR_PQ_PUT_INT32: return JR_PQ_INT32;
	case JR_PQ_PUT_DOUBLE: return JR_PQ_DOUBLE;
	case JR_PQ_PUT_TEXT: return JR_PQ_BYTE_ARRAY;
	case JR_PQ_PUT_INT64:
	case JR_PQ_PUT_INT64_LIST: break;
	}
	return JR_PQ_INT64;
}

static void put_group_element(
	struct jr_thrift_out *t, const char *name, int repetition, size_t n_children, bool list)
{
	jr_thrift_put_item_struct(t);
	jr_thrift_put_int(t, 3, JR_THRIFT_I32, repetition);
	jr_thrift_put_text(t, 4, name);
	jr_thrift_put_int(t, 5, JR_THRIFT_I32, (int64_t)n_children);
	if (list) {
		jr_thrift_put_int(t, 6, JR_THRIFT_I32, 3); /* ConvertedType LIST */
		jr_thrift_put_struct(t, 10);               /* LogicalType */
		jr_thrift_put_struct(t, 3);                /* LIST */
		jr_thrift_out_end(t);
		jr_thrift_out_end(t);
	}
	jr_thrift_out_end(t);
}

static void put_leaf_element(
	struct jr_thrift_out *t, const struct jr_pq_put_column *c, const char *name)
{
	jr_thrift_put_item_struct(t);
	jr_thrift_put_int(t, 1, JR_THRIFT_I32, physical(c));
	jr_thrift_put_int(t, 3, JR_THRIFT_I32, JR_PQ_OPTIONAL);
	jr_thrift_put_text(t, 4, name);
	if (c->type == JR_PQ_PUT_TEXT) {
		jr_thrift_put_int(t, 6, JR_THRIFT_I32, 0); /* ConvertedType UTF8 */
		jr_thrift_put_struct(t, 10);
		jr_thrift_put_struct(t, 1); /* LogicalType STRING */
		jr_thrift_out_end(t);
		jr_thrift_out_end(t);
	}
	jr_thrift_out_end(t);
}

static void put_schema(
	struct jr_thrift_out *t, const struct jr_pq_put_column *columns, size_t n_columns)
{
	size_t n = 1 + n_columns;
	for (size_t i = 0; i < n_columns; i++)
		n += columns[i].type == JR_PQ_PUT_INT64_LIST ? 2 : 0;
	jr_thrift_put_list(t, 2, JR_THRIFT_STRUCT, n);
	put_group_element(t, "schema", JR_PQ_REQUIRED, n_columns, false);
	for (size_t i = 0; i < n_columns; i++) {
		const struct jr_pq_put_column *c = &columns[i];
		if (c->type == JR_PQ_PUT_INT64_LIST) {
			put_group_element(t, c->name, JR_PQ_OPTIONAL, 1, true);
			put_group_element(t, "list", JR_PQ_REPEATED, 1, false);
			put_leaf_element(t, c, "element");
		} else {
			put_leaf_element(t, c, c->name);
		}
	}
}

static void put_column_chunk(struct jr_thrift_out *t, const struct jr_pq_put_column *c,
	const struct jr_pq_put_chunk *chunk, enum jr_pq_codec codec)
{
	bool list = c->type == JR_PQ_PUT_INT64_LIST, dictionary = chunk->dictionary_offset >= 0;
	jr_thrift_put_item_struct(t);
	jr_thrift_put_int(
		t, 2, JR_THRIFT_I64, dictionary ? chunk->dictionary_offset : chunk->data_offset);
	jr_thrift_put_struct(t, 3);
	jr_thrift_put_int(t, 1, JR_THRIFT_I32, physical(c));
	jr_thrift_put_list(t, 2, JR_THRIFT_I32, dictionary ? 3 : 2);
	jr_thrift_put_item_int(t, JR_PQ_PLAIN);
	jr_thrift_put_item_int(t, JR_PQ_RLE);
	if (dictionary)
		jr_thrift_put_item_int(t, JR_PQ_RLE_DICTIONARY);
	jr_thrift_put_list(t, 3, JR_THRIFT_BINARY, list ? 3 : 1);
	jr_thrift_put_item_text(t, c->name);
	if (list) {
		jr_thrift_put_item_text(t, "list");
		jr_thrift_put_item_text(t, "element");
	}
	jr_thrift_put_int(t, 4, JR_THRIFT_I32, codec);
	jr_thrift_put_int(t, 5, JR_THRIFT_I64, chunk->n_values);
	jr_thrift_put_int(t, 6, JR_THRIFT_I64, chunk->raw_bytes);
	jr_thrift_put_int(t, 7, JR_THRIFT_I64, chunk->packed_bytes);
	jr_thrift_put_int(t, 9, JR_THRIFT_I64, chunk->data_offset);
	if (dictionary)
		jr_thrift_put_int(t, 11, JR_THRIFT_I64, chunk->dictionary_offset);
	jr_thrift_out_end(t);
	jr_thrift_out_end(t);
}

static void put_row_group(struct jr_thrift_out *t, const struct jr_pq_put_column *columns,
	size_t n_columns, const struct jr_pq_put_chunk *chunks, size_t n_rows, enum jr_pq_codec codec)
{
	int64_t raw = 0, packed = 0;
	for (size_t i = 0; i < n_columns; i++) {
		raw += chunks[i].raw_bytes;
		packed += chunks[i].packed_bytes;
	}
	jr_thrift_put_item_struct(t);
	jr_thrift_put_list(t, 1, JR_THRIFT_STRUCT, n_columns);
	for (size_t i = 0; i < n_columns; i++)
		put_column_chunk(t, &columns[i], &chunks[i], codec);
	jr_thrift_put_int(t, 2, JR_THRIFT_I64, raw);
	jr_thrift_put_int(t, 3, JR_THRIFT_I64, (int64_t)n_rows);
	jr_thrift_put_int(t, 6, JR_THRIFT_I64, packed);
	jr_thrift_out_end(t);
}

/* Write the key from which pandas and pyarrow build the index. */
static void put_pandas_key(const struct jr_parquet_out *w, struct jr_thrift_out *t,
	const struct jr_pq_put_column *columns, size_t n_columns)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf value = {0};
	jr_pandas_key(&value, columns, n_columns, w->n_rows, w->options);
	jr_thrift_put_list(t, 5, JR_THRIFT_STRUCT, 1);
	jr_thrift_put_item_struct(t);
	jr_thrift_put_text(t, 1, "pandas");
	jr_thrift_put_text(t, 2, value.data);
	jr_thrift_out_end(t);
}

void jr_pq_put_footer(
	const struct jr_parquet_out *w, const struct jr_pq_put_column *columns, size_t n_columns)
{
	struct jr_thrift_out t;
	jr_thrift_out_begin(&t, w->out);
	jr_thrift_put_int(&t, 1, JR_THRIFT_I32, 2);
	put_schema(&t, columns, n_columns);
	jr_thrift_put_int(&t, 3, JR_THRIFT_I64, (int64_t)w->n_rows);
	jr_thrift_put_list(&t, 4, JR_THRIFT_STRUCT, w->group_rows.n);
	for (size_t g = 0; g < w->group_rows.n; g++)
		put_row_group(&t, columns, n_columns, w->chunks.items + g * n_columns,
			w->group_rows.items[g], w->options->codec);
	if (w->options->library) {
		JR_CLEANUP(jr_buf_done) struct jr_buf created_by = {0};
		put_pandas_key(w, &t, columns, n_columns);
		jr_buf_printf(&created_by, "%s version %s", w->options->library, w->options->version);
		jr_thrift_put_text(&t, 6, created_by.data);
	}
	jr_thrift_out_end(&t);
}

/* The pandas version with this form; readers check it for differences between versions. */
#define PANDAS_VERSION "1.5.3"

static const struct {
	const char *pandas, *numpy;
} types[] = {
	[JR_PQ_PUT_INT64] = {"int64", "int64"},
	[JR_PQ_PUT_INT32] = {"int32", "int32"},
	[JR_PQ_PUT_DOUBLE] = {"float64", "float64"},
	[JR_PQ_PUT_TEXT] = {"unicode", "object"},
	[JR_PQ_PUT_INT64_LIST] = {"list[int64]", "object"},
};

static void put_index(struct jr_buf *out, const struct jr_pq_put_column *columns, size_t n_columns,
	uint64_t n_rows, size_t n_index)
{
	if (n_index == 0) {
		jr_buf_printf(out,
			"{\"kind\": \"range\", \"name\": null, \"start\": 0, \"stop\": %" PRIu64
			", \"step\": 1}",
			n_rows);
		return;
	}
	for (size_t i = n_columns - n_index; i < n_columns; i++) {
		if (i > n_columns - n_index)
			jr_buf_puts(out, ", ");
		jr_json_text(out, columns[i].name);
	}
}

void jr_pandas_key(struct jr_buf *out, const struct jr_pq_put_column *columns, size_t n_columns,
	uint64_t n_rows, const struct jr_pq_put_options *options)
{
	jr_buf_puts(out, "{\"index_columns\": [");
	put_index(out, columns, n_columns, n_rows, options->n_index);
	jr_buf_puts(out, "], \"column_indexes\": [");
	for (size_t i = 0; i == 0 || i < options->n_levels; i++)
		jr_buf_printf(out,
			"%s{\"name\": null, \"field_name\": null, \"pandas_type\": \"unicode\", "
			"\"numpy_type\": \"object\", \"metadata\": {\"encoding\": \"UTF-8\"}}",
			i ? ", " : "");
	jr_buf_puts(out, "], \"columns\": [");
	for (size_t i = 0; i < n_columns; i++) {
		jr_buf_puts(out, i ? ", {\"name\": " : "{\"name\": ");
		jr_json_text(out, columns[i].name);
		jr_buf_puts(out, ", \"field_name\": ");
		jr_json_text(out, columns[i].name);
		jr_buf_printf(out, ", \"pandas_type\": \"%s\", \"numpy_type\": \"%s\", \"metadata\": null}",
			types[columns[i].type].pandas, types[columns[i].type].numpy);
	}
	jr_buf_puts(out, "], \"creator\": {\"library\": ");
	jr_json_text(out, options->library);
	jr_buf_puts(out, ", \"version\": ");
	jr_json_text(out, options->version);
	jr_buf_puts(out, "}, \"pandas_version\": \"" PANDAS_VERSION "\"}");
}
