#include "model/archive/trace_parts.h"

#include <inttypes.h>
#include <string.h>

/* 2^63 as a double: the first value beyond int64. */
#define I64_END 9223372036854775808.0

static int64_t from_double(double v)
{
	if (!(v >= -I64_END && v < I64_END)) /* true for NaN, too */
		return INT64_MIN;
	int64_t i = (int64_t)v;
	return (double)i == v ? i : INT64_MIN;
}

/* Convert the decoded values in place where they are 8 bytes wide, else into `out`. */
static enum jr_status convert(const struct jr_parquet_values *v, const char *name,
	struct jr_arena *arena, int64_t **out, struct jr_error *err)
{
	bool wide = v->type == JR_PQ_INT64 || v->type == JR_PQ_DOUBLE;
	int64_t *to = v->type == JR_PQ_INT64    ? (int64_t *)(uintptr_t)v->int64
				  : v->type == JR_PQ_DOUBLE ? (int64_t *)(uintptr_t)v->float64
											: NULL;
	if (!wide && v->type != JR_PQ_INT32 && v->type != JR_PQ_FLOAT)
		return jr_fail(err, JR_EFORMAT, "column '%s' does not contain numbers", name);
	if (!wide && !(to = jr_arena_array(arena, v->n_rows + 1, sizeof(*to), err)))
		return JR_ELIMIT;
	for (uint64_t i = 0; i < v->n_rows && v->type != JR_PQ_INT64; i++) {
		double value;
		if (v->type == JR_PQ_DOUBLE)
			memcpy(&value, &to[i], sizeof(value));
		else
			value = v->type == JR_PQ_FLOAT ? (double)v->float32[i] : v->int32[i];
		to[i] = from_double(value);
	}
	for (uint64_t i = 0; i < v->n_rows && v->valid; i++)
		if (!v->valid[i])
			to[i] = INT64_MIN;
	*out = to;
	return JR_OK;
}

enum jr_status jr_parquet_i64(const struct jr_parquet *pq, const char *name, struct jr_arena *arena,
	int64_t **out, struct jr_error *err)
{
	*out = NULL;
	size_t column = jr_parquet_find(pq, name);
	if (column == SIZE_MAX)
		return JR_OK;
	struct jr_parquet_values values;
	JR_TRY(jr_parquet_read(pq, column, arena, &values, err));
	if (values.list_begin)
		return jr_fail(err, JR_EFORMAT, "column '%s' contains lists, not numbers", name);
	return convert(&values, name, arena, out, err);
}

enum jr_status jr_parquet_text(const struct jr_parquet *pq, const char *name,
	const struct jr_limits *limits, struct jr_intern *strings, struct jr_arena *arena,
	uint64_t most, uint32_t **out, struct jr_error *err)
{
	*out = NULL;
	size_t column = jr_parquet_find(pq, name);
	if (column == SIZE_MAX)
		return JR_OK;
	struct jr_parquet_values values;
	JR_TRY(jr_parquet_read(pq, column, arena, &values, err));
	if (values.list_begin || values.type != JR_PQ_BYTE_ARRAY)
		return jr_fail(err, JR_EFORMAT, "column '%s' does not contain text", name);
	uint32_t *ids = jr_arena_array(arena, (uint64_t)values.n_dictionary + 1, sizeof(*ids), err);
	uint32_t *result = (uint32_t *)(uintptr_t)values.string; /* converted in place */
	if (!ids)
		return JR_ELIMIT;
	for (uint32_t d = 0; d < values.n_dictionary; d++) {
		struct jr_bytes text = values.dictionary[d];
		if (text.size > limits->string_bytes)
			return jr_fail(err, JR_ELIMIT,
				"column '%s' contains a text of %zu bytes, limit %" PRIu64 " (--max-string-bytes)",
				name, text.size, limits->string_bytes);
		uint64_t n_cut = 0;
		ids[d] = jr_intern_foreign(strings, (const char *)text.data, text.size, most, &n_cut);
	}
	for (uint64_t i = 0; i < values.n_rows; i++)
		result[i] = result[i] < values.n_dictionary ? ids[result[i]] : JR_NONE;
	*out = result;
	return JR_OK;
}
