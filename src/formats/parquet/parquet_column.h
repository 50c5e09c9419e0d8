/*
 * parquet_column.h - one column of a Parquet file, from its pages to values. Internal to
 * parquet*.c.
 * Layer: formats.
 */
#ifndef JR_FORMATS_PARQUET_COLUMN_H
#define JR_FORMATS_PARQUET_COLUMN_H

#include "formats/parquet/parquet_schema.h"

/** As jr_parquet_read(), for a column that is readable; messages do not name the column. */
enum jr_status jr_pq_column_read(const struct jr_parquet *pq, size_t column, struct jr_arena *arena,
	struct jr_parquet_values *values, struct jr_error *err) JR_MUST_CHECK;

#endif
