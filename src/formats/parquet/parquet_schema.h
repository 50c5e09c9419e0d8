/*
 * parquet_schema.h - turn the schema tree into columns. Internal to parquet*.c.
 * Layer: formats.  Format facts: parquet-format's LogicalTypes.md (Lists), Encodings.md (levels).
 */
#ifndef JR_FORMATS_PARQUET_SCHEMA_H
#define JR_FORMATS_PARQUET_SCHEMA_H

#include "formats/parquet/parquet.h"
#include "formats/parquet/parquet_footer.h"

/* Facts for reading a column, in addition to struct jr_parquet_column; parallel to it. */
struct jr_pq_leaf {
	uint64_t path_hash;
	uint8_t list_def; /* LIST: lowest definition level of a list that exists, 0 or 1; elements exist
					   * from list_def + 1 */
};

struct jr_parquet_impl {
	struct jr_limits limits;
	struct jr_pq_footer footer;
	struct jr_pq_leaf *leaves;
};

/**
 * Make pq->columns and impl->leaves from impl->footer.
 *
 * @return JR_EFORMAT an inconsistent tree; JR_ELIMIT depth, columns, path sizes
 */
enum jr_status jr_pq_schema_build(struct jr_parquet *pq, struct jr_parquet_impl *impl,
	struct jr_arena *arena, struct jr_error *err) JR_MUST_CHECK;

#endif
