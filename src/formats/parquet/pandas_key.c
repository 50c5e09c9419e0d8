#include "formats/parquet/parquet_writer.h"

#include <inttypes.h>

#include "base/text.h"

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
