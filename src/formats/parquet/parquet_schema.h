/*
 * parquet_schema.h - from the schema tree to columns. Internal to parquet*.c.
 * Layer: formats.  Format facts: parquet-format's LogicalTypes.md (Lists), Encodings.md (levels).
 */
#ifndef JR_FORMATS_PARQUET_SCHEMA_H
#define JR_FORMATS_PARQUET_SCHEMA_H

#include "formats/parquet/parquet.h"
#include "formats/parquet/parquet_footer.h"

/* What reading needs of a column beside struct jr_parquet_column; parallel to it. */
struct jr_pq_leaf {
	uint64_t path_hash;
	uint8_t list_def; /* LIST: definition level from which the list itself is there, 0 or 1; an
						 element is there from list_def + 1 */
};

struct jr_parquet_impl {
	struct jr_limits limits;
	struct jr_pq_footer footer;
	struct jr_pq_leaf *leaves;
};

/**
 * Make pq->columns and impl->leaves from impl->footer.
 *
 * @return JR_EFORMAT a tree that does not hold together; JR_ELIMIT depth, columns, path sizes
 */
enum jr_status jr_pq_schema_build(struct jr_parquet *pq, struct jr_parquet_impl *impl,
	struct jr_arena *arena, struct jr_error *err) JR_MUST_CHECK;

#endif
