/*
 * parquet_table_build.h - small tables as Parquet files, written with the generator's writer.
 */
#ifndef JR_TESTS_PARQUET_TABLE_BUILD_H
#define JR_TESTS_PARQUET_TABLE_BUILD_H

#include <string.h>

#include "unit.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "formats/parquet/parquet_writer.h"

#define NO_VALUE INT64_MIN /* null in a column of numbers */
#define MAX_TABLE_COLUMNS 16

struct table_build {
	struct jr_arena *arena;
	size_t n_rows, n_columns;
	struct jr_pq_put_column columns[MAX_TABLE_COLUMNS];
};

static inline struct table_build table_begin(struct jr_arena *arena, size_t n_rows)
{
	return (struct table_build){.arena = arena, .n_rows = n_rows};
}

static inline struct jr_pq_put_column *table_column(
	struct table_build *t, const char *name, enum jr_pq_put type)
{
	assert_true(t->n_columns < MAX_TABLE_COLUMNS);
	struct jr_pq_put_column *column = &t->columns[t->n_columns++];
	*column = (struct jr_pq_put_column){.name = name, .type = type};
	return column;
}

/* Add numbers; as doubles if ids have nulls, as pandas writes them. */
static inline void table_numbers(struct table_build *t, const char *name, const int64_t *values)
{
	uint8_t *valid = JR_ARENA_N(t->arena, uint8_t, t->n_rows + 1);
	double *floats = JR_ARENA_N(t->arena, double, t->n_rows + 1);
	bool nulls = false;
	for (size_t i = 0; i < t->n_rows; i++) {
		valid[i] = values[i] != NO_VALUE;
		floats[i] = valid[i] ? (double)values[i] : 0;
		nulls |= !valid[i];
	}
	struct jr_pq_put_column *column =
		table_column(t, name, nulls ? JR_PQ_PUT_DOUBLE : JR_PQ_PUT_INT64);
	column->i64 = values;
	column->f64 = floats;
	column->valid = nulls ? valid : NULL;
}

/* Add texts; NULL is null. */
static inline void table_texts(struct table_build *t, const char *name, const char *const *values)
{
	uint8_t *valid = JR_ARENA_N(t->arena, uint8_t, t->n_rows + 1);
	struct jr_bytes *texts = JR_ARENA_N(t->arena, struct jr_bytes, t->n_rows + 1);
	for (size_t i = 0; i < t->n_rows; i++) {
		valid[i] = values[i] != NULL;
		texts[i] = jr_bytes_of(values[i], values[i] ? strlen(values[i]) : 0);
	}
	struct jr_pq_put_column *column = table_column(t, name, JR_PQ_PUT_TEXT);
	column->text = texts;
	column->valid = valid;
}

static inline struct jr_buf table_file(const struct table_build *t)
{
	struct jr_buf file = {0};
	const struct jr_pq_put_options options = {.codec = JR_PQ_SNAPPY, .page_version = 1};
	assert_int_equal(
		jr_parquet_write(&file, t->columns, t->n_columns, t->n_rows, &options, NULL), JR_OK);
	return file;
}

#endif
