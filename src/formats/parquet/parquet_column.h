/*
 * parquet_column.h - read one column of a Parquet file from its pages. Internal to parquet*.c.
 * Layer: formats.
 */
#ifndef JR_FORMATS_PARQUET_COLUMN_H
#define JR_FORMATS_PARQUET_COLUMN_H

#include "formats/parquet/parquet_schema.h"

/** Same as jr_parquet_read_groups() for a readable column; messages do not contain the column's
 * name. */
enum jr_status jr_pq_column_read(const struct jr_parquet *pq, size_t column,
	struct jr_parquet_groups groups, struct jr_arena *arena, struct jr_parquet_values *values,
	struct jr_error *err) JR_MUST_CHECK;

#endif
