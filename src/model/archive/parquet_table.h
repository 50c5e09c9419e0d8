/*
 * parquet_table.h - columns of a Parquet file as plain int64 and interned text.
 * Layer: model.  Writers changed the physical type of a column over time (ids as double, int32 or
 * int64), so readers request the logical type.
 */
#ifndef JR_MODEL_PARQUET_TABLE_H
#define JR_MODEL_PARQUET_TABLE_H

#include "base/intern.h"
#include "formats/parquet/parquet.h"

/* Of a member of an archive that lacks a column without which it cannot be read. */
#define JR_ARCHIVE_NO_COLUMN "column '%s' is missing (make the archive again with nsys-jax)"

/**
 * Read column `name` as int64. Nulls, NaN and values that are not int64 integers become INT64_MIN.
 *
 * @param out  [n_rows] in `arena`; NULL if the column is absent (this is not an error)
 */
enum jr_status jr_parquet_i64(const struct jr_parquet *pq, const char *name, struct jr_arena *arena,
	int64_t **out, struct jr_error *err) JR_MUST_CHECK;

/**
 * Read a text column as ids of `strings`. Each distinct dictionary entry is cleaned and interned
 * once. Nulls become JR_NONE.
 *
 * @param most  as for jr_intern_foreign()
 * @param out  [n_rows] in `arena`; NULL if the column is absent
 */
enum jr_status jr_parquet_text(const struct jr_parquet *pq, const char *name,
	const struct jr_limits *limits, struct jr_intern *strings, struct jr_arena *arena,
	uint64_t most, uint32_t **out, struct jr_error *err) JR_MUST_CHECK;

#endif
