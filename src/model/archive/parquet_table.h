/*
 * parquet_table.h - columns of a Parquet file as plain int64 and interned text.
 * Layer: model.  Writers have changed the physical types of the same column over the years (ids as
 * double, int32 or int64), so a reader asks for the meaning.
 */
#ifndef JR_MODEL_PARQUET_TABLE_H
#define JR_MODEL_PARQUET_TABLE_H

#include "base/intern.h"
#include "formats/parquet/parquet.h"

/**
 * Column `name` as int64; nulls, NaN and values that are no integer of int64 read as INT64_MIN.
 *
 * @param out  [n_rows] in `arena`; NULL where the column is absent (that is not an error)
 */
enum jr_status jr_parquet_i64(const struct jr_parquet *pq, const char *name, struct jr_arena *arena,
	int64_t **out, struct jr_error *err) JR_MUST_CHECK;

/**
 * Text column as ids of `strings`: each distinct dictionary entry is interned once, made clean.
 * Null reads as JR_NONE.
 *
 * @param most as of jr_intern_foreign()
 * @param out  [n_rows] in `arena`; NULL where the column is absent
 */
enum jr_status jr_parquet_text(const struct jr_parquet *pq, const char *name,
	const struct jr_limits *limits, struct jr_intern *strings, struct jr_arena *arena,
	uint64_t most, uint32_t **out, struct jr_error *err) JR_MUST_CHECK;

#endif
